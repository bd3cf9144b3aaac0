#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000, edges = 600000, type_edges = [600000], src_pairs = [99751], dst_pairs = [97960], in_degree_squares = 7300502, in_degree_max = 209, out_degree_squares = 4195976, out_degree_max = 18, src_pair_max = [18], dst_pair_max = [209], near_edges = [48313, 329202, 600000]>}

func.func @dot(
    %x: tensor<?x16xf32, #node> {gnn.name = "x"},
    %z: tensor<?x16xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x16xf32, #node> -> tensor<?x16xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x16xf32, #node> -> tensor<?x16xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x16xf32, #edge>, tensor<?x16xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
