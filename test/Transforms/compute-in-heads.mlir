// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-compute-in-heads),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-compute-in-heads' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#dst_pair = #gnn.rows<@g, dst_pair>
gnn.graph @g square {node_types = 1, edge_types = 3}

// Bias, residual and activation after heads were joined: head by head, so that
// the sum ends with them.
//
// CHECK-LABEL: func.func @heads
// CHECK-SAME:    %[[M:[^:]+]]: tensor<?x4x16xf32{{.*}}>, %[[B:[^:]+]]: tensor<64xf32>, %[[X:[^:]+]]: tensor<?x64xf32
// CHECK-DAG:     %[[Y:.+]] = gnn.aggregate sum %[[M]]
// CHECK-DAG:     %[[BH:.+]] = gnn.reshape %[[B]] : tensor<64xf32> -> tensor<4x16xf32>
// CHECK-DAG:     %[[BR:.+]] = gnn.broadcast %[[BH]]
// CHECK:         %[[S:.+]] = arith.addf %[[Y]], %[[BR]]
// CHECK:         %[[XH:.+]] = gnn.reshape %[[X]]
// CHECK:         %[[T:.+]] = arith.addf %[[S]], %[[XH]]
// CHECK:         %[[R:.+]] = gnn.activation relu %[[T]] : tensor<?x4x16xf32
// CHECK:         %[[Z:.+]] = gnn.reshape %[[R]]
// CHECK:         return %[[Z]]
func.func @heads(%m: tensor<?x4x16xf32, #edge>, %b: tensor<64xf32>, %x: tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node> {
  %y = gnn.aggregate sum %m via dst : tensor<?x4x16xf32, #edge> -> tensor<?x4x16xf32, #node>
  %0 = gnn.reshape %y : tensor<?x4x16xf32, #node> -> tensor<?x64xf32, #node>
  %1 = gnn.broadcast %b : tensor<64xf32> -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{computed head by head, 4 of 16 features, as what makes its operand}}
  %2 = arith.addf %0, %1 : tensor<?x64xf32, #node>
  // expected-remark @+1 {{computed head by head, 4 of 16 features, as what makes its operand}}
  %3 = arith.addf %2, %x : tensor<?x64xf32, #node>
  // expected-remark @+1 {{computed head by head, 4 of 16 features, as what makes its operand}}
  %4 = gnn.activation relu %3 : tensor<?x64xf32, #node>
  return %4 : tensor<?x64xf32, #node>
}

// A condition of all rows is one of all heads.
//
// CHECK-LABEL: func.func @heads_select
// CHECK-SAME:    %[[C:[^:]+]]: i1
// CHECK:         %[[R:.+]] = arith.select %[[C]], %{{.+}}, %{{.+}} : tensor<?x4x16xf32
// CHECK:         gnn.reshape %[[R]]
func.func @heads_select(%c: i1, %m: tensor<?x4x16xf32, #edge>, %x: tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node> {
  %y = gnn.aggregate sum %m via dst : tensor<?x4x16xf32, #edge> -> tensor<?x4x16xf32, #node>
  %0 = gnn.reshape %y : tensor<?x4x16xf32, #node> -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{computed head by head}}
  %1 = arith.select %c, %0, %x : tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}

