// RUN: gnn-opt %s --convert-gnn-to-gnn-tile | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>
!score = tensor<?xf32, #gnn.rows<@g, edge>>
!src_pair = tensor<?x8xf32, #gnn.rows<@g, src_pair>>
!dst_pair = tensor<?x8xf32, #gnn.rows<@g, dst_pair>>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!type = tensor<3x8xf32, #gnn.rows<@g, edge_type>>
!whole = tensor<1x8xf32, #gnn.rows<@g, graph>>

// Rows along each arrow of the lattice are one access. Edges that the function
// computes lie by destination; the user's order comes back at the border.

func.func @gather_node(%x: !node) -> !edge {
  %y = gnn.gather %x via src : !node -> !edge
  return %y : !edge
}

func.func @gather_pair(%x: !node, %t: !type) -> (!src_pair, !src_pair) {
  %p = gnn.gather %x : !node -> !src_pair
  %q = gnn.gather %t : !type -> !src_pair
  return %p, %q : !src_pair, !src_pair
}

func.func @gather_graph(%x: !whole) -> !node {
  %y = gnn.gather %x : !whole -> !node
  return %y : !node
}

func.func @aggregate_edges(%x: !edge) -> !node {
  %y = gnn.aggregate sum %x via dst : !edge -> !node
  return %y : !node
}

func.func @aggregate_by_source(%x: !edge) -> !node {
  %y = gnn.aggregate mean %x via src : !edge -> !node
  return %y : !node
}

func.func @aggregate_pairs(%x: !edge) -> !node {
  %p = gnn.aggregate sum %x : !edge -> !dst_pair
  %y = gnn.aggregate max %p : !dst_pair -> !node
  return %y : !node
}

func.func @aggregate_argument(%x: !edge) -> (!node, tensor<?x8xi32, #gnn.rows<@g, node>>) {
  %y, %i = gnn.aggregate max %x via dst : !edge -> !node, tensor<?x8xi32, #gnn.rows<@g, node>>
  return %y, %i : !node, tensor<?x8xi32, #gnn.rows<@g, node>>
}

func.func @aggregate_types(%x: !edge) -> !type {
  %y = gnn.aggregate sum %x : !edge -> !type
  return %y : !type
}

func.func @aggregate_all(%x: !node) -> !whole {
  %y = gnn.aggregate sum %x : !node -> !whole
  return %y : !whole
}

func.func @degree() -> tensor<?xf32, #gnn.rows<@g, node>> {
  %y = gnn.degree edge via dst : tensor<?xf32, #gnn.rows<@g, node>>
  return %y : tensor<?xf32, #gnn.rows<@g, node>>
}
