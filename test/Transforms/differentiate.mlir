// RUN: gnn-opt %s --gnn-differentiate --remarks-filter='gnn-differentiate' \
// RUN:   --remark-format=emitRemark --verify-diagnostics | FileCheck %s
// RUN: gnn-opt %s --gnn-differentiate=memory=low | FileCheck %s --check-prefix=LOW

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 3}

// The input of the activation is saved, since a product makes it, and its result
// does not tell the gradient; the gradient of an input that is not asked for is not computed.
//
// CHECK-LABEL: func.func @product(
// CHECK-LABEL: func.func @product_forward(
// CHECK-SAME:    -> (tensor<?x8xf32, #[[NODE:.+]]> {gnn.name = "y", gnn.role = "output"}, tensor<?x8xf32, #[[NODE]]> {gnn.key = "[[KEY:[0-9a-f]+]]", gnn.name = "saved_0", gnn.role = "saved"})
// CHECK-SAME:    attributes {gnn.gradient_of = @product, gnn.pass = "forward"}
// CHECK:         %[[H:.+]] = gnn.linear
// CHECK:         %[[Y:.+]] = gnn.activation gelu %[[H]]
// CHECK:         return %[[Y]], %[[H]]
// CHECK-LABEL: func.func @product_backward(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32, #[[NODE]]> {gnn.name = "x", gnn.role = "input"},
// CHECK-SAME:    %[[H:[^:]+]]: tensor<?x8xf32, #[[NODE]]> {gnn.key = "[[KEY]]", gnn.name = "saved_0", gnn.role = "saved"},
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<?x8xf32, #[[NODE]]> {gnn.name = "d_y", gnn.of = "y", gnn.role = "gradient"})
// CHECK-SAME:    -> (tensor<64x8xf32> {gnn.name = "d_w", gnn.of = "w", gnn.role = "gradient"})
// CHECK:         math.erf
// CHECK:         %[[DH:.+]] = arith.mulf %[[DY]]
// CHECK:         %[[DW:.+]] = gnn.outer %[[X]], %[[DH]]
// CHECK-NOT:     gnn.linear
// CHECK:         return %[[DW]]
//
// LOW-LABEL: func.func @product_backward(
// LOW-NOT:     gnn.role = "saved"
// LOW:         gnn.linear
// LOW:         gnn.outer
func.func @product(%x: tensor<?x64xf32, #node> {gnn.name = "x"}, %w: tensor<64x8xf32> {gnn.name = "w"})
    -> (tensor<?x8xf32, #node> {gnn.name = "y"}) attributes {gnn.gradients = ["w"]} {
  // expected-remark @+1 {{gnn.linear: saved, 3.2e+06 bytes: a product makes it}}
  %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  %y = gnn.activation gelu %h : tensor<?x8xf32, #node>
  return %y : tensor<?x8xf32, #node>
}

// Rows of features of edges are computed again, whatever they take.
//
// CHECK-LABEL: func.func @edges_backward(
// CHECK-NOT:     gnn.role = "saved"
// CHECK:         gnn.gather
// CHECK:         math.exp
func.func @edges(%x: tensor<?x64xf32, #node> {gnn.name = "x"})
    -> (tensor<?x64xf32, #node> {gnn.name = "y"}) attributes {gnn.gradients} {
  // expected-remark @+1 {{gnn.gather: computed again, 2.56e+08 bytes: rows of many features of edges are never saved}}
  %m = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{math.exp: computed again, 2.56e+08 bytes: rows of many features of edges are never saved}}
  %e = math.exp %m : tensor<?x64xf32, #edge>
  %y = gnn.aggregate sum %e via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %y : tensor<?x64xf32, #node>
}

// A maximum gives its argument besides, which is saved.
//
// CHECK-LABEL: func.func @maximum_forward(
// CHECK-SAME:    tensor<?x64xi32, #[[NODE]]> {gnn.key = "{{[0-9a-f]+}}", gnn.name = "saved_0", gnn.role = "saved"}
// CHECK:         %{{.+}}, %{{.+}} = gnn.aggregate max %{{.+}} via dst : {{.+}} -> tensor<?x64xf32, #[[NODE]]>, tensor<?x64xi32, #[[NODE]]>
// CHECK-LABEL: func.func @maximum_backward(
// CHECK:         %[[P:.+]] = gnn.pick %{{.+}} at %{{.+}} via dst
// CHECK:         gnn.aggregate sum %[[P]] via src
func.func @maximum(%x: tensor<?x64xf32, #node> {gnn.name = "x"})
    -> (tensor<?x64xf32, #node> {gnn.name = "y"}) attributes {gnn.gradients} {
  // expected-remark @+1 {{gnn.aggregate result 1: saved, 2.56e+07 bytes: a sum over rows makes it}}
  %y = gnn.spmm copy %x via src reduce max via dst : (tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node>
  return %y : tensor<?x64xf32, #node>
}

// The result of an attention and the statistics of each group are saved; the
// softmax of an edge is computed again from its score.
//
// CHECK-LABEL: func.func @attention_forward(
// CHECK-SAME:    tensor<?x8xf32, #[[NODE]]> {gnn.key = "{{[0-9a-f]+}}", gnn.name = "saved_0", gnn.role = "saved"}, tensor<?x8xf32, #[[NODE]]> {gnn.key = "{{[0-9a-f]+}}", gnn.name = "saved_1", gnn.role = "saved"})
// CHECK:         gnn.attention({{.+}} -> (tensor<?x8x16xf32, #[[NODE]]>, tensor<?x8xf32, #[[NODE]]>, tensor<?x8xf32, #[[NODE]]>)
// CHECK-LABEL: func.func @attention_backward(
// CHECK-NOT:     gnn.attention
// CHECK:         gnn.activation leaky_relu
// CHECK:         math.exp
// CHECK:         gnn.sddmm
// CHECK:         gnn.aggregate sum
func.func @attention(%l: tensor<?x8xf32, #node> {gnn.name = "l"}, %r: tensor<?x8xf32, #node> {gnn.name = "r"},
                     %x: tensor<?x8x16xf32, #node> {gnn.name = "x"})
    -> (tensor<?x8x16xf32, #node> {gnn.name = "y"}) attributes {gnn.gradients} {
  // expected-remark @+4 {{gnn.attention: the sum of each group is taken of its result: it is there for others}}
  // expected-remark @+3 {{gnn.attention result 0: a result, not saved, 5.12e+07 bytes}}
  // expected-remark @+2 {{gnn.attention result 1: saved, 3.2e+06 bytes: a sum over rows makes it}}
  // expected-remark @+1 {{gnn.attention result 2: saved, 3.2e+06 bytes: a sum over rows makes it}}
  %y = gnn.attention(%a = %l via src, %b = %r via dst) value %x via src over dst : (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>, tensor<?x8x16xf32, #node>) -> tensor<?x8x16xf32, #node> {
    %s = arith.addf %a, %b : tensor<8xf32>
    %t = gnn.row_activation leaky_relu %s alpha = 0.2 : tensor<8xf32>
    gnn.yield %t : tensor<8xf32>
  }
  return %y : tensor<?x8x16xf32, #node>
}

// No result depends on %b.
//
// CHECK-LABEL: func.func @unused_backward(
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK:         return %[[ZERO]]
// expected-remark @+1 {{no result depends on input 'b': its gradient is 0}}
func.func @unused(%x: tensor<?x8xf32, #node> {gnn.name = "x"}, %b: tensor<8xf32> {gnn.name = "b"})
    -> (tensor<?x8xf32, #node> {gnn.name = "y"}) attributes {gnn.gradients = ["b"]} {
  return %x : tensor<?x8xf32, #node>
}

// The gradient of a transposed weight exchanges what it multiplies, and an
// activation is saved behind its product, so that neither pass computes it
// again: of values of one size, the last.
//
// CHECK-LABEL: func.func @transposed_forward(
// CHECK:         %[[L:.+]] = gnn.linear
// CHECK:         %[[R:.+]] = gnn.activation relu %[[L]]
// CHECK:         return %{{.+}}, %[[R]] :
// CHECK-LABEL: func.func @transposed_backward(
// CHECK-SAME:    %[[SAVED:[^:]+]]: tensor<?x8xf32, #[[NODE]]> {{{.+}}gnn.name = "saved_0"
// CHECK-SAME:    %[[D:[^:]+]]: tensor<?x4xf32, #[[NODE]]> {gnn.name = "d_y"
// CHECK-NOT:     gnn.activation
// CHECK-NOT:     gnn.weight_transpose
// CHECK:         gnn.outer %[[D]], %[[SAVED]] : {{.+}} -> tensor<4x8xf32>
// CHECK-NOT:     gnn.weight_transpose
func.func @transposed(%x: tensor<?x64xf32, #node> {gnn.name = "x"}, %v: tensor<8x64xf32> {gnn.name = "v"}, %w: tensor<4x8xf32> {gnn.name = "w"})
    -> (tensor<?x4xf32, #node> {gnn.name = "y"}) attributes {gnn.gradients = ["v", "w"]} {
  %first = gnn.weight_transpose %v : (tensor<8x64xf32>) -> tensor<64x8xf32>
  %h = gnn.linear %x, %first : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{gnn.activation: saved}}
  %r = gnn.activation relu %h : tensor<?x8xf32, #node>
  %second = gnn.weight_transpose %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %y = gnn.linear %r, %second : (tensor<?x8xf32, #node>, tensor<8x4xf32>) -> tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32, #node>
}
