#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 2449029, dst_nodes = 2449029, edges = 123718280, type_edges = [123718280], src_pairs = [2449029], dst_pairs = [2442842], in_degree_squares = 28437726892, in_degree_max = 15002, out_degree_squares = 6376569956, out_degree_max = 90, src_pair_max = [90], dst_pair_max = [15002], near_edges = [99016236, 99591687, 103946788]>}

func.func @dot_attention(
    %query: tensor<?x1x64xf32, #node> {gnn.name = "query"},
    %key: tensor<?x1x64xf32, #node> {gnn.name = "key"},
    %value: tensor<?x1x64xf32, #node> {gnn.name = "value"})
    -> (tensor<?x1x64xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.sddmm %query via dst, %key via src : (tensor<?x1x64xf32, #node>, tensor<?x1x64xf32, #node>) -> tensor<?x1xf32, #edge>
  %1 = arith.constant dense<0.125> : tensor<f32>
  %2 = gnn.broadcast %1 : tensor<f32> -> tensor<?x1xf32, #edge>
  %3 = arith.mulf %0, %2 : tensor<?x1xf32, #edge>
  %4 = gnn.edge_softmax %3 over dst : tensor<?x1xf32, #edge>
  %5 = gnn.apply mul %4, %value via src : (tensor<?x1xf32, #edge>, tensor<?x1x64xf32, #node>) -> tensor<?x1x64xf32, #edge>
  %6 = gnn.aggregate sum %5 via dst : tensor<?x1x64xf32, #edge> -> tensor<?x1x64xf32, #node>
  return %6 : tensor<?x1x64xf32, #node>
}
