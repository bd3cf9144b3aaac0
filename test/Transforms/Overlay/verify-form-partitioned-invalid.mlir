// RUN: gnn-opt %s --gnn-overlay-verify-form=form=partitioned --verify-diagnostics --split-input-file

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
// expected-error @+1 {{expected programs, got a function of layers: gnn-overlay-partition makes programs}}
func.func @form_c3(%x: !node) -> !node {
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : !node -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @form_c3_operand target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.region @y features [20, 16] output at 2048
  %x = gnn_overlay.read @x : !node
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : !node -> !node
  // expected-error @-1 {{'gnn_overlay.activation' op expected a result that is placed in a region}}
  %z = gnn_overlay.activation %y activations [#gnn_overlay.act<relu>] : !node -> !node
  gnn_overlay.place %z in @y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @form_c4 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.region @y features [20, 16] output at 2048
  %x = gnn_overlay.read @x : !node
  // expected-error @+1 {{'gnn_overlay.aggregate' op expected weights of edges: gnn-overlay-partition gives each the weight 1}}
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  gnn_overlay.place %y in @y : !node
}
