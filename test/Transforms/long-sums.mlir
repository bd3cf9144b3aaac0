// RUN: gnn-opt %s --gnn-tile-block-traversals --gnn-tile-lower-traversals --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-kernels-pipeline --gnn-math-pipeline --split-input-file | FileCheck %s --check-prefix=KERNEL

gnn.graph @g square {node_types = 1, edge_types = 1}

// A core walks all of its rows in runs.
//
// CHECK-LABEL: func.func @core
// CHECK:         gnn_tile.walk {{.+}} slots 1 in_flight 1 run 32 identity
func.func @core(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule #gnn_tile.core_schedule<columns_per_block = 64, vector = 16, rows_per_block = 64, row_order = natural, runs = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Rows that teams walk are short: of 256 elements a lane has 128. Those of the block are in
// runs. Terms that are added with their errors have no products that were
// contracted.
//
// CHECK-LABEL: func.func @by_length
// CHECK:         gnn_tile.walk {{.+}} over element slots 2 in_flight 4 identity
// CHECK:         gnn_tile.walk {{.+}} over block slots 16 in_flight 4 run 32 identity
//
// KERNEL-LABEL: gpu.func @by_length
// KERNEL:         %[[TAKEN:.+]] = arith.subf %[[SUM:.+]], %[[BEFORE:.+]] : vector<4xf32>
// KERNEL-NEXT:    %[[LOST:.+]] = arith.subf %{{.+}}, %[[TAKEN]]
// KERNEL-NEXT:    arith.addf %{{.+}}, %[[LOST]]
func.func @by_length(%x: memref<?x64xf32>, %w: memref<?xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %w : memref<?x64xf32>, memref<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length, split_rows = 256, runs = 32> {
  ^bb0(%v: f32, %wv: f32):
    %m = arith.mulf %v, %wv : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Where teams have long rows too, so are those.
//
// CHECK-LABEL: func.func @long_of_teams
// CHECK:         gnn_tile.walk {{.+}} over element slots 2 in_flight 4 run 32 identity
// CHECK:         gnn_tile.walk {{.+}} over block slots 16 in_flight 4 run 32 identity
func.func @long_of_teams(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length, split_rows = 4096, runs = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// The one of two walks that has a sum alone.
//
// CHECK-LABEL: func.func @two_walks
// CHECK:         gnn_tile.walk {{.+}} slots 32 in_flight 4 identity(%{{.+}} : f32)
// CHECK:           arith.maximumf
// CHECK:         gnn_tile.walk {{.+}} slots 32 in_flight 4 run 32 identity(%{{.+}} : f32)
// CHECK:           arith.addf
func.func @two_walks(%x: memref<?xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
      schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 32, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team, runs = 32> {
  ^bb0(%v: f32):
    %top = gnn_tile.reduce max [element] %v : f32
    %d = arith.subf %v, %top : f32
    %e = math.exp %d : f32
    %s = gnn_tile.reduce sum [element] %e : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Pieces that a walk by edges leaves are added in runs by the second step; shares are short.
// The heads of 64 teams are added with their errors.
//
// KERNEL-LABEL: gpu.func @shares_0
// KERNEL:         scf.for {{.+}} -> (vector<4xf32>, vector<4xf32>) {
// KERNEL:           arith.subf
// KERNEL:           arith.subf
// KERNEL-LABEL: gpu.func @shares_1
// KERNEL:           arith.subf
// KERNEL:           arith.subf
func.func @shares(%x: memref<?x16xf32>, %y: memref<?x16xf32>,
                  %w: memref<?xi8> {gnn.workspace}) {
  %none = arith.constant 0 : index
  gnn_tile.workspace_size %none
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 16, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 64, row_order = natural, row_walk = by_edges, runs = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Those of 16 teams are few; pieces are not.
//
// KERNEL-LABEL: gpu.func @few_shares_0
// KERNEL-NOT:     arith.subf
// KERNEL-LABEL: gpu.func @few_shares_1
// KERNEL:           arith.subf
// KERNEL:           arith.subf
func.func @few_shares(%x: memref<?x64xf32>, %y: memref<?x64xf32>,
                      %w: memref<?xi8> {gnn.workspace}) {
  %none = arith.constant 0 : index
  gnn_tile.workspace_size %none
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges, runs = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
