// RUN: gnn-opt %s --convert-gnn-to-gnn-overlay | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!edge = tensor<?x16xf32, #gnn.rows<@g, edge>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
!heads = tensor<?x2x8xf32, #gnn.rows<@g, node>>
!edge_heads = tensor<?x2x8xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @gathered
// CHECK-NEXT:    %[[Y:.+]] = gnn_overlay.aggregate sum %arg0 : tensor<?x16xf32,
// CHECK-NEXT:    return %[[Y]]
func.func @gathered(%x: !node) -> !node {
  %m = gnn.gather %x via src : !node -> !edge
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}

// The number may come first or last, and the row be gathered before or not.
//
// CHECK-LABEL: func.func @number_first
// CHECK-NEXT:    gnn_overlay.aggregate sum %arg0 weights %arg1 :
func.func @number_first(%x: !node, %w: !number) -> !node {
  %m = gnn.apply mul %w, %x via src : (!number, !node) -> !edge
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}

// CHECK-LABEL: func.func @number_last
// CHECK-NEXT:    gnn_overlay.aggregate sum %arg0 weights %arg1 :
func.func @number_last(%x: !node, %w: !number) -> !node {
  %g = gnn.gather %x via src : !node -> !edge
  %m = gnn.apply mul %g, %w : (!edge, !number) -> !edge
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}

// Two numbers that are there before are multiplied before.
//
// CHECK-LABEL: func.func @two_numbers
// CHECK-NEXT:    %[[W:.+]] = arith.mulf %arg1, %arg2 : tensor<?xf32,
// CHECK-NEXT:    gnn_overlay.aggregate sum %arg0 weights %[[W]] :
func.func @two_numbers(%x: !node, %w: !number, %v: !number) -> !node {
  %m = gnn.apply mul %w, %x via src : (!number, !node) -> !edge
  %n = gnn.apply mul %v, %m : (!number, !edge) -> !edge
  %y = gnn.aggregate sum %n via dst : !edge -> !node
  return %y : !node
}

// CHECK-LABEL: func.func @spmm_copy
// CHECK-NEXT:    gnn_overlay.aggregate sum %arg0 : tensor<?x16xf32,
func.func @spmm_copy(%x: !node) -> !node {
  %y = gnn.spmm copy %x via src reduce sum via dst : (!node) -> !node
  return %y : !node
}

// CHECK-LABEL: func.func @spmm_mul
// CHECK-NEXT:    gnn_overlay.aggregate sum %arg0 weights %arg1 :
func.func @spmm_mul(%x: !node, %w: !number) -> !node {
  %y = gnn.spmm mul %x via src, %w reduce sum via dst : (!node, !number) -> !node
  return %y : !node
}

// CHECK-LABEL: func.func @spmm_mul_swapped
// CHECK-NEXT:    gnn_overlay.aggregate max %arg0 weights %arg1 :
func.func @spmm_mul_swapped(%x: !node, %w: !number) -> !node {
  %y = gnn.spmm mul %w, %x via src reduce max via dst : (!number, !node) -> !node
  return %y : !node
}

// A mean is a sum with weights that the graph alone says.
//
// CHECK-LABEL: func.func @mean
// CHECK:         %[[D:.+]] = gnn.degree edge via dst : tensor<?xf32, #node>
// CHECK:         %[[I:.+]] = arith.divf %{{.+}}, %[[D]]
// CHECK:         %[[W:.+]] = gnn.gather %[[I]] via dst
// CHECK:         gnn_overlay.aggregate sum %arg0 weights %[[W]] :
func.func @mean(%x: !node) -> !node {
  %y = gnn.spmm copy %x via src reduce mean via dst : (!node) -> !node
  return %y : !node
}

