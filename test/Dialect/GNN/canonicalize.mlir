// RUN: gnn-opt %s --canonicalize='test-convergence' --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @t square {node_types = 2, edge_types = 2, schema = [[0, 1], [1, 0]]}

!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>
!src_pair = tensor<?x8xf32, #gnn.rows<@g, src_pair>>
!dst_pair = tensor<?x8xf32, #gnn.rows<@g, dst_pair>>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!node_type = tensor<2x8xf32, #gnn.rows<@g, node_type>>
!edge_type = tensor<3x8xf32, #gnn.rows<@g, edge_type>>
!graph = tensor<1x8xf32, #gnn.rows<@g, graph>>

// A gather to the same rows is nothing.
//
// CHECK-LABEL: func.func @gather_identity
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         return %[[X]]
func.func @gather_identity(%x: !node) -> !node {
  %y = gnn.gather %x : !node -> !node
  return %y : !node
}

// The end comes from the pair that the first gather passes.
//
// CHECK-LABEL: func.func @gather_through_pair
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         %[[Y:.+]] = gnn.gather %[[X]] via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
// CHECK:         return %[[Y]]
func.func @gather_through_pair(%x: !node) -> !edge {
  %p = gnn.gather %x : !node -> !src_pair
  %y = gnn.gather %p : !src_pair -> !edge
  return %y : !edge
}

// The end is that of the outer gather: a node has one type.
//
// CHECK-LABEL: func.func @gather_through_node
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         %[[Y:.+]] = gnn.gather %[[X]] via dst : tensor<2x8xf32, #node_type> -> tensor<?x8xf32, #edge>
// CHECK:         return %[[Y]]
func.func @gather_through_node(%x: !node_type) -> !edge {
  %n = gnn.gather %x : !node_type -> !node
  %y = gnn.gather %n via dst : !node -> !edge
  return %y : !edge
}

// All ways to the edge type are one, so no end is left.
//
// CHECK-LABEL: func.func @gather_type_through_pair
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         %[[Y:.+]] = gnn.gather %[[X]] : tensor<3x8xf32, #edge_type> -> tensor<?x8xf32, #edge>
// CHECK:         return %[[Y]]
func.func @gather_type_through_pair(%x: !edge_type) -> !edge {
  %p = gnn.gather %x : !edge_type -> !dst_pair
  %y = gnn.gather %p : !dst_pair -> !edge
  return %y : !edge
}

// Negative: a source pair leads to the type of its source only.
//
// CHECK-LABEL: func.func @gather_by_schema_to_other_end
// CHECK:         gnn.gather %{{.+}} via dst
// CHECK:         gnn.gather
func.func @gather_by_schema_to_other_end(%x: tensor<2x8xf32, #gnn.rows<@t, node_type>>)
    -> tensor<?x8xf32, #gnn.rows<@t, src_pair>> {
  %r = gnn.gather %x via dst : tensor<2x8xf32, #gnn.rows<@t, node_type>> -> tensor<2x8xf32, #gnn.rows<@t, edge_type>>
  %y = gnn.gather %r : tensor<2x8xf32, #gnn.rows<@t, edge_type>> -> tensor<?x8xf32, #gnn.rows<@t, src_pair>>
  return %y : tensor<?x8xf32, #gnn.rows<@t, src_pair>>
}

// CHECK-LABEL: func.func @gather_of_repeated_weight
// CHECK-SAME:    %[[B:.+]]: tensor<8xf32>
// CHECK:         %[[Y:.+]] = gnn.broadcast %[[B]] : tensor<8xf32> -> tensor<?x8xf32, #edge>
// CHECK:         return %[[Y]]
func.func @gather_of_repeated_weight(%b: tensor<8xf32>) -> !edge {
  %n = gnn.broadcast %b : tensor<8xf32> -> !node
  %y = gnn.gather %n via src : !node -> !edge
  return %y : !edge
}

