// RUN: gnn-opt %s --convert-gnn-to-gnn-tile --split-input-file | FileCheck %s

// A condition has no buffer: every op that reads one computes it again.

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!bits = tensor<?x8xi1, #gnn.rows<@g, node>>
!heads = tensor<?x2x3x4xf32, #gnn.rows<@g, edge>>

// Two readers, one of them with another condition that follows from it; what is
// read several times is one input.
//
// CHECK-LABEL: func.func @shared
// CHECK-SAME:    (%[[X:.+]]: tensor<?x8xf32> {{.*}}, %[[Y:.+]]: tensor<?x8xf32> {{.*}}, %[[N:.+]]: tensor<?x8xi32> {{.*}})
// CHECK:         %[[A:.+]] = gnn_tile.traverse {{.*}} ins(%[[X]], %[[Y]] : tensor<?x8xf32>, tensor<?x8xf32>)
// CHECK-NEXT:    ^bb0(%[[X0:.+]]: f32, %[[Y0:.+]]: f32):
// CHECK-NEXT:      %[[C0:.+]] = arith.cmpf olt, %[[X0]], %[[Y0]] : f32
// CHECK-NEXT:      %[[S0:.+]] = arith.select %[[C0]], %[[Y0]], %[[X0]] : f32
// CHECK-NEXT:      gnn_tile.yield %[[S0]]
// CHECK:         gnn_tile.traverse {{.*}} ins(%[[X]], %[[Y]], %[[N]], %[[A]] : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xi32>, tensor<?x8xf32>)
// CHECK-NEXT:    ^bb0(%[[X1:.+]]: f32, %[[Y1:.+]]: f32, %[[N1:.+]]: i32, %[[A1:.+]]: f32):
// CHECK-NEXT:      %[[C1:.+]] = arith.cmpf olt, %[[X1]], %[[Y1]] : f32
// CHECK-NEXT:      %[[D1:.+]] = arith.cmpi ne, %[[N1]], %[[N1]] : i32
// CHECK-NEXT:      %[[B1:.+]] = arith.andi %[[C1]], %[[D1]] : i1
// CHECK-NEXT:      %[[E1:.+]] = arith.xori %[[B1]], %[[C1]] : i1
// CHECK-NEXT:      %[[F1:.+]] = arith.ori %[[E1]], %[[B1]] : i1
// CHECK-NEXT:      %[[S1:.+]] = arith.select %[[F1]], %[[A1]], %[[X1]] : f32
// CHECK-NEXT:      gnn_tile.yield %[[S1]]
// CHECK-NOT:     gnn_tile.traverse
func.func @shared(%x: !node, %y: !node, %n: tensor<?x8xi32, #gnn.rows<@g, node>>) -> !node {
  %c = arith.cmpf olt, %x, %y : !node
  %a = arith.select %c, %y, %x : !bits, !node
  %d = arith.cmpi ne, %n, %n : tensor<?x8xi32, #gnn.rows<@g, node>>
  %b = arith.andi %c, %d : !bits
  %e = arith.xori %b, %c : !bits
  %f = arith.ori %e, %b : !bits
  %s = arith.select %f, %a, %x : !bits, !node
  return %s : !node
}

// As a number, with more dimensions than a traversal has.
//
// CHECK-LABEL: func.func @number
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 24>
// CHECK:           %[[C:.+]] = arith.cmpf ogt
// CHECK-NEXT:      %[[F:.+]] = arith.uitofp %[[C]] : i1 to f32
// CHECK-NEXT:      gnn_tile.yield %[[F]]
func.func @number(%x: !heads, %y: !heads) -> !heads {
  %c = arith.cmpf ogt, %x, %y : !heads
  %f = arith.uitofp %c : tensor<?x2x3x4xi1, #gnn.rows<@g, edge>> to !heads
  return %f : !heads
}

// One for all rows, and one that nothing reads.
//
// CHECK-LABEL: func.func @all
// CHECK:         gnn_tile.traverse @g <dst, features = 8>
// CHECK:           %[[C:.+]] = arith.constant true
// CHECK-NEXT:      arith.select %[[C]]
// CHECK-NOT:     arith.cmpf
func.func @all(%x: !node, %y: !node) -> !node {
  %c = arith.constant true
  %s = arith.select %c, %x, %y : !node
  %d = arith.cmpf ogt, %s, %y : !node
  return %s : !node
}

// The condition is of weights, one of them repeated.
//
// CHECK-LABEL: func.func @repeated
// CHECK:         gnn_tile.traverse @{{.+}} <4, features = 6> ins({{.+}} : tensor<6xf32>, tensor<4x6xf32>)
// CHECK-SAME:      at [#gnn_tile.at<all : feature>, #gnn_tile.at<group : feature>]
// CHECK:           %[[C:.+]] = arith.cmpf ogt
// CHECK-NEXT:      arith.select %[[C]]
func.func @repeated(%v: tensor<6xf32>, %w: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %b = gnn.broadcast %v : tensor<6xf32> -> tensor<4x6xf32>
  %c = arith.cmpf ogt, %b, %w : tensor<4x6xf32>
  %s = arith.select %c, %w, %b : tensor<4x6xi1>, tensor<4x6xf32>
  return %s : tensor<4x6xf32>
}

// The condition is of weights, read in a loop.
//
// CHECK-LABEL: func.func @loop
// CHECK:         gnn_tile.traverse @g <dst, features = 8>
// CHECK-NEXT:    ^bb0(%[[W:.+]]: f32, %[[X:.+]]: f32):
// CHECK-NEXT:      %[[C:.+]] = arith.cmpf une, %[[W]], %[[W]] : f32
// CHECK-NEXT:      arith.select %[[C]], %[[X]], %[[W]] : f32
func.func @loop(%x: !node, %w: tensor<8xf32>) -> !node {
  %c = arith.cmpf une, %w, %w : tensor<8xf32>
  %r = gnn.for_nodes %v in @g -> (!node) {
    %a = gnn.read %x[%v] : (!node, !gnn.row<@g, node>) -> tensor<8xf32>
    %s = arith.select %c, %a, %w : tensor<8xi1>, tensor<8xf32>
    gnn.yield %s : tensor<8xf32>
  }
  return %r : !node
}
