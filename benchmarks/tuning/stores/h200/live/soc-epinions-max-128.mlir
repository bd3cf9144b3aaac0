#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 75877, dst_nodes = 75877, edges = 811478, type_edges = [811478], src_pairs = [75877], dst_pairs = [75877], in_degree_squares = 149213718, in_degree_max = 3044, out_degree_squares = 149213718, out_degree_max = 3044, src_pair_max = [3044], dst_pair_max = [3044], near_edges = [386614, 737190, 811478]>}

func.func @max(
    %x: tensor<?x128xf32, #node> {gnn.name = "x"})
    -> (tensor<?x128xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %1 = gnn.aggregate max %0 via dst : tensor<?x128xf32, #edge> -> tensor<?x128xf32, #node>
  return %1 : tensor<?x128xf32, #node>
}
