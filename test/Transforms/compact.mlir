// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(gnn-compact{cost=whole-rows}),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-compact' --remark-policy=all --verify-diagnostics | FileCheck %s
// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(gnn-compact),canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=PIECES

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 3}

// Without statistics: a product never has more rows on pairs than on edges.
// CHECK-LABEL: @both_ends
// CHECK: %[[XS:.*]] = gnn.gather %arg0 : {{.*}}node> -> {{.*}}src_pair>
// CHECK: %[[S:.*]] = gnn.typed_linear %[[XS]], %arg1
// CHECK: %[[SE:.*]] = gnn.gather %[[S]] : {{.*}}src_pair> -> {{.*}}edge>
// CHECK: %[[XD:.*]] = gnn.gather %arg0 : {{.*}}node> -> {{.*}}dst_pair>
// CHECK: %[[D:.*]] = gnn.typed_linear %[[XD]], %arg1
// CHECK: %[[DE:.*]] = gnn.gather %[[D]] : {{.*}}dst_pair> -> {{.*}}edge>
// CHECK: arith.mulf %[[SE]], %[[DE]]
func.func @both_ends(%x: tensor<?x64xf32, #node>, %w: tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #edge> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{src_pair rows instead of edge rows}}
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #edge>
  %2 = gnn.gather %x via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{dst_pair rows instead of edge rows}}
  %3 = gnn.typed_linear %2, %w : (tensor<?x64xf32, #edge>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #edge>
  %4 = arith.mulf %1, %3 : tensor<?x8xf32, #edge>
  return %4 : tensor<?x8xf32, #edge>
}

