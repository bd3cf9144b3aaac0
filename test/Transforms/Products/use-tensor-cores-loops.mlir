// RUN: gnn-opt %s --gnn-tile-use-tensor-cores --split-input-file \
// RUN:   --remarks-filter='gnn-tile-use-tensor-cores' --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Each product takes its own stores along, and no others.
//
// CHECK-LABEL: @two
// CHECK-SAME:      %[[Z:[^ ,]+]]: vector<64x16xf32>
// CHECK:         %[[S:.+]] = vector.contract {{.*}}gnn_tile.spread = #gnn_tile.spread<each = [2, 4], lanes = [32, 4]>
// CHECK:         gnn_tile.store_rows %[[S]], {{.+}} spread <each = [2, 4], lanes = [32, 4]>
// CHECK:         %[[T:.+]] = vector.contract {{.*}}gnn_tile.spread = #gnn_tile.spread<each = [2, 4], lanes = [32, 4]>
// CHECK:         gnn_tile.store_rows %[[T]], {{.+}} spread <each = [2, 4], lanes = [32, 4]>
// CHECK:         gnn_tile.store_rows %[[Z]], {{.+}} spread <each = [4, 4], lanes = [16, 4]>
#k_m = affine_map<(m, n, k) -> (k, m)>
#k_n = affine_map<(m, n, k) -> (k, n)>
#m_n = affine_map<(m, n, k) -> (m, n)>
func.func @two(%x: vector<16x64xf32>, %y: vector<16x16xf32>, %z: vector<64x16xf32>, %to: memref<64x16xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<64xindex>
    // expected-remark @+1 {{sums are held in fragments of mma.sync}}
    %s = vector.contract {indexing_maps = [#k_m, #k_n, #m_n], iterator_types = ["parallel", "parallel", "reduction"], gnn_tile.spread = #gnn_tile.spread<each = [8, 4], lanes = [8, 4]>, gnn_tile.kind = #gnn_tile<product_kind tf32x3>} %x, %y, %z : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf32>
    gnn_tile.store_rows %s, %to[%r, %c0] spread <each = [8, 4], lanes = [8, 4]> : vector<64x16xf32>, memref<64x16xf32>, vector<64xindex>, index
    // expected-remark @+1 {{sums are held in fragments of mma.sync}}
    %s2 = vector.contract {indexing_maps = [#k_m, #k_n, #m_n], iterator_types = ["parallel", "parallel", "reduction"], gnn_tile.spread = #gnn_tile.spread<each = [4, 4], lanes = [16, 4]>, gnn_tile.kind = #gnn_tile<product_kind tf32x3>} %x, %y, %z : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf32>
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
#k_m = affine_map<(m, n, k) -> (k, m)>
#k_n = affine_map<(m, n, k) -> (k, n)>
#m_n = affine_map<(m, n, k) -> (m, n)>
func.func @loop(%x: vector<16x64xf32>, %y: vector<16x16xf32>, %z: vector<64x16xf32>, %to: memref<64x16xf32>, %n: index) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = vector.step : vector<64xindex>
    %sums = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (vector<64x16xf32>) {
      // expected-remark @+1 {{sums are held in fragments of mma.sync}}
      %s = vector.contract {indexing_maps = [#k_m, #k_n, #m_n], iterator_types = ["parallel", "parallel", "reduction"], gnn_tile.spread = #gnn_tile.spread<each = [8, 4], lanes = [8, 4]>, gnn_tile.kind = #gnn_tile<product_kind tf32x3>} %x, %y, %a : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf32>
      scf.yield %s : vector<64x16xf32>
    }
    %t = arith.mulf %sums, %sums : vector<64x16xf32>
    gnn_tile.store_rows %t, %to[%r, %c0] spread <each = [8, 4], lanes = [8, 4]> : vector<64x16xf32>, memref<64x16xf32>, vector<64xindex>, index
  }
  return
}