// CHECK-LABEL: func.func @aggregate_identity
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         return %[[X]]
func.func @aggregate_identity(%x: !node) -> !node {
  %y = gnn.aggregate mean %x : !node -> !node
  return %y : !node
}

// Negative: the argument numbers the rows.
//
// CHECK-LABEL: func.func @aggregate_identity_with_argument
// CHECK:         gnn.aggregate max
func.func @aggregate_identity_with_argument(%x: !node) -> (!node, tensor<?x8xi32, #gnn.rows<@g, node>>) {
  %y, %i = gnn.aggregate max %x : !node -> !node, tensor<?x8xi32, #gnn.rows<@g, node>>
  return %y, %i : !node, tensor<?x8xi32, #gnn.rows<@g, node>>
}

// CHECK-LABEL: func.func @aggregate_unused_argument
// CHECK:         %[[Y:.+]] = gnn.aggregate max %{{.+}} via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>{{$}}
// CHECK:         return %[[Y]]
func.func @aggregate_unused_argument(%x: !edge) -> !node {
  %y, %i = gnn.aggregate max %x via dst : !edge -> !node, tensor<?x8xi32, #gnn.rows<@g, node>>
  return %y : !node
}

// CHECK-LABEL: func.func @max_through_pair
// CHECK:         %[[Y:.+]] = gnn.aggregate max %{{.+}} via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
// CHECK-NEXT:    return %[[Y]]
func.func @max_through_pair(%x: !edge) -> !node {
  %p = gnn.aggregate max %x : !edge -> !dst_pair
  %y = gnn.aggregate max %p : !dst_pair -> !node
  return %y : !node
}

// Negative: a node without edges gives 0, which may be the maximum.
//
// CHECK-LABEL: func.func @max_through_node
// CHECK-COUNT-2: gnn.aggregate max
func.func @max_through_node(%x: !edge) -> !graph {
  %n = gnn.aggregate max %x via dst : !edge -> !node
  %y = gnn.aggregate max %n : !node -> !graph
  return %y : !graph
}

// Negative: sums of sums round differently.
//
// CHECK-LABEL: func.func @sum_through_pair
// CHECK-COUNT-2: gnn.aggregate sum
func.func @sum_through_pair(%x: !edge) -> !node {
  %p = gnn.aggregate sum %x : !edge -> !dst_pair
  %y = gnn.aggregate sum %p : !dst_pair -> !node
  return %y : !node
}

// Equal rows have their maximum.
//
// CHECK-LABEL: func.func @max_of_gather
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK-NEXT:    return %[[X]]
func.func @max_of_gather(%x: !src_pair) -> !src_pair {
  %e = gnn.gather %x : !src_pair -> !edge
  %y = gnn.aggregate max %e : !edge -> !src_pair
  return %y : !src_pair
}

// Negative: a node without edges gives 0.
//
// CHECK-LABEL: func.func @max_of_gather_with_empty_groups
// CHECK:         gnn.aggregate max
func.func @max_of_gather_with_empty_groups(%x: !node) -> !node {
  %e = gnn.gather %x via src : !node -> !edge
  %y = gnn.aggregate max %e via src : !edge -> !node
  return %y : !node
}

// CHECK-LABEL: func.func @apply_copy
// CHECK:         gnn.gather %{{.+}} via dst
func.func @apply_copy(%x: !node) -> !edge {
  %y = gnn.apply copy %x via dst : (!node) -> !edge
  return %y : !edge
}

// CHECK-LABEL: func.func @sddmm_of_own_rows
// CHECK:         gnn.dot
func.func @sddmm_of_own_rows(%x: !edge) -> tensor<?xf32, #gnn.rows<@g, edge>> {
  %y = gnn.sddmm %x, %x : (!edge, !edge) -> tensor<?xf32, #gnn.rows<@g, edge>>
  return %y : tensor<?xf32, #gnn.rows<@g, edge>>
}

