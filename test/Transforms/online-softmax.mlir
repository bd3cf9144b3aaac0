// RUN: gnn-opt %s --gnn-tile-online-softmax --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-online-softmax --remark-format=emitRemark | FileCheck %s
// RUN: echo | not gnn-opt --gnn-tile-online-softmax=setting=2 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: gnn-opt %s --gnn-tile-online-softmax=setting=0 --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: gnn-opt %s --gnn-attach-target=kind=cpu --gnn-tile-online-softmax --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: gnn-opt %s --gnn-attach-target=kind=cpu --gnn-tile-online-softmax=setting=1 --split-input-file | FileCheck %s

// RANGE: gnn-tile-online-softmax: expected 'setting' -1, 0 or 1, got 2
// OFF-NOT: softmax_sum

gnn.graph @g square {node_types = 1, edge_types = 1}

// Factors that vary by edge are part of what is weighed, others of the sum.
//
// CHECK-LABEL: func.func @weighed(
// CHECK:         ^bb0(%[[SCORE:.+]]: f32, %[[X:.+]]: f32, %[[Q:.+]]: f32, %[[P:.+]]: f32):
// CHECK:           %[[ONE:.+]] = arith.constant 1.0
// CHECK:           %[[XP:.+]] = arith.mulf %[[X]], %[[P]]
// CHECK:           %[[TOP:.+]], %[[SUMS:.+]]:2 = gnn_tile.softmax_sum %[[SCORE]], %[[ONE]], %[[XP]] : f32
// CHECK:           %[[NAN:.+]] = arith.subf %[[TOP]], %[[TOP]]
// CHECK:           %[[Z:.+]] = arith.addf %[[SUMS]]#0, %[[NAN]]
// CHECK:           %[[Y:.+]] = arith.addf %[[SUMS]]#1, %[[NAN]]
// CHECK:           %[[YQ:.+]] = arith.mulf %[[Y]], %[[Q]]
// CHECK:           %[[SIZE:.+]] = gnn_tile.size
// CHECK:           %[[ANY:.+]] = arith.cmpf ogt, %[[SIZE]]
// CHECK:           %[[TOTAL:.+]] = arith.select %[[ANY]], %[[YQ]]
// CHECK:           gnn_tile.yield %[[TOTAL]], %[[TOP]], %[[Z]]
func.func @weighed(%s: tensor<?xf32>, %x: tensor<?x8xf32>, %q: tensor<?x8xf32>,
                   %p: tensor<?xf32>, %y: tensor<?x8xf32>, %m: tensor<?xf32>,
                   %z: tensor<?xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r:3 = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%s, %x, %q, %p : tensor<?xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> edge>, #gnn_tile.at<element -> src : feature>,
          #gnn_tile.at<group : feature>, #gnn_tile.at<element -> edge>]
      outs(%y, %m, %z : tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group>, #gnn_tile.at<group>] {
  ^bb0(%score: f32, %xv: f32, %qv: f32, %pv: f32):
    // expected-remark @+1 {{maximum and weighted sums in one walk: 1 instead of 2}}
    %highest = gnn_tile.reduce max [element] %score : f32
    %d = arith.subf %score, %highest : f32
    %e = math.exp %d : f32
    %sum = gnn_tile.reduce sum [element] %e : f32
    %w = arith.mulf %e, %xv : f32
    %wq = arith.mulf %qv, %w : f32
    %wqp = arith.mulf %wq, %pv : f32
    %total = gnn_tile.reduce sum [element] %wqp : f32
    gnn_tile.yield %total, %highest, %sum : f32, f32, f32
  } -> tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>
  return %r#0, %r#1, %r#2 : tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>
}

