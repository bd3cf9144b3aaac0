// RUN: gnn-opt %s --gnn-schedule-pipeline=tensor-cores=false --gnn-block-pipeline=sums-in-products=true --gnn-loops-pipeline --canonicalize --cse -o %t
// RUN: FileCheck %s --check-prefix=LOOPS < %t
// RUN: gnn-opt %t --gnn-verify-form=form=loops --gnn-lanes-pipeline --canonicalize --cse | FileCheck %s --check-prefix=LANES

gnn.graph @g square {node_types = 1, edge_types = 3}

// Teams loop over rows: what those of a step have is stored in the rows of the
// range. The product reads them there, a step of the depth at a time.
//
// LOOPS-LABEL: func.func @f
// LOOPS:         gnn_tile.blocks to [{{.+}}] step [64, 32, 1]
// LOOPS-NEXT:    ^bb0(%[[FIRST:.+]]: index, %{{.+}}: index, %{{.+}}: index):
// LOOPS:           %[[ROWS:.+]] = gnn_tile.array : memref<64x64xf32, #gpu.address_space<workgroup>>
// LOOPS:           %[[END:.+]] = arith.addi %[[FIRST]]
// LOOPS:           gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 2> {
// LOOPS:           scf.for %[[R:.+]] = %[[FIRST]] to %[[END]] step %c4 {
// LOOPS:             gnn_tile.parallel 4 over team
// LOOPS:               %[[ROW:.+]] = arith.minsi
// LOOPS:               gnn_tile.walk
// LOOPS:               %[[AT:.+]] = arith.subi %[[ROW]], %[[FIRST]]
// LOOPS:               vector.transfer_write %{{.+}}, %[[ROWS]][%[[AT]], %c0]
// LOOPS:           scf.for {{.+}} to %c64 step %c32 iter_args
// LOOPS:             gnn_tile.load_rows %[[ROWS]][%{{.+}}, %{{.+}}] aligned 4 : memref<64x64xf32, #gpu.address_space<workgroup>>
// LOOPS:             gnn_tile.contract
// LOOPS-NOT:     gnn_tile.teams
//
// Rows of more than 256 elements are left to the whole block, whose flags the next step
// writes again: it waits. Then all threads wait for the rows, and twice a step for what
// is staged of them.
//
// LANES-LABEL: func.func @f
// LANES:         gnn_tile.blocks {{.+}} schedule {{.+}} threads 128 {
// LANES:           %[[ROWS:.+]] = memref.alloca() : memref<64x64xf32, #gpu.address_space<workgroup>>
// LANES:           scf.for %{{.+}} step %c4 {
// LANES:             vector.store %{{.+}}, %[[ROWS]][%
// LANES:             gpu.barrier
// LANES:             vector.store %{{.+}}, %[[ROWS]][%
// LANES:             gpu.barrier
// LANES-NEXT:      }
// LANES:           gpu.barrier
// LANES-NEXT:      scf.for {{.+}} step %c32 iter_args
// LANES:             vector.load %[[ROWS]][%
// LANES:             gpu.barrier
// LANES:             memref.store
// LANES:             gpu.barrier
// LANES:             math.fma
func.func @f(%x: memref<?x64xf32>, %w: memref<64x32xf32>, %y: memref<?x32xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x64xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x64xf32>, memref<64x32xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x32xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
