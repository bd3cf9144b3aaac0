// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Loops over rows and what they yield. Each case is named after the constraint it breaks.

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
    // expected-error @+1 {{expected loops over a node's edges, ops on one row, elementwise arith and math, and of tensor concat, extract_slice and reshapes in the body of a loop}}
    %s = tensor.empty() : tensor<8xf32>
    gnn.yield
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

!n = !gnn.row<@g, node>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>

func.func @dialect_g8_loop_over_all(%x: !node) {
  gnn.for_nodes %n in @g {
    // expected-error @+1 {{expected loops over a node's edges, ops on one row, elementwise arith and math, and of tensor concat, extract_slice and reshapes in the body of a loop}}
    gnn.for_edges %e in @g {
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

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @dialect_g8_scalar() {
  gnn.for_edges %e in @g {
    // expected-error @+1 {{expected rows and tensors of static shape in the body of a loop, got 'f32'}}
    %c = arith.constant 1.0 : f32
    gnn.yield
  }
  return
}
