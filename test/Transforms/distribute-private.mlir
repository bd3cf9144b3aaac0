// RUN: gnn-opt %s --gnn-tile-distribute --canonicalize --cse --split-input-file | FileCheck %s
// RUN: gnn-opt %s "--pass-pipeline=builtin.module(func.func(convert-gnn-tile-vectors-to-scalar-loops))" --split-input-file | FileCheck %s --check-prefix=SCALAR

// Lanes keep what their team has left in a private array: of a vector, the parts that each holds;
// of a number, all the same. No memory is theirs, and no barrier is between the teams.
//
// CHECK-LABEL: func.func @kept
// CHECK-NOT:     memref.alloca
// CHECK:         %[[TID:.+]] = gpu.thread_id x
// CHECK:         %[[LEFT:.+]] = vector.load %arg0
// CHECK:         %[[NUMBER:.+]] = memref.load %arg1
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.if
// CHECK:           arith.index_cast %[[NUMBER]]
// CHECK:           vector.store %[[LEFT]], %arg2
//
// One thread has an entry for each team.
//
// SCALAR-LABEL: func.func @kept
// SCALAR:         %[[ROWS:.+]] = memref.alloca() : memref<4x64xf32>
// SCALAR:         %[[NUMBERS:.+]] = memref.alloca() : memref<4xi32>
func.func @kept(%x: memref<4x64xf32>, %n: memref<4xi32>, %y: memref<?x64xf32>, %some: i1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %rows = gnn_tile.array : memref<4x64xf32, #gpu.address_space<private>>
    %numbers = gnn_tile.array : memref<4xi32, #gpu.address_space<private>>
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %zero {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
        vector.transfer_write %v, %rows[%t, %c0] {in_bounds = [true]} : vector<64xf32>, memref<4x64xf32, #gpu.address_space<private>>
        %i = memref.load %n[%t] : memref<4xi32>
        memref.store %i, %numbers[%t] : memref<4xi32, #gpu.address_space<private>>
        gnn_tile.yield
      }
    }
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        scf.if %some {
          %i = memref.load %numbers[%t] : memref<4xi32, #gpu.address_space<private>>
          %at = arith.index_cast %i : i32 to index
          %v = vector.transfer_read %rows[%t, %c0], %zero {in_bounds = [true]} : memref<4x64xf32, #gpu.address_space<private>>, vector<64xf32>
          vector.transfer_write %v, %y[%at, %c0] {in_bounds = [true]} : vector<64xf32>, memref<?x64xf32>
        }
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// What varies by heads is held by heads behind the teams, too.
//
// CHECK-LABEL: func.func @heads
// CHECK:         %[[SUM:.+]] = gpu.subgroup_reduce add
// CHECK:         memref.store %[[SUM]], %arg1
func.func @heads(%x: memref<4x2x16xf32>, %y: memref<4x2x1xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<2xf32>
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %sums = gnn_tile.array : memref<4x2xf32, #gpu.address_space<private>>
    gnn_tile.teams <each = [1, 1], lanes = [2, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0, %c0], %zero {in_bounds = [true, true]} : memref<4x2x16xf32>, vector<2x16xf32>
        %s = vector.multi_reduction <add>, %v, %none [1] : vector<2x16xf32> to vector<2xf32>
        vector.transfer_write %s, %sums[%t, %c0] {in_bounds = [true]} : vector<2xf32>, memref<4x2xf32, #gpu.address_space<private>>
        gnn_tile.yield
      }
    }
    gnn_tile.teams <each = [1, 1], lanes = [2, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %s = vector.transfer_read %sums[%t, %c0], %zero {in_bounds = [true]} : memref<4x2xf32, #gpu.address_space<private>>, vector<2xf32>
        %w = vector.shape_cast %s : vector<2xf32> to vector<2x1xf32>
        vector.transfer_write %w, %y[%t, %c0, %c0] {in_bounds = [true, true]} : vector<2x1xf32>, memref<4x2x1xf32>
        gnn_tile.yield
      }
    }
  }
  return
}
