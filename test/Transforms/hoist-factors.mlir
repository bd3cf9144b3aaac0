// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-tile-hoist-factors))' \
// RUN:   --remarks-filter=gnn-tile-hoist-factors --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#row = #gnn_tile.at<group : feature>
#src = #gnn_tile.at<element -> src : feature>
#edge = #gnn_tile.at<element -> src>
#number = #gnn_tile.at<group>
#weight = #gnn_tile.at<all : feature>
gnn.graph @g square {node_types = 1, edge_types = 1}

// The gradient of a leaky activation by its input: lanes choose between two weights, by
// the sign of the result, which they have in any case.
//
// CHECK-LABEL: func.func @leaky
// CHECK:         ^bb0(%[[X:.+]]: f32, %[[G:.+]]: f32, %[[W:.+]]: f32):
// CHECK:           %[[SLOPE:.+]] = arith.constant 2.0
// CHECK:           %[[P:.+]] = arith.cmpf ogt, %[[X]], %[[ZERO:.+]] : f32
// CHECK:           %[[Y:.+]] = arith.select %[[P]], %[[X]], %{{.+}} : f32
// CHECK:           %[[SIDE:.+]] = arith.cmpf ogt, %[[Y]], %[[ZERO]] : f32
// CHECK:           %[[V:.+]] = arith.mulf %[[W]], %[[SLOPE]] : f32
// CHECK:           %[[CHOSEN:.+]] = arith.select %[[SIDE]], %[[W]], %[[V]] : f32
// CHECK:           %[[D:.+]] = arith.mulf %[[CHOSEN]], %[[G]] : f32
// CHECK-NOT:       arith.mulf
// CHECK:           gnn_tile.reduce sum [element] %[[D]] : f32
func.func @leaky(%x: tensor<?x64xf32>, %g: tensor<?xf32>, %w: tensor<64xf32>, %n: tensor<?x64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  // expected-remark @+1 {{2 factors that no element varies}}
  %r:2 = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %g, %w : tensor<?x64xf32>, tensor<?xf32>, tensor<64xf32>) at [#src, #edge, #weight]
      outs(%n, %n : tensor<?x64xf32>, tensor<?x64xf32>) at [#row, #row] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %slope = arith.constant 0.2 : f32
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    %q = arith.mulf %a, %slope : f32
    %y = arith.select %p, %a, %q : f32
    %s = gnn_tile.reduce sum [element] %y : f32
    %d = arith.mulf %c, %b : f32
    %e = arith.mulf %d, %slope : f32
    %z = arith.select %p, %d, %e : f32
    %t = gnn_tile.reduce sum [element] %z : f32
    gnn_tile.yield %s, %t : f32, f32
  } -> tensor<?x64xf32>, tensor<?x64xf32>
  return %r#0, %r#1 : tensor<?x64xf32>, tensor<?x64xf32>
}

// The score of GATv2: a sum over features without comparisons.
//
// CHECK-LABEL: func.func @score
// CHECK:         ^bb0(%[[X:.+]]: f32, %[[W:.+]]: f32):
// CHECK-NOT:       arith.cmpf
// CHECK:           %[[A:.+]] = math.absf %[[X]] : f32
// CHECK:           %[[T:.+]] = arith.constant 0.666666
// CHECK:           %[[P:.+]] = arith.mulf %[[A]], %[[T]] : f32
// CHECK:           %[[S:.+]] = arith.addf %[[X]], %[[P]] : f32
// CHECK:           %[[V:.+]] = arith.mulf %[[S]], %[[W]] : f32
// CHECK:           %[[SUM:.+]] = gnn_tile.reduce sum [feature] %[[V]] : f32
// CHECK:           %[[C:.+]] = arith.constant 6.0
// CHECK:           %[[SCORE:.+]] = arith.mulf %[[SUM]], %[[C]] : f32
// CHECK:           gnn_tile.reduce sum [element] %[[SCORE]] : f32
func.func @score(%x: tensor<?x64xf32>, %w: tensor<64xf32>, %n: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{1 factor that no element varies}}
  %r = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %w : tensor<?x64xf32>, tensor<64xf32>) at [#src, #weight] outs(%n : tensor<?xf32>) at [#number] {
  ^bb0(%a: f32, %c: f32):
    %slope = arith.constant 0.2 : f32
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    %q = arith.mulf %a, %slope : f32
    %y = arith.select %p, %a, %q : f32
    %v = arith.mulf %y, %c : f32
    %s = gnn_tile.reduce sum [feature] %v : f32
    %t = gnn_tile.reduce sum [element] %s : f32
    gnn_tile.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// One reciprocal of the sum of a row; of a number of each element, a quotient that may be
// approximate.
//
// CHECK-LABEL: func.func @weights
// CHECK:         ^bb0(%[[X:.+]]: f32, %[[SUM:.+]]: f32, %[[OWN:.+]]: f32):
// CHECK:           %[[E:.+]] = math.exp %[[X]] fastmath<afn> : f32
// CHECK:           %[[ONE:.+]] = arith.constant 1.0
// CHECK:           %[[R:.+]] = arith.divf %[[ONE]], %[[SUM]] fastmath<arcp,afn> : f32
// CHECK:           arith.mulf %[[E]], %[[R]] : f32
// CHECK:           arith.divf %[[E]], %[[OWN]] fastmath<arcp,afn> : f32
func.func @weights(%x: tensor<?xf32>, %s: tensor<?xf32>, %n: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // expected-remark @+2 {{1 quotient by a reciprocal}}
  // expected-remark @+1 {{1 quotient by an approximate reciprocal each}}
  %r:2 = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x, %s, %x : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) at [#edge, #number, #edge]
      outs(%n, %n : tensor<?xf32>, tensor<?xf32>) at [#number, #number] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %e = math.exp %a fastmath<afn> : f32
    %p = arith.divf %e, %b : f32
    %t = gnn_tile.reduce sum [element] %p : f32
    %q = arith.divf %e, %c : f32
    %u = gnn_tile.reduce sum [element] %q : f32
    gnn_tile.yield %t, %u : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// Negative: a quotient that is exact; a choice between other factors of an element; a
// negative slope.
//
// CHECK-LABEL: func.func @kept
// CHECK:           ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %[[C:.+]]: f32):
// CHECK:           %[[P:.+]] = arith.cmpf ogt, %[[A]]
// CHECK:           arith.divf %[[A]], %[[C]] : f32
// CHECK:           arith.select %[[P]]
// CHECK:           arith.select %[[P]]
func.func @kept(%x: tensor<?xf32>, %s: tensor<?xf32>, %n: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // expected-remark @+1 {{no factor or divisor of its elements may be moved}}
  %r:2 = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x, %x, %s : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) at [#edge, #edge, #number]
      outs(%n, %n : tensor<?xf32>, tensor<?xf32>) at [#number, #number] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %slope = arith.constant -0.2 : f32
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    %d = arith.divf %a, %c : f32
    %q = arith.mulf %a, %slope : f32
    %y = arith.select %p, %a, %q : f32
    %m = arith.mulf %d, %y : f32
    %t = gnn_tile.reduce sum [element] %m : f32
    %e = arith.mulf %c, %a : f32
    %f = arith.mulf %c, %b : f32
    %z = arith.select %p, %e, %f : f32
    %u = gnn_tile.reduce sum [element] %z : f32
    gnn_tile.yield %t, %u : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}
