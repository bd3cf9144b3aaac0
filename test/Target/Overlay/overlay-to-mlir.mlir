// A program as bytes, and what it says again: each instruction with its fields, loops and
// ends of tiles as regions, addresses as regions and bytes behind their begin.
//
// RUN: gnn-opt %s --gnn-overlay-map-kernels --gnn-overlay-annotate-mutexes \
// RUN:   | gnn-translate --gnn-to-overlay -o %t.ga
// RUN: gnn-translate --overlay-to-mlir %t.ga | FileCheck %s
// RUN: gnn-translate --overlay-to-mlir %t.ga | gnn-translate --gnn-to-overlay -o %t.again.ga
// RUN: cmp %t.ga %t.again.ga

// The entries of shards are no part of a file.
//
// CHECK:      #partition = #gnn_overlay.partition<vertices = 20, edges = 7, n1 = 16, n2 = 16>
// CHECK:      #target = #gnn_overlay.target<pes = 2, {{.+}}>
// CHECK:      gnn_overlay.program @program target #target partition #partition {
// CHECK-NEXT:   gnn_overlay.region @x features [20, 20] input at 0 of "x"
// CHECK-NEXT:   gnn_overlay.region @w weights [20, 16] input at 4096 pieces {{\[\[}}"w", true, 0, 0, 20, 0, 0, 20, 16]]
// CHECK-NEXT:   gnn_overlay.region @"b of 1" row [1, 16] input at 6144 pieces {{\[\[}}1.500000e+00 : f32, false, 0, 0, 0, 0, 4, 1, 2]]
// CHECK-NEXT:   gnn_overlay.region @s affine [1, 16] input at 6208 pieces {{\[\[}}"s", false, 0, 0, 16, 0, 0, 2, 16]]
// CHECK-NEXT:   gnn_overlay.region @e edges [4, 7] input at 6336{{$}}
// CHECK-NEXT:   gnn_overlay.region @f edges [4, 7] temporary at 6528
// CHECK-NEXT:   gnn_overlay.region @h features [20, 16] temporary at 8192
// CHECK-NEXT:   gnn_overlay.region @y features [20, 16] output at 10240
// CHECK-NEXT:   gnn_overlay.region @z features [20, 16] output at 12288
// CHECK-NEXT:   gnn_overlay.layer_block linear layer 1 in 20 out 16 activation prelu {
// CHECK-NEXT:     gnn_overlay.tiling_block {
// CHECK-NEXT:       gnn_overlay.init bias @"b of 1" rows 16 width 16 trips 2 lock
// CHECK-NEXT:       gnn_overlay.loop {
// CHECK-NEXT:         gnn_overlay.load weight @w at 0 stride 1024 rows 16 width 16 lock
// CHECK-NEXT:         gnn_overlay.load feature @x at 0 stride 2048 rows 16 width 16 lock
// CHECK-NEXT:         gnn_overlay.gemm rows 16 len 16 cols 16 accumulate unlock [weight, feature]
// CHECK-NEXT:       }
// CHECK-NEXT:       gnn_overlay.act <prelu, 0.1> count 16 buffer 2
// CHECK-NEXT:       gnn_overlay.store feature @h at 0 rows 16 width 16 unlock [output]
// CHECK-NEXT:     }
// CHECK-NEXT:     gnn_overlay.tiling_block {
// CHECK:            gnn_overlay.store feature @h at 1024 rows 16 width 16 unlock [output]
// CHECK:        gnn_overlay.layer_block vector_inner layer 2 in 16 out 1 activation exp {
// CHECK:            gnn_overlay.init zero trips 1 on_edges lock
// CHECK-NEXT:       gnn_overlay.load edge @e at 0 by_descriptor lock
// CHECK:              gnn_overlay.sddmm width 16 accumulate unlock [feature]
// CHECK:            gnn_overlay.act <exp> on_edges buffer 2
// CHECK-NEXT:       gnn_overlay.store edge @f at 0 by_descriptor unlock [edge, output]
// CHECK:            gnn_overlay.store edge @f at 48 by_descriptor unlock [edge, output]
// CHECK:        gnn_overlay.layer_block aggregate layer 3 in 16 out 16 aggregation sum {
// CHECK:              gnn_overlay.load edge @f at 0 by_descriptor lock
// CHECK-NEXT:         gnn_overlay.load feature @h at 0 stride 1024 rows 16 width 16 by_descriptor lock
// CHECK-NEXT:         gnn_overlay.spdmm sum width 16 unlock [edge, feature]
// CHECK:        gnn_overlay.layer_block activation layer 4 in 16 out 16 activation affine {
// CHECK-NEXT:     gnn_overlay.tiling_block {
// CHECK-NEXT:       gnn_overlay.load feature @y at 0 rows 16 width 16 lock
// CHECK-NEXT:       gnn_overlay.act <relu> count 16 lock unlock [feature]
// CHECK-NEXT:       gnn_overlay.act <affine> @s count 16 buffer 2
// CHECK-NEXT:       gnn_overlay.store feature @z at 0 rows 16 width 16 unlock [output]
!x = tensor<?x20xf32, #gnn.rows<@g, node>>
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @f target <pes = 2> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 20] input at 0 of "x"
  gnn_overlay.region @w weights [20, 16] input at 4096 pieces [["w", true, 0, 0, 20, 0, 0, 20, 16]]
  gnn_overlay.region @"b of 1" row [1, 16] input at 6144 pieces [[1.5 : f32, false, 0, 0, 0, 0, 4, 1, 2]]
  gnn_overlay.region @s affine [1, 16] input at 6208 pieces [["s", false, 0, 0, 16, 0, 0, 2, 16]]
  gnn_overlay.region @e edges [4, 7] input at 6336
  gnn_overlay.region @f edges [4, 7] temporary at 6528
  gnn_overlay.region @h features [20, 16] temporary at 8192
  gnn_overlay.region @y features [20, 16] output at 10240
  gnn_overlay.region @z features [20, 16] output at 12288
  %x = gnn_overlay.read @x : !x
  %w = gnn_overlay.read @w : tensor<20x16xf32>
  %b = gnn_overlay.read @"b of 1" : tensor<16xf32>
  %s = gnn_overlay.read @s : tensor<16xf32>
  %e = gnn_overlay.read @e : !number
  %h = gnn_overlay.linear %x, %w bias %b activations [#gnn_overlay.act<prelu, 0.1>] : !x, tensor<20x16xf32>, tensor<16xf32> -> !node
  gnn_overlay.place %h in @h : !node
  %f = gnn_overlay.vector_inner %h, %h activations [#gnn_overlay.act<exp>] : !node, !node -> !number
  gnn_overlay.place %f in @f : !number
  %y = gnn_overlay.aggregate sum %h weights %f : !node, !number -> !node
  gnn_overlay.place %y in @y : !node
  %z = gnn_overlay.activation %y scale %s shift %s activations [#gnn_overlay.act<relu>, #gnn_overlay.act<affine>] : !node, tensor<16xf32>, tensor<16xf32> -> !node
  gnn_overlay.place %z in @z : !node
}