// Negative: one operand is on nodes.
//
// CHECK-LABEL: func.func @sddmm_of_nodes
// CHECK:         gnn.sddmm
func.func @sddmm_of_nodes(%x: !edge, %n: !node) -> tensor<?xf32, #gnn.rows<@g, edge>> {
  %y = gnn.sddmm %x, %n via src : (!edge, !node) -> tensor<?xf32, #gnn.rows<@g, edge>>
  return %y : tensor<?xf32, #gnn.rows<@g, edge>>
}

// CHECK-LABEL: func.func @spmm_copy_of_edges
// CHECK:         gnn.aggregate mean %{{.+}} via dst
func.func @spmm_copy_of_edges(%x: !edge) -> !node {
  %y = gnn.spmm copy %x reduce mean via dst : (!edge) -> !node
  return %y : !node
}

// Negative: a copy of nodes is a gather besides.
//
// CHECK-LABEL: func.func @spmm_copy_of_nodes
// CHECK:         gnn.spmm copy
func.func @spmm_copy_of_nodes(%x: !node) -> !node {
  %y = gnn.spmm copy %x via src reduce mean via dst : (!node) -> !node
  return %y : !node
}

// -----

gnn.graph @block bipartite {node_types = 1, edge_types = 1}
gnn.graph @next bipartite {node_types = 1, edge_types = 1}
gnn.graph @last bipartite {node_types = 1, edge_types = 1}

!dst = tensor<?x8xf32, #gnn.rows<@block, dst>>
!src = tensor<?x8xf32, #gnn.rows<@next, src>>

// CHECK-LABEL: func.func @rebind_back
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         return %[[X]]
func.func @rebind_back(%x: !dst) -> !dst {
  %y = gnn.rebind_rows %x : !dst -> !src
  %z = gnn.rebind_rows %y : !src -> !dst
  return %z : !dst
}

// Negative: the third graph has to have as many nodes as the second.
//
// CHECK-LABEL: func.func @rebind_on
// CHECK-COUNT-2: gnn.rebind_rows
func.func @rebind_on(%x: !dst) -> tensor<?x8xf32, #gnn.rows<@last, src>> {
  %y = gnn.rebind_rows %x : !dst -> !src
  %z = gnn.rebind_rows %y : !src -> tensor<?x8xf32, #gnn.rows<@last, src>>
  return %z : tensor<?x8xf32, #gnn.rows<@last, src>>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!row = tensor<?xf32, #gnn.rows<@g, node>>
!x = tensor<?x8xf32, #gnn.rows<@g, node>>
!half = tensor<?x4xf32, #gnn.rows<@g, node>>
!heads = tensor<?x1x8xf32, #gnn.rows<@g, node>>

// CHECK-LABEL: func.func @relu_twice
// CHECK:         %[[Y:.+]] = gnn.activation relu
// CHECK-NEXT:    return %[[Y]]
func.func @relu_twice(%x: !x) -> !x {
  %y = gnn.activation relu %x : !x
  %z = gnn.activation relu %y : !x
  return %z : !x
}

// Negative: other functions differ when applied twice.
//
// CHECK-LABEL: func.func @leaky_relu_twice
// CHECK-COUNT-2: gnn.activation leaky_relu
func.func @leaky_relu_twice(%x: !x) -> !x {
  %y = gnn.activation leaky_relu %x alpha = 0.2 : !x
  %z = gnn.activation leaky_relu %y alpha = 0.2 : !x
  return %z : !x
}

// CHECK-LABEL: func.func @dropout_of_nothing
// CHECK-SAME:    %[[X:[^:]+]]: tensor
// CHECK:         return %[[X]]
func.func @dropout_of_nothing(%x: !x, %s: i64) -> !x {
  %y = gnn.dropout %x p = 0.0 seed %s offset %s : !x
  return %y : !x
}

// CHECK-LABEL: func.func @concat_of_one
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         return %[[X]]
func.func @concat_of_one(%x: !x) -> !x {
  %y = gnn.concat %x : (!x) -> !x
  return %y : !x
}

