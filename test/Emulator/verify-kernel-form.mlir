// RUN: gnn-opt %s --gnn-verify-kernel-form --verify-diagnostics --split-input-file

// Everything a kernel may use: no error.
gpu.module @good {
  gpu.func @kernel(%x: memref<1xf32> {llvm.readonly}, %y: memref<8xf32>, %n: index)
      workgroup(%s: memref<8xf32, #gpu.address_space<workgroup>>)
      private(%p: memref<2xf32, #gpu.address_space<private>>) kernel {
    %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1]
        : memref<1xf32> to memref<?xf32>
    %t = gpu.thread_id x
    %v = memref.load %xm[%t] : memref<?xf32>
    memref.store %v, %s[%t] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %v, %y[%t] : memref<8xf32>
    %all = arith.constant -1 : i32
    %zero = arith.constant 0.0 : f32
    %zeroth = arith.constant 0 : i32
    %positive = arith.cmpf ogt, %v, %zero : f32
    %votes = nvvm.vote.sync ballot %all, %positive -> i32
    %any = nvvm.vote.sync any %all, %positive -> i1
    %parts = arith.constant 6175 : i32
    %part = nvvm.shfl.sync idx %all, %v, %zeroth, %parts : f32 -> f32
    nvvm.bar.warp.sync %all : i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @op_outside_of_the_list() kernel {
    // expected-error @+1 {{'gpu.printf' op is not one of the ops that kernels are made of}}
    gpu.printf "hello"
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @memory_from_the_heap() kernel {
    // expected-error @+1 {{'memref.alloc' op is not one of the ops that kernels are made of}}
    %a = memref.alloc() : memref<8xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op is not marked as a kernel}}
  gpu.func @helper() {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op argument 0 expected a memref, i32, i64 or index, got 'f32'}}
  gpu.func @scalar_argument(%x: f32) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op argument 1 expected a static shape, identity layout and no memory space, got 'memref<?xf32>'}}
  gpu.func @dynamic_argument(%n: index, %x: memref<?xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @argument_past_its_cast(%x: memref<1xf32>, %n: index) kernel {
    %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1]
        : memref<1xf32> to memref<?xf32>
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'memref.load' op uses argument 0 past the memref.reinterpret_cast of it}}
    %v = memref.load %x[%c0] : memref<1xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @write_to_readonly(%x: memref<1xf32> {llvm.readonly}, %n: index) kernel {
    %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1]
        : memref<1xf32> to memref<?xf32>
    %part = memref.subview %xm[0] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1]>>
    %c0 = arith.constant 0 : index
    %v = arith.constant 0.0 : f32
    // expected-error @+1 {{'memref.store' op writes argument 0, which is marked llvm.readonly}}
    memref.store %v, %part[%c0] : memref<4xf32, strided<[1]>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @cast_of_shared()
      workgroup(%s: memref<8xf32, #gpu.address_space<workgroup>>) kernel {
    // expected-error @+1 {{'memref.reinterpret_cast' op expected an argument of the kernel, got another argument of a block}}
    %c = memref.reinterpret_cast %s to offset: [0], sizes: [4], strides: [2]
        : memref<8xf32, #gpu.address_space<workgroup>>
        to memref<4xf32, strided<[2]>, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op expected at most 49152 bytes of shared memory, got 49156}}
  gpu.func @too_much_shared()
      workgroup(%s: memref<12288xf32, #gpu.address_space<workgroup>>,
                %more: memref<1xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @alloca_in_a_loop(%n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{'memref.alloca' op is in a loop}}
      %a = memref.alloca() : memref<4xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @dynamic_alloca(%n: index) kernel {
    // expected-error @+1 {{'memref.alloca' op expected a static shape and identity layout, got 'memref<?xf32>'}}
    %a = memref.alloca(%n) : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @complex_elements() kernel {
    // expected-error @+1 {{'memref.alloca' op expected elements of i1, i8, i16, i32, i64 or a float, got 'complex<f32>'}}
    %a = memref.alloca() : memref<4xcomplex<f32>>
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op expected memory of at most 8 dimensions, got 'memref<1x1x1x1x1x1x1x1x1xf32>'}}
  gpu.func @nine_dimensions(%x: memref<1x1x1x1x1x1x1x1x1xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @matrix_load(%x: memref<8x8xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'vector.load' op expected a vector of rank 1, got 'vector<2x4xf32>'}}
    %v = vector.load %x[%c0, %c0] : memref<8x8xf32>, vector<2x4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @shuffle_of_bytes(%v: i32) kernel {
    %c = arith.trunci %v : i32 to i8
    %w = arith.constant 32 : i32
    // expected-error @+1 {{'gpu.shuffle' op expected a scalar of 32 or 64 bits, got 'i8'}}
    %s, %ok = gpu.shuffle xor %c, %v, %w : i8
    gpu.return
  }
}

// -----

