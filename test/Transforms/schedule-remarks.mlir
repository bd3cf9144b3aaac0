// RUN: gnn-opt %s --gnn-tile-schedule-columns --gnn-tile-schedule-lanes --gnn-tile-schedule-rows --gnn-tile-schedule-row-walks \
// RUN:   --gnn-tile-schedule-products --split-input-file \
// RUN:   --remarks-filter='gnn-tile-schedule-(products|rows|row-walks)' --remark-policy=all --verify-diagnostics
// RUN: gnn-opt %s --gnn-tile-schedule-products='tensor-cores=false async-copies=false' --split-input-file \
// RUN:   --remarks-filter='gnn-tile-schedule-products' --remark-policy=all --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --implicit-check-not=Refused
// RUN: gnn-opt %s --gnn-tile-schedule-columns --split-input-file -o /dev/null \
// RUN:   --remarks-filter=gnn-tile-schedule-columns --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=COLUMNS --implicit-check-not=Passed
// RUN: gnn-opt %s --gnn-tile-schedule-columns --gnn-tile-schedule-lanes --gnn-tile-schedule-rows=cyclic=false --split-input-file -o - \
// RUN:   --remarks-filter=gnn-tile-schedule-rows --remark-format=emitRemark --remark-policy=all 2>&1 | FileCheck %s --check-prefix=BLOCKED --implicit-check-not='distribution = cyclic'

