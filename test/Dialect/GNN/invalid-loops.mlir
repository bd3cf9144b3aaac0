// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Loops and ops on one row. Each case is named after the constraint it breaks.

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

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}
!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @for_nodes_c1() {
  // expected-error @+1 {{loops over nodes of a bipartite graph: expected 'src' or 'dst', got none}}
  gnn.for_nodes %n in @block {
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

func.func @for_nodes_c1_square() {
  // expected-error @+1 {{loops over nodes of a square graph: expected no end, got 'src'}}
  gnn.for_nodes src %n in @g {
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

func.func @for_incoming_c1(%x: !node) {
  gnn.for_edges %e in @g {
    // expected-error @+1 {{expected a node or dst row, got a edge row}}
    gnn.for_incoming %i of %e : !e {
      gnn.yield
    }
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

func.func @for_outgoing_c1(%x: !node) {
  gnn.for_edges %e in @g {
    // expected-error @+1 {{expected a node or src row, got a edge row}}
    gnn.for_outgoing %i of %e : !e {
      gnn.yield
    }
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

func.func @for_incoming_c2(%x: !node) {
  gnn.for_edges %e in @g {
    %u = gnn.follow %e via src : !e -> !n
    // expected-error @+1 {{has results with rows: expected the node of the gnn.for_nodes directly around it}}
    %p = gnn.for_incoming %i of %u : !n -> (!edge) {
      %b = gnn.read %x[%i] via src : (!node, !e) -> tensor<8xf32>
      gnn.yield %b : tensor<8xf32>
    }
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

func.func @for_outgoing_c2(%x: !node) {
  gnn.for_edges %e in @g {
    %u = gnn.follow %e via src : !e -> !n
    // expected-error @+1 {{has results with rows: expected the node of the gnn.for_nodes directly around it}}
    %p = gnn.for_outgoing %i of %u : !n -> (!edge) {
      %b = gnn.read %x[%i] via src : (!node, !e) -> tensor<8xf32>
      gnn.yield %b : tensor<8xf32>
    }
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

func.func @yield_c1(%x: !node) {
  %r = gnn.for_edges %e in @g -> (!edge) {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{expected a value for each of 1 results, got 0}}
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

func.func @yield_c2(%x: !node) {
  %r = gnn.for_edges %e in @g -> (!node) {
    // expected-error @+1 {{expected features of one row, or rows that an inner loop made, of the type of result 0: 'tensor<?x8xf32, #gnn.rows<@g, node>>', got 'tensor<?x8xf32, #gnn.rows<@g, node>>'}}
    gnn.yield %x : !node
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @yield_c3(%x: !node) {
  %r = gnn.for_edges %e in @g -> (!node) {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{expected a reduction to result 0, which has no rows of the loop: 'tensor<?x8xf32, #gnn.rows<@g, node>>'}}
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @yield_c3_features(%x: !node) {
  %r = gnn.for_edges %e in @g -> (tensor<?x4xf32, #gnn.rows<@g, edge>>) {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{expected features [4] of 'f32' for result 0, got 'tensor<8xf32>'}}
    gnn.yield %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @yield_c4(%x: !node) {
  %r = gnn.for_edges %e in @g -> (!edge) {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{result 0: expected rows that edge rows lead to, got the rows of the loop}}
    gnn.yield sum %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @yield_c4_path(%x: !node) {
  %r = gnn.for_nodes %n in @g -> (!edge) {
    %a = gnn.read %x[%n] : (!node, !n) -> tensor<8xf32>
    // expected-error @+1 {{no path to result: a node row does not lead to one edge row}}
    gnn.yield sum %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @yield_c5(%x: !node) {
  %r = gnn.for_edges %e in @g -> (!node) {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{two paths to result from edge rows to node rows: expected 'via src' or 'via dst', got none}}
    gnn.yield sum %a : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @yield_c5_plain(%x: !node) {
  %r = gnn.for_edges %e in @g -> (!edge) {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{expected no via for result 0, which is not reduced into rows}}
    gnn.yield %a via src : tensor<8xf32>
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @dialect_g7() {
  // expected-error @+1 {{expected a body with one argument of type '!gnn.row<@g, edge>', got '!gnn.row<@g, node>'}}
  "gnn.for_edges"() <{graph = @g}> ({
  ^bb0(%n: !n):
    "gnn.yield"() <{reductions = [], ends = []}> : () -> ()
  }) : () -> ()
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @dialect_g8(%x: !node) {
  gnn.for_edges %e in @g {
    %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    // expected-error @+1 {{expected loops, ops on one row, elementwise arith and math, and of tensor concat, extract_slice and reshapes in the body of a loop}}
    %s = tensor.empty() : tensor<8xf32>
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

func.func @dialect_g8_rows(%x: !node) {
  gnn.for_edges %e in @g {
    // expected-error @+1 {{expected the features of one row in the body of a loop, got rows of a graph: read them with gnn.read}}
    %s = arith.addf %x, %x : !node
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

func.func @dialect_g9(%x: !node) {
  gnn.for_nodes %n in @g {
    %p = gnn.for_incoming %e of %n : !n -> (!edge) {
      %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
      gnn.yield %a : tensor<8xf32>
    }
    gnn.for_outgoing %e of %n : !n {
      // expected-error @+1 {{expected rows that an inner loop makes to be read in a later loop over the same edges of the same node}}
      %a = gnn.read %p[%e] : (!edge, !e) -> tensor<8xf32>
      gnn.yield
    }
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
!edge_type = tensor<3x8xf32, #gnn.rows<@g, edge_type>>

func.func @dialect_g9_reduced(%x: !node) {
  gnn.for_nodes %n in @g {
    %p = gnn.for_incoming %e of %n : !n -> (!edge_type) {
      %a = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
      gnn.yield sum %a : tensor<8xf32>
    }
    gnn.for_incoming %e of %n : !n {
      // expected-error @+1 {{expected rows that are complete within the loop, got rows that an inner loop reduces into}}
      %a = gnn.read %p[%e] : (!edge_type, !e) -> tensor<8xf32>
      gnn.yield
    }
    gnn.yield
  }
  return
}