// CHECK-LABEL: func.func @slice_of_all
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         return %[[X]]
func.func @slice_of_all(%x: !x) -> !x {
  %y = gnn.slice %x at 0 : !x -> !x
  return %y : !x
}

// CHECK-LABEL: func.func @slice_of_slice
// CHECK:         gnn.slice %{{.+}} at 3 : tensor<?x8xf32, #node> -> tensor<?x2xf32, #node>
// CHECK-NEXT:    return
func.func @slice_of_slice(%x: !x) -> tensor<?x2xf32, #gnn.rows<@g, node>> {
  %y = gnn.slice %x at 1 : !x -> !half
  %z = gnn.slice %y at 2 : !half -> tensor<?x2xf32, #gnn.rows<@g, node>>
  return %z : tensor<?x2xf32, #gnn.rows<@g, node>>
}

// CHECK-LABEL: func.func @slice_of_concat
// CHECK-SAME:    %{{.+}}: tensor<{{[^>]+}}>, %[[B:.+]]: tensor
// CHECK:         return %[[B]]
func.func @slice_of_concat(%a: !x, %b: !half) -> !half {
  %c = gnn.concat %a, %b : (!x, !half) -> tensor<?x12xf32, #gnn.rows<@g, node>>
  %y = gnn.slice %c at 8 : tensor<?x12xf32, #gnn.rows<@g, node>> -> !half
  return %y : !half
}

// Negative: the part straddles two inputs.
//
// CHECK-LABEL: func.func @slice_across_concat
// CHECK:         gnn.slice
func.func @slice_across_concat(%a: !x, %b: !half) -> !half {
  %c = gnn.concat %a, %b : (!x, !half) -> tensor<?x12xf32, #gnn.rows<@g, node>>
  %y = gnn.slice %c at 6 : tensor<?x12xf32, #gnn.rows<@g, node>> -> !half
  return %y : !half
}

// CHECK-LABEL: func.func @reshape_and_back
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         return %[[X]]
func.func @reshape_and_back(%x: !x) -> !x {
  %y = gnn.reshape %x : !x -> tensor<?x2x4xf32, #gnn.rows<@g, node>>
  %z = gnn.reshape %y : tensor<?x2x4xf32, #gnn.rows<@g, node>> -> !x
  return %z : !x
}

// CHECK-LABEL: func.func @broadcast_of_broadcast
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         %[[Y:.+]] = gnn.broadcast %[[X]] : tensor<?xf32, #node> -> tensor<?x1x8xf32, #node>
// CHECK-NEXT:    return %[[Y]]
func.func @broadcast_of_broadcast(%x: !row) -> !heads {
  %y = gnn.broadcast %x : !row -> tensor<?x1xf32, #gnn.rows<@g, node>>
  %z = gnn.broadcast %y : tensor<?x1xf32, #gnn.rows<@g, node>> -> !heads
  return %z : !heads
}

// Negative: a weight is repeated from the front, rows from the back.
//
// CHECK-LABEL: func.func @broadcast_of_repeated_weight
// CHECK-COUNT-2: gnn.broadcast
func.func @broadcast_of_repeated_weight(%w: tensor<8xf32>) -> tensor<?x8x8xf32, #gnn.rows<@g, node>> {
  %y = gnn.broadcast %w : tensor<8xf32> -> !x
  %z = gnn.broadcast %y : !x -> tensor<?x8x8xf32, #gnn.rows<@g, node>>
  return %z : tensor<?x8x8xf32, #gnn.rows<@g, node>>
}

// CHECK-LABEL: func.func @reduce_one_head
// CHECK:         gnn.reshape %{{.+}} : tensor<?x1x8xf32, #node> -> tensor<?x8xf32, #node>
func.func @reduce_one_head(%x: !heads) -> !x {
  %y = gnn.reduce_heads mean %x : !heads -> !x
  return %y : !x
}

