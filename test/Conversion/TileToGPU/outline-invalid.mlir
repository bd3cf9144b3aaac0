// RUN: gnn-opt %s --convert-gnn-tile-to-gpu --verify-diagnostics --split-input-file

func.func @no_threads(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected 'threads' of a block, got none}}
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%i: index):
    memref.store %zero, %y[%i] : memref<4xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @template(%x: memref<?xf32>, %y: memref<?xf32>) {
  gnn_tile.blocks to [4] step [1] threads 1 {
  ^bb0(%i: index):
    // expected-error @+1 {{'gnn_tile.traverse' op has no form for a thread: expected it to be lowered before its loop over blocks becomes a kernel}}
    gnn_tile.traverse @g <dst> ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
        outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

func.func @captured(%y: memref<4xf32>, %v: f32) {
  gnn_tile.blocks to [4] step [1] threads 1 {
  ^bb0(%i: index):
    // expected-error @+1 {{'memref.store' op expected buffers, structures, integers and constants of the host, got 'f32'}}
    memref.store %v, %y[%i] : memref<4xf32>
  }
  return
}

// -----

func.func @without_extent(%y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [4] step [1] threads 1 {
  ^bb0(%i: index):
    // expected-error @+1 {{expected a buffer of dynamic rows to be used through a memref.reinterpret_cast, which says how many it has, got 'memref<?xf32>'}}
    memref.store %zero, %y[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @strides(%y: memref<4x4xf32, strided<[8, 1]>>) {
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [4] step [1] threads 1 {
  ^bb0(%i: index):
    // expected-error @+1 {{expected buffers without strides, got 'memref<4x4xf32, strided<[8, 1]>>'}}
    memref.store %zero, %y[%i, %i] : memref<4x4xf32, strided<[8, 1]>>
  }
  return
}

// -----

func.func @view_with_strides(%y: memref<?x4xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected buffers without strides, got 'memref<?x4xf32, strided<[8, 1]>>'}}
  %yv = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 4], strides: [8, 1] : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  gnn_tile.blocks to [4] step [1] threads 1 {
  ^bb0(%i: index):
    memref.store %zero, %yv[%i, %i] : memref<?x4xf32, strided<[8, 1]>>
  }
  return
}

// -----

func.func @elements(%y: memref<4xf64>) {
  %zero = arith.constant 0.0 : f64
  gnn_tile.blocks to [4] step [1] threads 1 {
  ^bb0(%i: index):
    // expected-error @+1 {{expected buffers of f32 and i32, got 'memref<4xf64>'}}
    memref.store %zero, %y[%i] : memref<4xf64>
  }
  return
}

// -----

func.func @two_forms(%y: memref<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %flat = memref.collapse_shape %y [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  gnn_tile.blocks to [4] step [1] threads 1 {
  ^bb0(%i: index):
    %v = memref.load %flat[%i] : memref<16xf32>
    // expected-error @+1 {{expected one form of a buffer that the loop writes, got 'memref<16xf32>' and 'memref<4x4xf32>'}}
    memref.store %v, %y[%i, %i] : memref<4x4xf32>
  }
  return
}

// -----

func.func @unknown_write(%y: memref<4xf32>, %z: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %yes = arith.constant true
  gnn_tile.blocks to [4] step [1] threads 1 {
  ^bb0(%i: index):
    %w = arith.select %yes, %y, %z : memref<4xf32>
    // expected-error @+1 {{expected a write to a buffer, to an array of the body, or to a view of one}}
    memref.store %zero, %w[%i] : memref<4xf32>
  }
  return
}

// -----

func.func @array_of_unknown_size(%n: index) {
  gnn_tile.blocks to [4] step [1] threads 1 {
  ^bb0(%i: index):
    // expected-error @+1 {{expected an array of a static shape, got 'memref<?xf32, #gpu.address_space<workgroup>>'}}
    %a = memref.alloca(%n) : memref<?xf32, #gpu.address_space<workgroup>>
    %v = memref.load %a[%i] : memref<?xf32, #gpu.address_space<workgroup>>
  }
  return
}
