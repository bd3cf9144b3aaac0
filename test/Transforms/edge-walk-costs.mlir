// RUN: gnn-opt %s -o /dev/null --gnn-tile-group-edges --split-input-file \
// RUN:   --remarks-filter=gnn-tile-group-edges --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SORTED
// RUN: gnn-opt %s -o /dev/null --gnn-tile-pipeline --gnn-schedule-pipeline --gnn-tile-list-costs --split-input-file | FileCheck %s

// Costs are of the walk that is built.

gnn.graph @sorted square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 232965,
  dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965], in_degree_max = 42742>}

// The order of sorted edges is the user's: both dots are one kernel, of one cost. Each has a
// map for the row at the source and one for the group, as teams take turns, and a number in order:
// three words of each element. The row of the group is read once for the teams of a warp that are in
// it: by about an eighth of the elements of four lanes.
//
// SORTED: Remark="a destination's row is read once for its edges: [[EDGES:[0-9.]+]] us instead of [[ROWS:[0-9.]+]] us by the model"
// SORTED: Remark="a destination's row is read once for its edges: [[EDGES]] us instead of [[ROWS]] us by the model"
//
// CHECK: {"function":"in_order","domain":"#gnn_tile.domain<dst, edge.in_rows, features = 16>","launches":1,"seconds":[[SECONDS:[0-9.]+]],
// CHECK-SAME: "in_flight":4,"operations":32,"warps":0.125,"results":1,"reduces_features":true,"is_crowded":false,"stream_bytes":139{{[0-9]+}},
// CHECK-SAME: "gathers":[{"rows":114615892,"row_bytes":64,"table_rows":232965,"ranges":1,"written":false,"again":false,"skew":0,"near":[]},
// CHECK-SAME: {"rows":15{{[0-9.]+}},"row_bytes":64,"table_rows":232965,"ranges":1,"written":false,"again":true,"skew":0,"near":[]}]
// CHECK: {"function":"of_user","domain":"#gnn_tile.domain<dst, edge.in_rows, features = 16>","launches":1,"seconds":[[SECONDS]],
func.func @in_order(%x: tensor<?x16xf32>, %y: tensor<?x16xf32>, %init: tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
    -> tensor<?xf32, #gnn_tile.order<edge.in_rows>> {
  %s = gnn_tile.traverse @sorted <edge.in_rows, features = 16>
      ins(%x, %y : tensor<?x16xf32>, tensor<?x16xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
      outs(%init : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  return %s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>
}

func.func @of_user(%x: tensor<?x16xf32>, %y: tensor<?x16xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %s = gnn_tile.traverse @sorted <edge, features = 16>
      ins(%x, %y : tensor<?x16xf32>, tensor<?x16xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 75888,
  dst_nodes = 75888, edges = 508837, type_edges = [508837], src_pairs = [75888], dst_pairs = [75888], in_degree_max = 3035>}

// Where elements are few, rows have more lanes, and fewer elements are under way: the cost is that
// of 8 lanes before and behind the passes that choose them. A number in another order is a stream
// of its own, in the user's order of sorted edges it is none.
//
// CHECK: {"function":"few","domain":{{.*}}"in_flight":8,"operations":8,"warps":0.25,
// CHECK: {"function":"weighted","domain":{{.*}}"in_flight":8,"operations":64,
// CHECK-NEXT: {"function":"weighted_in_order","domain":{{.*}}"in_flight":4,"operations":64,
func.func @few(%x: tensor<?x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @any square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 232965,
  dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965], in_degree_max = 42742>}
gnn.graph @ordered square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 232965,
  dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965], in_degree_max = 42742>}

func.func @weighted(%x: tensor<?x32xf32>, %w: tensor<?xf32>, %init: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %y = gnn_tile.traverse @any <dst, edge.in_rows, features = 32>
      ins(%x, %w : tensor<?x32xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
      outs(%init : tensor<?x32xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

func.func @weighted_in_order(%x: tensor<?x32xf32>, %w: tensor<?xf32>, %init: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %y = gnn_tile.traverse @ordered <dst, edge.in_rows, features = 32>
      ins(%x, %w : tensor<?x32xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
      outs(%init : tensor<?x32xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// -----

gnn.graph @short square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 500000,
  dst_nodes = 500000, edges = 8000000, type_edges = [8000000], src_pairs = [500000], dst_pairs = [500000], in_degree_max = 70>}

// Wide rows cost the same in turns as side by side: whether groups are short changes neither who walks
// them nor tiles. The L2 gives rows of one end alone.
//
// CHECK: {"function":"side_by_side","domain":{{.*}}"launches":1,"seconds":[[SIDE:[0-9.]+]],{{.*}}"gathers":[{[[GATHER:[^}]+]]}]
// CHECK: {"function":"in_turns","domain":{{.*}}"launches":1,"seconds":[[SIDE]],{{.*}}"gathers":[{[[GATHER]]}]
// CHECK: {"function":"as_chosen","domain":{{.*}}"launches":1,"seconds":[[SIDE]],{{.*}}"gathers":[{[[GATHER]]}]
func.func @side_by_side(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %s = gnn_tile.traverse @short <dst, edge.in_rows, features = 64>
      ins(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] schedule <row_walk = by_edges, distribution = blocked> {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
func.func @in_turns(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %s = gnn_tile.traverse @short <dst, edge.in_rows, features = 64>
      ins(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] schedule <row_walk = by_edges, distribution = cyclic> {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
func.func @as_chosen(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %s = gnn_tile.traverse @short <dst, edge.in_rows, features = 64>
      ins(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] schedule <row_walk = by_edges> {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
