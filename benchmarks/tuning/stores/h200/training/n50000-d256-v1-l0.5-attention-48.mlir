#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 50000, dst_nodes = 50000, edges = 12800000, type_edges = [12800000], src_pairs = [50000], dst_pairs = [50000], in_degree_squares = 6656614566, in_degree_max = 5502, out_degree_squares = 3289765782, out_degree_max = 328, src_pair_max = [328], dst_pair_max = [5502], near_edges = [7272253, 11907525, 12800000]>}

func.func @dot_attention(
    %query: tensor<?x1x48xf32, #node> {gnn.name = "query"},
    %key: tensor<?x1x48xf32, #node> {gnn.name = "key"},
    %value: tensor<?x1x48xf32, #node> {gnn.name = "value"})
    -> (tensor<?x1x48xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.sddmm %query via dst, %key via src : (tensor<?x1x48xf32, #node>, tensor<?x1x48xf32, #node>) -> tensor<?x1xf32, #edge>
  %1 = arith.constant dense<0.14433756729740646> : tensor<f32>
  %2 = gnn.broadcast %1 : tensor<f32> -> tensor<?x1xf32, #edge>
  %3 = arith.mulf %0, %2 : tensor<?x1xf32, #edge>
  %4 = gnn.edge_softmax %3 over dst : tensor<?x1xf32, #edge>
  %5 = gnn.apply mul %4, %value via src : (tensor<?x1xf32, #edge>, tensor<?x1x48xf32, #node>) -> tensor<?x1x48xf32, #edge>
  %6 = gnn.aggregate sum %5 via dst : tensor<?x1x48xf32, #edge> -> tensor<?x1x48xf32, #node>
  return %6 : tensor<?x1x48xf32, #node>
}
