// Parts are smaller than they may be where windows of parts that are beside each other do not fit
// the memory, to which `super-bytes` is cut.
//
// RUN: %python %S/Inputs/graph.py %t.npz 40 0-0x5 1-20x9 20-1 39-39x4 20-20 39-20
// RUN: sh %S/Inputs/super-partition.sh %s %t.npz 20000 | FileCheck %s
// RUN: sed 's/11000/9000/' %s > %t.less.mlir
// RUN: not sh %S/Inputs/super-partition.sh %t.less.mlir %t.npz 5000 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: not sh %S/Inputs/super-partition.sh %t.less.mlir %t.npz 0 2>&1 | FileCheck %s --check-prefix=LESS
//
// A program that is cut stays as it is.
//
// RUN: sh %S/Inputs/super-partition.sh %s %t.npz 0 > %t.cut.mlir
// RUN: sed '/remark:/,/^ *^/d' %t.cut.mlir | gnn-opt --gnn-overlay-super-partition --remarks-filter=gnn-overlay-super-partition 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AGAIN

// CHECK: remark: [Passed] Cut | {{.*}} | Remark="4 parts in 10752 bytes of memory"
// CHECK: gnn_overlay.program @part3
// CHECK-NOT: gnn_overlay.program
// LESS: error: expected a memory that holds parts of at least 4352 bytes beside each other, which a tile of layer 1 needs, got 9000 bytes
// AGAIN: remark: [Missed] Refused | {{.*}} | Remark="the program is already cut into parts"
// AGAIN: gnn_overlay.program @part3
// AGAIN-NOT: gnn_overlay.program
!node = tensor<?x32xf32, #gnn.rows<@g, node>>
module attributes {gnn_overlay.target = #gnn_overlay.target<memory_bytes = 11000>} {
  gnn.graph @g square {node_types = 1, edge_types = 1}
  func.func @sum(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "y"}) {
    %y = gnn_overlay.aggregate sum %x : !node -> !node
    return %y : !node
  }
}
