// RUN: gnn-opt %s -o /dev/null --gnn-explain | FileCheck %s
// RUN: gnn-opt %s -o /dev/null --gnn-explain="passes='edge-walks=0'" | FileCheck %s --check-prefix=ROWS

// A walk has the time by which passes chose it, and the launch that joins its pieces is within.

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000,
  edges = 2000000, type_edges = [2000000], src_pairs = [100000], dst_pairs = [100000], in_degree_max = 20000,
  out_degree_max = 20000>}

// CHECK:      sum, after
// CHECK:        sum_0_aggregate, sum_1_aggregate {{.*}} 0.0824
// CHECK:      choices
// CHECK:        gnn-tile-schedule-edge-walks {{.*}}: done, EdgeWalk: teams take equal shares of the elements: 82.39 us instead of 362.88 us
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
