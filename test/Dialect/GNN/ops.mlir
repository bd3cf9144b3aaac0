// RUN: gnn-opt %s --mlir-print-local-scope --verify-roundtrip | FileCheck %s

// CHECK: gnn.graph @g square {node_types = 2, edge_types = 3, schema = {{\[\[}}0, 1], [1, 1], [-1, -1]]}
gnn.graph @g square {node_types = 2, edge_types = 3, schema = [[0, 1], [1, 1], [-1, -1]]}
// CHECK: gnn.graph @typed square {node_types = 2, edge_types = 2, schema = {{\[\[}}0, 1], [1, 1]]}
gnn.graph @typed square {edge_types = 2, schema = [[0, 1], [1, 1]], node_types = 2}
// CHECK: gnn.graph @empty square {node_types = 0, edge_types = 0, schema = []}
gnn.graph @empty square {node_types = 0, edge_types = 0, schema = []}
// CHECK: gnn.graph @part square of @g types [0, 2] {node_types = 2, edge_types = 2, schema = {{\[\[}}0, 1], [-1, -1]]}
gnn.graph @part square of @g types [0, 2] {node_types = 2, edge_types = 2, schema = [[0, 1], [-1, -1]]}
// CHECK: gnn.graph @cut square of @g shards 4 of src {node_types = 2, edge_types = 4}
gnn.graph @cut square of @g shards 4 of src {node_types = 2, edge_types = 4}
// CHECK: gnn.graph @some_cut square of @g types [0, 2] shards 3 of dst {node_types = 2, edge_types = 3}
gnn.graph @some_cut square of @g types [0, 2] shards 3 of dst {node_types = 2, edge_types = 3}
// CHECK: gnn.graph @looped_cut square of @g loops replace type 3 shards 2 of src {node_types = 2, edge_types = 2}
gnn.graph @looped_cut square of @g loops replace type 3 shards 2 of src {node_types = 2, edge_types = 2}
// CHECK: gnn.graph @none bipartite of @block types [] {node_types = 1, edge_types = 0}
gnn.graph @none bipartite of @block types [] {node_types = 1, edge_types = 0}
// CHECK: gnn.graph @rows bipartite {node_types = 1, edge_types = 1, dst_sorted}
gnn.graph @rows bipartite {dst_sorted, node_types = 1, edge_types = 1}

// CHECK: gnn.graph @loops square {node_types = 1, edge_types = 1, self_loops}
gnn.graph @loops square {node_types = 1, self_loops, edge_types = 1}
// CHECK: gnn.graph @block bipartite {node_types = 1, edge_types = 1}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}
// CHECK: gnn.graph @next bipartite {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 4, dst_nodes = 2, edges = 5, type_edges = [5], src_pairs = [3], dst_pairs = [2], in_degree_squares = 13, in_degree_max = 3>}
gnn.graph @next bipartite {node_types = 1, edge_types = 1, stats = #gnn.stats<
  src_nodes = 4, dst_nodes = 2, edges = 5, type_edges = [5], src_pairs = [3],
  dst_pairs = [2], in_degree_squares = 13, in_degree_max = 3>}
// CHECK: gnn.graph @longest square {{.*}} dst_pairs = [2, 1], src_pair_max = [], dst_pair_max = [2, 1]>}
gnn.graph @longest square {node_types = 1, edge_types = 2, stats = #gnn.stats<
  src_nodes = 4, dst_nodes = 4, edges = 5, type_edges = [4, 1], src_pairs = [3, 1],
  dst_pairs = [2, 1], src_pair_max = [], dst_pair_max = [2, 1]>}

!edge = tensor<?x64xf32, #gnn.rows<@g, edge>>
!src_pair = tensor<?x64xf32, #gnn.rows<@g, src_pair>>
!dst_pair = tensor<?x64xf32, #gnn.rows<@g, dst_pair>>
!node = tensor<?x64xf32, #gnn.rows<@g, node>>
!heads = tensor<?x8x16xf32, #gnn.rows<@g, node>>
!edge_heads = tensor<?x8x16xf32, #gnn.rows<@g, edge>>
!score = tensor<?x8xf32, #gnn.rows<@g, edge>>
!node_score = tensor<?x8xf32, #gnn.rows<@g, node>>

// CHECK-LABEL: func.func @rebind_rows
// CHECK: gnn.rebind_rows %{{.+}} : tensor<?x64xf32, #gnn.rows<@block, dst>> -> tensor<?x64xf32, #gnn.rows<@next, src>>
func.func @rebind_rows(%x: tensor<?x64xf32, #gnn.rows<@block, dst>>)
    -> tensor<?x64xf32, #gnn.rows<@next, src>> {
  %y = gnn.rebind_rows %x : tensor<?x64xf32, #gnn.rows<@block, dst>> -> tensor<?x64xf32, #gnn.rows<@next, src>>
  return %y : tensor<?x64xf32, #gnn.rows<@next, src>>
}

