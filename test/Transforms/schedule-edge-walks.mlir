// RUN: gnn-opt %s --gnn-tile-schedule-edge-walks --gnn-schedule-pipeline --split-input-file \
// RUN:   --remarks-filter=gnn-tile-schedule-edge-walks --remark-format=emitRemark \
// RUN:   --remark-policy=all 2>/dev/null | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-schedule-edge-walks --split-input-file -o /dev/null \
// RUN:   --remarks-filter=gnn-tile-schedule-edge-walks --remark-format=emitRemark 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAYS
// RUN: gnn-opt %s --gnn-tile-schedule-edge-walks=edges=0 --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: not gnn-opt %s --gnn-tile-schedule-edge-walks=edges=2 2>&1 | FileCheck %s --check-prefix=RANGE

// OFF-NOT: by_edges
// RANGE: gnn-tile-schedule-edge-walks: expected 'edges' -1, 0 or 1, got 2

gnn.graph @large square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 200000,
  dst_nodes = 200000, edges = 4000000, type_edges = [4000000], src_pairs = [200000],
  dst_pairs = [200000], in_degree_max = 9000, out_degree_max = 9000>}

// Eight elements under way and blocks of 256 threads; the columns fit the L2.
//
// CHECK-LABEL: func.func @sum
// CHECK:         vector = 4, lanes = {{8|16}}, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = {{32|16}}, row_order = natural, row_walk = by_edges
// SAYS: remark: {{.*}}teams take equal shares of the elements: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model
func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @large <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @chosen_before
// CHECK:         row_walk = team, runs = 32>
func.func @chosen_before(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @large <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <row_walk = team> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A lane by itself has a share too.
//
// CHECK-LABEL: func.func @scores
// CHECK:         lanes = 1, {{.*}}in_flight = 16, {{.*}}row_walk = by_edges
func.func @scores(%x: memref<?xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @large <dst, edge.in_rows>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A row of one number for each head is a row, not numbers beside one: the sum is plain.
//
// CHECK-LABEL: func.func @numbers
// CHECK:         lanes = 1, head_lanes = 8, {{.*}}in_flight = 8, {{.*}}row_walk = by_edges
func.func @numbers(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  gnn_tile.traverse @large <dst, edge.in_rows, heads = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : head>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : head>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Numbers in the order of the elements: four are under way. In another order they have a stream
// of their own, and eight are.
//
// CHECK-LABEL: func.func @weighted
// CHECK:         in_flight = 4, {{.*}}row_walk = by_edges
// CHECK:         in_flight = 8, {{.*}}row_walk = by_edges
func.func @weighted(%w: memref<?xf32>, %x: memref<?x32xf32>, %y: memref<?x32xf32>, %z: memref<?x32xf32>) {
  gnn_tile.traverse @large <dst, edge.in_rows, features = 32>
      ins(%w, %x : memref<?xf32>, memref<?x32xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x32xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @large <dst, edge.in_rows, features = 32>
      ins(%w, %x : memref<?xf32>, memref<?x32xf32>)
      at [#gnn_tile.at<element -> edge>, #gnn_tile.at<element -> src : feature>]
      outs(%z : memref<?x32xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @twice
// CHECK-NOT:     by_edges
// SAYS: remark: {{.*}}expected elements that are walked once
func.func @twice(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @large <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %m = gnn_tile.reduce max [element] %v : f32
    %d = arith.subf %v, %m : f32
    %s = gnn_tile.reduce sum [element] %d : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

// Two launches of time are what it has to save.
gnn.graph @small square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2000,
  dst_nodes = 2000, edges = 40000, type_edges = [40000], src_pairs = [2000],
  dst_pairs = [2000], in_degree_max = 900, out_degree_max = 900>}

// CHECK-LABEL: func.func @few
// CHECK-NOT:     by_edges
// SAYS: remark: {{.*}}equal shares of the elements would {{be slower|save too little}}: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model
func.func @few(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @small <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @middle square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 15000,
  dst_nodes = 15000, edges = 600000, type_edges = [600000], src_pairs = [15000],
  dst_pairs = [15000], in_degree_max = 9000, out_degree_max = 9000>}

// CHECK-LABEL: func.func @less_than_a_million
// CHECK:         by_edges
// SAYS: remark: {{.*}}teams take equal shares of the elements: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model
func.func @less_than_a_million(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @middle <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

// Kernels do not build structures of a graph with a schema.
gnn.graph @schema square {node_types = 2, edge_types = 1, schema = [[0, 1]], stats = #gnn.stats<
  src_nodes = 15000, dst_nodes = 15000, edges = 100000, type_edges = [100000],
  src_pairs = [15000], dst_pairs = [15000], in_degree_max = 9000, out_degree_max = 9000>}

// CHECK-LABEL: func.func @few_by_torch
// CHECK-NOT:     by_edges
// SAYS: remark: {{.*}}100000 elements are too few for structures that the host builds: expected at least 131072
func.func @few_by_torch(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @schema <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @shorter square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 75877, dst_nodes = 75877,
  edges = 811478, type_edges = [811478], src_pairs = [75877], dst_pairs = [75877], in_degree_max = 2780, out_degree_max = 2780>}
gnn.graph @some square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 75877, dst_nodes = 75877,
  edges = 811478, type_edges = [811478], src_pairs = [75877], dst_pairs = [75877], in_degree_squares = 149213718,
  in_degree_max = 3044, out_degree_squares = 149213718, out_degree_max = 3044, src_pair_max = [3044],
  dst_pair_max = [3044], near_edges = [386614, 737190, 811478]>}

// Of this many elements, a saving of less than half of a launch (3 us) is enough.
//
// CHECK-LABEL: func.func @quarter
// CHECK:         row_walk = by_edges
// SAYS: remark: {{.*}}teams take equal shares of the elements: 25.13 us instead of 27.95 us by the model
func.func @quarter(%x: memref<?x8xf32>, %w: memref<?xf32>, %y: memref<?x8xf32>) {
  gnn_tile.traverse @some <dst, edge.in_rows, features = 8>
      ins(%x, %w : memref<?x8xf32>, memref<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// More than the margin (5 % of the time), and less than a quarter of a launch.
//
// CHECK-LABEL: func.func @less
// CHECK-NOT:     by_edges
// SAYS: remark: {{.*}}equal shares of the elements would save too little: 25.98 us instead of 27.43 us by the model, of which they have to save 1.50 us
func.func @less(%x: memref<?x8xf32>, %w: memref<?xf32>, %y: memref<?x8xf32>) {
  gnn_tile.traverse @shorter <dst, edge.in_rows, features = 8>
      ins(%x, %w : memref<?x8xf32>, memref<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}
