// RGAT as Hector has it (hector-rgat.mlir), written as loops over edges and
// nodes: the listing of Hector's section 3.2 with its softmax written out. It
// compiles to the same kernels.

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 3}

func.func @rgat(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"},
    %weight: tensor<3x64x64xf32, #edge_type> {gnn.name = "weight"},
    %att_src: tensor<3x1x64xf32, #edge_type> {gnn.name = "att_src"},
    %att_dst: tensor<3x1x64xf32, #edge_type> {gnn.name = "att_dst"})
    -> (tensor<?x64xf32, #node> {gnn.name = "out"}) {
  // for e in g.edges(): message and raw attention
  %message, %raw = gnn.for_edges %e in @g -> (tensor<?x1x64xf32, #edge>, tensor<?x1xf32, #edge>) {
    %x_u = gnn.read %x[%e] via src : (tensor<?x64xf32, #node>, !e) -> tensor<64xf32>
    %w_u = gnn.read %weight[%e] : (tensor<3x64x64xf32, #edge_type>, !e) -> tensor<64x64xf32>
    %h_u = gnn.row_linear %x_u, %w_u : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %x_v = gnn.read %x[%e] via dst : (tensor<?x64xf32, #node>, !e) -> tensor<64xf32>
    %h_v = gnn.row_linear %x_v, %w_u : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %z_u = tensor.expand_shape %h_u [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %z_v = tensor.expand_shape %h_v [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %a_u = gnn.read %att_src[%e] : (tensor<3x1x64xf32, #edge_type>, !e) -> tensor<1x64xf32>
    %a_v = gnn.read %att_dst[%e] : (tensor<3x1x64xf32, #edge_type>, !e) -> tensor<1x64xf32>
    %s_u = gnn.row_dot %z_u, %a_u : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1xf32>
    %s_v = gnn.row_dot %z_v, %a_v : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1xf32>
    %s = arith.addf %s_u, %s_v : tensor<1xf32>
    %r = gnn.row_activation leaky_relu %s alpha = 0.2 : tensor<1xf32>
    gnn.yield %z_u, %r : tensor<1x64xf32>, tensor<1xf32>
  }
  // for e in g.edges(): e["att"] = exp(e["att"])
  %power = gnn.for_edges %e in @g -> (tensor<?x1xf32, #edge>) {
    %r = gnn.read %raw[%e] : (tensor<?x1xf32, #edge>, !e) -> tensor<1xf32>
    %p = math.exp %r : tensor<1xf32>
    gnn.yield %p : tensor<1xf32>
  }
  // for n in g.dst_nodes(): for e in n.incoming_edges(): n["att_sum"] += e["att"]
  %att_sum = gnn.for_nodes %n in @g -> (tensor<?x1xf32, #node>) {
    %sum = gnn.for_incoming %e of %n : !n -> (tensor<1xf32>) {
      %p = gnn.read %power[%e] : (tensor<?x1xf32, #edge>, !e) -> tensor<1xf32>
      gnn.yield sum %p : tensor<1xf32>
    }
    gnn.yield %sum : tensor<1xf32>
  }
  // for e in g.edges(): e["att"] /= e.dst["att_sum"]
  %attention = gnn.for_edges %e in @g -> (tensor<?x1xf32, #edge>) {
    %p = gnn.read %power[%e] : (tensor<?x1xf32, #edge>, !e) -> tensor<1xf32>
    %sum = gnn.read %att_sum[%e] via dst : (tensor<?x1xf32, #node>, !e) -> tensor<1xf32>
    %a = arith.divf %p, %sum : tensor<1xf32>
    gnn.yield %a : tensor<1xf32>
  }
  // for n in g.dst_nodes(): for e in n.incoming_edges(): n["out"] += e["att"] * e["message"]
  %out = gnn.for_nodes %n in @g -> (tensor<?x64xf32, #node>) {
    %sum = gnn.for_incoming %e of %n : !n -> (tensor<1x64xf32>) {
      %a = gnn.read %attention[%e] : (tensor<?x1xf32, #edge>, !e) -> tensor<1xf32>
      %m = gnn.read %message[%e] : (tensor<?x1x64xf32, #edge>, !e) -> tensor<1x64xf32>
      %wide = gnn.row_broadcast %a : tensor<1xf32> -> tensor<1x64xf32>
      %am = arith.mulf %wide, %m : tensor<1x64xf32>
      gnn.yield sum %am : tensor<1x64xf32>
    }
    %flat = tensor.collapse_shape %sum [[0, 1]] : tensor<1x64xf32> into tensor<64xf32>
    gnn.yield %flat : tensor<64xf32>
  }
  return %out : tensor<?x64xf32, #node>
}
