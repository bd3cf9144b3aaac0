// RUN: gnn-opt %s --gnn-tile-separate-results --verify-diagnostics \
// RUN:   --remarks-filter='gnn-tile-separate-results' --remark-format=emitRemark \
// RUN:   | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-separate-results --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   | FileCheck %s --check-prefix=BUFFERS

gnn.graph @g square {node_types = 2, edge_types = 3}

// One tensor as two results is computed twice, into two buffers.
//
// CHECK-LABEL: func.func @twice
// CHECK:         %[[Y:.+]] = gnn_tile.traverse
// CHECK:         %[[Z:.+]] = gnn_tile.traverse
// CHECK:         return %[[Y]], %[[Z]]
//
// BUFFERS-LABEL: func.func @twice
// BUFFERS-DAG:     gnn_tile.traverse {{.+}} outs(%[[Y:.+]] :
// BUFFERS-DAG:     gnn_tile.traverse {{.+}} outs(%[[Z:.+]] :
// BUFFERS-NOT:     memref.copy
// BUFFERS:         return %[[Y]], %[[Z]]
func.func @twice(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%e : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %p = math.exp %v : f32
    gnn_tile.yield %p : f32
  } -> tensor<?xf32>
  // expected-remark @+1 {{a result that is another one too is computed once more}}
  return %y, %y : tensor<?xf32>, tensor<?xf32>
}

