// RUN: gnn-opt %s --convert-gnn-to-gnn-overlay --split-input-file | FileCheck %s

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @product
// CHECK-SAME:    %[[X:.+]]: tensor<?x16xf32, #node>, %[[W:.+]]: tensor<16x4xf32>
// CHECK-NEXT:    %[[Y:.+]] = gnn_overlay.linear %[[X]], %[[W]] :
// CHECK-NEXT:    return %[[Y]]
func.func @product(%x: tensor<?x16xf32, #node>, %w: tensor<16x4xf32>) -> tensor<?x4xf32, #node> {
  %y = gnn.linear %x, %w : (tensor<?x16xf32, #node>, tensor<16x4xf32>) -> tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32, #node>
}

// CHECK-LABEL: func.func @bias
// CHECK:         gnn_overlay.linear %{{.+}}, %{{.+}} bias %arg2 :
func.func @bias(%x: tensor<?x16xf32, #node>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32, #node> {
  %y = gnn.linear %x, %w bias %b : (tensor<?x16xf32, #node>, tensor<16x4xf32>, tensor<4xf32>) -> tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32, #node>
}

// A transposed weight is one that is written transposed.
//
// CHECK-LABEL: func.func @transposed
// CHECK-SAME:    %[[X:.+]]: tensor<?x16xf32, #node>, %[[W:.+]]: tensor<4x16xf32>
// CHECK-NEXT:    %[[T:.+]] = gnn_overlay.assemble %[[W]] blocks [0, 0, 0, 0, 16, 4] transposed [true] ones []
// CHECK-NEXT:    gnn_overlay.linear %[[X]], %[[T]] :
// CHECK-NOT:     gnn.weight_transpose
func.func @transposed(%x: tensor<?x16xf32, #node>, %w: tensor<4x16xf32>) -> tensor<?x4xf32, #node> {
  %t = gnn.weight_transpose %w : (tensor<4x16xf32>) -> tensor<16x4xf32>
  %y = gnn.linear %x, %t : (tensor<?x16xf32, #node>, tensor<16x4xf32>) -> tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32, #node>
}

// What is computed of weights alone stays, for what is computed before.
//
// CHECK-LABEL: func.func @computed_weight
// CHECK:         %[[W:.+]] = arith.mulf
// CHECK:         gnn_overlay.linear %{{.+}}, %[[W]] :
func.func @computed_weight(%x: tensor<?x16xf32, #node>, %w: tensor<16x4xf32>) -> tensor<?x4xf32, #node> {
  %s = arith.mulf %w, %w : tensor<16x4xf32>
  %y = gnn.linear %x, %s : (tensor<?x16xf32, #node>, tensor<16x4xf32>) -> tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32, #node>
}

// One weight for all heads is a block of each; a bias of each head is flat.
//
// CHECK-LABEL: func.func @heads
// CHECK:         %[[X:.+]] = gnn.reshape %arg0 : tensor<?x2x16xf32, {{.+}}> -> tensor<?x32xf32, {{.+}}>
// CHECK:         %[[W:.+]] = gnn_overlay.assemble %arg1, %arg1 blocks [0, 0, 0, 0, 16, 4, 0, 0, 16, 4, 16, 4] transposed [false, false] ones [] : {{.+}} -> tensor<32x8xf32>
// CHECK:         %[[B:.+]] = gnn.reshape %arg2 : tensor<2x4xf32> -> tensor<8xf32>
// CHECK:         %[[Y:.+]] = gnn_overlay.linear %[[X]], %[[W]] bias %[[B]] :
// CHECK:         gnn.reshape %[[Y]] : tensor<?x8xf32, {{.+}}> -> tensor<?x2x4xf32, {{.+}}>
func.func @heads(%x: tensor<?x2x16xf32, #node>, %w: tensor<16x4xf32>, %b: tensor<2x4xf32>) -> tensor<?x2x4xf32, #node> {
  %y = gnn.linear %x, %w bias %b : (tensor<?x2x16xf32, #node>, tensor<16x4xf32>, tensor<2x4xf32>) -> tensor<?x2x4xf32, #node>
  return %y : tensor<?x2x4xf32, #node>
}

// A number of each row is a product with one column; with heads one column each.
//
// CHECK-LABEL: func.func @dots
// CHECK:         %[[W:.+]] = gnn_overlay.assemble %arg1, %arg1 blocks [0, 0, 0, 0, 16, 1, 0, 1, 16, 1, 16, 1] transposed [true, true] ones [] : {{.+}} -> tensor<32x2xf32>
// CHECK:         gnn_overlay.linear %{{.+}}, %[[W]] : tensor<?x32xf32, {{.+}}>, tensor<32x2xf32> -> tensor<?x2xf32,
func.func @dots(%x: tensor<?x2x16xf32, #node>, %a: tensor<2x16xf32>) -> tensor<?x2xf32, #node> {
  %y = gnn.dot %x, %a : (tensor<?x2x16xf32, #node>, tensor<2x16xf32>) -> tensor<?x2xf32, #node>
  return %y : tensor<?x2xf32, #node>
}

// CHECK-LABEL: func.func @dot
// CHECK:         %[[W:.+]] = gnn_overlay.assemble %arg1 blocks [0, 0, 0, 0, 16, 1] transposed [true] ones [] : (tensor<16xf32>) -> tensor<16x1xf32>
// CHECK:         %[[Y:.+]] = gnn_overlay.linear %arg0, %[[W]] : {{.+}} -> tensor<?x1xf32,
// CHECK:         gnn.reshape %[[Y]] : tensor<?x1xf32, {{.+}}> -> tensor<?xf32,
func.func @dot(%x: tensor<?x16xf32, #node>, %a: tensor<16xf32>) -> tensor<?xf32, #node> {
  %y = gnn.dot %x, %a : (tensor<?x16xf32, #node>, tensor<16xf32>) -> tensor<?xf32, #node>
  return %y : tensor<?xf32, #node>
}

// A program of layers stays as it is, and ops that it reads become layers.
//
// CHECK-LABEL: func.func @some_layers
// CHECK-NEXT:    %[[Y:.+]] = gnn_overlay.linear %arg0, %arg1 :
// CHECK-NEXT:    %[[Z:.+]] = gnn_overlay.linear %[[Y]], %arg1 :
// CHECK-NEXT:    return %[[Z]]
func.func @some_layers(%x: tensor<?x16xf32, #node>, %w: tensor<16x16xf32>) -> tensor<?x16xf32, #node> {
  %y = gnn.linear %x, %w : (tensor<?x16xf32, #node>, tensor<16x16xf32>) -> tensor<?x16xf32, #node>
  %z = gnn_overlay.linear %y, %w : tensor<?x16xf32, #node>, tensor<16x16xf32> -> tensor<?x16xf32, #node>
  return %z : tensor<?x16xf32, #node>
}

// A function of weights alone has nothing for the overlay to do.
//
// CHECK-LABEL: func.func @of_weights
// CHECK-NEXT:    arith.mulf
func.func @of_weights(%w: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %s = arith.mulf %w, %w : tensor<16x4xf32>
  return %s : tensor<16x4xf32>
}
