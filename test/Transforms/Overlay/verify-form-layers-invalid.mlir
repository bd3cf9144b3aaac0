// RUN: gnn-opt %s --gnn-overlay-verify-form=form=layers --split-input-file --verify-diagnostics

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-error @+1 {{expected layers in one block that returns}}
func.func @form_c1(%x: !node) -> !node {
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : !node -> !node
  cf.br ^end
^end:
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!other = tensor<?x16xf32, #gnn.rows<@h, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @h square {node_types = 1, edge_types = 1}

func.func @form_c8(%x: !node, %y: !other) -> (!node, !other) {
  %a = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : !node -> !node
  // expected-error @+1 {{'gnn_overlay.activation' op expected layers of one graph, got @g and @h}}
  %b = gnn_overlay.activation %y activations [#gnn_overlay.act<relu>] : !other -> !other
  return %a, %b : !node, !other
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!looped = tensor<?x16xf32, #gnn.rows<@looped, node>>
!other = tensor<?x16xf32, #gnn.rows<@h, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @looped square of @g loops replace type 0 {node_types = 1, edge_types = 1}
gnn.graph @h square {node_types = 1, edge_types = 1}

func.func @form_c8_views(%x: !looped, %y: !other) -> (!node, !node) {
  %r = gnn.rebind_rows %x : !looped -> !node
  %a = gnn_overlay.activation %r activations [#gnn_overlay.act<relu>] : !node -> !node
  %s = gnn.rebind_rows %y : !other -> !node
  // expected-error @+1 {{'gnn_overlay.activation' op expected rows of the nodes of @g, got those of @h}}
  %b = gnn_overlay.activation %s activations [#gnn_overlay.act<relu>] : !node -> !node
  return %a, %b : !node, !node
}
