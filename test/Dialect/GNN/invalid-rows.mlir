// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Transposes of ops on rows, and rows that were taken. Each case is named after
// the constraint it breaks.

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @s square of @g types [1] {node_types = 1, edge_types = 1}

func.func @expand_rows_c1(%x: tensor<?x8xf32, #gnn.rows<@s, node>>) {
  // expected-error @+1 {{'gnn.expand_rows' op expected edge, edge_type, src_pair or dst_pair rows, got node rows}}
  gnn.expand_rows %x : tensor<?x8xf32, #gnn.rows<@s, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @s square of @g types [1] {node_types = 1, edge_types = 1}

func.func @expand_rows_c1_other(%x: tensor<?x8xf32, #gnn.rows<@s, edge>>) {
  // expected-error @+1 {{'gnn.expand_rows' op expected edge rows of result, got dst_pair rows}}
  gnn.expand_rows %x : tensor<?x8xf32, #gnn.rows<@s, edge>> -> tensor<?x8xf32, #gnn.rows<@g, dst_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @s square of @g types [1] {node_types = 1, edge_types = 1}

func.func @expand_rows_c2(%x: tensor<?x8xf32, #gnn.rows<@s, edge>>) {
  // expected-error @+1 {{'gnn.expand_rows' op expected features [8] of result, got [4]}}
  gnn.expand_rows %x : tensor<?x8xf32, #gnn.rows<@s, edge>> -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @s square of @g types [1] {node_types = 1, edge_types = 1}
gnn.graph @t square of @g types [0, 1] {node_types = 1, edge_types = 2}

func.func @expand_rows_c4(%x: tensor<?x8xf32, #gnn.rows<@s, edge>>, %y: tensor<?x8xf32, #gnn.rows<@t, edge>>) {
  // expected-error @+1 {{'gnn.expand_rows' op expected graphs without a common edge type, got type 1 in @s and @t}}
  gnn.expand_rows %x, %y : tensor<?x8xf32, #gnn.rows<@s, edge>>, tensor<?x8xf32, #gnn.rows<@t, edge>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @expand_rows_none() {
  // expected-error @+1 {{'gnn.expand_rows' op expected 1 or more operands, but found 0}}
  "gnn.expand_rows"() : () -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @s square of @g types [1] {node_types = 1, edge_types = 1}

// The other way round, rows are restricted.
func.func @expand_rows_c3(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.expand_rows' op expected rows of a graph derived from @s, got rows of @g}}
  gnn.expand_rows %x : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@s, edge>>
  return
}

// -----

gnn.graph @b bipartite {node_types = 1, edge_types = 1}

func.func @extend_rows_c1(%x: tensor<?x8xf32, #gnn.rows<@b, src>>) {
  // expected-error @+1 {{'gnn.extend_rows' op expected dst rows to src rows, got src rows to dst rows}}
  gnn.extend_rows %x : tensor<?x8xf32, #gnn.rows<@b, src>> -> tensor<?x8xf32, #gnn.rows<@b, dst>>
  return
}

// -----

gnn.graph @b bipartite {node_types = 1, edge_types = 1}

func.func @extend_rows_c2(%x: tensor<?x8xf32, #gnn.rows<@b, dst>>) {
  // expected-error @+1 {{'gnn.extend_rows' op expected features [8] of result, got [4]}}
  gnn.extend_rows %x : tensor<?x8xf32, #gnn.rows<@b, dst>> -> tensor<?x4xf32, #gnn.rows<@b, src>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @pick_c1(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %a: tensor<?x8xi32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.pick' op no path to input: a node row does not lead to one edge row}}
  gnn.pick %x at %a : tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xi32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @pick_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %a: tensor<?x8xi32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pick' op two paths to input from edge rows to node rows: expected 'via src' or 'via dst', got none}}
  gnn.pick %x at %a : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xi32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @pick_c3(%x: tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, %a: tensor<?x8xi32, #gnn.rows<@g, dst_pair>>) {
  // expected-error @+1 {{'gnn.pick' op expected features [8] of result, got [4]}}
  gnn.pick %x at %a : tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, tensor<?x8xi32, #gnn.rows<@g, dst_pair>> -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @pick_c3_element(%x: tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, %a: tensor<?x8xi32, #gnn.rows<@g, dst_pair>>) {
  // expected-error @+1 {{'gnn.pick' op expected 'f32' features of result, got 'bf16'}}
  gnn.pick %x at %a : tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, tensor<?x8xi32, #gnn.rows<@g, dst_pair>> -> tensor<?x8xbf16, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @pick_c4(%x: tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, %a: tensor<?x8xi32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.pick' op expected dst_pair rows of argument, got edge rows}}
  gnn.pick %x at %a : tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, tensor<?x8xi32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @pick_c4_features(%x: tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, %a: tensor<?xi32, #gnn.rows<@g, dst_pair>>) {
  // expected-error @+1 {{'gnn.pick' op expected features [8] of argument, got []}}
  gnn.pick %x at %a : tensor<?x8xf32, #gnn.rows<@g, dst_pair>>, tensor<?xi32, #gnn.rows<@g, dst_pair>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @pick_feature_c1(%x: tensor<?x4xf32, #gnn.rows<@g, node>>, %of: tensor<?x2x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pick_feature' op expected max or min, got sum}}
  gnn.pick_feature %x at sum heads of %of : tensor<?x4xf32, #gnn.rows<@g, node>>, tensor<?x2x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @pick_feature_c2(%x: tensor<?xf32, #gnn.rows<@g, node>>, %of: tensor<?x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pick_feature' op expected features [heads, d] of what is compared, got [4]}}
  gnn.pick_feature %x at max heads of %of : tensor<?xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @pick_feature_c2_features(%x: tensor<?xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pick_feature' op expected at least one feature dimension of what is compared, got none}}
  gnn.pick_feature %x at max features of %x : tensor<?xf32, #gnn.rows<@g, node>>, tensor<?xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @pick_feature_c3(%x: tensor<?xf32, #gnn.rows<@g, edge>>, %of: tensor<?x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pick_feature' op expected node rows of input, got edge rows}}
  gnn.pick_feature %x at max features of %of : tensor<?xf32, #gnn.rows<@g, edge>>, tensor<?x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @pick_feature_c4(%x: tensor<?x2xf32, #gnn.rows<@g, node>>, %of: tensor<?x2x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pick_feature' op expected features [4] of input, got [2]}}
  gnn.pick_feature %x at max heads of %of : tensor<?x2xf32, #gnn.rows<@g, node>>, tensor<?x2x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @pick_feature_c4_element(%x: tensor<?x2xbf16, #gnn.rows<@g, node>>, %of: tensor<?x2x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.pick_feature' op expected 'f32' features of input, got 'bf16'}}
  gnn.pick_feature %x at max features of %of : tensor<?x2xbf16, #gnn.rows<@g, node>>, tensor<?x2x4xf32, #gnn.rows<@g, node>>
  return
}
