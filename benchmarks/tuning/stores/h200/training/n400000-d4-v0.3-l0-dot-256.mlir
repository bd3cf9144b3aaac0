#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 400000, dst_nodes = 400000, edges = 1600000, type_edges = [1600000], src_pairs = [392649], dst_pairs = [400000], in_degree_squares = 7108734, in_degree_max = 15, out_degree_squares = 8001356, out_degree_max = 15, src_pair_max = [15], dst_pair_max = [15], near_edges = [32647, 250823, 1409153]>}

func.func @dot(
    %x: tensor<?x256xf32, #node> {gnn.name = "x"},
    %z: tensor<?x256xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x256xf32, #node> -> tensor<?x256xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x256xf32, #node> -> tensor<?x256xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x256xf32, #edge>, tensor<?x256xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
