// RUN: gnn-opt %s --gnn-schedule-pipeline --remarks-filter=gnn-tile-schedule-row-walks --remark-policy=all \
// RUN:   --verify-diagnostics | FileCheck %s

// Few long rows of nodes and pairs have a block each. A round of a team has 8 elements of 64 features; a
// multiprocessor has room for four blocks, a GPU for 528 (benchmarks/results/2026-11-29-h200-few-rows.md).

gnn.graph @long square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 528, dst_nodes = 528, edges = 26400,
    type_edges = [26400], src_pairs = [528], dst_pairs = [528], in_degree_max = 75, out_degree_max = 75>}
gnn.graph @pairs square {node_types = 1, edge_types = 2, stats = #gnn.stats<src_nodes = 300, dst_nodes = 300, edges = 15000,
    type_edges = [7500, 7500], src_pairs = [300, 300], dst_pairs = [300, 300], in_degree_max = 75, out_degree_max = 75, dst_pair_max = [60, 60], src_pair_max = [60, 60]>}
gnn.graph @mean square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 528, dst_nodes = 528, edges = 26400,
    type_edges = [26400], src_pairs = [528], dst_pairs = [528]>}
gnn.graph @short square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 528, dst_nodes = 528, edges = 4224,
    type_edges = [4224], src_pairs = [528], dst_pairs = [528], in_degree_max = 20, out_degree_max = 20>}
gnn.graph @hubs square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 500, dst_nodes = 500, edges = 8000,
    type_edges = [8000], src_pairs = [500], dst_pairs = [500], in_degree_max = 350, out_degree_max = 350>}
gnn.graph @star square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 500, dst_nodes = 500, edges = 500,
    type_edges = [500], src_pairs = [500], dst_pairs = [500], in_degree_max = 400, out_degree_max = 400>}
gnn.graph @twice square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000, edges = 200000,
    type_edges = [200000], src_pairs = [1000], dst_pairs = [1000], in_degree_max = 245, out_degree_max = 245>}
gnn.graph @shorter square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000, edges = 50000,
    type_edges = [50000], src_pairs = [1000], dst_pairs = [1000], in_degree_max = 75, out_degree_max = 75>}
gnn.graph @more square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2000, dst_nodes = 2000, edges = 400000,
    type_edges = [400000], src_pairs = [2000], dst_pairs = [2000], in_degree_max = 245, out_degree_max = 245>}
gnn.graph @unknown square {node_types = 1, edge_types = 1}

// Ten rounds of a team are two of a block.
//
// CHECK-LABEL: func.func @sum_long
// CHECK:         @long {{.*}}row_walk = block
func.func @sum_long(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk each row: rows are few, and the longest takes 10 rounds of a team, 6.0 of a block that joins and waits}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// The mean stands in for the longest row.
//
// CHECK-LABEL: func.func @sum_mean
// CHECK:         @mean {{.*}}row_walk = block
func.func @sum_mean(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk each row: rows are few, and the longest takes 7 rounds of a team, 5.0 of a block that joins and waits}}
  gnn_tile.traverse @mean <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Pairs are rows as nodes are.
//
// CHECK-LABEL: func.func @sum_pairs
// CHECK:         @pairs {{.*}}row_walk = block
func.func @sum_pairs(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk each row: rows are few, and the longest takes 8 rounds of a team, 5.5 of a block that joins and waits}}
  gnn_tile.traverse @pairs <dst_pair, edge.dst_pairs, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Three rounds of a team are less than what a block waits for.
//
// CHECK-LABEL: func.func @sum_short
// CHECK:         @short {{.*}}row_walk = by_length, split_rows = 64
func.func @sum_short(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 64 elements}}
  gnn_tile.traverse @short <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A team leaves the rest of a hub to its block, after its own rounds.
//
// CHECK-LABEL: func.func @sum_hubs
// CHECK:         @hubs {{.*}}row_walk = block
func.func @sum_hubs(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk each row: rows are few, and the longest takes 14 rounds of a team, 9.8 of a block that joins and waits}}
  gnn_tile.traverse @hubs <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Nor is a hub longer for it where most rows have one element, of which a block takes one a team at once.
