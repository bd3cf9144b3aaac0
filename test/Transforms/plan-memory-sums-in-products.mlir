// RUN: gnn-opt %s --gnn-tile-plan-memory=sums-in-products=true | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-plan-memory | FileCheck %s --check-prefix=APART

gnn.graph @g square {node_types = 2, edge_types = 3}

// The block of the product may compute the sum, and then reads what the sum does while
// others write the product: each has its own place. Otherwise the product takes that of
// what was summed.
//
// CHECK-LABEL:     func.func @f
// CHECK:             memref.view %{{.+}}[%[[A:.+]]][%{{.+}}] : memref<?xi8> to memref<?x16xf32>
// CHECK:             memref.view %{{.+}}[%[[B:.+]]][%{{.+}}] : memref<?xi8> to memref<?x16xf32>
// CHECK-NOT:         memref.view %{{.+}}[%[[A]]]
// CHECK:             return
//
// APART-LABEL:     func.func @f
// APART:             memref.view %{{.+}}[%[[A:.+]]][%{{.+}}] : memref<?xi8> to memref<?x16xf32>
// APART:             memref.view %{{.+}}[%[[B:.+]]][%{{.+}}] : memref<?xi8> to memref<?x16xf32>
// APART:             memref.view %{{.+}}[%[[A]]][%{{.+}}] : memref<?xi8> to memref<?x16xf32>
func.func @f(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %a = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, features = 16> ins(%x : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%a : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %sum = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %sum : f32
  }
  %b = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at [] outs(%b : memref<?x16xf32>) at <group : feature> {
  ^bb0(%p: f32):
    gnn_tile.yield %p : f32
  }
  gnn_tile.traverse @g <dst, features = 16> ins(%b : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}
