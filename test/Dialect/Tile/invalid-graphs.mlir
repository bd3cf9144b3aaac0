// RUN: gnn-opt %s --verify-diagnostics --split-input-file

func.func @count_c1() {
  // expected-error @+1 {{'gnn_tile.count' op is on @g, which no gnn.graph of the module declares}}
  %n = gnn_tile.count @g count dst : index
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @count_c1_parent() {
  // expected-error @+1 {{'gnn_tile.count' op expected rows of a graph that is not derived, as @g, got 'parent_edge'}}
  %n = gnn_tile.count @g count parent_edge : index
  return
}

// -----

gnn.graph @g bipartite {node_types = 2, edge_types = 3}

func.func @count_c1_node() {
  // expected-error @+1 {{'gnn_tile.count' op expected rows of a bipartite graph, as @g, got 'node'}}
  %n = gnn_tile.count @g count node : index
  return
}

// -----

func.func @structure_c2() {
  // expected-error @+1 {{'gnn_tile.structure' op is on @f, which no gnn.graph of the module declares}}
  %s = gnn_tile.structure @f map edge src : memref<?xi32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @structure_c2_parent() {
  // expected-error @+1 {{'gnn_tile.structure' op expected rows of a graph that is not derived, as @g, got 'parent_edge'}}
  %s = gnn_tile.structure @g map edge parent_edge : memref<?xi32>
  return
}

// -----

// A symbol of that name is no graph.
func.func private @g()

func.func @traverse_c8(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op is on @g, which no gnn.graph of the module declares}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c8_access(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected rows of a graph that is not derived, as @g, got 'parent_edge'}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> parent_edge>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c8_index(%init: tensor<?xi32>) -> tensor<?xi32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected rows of a graph that is not derived, as @g, got 'parent_edge'}}
  %y = gnn_tile.traverse @g <edge> at []
      outs(%init : tensor<?xi32>) at [#gnn_tile.at<group>] {
    %i = gnn_tile.index #gnn_tile.at<group -> parent_edge>
    gnn_tile.yield %i : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @gemm_c8(%x: tensor<?x64xf32>, %w: tensor<?x64x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected rows of a graph that is not derived, as @g, got 'parent_edge_type'}}
  %y = gnn_tile.gemm @g rows src_pair types edge_type weights parent_edge_type
      ins(%x, %w : tensor<?x64xf32>, tensor<?x64x8xf32>)
      at <group -> src : feature> extras at []
      outs(%init : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g bipartite {node_types = 2, edge_types = 3}

func.func @outer_c4(%x: tensor<?x64xf32>, %dy: tensor<?x8xf32>, %init: tensor<64x8xf32>) -> tensor<64x8xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected rows of a bipartite graph, as @g, got 'node'}}
  %dw = gnn_tile.outer @g rows node
      ins(%x, %dy : tensor<?x64xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %dw : tensor<64x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c2_offset(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected at least 9223372036854775812 features, got 'memref<?x8xf32>'}}
  gnn_tile.traverse @g <dst, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature + 9223372036854775804>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

// expected-error @+1 {{expected 1 to 1073741824 heads and features, got 9223372036854775807 and 1}}
func.func private @domain_c3_many() attributes {domain = #gnn_tile.domain<dst, heads = 9223372036854775807>}
