// RUN: gnn-opt %s --verify-diagnostics --split-input-file

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @gemm_c11_type(%x: memref<?x64xf32>, %w: memref<3x64x8xf32>, %y: memref<?x8xf32>, %i: index) {
  %t = gnn_tile.structure @g tiles edge_type src_pair 64 : memref<?xi32>
  // expected-error @+1 {{'gnn_tile.gemm' op expected 'type' on its range}}
  gnn_tile.gemm @g rows src_pair types edge_type rows[%i, %i] columns[%i]
      ins(%x, %w : memref<?x64xf32>, memref<3x64x8xf32>) at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> index_arrays(%t : memref<?xi32>) schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @gemm_c11_head(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>, %i: index) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected no 'head' on its range}}
  gnn_tile.gemm @g rows src_pair rows[%i, %i] columns[%i] head[%i]
      ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>) at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @gemm_c11_rows(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>, %i: index) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected no 'columns' without a range of rows}}
  gnn_tile.gemm @g rows src_pair columns[%i]
      ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>) at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @gemm_c11_arrays(%x: memref<?x64xf32>, %w: memref<3x64x8xf32>, %y: memref<?x8xf32>, %i: index) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected as many 'index_arrays' as it reads: 1, got 0}}
  gnn_tile.gemm @g rows src_pair types edge_type rows[%i, %i] type[%i] columns[%i]
      ins(%x, %w : memref<?x64xf32>, memref<3x64x8xf32>) at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @gemm_c11_stray_array(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>, %a: memref<?xi32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a range of rows beside 'index_arrays'}}
  gnn_tile.gemm @g rows src_pair
      ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>) at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> index_arrays(%a : memref<?xi32>) schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @gemm_c11_tensors(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>, %y: tensor<?x8xf32>, %i: index) -> tensor<?x8xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected memrefs on a range, got 'tensor<?x64xf32>'}}
  %z = gnn_tile.gemm @g rows src_pair rows[%i, %i] columns[%i]
      ins(%x, %w : tensor<?x64xf32>, tensor<64x8xf32>) at <group : feature> extras at []
      outs(%y : tensor<?x8xf32>) at <group : feature> schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @outer_c8_left(%x: memref<?x64xf32>, %dy: memref<?x8xf32>, %dw: memref<64x8xf32>, %i: index) {
  // expected-error @+1 {{'gnn_tile.outer' op expected 'left' on its range}}
  gnn_tile.outer @g rows src rows[%i, %i] right[%i]
      ins(%x, %dy : memref<?x64xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<64x8xf32>) schedule <n = 16>
  return
}

// -----

// The schedule of a range is complete.

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @outer_c8_schedule(%x: memref<?x64xf32>, %dy: memref<?x8xf32>, %dw: memref<64x8xf32>, %i: index) {
  // expected-error @+1 {{'gnn_tile.outer' op expected a complete schedule, got none of 'n'}}
  gnn_tile.outer @g rows src rows[%i, %i] left[%i] right[%i]
      ins(%x, %dy : memref<?x64xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<64x8xf32>)
  return
}

// -----

func.func @load_rows_c1(%x: memref<?x64xf32>, %r: vector<64xindex>) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected an index for each dimension of 'memref<?x64xf32>', got 1}}
  %t = gnn_tile.load_rows %x[%r] : memref<?x64xf32>, vector<64xindex> -> vector<64xf32>
  return
}

// -----

func.func @load_rows_c1_vectors(%x: memref<?x?xf32>, %r: vector<64xindex>) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected at most one vector of rows, got 2}}
  %t = gnn_tile.load_rows %x[%r, %r] : memref<?x?xf32>, vector<64xindex>, vector<64xindex> -> vector<64xf32>
  return
}

// -----

