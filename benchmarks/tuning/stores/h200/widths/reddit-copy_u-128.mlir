#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 232965, dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232964], in_degree_squares = 208993321586, in_degree_max = 42742, out_degree_squares = 56504679622, out_degree_max = 601, src_pair_max = [601], dst_pair_max = [42742], near_edges = [3997874, 29961454, 114615892]>}

func.func @sum(
    %x: tensor<?x128xf32, #node> {gnn.name = "x"})
    -> (tensor<?x128xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x128xf32, #edge> -> tensor<?x128xf32, #node>
  return %1 : tensor<?x128xf32, #node>
}
