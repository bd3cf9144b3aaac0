// RUN: gnn-opt %s --verify-diagnostics --split-input-file

func.func @count_of_no_space() {
  // expected-error-re @+1 {{'gnn_tile.count' expected a row space (edge, src_pair, {{.*}}), got 'edges'}}
  %n = gnn_tile.count @g count edges : index
  return
}

// -----

func.func @structure_without_map() {
  // expected-error @+1 {{'gnn_tile.structure' no map leads from 'src' to 'dst': expected one of src, src_node_type, or the parent's rows of these}}
  %s = gnn_tile.structure @g map src dst : memref<?xi32>
  return
}

// -----

func.func @structure_c1() {
  // expected-error @+1 {{'gnn_tile.structure' op expected a result of ?xi32, got 'memref<?xi64>'}}
  %s = gnn_tile.structure @g map edge src : memref<?xi64>
  return
}

// -----

func.func @traverse_c1(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected one access an operand: 1 inputs with 0 accesses, 1 outputs with 1}}
  %y = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at []
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @traverse_c2(%x: tensor<?x3xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected at least 4 features, got 'tensor<?x3xf32>' at #gnn_tile.at<group : feature>}}
  %y = gnn_tile.traverse @g <dst, features = 4> ins(%x : tensor<?x3xf32>)
      at [#gnn_tile.at<group : feature>]
      outs(%init : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @traverse_c4(%x: tensor<?x4xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op a value yielded to an output at #gnn_tile.at<group> varies by a dimension that the output does not have}}
  %y = gnn_tile.traverse @g <dst, features = 4> ins(%x : tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @traverse_c5(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op has an access at the element of a domain without elements}}
  %y = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>)
      at [#gnn_tile.at<element>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @traverse_c6(%x: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op several points would write one row of an output at #gnn_tile.at<group -> dst>}}
  %y = gnn_tile.traverse @g <edge.in_rows> ins(%x : tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<group>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group -> dst>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @traverse_c3(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected one body argument an input: 1, got 0}}
  %y = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>)
      at [#gnn_tile.at<group>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
    %zero = arith.constant 0.0 : f32
    gnn_tile.yield %zero : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @traverse_c7(%init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op body holds an op that a kernel cannot compute: 'gnn_tile.count'}}
  %y = gnn_tile.traverse @g <dst> at []
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
    %n = gnn_tile.count @g count dst : index
    %zero = arith.constant 0.0 : f32
    gnn_tile.yield %zero : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @gemm_c1(%x: tensor<?x64xf32>, %w: tensor<3x64x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a weight of 2 dimensions, got 'tensor<3x64x8xf32>'}}
  %y = gnn_tile.gemm @g rows src ins(%x, %w : tensor<?x64xf32>, tensor<3x64x8xf32>)
      at <group : feature> extras at []
      outs(%init : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

func.func @gemm_c2(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op several rows would write one row of an output at #gnn_tile.at<group -> src : feature>}}
  %y = gnn_tile.gemm @g rows src_pair ins(%x, %w : tensor<?x64xf32>, tensor<64x8xf32>)
      at <group : feature> extras at []
      outs(%init : tensor<?x8xf32>) at <group -> src : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

func.func @gemm_c3(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>, %b: tensor<8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected one access an extra: 1, got 0}}
  %y = gnn_tile.gemm @g rows src ins(%x, %w : tensor<?x64xf32>, tensor<64x8xf32>)
      at <group : feature> extras(%b : tensor<8xf32>) at []
      outs(%init : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32, %bias: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

func.func @gemm_c4(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a body of 1 arguments and one yielded value, got 2 and 1}}
  %y = gnn_tile.gemm @g rows src ins(%x, %w : tensor<?x64xf32>, tensor<64x8xf32>)
      at <group : feature> extras at []
      outs(%init : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32, %other: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

func.func @gemm_c5(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op body holds an op that a kernel cannot compute: 'gnn_tile.size'}}
  %y = gnn_tile.gemm @g rows src ins(%x, %w : tensor<?x64xf32>, tensor<64x8xf32>)
      at <group : feature> extras at []
      outs(%init : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    %n = gnn_tile.size : f32
    gnn_tile.yield %n : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

func.func @outer_c1(%x: tensor<?x64xf32>, %dy: tensor<?x8xf32>, %init: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected an output of shape [64, 8], got 'tensor<8x64xf32>'}}
  %dw = gnn_tile.outer @g rows src ins(%x, %dy : tensor<?x64xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %dw : tensor<8x64xf32>
}

// -----

func.func @traverse_c2_fixed_rows(%x: tensor<5xf32>, %init: tensor<48xf32>) -> tensor<48xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected 48 rows, got 'tensor<5xf32>' at #gnn_tile.at<group>}}
  %y = gnn_tile.traverse @g <48> ins(%x : tensor<5xf32>) at [#gnn_tile.at<group>]
      outs(%init : tensor<48xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  } -> tensor<48xf32>
  return %y : tensor<48xf32>
}

// -----

func.func @traverse_c5_reduction(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %y = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    // expected-error @+1 {{'gnn_tile.reduce' op needs a domain with elements, got #gnn_tile.domain<dst>}}
    %s = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @traverse_c5_index(%init: tensor<?xi32>) -> tensor<?xi32> {
  %y = gnn_tile.traverse @g <dst> at []
      outs(%init : tensor<?xi32>) at [#gnn_tile.at<group>] {
    // expected-error @+1 {{'gnn_tile.index' op no map leads from 'dst' to 'src_pair'}}
    %i = gnn_tile.index #gnn_tile.at<group -> src_pair>
    gnn_tile.yield %i : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// -----

func.func @gemm_c1_types(%x: tensor<?x8xf32>, %w: tensor<8x4xi32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected operands of one float type, got 'tensor<?x8xf32>' and 'tensor<8x4xi32>'}}
  %y = gnn_tile.gemm @g rows src ins(%x, %w : tensor<?x8xf32>, tensor<8x4xi32>)
      at <group : feature> extras at [] outs(%init : tensor<?x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @gemm_c4_types(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a body from 'f32' to 'f32', got 'f32' and 'i32'}}
  %y = gnn_tile.gemm @g rows src ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
      at <group : feature> extras at [] outs(%init : tensor<?x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    %i = arith.constant 1 : i32
    gnn_tile.yield %i : i32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @gemm_c6(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a row space in 'rows', got 'parent_edge'}}
  %y = gnn_tile.gemm @g rows parent_edge ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
      at <group : feature> extras at [] outs(%init : tensor<?x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @gemm_c6_types(%x: tensor<?x8xf32>, %w: tensor<3x8x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op the rows of one 'edge_type' do not lie side by side in 'edge.in_rows'}}
  %y = gnn_tile.gemm @g rows edge.in_rows types edge_type
      ins(%x, %w : tensor<?x8xf32>, tensor<3x8x4xf32>)
      at <group : feature> extras at [] outs(%init : tensor<?x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @outer_c2(%x: tensor<?x8xf32>, %dy: tensor<?x4xf32>, %init: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op the rows of one 'edge_type' do not lie side by side in 'src'}}
  %dw = gnn_tile.outer @g rows src types edge_type ins(%x, %dy : tensor<?x8xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  return %dw : tensor<3x8x4xf32>
}

// -----

func.func @outer_c3(%x: tensor<?x8xf32>, %dy: tensor<?x4xf32>, %init: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected two accesses, got 1}}
  %dw = gnn_tile.outer @g rows src ins(%x, %dy : tensor<?x8xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>]
      outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %dw : tensor<8x4xf32>
}

// -----

func.func @outer_c3_all(%x: tensor<8xf32>, %dy: tensor<?x4xf32>, %init: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected an access at the group with features, got #gnn_tile.at<all : feature>}}
  %dw = gnn_tile.outer @g rows src ins(%x, %dy : tensor<8xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<all : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %dw : tensor<8x4xf32>
}

// -----

func.func @outer_c3_rank(%x: tensor<f32>, %dy: tensor<?x4xf32>, %init: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected an operand of 2 dimensions at #gnn_tile.at<group : feature>, got 'tensor<f32>'}}
  %dw = gnn_tile.outer @g rows src ins(%x, %dy : tensor<f32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %dw : tensor<8x4xf32>
}

// -----

func.func @gemm_c1_rank(%x: tensor<?x8xf32>, %w: tensor<2x8x4xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected an operand of 3 dimensions at #gnn_tile.at<group : head, feature>, got 'tensor<?xf32>'}}
  %y = gnn_tile.gemm @g rows src ins(%x, %w : tensor<?x8xf32>, tensor<2x8x4xf32>)
      at <group : feature> extras at [] outs(%init : tensor<?xf32>) at <group : head, feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @gemm_c1_all(%x: tensor<8xf32>, %w: tensor<8x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected an access at the group with features, got #gnn_tile.at<all : feature>}}
  %y = gnn_tile.gemm @g rows src ins(%x, %w : tensor<8xf32>, tensor<8x4xf32>)
      at <all : feature> extras at [] outs(%init : tensor<?x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @gemm_c3_heads(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %b: tensor<1x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected an output with the heads of an extra at #gnn_tile.at<all : head, feature>, got 'tensor<?x4xf32>'}}
  %y = gnn_tile.gemm @g rows src ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
      at <group : feature> extras(%b : tensor<1x4xf32>) at [#gnn_tile.at<all : head, feature>]
      outs(%init : tensor<?x4xf32>) at <group : feature> {
  ^bb0(%acc: f32, %extra: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// expected-error @+1 {{expected a row space as groups, got 'parent_edge'}}
func.func private @domain_c1() attributes {domain = #gnn_tile.domain<parent_edge>}

// -----

// expected-error-re @+1 {{expected a row space (edge, {{.*}}), got 'edges'}}
func.func private @domain_of_no_space() attributes {domain = #gnn_tile.domain<edges>}

// -----

// expected-error @+1 {{expected one of edge, edge.in_rows, edge.out_rows, edge.src_pairs, edge.dst_pairs, edge.src_types, edge.dst_types; got 'edge.by_type'}}
func.func private @domain_of_no_order() attributes {domain = #gnn_tile.domain<edge.by_type>}

// -----

// expected-error @+1 {{the elements of a 'dst' do not lie side by side in 'edge.out_rows'}}
func.func private @domain_c2() attributes {domain = #gnn_tile.domain<dst, edge.out_rows>}

// -----

// expected-error @+1 {{expected 1 to 1073741824 heads and features, got 1 and 0}}
func.func private @domain_c3() attributes {domain = #gnn_tile.domain<dst, features = 0>}

// -----

// expected-error @+1 {{expected a row space reached from a group or an element, got 'src'}}
func.func private @at_c1() attributes {at = #gnn_tile.at<all -> src>}

// -----

// expected-error @+1 {{expected a feature offset of at least 0, got -1}}
func.func private @at_c2() attributes {at = #gnn_tile.at<group : feature + -1>}

// -----

// expected-error @+1 {{expected 'column' at 'group : feature' alone}}
func.func private @at_c3() attributes {at = #gnn_tile.at<group : head, feature, column>}

// -----

// expected-error @+1 {{expected 'column' at 'group : feature' alone}}
func.func private @at_c3_element() attributes {at = #gnn_tile.at<element : feature, column>}

// -----

// expected-error @+1 {{expected 'column' at 'group : feature' alone}}
func.func private @at_c3_offset() attributes {at = #gnn_tile.at<group : feature + 2, column>}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c2_columns(%x: tensor<3x4x2xf32>, %init: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected [matrices, 4, columns] with '8' columns in all, got 'tensor<3x4x2xf32>' at #gnn_tile.at<group : feature, column>}}
  %y = gnn_tile.traverse @g <8, features = 4> ins(%x : tensor<3x4x2xf32>)
      at [#gnn_tile.at<group : feature, column>]
      outs(%init : tensor<8x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c2_columns_of_rows(%x: tensor<1x4x?xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected [matrices, 4, columns] with 'dst' columns in all, got 'tensor<1x4x?xf32>' at #gnn_tile.at<group : feature, column>}}
  %y = gnn_tile.traverse @g <dst, features = 4> ins(%x : tensor<1x4x?xf32>)
      at [#gnn_tile.at<group : feature, column>]
      outs(%init : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c2_written_columns(%x: tensor<8x4xf32>, %init: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected an access to rows, only a traversal reads columns; got #gnn_tile.at<group : feature, column>}}
  %y = gnn_tile.traverse @g <8, features = 4> ins(%x : tensor<8x4xf32>)
      at [#gnn_tile.at<group : feature>]
      outs(%init : tensor<2x4x4xf32>) at [#gnn_tile.at<group : feature, column>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @gemm_c1_columns(%x: tensor<2x8x3xf32>, %w: tensor<8x4xf32>, %init: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected an access to rows, only a traversal reads columns; got #gnn_tile.at<group : feature, column>}}
  %y = gnn_tile.gemm @g rows 6 ins(%x, %w : tensor<2x8x3xf32>, tensor<8x4xf32>)
      at <group : feature, column> extras at []
      outs(%init : tensor<6x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

func.func @gemm_c7(%x: tensor<?x8xf32>, %w: tensor<3x8x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op no map leads from 'edge_type' to the weights of 'parent_edge'}}
  %y = gnn_tile.gemm @g rows src_pair types edge_type weights parent_edge
      ins(%x, %w : tensor<?x8xf32>, tensor<3x8x4xf32>)
      at <group -> src : feature> extras at []
      outs(%init : tensor<?x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
