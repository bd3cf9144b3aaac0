// RUN: gnn-opt %s --gnn-attach-target=kind=cpu --gnn-graph-pipeline --gnn-tile-pipeline --gnn-schedule-pipeline -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: gnn-opt %t.mlir --gnn-kernels-pipeline | FileCheck %s --check-prefix=KERNELS
// RUN: not gnn-opt %s --gnn-attach-target="kind=cpu vector=7" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VECTOR
// RUN: not gnn-opt %s --gnn-attach-target="kind=cpu registers=1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REGISTERS

// The module says for both pipelines what a core multiplies with: it has no
// tensor cores, whatever a GPU would be chosen for.
//
// CHECK:   gnn_tile.gemm {{.+}} schedule <n = {{[0-9]+}}, kind = ffma{{[,>]}}
// KERNELS: gpu.func
// VECTOR: gnn-attach-target: expected a vector of 1, 2, 4, 8 or 16 and at least 8 registers, got 7 and 32
// REGISTERS: gnn-attach-target: expected a vector of 1, 2, 4, 8 or 16 and at least 8 registers, got 16 and 1

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x64xf32, #gnn.rows<@g, node>>

func.func @f(%x: !node {gnn.name = "x"}, %w: tensor<64x64xf32> {gnn.name = "w"}) -> (!node {gnn.name = "out"}) {
  %y = gnn.linear %x, %w : (!node, tensor<64x64xf32>) -> !node
  return %y : !node
}
