// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Ops on the features of each row. Each case is named after the constraint it
// breaks.

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @dot_c1(%x: tensor<?xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.dot' op expected at least one feature dimension of lhs, got none}}
  gnn.dot %x, %x : (tensor<?xf32, #gnn.rows<@g, node>>, tensor<?xf32, #gnn.rows<@g, node>>) -> tensor<?xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @dot_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.dot' op expected node rows of rhs, got edge rows}}
  gnn.dot %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<?xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @dot_c3(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'gnn.dot' op expected features [8] of rhs, got [4]}}
  gnn.dot %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<4xf32>) -> tensor<?xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @dot_c4(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.dot' op expected a result of type 'tensor<?xf32, #gnn.rows<@g, node>>', got 'tensor<?x8xf32, #gnn.rows<@g, node>>'}}
  gnn.dot %x, %x : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @outer_rows_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x4xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.outer_rows' op expected node rows of rhs, got edge rows}}
  gnn.outer_rows %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, edge>>) -> tensor<?x8x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @outer_rows_c2(%x: tensor<?xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.outer_rows' op expected features [a] of lhs, got []}}
  gnn.outer_rows %x, %x : (tensor<?xf32, #gnn.rows<@g, node>>, tensor<?xf32, #gnn.rows<@g, node>>) -> tensor<?x1xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @outer_rows_c3(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x3x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.outer_rows' op expected features [b] of rhs, got [3, 4]}}
  gnn.outer_rows %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x3x4xf32, #gnn.rows<@g, node>>) -> tensor<?x8x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @outer_rows_c4(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.outer_rows' op expected a result of type 'tensor<?x8x4xf32, #gnn.rows<@g, node>>', got 'tensor<?x4x8xf32, #gnn.rows<@g, node>>'}}
  gnn.outer_rows %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, node>>) -> tensor<?x4x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @activation_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.activation' op leaky_relu: expected alpha, got none}}
  gnn.activation leaky_relu %x : tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @activation_c1_superfluous(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.activation' op relu: expected no alpha, got one}}
  gnn.activation relu %x alpha = 0.5 : tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @activation_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.activation' op prelu: expected a weight, got none}}
  gnn.activation prelu %x : tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @activation_c2_superfluous(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'gnn.activation' op relu: expected no weight, got one}}
  gnn.activation relu %x, %w : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @activation_c3(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'gnn.activation' op expected a weight of shape [1] or of the last features of [8], got [4]}}
  gnn.activation prelu %x, %w : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<4xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @batch_norm_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'gnn.batch_norm' op expected statistics of the last features of [8], got [4]}}
  gnn.batch_norm %x mean %w variance %w gamma %w beta %w eps = 1.0e-5 : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<4xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @batch_norm_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'gnn.batch_norm' op expected a positive eps, got 0.000000e+00}}
  gnn.batch_norm %x mean %w variance %w gamma %w beta %w eps = 0.0 : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @layer_norm_c1(%x: tensor<?xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.layer_norm' op expected at least one feature dimension of input, got none}}
  gnn.layer_norm %x eps = 1.0e-5 : tensor<?xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @layer_norm_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'gnn.layer_norm' op expected both gamma and beta or none, got only gamma}}
  gnn.layer_norm %x gamma %w eps = 1.0e-5 : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @layer_norm_c3(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %w: tensor<8xf32>, %v: tensor<4xf32>) {
  // expected-error @+1 {{'gnn.layer_norm' op expected beta of the last features of [8], got [4]}}
  gnn.layer_norm %x gamma %w beta %v eps = 1.0e-5 : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8xf32>, tensor<4xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @layer_norm_c4(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.layer_norm' op expected a positive eps, got -1.000000e+00}}
  gnn.layer_norm %x eps = -1.0 : tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @dropout_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %s: i64) {
  // expected-error @+1 {{'gnn.dropout' op expected p of at least 0 and less than 1, got 1.000000e+00}}
  gnn.dropout %x p = 1.0 seed %s offset %s : tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @broadcast_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.broadcast' op expected edge rows of input, got node rows}}
  gnn.broadcast %x : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @broadcast_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.broadcast' op expected features of result that begin with [8], got [4, 8]}}
  gnn.broadcast %x : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x4x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @broadcast_c3(%x: tensor<8xf32>) {
  // expected-error @+1 {{'gnn.broadcast' op expected features of result that end with [8], got [8, 4]}}
  gnn.broadcast %x : tensor<8xf32> -> tensor<?x8x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @concat_c1() {
  // expected-error @+1 {{'gnn.concat' op expected 1 or more operands, but found 0}}
  "gnn.concat"() : () -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @concat_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.concat' op expected node rows of all inputs, got edge rows}}
  gnn.concat %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<?x16xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @concat_c3(%x: tensor<?x2x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x3x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.concat' op expected features [2, 8] of all inputs but for the last dimension, got [3, 8]}}
  gnn.concat %x, %y : (tensor<?x2x8xf32, #gnn.rows<@g, node>>, tensor<?x3x8xf32, #gnn.rows<@g, node>>) -> tensor<?x2x16xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @concat_c3_none(%x: tensor<?xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.concat' op expected at least one feature dimension of each input, got none}}
  gnn.concat %x, %x : (tensor<?xf32, #gnn.rows<@g, node>>, tensor<?xf32, #gnn.rows<@g, node>>) -> tensor<?x2xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @concat_c4(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.concat' op expected a result of type 'tensor<?x16xf32, #gnn.rows<@g, node>>', got 'tensor<?x15xf32, #gnn.rows<@g, node>>'}}
  gnn.concat %x, %x : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?x15xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @slice_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.slice' op expected node rows of result, got edge rows}}
  gnn.slice %x at 0 : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @slice_c2(%x: tensor<?x2x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.slice' op expected features [2, 8] of result but for the last dimension, got [1, 8]}}
  gnn.slice %x at 0 : tensor<?x2x8xf32, #gnn.rows<@g, node>> -> tensor<?x1x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @slice_c3(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.slice' op expected a part of 8 features, got 4 at 5}}
  gnn.slice %x at 5 : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @slice_c3_negative(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.slice' op expected a part of 8 features, got 4 at -1}}
  gnn.slice %x at -1 : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @reshape_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.reshape' op expected node rows of result, got edge rows}}
  gnn.reshape %x : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x2x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @reshape_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.reshape' op expected 8 features a row of result, got 6}}
  gnn.reshape %x : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x2x3xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @reduce_heads_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.reduce_heads' op expected features [heads, d] of input, got [8]}}
  gnn.reduce_heads mean %x : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @reduce_heads_c2(%x: tensor<?x2x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.reduce_heads' op expected a result of type 'tensor<?x8xf32, #gnn.rows<@g, node>>', got 'tensor<?x2xf32, #gnn.rows<@g, node>>'}}
  gnn.reduce_heads mean %x : tensor<?x2x8xf32, #gnn.rows<@g, node>> -> tensor<?x2xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @reduce_features_c1(%x: tensor<?xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.reduce_features' op expected at least one feature dimension of input, got none}}
  gnn.reduce_features sum %x : tensor<?xf32, #gnn.rows<@g, node>> -> tensor<?xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @reduce_features_c2(%x: tensor<?x2x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.reduce_features' op expected a result of type 'tensor<?x2xf32, #gnn.rows<@g, node>>', got 'tensor<?x8xf32, #gnn.rows<@g, node>>'}}
  gnn.reduce_features sum %x : tensor<?x2x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @sum_rows_c1(%x: tensor<?x4x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.sum_rows' op expected a result with which the features [4, 8] of input end, got [4]}}
  gnn.sum_rows %x : tensor<?x4x8xf32, #gnn.rows<@g, node>> -> tensor<4xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @sum_rows_c1_more(%x: tensor<8xf32>) {
  // expected-error @+1 {{'gnn.sum_rows' op expected a result with which the features [8] of input end, got [4, 8]}}
  gnn.sum_rows %x : tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @pad_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pad' op expected node rows of result, got edge rows}}
  gnn.pad %x at 0 : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x9xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @pad_c2(%x: tensor<?x2x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pad' op expected features [2, 8] of result but for the last dimension, got [3, 8]}}
  gnn.pad %x at 0 : tensor<?x2x8xf32, #gnn.rows<@g, node>> -> tensor<?x3x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @pad_c2_scalar(%x: tensor<?xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pad' op expected at least one feature dimension of input, got none}}
  gnn.pad %x at 0 : tensor<?xf32, #gnn.rows<@g, node>> -> tensor<?xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @pad_c3(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pad' op expected a place within 12 features of result, got 8 at 5}}
  gnn.pad %x at 5 : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x12xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @pad_c3_negative(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pad' op expected a place within 12 features of result, got 8 at -1}}
  gnn.pad %x at -1 : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x12xf32, #gnn.rows<@g, node>>
  return
}
