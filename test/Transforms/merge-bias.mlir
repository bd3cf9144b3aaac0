// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(gnn-merge-bias),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-merge-bias' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#dst_pair = #gnn.rows<@g, dst_pair>
gnn.graph @g square {node_types = 1, edge_types = 3}

// A repeated weight that is added to a product is its bias.
//
// CHECK-LABEL: func.func @bias
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32{{.*}}>, %[[W:[^:]+]]: tensor<64x8xf32>, %[[B:[^:]+]]: tensor<8xf32>
// CHECK:         %[[Y:.+]] = gnn.linear %[[X]], %[[W]] bias %[[B]]
// CHECK:         return %[[Y]]
func.func @bias(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.broadcast %b : tensor<8xf32> -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{the product adds it as its bias, which saves a walk over rows of 8 features}}
  %2 = arith.addf %0, %1 : tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}

// Negative: the product without the bias is read, too.
//
// CHECK-LABEL: func.func @bias_read
// CHECK:         arith.addf
func.func @bias_read(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %b: tensor<8xf32>) -> (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) {
  %0 = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.broadcast %b : tensor<8xf32> -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{the product is read 2 times, expected once}}
  %2 = arith.addf %0, %1 : tensor<?x8xf32, #node>
  return %0, %2 : tensor<?x8xf32, #node>, tensor<?x8xf32, #node>
}

// Negative: there is a bias.
//
// CHECK-LABEL: func.func @second_bias
// CHECK:         arith.addf
func.func @second_bias(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.linear %x, %w bias %c : (tensor<?x64xf32, #node>, tensor<64x8xf32>, tensor<8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.broadcast %b : tensor<8xf32> -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{the product has a bias already}}
  %2 = arith.addf %0, %1 : tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}

// -----

#src_pair = #gnn.rows<@g, src_pair>
#edge_type = #gnn.rows<@g, edge_type>
gnn.graph @g square {node_types = 1, edge_types = 3}

// A bias that is added after the product is split into heads.
//
// CHECK-LABEL: func.func @bias_in_heads
// CHECK-SAME:    %[[X:[^:]+]]: {{[^%]+}}, %[[W:[^:]+]]: {{[^%]+}}, %[[B:[^:]+]]:
// CHECK:         %[[F:.+]] = gnn.reshape %[[B]] : tensor<3x2x4xf32, {{.+}}> -> tensor<3x8xf32,
// CHECK:         %[[Y:.+]] = gnn.typed_linear %[[X]], %[[W]] bias %[[F]]
// CHECK:         %[[Z:.+]] = gnn.reshape %[[Y]]
// CHECK:         return %[[Z]]
func.func @bias_in_heads(%x: tensor<?x64xf32, #src_pair>, %w: tensor<3x64x8xf32, #edge_type>, %b: tensor<3x2x4xf32, #edge_type>) -> tensor<?x2x4xf32, #src_pair> {
  %0 = gnn.typed_linear %x, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %1 = gnn.reshape %0 : tensor<?x8xf32, #src_pair> -> tensor<?x2x4xf32, #src_pair>
  %2 = gnn.gather %b : tensor<3x2x4xf32, #edge_type> -> tensor<?x2x4xf32, #src_pair>
  // expected-remark @+1 {{the product adds it as its bias, which saves a walk over rows of 8 features}}
  %3 = arith.addf %1, %2 : tensor<?x2x4xf32, #src_pair>
  return %3 : tensor<?x2x4xf32, #src_pair>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

// So is one that has no rows.
//
// CHECK-LABEL: func.func @weight_in_heads
// CHECK-SAME:    %[[X:[^:]+]]: {{[^%]+}}, %[[W:[^:]+]]: {{[^%]+}}, %[[B:[^:]+]]:
// CHECK:         %[[F:.+]] = gnn.reshape %[[B]] : tensor<2x4xf32> -> tensor<8xf32>
// CHECK:         gnn.linear %[[X]], %[[W]] bias %[[F]]
func.func @weight_in_heads(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %b: tensor<2x4xf32>) -> tensor<?x2x4xf32, #node> {
  %0 = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.reshape %0 : tensor<?x8xf32, #node> -> tensor<?x2x4xf32, #node>
  %2 = gnn.broadcast %b : tensor<2x4xf32> -> tensor<?x2x4xf32, #node>
  // expected-remark @+1 {{the product adds it as its bias, which saves a walk over rows of 8 features}}
  %3 = arith.addf %1, %2 : tensor<?x2x4xf32, #node>
  return %3 : tensor<?x2x4xf32, #node>
}
