// RUN: gnn-opt %s --gnn-schedule-pipeline | FileCheck %s
// RUN: gnn-opt %s --gnn-schedule-pipeline -o /dev/null --remarks-filter=gnn-tile-schedule-rows --remark-policy=all \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=TURNS
// RUN: gnn-opt %s --gnn-schedule-pipeline=cyclic-walks=false | FileCheck %s --check-prefix=OFF --implicit-check-not='distribution = cyclic'
// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-tile-block-traversals --gnn-tile-lower-traversals -o /dev/null \
// RUN:   --remarks-filter=gnn-tile-lower-traversals --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=AHEAD

// The loads that registers allow in front of their use: of means, and of dots of 64 and of 8 features.
//
// AHEAD:      row_walk by_edges, the next words ahead, words that are loaded once"
// AHEAD:      row_walk by_edges, the next words ahead, words that are loaded once"
// AHEAD:      4 teams of 16 lanes, row_walk by_edges, the next words ahead, values of the next group ahead"
// AHEAD:      128 teams of 2 lanes, row_walk by_edges, in turns"

gnn.graph @large square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 150000,
  dst_nodes = 150000, edges = 4000000, type_edges = [4000000], src_pairs = [150000],
  dst_pairs = [150000], in_degree_max = 9000, out_degree_max = 9000>}