// CHECK-LABEL: func.func @reduce_one_feature
// CHECK:         gnn.reshape %{{.+}} : tensor<?x1xf32, #node> -> tensor<?xf32, #node>
func.func @reduce_one_feature(%x: tensor<?x1xf32, #gnn.rows<@g, node>>) -> !row {
  %y = gnn.reduce_features max %x : tensor<?x1xf32, #gnn.rows<@g, node>> -> !row
  return %y : !row
}

// Negative: several heads are reduced.
//
// CHECK-LABEL: func.func @reduce_heads
// CHECK:         gnn.reduce_heads sum
func.func @reduce_heads(%x: tensor<?x2x8xf32, #gnn.rows<@g, node>>) -> !x {
  %y = gnn.reduce_heads sum %x : tensor<?x2x8xf32, #gnn.rows<@g, node>> -> !x
  return %y : !x
}

// One head is the extreme.
//
// CHECK-LABEL: func.func @pick_of_one_head
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x8xf32
// CHECK:         %[[Y:.+]] = gnn.reshape %[[X]] : tensor<?x8xf32, #node> -> tensor<?x1x8xf32, #node>
// CHECK-NEXT:    return %[[Y]]
func.func @pick_of_one_head(%x: !x, %of: !heads) -> !heads {
  %y = gnn.pick_feature %x at max heads of %of : !x, !heads
  return %y : !heads
}

// Negative: one of eight features is.
//
// CHECK-LABEL: func.func @pick_of_features
// CHECK:         gnn.pick_feature
func.func @pick_of_features(%x: tensor<?x1xf32, #gnn.rows<@g, node>>, %of: !heads) -> !heads {
  %y = gnn.pick_feature %x at max features of %of : tensor<?x1xf32, #gnn.rows<@g, node>>, !heads
  return %y : !heads
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
gnn.graph @s square of @g types [0, 2] {node_types = 1, edge_types = 2}
gnn.graph @r square of @g types [1, 2] {node_types = 1, edge_types = 2}
gnn.graph @o square of @g types [1] {node_types = 1, edge_types = 1}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}

!rows = tensor<?x8xf32, #gnn.rows<@s, edge>>

// CHECK-LABEL: func.func @restrict_of_expand
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         return %[[X]]
func.func @restrict_of_expand(%x: !rows) -> !rows {
  %y = gnn.expand_rows %x : !rows -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %z = gnn.restrict_rows %y : tensor<?x8xf32, #gnn.rows<@g, edge>> -> !rows
  return %z : !rows
}

// Negative: rows of other edge types are 0.
//
// CHECK-LABEL: func.func @restrict_of_expand_elsewhere
// CHECK:         gnn.expand_rows
// CHECK:         gnn.restrict_rows
func.func @restrict_of_expand_elsewhere(%x: !rows) -> tensor<?x8xf32, #gnn.rows<@r, edge>> {
  %y = gnn.expand_rows %x : !rows -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %z = gnn.restrict_rows %y : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@r, edge>>
  return %z : tensor<?x8xf32, #gnn.rows<@r, edge>>
}

