// RUN: gnn-opt %s --verify-diagnostics --split-input-file

func.func @reduce_each_c1(%a: vector<8xf32>) {
  // expected-error @+1 {{'gnn_tile.reduce_each' op expected a power of two of at most 32 vectors of one or two dimensions, got 3 of 1}}
  %s = gnn_tile.reduce_each sum %a, %a, %a : vector<8xf32> -> vector<3xf32>
  return
}

// -----

func.func @reduce_each_c1_rank(%a: vector<2x2x8xf32>) {
  // expected-error @+1 {{'gnn_tile.reduce_each' op expected a power of two of at most 32 vectors of one or two dimensions, got 1 of 3}}
  %s = gnn_tile.reduce_each sum %a : vector<2x2x8xf32> -> vector<2x2x1xf32>
  return
}

// -----

func.func @reduce_each_kind(%a: vector<8xf32>) {
  // expected-error @+1 {{expected sum, max or min, got 'product'}}
  %s = gnn_tile.reduce_each product %a : vector<8xf32> -> vector<1xf32>
  return
}

// -----

func.func @reduce_each_c2(%a: vector<8xf32>) {
  // expected-error @+1 {{'gnn_tile.reduce_each' op expected 'sum', 'max' or 'min', got 'mean'}}
  %s = gnn_tile.reduce_each mean %a : vector<8xf32> -> vector<1xf32>
  return
}

// -----

func.func @reduce_each_c1_none() {
  // expected-error @+1 {{'gnn_tile.reduce_each' op expected a power of two of vectors, got none}}
  %s = gnn_tile.reduce_each sum : vector<8xf32> -> vector<1xf32>
  return
}
