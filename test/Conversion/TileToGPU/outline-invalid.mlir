// RUN: gnn-opt %s --convert-gnn-tile-to-gpu --verify-diagnostics --split-input-file

func.func @not_mapped(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected a loop over blocks, each dimension mapped to one of #gpu.block<x>, <y> and <z>, got no mapping}}
  scf.forall (%i) in (4) {
    memref.store %zero, %y[%i] : memref<4xf32>
  } {gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @mapped_to_threads(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected a loop over blocks, each dimension mapped to one of #gpu.block<x>, <y> and <z>, got [#gpu.thread<x>]}}
  scf.forall (%i) in (4) {
    memref.store %zero, %y[%i] : memref<4xf32>
  } {mapping = [#gpu.thread<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @mapped_twice(%y: memref<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected a loop over blocks, each dimension mapped to one of #gpu.block<x>, <y> and <z>, got [#gpu.block<x>, #gpu.block<x>]}}
  scf.forall (%i, %j) in (4, 4) {
    memref.store %zero, %y[%i, %j] : memref<4x4xf32>
  } {mapping = [#gpu.block<x>, #gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @mapped_linear(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{got [#gpu.block<linear_dim_0>]}}
  scf.forall (%i) in (4) {
    memref.store %zero, %y[%i] : memref<4xf32>
  } {mapping = [#gpu.block<linear_dim_0>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @no_threads(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected gnn_tile.threads of 1 to 1024, got none}}
  scf.forall (%i) in (4) {
    memref.store %zero, %y[%i] : memref<4xf32>
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @many_threads(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected gnn_tile.threads of 1 to 1024, got 1025 : i64}}
  scf.forall (%i) in (4) {
    memref.store %zero, %y[%i] : memref<4xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1025 : i64}
  return
}

// -----

func.func @step(%y: memref<4xf32>, %step: index) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected constant lower bounds and steps}}
  scf.forall (%i) = (0) to (4) step (%step) {
    memref.store %zero, %y[%i] : memref<4xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @results(%y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a loop over blocks on buffers, got one with results}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %y) -> tensor<4xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return %r : tensor<4xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @template(%x: memref<?xf32>, %y: memref<?xf32>) {
  scf.forall (%i) in (4) {
    // expected-error @+1 {{'gnn_tile.traverse' op has no form for a thread: expected it to be lowered before its loop over blocks becomes a kernel}}
    gnn_tile.traverse @g <dst> ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
        outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @captured(%y: memref<4xf32>, %v: f32) {
  scf.forall (%i) in (4) {
    // expected-error @+1 {{'memref.store' op expected buffers, structures, integers and constants of the host, got 'f32'}}
    memref.store %v, %y[%i] : memref<4xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @without_extent(%y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (4) {
    // expected-error @+1 {{expected a buffer of dynamic rows to be used through a memref.reinterpret_cast, which says how many it has, got 'memref<?xf32>'}}
    memref.store %zero, %y[%i] : memref<?xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @strides(%y: memref<4x4xf32, strided<[8, 1]>>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (4) {
    // expected-error @+1 {{expected buffers without strides, got 'memref<4x4xf32, strided<[8, 1]>>'}}
    memref.store %zero, %y[%i, %i] : memref<4x4xf32, strided<[8, 1]>>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @view_with_strides(%y: memref<?x4xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected buffers without strides, got 'memref<?x4xf32, strided<[8, 1]>>'}}
  %yv = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 4], strides: [8, 1] : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  scf.forall (%i) in (4) {
    memref.store %zero, %yv[%i, %i] : memref<?x4xf32, strided<[8, 1]>>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @elements(%y: memref<4xf64>) {
  %zero = arith.constant 0.0 : f64
  scf.forall (%i) in (4) {
    // expected-error @+1 {{expected buffers of f32 and i32, got 'memref<4xf64>'}}
    memref.store %zero, %y[%i] : memref<4xf64>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @two_forms(%y: memref<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %flat = memref.collapse_shape %y [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  scf.forall (%i) in (4) {
    %v = memref.load %flat[%i] : memref<16xf32>
    // expected-error @+1 {{expected one form of a buffer that the loop writes, got 'memref<16xf32>' and 'memref<4x4xf32>'}}
    memref.store %v, %y[%i, %i] : memref<4x4xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @unknown_write(%y: memref<4xf32>, %z: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %yes = arith.constant true
  scf.forall (%i) in (4) {
    %w = arith.select %yes, %y, %z : memref<4xf32>
    // expected-error @+1 {{expected a write to a buffer, to an array of the body, or to a view of one}}
    memref.store %zero, %w[%i] : memref<4xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @array_of_unknown_size(%n: index) {
  scf.forall (%i) in (4) {
    // expected-error @+1 {{expected an array of a static shape, got 'memref<?xf32, #gpu.address_space<workgroup>>'}}
    %a = memref.alloca(%n) : memref<?xf32, #gpu.address_space<workgroup>>
    %v = memref.load %a[%i] : memref<?xf32, #gpu.address_space<workgroup>>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @step(%y: memref<4xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'scf.forall' op expected steps of at least 1, got 0}}
  scf.forall (%i) = (0) to (%n) step (0) {
    memref.store %zero, %y[%i] : memref<4xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @step_back(%y: memref<4xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'scf.forall' op expected steps of at least 1, got -2}}
  scf.forall (%i) = (0) to (%n) step (-2) {
    memref.store %zero, %y[%i] : memref<4xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}
