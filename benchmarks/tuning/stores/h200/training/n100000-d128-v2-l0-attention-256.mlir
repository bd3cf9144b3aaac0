#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000, edges = 12800000, type_edges = [12800000], src_pairs = [100000], dst_pairs = [99962], in_degree_squares = 8358799444, in_degree_max = 15768, out_degree_squares = 1651209074, out_degree_max = 186, src_pair_max = [186], dst_pair_max = [15768], near_edges = [1027953, 7016588, 12800000]>}

func.func @dot_attention(
    %query: tensor<?x1x256xf32, #node> {gnn.name = "query"},
    %key: tensor<?x1x256xf32, #node> {gnn.name = "key"},
    %value: tensor<?x1x256xf32, #node> {gnn.name = "value"})
    -> (tensor<?x1x256xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.sddmm %query via dst, %key via src : (tensor<?x1x256xf32, #node>, tensor<?x1x256xf32, #node>) -> tensor<?x1xf32, #edge>
  %1 = arith.constant dense<0.0625> : tensor<f32>
  %2 = gnn.broadcast %1 : tensor<f32> -> tensor<?x1xf32, #edge>
  %3 = arith.mulf %0, %2 : tensor<?x1xf32, #edge>
  %4 = gnn.edge_softmax %3 over dst : tensor<?x1xf32, #edge>
  %5 = gnn.apply mul %4, %value via src : (tensor<?x1xf32, #edge>, tensor<?x1x256xf32, #node>) -> tensor<?x1x256xf32, #edge>
  %6 = gnn.aggregate sum %5 via dst : tensor<?x1x256xf32, #edge> -> tensor<?x1x256xf32, #node>
  return %6 : tensor<?x1x256xf32, #node>
}
