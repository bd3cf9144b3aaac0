// RUN: gnn-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}

// A template writes the buffer of its output in place: a fresh tensor is one
// allocation, and no copy is made of what is overwritten.
//
// CHECK-LABEL: func.func @in_place
// CHECK-SAME:    (%[[X:.+]]: memref<?x8xf32>) -> memref<?x8xf32>
// CHECK:         %[[Y:.+]] = memref.alloc(%{{.+}})
// CHECK-NOT:     memref.copy
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// CHECK-SAME:      ins(%[[X]] : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
// CHECK-SAME:      outs(%[[Y]] : memref<?x8xf32>)
// CHECK:           gnn_tile.reduce sum [element]
// CHECK-NOT:     memref.copy
// CHECK:         return %[[Y]]
func.func @in_place(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %n = gnn_tile.count @g count dst : index
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%e : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Buffers have no order, which accesses say; reshapes keep it until then.
//
// CHECK-LABEL: func.func @kept_in_an_order
// CHECK-SAME:    (%[[E:.+]]: memref<?x2x4xf32>) -> memref<?x2x4xf32>
// CHECK:         %[[Y:.+]] = memref.alloc(%{{.+}}) {{.*}} : memref<?x8xf32>
// CHECK:         %[[X:.+]] = memref.collapse_shape %[[E]] {{.+}} : memref<?x2x4xf32> into memref<?x8xf32>
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 8>
// CHECK-SAME:      ins(%[[X]] : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
// CHECK-SAME:      outs(%[[Y]] : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
// CHECK:         memref.expand_shape %[[Y]] {{.+}} : memref<?x8xf32> into memref<?x2x4xf32>
// CHECK-NOT:     gnn_tile.order
func.func @kept_in_an_order(%e: tensor<?x2x4xf32, #gnn_tile.order<edge.in_rows>>)
    -> tensor<?x2x4xf32, #gnn_tile.order<edge.in_rows>> {
  %n = gnn_tile.count @g count edge : index
  %i = bufferization.alloc_tensor(%n) : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>
  %x = tensor.collapse_shape %e [[0], [1, 2]] : tensor<?x2x4xf32, #gnn_tile.order<edge.in_rows>> into tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.traverse @g <edge.in_rows, features = 8>
      ins(%x : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>]
      outs(%i : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>
  %r = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 2, 4] : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>> into tensor<?x2x4xf32, #gnn_tile.order<edge.in_rows>>
  return %r : tensor<?x2x4xf32, #gnn_tile.order<edge.in_rows>>
}

// Parts that are written beside each other share one buffer.
//
// CHECK-LABEL: func.func @parts
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         gnn_tile.traverse {{.+}} outs(%[[Y:.+]] : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
// CHECK:         gnn_tile.traverse {{.+}} outs(%[[Y]] : memref<?x8xf32>) at [#gnn_tile.at<group : feature + 4>]
func.func @parts(%x: tensor<?x4xf32>) -> tensor<?x8xf32> {
  %n = gnn_tile.count @g count dst : index
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %a = gnn_tile.traverse @g <dst, features = 4>
      ins(%x : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  %b = gnn_tile.traverse @g <dst, features = 4>
      ins(%x : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : tensor<?x8xf32>) at [#gnn_tile.at<group : feature + 4>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %b : tensor<?x8xf32>
}

// A buffer that is still read is not written over: a row may be read after
// another is written, so that input and output are never one buffer.
//
// CHECK-LABEL: func.func @still_read
// CHECK:         %[[A:.+]] = memref.alloc
// CHECK:         gnn_tile.traverse {{.+}} outs(%[[A]] :
// CHECK:         %[[B:.+]] = memref.alloc
// CHECK:         gnn_tile.traverse {{.+}} ins(%[[A]] : memref<?xf32>) {{.+}} outs(%[[B]] :
func.func @still_read(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = gnn_tile.count @g count dst : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%e : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %b = gnn_tile.traverse @g <dst, edge.in_rows> ins(%a : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%a : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// Products and outer products alike; a structure is a memref of the graph's.
//
// CHECK-LABEL: func.func @products
// CHECK:         %[[P:.+]] = gnn_tile.structure @g rows dst edge.in_rows : memref<?xi32>
// CHECK:         gnn_tile.gemm {{.+}} outs(%[[Y:.+]] : memref<?x4xf32>)
// CHECK:         gnn_tile.outer {{.+}} outs(%[[W:.+]] : memref<8x4xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         return %[[W]], %[[P]]
func.func @products(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<?xi32>) {
  %n = gnn_tile.count @g count src : index
  %p = gnn_tile.structure @g rows dst edge.in_rows : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %y = gnn_tile.gemm @g rows src ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
      at <group : feature> extras at [] outs(%e : tensor<?x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x4xf32>
  %d = gnn_tile.outer @g rows src ins(%x, %y : tensor<?x8xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %d, %p : tensor<8x4xf32>, tensor<?xi32>
}

// A product that writes a part of its output leaves the rest: what the tensor held
// is still read later, so the product gets a copy.
//
// CHECK-LABEL: func.func @part_of_a_product
// CHECK:         memref.copy
// CHECK:         gnn_tile.gemm
func.func @part_of_a_product(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %z: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %p = gnn_tile.gemm @g rows dst ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
      at <group : feature> extras at []
      outs(%z : tensor<?x8xf32>) at <group : feature + 4> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %p, %z : tensor<?x8xf32>, tensor<?x8xf32>
}

// Rows written among others leave these: one buffer, and what was written before
// stays.
//
// CHECK-LABEL: func.func @among_zeros
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         gnn_tile.traverse @block <src> {{.*}}outs(%[[Y:.+]] : memref<?xf32>) at [#gnn_tile.at<group>]
// CHECK:         gnn_tile.traverse @block <dst> {{.*}}outs(%[[Y]] : memref<?xf32>) at [#gnn_tile.at<group -> src>]
func.func @among_zeros(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = gnn_tile.count @block count src : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = gnn_tile.traverse @block <src> at [] outs(%e : tensor<?xf32>) at [#gnn_tile.at<group>] {
    %zero = arith.constant 0.0 : f32
    gnn_tile.yield %zero : f32
  } -> tensor<?xf32>
  %y = gnn_tile.traverse @block <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%z : tensor<?xf32>) at [#gnn_tile.at<group -> src>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// The same on an argument that is still read later: the rows that are not written
// are copied with the others.
//
// CHECK-LABEL: func.func @among_rows_still_read
// CHECK:         memref.copy
// CHECK:         gnn_tile.traverse
func.func @among_rows_still_read(%x: tensor<?xf32>, %z: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = gnn_tile.traverse @block <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%z : tensor<?xf32>) at [#gnn_tile.at<group -> src>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}
