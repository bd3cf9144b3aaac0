// RUN: gnn-translate %s --gnn-to-plan --verify-diagnostics --split-input-file

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
  func.func @copies(%x: memref<8xf32>, %y: memref<8xf32> {bufferize.result}) {
    // expected-error @+1 {{has no place in a launch plan: expected host scalars, structures, constants, views of the workspace and launches, got 'memref.copy'}}
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
  // expected-error @+1 {{expected a straight line, got several blocks}}
  func.func @branches(%x: memref<8xf32>) {
    cf.br ^bb1
  ^bb1:
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
  // expected-error @+1 {{expected buffers as arguments, got 'index'}}
  func.func @scalar_argument(%n: index) {
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf64>) kernel {
      gpu.return
    }
  }
  // expected-error @+1 {{the launch plan holds f32, i32 and i64, got 'f64'}}
  func.func @element_type(%x: memref<8xf64>) {
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf32, strided<[1], offset: 4>>) kernel {
      gpu.return
    }
  }
  func.func @shifted(%x: memref<12xf32>) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{expected an offset of 0: a kernel gets the start of a buffer}}
    %p = memref.reinterpret_cast %x to offset: [4], sizes: [8], strides: [1] : memref<12xf32> to memref<8xf32, strided<[1], offset: 4>>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : memref<8xf32, strided<[1], offset: 4>>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: f32) kernel {
      gpu.return
    }
  }
  func.func @float_operand(%x: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{expected an integer of the host, got 'f32'}}
    %alpha = arith.constant 2.0 : f32
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%alpha : f32)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
  // expected-error @+1 {{expected gnn_tile.workspace_size, as there are views of the workspace}}
  func.func @no_size(%w: memref<?xi8> {gnn.workspace}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = memref.view %w[%c0][] : memref<?xi8> to memref<8xf32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%v : memref<8xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi8>) kernel {
      gpu.return
    }
  }
  func.func @whole_workspace(%w: memref<?xi8> {gnn.workspace}) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{expected views of the workspace as kernel operands, got the whole}}
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%w : memref<?xi8>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
  func.func @asynchronous(%x: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    %t = gpu.wait async
    // expected-error @-1 {{has no place in a launch plan}}
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @launch_without_a_name() {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{expected a string that is not empty for gnn.name, got ""}}
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) {gnn.name = ""}
    return
  }
}

// -----

// A function of templates says what its rows are; there is nothing else to know
// their number from.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
  // expected-error @+1 {{expected gnn.rows, which says what rows 'no_rows' takes, got ?x8xf32 without: write {gnn.rows = #gnn.rows<@g, node>}, or whose rows it has, behind the type}}
  func.func @no_rows(%x: memref<?x8xf32>) {
    return
  }
}

// -----

// expected-error @+1 {{no graph is declared as '@missing'}}
func.func @unknown_graph(%x: memref<?xf32> {gnn.rows = #gnn.rows<@missing, dst>}) {
  return
}

// -----

// expected-error @+1 {{expected "input", "output", "saved" or "gradient" for gnn.role, got "weight"}}
func.func @role(%x: memref<8xf32> {gnn.role = "weight"}) {
  return
}

// -----

// expected-error @+1 {{expected gnn.of of gradients and of nothing else, got none of 'd_x', which is of role gradient}}
func.func @gradient(%x: memref<8xf32> {gnn.name = "d_x", gnn.role = "gradient"}) {
  return
}

// -----

// expected-error @+1 {{expected gnn.of of gradients and of nothing else, got 'y' of 'x', which is of role input}}
func.func @no_gradient(%x: memref<8xf32> {gnn.name = "x", gnn.of = "y"}) {
  return
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
  memref.global "private" constant @numbers : memref<8xf32> = dense<1.0>
  func.func @writes_a_constant() {
    %one = arith.constant 1 : index
    %c = memref.get_global @numbers : memref<8xf32>
    // expected-error @+1 {{expected a kernel that only reads the constant it gets as argument 0}}
    gpu.launch_func @kernels::@k blocks in (%one, %one, %one) threads in (%one, %one, %one)
        args(%c : memref<8xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
  memref.global @numbers : memref<8xf32> = dense<1.0>
  func.func @variable() {
    %one = arith.constant 1 : index
    // expected-error @+1 {{expected a constant with a dense value, got '@numbers'}}
    %c = memref.get_global @numbers : memref<8xf32>
    gpu.launch_func @kernels::@k blocks in (%one, %one, %one) threads in (%one, %one, %one)
        args(%c : memref<8xf32>)
    return
  }
}
