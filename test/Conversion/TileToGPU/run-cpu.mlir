// RUN: %python %S/Inputs/arrays.py write %t.npz %t.npy 3 32
// RUN: env OMP_NUM_THREADS=1 gnn-run %s --function sum --graph %t.npz --input x=%t.npy --output %t.one --target=cpu --report | FileCheck %s
// RUN: env OMP_NUM_THREADS=3 gnn-run %s --function sum --graph %t.npz --input x=%t.npy --output %t.three --target=cpu
// RUN: %python %S/Inputs/arrays.py print %t.one/y.npy 32 | FileCheck %s --check-prefix=SUMS
// RUN: diff %t.one/y.npy %t.three/y.npy
// RUN: not gnn-run %S/run-lanes.mlir --function sum --graph %t.npz --input x=%t.npy --target=cpu 2>&1 | FileCheck %s --check-prefix=WARPS

// Blocks of one thread are run by the CPU itself, on any number of threads. A
// block is a row and 16 columns, and has an array of its own.
//
// CHECK: on cpu
// CHECK: sum_0_blocks{{ +3x2 +1 +64 +- +- +[0-9.]+ }}
// SUMS:  [64.0, 64.0, 32.0]
// WARPS: expected one thread a block on the CPU, got (64, 1, 1); the emulator runs kernels of a GPU
gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @sum(%x: memref<?x32xf32> {gnn.name = "x", gnn.rows = #gnn.rows<@g, node>},
               %y: memref<?x32xf32> {gnn.name = "y", gnn.rows = #gnn.rows<@g, node>, bufferize.result}) {
  %n = gnn_tile.count @g count dst : index
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %xv = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 32], strides: [32, 1] : memref<?x32xf32> to memref<?x32xf32>
  %yv = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 32], strides: [32, 1] : memref<?x32xf32> to memref<?x32xf32>
  %rows = gnn_tile.structure @g rows dst edge.in_rows : memref<?xi32>
  %src = gnn_tile.structure @g map edge.in_rows src : memref<?xi32>
  gnn_tile.blocks to [%n, 32] step [1, 16] threads 1 {
  ^bb0(%row: index, %column: index):
    %sums = memref.alloca() : memref<16xf32, #gpu.address_space<workgroup>>
    %next = arith.addi %row, %c1 : index
    %first = memref.load %rows[%row] : memref<?xi32>
    %last = memref.load %rows[%next] : memref<?xi32>
    %begin = arith.index_cast %first : i32 to index
    %end = arith.index_cast %last : i32 to index
    scf.for %i = %c0 to %c16 step %c1 {
      memref.store %zero, %sums[%i] : memref<16xf32, #gpu.address_space<workgroup>>
    }
    scf.for %e = %begin to %end step %c1 {
      %from = memref.load %src[%e] : memref<?xi32>
      %at = arith.index_cast %from : i32 to index
      scf.for %i = %c0 to %c16 step %c1 {
        %f = arith.addi %column, %i : index
        %v = memref.load %xv[%at, %f] : memref<?x32xf32>
        %s = memref.load %sums[%i] : memref<16xf32, #gpu.address_space<workgroup>>
        %a = arith.addf %s, %v : f32
        memref.store %a, %sums[%i] : memref<16xf32, #gpu.address_space<workgroup>>
      }
    }
    scf.for %i = %c0 to %c16 step %c1 {
      %f = arith.addi %column, %i : index
      %s = memref.load %sums[%i] : memref<16xf32, #gpu.address_space<workgroup>>
      memref.store %s, %yv[%row, %f] : memref<?x32xf32>
    }
  }
  return
}
