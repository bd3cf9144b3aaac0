// RUN: %python %S/Inputs/arrays.py write %t.npz %t.npy 3 32
// RUN: gnn-run %s --function sum --graph %t.npz --input x=%t.npy --output %t.out --target=emulator --report | FileCheck %s
// RUN: %python %S/Inputs/arrays.py print %t.out/y.npy 32 | FileCheck %s --check-prefix=SUMS

// A loop over blocks that is written by hand, thread by thread, is run as a
// kernel: two rows a block, a warp each, whose sums go through shared memory.
//
// CHECK: sum_0_blocks{{ +2 +64 +256 }}
// CHECK: rows_per_block = 2
// SUMS: [64.0, 64.0, 32.0]

gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @sum(%x: memref<?x32xf32> {gnn.name = "x", gnn.rows = #gnn.rows<@g, node>},
               %y: memref<?x32xf32> {gnn.name = "y", gnn.rows = #gnn.rows<@g, node>, bufferize.result}) {
  %n = gnn_tile.count @g count dst : index
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %xv = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 32], strides: [32, 1] : memref<?x32xf32> to memref<?x32xf32>
  %yv = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 32], strides: [32, 1] : memref<?x32xf32> to memref<?x32xf32>
  %rows = gnn_tile.structure @g rows dst edge.in_rows : memref<?xi32>
  %src = gnn_tile.structure @g map edge.in_rows src : memref<?xi32>
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [2] schedule "rows_per_block = 2" threads 64 {
  ^bb0(%b: index):
    %shared = memref.alloca() : memref<64xf32, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x
    %team = arith.divui %t, %c32 : index
    %lane = arith.remui %t, %c32 : index
    %row = arith.addi %b, %team : index
    %inside = arith.cmpi slt, %row, %n : index
    %next = arith.addi %row, %c1 : index
    scf.if %inside {
      %first = memref.load %rows[%row] : memref<?xi32>
      %last = memref.load %rows[%next] : memref<?xi32>
      %begin = arith.index_cast %first : i32 to index
      %end = arith.index_cast %last : i32 to index
      %sum = scf.for %e = %begin to %end step %c1 iter_args(%s = %zero) -> f32 {
        %from = memref.load %src[%e] : memref<?xi32>
        %at = arith.index_cast %from : i32 to index
        %v = memref.load %xv[%at, %lane] : memref<?x32xf32>
        %a = arith.addf %s, %v : f32
        scf.yield %a : f32
      }
      memref.store %sum, %shared[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    scf.if %inside {
      %s = memref.load %shared[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %s, %yv[%row, %lane] : memref<?x32xf32>
    }
  }
  return
}
