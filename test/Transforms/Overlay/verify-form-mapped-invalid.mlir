// RUN: gnn-opt %s --gnn-overlay-verify-form=form=mapped --verify-diagnostics --split-input-file
// RUN: gnn-opt %s --gnn-overlay-annotate-mutexes --verify-diagnostics --split-input-file

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @form_c5 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.region @y features [20, 16] output at 2048
  // expected-error @+1 {{'gnn_overlay.read' op expected instructions: gnn-overlay-map-kernels makes them}}
  %x = gnn_overlay.read @x : !node
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : !node -> !node
  gnn_overlay.place %y in @y : !node
}
