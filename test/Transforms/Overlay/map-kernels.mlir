// RUN: gnn-opt %s --gnn-overlay-partition=n1=16 --gnn-overlay-map-kernels --split-input-file \
// RUN:   --verify-diagnostics --remarks-filter='gnn-overlay-map-kernels' \
// RUN:   --remark-format=emitRemark | FileCheck %s

// A tile sums over the blocks of sources (algorithm 6); tiles are in fiber-major order: of
// 20 features two fibers, of 20 nodes two blocks.
//
// CHECK-LABEL: gnn_overlay.program @aggregate
// CHECK-NOT:     gnn_overlay.read
// CHECK:         gnn_overlay.layer_block aggregate layer 1 in 20 out 20 aggregation max activation relu {
// CHECK-NEXT:      gnn_overlay.tiling_block {
// CHECK-NEXT:        gnn_overlay.init lowest rows 16 width 16 trips 2
// CHECK-NEXT:        gnn_overlay.loop {
// CHECK-NEXT:          gnn_overlay.load edge @edges at 0 by_descriptor
// CHECK-NEXT:          gnn_overlay.load feature @x at 0 stride 1024 rows 16 width 16 by_descriptor
// CHECK-NEXT:          gnn_overlay.spdmm max width 16
// CHECK-NEXT:        }
// CHECK-NEXT:        gnn_overlay.act <relu> count 16 buffer 2
// CHECK-NEXT:        gnn_overlay.store feature @y at 0 rows 16 width 16
// CHECK-NEXT:      }
// CHECK-NEXT:      gnn_overlay.tiling_block {
// CHECK:             gnn_overlay.load edge @edges at 32 by_descriptor
// CHECK-NEXT:        gnn_overlay.load feature @x at 0 stride
// CHECK:             gnn_overlay.store feature @y at 1024
// CHECK:           gnn_overlay.tiling_block {
// CHECK:             gnn_overlay.load edge @edges at 0 by_descriptor
// CHECK-NEXT:        gnn_overlay.load feature @x at 2048 stride
// CHECK:             gnn_overlay.store feature @y at 2048
// CHECK:             gnn_overlay.store feature @y at 3072
// CHECK-NOT:       gnn_overlay.tiling_block
!node = tensor<?x20xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 20, dst_nodes = 20, edges = 7, type_edges = [7], src_pairs = [7], dst_pairs = [7]>}
func.func @aggregate(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "y"}) {
  // expected-remark @+1 {{layer 1, aggregate}}
  %y = gnn_overlay.aggregate max %x activations [#gnn_overlay.act<relu>] : !node -> !node
  return %y : !node
}

// -----

// A sum begins with zeros or with a row of numbers, of which a fiber has 64 bytes; a
// minimum with the highest number. Weights are those of the region that the layer names.
//
// CHECK-LABEL: gnn_overlay.program @begins
// CHECK:         gnn_overlay.init bias @b rows 16 width 16 trips 2
// CHECK:           gnn_overlay.load edge @w at 0 by_descriptor
// CHECK:         gnn_overlay.init bias @b at 64 rows 16 width 16 trips 2
// CHECK:         gnn_overlay.init highest rows 16 width 16 trips 2
!node = tensor<?x20xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 20, dst_nodes = 20, edges = 7, type_edges = [7], src_pairs = [7], dst_pairs = [7]>}
func.func @begins(%x: !node {gnn.name = "x"}, %w: tensor<?xf32, #gnn.rows<@g, edge>> {gnn.name = "w"}, %b: tensor<20xf32> {gnn.name = "b"}) -> !node {
  // expected-remark @+1 {{layer 1, aggregate}}
  %y = gnn_overlay.aggregate sum %x weights %w init %b : !node, tensor<?xf32, #gnn.rows<@g, edge>>, tensor<20xf32> -> !node
  // expected-remark @+1 {{layer 2, aggregate}}
  %z = gnn_overlay.aggregate min %y : !node -> !node
  return %z : !node
}

// -----

