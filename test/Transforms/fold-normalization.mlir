// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(gnn-fold-normalization{cost=rows}),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-fold-normalization' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 3}

// The columns of the weight and the bias are scaled; what is subtracted is added
// after.
//
// CHECK-LABEL: func.func @linear
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32{{.*}}>, %[[W:[^:]+]]: tensor<64x8xf32>, %[[C:[^:]+]]: tensor<8xf32>, %[[M:[^:]+]]: tensor<8xf32>, %[[V:[^:]+]]: tensor<8xf32>, %[[G:[^:]+]]: tensor<8xf32>, %[[B:[^:]+]]: tensor<8xf32>
// CHECK-DAG:     %[[VE:.+]] = arith.addf %[[V]], %{{.+}} : tensor<8xf32>
// CHECK-DAG:     %[[R:.+]] = math.sqrt %[[VE]]
// CHECK-DAG:     %[[S:.+]] = arith.divf %[[G]], %[[R]]
// CHECK-DAG:     %[[MS:.+]] = arith.mulf %[[M]], %[[S]]
// CHECK-DAG:     %[[T:.+]] = arith.subf %[[B]], %[[MS]]
// CHECK-DAG:     %[[SW:.+]] = gnn.broadcast %[[S]] : tensor<8xf32> -> tensor<64x8xf32>
// CHECK-DAG:     %[[WS:.+]] = arith.mulf %[[W]], %[[SW]]
// CHECK-DAG:     %[[CS:.+]] = arith.mulf %[[C]], %[[S]]
// CHECK:         %[[Y:.+]] = gnn.linear %[[X]], %[[WS]] bias %[[CS]]
// CHECK:         %[[TR:.+]] = gnn.broadcast %[[T]]
// CHECK:         arith.addf %[[Y]], %[[TR]]
func.func @linear(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %c: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.linear %x, %w bias %c : (tensor<?x64xf32, #node>, tensor<64x8xf32>, tensor<8xf32>) -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{the weights are normalized, once a call}}
  %1 = gnn.batch_norm %0 mean %m variance %v gamma %g beta %b eps = 1.0e-5 : tensor<?x8xf32, #node>, tensor<8xf32>
  return %1 : tensor<?x8xf32, #node>
}

// Through sums over rows, and into both products of a sum.
//
// CHECK-LABEL: func.func @layer
// CHECK:         arith.mulf %{{.+}}, %{{.+}} : tensor<3x64x8xf32
// CHECK:         gnn.typed_linear
// CHECK:         gnn.aggregate sum
// CHECK:         arith.mulf %{{.+}}, %{{.+}} : tensor<64x8xf32>
// CHECK:         gnn.linear
// CHECK-NOT:     gnn.batch_norm
func.func @layer(%x: tensor<?x64xf32, #node>, %w: tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, %r: tensor<64x8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x8xf32, #edge>
  %2 = gnn.aggregate sum %1 via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
  %3 = gnn.linear %x, %r : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  %4 = arith.addf %2, %3 : tensor<?x8xf32, #node>
  // expected-remark @+1 {{the weights are normalized, once a call}}
  %5 = gnn.batch_norm %4 mean %m variance %v gamma %g beta %b eps = 1.0e-5 : tensor<?x8xf32, #node>, tensor<8xf32>
  return %5 : tensor<?x8xf32, #node>
}

// Negative: an activation is not linear.
//
// CHECK-LABEL: func.func @activation
// CHECK:         gnn.batch_norm
func.func @activation(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %m: tensor<8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.activation relu %0 : tensor<?x8xf32, #node>
  // expected-remark @+1 {{no weight is reached through 'gnn.activation'}}
  %2 = gnn.batch_norm %1 mean %m variance %m gamma %m beta %m eps = 1.0e-5 : tensor<?x8xf32, #node>, tensor<8xf32>
  return %2 : tensor<?x8xf32, #node>
}

// Negative: the product is read by itself.
//
// CHECK-LABEL: func.func @read
// CHECK:         gnn.batch_norm
func.func @read(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %m: tensor<8xf32>) -> (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) {
  %0 = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{what it normalizes has other readers}}
  %1 = gnn.batch_norm %0 mean %m variance %m gamma %m beta %m eps = 1.0e-5 : tensor<?x8xf32, #node>, tensor<8xf32>
  return %0, %1 : tensor<?x8xf32, #node>, tensor<?x8xf32, #node>
}
