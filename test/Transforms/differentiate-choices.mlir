// RUN: gnn-opt %s --gnn-differentiate --remarks-filter='gnn-differentiate' \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: gnn-opt %s --gnn-differentiate=memory=low --remarks-filter='gnn-differentiate' \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: gnn-opt %s --gnn-attach-target=chip=rtx3090 --gnn-differentiate --remarks-filter='gnn-differentiate' \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=AGAIN

// The reads of gradients that may read one thing or another.

#node = #gnn.rows<@g, node>
#many = #gnn.rows<@many, node>
#small = #gnn.rows<@small, node>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @many square {node_types = 1, edge_types = 1,
  stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000, edges = 4000000, type_edges = [4000000],
                     src_pairs = [100000], dst_pairs = [100000], in_degree_squares = 160000000,
                     in_degree_max = 40, out_degree_squares = 160000000, out_degree_max = 40>}
gnn.graph @small square {node_types = 1, edge_types = 1,
  stats = #gnn.stats<src_nodes = 10000, dst_nodes = 10000, edges = 100000, type_edges = [100000],
                     src_pairs = [10000], dst_pairs = [10000], in_degree_squares = 1000000,
                     in_degree_max = 10, out_degree_squares = 1000000, out_degree_max = 10>}

// CHECK: remark: {{.*}}gnn.attention: the sum of each group is taken over its edges: 8e+06 bytes of numbers of edges, and 2.56e+07 bytes of its result are not saved
// CHECK: remark: {{.*}}gnn.attention: the sum of each group is taken of its result: at most 2.56e+07 bytes that are saved, and 3.2e+07 bytes of numbers of edges otherwise
// CHECK: remark: {{.*}}gnn.attention: the sum of each group is taken of its result: at most 2.56e+06 bytes that are saved and stay in the L2 cache, and 8e+05 bytes of numbers of edges otherwise
// CHECK: remark: {{.*}}gnn.attention: the sum of each group is taken of its result: it is there for others
// CHECK: remark: {{.*}}gnn.attention: the sum of each group is taken of its result: it is there for others

// The result of the attention is returned with something added: it is not kept, nor
// read by the backward pass.
//
// CHECK-LABEL: func.func @bias_forward(
// CHECK-SAME:    "z", gnn.role = "output"}, tensor<?x1xf32, #{{.+}}> {{{.+}}gnn.name = "saved_0"{{.+}}, tensor<?x1xf32, #{{.+}}> {{{.+}}gnn.name = "saved_1", gnn.role = "saved"})
// CHECK-LABEL: func.func @bias_backward(
// CHECK-NOT:     gnn.sum_over_edges
// CHECK:         %[[A:.+]] = math.exp %{{.+}} fastmath<afn>
// CHECK:         %[[B:.+]] = gnn.sddmm
// CHECK:         %[[AB:.+]] = arith.mulf %[[A]], %[[B]]
// CHECK:         %[[D:.+]] = gnn.aggregate sum %[[AB]] via dst
// CHECK:         gnn.apply sub %[[B]], %[[D]] via dst
func.func @bias(%l: tensor<?x1xf32, #node> {gnn.name = "l"}, %x: tensor<?x1x64xf32, #node> {gnn.name = "x"},
                %c: tensor<1x64xf32> {gnn.name = "c"})
    -> (tensor<?x1x64xf32, #node> {gnn.name = "z"}) attributes {gnn.gradients} {
  %y = gnn.attention(%a = %l via src) value %x via src over dst : (tensor<?x1xf32, #node>, tensor<?x1x64xf32, #node>) -> tensor<?x1x64xf32, #node> {
    gnn.yield %a : tensor<1xf32>
  }
  %r = gnn.broadcast %c : tensor<1x64xf32> -> tensor<?x1x64xf32, #node>
  %z = arith.addf %y, %r : tensor<?x1x64xf32, #node>
  return %z : tensor<?x1x64xf32, #node>
}