// A product sums over fibers of the input; a tile of weights has 1024 bytes, those of a
// fiber of the output side by side.
//
// CHECK-LABEL: gnn_overlay.program @linear
// CHECK:         gnn_overlay.layer_block linear layer 1 in 40 out 20 {
// CHECK-NEXT:      gnn_overlay.tiling_block {
// CHECK-NEXT:        gnn_overlay.init bias @b rows 16 width 16 trips 3
// CHECK-NEXT:        gnn_overlay.loop {
// CHECK-NEXT:          gnn_overlay.load weight @w at 0 stride 1024 rows 16 width 16
// CHECK-NEXT:          gnn_overlay.load feature @x at 0 stride 2048 rows 16 width 16
// CHECK-NEXT:          gnn_overlay.gemm rows 16 len 16 cols 16 accumulate
// CHECK-NEXT:        }
// CHECK-NEXT:        gnn_overlay.store feature @y at 0 rows 16 width 16
// CHECK:             gnn_overlay.load feature @x at 1024 stride 2048
// CHECK:             gnn_overlay.store feature @y at 1024
// CHECK:             gnn_overlay.init bias @b at 64
// CHECK:             gnn_overlay.load weight @w at 3072 stride 1024
!node = tensor<?x40xf32, #gnn.rows<@g, node>>
!out = tensor<?x20xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 20, dst_nodes = 20, edges = 7, type_edges = [7], src_pairs = [7], dst_pairs = [7]>}
func.func @linear(%x: !node {gnn.name = "x"}, %w: tensor<40x20xf32> {gnn.name = "w"}, %b: tensor<20xf32> {gnn.name = "b"}) -> (!out {gnn.name = "y"}) {
  // expected-remark @+1 {{layer 1, linear}}
  %y = gnn_overlay.linear %x, %w bias %b : !node, tensor<40x20xf32>, tensor<20xf32> -> !out
  return %y : !out
}

// -----