func.func @load_rows_c2(%x: memref<?x64xf32>, %r: vector<32xindex>, %c: index) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected a vector of 64 rows, got 'vector<32xindex>'}}
  %t = gnn_tile.load_rows %x[%r, %c] : memref<?x64xf32>, vector<32xindex>, index -> vector<64x16xf32>
  return
}

// -----

func.func @load_rows_c2_column(%x: memref<?x64xf32>, %r: vector<64xindex>, %c: index) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected an index for the first column, got a vector of rows}}
  %t = gnn_tile.load_rows %x[%c, %r] : memref<?x64xf32>, index, vector<64xindex> -> vector<64x16xf32>
  return
}

// -----

func.func @load_rows_c2_scalars(%x: memref<?x64xf32>, %c: index) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected a vector of rows for 'vector<64x16xf32>'}}
  %t = gnn_tile.load_rows %x[%c, %c] : memref<?x64xf32>, index, index -> vector<64x16xf32>
  return
}

// -----

func.func @load_rows_c2_type(%x: memref<?x64xf32>, %c: index) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected a tile of 'f32', got 'vector<16xi32>'}}
  %t = gnn_tile.load_rows %x[%c, %c] : memref<?x64xf32>, index, index -> vector<16xi32>
  return
}

// -----

func.func @load_rows_c3(%x: memref<?x64xf32>, %c: index, %m: vector<64xi1>) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected a vector of rows beside 'where'}}
  %t = gnn_tile.load_rows %x[%c, %c] where(%m : vector<64xi1>) : memref<?x64xf32>, index, index -> vector<16xf32>
  return
}

// -----

func.func @load_rows_c3_size(%x: memref<?x64xf32>, %r: vector<64xindex>, %c: index, %m: vector<32xi1>) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected 'where' of 'vector<64xindex>', got 'vector<32xi1>'}}
  %t = gnn_tile.load_rows %x[%r, %c] where(%m : vector<32xi1>) : memref<?x64xf32>, vector<64xindex>, index -> vector<64x16xf32>
  return
}

// -----

func.func @load_rows_c3_below(%x: memref<?xi32>, %r: vector<64xindex>) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected a dimension of columns beside 'below'}}
  %t = gnn_tile.load_rows %x[%r] below 4 : memref<?xi32>, vector<64xindex> -> vector<64xi32>
  return
}

// -----

func.func @load_rows_c3_nothing(%x: memref<64xi32>, %c: index) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected 'below' to be positive, got 0}}
  %t = gnn_tile.load_rows %x[%c] below 0 : memref<64xi32>, index -> vector<16xi32>
  return
}

// -----

func.func @load_rows_c4(%x: memref<?x50xf32>, %r: vector<64xindex>, %c: index) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected 'aligned' to be a power of two that divides the columns of 'memref<?x50xf32>' and 'vector<64x16xf32>' and 'below', got 4}}
  %t = gnn_tile.load_rows %x[%r, %c] aligned 4 : memref<?x50xf32>, vector<64xindex>, index -> vector<64x16xf32>
  return
}

// -----

func.func @store_rows_c1(%t: vector<64xf32>, %x: memref<?x64xf32>, %r: vector<64xindex>) {
  // expected-error @+1 {{'gnn_tile.store_rows' op expected an index for each dimension of 'memref<?x64xf32>', got 1}}
  gnn_tile.store_rows %t, %x[%r] spread <each = [1], lanes = [8]> : vector<64xf32>, memref<?x64xf32>, vector<64xindex>
  return
}

// -----

func.func @store_rows_c2(%t: vector<64x16xf32>, %x: memref<?x64xf32>, %r: vector<32xindex>, %c: index) {
  // expected-error @+1 {{'gnn_tile.store_rows' op expected a vector of 64 rows, got 'vector<32xindex>'}}
  gnn_tile.store_rows %t, %x[%r, %c] spread <each = [1, 4], lanes = [8, 16]> : vector<64x16xf32>, memref<?x64xf32>, vector<32xindex>, index
  return
}

