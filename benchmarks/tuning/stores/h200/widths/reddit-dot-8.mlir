#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 232965, dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232964], in_degree_squares = 208993321586, in_degree_max = 42742, out_degree_squares = 56504679622, out_degree_max = 601, src_pair_max = [601], dst_pair_max = [42742], near_edges = [3997874, 29961454, 114615892]>}

func.func @dot(
    %x: tensor<?x8xf32, #node> {gnn.name = "x"},
    %z: tensor<?x8xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
