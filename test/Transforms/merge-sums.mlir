// RUN: gnn-opt %s --gnn-tile-merge-sums --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-merge-sums --remark-format=emitRemark | FileCheck %s

#rows = #gnn_tile.at<group : feature>
#src = #gnn_tile.at<element -> src : feature>
gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @three
// CHECK:         ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
// CHECK:           %[[P:.+]] = arith.mulf %[[A]], %[[B]]
// CHECK:           %[[Q:.+]] = arith.addf %[[A]], %[[B]]
// CHECK:           %[[R:.+]] = arith.addf %[[Q]], %[[P]]
// CHECK:           %[[S:.+]] = gnn_tile.reduce sum [element] %[[R]]
// CHECK-NOT:       gnn_tile.reduce
// CHECK:           gnn_tile.yield %[[S]]
func.func @three(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>, %n: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %r = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#src, #src] outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [element] %a : f32
    %t = gnn_tile.reduce sum [element] %b : f32
    %u = gnn_tile.reduce sum [element] %p : f32
    // expected-remark @+1 {{one sum over elements instead of two that are added up}}
    %v = arith.addf %s, %t : f32
    // expected-remark @+1 {{one sum over elements instead of two that are added up}}
    %w = arith.addf %v, %u : f32
    gnn_tile.yield %w : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// Negative: a sum that is a result too; one of numbers of edges, whose terms are fewer;
// a mean; a sum over features.
//
// CHECK-LABEL: func.func @two
// CHECK-COUNT-8: gnn_tile.reduce
func.func @two(%x: tensor<?x64xf32>, %y: tensor<?xf32>, %n: tensor<?x64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %r:5 = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %y : tensor<?x64xf32>, tensor<?xf32>)
      at [#src, #gnn_tile.at<element -> src>]
      outs(%n, %n, %n, %n, %n : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
      at [#rows, #rows, #rows, #rows, #rows] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %a : f32
    %s = gnn_tile.reduce sum [element] %a : f32
    %t = gnn_tile.reduce sum [element] %p : f32
    // expected-remark @+1 {{something else reads one of them}}
    %u = arith.addf %s, %t : f32
    %c = gnn_tile.reduce sum [element] %a : f32
    %d = gnn_tile.reduce sum [element] %b : f32
    // expected-remark @+1 {{they vary by other dimensions}}
    %e = arith.addf %c, %d : f32
    %f = gnn_tile.reduce mean [element] %a : f32
    %g = gnn_tile.reduce sum [element] %p : f32
    %h = arith.addf %f, %g : f32
    %i = gnn_tile.reduce sum [element, feature] %a : f32
    %j = gnn_tile.reduce sum [element] %b : f32
    %k = arith.addf %i, %j : f32
    gnn_tile.yield %s, %u, %e, %h, %k : f32, f32, f32, f32, f32
  } -> tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
}
