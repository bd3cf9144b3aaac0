// RUN: gnn-opt %s --convert-gnn-to-gnn-tile --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-pipeline --split-input-file | FileCheck %s --check-prefix=TILE

gnn.graph @g square {node_types = 1, edge_types = 3}

!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!at = tensor<?x8xi32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

// Edges are kept in the order of their destinations; an argument is a number in the
// user's order, to which a map leads. Like a gather, it is read in place by the one
// walk that reads it: the tensor of edges is gone.
//
// CHECK-LABEL: func.func @pick
// CHECK-SAME:    %[[X:.+]]: tensor<?x8xf32> {{.+}}, %[[A:.+]]: tensor<?x8xi32>
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 8> ins(%[[X]], %[[A]] :
// CHECK-SAME:      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> dst : feature>]
// CHECK:         ^bb0(%[[V:.+]]: f32, %[[T:.+]]: i32):
// CHECK:           %[[I:.+]] = gnn_tile.index <group -> edge>
// CHECK:           %[[IS:.+]] = arith.cmpi eq, %[[I]], %[[T]]
// CHECK:           arith.select %[[IS]], %[[V]]
// TILE-LABEL: func.func @pick
// TILE:         gnn_tile.traverse @g <src, edge.out_rows, features = 8>
// TILE-SAME:      at [#gnn_tile.at<element -> dst : feature>, #gnn_tile.at<element -> dst : feature>]
// TILE:           gnn_tile.index <element -> edge>
// TILE-NOT:     gnn_tile.traverse
// TILE:         return
func.func @pick(%x: !node, %a: !at) -> !node {
  %e = gnn.pick %x at %a via dst : !node, !at -> !edge
  %y = gnn.aggregate sum %e via src : !edge -> !node
  return %y : !node
}

// Pairs are kept in their natural order: the row is the number.
//
// CHECK-LABEL: func.func @pick_pairs
// CHECK:         gnn_tile.traverse @g <dst_pair, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> dst : feature>]
// CHECK:           gnn_tile.index <group>{{$}}
func.func @pick_pairs(%x: !node, %a: !at) -> tensor<?x8xf32, #gnn.rows<@g, dst_pair>> {
  %y = gnn.pick %x at %a : !node, !at -> tensor<?x8xf32, #gnn.rows<@g, dst_pair>>
  return %y : tensor<?x8xf32, #gnn.rows<@g, dst_pair>>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

!heads = tensor<?x4x8xf32, #gnn.rows<@g, node>>

// Heads are numbered; a NaN is the extreme where there is one.
//
// CHECK-LABEL: func.func @pick_head
// CHECK:         gnn_tile.traverse @g <dst, heads = 4, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : head, feature>]
// CHECK-SAME:      at [#gnn_tile.at<group : head, feature>]
// CHECK:         ^bb0(%[[G:.+]]: f32, %[[V:.+]]: f32):
// CHECK:           %[[M:.+]] = gnn_tile.reduce max [head] %[[V]]
// CHECK:           %[[IS:.+]] = arith.cmpf oeq, %[[V]], %[[M]]
// CHECK:           %[[NAN:.+]] = arith.cmpf uno, %[[V]], %[[V]]
// CHECK:           %[[OR:.+]] = arith.ori %[[IS]], %[[NAN]]
// CHECK:           %[[I:.+]] = gnn_tile.index <all : head>
// CHECK:           %[[C:.+]] = arith.select %[[OR]], %[[I]]
// CHECK:           %[[F:.+]] = gnn_tile.reduce min [head] %[[C]] : i32
// CHECK:           %[[HERE:.+]] = arith.cmpi eq, %[[I]], %[[F]]
// CHECK:           arith.select %[[HERE]], %[[G]]
func.func @pick_head(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %of: !heads) -> !heads {
  %y = gnn.pick_feature %x at max heads of %of : tensor<?x8xf32, #gnn.rows<@g, node>>, !heads
  return %y : !heads
}

// Features of three dimensions are walked as two.
//
// CHECK-LABEL: func.func @pick_feature
// CHECK:         gnn_tile.traverse @g <dst, heads = 6, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group : head>, #gnn_tile.at<group : head, feature>]
// CHECK:           gnn_tile.reduce min [feature] %{{.+}} : f32
// CHECK:           gnn_tile.index <all : feature>
func.func @pick_feature(%x: tensor<?x2x3xf32, #gnn.rows<@g, node>>, %of: tensor<?x2x3x8xf32, #gnn.rows<@g, node>>)
    -> tensor<?x2x3x8xf32, #gnn.rows<@g, node>> {
  %y = gnn.pick_feature %x at min features of %of : tensor<?x2x3xf32, #gnn.rows<@g, node>>, tensor<?x2x3x8xf32, #gnn.rows<@g, node>>
  return %y : tensor<?x2x3x8xf32, #gnn.rows<@g, node>>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
gnn.graph @part square of @g types [0, 2] {node_types = 1, edge_types = 2}
gnn.graph @rest square of @g types [1] {node_types = 1, edge_types = 1}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}

// All rows get zeros, then each row of the derived graph its value; what computes
// these writes them there.
//
// CHECK-LABEL: func.func @expand
// CHECK:         %[[Z:.+]] = gnn_tile.traverse @g <edge.in_rows, features = 8> at []
// CHECK:         gnn_tile.traverse @part <edge.in_rows, features = 8>
// CHECK-SAME:      outs(%[[Z]] : tensor<?x8xf32, #edge_in_rows>) at [#gnn_tile.at<group -> parent_edge.in_rows : feature>]
// TILE-LABEL: func.func @expand
// TILE:         gnn_tile.traverse @g <edge.in_rows, features = 8> at []
// TILE:         gnn_tile.gemm @part rows edge.in_rows
// TILE-SAME:      at <group -> parent_edge.in_rows : feature>
// TILE:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// TILE-NOT:     gnn_tile.traverse
// TILE:         return
func.func @expand(%x: tensor<?x8xf32, #gnn.rows<@part, edge>>, %w: tensor<8x8xf32>) -> tensor<?x8xf32, #gnn.rows<@g, node>> {
  %m = gnn.linear %x, %w : (tensor<?x8xf32, #gnn.rows<@part, edge>>, tensor<8x8xf32>) -> tensor<?x8xf32, #gnn.rows<@part, edge>>
  %e = gnn.expand_rows %m : tensor<?x8xf32, #gnn.rows<@part, edge>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %y = gnn.aggregate sum %e via dst : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return %y : tensor<?x8xf32, #gnn.rows<@g, node>>
}

// Rows of several graphs are written one after the other.
//
// CHECK-LABEL: func.func @expand_all
// CHECK:         %[[Z:.+]] = gnn_tile.traverse @g <edge_type, heads = 8, features = 4> at []
// CHECK:         %[[X:.+]] = gnn_tile.traverse @part <edge_type, heads = 8, features = 4>
// CHECK-SAME:      outs(%[[Z]] :
// CHECK-SAME:      at [#gnn_tile.at<group -> parent_edge_type : head, feature>]
// CHECK:         gnn_tile.traverse @rest <edge_type, heads = 8, features = 4>
// CHECK-SAME:      outs(%[[X]] :
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return
func.func @expand_all(%x: tensor<2x8x4xf32, #gnn.rows<@part, edge_type>>, %y: tensor<1x8x4xf32, #gnn.rows<@rest, edge_type>>)
    -> tensor<3x8x4xf32, #gnn.rows<@g, edge_type>> {
  %e = gnn.expand_rows %x, %y : tensor<2x8x4xf32, #gnn.rows<@part, edge_type>>, tensor<1x8x4xf32, #gnn.rows<@rest, edge_type>> -> tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>
  return %e : tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>
}

// Destinations are the first sources: that there are enough is checked when the
// graph is bound.
//
// CHECK-LABEL: func.func @extend
// CHECK:         gnn_tile.require at_most %{{.+}}, %{{.+}} "at most as many 'dst' rows of @block as 'src' rows of @block"
// CHECK:         %[[Z:.+]] = gnn_tile.traverse @block <src, features = 8> at []
// CHECK:         gnn_tile.traverse @block <dst, features = 8>
// CHECK-SAME:      outs(%[[Z]] : tensor<?x8xf32>) at [#gnn_tile.at<group -> src : feature>]
func.func @extend(%x: tensor<?x8xf32, #gnn.rows<@block, dst>>) -> tensor<?x8xf32, #gnn.rows<@block, src>> {
  %y = gnn.extend_rows %x : tensor<?x8xf32, #gnn.rows<@block, dst>> -> tensor<?x8xf32, #gnn.rows<@block, src>>
  return %y : tensor<?x8xf32, #gnn.rows<@block, src>>
}
