// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-fuse-attention))' \
// RUN:   --remarks-filter='gnn-fuse-attention' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

// The layer and graphs that docs/Cost.md has the times of: GAT on FB15k-237,
// WordNet 3.0 and AM.

gnn.graph @fb15k square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 14541, dst_nodes = 14541, edges = 631161, type_edges = [631161], src_pairs = [14541], dst_pairs = [14541], in_degree_squares = 264581147, in_degree_max = 8641, out_degree_squares = 264581147, out_degree_max = 8641>}
gnn.graph @wordnet square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 264965, dst_nodes = 264965, edges = 1407933, type_edges = [1407933], src_pairs = [264965], dst_pairs = [264965], in_degree_squares = 37817141, in_degree_max = 1351, out_degree_squares = 37817141, out_degree_max = 1351>}
gnn.graph @am square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1900000, dst_nodes = 1900000, edges = 7599994, type_edges = [7599994], src_pairs = [1900000], dst_pairs = [1900000], in_degree_squares = 103665936, in_degree_max = 2876, out_degree_squares = 103665936, out_degree_max = 2876>}
gnn.graph @wide square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 10000, dst_nodes = 10000, edges = 1000000, type_edges = [1000000], src_pairs = [10000], dst_pairs = [10000], in_degree_squares = 100500000, in_degree_max = 150, out_degree_squares = 100500000, out_degree_max = 150>}

// One long group is what all others wait for: one walk comes to it once.
//
// CHECK-LABEL: func.func @gat_on_fb15k
// CHECK:         gnn.attention({{.*}} over dst : (
func.func @gat_on_fb15k(%l: tensor<?xf32, #gnn.rows<@fb15k, node>>, %r: tensor<?xf32, #gnn.rows<@fb15k, node>>, %x: tensor<?x64xf32, #gnn.rows<@fb15k, node>>) -> tensor<?x64xf32, #gnn.rows<@fb15k, node>> {
  %s = gnn.apply add %l via src, %r via dst : (tensor<?xf32, #gnn.rows<@fb15k, node>>, tensor<?xf32, #gnn.rows<@fb15k, node>>) -> tensor<?xf32, #gnn.rows<@fb15k, edge>>
  %t = gnn.activation leaky_relu %s alpha = 0.2 : tensor<?xf32, #gnn.rows<@fb15k, edge>>
  // expected-remark @+1 {{scores are computed in each walk; }}
  %a = gnn.edge_softmax %t over dst : tensor<?xf32, #gnn.rows<@fb15k, edge>>
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (tensor<?xf32, #gnn.rows<@fb15k, edge>>, tensor<?x64xf32, #gnn.rows<@fb15k, node>>) -> tensor<?x64xf32, #gnn.rows<@fb15k, node>>
  return %y : tensor<?x64xf32, #gnn.rows<@fb15k, node>>
}

// Short groups: a kernel that comes to each of them once more is dear.
//
// CHECK-LABEL: func.func @gat_on_wordnet
// CHECK:         gnn.attention({{.*}} over dst : (
func.func @gat_on_wordnet(%l: tensor<?xf32, #gnn.rows<@wordnet, node>>, %r: tensor<?xf32, #gnn.rows<@wordnet, node>>, %x: tensor<?x64xf32, #gnn.rows<@wordnet, node>>) -> tensor<?x64xf32, #gnn.rows<@wordnet, node>> {
  %s = gnn.apply add %l via src, %r via dst : (tensor<?xf32, #gnn.rows<@wordnet, node>>, tensor<?xf32, #gnn.rows<@wordnet, node>>) -> tensor<?xf32, #gnn.rows<@wordnet, edge>>
  %t = gnn.activation leaky_relu %s alpha = 0.2 : tensor<?xf32, #gnn.rows<@wordnet, edge>>
  // expected-remark @+1 {{scores are computed in each walk; }}
  %a = gnn.edge_softmax %t over dst : tensor<?xf32, #gnn.rows<@wordnet, edge>>
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (tensor<?xf32, #gnn.rows<@wordnet, edge>>, tensor<?x64xf32, #gnn.rows<@wordnet, node>>) -> tensor<?x64xf32, #gnn.rows<@wordnet, node>>
  return %y : tensor<?x64xf32, #gnn.rows<@wordnet, node>>
}

// The same, seven times larger.
//
// CHECK-LABEL: func.func @gat_on_am
// CHECK:         gnn.attention({{.*}} over dst : (
func.func @gat_on_am(%l: tensor<?xf32, #gnn.rows<@am, node>>, %r: tensor<?xf32, #gnn.rows<@am, node>>, %x: tensor<?x64xf32, #gnn.rows<@am, node>>) -> tensor<?x64xf32, #gnn.rows<@am, node>> {
  %s = gnn.apply add %l via src, %r via dst : (tensor<?xf32, #gnn.rows<@am, node>>, tensor<?xf32, #gnn.rows<@am, node>>) -> tensor<?xf32, #gnn.rows<@am, edge>>
  %t = gnn.activation leaky_relu %s alpha = 0.2 : tensor<?xf32, #gnn.rows<@am, edge>>
  // expected-remark @+1 {{scores are computed in each walk; }}
  %a = gnn.edge_softmax %t over dst : tensor<?xf32, #gnn.rows<@am, edge>>
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (tensor<?xf32, #gnn.rows<@am, edge>>, tensor<?x64xf32, #gnn.rows<@am, node>>) -> tensor<?x64xf32, #gnn.rows<@am, node>>
  return %y : tensor<?x64xf32, #gnn.rows<@am, node>>
}

// Rows of 2048 features leave nothing to gain: no weights of edges are kept for the gradient.
//
// CHECK-LABEL: func.func @gat_on_wide
// CHECK:         gnn.attention({{.*}} over dst : (
func.func @gat_on_wide(%l: tensor<?xf32, #gnn.rows<@wide, node>>, %r: tensor<?xf32, #gnn.rows<@wide, node>>, %x: tensor<?x2048xf32, #gnn.rows<@wide, node>>) -> tensor<?x2048xf32, #gnn.rows<@wide, node>> {
  %s = gnn.apply add %l via src, %r via dst : (tensor<?xf32, #gnn.rows<@wide, node>>, tensor<?xf32, #gnn.rows<@wide, node>>) -> tensor<?xf32, #gnn.rows<@wide, edge>>
  %t = gnn.activation leaky_relu %s alpha = 0.2 : tensor<?xf32, #gnn.rows<@wide, edge>>
  // expected-remark @+1 {{scores are computed in each walk; }}
  %a = gnn.edge_softmax %t over dst : tensor<?xf32, #gnn.rows<@wide, edge>>
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (tensor<?xf32, #gnn.rows<@wide, edge>>, tensor<?x2048xf32, #gnn.rows<@wide, node>>) -> tensor<?x2048xf32, #gnn.rows<@wide, node>>
  return %y : tensor<?x2048xf32, #gnn.rows<@wide, node>>
}