// CHECK-LABEL: func.func @weighted_mean
// CHECK:         %[[I:.+]] = gnn.gather %{{.+}} via dst
// CHECK:         %[[W:.+]] = arith.mulf %arg1, %[[I]]
// CHECK:         gnn_overlay.aggregate sum %arg0 weights %[[W]] :
func.func @weighted_mean(%x: !node, %w: !number) -> !node {
  %y = gnn.spmm mul %x via src, %w reduce mean via dst : (!node, !number) -> !node
  return %y : !node
}

// CHECK-LABEL: func.func @extremes
// CHECK-NEXT:    %[[A:.+]] = gnn_overlay.aggregate max %arg0 :
// CHECK-NEXT:    %[[B:.+]] = gnn_overlay.aggregate min %[[A]] :
// CHECK-NEXT:    return %[[B]]
func.func @extremes(%x: !node) -> !node {
  %m = gnn.gather %x via src : !node -> !edge
  %a = gnn.aggregate max %m via dst : !edge -> !node
  %n = gnn.gather %a via src : !node -> !edge
  %b = gnn.aggregate min %n via dst : !edge -> !node
  return %b : !node
}

// The argument of a maximum that nobody reads is none.
//
// CHECK-LABEL: func.func @unread_argument
// CHECK-NEXT:    gnn_overlay.aggregate max %arg0 :
func.func @unread_argument(%x: !node) -> !node {
  %m = gnn.gather %x via src : !node -> !edge
  %y, %i = gnn.aggregate max %m via dst : !edge -> !node, tensor<?x16xi32, #node>
  return %y : !node
}

// One number for all heads: they are one row.
//
// CHECK-LABEL: func.func @heads_at_once
// CHECK:         %[[X:.+]] = gnn.reshape %arg0 : tensor<?x2x8xf32, {{.+}}> -> tensor<?x16xf32,
// CHECK:         gnn_overlay.aggregate sum %[[X]] weights %arg1 : tensor<?x16xf32,
// CHECK-NOT:     gnn_overlay.aggregate
func.func @heads_at_once(%x: !heads, %w: !number) -> !heads {
  %m = gnn.apply mul %w, %x via src : (!number, !heads) -> !edge_heads
  %y = gnn.aggregate sum %m via dst : !edge_heads -> !heads
  return %y : !heads
}

// A number each: an aggregate a head, of its columns, which are put side by side.
//
// CHECK-LABEL: func.func @heads_apart
// CHECK:         %[[A:.+]] = gnn.slice %arg1 at 0
// CHECK:         %[[B:.+]] = gnn.slice %arg1 at 1
// CHECK:         %[[W:.+]] = gnn_overlay.assemble blocks [] transposed [] ones [0, 0, 1, 1, 1, 1, 1, 1,
// CHECK:         gnn_overlay.aggregate sum %{{.+}} weights %{{.+}} : tensor<?x8xf32,
// CHECK:         gnn_overlay.linear
// CHECK:         gnn_overlay.aggregate sum %{{.+}} weights %{{.+}} : tensor<?x8xf32,
// CHECK:         gnn_overlay.linear
// CHECK:         gnn_overlay.vector_add
func.func @heads_apart(%x: !heads, %w: tensor<?x2xf32, #edge>) -> !heads {
  %m = gnn.apply mul %w, %x via src : (tensor<?x2xf32, #edge>, !heads) -> !edge_heads
  %y = gnn.aggregate sum %m via dst : !edge_heads -> !heads
  return %y : !heads
}

// A row without features is one number.
//
// CHECK-LABEL: func.func @numbers_of_nodes
// CHECK:         %[[X:.+]] = gnn.reshape %arg0 : tensor<?xf32, {{.+}}> -> tensor<?x1xf32,
// CHECK:         gnn_overlay.aggregate sum %[[X]] : tensor<?x1xf32,
func.func @numbers_of_nodes(%x: tensor<?xf32, #node>) -> tensor<?xf32, #node> {
  %y = gnn.spmm copy %x via src reduce sum via dst : (tensor<?xf32, #node>) -> tensor<?xf32, #node>
  return %y : tensor<?xf32, #node>
}
