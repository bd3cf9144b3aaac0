// RUN: gnn-opt %s --gnn-overlay-fuse-activations --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter='gnn-overlay-fuse-activations' --remark-format=emitRemark \
// RUN:   | FileCheck %s

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
!row = tensor<16xf32>
gnn.graph @g square {node_types = 1, edge_types = 1}

// A function joins each kind of layer, and a function behind one goes with it.
//
// CHECK-LABEL: func.func @taken
// CHECK-NEXT:    %[[A:.+]] = gnn_overlay.linear %arg0, %arg1 activations [#gnn_overlay.act<relu>, #gnn_overlay.act<sigmoid>] :
// CHECK-NEXT:    %[[B:.+]] = gnn_overlay.aggregate sum %[[A]] activations [#gnn_overlay.act<swish>] :
// CHECK-NEXT:    %[[C:.+]] = gnn_overlay.vector_add %[[B]], %arg0 activations [#gnn_overlay.act<exp>] :
// CHECK-NEXT:    return %[[C]]
func.func @taken(%x: !node, %w: tensor<16x16xf32>) -> !node {
  %a = gnn_overlay.linear %x, %w : !node, tensor<16x16xf32> -> !node
  // expected-remark @+1 {{joins the layer linear}}
  %b = gnn_overlay.activation %a activations [#gnn_overlay.act<relu>] : !node -> !node
  // expected-remark @+1 {{joins the layer linear}}
  %c = gnn_overlay.activation %b activations [#gnn_overlay.act<sigmoid>] : !node -> !node
  %d = gnn_overlay.aggregate sum %c : !node -> !node
  // expected-remark @+1 {{joins the layer aggregate}}
  %e = gnn_overlay.activation %d activations [#gnn_overlay.act<swish>] : !node -> !node
  %f = gnn_overlay.vector_add %e, %x : !node
  // expected-remark @+1 {{joins the layer vector_add}}
  %g = gnn_overlay.activation %f activations [#gnn_overlay.act<exp>] : !node -> !node
  return %g : !node
}

// Two functions of edges, as the attention of GAT has them.
//
// CHECK-LABEL: func.func @of_edges
// CHECK-NEXT:    gnn_overlay.vector_inner %arg0, %arg0 activations [#gnn_overlay.act<prelu, 0.2>, #gnn_overlay.act<exp>] :
// CHECK-NEXT:    return
func.func @of_edges(%x: !node) -> !number {
  %a = gnn_overlay.vector_inner %x, %x : !node, !node -> !number
  // expected-remark @+1 {{joins the layer vector_inner}}
  %b = gnn_overlay.activation %a activations [#gnn_overlay.act<prelu, 0.2>] : !number -> !number
  // expected-remark @+1 {{joins the layer vector_inner}}
  %c = gnn_overlay.activation %b activations [#gnn_overlay.act<exp>] : !number -> !number
  return %c : !number
}

// A norm joins the division that it alone reads, and a function joins both.
//
// CHECK-LABEL: func.func @divided
// CHECK-NEXT:    gnn_overlay.activation %arg0 scale %arg1 shift %arg2 activations [#gnn_overlay.act<divide, 16.0>, #gnn_overlay.act<affine>, #gnn_overlay.act<relu>] :
// CHECK-NEXT:    return
func.func @divided(%x: tensor<?x17xf32, #gnn.rows<@g, node>>, %s: !row, %b: !row) -> !node {
  // expected-remark @+1 {{the divisor is a column of another fiber}}
  %a = gnn_overlay.activation %x activations [#gnn_overlay.act<divide, 16.0>] : tensor<?x17xf32, #gnn.rows<@g, node>> -> !node
  // expected-remark @+1 {{joins the activation before it}}
  %c = gnn_overlay.batch_norm %a scale %s shift %b : !node, !row, !row
  // expected-remark @+1 {{joins the layer activation}}
  %d = gnn_overlay.activation %c activations [#gnn_overlay.act<relu>] : !node -> !node
  return %d : !node
}

// CHECK-LABEL: func.func @others_read
// CHECK:         gnn_overlay.activation
func.func @others_read(%x: !node, %w: tensor<16x16xf32>) -> (!node, !node) {
  %a = gnn_overlay.linear %x, %w : !node, tensor<16x16xf32> -> !node
  // expected-remark @+1 {{others read the layer before it}}
  %b = gnn_overlay.activation %a activations [#gnn_overlay.act<relu>] : !node -> !node
  return %a, %b : !node, !node
}

// CHECK-LABEL: func.func @of_an_argument
// CHECK:         gnn_overlay.activation
func.func @of_an_argument(%x: !node) -> !node {
  // expected-remark @+1 {{it reads no layer}}
  %b = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : !node -> !node
  return %b : !node
}

// CHECK-LABEL: func.func @of_a_norm
// CHECK:         gnn_overlay.batch_norm
// CHECK:         gnn_overlay.activation
func.func @of_a_norm(%x: !node, %s: !row) -> !node {
  // expected-remark @+1 {{expected an activation as the input, which no other op reads}}
  %a = gnn_overlay.batch_norm %x scale %s shift %s : !node, !row, !row
  // expected-remark @+1 {{the layer before it is a batch norm}}
  %b = gnn_overlay.activation %a activations [#gnn_overlay.act<relu>] : !node -> !node
  return %b : !node
}

// CHECK-LABEL: func.func @third_of_edges
// CHECK:         gnn_overlay.vector_inner {{.+}} activations [#gnn_overlay.act<relu>, #gnn_overlay.act<swish>] :
// CHECK:         gnn_overlay.activation {{.+}} activations [#gnn_overlay.act<exp>] :
func.func @third_of_edges(%x: !node) -> !number {
  %a = gnn_overlay.vector_inner %x, %x activations [#gnn_overlay.act<relu>, #gnn_overlay.act<swish>] : !node, !node -> !number
  // expected-remark @+1 {{a layer of edges takes two functions}}
  %b = gnn_overlay.activation %a activations [#gnn_overlay.act<exp>] : !number -> !number
  return %b : !number
}

// CHECK-LABEL: func.func @scales
// CHECK:         gnn_overlay.linear
// CHECK:         gnn_overlay.activation
func.func @scales(%x: !node, %w: tensor<16x16xf32>, %s: !row) -> !node {
  %a = gnn_overlay.linear %x, %w : !node, tensor<16x16xf32> -> !node
  // expected-remark @+1 {{it scales by feature}}
  %b = gnn_overlay.activation %a scale %s shift %s activations [#gnn_overlay.act<relu>, #gnn_overlay.act<affine>] : !node, !row, !row -> !node
  return %b : !node
}

// CHECK-LABEL: func.func @second_scale
// CHECK:         gnn_overlay.activation
// CHECK:         gnn_overlay.batch_norm
func.func @second_scale(%x: !node, %s: !row) -> !node {
  // expected-remark @+1 {{it scales by feature}}
  %b = gnn_overlay.activation %x scale %s shift %s activations [#gnn_overlay.act<affine>] : !node, !row, !row -> !node
  // expected-remark @+1 {{expected an activation as the input, which no other op reads}}
  %c = gnn_overlay.batch_norm %b scale %s shift %s : !node, !row, !row
  return %c : !node
}

// Others read the function that a norm is of.
//
// CHECK-LABEL: func.func @norm_not_alone
// CHECK:         gnn_overlay.batch_norm
func.func @norm_not_alone(%x: !node, %s: !row) -> (!node, !node) {
  // expected-remark @+1 {{it reads no layer}}
  %b = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : !node -> !node
  // expected-remark @+1 {{expected an activation as the input, which no other op reads}}
  %c = gnn_overlay.batch_norm %b scale %s shift %s : !node, !row, !row
  return %b, %c : !node, !node
}
