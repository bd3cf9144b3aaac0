#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 10000, dst_nodes = 10000, edges = 240000, type_edges = [240000], src_pairs = [10000], dst_pairs = [10000], in_degree_squares = 7168424, in_degree_max = 131, out_degree_squares = 5999390, out_degree_max = 46, src_pair_max = [46], dst_pair_max = [131], near_edges = [185808, 240000, 240000]>}

func.func @dot(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"},
    %z: tensor<?x64xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x64xf32, #edge>, tensor<?x64xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
