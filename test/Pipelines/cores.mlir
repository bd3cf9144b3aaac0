// RUN: gnn-opt %s --gnn-attach-target=kind=cpu --gnn-graph-pipeline --gnn-tile-pipeline --gnn-schedule-pipeline -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: gnn-opt %t.mlir --gnn-kernels-pipeline | FileCheck %s --check-prefix=KERNELS
// RUN: not gnn-opt %s --gnn-attach-target="kind=cpu vector=7" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VECTOR
// RUN: not gnn-opt %s --gnn-attach-target="kind=cpu vector-registers=1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REGISTERS

// RUN: gnn-opt %s --gnn-graph-pipeline --gnn-tile-pipeline -o %t.gpu.mlir \
// RUN:   --gnn-schedule-pipeline='tensor-cores=false async-copies=false'
// RUN: not gnn-opt %t.gpu.mlir --gnn-attach-target=kind=cpu --gnn-kernels-pipeline 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SCHEDULE
// RUN: not gnn-opt %s --gnn-attach-target=kind=cpu --gnn-compile-pipeline 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHIP
// RUN: gnn-opt %t.mlir -o /dev/null --gnn-tile-list-schedules=vary=rows_per_block \
// RUN:   | FileCheck %s --check-prefix=LIST

// The module says for both pipelines what a core multiplies with: it has no
// tensor cores, whatever a GPU would be chosen for.
//
// CHECK:   gnn_tile.gemm {{.+}} schedule <n = {{[0-9]+}}, kind = ffma{{[,>]}}
// KERNELS: gpu.func
// A schedule of a GPU is none of a core's.
//
// SCHEDULE: 'gnn_tile.traverse' op expected a #gnn_tile.core_schedule for cpu, got #gnn_tile.traverse_schedule<
// CHIP:     error: gnn-attach-chip: expected a target whose kernels are PTX, got cpu
// LIST:     "rows_per_block":1,
// VECTOR: gnn-attach-target: expected a vector of 1, 2, 4, 8 or 16 and 8 to 1024 registers, got 7 and 32
// REGISTERS: gnn-attach-target: expected a vector of 1, 2, 4, 8 or 16 and 8 to 1024 registers, got 16 and 1

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x64xf32, #gnn.rows<@g, node>>

func.func @f(%x: !node {gnn.name = "x"}, %w: tensor<64x64xf32> {gnn.name = "w"}) -> (!node {gnn.name = "out"}) {
  %y = gnn.linear %x, %w : (!node, tensor<64x64xf32>) -> !node
  %e = gnn.gather %y via src : !node -> tensor<?x64xf32, #gnn.rows<@g, edge>>
  %z = gnn.aggregate sum %e via dst : tensor<?x64xf32, #gnn.rows<@g, edge>> -> !node
  return %z : !node
}
