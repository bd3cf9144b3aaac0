// RUN: gnn-opt %s --gnn-schedule-pipeline=tensor-cores=false --gnn-block-pipeline=sums-in-products=true --split-input-file \
// RUN:   --remarks-filter='gnn-tile-fuse-sums-into-products' --remark-format=emitRemark --verify-diagnostics | FileCheck %s

gnn.graph @g square {node_types = 1, edge_types = 3}

// One loop over tiles of rows. The sum walks the rows of the tile, four at a time, and
// leaves them in workgroup memory, where the product reads them. The cost of the
// launch does not count them. Their place in the workspace is given up.
//
// CHECK-LABEL: func.func @sum
// CHECK:         %[[NONE:.+]] = arith.constant 0 : index
// CHECK:         gnn_tile.workspace_size %[[NONE]]
// CHECK-NOT:     memref.view
// CHECK:         gnn_tile.structure @g rows dst edge.in_rows
// CHECK-COUNT-1: gnn_tile.cost
// CHECK:         gnn_tile.blocks to [%{{.+}}, 32, 1] step [64, 32, 1] template "traverse_gemm"
// CHECK-SAME:      schedule [#gnn_tile.traverse_schedule<{{.+}}>, #gnn_tile.gemm_schedule<n = 32, kind = ffma, copies = registers>]
// CHECK-SAME:      attributes {gnn.schedule_from = "record of r.jsonl; file f.jsonl:1"} {
// CHECK-NEXT:         ^bb0(%[[R:.+]]: index, %[[C:.+]]: index, %{{.+}}: index):
// CHECK:           %[[N:.+]] = arith.minsi
// CHECK:           %[[ROWS:.+]] = gnn_tile.array : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK:           %[[END:.+]] = arith.addi %[[R]], %[[N]]
// CHECK:           gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%[[R]] to %[[END]]] columns[%{{[a-z0-9_]+}}]
// CHECK-SAME:        outs(%[[ROWS]] : memref<64x64xf32, #gpu.address_space<workgroup>>) at [#gnn_tile.at<group : feature>]
// CHECK-SAME:        rows_per_block = 4, row_order = natural
// CHECK:           gnn_tile.gemm @g rows dst rows[%[[R]], %[[N]]] columns[%[[C]]]
// CHECK-SAME:        ins(%[[ROWS]], %{{.+}} : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x32xf32>)
// CHECK-NOT:     gnn_tile.blocks
func.func @sum(%x: memref<?x64xf32>, %w: memref<64x32xf32>, %y: memref<?x32xf32>, %ws: memref<?xi8> {gnn.workspace}) {
  %n = gnn_tile.count @g count dst : index
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %bytes = arith.muli %n, %c256 : index
  %all = arith.addi %c0, %bytes : index
  gnn_tile.workspace_size %all
  %s = memref.view %ws[%c0][%n] : memref<?xi8> to memref<?x64xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      attributes {gnn.schedule_from = "file f.jsonl:1"} {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{rows of 64 features are summed in the block that multiplies them, 16384 bytes of workgroup memory}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x64xf32>, memref<64x32xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x32xf32>) at <group : feature>
      attributes {gnn.schedule_from = "record of r.jsonl"} {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// A tile has the rows of one type: the mean of each pair, a weight for each type.
//
// CHECK-LABEL: func.func @typed
// CHECK:         gnn_tile.blocks to [%{{.+}}, 16, 1] step [1, 16, 1]
// CHECK-NEXT:    ^bb0(%{{.+}}: index, %[[C:.+]]: index, %{{.+}}: index):
// CHECK-COUNT-3:   memref.load
// CHECK:           gnn_tile.array : memref<64x7xf32, #gpu.address_space<workgroup>>
// CHECK:           gnn_tile.traverse @g <dst_pair, edge.dst_pairs, features = 7> rows[%[[FIRST:.+]] to %{{.+}}]
// CHECK:           gnn_tile.gemm @g rows dst_pair types edge_type rows[%[[FIRST]], %{{.+}}] type[%{{.+}}] columns[%[[C]]]
func.func @typed(%x: memref<?x7xf32>, %w: memref<3x7x16xf32>, %y: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst_pair : index
  %s = memref.alloc(%n) : memref<?x7xf32>
  gnn_tile.traverse @g <dst_pair, edge.dst_pairs, features = 7>
      ins(%x : memref<?x7xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x7xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %mean = gnn_tile.reduce mean [element] %xv : f32
    gnn_tile.yield %mean : f32
  }
  // expected-remark @+1 {{rows of 7 features are summed in the block that multiplies them, 1792 bytes of workgroup memory}}
  gnn_tile.gemm @g rows dst_pair types edge_type ins(%s, %w : memref<?x7xf32>, memref<3x7x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// A block has 64 of 100 columns and then the others, so that it sums its rows once. The
// rows are taken as they lie, no more by degree, without the array of their order.
//
// CHECK-LABEL: func.func @wide
// CHECK:         gnn_tile.blocks to [%{{.+}}, 100, 1] step [64, 128, 1]
// CHECK-NEXT:    ^bb0(%{{.+}}: index, %[[C:.+]]: index, %{{.+}}: index):
// CHECK:           gnn_tile.traverse @g
// CHECK-SAME:        index_arrays(%{{.+}}, %{{.+}} : memref<?xi32>, memref<?xi32>) schedule <{{.+}}, rows_per_block = 4, row_order = natural, row_walk = team>
// CHECK:           gnn_tile.gemm @g rows dst rows[%{{.+}}, %{{.+}}] columns[%[[C]]]
// CHECK:           %[[SECOND:.+]] = arith.addi %[[C]], %c64
// CHECK:           gnn_tile.gemm @g rows dst rows[%{{.+}}, %{{.+}}] columns[%[[SECOND]]]
// CHECK-NOT:     gnn_tile.gemm @
func.func @wide(%x: memref<?x100xf32>, %w: memref<100x100xf32>, %y: memref<?x100xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x100xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 100>
      ins(%x : memref<?x100xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x100xf32>) at [#gnn_tile.at<group : feature>]
      schedule <lanes = 32, rows_per_block = 8, row_order = by_degree, row_walk = team> {
  ^bb0(%xv: f32):
    %most = gnn_tile.reduce max [element] %xv : f32
    gnn_tile.yield %most : f32
  }
  // expected-remark @+1 {{rows of 100 features are summed in the block that multiplies them, 25600 bytes of workgroup memory}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x100xf32>, memref<100x100xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x100xf32>) at <group : feature> schedule <n = 64> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// The product is written where the sum would have been, in the caller's buffer.
//
// CHECK-LABEL: func.func @in_place
// CHECK:         gnn_tile.blocks
// CHECK:           gnn_tile.traverse @g
// CHECK-SAME:        outs(%[[ROWS:.+]] : memref<64x16xf32, #gpu.address_space<workgroup>>)
// CHECK:           gnn_tile.gemm
// CHECK-SAME:        outs(%{{.+}} : memref<?x16xf32>)
// CHECK-NOT:     gnn_tile.blocks
func.func @in_place(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{rows of 16 features are summed}}
  gnn_tile.gemm @g rows dst ins(%y, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
