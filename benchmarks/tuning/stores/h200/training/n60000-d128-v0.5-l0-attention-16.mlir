#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 60000, dst_nodes = 60000, edges = 7680000, type_edges = [7680000], src_pairs = [60000], dst_pairs = [60000], in_degree_squares = 1228034168, in_degree_max = 801, out_degree_squares = 990704790, out_degree_max = 177, src_pair_max = [177], dst_pair_max = [801], near_edges = [1013981, 6099099, 7680000]>}

func.func @dot_attention(
    %query: tensor<?x1x16xf32, #node> {gnn.name = "query"},
    %key: tensor<?x1x16xf32, #node> {gnn.name = "key"},
    %value: tensor<?x1x16xf32, #node> {gnn.name = "value"})
    -> (tensor<?x1x16xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.sddmm %query via dst, %key via src : (tensor<?x1x16xf32, #node>, tensor<?x1x16xf32, #node>) -> tensor<?x1xf32, #edge>
  %1 = arith.constant dense<0.25> : tensor<f32>
  %2 = gnn.broadcast %1 : tensor<f32> -> tensor<?x1xf32, #edge>
  %3 = arith.mulf %0, %2 : tensor<?x1xf32, #edge>
  %4 = gnn.edge_softmax %3 over dst : tensor<?x1xf32, #edge>
  %5 = gnn.apply mul %4, %value via src : (tensor<?x1xf32, #edge>, tensor<?x1x16xf32, #node>) -> tensor<?x1x16xf32, #edge>
  %6 = gnn.aggregate sum %5 via dst : tensor<?x1x16xf32, #edge> -> tensor<?x1x16xf32, #node>
  return %6 : tensor<?x1x16xf32, #node>
}
