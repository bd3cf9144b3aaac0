// RUN: gnn-opt %s --gnn-tile-pipeline -o %t.tile
// RUN: gnn-opt %t.tile --gnn-schedule-pipeline -o %t.schedule
// RUN: gnn-opt %t.schedule --gnn-block-pipeline -o %t.block
// RUN: gnn-opt %t.block --gnn-loops-pipeline -o %t.loops
// RUN: gnn-opt %t.loops --gnn-lanes-pipeline -o %t.lanes
// RUN: gnn-opt %t.lanes --gnn-gpu-pipeline -o %t.gpu
// RUN: gnn-opt %t.gpu --gnn-math-pipeline -o %t.math
// RUN: gnn-opt %t.math --gnn-ptx-pipeline -o %t.ptx
//
// RUN: not gnn-opt %s --gnn-schedule-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,BUFFERS
// RUN: not gnn-opt %s --gnn-block-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,BUFFERS
// RUN: not gnn-opt %s --gnn-loops-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,BLOCKED
// RUN: not gnn-opt %s --gnn-math-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,KERNELS
// RUN: not gnn-opt %s --gnn-ptx-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,KERNELS
// RUN: not gnn-opt %t.tile --gnn-compile-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,TENSORS
// RUN: not gnn-opt %t.tile --gnn-graph-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,TENSORS
// RUN: not gnn-opt %t.tile --gnn-ptx-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,EARLY
// RUN: not gnn-opt %t.schedule --gnn-loops-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,NOTBLOCKED
// RUN: not gnn-opt %t.block --gnn-block-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,INBLOCKS
// RUN: not gnn-opt %t.block --gnn-lanes-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,NOTLOOPS
// RUN: not gnn-opt %t.loops --gnn-gpu-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,NOTLANES
// RUN: not gnn-opt %t.lanes --gnn-block-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,THREADS
// RUN: not gnn-opt %t.gpu --gnn-gpu-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,LATE
// RUN: not gnn-opt %t.gpu --gnn-ptx-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,LANES
// RUN: gnn-opt %t.gpu --pass-pipeline='builtin.module(gpu.module(gnn-expand-lanes))' \
// RUN:   | not gnn-opt --gnn-ptx-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,MATH
// RUN: not gnn-opt %t.ptx --gnn-math-pipeline 2>&1 | FileCheck %s --check-prefixes=ONE,BINARY
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(gnn-verify-form{form=tiles})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WORD

// Each stage says at the first op that is not of its form what it takes.

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x8xf32, #gnn.rows<@g, node>>

// BUFFERS: forms.mlir:[[#@LINE+17]]:8: error: expected templates on buffers, as gnn-tile-pipeline makes them, got 'gnn.activation' on tensors
// BLOCKED: forms.mlir:[[#@LINE+16]]:8: error: expected templates in loops over blocks, as gnn-block-pipeline makes them, got 'gnn.activation' on tensors
// KERNELS: forms.mlir:[[#@LINE+15]]:8: error: expected kernels, as gnn-gpu-pipeline makes them, got 'gnn.activation' on tensors
// TENSORS: error: expected ops on tensors, got 'gnn_tile.traverse' on buffers
// EARLY:   error: expected kernels, as gnn-gpu-pipeline makes them, got 'gnn_tile.traverse' on buffers
// NOTBLOCKED: error: expected templates in loops over blocks, as gnn-block-pipeline makes them, got 'gnn_tile.traverse' on buffers
// INBLOCKS: error: expected templates on buffers, as gnn-tile-pipeline makes them, got 'gnn_tile.blocks' with templates
// NOTLOOPS: error: expected loops and vectors in loops over blocks, as gnn-loops-pipeline makes them, got 'gnn_tile.blocks' with templates
// NOTLANES: error: expected threads in loops over blocks, as gnn-lanes-pipeline makes them, got 'gnn_tile.blocks' without threads
// THREADS: error: expected templates on buffers, as gnn-tile-pipeline makes them, got 'gnn_tile.blocks' of threads
// LATE:    error: expected threads in loops over blocks, as gnn-lanes-pipeline makes them, got 'gpu.module'
// MATH:    error: expected kernels without operations that a GPU lacks, as gnn-math-pipeline makes them, got 'math.tanh'
// LANES:   error: expected kernels without operations that a GPU lacks, as gnn-math-pipeline makes them, got 'affine.delinearize_index'
// BINARY:  error: expected kernels, as gnn-gpu-pipeline makes them, got 'gpu.binary'
// WORD:    expected one of tensors, buffers, blocked, loops, lanes, kernels, binaries, got 'tiles'
// ONE-NOT: error:
func.func @f(%x: !node) -> !node {
  %y = gnn.activation tanh %x : !node
  return %y : !node
}

// A function without an op of any form has every form.
func.func @nothing() {
  return
}
