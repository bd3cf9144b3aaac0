// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-linear-reorder{cost=rows}),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-linear-reorder' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
gnn.graph @g square {node_types = 1, edge_types = 3,
  stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000, edges = 6000, type_edges = [1000, 2000, 3000],
                     src_pairs = [100, 900, 800], dst_pairs = [700, 200, 900]>}

// RGAT, whose rows through products are counted: 1800 source pairs, 1800
// destination pairs, and the fewer of both for each edge type are 100 + 200 +
// 800. At the destination one product takes the place of two. At the source the
// product of the message stays, but is free to come after the sum.
//
// CHECK-LABEL: func.func @rgat
// CHECK-COUNT-3: gnn.typed_linear
// CHECK-NOT:     gnn.linear
func.func @rgat(%x: tensor<?x64xf32, #node>, %w: tensor<3x64x64xf32, #edge_type>, %q: tensor<64x1xf32>, %k: tensor<64x1xf32>) -> tensor<?x1x64xf32, #node> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %h_src = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<3x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  %1 = gnn.gather %x via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %h_dst = gnn.typed_linear %1, %w : (tensor<?x64xf32, #edge>, tensor<3x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{the weights are multiplied first: 1800 rows and 254976 flops of products instead of 3600 rows and 14976000 flops of products}}
  %2 = gnn.linear %h_dst, %q : (tensor<?x64xf32, #edge>, tensor<64x1xf32>) -> tensor<?x1xf32, #edge>
  // expected-remark @+1 {{the weights are multiplied first: 2900 rows}}
  %3 = gnn.linear %h_src, %k : (tensor<?x64xf32, #edge>, tensor<64x1xf32>) -> tensor<?x1xf32, #edge>
  %score = arith.addf %2, %3 : tensor<?x1xf32, #edge>
  %4 = gnn.reshape %h_src : tensor<?x64xf32, #edge> -> tensor<?x1x64xf32, #edge>
  %attention = gnn.edge_softmax %score over dst : tensor<?x1xf32, #edge>
  %message = gnn.apply mul %attention, %4 : (tensor<?x1xf32, #edge>, tensor<?x1x64xf32, #edge>) -> tensor<?x1x64xf32, #edge>
  %5 = gnn.aggregate sum %message via dst : tensor<?x1x64xf32, #edge> -> tensor<?x1x64xf32, #node>
  return %5 : tensor<?x1x64xf32, #node>
}

// Negative: the product at the source is read as it is, and the rows are as many
// either way, but there is one product more.
//
// CHECK-LABEL: func.func @two_terms
// CHECK-NOT:     gnn.weight_product
func.func @two_terms(%x: tensor<?x64xf32, #node>, %y: tensor<?x64xf32, #node>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<?x64xf32, #node> {
  %0 = gnn.linear %x, %a : (tensor<?x64xf32, #node>, tensor<64x64xf32>) -> tensor<?x64xf32, #node>
  %1 = arith.addf %0, %y : tensor<?x64xf32, #node>
  // expected-remark @+1 {{the product of the weights first would take}}
  %2 = gnn.linear %1, %b : (tensor<?x64xf32, #node>, tensor<64x64xf32>) -> tensor<?x64xf32, #node>
  return %2 : tensor<?x64xf32, #node>
}

// The message is added to rows of the destination: its product has to stay in front
// of the sum, and does not count as free.
//
// CHECK-LABEL: func.func @rgat_with_destinations
func.func @rgat_with_destinations(%x: tensor<?x64xf32, #node>, %w: tensor<3x64x64xf32, #edge_type>, %k: tensor<64x1xf32>, %z: tensor<?x64xf32, #node>) -> tensor<?x1x64xf32, #node> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %h_src = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<3x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{the weights are multiplied first: 1800 rows and 254976 flops of products instead of 1800 rows}}
  %3 = gnn.linear %h_src, %k : (tensor<?x64xf32, #edge>, tensor<64x1xf32>) -> tensor<?x1xf32, #edge>
  %m = gnn.apply add %h_src, %z via dst : (tensor<?x64xf32, #edge>, tensor<?x64xf32, #node>) -> tensor<?x64xf32, #edge>
  %4 = gnn.reshape %m : tensor<?x64xf32, #edge> -> tensor<?x1x64xf32, #edge>
  %attention = gnn.edge_softmax %3 over dst : tensor<?x1xf32, #edge>
  %message = gnn.apply mul %attention, %4 : (tensor<?x1xf32, #edge>, tensor<?x1x64xf32, #edge>) -> tensor<?x1x64xf32, #edge>
  %5 = gnn.aggregate sum %message via dst : tensor<?x1x64xf32, #edge> -> tensor<?x1x64xf32, #node>
  return %5 : tensor<?x1x64xf32, #node>
}
