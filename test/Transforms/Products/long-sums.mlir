// RUN: gnn-opt %s --gnn-tile-block-products --gnn-tile-lower-products --cse --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-block-products --gnn-tile-lower-products --gnn-tile-copy-async --gnn-tile-load-ahead --split-input-file \
// RUN:   --remarks-filter="gnn-tile-(copy-async|load-ahead)" --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AHEAD
// RUN: gnn-opt %s --gnn-kernels-pipeline --gnn-math-pipeline --split-input-file | FileCheck %s --check-prefix=KERNEL

gnn.graph @g square {node_types = 1, edge_types = 3}

// A step adds to what its run has; with the second step of 16 rows, the run ends, and is added
// to those before and to what that rounds away. The branch is no obstacle to loading ahead.
//
// AHEAD: remark: [Passed] Ahead | Category:gnn-tile-load-ahead
// CHECK-LABEL: func.func @steps
// CHECK:         %[[ALL:.+]]:4 = scf.for {{.+}} step %c16 iter_args(%[[OWN:.+]] = %[[ZERO:.+]], %[[S:.+]] = %[[ZERO]], %[[E:.+]] = %[[ZERO]], %[[N:.+]] = %c0{{.*}}) -> (vector<64x64xf32>, vector<64x64xf32>, vector<64x64xf32>, index) {
// CHECK:           %[[NEXT:.+]] = gnn_tile.contract %{{.+}}, %{{.+}}, %[[OWN]]
// CHECK:           %[[STEPS:.+]] = arith.addi %[[N]], %c1
// CHECK:           %[[LEFT:.+]] = arith.subi %[[STEPS]], %c2
// CHECK:           %[[ENDS:.+]] = arith.cmpi eq, %[[LEFT]], %c0
// CHECK:           scf.if %[[ENDS]]
// CHECK:             %[[SUM:.+]] = arith.addf %[[S]], %[[NEXT]]
// CHECK:             %[[TAKEN:.+]] = arith.subf %[[SUM]], %[[S]]
// CHECK:             %[[LOST:.+]] = arith.subf %[[NEXT]], %[[TAKEN]]
// CHECK:             %[[ERROR:.+]] = arith.addf %[[E]], %[[LOST]]
// CHECK:             scf.yield %[[ZERO]], %[[SUM]], %[[ERROR]], %c0
// CHECK:           } else {
// CHECK:             scf.yield %[[NEXT]], %[[S]], %[[E]], %[[STEPS]]
// CHECK:         arith.addf %[[ALL]]#1, %[[ALL]]#0
// CHECK:         math.absf
// CHECK:         arith.select
// CHECK:         gnn_tile.store_rows
func.func @steps(%x: memref<?x64xf32>, %dy: memref<?x64xf32>, %dw: memref<3x64x64xf32>) {
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<3x64x64xf32>)
      schedule <n = 64, kind = ffma, copies = registers, runs = 32>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// A step of a narrow tile has 32 rows, which are a run. So do the sums of columns; steps
// are copied while the one before is summed.
//
// AHEAD: remark: [Passed] Copied | Category:gnn-tile-copy-async
// CHECK-LABEL: func.func @one_step
// CHECK:         scf.for {{.+}} step %c32 iter_args(%[[OWN:.+]] = %{{.+}}, %[[C:.+]] = %{{.+}}, %[[S:.+]] = %{{.+}}, %[[CS:.+]] = %{{.+}}, %[[E:.+]] = %{{.+}}, %[[CE:.+]] = %{{.+}}, %{{.+}} = %{{.+}})
// CHECK:           %[[NEXT:.+]] = gnn_tile.contract
// CHECK-NOT:       scf.if
// CHECK:           arith.addf %[[S]], %[[NEXT]]
// CHECK:           arith.addf %[[E]]
// CHECK:           arith.addf %[[CS]]
// CHECK:           arith.addf %[[CE]]
// CHECK:           scf.yield
//
// KERNEL-LABEL: gpu.func @one_step
// KERNEL:         math.absf
func.func @one_step(%x: memref<?x64xf32>, %dy: memref<?x8xf32>, %dw: memref<3x64x8xf32>,
                    %db: memref<3x8xf32>) {
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : memref<?x64xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<3x64x8xf32>) sums(%db : memref<3x8xf32>)
      schedule <n = 16, kind = ffma, copies = async, runs = 32>
  return
}