// Rows of edges, pairs and edge types of a derived graph, and rows of its nodes.
//
// CHECK-LABEL: func.func @restrict_rows
// CHECK: gnn.restrict_rows %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, edge>> -> tensor<?x64xf32, #gnn.rows<@part, edge>>
// CHECK: gnn.restrict_rows %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, src_pair>> -> tensor<?x64xf32, #gnn.rows<@part, src_pair>>
// CHECK: gnn.restrict_rows %{{.+}} : tensor<3x64x8xf32, #gnn.rows<@g, edge_type>> -> tensor<2x64x8xf32, #gnn.rows<@part, edge_type>>
// CHECK: gnn.restrict_rows %{{.+}} : tensor<?xi32, #gnn.rows<@g, edge>> -> tensor<?xi32, #gnn.rows<@part, edge>>
// CHECK: gnn.rebind_rows %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, node>> -> tensor<?x64xf32, #gnn.rows<@part, node>>
// CHECK: gnn.rebind_rows %{{.+}} : tensor<?x64xf32, #gnn.rows<@part, node>> -> tensor<?x64xf32, #gnn.rows<@g, node>>
func.func @restrict_rows(%e: !edge, %p: !src_pair,
                         %w: tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>,
                         %i: tensor<?xi32, #gnn.rows<@g, edge>>, %x: !node) {
  %0 = gnn.restrict_rows %e : !edge -> tensor<?x64xf32, #gnn.rows<@part, edge>>
  %1 = gnn.restrict_rows %p : !src_pair -> tensor<?x64xf32, #gnn.rows<@part, src_pair>>
  %2 = gnn.restrict_rows %w : tensor<3x64x8xf32, #gnn.rows<@g, edge_type>> -> tensor<2x64x8xf32, #gnn.rows<@part, edge_type>>
  %3 = gnn.restrict_rows %i : tensor<?xi32, #gnn.rows<@g, edge>> -> tensor<?xi32, #gnn.rows<@part, edge>>
  %4 = gnn.rebind_rows %x : !node -> tensor<?x64xf32, #gnn.rows<@part, node>>
  %5 = gnn.rebind_rows %4 : tensor<?x64xf32, #gnn.rows<@part, node>> -> !node
  return
}

// CHECK-LABEL: func.func @prefix_rows
// CHECK: gnn.prefix_rows %{{.+}} : tensor<?x64xf32, #gnn.rows<@block, src>> -> tensor<?x64xf32, #gnn.rows<@block, dst>>
func.func @prefix_rows(%x: tensor<?x64xf32, #gnn.rows<@block, src>>)
    -> tensor<?x64xf32, #gnn.rows<@block, dst>> {
  %y = gnn.prefix_rows %x : tensor<?x64xf32, #gnn.rows<@block, src>> -> tensor<?x64xf32, #gnn.rows<@block, dst>>
  return %y : tensor<?x64xf32, #gnn.rows<@block, dst>>
}

// Rows of edges, pairs and edge types of a derived graph among its parent's.
//
// CHECK-LABEL: func.func @expand_rows
// CHECK: gnn.expand_rows %{{.+}} : tensor<?x64xf32, #gnn.rows<@part, dst_pair>> -> tensor<?x64xf32, #gnn.rows<@g, dst_pair>>
// CHECK: gnn.expand_rows %{{.+}} : tensor<2x64x8xf32, #gnn.rows<@part, edge_type>> -> tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>
func.func @expand_rows(%p: tensor<?x64xf32, #gnn.rows<@part, dst_pair>>,
                       %w: tensor<2x64x8xf32, #gnn.rows<@part, edge_type>>) {
  %0 = gnn.expand_rows %p : tensor<?x64xf32, #gnn.rows<@part, dst_pair>> -> !dst_pair
  %1 = gnn.expand_rows %w : tensor<2x64x8xf32, #gnn.rows<@part, edge_type>> -> tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>
  return
}

// CHECK-LABEL: func.func @extend_rows
// CHECK: gnn.extend_rows %{{.+}} : tensor<?x64xf32, #gnn.rows<@block, dst>> -> tensor<?x64xf32, #gnn.rows<@block, src>>
func.func @extend_rows(%x: tensor<?x64xf32, #gnn.rows<@block, dst>>)
    -> tensor<?x64xf32, #gnn.rows<@block, src>> {
  %y = gnn.extend_rows %x : tensor<?x64xf32, #gnn.rows<@block, dst>> -> tensor<?x64xf32, #gnn.rows<@block, src>>
  return %y : tensor<?x64xf32, #gnn.rows<@block, src>>
}

// CHECK-LABEL: func.func @gather
// CHECK: gnn.gather %{{.+}} via src : tensor<?x64xf32, #gnn.rows<@g, node>> -> tensor<?x64xf32, #gnn.rows<@g, edge>>
// CHECK: gnn.gather %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, node>> -> tensor<?x64xf32, #gnn.rows<@g, src_pair>>
// CHECK: gnn.gather %{{.+}} : tensor<3x64xf32, #gnn.rows<@g, edge_type>> -> tensor<?x64xf32, #gnn.rows<@g, edge>>
func.func @gather(%x: !node, %t: tensor<3x64xf32, #gnn.rows<@g, edge_type>>) -> (!edge, !src_pair, !edge) {
  %e = gnn.gather %x via src : !node -> !edge
  %p = gnn.gather %x : !node -> !src_pair
  %r = gnn.gather %t : tensor<3x64xf32, #gnn.rows<@g, edge_type>> -> !edge
  return %e, %p, %r : !edge, !src_pair, !edge
}