// An elementwise op that a product reads goes with it (CompGCN's message).
// CHECK-LABEL: @composition
// CHECK: %[[M:.*]] = gnn.apply sub %arg0, %arg1 : {{.*}} -> tensor<?x8xf32, #src_pair>
// CHECK: %[[Y:.*]] = gnn.linear %[[M]], %arg2
// CHECK: gnn.gather %[[Y]] : {{.*}}src_pair> -> {{.*}}edge>
func.func @composition(%x: tensor<?x8xf32, #node>, %r: tensor<3x8xf32, #edge_type>, %w: tensor<8x8xf32>) -> tensor<?x8xf32, #edge> {
  // expected-remark @+1 {{src_pair rows instead of edge rows, it would be a kernel of its own there}}
  %0 = gnn.apply sub %x via src, %r : (tensor<?x8xf32, #node>, tensor<3x8xf32, #edge_type>) -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{src_pair rows instead of edge rows}}
  %1 = gnn.linear %0, %w : (tensor<?x8xf32, #edge>, tensor<8x8xf32>) -> tensor<?x8xf32, #edge>
  return %1 : tensor<?x8xf32, #edge>
}

// Ops that follow in the same kernel move too; values that only a type decides
// go to type rows.
// CHECK-LABEL: @types
// CHECK: %[[P:.*]] = gnn.linear %arg0, %arg1 {{.*}} -> tensor<3x4xf32, #edge_type>
// CHECK: %[[T:.*]] = math.tanh %[[P]] : tensor<3x4xf32
// CHECK: gnn.gather %[[T]] : {{.*}}edge_type> -> {{.*}}edge>
func.func @types(%r: tensor<3x8xf32, #edge_type>, %w: tensor<8x4xf32>) -> tensor<?x4xf32, #edge> {
  %0 = gnn.gather %r : tensor<3x8xf32, #edge_type> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{edge_type rows instead of edge rows}}
  %1 = gnn.linear %0, %w : (tensor<?x8xf32, #edge>, tensor<8x4xf32>) -> tensor<?x4xf32, #edge>
  // expected-remark @+1 {{edge_type rows instead of edge rows, in the kernel that makes its operand there}}
  %2 = math.tanh %1 : tensor<?x4xf32, #edge>
  return %2 : tensor<?x4xf32, #edge>
}

// CHECK-LABEL: @whole_edge
// CHECK: gnn.sddmm %arg0 via src, %arg0 via dst
func.func @whole_edge(%x: tensor<?x8xf32, #node>) -> tensor<?xf32, #edge> {
  // expected-remark @+1 {{its rows depend on the whole edge}}
  %0 = gnn.sddmm %x via src, %x via dst : (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) -> tensor<?xf32, #edge>
  return %0 : tensor<?xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 1000000, type_edges = [1000000], src_pairs = [830000], dst_pairs = [830000]>}

// About the same time: fewer rows take less memory.
// CHECK-LABEL: @about_the_same
// CHECK: gnn.typed_linear {{.*}}src_pair>
func.func @about_the_same(%x: tensor<?x64xf32, #node>, %w: tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark-re @+1 {{830000 src_pair rows instead of 1000000 edge rows, 32{{.*}} us instead of 31{{.*}}}}
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  return %1 : tensor<?x64xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 1000000, type_edges = [1000000], src_pairs = [600000], dst_pairs = [600000], in_degree_squares = 10000000000, in_degree_max = 50000>}

// Negative: scores of the edges of a long row wait for the ids of their pairs. Those of
// a piece do not wait for long.
// PIECES-LABEL: @long_row(
// PIECES:         gnn.typed_linear {{.*}}src_pair>
// CHECK-LABEL: @long_row
// CHECK: gnn.typed_linear {{.*}}edge>
func.func @long_row(%x: tensor<?x64xf32, #node>, %w: tensor<1x64x64xf32, #edge_type>) -> tensor<?xf32, #edge> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark-re @+1 {{600000 src_pair rows instead of 1000000 edge rows, {{.*}} us instead of {{.*}}}}
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{its rows depend on the whole edge}}
  %2 = gnn.sddmm %x via dst, %1 : (tensor<?x64xf32, #node>, tensor<?x64xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}

// Nobody scores them here.
// CHECK-LABEL: @long_row_unscored
// CHECK: gnn.typed_linear {{.*}}src_pair>
func.func @long_row_unscored(%x: tensor<?x64xf32, #node>, %w: tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #node> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark-re @+1 {{600000 src_pair rows instead of 1000000 edge rows, {{.*}} us instead of {{.*}}}}
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  %2 = gnn.aggregate sum %1 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %2 : tensor<?x64xf32, #node>
}

// Weights of each edge wait for nothing, so the sum with them waits, by half as much.
// PIECES-LABEL: @long_row_weighted(
// PIECES:         gnn.typed_linear {{.*}}src_pair>
// CHECK-LABEL: @long_row_weighted
// CHECK: gnn.typed_linear {{.*}}edge>
func.func @long_row_weighted(%x: tensor<?x64xf32, #node>, %w: tensor<1x64x64xf32, #edge_type>, %a: tensor<?xf32, #edge>) -> tensor<?x64xf32, #node> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark-re @+1 {{600000 src_pair rows instead of 1000000 edge rows, {{.*}} us instead of {{.*}}}}
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  %2 = gnn.apply mul %a, %1 : (tensor<?xf32, #edge>, tensor<?x64xf32, #edge>) -> tensor<?x64xf32, #edge>
  %3 = gnn.aggregate sum %2 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %3 : tensor<?x64xf32, #node>
}

// But not where the weights are of such pairs already.
// CHECK-LABEL: @long_row_of_pairs
// CHECK: gnn.typed_linear {{.*}}src_pair>
func.func @long_row_of_pairs(%x: tensor<?x64xf32, #node>, %w: tensor<1x64x64xf32, #edge_type>, %a: tensor<?xf32, #gnn.rows<@g, src_pair>>) -> tensor<?x64xf32, #node> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark-re @+1 {{600000 src_pair rows instead of 1000000 edge rows, {{.*}} us instead of {{.*}}}}
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  %e = gnn.gather %a : tensor<?xf32, #gnn.rows<@g, src_pair>> -> tensor<?xf32, #edge>
  // expected-remark @+1 {{in the kernel that makes its operand there}}
  %2 = gnn.apply mul %e, %1 : (tensor<?xf32, #edge>, tensor<?x64xf32, #edge>) -> tensor<?x64xf32, #edge>
  %3 = gnn.aggregate sum %2 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %3 : tensor<?x64xf32, #node>
}

// -----

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>

// As many pairs as edges: nothing is saved, and the way back costs.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 1000000, type_edges = [1000000], src_pairs = [1000000], dst_pairs = [1000000]>}

// CHECK-LABEL: @no_gain
// CHECK: gnn.typed_linear {{.*}}edge>
func.func @no_gain(%x: tensor<?x64xf32, #node>, %w: tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark-re @+1 {{1000000 src_pair rows instead of 1000000 edge rows, {{.*}} us instead of {{.*}}}}
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  return %1 : tensor<?x64xf32, #edge>
}

// Ops that go on with a product that stays do not take it along.
// CHECK-LABEL: @no_gain_in_heads
// CHECK: gnn.typed_linear {{.*}}edge>
// CHECK: gnn.reshape {{.*}}edge>
// CHECK: gnn.activation {{.*}}edge>
func.func @no_gain_in_heads(%x: tensor<?x64xf32, #node>, %w: tensor<1x64x64xf32, #edge_type>) -> tensor<?x4x16xf32, #edge> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark-re @+1 {{1000000 src_pair rows instead of 1000000 edge rows, {{.*}} us instead of {{.*}}}}
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{1000000 src_pair rows instead of 1000000 edge rows, what it is made of stays where it is}}
  %2 = gnn.reshape %1 : tensor<?x64xf32, #edge> -> tensor<?x4x16xf32, #edge>
  // expected-remark @+1 {{1000000 src_pair rows instead of 1000000 edge rows, what it is made of stays where it is}}
  %3 = gnn.activation relu %2 : tensor<?x4x16xf32, #edge>
  return %3 : tensor<?x4x16xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>
#node_type = #gnn.rows<@g, node_type>
#edge_type = #gnn.rows<@g, edge_type>
#src_pair = #gnn.rows<@g, src_pair>

gnn.graph @g square {node_types = 2, edge_types = 2, schema = [[0, 1], [1, 1]]}

// The schema makes the type of the other end known by the edge type.
// CHECK-LABEL: @other_end
// CHECK: %[[T:.*]] = gnn.gather %arg1 via dst : {{.*}}node_type> -> {{.*}}edge_type>
// CHECK: gnn.gather %[[T]] : {{.*}}edge_type> -> {{.*}}src_pair>
// CHECK: gnn.dot {{.*}}src_pair>
func.func @other_end(%x: tensor<?x8xf32, #node>, %a: tensor<2x8xf32, #node_type>) -> tensor<?xf32, #edge> {
  %0 = gnn.gather %x via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %1 = gnn.gather %a via dst : tensor<2x8xf32, #node_type> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{src_pair rows instead of edge rows}}
  %2 = gnn.dot %0, %1 : (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}

// A product's weights stay in rows of types.
// CHECK-LABEL: @other_end_weight
// CHECK: %[[W:.*]] = gnn.gather %arg1 via dst : {{.*}}node_type> -> {{.*}}edge_type>
// CHECK: gnn.typed_linear %{{.*}}, %[[W]] : {{.*}}src_pair>
func.func @other_end_weight(%x: tensor<?x8xf32, #node>, %w: tensor<2x8x4xf32, #node_type>) -> tensor<?x4xf32, #edge> {
  %0 = gnn.gather %x via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{src_pair rows instead of edge rows}}
  %1 = gnn.typed_linear %0, %w via dst : (tensor<?x8xf32, #edge>, tensor<2x8x4xf32, #node_type>) -> tensor<?x4xf32, #edge>
  return %1 : tensor<?x4xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#graph = #gnn.rows<@g, graph>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 2}

// A value that the graph alone decides is computed once.
// CHECK-LABEL: @graph_row
// CHECK: %[[P:.*]] = gnn.linear %arg0, %arg1 {{.*}} -> tensor<1x8xf32, #graph>
// CHECK: gnn.gather %[[P]] : {{.*}}graph> -> {{.*}}node>
func.func @graph_row(%x: tensor<1x8xf32, #graph>, %w: tensor<8x8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x : tensor<1x8xf32, #graph> -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{graph rows instead of node rows}}
  %1 = gnn.linear %0, %w : (tensor<?x8xf32, #node>, tensor<8x8xf32>) -> tensor<?x8xf32, #node>
  return %1 : tensor<?x8xf32, #node>
}

// So are weights in all rows, where that saves products.
// CHECK-LABEL: @weights_alone
// CHECK: %[[B:.*]] = gnn.broadcast %arg0 {{.*}}graph>
// CHECK: %[[P:.*]] = gnn.linear %[[B]], %arg1
// CHECK: gnn.gather %[[P]] : {{.*}}graph> -> {{.*}}node>
// CHECK: math.tanh %{{.*}} tensor<?x8xf32, #node>
func.func @weights_alone(%x: tensor<8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) {
  %0 = gnn.broadcast %x : tensor<8xf32> -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{graph rows instead of node rows}}
  %1 = gnn.linear %0, %w : (tensor<?x8xf32, #node>, tensor<8x8xf32>) -> tensor<?x8xf32, #node>
  %2 = math.tanh %0 : tensor<?x8xf32, #node>
  return %1, %2 : tensor<?x8xf32, #node>, tensor<?x8xf32, #node>
}

// Without statistics a projection of nodes is one a node: their tensor is read
// as it is.
// CHECK-LABEL: @projection
// CHECK: %[[P:.*]] = gnn.linear %arg0, %arg1 {{.*}}node>
// CHECK: gnn.gather %[[P]] via src : {{.*}}node> -> {{.*}}edge>
func.func @projection(%x: tensor<?x8xf32, #node>, %w: tensor<8x8xf32>) -> tensor<?x8xf32, #edge> {
  %0 = gnn.gather %x via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{node rows instead of edge rows}}
  %1 = gnn.linear %0, %w : (tensor<?x8xf32, #edge>, tensor<8x8xf32>) -> tensor<?x8xf32, #edge>
  return %1 : tensor<?x8xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

// Most nodes have no edge: pairs are fewer.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 10000000, dst_nodes = 10000000, edges = 8000000, type_edges = [8000000], src_pairs = [1000], dst_pairs = [1000]>}

// CHECK-LABEL: @isolated_nodes
// CHECK: %[[X:.*]] = gnn.gather %arg0 : {{.*}}node> -> {{.*}}src_pair>
// CHECK: %[[P:.*]] = gnn.linear %[[X]], %arg1
// CHECK: gnn.gather %[[P]] : {{.*}}src_pair> -> {{.*}}edge>
func.func @isolated_nodes(%x: tensor<?x64xf32, #node>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #edge> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark-re @+1 {{1000 src_pair rows instead of 8000000 edge rows, {{.*}} us instead of {{.*}}}}
  %1 = gnn.linear %0, %w : (tensor<?x64xf32, #edge>, tensor<64x64xf32>) -> tensor<?x64xf32, #edge>
  return %1 : tensor<?x64xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>

// More types than edges.
gnn.graph @g square {node_types = 1, edge_types = 4, stats = #gnn.stats<src_nodes = 2, dst_nodes = 2, edges = 2, type_edges = [0, 1, 1, 0], src_pairs = [0, 1, 1, 0], dst_pairs = [0, 1, 1, 0]>}

// CHECK-LABEL: @few_edges
// CHECK: gnn.gather %arg0 : {{.*}}edge_type> -> {{.*}}edge>
// CHECK: gnn.linear {{.*}}edge>
func.func @few_edges(%x: tensor<4x64xf32, #edge_type>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #edge> {
  %0 = gnn.gather %x : tensor<4x64xf32, #edge_type> -> tensor<?x64xf32, #edge>
  // expected-remark-re @+1 {{4 edge_type rows instead of 2 edge rows, {{.*}}; 2 src_pair rows instead of 2 edge rows, {{.*}}; 2 dst_pair rows instead of 2 edge rows, {{.*}}}}
  %1 = gnn.linear %0, %w : (tensor<?x64xf32, #edge>, tensor<64x64xf32>) -> tensor<?x64xf32, #edge>
  return %1 : tensor<?x64xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#dst_pair = #gnn.rows<@g, dst_pair>
#node_type = #gnn.rows<@g, node_type>
gnn.graph @g square {node_types = 1, edge_types = 2, schema = [[0, 0], [0, 0]]}

// Transposed weights stay next to the product.
// CHECK-LABEL: @transposed
// CHECK: %[[W:.*]] = gnn.gather %arg1 via src : {{.*}}node_type> -> {{.*}}edge_type>
// CHECK: %[[T:.*]] = gnn.weight_transpose %[[W]]
// CHECK: gnn.typed_linear %arg0, %[[T]]
func.func @transposed(%x: tensor<?x6xf32, #dst_pair>, %w: tensor<1x2x6xf32, #node_type>) -> tensor<?x2xf32, #edge> {
  %0 = gnn.gather %x : tensor<?x6xf32, #dst_pair> -> tensor<?x6xf32, #edge>
  %1 = gnn.weight_transpose %w : (tensor<1x2x6xf32, #node_type>) -> tensor<1x6x2xf32, #node_type>
  // expected-remark @+1 {{dst_pair rows instead of edge rows}}
  %2 = gnn.typed_linear %0, %1 via src : (tensor<?x6xf32, #edge>, tensor<1x6x2xf32, #node_type>) -> tensor<?x2xf32, #edge>
  return %2 : tensor<?x2xf32, #edge>
}

// -----

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 10000000, dst_nodes = 10000000, edges = 1000000, type_edges = [1000000], src_pairs = [1000], dst_pairs = [1000], in_degree_squares = 10000000000, in_degree_max = 50000>}

// Weighing looks ahead and leaves no trace: what comes later goes where what it
// reads has gone.
// CHECK-LABEL: @looks_ahead
// CHECK: gnn.linear {{.*}}src_pair>
// CHECK: gnn.linear {{.*}}src_pair>
func.func @looks_ahead(%x: tensor<?x64xf32, #node>, %w: tensor<64x64xf32>, %v: tensor<64x1xf32>) -> tensor<?x64xf32, #node> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark-re @+1 {{1000 src_pair rows instead of 1000000 edge rows, {{.*}}}}
  %1 = gnn.linear %0, %w : (tensor<?x64xf32, #edge>, tensor<64x64xf32>) -> tensor<?x64xf32, #edge>
  // expected-remark-re @+1 {{1000 src_pair rows instead of 1000000 edge rows, {{.*}}}}
  %2 = gnn.linear %1, %v : (tensor<?x64xf32, #edge>, tensor<64x1xf32>) -> tensor<?x1xf32, #edge>
  // expected-remark-re @+1 {{1000 src_pair rows instead of 1000000 edge rows{{.*}}}}
  %3 = gnn.reshape %2 : tensor<?x1xf32, #edge> -> tensor<?xf32, #edge>
  // expected-remark-re @+1 {{1000 src_pair rows instead of 1000000 edge rows{{.*}}}}
  %4 = gnn.apply mul %3, %1 : (tensor<?xf32, #edge>, tensor<?x64xf32, #edge>) -> tensor<?x64xf32, #edge>
  %5 = gnn.aggregate sum %4 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %5 : tensor<?x64xf32, #node>
}

// -----

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 3}

// A condition stays with what reads it: rows of conditions are not gathered.
// CHECK-LABEL: @condition
// CHECK: gnn.typed_linear {{.*}}dst_pair>
// CHECK: arith.cmpf ogt, {{.*}}edge>
// CHECK: arith.select {{.*}}edge>
func.func @condition(%x: tensor<?x64xf32, #node>, %e: tensor<?x8xf32, #edge>, %w: tensor<3x64x8xf32, #edge_type>, %b: tensor<8xf32>) -> tensor<?x8xf32, #edge> {
  %0 = gnn.gather %x via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{dst_pair rows instead of edge rows}}
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #edge>
  %2 = gnn.broadcast %b : tensor<8xf32> -> tensor<?x8xf32, #edge>
  %3 = arith.cmpf ogt, %1, %2 : tensor<?x8xf32, #edge>
  %4 = arith.select %3, %e, %2 : tensor<?x8xi1, #edge>, tensor<?x8xf32, #edge>
  return %4 : tensor<?x8xf32, #edge>
}
