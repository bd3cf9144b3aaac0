#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 60000, dst_nodes = 60000, edges = 7680000, type_edges = [7680000], src_pairs = [60000], dst_pairs = [60000], in_degree_squares = 1228034168, in_degree_max = 801, out_degree_squares = 990704790, out_degree_max = 177, src_pair_max = [177], dst_pair_max = [801], near_edges = [1013981, 6099099, 7680000]>}

func.func @dot(
    %x: tensor<?x128xf32, #node> {gnn.name = "x"},
    %z: tensor<?x128xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x128xf32, #edge>, tensor<?x128xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
