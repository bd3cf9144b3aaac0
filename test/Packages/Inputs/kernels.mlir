// Kernels of the packages of every version of plans (plan-v1.json, ...): what the compiler
// made when version 7 was the last. They stay as they are. Version 8 passes a constant to
// one of them.
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
}
