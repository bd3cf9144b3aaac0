// RUN: gnn-opt %s --gnn-overlay-map-kernels=linear-group=5 --split-input-file --verify-diagnostics

// The output has room for four fibers of 4096 rows.
gnn_overlay.program @fits target <> partition <vertices = 20, edges = 7, n1 = 3264, n2 = 16> {
}

// -----

// expected-error @+1 {{linear-group: expected 1 to 4 fibers, as the buffers hold of 4096 rows each, got 5}}
gnn_overlay.program @output target <> partition <vertices = 20, edges = 7, n1 = 4096, n2 = 16> {
}

// -----

// Tiles of weights have 16 rows.
//
// expected-error @+1 {{linear-group: expected 1 to 3 fibers, as the buffers hold of 16 rows each, got 5}}
gnn_overlay.program @weights target <weight_rows = 63> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
}

// -----

// expected-error @+1 {{expected a target of at least 16 weight_rows, which a tile of a fiber takes, got 4}}
gnn_overlay.program @no_weights target <weight_rows = 4> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
}
