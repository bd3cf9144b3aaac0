#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 2449029, dst_nodes = 2449029, edges = 123718280, type_edges = [123718280], src_pairs = [2449029], dst_pairs = [2442842], in_degree_squares = 28437726892, in_degree_max = 15002, out_degree_squares = 6376569956, out_degree_max = 90, src_pair_max = [90], dst_pair_max = [15002], near_edges = [99016236, 99591687, 103946788]>}

func.func @sum(
    %x: tensor<?x128xf32, #node> {gnn.name = "x"})
    -> (tensor<?x128xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x128xf32, #edge> -> tensor<?x128xf32, #node>
  return %1 : tensor<?x128xf32, #node>
}
