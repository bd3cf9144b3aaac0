// RUN: gnn-opt %s --gnn-tile-distribute --canonicalize --cse --split-input-file | FileCheck %s
// RUN: gnn-opt %s "--pass-pipeline=builtin.module(func.func(convert-gnn-tile-vectors-to-scalar-loops))" --split-input-file | FileCheck %s --check-prefix=SCALAR

// Lanes of two neighbours load 16 bytes each of one share after the other, and exchange them: a
// lane whose number is odd gives the first vector, and gets the second one of its own share.
//
// CHECK-LABEL: func.func @neighbours
// CHECK:         %[[TID:.+]] = gpu.thread_id x
// CHECK:         %[[SHARE:.+]] = arith.muli %[[TID]], %c64
// CHECK:         %[[OWN:.+]] = arith.andi %[[TID]], %c1
// CHECK:         %[[BACK:.+]] = arith.muli %[[OWN]], %c64
// CHECK:         %[[FIRST:.+]] = arith.subi %[[SHARE]], %[[BACK]]
// CHECK:         %[[PART:.+]] = arith.muli %[[OWN]], %c4
// CHECK:         %[[AT:.+]] = arith.addi %[[FIRST]], %[[PART]]
// CHECK:         %[[A:.+]] = vector.load %arg0[%[[AT]]] {alignment = 16 : i64, nontemporal = true} : memref<?xf32>, vector<4xf32>
// CHECK:         %[[NEXT:.+]] = arith.addi %[[AT]], %c64
// CHECK:         %[[B:.+]] = vector.load %arg0[%[[NEXT]]]
// CHECK:         %[[ODD:.+]] = arith.cmpi ne, %[[OWN]], %c0
// CHECK:         %[[GIVEN:.+]] = arith.select %[[ODD]], %[[A]], %[[B]]
// CHECK:         gpu.shuffle xor %{{.+}}, %c1_i32, %c32_i32 : f32
// CHECK:         arith.select %[[ODD]], %[[GOT:.+]], %[[A]]
// CHECK:         arith.select %[[ODD]], %[[B]], %[[GOT]]
//
// SCALAR-LABEL: func.func @neighbours
// SCALAR:         %[[AT:.+]] = arith.addi %{{.+}}, %{{.+}}
// SCALAR:         memref.load %arg0[%[[AT]]]
func.func @neighbours(%x: memref<?xf32>, %y: memref<32x8xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
      gnn_tile.parallel 32 over team {
      ^bb0(%t: index):
        %v:8 = gnn_tile.load_numbers %x[%c0] team %t share 64 : memref<?xf32> -> f32, f32, f32, f32, f32, f32, f32, f32
        memref.store %v#0, %y[%t, %c0] : memref<32x8xf32>
        memref.store %v#7, %y[%t, %c7] : memref<32x8xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// Lanes of a team load the same.
//
// CHECK-LABEL: func.func @wide
// CHECK:         vector.load %arg0[%[[AT:.+]]] {alignment = 16 : i64, nontemporal = true}
// CHECK:         %[[NEXT:.+]] = arith.addi %[[AT]], %c4
// CHECK:         vector.load %arg0[%[[NEXT]]]
// CHECK-NOT:     gpu.shuffle
func.func @wide(%x: memref<?xi32>, %y: memref<8x8xi32>) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 4], teams = 8, elements = 1> {
      gnn_tile.parallel 8 over team {
      ^bb0(%t: index):
        %v:8 = gnn_tile.load_numbers %x[%c0] team %t share 64 : memref<?xi32> -> i32, i32, i32, i32, i32, i32, i32, i32
        memref.store %v#0, %y[%t, %c0] : memref<8x8xi32>
        memref.store %v#7, %y[%t, %c0] : memref<8x8xi32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// Without shares all lanes of a warp load their own.
//
// CHECK-LABEL: func.func @own
// CHECK:         vector.load %arg0[%{{.+}}] {alignment = 16 : i64, nontemporal = true}
// CHECK-NOT:     gpu.shuffle
func.func @own(%x: memref<?xi32>, %y: memref<32x8xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
      gnn_tile.parallel 32 over team {
      ^bb0(%t: index):
        %first = arith.muli %t, %c4 : index
        %v:4 = gnn_tile.load_numbers %x[%first] : memref<?xi32> -> i32, i32, i32, i32
        memref.store %v#3, %y[%t, %c0] : memref<32x8xi32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// One lane has no neighbour: it loads its own share.
//
// CHECK-LABEL: func.func @few
// CHECK-COUNT-4: vector.load %arg0[%{{.+}}] {alignment = 16 : i64, nontemporal = true}
// CHECK-NOT:     gpu.shuffle
func.func @few(%x: memref<?xf32>, %y: memref<1x8xf32>) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 1, elements = 1> {
      gnn_tile.parallel 1 over team {
      ^bb0(%t: index):
        %v:16 = gnn_tile.load_numbers %x[%c0] team %t share 64 : memref<?xf32> -> f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
        %s = arith.addf %v#0, %v#4 : f32
        %u = arith.addf %v#8, %v#12 : f32
        %w = arith.addf %s, %u : f32
        memref.store %w, %y[%t, %c0] : memref<1x8xf32>
        gnn_tile.yield
      }
    }
  }
  return
}