// So is a reshaped form of another result.
//
// CHECK-LABEL: func.func @reshaped
// CHECK:         %[[Y:.+]] = gnn_tile.gemm
// CHECK:         %[[Z:.+]] = gnn_tile.gemm
// CHECK:         %[[R:.+]] = tensor.collapse_shape %[[Z]]
// CHECK:         return %[[Y]], %[[R]]
func.func @reshaped(%x: tensor<4x2xf32>, %w: tensor<2x8xf32>) -> (tensor<4x8xf32>, tensor<32xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = gnn_tile.gemm @g rows 4 ins(%x, %w : tensor<4x2xf32>, tensor<2x8xf32>)
      at <group : feature> extras at [] outs(%e : tensor<4x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<4x8xf32>
  %r = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  // expected-remark @+1 {{a result that is another one too is computed once more}}
  return %y, %r : tensor<4x8xf32>, tensor<32xf32>
}

// Results of their own stay, and so does what no template makes.
//
// CHECK-LABEL: func.func @separate
// CHECK-COUNT-2: gnn_tile.traverse
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return
func.func @separate(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%e : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %z = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%e : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %y, %z, %x, %x : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Two concatenations that begin alike start in a tensor each.
//
// CHECK-LABEL: func.func @begin_alike
// CHECK:         %[[A:.+]] = gnn_tile.traverse {{.+}} outs(%{{.+}} : tensor<?x2xf32>) at [#gnn_tile.at<group : feature>]
// CHECK:         %[[B:.+]] = gnn_tile.traverse {{.+}} outs(%{{.+}} : tensor<?x2xf32>) at [#gnn_tile.at<group : feature>]
// CHECK:         gnn_tile.traverse {{.+}} outs(%[[B]] : tensor<?x2xf32>) at [#gnn_tile.at<group : feature + 1>]
// CHECK:         gnn_tile.traverse {{.+}} outs(%[[A]] : tensor<?x2xf32>) at [#gnn_tile.at<group : feature + 1>]
//
// BUFFERS-LABEL: func.func @begin_alike
// BUFFERS-NOT:     memref.copy
func.func @begin_alike(%x: tensor<?x1xf32>, %y: tensor<?x1xf32>, %n: index) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %a = gnn_tile.traverse @g <dst> ins(%x : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x2xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x2xf32>
  // expected-remark @+1 {{a tensor that others need is computed once more to go on with}}
  %xx = gnn_tile.traverse @g <dst> ins(%x : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : tensor<?x2xf32>) at [#gnn_tile.at<group : feature + 1>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x2xf32>
  %xy = gnn_tile.traverse @g <dst> ins(%y : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : tensor<?x2xf32>) at [#gnn_tile.at<group : feature + 1>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x2xf32>
  return %xx, %xy : tensor<?x2xf32>, tensor<?x2xf32>
}

// A concatenation that is two results is made twice as a whole.
//
// BUFFERS-LABEL: func.func @concatenation_twice
// BUFFERS-NOT:     memref.copy
func.func @concatenation_twice(%x: tensor<?x1xf32>, %n: index) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %a = gnn_tile.traverse @g <dst> ins(%x : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x2xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x2xf32>
  %xx = gnn_tile.traverse @g <dst> ins(%x : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : tensor<?x2xf32>) at [#gnn_tile.at<group : feature + 1>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x2xf32>
  // expected-remark @+1 {{a result that is another one too is computed once more}}
  return %xx, %xx : tensor<?x2xf32>, tensor<?x2xf32>
}

// A template that is computed again reads nothing later than before: here another
// goes on with %b in between.
//
// BUFFERS-LABEL: func.func @read_in_between
// BUFFERS-NOT:     memref.copy
func.func @read_in_between(%x: tensor<?x1xf32>, %y: tensor<?x1xf32>, %n: index) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x2xf32>) {
  %eb = tensor.empty(%n) : tensor<?x2xf32>
  %b = gnn_tile.traverse @g <dst> ins(%x : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%eb : tensor<?x2xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %a = gnn_tile.traverse @g <dst> ins(%b : tensor<?x2xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  %c = gnn_tile.traverse @g <dst> ins(%y : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%b : tensor<?x2xf32>) at [#gnn_tile.at<group : feature + 1>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x2xf32>
  // expected-remark @+1 {{a tensor that others need is computed once more to go on with}}
  %xx = gnn_tile.traverse @g <dst> ins(%x : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : tensor<?x4xf32>) at [#gnn_tile.at<group : feature + 2>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  %xy = gnn_tile.traverse @g <dst> ins(%y : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : tensor<?x4xf32>) at [#gnn_tile.at<group : feature + 2>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  return %xx, %xy, %c : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x2xf32>
}

// BUFFERS-LABEL: func.func @reads_what_it_goes_on_with
// BUFFERS-NOT:     memref.copy
func.func @reads_what_it_goes_on_with(%x: tensor<?x1xf32>, %n: index) -> tensor<?x2xf32> {
  %eb = tensor.empty(%n) : tensor<?x2xf32>
  %b = gnn_tile.traverse @g <dst> ins(%x : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%eb : tensor<?x2xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x2xf32>
  // expected-remark @+1 {{a tensor that others need is computed once more to go on with}}
  %c = gnn_tile.traverse @g <dst> ins(%b : tensor<?x2xf32>) at [#gnn_tile.at<group : feature>]
      outs(%b : tensor<?x2xf32>) at [#gnn_tile.at<group : feature + 1>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x2xf32>
  return %c : tensor<?x2xf32>
}

// The result of a traversal with several that others need is computed again alone;
// another of them, returned in another shape, is written where it is returned.
//
// CHECK-LABEL: func.func @one_of_several
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<?x2xf32>
// CHECK:         %[[A:.+]]:2 = gnn_tile.traverse
// CHECK:         %[[B:.+]] = gnn_tile.traverse @g <dst, features = 2> ins(%[[X]] : tensor<?x2xf32>)
// CHECK-SAME:      outs(%{{.+}} : tensor<?x2xf32>) at [#gnn_tile.at<group : feature>] {
// CHECK:           %[[E:.+]] = math.exp
// CHECK-NEXT:      gnn_tile.yield %[[E]] : f32
// CHECK:         gnn_tile.traverse {{.+}} outs(%[[B]] : tensor<?x2xf32>) at [#gnn_tile.at<group : feature + 1>]
// CHECK:         gnn_tile.traverse {{.+}} outs(%[[A]]#0 : tensor<?x2xf32>) at [#gnn_tile.at<group : feature + 1>]
//
// BUFFERS-LABEL: func.func @one_of_several
// BUFFERS:         %[[R:.+]] = memref.alloc({{.+}}) {{.*}}: memref<?x2x1xf32>
// BUFFERS:         %[[C:.+]] = memref.collapse_shape %[[R]]
// BUFFERS:         gnn_tile.traverse {{.+}} outs(%{{.+}}, %[[C]] : memref<?x2xf32>, memref<?x2xf32>)
// BUFFERS-NOT:     memref.copy
func.func @one_of_several(%x: tensor<?x2xf32>, %z: tensor<?x1xf32>, %y: tensor<?x2xf32>, %n: index) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x1xf32>) {
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %r = bufferization.alloc_tensor(%n) : tensor<?x2x1xf32>
  %c = tensor.collapse_shape %r [[0], [1, 2]] : tensor<?x2x1xf32> into tensor<?x2xf32>
  %a:2 = gnn_tile.traverse @g <dst, features = 2> ins(%x, %y : tensor<?x2xf32>, tensor<?x2xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%e, %c : tensor<?x2xf32>, tensor<?x2xf32>) at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %w: f32):
    %p = math.exp %v : f32
    %q = math.log %w : f32
    gnn_tile.yield %p, %q : f32, f32
  } -> tensor<?x2xf32>, tensor<?x2xf32>
  // expected-remark @+1 {{a tensor that others need is computed once more to go on with}}
  %xx = gnn_tile.traverse @g <dst> ins(%z : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a#0 : tensor<?x2xf32>) at [#gnn_tile.at<group : feature + 1>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x2xf32>
  %xy = gnn_tile.traverse @g <dst> ins(%z : tensor<?x1xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a#0 : tensor<?x2xf32>) at [#gnn_tile.at<group : feature + 1>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x2xf32>
  %s = tensor.expand_shape %a#1 [[0], [1, 2]] output_shape [%n, 2, 1] : tensor<?x2xf32> into tensor<?x2x1xf32>
  return %xx, %xy, %s : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x1xf32>
}

// The end of the file, up to which no copy is made.
//
// BUFFERS-LABEL: func.func @nothing
func.func @nothing() {
  return
}
