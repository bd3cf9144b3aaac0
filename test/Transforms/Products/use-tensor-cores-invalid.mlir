// RUN: gnn-opt %s --gnn-tile-use-tensor-cores --split-input-file --verify-diagnostics

func.func @store(%x: vector<16x64xf32>, %y: vector<16x16xf32>, %z: vector<64x16xf32>, %to: memref<64x16xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<64xindex>
    %s = gnn_tile.contract %x, %y, %z kind tf32x3 spread <each = [8, 4], lanes = [8, 4]> : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf32>
    // expected-error @+1 {{'gnn_tile.store_rows' op expected the spread of the product that it stores, #gnn_tile.spread<each = [8, 4], lanes = [8, 4]>, got #gnn_tile.spread<each = [4, 4], lanes = [16, 4]>}}
    gnn_tile.store_rows %s, %to[%r, %c0] spread <each = [4, 4], lanes = [16, 4]> : vector<64x16xf32>, memref<64x16xf32>, vector<64xindex>, index
  }
  return
}
