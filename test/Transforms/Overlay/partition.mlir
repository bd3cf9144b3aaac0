// RUN: gnn-opt %s --mlir-print-local-scope --gnn-overlay-partition=n1=16 --split-input-file | FileCheck %s

// Inputs lie in front and outputs behind them; a temporary lies where no other one does
// while it lives, the third one where the first one did.
//
// CHECK-LABEL: gnn_overlay.program @lives
// CHECK-SAME:    partition <vertices = 40, edges = 90, n1 = 16, n2 = 16>
// CHECK-NEXT:    gnn_overlay.region @y features [40, 16] output at 4352
// CHECK-NEXT:    gnn_overlay.region @x features [40, 16] input at 0 of "x"
// CHECK-NEXT:    gnn_overlay.region @edges edges [9, 90] input at 3072
// CHECK-NEXT:    gnn_overlay.region @layer1 features [40, 16] temporary at [[FIRST:[0-9]+]]
// CHECK-NEXT:    gnn_overlay.region @layer2 features [40, 16] temporary at [[SECOND:[0-9]+]]
// CHECK-NEXT:    gnn_overlay.region @layer3 features [40, 16] temporary at [[FIRST]]
// CHECK-NEXT:    %[[X:.+]] = gnn_overlay.read @x
// CHECK-NEXT:    %[[E:.+]] = gnn_overlay.read @edges : tensor<?xf32, #gnn.rows<@g, edge>>
// CHECK-NEXT:    %[[A:.+]] = gnn_overlay.aggregate sum %[[X]] weights %[[E]] :
// CHECK-NEXT:    gnn_overlay.place %[[A]] in @layer1
// CHECK:         %[[B:.+]] = gnn_overlay.aggregate max %[[A]] weights %{{.+}} :
// CHECK-NEXT:    gnn_overlay.place %[[B]] in @layer2
// CHECK:         gnn_overlay.place %{{.+}} in @layer3
// CHECK:         gnn_overlay.place %{{.+}} in @y
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
func.func @lives(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "y"}) {
  %a = gnn_overlay.aggregate sum %x : !node -> !node
  %b = gnn_overlay.aggregate max %a : !node -> !node
  %c = gnn_overlay.aggregate min %b : !node -> !node
  %d = gnn_overlay.aggregate sum %c : !node -> !node
  return %d : !node
}

// -----

// A result that is read later keeps its place, weights of edges keep theirs to the end:
// their descriptors are there before.
//
// CHECK-LABEL: gnn_overlay.program @kept
// CHECK:         gnn_overlay.region @layer1 edges [9, 90] temporary at [[EDGES:[0-9]+]]
// CHECK:         gnn_overlay.region @layer2 features [40, 16] temporary at [[SECOND:[0-9]+]]
// CHECK:         gnn_overlay.region @layer3 features [40, 16] temporary at [[THIRD:[0-9]+]]
// CHECK-NOT:     temporary at [[EDGES]]
// CHECK:         gnn_overlay.region @layer4 features [40, 16] temporary at
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
func.func @kept(%x: !node) -> !node {
  %s = gnn_overlay.vector_inner %x, %x : !node, !node -> !number
  %a = gnn_overlay.aggregate sum %x weights %s : !node, !number -> !node
  %b = gnn_overlay.aggregate max %a : !node -> !node
  %c = gnn_overlay.aggregate min %b : !node -> !node
  %d = gnn_overlay.vector_add %c, %a : !node
  return %d : !node
}

// -----

