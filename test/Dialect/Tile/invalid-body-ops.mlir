// RUN: gnn-opt %s --verify-diagnostics --split-input-file

func.func @reduce_c1(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %y = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>)
      at [#gnn_tile.at<group>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    // expected-error @+1 {{'gnn_tile.reduce' op expected one or more dimensions, each once, got []}}
    %s = gnn_tile.reduce sum [] %xv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @reduce_c1_twice(%x: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %y = gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<element>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    // expected-error @+1 {{'gnn_tile.reduce' op expected one or more dimensions, each once, got [element, element]}}
    %s = gnn_tile.reduce sum [element, element] %xv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @fold_c1(%x: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %y = gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<element>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    // expected-error @+1 {{'gnn_tile.fold' op expected as many identities and results as values: 1, got 0 and 1}}
    %s = "gnn_tile.fold"(%xv) <{operandSegmentSizes = array<i32: 1, 0>}> ({
    ^bb0(%a: f32, %b: f32):
      gnn_tile.yield %a : f32
    }) : (f32) -> f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @fold_c2(%x: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %y = gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<element>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{'gnn_tile.fold' op expected a region of 2 arguments that yields 1 values, got 1 and 1}}
    %s = gnn_tile.fold %xv identity %zero : f32 {
    ^bb0(%a: f32):
      gnn_tile.yield %a : f32
    }
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @fold_c3(%x: tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, %w: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 4>
      ins(%x, %w : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<element : feature>, #gnn_tile.at<element>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32, %wv: f32):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{'gnn_tile.fold' op component 1 depends on one that varies by more dimensions}}
    %s, %t = gnn_tile.fold %xv, %wv identity %zero, %zero : f32, f32 {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      gnn_tile.yield %a, %c : f32, f32
    }
    gnn_tile.yield %t : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @fold_c4(%x: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %y = gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<element>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    // expected-error @+1 {{'gnn_tile.fold' op identity 0 varies by more dimensions than its result, by the element}}
    %s = gnn_tile.fold %xv identity %xv : f32 {
    ^bb0(%a: f32, %b: f32):
      gnn_tile.yield %a : f32
    }
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @index_c1(%init: tensor<?xi32>) -> tensor<?xi32> {
  %y = gnn_tile.traverse @g <dst> at []
      outs(%init : tensor<?xi32>) at [#gnn_tile.at<group>] {
    // expected-error @+1 {{'gnn_tile.index' op expected a row, or the head or the feature at 'all', got #gnn_tile.at<all>}}
    %i = gnn_tile.index #gnn_tile.at<all>
    gnn_tile.yield %i : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// -----

func.func @softmax_sum_c1(%x: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %y = gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<element>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    // expected-error @+2 {{'gnn_tile.softmax_sum' op inferred type(s) 'f32', 'f32' are incompatible with return type(s) of operation 'f32', 'f32', 'f32'}}
    // expected-error @+1 {{'gnn_tile.softmax_sum' op failed to infer returned types}}
    %m, %s, %t = "gnn_tile.softmax_sum"(%xv, %xv) : (f32, f32) -> (f32, f32, f32)
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @arg_reduce_c1(%x: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %y = gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<element>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    %e = gnn_tile.index #gnn_tile.at<element -> edge>
    // expected-error @+1 {{'gnn_tile.arg_reduce' op expected 'max' or 'min', got 'sum'}}
    %v, %i = gnn_tile.arg_reduce sum %xv, %e : f32
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
