// RUN: gnn-opt %s --gnn-tile-distribute --canonicalize --cse | FileCheck %s

// 41 features in vectors of four over 16 lanes, of rows of 44 columns: a whole vector is
// read, the last of which has one feature; that one alone is written.
//
// CHECK-LABEL: func.func @padded
// CHECK:         %[[FIRST:.+]] = arith.muli %{{.+}}, %c4
// CHECK:         %[[IN:.+]] = arith.cmpi slt, %[[FIRST]], %c41
// CHECK:         %[[AT:.+]] = arith.select %[[IN]], %[[FIRST]], %c0
// CHECK:         %[[TAIL:.+]] = arith.cmpi eq, %[[AT]], %c40
// CHECK:         vector.load %{{.+}}[%{{.+}}, %[[AT]]] {alignment = 16 : i64} : memref<?x44xf32>, vector<4xf32>
// CHECK-NOT:     memref.load
// CHECK:         scf.if %[[IN]]
// CHECK:           scf.if %[[TAIL]]
// CHECK:             vector.extract %{{.+}}[0]
// CHECK-COUNT-1:     memref.store
// CHECK:           } else {
// CHECK:             vector.store %{{.+}} {alignment = 16 : i64} : memref<?x44xf32>
func.func @padded(%x: memref<?x44xf32>, %y: memref<?x44xf32>, %n: index) {
  gnn_tile.blocks to [%n] step [2] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      gnn_tile.parallel 2 over team {
      ^bb0(%team: index):
        %row = arith.addi %b, %team : index
        %v = vector.transfer_read %x[%row, %c0], %p {in_bounds = [true]} : memref<?x44xf32>, vector<41xf32>
        vector.transfer_write %v, %y[%row, %c0] {in_bounds = [true]} : vector<41xf32>, memref<?x44xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// Features of rows without a pad are read one by one, and behind the last ones those at
// the row's beginning. A sum leaves out what lies behind.
//
// CHECK-LABEL: func.func @narrow
// CHECK:         %[[TAIL:.+]] = arith.cmpi eq, %{{.+}}, %c40
// CHECK-COUNT-4: memref.load %{{.+}} : memref<?x41xf32>
// CHECK-COUNT-3: arith.select %[[TAIL]], %cst{{.*}}, %{{.+}} : f32
func.func @narrow(%x: memref<?x41xf32>, %y: memref<?xf32>, %n: index) {
  gnn_tile.blocks to [%n] step [2] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      gnn_tile.parallel 2 over team {
      ^bb0(%team: index):
        %row = arith.addi %b, %team : index
        %v = vector.transfer_read %x[%row, %c0], %p {in_bounds = [true]} : memref<?x41xf32>, vector<41xf32>
        %s = vector.multi_reduction <add>, %v, %p [0] : vector<41xf32> to f32
        memref.store %s, %y[%row] : memref<?xf32>
        gnn_tile.yield
      }
    }
  }
  return
}
