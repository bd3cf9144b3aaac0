// A wrong option is reported once, whatever the module holds.
//
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-compact{cost=time}))' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-linear-reorder{cost=time}))' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(gnn-order-aggregate{cost=time})' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-fuse-attention{cost=time}))' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-fold-normalization{cost=time}))' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-join-sums{cost=time}))' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-move-scales{cost=time}))' 2>&1 | FileCheck %s

// CHECK:     for the --cost option: expected one of full, whole-rows, rows, got 'time'
// CHECK-NOT: expected

gnn.graph @g square {node_types = 1, edge_types = 1}
func.func private @declared()
func.func @f() {
  return
}
func.func @other() {
  return
}
