// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Ops on one row of a loop. Each case is named after the constraint it breaks.

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}
!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @follow_c1(%x: !node) {
  gnn.for_edges %e in @g {
    // expected-error @+1 {{'gnn.follow' op has rows of two graphs: expected @g, got @block}}
    %u = gnn.follow %e : !e -> !gnn.row<@block, src>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @follow_c2(%x: !node) {
  gnn.for_nodes %n in @g {
    // expected-error @+1 {{no path to result: a node row does not lead to one edge row}}
    %u = gnn.follow %n : !n -> !e
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @follow_c3(%x: !node) {
  gnn.for_edges %e in @g {
    // expected-error @+1 {{two paths to result from edge rows to node rows: expected 'via src' or 'via dst', got none}}
    %u = gnn.follow %e : !e -> !n
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}
!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @read_c1(%x: tensor<?x8xf32, #gnn.rows<@block, src>>) {
  gnn.for_edges %e in @g {
    // expected-error @+1 {{'gnn.read' op has rows of two graphs: expected @g, got @block}}
    %a = gnn.read %x[%e] : (tensor<?x8xf32, #gnn.rows<@block, src>>, !e) -> tensor<8xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @read_c2(%x: !edge) {
  gnn.for_nodes %n in @g {
    // expected-error @+1 {{no path to input: a node row does not lead to one edge row}}
    %a = gnn.read %x[%n] : (!edge, !n) -> tensor<8xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @read_c3(%x: !node) {
  gnn.for_edges %e in @g {
    // expected-error @+1 {{two paths to input from edge rows to node rows: expected 'via src' or 'via dst', got none}}
    %a = gnn.read %x[%e] : (!node, !e) -> tensor<8xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @read_c3_one_path(%x: !node) {
  gnn.for_nodes %n in @g {
    // expected-error @+1 {{one path to input from node rows to node rows: expected no via, got 'via src'}}
    %a = gnn.read %x[%n] via src : (!node, !n) -> tensor<8xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_linear_c1(%s: tensor<f32>, %w: tensor<8x4xf32>) {
  gnn.for_edges %e in @g {
    // expected-error @+1 {{expected [in] or [heads, in] of input, got []}}
    %h = gnn.row_linear %s, %w : (tensor<f32>, tensor<8x4xf32>) -> tensor<4xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_linear_c2(%x: !node, %w: tensor<4x8xf32>) {
  gnn.for_edges %e in @g {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{weight takes as many features as input has: expected 8, got 4}}
    %h = gnn.row_linear %a, %w : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<8xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_linear_c2_transposed(%x: !node, %w: tensor<8x4xf32>) {
  gnn.for_edges %e in @g {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{weight takes as many features as input has: expected 8, got 4}}
    %h = gnn.row_linear %a, %w transposed : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<8xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_linear_c2_heads(%a: tensor<2x8xf32>, %w: tensor<3x8x4xf32>) {
  gnn.for_edges %e in @g {
    // expected-error @+1 {{weight has the heads of input: expected 2, got 3}}
    %h = gnn.row_linear %a, %w : (tensor<2x8xf32>, tensor<3x8x4xf32>) -> tensor<3x4xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_dot_c1(%s: tensor<f32>) {
  gnn.for_edges %e in @g {
    // expected-error @+1 {{expected at least one dimension, got none}}
    %d = gnn.row_dot %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_dot_c2(%x: !node, %w: tensor<4xf32>) {
  gnn.for_edges %e in @g {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{expected features [8] of rhs, got [4]}}
    %d = gnn.row_dot %a, %w : (tensor<8xf32>, tensor<4xf32>) -> tensor<f32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_outer_c1(%x: !node, %w: tensor<2x4xf32>) {
  gnn.for_edges %e in @g {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{expected one dimension of each operand, got [2, 4]}}
    %d = gnn.row_outer %a, %w : (tensor<8xf32>, tensor<2x4xf32>) -> tensor<8x2xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_activation_c1(%x: !node) {
  gnn.for_edges %e in @g {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{leaky_relu: expected alpha, got none}}
    %d = gnn.row_activation leaky_relu %a : tensor<8xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_activation_c2(%x: !node) {
  gnn.for_edges %e in @g {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{prelu: expected a weight, got none}}
    %d = gnn.row_activation prelu %a : tensor<8xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_activation_c2_inside(%x: !node) {
  gnn.for_edges %e in @g {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{expected a weight from outside of the loop, got features of a row}}
    %d = gnn.row_activation prelu %a, %a : tensor<8xf32>, tensor<8xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_activation_c3(%x: !node, %w: tensor<4xf32>) {
  gnn.for_edges %e in @g {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{expected a weight of shape [1] or of the last features of [8], got [4]}}
    %d = gnn.row_activation prelu %a, %w : tensor<8xf32>, tensor<4xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @row_broadcast_c1(%x: !node) {
  gnn.for_edges %e in @g {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{expected a result that begins with the dimensions [8], got [4, 8]}}
    %d = gnn.row_broadcast %a : tensor<8xf32> -> tensor<4x8xf32>
    gnn.yield
  }
  return
}
