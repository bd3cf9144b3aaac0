// RUN: gnn-opt %s --gnn-overlay-partition=n1=16 --gnn-overlay-map-kernels=linear-group=2 \
// RUN:   --gnn-overlay-annotate-mutexes -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: gnn-translate --gnn-to-overlay %t.mlir -o %t.ga
// RUN: gnn-translate --overlay-to-mlir %t.ga | FileCheck %s
// RUN: gnn-translate --overlay-to-mlir %t.ga | gnn-translate --gnn-to-overlay -o %t.again.ga
// RUN: cmp %t.ga %t.again.ga

// A tile makes two of the three fibers of the output, and the next tiles what is left. Rows of
// the input are read once for both; weights of the second fiber lie behind all of the first,
// and so does its part of the bias in its own row. The function is of all rows.
//
// CHECK-LABEL: gnn_overlay.layer_block linear layer 1 in 40 out 35 activation relu {
// CHECK-NEXT:    gnn_overlay.tiling_block {
// CHECK-NEXT:      gnn_overlay.init bias @b rows 32 width 16 trips 3 lock
// CHECK-NEXT:      gnn_overlay.loop {
// CHECK-NEXT:        gnn_overlay.load weight @w at 0 stride 1024 rows 32 width 16 fiber_stride 3072 lock
// CHECK-NEXT:        gnn_overlay.load feature @x at 0 stride 2048 rows 16 width 16 lock
// CHECK-NEXT:        gnn_overlay.gemm rows 16 len 16 cols 16 accumulate{{$}}
// CHECK-NEXT:        gnn_overlay.gemm rows 16 len 16 cols 16 fiber 1 accumulate unlock [weight, feature]
// CHECK-NEXT:      }
// CHECK-NEXT:      gnn_overlay.act <relu> count 32 buffer 2
// CHECK-NEXT:      gnn_overlay.store feature @y at 0 rows 16 width 16{{$}}
// CHECK-NEXT:      gnn_overlay.store feature @y at 2048 fiber 1 rows 16 width 16 unlock [output]
// CHECK-NEXT:    }
// CHECK-NEXT:    gnn_overlay.tiling_block {
// CHECK:           gnn_overlay.store feature @y at 1024 rows 16 width 16{{$}}
// CHECK-NEXT:      gnn_overlay.store feature @y at 3072 fiber 1 rows 16 width 16 unlock [output]
// CHECK:         gnn_overlay.tiling_block {
// CHECK-NEXT:      gnn_overlay.init bias @b at 128 rows 16 width 16 trips 3 lock
// CHECK-NEXT:      gnn_overlay.loop {
// CHECK-NEXT:        gnn_overlay.load weight @w at 6144 stride 1024 rows 16 width 16 lock
// CHECK:             gnn_overlay.gemm rows 16 len 16 cols 16 accumulate unlock [weight, feature]
// CHECK-NEXT:      }
// CHECK-NEXT:      gnn_overlay.act <relu> count 16 buffer 2
// CHECK-NEXT:      gnn_overlay.store feature @y at 4096 rows 16 width 16 unlock [output]
// CHECK:         gnn_overlay.tiling_block {
// CHECK:           gnn_overlay.store feature @y at 5120 rows 16 width 16 unlock [output]
// CHECK-NOT:     gnn_overlay.tiling_block
!node = tensor<?x40xf32, #gnn.rows<@g, node>>
!out = tensor<?x35xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 20, dst_nodes = 20, edges = 7, type_edges = [7], src_pairs = [7], dst_pairs = [7]>}
func.func @linear(%x: !node {gnn.name = "x"}, %w: tensor<40x35xf32> {gnn.name = "w"}, %b: tensor<35xf32> {gnn.name = "b"}) -> (!out {gnn.name = "y"}) {
  %y = gnn_overlay.linear %x, %w bias %b activations [#gnn_overlay.act<relu>] : !node, tensor<40x35xf32>, tensor<35xf32> -> !out
  return %y : !out
}
