// RUN: gnn-opt %s --mlir-print-local-scope --verify-roundtrip | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>

gnn.graph @g square {node_types = 1, edge_types = 1}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @aggregates
// CHECK:         gnn_overlay.aggregate sum %{{.+}} : tensor<?x16xf32, #gnn.rows<@g, node>> -> tensor<?x16xf32, #gnn.rows<@g, node>>
// CHECK:         gnn_overlay.aggregate max %{{.+}} weights %{{.+}} : tensor<?x16xf32, #gnn.rows<@g, node>>, tensor<?xf32, #gnn.rows<@g, edge>> -> tensor<?x16xf32, #gnn.rows<@g, node>>
// CHECK:         gnn_overlay.aggregate sum %{{.+}} init %{{.+}} : tensor<?x16xf32, #gnn.rows<@g, node>>, tensor<16xf32> ->
// CHECK:         gnn_overlay.aggregate sum %{{.+}} weights %{{.+}} init %{{.+}} activations [#gnn_overlay.act<relu>] :
func.func @aggregates(%x: tensor<?x16xf32, #node>, %w: tensor<?xf32, #edge>, %b: tensor<16xf32>) -> tensor<?x16xf32, #node> {
  %0 = gnn_overlay.aggregate sum %x : tensor<?x16xf32, #node> -> tensor<?x16xf32, #node>
  %1 = gnn_overlay.aggregate max %0 weights %w : tensor<?x16xf32, #node>, tensor<?xf32, #edge> -> tensor<?x16xf32, #node>
  %i = gnn_overlay.aggregate sum %1 init %b : tensor<?x16xf32, #node>, tensor<16xf32> -> tensor<?x16xf32, #node>
  %2 = gnn_overlay.aggregate sum %i weights %w init %b activations [#gnn_overlay.act<relu>] : tensor<?x16xf32, #node>, tensor<?xf32, #edge>, tensor<16xf32> -> tensor<?x16xf32, #node>
  return %2 : tensor<?x16xf32, #node>
}

// The input may be wider than the weight is high.
//
// CHECK-LABEL: func.func @linears
// CHECK:         gnn_overlay.linear %{{.+}}, %{{.+}} : tensor<?x17xf32, #gnn.rows<@g, node>>, tensor<16x4xf32> -> tensor<?x4xf32, #gnn.rows<@g, node>>
// CHECK:         gnn_overlay.linear %{{.+}}, %{{.+}} bias %{{.+}} activations [#gnn_overlay.act<swish>, #gnn_overlay.act<sigmoid>] :
func.func @linears(%x: tensor<?x17xf32, #node>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> (tensor<?x4xf32, #node>, tensor<?x4xf32, #node>) {
  %0 = gnn_overlay.linear %x, %w : tensor<?x17xf32, #node>, tensor<16x4xf32> -> tensor<?x4xf32, #node>
  %1 = gnn_overlay.linear %x, %w bias %b activations [#gnn_overlay.act<swish>, #gnn_overlay.act<sigmoid>] : tensor<?x17xf32, #node>, tensor<16x4xf32>, tensor<4xf32> -> tensor<?x4xf32, #node>
  return %0, %1 : tensor<?x4xf32, #node>, tensor<?x4xf32, #node>
}

// CHECK-LABEL: func.func @vectors
// CHECK:         gnn_overlay.vector_inner %{{.+}}, %{{.+}} activations [#gnn_overlay.act<prelu, 0.2>, #gnn_overlay.act<exp>] : tensor<?x2xf32, #gnn.rows<@g, node>>, tensor<?x2xf32, #gnn.rows<@g, node>> -> tensor<?xf32, #gnn.rows<@g, edge>>
// CHECK:         gnn_overlay.vector_add %{{.+}}, %{{.+}} : tensor<?x2xf32, #gnn.rows<@g, node>>
func.func @vectors(%x: tensor<?x2xf32, #node>, %y: tensor<?x2xf32, #node>) -> (tensor<?xf32, #edge>, tensor<?x2xf32, #node>) {
  %e = gnn_overlay.vector_inner %x, %y activations [#gnn_overlay.act<prelu, 0.2>, #gnn_overlay.act<exp>] : tensor<?x2xf32, #node>, tensor<?x2xf32, #node> -> tensor<?xf32, #edge>
  %z = gnn_overlay.vector_add %x, %y : tensor<?x2xf32, #node>
  return %e, %z : tensor<?xf32, #edge>, tensor<?x2xf32, #node>
}

// CHECK-LABEL: func.func @functions
// CHECK:         gnn_overlay.activation %{{.+}} activations [#gnn_overlay.act<exp>] : tensor<?xf32, #gnn.rows<@g, edge>> -> tensor<?xf32, #gnn.rows<@g, edge>>
// CHECK:         gnn_overlay.activation %{{.+}} scale %{{.+}} shift %{{.+}} activations [#gnn_overlay.act<divide, 64.0>, #gnn_overlay.act<affine>] : tensor<?x65xf32, #gnn.rows<@g, node>>, tensor<64xf32>, tensor<64xf32> -> tensor<?x64xf32, #gnn.rows<@g, node>>
// CHECK:         gnn_overlay.batch_norm %{{.+}} scale %{{.+}} shift %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<64xf32>, tensor<64xf32>
func.func @functions(%w: tensor<?xf32, #edge>, %x: tensor<?x65xf32, #node>, %s: tensor<64xf32>, %b: tensor<64xf32>) -> (tensor<?xf32, #edge>, tensor<?x64xf32, #node>) {
  %e = gnn_overlay.activation %w activations [#gnn_overlay.act<exp>] : tensor<?xf32, #edge> -> tensor<?xf32, #edge>
  %y = gnn_overlay.activation %x scale %s shift %b activations [#gnn_overlay.act<divide, 64.0>, #gnn_overlay.act<affine>] : tensor<?x65xf32, #node>, tensor<64xf32>, tensor<64xf32> -> tensor<?x64xf32, #node>
  %z = gnn_overlay.batch_norm %y scale %s shift %b : tensor<?x64xf32, #node>, tensor<64xf32>, tensor<64xf32>
  return %e, %z : tensor<?xf32, #edge>, tensor<?x64xf32, #node>
}

// A transposed weight with a column of zeros behind it, a one, and zeros alone.
//
// CHECK-LABEL: func.func @assembles
// CHECK:         gnn_overlay.assemble %{{.+}} blocks [0, 0, 0, 0, 8, 64] transposed [true] ones [] : (tensor<64x8xf32>) -> tensor<8x65xf32>
// CHECK:         gnn_overlay.assemble blocks [] transposed [] ones [0, 64, 1, 1] : () -> tensor<65xf32>
// CHECK:         gnn_overlay.assemble blocks [] transposed [] ones [] : () -> tensor<4xf32>
func.func @assembles(%a: tensor<64x8xf32>) -> (tensor<8x65xf32>, tensor<65xf32>, tensor<4xf32>) {
  %0 = gnn_overlay.assemble %a blocks [0, 0, 0, 0, 8, 64] transposed [true] ones [] : (tensor<64x8xf32>) -> tensor<8x65xf32>
  %1 = gnn_overlay.assemble blocks [] transposed [] ones [0, 64, 1, 1] : () -> tensor<65xf32>
  %2 = gnn_overlay.assemble blocks [] transposed [] ones [] : () -> tensor<4xf32>
  return %0, %1, %2 : tensor<8x65xf32>, tensor<65xf32>, tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// A number has as few digits as f32 needs, and comes back bit by bit.
//
// CHECK-LABEL: func.func private @numbers
// CHECK-SAME:    [#gnn_overlay.act<prelu, 0.01>, #gnn_overlay.act<prelu, -0.33333334>, #gnn_overlay.act<prelu, 1.0E-8>,
// CHECK-SAME:    #gnn_overlay.act<divide, 65535.0>, #gnn_overlay.act<prelu, 0.0>, #gnn_overlay.act<prelu, 3.0E+38>]
func.func private @numbers() attributes {acts = [
    #gnn_overlay.act<prelu, 0.01>, #gnn_overlay.act<prelu, -0.3333333333>, #gnn_overlay.act<prelu, 1.0e-8>,
    #gnn_overlay.act<divide, 65535.0>, #gnn_overlay.act<prelu, 0.0>, #gnn_overlay.act<prelu, 3.0e38>]}

// What is left out of a target is that of an Alveo U250.
//
// CHECK-LABEL: func.func private @targets
// CHECK-SAME:    #gnn_overlay.target<pes = 8, psys = 16, weight_rows = 8192, edges = 65536, feature_rows = 16384, feature_columns = 16, memory_bytes = 68719476736>
// CHECK-SAME:    #gnn_overlay.target<pes = 1, psys = 16, weight_rows = 8192, edges = 512, feature_rows = 32,
func.func private @targets() attributes {targets = [
    #gnn_overlay.target<>, #gnn_overlay.target<feature_rows = 32, pes = 1, edges = 512>]}

// Shards of two, no and one entries.
//
// CHECK-LABEL: func.func private @partitions
// CHECK-SAME:    #gnn_overlay.partition<vertices = 40, edges = 9, n1 = 16, n2 = 16>
// CHECK-SAME:    #gnn_overlay.partition<vertices = 40, edges = 9, n1 = 16, n2 = 16, entries = [2, 0, 1], sources = [0, 0, 2], shard_edges = [5, 0, 4]>
func.func private @partitions() attributes {partitions = [
    #gnn_overlay.partition<vertices = 40, edges = 9, n1 = 16, n2 = 16>,
    #gnn_overlay.partition<vertices = 40, edges = 9, n1 = 16, n2 = 16, entries = [2, 0, 1], sources = [0, 0, 2], shard_edges = [5, 0, 4]>]}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

// Regions of all kinds, and layers on tensors that are tied to them.
//
// CHECK-LABEL: gnn_overlay.program @layers target <pes = 8, {{.+}}> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
// CHECK:         gnn_overlay.region @x features [20, 8] input at 0 of "x"
// CHECK:         gnn_overlay.region @w weights [8, 4] input at 2048 pieces {{\[\[}}"a", true, 0, 0, 8, 0, 0, 8, 4]]
// CHECK:         gnn_overlay.region @b row [1, 4] input at 3072 pieces {{\[\[}}1.000000e+00 : f32, false, 0, 0, 0, 0, 0, 1, 4]]
// CHECK:         gnn_overlay.region @s affine [1, 4] input at 3136 pieces
// CHECK:         gnn_overlay.region @e edges [4, 7] input at 3264 of "e"
// CHECK:         gnn_overlay.region @h features [20, 4] temporary at 4096
// CHECK:         gnn_overlay.region @y features [20, 4] output at 8192
// CHECK:         %[[X:.+]] = gnn_overlay.read @x : tensor<?x8xf32, #gnn.rows<@g, node>>
// CHECK:         %[[H:.+]] = gnn_overlay.linear %[[X]]
// CHECK:         gnn_overlay.place %[[H]] in @h : tensor<?x4xf32, #gnn.rows<@g, node>>
gnn_overlay.program @layers target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  gnn_overlay.region @w weights [8, 4] input at 2048 pieces [["a", true, 0, 0, 8, 0, 0, 8, 4]]
  gnn_overlay.region @b row [1, 4] input at 3072 pieces [[1.0 : f32, false, 0, 0, 0, 0, 0, 1, 4]]
  gnn_overlay.region @s affine [1, 4] input at 3136 pieces [["s", false, 0, 0, 4, 0, 0, 2, 4]]
  gnn_overlay.region @e edges [4, 7] input at 3264 of "e"
  gnn_overlay.region @h features [20, 4] temporary at 4096
  gnn_overlay.region @y features [20, 4] output at 8192
  %x = gnn_overlay.read @x : tensor<?x8xf32, #node>
  %w = gnn_overlay.read @w : tensor<8x4xf32>
  %h = gnn_overlay.linear %x, %w : tensor<?x8xf32, #node>, tensor<8x4xf32> -> tensor<?x4xf32, #node>
  gnn_overlay.place %h in @h : tensor<?x4xf32, #node>
  %y = gnn_overlay.activation %h activations [#gnn_overlay.act<relu>] : tensor<?x4xf32, #node> -> tensor<?x4xf32, #node>
  gnn_overlay.place %y in @y : tensor<?x4xf32, #node>
}

// Each instruction with all that it may say, and with as little as it may.
//
// CHECK-LABEL: gnn_overlay.program @instructions
// CHECK:         gnn_overlay.layer_block linear layer 1 in 8 out 4 activation relu {
// CHECK:           gnn_overlay.tiling_block {
// CHECK:             gnn_overlay.init bias @b at 64 rows 16 width 16 trips 2 lock
// CHECK:             gnn_overlay.loop {
// CHECK:               gnn_overlay.load weight @w at 0 stride 1024 rows 16 width 16 lock
// CHECK:               gnn_overlay.load feature @x at 64 stride 2048 rows 16 width 16 buffer 1 lock unlock [feature]
// CHECK:               gnn_overlay.gemm rows 16 len 8 cols 4 buffer 1 accumulate unlock [weight, feature]
// CHECK:             }
// CHECK:             gnn_overlay.act <prelu, 0.25> count 16 buffer 2
// CHECK:             gnn_overlay.act <affine> @s count 16 buffer 2 lock unlock [output]
// CHECK:             gnn_overlay.store feature @y at 64 rows 16 width 16 unlock [output]
// CHECK:         gnn_overlay.layer_block aggregate layer 2 named "conv" in 4 out 4 aggregation max normalized {
// CHECK:             gnn_overlay.init zero on_edges
// CHECK:             gnn_overlay.load edge @e at 16 by_descriptor lock
// CHECK:           gnn_overlay.spdmm max edges 5 width 16 buffer 1 unlock [edge, feature]
// CHECK:           gnn_overlay.act <exp> on_edges
// CHECK:           gnn_overlay.store edge @f at 16 by_descriptor
// CHECK:           gnn_overlay.layer_block vector_inner layer 3 in 4 out 1 {
// CHECK:           gnn_overlay.sddmm edges 5 width 16 buffer 1 accumulate unlock [edge, feature]
// CHECK:           gnn_overlay.sddmm width 16
// CHECK:           gnn_overlay.layer_block vector_add layer 4 in 4 out 4 {
// CHECK:           gnn_overlay.vadd rows 16 width 16 buffer 1 lock unlock [feature]
gnn_overlay.program @instructions target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 24] input at 0 of "x"
  gnn_overlay.region @w weights [32, 4] input at 4096
  gnn_overlay.region @b row [1, 20] input at 6144
  gnn_overlay.region @s affine [1, 4] input at 6272
  gnn_overlay.region @e edges [4, 7] input at 6400
  gnn_overlay.region @f edges [4, 7] temporary at 7168
  gnn_overlay.region @y features [20, 4] output at 8192
  gnn_overlay.layer_block linear layer 1 in 8 out 4 activation relu {
    gnn_overlay.tiling_block {
      gnn_overlay.init bias @b at 64 rows 16 width 16 trips 2 lock
      gnn_overlay.loop {
        gnn_overlay.load weight @w at 0 stride 1024 rows 16 width 16 lock
        gnn_overlay.load feature @x at 64 stride 2048 rows 16 width 16 buffer 1 lock unlock [feature]
        gnn_overlay.gemm rows 16 len 8 cols 4 buffer 1 accumulate unlock [weight, feature]
      }
      gnn_overlay.act <prelu, 0.25> count 16 buffer 2
      gnn_overlay.act <affine> @s at 0 count 16 buffer 2 lock unlock [output]
      gnn_overlay.store feature @y at 64 rows 16 width 16 unlock [output]
    }
  }
  gnn_overlay.layer_block aggregate layer 2 named "conv" in 4 out 4 aggregation max normalized {
    gnn_overlay.tiling_block {
      gnn_overlay.init zero on_edges
      gnn_overlay.load edge @e at 16 by_descriptor lock
      gnn_overlay.spdmm max edges 5 width 16 buffer 1 unlock [edge, feature]
      gnn_overlay.act <exp> on_edges
      gnn_overlay.store edge @f at 16 by_descriptor
    }
  }
  gnn_overlay.layer_block vector_inner layer 3 in 4 out 1 {
    gnn_overlay.tiling_block {
      gnn_overlay.sddmm edges 5 width 16 buffer 1 accumulate unlock [edge, feature]
      gnn_overlay.sddmm width 16
    }
  }
  gnn_overlay.layer_block vector_add layer 4 in 4 out 4 {
    gnn_overlay.tiling_block {
      gnn_overlay.vadd rows 16 width 16 buffer 1 lock unlock [feature]
    }
  }
}