// A weight is laid out of blocks of arguments: as it is, transposed, with ones. Scales and
// shifts are rows of one region; what two layers read is there once.
//
// CHECK-LABEL: gnn_overlay.program @weights
// CHECK-DAG:     gnn_overlay.region @w weights [16, 8] input at {{.+}} pieces {{\[\[}}"w", false, 0, 0, 8, 0, 0, 16, 8]]
// CHECK-DAG:     gnn_overlay.region @weight weights [8, 17] input at {{.+}} pieces {{\[\[}}"v", true, 0, 0, 8, 0, 0, 8, 16]]
// CHECK-DAG:     gnn_overlay.region @bias row [1, 17] input at {{.+}} pieces {{\[\[}}1.000000e+00 : f32, false, 0, 0, 0, 0, 16, 1, 1]]
// CHECK-DAG:     gnn_overlay.region @affine affine [1, 17] input at {{.+}} pieces {{\[\[}}"s", false, 0, 0, 17, 0, 0, 1, 17], ["b", false, 0, 0, 17, 1, 0, 1, 17]]
// CHECK-NOT:     gnn_overlay.region @w_1
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!wide = tensor<?x17xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
func.func @weights(%x: !node {gnn.name = "x"}, %w: tensor<16x8xf32> {gnn.name = "w"}, %v: tensor<16x8xf32> {gnn.name = "v"},
    %s: tensor<17xf32> {gnn.name = "s"}, %b: tensor<17xf32> {gnn.name = "b"}) -> (!wide, tensor<?x8xf32, #gnn.rows<@g, node>>) {
  %h = gnn_overlay.linear %x, %w : !node, tensor<16x8xf32> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  %k = gnn_overlay.linear %x, %w activations [#gnn_overlay.act<relu>] : !node, tensor<16x8xf32> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  %t = gnn_overlay.assemble %v blocks [0, 0, 0, 0, 8, 16] transposed [true] ones [] : (tensor<16x8xf32>) -> tensor<8x17xf32>
  %o = gnn_overlay.assemble blocks [] transposed [] ones [0, 16, 1, 1] : () -> tensor<17xf32>
  %y = gnn_overlay.linear %h, %t bias %o : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8x17xf32>, tensor<17xf32> -> !wide
  %z = gnn_overlay.batch_norm %y scale %s shift %b : !wide, tensor<17xf32>, tensor<17xf32>
  return %z, %k : !wide, tensor<?x8xf32, #gnn.rows<@g, node>>
}

// -----

// A block of an assembled weight is a block of what that is made of.
//
// CHECK-LABEL: gnn_overlay.program @assembled_twice
// CHECK:         gnn_overlay.region @weight weights [4, 8] input at {{.+}} pieces {{\[\[}}"w", true, 1, 2, 8, 0, 0, 3, 4], [1.000000e+00 : f32, {{.+}}, 3, 6, 1, 1]]
!node = tensor<?x4xf32, #gnn.rows<@g, node>>
!out = tensor<?x8xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
func.func @assembled_twice(%x: !node, %w: tensor<16x8xf32> {gnn.name = "w"}) -> !out {
  %t = gnn_overlay.assemble %w blocks [0, 0, 0, 0, 8, 16] transposed [true] ones [9, 9, 1, 1] : (tensor<16x8xf32>) -> tensor<10x16xf32>
  %u = gnn_overlay.assemble %t blocks [1, 2, 0, 0, 3, 4] transposed [false] ones [3, 6, 1, 1] : (tensor<10x16xf32>) -> tensor<4x8xf32>
  %y = gnn_overlay.linear %x, %u : !node, tensor<4x8xf32> -> !out
  return %y : !out
}

// -----

// A block of a weight, transposed.
//
// CHECK-LABEL: gnn_overlay.program @transposed_block
// CHECK:         gnn_overlay.region @weight weights [4, 3] input at {{.+}} pieces {{\[\[}}"w", true, 1, 2, 8, 0, 0, 4, 3]]
!node = tensor<?x4xf32, #gnn.rows<@g, node>>
!out = tensor<?x3xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
func.func @transposed_block(%x: !node, %w: tensor<16x8xf32> {gnn.name = "w"}) -> !out {
  %t = gnn_overlay.assemble %w blocks [2, 1, 0, 0, 3, 4] transposed [false] ones [] : (tensor<16x8xf32>) -> tensor<3x4xf32>
  %u = gnn_overlay.assemble %t blocks [0, 0, 0, 0, 4, 3] transposed [true] ones [] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %y = gnn_overlay.linear %x, %u : !node, tensor<4x3xf32> -> !out
  return %y : !out
}

// -----

// Names that the program would give are those of arguments.
//
// CHECK-LABEL: gnn_overlay.program @names
// CHECK-DAG:     gnn_overlay.region @edges features [40, 16] input at {{.+}} of "edges"
// CHECK-DAG:     gnn_overlay.region @edges_1 edges [9, 90] input
// CHECK-DAG:     gnn_overlay.region @layer1_1 features [40, 16] temporary
// CHECK-DAG:     gnn_overlay.region @out_1 features [40, 16] output
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
func.func @names(%x: !node {gnn.name = "edges"}, %y: !node {gnn.name = "layer1"}, %z: !node {gnn.name = "out"}) -> (!node {gnn.name = "out"}) {
  %a = gnn_overlay.aggregate sum %x : !node -> !node
  %b = gnn_overlay.vector_add %a, %y : !node
  return %b : !node
}

// -----

// A graph with its loops replaced has the edges that its own graph's say.
//
// CHECK-LABEL: gnn_overlay.program @derived
// CHECK-SAME:    partition <vertices = 40, edges = 130, n1 = 16, n2 = 16>
!node = tensor<?x16xf32, #gnn.rows<@l, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
gnn.graph @l square of @g loops replace type 0 {node_types = 1, edge_types = 1}
func.func @derived(%x: tensor<?x16xf32, #gnn.rows<@g, node>>) -> tensor<?x16xf32, #gnn.rows<@g, node>> {
  %r = gnn.rebind_rows %x : tensor<?x16xf32, #gnn.rows<@g, node>> -> !node
  %a = gnn_overlay.aggregate sum %r : !node -> !node
  %y = gnn.rebind_rows %a : !node -> tensor<?x16xf32, #gnn.rows<@g, node>>
  return %y : tensor<?x16xf32, #gnn.rows<@g, node>>
}
