// RUN: gnn-opt %s --gnn-verify-graph-form --verify-diagnostics \
// RUN:   --split-input-file --allow-unregistered-dialect

// A function in graph form: rows by gnn, arith and math, weights by tensor.

gnn.graph @g square {node_types = 1, edge_types = 2}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @graph_form(%x: !node, %w: tensor<4x2x8xf32>) -> (!node, !node) {
  %v = tensor.collapse_shape %w [[0, 1], [2]] : tensor<4x2x8xf32> into tensor<8x8xf32>
  %h = gnn.linear %x, %v : (!node, tensor<8x8xf32>) -> !node
  %e = gnn.gather %h via src : !node -> !edge
  %a, %i = gnn.aggregate max %e via dst : !edge -> !node, tensor<?x8xi32, #gnn.rows<@g, node>>
  %s = arith.addf %a, %x : !node
  %t = math.tanh %s : !node
  %c = arith.cmpf ogt, %t, %x : !node
  %y = arith.select %c, %t, %x : tensor<?x8xi1, #gnn.rows<@g, node>>, !node
  return %y, %a : !node, !node
}

// Functions without rows are none of its business.
func.func @without_rows(%x: tensor<4xf64>, %n: index) -> tensor<4xf64> {
  %z = "other.op"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %z : tensor<4xf64>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>

func.func @cast_drops_rows(%x: !node) -> tensor<?x8xf32> {
  // expected-error @+1 {{'tensor.cast' op expected node rows of @g to stay what they are, got no rows}}
  %y = tensor.cast %x : !node to tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @cast_changes_rows(%x: !node) -> !edge {
  // expected-error @+1 {{'tensor.cast' op expected node rows of @g to stay what they are, got edge rows of @g}}
  %y = tensor.cast %x : !node to !edge
  return %y : !edge
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>

func.func @reshape_by_tensor(%x: !node) -> tensor<?xf32> {
  // expected-error @+1 {{'tensor.collapse_shape' op expected only gnn ops and elementwise arith and math ops on rows of a graph}}
  %y = tensor.collapse_shape %x [[0, 1]] : !node into tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

!types = tensor<2xf32, #gnn.rows<@g, edge_type>>
!features = tensor<2x2xf32, #gnn.rows<@g, edge_type>>

// A constant has rows of types, with features or without.
func.func @numbers_of_types() -> (!types, !features) {
  %c = arith.constant dense<[0.5, 1.0]> : !types
  %d = arith.constant dense<0.5> : !features
  return %c, %d : !types, !features
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @h square {node_types = 1, edge_types = 2}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!other = tensor<?x8xi32, #gnn.rows<@h, node>>

func.func @rows_of_two_graphs(%x: !node, %n: !other) -> !node {
  // expected-error @+1 {{'math.fpowi' op expected node rows of @g of all operands and results, got node rows of @h}}
  %y = math.fpowi %x, %n : !node, !other
  return %y : !node
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>

func.func @unknown_dialect(%x: !node) -> !node {
  // expected-error @+1 {{'other.op' op expected ops of gnn, arith, math and tensor, or ones that lower to gnn_tile, got one of other}}
  %y = "other.op"(%x) : (!node) -> !node
  return %y : !node
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>

func.func @op_with_regions(%x: !node, %c: i1) -> !node {
  // expected-error @+1 {{'scf.if' op expected straight-line code, got an op with regions}}
  %y = scf.if %c -> !node {
    scf.yield %x : !node
  } else {
    %z = gnn.activation relu %x : !node
    scf.yield %z : !node
  }
  return %y : !node
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>

// expected-error @+1 {{'func.func' op expected straight-line code in one block, got 3 blocks}}
func.func @several_blocks(%x: !node, %c: i1) -> !node {
  cf.cond_br %c, ^relu, ^end(%x : !node)
^relu:
  %y = gnn.activation relu %x : !node
  cf.br ^end(%y : !node)
^end(%z: !node):
  return %z : !node
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>

func.func private @callee(!node) -> !node

func.func @call(%x: !node) -> !node {
  // expected-error @+1 {{'func.call' op expected straight-line code, got a call that cannot be inlined}}
  %y = func.call @callee(%x) : (!node) -> !node
  return %y : !node
}

// -----

// expected-error @+1 {{'func.func' op names the graph @nowhere, which no gnn.graph of the module declares}}
func.func @unknown_graph(%x: tensor<?x8xf32, #gnn.rows<@nowhere, edge>>) {
  return
}

// -----

gnn.graph @g bipartite {node_types = 1, edge_types = 2}

// expected-error @+1 {{'func.func' op has node rows of a bipartite graph: expected src or dst rows}}
func.func @wrong_rows(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

// expected-error @+1 {{'func.func' op argument #0 has an unsupported element type: expected f32, i32 or i1, got 'f64'}}
func.func @double(%x: tensor<?x8xf64, #gnn.rows<@g, node>>) {
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

// No kernel stores them yet.
// expected-error @+1 {{'func.func' op argument #0 has an unsupported element type: expected f32, i32 or i1, got 'f16'}}
func.func @half(%x: tensor<?x8xf16, #gnn.rows<@g, node>>) {
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @half_inside(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'arith.truncf' op has an unsupported element type: expected f32, i32 or i1, got 'bf16'}}
  %y = arith.truncf %x : tensor<?x8xf32, #gnn.rows<@g, node>> to tensor<?x8xbf16, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @double_inside(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'arith.extf' op has an unsupported element type: expected f32, i32 or i1, got 'f64'}}
  %y = arith.extf %x : tensor<?x8xf32, #gnn.rows<@g, node>> to tensor<?x8xf64, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

!node = tensor<?xf32, #gnn.rows<@g, node>>

// Loops over rows are in graph form, whose numbers are those of tensors.
func.func @loop_of_doubles(%x: !node) -> !node {
  %y = gnn.for_nodes %n in @g -> (!node) {
    %a = gnn.read %x[%n] : (!node, !gnn.row<@g, node>) -> tensor<f32>
    // expected-error @+1 {{'arith.extf' op has an unsupported element type: expected f32, i32 or i1, got 'f64'}}
    %b = arith.extf %a : tensor<f32> to tensor<f64>
    %c = arith.truncf %b : tensor<f64> to tensor<f32>
    gnn.yield %c : tensor<f32>
  }
  return %y : !node
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!bits = tensor<?x8xi1, #gnn.rows<@g, node>>

// expected-error @+1 {{'func.func' op expected f32 or i32 as arguments and results, got 'tensor<?x8xi1, #gnn.rows<@g, node>>'}}
func.func @condition_given(%x: !node, %c: !bits) -> !node {
  %y = arith.select %c, %x, %x : !bits, !node
  return %y : !node
}

// expected-error @+1 {{'func.func' op expected f32 or i32 as arguments and results, got 'tensor<?x8xi1, #gnn.rows<@g, node>>'}}
func.func @condition_returned(%x: !node) -> !bits {
  %c = arith.cmpf ogt, %x, %x : !node
  return %c : !bits
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>

// expected-error @+1 {{'func.func' op expected tensors with elements, got 'tensor<0xf32>'}}
func.func @no_weights(%x: !node, %w: tensor<0xf32>) -> (!node, tensor<0xf32>) {
  %y = math.tanh %x : !node
  %v = math.tanh %w : tensor<0xf32>
  return %y, %v : !node, tensor<0xf32>
}

// expected-error @+1 {{'func.func' op expected tensors with elements, got 'tensor<0x4xf32>'}}
func.func @no_rows_of_weights(%x: !node, %w: tensor<0x4xf32>) -> !node {
  return %x : !node
}

func.func @no_elements_inside(%x: !node) -> !node {
  // expected-error @+1 {{'tensor.empty' op expected tensors with elements, got 'tensor<4x0xf32>'}}
  %v = tensor.empty() : tensor<4x0xf32>
  return %x : !node
}

// -----

// A graph without types.

gnn.graph @none square {node_types = 1, edge_types = 0}
func.func @no_types(%w: tensor<0x4xf32, #gnn.rows<@none, edge_type>>) -> tensor<0x4xf32, #gnn.rows<@none, edge_type>> {
  %v = math.tanh %w : tensor<0x4xf32, #gnn.rows<@none, edge_type>>
  return %v : tensor<0x4xf32, #gnn.rows<@none, edge_type>>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-error @+1 {{'func.func' op expected a result, got none: a function on graphs does nothing else}}
func.func @without_results(%x: tensor<?x4xf32, #gnn.rows<@g, node>>) {
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// A declaration has no body to be of use.
func.func private @declared(tensor<?x4xf32, #gnn.rows<@g, node>>)
