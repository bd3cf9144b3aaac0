// RUN: gnn-opt %s --gnn-overlay-outline-prepare --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter='gnn-overlay-outline-prepare' --remark-format=emitRemark \
// RUN:   | FileCheck %s

!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// Degrees and folded weights are computed before; their results are arguments behind
// those that there are.
//
// CHECK-LABEL: func.func @f.prepare(
// CHECK-SAME:      %[[W:.+]]: tensor<8x8xf32> {gnn.name = "w"})
// CHECK-SAME:      -> (tensor<8x8xf32> {gnn.name = "prepare.0"}, tensor<?xf32, #edge> {gnn.name = "prepare.1"})
// CHECK-NEXT:    %[[P:.+]] = arith.mulf %[[W]], %[[W]]
// CHECK-NEXT:    %[[D:.+]] = gnn.degree edge via dst
// CHECK-NEXT:    %[[E:.+]] = gnn.gather %[[D]] via dst
// CHECK-NEXT:    return %[[P]], %[[E]]
// CHECK-LABEL: func.func @f(
// CHECK-SAME:      %[[X:.+]]: tensor<?x8xf32, #node> {gnn.name = "x"}, %{{.+}}: tensor<8x8xf32> {gnn.name = "w"},
// CHECK-SAME:      %[[P:.+]]: tensor<8x8xf32> {gnn.name = "prepare.0"}, %[[E:.+]]: tensor<?xf32, #edge> {gnn.name = "prepare.1"})
// CHECK-NEXT:    %[[H:.+]] = gnn_overlay.linear %[[X]], %[[P]]
// CHECK-NEXT:    gnn_overlay.aggregate sum %[[H]] weights %[[E]]
// expected-remark @+1 {{2 values computed before the program}}
func.func @f(%x: !node {gnn.name = "x"}, %w: tensor<8x8xf32> {gnn.name = "w"}) -> !node {
  %p = arith.mulf %w, %w : tensor<8x8xf32>
  %h = gnn_overlay.linear %x, %p : !node, tensor<8x8xf32> -> !node
  %d = gnn.degree edge via dst : tensor<?xf32, #gnn.rows<@g, node>>
  %e = gnn.gather %d via dst : tensor<?xf32, #gnn.rows<@g, node>> -> !number
  %y = gnn_overlay.aggregate sum %h weights %e : !node, !number -> !node
  return %y : !node
}

// -----

// Numbers of edges that are multiplied with comparisons and selects; what a region reads
// goes with it.
//
// CHECK-LABEL: func.func @compared.prepare(%arg0: i1, %arg1: tensor<8x8xf32>)
// CHECK:         scf.if %arg0
// CHECK:           arith.negf %arg1
// CHECK-LABEL: func.func @compared(
// CHECK-NOT:     scf.if
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-remark @+1 {{1 value computed before the program}}
func.func @compared(%x: !node, %c: i1, %w: tensor<8x8xf32>) -> !node {
  %p = scf.if %c -> tensor<8x8xf32> {
    %n = arith.negf %w : tensor<8x8xf32>
    scf.yield %n : tensor<8x8xf32>
  } else {
    scf.yield %w : tensor<8x8xf32>
  }
  %y = gnn_overlay.linear %x, %p : !node, tensor<8x8xf32> -> !node
  return %y : !node
}

// -----

// Views of rows and layouts of weights stay; an argument has one of the names.
//
// CHECK-LABEL: func.func @kept.prepare(
// CHECK-SAME:      -> (tensor<8x8xf32> {gnn.name = "prepare.1"})
// CHECK-LABEL: func.func @kept(
// CHECK-SAME:      {gnn.name = "prepare.0"}, %arg2: tensor<8x8xf32> {gnn.name = "prepare.1"})
// CHECK-NEXT:    gnn.reshape
// CHECK-NEXT:    gnn_overlay.assemble %arg2
// CHECK-NEXT:    gnn_overlay.linear
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-remark @+1 {{1 value computed before the program}}
func.func @kept(%x: tensor<?x2x4xf32, #gnn.rows<@g, node>>, %w: tensor<8x8xf32> {gnn.name = "prepare.0"}) -> !node {
  %r = gnn.reshape %x : tensor<?x2x4xf32, #gnn.rows<@g, node>> -> !node
  %p = arith.mulf %w, %w : tensor<8x8xf32>
  %t = gnn_overlay.assemble %p blocks [0, 0, 0, 0, 8, 8] transposed [true] ones [] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = gnn_overlay.linear %r, %t : !node, tensor<8x8xf32> -> !node
  return %y : !node
}

// -----

// Nothing is computed before; a function without layers is none of a program.
//
// CHECK-NOT:   .prepare
// CHECK-LABEL: func.func @nothing
// CHECK-LABEL: func.func @no_layers
// CHECK-NEXT:    arith.mulf
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-remark @+1 {{Remark="no computation comes before the program"}}
func.func @nothing(%x: !node, %w: tensor<8x8xf32>) -> !node {
  %y = gnn_overlay.linear %x, %w : !node, tensor<8x8xf32> -> !node
  return %y : !node
}
func.func @no_layers(%w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %p = arith.mulf %w, %w : tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}

// -----

!node = tensor<?x8xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @between_layers(%x: !node, %w: tensor<8x8xf32>) -> !node {
  %y = gnn_overlay.linear %x, %w : !node, tensor<8x8xf32> -> !node
  // expected-error @+1 {{'gnn.activation' op expected values that no layer computes}}
  %z = gnn.activation elu %y alpha = 1.0 : !node
  return %z : !node
}

// -----

!node = tensor<?x8xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-error @+1 {{@f.prepare has the name of what is computed before @f}}
func.func private @f.prepare()
func.func @f(%x: !node, %w: tensor<8x8xf32>) -> !node {
  %p = arith.mulf %w, %w : tensor<8x8xf32>
  %y = gnn_overlay.linear %x, %p : !node, tensor<8x8xf32> -> !node
  return %y : !node
}

// -----

!node = tensor<?x8xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-error @+1 {{expected layers in one block that returns}}
func.func @two_blocks(%x: !node, %w: tensor<8x8xf32>) -> !node {
  %y = gnn_overlay.linear %x, %w : !node, tensor<8x8xf32> -> !node
  cf.br ^bb1
^bb1:
  return %y : !node
}
