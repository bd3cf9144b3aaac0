// RUN: gnn-opt %s --gnn-tile-write-in-place --verify-diagnostics \
// RUN:   --remarks-filter='gnn-tile-write-in-place' --remark-format=emitRemark \
// RUN:   | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-write-in-place --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --buffer-results-to-out-params="hoist-dynamic-allocs hoist-static-allocs modify-public-functions" \
// RUN:   | FileCheck %s --check-prefix=BUFFERS

gnn.graph @g square {node_types = 2, edge_types = 3}

// The product of a gradient and a weight moves behind what reads the gradient.
//
// CHECK-LABEL: func.func @product
// CHECK:         %[[G:.+]] = gnn_tile.traverse
// CHECK:         gnn_tile.outer
// CHECK:         %[[P:.+]] = gnn_tile.gemm {{.+}} ins(%[[G]], {{.+}} outs(%[[G]] :
// CHECK:         gnn_tile.traverse {{.+}} ins(%[[P]] :
//
// BUFFERS-LABEL: func.func @product
// BUFFERS:         %[[G:.+]] = memref.alloc
// BUFFERS-NOT:     memref.alloc
// BUFFERS-NOT:     memref.copy
// BUFFERS:         gnn_tile.gemm {{.+}} ins(%[[G]], {{.+}} outs(%[[G]] :
func.func @product(%x: tensor<?x8xf32>, %dy: tensor<?x8xf32>, %w: tensor<3x8x8xf32>, %n: index, %nodes: index)
    -> (tensor<?x8xf32>, tensor<3x8x8xf32>) {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %g = gnn_tile.traverse @g <src_pair, edge.src_pairs, features = 8>
      ins(%dy : tensor<?x8xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%e : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  // expected-remark @+1 {{writes over input 0, which nothing reads later: it moved behind what else reads it}}
  %p = gnn_tile.gemm @g rows src_pair types edge_type transposed
      ins(%g, %w : tensor<?x8xf32>, tensor<3x8x8xf32>) at <group : feature>
      extras at [] outs(%e : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %f = tensor.empty() : tensor<3x8x8xf32>
  %dw = gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %g : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%f : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %h = tensor.empty(%nodes) : tensor<?x8xf32>
  %dx = gnn_tile.traverse @g <src, src_pair.by_node, features = 8>
      ins(%p : tensor<?x8xf32>) at [#gnn_tile.at<element -> src_pair : feature>]
      outs(%h : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %dx, %dw : tensor<?x8xf32>, tensor<3x8x8xf32>
}

// The operand that a product, or a sum, is added to is where the result will
// be: in the caller's buffer, reshaped forms of it too.
//
// CHECK-LABEL: func.func @added
// CHECK:         %[[S:.+]] = gnn_tile.traverse
// CHECK:         %[[P:.+]] = gnn_tile.gemm {{.+}} extras(%[[S]] : {{.+}} outs(%[[S]] :
// CHECK:         %[[H:.+]] = tensor.expand_shape %[[P]]
// CHECK:         %[[Q:.+]] = gnn_tile.traverse {{.+}} ins({{.+}}, %[[H]] : {{.+}} outs(%[[H]] :
// CHECK:         return %[[Q]]
//
// BUFFERS-LABEL: func.func @added
// BUFFERS-SAME:    %[[OUT:[a-z0-9]+]]: memref<?x1x8xf32>
// BUFFERS-NOT:     memref.alloc
// BUFFERS-NOT:     memref.copy
// BUFFERS:         return
func.func @added(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %n: index) -> tensor<?x1x8xf32> {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %a = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%e : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  // expected-remark @+1 {{writes over input 2, which nothing reads later}}
  %p = gnn_tile.gemm @g rows dst
      ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>) at <group : feature>
      extras(%a : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32, %v: f32):
    %t = arith.addf %acc, %v : f32
    gnn_tile.yield %t : f32
  } -> tensor<?x8xf32>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [%n, 1, 8] : tensor<?x8xf32> into tensor<?x1x8xf32>
  %k = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 1, 8] : tensor<?x8xf32> into tensor<?x1x8xf32>
  %f = tensor.empty(%n) : tensor<?x1x8xf32>
  // expected-remark @+1 {{writes over input 1, which nothing reads later}}
  %q = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%k, %h : tensor<?x1x8xf32>, tensor<?x1x8xf32>)
      at [#gnn_tile.at<element -> src : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%f : tensor<?x1x8xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32, %u: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    %t = arith.addf %s, %u : f32
    gnn_tile.yield %t : f32
  } -> tensor<?x1x8xf32>
  return %q : tensor<?x1x8xf32>
}

