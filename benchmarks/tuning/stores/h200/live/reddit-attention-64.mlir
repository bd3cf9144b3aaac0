#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 232965, dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232964], in_degree_squares = 208993321586, in_degree_max = 42742, out_degree_squares = 56504679622, out_degree_max = 601, src_pair_max = [601], dst_pair_max = [42742], near_edges = [3997874, 29961454, 114615892]>}

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
