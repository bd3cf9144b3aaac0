// RUN: gnn-opt %s --gnn-schedule-pipeline='edge-walks=0 tensor-cores=false async-copies=false' --split-input-file \
// RUN:   | FileCheck %s
// RUN: gnn-opt %s --gnn-schedule-pipeline='edge-walks=0 tensor-cores=false async-copies=false' --split-input-file -o /dev/null \
// RUN:   --remarks-filter=gnn-tile-schedule-runs --remark-format=emitRemark --remark-policy=all 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAYS
// RUN: gnn-opt %s --gnn-schedule-pipeline='edge-walks=0 sum-runs=0' --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: gnn-opt %s --gnn-schedule-pipeline='edge-walks=0 sum-runs=4' --split-input-file | FileCheck %s --check-prefix=FOUR
// RUN: not gnn-opt %s --gnn-tile-schedule-runs=length=-1 2>&1 | FileCheck %s --check-prefix=RANGE

// OFF-NOT: runs =
// RANGE: gnn-tile-schedule-runs: expected 'length' from 0 to 2147483647, got -1

gnn.graph @unknown square {node_types = 1, edge_types = 3}

// A block may walk any number of elements, each of its lanes in runs. Sums alone are: a
// maximum has no roundings, sums of f64 and integers few that count.
//
// CHECK-LABEL: func.func @sums
// CHECK:         gnn_tile.traverse @unknown <dst, {{.+}} runs = 32>
// CHECK:         gnn_tile.traverse @unknown <src, {{.+}} split_rows = 256>
// CHECK:         gnn_tile.traverse @unknown <graph, {{.+}} row_walk = block, runs = 32>
// FOUR:          gnn_tile.traverse @unknown <dst, {{.+}} runs = 4>
// SAYS: remark: [Passed] Scheduled | Category:gnn-tile-schedule-runs | Remark="a lane adds up an unknown number of elements: in runs of 32"
func.func @sums(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @unknown <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce mean [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @unknown <src, edge.out_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @unknown <graph, src, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Tiles have as many rows as they say, of which 16 lanes have 64 each.
//
// CHECK-LABEL: func.func @tiles
// CHECK:         gnn_tile.traverse @unknown <tiles<edge_type, src_pair, 1024>
// CHECK-NOT:     runs =
// CHECK:         return
// FOUR-LABEL:  func.func @tiles
// FOUR:          row_walk = block, runs = 4>
func.func @tiles(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @unknown <tiles<edge_type, src_pair, 1024>, src_pair, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A field that is set stays.
//
// CHECK-LABEL: func.func @given
// CHECK:         runs = 1000>
// FOUR-LABEL:  func.func @given
// FOUR:          runs = 1000>
// OFF-LABEL:   func.func @given
// OFF:           runs = 1000>
func.func @given(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @unknown <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <runs = 1000> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Outer products of all rows, and of tiles; where threads have 32 sums each, tiles of 1024
// rows are added plainly.
//
// CHECK-LABEL: func.func @outer
// CHECK:         gnn_tile.outer @unknown rows src_pair types edge_type {{.+}} schedule <n = 64, kind = ffma, copies = registers, runs = 32>
// CHECK:         gnn_tile.outer @unknown rows src_pair types tiles<edge_type, src_pair, 1024> {{.+}} schedule <n = 16, kind = ffma, copies = registers, runs = 32>
// CHECK:         gnn_tile.outer @unknown rows src_pair types tiles<edge_type, src_pair, 1024> {{.+}} schedule <n = 64, kind = ffma, copies = registers>
// SAYS: remark: [Passed] Scheduled | Category:gnn-tile-schedule-runs | Remark="a block adds up an unknown number of rows: in runs of 32"
// SAYS: remark: [Passed] Scheduled | Category:gnn-tile-schedule-runs | Remark="a block adds up 1024 rows at most: in runs of 32"
// SAYS: remark: [Missed] Refused | Category:gnn-tile-schedule-runs | Remark="a block adds up 1024 rows at most, too few for runs"
func.func @outer(%x: memref<?x64xf32>, %narrow: memref<?x8xf32>, %dy: memref<?x64xf32>,
                 %all: memref<3x64x64xf32>, %a: memref<?x64x8xf32>, %b: memref<?x64x64xf32>) {
  gnn_tile.outer @unknown rows src_pair types edge_type
      ins(%x, %dy : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%all : memref<3x64x64xf32>)
  gnn_tile.outer @unknown rows src_pair types tiles<edge_type, src_pair, 1024>
      ins(%x, %narrow : memref<?x64xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%a : memref<?x64x8xf32>)
  gnn_tile.outer @unknown rows src_pair types tiles<edge_type, src_pair, 1024>
      ins(%x, %dy : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%b : memref<?x64x64xf32>)
  return
}

// -----

gnn.graph @short square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000,
  dst_nodes = 1000, edges = 9000, type_edges = [9000], src_pairs = [1000],
  dst_pairs = [1000], in_degree_max = 900, out_degree_max = 9000>}

// Statistics say that lanes have few elements of a row, or more.
//
// CHECK-LABEL: func.func @known
// CHECK:         gnn_tile.traverse @short <dst, {{.+}} split_rows = 64>
// CHECK:         gnn_tile.traverse @short <src, {{.+}} runs = 32>
// SAYS: remark: [Missed] Refused | Category:gnn-tile-schedule-runs | Remark="a lane adds up 57 elements at most, too few for runs"
// SAYS: remark: [Passed] Scheduled | Category:gnn-tile-schedule-runs | Remark="a lane adds up 563 elements at most: in runs of 32"
func.func @known(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @short <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @short <src, edge.out_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A second kernel adds what shares leave of rows: 4 blocks of 2048 elements of the longest.
//
// CHECK-LABEL: func.func @shares
// CHECK:         row_walk = by_edges>
// SAYS: remark: [Missed] Refused | Category:gnn-tile-schedule-runs | Remark="a lane adds up {{[0-9]+}} pieces at most, too few for runs"
func.func @shares(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @short <src, edge.out_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// The longest row of 9,000 elements lies in 142 shares of 256 teams, in all of 128, 64 and 32,
// whatever the length of runs; 16 teams have few, and so are the shares of 900 elements.
//
// CHECK-LABEL: func.func @narrow
// CHECK:         <src, edge.out_rows> {{.+}} row_walk = by_edges, runs = 32>
// CHECK:         features = 8> {{.+}} row_walk = by_edges, runs = 32>
// CHECK:         features = 16> {{.+}} row_walk = by_edges, runs = 32>
// CHECK:         features = 32> {{.+}} row_walk = by_edges, runs = 32>
// CHECK:         features = 64> {{.+}} row_walk = by_edges>
// CHECK:         <dst, edge.in_rows> {{.+}} row_walk = by_edges>
// FOUR-LABEL:  func.func @narrow
// FOUR:          <src, edge.out_rows> {{.+}} row_walk = by_edges, runs = 4>
// FOUR:          features = 8> {{.+}} row_walk = by_edges, runs = 4>
// FOUR:          features = 16> {{.+}} row_walk = by_edges, runs = 4>
// FOUR:          features = 32> {{.+}} row_walk = by_edges, runs = 4>
// FOUR:          features = 64> {{.+}} row_walk = by_edges, runs = 4>
// FOUR:          <dst, edge.in_rows> {{.+}} row_walk = by_edges>
// SAYS: remark: [Passed] Scheduled | Category:gnn-tile-schedule-runs | Remark="a row lies in 142 shares of a block at most: their parts are added with compensation"
// SAYS: remark: [Passed] Scheduled | Category:gnn-tile-schedule-runs | Remark="a row lies in 128 shares of a block at most: their parts are added with compensation"
// SAYS: remark: [Passed] Scheduled | Category:gnn-tile-schedule-runs | Remark="a row lies in 64 shares of a block at most: their parts are added with compensation"
// SAYS: remark: [Passed] Scheduled | Category:gnn-tile-schedule-runs | Remark="a row lies in 32 shares of a block at most: their parts are added with compensation"
// SAYS: remark: [Missed] Refused | Category:gnn-tile-schedule-runs | Remark="a lane adds up 22 pieces at most, too few for runs"
// SAYS: remark: [Missed] Refused | Category:gnn-tile-schedule-runs | Remark="a lane adds up 5 pieces at most, too few for runs"
func.func @narrow(%a: memref<?x1xf32>, %b: memref<?x8xf32>, %c: memref<?x16xf32>, %d: memref<?x32xf32>,
                  %e: memref<?x64xf32>, %to_e: memref<?x64xf32>, %to_a: memref<?x1xf32>, %to_b: memref<?x8xf32>, %to_c: memref<?x16xf32>, %to_d: memref<?x32xf32>) {
  gnn_tile.traverse @short <src, edge.out_rows, features = 1>
      ins(%a : memref<?x1xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%to_a : memref<?x1xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 1, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @short <src, edge.out_rows, features = 8>
      ins(%b : memref<?x8xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%to_b : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @short <src, edge.out_rows, features = 16>
      ins(%c : memref<?x16xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%to_c : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @short <src, edge.out_rows, features = 32>
      ins(%d : memref<?x32xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%to_d : memref<?x32xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @short <src, edge.out_rows, features = 64>
      ins(%e : memref<?x64xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%to_e : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @short <dst, edge.in_rows, features = 1>
      ins(%a : memref<?x1xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%to_a : memref<?x1xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 1, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
