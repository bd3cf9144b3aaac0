// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(gnn-linear-reorder),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-linear-reorder' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

// Two products in a row: the weights meet first.
//
// CHECK-LABEL: func.func @linear_linear
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32{{.*}}>, %[[A:[^:]+]]: tensor<64x32xf32>, %[[B:[^:]+]]: tensor<32x16xf32>
// CHECK:         %[[W:.+]] = gnn.weight_product %[[A]], %[[B]]
// CHECK:         %[[Y:.+]] = gnn.linear %[[X]], %[[W]]
// CHECK:         return %[[Y]]
func.func @linear_linear(%x: tensor<?x64xf32, #node>, %a: tensor<64x32xf32>, %b: tensor<32x16xf32>) -> tensor<?x16xf32, #node> {
  %h = gnn.linear %x, %a : (tensor<?x64xf32, #node>, tensor<64x32xf32>) -> tensor<?x32xf32, #node>
  // expected-remark @+1 {{the weights are multiplied first: 0 flops an edge, 0 a pair and 2048 a node instead of 0 flops an edge, 0 a pair and 5120 a node}}
  %y = gnn.linear %h, %b : (tensor<?x32xf32, #node>, tensor<32x16xf32>) -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}

// Negative: through the narrow middle it is fewer flops.
//
// CHECK-LABEL: func.func @narrow
// CHECK-NOT:     gnn.weight_product
func.func @narrow(%x: tensor<?x64xf32, #node>, %a: tensor<64x4xf32>, %b: tensor<4x64xf32>) -> tensor<?x64xf32, #node> {
  %h = gnn.linear %x, %a : (tensor<?x64xf32, #node>, tensor<64x4xf32>) -> tensor<?x4xf32, #node>
  // expected-remark @+1 {{the product of the weights first would take 0 flops an edge, 0 a pair and 8192 a node instead of 0 flops an edge, 0 a pair and 1024 a node}}
  %y = gnn.linear %h, %b : (tensor<?x4xf32, #node>, tensor<4x64xf32>) -> tensor<?x64xf32, #node>
  return %y : tensor<?x64xf32, #node>
}

// Negative: what lies between is not linear.
//
// CHECK-LABEL: func.func @nonlinear
// CHECK-NOT:     gnn.weight_product
func.func @nonlinear(%x: tensor<?x64xf32, #node>, %a: tensor<64x32xf32>, %b: tensor<32x16xf32>) -> tensor<?x16xf32, #node> {
  %h = gnn.linear %x, %a : (tensor<?x64xf32, #node>, tensor<64x32xf32>) -> tensor<?x32xf32, #node>
  %r = gnn.activation relu %h : tensor<?x32xf32, #node>
  %y = gnn.linear %r, %b : (tensor<?x32xf32, #node>, tensor<32x16xf32>) -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}

// The first bias goes through the second weight, once a call.
//
// CHECK-LABEL: func.func @bias
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32{{.*}}>, %[[A:[^:]+]]: tensor<64x32xf32>, %[[C:[^:]+]]: tensor<32xf32>, %[[B:[^:]+]]: tensor<32x16xf32>, %[[D:[^:]+]]: tensor<16xf32>
// CHECK-DAG:     %[[W:.+]] = gnn.weight_product %[[A]], %[[B]]
// CHECK-DAG:     %[[ROW:.+]] = gnn.reshape %[[C]] : tensor<32xf32> -> tensor<1x32xf32>
// CHECK-DAG:     %[[P:.+]] = gnn.weight_product %[[ROW]], %[[B]]
// CHECK-DAG:     gnn.linear %[[X]], %[[W]] :
func.func @bias(%x: tensor<?x64xf32, #node>, %a: tensor<64x32xf32>, %c: tensor<32xf32>, %b: tensor<32x16xf32>, %d: tensor<16xf32>) -> tensor<?x16xf32, #node> {
  %h = gnn.linear %x, %a bias %c : (tensor<?x64xf32, #node>, tensor<64x32xf32>, tensor<32xf32>) -> tensor<?x32xf32, #node>
  // expected-remark @+1 {{the weights are multiplied first}}
  %y = gnn.linear %h, %b bias %d : (tensor<?x32xf32, #node>, tensor<32x16xf32>, tensor<16xf32>) -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}

// A sum over rows commutes with both.
//
// CHECK-LABEL: func.func @aggregate
// CHECK:         %[[W:.+]] = gnn.weight_product
// CHECK:         %[[H:.+]] = gnn.linear %{{.+}}, %[[W]]
// CHECK:         %[[Y:.+]] = gnn.aggregate sum %{{.+}} via dst : tensor<?x16xf32, #{{.+}}> -> tensor<?x16xf32
// CHECK:         return %[[Y]]
func.func @aggregate(%x: tensor<?x64xf32, #node>, %a: tensor<64x32xf32>, %b: tensor<32x16xf32>) -> tensor<?x16xf32, #node> {
  %h = gnn.linear %x, %a : (tensor<?x64xf32, #node>, tensor<64x32xf32>) -> tensor<?x32xf32, #node>
  %e = gnn.gather %h via src : tensor<?x32xf32, #node> -> tensor<?x32xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %e via dst : tensor<?x32xf32, #gnn.rows<@g, edge>> -> tensor<?x32xf32, #node>
  // expected-remark @+1 {{the weights are multiplied first}}
  %y = gnn.linear %s, %b : (tensor<?x32xf32, #node>, tensor<32x16xf32>) -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}

// Negative: a maximum does not.
//
// CHECK-LABEL: func.func @maximum
// CHECK-NOT:     gnn.weight_product
func.func @maximum(%x: tensor<?x64xf32, #node>, %a: tensor<64x32xf32>, %b: tensor<32x16xf32>) -> tensor<?x16xf32, #node> {
  %h = gnn.linear %x, %a : (tensor<?x64xf32, #node>, tensor<64x32xf32>) -> tensor<?x32xf32, #node>
  %e = gnn.gather %h via src : tensor<?x32xf32, #node> -> tensor<?x32xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate max %e via dst : tensor<?x32xf32, #gnn.rows<@g, edge>> -> tensor<?x32xf32, #node>
  %y = gnn.linear %s, %b : (tensor<?x32xf32, #node>, tensor<32x16xf32>) -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}

// Both ends of an edge joined and multiplied: a product at each node instead of
// one at each edge.
//
// CHECK-LABEL: func.func @concat
// CHECK-DAG:     %[[P:.+]] = gnn.slice %{{.+}} at 0 :
// CHECK-DAG:     %[[Q:.+]] = gnn.slice %{{.+}} at 512 :
// CHECK-DAG:     %[[U:.+]] = gnn.gather %{{.+}} via src
// CHECK-DAG:     %[[V:.+]] = gnn.gather %{{.+}} via dst
// CHECK-DAG:     gnn.linear %[[U]]
// CHECK-DAG:     gnn.linear %[[V]]
// CHECK-NOT:     gnn.concat
// CHECK:         arith.addf
func.func @concat(%x: tensor<?x64xf32, #node>, %w: tensor<128x8xf32>) -> tensor<?x8xf32, #gnn.rows<@g, edge>> {
  %u = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #gnn.rows<@g, edge>>
  %v = gnn.gather %x via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #gnn.rows<@g, edge>>
  %c = gnn.concat %u, %v : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<?x64xf32, #gnn.rows<@g, edge>>) -> tensor<?x128xf32, #gnn.rows<@g, edge>>
  // expected-remark @+1 {{each part is multiplied by itself: 0 flops an edge, 0 a pair and 2048 a node instead of 2048 flops an edge, 0 a pair and 0 a node}}
  %y = gnn.linear %c, %w : (tensor<?x128xf32, #gnn.rows<@g, edge>>, tensor<128x8xf32>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return %y : tensor<?x8xf32, #gnn.rows<@g, edge>>
}

// Negative: the parts lie on the same rows, and two products are no fewer flops
// than one.
//
// CHECK-LABEL: func.func @concat_refused
// CHECK:         gnn.concat
func.func @concat_refused(%x: tensor<?x64xf32, #node>, %z: tensor<?x64xf32, #node>, %w: tensor<128x8xf32>) -> tensor<?x8xf32, #node> {
  %c = gnn.concat %x, %z : (tensor<?x64xf32, #node>, tensor<?x64xf32, #node>) -> tensor<?x128xf32, #node>
  // expected-remark @+1 {{the product of the weights first would take}}
  %y = gnn.linear %c, %w : (tensor<?x128xf32, #node>, tensor<128x8xf32>) -> tensor<?x8xf32, #node>
  return %y : tensor<?x8xf32, #node>
}

// Only a part of a product is read.
//
// CHECK-LABEL: func.func @slice
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32{{.*}}>, %[[W:[^:]+]]: tensor<64x32xf32>
// CHECK:         %[[P:.+]] = gnn.slice %[[W]] at 8 : tensor<64x32xf32> -> tensor<64x4xf32>
// CHECK:         gnn.linear %[[X]], %[[P]]
func.func @slice(%x: tensor<?x64xf32, #node>, %w: tensor<64x32xf32>) -> tensor<?x4xf32, #node> {
  %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x32xf32>) -> tensor<?x32xf32, #node>
  // expected-remark @+1 {{the weights are multiplied first}}
  %y = gnn.slice %h at 8 : tensor<?x32xf32, #node> -> tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32, #node>
}

// Negative: all of the product is needed, one part after the other.
//
// CHECK-LABEL: func.func @slices_refused
// CHECK:         %[[H:.+]] = gnn.linear
// CHECK:         gnn.slice %[[H]] at 0
// CHECK:         gnn.slice %[[H]] at 16
func.func @slices_refused(%x: tensor<?x64xf32, #node>, %w: tensor<64x32xf32>) -> (tensor<?x16xf32, #node>, tensor<?x16xf32, #node>) {
  %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x32xf32>) -> tensor<?x32xf32, #node>
  // expected-remark @+1 {{the product of the weights first would take}}
  %y = gnn.slice %h at 0 : tensor<?x32xf32, #node> -> tensor<?x16xf32, #node>
  // expected-remark @+1 {{the product of the weights first would take}}
  %z = gnn.slice %h at 16 : tensor<?x32xf32, #node> -> tensor<?x16xf32, #node>
  return %y, %z : tensor<?x16xf32, #node>, tensor<?x16xf32, #node>
}
