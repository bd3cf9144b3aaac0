// RUN: gnn-opt %s --convert-gnn-to-gnn-overlay | FileCheck %s

#node = #gnn.rows<@g, node>
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!weight = tensor<16x16xf32>
!row = tensor<16xf32>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @looped square of @g loops replace type 0 {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @addition
// CHECK-NEXT:    gnn_overlay.vector_add %arg0, %arg1 :
func.func @addition(%x: !node, %y: !node) -> !node {
  %z = arith.addf %x, %y : !node
  return %z : !node
}

//===----------------------------------------------------------------------===//
// A weight that is added
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @bias_of_product
// CHECK:         %[[Y:.+]] = gnn_overlay.linear %arg0, %arg1 bias %arg2 :
// CHECK-NEXT:    return %[[Y]]
func.func @bias_of_product(%x: !node, %w: !weight, %b: !row) -> !node {
  %h = gnn.linear %x, %w : (!node, !weight) -> !node
  %r = gnn.broadcast %b : !row -> !node
  %y = arith.addf %r, %h : !node
  return %y : !node
}

// CHECK-LABEL: func.func @second_bias
// CHECK:         %[[B:.+]] = arith.addf %arg2, %arg2 : tensor<16xf32>
// CHECK:         gnn_overlay.linear %arg0, %arg1 bias %[[B]] :
func.func @second_bias(%x: !node, %w: !weight, %b: !row) -> !node {
  %h = gnn.linear %x, %w bias %b : (!node, !weight, !row) -> !node
  %r = gnn.broadcast %b : !row -> !node
  %y = arith.addf %h, %r : !node
  return %y : !node
}

// CHECK-LABEL: func.func @begin_of_sum
// CHECK:         gnn_overlay.aggregate sum %arg0 init %arg1 :
func.func @begin_of_sum(%x: !node, %b: !row) -> !node {
  %h = gnn.spmm copy %x via src reduce sum via dst : (!node) -> !node
  %r = gnn.broadcast %b : !row -> !node
  %y = arith.addf %h, %r : !node
  return %y : !node
}

// Through an addition, to an operand that it alone reads.
//
// CHECK-LABEL: func.func @through_addition
// CHECK:         %[[H:.+]] = gnn_overlay.linear %arg0, %arg1 :
// CHECK:         %[[Y:.+]] = gnn_overlay.linear %arg0, %arg1 bias %arg2 :
// CHECK:         gnn_overlay.vector_add %[[Y]], %arg0 :
// CHECK-NOT:     gnn_overlay.batch_norm
func.func @through_addition(%x: !node, %w: !weight, %b: !row) -> (!node, !node) {
  %k = gnn.linear %x, %w : (!node, !weight) -> !node
  %h = gnn.linear %x, %w : (!node, !weight) -> !node
  %s = arith.addf %h, %x : !node
  %r = gnn.broadcast %b : !row -> !node
  %y = arith.addf %s, %r : !node
  return %y, %k : !node, !node
}

// Not where others read the product, nor where a function is in between.
//
// CHECK-LABEL: func.func @bias_alone
// CHECK:         %[[ONES:.+]] = gnn_overlay.assemble blocks [] transposed [] ones [0, 0, 1, 16]
// CHECK:         gnn_overlay.batch_norm %{{.+}} scale %[[ONES]] shift %arg2 :
func.func @bias_alone(%x: !node, %w: !weight, %b: !row) -> (!node, !node) {
  %h = gnn.linear %x, %w : (!node, !weight) -> !node
  %r = gnn.broadcast %b : !row -> !node
  %y = arith.addf %h, %r : !node
  return %y, %h : !node, !node
}

// CHECK-LABEL: func.func @bias_of_maximum
// CHECK:         %[[H:.+]] = gnn_overlay.aggregate max %arg0 :
// CHECK:         gnn_overlay.batch_norm %[[H]]
func.func @bias_of_maximum(%x: !node, %b: !row) -> !node {
  %h = gnn.spmm copy %x via src reduce max via dst : (!node) -> !node
  %r = gnn.broadcast %b : !row -> !node
  %y = arith.addf %h, %r : !node
  return %y : !node
}

// CHECK-LABEL: func.func @scaled
// CHECK:         %[[ZEROS:.+]] = gnn_overlay.assemble blocks [] transposed [] ones [] : () -> tensor<16xf32>
// CHECK:         gnn_overlay.batch_norm %arg0 scale %arg1 shift %[[ZEROS]] :
func.func @scaled(%x: !node, %b: !row) -> !node {
  %r = gnn.broadcast %b : !row -> !node
  %y = arith.mulf %x, %r : !node
  return %y : !node
}

// One number for all features, and one a feature for all heads.
//
// CHECK-LABEL: func.func @scaled_by_number
// CHECK:         %[[R:.+]] = gnn.broadcast %arg1 : tensor<f32> -> tensor<16xf32>
// CHECK:         gnn_overlay.batch_norm %arg0 scale %[[R]]
func.func @scaled_by_number(%x: !node, %b: tensor<f32>) -> !node {
  %r = gnn.broadcast %b : tensor<f32> -> !node
  %y = arith.mulf %x, %r : !node
  return %y : !node
}

// CHECK-LABEL: func.func @heads_scaled
// CHECK:         %[[R:.+]] = gnn.broadcast %arg1 : tensor<16xf32> -> tensor<2x16xf32>
// CHECK:         %[[F:.+]] = gnn.reshape %[[R]] : tensor<2x16xf32> -> tensor<32xf32>
// CHECK:         gnn_overlay.batch_norm %{{.+}} scale %[[F]]
func.func @heads_scaled(%x: tensor<?x2x16xf32, #node>, %b: !row) -> tensor<?x2x16xf32, #node> {
  %r = gnn.broadcast %b : !row -> tensor<?x2x16xf32, #node>
  %y = arith.mulf %x, %r : tensor<?x2x16xf32, #node>
  return %y : tensor<?x2x16xf32, #node>
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @functions
// CHECK:         activations [#gnn_overlay.act<relu>]
// CHECK:         activations [#gnn_overlay.act<prelu, 0.2>]
// CHECK:         activations [#gnn_overlay.act<prelu, 0.25>]
// CHECK:         activations [#gnn_overlay.act<swish>]
// CHECK:         activations [#gnn_overlay.act<exp>]
// CHECK:         activations [#gnn_overlay.act<sigmoid>]
func.func @functions(%x: !node) -> !node {
  %slope = arith.constant dense<0.25> : !row
  %a = gnn.activation relu %x : !node
  %b = gnn.activation leaky_relu %a alpha = 0.2 : !node
  %c = gnn.activation prelu %b, %slope : !node, !row
  %d = gnn.activation swish %c : !node
  %e = gnn.activation exp %d : !node
  %f = gnn.activation sigmoid %e : !node
  return %f : !node
}

// Scale and shift are computed of the statistics before the program.
//
// CHECK-LABEL: func.func @norm
// CHECK:         %[[V:.+]] = arith.addf %arg2, %{{.+}} : tensor<16xf32>
// CHECK:         %[[D:.+]] = math.sqrt %[[V]]
// CHECK:         %[[S:.+]] = arith.divf %arg3, %[[D]]
// CHECK:         %[[M:.+]] = arith.mulf %arg1, %[[S]]
// CHECK:         %[[B:.+]] = arith.subf %arg4, %[[M]]
// CHECK:         gnn_overlay.batch_norm %arg0 scale %[[S]] shift %[[B]] :
func.func @norm(%x: !node, %m: !row, %v: !row, %c: !row, %b: !row) -> !node {
  %y = gnn.batch_norm %x mean %m variance %v gamma %c beta %b eps = 1.0e-5 : !node, !row
  return %y : !node
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

// Rows keep their numbers where only their shape changes.
//
// CHECK-LABEL: func.func @reshaped
// CHECK-NEXT:    %[[X:.+]] = gnn.reshape %arg0 : tensor<?x2x8xf32, {{.+}}> -> tensor<?x16xf32,
// CHECK-NEXT:    %[[Y:.+]] = gnn_overlay.activation %[[X]]
// CHECK-NEXT:    return %[[Y]]
func.func @reshaped(%x: tensor<?x2x8xf32, #node>) -> !node {
  %r = gnn.activation relu %x : tensor<?x2x8xf32, #node>
  %y = gnn.reshape %r : tensor<?x2x8xf32, #node> -> !node
  return %y : !node
}

// A head more or less is the same message.
//
// CHECK-LABEL: func.func @reshaped_message
// CHECK-NEXT:    gnn_overlay.aggregate sum %arg0 : tensor<?x16xf32,
func.func @reshaped_message(%x: !node) -> !node {
  %m = gnn.gather %x via src : !node -> tensor<?x16xf32, #gnn.rows<@g, edge>>
  %r = gnn.reshape %m : tensor<?x16xf32, #gnn.rows<@g, edge>> -> tensor<?x2x8xf32, #gnn.rows<@g, edge>>
  %y = gnn.aggregate sum %r via dst : tensor<?x2x8xf32, #gnn.rows<@g, edge>> -> tensor<?x2x8xf32, #node>
  %z = gnn.reshape %y : tensor<?x2x8xf32, #node> -> !node
  return %z : !node
}

// A graph with its loops replaced has the nodes of its own; layers are of the graph that
// edges are of.
//
// CHECK-LABEL: func.func @replaced_loops
// CHECK-NEXT:    %[[X:.+]] = gnn.rebind_rows %arg0 : tensor<?x16xf32, #node> -> tensor<?x16xf32, #looped_node>
// CHECK-NEXT:    %[[H:.+]] = gnn_overlay.linear %[[X]], %arg1 : tensor<?x16xf32, #looped_node>
// CHECK-NEXT:    %[[Y:.+]] = gnn_overlay.aggregate sum %[[H]] : tensor<?x16xf32, #looped_node>
// CHECK-NEXT:    gnn.rebind_rows %[[Y]] : tensor<?x16xf32, #looped_node> -> tensor<?x16xf32, #node>
func.func @replaced_loops(%x: !node, %w: !weight) -> !node {
  %h = gnn.linear %x, %w : (!node, !weight) -> !node
  %l = gnn.rebind_rows %h : !node -> tensor<?x16xf32, #gnn.rows<@looped, node>>
  %s = gnn.spmm copy %l via src reduce sum via dst : (tensor<?x16xf32, #gnn.rows<@looped, node>>) -> tensor<?x16xf32, #gnn.rows<@looped, node>>
  %y = gnn.rebind_rows %s : tensor<?x16xf32, #gnn.rows<@looped, node>> -> !node
  return %y : !node
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @sum_of_heads
// CHECK:         %[[W:.+]] = gnn_overlay.assemble blocks [] transposed [] ones [0, 0, 1, 1, 1, 1, 1, 1, 2, 0, 1, 1, 3, 1, 1, 1] : () -> tensor<4x2xf32>
// CHECK-NEXT:    gnn_overlay.linear %{{.+}}, %[[W]] : {{.+}} -> tensor<?x2xf32,
func.func @sum_of_heads(%x: tensor<?x2x2xf32, #node>) -> tensor<?x2xf32, #node> {
  %y = gnn.reduce_heads sum %x : tensor<?x2x2xf32, #node> -> tensor<?x2xf32, #node>
  return %y : tensor<?x2xf32, #node>
}

// CHECK-LABEL: func.func @mean_of_heads
// CHECK:         %[[HALF:.+]] = arith.constant dense<5.000000e-01> : tensor<1xf32>
// CHECK:         %[[W:.+]] = gnn_overlay.assemble %[[HALF]], %[[HALF]] blocks [0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1]
// CHECK-NEXT:    gnn_overlay.linear %{{.+}}, %[[W]] : {{.+}} -> tensor<?x1xf32,
func.func @mean_of_heads(%x: tensor<?x2x1xf32, #node>) -> tensor<?x1xf32, #node> {
  %y = gnn.reduce_heads mean %x : tensor<?x2x1xf32, #node> -> tensor<?x1xf32, #node>
  return %y : tensor<?x1xf32, #node>
}