// Rows of edge types of their own are put beside each other; of one of them, there is
// no copy.
//
// CHECK-LABEL: func.func @expand_both
// CHECK-SAME:    %[[X:[^:]+]]: tensor{{.+}}, %[[U:[^:]+]]: tensor
// CHECK-NEXT:    %[[Y:.+]] = gnn.expand_rows %[[X]], %[[U]]
// CHECK-NEXT:    return %[[Y]], %[[U]]
func.func @expand_both(%x: !rows, %u: tensor<?x8xf32, #gnn.rows<@o, edge>>)
    -> (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@o, edge>>) {
  %y = gnn.expand_rows %x : !rows -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %z = gnn.expand_rows %u : tensor<?x8xf32, #gnn.rows<@o, edge>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %s = arith.addf %y, %z : tensor<?x8xf32, #gnn.rows<@g, edge>>
  %b = gnn.expand_rows %x, %u : !rows, tensor<?x8xf32, #gnn.rows<@o, edge>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %r = gnn.restrict_rows %b : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@o, edge>>
  return %s, %r : tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@o, edge>>
}

// Negative: an edge type of both, and one with another reader.
//
// CHECK-LABEL: func.func @expand_common
// CHECK:         arith.addf
// CHECK:         arith.addf
func.func @expand_common(%x: !rows, %u: tensor<?x8xf32, #gnn.rows<@r, edge>>, %v: tensor<?x8xf32, #gnn.rows<@o, edge>>)
    -> (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  %y = gnn.expand_rows %x : !rows -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %z = gnn.expand_rows %u : tensor<?x8xf32, #gnn.rows<@r, edge>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %s = arith.addf %y, %z : tensor<?x8xf32, #gnn.rows<@g, edge>>
  %p = gnn.expand_rows %x : !rows -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %q = gnn.expand_rows %v : tensor<?x8xf32, #gnn.rows<@o, edge>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %t = arith.addf %p, %q : tensor<?x8xf32, #gnn.rows<@g, edge>>
  return %s, %q, %t : tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, edge>>
}

// CHECK-LABEL: func.func @prefix_of_extend
// CHECK-SAME:    %[[X:.+]]: tensor
// CHECK:         return %[[X]]
func.func @prefix_of_extend(%x: tensor<?x8xf32, #gnn.rows<@block, dst>>) -> tensor<?x8xf32, #gnn.rows<@block, dst>> {
  %y = gnn.extend_rows %x : tensor<?x8xf32, #gnn.rows<@block, dst>> -> tensor<?x8xf32, #gnn.rows<@block, src>>
  %z = gnn.prefix_rows %y : tensor<?x8xf32, #gnn.rows<@block, src>> -> tensor<?x8xf32, #gnn.rows<@block, dst>>
  return %z : tensor<?x8xf32, #gnn.rows<@block, dst>>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
gnn.graph @s square of @g types [0, 2] {node_types = 1, edge_types = 2}

// A transposed weight stays beside its product.
//
// CHECK-LABEL: func.func @restrict_transpose
// CHECK: %[[R:.+]] = gnn.restrict_rows %{{.+}} : tensor<3x4x8xf32, {{.+}} -> tensor<2x4x8xf32,
// CHECK: gnn.weight_transpose %[[R]]
func.func @restrict_transpose(%w: tensor<3x4x8xf32, #gnn.rows<@g, edge_type>>)
    -> tensor<2x8x4xf32, #gnn.rows<@s, edge_type>> {
  %0 = gnn.weight_transpose %w : (tensor<3x4x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>
  %1 = gnn.restrict_rows %0 : tensor<3x8x4xf32, #gnn.rows<@g, edge_type>> -> tensor<2x8x4xf32, #gnn.rows<@s, edge_type>>
  return %1 : tensor<2x8x4xf32, #gnn.rows<@s, edge_type>>
}

// Rows of a derived graph are gathered there.
//
// CHECK-LABEL: func.func @restrict_gather
// CHECK-SAME: %[[X:.+]]: tensor<?x8xf32, #node>, %[[T:.+]]: tensor<3x
// CHECK-DAG: %[[N:.+]] = gnn.rebind_rows %[[X]]
// CHECK-DAG: %[[E:.+]] = gnn.gather %[[N]] via src : {{.+}} -> tensor<?x8xf32, #s_edge>
// CHECK-DAG: %[[R:.+]] = gnn.restrict_rows %[[T]] : {{.+}} -> tensor<2xf32, #s_edge_type>
// CHECK-DAG: %[[P:.+]] = gnn.gather %[[R]] : {{.+}} -> tensor<?xf32, #s_src_pair>
// CHECK: return %[[E]], %[[P]]
func.func @restrict_gather(%x: tensor<?x8xf32, #gnn.rows<@g, node>>,
                           %t: tensor<3xf32, #gnn.rows<@g, edge_type>>)
    -> (tensor<?x8xf32, #gnn.rows<@s, edge>>, tensor<?xf32, #gnn.rows<@s, src_pair>>) {
  %0 = gnn.gather %x via src : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %1 = gnn.restrict_rows %0 : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@s, edge>>
  %2 = gnn.gather %t : tensor<3xf32, #gnn.rows<@g, edge_type>> -> tensor<?xf32, #gnn.rows<@g, src_pair>>
  %3 = gnn.restrict_rows %2 : tensor<?xf32, #gnn.rows<@g, src_pair>> -> tensor<?xf32, #gnn.rows<@s, src_pair>>
  return %1, %3 : tensor<?x8xf32, #gnn.rows<@s, edge>>, tensor<?xf32, #gnn.rows<@s, src_pair>>
}

// An attention reads each row once, and none that its body does not read.
//
// CHECK-LABEL: func.func @attention_inputs
// CHECK-SAME: %[[X:.+]]: tensor<?x8x4xf32, #node>, %{{.+}}: tensor<?x8xf32
// CHECK: gnn.attention(%[[A:.+]] = %[[X]] via src, %[[B:.+]] = %[[X]] via dst) value %[[X]] via src over dst :
// CHECK-NEXT: %[[D:.+]] = gnn.row_dot %[[A]], %[[A]]
// CHECK-NEXT: %[[E:.+]] = gnn.row_dot %[[A]], %[[B]]
// CHECK-NEXT: arith.addf %[[D]], %[[E]]
func.func @attention_inputs(%x: tensor<?x8x4xf32, #gnn.rows<@g, node>>,
                            %s: tensor<?x8xf32, #gnn.rows<@g, edge>>)
    -> tensor<?x8x4xf32, #gnn.rows<@g, node>> {
  %y = gnn.attention(%a = %x via src, %n = %s, %b = %x via src, %c = %x via dst) value %x via src over dst : (tensor<?x8x4xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8x4xf32, #gnn.rows<@g, node>>, tensor<?x8x4xf32, #gnn.rows<@g, node>>, tensor<?x8x4xf32, #gnn.rows<@g, node>>) -> tensor<?x8x4xf32, #gnn.rows<@g, node>> {
    %d = gnn.row_dot %a, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8xf32>
    %e = gnn.row_dot %a, %c : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8xf32>
    %f = arith.addf %d, %e : tensor<8xf32>
    gnn.yield %f : tensor<8xf32>
  }
  return %y : tensor<?x8x4xf32, #gnn.rows<@g, node>>
}

// A part of what lies between zeros is a part of that, where it takes no zeros.
//
// CHECK-LABEL: func.func @pads
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-DAG: %[[P:.+]] = gnn.pad %[[X]] at 7 : tensor<?x8xf32, #node> -> tensor<?x20xf32, #node>
// CHECK-DAG: %[[S:.+]] = gnn.slice %[[X]] at 2 : tensor<?x8xf32, #node> -> tensor<?x4xf32, #node>
// CHECK-DAG: %[[Z:.+]] = gnn.slice %[[P]] at 6
// CHECK: return %[[P]], %[[X]], %[[S]], %[[Z]]
func.func @pads(%x: tensor<?x8xf32, #gnn.rows<@g, node>>)
    -> (tensor<?x20xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>,
        tensor<?x4xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) {
  %0 = gnn.pad %x at 3 : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x16xf32, #gnn.rows<@g, node>>
  %1 = gnn.pad %0 at 4 : tensor<?x16xf32, #gnn.rows<@g, node>> -> tensor<?x20xf32, #gnn.rows<@g, node>>
  %2 = gnn.slice %1 at 7 : tensor<?x20xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  %3 = gnn.slice %1 at 9 : tensor<?x20xf32, #gnn.rows<@g, node>> -> tensor<?x4xf32, #gnn.rows<@g, node>>
  %4 = gnn.slice %1 at 6 : tensor<?x20xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  %5 = gnn.pad %2 at 0 : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return %1, %5, %3, %4 : tensor<?x20xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>
}

// A sum over no dimension is no sum.
//
// CHECK-LABEL: func.func @sum_of_weight
// CHECK-SAME: %[[W:.+]]: tensor<8xf32>
// CHECK: return %[[W]]
func.func @sum_of_weight(%w: tensor<8xf32>) -> tensor<8xf32> {
  %0 = gnn.sum_rows %w : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Parts that are added up, each between zeros, lie side by side, in whatever
// order they come; what else is added stays.
//
// CHECK-LABEL: func.func @joined_pads
// CHECK-SAME: %[[A:[^:]+]]: tensor{{.+}}, %[[B:[^:]+]]: tensor{{.+}}, %[[C:[^:]+]]: tensor{{.+}}, %[[Y:[^:]+]]: tensor
// CHECK: %[[ABC:.+]] = gnn.concat %[[A]], %[[B]], %[[C]]
// CHECK: %[[S:.+]] = arith.addf %[[ABC]], %[[Y]]
// CHECK: return %[[S]]
func.func @joined_pads(%a: tensor<?x4xf32, #gnn.rows<@g, node>>, %b: tensor<?x4xf32, #gnn.rows<@g, node>>,
                       %c: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x16xf32, #gnn.rows<@g, node>>)
    -> tensor<?x16xf32, #gnn.rows<@g, node>> {
  %0 = gnn.pad %a at 0 : tensor<?x4xf32, #gnn.rows<@g, node>> -> tensor<?x16xf32, #gnn.rows<@g, node>>
  %1 = gnn.pad %c at 8 : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x16xf32, #gnn.rows<@g, node>>
  %2 = gnn.pad %b at 4 : tensor<?x4xf32, #gnn.rows<@g, node>> -> tensor<?x16xf32, #gnn.rows<@g, node>>
  %3 = arith.addf %0, %1 : tensor<?x16xf32, #gnn.rows<@g, node>>
  %4 = arith.addf %3, %2 : tensor<?x16xf32, #gnn.rows<@g, node>>
  %5 = arith.addf %4, %y : tensor<?x16xf32, #gnn.rows<@g, node>>
  return %5 : tensor<?x16xf32, #gnn.rows<@g, node>>
}

// Negative: weights stay a sum, for gnn.concat joins rows.
//
// CHECK-LABEL: func.func @parts_of_weights
// CHECK-DAG: %[[A:.+]] = gnn.pad %{{.+}} at 0 : tensor<12xf32> -> tensor<24xf32>
// CHECK-DAG: %[[B:.+]] = gnn.pad %{{.+}} at 12 : tensor<12xf32> -> tensor<24xf32>
// CHECK:     arith.addf %[[A]], %[[B]]
func.func @parts_of_weights(%a: tensor<12xf32>, %b: tensor<12xf32>) -> tensor<24xf32> {
  %0 = gnn.pad %a at 0 : tensor<12xf32> -> tensor<24xf32>
  %1 = gnn.pad %b at 12 : tensor<12xf32> -> tensor<24xf32>
  %2 = arith.addf %0, %1 : tensor<24xf32>
  return %2 : tensor<24xf32>
}

// Parts that overlap, or that something else reads between zeros, are added up;
// so are those with other terms between them, whose order counts.
//
// CHECK-LABEL: func.func @other_pads
// CHECK-NOT: gnn.concat
func.func @other_pads(%a: tensor<?x4xf32, #gnn.rows<@g, node>>, %y: tensor<?x8xf32, #gnn.rows<@g, node>>)
    -> (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) {
  %0 = gnn.pad %a at 0 : tensor<?x4xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  %1 = gnn.pad %a at 3 : tensor<?x4xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  %2 = gnn.pad %a at 4 : tensor<?x4xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  %3 = arith.addf %0, %1 : tensor<?x8xf32, #gnn.rows<@g, node>>
  %4 = arith.addf %0, %y : tensor<?x8xf32, #gnn.rows<@g, node>>
  %5 = arith.addf %4, %2 : tensor<?x8xf32, #gnn.rows<@g, node>>
  return %3, %5, %2 : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>
}
