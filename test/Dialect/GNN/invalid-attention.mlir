// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Scores, softmax and weighted sum. Each case is named after the constraint it
// breaks.

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c1(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected groups over src, dst, src_pair or dst_pair, got node}}
  gnn.attention(%a = %s via src) value %x via src over node : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c2(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected a result in node, dst or dst_pair rows over dst, got src_pair rows}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, src_pair>> {
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c3(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op two paths to value from edge rows to node rows: expected 'via src' or 'via dst', got none}}
  gnn.attention(%a = %s via src) value %x over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c3_input(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, src_pair>>) {
  // expected-error @+1 {{'gnn.attention' op one path to an input from edge rows to src_pair rows: expected no via, got 'via src'}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, src_pair>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c3_weight(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<8xf32>) {
  // expected-error @+1 {{'gnn.attention' op expected no via of an input without rows, got 'via src'}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<8xf32>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c3_factor(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op two paths to factor from edge rows to node rows: expected 'via src' or 'via dst', got none}}
  gnn.attention(%a = %s via src) value %x via src factor %s over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c3_list(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected an end or unit for each of the 1 inputs, got []}}
  "gnn.attention"(%s, %x) <{input_vias = [], value_via = #gnn<end src>, over = #gnn<row_space dst>, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%a: tensor<8xf32>):
    gnn.yield %a : tensor<8xf32>
  }) : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c4(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected a body with an argument of type 'tensor<8xf32>' for an input of type 'tensor<?x8xf32, #gnn.rows<@g, node>>', got 'tensor<4xf32>'}}
  "gnn.attention"(%s, %x) <{input_vias = [#gnn<end src>], value_via = #gnn<end src>, over = #gnn<row_space dst>, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%a: tensor<4xf32>):
    gnn.yield %a : tensor<4xf32>
  }) : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c4_count(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected a body with an argument for each of 1 inputs, got 0}}
  "gnn.attention"(%s, %x) <{input_vias = [#gnn<end src>], value_via = #gnn<end src>, over = #gnn<row_space dst>, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
    %c = arith.constant dense<1.0> : tensor<8xf32>
    gnn.yield %c : tensor<8xf32>
  }) : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c5(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>) {
  // expected-error @+3 {{'gnn.row_outer' op expected constants of one value, elementwise arith and math, gnn.row_dot, gnn.row_activation and gnn.row_broadcast on features of one row in the body of an attention}}
  gnn.attention(%a = %x via src) value %x via src over dst : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    %v = arith.constant dense<1.0> : tensor<4xf32>
    %o = gnn.row_outer %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    gnn.yield %a : tensor<8x16xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c5_constant(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+2 {{'arith.constant' op expected constants of one value, elementwise arith and math, gnn.row_dot, gnn.row_activation and gnn.row_broadcast on features of one row in the body of an attention}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c5_scalar(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+2 {{'arith.constant' op expected constants of one value, elementwise arith and math, gnn.row_dot, gnn.row_activation and gnn.row_broadcast on features of one row in the body of an attention}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    %c = arith.constant 1.0 : f32
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c6(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x16xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected features in the body that [8, 16] begin with, got [16]}}
  gnn.attention(%a = %x via src, %b = %s via dst) value %x via src over dst : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x16xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    %d = gnn.row_dot %a, %a : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c7(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected a body that yields one value as it is}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    gnn.yield sum %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c7_type(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected a body that yields 'f32', got 'i32'}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    %i = arith.fptosi %a : tensor<8xf32> to tensor<8xi32>
    gnn.yield %i : tensor<8xi32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c8(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>, %f: tensor<?x4xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.attention' op expected features [8] of the scores to begin with those of factor, got [4]}}
  gnn.attention(%a = %s via src) value %x via src factor %f over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, edge>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c9(%x: tensor<?x64xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected features of value that begin with those of the scores, [8], got [64]}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x64xf32, #gnn.rows<@g, node>>) -> tensor<?x64xf32, #gnn.rows<@g, node>> {
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c10(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected features [8, 16] of result, got [8, 4]}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x4xf32, #gnn.rows<@g, node>> {
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c10_type(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected a result of 'f32', got 'f16'}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf16, #gnn.rows<@g, node>> {
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c11(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected no statistics or two of type 'tensor<?x8xf32, #gnn.rows<@g, node>>', got 'tensor<?x8xf32, #gnn.rows<@g, node>>'}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) {
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @attention_c11_rows(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>, %s: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.attention' op expected no statistics or two of type 'tensor<?x8xf32, #gnn.rows<@g, node>>', got 'tensor<?x8xf32, #gnn.rows<@g, dst_pair>>', 'tensor<?x8xf32, #gnn.rows<@g, dst_pair>>'}}
  gnn.attention(%a = %s via src) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, tensor<?x8xf32, #gnn.rows<@g, dst_pair>>) {
    gnn.yield %a : tensor<8xf32>
  }
  return
}