// Arguments, results and what is read later stay; so does what the template
// itself reads at other rows.
//
// CHECK-LABEL: func.func @kept
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8xf32>, %[[W:[a-z0-9]+]]: tensor<8x8xf32>
// CHECK-COUNT-5: tensor.empty
// CHECK:         return
func.func @kept(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %n: index)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %e0 = tensor.empty(%n) : tensor<?x8xf32>
  // An argument.
  %a = gnn_tile.gemm @g rows dst ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%e0 : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  // A result of the function.
  // expected-remark @+1 {{does not write over input 0: it is a result of the function}}
  %b = gnn_tile.gemm @g rows dst ins(%a, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%e0 : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  // Rows of it are read at elements too.
  // expected-remark @+1 {{does not write over input 1: it is input 0 as well, which may be read at other rows}}
  %c = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%b, %b : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%e0 : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %u: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    %t = arith.addf %s, %u : f32
    gnn_tile.yield %t : f32
  } -> tensor<?x8xf32>
  // Its result is read before the last to read its input.
  // expected-remark @+1 {{does not write over input 0: it is read later, and what reads the result comes before}}
  %d = gnn_tile.gemm @g rows dst ins(%b, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%e0 : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %f = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%d, %b : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> src : feature>]
      outs(%e0 : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %u: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    %r = gnn_tile.reduce sum [element] %u : f32
    %t = arith.addf %s, %r : f32
    gnn_tile.yield %t : f32
  } -> tensor<?x8xf32>
  return %a, %c, %f : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// Another template goes on with the tensor that the first made.