// A mean is one sum, but with two lanes a row its 16 rows under way take too many
// registers. Loads of dots are kept together by ptxas if it may take registers for them; where there
// are many blocks, they have 64 threads.
//
// CHECK-LABEL: func.func @narrow_means
// CHECK:         vector = 4, lanes = 1, {{.*}}in_flight = 16, rows_per_block
// CHECK:         vector = 4, lanes = 2, {{.*}}in_flight = 4, rows_per_block
func.func @narrow_means(%x: memref<?x4xf32>, %w: memref<?x8xf32>, %y: memref<?x4xf32>, %z: memref<?x8xf32>) {
  gnn_tile.traverse @large <dst, edge.in_rows, features = 4>
      ins(%x : memref<?x4xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce mean [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @large <dst, edge.in_rows, features = 8>
      ins(%w : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%z : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce mean [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @dots
// CHECK:         lanes = 16, {{.*}}in_flight = 4, processor_blocks = 16, rows_per_block = 4, {{.*}}row_walk = by_edges, distribution = blocked>
// CHECK:         lanes = 2, {{.*}}in_flight = 4, rows_per_block = 128, {{.*}}row_walk = by_edges, distribution = cyclic>
func.func @dots(%x: memref<?x64xf32>, %w: memref<?x8xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @large <dst, edge.in_rows, features = 64>
      ins(%x, %x : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <columns_per_block = 64, vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @large <dst, edge.in_rows, features = 8>
      ins(%w, %w : memref<?x8xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Blocks of more threads are fewer, so that a lane has the same registers.
//
// CHECK-LABEL: func.func @large_blocks
// CHECK:         lanes = 16, {{.*}}in_flight = 4, processor_blocks = 2, rows_per_block = 32, {{.*}}row_walk = by_edges, distribution = blocked>
// CHECK:         lanes = 16, {{.*}}in_flight = 4, processor_blocks = 1, rows_per_block = 64, {{.*}}row_walk = by_edges, distribution = blocked>
func.func @large_blocks(%x: memref<?x64xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @large <dst, edge.in_rows, features = 64>
      ins(%x, %x : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <columns_per_block = 64, vector = 4, rows_per_block = 32, row_walk = by_edges> {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @large <dst, edge.in_rows, features = 64>
      ins(%x, %x : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <columns_per_block = 64, vector = 4, rows_per_block = 64, row_walk = by_edges> {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

gnn.graph @of_21 square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 100000,
  dst_nodes = 100000, edges = 2100000, type_edges = [2100000], src_pairs = [100000], dst_pairs = [100000]>}
gnn.graph @of_22 square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 100000,
  dst_nodes = 100000, edges = 2200000, type_edges = [2200000], src_pairs = [100000], dst_pairs = [100000]>}
gnn.graph @of_4 square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 400000,
  dst_nodes = 400000, edges = 1600000, type_edges = [1600000], src_pairs = [400000], dst_pairs = [400000]>}
gnn.graph @unknown square {node_types = 1, edge_types = 1}

// Teams of dots take turns where a share of 64 elements has those of three groups on average.
//
// TURNS: teams take turns: rows have no results, and 32 lanes each, groups have 21.0 elements on average"
// TURNS: teams take elements side by side: 32 lanes have a row, groups have 22.0 elements on average"
// TURNS: teams take turns: rows have no results, and 32 lanes each, groups have 4.0 elements on average"
// TURNS: teams take elements side by side: 32 lanes have a row"
//
// CHECK-LABEL: func.func @short_groups
// CHECK:         @of_21 {{.*}}lanes = 32, {{.*}}distribution = cyclic>
// CHECK:         @of_22 {{.*}}lanes = 32, {{.*}}distribution = blocked>
// CHECK:         @of_4 {{.*}}lanes = 32, {{.*}}distribution = cyclic>
// CHECK:         @unknown {{.*}}lanes = 32, {{.*}}distribution = blocked>
// OFF-LABEL: func.func @short_groups
// OFF-COUNT-4:   distribution = blocked>
func.func @short_groups(%x: memref<?x128xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @of_21 <dst, edge.in_rows, features = 128>
      ins(%x, %x : memref<?x128xf32>, memref<?x128xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @of_22 <dst, edge.in_rows, features = 128>
      ins(%x, %x : memref<?x128xf32>, memref<?x128xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @of_4 <dst, edge.in_rows, features = 128>
      ins(%x, %x : memref<?x128xf32>, memref<?x128xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @unknown <dst, edge.in_rows, features = 128>
      ins(%x, %x : memref<?x128xf32>, memref<?x128xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Others do not, however short: rows that are added to keep theirs, and a number of each element that is
// no dot.
//
// CHECK-LABEL: func.func @no_dots
// CHECK:         row_walk = by_edges, runs = 32>
// CHECK:         row_walk = by_edges, distribution = blocked>
func.func @no_dots(%x: memref<?x128xf32>, %y: memref<?x128xf32>, %z: memref<?x128xf32>) {
  gnn_tile.traverse @of_4 <dst, edge.in_rows, features = 128>
      ins(%x : memref<?x128xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x128xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @of_4 <dst, edge.in_rows, features = 128>
      ins(%x, %x : memref<?x128xf32>, memref<?x128xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%z : memref<?x128xf32>) at [#gnn_tile.at<element : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32, %u: f32):
    %d = arith.subf %v, %u : f32
    gnn_tile.yield %d : f32
  }
  return
}

gnn.graph @far square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2449029,
  dst_nodes = 2449029, edges = 123718280, type_edges = [123718280], src_pairs = [2449029],
  dst_pairs = [2449029], in_degree_max = 101, out_degree_max = 101, near_edges = [400000, 3300000, 26500000]>}
gnn.graph @near square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2449029,
  dst_nodes = 2449029, edges = 123718280, type_edges = [123718280], src_pairs = [2449029],
  dst_pairs = [2449029], in_degree_max = 101, out_degree_max = 101, near_edges = [60000000, 100000000, 123000000]>}

// Sums of one row and numbers in order: wide rows in tiles of 16 lanes, from 4 lanes on in blocks of
// 128 threads unless all lanes of a warp have one; extremes with their edges are not among them.
//
// CHECK-LABEL: func.func @wide
// CHECK:         columns_per_block = 64, vector = 4, lanes = 16, {{.*}}in_flight = 8, rows_per_block = 8,
// CHECK:         columns_per_block = 100, vector = 4, lanes = 32, {{.*}}in_flight = 8, rows_per_block = 8,
// CHECK:         columns_per_block = 128, vector = 4, lanes = 32, {{.*}}in_flight = 4, rows_per_block = 8,
func.func @wide(%x: memref<?x128xf32>, %w: memref<?x100xf32>, %y: memref<?x128xf32>, %z: memref<?x100xf32>,
                %at: memref<?x128xi32>) {
  gnn_tile.traverse @far <dst, edge.in_rows, features = 128>
      ins(%x : memref<?x128xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x128xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @far <dst, edge.in_rows, features = 100>
      ins(%w : memref<?x100xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%z : memref<?x100xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @far <dst, edge.in_rows, features = 128>
      ins(%x : memref<?x128xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y, %at : memref<?x128xf32>, memref<?x128xi32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %e = gnn_tile.index #gnn_tile.at<element -> edge>
    %s, %i = gnn_tile.arg_reduce max %v, %e : f32
    gnn_tile.yield %s, %i : f32, i32
  }
  return
}

// Narrow rows that most come from memory are asked for further ahead: those of @far are 78 MB, those
// of @near as many, but near each other, and rows of 4 features are in the L2. So are the rows of 16
// features of @large, which weights take no further ahead than plain sums; those of @near are not.
//
// CHECK-LABEL: func.func @narrow_rows
// CHECK:         @far {{.*}}in_flight = 32,
// CHECK:         @near {{.*}}in_flight = 16,
// CHECK:         @far {{.*}}in_flight = 16,
// CHECK:         @large {{.*}}lanes = 4, {{.*}}in_flight = 8, rows_per_block = 64,
// CHECK:         @near {{.*}}lanes = 4, {{.*}}in_flight = 4, rows_per_block = 32,
func.func @narrow_rows(%x: memref<?x8xf32>, %w: memref<?x4xf32>, %t: memref<?x16xf32>, %weight: memref<?xf32>,
                       %y: memref<?x8xf32>, %z: memref<?x4xf32>, %u: memref<?x16xf32>) {
  gnn_tile.traverse @far <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @near <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @far <dst, edge.in_rows, features = 4>
      ins(%w : memref<?x4xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%z : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @large <dst, edge.in_rows, features = 16>
      ins(%t, %weight : memref<?x16xf32>, memref<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element>]
      outs(%u : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @near <dst, edge.in_rows, features = 16>
      ins(%t, %weight : memref<?x16xf32>, memref<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element>]
      outs(%u : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Walks of two waves have fewer elements in flight where all of their blocks are at work at once then: 586 blocks
// of 256 threads, of which an H200 has 396, 528 and 660 at once with 8, 4 and 2. 733 blocks keep 8, 391 need no fewer.
//
// CHECK-LABEL: func.func @two_waves
// CHECK:         lanes = 16, {{.*}}in_flight = 2, rows_per_block = 16
// CHECK:         lanes = 16, {{.*}}in_flight = 8, rows_per_block = 16
// CHECK:         lanes = 16, {{.*}}in_flight = 8, rows_per_block = 16
// TURNS: in_flight is 2: more would leave blocks for a second wave"
// TURNS: in_flight is 8: the sum is plain"
// TURNS: in_flight is 8: the sum is plain"

gnn.graph @waves square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 15000,
  dst_nodes = 15000, edges = 600000, type_edges = [600000], src_pairs = [15000],
  dst_pairs = [15000], in_degree_max = 400, out_degree_max = 400>}
gnn.graph @more square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 15000,
  dst_nodes = 15000, edges = 750000, type_edges = [750000], src_pairs = [15000],
  dst_pairs = [15000], in_degree_max = 400, out_degree_max = 400>}
gnn.graph @fewer square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 15000,
  dst_nodes = 15000, edges = 400000, type_edges = [400000], src_pairs = [15000],
  dst_pairs = [15000], in_degree_max = 400, out_degree_max = 400>}

func.func @two_waves(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @waves <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @more <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @fewer <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
