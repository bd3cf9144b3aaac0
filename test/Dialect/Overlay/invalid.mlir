// RUN: gnn-opt %s --verify-diagnostics --split-input-file

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @aggregate_c1(%x: tensor<?x16xf32, #node>) -> tensor<?x16xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.aggregate' op expected sum, max or min, got mean}}
  %y = gnn_overlay.aggregate mean %x : tensor<?x16xf32, #node> -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @aggregate_c2(%x: tensor<?x16xf32, #node>) -> tensor<?x8xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.aggregate' op expected a result of 'tensor<?x16xf32, #gnn.rows<@g, node>>', got 'tensor<?x8xf32, #gnn.rows<@g, node>>'}}
  %y = gnn_overlay.aggregate sum %x : tensor<?x16xf32, #node> -> tensor<?x8xf32, #node>
  return %y : tensor<?x8xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @aggregate_c2_init(%x: tensor<?x16xf32, #node>, %b: tensor<8xf32>) -> tensor<?x16xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.aggregate' op expected 16 numbers to begin with, got 8}}
  %y = gnn_overlay.aggregate sum %x init %b : tensor<?x16xf32, #node>, tensor<8xf32> -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @aggregate_c3(%x: tensor<?x16xf32, #node>, %b: tensor<16xf32>) -> tensor<?x16xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.aggregate' op expected numbers to begin with of a sum, got max}}
  %y = gnn_overlay.aggregate max %x init %b : tensor<?x16xf32, #node>, tensor<16xf32> -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @aggregate_c4(%x: tensor<?x16xf32, #node>) -> tensor<?x16xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.aggregate' op expected functions of one element, got #gnn_overlay.act<divide, 3.0>}}
  %y = gnn_overlay.aggregate sum %x activations [#gnn_overlay.act<divide, 3.0>] : tensor<?x16xf32, #node> -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@other, edge>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @other square {node_types = 1, edge_types = 1}

func.func @aggregate_of_two_graphs(%x: tensor<?x16xf32, #node>, %w: tensor<?xf32, #edge>) -> tensor<?x16xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.aggregate' op has rows of two graphs: expected @g, got @other}}
  %y = gnn_overlay.aggregate sum %x weights %w : tensor<?x16xf32, #node>, tensor<?xf32, #edge> -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @linear_c1(%x: tensor<?x15xf32, #node>, %w: tensor<16x4xf32>) -> tensor<?x4xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.linear' op expected an input with at least 16 features, got 15}}
  %y = gnn_overlay.linear %x, %w : tensor<?x15xf32, #node>, tensor<16x4xf32> -> tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @linear_c2(%x: tensor<?x16xf32, #node>, %w: tensor<16x4xf32>) -> tensor<?x5xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.linear' op expected a result with 4 features, got 5}}
  %y = gnn_overlay.linear %x, %w : tensor<?x16xf32, #node>, tensor<16x4xf32> -> tensor<?x5xf32, #node>
  return %y : tensor<?x5xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @linear_c2_bias(%x: tensor<?x16xf32, #node>, %w: tensor<16x4xf32>, %b: tensor<16xf32>) -> tensor<?x4xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.linear' op expected a bias of 4 numbers, got 16}}
  %y = gnn_overlay.linear %x, %w bias %b : tensor<?x16xf32, #node>, tensor<16x4xf32>, tensor<16xf32> -> tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @linear_c3(%x: tensor<?x16xf32, #node>, %w: tensor<16x4xf32>) -> tensor<?x4xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.linear' op expected functions of one element, got #gnn_overlay.act<affine>}}
  %y = gnn_overlay.linear %x, %w activations [#gnn_overlay.act<affine>] : tensor<?x16xf32, #node>, tensor<16x4xf32> -> tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @linear_of_other_numbers(%x: tensor<?x16xf16, #node>, %w: tensor<16x4xf32>) -> tensor<?x4xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.linear' op operand #0 must be rows of nodes of a square graph with f32 features of one dimension}}
  %y = gnn_overlay.linear %x, %w : tensor<?x16xf16, #node>, tensor<16x4xf32> -> tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @vector_inner_c1(%x: tensor<?x2xf32, #node>, %y: tensor<?x3xf32, #node>) -> tensor<?xf32, #edge> {
  // expected-error @+1 {{'gnn_overlay.vector_inner' op expected operands of one type, got 'tensor<?x2xf32, #gnn.rows<@g, node>>' and 'tensor<?x3xf32, #gnn.rows<@g, node>>'}}
  %e = gnn_overlay.vector_inner %x, %y : tensor<?x2xf32, #node>, tensor<?x3xf32, #node> -> tensor<?xf32, #edge>
  return %e : tensor<?xf32, #edge>
}

// -----

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @vector_inner_c2(%x: tensor<?x2xf32, #node>) -> tensor<?xf32, #edge> {
  // expected-error @+1 {{'gnn_overlay.vector_inner' op expected functions of one element, got #gnn_overlay.act<affine>}}
  %e = gnn_overlay.vector_inner %x, %x activations [#gnn_overlay.act<affine>] : tensor<?x2xf32, #node>, tensor<?x2xf32, #node> -> tensor<?xf32, #edge>
  return %e : tensor<?xf32, #edge>
}

// -----

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @vector_inner_c3(%x: tensor<?x2xf32, #node>) -> tensor<?xf32, #edge> {
  // expected-error @+1 {{'gnn_overlay.vector_inner' op expected at most 2 functions, got 3}}
  %e = gnn_overlay.vector_inner %x, %x activations [#gnn_overlay.act<relu>, #gnn_overlay.act<exp>, #gnn_overlay.act<relu>] : tensor<?x2xf32, #node>, tensor<?x2xf32, #node> -> tensor<?xf32, #edge>
  return %e : tensor<?xf32, #edge>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @vector_add_c1(%x: tensor<?x2xf32, #node>) -> tensor<?x2xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.vector_add' op expected functions of one element, got #gnn_overlay.act<divide, 1.0>}}
  %z = gnn_overlay.vector_add %x, %x activations [#gnn_overlay.act<divide, 1.0>] : tensor<?x2xf32, #node>
  return %z : tensor<?x2xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @activation_c1(%x: tensor<?x2xf32, #node>) -> tensor<?x2xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.activation' op expected a function}}
  %y = gnn_overlay.activation %x activations [] : tensor<?x2xf32, #node> -> tensor<?x2xf32, #node>
  return %y : tensor<?x2xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @activation_c2(%x: tensor<?x3xf32, #node>) -> tensor<?x2xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.activation' op expected divide to be the first function, of rows of nodes}}
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>, #gnn_overlay.act<divide, 2.0>] : tensor<?x3xf32, #node> -> tensor<?x2xf32, #node>
  return %y : tensor<?x2xf32, #node>
}

// -----

#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @activation_c2_of_edges(%x: tensor<?xf32, #edge>) -> tensor<?xf32, #edge> {
  // expected-error @+1 {{'gnn_overlay.activation' op expected divide to be the first function, of rows of nodes}}
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<divide, 0.0>] : tensor<?xf32, #edge> -> tensor<?xf32, #edge>
  return %y : tensor<?xf32, #edge>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @activation_c2_column(%x: tensor<?x3xf32, #node>) -> tensor<?x2xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.activation' op expected a result with 1 features, those before the divisor, got 'tensor<?x2xf32, #gnn.rows<@g, node>>'}}
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<divide, 1.0>] : tensor<?x3xf32, #node> -> tensor<?x2xf32, #node>
  return %y : tensor<?x2xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @activation_c2_behind(%x: tensor<?x3xf32, #node>) -> tensor<?x3xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.activation' op expected a result with 3 features, those before the divisor, got 'tensor<?x3xf32, #gnn.rows<@g, node>>'}}
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<divide, 3.0>] : tensor<?x3xf32, #node> -> tensor<?x3xf32, #node>
  return %y : tensor<?x3xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @activation_c3(%x: tensor<?x3xf32, #node>) -> tensor<?x2xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.activation' op expected a result of 'tensor<?x3xf32, #gnn.rows<@g, node>>', got 'tensor<?x2xf32, #gnn.rows<@g, node>>'}}
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : tensor<?x3xf32, #node> -> tensor<?x2xf32, #node>
  return %y : tensor<?x2xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @activation_c4(%x: tensor<?x3xf32, #node>, %s: tensor<3xf32>) -> tensor<?x3xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.activation' op expected one scale and one shift for one affine}}
  %y = gnn_overlay.activation %x scale %s activations [#gnn_overlay.act<affine>] : tensor<?x3xf32, #node>, tensor<3xf32> -> tensor<?x3xf32, #node>
  return %y : tensor<?x3xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @activation_c4_width(%x: tensor<?x3xf32, #node>, %s: tensor<3xf32>, %b: tensor<2xf32>) -> tensor<?x3xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.activation' op expected a scale and a shift of 3 numbers, got 3 and 2}}
  %y = gnn_overlay.activation %x scale %s shift %b activations [#gnn_overlay.act<affine>] : tensor<?x3xf32, #node>, tensor<3xf32>, tensor<2xf32> -> tensor<?x3xf32, #node>
  return %y : tensor<?x3xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @batch_norm_c1(%x: tensor<?x3xf32, #node>, %s: tensor<3xf32>, %b: tensor<2xf32>) -> tensor<?x3xf32, #node> {
  // expected-error @+1 {{'gnn_overlay.batch_norm' op expected a scale and a shift of 3 numbers, got 3 and 2}}
  %y = gnn_overlay.batch_norm %x scale %s shift %b : tensor<?x3xf32, #node>, tensor<3xf32>, tensor<2xf32>
  return %y : tensor<?x3xf32, #node>
}

// -----

func.func @assemble_c1(%a: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{'gnn_overlay.assemble' op expected six numbers and one flag for each of 1 inputs, and four for each block of ones}}
  %w = gnn_overlay.assemble %a blocks [0, 0, 0, 0, 8] transposed [false] ones [] : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %w : tensor<8x64xf32>
}

// -----

func.func @assemble_c2(%a: tensor<8x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{'gnn_overlay.assemble' op expected a block within the 8 x 64 numbers of input 0}}
  %w = gnn_overlay.assemble %a blocks [0, 0, 0, 0, 9, 64] transposed [false] ones [] : (tensor<8x64xf32>) -> tensor<64x64xf32>
  return %w : tensor<64x64xf32>
}

// -----

func.func @assemble_c2_far(%a: tensor<8x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{'gnn_overlay.assemble' op expected a block within the 8 x 64 numbers of input 0}}
  %w = gnn_overlay.assemble %a blocks [9223372036854775807, 0, 0, 0, 1, 64] transposed [false] ones [] : (tensor<8x64xf32>) -> tensor<64x64xf32>
  return %w : tensor<64x64xf32>
}

// -----

func.func @assemble_c3(%a: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{'gnn_overlay.assemble' op expected blocks within 8 x 64, got 8 x 64 at 1, 0}}
  %w = gnn_overlay.assemble %a blocks [0, 0, 1, 0, 8, 64] transposed [false] ones [] : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %w : tensor<8x64xf32>
}

// -----

func.func @assemble_c3_two(%a: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{'gnn_overlay.assemble' op expected blocks apart from each other, got two at 7, 63}}
  %w = gnn_overlay.assemble %a blocks [0, 0, 0, 0, 8, 64] transposed [false] ones [7, 63, 1, 1] : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %w : tensor<8x64xf32>
}

// -----

func.func @assemble_c4() -> tensor<2x2x2xf32> {
  // expected-error @+1 {{'gnn_overlay.assemble' op expected a result of one or two dimensions, got 'tensor<2x2x2xf32>'}}
  %w = gnn_overlay.assemble blocks [] transposed [] ones [] : () -> tensor<2x2x2xf32>
  return %w : tensor<2x2x2xf32>
}
