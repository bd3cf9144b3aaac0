// RUN: gnn-opt %s --gnn-tile-pipeline | FileCheck %s --check-prefix=TILE
// RUN: gnn-opt %s --gnn-tile-pipeline --gnn-schedule-pipeline --gnn-kernels-pipeline | FileCheck %s --check-prefix=GPU
// RUN: gnn-translate %s --gnn-to-plan | FileCheck %s --check-prefix=PLAN
// RUN: gnn-translate %s --gnn-to-ptx | FileCheck %s --check-prefix=PTX

// A function on level 2 with a schedule of the user's: the traversal is not
// fused, and what the schedule says stays on the way to its kernel.

gnn.graph @g square {node_types = 1, edge_types = 1}

// TILE-LABEL: func.func @pinned
// TILE:         gnn_tile.traverse @g <edge.in_rows, features = 64>
// TILE-SAME:      schedule <vector = 2, lanes = 8, rows_per_block = 4>
// TILE:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
//
// GPU:         gpu.func @pinned_0_traverse
// GPU-SAME:      known_block_size = array<i32: 32, 1, 1>
// GPU:           vector.load {{.+}}, vector<2xf32>
// GPU:         gpu.func @pinned_1_traverse
// GPU:           vector.load {{.+}}, vector<4xf32>
//
// The plan, reports and PTX say which schedule it is.
//
// PLAN:        {"kernel":"pinned_0_traverse",{{.*}}"schedule":"columns_per_block = 64, vector = 2, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 4, row_order = natural, row_walk = team"}
// PTX:         // pinned_0_traverse
// PTX-NEXT:    //   schedule columns_per_block = 64, vector = 2, lanes = 8, {{.*}}row_walk = team
// PTX-NEXT:    //   param_0
func.func @pinned(%x: tensor<?x64xf32> {gnn.rows = #gnn.rows<@g, node>})
    -> (tensor<?x64xf32> {gnn.rows = #gnn.rows<@g, node>}) {
  %edges = gnn_tile.count @g count edge : index
  %nodes = gnn_tile.count @g count dst : index
  %e = tensor.empty(%edges) : tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>
  %n = tensor.empty(%nodes) : tensor<?x64xf32>
  %m = gnn_tile.traverse @g <edge.in_rows, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 2, lanes = 8, rows_per_block = 4> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%m : tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element : feature>]
      outs(%n : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
