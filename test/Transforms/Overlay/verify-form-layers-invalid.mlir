// RUN: gnn-opt %s --gnn-overlay-verify-form=form=layers --verify-diagnostics

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// expected-error @+1 {{expected layers in one block that returns}}
func.func @form_c1(%x: !node) -> !node {
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : !node -> !node
  cf.br ^end
^end:
  return %y : !node
}
