// RUN: gnn-opt %s --gnn-graph-pipeline --gnn-tile-pipeline --gnn-schedule-pipeline=cores=true -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: gnn-opt %t.mlir --gnn-kernels-pipeline=cores=true | FileCheck %s --check-prefix=KERNELS

// The two pipelines agree by themselves on what a core multiplies with: it has no
// tensor cores, whatever a GPU would be chosen for.
//
// CHECK:   gnn_tile.gemm {{.+}} schedule <n = {{[0-9]+}}, kind = ffma{{[,>]}}
// KERNELS: gpu.func

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x64xf32, #gnn.rows<@g, node>>

func.func @f(%x: !node {gnn.name = "x"}, %w: tensor<64x64xf32> {gnn.name = "w"}) -> (!node {gnn.name = "out"}) {
  %y = gnn.linear %x, %w : (!node, tensor<64x64xf32>) -> !node
  return %y : !node
}
