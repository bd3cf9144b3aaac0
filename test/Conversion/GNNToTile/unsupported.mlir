// RUN: gnn-opt %s --convert-gnn-to-gnn-tile --verify-diagnostics --split-input-file

// An op that is neither a product nor a traversal is an error.

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x8xf32, #gnn.rows<@g, node>>

func.func @no_template(%w: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %i = tensor.empty() : tensor<4x8xf32>
  // expected-error @-1 {{'tensor.empty' op has neither a GEMM nor a traversal to be lowered to}}
  %t = linalg.transpose ins(%w : tensor<8x4xf32>) outs(%i : tensor<4x8xf32>) permutation = [1, 0]
  return %t : tensor<4x8xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x2x2x2xf32, #gnn.rows<@g, node>>

func.func @dimensions(%x: !node) -> !node {
  // expected-error @+1 {{'gnn.attention' op has no lowering for 3 feature dimensions, expected at most 2}}
  %y = gnn.attention(%a = %x via dst) value %x via src over dst : (!node, !node) -> !node {
    gnn.yield %a : tensor<2x2x2xf32>
  }
  return %y : !node
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x8xf32, #gnn.rows<@g, node>>

// expected-error @+1 {{'func.func' op expected a straight line, got several blocks}}
func.func @blocks(%x: !node) -> !node {
  cf.br ^end
^end:
  return %x : !node
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-error @+1 {{'func.func' op expected tensors and i64 as arguments, got 'f32'}}
func.func @scalar(%x: f32) {
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @vector_of_numbers() -> vector<2xf32> {
  // expected-error @+1 {{'arith.constant' op expected a number or a tensor with its numbers, got 'vector<2xf32>'}}
  %c = arith.constant dense<1.0> : vector<2xf32>
  return %c : vector<2xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected a gnn.graph in its module, to which all kernels are bound, got none}}
func.func @no_graph(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.sin %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
!huge = tensor<?x9223372036854775807xf32, #gnn.rows<@g, node>>

// expected-error @+1 {{'func.func' op expected at most 1073741824 features, got 'tensor<?x9223372036854775807xf32, #gnn.rows<@g, node>>'}}
func.func @huge(%x: !huge) -> !huge {
  %y = gnn.activation relu %x : !huge
  return %y : !huge
}

// -----

// expected-error @+1 {{'func.func' op expected rows of a graph or a static shape, got 'tensor<?x4xf32>'}}
func.func @unknown_rows(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
!edge = tensor<?x4xf32, #gnn.rows<@g, edge>>

func.func @product_in_loop(%x: !edge, %w: tensor<4x4xf32>) -> !edge {
  %y = gnn.for_edges %e in @g -> (!edge) {
    %x_e = gnn.read %x[%e] : (!edge, !gnn.row<@g, edge>) -> tensor<4xf32>
    // expected-error @+1 {{'gnn.row_linear' op has no traversal: gnn-raise-loops makes ops on whole tensors of it}}
    %h = gnn.row_linear %x_e, %w : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    gnn.yield %h : tensor<4xf32>
  }
  return %y : !edge
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x4xf32, #gnn.rows<@g, node>>
!n = !gnn.row<@g, node>
!e = !gnn.row<@g, edge>

func.func @both_ways(%x: !node) -> !node {
  %y = gnn.for_nodes %n in @g -> (!node) {
    %a = gnn.for_incoming %e of %n : !n -> (tensor<4xf32>) {
      %u = gnn.read %x[%e] via src : (!node, !e) -> tensor<4xf32>
      gnn.yield sum %u : tensor<4xf32>
    }
    // expected-error @+1 {{has no traversal: expected edges into the node or out of it, got both}}
    %b = gnn.for_outgoing %e of %n : !n -> (tensor<4xf32>) {
      %u = gnn.read %x[%e] via dst : (!node, !e) -> tensor<4xf32>
      gnn.yield sum %u : tensor<4xf32>
    }
    %c = arith.addf %a, %b : tensor<4xf32>
    gnn.yield %c : tensor<4xf32>
  }
  return %y : !node
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 1}
!edge = tensor<?x4xf32, #gnn.rows<@g, edge>>
!kinds = tensor<2x4xf32, #gnn.rows<@g, node_type>>
!n = !gnn.row<@g, node>

// A sum over edges in one over nodes, in a loop that gives rows too.
func.func @sum_of_sums(%x: !kinds) -> (!kinds, !edge) {
  %r:2 = gnn.for_nodes %n in @g -> (!kinds, !edge) {
    %t = gnn.read %x[%n] : (!kinds, !n) -> tensor<4xf32>
    %a, %s = gnn.for_outgoing %e of %n : !n -> (!edge, tensor<4xf32>) {
      gnn.yield %t, sum %t : tensor<4xf32>, tensor<4xf32>
    }
    // expected-error @+1 {{has no traversal: no structure lists the rows of the loop, with what is reduced for each, by 'dst_node_type'}}
    gnn.yield sum %s, %a : tensor<4xf32>, !edge
  }
  return %r#0, %r#1 : !kinds, !edge
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @condition(%w: tensor<4x3xf32>) -> tensor<4x3xi1> {
  %c = arith.cmpf ogt, %w, %w : tensor<4x3xf32>
  // expected-error @+1 {{'func.return' op expected f32 or i32, got 'tensor<4x3xi1>'}}
  return %c : tensor<4x3xi1>
}
