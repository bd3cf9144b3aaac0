// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(gnn-linear-reorder),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-linear-reorder' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
gnn.graph @g square {node_types = 1, edge_types = 3}

// The scores of RGAT: `(x W[r]) Q = x (W[r] Q)`. At the destination nothing else
// needs `x W[r]`; at the source the message keeps its own product.
//
// CHECK-LABEL: func.func @scores
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32{{.*}}>, %[[W:[^:]+]]: tensor<3x64x64xf32{{.*}}>, %[[Q:[^:]+]]: tensor<64x4xf32>, %[[K:[^:]+]]: tensor<64x4xf32>
// CHECK-DAG:     %[[U:.+]] = gnn.gather %[[X]] via src
// CHECK-DAG:     %[[V:.+]] = gnn.gather %[[X]] via dst
// CHECK-DAG:     %[[H:.+]] = gnn.typed_linear %[[U]], %[[W]]
// CHECK-DAG:     %[[WQ:.+]] = gnn.weight_product %[[W]], %[[Q]]
// CHECK-DAG:     %[[WK:.+]] = gnn.weight_product %[[W]], %[[K]]
// CHECK-DAG:     %[[S:.+]] = gnn.typed_linear %[[V]], %[[WQ]]
// CHECK-DAG:     %[[T:.+]] = gnn.typed_linear %[[U]], %[[WK]]
// CHECK-NOT:     gnn.typed_linear
// CHECK:         return %[[S]], %[[T]], %[[H]]
func.func @scores(%x: tensor<?x64xf32, #node>, %w: tensor<3x64x64xf32, #edge_type>, %q: tensor<64x4xf32>, %k: tensor<64x4xf32>)
    -> (tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>, tensor<?x64xf32, #edge>) {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %h_src = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<3x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  %1 = gnn.gather %x via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %h_dst = gnn.typed_linear %1, %w : (tensor<?x64xf32, #edge>, tensor<3x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{the weights are multiplied first: 0 flops an edge, 512 a pair and 0 a node instead of 0 flops an edge, 8704 a pair and 0 a node}}
  %2 = gnn.linear %h_dst, %q : (tensor<?x64xf32, #edge>, tensor<64x4xf32>) -> tensor<?x4xf32, #edge>
  // expected-remark @+1 {{the weights are multiplied first: 0 flops an edge, 512 a pair and 0 a node instead of 0 flops an edge, 512 a pair and 0 a node}}
  %3 = gnn.linear %h_src, %k : (tensor<?x64xf32, #edge>, tensor<64x4xf32>) -> tensor<?x4xf32, #edge>
  return %2, %3, %h_src : tensor<?x4xf32, #edge>, tensor<?x4xf32, #edge>, tensor<?x64xf32, #edge>
}

// As Hector has it: an inner product with the vector of the edge type, head by
// head.
//
// CHECK-LABEL: func.func @hector
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32{{.*}}>, %[[W:[^:]+]]: tensor<3x64x64xf32{{.*}}>, %[[A:[^:]+]]: tensor<3x4x16xf32{{.*}}>
// CHECK-DAG:     %[[WA:.+]] = gnn.weight_product %[[W]], %[[A]] by_heads
// CHECK-DAG:     %[[V:.+]] = gnn.gather %[[X]] via dst
// CHECK:         %[[S:.+]] = gnn.typed_linear %[[V]], %[[WA]]
// CHECK:         return %[[S]]
func.func @hector(%x: tensor<?x64xf32, #node>, %w: tensor<3x64x64xf32, #edge_type>, %a: tensor<3x4x16xf32, #edge_type>) -> tensor<?x4xf32, #edge> {
  %0 = gnn.gather %x via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %h = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<3x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  %1 = gnn.reshape %h : tensor<?x64xf32, #edge> -> tensor<?x4x16xf32, #edge>
  // expected-remark @+1 {{the weights are multiplied first}}
  %s = gnn.sddmm %1, %a : (tensor<?x4x16xf32, #edge>, tensor<3x4x16xf32, #edge_type>) -> tensor<?x4xf32, #edge>
  return %s : tensor<?x4xf32, #edge>
}

// One head: the score stays an inner product.
//
// CHECK-LABEL: func.func @hector_one_head
// CHECK:         gnn.weight_product %{{.+}}, %{{.+}} by_heads
// CHECK:         gnn.sddmm
// CHECK-NOT:     gnn.typed_linear
func.func @hector_one_head(%x: tensor<?x64xf32, #node>, %w: tensor<3x64x64xf32, #edge_type>, %a: tensor<3x1x64xf32, #edge_type>) -> tensor<?x1xf32, #edge> {
  %0 = gnn.gather %x via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %h = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<3x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  %1 = gnn.reshape %h : tensor<?x64xf32, #edge> -> tensor<?x1x64xf32, #edge>
  // expected-remark @+1 {{the weights are multiplied first}}
  %s = gnn.sddmm %1, %a : (tensor<?x1x64xf32, #edge>, tensor<3x1x64xf32, #edge_type>) -> tensor<?x1xf32, #edge>
  return %s : tensor<?x1xf32, #edge>
}

// Scores of GAT, on nodes.
//
// CHECK-LABEL: func.func @gat
// CHECK:         %[[WA:.+]] = gnn.weight_product %{{.+}}, %{{.+}} by_heads : (tensor<64x64xf32>, tensor<8x8xf32>) -> tensor<64x8xf32>
// CHECK:         gnn.linear %{{.+}}, %[[WA]] : (tensor<?x64xf32, #{{.+}}>, tensor<64x8xf32>)
func.func @gat(%x: tensor<?x64xf32, #node>, %w: tensor<64x64xf32>, %a: tensor<8x8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x64xf32>) -> tensor<?x64xf32, #node>
  %h = gnn.reshape %0 : tensor<?x64xf32, #node> -> tensor<?x8x8xf32, #node>
  // expected-remark @+1 {{the weights are multiplied first}}
  %s = gnn.dot %h, %a : (tensor<?x8x8xf32, #node>, tensor<8x8xf32>) -> tensor<?x8xf32, #node>
  return %s : tensor<?x8xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node_type = #gnn.rows<@g, node_type>
gnn.graph @g square {node_types = 2, edge_types = 3, schema = [[0, 1], [1, 1], [1, 0]],
  stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 3000, type_edges = [1000, 1000, 1000],
                     src_pairs = [900, 900, 900], dst_pairs = [1000, 1000, 1000]>}

// The keys of HGT: the projection by node type joins the one by edge type, where
// there are fewer pairs than nodes. Its bias becomes one row an edge type.
//
// CHECK-LABEL: func.func @keys
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32{{.*}}>, %[[W:[^:]+]]: tensor<2x64x64xf32{{.*}}>, %[[B:[^:]+]]: tensor<2x64xf32{{.*}}>, %[[R:[^:]+]]: tensor<3x4x16x16xf32{{.*}}>
// CHECK-DAG:     %[[WE:.+]] = gnn.gather %[[W]] via src : tensor<2x64x64xf32, #{{.+}}> -> tensor<3x64x64xf32
// CHECK-DAG:     %[[WR:.+]] = gnn.weight_product %[[WE]], %[[R]] by_heads
// CHECK-DAG:     %[[U:.+]] = gnn.gather %[[X]] via src
// CHECK-DAG:     gnn.typed_linear %[[U]], %[[WR]] : (tensor<?x64xf32, #{{.+}}>, tensor<3x64x64xf32
// CHECK-DAG:     %[[BE:.+]] = gnn.gather %[[B]] via src : tensor<2x64xf32, #{{.+}}> -> tensor<3x64xf32
// CHECK-DAG:     gnn.typed_linear %{{.+}}, %[[R]] : (tensor<3x4x16xf32
func.func @keys(%x: tensor<?x64xf32, #node>, %w: tensor<2x64x64xf32, #node_type>, %b: tensor<2x64xf32, #node_type>, %r: tensor<3x4x16x16xf32, #edge_type>) -> tensor<?x4x16xf32, #edge> {
  %0 = gnn.typed_linear %x, %w : (tensor<?x64xf32, #node>, tensor<2x64x64xf32, #node_type>) -> tensor<?x64xf32, #node>
  %1 = gnn.gather %b : tensor<2x64xf32, #node_type> -> tensor<?x64xf32, #node>
  %2 = arith.addf %0, %1 : tensor<?x64xf32, #node>
  %k = gnn.reshape %2 : tensor<?x64xf32, #node> -> tensor<?x4x16xf32, #node>
  %e = gnn.gather %k via src : tensor<?x4x16xf32, #node> -> tensor<?x4x16xf32, #edge>
  // expected-remark-re @+1 {{the weights are multiplied first: {{.+}} us (2703 rows and 22517760 flops of products) instead of {{.+}} us (1002700 rows and 8197529600 flops of products)}}
  %y = gnn.typed_linear %e, %r : (tensor<?x4x16xf32, #edge>, tensor<3x4x16x16xf32, #edge_type>) -> tensor<?x4x16xf32, #edge>
  return %y : tensor<?x4x16xf32, #edge>
}

// -----

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node_type = #gnn.rows<@g, node_type>
gnn.graph @g square {node_types = 2, edge_types = 3, schema = [[0, 1], [1, 1], [1, 0]],
  stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 30000000, type_edges = [10000000, 10000000, 10000000],
                     src_pairs = [900000, 900000, 900000], dst_pairs = [1000000, 1000000, 1000000]>}

// Negative: on more pairs than nodes it is four times the flops.
//
// CHECK-LABEL: func.func @keys_refused
// CHECK-NOT:     gnn.weight_product
func.func @keys_refused(%x: tensor<?x64xf32, #node>, %w: tensor<2x64x64xf32, #node_type>, %r: tensor<3x4x16x16xf32, #edge_type>) -> tensor<?x4x16xf32, #edge> {
  %0 = gnn.typed_linear %x, %w : (tensor<?x64xf32, #node>, tensor<2x64x64xf32, #node_type>) -> tensor<?x64xf32, #node>
  %k = gnn.reshape %0 : tensor<?x64xf32, #node> -> tensor<?x4x16xf32, #node>
  %e = gnn.gather %k via src : tensor<?x4x16xf32, #node> -> tensor<?x4x16xf32, #edge>
  // expected-remark @+1 {{the product of the weights first would take}}
  %y = gnn.typed_linear %e, %r : (tensor<?x4x16xf32, #edge>, tensor<3x4x16x16xf32, #edge_type>) -> tensor<?x4x16xf32, #edge>
  return %y : tensor<?x4x16xf32, #edge>
}

// -----

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node_type = #gnn.rows<@g, node_type>
gnn.graph @g square {node_types = 2, edge_types = 3}

// Negative: without a schema no edge type has one node type at its source.
//
// CHECK-LABEL: func.func @no_schema
// CHECK-NOT:     gnn.weight_product
func.func @no_schema(%x: tensor<?x64xf32, #node>, %w: tensor<2x64x64xf32, #node_type>, %r: tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #edge> {
  %k = gnn.typed_linear %x, %w : (tensor<?x64xf32, #node>, tensor<2x64x64xf32, #node_type>) -> tensor<?x64xf32, #node>
  %e = gnn.gather %k via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{the schema of @g does not give the node type at the src end of every edge type; the graph function refine_types makes edge types that have one}}
  %y = gnn.typed_linear %e, %r : (tensor<?x64xf32, #edge>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #edge>
  return %y : tensor<?x8xf32, #edge>
}

// Negative: one bias for all heads of a type would have to be repeated.
//
// CHECK-LABEL: func.func @bias_of_all_heads
// CHECK-NOT:     gnn.weight_product
func.func @bias_of_all_heads(%x: tensor<?x64xf32, #node>, %a: tensor<4x64x16xf32>, %w: tensor<2x16x8xf32, #node_type>, %b: tensor<2x8xf32, #node_type>) -> tensor<?x4x8xf32, #node> {
  %h = gnn.linear %x, %a : (tensor<?x64xf32, #node>, tensor<4x64x16xf32>) -> tensor<?x4x16xf32, #node>
  // expected-remark @+1 {{its bias is shared by heads}}
  %y = gnn.typed_linear %h, %w bias %b : (tensor<?x4x16xf32, #node>, tensor<2x16x8xf32, #node_type>, tensor<2x8xf32, #node_type>) -> tensor<?x4x8xf32, #node>
  return %y : tensor<?x4x8xf32, #node>
}