// Remarks say the schedules, and why another choice was refused. A choice that nobody
// asked for is not refused.
//
// CHECK: remark: [Passed] Scheduled | Category:gnn-tile-schedule-products | Remark="tiles of 64 columns, multiplied by ffma, staged by registers"

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @fits(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{tiles of 64 columns, multiplied by tf32x3, staged by async}}
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @transposed_bf16(%x: memref<?x64xbf16>, %w: memref<8x64xbf16>, %y: memref<?x8xbf16>) {
  // expected-remark @+3 {{cannot honour the schedule's 'copies': expected a weight of f32 with rows aligned to 16 bytes for async, got a transposed one of memref<8x64xbf16>}}
  // expected-remark @+2 {{cannot honour the schedule's 'kind': expected operands of f32 for tf32x3, got bf16}}
  // expected-remark @+1 {{tiles of 16 columns, multiplied by ffma, staged by registers}}
  gnn_tile.gemm @g rows node transposed ins(%x, %w : memref<?x64xbf16>, memref<8x64xbf16>)
      at <group : feature> extras at [] outs(%y : memref<?x8xbf16>) at <group : feature> {
  ^bb0(%acc: bf16):
    gnn_tile.yield %acc : bf16
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @wide_outer(%x: memref<?x6xf32>, %dy: memref<?x64xf32>, %dw: memref<6x64xf32>) {
  // expected-remark @+3 {{expected rows of f32 aligned to 16 bytes for async, got memref<?x6xf32>}}
  // expected-remark @+2 {{expected ffma to be faster than tf32x3: wide tiles that are loaded take the registers of its sums}}
  // expected-remark @+1 {{tiles of 64 columns, multiplied by ffma, staged by registers}}
  gnn_tile.outer @g rows node ins(%x, %dy : memref<?x6xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<6x64xf32>)
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @outer_with_sums(%x: memref<?x64xf32>, %dy: memref<?x64xf32>, %dw: memref<64x64xf32>, %db: memref<64xf32>) {
  // expected-remark @+2 {{expected ffma to be faster than tf32x3: it sums columns too}}
  // expected-remark @+1 {{tiles of 64 columns, multiplied by ffma, staged by async}}
  gnn_tile.outer @g rows node ins(%x, %dy : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<64x64xf32>) sums(%db : memref<64xf32>)
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// A field that is given is no choice: the pass has nothing to say.

func.func @given(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature>
      schedule <n = 32, kind = ffma, copies = registers> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+2 {{a block takes 8 rows, in_flight is 4}}
  // expected-remark @+1 {{all teams of a block walk a row of more than 256 elements}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+2 {{a block takes 16 rows, in_flight is 1}}
  // expected-remark @+1 {{each team walks its own row: nothing is summed over elements}}
  gnn_tile.traverse @g <dst, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @types(%x: memref<?x64xf32>, %y: memref<3x64xf32>) {
  // expected-remark @+2 {{a block takes 8 rows, in_flight is 4}}
  // expected-remark @+1 {{all teams of a block walk each row: rows are few}}
  gnn_tile.traverse @g <edge_type, edge.dst_pairs, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element : feature>]
      outs(%y : memref<3x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @one_team(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+2 {{a block takes 1 row, in_flight is 4}}
  // expected-remark @+1 {{each team walks its own row: a block has one team}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <rows_per_block = 1> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @shared_memory(%x: memref<?x2048xf32>, %y: memref<?x2048xf32>) {
  // expected-remark @+2 {{a block takes 8 rows, in_flight is 4}}
  // expected-remark @+1 {{each team walks its own row: sums of a block take too much shared memory}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 2048>
      ins(%x : memref<?x2048xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x2048xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 2048, vector = 4, lanes = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Walks by edges say what a block takes and why so many elements are under way, whether teams
// take turns, and of which registers are few.
//
// BLOCKED: teams take elements side by side: rows have results
// BLOCKED: teams take elements side by side: it is turned off

func.func @by_edges(%x: memref<?x8xf32>, %w: memref<?x64xf32>, %s: memref<?xf32>, %y: memref<?x8xf32>) {
  // expected-remark @+2 {{a block takes 128 shares of 64 elements, in_flight is 16: the sum is plain}}
  // expected-remark @+1 {{teams take elements side by side: rows have results}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %r = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %r : f32
  }
  // expected-remark @+2 {{a block takes 128 shares of 64 elements, in_flight is 4: features of elements are reduced}}
  // expected-remark @+1 {{teams take turns: rows have no results, and 2 lanes}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x, %x : memref<?x8xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%s : memref<?xf32>) at [#gnn_tile.at<element>] schedule <row_walk = by_edges> {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  }
  // expected-remark @+3 {{a block takes 16 shares of 64 elements, in_flight is 2}}
  // expected-remark @+2 {{a multiprocessor has room for 4 blocks, by what lanes hold of rows and sums}}
  // expected-remark @+1 {{teams take elements side by side: 16 lanes have a row}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%w, %w : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%s : memref<?xf32>) at [#gnn_tile.at<element>] schedule <row_walk = by_edges, in_flight = 2> {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Numbers that are rows themselves are none beside rows, in whatever order; those beside rows
// hold back elements that are under way where they lie in order.

func.func @numbers(%x: memref<?x8xf32>, %f: memref<?x8x4xf32>, %s: memref<?xf32>, %y: memref<?x8xf32>,
                   %z: memref<?xf32>, %t: memref<?x8x4xf32>) {
  // expected-remark @+2 {{a block takes 32 shares of 64 elements, in_flight is 8: the sum is plain}}
  // expected-remark @+1 {{rows have results}}
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element : head>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : head>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %r = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %r : f32
  }
  // expected-remark @+2 {{a block takes 256 shares of 64 elements, in_flight is 16: the sum is plain}}
  // expected-remark @+1 {{rows have results}}
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%s : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%z : memref<?xf32>) at [#gnn_tile.at<group>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %r = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %r : f32
  }
  // expected-remark @+2 {{in_flight is 4: numbers beside rows lie in order}}
  // expected-remark @+1 {{rows have results}}
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 4>
      ins(%x, %f : memref<?x8xf32>, memref<?x8x4xf32>)
      at [#gnn_tile.at<element : head>, #gnn_tile.at<element -> src : head, feature>]
      outs(%t : memref<?x8x4xf32>) at [#gnn_tile.at<group : head, feature>] schedule <row_walk = by_edges> {
  ^bb0(%w: f32, %v: f32):
    %p = arith.mulf %w, %v : f32
    %r = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %r : f32
  }
  // expected-remark @+2 {{in_flight is 8: several sums or other numbers are held}}
  // expected-remark @+1 {{rows have results}}
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 4>
      ins(%x, %f : memref<?x8xf32>, memref<?x8x4xf32>)
      at [#gnn_tile.at<element -> src : head>, #gnn_tile.at<element -> src : head, feature>]
      outs(%t : memref<?x8x4xf32>) at [#gnn_tile.at<group : head, feature>] schedule <row_walk = by_edges> {
  ^bb0(%w: f32, %v: f32):
    %p = arith.mulf %w, %v : f32
    %r = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %r : f32
  }
  return
}

// -----

gnn.graph @few square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 75000, dst_nodes = 75000,
  edges = 500000, type_edges = [500000], src_pairs = [75000], dst_pairs = [75000], in_degree_max = 3000, out_degree_max = 3000>}

// Lanes of few elements are few; rows have more of them.
//
// COLUMNS: remark: [Passed] MoreLanes | Category:gnn-tile-schedule-columns | Remark="with 500000 elements alone, a lane takes 1 features instead of 4, and a row has more lanes"

func.func @few_elements(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  // expected-remark @+2 {{a block takes 32 shares of 64 elements, in_flight is 8: the sum is plain}}
  // expected-remark @+1 {{teams take elements side by side: rows have results}}
  gnn_tile.traverse @few <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %r = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %r : f32
  }
  return
}
