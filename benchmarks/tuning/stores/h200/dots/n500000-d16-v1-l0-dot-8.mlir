#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 500000, dst_nodes = 500000, edges = 8000000, type_edges = [8000000], src_pairs = [500000], dst_pairs = [499550], in_degree_squares = 255725676, in_degree_max = 441, out_degree_squares = 136021294, out_degree_max = 38, src_pair_max = [38], dst_pair_max = [441], near_edges = [130118, 1014640, 6187625]>}

func.func @dot(
    %x: tensor<?x8xf32, #node> {gnn.name = "x"},
    %z: tensor<?x8xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
