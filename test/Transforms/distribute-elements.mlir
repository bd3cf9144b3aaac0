// RUN: gnn-opt %s --gnn-tile-distribute --canonicalize --cse --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-distribute --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=COUNT

// The dots of four elements over 16 lanes: two of half of them, one of a quarter, then
// two more until each lane has the sum of all lanes for one element. Each is computed
// with by its own lanes, stored by the first four, and known to all by a shuffle.
//
// CHECK-LABEL: func.func @dots
// CHECK:         %[[LANE:.+]]:2 = affine.delinearize_index %{{.+}} into (16)
// CHECK:         %[[OWN:.+]] = arith.andi %[[LANE]]#1, %c3
// CHECK:         gpu.shuffle xor %{{.+}}, %c2_i32
// CHECK:         gpu.shuffle xor %{{.+}}, %c2_i32
// CHECK:         gpu.shuffle xor %{{.+}}, %c1_i32
// CHECK:         gpu.shuffle xor %{{.+}}, %c4_i32
// CHECK:         %[[ALL:.+]], %{{.+}} = gpu.shuffle xor %{{.+}}, %c8_i32
// CHECK:         %[[SUM:.+]] = arith.addf %{{.+}}, %[[ALL]]
// CHECK:         %[[POWER:.+]] = math.exp %[[SUM]]
// CHECK:         arith.cmpi slt, %[[LANE]]#1, %c4
// CHECK:         scf.if
// CHECK:           memref.store %[[POWER]], %{{.+}}[%{{.+}}]
// CHECK:         gpu.subgroup_reduce add %[[POWER]] cluster(size = 4)
// CHECK:         nvvm.shfl.sync idx %c-1_i32, %[[POWER]], %c2_i32, %c4127_i32
//
// COUNT-LABEL: func.func @dots
// COUNT-COUNT-5: gpu.shuffle
// COUNT-NOT:     gpu.shuffle
// COUNT-LABEL: func.func @one_number
func.func @dots(%x: memref<8x64xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [2] step [2] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      gnn_tile.parallel 2 over team {
      ^bb0(%t: index):
        %a0 = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
        %a1 = vector.transfer_read %x[%c1, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
        %a2 = vector.transfer_read %x[%c2, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
        %a3 = vector.transfer_read %x[%c3, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
        %d = gnn_tile.reduce_each sum %a0, %a1, %a2, %a3 : vector<64xf32> -> vector<4xf32>
        %p = math.exp %d : vector<4xf32>
        %s = vector.step : vector<4xindex>
        %four = arith.constant dense<4> : vector<4xindex>
        %inside = arith.cmpi slt, %s, %four : vector<4xindex>
        vector.scatter %y[%c0] [%s], %inside, %p : memref<8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
        %sum = vector.multi_reduction <add>, %p, %zero [0] : vector<4xf32> to f32
        %one = vector.extract %p[2] : f32 from vector<4xf32>
        %both = arith.addf %sum, %one : f32
        memref.store %both, %z[%t] : memref<8xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// Numbers that all lanes have are picked, not added up.
//
// CHECK-LABEL: func.func @one_number
// CHECK-NOT:     gpu.shuffle
// CHECK:         arith.select
// CHECK-NOT:     gpu.shuffle
// CHECK:         math.exp
func.func @one_number(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gnn_tile.blocks to [2] step [2] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      gnn_tile.parallel 2 over team {
      ^bb0(%t: index):
        %a = memref.load %x[%c0] : memref<8xf32>
        %b1 = memref.load %x[%c1] : memref<8xf32>
        %d = vector.from_elements %a, %b1 : vector<2xf32>
        %p = math.exp %d : vector<2xf32>
        %s = vector.step : vector<2xindex>
        %inside = arith.constant dense<true> : vector<2xi1>
        vector.scatter %y[%c0] [%s], %inside, %p : memref<8xf32>, vector<2xindex>, vector<2xi1>, vector<2xf32>
        gnn_tile.yield
      }
    }
  }
  return
}
