// RUN: gnn-opt %s --gnn-tile-distribute --canonicalize --cse | FileCheck %s

// Each lane adds its features, one by one; of 41 the last lane that has some adds one. A number
// that all lanes of a row have is added by one of them.
//
// CHECK-LABEL: func.func @row
// CHECK:         scf.if
// CHECK:           scf.if
// CHECK-COUNT-1:     memref.atomic_rmw addf %{{.+}}, %{{.+}}[%{{.+}}] : (f32, memref<?x41xf32>) -> f32
// CHECK:           } else {
// CHECK-COUNT-4:     memref.atomic_rmw addf %{{.+}}, %{{.+}}[%{{.+}}] : (f32, memref<?x41xf32>) -> f32
// CHECK-NOT:       memref.atomic_rmw
// CHECK:         scf.if
// CHECK:           memref.atomic_rmw addf %{{.+}}, %{{.+}}[%{{.+}}] : (f32, memref<?xf32>) -> f32
// CHECK-NOT:     store
func.func @row(%x: memref<?x44xf32>, %w: memref<?xf32>, %y: memref<?x41xf32>, %z: memref<?xf32>, %n: index) {
  gnn_tile.blocks to [%n] step [2] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      gnn_tile.parallel 2 over team {
      ^bb0(%team: index):
        %row = arith.addi %b, %team : index
        %v = vector.transfer_read %x[%row, %c0], %p {in_bounds = [true]} : memref<?x44xf32>, vector<41xf32>
        %u = memref.load %w[%row] : memref<?xf32>
        gnn_tile.add_atomically {
          vector.transfer_write %v, %y[%row, %c0] {in_bounds = [true]} : vector<41xf32>, memref<?x41xf32>
          memref.store %u, %z[%row] : memref<?xf32>
        }
        gnn_tile.yield
      }
    }
  }
  return
}