// gpu-to-nvvm gives shfl.up a clamp that only fits a whole warp.
gpu.module @m {
  gpu.func @narrow_shuffle_up(%v: i32) kernel {
    %w = arith.constant 16 : i32
    // expected-error @+1 {{'gpu.shuffle' op of mode up needs the constant width 32}}
    %s, %ok = gpu.shuffle up %v, %v, %w : i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @vote_of_some_lanes(%v: i32) kernel {
    %half = arith.constant 65535 : i32
    %p = arith.cmpi eq, %v, %half : i32
    // expected-error @+1 {{'nvvm.vote.sync' op expected a ballot or any of all lanes, with the constant mask -1}}
    %votes = nvvm.vote.sync ballot %half, %p -> i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @barrier_of_some_lanes(%v: i32) kernel {
    %half = arith.constant 65535 : i32
    // expected-error @+1 {{'nvvm.bar.warp.sync' op expected all lanes, with the constant mask -1}}
    nvvm.bar.warp.sync %half : i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @vote_of_another_kind(%v: i32) kernel {
    %all = arith.constant -1 : i32
    %p = arith.cmpi eq, %v, %all : i32
    // expected-error @+1 {{'nvvm.vote.sync' op expected a ballot or any of all lanes, with the constant mask -1}}
    %any = nvvm.vote.sync uni %all, %p -> i1
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @shuffle_of_nvvm_that_is_xor(%v: i32) kernel {
    %all = arith.constant -1 : i32
    %last = arith.constant 31 : i32
    // expected-error @+1 {{'nvvm.shfl.sync' op expected kind idx of all lanes, with the constant mask -1 and without a predicate}}
    %x = nvvm.shfl.sync bfly %all, %v, %v, %last : i32 -> i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @shuffle_in_parts_of_twelve_lanes(%v: i32) kernel {
    %all = arith.constant -1 : i32
    %parts = arith.constant 5151 : i32
    // expected-error @+1 {{'nvvm.shfl.sync' op expected the constant (32 - n) * 256 + 31 of parts of n lanes, a power of two}}
    %x = nvvm.shfl.sync idx %all, %v, %v, %parts : i32 -> i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @half_precision_mma(%n: index) kernel {
    %a = arith.constant dense<0.0> : vector<2x2xf16>
    %b = arith.constant dense<0.0> : vector<1x2xf16>
    %c = arith.constant dense<0.0> : vector<2x2xf32>
    // expected-error @+1 {{'nvgpu.mma.sync' op expected tf32Enabled}}
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 8]}
        : (vector<2x2xf16>, vector<1x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @three_tiles(%n: index)
      workgroup(%s: memref<24x4xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'nvgpu.ldmatrix' op expected 1, 2 or 4 tiles, got 3}}
    %m = nvgpu.ldmatrix %s[%c0, %c0] {numTiles = 3 : i32, transpose = false}
        : memref<24x4xf32, #gpu.address_space<workgroup>> -> vector<3x1xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @copy_of_shared(%n: index)
      workgroup(%s: memref<8xf32, #gpu.address_space<workgroup>>,
                %d: memref<8xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'nvgpu.device_async_copy' op copies from global memory only}}
    %t = nvgpu.device_async_copy %s[%c0], %d[%c0], 4
        : memref<8xf32, #gpu.address_space<workgroup>> to memref<8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'llvm.mlir.global' op expected only kernels in a gpu.module}}
  llvm.mlir.global internal @global(0 : i32) : i32
}

// -----

// Writes go to memory that is known.
gpu.module @m {
  gpu.func @memory_by_choice(%x: memref<8xf32> {llvm.readonly}, %y: memref<8xf32>,
                             %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %n, %c0 : index
    // expected-error @+1 {{'arith.select' op writes argument 0, which is marked llvm.readonly}}
    %m = arith.select %c, %x, %y : memref<8xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @memory_by_choice(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %n, %c0 : index
    // expected-error @+1 {{'arith.select' op expected memory to be used where it is known, as an argument of the kernel or a view of it}}
    %m = arith.select %c, %x, %y : memref<8xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @memory_through_a_loop(%x: memref<8xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'scf.for' op expected memory to be used where it is known}}
    %m = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> memref<8xf32> {
      scf.yield %y : memref<8xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op expected at most 524288 bytes of memory of each thread, got 524289}}
  gpu.func @too_much_of_its_own()
      private(%p: memref<131072xf32, #gpu.address_space<private>>) kernel {
    %a = memref.alloca() : memref<1xi8>
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op expected at most 524288 bytes of memory of each thread, got 9223372036854775807}}
  gpu.func @more_than_64_bits() kernel {
    %a = memref.alloca() : memref<4611686018427387904x8xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @long_vector() kernel {
    // expected-error @+1 {{'arith.constant' op expected a vector of at most 1024 elements, got 'vector<2048xf32>'}}
    %v = arith.constant dense<0.0> : vector<2048xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @dimension_by_number(%x: memref<8xf32>, %n: index) kernel {
    // expected-error @+1 {{'memref.dim' op expected the constant number of a dimension}}
    %d = memref.dim %x, %n : memref<8xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op expected arrays of a static shape and identity layout, got 'memref<4xf32, strided<[1000]>, #gpu.address_space<workgroup>>'}}
  gpu.func @shared_array_with_gaps()
      workgroup(%w: memref<4xf32, strided<[1000]>, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @own_array_with_gaps() kernel {
    // expected-error @+1 {{'memref.alloca' op expected a static shape and identity layout, got 'memref<4xf32, strided<[1000]>>'}}
    %a = memref.alloca() : memref<4xf32, strided<[1000]>>
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op expected an alignment of a power of two up to 4096, got 0 : i64}}
  gpu.func @alignment_of_an_argument(%x: memref<8xf32> {llvm.align = 0 : i64}) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op expected an alignment of a power of two up to 4096, got -16 : i64}}
  gpu.func @alignment_of_an_array()
      workgroup(%w: memref<4xf32, #gpu.address_space<workgroup>> {llvm.align = -16 : i64}) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @vector_of_a_number(%x: memref<f32>) kernel {
    %m = vector.constant_mask [2] : vector<4xi1>
    %o = arith.constant dense<0.0> : vector<4xf32>
    // expected-error @+1 {{'vector.maskedload' op expected memory with dimensions, got 'memref<f32>'}}
    %v = vector.maskedload %x[], %m, %o : memref<f32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @alignment_of_an_own_array() kernel {
    // expected-error @+1 {{'memref.alloca' op expected an alignment of at most 4096, got 1048576}}
    %a = memref.alloca() {alignment = 1048576 : i64} : memref<4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @vector_of_bits() kernel {
    %a = memref.alloca() : memref<8xi1>
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'vector.load' op expected elements of whole bytes, got 'memref<8xi1>'}}
    %v = vector.load %a[%c0] : memref<8xi1>, vector<8xi1>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @place_in_a_vector(%n: index) kernel {
    %r = arith.constant dense<1.0> : vector<4xf32>
    %v = arith.constant dense<0.0> : vector<4x4xf32>
    // expected-error @+1 {{'vector.insert' op expected constants as places in 'vector<4x4xf32>'}}
    %w = vector.insert %r, %v[%n] : vector<4xf32> into vector<4x4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @narrow_float(%v: i32) kernel {
    %x = arith.bitcast %v : i32 to f32
    // expected-error @+1 {{'arith.truncf' op expected floats of f16, bf16, f32 or f64, got 'f8E5M2'}}
    %y = arith.truncf %x : f32 to f8E5M2
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @wide_float(%v: i32) kernel {
    %x = arith.bitcast %v : i32 to f32
    %xs = vector.broadcast %x : f32 to vector<2xf32>
    // expected-error @+1 {{'arith.extf' op expected floats of f16, bf16, f32 or f64, got 'f128'}}
    %y = arith.extf %xs : vector<2xf32> to vector<2xf128>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @wide_integer(%v: i32) kernel {
    %x = arith.extsi %v : i32 to i128
    %half = arith.divsi %x, %x : i128
    // expected-error @+1 {{'arith.sitofp' op expected an integer of at most 64 bits, got 'i128'}}
    %y = arith.sitofp %half : i128 to f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @integer_power(%v: i32) kernel {
    // expected-error @+1 {{'math.ipowi' op is not one of the ops that kernels are made of}}
    %p = math.ipowi %v, %v : i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @infinite() kernel {
    %v = ub.poison : f32
    // expected-error @+1 {{'math.isinf' op is not one of the ops that kernels are made of}}
    %p = math.isinf %v : f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @matrix() kernel {
    %v = ub.poison : vector<2x4xf32>
    // expected-error @+1 {{'math.exp' op expected vectors of one dimension, got 'vector<2x4xf32>'}}
    %e = math.exp %v : vector<2x4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @quotients() kernel {
    %v = ub.poison : vector<2x4xi32>
    // expected-error @+1 {{'arith.divsi' op expected vectors of one dimension, got 'vector<2x4xi32>'}}
    %q = arith.divsi %v, %v : vector<2x4xi32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @long_exponent(%n: i64) kernel {
    %v = ub.poison : f32
    // expected-error @+1 {{'math.fpowi' op expected an exponent of i32, got 'i64'}}
    %p = math.fpowi %v, %n : f32, i64
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @bits(%m: memref<8xi1>, %i: index) kernel {
    %b = ub.poison : i1
    // expected-error @+1 {{'memref.atomic_rmw' op expected elements of whole bytes, got 'memref<8xi1>'}}
    %o = memref.atomic_rmw ori %b, %m[%i] : (i1, memref<8xi1>) -> i1
    gpu.return
  }
}
