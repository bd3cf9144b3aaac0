// RGCN (rgcn.mlir) written as loops: the mean over the edges of each type is
// divided by their number, which a first loop counts.

#dst_pair = #gnn.rows<@g, dst_pair>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 3}

func.func @rgcn(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"},
    %weight: tensor<3x64x64xf32, #edge_type> {gnn.name = "weight"},
    %root: tensor<64x64xf32> {gnn.name = "root"},
    %bias: tensor<64xf32> {gnn.name = "bias"})
    -> (tensor<?x64xf32, #node> {gnn.name = "out"}) {
  // for e in g.edges(): count[e.dst, e.etype] += 1
  %count = gnn.for_edges %e in @g -> (tensor<?xf32, #dst_pair>) {
    %one = arith.constant dense<1.0> : tensor<f32>
    gnn.yield sum %one : tensor<f32>
  }
  %out = gnn.for_nodes %n in @g -> (tensor<?x64xf32, #node>) {
    // for e in n.incoming_edges(): n["sum"] += e.src.x * W[e.etype] / count
    %sum = gnn.for_incoming %e of %n : !n -> (tensor<64xf32>) {
      %x_u = gnn.read %x[%e] via src : (tensor<?x64xf32, #node>, !e) -> tensor<64xf32>
      %w = gnn.read %weight[%e] : (tensor<3x64x64xf32, #edge_type>, !e) -> tensor<64x64xf32>
      %m = gnn.row_linear %x_u, %w : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
      %c = gnn.read %count[%e] : (tensor<?xf32, #dst_pair>, !e) -> tensor<f32>
      %wide = gnn.row_broadcast %c : tensor<f32> -> tensor<64xf32>
      %mean = arith.divf %m, %wide : tensor<64xf32>
      gnn.yield sum %mean : tensor<64xf32>
    }
    %x_n = gnn.read %x[%n] : (tensor<?x64xf32, #node>, !n) -> tensor<64xf32>
    %own = gnn.row_linear %x_n, %root : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %both = arith.addf %sum, %own : tensor<64xf32>
    %y = arith.addf %both, %bias : tensor<64xf32>
    gnn.yield %y : tensor<64xf32>
  }
  return %out : tensor<?x64xf32, #node>
}
