// Kernels of the packages of every version of plans (plan-v1.json, ...): what the compiler
// made when version 7 was the last. They stay as they are. Version 8 passes a constant to
// one of them, and version 9 has two of its own.
module {
  gpu.module @layer_kernels {
    gpu.func @layer_0_linear(%arg0: index, %arg1: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg2: memref<4x3xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg3: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f64
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%arg0, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      %reinterpret_cast_0 = memref.reinterpret_cast %arg3 to offset: [0], sizes: [%arg0, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      scf.for %arg4 = %c0 to %arg0 step %c1 {
        scf.for %arg5 = %c0 to %c3 step %c1 {
          %0 = scf.for %arg6 = %c0 to %c4 step %c1 iter_args(%arg7 = %cst) -> (f64) {
            %2 = memref.load %reinterpret_cast[%arg4, %arg6] : memref<?x4xf32>
            %3 = memref.load %arg2[%arg6, %arg5] : memref<4x3xf32>
            %4 = arith.extf %2 : f32 to f64
            %5 = arith.extf %3 : f32 to f64
            %6 = arith.mulf %4, %5 : f64
            %7 = arith.addf %arg7, %6 : f64
            scf.yield %7 : f64
          }
          %1 = arith.truncf %0 : f64 to f32
          memref.store %1, %reinterpret_cast_0[%arg4, %arg5] : memref<?x3xf32>
        }
      }
      gpu.return
    }
    gpu.func @layer_1_aggregate_activation(%arg0: index, %arg1: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg2: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg3: index, %arg4: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg5: index, %arg6: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f64
      %c3 = arith.constant 3 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = arith.addi %arg0, %c1 : index
      %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%0], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_0 = memref.reinterpret_cast %arg2 to offset: [0], sizes: [%arg3], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_1 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [%arg5, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      %reinterpret_cast_2 = memref.reinterpret_cast %arg6 to offset: [0], sizes: [%arg0, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      scf.for %arg7 = %c0 to %arg0 step %c1 {
        %1 = memref.load %reinterpret_cast[%arg7] : memref<?xi32>
        %2 = arith.index_cast %1 : i32 to index
        %3 = arith.addi %arg7, %c1 : index
        %4 = memref.load %reinterpret_cast[%3] : memref<?xi32>
        %5 = arith.index_cast %4 : i32 to index
        scf.for %arg8 = %c0 to %c3 step %c1 {
          %6 = scf.for %arg9 = %2 to %5 step %c1 iter_args(%arg10 = %cst) -> (f64) {
            %42 = memref.load %reinterpret_cast_0[%arg9] : memref<?xi32>
            %43 = arith.index_cast %42 : i32 to index
            %44 = memref.load %reinterpret_cast_1[%43, %arg8] : memref<?x3xf32>
            %45 = arith.extf %44 : f32 to f64
            %46 = arith.addf %arg10, %45 : f64
            scf.yield %46 : f64
          }
          %7 = arith.truncf %6 : f64 to f32
          %8 = math.absf %7 : f32
          %9 = arith.mulf %7, %7 : f32
          %cst_3 = arith.constant 0.00215268391 : f32
          %cst_4 = arith.constant -0.00819001347 : f32
          %10 = math.fma %cst_3, %9, %cst_4 : f32
          %cst_5 = arith.constant 0.021706894 : f32
          %11 = math.fma %10, %9, %cst_5 : f32
          %cst_6 = arith.constant -0.0539481789 : f32
          %12 = math.fma %11, %9, %cst_6 : f32
          %cst_7 = arith.constant 0.133332208 : f32
          %13 = math.fma %12, %9, %cst_7 : f32
          %cst_8 = arith.constant -0.333333313 : f32
          %14 = math.fma %13, %9, %cst_8 : f32
          %15 = arith.mulf %9, %8 : f32
          %16 = math.fma %14, %15, %8 : f32
          %cst_9 = arith.constant 1.000000e+01 : f32
          %17 = arith.cmpf olt, %cst_9, %8 : f32
          %18 = arith.select %17, %cst_9, %8 : f32
          %19 = arith.addf %18, %18 : f32
          %cst_10 = arith.constant 1.44269502 : f32
          %cst_11 = arith.constant 0x4B400000 : f32
          %20 = math.fma %19, %cst_10, %cst_11 : f32
          %21 = arith.subf %20, %cst_11 : f32
          %22 = arith.bitcast %20 : f32 to i32
          %c1262485504_i32 = arith.constant 1262485504 : i32
          %23 = arith.subi %22, %c1262485504_i32 : i32
          %cst_12 = arith.constant -0.693145751 : f32
          %24 = math.fma %21, %cst_12, %19 : f32
          %cst_13 = arith.constant -1.42860677E-6 : f32
          %25 = math.fma %21, %cst_13, %24 : f32
          %cst_14 = arith.constant 0.00138207339 : f32
          %cst_15 = arith.constant 0.00836867746 : f32
          %26 = math.fma %cst_14, %25, %cst_15 : f32
          %cst_16 = arith.constant 0.0416682661 : f32
          %27 = math.fma %26, %25, %cst_16 : f32
          %cst_17 = arith.constant 0.166665211 : f32
          %28 = math.fma %27, %25, %cst_17 : f32
          %cst_18 = arith.constant 0.49999994 : f32
          %29 = math.fma %28, %25, %cst_18 : f32
          %cst_19 = arith.constant 1.000000e+00 : f32
          %30 = math.fma %29, %25, %cst_19 : f32
          %31 = math.fma %30, %25, %cst_19 : f32
          %c127_i32 = arith.constant 127 : i32
          %32 = arith.addi %23, %c127_i32 : i32
          %c23_i32 = arith.constant 23 : i32
          %33 = arith.shli %32, %c23_i32 : i32
          %34 = arith.bitcast %33 : i32 to f32
          %35 = arith.mulf %31, %34 : f32
          %36 = arith.addf %35, %cst_19 : f32
          %cst_20 = arith.constant 2.000000e+00 : f32
          %37 = arith.divf %cst_20, %36 : f32
          %38 = arith.subf %cst_19, %37 : f32
          %cst_21 = arith.constant 6.250000e-01 : f32
          %39 = arith.cmpf olt, %8, %cst_21 : f32
          %40 = arith.select %39, %16, %38 : f32
          %41 = math.copysign %40, %7 : f32
          memref.store %41, %reinterpret_cast_2[%arg7, %arg8] : memref<?x3xf32>
        }
      }
      gpu.return
    }
  }
  gpu.module @layer_forward_kernels {
    gpu.func @layer_forward_0_linear(%arg0: index, %arg1: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg2: memref<4x3xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg3: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f64
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%arg0, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      %reinterpret_cast_0 = memref.reinterpret_cast %arg3 to offset: [0], sizes: [%arg0, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      scf.for %arg4 = %c0 to %arg0 step %c1 {
        scf.for %arg5 = %c0 to %c3 step %c1 {
          %0 = scf.for %arg6 = %c0 to %c4 step %c1 iter_args(%arg7 = %cst) -> (f64) {
            %2 = memref.load %reinterpret_cast[%arg4, %arg6] : memref<?x4xf32>
            %3 = memref.load %arg2[%arg6, %arg5] : memref<4x3xf32>
            %4 = arith.extf %2 : f32 to f64
            %5 = arith.extf %3 : f32 to f64
            %6 = arith.mulf %4, %5 : f64
            %7 = arith.addf %arg7, %6 : f64
            scf.yield %7 : f64
          }
          %1 = arith.truncf %0 : f64 to f32
          memref.store %1, %reinterpret_cast_0[%arg4, %arg5] : memref<?x3xf32>
        }
      }
      gpu.return
    }
    gpu.func @layer_forward_1_aggregate_activation(%arg0: index, %arg1: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg2: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg3: index, %arg4: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg5: index, %arg6: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f64
      %c3 = arith.constant 3 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = arith.addi %arg0, %c1 : index
      %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%0], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_0 = memref.reinterpret_cast %arg2 to offset: [0], sizes: [%arg3], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_1 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [%arg5, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      %reinterpret_cast_2 = memref.reinterpret_cast %arg6 to offset: [0], sizes: [%arg0, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      scf.for %arg7 = %c0 to %arg0 step %c1 {
        %1 = memref.load %reinterpret_cast[%arg7] : memref<?xi32>
        %2 = arith.index_cast %1 : i32 to index
        %3 = arith.addi %arg7, %c1 : index
        %4 = memref.load %reinterpret_cast[%3] : memref<?xi32>
        %5 = arith.index_cast %4 : i32 to index
        scf.for %arg8 = %c0 to %c3 step %c1 {
          %6 = scf.for %arg9 = %2 to %5 step %c1 iter_args(%arg10 = %cst) -> (f64) {
            %42 = memref.load %reinterpret_cast_0[%arg9] : memref<?xi32>
            %43 = arith.index_cast %42 : i32 to index
            %44 = memref.load %reinterpret_cast_1[%43, %arg8] : memref<?x3xf32>
            %45 = arith.extf %44 : f32 to f64
            %46 = arith.addf %arg10, %45 : f64
            scf.yield %46 : f64
          }
          %7 = arith.truncf %6 : f64 to f32
          %8 = math.absf %7 : f32
          %9 = arith.mulf %7, %7 : f32
          %cst_3 = arith.constant 0.00215268391 : f32
          %cst_4 = arith.constant -0.00819001347 : f32
          %10 = math.fma %cst_3, %9, %cst_4 : f32
          %cst_5 = arith.constant 0.021706894 : f32
          %11 = math.fma %10, %9, %cst_5 : f32
          %cst_6 = arith.constant -0.0539481789 : f32
          %12 = math.fma %11, %9, %cst_6 : f32
          %cst_7 = arith.constant 0.133332208 : f32
          %13 = math.fma %12, %9, %cst_7 : f32
          %cst_8 = arith.constant -0.333333313 : f32
          %14 = math.fma %13, %9, %cst_8 : f32
          %15 = arith.mulf %9, %8 : f32
          %16 = math.fma %14, %15, %8 : f32
          %cst_9 = arith.constant 1.000000e+01 : f32
          %17 = arith.cmpf olt, %cst_9, %8 : f32
          %18 = arith.select %17, %cst_9, %8 : f32
          %19 = arith.addf %18, %18 : f32
          %cst_10 = arith.constant 1.44269502 : f32
          %cst_11 = arith.constant 0x4B400000 : f32
          %20 = math.fma %19, %cst_10, %cst_11 : f32
          %21 = arith.subf %20, %cst_11 : f32
          %22 = arith.bitcast %20 : f32 to i32
          %c1262485504_i32 = arith.constant 1262485504 : i32
          %23 = arith.subi %22, %c1262485504_i32 : i32
          %cst_12 = arith.constant -0.693145751 : f32
          %24 = math.fma %21, %cst_12, %19 : f32
          %cst_13 = arith.constant -1.42860677E-6 : f32
          %25 = math.fma %21, %cst_13, %24 : f32
          %cst_14 = arith.constant 0.00138207339 : f32
          %cst_15 = arith.constant 0.00836867746 : f32
          %26 = math.fma %cst_14, %25, %cst_15 : f32
          %cst_16 = arith.constant 0.0416682661 : f32
          %27 = math.fma %26, %25, %cst_16 : f32
          %cst_17 = arith.constant 0.166665211 : f32
          %28 = math.fma %27, %25, %cst_17 : f32
          %cst_18 = arith.constant 0.49999994 : f32
          %29 = math.fma %28, %25, %cst_18 : f32
          %cst_19 = arith.constant 1.000000e+00 : f32
          %30 = math.fma %29, %25, %cst_19 : f32
          %31 = math.fma %30, %25, %cst_19 : f32
          %c127_i32 = arith.constant 127 : i32
          %32 = arith.addi %23, %c127_i32 : i32
          %c23_i32 = arith.constant 23 : i32
          %33 = arith.shli %32, %c23_i32 : i32
          %34 = arith.bitcast %33 : i32 to f32
          %35 = arith.mulf %31, %34 : f32
          %36 = arith.addf %35, %cst_19 : f32
          %cst_20 = arith.constant 2.000000e+00 : f32
          %37 = arith.divf %cst_20, %36 : f32
          %38 = arith.subf %cst_19, %37 : f32
          %cst_21 = arith.constant 6.250000e-01 : f32
          %39 = arith.cmpf olt, %8, %cst_21 : f32
          %40 = arith.select %39, %16, %38 : f32
          %41 = math.copysign %40, %7 : f32
          memref.store %41, %reinterpret_cast_2[%arg7, %arg8] : memref<?x3xf32>
        }
      }
      gpu.return
    }
  }
  gpu.module @layer_backward_kernels {
    gpu.func @layer_backward_0_mulf_subf(%arg0: index, %arg1: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg2: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg3: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %cst = arith.constant 1.000000e+00 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%arg0, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      %reinterpret_cast_0 = memref.reinterpret_cast %arg2 to offset: [0], sizes: [%arg0, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      %reinterpret_cast_1 = memref.reinterpret_cast %arg3 to offset: [0], sizes: [%arg0, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      scf.for %arg4 = %c0 to %arg0 step %c1 {
        scf.for %arg5 = %c0 to %c3 step %c1 {
          %0 = memref.load %reinterpret_cast[%arg4, %arg5] : memref<?x3xf32>
          %1 = memref.load %reinterpret_cast_0[%arg4, %arg5] : memref<?x3xf32>
          %2 = arith.mulf %1, %1 : f32
          %3 = arith.subf %cst, %2 : f32
          %4 = arith.mulf %0, %3 : f32
          memref.store %4, %reinterpret_cast_1[%arg4, %arg5] : memref<?x3xf32>
        }
      }
      gpu.return
    }
    gpu.func @layer_backward_1_aggregate(%arg0: index, %arg1: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg2: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg3: index, %arg4: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg5: index, %arg6: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f64
      %c3 = arith.constant 3 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = arith.addi %arg0, %c1 : index
      %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%0], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_0 = memref.reinterpret_cast %arg2 to offset: [0], sizes: [%arg3], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_1 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [%arg5, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      %reinterpret_cast_2 = memref.reinterpret_cast %arg6 to offset: [0], sizes: [%arg0, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      scf.for %arg7 = %c0 to %arg0 step %c1 {
        %1 = memref.load %reinterpret_cast[%arg7] : memref<?xi32>
        %2 = arith.index_cast %1 : i32 to index
        %3 = arith.addi %arg7, %c1 : index
        %4 = memref.load %reinterpret_cast[%3] : memref<?xi32>
        %5 = arith.index_cast %4 : i32 to index
        scf.for %arg8 = %c0 to %c3 step %c1 {
          %6 = scf.for %arg9 = %2 to %5 step %c1 iter_args(%arg10 = %cst) -> (f64) {
            %8 = memref.load %reinterpret_cast_0[%arg9] : memref<?xi32>
            %9 = arith.index_cast %8 : i32 to index
            %10 = memref.load %reinterpret_cast_1[%9, %arg8] : memref<?x3xf32>
            %11 = arith.extf %10 : f32 to f64
            %12 = arith.addf %arg10, %11 : f64
            scf.yield %12 : f64
          }
          %7 = arith.truncf %6 : f64 to f32
          memref.store %7, %reinterpret_cast_2[%arg7, %arg8] : memref<?x3xf32>
        }
      }
      gpu.return
    }
    gpu.func @layer_backward_2_linear(%arg0: index, %arg1: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg2: memref<4x3xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg3: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f64
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c3 = arith.constant 3 : index
      %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%arg0, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      %reinterpret_cast_0 = memref.reinterpret_cast %arg3 to offset: [0], sizes: [%arg0, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      scf.for %arg4 = %c0 to %arg0 step %c1 {
        scf.for %arg5 = %c0 to %c4 step %c1 {
          %0 = scf.for %arg6 = %c0 to %c3 step %c1 iter_args(%arg7 = %cst) -> (f64) {
            %2 = memref.load %reinterpret_cast[%arg4, %arg6] : memref<?x3xf32>
            %3 = memref.load %arg2[%arg5, %arg6] : memref<4x3xf32>
            %4 = arith.extf %2 : f32 to f64
            %5 = arith.extf %3 : f32 to f64
            %6 = arith.mulf %4, %5 : f64
            %7 = arith.addf %arg7, %6 : f64
            scf.yield %7 : f64
          }
          %1 = arith.truncf %0 : f64 to f32
          memref.store %1, %reinterpret_cast_0[%arg4, %arg5] : memref<?x4xf32>
        }
      }
      gpu.return
    }
    gpu.func @layer_backward_3_outer(%arg0: index, %arg1: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg2: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg3: index, %arg4: memref<1x3xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg5: memref<1x4x3xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c2 = arith.constant 2 : index
      %cst = arith.constant 0.000000e+00 : f64
      %c4 = arith.constant 4 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %0 = arith.muli %arg0, %c3 : index
      %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%0], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_0 = memref.reinterpret_cast %arg2 to offset: [0], sizes: [%arg3, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      %reinterpret_cast_1 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [%arg3, 3], strides: [3, 1] : memref<1x3xf32> to memref<?x3xf32>
      %reinterpret_cast_2 = memref.reinterpret_cast %arg5 to offset: [0], sizes: [%arg0, 4, 3], strides: [12, 3, 1] : memref<1x4x3xf32> to memref<?x4x3xf32>
      scf.for %arg6 = %c0 to %arg0 step %c1 {
        %1 = arith.muli %arg6, %c3 : index
        %2 = arith.addi %1, %c1 : index
        %3 = memref.load %reinterpret_cast[%2] : memref<?xi32>
        %4 = arith.index_cast %3 : i32 to index
        %5 = arith.addi %1, %c2 : index
        %6 = memref.load %reinterpret_cast[%5] : memref<?xi32>
        %7 = arith.index_cast %6 : i32 to index
        scf.for %arg7 = %c0 to %c4 step %c1 {
          scf.for %arg8 = %c0 to %c3 step %c1 {
            %8 = scf.for %arg9 = %4 to %7 step %c1 iter_args(%arg10 = %cst) -> (f64) {
              %10 = memref.load %reinterpret_cast_0[%arg9, %arg7] : memref<?x4xf32>
              %11 = memref.load %reinterpret_cast_1[%arg9, %arg8] : memref<?x3xf32>
              %12 = arith.extf %10 : f32 to f64
              %13 = arith.extf %11 : f32 to f64
              %14 = arith.mulf %12, %13 : f64
              %15 = arith.addf %arg10, %14 : f64
              scf.yield %15 : f64
            }
            %9 = arith.truncf %8 : f64 to f32
            memref.store %9, %reinterpret_cast_2[%arg6, %arg7, %arg8] : memref<?x4x3xf32>
          }
        }
      }
      gpu.return
    }
    gpu.func @layer_backward_4_outer(%arg0: index, %arg1: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg2: memref<1x12xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg3: index, %arg4: memref<1x12xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f64
      %c12 = arith.constant 12 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = arith.addi %arg0, %c1 : index
      %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%0], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_0 = memref.reinterpret_cast %arg2 to offset: [0], sizes: [%arg3, 12], strides: [12, 1] : memref<1x12xf32> to memref<?x12xf32>
      scf.for %arg5 = %c0 to %arg0 step %c1 {
        %1 = memref.load %reinterpret_cast[%arg5] : memref<?xi32>
        %2 = arith.index_cast %1 : i32 to index
        %3 = arith.addi %arg5, %c1 : index
        %4 = memref.load %reinterpret_cast[%3] : memref<?xi32>
        %5 = arith.index_cast %4 : i32 to index
        scf.for %arg6 = %c0 to %c12 step %c1 {
          %6 = scf.for %arg7 = %2 to %5 step %c1 iter_args(%arg8 = %cst) -> (f64) {
            %8 = memref.load %reinterpret_cast_0[%arg7, %arg6] : memref<?x12xf32>
            %9 = arith.extf %8 : f32 to f64
            %10 = arith.addf %arg8, %9 : f64
            scf.yield %10 : f64
          }
          %7 = arith.truncf %6 : f64 to f32
          memref.store %7, %arg4[%arg5, %arg6] : memref<1x12xf32>
        }
      }
      gpu.return
    }
  }
  gpu.module @picked_kernels {
    gpu.func @picked_0_aggregate(%arg0: index, %arg1: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg2: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg3: index, %arg4: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg5: index, %arg6: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f64
      %c4 = arith.constant 4 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = arith.addi %arg0, %c1 : index
      %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%0], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_0 = memref.reinterpret_cast %arg2 to offset: [0], sizes: [%arg3], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_1 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [%arg5, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      %reinterpret_cast_2 = memref.reinterpret_cast %arg6 to offset: [0], sizes: [%arg0, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      scf.for %arg7 = %c0 to %arg0 step %c1 {
        %1 = memref.load %reinterpret_cast[%arg7] : memref<?xi32>
        %2 = arith.index_cast %1 : i32 to index
        %3 = arith.addi %arg7, %c1 : index
        %4 = memref.load %reinterpret_cast[%3] : memref<?xi32>
        %5 = arith.index_cast %4 : i32 to index
        scf.for %arg8 = %c0 to %c4 step %c1 {
          %6 = scf.for %arg9 = %2 to %5 step %c1 iter_args(%arg10 = %cst) -> (f64) {
            %8 = memref.load %reinterpret_cast_0[%arg9] : memref<?xi32>
            %9 = arith.index_cast %8 : i32 to index
            %10 = memref.load %reinterpret_cast_1[%9, %arg8] : memref<?x4xf32>
            %11 = arith.extf %10 : f32 to f64
            %12 = arith.addf %arg10, %11 : f64
            scf.yield %12 : f64
          }
          %7 = arith.truncf %6 : f64 to f32
          memref.store %7, %reinterpret_cast_2[%arg7, %arg8] : memref<?x4xf32>
        }
      }
      gpu.return
    }
  }
  gpu.module @looped_sum_kernels {
    gpu.func @looped_sum_0_aggregate(%arg0: index, %arg1: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg2: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg3: index, %arg4: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %arg5: index, %arg6: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f64
      %c4 = arith.constant 4 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = arith.addi %arg0, %c1 : index
      %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [0], sizes: [%0], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_0 = memref.reinterpret_cast %arg2 to offset: [0], sizes: [%arg3], strides: [1] : memref<1xi32> to memref<?xi32>
      %reinterpret_cast_1 = memref.reinterpret_cast %arg4 to offset: [0], sizes: [%arg5, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      %reinterpret_cast_2 = memref.reinterpret_cast %arg6 to offset: [0], sizes: [%arg0, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      scf.for %arg7 = %c0 to %arg0 step %c1 {
        %1 = memref.load %reinterpret_cast[%arg7] : memref<?xi32>
        %2 = arith.index_cast %1 : i32 to index
        %3 = arith.addi %arg7, %c1 : index
        %4 = memref.load %reinterpret_cast[%3] : memref<?xi32>
        %5 = arith.index_cast %4 : i32 to index
        scf.for %arg8 = %c0 to %c4 step %c1 {
          %6 = scf.for %arg9 = %2 to %5 step %c1 iter_args(%arg10 = %cst) -> (f64) {
            %8 = memref.load %reinterpret_cast_0[%arg9] : memref<?xi32>
            %9 = arith.index_cast %8 : i32 to index
            %10 = memref.load %reinterpret_cast_1[%9, %arg8] : memref<?x4xf32>
            %11 = arith.extf %10 : f32 to f64
            %12 = arith.addf %arg10, %11 : f64
            scf.yield %12 : f64
          }
          %7 = arith.truncf %6 : f64 to f32
          memref.store %7, %reinterpret_cast_2[%arg7, %arg8] : memref<?x4xf32>
        }
      }
      gpu.return
    }
  }
  // Written by hand. Version 9: words of streams lie by fours beside those of other shares.
  gpu.module @streamed_kernels {
    gpu.func @streamed_0_aggregate(%nodes: index, %edges: index, %stream_: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %length: index, %filled_: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %shares_: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %cut_: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %cuts: index, %x_: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %y_: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias}, %pieces_: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %zero = arith.constant 0.000000e+00 : f32
      %c0_i32 = arith.constant 0 : i32
      %c1_i32 = arith.constant 1 : i32
      %rest = arith.constant 2147483647 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %c2048 = arith.constant 2048 : index
      %ends = arith.addi %nodes, %c2 : index
      %blocks = arith.ceildivsi %edges, %c128 : index
      %fields = arith.muli %blocks, %c4 : index
      %all_fields = arith.muli %fields, %c2 : index
      %cut_words = arith.muli %cuts, %c3 : index
      %stream = memref.reinterpret_cast %stream_ to offset: [0], sizes: [%length], strides: [1] : memref<1xi32> to memref<?xi32>
      %filled = memref.reinterpret_cast %filled_ to offset: [0], sizes: [%ends], strides: [1] : memref<1xi32> to memref<?xi32>
      %shares = memref.reinterpret_cast %shares_ to offset: [0], sizes: [%all_fields], strides: [1] : memref<1xi32> to memref<?xi32>
      %cut = memref.reinterpret_cast %cut_ to offset: [0], sizes: [%cut_words], strides: [1] : memref<1xi32> to memref<?xi32>
      %x = memref.reinterpret_cast %x_ to offset: [0], sizes: [%nodes, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      %y = memref.reinterpret_cast %y_ to offset: [0], sizes: [%nodes, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      %pieces = memref.reinterpret_cast %pieces_ to offset: [0], sizes: [%nodes], strides: [1] : memref<1xi32> to memref<?xi32>
      scf.for %v = %c0 to %nodes step %c1 {
        memref.store %c0_i32, %pieces[%v] : memref<?xi32>
      }
      scf.for %i = %c0 to %cuts step %c1 {
        %at = arith.muli %i, %c3 : index
        %at1 = arith.addi %at, %c1 : index
        %at2 = arith.addi %at, %c2 : index
        %group = memref.load %cut[%at] : memref<?xi32>
        %begin = memref.load %cut[%at1] : memref<?xi32>
        %end = memref.load %cut[%at2] : memref<?xi32>
        %v = arith.index_cast %group : i32 to index
        %number = arith.subi %end, %begin : i32
        memref.store %number, %pieces[%v] : memref<?xi32>
        scf.for %f = %c0 to %c4 step %c1 {
          memref.store %zero, %y[%v, %f] : memref<?x4xf32>
        }
      }
      %all = arith.ceildivsi %edges, %c64 : index
      scf.for %s = %c0 to %all step %c1 {
        %field = arith.muli %s, %c4 : index
        %field1 = arith.addi %field, %c1 : index
        %first = memref.load %shares[%field] : memref<?xi32>
        %place0 = arith.index_cast %first : i32 to index
        %flags = memref.load %shares[%field1] : memref<?xi32>
        %inside = arith.andi %flags, %c1_i32 : i32
        %begins = arith.cmpi eq, %inside, %c0_i32 : i32
        %from = arith.muli %s, %c64 : index
        %full = arith.addi %from, %c64 : index
        %to = arith.minsi %full, %edges : index
        %turn = arith.remsi %s, %c32 : index
        %lane = arith.muli %turn, %c4 : index
        %turns = arith.divsi %s, %c32 : index
        %base = arith.muli %turns, %c2048 : index
        %own = arith.addi %base, %lane : index
        %left:2 = scf.for %e = %from to %to step %c1 iter_args(%place = %place0, %is_first = %begins) -> (index, i1) {
          %i = arith.subi %e, %from : index
          %q = arith.divsi %i, %c4 : index
          %r = arith.remsi %i, %c4 : index
          %step = arith.muli %q, %c128 : index
          %near = arith.addi %own, %step : index
          %at = arith.addi %near, %r : index
          %word = memref.load %stream[%at] : memref<?xi32>
          %row = arith.andi %word, %rest : i32
          %u = arith.index_cast %row : i32 to index
          %group = memref.load %filled[%place] : memref<?xi32>
          %v = arith.index_cast %group : i32 to index
          scf.for %f = %c0 to %c4 step %c1 {
            %value = memref.load %x[%u, %f] : memref<?x4xf32>
            %before = scf.if %is_first -> (f32) {
              scf.yield %zero : f32
            } else {
              %held = memref.load %y[%v, %f] : memref<?x4xf32>
              scf.yield %held : f32
            }
            %sum = arith.addf %before, %value : f32
            memref.store %sum, %y[%v, %f] : memref<?x4xf32>
          }
          %is_last = arith.cmpi slt, %word, %c0_i32 : i32
          %next = arith.addi %place, %c1 : index
          %going = arith.select %is_last, %next, %place : index
          scf.yield %going, %is_last : index, i1
        }
      }
      gpu.return
    }
    gpu.func @ordered_0_aggregate(%nodes: index, %rows_: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %edges: index, %c_: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %y_: memref<1x4xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %zero = arith.constant 0.000000e+00 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %ends = arith.addi %nodes, %c1 : index
      %rows = memref.reinterpret_cast %rows_ to offset: [0], sizes: [%ends], strides: [1] : memref<1xi32> to memref<?xi32>
      %c = memref.reinterpret_cast %c_ to offset: [0], sizes: [%edges, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      %y = memref.reinterpret_cast %y_ to offset: [0], sizes: [%nodes, 4], strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
      scf.for %v = %c0 to %nodes step %c1 {
        %after = arith.addi %v, %c1 : index
        %begin = memref.load %rows[%v] : memref<?xi32>
        %end = memref.load %rows[%after] : memref<?xi32>
        %from = arith.index_cast %begin : i32 to index
        %to = arith.index_cast %end : i32 to index
        scf.for %f = %c0 to %c4 step %c1 {
          %all = scf.for %e = %from to %to step %c1 iter_args(%sum = %zero) -> (f32) {
            %value = memref.load %c[%e, %f] : memref<?x4xf32>
            %next = arith.addf %sum, %value : f32
            scf.yield %next : f32
          }
          memref.store %all, %y[%v, %f] : memref<?x4xf32>
        }
      }
      gpu.return
    }
  }
}
