#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 5000, dst_nodes = 5000, edges = 80000, type_edges = [80000], src_pairs = [5000], dst_pairs = [4867], in_degree_squares = 5252682, in_degree_max = 496, out_degree_squares = 1359710, out_degree_max = 32, src_pair_max = [32], dst_pair_max = [496], near_edges = [77356, 80000, 80000]>}

func.func @dot_attention(
    %query: tensor<?x1x128xf32, #node> {gnn.name = "query"},
    %key: tensor<?x1x128xf32, #node> {gnn.name = "key"},
    %value: tensor<?x1x128xf32, #node> {gnn.name = "value"})
    -> (tensor<?x1x128xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.sddmm %query via dst, %key via src : (tensor<?x1x128xf32, #node>, tensor<?x1x128xf32, #node>) -> tensor<?x1xf32, #edge>
  %1 = arith.constant dense<0.08838834764831843> : tensor<f32>
  %2 = gnn.broadcast %1 : tensor<f32> -> tensor<?x1xf32, #edge>
  %3 = arith.mulf %0, %2 : tensor<?x1xf32, #edge>
  %4 = gnn.edge_softmax %3 over dst : tensor<?x1xf32, #edge>
  %5 = gnn.apply mul %4, %value via src : (tensor<?x1xf32, #edge>, tensor<?x1x128xf32, #node>) -> tensor<?x1x128xf32, #edge>
  %6 = gnn.aggregate sum %5 via dst : tensor<?x1x128xf32, #edge> -> tensor<?x1x128xf32, #node>
  return %6 : tensor<?x1x128xf32, #node>
}