// Weights that are normalized first take three walks: the sum is divided instead.
//
// CHECK-LABEL: func.func @normalized(
// CHECK:           %[[ONE:.+]] = arith.constant 1.0
// CHECK:           gnn_tile.softmax_sum %{{.+}}, %[[ONE]], %{{.+}}
// CHECK:           arith.divf
// CHECK-NOT:       gnn_tile.reduce
func.func @normalized(%s: tensor<?xf32>, %x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%s, %x : tensor<?xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<element -> edge>, #gnn_tile.at<element -> src : feature>]
      outs(%y : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%score: f32, %xv: f32):
    // expected-remark @+1 {{1 instead of 3}}
    %highest = gnn_tile.reduce max [element] %score : f32
    %d = arith.subf %score, %highest : f32
    %e = math.exp %d : f32
    %sum = gnn_tile.reduce sum [element] %e : f32
    %w = arith.divf %e, %sum : f32
    %wx = arith.mulf %w, %xv : f32
    %total = gnn_tile.reduce sum [element] %wx : f32
    gnn_tile.yield %total : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Two softmaxes in one walk, where each alone would leave that of the other.
//
// CHECK-LABEL: func.func @two(
// CHECK-COUNT-2:   gnn_tile.softmax_sum
// CHECK-NOT:       gnn_tile.reduce
func.func @two(%s: tensor<?xf32>, %r: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %o = gnn_tile.traverse @g <dst, edge.in_rows, features = 1>
      ins(%s, %r : tensor<?xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> edge>, #gnn_tile.at<element -> edge>]
      outs(%y : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%a: f32, %b: f32):
    // expected-remark @+1 {{1 instead of 2}}
    %m = gnn_tile.reduce max [element] %a : f32
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %t = gnn_tile.reduce sum [element] %e : f32
    // expected-remark @+1 {{1 instead of 2}}
    %m2 = gnn_tile.reduce max [element] %b : f32
    %d2 = arith.subf %b, %m2 : f32
    %e2 = math.exp %d2 : f32
    %t2 = gnn_tile.reduce sum [element] %e2 : f32
    %u = arith.addf %t, %t2 : f32
    gnn_tile.yield %u : f32
  } -> tensor<?xf32>
  return %o : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// A result stored for an element needs the highest score first.
//
// CHECK-LABEL: func.func @kept(
// CHECK:         gnn_tile.reduce max
func.func @kept(%s: tensor<?xf32>, %w: tensor<?xf32>, %z: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r:2 = gnn_tile.traverse @g <dst, edge.in_rows, features = 1>
      ins(%s : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%w, %z : tensor<?xf32>, tensor<?xf32>) at [#gnn_tile.at<element -> edge>, #gnn_tile.at<group>] {
  ^bb0(%score: f32):
    // expected-remark @+1 {{an element needs the highest score for more than powers that are factors of sums}}
    %highest = gnn_tile.reduce max [element] %score : f32
    %d = arith.subf %score, %highest : f32
    %e = math.exp %d : f32
    %sum = gnn_tile.reduce sum [element] %e : f32
    gnn_tile.yield %e, %sum : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @squared(
// CHECK:         gnn_tile.reduce max
func.func @squared(%s: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = gnn_tile.traverse @g <dst, edge.in_rows, features = 1>
      ins(%s : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%z : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%score: f32):
    // expected-remark @+1 {{an element needs the highest score for more}}
    %highest = gnn_tile.reduce max [element] %score : f32
    %d = arith.subf %score, %highest : f32
    %e = math.exp %d : f32
    %ee = arith.mulf %e, %e : f32
    %sum = gnn_tile.reduce sum [element] %ee : f32
    gnn_tile.yield %sum : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @twice(
// CHECK:         gnn_tile.reduce max
func.func @twice(%s: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = gnn_tile.traverse @g <dst, edge.in_rows, features = 1>
      ins(%s : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%z : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%score: f32):
    // expected-remark @+1 {{an element is weighed by what follows from its softmax}}
    %highest = gnn_tile.reduce max [element] %score : f32
    %d = arith.subf %score, %highest : f32
    %e = math.exp %d : f32
    %sum = gnn_tile.reduce sum [element] %e : f32
    %other = arith.addf %sum, %score : f32
    %w = arith.mulf %e, %other : f32
    %total = gnn_tile.reduce sum [element] %w : f32
    gnn_tile.yield %total : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @another(
// CHECK:         gnn_tile.reduce max
func.func @another(%s: tensor<?xf32>, %z: tensor<?xf32>, %v: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r:2 = gnn_tile.traverse @g <dst, edge.in_rows, features = 1>
      ins(%s : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%z, %v : tensor<?xf32>, tensor<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<group>] {
  ^bb0(%score: f32):
    // expected-remark @+1 {{its elements are walked as often for something else}}
    %highest = gnn_tile.reduce max [element] %score : f32
    %d = arith.subf %score, %highest : f32
    %e = math.exp %d : f32
    %sum = gnn_tile.reduce sum [element] %e : f32
    %mean = gnn_tile.reduce mean [element] %score : f32
    %far = arith.subf %score, %mean : f32
    %square = arith.mulf %far, %far : f32
    %variance = gnn_tile.reduce sum [element] %square : f32
    gnn_tile.yield %sum, %variance : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @scheduled(
// CHECK:         gnn_tile.reduce max
func.func @scheduled(%s: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = gnn_tile.traverse @g <dst, edge.in_rows, features = 1>
      ins(%s : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%z : tensor<?xf32>) at [#gnn_tile.at<group>] schedule <in_flight = 2> {
  ^bb0(%score: f32):
    // expected-remark @+1 {{it has a schedule}}
    %highest = gnn_tile.reduce max [element] %score : f32
    %d = arith.subf %score, %highest : f32
    %e = math.exp %d : f32
    %sum = gnn_tile.reduce sum [element] %e : f32
    gnn_tile.yield %sum : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
