// RUN: gnn-opt %s --pass-pipeline="builtin.module(func.func(gnn-verify-whole-results))" --verify-diagnostics --split-input-file

gnn.graph @g square {node_types = 2, edge_types = 3}

// Half of the columns are written.

func.func @half(%x: tensor<?x32xf32>, %n: index) -> tensor<?x64xf32> {
  %e = tensor.empty(%n) : tensor<?x64xf32>
  // expected-error @+1 {{'gnn_tile.traverse' op leaves columns 32 to 63 of 'tensor<?x64xf32>' without a value: expected templates that write all of them, or a tensor that has values to go on with}}
  %y = gnn_tile.traverse @g <dst, features = 32>
      ins(%x : tensor<?x32xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A gap between a product and a traversal.

func.func @gap(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %n: index) -> tensor<?x64xf32> {
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %p = gnn_tile.gemm @g rows dst ins(%x, %w : tensor<?x8xf32>, tensor<8x16xf32>)
      at <group : feature> extras at []
      outs(%e : tensor<?x64xf32>) at <group : feature + 48> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x64xf32>
  // expected-error @+1 {{leaves columns 8 to 47 of}}
  %y = gnn_tile.traverse @g <dst, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%p : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Parts that meet are a whole, and a tensor with values may be updated.

func.func @whole(%x: tensor<?x4xf32>, %z: tensor<?x8xf32>, %n: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %a = gnn_tile.traverse @g <dst, features = 4>
      ins(%x : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x8xf32>) at [#gnn_tile.at<group : feature + 4>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  %b = gnn_tile.traverse @g <dst, features = 4>
      ins(%x : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  %c = gnn_tile.traverse @g <dst, features = 4>
      ins(%x : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%z : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %b, %c : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

gnn.graph @block bipartite {node_types = 1, edge_types = 1}

// Nobody gave the sources behind the destinations a value.

func.func @some_rows(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  // expected-error @+1 {{'gnn_tile.traverse' op leaves some rows of 'tensor<?xf32>' without a value: expected templates that write all of them, or a tensor that has values to go on with}}
  %y = gnn_tile.traverse @block <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%e : tensor<?xf32>) at [#gnn_tile.at<group -> src>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
gnn.graph @part square of @g types [1] {node_types = 1, edge_types = 1}

// Half of the columns before does not do, all of them do.

func.func @some_rows_behind_half(%x: tensor<?x4xf32>, %y: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %a = gnn_tile.traverse @g <edge, features = 4>
      ins(%x : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x8xf32>) at [#gnn_tile.at<group : feature + 4>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  // expected-error @+1 {{leaves some rows of}}
  %b = gnn_tile.traverse @part <edge, features = 8>
      ins(%y : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : tensor<?x8xf32>) at [#gnn_tile.at<group -> parent_edge : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %b : tensor<?x8xf32>
}

func.func @some_rows_behind_all(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %w: tensor<8x8xf32>, %n: index) -> tensor<?x8xf32> {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %a = gnn_tile.traverse @g <edge, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  %b = gnn_tile.gemm @part rows edge
      ins(%y, %w : tensor<?x8xf32>, tensor<8x8xf32>) at <group : feature> extras at []
      outs(%a : tensor<?x8xf32>) at <group -> parent_edge : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %b : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Elements of long rows, and then all others, are all of them.

func.func @elements(%x: tensor<?xf32>, %p: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %t:2 = gnn_tile.traverse @g <long_tiles<dst, edge.in_rows, 16>, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%p, %e : tensor<?xf32>, tensor<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<element -> edge>] {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %max, %v : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  %r:2 = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%y, %t#1 : tensor<?xf32>, tensor<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<element -> edge>]
      parts(%p : tensor<?xf32>) of long_tiles<dst, edge.in_rows, 16> {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %max, %v : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Those of more than 32 elements leave some of more than 16.

func.func @other_elements(%x: tensor<?xf32>, %p: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %t:2 = gnn_tile.traverse @g <long_tiles<dst, edge.in_rows, 32>, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%p, %e : tensor<?xf32>, tensor<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<element -> edge>] {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %max, %v : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  // expected-error @+1 {{leaves some rows of 'tensor<?xf32>' without a value}}
  %r:2 = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%y, %t#1 : tensor<?xf32>, tensor<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<element -> edge>]
      parts(%p : tensor<?xf32>) of long_tiles<dst, edge.in_rows, 16> {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %max, %v : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}
