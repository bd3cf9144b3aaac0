// RUN: gnn-opt %s -o /dev/null --gnn-explain | FileCheck %s
// RUN: gnn-opt %s -o /dev/null --gnn-explain="passes='edge-walks=0'" | FileCheck %s --check-prefix=ROWS
// RUN: gnn-opt %s -o /dev/null --gnn-explain | FileCheck %s --check-prefix=SIZE

// A walk has the time by which passes chose it, and the launch that joins its pieces is within.

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000,
  edges = 2000000, type_edges = [2000000], src_pairs = [100000], dst_pairs = [100000], in_degree_max = 20000,
  out_degree_max = 20000>}

// CHECK:      sum, after
// CHECK:        sum_0_aggregate, sum_1_aggregate {{.*}} 0.0874
// CHECK:      choices
// CHECK:        gnn-tile-schedule-edge-walks {{.*}}: done, EdgeWalk: teams take equal shares of the elements: 87.39 us instead of 362.88 us
//
// Walks by rows have the longest rows of their ops.
//
// ROWS:       sum, after
// ROWS:         sum_0_aggregate, sum_1_aggregate {{.*}} 0.1810
func.func @sum(%x: tensor<?x64xf32, #gnn.rows<@g, node>>) -> tensor<?x64xf32, #gnn.rows<@g, node>> {
  %m = gnn.gather %x via src : tensor<?x64xf32, #gnn.rows<@g, node>> -> tensor<?x64xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %m via dst : tensor<?x64xf32, #gnn.rows<@g, edge>> -> tensor<?x64xf32, #gnn.rows<@g, node>>
  return %s : tensor<?x64xf32, #gnn.rows<@g, node>>
}

// Rows that no type names have a size that is not known.
//
// SIZE:      template, after
// SIZE:        traverse {{ *}}?x64xf32 {{.*}}
func.func @template(%x: tensor<?x64xf32> {gnn.rows = #gnn.rows<@g, node>}) -> (tensor<?x64xf32> {gnn.rows = #gnn.rows<@g, node>}) {
  %n = gnn_tile.count @g count dst : index
  %i = tensor.empty(%n) : tensor<?x64xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : tensor<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%i : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