// With 40 edges a node instead of 10, their numbers are more bytes than its row.
//
// CHECK-LABEL: func.func @many_edges_backward(
// CHECK:         gnn.reduce_features sum
func.func @many_edges(%l: tensor<?x1xf32, #many> {gnn.name = "l"}, %x: tensor<?x1x64xf32, #many> {gnn.name = "x"},
                %c: tensor<1x64xf32> {gnn.name = "c"})
    -> (tensor<?x1x64xf32, #many> {gnn.name = "z"}) attributes {gnn.gradients} {
  %y = gnn.attention(%a = %l via src) value %x via src over dst : (tensor<?x1xf32, #many>, tensor<?x1x64xf32, #many>) -> tensor<?x1x64xf32, #many> {
    gnn.yield %a : tensor<1xf32>
  }
  %r = gnn.broadcast %c : tensor<1x64xf32> -> tensor<?x1x64xf32, #many>
  %z = arith.addf %y, %r : tensor<?x1x64xf32, #many>
  return %z : tensor<?x1x64xf32, #many>
}

// Rows of less than 0.14 of the L2 of an H200 stay there. They do not in the L2 of an
// RTX 3090, which has 6 MB: rows that edges gather again count. Neither counts where
// memory is to be saved.
//
// CHECK-LABEL: func.func @few_nodes_backward(
// CHECK:         gnn.reduce_features sum
// ALONE: remark: {{.*}}gnn.attention: the sum of each group is taken over its edges: 8e+06 bytes of numbers of edges
// ALONE: remark: {{.*}}gnn.attention: the sum of each group is taken of its result: at most 2.56e+07 bytes that are saved, and
// ALONE: remark: {{.*}}gnn.attention: the sum of each group is taken over its edges: 8e+05 bytes of numbers of edges, and 2.56e+06 bytes of its result are not saved
// AGAIN: remark: {{.*}}gnn.attention: the sum of each group is taken over its edges: 8e+06 bytes of numbers of edges
// AGAIN: remark: {{.*}}gnn.attention: the sum of each group is taken of its result: at most 2.56e+07 bytes that are saved, and
// AGAIN: remark: {{.*}}gnn.attention: the sum of each group is taken of its result: at most 2.56e+06 bytes that are saved, and rows of edges that are gathered again otherwise, as long as {{.+}} bytes
// AGAIN-LABEL: func.func @few_nodes_backward(
// AGAIN:         gnn.reduce_features sum
// ALONE-LABEL: func.func @few_nodes_backward(
// ALONE-NOT:     gnn.reduce_features sum
// ALONE-LABEL: func.func @gelu
func.func @few_nodes(%l: tensor<?x1xf32, #small> {gnn.name = "l"}, %x: tensor<?x1x64xf32, #small> {gnn.name = "x"},
                %c: tensor<1x64xf32> {gnn.name = "c"})
    -> (tensor<?x1x64xf32, #small> {gnn.name = "z"}) attributes {gnn.gradients} {
  %y = gnn.attention(%a = %l via src) value %x via src over dst : (tensor<?x1xf32, #small>, tensor<?x1x64xf32, #small>) -> tensor<?x1x64xf32, #small> {
    gnn.yield %a : tensor<1xf32>
  }
  %r = gnn.broadcast %c : tensor<1x64xf32> -> tensor<?x1x64xf32, #small>
  %z = arith.addf %y, %r : tensor<?x1x64xf32, #small>
  return %z : tensor<?x1x64xf32, #small>
}

