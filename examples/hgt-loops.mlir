// HGT (hgt.mlir) written as loops: a node projects its features, an edge gets a
// score, a node takes softmax over its incoming edges and adds up messages. The
// heads of a row are a dimension of its features.

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>
#node_type = #gnn.rows<@g, node_type>

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!bias = tensor<2x64xf32, #node_type>
!heads = tensor<?x4x16xf32, #node>
!projection = tensor<2x64x64xf32, #node_type>
!relation = tensor<3x4x16x16xf32, #edge_type>

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @hgt(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"},
    %key_bias: !bias {gnn.name = "key_bias"},
    %key_weight: !projection {gnn.name = "key_weight"},
    %query_bias: !bias {gnn.name = "query_bias"},
    %query_weight: !projection {gnn.name = "query_weight"},
    %value_bias: !bias {gnn.name = "value_bias"},
    %value_weight: !projection {gnn.name = "value_weight"},
    %prior: tensor<3x4xf32, #edge_type> {gnn.name = "prior"},
    %key_relation: !relation {gnn.name = "key_relation"},
    %value_relation: !relation {gnn.name = "value_relation"},
    %out_weight: !projection {gnn.name = "out_weight"},
    %out_bias: !bias {gnn.name = "out_bias"},
    %skip: tensor<2xf32, #node_type> {gnn.name = "skip"})
    -> (tensor<?x64xf32, #node> {gnn.name = "out"}) {
  // for n in g.nodes(): n["key"] = n.x * K[n.ntype] + b[n.ntype], ...
  %key, %query, %value = gnn.for_nodes %n in @g -> (!heads, !heads, !heads) {
    %x_n = gnn.read %x[%n] : (tensor<?x64xf32, #node>, !n) -> tensor<64xf32>
    %key_w = gnn.read %key_weight[%n] : (!projection, !n) -> tensor<64x64xf32>
    %key_b = gnn.read %key_bias[%n] : (!bias, !n) -> tensor<64xf32>
    %key_h = gnn.row_linear %x_n, %key_w : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %key_n = arith.addf %key_h, %key_b : tensor<64xf32>
    %key_4 = tensor.expand_shape %key_n [[0, 1]] output_shape [4, 16] : tensor<64xf32> into tensor<4x16xf32>
    %query_w = gnn.read %query_weight[%n] : (!projection, !n) -> tensor<64x64xf32>
    %query_b = gnn.read %query_bias[%n] : (!bias, !n) -> tensor<64xf32>
    %query_h = gnn.row_linear %x_n, %query_w : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %query_n = arith.addf %query_h, %query_b : tensor<64xf32>
    %query_4 = tensor.expand_shape %query_n [[0, 1]] output_shape [4, 16] : tensor<64xf32> into tensor<4x16xf32>
    %value_w = gnn.read %value_weight[%n] : (!projection, !n) -> tensor<64x64xf32>
    %value_b = gnn.read %value_bias[%n] : (!bias, !n) -> tensor<64xf32>
    %value_h = gnn.row_linear %x_n, %value_w : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %value_n = arith.addf %value_h, %value_b : tensor<64xf32>
    %value_4 = tensor.expand_shape %value_n [[0, 1]] output_shape [4, 16] : tensor<64xf32> into tensor<4x16xf32>
    gnn.yield %key_4, %query_4, %value_4 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>
  }
  %out = gnn.for_nodes %n in @g -> (tensor<?x64xf32, #node>) {
    %query_n = gnn.read %query[%n] : (!heads, !n) -> tensor<4x16xf32>
    // for e in n.incoming_edges(): e["score"] = q . (k * A[e.etype]) * prior[e.etype] / sqrt(d)
    %scores, %highest = gnn.for_incoming %e of %n : !n -> (tensor<?x4xf32, #edge>, tensor<4xf32>) {
      %key_u = gnn.read %key[%e] via src : (!heads, !e) -> tensor<4x16xf32>
      %relation = gnn.read %key_relation[%e] : (!relation, !e) -> tensor<4x16x16xf32>
      %k = gnn.row_linear %key_u, %relation : (tensor<4x16xf32>, tensor<4x16x16xf32>) -> tensor<4x16xf32>
      %d = gnn.row_dot %query_n, %k : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4xf32>
      %prior_e = gnn.read %prior[%e] : (tensor<3x4xf32, #edge_type>, !e) -> tensor<4xf32>
      %weighed = arith.mulf %d, %prior_e : tensor<4xf32>
      %scale = arith.constant dense<0.25> : tensor<4xf32>
      %score = arith.mulf %weighed, %scale : tensor<4xf32>
      gnn.yield %score, max %score : tensor<4xf32>, tensor<4xf32>
    }
    %powers, %total = gnn.for_incoming %e of %n : !n -> (tensor<?x4xf32, #edge>, tensor<4xf32>) {
      %score = gnn.read %scores[%e] : (tensor<?x4xf32, #edge>, !e) -> tensor<4xf32>
      %shifted = arith.subf %score, %highest : tensor<4xf32>
      %power = math.exp %shifted : tensor<4xf32>
      gnn.yield %power, sum %power : tensor<4xf32>, tensor<4xf32>
    }
    %sum = gnn.for_incoming %e of %n : !n -> (tensor<4x16xf32>) {
      %power = gnn.read %powers[%e] : (tensor<?x4xf32, #edge>, !e) -> tensor<4xf32>
      %attention = arith.divf %power, %total : tensor<4xf32>
      %value_u = gnn.read %value[%e] via src : (!heads, !e) -> tensor<4x16xf32>
      %relation = gnn.read %value_relation[%e] : (!relation, !e) -> tensor<4x16x16xf32>
      %v = gnn.row_linear %value_u, %relation : (tensor<4x16xf32>, tensor<4x16x16xf32>) -> tensor<4x16xf32>
      %wide = gnn.row_broadcast %attention : tensor<4xf32> -> tensor<4x16xf32>
      %message = arith.mulf %wide, %v : tensor<4x16xf32>
      gnn.yield sum %message : tensor<4x16xf32>
    }
    %flat = tensor.collapse_shape %sum [[0, 1]] : tensor<4x16xf32> into tensor<64xf32>
    %h = gnn.row_activation gelu %flat : tensor<64xf32>
    %out_w = gnn.read %out_weight[%n] : (!projection, !n) -> tensor<64x64xf32>
    %out_b = gnn.read %out_bias[%n] : (!bias, !n) -> tensor<64xf32>
    %product = gnn.row_linear %h, %out_w : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %new = arith.addf %product, %out_b : tensor<64xf32>
    %skip_n = gnn.read %skip[%n] : (tensor<2xf32, #node_type>, !n) -> tensor<f32>
    %share = gnn.row_activation sigmoid %skip_n : tensor<f32>
    %x_n = gnn.read %x[%n] : (tensor<?x64xf32, #node>, !n) -> tensor<64xf32>
    %difference = arith.subf %new, %x_n : tensor<64xf32>
    %wide = gnn.row_broadcast %share : tensor<f32> -> tensor<64xf32>
    %step = arith.mulf %wide, %difference : tensor<64xf32>
    %y = arith.addf %x_n, %step : tensor<64xf32>
    gnn.yield %y : tensor<64xf32>
  }
  return %out : tensor<?x64xf32, #node>
}
