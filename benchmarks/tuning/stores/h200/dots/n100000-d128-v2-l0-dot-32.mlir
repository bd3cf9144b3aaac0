#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000, edges = 12800000, type_edges = [12800000], src_pairs = [100000], dst_pairs = [99962], in_degree_squares = 8358799444, in_degree_max = 15768, out_degree_squares = 1651209074, out_degree_max = 186, src_pair_max = [186], dst_pair_max = [15768], near_edges = [1027953, 7016588, 12800000]>}

func.func @dot(
    %x: tensor<?x32xf32, #node> {gnn.name = "x"},
    %z: tensor<?x32xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x32xf32, #node> -> tensor<?x32xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x32xf32, #node> -> tensor<?x32xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x32xf32, #edge>, tensor<?x32xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