// -----

func.func @store_rows_c3(%t: vector<16xf32>, %x: memref<?x64xf32>, %c: index, %m: vector<64xi1>) {
  // expected-error @+1 {{'gnn_tile.store_rows' op expected a vector of rows beside 'where'}}
  gnn_tile.store_rows %t, %x[%c, %c] where(%m : vector<64xi1>) spread <each = [1], lanes = [8]> : vector<16xf32>, memref<?x64xf32>, index, index
  return
}

// -----

func.func @store_rows_c4(%t: vector<64x16xf32>, %x: memref<?x64xf32>, %r: vector<64xindex>, %c: index) {
  // expected-error @+1 {{'gnn_tile.store_rows' op expected 'aligned' to be a power of two that divides the columns of 'memref<?x64xf32>' and 'vector<64x16xf32>' and 'below', got 4}}
  gnn_tile.store_rows %t, %x[%r, %c] below 50 aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<64x16xf32>, memref<?x64xf32>, vector<64xindex>, index
  return
}

// -----

func.func @store_rows_c5(%t: vector<64x16xf32>, %x: memref<?x64xf32>, %r: vector<64xindex>, %c: index) {
  // expected-error @+1 {{'gnn_tile.store_rows' op expected a spread of 2 dimensions, got #gnn_tile.spread<each = [1], lanes = [16]>}}
  gnn_tile.store_rows %t, %x[%r, %c] spread <each = [1], lanes = [16]> : vector<64x16xf32>, memref<?x64xf32>, vector<64xindex>, index
  return
}

// -----