// A tile of each entry: block (i, j) of edges with rows i of destinations in the first
// buffer and rows j of sources in the other (algorithm 7).
//
// CHECK-LABEL: gnn_overlay.program @vector_inner
// CHECK:         gnn_overlay.layer_block vector_inner layer 1 in 20 out 1 activation exp {
// CHECK-NEXT:      gnn_overlay.tiling_block {
// CHECK-NEXT:        gnn_overlay.init zero trips 2 on_edges
// CHECK-NEXT:        gnn_overlay.load edge @edges at 0 by_descriptor
// CHECK-NEXT:        gnn_overlay.loop {
// CHECK-NEXT:          gnn_overlay.load feature @d at 0 stride 2048 rows 16 width 16
// CHECK-NEXT:          gnn_overlay.load feature @s at 0 stride 2048 rows 16 width 16 buffer 1
// CHECK-NEXT:          gnn_overlay.sddmm width 16 accumulate
// CHECK-NEXT:        }
// CHECK-NEXT:        gnn_overlay.act <prelu, 0.2> on_edges buffer 2
// CHECK-NEXT:        gnn_overlay.act <exp> on_edges buffer 2
// CHECK-NEXT:        gnn_overlay.store edge @e at 0 by_descriptor
// CHECK:             gnn_overlay.load edge @edges at 16 by_descriptor
// CHECK:               gnn_overlay.load feature @d at 0 stride
// CHECK-NEXT:          gnn_overlay.load feature @s at 1024 stride
// CHECK:             gnn_overlay.store edge @e at 16 by_descriptor
// CHECK:             gnn_overlay.load edge @edges at 32 by_descriptor
// CHECK:               gnn_overlay.load feature @d at 1024 stride
// CHECK-NEXT:          gnn_overlay.load feature @s at 0 stride
!node = tensor<?x20xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 20, dst_nodes = 20, edges = 7, type_edges = [7], src_pairs = [7], dst_pairs = [7]>}
func.func @vector_inner(%s: !node {gnn.name = "s"}, %d: !node {gnn.name = "d"}) -> (!number {gnn.name = "e"}) {
  // expected-remark @+1 {{layer 1, vector_inner}}
  %e = gnn_overlay.vector_inner %s, %d activations [#gnn_overlay.act<prelu, 0.2>, #gnn_overlay.act<exp>] : !node, !node -> !number
  return %e : !number
}

// -----

// Layers without a loop: an addition (algorithm 8), functions, a division whose divisor is
// in another fiber, scales and shifts, functions of edges.
//
// CHECK-LABEL: gnn_overlay.program @without_loop
// CHECK:         gnn_overlay.layer_block vector_add layer 1 in 20 out 20 {
// CHECK-NEXT:      gnn_overlay.tiling_block {
// CHECK-NEXT:        gnn_overlay.load feature @x at 0 rows 16 width 16
// CHECK-NEXT:        gnn_overlay.load feature @y at 0 rows 16 width 16 buffer 1
// CHECK-NEXT:        gnn_overlay.vadd rows 16 width 16
// CHECK-NEXT:        gnn_overlay.store feature @layer1 at 0
// CHECK:         gnn_overlay.layer_block activation layer 2 in 20 out 17 activation affine {
// CHECK-NEXT:      gnn_overlay.tiling_block {
// CHECK-NEXT:        gnn_overlay.load feature @layer1 at 0 rows 16 width 16
// CHECK-NEXT:        gnn_overlay.load feature @layer1 at 2048 rows 16 width 16 buffer 1
// CHECK-NEXT:        gnn_overlay.act <divide, 1.0> count 16
// CHECK-NEXT:        gnn_overlay.act <affine> @affine count 16 buffer 2
// CHECK-NEXT:        gnn_overlay.store feature @layer2 at 0
// CHECK:             gnn_overlay.act <affine> @affine at 128 count 16 buffer 2
// CHECK:         gnn_overlay.layer_block batch_norm layer 3 in 17 out 17 normalized {
// CHECK-NEXT:      gnn_overlay.tiling_block {
// CHECK-NEXT:        gnn_overlay.load feature @layer2 at 0 rows 16 width 16
// CHECK-NEXT:        gnn_overlay.act <affine> @affine_1 count 16{{$}}
// CHECK-NEXT:        gnn_overlay.store feature @z at 0
// CHECK:         gnn_overlay.layer_block activation layer 4 in 1 out 1 activation swish {
// CHECK-NEXT:      gnn_overlay.tiling_block {
// CHECK-NEXT:        gnn_overlay.load edge @w at 0 by_descriptor
// CHECK-NEXT:        gnn_overlay.act <swish> on_edges
// CHECK-NEXT:        gnn_overlay.store edge @v at 0 by_descriptor
!node = tensor<?x20xf32, #gnn.rows<@g, node>>
!divided = tensor<?x17xf32, #gnn.rows<@g, node>>
!row = tensor<17xf32>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 20, dst_nodes = 20, edges = 7, type_edges = [7], src_pairs = [7], dst_pairs = [7]>}
func.func @without_loop(%x: !node {gnn.name = "x"}, %y: !node {gnn.name = "y"}, %s: !row, %b: !row, %w: !number {gnn.name = "w"}) -> (!divided {gnn.name = "z"}, !number {gnn.name = "v"}) {
  // expected-remark @+1 {{layer 1, vector_add}}
  %a = gnn_overlay.vector_add %x, %y : !node
  // expected-remark @+1 {{layer 2, activation}}
  %c = gnn_overlay.activation %a scale %s shift %b activations [#gnn_overlay.act<divide, 17.0>, #gnn_overlay.act<affine>] : !node, !row, !row -> !divided
  // expected-remark @+1 {{layer 3, batch_norm}}
  %d = gnn_overlay.batch_norm %c scale %b shift %s : !divided, !row, !row
  // expected-remark @+1 {{layer 4, activation}}
  %e = gnn_overlay.activation %w activations [#gnn_overlay.act<swish>] : !number -> !number
  return %d, %e : !divided, !number
}
