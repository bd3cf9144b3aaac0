// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-join-sums),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-join-sums' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#dst_pair = #gnn.rows<@g, dst_pair>
gnn.graph @g square {node_types = 1, edge_types = 3}

// A mean for each edge type and their sum: one sum, each edge weighted with one
// over the number of edges of its type.
//
// CHECK-LABEL: func.func @means
// CHECK-SAME:    %[[M:[^:]+]]: tensor<?x64xf32
// CHECK:         %[[D:.+]] = gnn.degree edge : tensor<?xf32, #[[PAIR:.+]]>
// CHECK:         %[[R:.+]] = arith.divf %{{.+}}, %[[D]]
// CHECK:         %[[W:.+]] = gnn.apply mul %[[M]], %[[R]]
// CHECK:         gnn.aggregate sum %[[W]] via dst
// CHECK-NOT:     gnn.aggregate
func.func @means(%m: tensor<?x64xf32, #edge>) -> tensor<?x64xf32, #node> {
  %0 = gnn.aggregate mean %m : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
  // expected-remark @+1 {{one sum, weighted with degrees}}
  %1 = gnn.aggregate sum %0 : tensor<?x64xf32, #dst_pair> -> tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}

// Negative: a weight an edge is as much as the few features themselves.
//
// CHECK-LABEL: func.func @narrow_means
// CHECK:         gnn.aggregate mean
// CHECK:         gnn.aggregate sum
func.func @narrow_means(%m: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #node> {
  %0 = gnn.aggregate mean %m : tensor<?x4xf32, #edge> -> tensor<?x4xf32, #dst_pair>
  // expected-remark @+1 {{its rows have 4 features, expected at least 16 without statistics}}
  %1 = gnn.aggregate sum %0 : tensor<?x4xf32, #dst_pair> -> tensor<?x4xf32, #node>
  return %1 : tensor<?x4xf32, #node>
}

// Negative: the means are read by others.
//
// CHECK-LABEL: func.func @read_means
// CHECK:         gnn.aggregate mean
// CHECK:         gnn.aggregate sum
func.func @read_means(%m: tensor<?x64xf32, #edge>) -> (tensor<?x64xf32, #node>, tensor<?x64xf32, #dst_pair>) {
  %0 = gnn.aggregate mean %m : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
  // expected-remark @+1 {{the groups that it adds up have other readers}}
  %1 = gnn.aggregate sum %0 : tensor<?x64xf32, #dst_pair> -> tensor<?x64xf32, #node>
  return %1, %0 : tensor<?x64xf32, #node>, tensor<?x64xf32, #dst_pair>
}

// A sum of sums names both.
//
// CHECK-LABEL: func.func @sums
// CHECK-COUNT-1: gnn.aggregate sum
// CHECK-NOT:     gnn.aggregate
func.func @sums(%m: tensor<?x64xf32, #edge>) -> tensor<?x64xf32, #node> {
  %0 = gnn.aggregate sum %m : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
  // expected-remark-re @+1 {{one sum instead of two: aggregate at {{.*}}.mlir:{{.*}} and aggregate at {{.*}}.mlir:{{.*}}}}
  %1 = gnn.aggregate sum %0 : tensor<?x64xf32, #dst_pair> -> tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}
