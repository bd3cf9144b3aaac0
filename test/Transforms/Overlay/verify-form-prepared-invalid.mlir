// RUN: gnn-opt %s --gnn-overlay-verify-form=form=prepared --verify-diagnostics --split-input-file

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @form_c2(%x: !node) -> !node {
  %s = arith.mulf %x, %x : !node
  // expected-error @+1 {{'gnn_overlay.activation' op expected operands that are arguments or layers: gnn-overlay-outline-prepare makes them arguments}}
  %y = gnn_overlay.activation %s activations [#gnn_overlay.act<relu>] : !node -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @form_c2_result(%x: !node) -> (!node, !node) {
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : !node -> !node
  // expected-error @+1 {{'func.return' op expected results of layers, got result 1}}
  return %y, %x : !node, !node
}

// -----

// A function without layers has every form.
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @other(%x: !node) -> !node {
  %s = arith.mulf %x, %x : !node
  return %s : !node
}
