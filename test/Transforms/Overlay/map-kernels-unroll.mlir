// RUN: gnn-opt %s --gnn-overlay-partition=n1=16 --gnn-overlay-map-kernels=unroll=true \
// RUN:   --split-input-file | FileCheck %s --implicit-check-not=gnn_overlay.loop --implicit-check-not=trips

// Iterations one behind the other, the buffers in turn; the last one takes what is left.
//
// CHECK-LABEL: gnn_overlay.program @linear
// CHECK:           gnn_overlay.tiling_block {
// CHECK-NEXT:        gnn_overlay.init zero rows 16 width 16{{$}}
// CHECK-NEXT:        gnn_overlay.load weight @w at 0 rows 16 width 16{{$}}
// CHECK-NEXT:        gnn_overlay.load feature @x at 0 rows 16 width 16{{$}}
// CHECK-NEXT:        gnn_overlay.gemm rows 16 len 16 cols 16 accumulate
// CHECK-NEXT:        gnn_overlay.load weight @w at 1024 rows 16 width 16 buffer 1
// CHECK-NEXT:        gnn_overlay.load feature @x at 2048 rows 16 width 16 buffer 1
// CHECK-NEXT:        gnn_overlay.gemm rows 16 len 16 cols 16 buffer 1 accumulate
// CHECK-NEXT:        gnn_overlay.load weight @w at 2048 rows 16 width 16{{$}}
// CHECK-NEXT:        gnn_overlay.load feature @x at 4096 rows 16 width 16{{$}}
// CHECK-NEXT:        gnn_overlay.gemm rows 16 len 8 cols 16 accumulate
// CHECK-NEXT:        gnn_overlay.store
!node = tensor<?x40xf32, #gnn.rows<@g, node>>
!out = tensor<?x20xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 20, dst_nodes = 20, edges = 7, type_edges = [7], src_pairs = [7], dst_pairs = [7]>}
func.func @linear(%x: !node {gnn.name = "x"}, %w: tensor<40x20xf32> {gnn.name = "w"}) -> !out {
  %y = gnn_overlay.linear %x, %w : !node, tensor<40x20xf32> -> !out
  return %y : !out
}

// -----

// An aggregate takes a descriptor each; which subfiber that needs is the descriptor's.
//
// CHECK-LABEL: gnn_overlay.program @aggregate
// CHECK:             gnn_overlay.load edge @edges at 32 by_descriptor
// CHECK-NEXT:        gnn_overlay.load feature @x at 0 stride 1024 rows 16 width 16 by_descriptor
// CHECK-NEXT:        gnn_overlay.spdmm sum width 16{{$}}
// CHECK-NEXT:        gnn_overlay.load edge @edges at 48 buffer 1 by_descriptor
// CHECK-NEXT:        gnn_overlay.load feature @x at 0 stride 1024 rows 16 width 16 buffer 1 by_descriptor
// CHECK-NEXT:        gnn_overlay.spdmm sum width 16 buffer 1
// CHECK-NEXT:        gnn_overlay.store
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 20, dst_nodes = 20, edges = 7, type_edges = [7], src_pairs = [7], dst_pairs = [7]>}
func.func @aggregate(%x: !node {gnn.name = "x"}) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}

// -----

// CHECK-LABEL: gnn_overlay.program @vector_inner
// CHECK:             gnn_overlay.load feature @d at 0 rows 16 width 16{{$}}
// CHECK-NEXT:        gnn_overlay.load feature @s at 0 rows 16 width 16 buffer 1
// CHECK-NEXT:        gnn_overlay.sddmm width 16 accumulate
// CHECK-NEXT:        gnn_overlay.load feature @d at 2048 rows 16 width 16 buffer 1
// CHECK-NEXT:        gnn_overlay.load feature @s at 2048 rows 16 width 16{{$}}
// CHECK-NEXT:        gnn_overlay.sddmm width 4 buffer 1 accumulate
!node = tensor<?x20xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 20, dst_nodes = 20, edges = 7, type_edges = [7], src_pairs = [7], dst_pairs = [7]>}
func.func @vector_inner(%s: !node {gnn.name = "s"}, %d: !node {gnn.name = "d"}) -> !number {
  %e = gnn_overlay.vector_inner %s, %d : !node, !node -> !number
  return %e : !number
}

// -----

// Entries of a partition for one graph: three into the first block, none into the second.
//
// CHECK-LABEL: gnn_overlay.program @entries
// CHECK:           gnn_overlay.tiling_block {
// CHECK-COUNT-3:     gnn_overlay.spdmm
// CHECK-NEXT:        gnn_overlay.store
// CHECK:           gnn_overlay.tiling_block {
// CHECK-NEXT:        gnn_overlay.init zero
// CHECK-NEXT:        gnn_overlay.store
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @entries target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16, entries = [3, 0], sources = [0, 0, 1]> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.region @e edges [3, 7] input at 2048
  gnn_overlay.region @y features [20, 16] output at 4096
  %x = gnn_overlay.read @x : !node
  %e = gnn_overlay.read @e : tensor<?xf32, #gnn.rows<@g, edge>>
  %y = gnn_overlay.aggregate sum %x weights %e : !node, tensor<?xf32, #gnn.rows<@g, edge>> -> !node
  gnn_overlay.place %y in @y : !node
}