// An edge type leads to the node type at one end where the schema names it.
//
// CHECK-LABEL: func.func @gather_by_schema
// CHECK: gnn.gather %{{.+}} via src : tensor<2x64x8xf32, #gnn.rows<@typed, node_type>> -> tensor<2x64x8xf32, #gnn.rows<@typed, edge_type>>
func.func @gather_by_schema(%k: tensor<2x64x8xf32, #gnn.rows<@typed, node_type>>)
    -> tensor<2x64x8xf32, #gnn.rows<@typed, edge_type>> {
  %y = gnn.gather %k via src : tensor<2x64x8xf32, #gnn.rows<@typed, node_type>> -> tensor<2x64x8xf32, #gnn.rows<@typed, edge_type>>
  return %y : tensor<2x64x8xf32, #gnn.rows<@typed, edge_type>>
}

// Rows of arguments are gathered like features.
//
// CHECK-LABEL: func.func @gather_index
// CHECK: gnn.gather %{{.+}} via dst : tensor<?x8xi32, #gnn.rows<@g, node>> -> tensor<?x8xi32, #gnn.rows<@g, edge>>
func.func @gather_index(%x: tensor<?x8xi32, #gnn.rows<@g, node>>) -> tensor<?x8xi32, #gnn.rows<@g, edge>> {
  %y = gnn.gather %x via dst : tensor<?x8xi32, #gnn.rows<@g, node>> -> tensor<?x8xi32, #gnn.rows<@g, edge>>
  return %y : tensor<?x8xi32, #gnn.rows<@g, edge>>
}

// CHECK-LABEL: func.func @aggregate
// CHECK: gnn.aggregate sum %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, edge>> -> tensor<?x64xf32, #gnn.rows<@g, dst_pair>>
// CHECK: gnn.aggregate mean %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, dst_pair>> -> tensor<?x64xf32, #gnn.rows<@g, node>>
// CHECK: %{{.+}}, %{{.+}} = gnn.aggregate max %{{.+}} via dst : tensor<?x64xf32, #gnn.rows<@g, edge>> -> tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<?x64xi32, #gnn.rows<@g, node>>
// CHECK: gnn.aggregate min %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, node>> -> tensor<1x64xf32, #gnn.rows<@g, graph>>
func.func @aggregate(%e: !edge) -> (!node, tensor<?x64xi32, #gnn.rows<@g, node>>, tensor<1x64xf32, #gnn.rows<@g, graph>>) {
  %p = gnn.aggregate sum %e : !edge -> !dst_pair
  %n = gnn.aggregate mean %p : !dst_pair -> !node
  %m, %i = gnn.aggregate max %e via dst : !edge -> !node, tensor<?x64xi32, #gnn.rows<@g, node>>
  %g = gnn.aggregate min %m : !node -> tensor<1x64xf32, #gnn.rows<@g, graph>>
  return %n, %i, %g : !node, tensor<?x64xi32, #gnn.rows<@g, node>>, tensor<1x64xf32, #gnn.rows<@g, graph>>
}

// CHECK-LABEL: func.func @pick
// CHECK: gnn.pick %{{.+}} at %{{.+}} via dst : tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<?x64xi32, #gnn.rows<@g, node>> -> tensor<?x64xf32, #gnn.rows<@g, edge>>
// CHECK: gnn.pick %{{.+}} at %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<?x64xi32, #gnn.rows<@g, node>> -> tensor<?x64xf32, #gnn.rows<@g, dst_pair>>
func.func @pick(%x: !node, %i: tensor<?x64xi32, #gnn.rows<@g, node>>) -> (!edge, !dst_pair) {
  %e = gnn.pick %x at %i via dst : !node, tensor<?x64xi32, #gnn.rows<@g, node>> -> !edge
  %p = gnn.pick %x at %i : !node, tensor<?x64xi32, #gnn.rows<@g, node>> -> !dst_pair
  return %e, %p : !edge, !dst_pair
}

// CHECK-LABEL: func.func @degree
// CHECK: gnn.degree edge via dst : tensor<?xf32, #gnn.rows<@g, node>>
// CHECK: gnn.degree edge : tensor<?xf32, #gnn.rows<@g, dst_pair>>
func.func @degree() -> (tensor<?xf32, #gnn.rows<@g, node>>, tensor<?xf32, #gnn.rows<@g, dst_pair>>) {
  %d = gnn.degree edge via dst : tensor<?xf32, #gnn.rows<@g, node>>
  %p = gnn.degree edge : tensor<?xf32, #gnn.rows<@g, dst_pair>>
  return %d, %p : tensor<?xf32, #gnn.rows<@g, node>>, tensor<?xf32, #gnn.rows<@g, dst_pair>>
}