// The gradient of gelu reads the result as well.
//
// CHECK-LABEL: func.func @gelu_backward(
// CHECK:         gnn.reduce_features sum
func.func @gelu(%l: tensor<?x1xf32, #node> {gnn.name = "l"}, %x: tensor<?x1x64xf32, #node> {gnn.name = "x"})
    -> (tensor<?x1x64xf32, #node> {gnn.name = "z"}) attributes {gnn.gradients} {
  %y = gnn.attention(%a = %l via src) value %x via src over dst : (tensor<?x1xf32, #node>, tensor<?x1x64xf32, #node>) -> tensor<?x1x64xf32, #node> {
    gnn.yield %a : tensor<1xf32>
  }
  %z = gnn.activation gelu %y : tensor<?x1x64xf32, #node>
  return %z : tensor<?x1x64xf32, #node>
}

// A result in another shape is read from there.
//
// CHECK-LABEL: func.func @reshaped_backward(
// CHECK-SAME:    %[[Z:[^:]+]]: tensor<?x64xf32, #{{[^>]+>>?}} {gnn.name = "z", gnn.role = "output"}
// CHECK:         %[[Y:.+]] = gnn.reshape %[[Z]]
// CHECK:         arith.mulf %{{.+}}, %[[Y]]
func.func @reshaped(%l: tensor<?x1xf32, #node> {gnn.name = "l"}, %x: tensor<?x1x64xf32, #node> {gnn.name = "x"})
    -> (tensor<?x64xf32, #node> {gnn.name = "z"}) attributes {gnn.gradients} {
  %y = gnn.attention(%a = %l via src) value %x via src over dst : (tensor<?x1xf32, #node>, tensor<?x1x64xf32, #node>) -> tensor<?x1x64xf32, #node> {
    gnn.yield %a : tensor<1xf32>
  }
  %z = gnn.reshape %y : tensor<?x1x64xf32, #node> -> tensor<?x64xf32, #node>
  return %z : tensor<?x64xf32, #node>
}

// The sign of the result is that of the input: what is returned is not kept twice.
//
// CHECK-LABEL: func.func @relu_forward(
// CHECK-NOT:     gnn.role = "saved"
// CHECK-LABEL: func.func @relu_backward(
// CHECK-SAME:    %[[Y:[^:]+]]: tensor<?x8xf32, #{{[^>]+>>?}} {gnn.name = "y", gnn.role = "output"}
// CHECK:         %[[BELOW:.+]] = arith.cmpf ole, %[[Y]], %[[ZERO:.+]] :
// CHECK:         arith.select %[[BELOW]], %[[ZERO]],
func.func @relu(%x: tensor<?x64xf32, #node> {gnn.name = "x"}, %w: tensor<64x8xf32> {gnn.name = "w"})
    -> (tensor<?x8xf32, #node> {gnn.name = "y"}) attributes {gnn.gradients} {
  %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  %y = gnn.activation relu %h : tensor<?x8xf32, #node>
  return %y : tensor<?x8xf32, #node>
}

// It is not where the slope is negative.
//
// CHECK-LABEL: func.func @negative_backward(
// CHECK-SAME:    %[[H:[^:]+]]: tensor<?x8xf32, #{{[^>]+>>?}} {{{.+}}gnn.name = "saved_0"
// CHECK:         arith.cmpf ogt, %[[H]],
func.func @negative(%x: tensor<?x64xf32, #node> {gnn.name = "x"}, %w: tensor<64x8xf32> {gnn.name = "w"})
    -> (tensor<?x8xf32, #node> {gnn.name = "y"}) attributes {gnn.gradients} {
  %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  %y = gnn.activation leaky_relu %h alpha = -0.5 : tensor<?x8xf32, #node>
  return %y : tensor<?x8xf32, #node>
}

// The input is an argument, and the result of the activation is not there.
//
// CHECK-LABEL: func.func @argument_backward(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x8xf32, #{{[^>]+>>?}} {gnn.name = "x", gnn.role = "input"}
// CHECK-NOT:     gnn.activation
// CHECK:         arith.cmpf ogt, %[[X]],
func.func @argument(%x: tensor<?x8xf32, #node> {gnn.name = "x"})
    -> (tensor<?x8xf32, #node> {gnn.name = "y"}) attributes {gnn.gradients} {
  %h = gnn.activation leaky_relu %x alpha = 0.5 : tensor<?x8xf32, #node>
  %y = math.exp %h : tensor<?x8xf32, #node>
  return %y : tensor<?x8xf32, #node>
}

// Only what asks for the sign is the same of both: others compare the result.
//
// CHECK-LABEL: func.func @larger_backward(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x8xf32, #{{[^>]+>>?}} {gnn.name = "x", gnn.role = "input"}
// CHECK-SAME:    %[[Z:[^:]+]]: tensor<?x8xf32, #{{[^>]+>>?}} {gnn.name = "z", gnn.role = "input"}
// CHECK:         %[[H:.+]] = gnn.activation leaky_relu %[[X]]
// CHECK-NOT:     arith.cmpf {{oeq|olt}}, %[[X]],
// CHECK:         arith.cmpf {{oeq|olt}}, %[[H]], %[[Z]]
// CHECK-NOT:     arith.cmpf {{oeq|olt}}, %[[X]],
// CHECK:         arith.cmpf ogt, %[[X]],
func.func @larger(%x: tensor<?x8xf32, #node> {gnn.name = "x"},
                  %z: tensor<?x8xf32, #node> {gnn.name = "z"})
    -> (tensor<?x8xf32, #node> {gnn.name = "y"}) attributes {gnn.gradients} {
  %h = gnn.activation leaky_relu %x alpha = 0.5 : tensor<?x8xf32, #node>
  %y = arith.maximumf %h, %z : tensor<?x8xf32, #node>
  return %y : tensor<?x8xf32, #node>
}
