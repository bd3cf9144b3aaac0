// RUN: gnn-opt %s --gnn-tile-split-edge-walks --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-split-edge-walks --split-input-file -o /dev/null \
// RUN:   --remarks-filter=gnn-tile-split-edge-walks --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SAID
//
// The remarks of @mean, @outputs, @alone, @atomic and the hubs.
//
// SAID:     Remark="blocks of 1024 elements, whose pieces of rows a second step joins"
// SAID:     Remark="blocks of 1024 elements, whose pieces of rows a second step joins"
// SAID:     Remark="blocks of 1024 elements, which leave no pieces of rows"
// SAID:     Remark="blocks of 1024 elements, which add to rows that a first step sets to zero"
// SAID:     Remark="blocks of 1024 elements, whose pieces of rows a second step joins"
// SAID:     Remark="blocks of 1024 elements, whose pieces of rows a second step joins"
// SAID-NOT: Remark=

gnn.graph @g square {node_types = 1, edge_types = 1}

// The pieces that blocks leave of rows lie behind the workspace. The second step reads
// them, and adds the bias, which rows get when all of their elements are there.
//
// CHECK-LABEL: func.func @mean(
// CHECK-SAME:      %[[workspace:[a-z0-9]+]]: memref<?xi8> {gnn.workspace})
// CHECK:         %[[end:.*]] = arith.constant 4096 : index
// CHECK:         %[[pieces:.*]] = gnn_tile.count @g piece_count dst edge.in_rows 1024
// CHECK:         %[[bytes:.*]] = arith.muli %[[pieces]], %c256
// CHECK:         %[[up:.*]] = arith.ceildivui %[[bytes]]
// CHECK:         %[[aligned:.*]] = arith.muli %[[up]]
// CHECK:         %[[size:.*]] = arith.addi %[[end]], %[[aligned]]
// CHECK:         gnn_tile.workspace_size %[[size]]
// CHECK:         %[[parts:.*]] = memref.view %[[workspace]][%[[end]]][%[[pieces]]] : memref<?xi8> to memref<?x64xf32>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%{{.*}}) at [{{[^]]*}}, {{[^]]*}}] outs(%[[y:[a-z0-9]+]] : memref<?x64xf32>)
// CHECK-SAME:        parts(%[[parts]] : memref<?x64xf32>) of pieces<dst, edge.in_rows, 1024>
// CHECK-SAME:        row_walk = by_edges
// CHECK:           %[[sum:.*]] = gnn_tile.reduce sum [element]
// CHECK:           %[[count:.*]] = gnn_tile.size : f32
// CHECK:           %[[some:.*]] = arith.maximumf %[[count]]
// CHECK:           %[[share:.*]] = arith.divf %{{.*}}, %[[some]]
// CHECK:           arith.mulf %[[sum]], %[[share]]
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%{{.*}}) at [{{[^]]*}}, {{[^]]*}}] outs(%[[y]] : memref<?x64xf32>)
// CHECK-SAME:        parts(%[[parts]] : memref<?x64xf32>) of pieces<dst, edge.in_rows, 1024>
// CHECK-SAME:        in_flight = 4, {{.*}}row_walk = team
// CHECK:           arith.divf
func.func @mean(%x: memref<?x64xf32>, %bias: memref<64xf32>, %y: memref<?x64xf32>,
                %workspace: memref<?xi8> {gnn.workspace}) {
  %end = arith.constant 4096 : index
  gnn_tile.workspace_size %end
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %bias : memref<?x64xf32>, memref<64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<all : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32, %b: f32):
    %s = gnn_tile.reduce mean [element] %v : f32
    %o = arith.addf %s, %b : f32
    gnn_tile.yield %o : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Rows of elements are whole wherever blocks begin: the second step has no such output,
// and without a sum there is none.
//
// CHECK-LABEL: func.func @outputs
// CHECK:         gnn_tile.traverse @g {{.*}} outs(%arg1, %arg2 : memref<?xf32>, memref<?x64xf32>)
// CHECK-SAME:        of pieces<dst, edge.in_rows, 1024>
// CHECK:         gnn_tile.traverse @g {{.*}} outs(%arg2 : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
// CHECK-SAME:        row_walk = team
// CHECK-LABEL: func.func @alone
// CHECK:         gnn_tile.traverse
// CHECK-NOT:     gnn_tile.traverse
// CHECK-NOT:     pieces
func.func @outputs(%x: memref<?x64xf32>, %e: memref<?xf32>, %y: memref<?x64xf32>,
                   %workspace: memref<?xi8> {gnn.workspace}) {
  %end = arith.constant 0 : index
  gnn_tile.workspace_size %end
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%e, %y : memref<?xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %d, %s : f32, f32
  }
  return
}
func.func @alone(%x: memref<?x64xf32>, %e: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%e : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    gnn_tile.yield %d : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Teams add their parts of rows to zeros: nothing is left to be joined.
//
// CHECK-LABEL: func.func @atomic
// CHECK:         gnn_tile.traverse @g <dst, features = 64> at [] outs(%[[y:[a-z0-9]+]] : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
// CHECK-SAME:        in_flight = 1, rows_per_block = 16, row_order = natural, row_walk = team>
// CHECK-NEXT:      %[[zero:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      gnn_tile.yield %[[zero]]
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK-NOT:         parts
// CHECK-SAME:        row_walk = by_edges, merge = atomic>
// CHECK:           gnn_tile.reduce sum
// CHECK:           gnn_tile.size
// CHECK-NOT:     gnn_tile.traverse
func.func @atomic(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %workspace: memref<?xi8> {gnn.workspace}) {
  %end = arith.constant 4096 : index
  gnn_tile.workspace_size %end
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges, merge = atomic> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce mean [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

// A row of 65,536 elements leaves 128 pieces, which its team joins in 32 rounds. A longer one
// is joined by its block.
//
gnn.graph @short square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000,
  edges = 200000, type_edges = [200000], src_pairs = [1000], dst_pairs = [1000], in_degree_max = 65536>}
gnn.graph @long square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000,
  edges = 200000, type_edges = [200000], src_pairs = [1000], dst_pairs = [1000], in_degree_max = 65537>}

// CHECK-LABEL: func.func @hub_of_a_team
// CHECK:         row_walk = by_edges>
// CHECK:         in_flight = 4, rows_per_block = 16, row_order = natural, row_walk = team>
func.func @hub_of_a_team(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %workspace: memref<?xi8> {gnn.workspace}) {
  %end = arith.constant 0 : index
  gnn_tile.workspace_size %end
  gnn_tile.traverse @short <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @hub_of_a_block
// CHECK:         row_walk = by_edges>
// CHECK:         in_flight = 4, rows_per_block = 16, row_order = natural, row_walk = by_length, split_rows = 128>
func.func @hub_of_a_block(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %workspace: memref<?xi8> {gnn.workspace}) {
  %end = arith.constant 0 : index
  gnn_tile.workspace_size %end
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
