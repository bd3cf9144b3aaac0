// RUN: gnn-opt %s --gnn-overlay-partition --split-input-file --verify-diagnostics

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{expected statistics of @g, or a file: a program of the overlay is for one number of nodes and edges}}
func.func @no_statistics(%x: !node) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
func.func @result_twice(%x: !node) -> (!node, !node) {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  // expected-error @+1 {{'func.return' op expected results that are different values, got result 1 twice}}
  return %y, %y : !node, !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
func.func @argument(%x: !node) -> (!node, !node) {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  // expected-error @+1 {{'func.return' op expected results of layers, got result 1}}
  return %y, %x : !node, !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
// expected-error @+1 {{expected arguments of different names, got 'x' of argument 1}}
func.func @one_name(%x: !node {gnn.name = "x"}, %y: !node {gnn.name = "x"}) -> !node {
  %z = gnn_overlay.vector_add %x, %y : !node
  return %z : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
func.func @computed_weight(%x: !node, %w: tensor<16x16xf32>) -> !node {
  %p = arith.mulf %w, %w : tensor<16x16xf32>
  // expected-error @+1 {{'gnn_overlay.linear' op expected a weight that is an argument: gnn-overlay-outline-prepare makes it one}}
  %y = gnn_overlay.linear %x, %p : !node, tensor<16x16xf32> -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
func.func @computed_rows(%w: tensor<16xf32>) -> !node {
  %p = gnn.broadcast %w : tensor<16xf32> -> !node
  // expected-error @+1 {{'gnn_overlay.aggregate' op expected operands that are arguments or layers: gnn-overlay-outline-prepare makes them arguments}}
  %y = gnn_overlay.aggregate sum %p : !node -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2147483648, dst_nodes = 2147483648, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
// expected-error @+1 {{expected fewer than 2^31 nodes and edges, got 2147483648 and 90}}
func.func @too_many(%x: !node) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}