// CHECK-LABEL: func.func @linear
// CHECK: gnn.linear %{{.+}}, %{{.+}} bias %{{.+}} : (tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<64x8xf32>, tensor<8xf32>) -> tensor<?x8xf32, #gnn.rows<@g, node>>
// CHECK: gnn.linear %{{.+}}, %{{.+}} : (tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<8x64x16xf32>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>>
// CHECK: gnn.linear %{{.+}}, %{{.+}} bias %{{.+}} : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<16x4xf32>, tensor<8x4xf32>) -> tensor<?x8x4xf32, #gnn.rows<@g, node>>
func.func @linear(%x: !node, %w: tensor<64x8xf32>, %b: tensor<8xf32>, %v: tensor<8x64x16xf32>,
                  %u: tensor<16x4xf32>, %c: tensor<8x4xf32>)
    -> (!node_score, tensor<?x8x4xf32, #gnn.rows<@g, node>>) {
  %y = gnn.linear %x, %w bias %b : (!node, tensor<64x8xf32>, tensor<8xf32>) -> !node_score
  %h = gnn.linear %x, %v : (!node, tensor<8x64x16xf32>) -> !heads
  %z = gnn.linear %h, %u bias %c : (!heads, tensor<16x4xf32>, tensor<8x4xf32>) -> tensor<?x8x4xf32, #gnn.rows<@g, node>>
  return %y, %z : !node_score, tensor<?x8x4xf32, #gnn.rows<@g, node>>
}

