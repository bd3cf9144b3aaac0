// RUN: gnn-opt %s --convert-gnn-to-gnn-overlay --verify-diagnostics --split-input-file

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @typed(%x: !node, %w: tensor<2x16x16xf32, #gnn.rows<@g, edge_type>>) -> !node {
  %m = gnn.gather %x via src : !node -> tensor<?x16xf32, #gnn.rows<@g, edge>>
  // expected-error @+1 {{has no overlay layer: expected products, sums over edges, scores, additions and functions of rows of nodes, got 'gnn.typed_linear'}}
  %t = gnn.typed_linear %m, %w : (tensor<?x16xf32, #gnn.rows<@g, edge>>, tensor<2x16x16xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x16xf32, #gnn.rows<@g, edge>>
  %y = gnn.aggregate sum %t via dst : tensor<?x16xf32, #gnn.rows<@g, edge>> -> !node
  return %y : !node
}

// -----

gnn.graph @b bipartite {node_types = 1, edge_types = 1}

func.func @bipartite(%x: tensor<?x16xf32, #gnn.rows<@b, src>>) -> tensor<?x16xf32, #gnn.rows<@b, dst>> {
  // expected-error @+1 {{has no overlay layer: expected rows of nodes at one end of each edge, got 'tensor<?x16xf32, #gnn.rows<@b, src>>'}}
  %y = gnn.spmm copy %x reduce sum : (tensor<?x16xf32, #gnn.rows<@b, src>>) -> tensor<?x16xf32, #gnn.rows<@b, dst>>
  return %y : tensor<?x16xf32, #gnn.rows<@b, dst>>
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!looped = tensor<?x16xf32, #gnn.rows<@looped, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @looped square of @g loops replace type 0 {node_types = 1, edge_types = 1}

func.func @two_graphs(%x: !node) -> !looped {
  %a = gnn.spmm copy %x via src reduce sum via dst : (!node) -> !node
  %r = gnn.rebind_rows %a : !node -> !looped
  // expected-error @+1 {{has no overlay layer: expected edges of one graph, got @g and @looped}}
  %b = gnn.spmm copy %r via src reduce sum via dst : (!looped) -> !looped
  return %b : !looped
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @sum_of_graph(%x: !node) -> tensor<1x16xf32, #gnn.rows<@g, graph>> {
  // expected-error @+1 {{has no overlay layer: expected rows of sources with a factor for each edge, got 'tensor<?x16xf32, #gnn.rows<@g, node>>'}}
  %y = gnn.aggregate sum %x : !node -> tensor<1x16xf32, #gnn.rows<@g, graph>>
  return %y : tensor<1x16xf32, #gnn.rows<@g, graph>>
}

// -----

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

!node = tensor<?x16xf16, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @f16(%x: !node, %w: tensor<16x16xf16>) -> !node {
  // expected-error @+1 {{has no overlay layer: expected f32 rows of nodes, got 'tensor<?x16xf16, #gnn.rows<@g, node>>'}}
  %y = gnn.linear %x, %w : (!node, tensor<16x16xf16>) -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xbf16, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @bf16(%x: !node) -> !node {
  // expected-error @+1 {{has no overlay layer: expected f32 rows of nodes, got 'tensor<?x16xbf16, #gnn.rows<@g, node>>'}}
  %y = gnn.activation relu %x : !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xbf16, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @bf16_numbers(%s: !number, %x: tensor<?x16xbf16, #gnn.rows<@g, node>>) -> tensor<?x16xbf16, #gnn.rows<@g, node>> {
  // expected-error @+1 {{has no overlay layer: expected}}
  %m = gnn.apply mul %s, %x via src : (!number, tensor<?x16xbf16, #gnn.rows<@g, node>>) -> tensor<?x16xbf16, #gnn.rows<@g, edge>>
  %y = gnn.aggregate sum %m via dst : tensor<?x16xbf16, #gnn.rows<@g, edge>> -> tensor<?x16xbf16, #gnn.rows<@g, node>>
  return %y : tensor<?x16xbf16, #gnn.rows<@g, node>>
}

// -----

//===----------------------------------------------------------------------===//
// Functions and norms
//===----------------------------------------------------------------------===//

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @elu(%x: !node) -> !node {
  // expected-error @+1 {{has no overlay layer: expected relu, leaky_relu or prelu with one constant slope, swish, exp or sigmoid, got elu}}
  %y = gnn.activation elu %x alpha = 1.0 : !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @tanh(%x: !node) -> !node {
  // expected-error @+1 {{has no overlay layer: expected relu, leaky_relu or prelu with one constant slope, swish, exp or sigmoid, got tanh}}
  %y = gnn.activation tanh %x : !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @gelu(%x: !node) -> !node {
  // expected-error @+1 {{has no overlay layer: expected relu, leaky_relu or prelu with one constant slope, swish, exp or sigmoid, got gelu}}
  %y = gnn.activation gelu %x : !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @learned_slope(%x: !node, %w: tensor<16xf32>) -> !node {
  // expected-error @+1 {{has no overlay layer: expected relu, leaky_relu or prelu with one constant slope, swish, exp or sigmoid, got prelu}}
  %y = gnn.activation prelu %x, %w : !node, tensor<16xf32>
  return %y : !node
}

// -----

!node = tensor<?x2xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @slope_of_each(%x: !node) -> !node {
  %w = arith.constant dense<[0.25, 0.5]> : tensor<2xf32>
  // expected-error @+1 {{has no overlay layer: expected relu, leaky_relu or prelu with one constant slope, swish, exp or sigmoid, got prelu}}
  %y = gnn.activation prelu %x, %w : !node, tensor<2xf32>
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @layer_norm(%x: !node) -> !node {
  // expected-error @+1 {{has no overlay layer: expected products, sums over edges, scores, additions and functions of rows of nodes, got 'gnn.layer_norm'}}
  %y = gnn.layer_norm %x eps = 1.0e-5 : !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @dropout(%x: !node, %seed: i64, %offset: i64) -> !node {
  // expected-error @+1 {{has no overlay layer: expected products, sums over edges, scores, additions and functions of rows of nodes, got 'gnn.dropout'}}
  %y = gnn.dropout %x p = 0.5 seed %seed offset %offset : !node
  return %y : !node
}

// -----

//===----------------------------------------------------------------------===//
// Sums and scores
//===----------------------------------------------------------------------===//

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!edge = tensor<?x16xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @argument_of_maximum(%x: !node) -> (!node, tensor<?x16xi32, #gnn.rows<@g, node>>) {
  %m = gnn.gather %x via src : !node -> !edge
  // expected-error @+1 {{has no overlay layer: expected no argument of a maximum or minimum}}
  %y, %i = gnn.aggregate max %m via dst : !edge -> !node, tensor<?x16xi32, #gnn.rows<@g, node>>
  return %y, %i : !node, tensor<?x16xi32, #gnn.rows<@g, node>>
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!edge = tensor<?x16xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @sum_at_sources(%x: !node) -> !node {
  %m = gnn.gather %x via dst : !node -> !edge
  // expected-error @+1 {{has no overlay layer: expected rows of sources, reduced at destinations}}
  %y = gnn.aggregate sum %m via src : !edge -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!edge = tensor<?x16xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @rows_of_destinations(%x: !node) -> !node {
  %m = gnn.gather %x via dst : !node -> !edge
  // expected-error @+1 {{has no overlay layer: expected rows of sources, reduced at destinations}}
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!edge = tensor<?x16xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @difference(%x: !node) -> !node {
  // expected-error @+1 {{has no overlay layer: expected a product of rows with a number of each edge, or a sum of one number of each end, got sub}}
  %m = gnn.apply sub %x via src, %x via dst : (!node, !node) -> !edge
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!edge = tensor<?x16xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @sum_of_scores(%x: !node) -> !node {
  %m = gnn.apply add %x via src, %x via dst : (!node, !node) -> !edge
  // expected-error @+1 {{has no overlay layer: expected rows of sources with a factor for each edge, got 'tensor<?x16xf32, #gnn.rows<@g, edge>>'}}
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @spmm_add(%x: !node, %w: !number) -> !node {
  // expected-error @+1 {{has no overlay layer: expected mul or copy, got add}}
  %y = gnn.spmm add %x via src, %w reduce sum via dst : (!node, !number) -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!edge = tensor<?x16xf32, #gnn.rows<@g, edge>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @two_computed_factors(%x: !node) -> !node {
  %a = gnn.sddmm %x via src, %x via dst : (!node, !node) -> !number
  %b = gnn.activation exp %a : !number
  %m = gnn.apply mul %a, %x via src : (!number, !node) -> !edge
  // expected-error @+1 {{has no overlay layer: expected one factor of an edge that layers compute, got a product of two}}
  %n = gnn.apply mul %b, %m : (!number, !edge) -> !edge
  %y = gnn.aggregate sum %n via dst : !edge -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @mean_of_scores(%x: !node) -> !node {
  %a = gnn.sddmm %x via src, %x via dst : (!node, !node) -> !number
  // expected-error @+1 {{has no overlay layer: expected one factor of an edge that layers compute, got a product of two}}
  %y = gnn.spmm mul %x via src, %a reduce mean via dst : (!node, !number) -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @softmax_over_sources(%x: !node) -> !node {
  %s = gnn.sddmm %x via src, %x via dst : (!node, !node) -> !number
  // expected-error @+1 {{has no overlay layer: expected a softmax over the edges of a destination, got over src}}
  %a = gnn.edge_softmax %s over src : !number
  %y = gnn.spmm mul %x via src, %a reduce sum via dst : (!node, !number) -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @maximum_of_softmax(%x: !node) -> !node {
  %s = gnn.sddmm %x via src, %x via dst : (!node, !node) -> !number
  %a = gnn.edge_softmax %s over dst : !number
  // expected-error @+1 {{has no overlay layer: expected a sum of what a softmax weighs, got max}}
  %y = gnn.spmm mul %x via src, %a reduce max via dst : (!node, !number) -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @function_of_softmax(%x: !node) -> !node {
  %s = gnn.sddmm %x via src, %x via dst : (!node, !node) -> !number
  %a = gnn.edge_softmax %s over dst : !number
  // expected-error @+1 {{has no overlay layer: expected scores before their softmax}}
  %b = gnn.activation relu %a : !number
  %y = gnn.spmm mul %x via src, %b reduce sum via dst : (!node, !number) -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @softmax_is_result(%x: !node) -> !number {
  %s = gnn.sddmm %x via src, %x via dst : (!node, !node) -> !number
  %a = gnn.edge_softmax %s over dst : !number
  // expected-error @+1 {{has no overlay layer: expected rows of nodes or one number for each edge as a result, got 'tensor<?xf32, #gnn.rows<@g, edge>>'}}
  return %a : !number
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!edge = tensor<?x16xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @message_is_result(%x: !node) -> !edge {
  %m = gnn.gather %x via src : !node -> !edge
  // expected-error @+1 {{has no overlay layer: expected rows of nodes or one number for each edge as a result, got 'tensor<?x16xf32, #gnn.rows<@g, edge>>'}}
  return %m : !edge
}

// -----

//===----------------------------------------------------------------------===//
// Rows and weights
//===----------------------------------------------------------------------===//

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @weight_of_each_head(%x: !node, %w: tensor<2x16x8xf32>) -> tensor<?x2x8xf32, #gnn.rows<@g, node>> {
  // expected-error @+1 {{has no overlay layer: expected one weight for all heads, got 'tensor<2x16x8xf32>'}}
  %y = gnn.linear %x, %w : (!node, tensor<2x16x8xf32>) -> tensor<?x2x8xf32, #gnn.rows<@g, node>>
  return %y : tensor<?x2x8xf32, #gnn.rows<@g, node>>
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @dot_of_rows(%x: !node, %y: !node) -> tensor<?xf32, #gnn.rows<@g, node>> {
  // expected-error @+1 {{has no overlay layer: expected a product of rows of nodes with a weight}}
  %z = gnn.dot %x, %y : (!node, !node) -> tensor<?xf32, #gnn.rows<@g, node>>
  return %z : tensor<?xf32, #gnn.rows<@g, node>>
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @product_of_rows(%x: !node, %y: !node) -> !node {
  // expected-error @+1 {{has no overlay layer: expected a product with a weight that all rows of nodes share}}
  %z = arith.mulf %x, %y : !node
  return %z : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @captured(%x: !node, %c: i1) -> !node {
  // A region reads rows, not the op.
  // expected-error @+1 {{has no overlay layer: expected products, sums over edges, scores, additions and functions of rows of nodes, got 'scf.if'}}
  %y = scf.if %c -> !node {
    %a = gnn.activation relu %x : !node
    scf.yield %a : !node
  } else {
    scf.yield %x : !node
  }
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @argument_is_result(%x: !node) -> !node {
  // expected-error @+1 {{has no overlay layer: result 0 is an argument}}
  return %x : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @view_is_result(%x: !node) -> tensor<?x2x8xf32, #gnn.rows<@g, node>> {
  %y = gnn.reshape %x : !node -> tensor<?x2x8xf32, #gnn.rows<@g, node>>
  // expected-error @+1 {{has no overlay layer: result 0 is an argument}}
  return %y : tensor<?x2x8xf32, #gnn.rows<@g, node>>
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @weight_is_result(%x: !node, %w: tensor<16xf32>) -> (!node, tensor<16xf32>) {
  %y = gnn.activation relu %x : !node
  // expected-error @+1 {{has no overlay layer: result 1 does not depend on rows of nodes}}
  return %y, %w : !node, tensor<16xf32>
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-error @+1 {{has no overlay layer: expected one block}}
func.func @two_blocks(%x: !node) -> !node {
  cf.br ^bb1
^bb1:
  return %x : !node
}

// -----

// Rows of nodes of two graphs, of which neither has the other's nodes.

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!other = tensor<?x16xf32, #gnn.rows<@h, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @h square {node_types = 1, edge_types = 1}

func.func @unrelated(%x: !node, %y: !other) -> (!node, !other) {
  %a = gnn.activation relu %x : !node
  // expected-error @+1 {{has no overlay layer: expected rows of the nodes of @g, got those of @h}}
  %b = gnn.activation relu %y : !other
  return %a, %b : !node, !other
}

// -----

!heads = tensor<?x2x8xf32, #gnn.rows<@g, node>>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @maximum_of_heads(%x: !heads) -> !node {
  // expected-error @+1 {{has no overlay layer: expected a sum or mean of heads, got max}}
  %y = gnn.reduce_heads max %x : !heads -> !node
  return %y : !node
}

// -----

#edge = #gnn.rows<@g, edge>
!node = tensor<?x4xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @other_heads(%x: tensor<?x4x8xf32, #gnn.rows<@g, node>>) -> tensor<?x2x2xf32, #edge> {
  %s = gnn.sddmm %x via src, %x via dst : (tensor<?x4x8xf32, #gnn.rows<@g, node>>, tensor<?x4x8xf32, #gnn.rows<@g, node>>) -> tensor<?x4xf32, #edge>
  // expected-error @+1 {{has no overlay layer: expected rows of nodes, or of edges with the same heads, got 'tensor<?x4xf32, #gnn.rows<@g, edge>>' as 'tensor<?x2x2xf32, #gnn.rows<@g, edge>>'}}
  %r = gnn.reshape %s : tensor<?x4xf32, #edge> -> tensor<?x2x2xf32, #edge>
  return %r : tensor<?x2x2xf32, #edge>
}
