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
// computes lie by destination, as their type says; the user's order comes back at
// the border.

// CHECK-LABEL: func.func @gather_node
// CHECK:         tensor.empty(%{{.+}}) : tensor<?x8xf32, #edge_in_rows>
// CHECK:         %[[E:.+]] = gnn_tile.traverse @g <edge.in_rows, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group -> src : feature>]
// CHECK:         } -> tensor<?x8xf32, #edge_in_rows>
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 8> ins(%[[E]] : tensor<?x8xf32, #edge_in_rows>)
// CHECK-SAME:      outs(%{{.+}} : tensor<?x8xf32>) at [#gnn_tile.at<group -> edge : feature>]
func.func @gather_node(%x: !node) -> !edge {
  %y = gnn.gather %x via src : !node -> !edge
  return %y : !edge
}

// A pair leads to its node and to its edge type.
//
// CHECK-LABEL: func.func @gather_pair
// CHECK:         gnn_tile.traverse @g <src_pair, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group -> src : feature>]
// CHECK:         gnn_tile.traverse @g <src_pair, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group -> edge_type : feature>]
func.func @gather_pair(%x: !node, %t: !type) -> (!src_pair, !src_pair) {
  %p = gnn.gather %x : !node -> !src_pair
  %q = gnn.gather %t : !type -> !src_pair
  return %p, %q : !src_pair, !src_pair
}

// The graph's one row is read without a row.
//
// CHECK-LABEL: func.func @gather_graph
// CHECK:         gnn_tile.traverse @g <dst, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<all : feature>]
func.func @gather_graph(%x: !whole) -> !node {
  %y = gnn.gather %x : !whole -> !node
  return %y : !node
}

// A sum over edges walks them by the end that they lead to; given edges are in
// the user's order.
//
// CHECK-LABEL: func.func @aggregate_edges
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<element -> edge : feature>]
// CHECK-SAME:      at [#gnn_tile.at<group : feature>]
// CHECK:           gnn_tile.reduce sum [element]
// CHECK-NOT:     gnn_tile.traverse
func.func @aggregate_edges(%x: !edge) -> !node {
  %y = gnn.aggregate sum %x via dst : !edge -> !node
  return %y : !node
}

// CHECK-LABEL: func.func @aggregate_by_source
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows, features = 8>
// CHECK:           gnn_tile.reduce mean [element]
func.func @aggregate_by_source(%x: !edge) -> !node {
  %y = gnn.aggregate mean %x via src : !edge -> !node
  return %y : !node
}

// CHECK-LABEL: func.func @aggregate_pairs
// CHECK:         gnn_tile.traverse @g <dst_pair, edge.dst_pairs, features = 8>
// CHECK:           gnn_tile.reduce sum [element]
// CHECK:         gnn_tile.traverse @g <dst, dst_pair.by_node, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<element -> dst_pair : feature>]
// CHECK:           gnn_tile.reduce max [element]
func.func @aggregate_pairs(%x: !edge) -> !node {
  %p = gnn.aggregate sum %x : !edge -> !dst_pair
  %y = gnn.aggregate max %p : !dst_pair -> !node
  return %y : !node
}

// The argument is an edge, as the user numbers them.
//
// CHECK-LABEL: func.func @aggregate_argument
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// CHECK-SAME:      outs(%{{.+}}, %{{.+}} : tensor<?x8xf32>, tensor<?x8xi32>)
// CHECK:           %[[E:.+]] = gnn_tile.index <element -> edge>
// CHECK:           gnn_tile.arg_reduce max %{{.+}}, %[[E]]
func.func @aggregate_argument(%x: !edge) -> (!node, tensor<?x8xi32, #gnn.rows<@g, node>>) {
  %y, %i = gnn.aggregate max %x via dst : !edge -> !node, tensor<?x8xi32, #gnn.rows<@g, node>>
  return %y, %i : !node, tensor<?x8xi32, #gnn.rows<@g, node>>
}

// CHECK-LABEL: func.func @aggregate_types
// CHECK:         %[[T:.+]] = tensor.empty() : tensor<3x8xf32>
// CHECK:         gnn_tile.traverse @g <edge_type, edge.{{.+}}, features = 8>
// CHECK-SAME:      outs(%[[T]]
func.func @aggregate_types(%x: !edge) -> !type {
  %y = gnn.aggregate sum %x : !edge -> !type
  return %y : !type
}

// Weights of edge types by those of nodes, and the other way round: a row is
// columns, whatever its dimensions.
//
// CHECK-LABEL: func.func @weights
// CHECK:         gnn_tile.traverse @schema <src_node_type, edge_type.src_types, features = 4096>
// CHECK:         gnn_tile.traverse @schema <edge_type, features = 4096>
gnn.graph @schema square {node_types = 2, edge_types = 3, schema = [[0, 1], [1, 1], [0, 0]]}
!ofTypes = tensor<3x64x64xf32, #gnn.rows<@schema, edge_type>>
!ofNodeTypes = tensor<2x64x64xf32, #gnn.rows<@schema, node_type>>
func.func @weights(%w: !ofTypes) -> !ofTypes {
  %y = gnn.aggregate sum %w via src : !ofTypes -> !ofNodeTypes
  %z = gnn.gather %y via src : !ofNodeTypes -> !ofTypes
  return %z : !ofTypes
}

// CHECK-LABEL: func.func @aggregate_all
// CHECK:         gnn_tile.traverse @g <graph, {{(src|dst).*}}, features = 8>
// CHECK:           gnn_tile.reduce sum [element]
func.func @aggregate_all(%x: !node) -> !whole {
  %y = gnn.aggregate sum %x : !node -> !whole
  return %y : !whole
}

// A degree reads no edge.
//
// CHECK-LABEL: func.func @degree
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows> at []
// CHECK-NEXT:      gnn_tile.size
func.func @degree() -> tensor<?xf32, #gnn.rows<@g, node>> {
  %y = gnn.degree edge via dst : tensor<?xf32, #gnn.rows<@g, node>>
  return %y : tensor<?xf32, #gnn.rows<@g, node>>
}

// Rows of another graph, and a prefix of them, are the same memory: binding the
// graphs checks that there are enough. A prefix that is returned is a copy.
//
// CHECK-LABEL: func.func @renamed
// CHECK-DAG:     %[[SRC:.+]] = gnn_tile.count @later count src
// CHECK-DAG:     %[[FIRST:.+]] = gnn_tile.count @block count dst
// CHECK:         gnn_tile.require %[[SRC]], %[[FIRST]] "as many 'src' rows of @later as 'dst' rows of @block"
// CHECK-DAG:     %[[DST:.+]] = gnn_tile.count @later count dst
// CHECK:         gnn_tile.require at_most %[[DST]], %{{.+}} "at most as many 'dst' rows of @later as 'src' rows of @later"
// CHECK:         gnn_tile.traverse @later <dst, features = 8>
gnn.graph @block bipartite {node_types = 1, edge_types = 1}
gnn.graph @later bipartite {node_types = 1, edge_types = 1}
func.func @renamed(%x: tensor<?x8xf32, #gnn.rows<@block, dst>>) -> tensor<?x8xf32, #gnn.rows<@later, dst>> {
  %y = gnn.rebind_rows %x : tensor<?x8xf32, #gnn.rows<@block, dst>> -> tensor<?x8xf32, #gnn.rows<@later, src>>
  %z = gnn.prefix_rows %y : tensor<?x8xf32, #gnn.rows<@later, src>> -> tensor<?x8xf32, #gnn.rows<@later, dst>>
  return %z : tensor<?x8xf32, #gnn.rows<@later, dst>>
}