//
// CHECK-LABEL: func.func @sum_star
// CHECK:         @star {{.*}}in_flight = 1, {{.*}}row_walk = by_length, split_rows = 8
func.func @sum_star(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 8 elements}}
  gnn_tile.traverse @star <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Blocks in two waves at most.
//
// CHECK-LABEL: func.func @sum_twice
// CHECK:         @twice {{.*}}row_walk = block
func.func @sum_twice(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk each row: rows are few, and the longest takes 31 rounds of a team, 14.3 of a block that joins and waits}}
  gnn_tile.traverse @twice <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Rows of a quarter of the length are not worth two waves.
//
// CHECK-LABEL: func.func @sum_shorter
// CHECK:         @shorter {{.*}}row_walk = by_length, split_rows = 200
func.func @sum_shorter(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 200 elements}}
  gnn_tile.traverse @shorter <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Four waves are too many.
//
// CHECK-LABEL: func.func @sum_more
// CHECK:         @more {{.*}}row_walk = by_length, split_rows = 256
func.func @sum_more(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 256 elements}}
  gnn_tile.traverse @more <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Nothing is known of rows.
//
// CHECK-LABEL: func.func @sum_unknown
// CHECK:         @unknown {{.*}}row_walk = by_length, split_rows = 256, runs = 32>
func.func @sum_unknown(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 256 elements}}
  gnn_tile.traverse @unknown <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Rows of 8 features have 16 lanes for their elements, and one round.
//
// CHECK-LABEL: func.func @sum_narrow
// CHECK:         @long {{.*}}row_walk = by_length, split_rows = 512
func.func @sum_narrow(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 512 elements}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Each tile of columns has as many blocks: four waves.
//
// CHECK-LABEL: func.func @sum_tiles
// CHECK:         @long {{.*}}columns_per_block = 64, {{.*}}row_walk = by_length, split_rows = 200
func.func @sum_tiles(%x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 200 elements}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 256>
      ins(%x : memref<?x256xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x256xf32>) at [#gnn_tile.at<group : feature>] schedule <columns_per_block = 64> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A length that is given stays.
//
// CHECK-LABEL: func.func @sum_given_length
// CHECK:         @long {{.*}}row_walk = by_length, split_rows = 7
func.func @sum_given_length(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 7 elements}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <split_rows = 7> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// And so does a walk that is given.
//
// CHECK-LABEL: func.func @given_walk
// CHECK:         @long {{.*}}row_walk = team>
func.func @given_walk(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <row_walk = team> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A block of one team has no other to share with.
//
// CHECK-LABEL: func.func @sum_given_rows
// CHECK:         @long {{.*}}rows_per_block = 1, {{.*}}row_walk = team
func.func @sum_given_rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{each team walks its own row: a block has one team}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <rows_per_block = 1> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A window of whole steps stays.
//
// CHECK-LABEL: func.func @sum_window
// CHECK:         @long {{.*}}row_walk = block, window = 64
func.func @sum_window(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk each row: rows are few, and the longest takes 10 rounds of a team, 6.0 of a block that joins and waits}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <window = 64> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// The index of a maximum is one more part to join: five rounds of wait.
//
// CHECK-LABEL: func.func @index
// CHECK:         @long {{.*}}row_walk = block>
func.func @index(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %z: memref<?x64xi32>) {
  // expected-remark @+1 {{takes 10 rounds of a team, 8.0 of a block}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y, %z : memref<?x64xf32>, memref<?x64xi32>) at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %e = gnn_tile.index <element>
    %m, %i = gnn_tile.arg_reduce max %v, %e : f32
    gnn_tile.yield %m, %i : f32, i32
  }
  return
}

// A dot of each element shares nothing.
//
// CHECK-LABEL: func.func @dot
// CHECK:         @long {{.*}}row_walk = team>
func.func @dot(%x: memref<?x64xf32>, %y: memref<?xf32>) {
  // expected-remark @+1 {{each team walks its own row: nothing is summed over elements}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64>
      ins(%x, %x : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>] schedule <in_flight = 4> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}
