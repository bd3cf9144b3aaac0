// RUN: gnn-opt %s --gnn-tile-use-tensor-cores --split-input-file \
// RUN:   --remarks-filter='gnn-tile-use-tensor-cores' --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Each product takes its own stores along, and no others.
//
// CHECK-LABEL: @two
// CHECK-SAME:      %[[Z:[^ ,]+]]: vector<64x16xf32>
// CHECK:         %[[S:.+]] = gnn_tile.contract {{.*}}spread <each = [2, 4], lanes = [32, 4]>
// CHECK:         gnn_tile.store_rows %[[S]], {{.+}} spread <each = [2, 4], lanes = [32, 4]>
// CHECK:         %[[T:.+]] = gnn_tile.contract {{.*}}spread <each = [2, 4], lanes = [32, 4]>
// CHECK:         gnn_tile.store_rows %[[T]], {{.+}} spread <each = [2, 4], lanes = [32, 4]>
// CHECK:         gnn_tile.store_rows %[[Z]], {{.+}} spread <each = [4, 4], lanes = [16, 4]>
func.func @two(%x: vector<16x64xf32>, %y: vector<16x16xf32>, %z: vector<64x16xf32>, %to: memref<64x16xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<64xindex>
    // expected-remark @+1 {{sums are held in fragments of mma.sync}}
    %s = gnn_tile.contract %x, %y, %z kind tf32x3 spread <each = [8, 4], lanes = [8, 4]> : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf32>
    gnn_tile.store_rows %s, %to[%r, %c0] spread <each = [8, 4], lanes = [8, 4]> : vector<64x16xf32>, memref<64x16xf32>, vector<64xindex>, index
    // expected-remark @+1 {{sums are held in fragments of mma.sync}}
    %s2 = gnn_tile.contract %x, %y, %z kind tf32x3 spread <each = [4, 4], lanes = [16, 4]> : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf32>
    gnn_tile.store_rows %s2, %to[%r, %c0] spread <each = [4, 4], lanes = [16, 4]> : vector<64x16xf32>, memref<64x16xf32>, vector<64xindex>, index
    // an unrelated store with the same spread
    gnn_tile.store_rows %z, %to[%r, %c0] spread <each = [4, 4], lanes = [16, 4]> : vector<64x16xf32>, memref<64x16xf32>, vector<64xindex>, index
  }
  return
}

// -----

// Through a loop and what is computed of the sums.
//
// CHECK-LABEL: @loop
// CHECK:         gnn_tile.store_rows {{.+}} spread <each = [2, 4], lanes = [32, 4]>
func.func @loop(%x: vector<16x64xf32>, %y: vector<16x16xf32>, %z: vector<64x16xf32>, %to: memref<64x16xf32>, %n: index) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = vector.step : vector<64xindex>
    %sums = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (vector<64x16xf32>) {
      // expected-remark @+1 {{sums are held in fragments of mma.sync}}
      %s = gnn_tile.contract %x, %y, %a kind tf32x3 spread <each = [8, 4], lanes = [8, 4]> : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf32>
      scf.yield %s : vector<64x16xf32>
    }
    %t = arith.mulf %sums, %sums : vector<64x16xf32>
    gnn_tile.store_rows %t, %to[%r, %c0] spread <each = [8, 4], lanes = [8, 4]> : vector<64x16xf32>, memref<64x16xf32>, vector<64xindex>, index
  }
  return
}