//
// CHECK-LABEL: func.func @taken
// CHECK:         %[[A:.+]] = gnn_tile.gemm
// CHECK:         gnn_tile.gemm {{.+}} ins(%[[A]], {{.+}} outs(%{{e.+|[0-9]+}} :
// CHECK:         gnn_tile.gemm {{.+}} outs(%[[A]] :
func.func @taken(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %n: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %e0 = tensor.empty(%n) : tensor<?x8xf32>
  %a = gnn_tile.gemm @g rows dst ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%e0 : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %e1 = tensor.empty(%n) : tensor<?x8xf32>
  // expected-remark @+1 {{does not write over input 0: another template goes on with it}}
  %b = gnn_tile.gemm @g rows dst ins(%a, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%e1 : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %c = gnn_tile.gemm @g rows dst ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%a : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %b, %c : tensor<?x8xf32>, tensor<?x8xf32>
}

// A product of more columns than a block computes; extras of other rows.
//
// CHECK-LABEL: func.func @wide
// CHECK-COUNT-3: tensor.empty
// CHECK:         return
func.func @wide(%x: tensor<?x80xf32>, %w: tensor<80x80xf32>, %n: index, %edges: index) -> tensor<?x80xf32> {
  %e = tensor.empty(%n) : tensor<?x80xf32>
  %a = gnn_tile.gemm @g rows dst ins(%x, %w : tensor<?x80xf32>, tensor<80x80xf32>)
      at <group : feature> extras at [] outs(%e : tensor<?x80xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x80xf32>
  %b = gnn_tile.gemm @g rows dst ins(%a, %w : tensor<?x80xf32>, tensor<80x80xf32>)
      at <group : feature> extras at [] outs(%e : tensor<?x80xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x80xf32>
  %f = tensor.empty(%edges) : tensor<?x80xf32>
  %c = gnn_tile.gemm @g rows edge ins(%x, %w : tensor<?x80xf32>, tensor<80x80xf32>)
      at <group -> src : feature> extras(%b : tensor<?x80xf32>) at [#gnn_tile.at<group -> dst : feature>]
      outs(%f : tensor<?x80xf32>) at <group : feature> {
  ^bb0(%acc: f32, %v: f32):
    %t = arith.addf %acc, %v : f32
    gnn_tile.yield %t : f32
  } -> tensor<?x80xf32>
  return %c : tensor<?x80xf32>
}

// The first rows of a longer tensor. (A square graph has as many sources as
// destinations; another graph need not.)
//
// CHECK-LABEL: func.func @first_rows
// CHECK:         gnn_tile.gemm {{.+}} outs(%[[E:[0-9]+]] :
// CHECK-NOT:     outs(%[[E]] :
// CHECK:         return
gnn.graph @b bipartite {node_types = 1, edge_types = 1}
func.func @first_rows(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %m = gnn_tile.count @b count src : index
  %d = tensor.empty(%m) : tensor<?x8xf32>
  %a = gnn_tile.gemm @b rows src ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%d : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %n = gnn_tile.count @b count dst : index
  %e = tensor.empty(%n) : tensor<?x8xf32>
  // expected-remark @+1 {{does not write over input 0: it may have more rows than the result}}
  %b = gnn_tile.gemm @b rows dst ins(%a, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%e : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %b : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @all_rows
// CHECK:         %[[A:.+]] = gnn_tile.gemm
// CHECK:         gnn_tile.gemm {{.+}} outs(%[[A]] :
func.func @all_rows(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %m = gnn_tile.count @g count src : index
  %d = tensor.empty(%m) : tensor<?x8xf32>
  %a = gnn_tile.gemm @g rows src ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%d : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %n = gnn_tile.count @g count dst : index
  %e = tensor.empty(%n) : tensor<?x8xf32>
  // expected-remark @+1 {{writes over input 0, which nothing reads later}}
  %b = gnn_tile.gemm @g rows dst ins(%a, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%e : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %b : tensor<?x8xf32>
}

// Lanes that go through other elements read the row for them, maybe later.
//
// CHECK-LABEL: func.func @elements
// CHECK:         gnn_tile.traverse {{.+}} outs(%[[E:[0-9]+]], %{{.+}} : tensor<?x8xf32>, tensor<?x8xf32>)
// CHECK:         return
func.func @elements(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %n = gnn_tile.count @g count dst : index
  %m = gnn_tile.count @g count edge : index
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %a = gnn_tile.gemm @g rows dst ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%e : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %f = tensor.empty(%m) : tensor<?x8xf32>
  %b, %c = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%a : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e, %f : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<element -> edge : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v, %v : f32, f32
  } -> tensor<?x8xf32>, tensor<?x8xf32>
  return %b, %c : tensor<?x8xf32>, tensor<?x8xf32>
}

// A schedule that is given stays.
//
// CHECK-LABEL: func.func @narrow
// CHECK:         %[[A:.+]] = gnn_tile.gemm
// CHECK-NOT:     outs(%[[A]] :
// CHECK:         schedule <n = 16>
func.func @narrow(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %n = gnn_tile.count @g count dst : index
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %a = gnn_tile.gemm @g rows dst ins(%x, %w : tensor<?x64xf32>, tensor<64x64xf32>)
      at <group : feature> extras at [] outs(%e : tensor<?x64xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x64xf32>
  %b = gnn_tile.gemm @g rows dst ins(%a, %w : tensor<?x64xf32>, tensor<64x64xf32>)
      at <group : feature> extras at [] outs(%e : tensor<?x64xf32>) at <group : feature> schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x64xf32>
  return %b : tensor<?x64xf32>
}
