// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Products with weights. Each case is named after the constraint it breaks.

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @linear_c1(%x: tensor<?xf32, #gnn.rows<@g, node>>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{'gnn.linear' op expected features [in] or [heads, in] of input, got []}}
  gnn.linear %x, %w : (tensor<?xf32, #gnn.rows<@g, node>>, tensor<8x4xf32>) -> tensor<?x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @linear_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'gnn.linear' op expected [in, out] or [heads, in, out] of weight, got [8]}}
  gnn.linear %x, %w : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8xf32>) -> tensor<?x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @linear_c2_in(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<6x4xf32>) {
  // expected-error @+1 {{'gnn.linear' op weight takes as many features as input has: expected 8, got 6}}
  gnn.linear %x, %w : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<6x4xf32>) -> tensor<?x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @linear_c2_heads(%x: tensor<?x2x8xf32, #gnn.rows<@g, node>>, %w: tensor<3x8x4xf32>) {
  // expected-error @+1 {{'gnn.linear' op weight has the heads of input: expected 2, got 3}}
  gnn.linear %x, %w : (tensor<?x2x8xf32, #gnn.rows<@g, node>>, tensor<3x8x4xf32>) -> tensor<?x3x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @linear_c3(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<8x4xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{'gnn.linear' op expected [4] of bias, got [8]}}
  gnn.linear %x, %w bias %b : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8x4xf32>, tensor<8xf32>) -> tensor<?x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @linear_c3_heads(%x: tensor<?x2x8xf32, #gnn.rows<@g, node>>, %w: tensor<8x4xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{'gnn.linear' op expected [4] or [2, 4] of bias, got [3, 4]}}
  gnn.linear %x, %w bias %b : (tensor<?x2x8xf32, #gnn.rows<@g, node>>, tensor<8x4xf32>, tensor<3x4xf32>) -> tensor<?x2x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @linear_c4(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{'gnn.linear' op expected a result of type 'tensor<?x4xf32, #gnn.rows<@g, node>>', got 'tensor<?x5xf32, #gnn.rows<@g, node>>'}}
  gnn.linear %x, %w : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8x4xf32>) -> tensor<?x5xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @linear_c4_rows(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{'gnn.linear' op expected a result of type 'tensor<?x4xf32, #gnn.rows<@g, node>>', got 'tensor<?x4xf32, #gnn.rows<@g, edge>>'}}
  gnn.linear %x, %w : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8x4xf32>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_linear_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.typed_linear' op no path to weight: a node row does not lead to one edge_type row}}
  gnn.typed_linear %x, %w : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_linear_c2(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %w: tensor<2x8x4xf32, #gnn.rows<@g, node_type>>) {
  // expected-error @+1 {{'gnn.typed_linear' op two paths to weight from edge rows to node_type rows: expected 'via src' or 'via dst', got none}}
  gnn.typed_linear %x, %w : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<2x8x4xf32, #gnn.rows<@g, node_type>>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_linear_c2_superfluous(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %w: tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.typed_linear' op one path to weight from edge rows to edge_type rows: expected no via, got 'via src'}}
  gnn.typed_linear %x, %w via src : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_linear_c3(%x: tensor<?xf32, #gnn.rows<@g, edge>>, %w: tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.typed_linear' op expected features [in] or [heads, in] of input, got []}}
  gnn.typed_linear %x, %w : (tensor<?xf32, #gnn.rows<@g, edge>>, tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_linear_c4(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %w: tensor<3x6x4xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.typed_linear' op weight takes as many features as input has: expected 8, got 6}}
  gnn.typed_linear %x, %w : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<3x6x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_linear_c4_heads(%x: tensor<?x2x8xf32, #gnn.rows<@g, edge>>, %w: tensor<3x3x8x4xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.typed_linear' op weight has the heads of input: expected 2, got 3}}
  gnn.typed_linear %x, %w : (tensor<?x2x8xf32, #gnn.rows<@g, edge>>, tensor<3x3x8x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x3x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_linear_c5(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %w: tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, %b: tensor<2x4xf32, #gnn.rows<@g, node_type>>) {
  // expected-error @+1 {{'gnn.typed_linear' op expected edge_type rows of bias, got node_type rows}}
  gnn.typed_linear %x, %w bias %b : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, tensor<2x4xf32, #gnn.rows<@g, node_type>>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_linear_c5_features(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %w: tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, %b: tensor<3x5xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.typed_linear' op expected [4] of bias, got [5]}}
  gnn.typed_linear %x, %w bias %b : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, tensor<3x5xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_linear_c6(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %w: tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.typed_linear' op expected a result of type 'tensor<?x4xf32, #gnn.rows<@g, edge>>', got 'tensor<?x5xf32, #gnn.rows<@g, edge>>'}}
  gnn.typed_linear %x, %w : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x5xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_linear_needs_types(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{'gnn.typed_linear' op operand #1 must be f32, bf16 or f16 weights for each edge type or node type, but got 'tensor<8x4xf32>'}}
  gnn.typed_linear %x, %w : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<8x4xf32>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @outer_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x4xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.outer' op expected node rows of grad, got edge rows}}
  gnn.outer %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, edge>>) -> tensor<8x4xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @outer_c2(%x: tensor<?xf32, #gnn.rows<@g, node>>, %y: tensor<?x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.outer' op expected features [in] or [heads, in] of input, got []}}
  gnn.outer %x, %y : (tensor<?xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, node>>) -> tensor<8x4xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @outer_c3(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.outer' op result takes as many features as input has: expected 8, got 6}}
  gnn.outer %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, node>>) -> tensor<6x4xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @outer_c4(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x5xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.outer' op expected features [4] of grad, got [5]}}
  gnn.outer %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x5xf32, #gnn.rows<@g, node>>) -> tensor<8x4xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @outer_c4_heads(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.outer' op expected features [2, 4] of grad, got [4]}}
  gnn.outer %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, node>>) -> tensor<2x8x4xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_outer_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x4xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.typed_outer' op expected node rows of grad, got edge rows}}
  gnn.typed_outer %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, edge>>) -> tensor<2x8x4xf32, #gnn.rows<@g, node_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_outer_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.typed_outer' op no path to result: a node row does not lead to one edge_type row}}
  gnn.typed_outer %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, node>>) -> tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_outer_c3(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %y: tensor<?x4xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.typed_outer' op two paths to result from edge rows to node_type rows: expected 'via src' or 'via dst', got none}}
  gnn.typed_outer %x, %y : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x4xf32, #gnn.rows<@g, edge>>) -> tensor<2x8x4xf32, #gnn.rows<@g, node_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_outer_c4(%x: tensor<?xf32, #gnn.rows<@g, node>>, %y: tensor<?x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.typed_outer' op expected features [in] or [heads, in] of input, got []}}
  gnn.typed_outer %x, %y : (tensor<?xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, node>>) -> tensor<2x8x4xf32, #gnn.rows<@g, node_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_outer_c5(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.typed_outer' op result takes as many features as input has: expected 8, got 6}}
  gnn.typed_outer %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, node>>) -> tensor<2x6x4xf32, #gnn.rows<@g, node_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @typed_outer_c6(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x5xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.typed_outer' op expected features [4] of grad, got [5]}}
  gnn.typed_outer %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x5xf32, #gnn.rows<@g, node>>) -> tensor<2x8x4xf32, #gnn.rows<@g, node_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_product_c1(%x: tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, %y: tensor<2x4xf32, #gnn.rows<@g, node_type>>) {
  // expected-error @+1 {{'gnn.weight_product' op expected edge_type rows of rhs, got node_type rows}}
  gnn.weight_product %x, %y : (tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, tensor<2x4xf32, #gnn.rows<@g, node_type>>) -> tensor<3x8xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_product_c2(%x: tensor<3x8xf32, #gnn.rows<@g, edge_type>>, %y: tensor<3x8xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.weight_product' op expected [a, b] or [heads, a, b] of lhs, got [8]}}
  gnn.weight_product %x, %y : (tensor<3x8xf32, #gnn.rows<@g, edge_type>>, tensor<3x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_product_c3(%x: tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, %y: tensor<3x5xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.weight_product' op rhs multiplies lhs [8, 4]: expected [4] or a matrix that begins so, got [5]}}
  gnn.weight_product %x, %y : (tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, tensor<3x5xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_product_c3_heads(%x: tensor<3x2x8x4xf32, #gnn.rows<@g, edge_type>>, %y: tensor<3x4x5xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.weight_product' op rhs multiplies lhs [2, 8, 4]: expected [2, 4] or a matrix that begins so, got [4, 5]}}
  gnn.weight_product %x, %y : (tensor<3x2x8x4xf32, #gnn.rows<@g, edge_type>>, tensor<3x4x5xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x2x8x5xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_product_c4(%x: tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, %y: tensor<3x4x2xf32, #gnn.rows<@g, edge_type>>) {
  // expected-error @+1 {{'gnn.weight_product' op expected a result of type 'tensor<3x8x2xf32, #gnn.rows<@g, edge_type>>', got 'tensor<3x8x3xf32, #gnn.rows<@g, edge_type>>'}}
  gnn.weight_product %x, %y : (tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, tensor<3x4x2xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8x3xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_product_c5(%x: tensor<8x12xf32>, %y: tensor<2x4x5xf32>) {
  // expected-error @+1 {{'gnn.weight_product' op expected [a, heads * b] of lhs and [heads, b, c] or [heads, b] of rhs, got [8, 12] and [2, 4, 5]}}
  gnn.weight_product %x, %y by_heads : (tensor<8x12xf32>, tensor<2x4x5xf32>) -> tensor<8x10xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_combine_c1(%x: tensor<3xf32, #gnn.rows<@g, edge_type>>, %y: tensor<2x8x4xf32>) {
  // expected-error @+1 {{'gnn.weight_combine' op expected features [bases] of coefficients, got []}}
  gnn.weight_combine %x, %y : (tensor<3xf32, #gnn.rows<@g, edge_type>>, tensor<2x8x4xf32>) -> tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_combine_c2(%x: tensor<3x2xf32, #gnn.rows<@g, edge_type>>, %y: tensor<2x8xf32>) {
  // expected-error @+1 {{'gnn.weight_combine' op expected [bases, in, out] or [bases, heads, in, out] of bases, got [2, 8]}}
  gnn.weight_combine %x, %y : (tensor<3x2xf32, #gnn.rows<@g, edge_type>>, tensor<2x8xf32>) -> tensor<3x8xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_combine_c2_count(%x: tensor<3x2xf32, #gnn.rows<@g, edge_type>>, %y: tensor<3x8x4xf32>) {
  // expected-error @+1 {{'gnn.weight_combine' op one basis for each coefficient: expected 2 bases, got 3}}
  gnn.weight_combine %x, %y : (tensor<3x2xf32, #gnn.rows<@g, edge_type>>, tensor<3x8x4xf32>) -> tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_combine_c3(%x: tensor<3x2xf32, #gnn.rows<@g, edge_type>>, %y: tensor<2x8x4xf32>) {
  // expected-error @+1 {{'gnn.weight_combine' op expected a result of type 'tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>', got 'tensor<3x8x5xf32, #gnn.rows<@g, edge_type>>'}}
  gnn.weight_combine %x, %y : (tensor<3x2xf32, #gnn.rows<@g, edge_type>>, tensor<2x8x4xf32>) -> tensor<3x8x5xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @one_element_type(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<8x4xbf16>) {
  // expected-error @+1 {{'gnn.linear' op requires the same element type for all operands and results}}
  gnn.linear %x, %w : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8x4xbf16>) -> tensor<?x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

func.func @weight_transpose_c1(%w: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected [in, out] or [heads, in, out] of input, got [8]}}
  %t = gnn.weight_transpose %w : (tensor<8xf32>) -> tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_outer_c1(%x: tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, %y: tensor<2x8xf32, #gnn.rows<@g, node_type>>) {
  // expected-error @+1 {{'gnn.weight_outer' op expected edge_type rows of grad, got node_type rows}}
  gnn.weight_outer %x, %y : (tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, tensor<2x8xf32, #gnn.rows<@g, node_type>>) -> tensor<3x4xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_outer_c2(%x: tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, %y: tensor<8xf32>) {
  // expected-error @+1 {{'gnn.weight_outer' op expected edge_type rows of result, got node_type rows}}
  gnn.weight_outer %x, %y : (tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, tensor<8xf32>) -> tensor<2x4xf32, #gnn.rows<@g, node_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_outer_c2_shared(%x: tensor<8x4xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{'gnn.weight_outer' op expected a result without types, as the operands have none, got 'tensor<3x4xf32, #gnn.rows<@g, edge_type>>'}}
  gnn.weight_outer %x, %y : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<3x4xf32, #gnn.rows<@g, edge_type>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_outer_c3(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{'gnn.weight_outer' op expected [a, b] or [heads, a, b] of lhs, got [8]}}
  gnn.weight_outer %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_outer_c4(%x: tensor<2x8x4xf32>, %y: tensor<8x5xf32>) {
  // expected-error @+1 {{'gnn.weight_outer' op grad meets lhs [2, 8, 4]: expected [2, 8] or a matrix that begins so, got [8, 5]}}
  gnn.weight_outer %x, %y : (tensor<2x8x4xf32>, tensor<8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_outer_c4_more(%x: tensor<8x4xf32>, %y: tensor<8x2x5xf32>) {
  // expected-error @+1 {{'gnn.weight_outer' op grad meets lhs [8, 4]: expected [8] or a matrix that begins so, got [8, 2, 5]}}
  gnn.weight_outer %x, %y : (tensor<8x4xf32>, tensor<8x2x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_outer_c5(%x: tensor<8x4xf32>, %y: tensor<8x5xf32>) {
  // expected-error @+1 {{'gnn.weight_outer' op expected features [4, 5] of result, got [4]}}
  gnn.weight_outer %x, %y : (tensor<8x4xf32>, tensor<8x5xf32>) -> tensor<4xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_outer_c6(%x: tensor<8x6xf32>, %y: tensor<8x10xf32>) {
  // expected-error @+1 {{'gnn.weight_outer' op expected [a, 6] of lhs and [a, 8] of grad for a result [2, 3, 4], got [8, 6] and [8, 10]}}
  gnn.weight_outer %x, %y by_heads : (tensor<8x6xf32>, tensor<8x10xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @weight_outer_c6_rank(%x: tensor<8x6xf32>, %y: tensor<8x10xf32>) {
  // expected-error @+1 {{'gnn.weight_outer' op expected [heads, b, c] or [heads, b] of result, got [6]}}
  gnn.weight_outer %x, %y by_heads : (tensor<8x6xf32>, tensor<8x10xf32>) -> tensor<6xf32>
  return
}
