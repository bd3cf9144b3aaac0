// RUN: gnn-opt %s --convert-gnn-tile-to-gpu --canonicalize --cse --split-input-file | FileCheck %s
// RUN: gnn-opt %s --convert-gnn-tile-to-gpu --mlir-print-debuginfo --mlir-print-local-scope --split-input-file | FileCheck %s --check-prefix=LINES

gnn.graph @g square {node_types = 2, edge_types = 3}

// Values that the body uses become arguments in the order of first use, each
// once; constants are its own. Buffers get their true extents first.
//
// CHECK-LABEL: gpu.func @walk_0_blocks
// CHECK-SAME:      (%[[N:[^:]+]]: index,
// CHECK-SAME:      %[[ROWS:[^:]+]]: memref<1xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME:      %[[X:[^:]+]]: memref<1x64xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME:      %[[W:[^:]+]]: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME:      %[[Y:[^:]+]]: memref<1x64xf32> {llvm.align = 16 : i64, llvm.noalias})
// CHECK-SAME:      kernel attributes {known_block_size = array<i32: 64, 1, 1>}
// CHECK-DAG:     %[[ENTRIES:.+]] = arith.addi %[[N]], %c1
// CHECK-DAG:     %[[ROWS_VIEW:.+]] = memref.reinterpret_cast %[[ROWS]] to offset: [0], sizes: [%[[ENTRIES]]], strides: [1] : memref<1xi32> to memref<?xi32>
// CHECK-DAG:     %[[X_VIEW:.+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[N]], 64], strides: [64, 1] : memref<1x64xf32> to memref<?x64xf32>
// CHECK-DAG:     %[[Y_VIEW:.+]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [%[[N]], 64], strides: [64, 1] : memref<1x64xf32> to memref<?x64xf32>
// CHECK-DAG:     %[[BLOCK:.+]] = gpu.block_id x
// CHECK-DAG:     %[[LANE:.+]] = gpu.thread_id x
// CHECK:         arith.cmpi slt, %[[BLOCK]], %[[N]]
// CHECK:         memref.load %[[ROWS_VIEW]]
// CHECK:         memref.load %[[X_VIEW]][%{{.+}}, %[[LANE]]]
// CHECK:         memref.load %[[W]][%[[LANE]]] : memref<64xf32>
// CHECK:         memref.store %{{.+}}, %[[Y_VIEW]][%[[BLOCK]], %[[LANE]]]
// CHECK:         gpu.return
// CHECK-LABEL: func.func @walk
// CHECK-SAME:      (%[[HOST_X:[^:]+]]: memref<?x64xf32>, %[[HOST_W:[^:]+]]: memref<64xf32>, %[[HOST_Y:[^:]+]]: memref<?x64xf32>)
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : index
// CHECK-DAG:     %[[THREADS:.+]] = arith.constant 64 : index
// CHECK:         %[[COUNT:.+]] = gnn_tile.count @g count dst
// CHECK:         %[[ARRAY:.+]] = gnn_tile.structure @g rows dst edge.in_rows
// CHECK-NOT:     reinterpret_cast
// CHECK:         %[[A:.+]] = memref.cast %[[ARRAY]] : memref<?xi32> to memref<1xi32>
// CHECK:         %[[B:.+]] = memref.cast %[[HOST_X]] : memref<?x64xf32> to memref<1x64xf32>
// CHECK:         %[[C:.+]] = memref.cast %[[HOST_Y]] : memref<?x64xf32> to memref<1x64xf32>
// CHECK:         gpu.launch_func @walk_kernels::@walk_0_blocks
// CHECK-SAME:      blocks in (%[[COUNT]], %[[ONE]], %[[ONE]]) threads in (%[[THREADS]], %[[ONE]], %[[ONE]])
// CHECK-SAME:      args(%[[COUNT]] : index, %[[A]] : memref<1xi32>, %[[B]] : memref<1x64xf32>, %[[HOST_W]] : memref<64xf32>, %[[C]] : memref<1x64xf32>)
// CHECK-SAME:      {gnn.schedule = #gnn_tile.traverse_schedule<lanes = 8>, gnn.schedule_from = "file f.jsonl:1"}
func.func @walk(%x: memref<?x64xf32>, %w: memref<64xf32>, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %n = gnn_tile.count @g count dst : index
  %yv = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 64], strides: [64, 1] : memref<?x64xf32> to memref<?x64xf32>
  %xv = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 64], strides: [64, 1] : memref<?x64xf32> to memref<?x64xf32>
  %rows = gnn_tile.structure @g rows dst edge.in_rows : memref<?xi32>
  gnn_tile.blocks to [%n] step [1] schedule #gnn_tile.traverse_schedule<lanes = 8> threads 64 attributes {gnn.schedule_from = "file f.jsonl:1"} {
  ^bb0(%b: index):
    %lane = gpu.thread_id x
    %inside = arith.cmpi slt, %b, %n : index
    scf.if %inside {
      %first = memref.load %rows[%b] : memref<?xi32>
      %from = arith.index_cast %first : i32 to index
      %v = memref.load %xv[%from, %lane] : memref<?x64xf32>
      %f = memref.load %w[%lane] : memref<64xf32>
      %p = arith.mulf %v, %f : f32
      %q = memref.load %xv[%c0, %lane] : memref<?x64xf32>
      %s = arith.addf %p, %q : f32
      memref.store %s, %yv[%b, %lane] : memref<?x64xf32>
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The grid has as many blocks as the loop has iterations; block i stands for i
// steps.
//
// CHECK-LABEL: gpu.func @grid_0_blocks
// CHECK-DAG:     %[[Y:.+]] = gpu.block_id y
// CHECK-DAG:     %[[X:.+]] = gpu.block_id x
// CHECK-DAG:     %[[FROM:.+]] = arith.muli %[[Y]], %c32
// CHECK:         memref.store %{{.+}}, %{{.+}}[%[[X]], %[[FROM]]]
// CHECK-LABEL: func.func @grid
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : index
// CHECK-DAG:     %[[FOUR:.+]] = arith.constant 4 : index
// CHECK-DAG:     %[[THREE:.+]] = arith.constant 3 : index
// CHECK:         gpu.launch_func {{.+}} blocks in (%[[THREE]], %[[FOUR]], %[[ONE]])
func.func @grid(%y: memref<3x128xf32>) {
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [%c3, 128] step [1, 32] threads 1 {
  ^bb0(%i: index, %j: index):
    memref.store %zero, %y[%i, %j] : memref<3x128xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Arrays of the workgroup become those of the kernel, for vectors of 16 bytes.
// Other arrays stay.
//
// CHECK-LABEL: gpu.func @shared_0_blocks
// CHECK-SAME:      workgroup(%[[A:[^:]+]] : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
// CHECK-SAME:                %[[B:[^:]+]] : memref<8x8xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK:         %[[OWN:.+]] = memref.alloca() : memref<4xf32>
// CHECK-NOT:     memref.alloca
// CHECK:         memref.store %{{.+}}, %[[A]]
// CHECK:         memref.store %{{.+}}, %[[B]]
// CHECK:         memref.store %{{.+}}, %[[OWN]]
func.func @shared(%y: memref<4xf32>) {
  gnn_tile.blocks to [4] step [1] threads 64 {
  ^bb0(%i: index):
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1 : i32
    %a = memref.alloca() : memref<64xf32, #gpu.address_space<workgroup>>
    %own = memref.alloca() : memref<4xf32>
    %b = memref.alloca() : memref<8x8xi32, #gpu.address_space<workgroup>>
    memref.store %zero, %a[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %one, %b[%t, %t] : memref<8x8xi32, #gpu.address_space<workgroup>>
    memref.store %zero, %own[%t] : memref<4xf32>
    gpu.barrier
    %v = memref.load %own[%i] : memref<4xf32>
    memref.store %v, %y[%i] : memref<4xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Two extents of one buffer are one argument. A buffer that is written in one
// form of it is no input that caches may keep.
//
// CHECK-LABEL: gpu.func @extents_0_blocks
// CHECK-SAME:      (%[[X:[^:]+]]: memref<1xf32> {llvm.align = 16 : i64, llvm.noalias}, %[[N:[^:]+]]: index,
// CHECK-SAME:      %[[M:[^:]+]]: index)
// CHECK-DAG:     memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[N]]]
// CHECK-DAG:     memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[M]]]
func.func @extents(%x: memref<?xf32>) {
  %n = gnn_tile.count @g count src : index
  %m = gnn_tile.count @g count src_pair : index
  %xn = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1] : memref<?xf32> to memref<?xf32>
  %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%m], strides: [1] : memref<?xf32> to memref<?xf32>
  gnn_tile.blocks to [%n] step [1] threads 1 {
  ^bb0(%i: index):
    %v = memref.load %xn[%i] : memref<?xf32>
    memref.store %v, %xm[%i] : memref<?xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Kernels are numbered, and called for the ops that they compute, or for their
// template where these are unknown. An argument says which of them wrote it.
//
// CHECK-LABEL: gpu.func @both_0_traverse
// CHECK-LABEL: gpu.func @both_1_spmm_dot
// CHECK-LABEL: func.func @both
// CHECK:         gpu.launch_func @both_kernels::@both_0_traverse
// CHECK:         gpu.launch_func @both_kernels::@both_1_spmm_dot
//
// LINES-LABEL: gpu.func @both_1_spmm_dot
// LINES-SAME:      memref<1xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly} loc("written"
// LINES-SAME:      memref<1xf32> {llvm.align = 16 : i64, llvm.noalias} loc(fused["gnn.spmm"("a":1:1), "gnn.dot"("a":2:1)])
func.func @both(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %n = gnn_tile.count @g count dst : index
  %xv = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1] : memref<?xf32> to memref<?xf32>
  %yw = memref.reinterpret_cast %y to offset: [0], sizes: [%n], strides: [1] : memref<?xf32> to memref<?xf32>
  gnn_tile.blocks to [%n] step [1] template "traverse" threads 1 {
  ^bb0(%i: index):
    %v = memref.load %xv[%i] : memref<?xf32>
    memref.store %v, %yw[%i] : memref<?xf32>
  } loc("written"("a":3:1))
  %yv = memref.reinterpret_cast %y to offset: [0], sizes: [%n], strides: [1] : memref<?xf32> to memref<?xf32>
  %zv = memref.reinterpret_cast %z to offset: [0], sizes: [%n], strides: [1] : memref<?xf32> to memref<?xf32>
  gnn_tile.blocks to [%n] step [1] threads 1 {
  ^bb0(%i: index):
    %v = memref.load %yv[%i] : memref<?xf32>
    memref.store %v, %zv[%i] : memref<?xf32>
  } loc(fused["gnn.spmm"("a":1:1), "gnn.dot"("a":2:1)])
  return
}

// -----

// A function has the name that the module of kernels would have.
//
// CHECK-LABEL: func.func @taken_kernels
// CHECK:       gpu.module @[[KERNELS:taken_kernels_[0-9]+]]
// CHECK:       gpu.launch_func @[[KERNELS]]::@taken_0_blocks
func.func @taken_kernels() {
  return
}
func.func @taken(%x: memref<64xf32>) {
  gnn_tile.blocks to [4] step [1] threads 1 {
  ^bb0(%i: index):
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %x[%i] : memref<64xf32>
  }
  return
}

// -----

// A loop of another kind is none over blocks: it stays in the function.
//
// CHECK-LABEL: func.func @others
// CHECK-NOT:     gpu.
// CHECK:         scf.forall
// CHECK-NOT:     gpu.launch_func
func.func @others(%x: memref<64xf32>) {
  scf.forall (%i) in (64) {
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %x[%i] : memref<64xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
