// Upstream's patterns may run on the loops form: it stays one, and its kernels give the same
// bits. Here a maximum over neighbours and its product, in a kernel each and both in one
// block, and a block that has tiles and teams in turns.
//
// RUN: gnn-opt %s --gnn-graph-pipeline --gnn-tile-pipeline --gnn-schedule-pipeline \
// RUN:   --gnn-block-pipeline --gnn-loops-pipeline --canonicalize --cse --loop-invariant-code-motion \
// RUN:   --gnn-verify-form=form=loops | FileCheck %s
// RUN: gnn-opt %s --gnn-graph-pipeline --gnn-tile-pipeline --gnn-schedule-pipeline \
// RUN:   --gnn-block-pipeline=sums-in-products=true --gnn-loops-pipeline --canonicalize --cse --loop-invariant-code-motion \
// RUN:   --gnn-verify-form=form=loops | FileCheck %s --check-prefix=FUSED
// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.w.npy 64 32
// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.x.npy 3 64
// RUN: gnn-run %s --target=emulator --function=layer --graph=%t.npz --input=x=%t.x.npy \
// RUN:   --input=w=%t.w.npy --compare='stage-passes=after-loops=canonicalize,cse' \
// RUN:   | FileCheck %s --check-prefix=BITS
// RUN: gnn-run %s --target=emulator --function=layer --graph=%t.npz --input=x=%t.x.npy \
// RUN:   --input=w=%t.w.npy --passes=sums-in-products=true \
// RUN:   --compare='stage-passes=after-loops=canonicalize,cse' | FileCheck %s --check-prefix=BITS
// RUN: gnn-opt %S/../Conversion/TileToGPU/run-teams.mlir --canonicalize --cse --loop-invariant-code-motion \
// RUN:   --gnn-verify-form=form=loops -o %t.teams.mlir
// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.x.npy 3 32
// RUN: gnn-run %S/../Conversion/TileToGPU/run-teams.mlir --function=both --graph=%t.npz \
// RUN:   --input=x=%t.x.npy --target=emulator --output=%t.plain
// RUN: gnn-run %t.teams.mlir --function=both --graph=%t.npz --input=x=%t.x.npy \
// RUN:   --target=emulator --output=%t.simplified
// RUN: cmp %t.plain/y.npy %t.simplified/y.npy
//
// CHECK-LABEL: func.func @layer
// CHECK:         gnn_tile.blocks {{.+}} template "traverse"
// CHECK:           gnn_tile.teams
// CHECK:         gnn_tile.blocks {{.+}} template "gemm"
// CHECK:           gnn_tile.contract
// FUSED-LABEL: func.func @layer
// FUSED:         gnn_tile.blocks {{.+}} template "traverse_gemm"
// FUSED:           gnn_tile.teams
// FUSED:           gnn_tile.contract
// BITS:        out: the same bits
gnn.graph @g square {node_types = 1, edge_types = 2}
#node = #gnn.rows<@g, node>

func.func @layer(%x: tensor<?x64xf32, #node> {gnn.name = "x"}, %w: tensor<64x32xf32> {gnn.name = "w"})
    -> (tensor<?x32xf32, #node> {gnn.name = "out"}) {
  %m = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate max %m via dst : tensor<?x64xf32, #gnn.rows<@g, edge>> -> tensor<?x64xf32, #node>
  %y = gnn.linear %s, %w : (tensor<?x64xf32, #node>, tensor<64x32xf32>) -> tensor<?x32xf32, #node>
  return %y : tensor<?x32xf32, #node>
}
