// RUN: gnn-opt %s --gnn-overlay-verify-form=form=annotated --verify-diagnostics --split-input-file

gnn_overlay.program @form_c6 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.region @y features [20, 16] output at 2048
  gnn_overlay.layer_block activation layer 1 in 16 out 16 activation relu {
    gnn_overlay.tiling_block {
      gnn_overlay.load feature @x at 0 rows 16 width 16 lock
      // expected-error @+1 {{'gnn_overlay.act' op expected a lock: gnn-overlay-annotate-mutexes sets it}}
      gnn_overlay.act <relu> count 16 unlock [feature]
      gnn_overlay.store feature @y at 0 rows 16 width 16 unlock [output]
    }
  }
}

// -----

gnn_overlay.program @form_c6_unlock target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.region @y features [20, 16] output at 2048
  gnn_overlay.layer_block activation layer 1 in 16 out 16 activation relu {
    gnn_overlay.tiling_block {
      gnn_overlay.load feature @x at 0 rows 16 width 16 lock
      gnn_overlay.act <relu> count 16 lock unlock [feature]
      gnn_overlay.store feature @y at 0 rows 16 width 16 unlock [output]
    }
    // expected-error @+1 {{expected a tile that unlocks the buffers that it fills: gnn-overlay-annotate-mutexes says where}}
    gnn_overlay.tiling_block {
      gnn_overlay.load feature @x at 0 rows 16 width 16 lock
      gnn_overlay.act <relu> count 16 lock unlock [feature]
      gnn_overlay.store feature @y at 0 rows 16 width 16
    }
  }
}
