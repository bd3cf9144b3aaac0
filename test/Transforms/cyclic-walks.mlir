// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-tile-block-traversals --gnn-tile-lower-traversals \
// RUN:   | FileCheck %s
// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-block-pipeline | FileCheck %s --check-prefix=BLOCKED
// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-block-pipeline --gnn-loops-pipeline=scalar-loops \
// RUN:   | FileCheck %s --check-prefix=SCALAR

// Teams take turns over the elements of a block: four each, 128 teams, so that a team comes back
// to elements 512 further on. No words say where rows end: both ends of an element are in maps,
// which are loaded as they lie but in the last step.
//
// CHECK-LABEL: func.func @dots
// CHECK-DAG:     %[[SRC:.+]] = gnn_tile.structure @g map edge.in_rows src
// CHECK-DAG:     %[[DST:.+]] = gnn_tile.structure @g map edge.in_rows dst
// CHECK-NOT:     gnn_tile.structure @g stream
// CHECK-NOT:     gnn_tile.structure @g rows
// CHECK:         gnn_tile.blocks {{.*}} step [8192] {{.*}}distribution = cyclic
// CHECK:           %[[OWN:.+]] = arith.muli %{{.+}}, %c4{{.*}} : index
// CHECK:           scf.if
// CHECK-COUNT-4:     memref.load %[[DST]]
// CHECK:           } else {
// CHECK-COUNT-4:     memref.load %[[DST]]
// CHECK:           scf.if
// CHECK-COUNT-4:     memref.load %[[SRC]]
// CHECK:           scf.for %{{.+}} = %c0_i32 to %c8192_i32 step %c512_i32
// CHECK:             vector.transfer_read
// CHECK:             gnn_tile.reduce_each sum
// CHECK:             vector.scatter
//
// No form has row pointers; element by element a map says the row at the destination.
//
// BLOCKED-LABEL: func.func @dots
// BLOCKED-NOT:     gnn_tile.structure @g {{rows|stream}}
// BLOCKED:         gnn_tile.traverse
// SCALAR-LABEL: func.func @dots
// SCALAR-DAG:     %[[SRC:.+]] = gnn_tile.structure @g map edge.in_rows src
// SCALAR-DAG:     %[[DST:.+]] = gnn_tile.structure @g map edge.in_rows dst
// SCALAR-NOT:     gnn_tile.structure @g rows
// SCALAR:         gnn_tile.blocks
// SCALAR:           scf.for %[[E:.+]] = %
// SCALAR:             memref.load %[[DST]][%[[E]]]
// SCALAR:             memref.load %[[SRC]]
gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted}

func.func @dots(%x: memref<?x8xf32>, %z: memref<?x8xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%z, %x : memref<?x8xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>] schedule <row_walk = by_edges> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}
