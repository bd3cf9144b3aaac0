// RUN: gnn-opt %s --gnn-tile-split-long-rows=length=16 --cse --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// Pieces of long rows first; the row is made of what they give, its body stays.
//
// CHECK-LABEL: func.func @sum
// CHECK:         %[[PIECES:.+]] = gnn_tile.count @g long_tile_count dst edge.in_rows 16 : index
// CHECK:         %[[EMPTY:.+]] = tensor.empty(%[[PIECES]]) : tensor<?x8xf32>
// CHECK:         %[[PARTS:.+]] = gnn_tile.traverse @g <long_tiles<dst, edge.in_rows, 16>, edge.in_rows, features = 8>
// CHECK-SAME:      ins(%[[X:.+]], %[[W:.+]] : tensor<?x8xf32>, tensor<?xf32>)
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group -> dst>]
// CHECK-SAME:      outs(%[[EMPTY]] : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
// CHECK-NEXT:    ^bb0(%[[XV:.+]]: f32, %[[WV:.+]]: f32):
// CHECK-NEXT:      %[[M:.+]] = arith.mulf %[[XV]], %[[WV]]
// CHECK-NEXT:      %[[S:.+]] = gnn_tile.reduce sum [element] %[[M]]
// CHECK-NEXT:      gnn_tile.yield %[[S]] : f32
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// CHECK-SAME:      ins(%[[X]], %[[W]], %{{.+}} : tensor<?x8xf32>, tensor<?xf32>, tensor<8xf32>)
// CHECK-SAME:      parts(%[[PARTS]] : tensor<?x8xf32>) of long_tiles<dst, edge.in_rows, 16>
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      %[[ALL:.+]] = gnn_tile.reduce sum [element]
// CHECK-NEXT:      arith.addf %[[ALL]]
func.func @sum(%x: tensor<?x8xf32>, %w: tensor<?xf32>, %b: tensor<8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x, %w, %b : tensor<?x8xf32>, tensor<?xf32>, tensor<8xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group>, #gnn_tile.at<all : feature>]
      outs(%init : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32, %wv: f32, %bv: f32):
    %m = arith.mulf %xv, %wv : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    %o = arith.addf %s, %bv : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// A part for each result, at its level; of a mean the sum, which the row divides by
// all of its elements.
//
// CHECK-LABEL: func.func @several
// CHECK:         %[[PARTS:.+]]:4 = gnn_tile.traverse @g <long_tiles<src, edge.out_rows, 16>, edge.out_rows, heads = 2, features = 8>
// CHECK-SAME:      outs(%{{.+}} : tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xi32>)
// CHECK-SAME:      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head>, #gnn_tile.at<group : head>, #gnn_tile.at<group : head>]
// CHECK:           %[[MEAN:.+]] = gnn_tile.reduce sum [element]
// CHECK:           %[[LEFT:.+]] = gnn_tile.reduce mean [feature]
// CHECK:           %[[BOTH:.+]] = gnn_tile.reduce sum [element] %[[LEFT]]
// CHECK:           gnn_tile.arg_reduce max
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows, heads = 2, features = 8>
// CHECK-SAME:      parts(%[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2, %[[PARTS]]#3 :
// CHECK-SAME:      tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xi32>) of long_tiles<src, edge.out_rows, 16>
// CHECK:           gnn_tile.reduce mean [element]
// CHECK:           gnn_tile.reduce mean [element, feature]
func.func @several(%x: tensor<?x2x8xf32>, %s: tensor<?x2xf32>, %a: tensor<?x2x8xf32>, %b: tensor<?x2xf32>,
    %c: tensor<?x2xf32>, %d: tensor<?x2xi32>) -> (tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xi32>) {
  %y:4 = gnn_tile.traverse @g <src, edge.out_rows, heads = 2, features = 8>
      ins(%x, %s : tensor<?x2x8xf32>, tensor<?x2xf32>)
      at [#gnn_tile.at<element -> dst : head, feature>, #gnn_tile.at<element -> edge : head>]
      outs(%a, %b, %c, %d : tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xi32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head>, #gnn_tile.at<group : head>, #gnn_tile.at<group : head>] {
  ^bb0(%xv: f32, %sv: f32):
    %mean = gnn_tile.reduce mean [element] %xv : f32
    %both = gnn_tile.reduce mean [element, feature] %xv : f32
    %edge = gnn_tile.index <element -> edge>
    %best, %where = gnn_tile.arg_reduce max %sv, %edge : f32
    %n = gnn_tile.size : f32
    %scaled = arith.mulf %both, %n : f32
    gnn_tile.yield %mean, %scaled, %best, %where : f32, f32, f32, i32
  } -> tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xi32>
  return %y#0, %y#1, %y#2, %y#3 : tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xi32>
}

// States of a fold are its parts, combined as those of elements are.
//
// CHECK-LABEL: func.func @fold
// CHECK:         %[[PARTS:.+]]:2 = gnn_tile.traverse @g <long_tiles<dst_pair, edge.dst_pairs, 16>, edge.dst_pairs>
// CHECK:           gnn_tile.fold
// CHECK:         gnn_tile.traverse @g <dst_pair, edge.dst_pairs>
// CHECK-SAME:      parts(%[[PARTS]]#0, %[[PARTS]]#1 : tensor<?xf32>, tensor<?xf32>) of long_tiles<dst_pair, edge.dst_pairs, 16>
// CHECK:           gnn_tile.fold
func.func @fold(%s: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %z = gnn_tile.traverse @g <dst_pair, edge.dst_pairs>
      ins(%s : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%score: f32):
    %lowest = arith.constant 0xFF7FFFFF : f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %max, %sum = gnn_tile.fold %score, %one identity %lowest, %zero : f32, f32 {
    ^bb0(%m0: f32, %z0: f32, %m1: f32, %z1: f32):
      %m = arith.maximumf %m0, %m1 : f32
      %d0 = arith.subf %m0, %m : f32
      %d1 = arith.subf %m1, %m : f32
      %e0 = math.exp %d0 : f32
      %e1 = math.exp %d1 : f32
      %p0 = arith.mulf %z0, %e0 : f32
      %p1 = arith.mulf %z1, %e1 : f32
      %t = arith.addf %p0, %p1 : f32
      gnn_tile.yield %m, %t : f32, f32
    }
    gnn_tile.yield %sum : f32
  } -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// Rows of elements of long rows are written by the first one, with what they read of
// their row, and the second one goes on with them.
//
// CHECK-LABEL: func.func @of_elements
// CHECK-SAME:    %[[S:.+]]: tensor<?xf32>, %[[W:.+]]: tensor<?xf32>, %[[A:.+]]: tensor<?xf32>, %[[B:.+]]: tensor<?xf32>)
// CHECK:         %[[PARTS:.+]]:2 = gnn_tile.traverse @g <long_tiles<dst, edge.in_rows, 16>, edge.in_rows>
// CHECK-SAME:      ins(%[[S]], %[[W]] : tensor<?xf32>, tensor<?xf32>)
// CHECK-SAME:      at [#gnn_tile.at<element -> edge>, #gnn_tile.at<group -> dst>]
// CHECK-SAME:      outs(%{{.+}}, %[[B]] : tensor<?xf32>, tensor<?xf32>)
// CHECK-SAME:      at [#gnn_tile.at<group>, #gnn_tile.at<element -> edge>]
// CHECK:           %[[MAX:.+]] = gnn_tile.reduce max [element] %[[E:.+]] : f32
// CHECK-NEXT:      gnn_tile.yield %[[MAX]], %[[E]] : f32, f32
// CHECK:         %[[Y:.+]]:2 = gnn_tile.traverse @g <dst, edge.in_rows>
// CHECK-SAME:      outs(%[[A]], %[[PARTS]]#1 : tensor<?xf32>, tensor<?xf32>)
// CHECK-SAME:      parts(%[[PARTS]]#0 : tensor<?xf32>) of long_tiles<dst, edge.in_rows, 16>
// CHECK:         return %[[Y]]#0, %[[Y]]#1
func.func @of_elements(%s: tensor<?xf32>, %w: tensor<?xf32>, %a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y:2 = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%s, %w : tensor<?xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> edge>, #gnn_tile.at<group>]
      outs(%a, %b : tensor<?xf32>, tensor<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<element -> edge>] {
  ^bb0(%score: f32, %scale: f32):
    %e = arith.mulf %score, %scale : f32
    %max = gnn_tile.reduce max [element] %e : f32
    gnn_tile.yield %max, %e : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xf32>
}

// Rows of types are summed in two steps elsewhere, and rows without elements are none.
//
// CHECK-LABEL: func.func @others
// CHECK-NOT:     long_tiles
func.func @others(%x: tensor<?x8xf32>, %t: tensor<3x8xf32>, %init: tensor<?x8xf32>) -> (tensor<3x8xf32>, tensor<?x8xf32>) {
  %s = gnn_tile.traverse @g <edge_type, src_pair, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%t : tensor<3x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %sum = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %sum : f32
  } -> tensor<3x8xf32>
  %y = gnn_tile.traverse @g <dst, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%init : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %s, %y : tensor<3x8xf32>, tensor<?x8xf32>
}
