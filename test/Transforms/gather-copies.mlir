// RUN: gnn-opt %s --gnn-tile-gather-copies --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-gather-copies --remark-format=emitRemark | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-gather-copies=gather=1 --split-input-file | FileCheck %s --check-prefix=ALL
// RUN: gnn-opt %s --gnn-tile-gather-copies=gather=0 --split-input-file | FileCheck %s --check-prefix=NONE

gnn.graph @large square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 232965,
  dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965]>}
gnn.graph @sorted square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 232965,
  dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965]>}
gnn.graph @small square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2329,
  dst_nodes = 2329, edges = 114615, type_edges = [114615], src_pairs = [2329], dst_pairs = [2329]>}

// CHECK-LABEL: func.func @numbers
// CHECK:         gnn_tile.traverse @large <edge> {{.*}}[#gnn_tile.at<group -> edge.in_rows>] {{.*}}[#gnn_tile.at<group>]
// NONE-LABEL: func.func @numbers
// NONE:         gnn_tile.traverse @large <edge.in_rows> {{.*}}[#gnn_tile.at<group>] {{.*}}[#gnn_tile.at<group -> edge>]
func.func @numbers(%s: tensor<?xf32, #gnn_tile.order<edge.in_rows>>) -> tensor<?xf32> {
  %n = gnn_tile.count @large count edge : index
  %to = tensor.empty(%n) : tensor<?xf32>
  // expected-remark @+1 {{rows of another order are read there, not written}}
  %c = gnn_tile.traverse @large <edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// The orders are one here; the L2 holds those of a small graph, and wide rows are whole sectors.
//
// CHECK-LABEL: func.func @others
// CHECK:         gnn_tile.traverse @sorted <edge.in_rows>
// CHECK:         gnn_tile.traverse @small <edge.in_rows>
// CHECK:         gnn_tile.traverse @large <edge.in_rows, features = 8>
// ALL-LABEL: func.func @others
// ALL:         gnn_tile.traverse @sorted <edge>
// ALL:         gnn_tile.traverse @small <edge>
// ALL:         gnn_tile.traverse @large <edge, features = 8>
func.func @others(%s: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %w: tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>,
                  %n: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x8xf32>) {
  %to = tensor.empty(%n) : tensor<?xf32>
  // expected-remark @+1 {{what it writes is not known to be numbers that the L2 does not hold}}
  %c = gnn_tile.traverse @sorted <edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  // expected-remark @+1 {{what it writes is not known to be numbers that the L2 does not hold}}
  %d = gnn_tile.traverse @small <edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %rows = tensor.empty(%n) : tensor<?x8xf32>
  // expected-remark @+1 {{what it writes is not known to be numbers that the L2 does not hold}}
  %e = gnn_tile.traverse @large <edge.in_rows, features = 8>
      ins(%w : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>]
      outs(%rows : tensor<?x8xf32>) at [#gnn_tile.at<group -> edge : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %c, %d, %e : tensor<?xf32>, tensor<?xf32>, tensor<?x8xf32>
}
