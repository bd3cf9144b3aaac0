// RUN: gnn-opt %s --canonicalize='test-convergence' | FileCheck %s

gnn.graph @g square {node_types = 1, edge_types = 3}
gnn.graph @loops square {node_types = 1, edge_types = 1, self_loops}

!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, node>>
!one = tensor<?x1xf32, #gnn.rows<@g, node>>
!degree = tensor<?xf32, #gnn.rows<@loops, node>>
!test = tensor<?xi1, #gnn.rows<@loops, node>>

// CHECK-LABEL: func.func @neutral
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK-NEXT:    return %[[X]]
func.func @neutral(%x: !node) -> !node {
  %one = arith.constant dense<1.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %ones = gnn.broadcast %one : tensor<f32> -> !node
  %zeros = gnn.broadcast %zero : tensor<f32> -> !node
  %a = arith.mulf %x, %ones : !node
  %b = arith.divf %a, %ones : !node
  %c = arith.addf %zeros, %b : !node
  %d = arith.subf %c, %zeros : !node
  return %d : !node
}

// Negative: 1 / x, 0 - x and x * 0 are other numbers.
//
// CHECK-LABEL: func.func @not_neutral
// CHECK:         arith.divf
// CHECK:         arith.subf
// CHECK:         arith.mulf
func.func @not_neutral(%x: !node) -> !node {
  %one = arith.constant dense<1.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %ones = gnn.broadcast %one : tensor<f32> -> !node
  %zeros = gnn.broadcast %zero : tensor<f32> -> !node
  %a = arith.divf %ones, %x : !node
  %b = arith.subf %zeros, %a : !node
  %c = arith.mulf %b, %zeros : !node
  return %c : !node
}

// The rest of an apply is gathered, and repeated.
//
// CHECK-LABEL: func.func @neutral_apply
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         %[[E:.+]] = gnn.gather %[[X]] via src
// CHECK:         %[[Y:.+]] = gnn.broadcast %[[E]]
// CHECK:         return %[[Y]]
func.func @neutral_apply(%x: !number) -> !edge {
  %one = arith.constant dense<1.0> : tensor<f32>
  %ones = gnn.broadcast %one : tensor<f32> -> !edge
  %y = gnn.apply mul %ones, %x via src : (!edge, !number) -> !edge
  return %y : !edge
}

// Negative: 1 divided by a row.
//
// CHECK-LABEL: func.func @inverse_apply
// CHECK:         gnn.apply div
func.func @inverse_apply(%x: !number) -> !edge {
  %one = arith.constant dense<1.0> : tensor<f32>
  %ones = gnn.broadcast %one : tensor<f32> -> !edge
  %y = gnn.apply div %ones, %x via src : (!edge, !number) -> !edge
  return %y : !edge
}

// A sum of ones counts.
//
// CHECK-LABEL: func.func @count
// CHECK:         %[[D:.+]] = gnn.degree edge via dst : tensor<?xf32, #node>
// CHECK:         %[[Y:.+]] = gnn.broadcast %[[D]]
// CHECK:         return %[[Y]]
func.func @count() -> !node {
  %one = arith.constant dense<1.0> : tensor<f32>
  %ones = gnn.broadcast %one : tensor<f32> -> !edge
  %y = gnn.aggregate sum %ones via dst : !edge -> !node
  return %y : !node
}

// Negative: a sum of twos rounds otherwise, a mean of ones is 0 of none.
//
// CHECK-LABEL: func.func @count_others
// CHECK:         gnn.aggregate sum
// CHECK:         gnn.aggregate mean
func.func @count_others() -> (!node, !node) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %ones = gnn.broadcast %one : tensor<f32> -> !edge
  %twos = gnn.broadcast %two : tensor<f32> -> !edge
  %y = gnn.aggregate sum %twos via dst : !edge -> !node
  %z = gnn.aggregate mean %ones via dst : !edge -> !node
  return %y, %z : !node, !node
}

// Each node has a loop: neither is a degree 0 nor its inverse infinite.
//
// CHECK-LABEL: func.func @guards
// CHECK:         %[[D:.+]] = gnn.degree edge via dst
// CHECK:         %[[R:.+]] = math.rsqrt %[[D]]
// CHECK:         return %[[R]], %[[R]]
func.func @guards() -> (!degree, !degree) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %inf = arith.constant dense<0x7F800000> : tensor<f32>
  %zeros = gnn.broadcast %zero : tensor<f32> -> !degree
  %infs = gnn.broadcast %inf : tensor<f32> -> !degree
  %d = gnn.degree edge via dst : !degree
  %r = math.rsqrt %d : !degree
  %c = arith.cmpf oeq, %r, %infs : !degree
  %y = arith.select %c, %zeros, %r : !test, !degree
  %e = arith.cmpf une, %d, %zeros : !degree
  %z = arith.select %e, %r, %zeros : !test, !degree
  return %y, %z : !degree, !degree
}

