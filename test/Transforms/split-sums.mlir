// RUN: gnn-opt %s --gnn-tile-split-sums=rows=16 --cse --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A matrix for each tile, then the sum of those of each type.
//
// CHECK-LABEL: func.func @typed
// CHECK:         %[[TILES:.+]] = gnn_tile.count @g tile_count edge_type src_pair 16 : index
// CHECK:         %[[EMPTY:.+]] = tensor.empty(%[[TILES]]) : tensor<?x8x4xf32>
// CHECK:         %[[PARTS:.+]] = gnn_tile.outer @g rows src_pair types tiles<edge_type, src_pair, 16>
// CHECK-SAME:      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
// CHECK-SAME:      outs(%[[EMPTY]] : tensor<?x8x4xf32>)
// CHECK:         %[[FLAT:.+]] = tensor.collapse_shape %[[PARTS]] {{\[}}[0], [1, 2]] : tensor<?x8x4xf32> into tensor<?x32xf32>
// CHECK:         %[[SUMS:.+]] = gnn_tile.traverse @g <edge_type, tiles<edge_type, src_pair, 16>, features = 32>
// CHECK-SAME:      ins(%[[FLAT]] : tensor<?x32xf32>) at [#gnn_tile.at<element : feature>]
// CHECK-SAME:      at [#gnn_tile.at<group : feature>]
// CHECK-NEXT:    ^bb0(%[[PART:.+]]: f32):
// CHECK-NEXT:      %[[SUM:.+]] = gnn_tile.reduce sum [element] %[[PART]]
// CHECK-NEXT:      gnn_tile.yield %[[SUM]]
// CHECK:         tensor.expand_shape %[[SUMS]] {{.+}} tensor<3x32xf32> into tensor<3x8x4xf32>
func.func @typed(%x: tensor<?x8xf32>, %dy: tensor<?x4xf32>, %init: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {
  %dw = gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : tensor<?x8xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  return %dw : tensor<3x8x4xf32>
}

// Without types, the graph has the tiles; all heads are features of one row.
//
// CHECK-LABEL: func.func @heads
// CHECK:         gnn_tile.outer @g rows src types tiles<graph, src, 16>
// CHECK-SAME:      -> tensor<?x2x8x4xf32>
// CHECK:         gnn_tile.traverse @g <graph, tiles<graph, src, 16>, features = 64>
// CHECK-SAME:      outs(%{{.+}} : tensor<1x64xf32>)
// CHECK:         tensor.expand_shape {{.+}} tensor<1x64xf32> into tensor<1x2x8x4xf32>
// CHECK:         tensor.collapse_shape {{.+}} tensor<1x2x8x4xf32> into tensor<2x8x4xf32>
func.func @heads(%x: tensor<?x2x8xf32>, %dy: tensor<?x2x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %dw = gnn_tile.outer @g rows src
      ins(%x, %dy : tensor<?x2x8xf32>, tensor<?x2x4xf32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %dw : tensor<2x8x4xf32>
}

// Sums beside the matrices are those of tiles first, too.
//
// CHECK-LABEL: func.func @beside
// CHECK:         %[[PARTS:.+]]:2 = gnn_tile.outer @g rows src types tiles<graph, src, 16>
// CHECK-SAME:      outs(%{{.+}} : tensor<?x8x4xf32>) sums(%{{.+}} : tensor<?x4xf32>) -> tensor<?x8x4xf32>, tensor<?x4xf32>
// CHECK:         gnn_tile.traverse @g <graph, tiles<graph, src, 16>, features = 32>
// CHECK:         %[[SUMS:.+]] = gnn_tile.traverse @g <graph, tiles<graph, src, 16>, features = 4>
// CHECK-SAME:      ins(%[[PARTS]]#1 : tensor<?x4xf32>)
// CHECK:         tensor.collapse_shape %[[SUMS]] {{.+}} tensor<1x4xf32> into tensor<4xf32>
func.func @beside(%x: tensor<?x8xf32>, %dy: tensor<?x4xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>)
    -> (tensor<8x4xf32>, tensor<4xf32>) {
  %dw, %db = gnn_tile.outer @g rows src ins(%x, %dy : tensor<?x8xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%w : tensor<8x4xf32>) sums(%b : tensor<4xf32>) -> tensor<8x4xf32>, tensor<4xf32>
  return %dw, %db : tensor<8x4xf32>, tensor<4xf32>
}

// A sum over heads is one for each tile.
//
// CHECK-LABEL: func.func @sums_heads
// CHECK:         gnn_tile.outer @g rows src types tiles<graph, src, 16>
// CHECK-SAME:      -> tensor<?x8x4xf32>
func.func @sums_heads(%x: tensor<?x2x8xf32>, %dy: tensor<?x2x4xf32>, %init: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %dw = gnn_tile.outer @g rows src
      ins(%x, %dy : tensor<?x2x8xf32>, tensor<?x2x4xf32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %dw : tensor<8x4xf32>
}

// Ops that follow a reduction stay behind the second one, and read what they
// need there.
//
// CHECK-LABEL: func.func @sum
// CHECK:         gnn_tile.traverse @g <tiles<edge_type, edge.dst_pairs, 16>, edge.dst_pairs, features = 8>
// CHECK-SAME:      ins(%[[X:[a-z0-9]+]] : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
// CHECK-SAME:      at [#gnn_tile.at<group : feature>]
// CHECK-NEXT:    ^bb0(%[[V:.+]]: f32):
// CHECK-NEXT:      %[[S:.+]] = gnn_tile.reduce sum [element] %[[V]]
// CHECK-NEXT:      gnn_tile.yield %[[S]]
// CHECK:         gnn_tile.traverse @g <edge_type, tiles<edge_type, edge.dst_pairs, 16>, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<element : feature>, #gnn_tile.at<all : feature>]
// CHECK-NEXT:    ^bb0(%[[P:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT:      %[[T:.+]] = gnn_tile.reduce sum [element] %[[P]]
// CHECK-NEXT:      %[[O:.+]] = arith.addf %[[T]], %[[B]]
// CHECK-NEXT:      gnn_tile.yield %[[O]]
func.func @sum(%x: tensor<?x8xf32>, %b: tensor<8xf32>, %init: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %y = gnn_tile.traverse @g <edge_type, edge.dst_pairs, features = 8>
      ins(%x, %b : tensor<?x8xf32>, tensor<8xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<all : feature>]
      outs(%init : tensor<3x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %bias: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    %o = arith.addf %s, %bias : f32
    gnn_tile.yield %o : f32
  } -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// A mean is a sum over the number of all elements; over features it is one for
// each element. So is a size.
//
// CHECK-LABEL: func.func @mean
// CHECK:         gnn_tile.traverse @g <tiles<graph, dst, 16>, dst, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group>, #gnn_tile.at<group>]
// CHECK-NEXT:    ^bb0(%[[V:.+]]: f32):
// CHECK-NEXT:      %[[M:.+]] = gnn_tile.reduce mean [feature] %[[V]]
// CHECK-NEXT:      %[[S:.+]] = gnn_tile.reduce sum [element] %[[M]]
// CHECK-NEXT:      %[[N:.+]] = gnn_tile.size : f32
// CHECK-NEXT:      gnn_tile.yield %[[S]], %[[N]]
// CHECK:         gnn_tile.traverse @g <graph, tiles<graph, dst, 16>, features = 8>
// CHECK-NEXT:    ^bb0(%[[P:.+]]: f32, %[[Q:.+]]: f32):
// CHECK-NEXT:      %[[SIZE:.+]] = gnn_tile.reduce sum [element] %[[Q]]
// CHECK-DAG:       %[[ONE:.+]] = arith.constant 1.0
// CHECK-DAG:       %[[D:.+]] = arith.maximumf %[[SIZE]], %[[ONE]]
// CHECK-DAG:       %[[T:.+]] = gnn_tile.reduce sum [element] %[[P]]
// CHECK:           %[[MEAN:.+]] = arith.divf %[[T]], %[[D]]
// CHECK-NEXT:      %[[O:.+]] = arith.mulf %[[MEAN]], %[[SIZE]]
func.func @mean(%x: tensor<?x8xf32>, %init: tensor<1xf32>) -> tensor<1xf32> {
  %y = gnn_tile.traverse @g <graph, dst, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element : feature>]
      outs(%init : tensor<1xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %m = gnn_tile.reduce mean [element, feature] %v : f32
    %n = gnn_tile.size : f32
    %o = arith.mulf %m, %n : f32
    gnn_tile.yield %o : f32
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// The extreme of the extremes, and the lowest index of those.
//
// CHECK-LABEL: func.func @argument
// CHECK:         gnn_tile.traverse @g <tiles<edge_type, edge.dst_pairs, 16>, edge.dst_pairs, features = 8>
// CHECK-SAME:      outs(%{{.+}}, %{{.+}} : tensor<?x8xf32>, tensor<?x8xi32>)
// CHECK:           gnn_tile.index <element -> edge>
// CHECK:           gnn_tile.arg_reduce max
// CHECK:         gnn_tile.traverse @g <edge_type, tiles<edge_type, edge.dst_pairs, 16>, features = 8>
// CHECK-NEXT:    ^bb0(%[[V:.+]]: f32, %[[I:.+]]: i32):
// CHECK-NEXT:      %[[E:.+]], %[[A:.+]] = gnn_tile.arg_reduce max %[[V]], %[[I]]
// CHECK-NEXT:      gnn_tile.yield %[[E]], %[[A]]
func.func @argument(%x: tensor<?x8xf32>, %a: tensor<3x8xf32>, %b: tensor<3x8xi32>) -> (tensor<3x8xf32>, tensor<3x8xi32>) {
  %y:2 = gnn_tile.traverse @g <edge_type, edge.dst_pairs, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%a, %b : tensor<3x8xf32>, tensor<3x8xi32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %i = gnn_tile.index #gnn_tile.at<element -> edge>
    %e, %j = gnn_tile.arg_reduce max %v, %i : f32
    gnn_tile.yield %e, %j : f32, i32
  } -> tensor<3x8xf32>, tensor<3x8xi32>
  return %y#0, %y#1 : tensor<3x8xf32>, tensor<3x8xi32>
}

// The row of a group is that of its tile's group.
//
// CHECK-LABEL: func.func @group_rows
// CHECK:         gnn_tile.traverse @g <tiles<edge_type, edge.dst_pairs, 16>, edge.dst_pairs>
// CHECK-SAME:      at [#gnn_tile.at<element>, #gnn_tile.at<group -> edge_type>]
// CHECK:           gnn_tile.index <group -> edge_type>
// CHECK:         gnn_tile.traverse @g <edge_type, tiles<edge_type, edge.dst_pairs, 16>>
// CHECK-SAME:      at [#gnn_tile.at<element>, #gnn_tile.at<group>]
// CHECK:           gnn_tile.index <group>
func.func @group_rows(%s: tensor<?xf32, #gnn_tile.order<edge.dst_pairs>>, %t: tensor<3xf32>, %init: tensor<3xf32>) -> tensor<3xf32> {
  %y = gnn_tile.traverse @g <edge_type, edge.dst_pairs>
      ins(%s, %t : tensor<?xf32, #gnn_tile.order<edge.dst_pairs>>, tensor<3xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<group>]
      outs(%init : tensor<3xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %i = gnn_tile.index #gnn_tile.at<group>
    %k = arith.sitofp %i : i32 to f32
    %q = arith.mulf %p, %k : f32
    %r = gnn_tile.reduce max [element] %q : f32
    %o = arith.addf %r, %w : f32
    %u = arith.addf %o, %k : f32
    gnn_tile.yield %u : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// States of a fold are folded again; its identity may be one of its values.
//
// CHECK-LABEL: func.func @fold
// CHECK:         gnn_tile.fold %{{.+}}, %[[ONE:.+]] identity %{{.+}}, %[[ONE]] : f32, f32
// CHECK:         gnn_tile.traverse @g <graph, tiles<graph, src, 16>>
// CHECK-NEXT:    ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
// CHECK:           %[[TWO:.+]] = arith.constant 1.0
// CHECK:           gnn_tile.fold %[[A]], %[[B]] identity %{{.+}}, %[[TWO]] : f32, f32
func.func @fold(%s: tensor<?xf32>, %init: tensor<1xf32>) -> tensor<1xf32> {
  %y = gnn_tile.traverse @g <graph, src>
      ins(%s : tensor<?xf32>) at [#gnn_tile.at<element>]
      outs(%init : tensor<1xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %a, %b = gnn_tile.fold %v, %one identity %zero, %one : f32, f32 {
    ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
      %x = arith.addf %a0, %a1 : f32
      %z = arith.mulf %b0, %b1 : f32
      gnn_tile.yield %x, %z : f32, f32
    }
    %o = arith.mulf %a, %b : f32
    gnn_tile.yield %o : f32
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// Rows of nodes stay.
//
// CHECK-LABEL: func.func @rows_of_nodes
// CHECK-NOT:     tiles
func.func @rows_of_nodes(%x: tensor<?x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
