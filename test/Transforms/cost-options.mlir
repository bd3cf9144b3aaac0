// A wrong option is reported once, whatever the module holds.
//
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-compact{target=v100}))' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-linear-reorder{target=v100}))' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(gnn-order-aggregate{target=v100})' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-fuse-attention{target=v100}))' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-fold-normalization{target=v100}))' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-join-sums{target=v100}))' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-move-scales{target=v100}))' 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-join-sums{cost=time}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COST

// CHECK:     for the --target option: expected one of h200, h100, a100, rtx3090, chip, got 'v100'
// CHECK-NOT: expected
// COST:      for the --cost option: expected one of full, whole-rows, rows, got 'time'
// COST-NOT:  expected

gnn.graph @g square {node_types = 1, edge_types = 1}
func.func private @declared()
func.func @f() {
  return
}
func.func @other() {
  return
}
