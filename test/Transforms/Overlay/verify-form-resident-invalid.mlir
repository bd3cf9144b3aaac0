// RUN: gnn-opt %s --gnn-overlay-verify-form=form=resident --verify-diagnostics --split-input-file
// RUN: gnn-opt %s --gnn-overlay-verify-form=form=annotated --split-input-file -o /dev/null

gnn_overlay.program @form_c7 target <memory_bytes = 4096> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  // expected-error @+1 {{'gnn_overlay.region' op expected an end within 4096 bytes, got 4160: gnn-overlay-super-partition makes parts that fit}}
  gnn_overlay.region @y features [20, 16] output at 2112
}
