// RUN: gnn-opt %s --gnn-tile-plan-memory --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter='gnn-tile-plan-memory' --remark-format=emitRemark \
// RUN:   | FileCheck %s

#row = #gnn_tile.at<group>
gnn.graph @g square {node_types = 2, edge_types = 3}

// The first buffer is dead when the third is born, which takes its place; the
// second is read together with each of them and has a place of its own. Offsets
// are multiples of 256 bytes, and computed before anything runs.
//
// CHECK-LABEL: func.func @shared
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<?xi8> {gnn.workspace}
// CHECK-NOT:     memref.alloc
// CHECK:         %[[N:.+]] = gnn_tile.count @g count dst
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
// CHECK:         %[[FOUR:.+]] = arith.constant 4 : index
// CHECK:         %[[BYTES:.+]] = arith.muli %[[FOUR]], %[[N]]
// CHECK:         %[[LINES:.+]] = arith.ceildivui %[[BYTES]], %[[A:.+]] : index
// CHECK:         %[[FIRST:.+]] = arith.muli %[[LINES]], %{{.+}}
// CHECK:         %[[LARGER:.+]] = arith.maxui %[[FIRST]], %{{.+}}
// CHECK:         %[[SECOND:.+]] = arith.addi %[[ZERO]], %[[LARGER]]
// CHECK:         %[[SIZE:.+]] = arith.addi %[[SECOND]], %{{.+}}
// CHECK:         gnn_tile.workspace_size %[[SIZE]]
// CHECK:         memref.view %[[W]][%[[ZERO]]][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK:         memref.view %[[W]][%[[SECOND]]][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK:         memref.view %[[W]][%[[ZERO]]][%[[N]]] : memref<?xi8> to memref<?xf32>
// expected-remark @+1 {{3 buffers in 2 slots of one workspace}}
func.func @shared(%x: memref<?xf32>, %y: memref<?xf32>) {
  %n = gnn_tile.count @g count dst : index
  %a = memref.alloc(%n) : memref<?xf32>
  gnn_tile.traverse @g <dst> ins(%x : memref<?xf32>) at [#row] outs(%a : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  %b = memref.alloc(%n) : memref<?xf32>
  gnn_tile.traverse @g <dst> ins(%a : memref<?xf32>) at [#row] outs(%b : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  %c = memref.alloc(%n) : memref<?xf32>
  gnn_tile.traverse @g <dst> ins(%b : memref<?xf32>) at [#row] outs(%c : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst> ins(%c : memref<?xf32>) at [#row] outs(%y : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

#row = #gnn_tile.at<group>
gnn.graph @g square {node_types = 2, edge_types = 3}

// A buffer is born with the first op that touches it, wherever it is allocated.
//
// CHECK-LABEL: func.func @allocated_early
// CHECK:         memref.view %{{.+}}[%[[PLACE:.+]]][%{{.+}}] : memref<?xi8> to memref<?xf32>
// CHECK:         memref.view %{{.+}}[%[[PLACE]]][%{{.+}}] : memref<?xi8> to memref<?xf32>
// expected-remark @+1 {{2 buffers in 1 slot of one workspace}}
func.func @allocated_early(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %n = gnn_tile.count @g count dst : index
  %late = memref.alloc(%n) : memref<?xf32>
  %early = memref.alloc(%n) : memref<?xf32>
  gnn_tile.traverse @g <dst> ins(%x : memref<?xf32>) at [#row] outs(%early : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst> ins(%early : memref<?xf32>) at [#row] outs(%y : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst> ins(%x : memref<?xf32>) at [#row] outs(%late : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst> ins(%late : memref<?xf32>) at [#row] outs(%z : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

#row = #gnn_tile.at<group>
gnn.graph @g square {node_types = 2, edge_types = 3}

// A buffer lives as long as a view of it does.
//
// CHECK-LABEL: func.func @view
// CHECK:         memref.view %{{.+}}[%[[A:.+]]][] : memref<?xi8> to memref<4x8xf32>
// CHECK-NOT:     memref.view %{{.+}}[%[[A]]]
// CHECK:         return
// expected-remark @+1 {{2 buffers in 2 slots of one workspace}}
func.func @view(%x: memref<32xf32>, %y: memref<32xf32>) {
  %a = memref.alloc() : memref<4x8xf32>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  gnn_tile.traverse @g <32> ins(%x : memref<32xf32>) at [#row] outs(%flat : memref<32xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  %b = memref.alloc() : memref<32xf32>
  gnn_tile.traverse @g <32> ins(%flat : memref<32xf32>) at [#row] outs(%b : memref<32xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <32> ins(%b, %flat : memref<32xf32>, memref<32xf32>) at [#row, #row] outs(%y : memref<32xf32>) at [#row] {
  ^bb0(%v: f32, %u: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Buffers of one size meet in one slot, though another is free too.
//
// CHECK-LABEL: func.func @same_rows
// CHECK:         %[[N:.+]] = gnn_tile.count @g count dst
// CHECK:         memref.view %{{.+}}[%[[NODES:.+]]][%[[N]]]
// CHECK:         memref.view %{{.+}}[%[[EDGES:.+]]][%{{.+}}]
// CHECK:         memref.view %{{.+}}[%[[NODES]]][%[[N]]]
// expected-remark @+1 {{3 buffers in 2 slots of one workspace}}
func.func @same_rows(%y: memref<?xf32>) {
  %n = gnn_tile.count @g count dst : index
  %e = gnn_tile.count @g count edge : index
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%e) : memref<?xf32>
  memref.copy %y, %a : memref<?xf32> to memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  memref.copy %y, %c : memref<?xf32> to memref<?xf32>
  return
}

// -----

// Without buffers the workspace is empty.
//
// CHECK-LABEL: func.func @none
// CHECK-SAME:    memref<?xi8> {gnn.workspace}
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
// CHECK:         gnn_tile.workspace_size %[[ZERO]]
// CHECK-NOT:     memref.view
// expected-remark @+1 {{0 buffers in 0 slots of one workspace}}
func.func @none(%x: memref<8xf32>) {
  return
}

// -----

// A declaration has nothing to plan.
//
// CHECK-LABEL: func.func private @declared
// CHECK-NOT:     gnn.workspace
func.func private @declared(memref<8xf32>)

// -----

// expected-error @+1 {{'func.func' op expected a straight line, got several blocks}}
func.func @several_blocks() {
  cf.br ^bb1
^bb1:
  return
}

// -----

func.func @strided() {
  // expected-error @+1 {{'memref.alloc' op expected a buffer without strides, got 'memref<4x8xf32, strided<[16, 1]>>'}}
  %a = memref.alloc() : memref<4x8xf32, strided<[16, 1]>>
  return
}

// -----

func.func @nested(%c: i1) {
  scf.if %c {
    // expected-error @+1 {{'memref.alloc' op expected a buffer of the straight line, got one in 'scf.if'}}
    %a = memref.alloc() : memref<4x8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @size_of_a_buffer() {
  %n = gnn_tile.count @g count dst : index
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xf32>
  %d = memref.dim %a, %c0 : memref<?xf32>
  // expected-error @+1 {{'memref.alloc' op expected sizes that the host computes from counts}}
  %b = memref.alloc(%d) : memref<?xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Counts come first, wherever they are asked for, with what follows of them;
// what depends on a buffer stays.
//
// CHECK-LABEL: func.func @hoisted
// CHECK:         gnn_tile.count @g count dst
// CHECK:         gnn_tile.structure
// CHECK:         gnn_tile.workspace_size
// CHECK:         memref.copy
// CHECK:         memref.dim
// CHECK-NEXT:    arith.addi
// expected-remark @+1 {{1 buffer in 1 slot of one workspace}}
func.func @hoisted(%x: memref<?xf32>, %y: memref<?xf32>) {
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %e = arith.addi %d, %d : index
  %n = gnn_tile.count @g count dst : index
  %a = memref.alloc(%n) : memref<?xf32>
  %s = gnn_tile.structure @g rows dst edge.in_rows : memref<?xi32>
  memref.copy %y, %a : memref<?xf32> to memref<?xf32>
  return
}

// -----

#row = #gnn_tile.at<group>
gnn.graph @g square {node_types = 2, edge_types = 3}

// The sizes follow from the arithmetic: of 100,000 rows, 90,000 less are
// fewer than 50,000, which come first in the workspace.
//
// CHECK-LABEL: func.func @fewer
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<?xi8> {gnn.workspace}
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
// CHECK:         memref.view %[[W]][%[[ZERO]]][%[[FIFTY:.+]]] : memref<?xi8> to memref<?xf32>
// CHECK:         memref.view %[[W]][%{{.+}}][%[[FEWER:.+]]] : memref<?xi8> to memref<?xf32>
// CHECK:         gnn_tile.traverse
// expected-remark @+1 {{2 buffers in 2 slots of one workspace}}
func.func @fewer(%x: memref<?xf32>, %y: memref<?xf32>) {
  %n = gnn_tile.count @g count dst : index
  %k = arith.constant 90000 : index
  %fewer = arith.subi %n, %k : index
  %fifty = arith.constant 50000 : index
  %b = memref.alloc(%fifty) : memref<?xf32>
  %a = memref.alloc(%fewer) : memref<?xf32>
  gnn_tile.traverse @g <dst> ins(%x : memref<?xf32>) at [#row] outs(%a : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst> ins(%x : memref<?xf32>) at [#row] outs(%b : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst> ins(%a, %b : memref<?xf32>, memref<?xf32>) at [#row, #row] outs(%y : memref<?xf32>) at [#row] {
  ^bb0(%v: f32, %u: f32):
    %s = arith.addf %v, %u : f32
    gnn_tile.yield %s : f32
  }
  return
}