// expected-error @+1 {{expected powers of two, got 3}}
func.func private @spread_c1() attributes {s = #gnn_tile.spread<each = [1, 4], lanes = [3, 4]>}

// -----

// expected-error @+1 {{expected one or two dimensions of 'each' and as many of 'lanes', got 2 and 1}}
func.func private @spread_c1_dimensions() attributes {s = #gnn_tile.spread<each = [1, 4], lanes = [4]>}

// -----

func.func @load_rows_c4_layout(%x: memref<?x64xf32, strided<[65, 1]>>, %r: vector<16xindex>, %c: index) {
  // expected-error @+1 {{'gnn_tile.load_rows' op expected a memref without a layout beside 'aligned', got 'memref<?x64xf32, strided<[65, 1]>>'}}
  %t = gnn_tile.load_rows %x[%r, %c] aligned 4 : memref<?x64xf32, strided<[65, 1]>>, vector<16xindex>, index -> vector<16x64xf32>
  return
}

// -----

// expected-error @+1 {{expected at most 1024 values of a thread and as many threads, got [4611686018427387904, 4]}}
func.func private @spread_c1_values() attributes {s = #gnn_tile.spread<each = [4611686018427387904, 4], lanes = [1, 1]>}

// -----

// expected-error @+1 {{expected at most 1024 values of a thread and as many threads, got [64, 32]}}
func.func private @spread_c1_threads() attributes {s = #gnn_tile.spread<each = [1, 1], lanes = [64, 32]>}

// -----

func.func @array_c1() {
  // expected-error @+1 {{'gnn_tile.array' op expected an array of workgroup or private memory, of static shape, of a dimension or more and without a layout, got 'memref<16x64xf32>'}}
  %a = gnn_tile.array : memref<16x64xf32>
  return
}

// -----

func.func @array_c1_shape() {
  // expected-error @+1 {{'gnn_tile.array' op expected an array of workgroup or private memory, of static shape, of a dimension or more and without a layout, got 'memref<?x64xf32, #gpu.address_space<workgroup>>'}}
  %a = gnn_tile.array : memref<?x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @array_c1_rank() {
  // expected-error @+1 {{of a dimension or more and without a layout, got 'memref<f32, #gpu.address_space<private>>'}}
  %a = gnn_tile.array : memref<f32, #gpu.address_space<private>>
  return
}

// -----

func.func @array_c3_permuted() {
  // expected-error @+1 {{'gnn_tile.array' op expected no 'permuted' with private memory, got 2}}
  %a = gnn_tile.array permuted 2 : memref<16x64xf32, #gpu.address_space<private>>
  return
}

// -----

func.func @array_c2_power() {
  // expected-error @+1 {{'gnn_tile.array' op expected 'permuted' to be 1, 2 or 4, 8 times which divides the columns of two dimensions, 'memref<16x96xf32, #gpu.address_space<workgroup>>', got 3}}
  %a = gnn_tile.array permuted 3 : memref<16x96xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @array_c2_eight() {
  // expected-error @+1 {{expected 'permuted' to be 1, 2 or 4, 8 times which divides the columns of two dimensions, 'memref<16x64xf32, #gpu.address_space<workgroup>>', got 8}}
  %a = gnn_tile.array permuted 8 : memref<16x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @array_c2_zero() {
  // expected-error @+1 {{expected 'permuted' to be 1, 2 or 4, 8 times which divides the columns of two dimensions, 'memref<16x64xf32, #gpu.address_space<workgroup>>', got 0}}
  %a = gnn_tile.array permuted 0 : memref<16x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @array_c2_columns() {
  // expected-error @+1 {{expected 'permuted' to be 1, 2 or 4, 8 times which divides the columns of two dimensions, 'memref<16x48xf32, #gpu.address_space<workgroup>>', got 4}}
  %a = gnn_tile.array permuted 4 : memref<16x48xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @stage_c1(%t: vector<16x64xf32>, %a: memref<16x64xf32>, %i: index) {
  // expected-error @+1 {{'gnn_tile.stage' op expected an array of workgroup memory, of two dimensions of 'f32', got 'memref<16x64xf32>'}}
  gnn_tile.stage %t, %a[%i] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>
  return
}

// -----

func.func @stage_c1_type(%t: vector<16x64xf32>, %a: memref<16x64xf64, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @+1 {{'gnn_tile.stage' op expected an array of workgroup memory, of two dimensions of 'f32', got 'memref<16x64xf64, #gpu.address_space<workgroup>>'}}
  gnn_tile.stage %t, %a[%i] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf64, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @stage_c2(%t: vector<16x64xf32>, %a: memref<16x80xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @+1 {{'gnn_tile.stage' op expected an array of 64 columns and at least 16 rows, got 'memref<16x80xf32, #gpu.address_space<workgroup>>'}}
  gnn_tile.stage %t, %a[%i] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x80xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @stage_c2_transposed(%t: vector<16x64xf32>, %a: memref<16x64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @+1 {{'gnn_tile.stage' op expected an array of 16 columns and at least 64 rows, got 'memref<16x64xf32, #gpu.address_space<workgroup>>'}}
  gnn_tile.stage %t, %a[%i] transposed by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @stage_c3(%t: vector<16x64xf32>, %a: memref<16x64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @+1 {{'gnn_tile.stage' op expected a spread of two dimensions without teams, got #gnn_tile.spread<each = [1], lanes = [8]>}}
  gnn_tile.stage %t, %a[%i] by registers spread <each = [1], lanes = [8]> : vector<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @stage_c4(%t: vector<16x64xf32>, %a: memref<16x64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @+1 {{'gnn_tile.stage' op expected 'ahead' by registers or async, got in_flight}}
  gnn_tile.stage %t, %a[%i] ahead by in_flight spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @contract_c1(%x: vector<16x64xf32>, %y: vector<8x16xf32>, %z: vector<64x16xf32>) {
  // expected-error @+1 {{'gnn_tile.contract' op expected tiles of shapes [k, m], [k, n] and [m, n] and of one type, got 'vector<16x64xf32>', 'vector<8x16xf32>' and 'vector<64x16xf32>'}}
  %s = gnn_tile.contract %x, %y, %z spread <each = [8, 4], lanes = [8, 4]> : vector<16x64xf32>, vector<8x16xf32> into vector<64x16xf32>
  return
}

// -----

func.func @contract_c1_type(%x: vector<16x64xf32>, %y: vector<16x16xf32>, %z: vector<64x16xf64>) {
  // expected-error @+1 {{'gnn_tile.contract' op expected tiles of shapes [k, m], [k, n] and [m, n] and of one type, got 'vector<16x64xf32>', 'vector<16x16xf32>' and 'vector<64x16xf64>'}}
  %s = gnn_tile.contract %x, %y, %z spread <each = [8, 4], lanes = [8, 4]> : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf64>
  return
}

// -----

func.func @contract_c2(%x: vector<16x64xf32>, %y: vector<16x16xf32>, %z: vector<64x16xf32>) {
  // expected-error @+1 {{'gnn_tile.contract' op expected a spread of two dimensions without teams, got #gnn_tile.spread<each = [1, 4], lanes = [1, 32], teams = 1, elements = 1>}}
  %s = gnn_tile.contract %x, %y, %z spread <each = [1, 4], lanes = [1, 32], teams = 1, elements = 1> : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf32>
  return
}

// -----

func.func @contract_c3_depth(%x: vector<8x64xf32>, %y: vector<8x16xf32>, %z: vector<64x16xf32>) {
  // expected-error @+1 {{'gnn_tile.contract' op expected sums of 64 rows and a multiple of 16 columns of f32, over a depth that 16 divides, of 'tf32x3', got 'vector<64x16xf32>' over 8}}
  %s = gnn_tile.contract %x, %y, %z kind tf32x3 spread <each = [8, 4], lanes = [8, 4]> : vector<8x64xf32>, vector<8x16xf32> into vector<64x16xf32>
  return
}

// -----

func.func @contract_c3_type(%x: vector<16x64xf64>, %y: vector<16x16xf64>, %z: vector<64x16xf64>) {
  // expected-error @+1 {{of 'tf32x3', got 'vector<64x16xf64>' over 16}}
  %s = gnn_tile.contract %x, %y, %z kind tf32x3 spread <each = [8, 4], lanes = [8, 4]> : vector<16x64xf64>, vector<16x16xf64> into vector<64x16xf64>
  return
}

// -----

func.func @contract_c3_columns(%x: vector<16x64xf32>, %y: vector<16x8xf32>, %z: vector<64x8xf32>) {
  // expected-error @+1 {{of 'tf32x3', got 'vector<64x8xf32>' over 16}}
  %s = gnn_tile.contract %x, %y, %z kind tf32x3 spread <each = [8, 4], lanes = [8, 4]> : vector<16x64xf32>, vector<16x8xf32> into vector<64x8xf32>
  return
}

// -----

func.func @contract_c4(%x: vector<24x64xf32>, %y: vector<24x16xf32>, %z: vector<64x16xf32>) {
  // expected-error @+1 {{'gnn_tile.contract' op expected a depth of at most 16, or a multiple of it, got 24}}
  %s = gnn_tile.contract %x, %y, %z spread <each = [8, 4], lanes = [8, 4]> : vector<24x64xf32>, vector<24x16xf32> into vector<64x16xf32>
  return
}

// -----

func.func @array_element() {
  // expected-error @+1 {{'gnn_tile.array' op result #0 must be memref of 16-bit float or bfloat16 type or 32-bit float or 64-bit float or 8-bit signless integer or 16-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'memref<16x64xi1, #gpu.address_space<workgroup>>'}}
  %a = gnn_tile.array : memref<16x64xi1, #gpu.address_space<workgroup>>
  return
}

// -----

func.func private @spread_c2_heads() // expected-error @+1 {{expected one head of a lane beside 'teams', got 2}}
attributes {s = #gnn_tile.spread<each = [2, 1], lanes = [1, 32], teams = 1, elements = 1>}
