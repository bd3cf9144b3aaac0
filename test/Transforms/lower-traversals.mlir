// RUN: gnn-opt %s --gnn-tile-block-traversals --gnn-tile-lower-traversals --canonicalize --cse --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-block-traversals --gnn-tile-lower-traversals --canonicalize --cse --split-input-file --remarks-filter="gnn-tile.*" --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

gnn.graph @g square {node_types = 2, edge_types = 3}

// Each team takes a row, the last one again for those behind it, whose elements
// do not count. The sum over elements is a walk of vectors.
//
// REMARK: remark: [Passed] Lowered | Category:gnn-tile-lower-traversals | Remark="8 teams of 32 lanes, row_walk team
// CHECK-LABEL: func.func @sum
// CHECK:         gnn_tile.blocks to [%[[N:.+]]] step [8]
// CHECK-NEXT:    ^bb0(%[[FIRST:.+]]: index):
// CHECK:           gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 8, elements = 2> {
// CHECK:           gnn_tile.parallel 8 over team {
// CHECK:           ^bb0(%[[T:.+]]: index):
// CHECK:             %[[AT:.+]] = arith.addi %[[FIRST]], %[[T]]
// CHECK:             %[[INSIDE:.+]] = arith.cmpi slt, %[[AT]], %[[N]]
// CHECK:             %[[ROW:.+]] = arith.minsi %[[AT]],
// CHECK:             %[[END:.+]] = arith.select %[[INSIDE]]
// CHECK:             %[[S:.+]] = gnn_tile.walk from %{{.+}} to %[[END]] over element slots 2 in_flight 4 identity(%{{.+}} : vector<64xf32>) {
// CHECK:             ^bb0(%[[P:.+]]: index):
// CHECK:               memref.load %{{.+}}[%[[P]]] : memref<?xi32>
// CHECK:               vector.transfer_read {{.+}} {in_bounds = [true]} : memref<?x64xf32>, vector<64xf32>
// CHECK:             } combine {
// CHECK:               arith.addf {{.+}} : vector<64xf32>
// CHECK:             scf.if %[[INSIDE]] {
// CHECK:               vector.transfer_write %[[S]], %{{.+}}[%[[ROW]], %c0]
func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Heads are the first dimension of vectors; a value of a head has one feature.
// A value that depends on a sum and is needed for each element takes a second
// walk.
//
// CHECK-LABEL: func.func @softmax
// CHECK:         gnn_tile.walk {{.+}} identity(%{{.+}} : vector<4x1xf32>) {
// CHECK:           vector.transfer_read {{.+}} permutation_map = #{{.+}}} : memref<?x4xf32>, vector<4x1xf32>
// CHECK:         } combine {
// CHECK:         gnn_tile.walk {{.+}} identity(%{{.+}} : vector<4x16xf32>) {
// CHECK:           arith.divf {{.+}} : vector<4x1xf32>
// CHECK:           vector.broadcast {{.+}} : vector<4x1xf32> to vector<4x16xf32>
// CHECK:         } combine {
func.func @softmax(%w: memref<?x4xf32>, %x: memref<?x4x16xf32>, %y: memref<?x4x16xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 4, features = 16>
      ins(%w, %x : memref<?x4xf32>, memref<?x4x16xf32>)
      at [#gnn_tile.at<element : head>, #gnn_tile.at<element -> src : head, feature>]
      outs(%y : memref<?x4x16xf32>) at [#gnn_tile.at<group : head, feature>]
      schedule <columns_per_block = 16, vector = 4, lanes = 4, head_lanes = 4, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%wv: f32, %xv: f32):
    %z = gnn_tile.reduce sum [element] %wv : f32
    %a = arith.divf %wv, %z : f32
    %m = arith.mulf %a, %xv : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Teams leave long rows; one flag a warp says so, and the block walks them.
//
// REMARK: remark: [Passed] Lowered | Category:gnn-tile-lower-traversals | Remark="8 teams of 32 lanes, row_walk by_length
// CHECK-LABEL: func.func @split
// CHECK:         %[[FLAGS:.+]] = gnn_tile.parallel 8 over team -> vector<8xi32> {
// CHECK:           gnn_tile.walk {{.+}} over element slots 2 in_flight 4
// CHECK:         } combine {
// CHECK:           arith.maxsi
// CHECK:         vector.reduction <maxsi>, %[[FLAGS]]
// CHECK:         scf.for %[[WARP:.+]] = %c0 to %c8
// CHECK:           vector.extract %[[FLAGS]][%[[WARP]]]
// CHECK:           arith.cmpi sgt, %{{.+}}, %c100
// CHECK:           gnn_tile.walk {{.+}} over block slots 16 in_flight 4
func.func @split(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length, split_rows = 100> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The last tile of columns is shorter: reads and writes are masked.
//
// CHECK-LABEL: func.func @columns
// CHECK:         %[[LEFT:.+]] = arith.subi %c100, %{{.+}}
// CHECK:         %[[MASK:.+]] = vector.create_mask %[[LEFT]] : vector<64xi1>
// CHECK:         vector.transfer_read {{.+}}, %[[MASK]]
// CHECK:         vector.transfer_write {{.+}}, %[[MASK]]
func.func @columns(%x: memref<?x100xf32>, %y: memref<?x100xf32>) {
  gnn_tile.traverse @g <dst, features = 100>
      ins(%x : memref<?x100xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x100xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 16, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A core has its rows one after the other. A row of more than 64 vectors stays, for
// loops of scalars.
//
// REMARK: remark: [Missed] Refused | Category:gnn-tile-lower-traversals | Remark="expected at most 64 vectors of a row, got 65: left for loops of scalars"
// CHECK-LABEL: func.func @many_vectors
// CHECK:         gnn_tile.traverse
func.func @many_vectors(%x: memref<?x65xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, features = 65>
      ins(%x : memref<?x65xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
      schedule #gnn_tile.core_schedule<columns_per_block = 65, vector = 1, rows_per_block = 64, row_order = natural> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [feature] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Each traversal of a block has teams of its own.
//
// CHECK-LABEL: func.func @two
// CHECK:         gnn_tile.blocks
// CHECK:           gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 256, elements = 1> {
// CHECK:             memref.store %{{.+}}, %arg1[
// CHECK:           gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 256, elements = 1> {
// CHECK:             memref.load %arg1[
func.func @two(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index) {
  gnn_tile.blocks to [%n] step [256] {
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    gnn_tile.traverse @g <edge> rows[%i to %n] columns[%c0]
        ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
        outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
        schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 256, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
    gnn_tile.traverse @g <edge> rows[%i to %n] columns[%c0]
        ins(%y : memref<?xf32>) at [#gnn_tile.at<group>]
        outs(%z : memref<?xf32>) at [#gnn_tile.at<group>]
        schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 256, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}