// Negative: nodes of this graph may have no edge.
//
// CHECK-LABEL: func.func @guard_needed
// CHECK:         arith.select
func.func @guard_needed() -> !number {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %inf = arith.constant dense<0x7F800000> : tensor<f32>
  %zeros = gnn.broadcast %zero : tensor<f32> -> !number
  %infs = gnn.broadcast %inf : tensor<f32> -> !number
  %d = gnn.degree edge via dst : !number
  %r = math.rsqrt %d : !number
  %c = arith.cmpf oeq, %r, %infs : !number
  %y = arith.select %c, %zeros, %r : tensor<?xi1, #gnn.rows<@g, node>>, !number
  return %y : !number
}

// 1 - x as one number a row.
//
// CHECK-LABEL: func.func @ones_dropped
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         %[[C:.+]] = gnn.broadcast {{.*}} -> tensor<?xf32, #node>
// CHECK:         %[[R:.+]] = gnn.reshape %[[X]]
// CHECK:         %[[Y:.+]] = arith.subf %[[C]], %[[R]] : tensor<?xf32, #node>
// CHECK:         return %[[Y]]
func.func @ones_dropped(%x: !one) -> !number {
  %one = arith.constant dense<1.0> : tensor<f32>
  %ones = gnn.broadcast %one : tensor<f32> -> !one
  %y = arith.subf %ones, %x : !one
  %z = gnn.reshape %y : !one -> !number
  return %z : !number
}

// Negative: neither is a constant, and the other reader needs the dimension.
//
// CHECK-LABEL: func.func @ones_kept
// CHECK:         arith.mulf {{.*}} : tensor<?x1xf32
// CHECK:         arith.subf {{.*}} : tensor<?x1xf32
func.func @ones_kept(%x: !one, %y: !one) -> (!number, !number, !one) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %ones = gnn.broadcast %one : tensor<f32> -> !one
  %a = arith.mulf %x, %y : !one
  %b = gnn.reshape %a : !one -> !number
  %c = arith.subf %ones, %x : !one
  %d = gnn.reshape %c : !one -> !number
  return %b, %d, %c : !number, !number, !one
}

// CHECK-LABEL: func.func @repeated
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         gnn.outer_rows %{{.+}}, %[[X]] : (tensor<?x2xf32, {{.+}}>, tensor<?x8xf32, {{.+}}>)
// CHECK-NOT:     gnn.concat
func.func @repeated(%x: !node) -> tensor<?x2x8xf32, #gnn.rows<@g, node>> {
  %y = gnn.concat %x, %x : (!node, !node) -> tensor<?x16xf32, #gnn.rows<@g, node>>
  %z = gnn.reshape %y : tensor<?x16xf32, #gnn.rows<@g, node>> -> tensor<?x2x8xf32, #gnn.rows<@g, node>>
  return %z : tensor<?x2x8xf32, #gnn.rows<@g, node>>
}

// Negative: heads that are not the rows that were joined.
//
// CHECK-LABEL: func.func @not_repeated
// CHECK:         gnn.concat
func.func @not_repeated(%x: !node) -> tensor<?x4x4xf32, #gnn.rows<@g, node>> {
  %y = gnn.concat %x, %x : (!node, !node) -> tensor<?x16xf32, #gnn.rows<@g, node>>
  %z = gnn.reshape %y : tensor<?x16xf32, #gnn.rows<@g, node>> -> tensor<?x4x4xf32, #gnn.rows<@g, node>>
  return %z : tensor<?x4x4xf32, #gnn.rows<@g, node>>
}

// CHECK-LABEL: func.func @joined_parts
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK-NEXT:    return %[[X]]
func.func @joined_parts(%x: !node) -> !node {
  %a = gnn.slice %x at 0 : !node -> tensor<?x3xf32, #gnn.rows<@g, node>>
  %b = gnn.slice %x at 3 : !node -> tensor<?x5xf32, #gnn.rows<@g, node>>
  %y = gnn.concat %a, %b : (tensor<?x3xf32, #gnn.rows<@g, node>>, tensor<?x5xf32, #gnn.rows<@g, node>>) -> !node
  return %y : !node
}

// Negative: in another order.
//
// CHECK-LABEL: func.func @exchanged_parts
// CHECK:         gnn.concat
func.func @exchanged_parts(%x: !node) -> !node {
  %a = gnn.slice %x at 0 : !node -> tensor<?x3xf32, #gnn.rows<@g, node>>
  %b = gnn.slice %x at 3 : !node -> tensor<?x5xf32, #gnn.rows<@g, node>>
  %y = gnn.concat %b, %a : (tensor<?x5xf32, #gnn.rows<@g, node>>, tensor<?x3xf32, #gnn.rows<@g, node>>) -> !node
  return %y : !node
}