// Negative: conditions, one a feature, are no features to split.
//
// CHECK-LABEL: func.func @heads_select_features
// CHECK:         arith.select {{.*}} : tensor<?x64xi1, #{{.+}}>, tensor<?x64xf32
func.func @heads_select_features(%m: tensor<?x4x16xf32, #edge>, %x: tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node> {
  %y = gnn.aggregate sum %m via dst : tensor<?x4x16xf32, #edge> -> tensor<?x4x16xf32, #node>
  %0 = gnn.reshape %y : tensor<?x4x16xf32, #node> -> tensor<?x64xf32, #node>
  %c = arith.cmpf ogt, %x, %x : tensor<?x64xf32, #node>
  // expected-remark @+1 {{only features of f32, bf16 or f16 can be split or joined, got i1}}
  %1 = arith.select %c, %0, %x : tensor<?x64xi1, #node>, tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}

// Negative: nor are they to join, where joined features are compared.
//
// CHECK-LABEL: func.func @heads_compare
// CHECK:         arith.cmpf ogt, {{.*}} : tensor<?x64xf32
func.func @heads_compare(%m: tensor<?x4x16xf32, #edge>, %x: tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node> {
  %y = gnn.aggregate sum %m via dst : tensor<?x4x16xf32, #edge> -> tensor<?x4x16xf32, #node>
  %0 = gnn.reshape %y : tensor<?x4x16xf32, #node> -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{only features of f32, bf16 or f16 can be split or joined, got i1}}
  %c = arith.cmpf ogt, %0, %x : tensor<?x64xf32, #node>
  %z = arith.negf %x : tensor<?x64xf32, #node>
  %1 = arith.select %c, %x, %z : tensor<?x64xi1, #node>, tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}

// Negative: others read the joined heads.
//
// CHECK-LABEL: func.func @heads_read
// CHECK:         gnn.activation relu %{{.+}} : tensor<?x64xf32
func.func @heads_read(%m: tensor<?x4x16xf32, #edge>) -> (tensor<?x64xf32, #node>, tensor<?x64xf32, #node>) {
  %y = gnn.aggregate sum %m via dst : tensor<?x4x16xf32, #edge> -> tensor<?x4x16xf32, #node>
  %0 = gnn.reshape %y : tensor<?x4x16xf32, #node> -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{not computed head by head: heads are read 2 times, expected once}}
  %1 = gnn.activation relu %0 : tensor<?x64xf32, #node>
  return %0, %1 : tensor<?x64xf32, #node>, tensor<?x64xf32, #node>
}

// Messages of heads, as PyG joins them before they are summed: the sum takes them as they are.
//
// CHECK-LABEL: func.func @heads_aggregate
// CHECK:         %[[M:.+]] = gnn.apply mul
// CHECK:         %[[S:.+]] = gnn.aggregate sum %[[M]] via dst : tensor<?x4x16xf32, #{{.+}}> -> tensor<?x4x16xf32
// CHECK:         %[[A:.+]] = gnn.activation gelu %[[S]] : tensor<?x4x16xf32
// CHECK:         gnn.reshape %[[A]]
func.func @heads_aggregate(%v: tensor<?x4x16xf32, #edge>, %a: tensor<?x4xf32, #edge>) -> tensor<?x64xf32, #node> {
  %m = gnn.apply mul %v, %a : (tensor<?x4x16xf32, #edge>, tensor<?x4xf32, #edge>) -> tensor<?x4x16xf32, #edge>
  %0 = gnn.reshape %m : tensor<?x4x16xf32, #edge> -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{computed head by head, 4 of 16 features, as what makes its operand}}
  %1 = gnn.aggregate sum %0 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{computed head by head, 4 of 16 features, as what makes its operand}}
  %2 = gnn.activation gelu %1 : tensor<?x64xf32, #node>
  return %2 : tensor<?x64xf32, #node>
}

// Negative: no product ends with a sum over edges.
//
// CHECK-LABEL: func.func @heads_aggregate_product
// CHECK:         gnn.aggregate sum %{{.+}} via dst : tensor<?x64xf32
func.func @heads_aggregate_product(%x: tensor<?x4x16xf32, #edge>, %w: tensor<4x16x16xf32>) -> tensor<?x64xf32, #node> {
  %h = gnn.linear %x, %w : (tensor<?x4x16xf32, #edge>, tensor<4x16x16xf32>) -> tensor<?x4x16xf32, #edge>
  %0 = gnn.reshape %h : tensor<?x4x16xf32, #edge> -> tensor<?x64xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}
