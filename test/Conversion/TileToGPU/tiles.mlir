// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A block for each tile and piece of its matrix: a tile is (type, begin, end).
//
// CHECK-LABEL: gpu.func @parts_0_outer
// CHECK-SAME:    %[[TILES:[a-z0-9]+]]: memref<1xi32>
// CHECK-DAG:     %[[C3:.+]] = arith.constant 3 : index
// CHECK-DAG:     %[[TILE:.+]] = gpu.block_id x
// CHECK:         %[[FIRST:.+]] = arith.muli %[[TILE]], %[[C3]]
// CHECK:         %[[AT_BEGIN:.+]] = arith.addi %[[FIRST]], %c1
// CHECK:         %[[BEGIN32:.+]] = memref.load %{{.+}}[%[[AT_BEGIN]]] : memref<?xi32>
// CHECK:         %[[BEGIN:.+]] = arith.index_cast %[[BEGIN32]]
// CHECK:         %[[AT_END:.+]] = arith.addi %[[FIRST]], %c2
// CHECK:         %[[END32:.+]] = memref.load %{{.+}}[%[[AT_END]]] : memref<?xi32>
// CHECK:         %[[END:.+]] = arith.index_cast %[[END32]]
// CHECK:         %[[SOME:.+]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK:         scf.if %[[SOME]]
// CHECK:           %[[NEXT:.+]] = arith.addi %[[BEGIN]], %c16
// CHECK:           scf.for %{{.+}} = %[[NEXT]] to %[[END]] step %c16
// CHECK:         vector.store {{.+}}, %{{.+}}[%[[TILE]],
// CHECK-LABEL: func.func @parts
// CHECK:         %[[COUNT:.+]] = gnn_tile.count @g tile_count edge_type src_pair 128
// CHECK:         gpu.launch_func @parts_kernels::@parts_0_outer blocks in (%[[COUNT]], %c4, %c1)
func.func @parts(%x: memref<?x128xf32>, %dy: memref<?x96xf32>, %out: memref<?x128x96xf32>) {
  gnn_tile.outer @g rows src_pair types tiles<edge_type, src_pair, 128>
      ins(%x, %dy : memref<?x128xf32>, memref<?x96xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%out : memref<?x128x96xf32>)
  return
}

// The tiles of a type are elements like others; a block takes 32 columns, so that
// there are 384 of them.
//
// CHECK-LABEL: gpu.func @sums_0_traverse
// CHECK-DAG:     %[[TYPE:.+]] = gpu.block_id x
// CHECK:         %[[BEGIN32:.+]] = memref.load %{{.+}}[%{{.+}}] : memref<?xi32>
// CHECK-NOT:     atomic
// CHECK-LABEL: func.func @sums
// CHECK:         gnn_tile.structure @g tile_rows edge_type src_pair 128
// CHECK:         gpu.launch_func @sums_kernels::@sums_0_traverse blocks in (%{{.+}}, %c128, %c1)
func.func @sums(%parts: memref<?x4096xf32>, %out: memref<3x4096xf32>) {
  gnn_tile.traverse @g <edge_type, tiles<edge_type, src_pair, 128>, features = 4096>
      ins(%parts : memref<?x4096xf32>) at [#gnn_tile.at<element : feature>]
      outs(%out : memref<3x4096xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%part: f32):
    %s = gnn_tile.reduce sum [element] %part : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Groups that are tiles: a block walks each, and finds its type in the same
// array.
//
// CHECK-LABEL: gpu.func @walk_0_traverse
// CHECK-DAG:     %[[C3:.+]] = arith.constant 3 : index
// CHECK:         %[[ROW:.+]] = gpu.block_id
// CHECK:         %[[FIRST:.+]] = arith.muli %[[ROW]], %[[C3]]
// CHECK:         arith.addi %[[FIRST]], %c1
// CHECK:         arith.addi %[[FIRST]], %c2
// CHECK:         memref.load %{{.+}}[%[[FIRST]]] : memref<?xi32>
// CHECK-LABEL: func.func @walk
// CHECK:         %[[COUNT:.+]] = gnn_tile.count @g tile_count edge_type src_pair 128
// CHECK:         gnn_tile.structure @g tiles edge_type src_pair 128
// CHECK-NOT:     gnn_tile.structure
// CHECK:         gpu.launch_func @walk_kernels::@walk_0_traverse blocks in (%[[COUNT]],
func.func @walk(%x: memref<?x64xf32>, %w: memref<3x64xf32>, %parts: memref<?x64xf32>) {
  gnn_tile.traverse @g <tiles<edge_type, src_pair, 128>, src_pair, features = 64>
      ins(%x, %w : memref<?x64xf32>, memref<3x64xf32>)
      at [#gnn_tile.at<element : feature>, #gnn_tile.at<group -> edge_type : feature>]
      outs(%parts : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32, %wv: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}
