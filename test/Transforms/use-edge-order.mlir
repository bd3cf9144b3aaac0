// RUN: gnn-opt %s --gnn-tile-use-edge-order --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-use-edge-order --remark-format=emitRemark | FileCheck %s

gnn.graph @sorted square {node_types = 1, edge_types = 1, dst_sorted}
gnn.graph @any square {node_types = 1, edge_types = 1}
gnn.graph @part square of @sorted types [0] {node_types = 1, edge_types = 1}

// The elements of destinations lie in the user's order; the number of an edge is its position.
//
// CHECK-LABEL: func.func @weighted
// CHECK:         gnn_tile.traverse @sorted <dst, edge.in_rows, features = 8>
// CHECK-SAME:        at [#gnn_tile.at<element>, #gnn_tile.at<element -> src : feature>]
// CHECK-SAME:        at [#gnn_tile.at<group : feature>, #gnn_tile.at<element>]
// CHECK:           gnn_tile.index <element>
func.func @weighted(%w: memref<?xf32>, %x: memref<?x8xf32>, %y: memref<?x8xf32>, %n: memref<?xi32>) {
  // expected-remark @+1 {{edges of @sorted are reached without a map}}
  gnn_tile.traverse @sorted <dst, edge.in_rows, features = 8>
      ins(%w, %x : memref<?xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<element -> edge>, #gnn_tile.at<element -> src : feature>]
      outs(%y, %n : memref<?x8xf32>, memref<?xi32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<element -> edge>] {
  ^bb0(%wv: f32, %xv: f32):
    %p = arith.mulf %wv, %xv : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    %i = gnn_tile.index #gnn_tile.at<element -> edge>
    gnn_tile.yield %s, %i : f32, i32
  }
  return
}

// Another walk has a map; rows in their natural order need none to those by destination.
//
// CHECK-LABEL: func.func @by_source
// CHECK:         gnn_tile.traverse @sorted <src, edge.out_rows, features = 8>
// CHECK-SAME:        at [#gnn_tile.at<element -> edge>, #gnn_tile.at<element -> edge.in_rows : feature>]
// CHECK:         gnn_tile.traverse @sorted <edge, features = 8>
// CHECK-SAME:        at [#gnn_tile.at<group : feature>]
func.func @by_source(%w: memref<?xf32>, %x: memref<?x8xf32>, %y: memref<?x8xf32>, %z: memref<?x8xf32>) {
  gnn_tile.traverse @sorted <src, edge.out_rows, features = 8>
      ins(%w, %x : memref<?xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<element -> edge>, #gnn_tile.at<element -> edge.in_rows : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%wv: f32, %xv: f32):
    %p = arith.mulf %wv, %xv : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{edges of @sorted are reached without a map}}
  gnn_tile.traverse @sorted <edge, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group -> edge.in_rows : feature>]
      outs(%z : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %e = math.exp %xv : f32
    gnn_tile.yield %e : f32
  }
  return
}

// Nothing is known of other graphs, and of derived ones.
//
// CHECK-LABEL: func.func @others
// CHECK:         at [#gnn_tile.at<element -> edge>]
// CHECK:         at [#gnn_tile.at<element -> edge>]
func.func @others(%w: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  // expected-remark @+1 {{@any does not say that its edges are sorted by destination}}
  gnn_tile.traverse @any <dst, edge.in_rows>
      ins(%w : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%wv: f32):
    %s = gnn_tile.reduce sum [element] %wv : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{@part is derived: nothing is known of its edges}}
  gnn_tile.traverse @part <dst, edge.in_rows>
      ins(%w : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%z : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%wv: f32):
    %s = gnn_tile.reduce sum [element] %wv : f32
    gnn_tile.yield %s : f32
  }
  return
}

// An outer product reads from its rows, not from the types that it sums over: the row of a type is reached by a map.
//
// CHECK-LABEL: func.func @types_of_rows
// CHECK:         gnn_tile.outer @sorted rows dst.by_type types dst_node_type
// CHECK-SAME:        at [#gnn_tile.at<group -> dst_node_type : feature>, #gnn_tile.at<group -> dst : feature>]
func.func @types_of_rows(%x: memref<1x4xf32>, %y: memref<?x3xf32>, %w: memref<1x4x3xf32>) {
  gnn_tile.outer @sorted rows dst.by_type types dst_node_type
      ins(%x, %y : memref<1x4xf32>, memref<?x3xf32>)
      at [#gnn_tile.at<group -> dst_node_type : feature>, #gnn_tile.at<group -> dst : feature>]
      outs(%w : memref<1x4x3xf32>)
  return
}
