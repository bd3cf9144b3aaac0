// RUN: gnn-opt %s --gnn-tile-use-tensor-cores --split-input-file --verify-diagnostics

#k_m = affine_map<(m, n, k) -> (k, m)>
#k_n = affine_map<(m, n, k) -> (k, n)>
#m_n = affine_map<(m, n, k) -> (m, n)>

func.func @depth(%x: vector<8x64xf32>, %y: vector<8x16xf32>, %z: vector<64x16xf32>, %to: memref<64x16xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<64xindex>
    // expected-error @+1 {{'vector.contract' op cannot be multiplied on tensor cores: expected a depth that 16 divides, got 'vector<8x64xf32>' and 'vector<8x16xf32>'}}
    %s = vector.contract {indexing_maps = [#k_m, #k_n, #m_n], iterator_types = ["parallel", "parallel", "reduction"], gnn_tile.kind = #gnn_tile<product_kind tf32x3>} %x, %y, %z : vector<8x64xf32>, vector<8x16xf32> into vector<64x16xf32>
    gnn_tile.store_rows %s, %to[%r, %c0] spread <each = [2, 4], lanes = [32, 4]> : vector<64x16xf32>, memref<64x16xf32>, vector<64xindex>, index
  }
  return
}

// -----

#k_m = affine_map<(m, n, k) -> (k, m)>
#k_n = affine_map<(m, n, k) -> (k, n)>
#m_n = affine_map<(m, n, k) -> (m, n)>

func.func @type(%x: vector<16x64xf64>, %y: vector<16x16xf64>, %z: vector<64x16xf64>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    // expected-error @+1 {{expected f32, got 'vector<16x64xf64>' and 'vector<16x16xf64>'}}
    %s = vector.contract {indexing_maps = [#k_m, #k_n, #m_n], iterator_types = ["parallel", "parallel", "reduction"], gnn_tile.kind = #gnn_tile<product_kind tf32x3>} %x, %y, %z : vector<16x64xf64>, vector<16x16xf64> into vector<64x16xf64>
  }
  return
}

// -----

#k_m = affine_map<(m, n, k) -> (k, m)>
#k_n = affine_map<(m, n, k) -> (k, n)>
#m_n = affine_map<(m, n, k) -> (m, n)>

func.func @columns(%x: vector<16x64xf32>, %y: vector<16x8xf32>, %z: vector<64x8xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    // expected-error @+1 {{expected sums of 64 rows and a multiple of 16 columns, got 'vector<64x8xf32>'}}
    %s = vector.contract {indexing_maps = [#k_m, #k_n, #m_n], iterator_types = ["parallel", "parallel", "reduction"], gnn_tile.kind = #gnn_tile<product_kind tf32x3>} %x, %y, %z : vector<16x64xf32>, vector<16x8xf32> into vector<64x8xf32>
  }
  return
}

// -----

#k_m = affine_map<(m, n, k) -> (k, m)>
#k_n = affine_map<(m, n, k) -> (k, n)>
#m_n = affine_map<(m, n, k) -> (m, n)>


func.func @sums(%x: vector<16x64xf32>, %y: vector<16x16xf32>, %z: vector<64x16xf64>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    // expected-error @+1 {{expected sums of f32, got 'vector<64x16xf64>'}}
    %s = vector.contract {indexing_maps = [#k_m, #k_n, #m_n], iterator_types = ["parallel", "parallel", "reduction"], gnn_tile.kind = #gnn_tile<product_kind tf32x3>} %x, %y, %z : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf64>
  }
  return
}

// -----

#k_m = affine_map<(m, k) -> (k, m)>
#k = affine_map<(m, k) -> (k)>
#m = affine_map<(m, k) -> (m)>

func.func @matrices(%x: vector<16x64xf32>, %y: vector<16xf32>, %z: vector<64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    // expected-error @+1 {{expected a product of matrices, got 'vector<16x64xf32>' and 'vector<16xf32>'}}
    %s = vector.contract {indexing_maps = [#k_m, #k, #m], iterator_types = ["parallel", "reduction"], gnn_tile.kind = #gnn_tile<product_kind tf32x3>} %x, %y, %z : vector<16x64xf32>, vector<16xf32> into vector<64xf32>
  }
  return
}

// -----

#k_m = affine_map<(m, n, k) -> (k, m)>
#k_n = affine_map<(m, n, k) -> (k, n)>
#m_n = affine_map<(m, n, k) -> (m, n)>


func.func @store(%x: vector<16x64xf32>, %y: vector<16x16xf32>, %z: vector<64x16xf32>, %to: memref<64x16xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<64xindex>
    %s = vector.contract {indexing_maps = [#k_m, #k_n, #m_n], iterator_types = ["parallel", "parallel", "reduction"], gnn_tile.spread = #gnn_tile.spread<each = [8, 4], lanes = [8, 4]>, gnn_tile.kind = #gnn_tile<product_kind tf32x3>} %x, %y, %z : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf32>
    // expected-error @+1 {{'gnn_tile.store_rows' op expected the spread of the product that it stores, #gnn_tile.spread<each = [8, 4], lanes = [8, 4]>, got #gnn_tile.spread<each = [4, 4], lanes = [16, 4]>}}
    gnn_tile.store_rows %s, %to[%r, %c0] spread <each = [4, 4], lanes = [16, 4]> : vector<64x16xf32>, memref<64x16xf32>, vector<64xindex>, index
  }
  return
}