// CHECK-LABEL: func.func @typed_linear
// CHECK: gnn.typed_linear %{{.+}}, %{{.+}} bias %{{.+}} : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<3x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
// CHECK: gnn.typed_linear %{{.+}}, %{{.+}} via src : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<2x64x8xf32, #gnn.rows<@g, node_type>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
// CHECK: gnn.typed_linear %{{.+}}, %{{.+}} via dst bias %{{.+}} : (tensor<?x64xf32, #gnn.rows<@g, edge>>,
func.func @typed_linear(%m: !edge, %w: tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>,
                        %b: tensor<3x8xf32, #gnn.rows<@g, edge_type>>,
                        %v: tensor<2x64x8xf32, #gnn.rows<@g, node_type>>,
                        %c: tensor<2x8xf32, #gnn.rows<@g, node_type>>)
    -> (!score, !score, !score) {
  %y = gnn.typed_linear %m, %w bias %b : (!edge, tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<3x8xf32, #gnn.rows<@g, edge_type>>) -> !score
  %z = gnn.typed_linear %m, %v via src : (!edge, tensor<2x64x8xf32, #gnn.rows<@g, node_type>>) -> !score
  %u = gnn.typed_linear %m, %v via dst bias %c : (!edge, tensor<2x64x8xf32, #gnn.rows<@g, node_type>>, tensor<2x8xf32, #gnn.rows<@g, node_type>>) -> !score
  return %y, %z, %u : !score, !score, !score
}

// CHECK-LABEL: func.func @outer
// CHECK: gnn.outer %{{.+}}, %{{.+}} : (tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<64x8xf32>
// CHECK: gnn.outer %{{.+}}, %{{.+}} : (tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<8x64x16xf32>
// CHECK: gnn.typed_outer %{{.+}}, %{{.+}} : (tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<2x64x8xf32, #gnn.rows<@g, node_type>>
// CHECK: gnn.typed_outer %{{.+}}, %{{.+}} via dst : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<2x64x8xf32, #gnn.rows<@g, node_type>>
func.func @outer(%x: !node, %y: !node_score, %h: !heads, %m: !edge, %s: !score)
    -> (tensor<64x8xf32>, tensor<8x64x16xf32>, tensor<2x64x8xf32, #gnn.rows<@g, node_type>>, tensor<2x64x8xf32, #gnn.rows<@g, node_type>>) {
  %a = gnn.outer %x, %y : (!node, !node_score) -> tensor<64x8xf32>
  %b = gnn.outer %x, %h : (!node, !heads) -> tensor<8x64x16xf32>
  %c = gnn.typed_outer %x, %y : (!node, !node_score) -> tensor<2x64x8xf32, #gnn.rows<@g, node_type>>
  %d = gnn.typed_outer %m, %s via dst : (!edge, !score) -> tensor<2x64x8xf32, #gnn.rows<@g, node_type>>
  return %a, %b, %c, %d : tensor<64x8xf32>, tensor<8x64x16xf32>, tensor<2x64x8xf32, #gnn.rows<@g, node_type>>, tensor<2x64x8xf32, #gnn.rows<@g, node_type>>
}

// CHECK-LABEL: func.func @weights
// CHECK: gnn.weight_combine %{{.+}}, %{{.+}} : (tensor<3x2xf32, #gnn.rows<@g, edge_type>>, tensor<2x64x8xf32>) -> tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>
// CHECK: gnn.weight_product %{{.+}}, %{{.+}} : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<8xf32>) -> tensor<3x64xf32, #gnn.rows<@g, edge_type>>
// CHECK: gnn.weight_product %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x16x8xf32, #gnn.rows<@g, edge_type>>
// CHECK: gnn.weight_product %{{.+}}, %{{.+}} : (tensor<4x16x64xf32>, tensor<4x64xf32>) -> tensor<4x16xf32>
func.func @weights(%c: tensor<3x2xf32, #gnn.rows<@g, edge_type>>, %b: tensor<2x64x8xf32>,
                   %a: tensor<8xf32>, %k: tensor<16x64xf32>, %h: tensor<4x16x64xf32>, %v: tensor<4x64xf32>)
    -> (tensor<3x64xf32, #gnn.rows<@g, edge_type>>, tensor<3x16x8xf32, #gnn.rows<@g, edge_type>>, tensor<4x16xf32>) {
  %w = gnn.weight_combine %c, %b : (tensor<3x2xf32, #gnn.rows<@g, edge_type>>, tensor<2x64x8xf32>) -> tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>
  %p = gnn.weight_product %w, %a : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<8xf32>) -> tensor<3x64xf32, #gnn.rows<@g, edge_type>>
  %q = gnn.weight_product %k, %w : (tensor<16x64xf32>, tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x16x8xf32, #gnn.rows<@g, edge_type>>
  %r = gnn.weight_product %h, %v : (tensor<4x16x64xf32>, tensor<4x64xf32>) -> tensor<4x16xf32>
  return %p, %q, %r : tensor<3x64xf32, #gnn.rows<@g, edge_type>>, tensor<3x16x8xf32, #gnn.rows<@g, edge_type>>, tensor<4x16xf32>
}

// CHECK-LABEL: func.func @weight_shapes
// CHECK: gnn.weight_product %{{.+}}, %{{.+}} by_heads : (tensor<64x64xf32>, tensor<4x16x8xf32>) -> tensor<64x32xf32>
// CHECK: gnn.weight_product %{{.+}}, %{{.+}} by_heads : (tensor<64x64xf32>, tensor<3x4x16xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x64x4xf32, #gnn.rows<@g, edge_type>>
// CHECK: gnn.reshape %{{.+}} : tensor<64x64xf32> -> tensor<4096xf32>
// CHECK: gnn.slice %{{.+}} at 64 : tensor<4096xf32> -> tensor<64xf32>
// CHECK: gnn.broadcast %{{.+}} : tensor<64xf32> -> tensor<2x64xf32>
func.func @weight_shapes(%w: tensor<64x64xf32>, %r: tensor<4x16x8xf32>, %a: tensor<3x4x16xf32, #gnn.rows<@g, edge_type>>)
    -> (tensor<64x32xf32>, tensor<3x64x4xf32, #gnn.rows<@g, edge_type>>, tensor<2x64xf32>) {
  %p = gnn.weight_product %w, %r by_heads : (tensor<64x64xf32>, tensor<4x16x8xf32>) -> tensor<64x32xf32>
  %q = gnn.weight_product %w, %a by_heads : (tensor<64x64xf32>, tensor<3x4x16xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x64x4xf32, #gnn.rows<@g, edge_type>>
  %f = gnn.reshape %w : tensor<64x64xf32> -> tensor<4096xf32>
  %s = gnn.slice %f at 64 : tensor<4096xf32> -> tensor<64xf32>
  %b = gnn.broadcast %s : tensor<64xf32> -> tensor<2x64xf32>
  return %p, %q, %b : tensor<64x32xf32>, tensor<3x64x4xf32, #gnn.rows<@g, edge_type>>, tensor<2x64xf32>
}

// CHECK-LABEL: func.func @apply
// CHECK: gnn.apply add %{{.+}} via src, %{{.+}} via dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
// CHECK: gnn.apply mul %{{.+}}, %{{.+}} via src : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, edge>>
// CHECK: gnn.apply copy %{{.+}} via dst : (tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
func.func @apply(%a: !node_score, %x: !heads) -> (!edge_heads, !score) {
  %s = gnn.apply add %a via src, %a via dst : (!node_score, !node_score) -> !score
  %m = gnn.apply mul %s, %x via src : (!score, !heads) -> !edge_heads
  %c = gnn.apply copy %a via dst : (!node_score) -> !score
  return %m, %c : !edge_heads, !score
}

// CHECK-LABEL: func.func @sddmm
// CHECK: gnn.sddmm %{{.+}} via dst, %{{.+}} via src : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
// CHECK: gnn.sddmm %{{.+}}, %{{.+}} : (tensor<?x64xf32, #gnn.rows<@g, src_pair>>, tensor<3x64xf32, #gnn.rows<@g, edge_type>>) -> tensor<?xf32, #gnn.rows<@g, src_pair>>
func.func @sddmm(%x: !heads, %p: !src_pair, %a: tensor<3x64xf32, #gnn.rows<@g, edge_type>>)
    -> (!score, tensor<?xf32, #gnn.rows<@g, src_pair>>) {
  %s = gnn.sddmm %x via dst, %x via src : (!heads, !heads) -> !score
  %t = gnn.sddmm %p, %a : (!src_pair, tensor<3x64xf32, #gnn.rows<@g, edge_type>>) -> tensor<?xf32, #gnn.rows<@g, src_pair>>
  return %s, %t : !score, tensor<?xf32, #gnn.rows<@g, src_pair>>
}

// CHECK-LABEL: func.func @spmm
// CHECK: gnn.spmm mul %{{.+}} via src, %{{.+}} reduce sum via dst : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>>
// CHECK: gnn.spmm copy %{{.+}} reduce mean : (tensor<?x64xf32, #gnn.rows<@block, src>>) -> tensor<?x64xf32, #gnn.rows<@block, dst>>
func.func @spmm(%x: !heads, %a: !score, %u: tensor<?x64xf32, #gnn.rows<@block, src>>)
    -> (!heads, tensor<?x64xf32, #gnn.rows<@block, dst>>) {
  %y = gnn.spmm mul %x via src, %a reduce sum via dst : (!heads, !score) -> !heads
  %z = gnn.spmm copy %u reduce mean : (tensor<?x64xf32, #gnn.rows<@block, src>>) -> tensor<?x64xf32, #gnn.rows<@block, dst>>
  return %y, %z : !heads, tensor<?x64xf32, #gnn.rows<@block, dst>>
}

// CHECK-LABEL: func.func @edge_softmax
// CHECK: gnn.edge_softmax %{{.+}} over dst : tensor<?x8xf32, #gnn.rows<@g, edge>>
// CHECK: gnn.edge_softmax %{{.+}} over dst_pair : tensor<?x8xf32, #gnn.rows<@g, edge>>
func.func @edge_softmax(%s: !score) -> (!score, !score) {
  %a = gnn.edge_softmax %s over dst : !score
  %b = gnn.edge_softmax %s over dst_pair : !score
  return %a, %b : !score, !score
}

// CHECK-LABEL: func.func @attention
// CHECK:      gnn.attention(%[[A:.+]] = %{{.+}} via src, %[[B:.+]] = %{{.+}} via dst) value %{{.+}} via src over dst : (
// CHECK-NEXT:   %[[S:.+]] = arith.addf %[[A]], %[[B]] : tensor<8xf32>
// CHECK-NEXT:   %[[T:.+]] = gnn.row_activation leaky_relu %[[S]] alpha = 2.000000e-01 : tensor<8xf32>
// CHECK-NEXT:   gnn.yield %[[T]] : tensor<8xf32>
// CHECK:      gnn.attention(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) value %{{.+}} via dst factor %{{.+}} over src : (
// CHECK:        gnn.row_dot
// CHECK:      gnn.attention(%{{.+}} = %{{.+}} via dst, %{{.+}} = %{{.+}} via src, %{{.+}} = %{{.+}}) value %{{.+}} over dst stored attributes {note} : (
// CHECK:        arith.select
func.func @attention(%x: !heads, %s: !node_score, %w: tensor<8x16xf32>, %e: !edge_heads, %t: !score,
    %p: tensor<3x8xi32, #gnn.rows<@g, edge_type>>) -> (!heads, !heads, !heads) {
  %y = gnn.attention(%a = %s via src, %b = %s via dst) value %x via src over dst : (!node_score, !node_score, !heads) -> !heads {
    %c = arith.addf %a, %b : tensor<8xf32>
    %d = gnn.row_activation leaky_relu %c alpha = 0.2 : tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
  %z = gnn.attention(%a = %e, %b = %w) value %x via dst factor %t over src : (!edge_heads, tensor<8x16xf32>, !heads, !score) -> !heads {
    %c = math.tanh %a : tensor<8x16xf32>
    %d = gnn.row_dot %c, %b : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
  %o = gnn.attention(%a = %x via dst, %b = %x via src, %m = %p) value %e over dst stored attributes {note} : (!heads, !heads, tensor<3x8xi32, #gnn.rows<@g, edge_type>>, !edge_heads) -> !heads {
    %c = gnn.row_dot %a, %b : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
    %zero = arith.constant dense<0> : tensor<8xi32>
    %low = arith.constant dense<-1.0e9> : tensor<8xf32>
    %hidden = arith.cmpi eq, %m, %zero : tensor<8xi32>
    %d = arith.select %hidden, %low, %c : tensor<8xi1>, tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
  return %y, %z, %o : !heads, !heads, !heads
}

// CHECK-LABEL: func.func @products_of_rows
// CHECK: gnn.dot %{{.+}}, %{{.+}} : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<8x16xf32>) -> tensor<?x8xf32, #gnn.rows<@g, node>>
// CHECK: gnn.dot %{{.+}}, %{{.+}} : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<?x64xf32, #gnn.rows<@g, edge>>) -> tensor<?xf32, #gnn.rows<@g, edge>>
// CHECK: gnn.outer_rows %{{.+}}, %{{.+}} : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<?x64x8xf32, #gnn.rows<@g, edge>>
func.func @products_of_rows(%x: !heads, %a: tensor<8x16xf32>, %m: !edge, %s: !score)
    -> (!node_score, tensor<?xf32, #gnn.rows<@g, edge>>, tensor<?x64x8xf32, #gnn.rows<@g, edge>>) {
  %d = gnn.dot %x, %a : (!heads, tensor<8x16xf32>) -> !node_score
  %e = gnn.dot %m, %m : (!edge, !edge) -> tensor<?xf32, #gnn.rows<@g, edge>>
  %o = gnn.outer_rows %m, %s : (!edge, !score) -> tensor<?x64x8xf32, #gnn.rows<@g, edge>>
  return %d, %e, %o : !node_score, tensor<?xf32, #gnn.rows<@g, edge>>, tensor<?x64x8xf32, #gnn.rows<@g, edge>>
}

// CHECK-LABEL: func.func @activation
// CHECK: gnn.activation relu %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, node>>
// CHECK: gnn.activation leaky_relu %{{.+}} alpha = 2.000000e-01 : tensor<?x64xf32, #gnn.rows<@g, node>>
// CHECK: gnn.activation prelu %{{.+}}, %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<64xf32>
// CHECK: gnn.activation elu %{{.+}} alpha = 1.000000e+00
// CHECK: gnn.activation sigmoid
// CHECK: gnn.activation tanh
// CHECK: gnn.activation gelu
// CHECK: gnn.activation swish
// CHECK: gnn.activation exp
func.func @activation(%x: !node, %w: tensor<64xf32>) -> !node {
  %a = gnn.activation relu %x : !node
  %b = gnn.activation leaky_relu %a alpha = 0.2 : !node
  %c = gnn.activation prelu %b, %w : !node, tensor<64xf32>
  %d = gnn.activation elu %c alpha = 1.0 : !node
  %e = gnn.activation sigmoid %d : !node
  %f = gnn.activation tanh %e : !node
  %g = gnn.activation gelu %f : !node
  %h = gnn.activation swish %g : !node
  %i = gnn.activation exp %h : !node
  return %i : !node
}

// CHECK-LABEL: func.func @norms
// CHECK: gnn.batch_norm %{{.+}} mean %{{.+}} variance %{{.+}} gamma %{{.+}} beta %{{.+}} eps = {{.+}} : tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<64xf32>
// CHECK: gnn.layer_norm %{{.+}} gamma %{{.+}} beta %{{.+}} eps = {{.+}} : tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<64xf32>, tensor<64xf32>
// CHECK: gnn.layer_norm %{{.+}} eps = {{.+}} : tensor<?x64xf32, #gnn.rows<@g, node>>
// CHECK: gnn.dropout %{{.+}} p = 5.000000e-01 seed %{{.+}} offset %{{.+}} : tensor<?x64xf32, #gnn.rows<@g, node>>
func.func @norms(%x: !node, %w: tensor<64xf32>, %seed: i64, %offset: i64) -> !node {
  %a = gnn.batch_norm %x mean %w variance %w gamma %w beta %w eps = 1.0e-5 : !node, tensor<64xf32>
  %b = gnn.layer_norm %a gamma %w beta %w eps = 1.0e-5 : !node, tensor<64xf32>, tensor<64xf32>
  %c = gnn.layer_norm %b eps = 1.0e-5 : !node
  %d = gnn.dropout %c p = 0.5 seed %seed offset %offset : !node
  return %d : !node
}

// CHECK-LABEL: func.func @features
// CHECK: gnn.broadcast %{{.+}} : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8x16xf32, #gnn.rows<@g, node>>
// CHECK: gnn.broadcast %{{.+}} : tensor<16xf32> -> tensor<?x8x16xf32, #gnn.rows<@g, node>>
// CHECK: gnn.broadcast %{{.+}} : tensor<f32> -> tensor<?xf32, #gnn.rows<@g, node>>
// CHECK: gnn.concat %{{.+}}, %{{.+}} : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x32xf32, #gnn.rows<@g, node>>
// CHECK: gnn.slice %{{.+}} at 4 : tensor<?x8x32xf32, #gnn.rows<@g, node>> -> tensor<?x8x16xf32, #gnn.rows<@g, node>>
// CHECK: gnn.reshape %{{.+}} : tensor<?x8x16xf32, #gnn.rows<@g, node>> -> tensor<?x128xf32, #gnn.rows<@g, node>>
// CHECK: gnn.reduce_heads mean %{{.+}} : tensor<?x8x16xf32, #gnn.rows<@g, node>> -> tensor<?x16xf32, #gnn.rows<@g, node>>
// CHECK: gnn.reduce_features sum %{{.+}} : tensor<?x8x16xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
func.func @features(%s: !node_score, %w: tensor<16xf32>, %u: tensor<f32>)
    -> (tensor<?x128xf32, #gnn.rows<@g, node>>, tensor<?x16xf32, #gnn.rows<@g, node>>, !node_score) {
  %a = gnn.broadcast %s : !node_score -> !heads
  %b = gnn.broadcast %w : tensor<16xf32> -> !heads
  %i = gnn.broadcast %u : tensor<f32> -> tensor<?xf32, #gnn.rows<@g, node>>
  %c = gnn.concat %a, %b : (!heads, !heads) -> tensor<?x8x32xf32, #gnn.rows<@g, node>>
  %d = gnn.slice %c at 4 : tensor<?x8x32xf32, #gnn.rows<@g, node>> -> !heads
  %e = gnn.reshape %d : !heads -> tensor<?x128xf32, #gnn.rows<@g, node>>
  %f = gnn.reduce_heads mean %d : !heads -> tensor<?x16xf32, #gnn.rows<@g, node>>
  %h = gnn.reduce_features sum %d : !heads -> !node_score
  return %e, %f, %h : tensor<?x128xf32, #gnn.rows<@g, node>>, tensor<?x16xf32, #gnn.rows<@g, node>>, !node_score
}

// CHECK-LABEL: func.func @sum_rows
// CHECK: gnn.sum_rows %{{.+}} : tensor<?x8x16xf32, #gnn.rows<@g, node>> -> tensor<8x16xf32>
// CHECK: gnn.sum_rows %{{.+}} : tensor<?x8x16xf32, #gnn.rows<@g, node>> -> tensor<16xf32>
// CHECK: gnn.sum_rows %{{.+}} : tensor<?x8x16xf32, #gnn.rows<@g, node>> -> tensor<f32>
// CHECK: gnn.sum_rows %{{.+}} : tensor<1x16xf32, #gnn.rows<@g, graph>> -> tensor<16xf32>
// CHECK: gnn.sum_rows %{{.+}} : tensor<8x16xf32> -> tensor<16xf32>
func.func @sum_rows(%x: !heads, %r: tensor<1x16xf32, #gnn.rows<@g, graph>>)
    -> (tensor<16xf32>, tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
  %a = gnn.sum_rows %x : !heads -> tensor<8x16xf32>
  %b = gnn.sum_rows %x : !heads -> tensor<16xf32>
  %c = gnn.sum_rows %x : !heads -> tensor<f32>
  %d = gnn.sum_rows %r : tensor<1x16xf32, #gnn.rows<@g, graph>> -> tensor<16xf32>
  %e = gnn.sum_rows %a : tensor<8x16xf32> -> tensor<16xf32>
  return %b, %c, %d, %e : tensor<16xf32>, tensor<f32>, tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK: gnn.pad %{{.+}} at 4 : tensor<?x8x16xf32, #gnn.rows<@g, node>> -> tensor<?x8x32xf32, #gnn.rows<@g, node>>
// CHECK: gnn.pad %{{.+}} at 0 : tensor<4x16xf32> -> tensor<4x20xf32>
func.func @pad(%x: !heads, %w: tensor<4x16xf32>)
    -> (tensor<?x8x32xf32, #gnn.rows<@g, node>>, tensor<4x20xf32>) {
  %a = gnn.pad %x at 4 : !heads -> tensor<?x8x32xf32, #gnn.rows<@g, node>>
  %b = gnn.pad %w at 0 : tensor<4x16xf32> -> tensor<4x20xf32>
  return %a, %b : tensor<?x8x32xf32, #gnn.rows<@g, node>>, tensor<4x20xf32>
}

// CHECK-LABEL: func.func @weight_outer
// CHECK: gnn.weight_outer %{{.+}}, %{{.+}} : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<3x64xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8xf32, #gnn.rows<@g, edge_type>>
// CHECK: gnn.weight_outer %{{.+}}, %{{.+}} : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<3x64xf32, #gnn.rows<@g, edge_type>>) -> tensor<8xf32>
// CHECK: gnn.weight_outer %{{.+}}, %{{.+}} by_heads : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<64x4xf32>) -> tensor<3x4x2x1xf32, #gnn.rows<@g, edge_type>>
// CHECK: gnn.weight_outer %{{.+}}, %{{.+}} by_heads : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<64x4xf32>) -> tensor<4x2xf32>
func.func @weight_outer(%w: tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, %v: tensor<3x64xf32, #gnn.rows<@g, edge_type>>, %u: tensor<64x4xf32>)
    -> (tensor<3x8xf32, #gnn.rows<@g, edge_type>>, tensor<8xf32>, tensor<3x4x2x1xf32, #gnn.rows<@g, edge_type>>, tensor<4x2xf32>) {
  %a = gnn.weight_outer %w, %v : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<3x64xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8xf32, #gnn.rows<@g, edge_type>>
  %b = gnn.weight_outer %w, %v : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<3x64xf32, #gnn.rows<@g, edge_type>>) -> tensor<8xf32>
  %c = gnn.weight_outer %w, %u by_heads : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<64x4xf32>) -> tensor<3x4x2x1xf32, #gnn.rows<@g, edge_type>>
  %d = gnn.weight_outer %w, %u by_heads : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<64x4xf32>) -> tensor<4x2xf32>
  return %a, %b, %c, %d : tensor<3x8xf32, #gnn.rows<@g, edge_type>>, tensor<8xf32>, tensor<3x4x2x1xf32, #gnn.rows<@g, edge_type>>, tensor<4x2xf32>
}

// bf16 and f16 are storage types as well.
//
// CHECK-LABEL: func.func @pick_feature
// CHECK: gnn.pick_feature %{{.+}} at max heads of %{{.+}} : tensor<?x16xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>
// CHECK: gnn.pick_feature %{{.+}} at min features of %{{.+}} : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>
func.func @pick_feature(%f: tensor<?x16xf32, #gnn.rows<@g, node>>, %h: !node_score, %x: !heads) -> (!heads, !heads) {
  %0 = gnn.pick_feature %f at max heads of %x : tensor<?x16xf32, #gnn.rows<@g, node>>, !heads
  %1 = gnn.pick_feature %h at min features of %x : !node_score, !heads
  return %0, %1 : !heads, !heads
}

// CHECK-LABEL: func.func @half
// CHECK: gnn.gather %{{.+}} via src : tensor<?x64xbf16, #gnn.rows<@g, node>> -> tensor<?x64xbf16, #gnn.rows<@g, edge>>
func.func @half(%x: tensor<?x64xbf16, #gnn.rows<@g, node>>) -> tensor<?x64xbf16, #gnn.rows<@g, edge>> {
  %y = gnn.gather %x via src : tensor<?x64xbf16, #gnn.rows<@g, node>> -> tensor<?x64xbf16, #gnn.rows<@g, edge>>
  return %y : tensor<?x64xbf16, #gnn.rows<@g, edge>>
}
