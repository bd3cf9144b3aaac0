// RUN: gnn-translate %s --gnn-to-overlay --split-input-file --verify-diagnostics -o %t

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @layers target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  // expected-error @+1 {{'gnn_overlay.read' op expected instructions: gnn-overlay-map-kernels makes them}}
  %x = gnn_overlay.read @x : !node
}

// -----

gnn_overlay.program @many_rows target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.layer_block activation layer 1 in 16 out 16 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.load' does not fit an instruction: load: expected count of 17 bits, got 131072}}
      gnn_overlay.load feature @x at 0 rows 131072 width 16
      gnn_overlay.act <relu> count 16
    }
  }
}

// -----

gnn_overlay.program @many_features target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.layer_block' does not fit an instruction: csi: expected in of 16 bits, got 65536}}
  gnn_overlay.layer_block activation layer 1 in 65536 out 16 {
  }
}

// -----

// A program that would wait forever, or read past a region.

gnn_overlay.program @no_locks target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.region @y features [20, 16] output at 2048
  gnn_overlay.layer_block activation layer 1 in 16 out 16 {
    gnn_overlay.tiling_block {
      gnn_overlay.load feature @x at 0 rows 16 width 16 lock
      gnn_overlay.act <relu> count 16 lock
      // expected-error @+1 {{expected a program that runs: instruction 3: }}
      gnn_overlay.store feature @y at 1024 rows 32 width 16
    }
  }
}

// -----

gnn_overlay.program @in_a_part target <> partition <vertices = 16, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [16, 16] input at 0 of "x"
  gnn_overlay.region @y features [16, 16] output at 1024
  gnn_overlay.program @part0 target <> partition <vertices = 16, edges = 7, n1 = 16, n2 = 16> {
    gnn_overlay.region @x features [16, 16] input at 0 from [0, 0]
    gnn_overlay.region @y features [16, 16] output at 1024 from [0, 0]
    gnn_overlay.layer_block activation layer 1 in 16 out 16 activation relu {
      gnn_overlay.tiling_block {
        // expected-error @+1 {{expected a program that runs: part 0: instruction 1: }}
        gnn_overlay.load feature @x at 0 rows 32 width 16 lock
        gnn_overlay.act <relu> count 16 lock unlock [feature]
        gnn_overlay.store feature @y at 0 rows 16 width 16 unlock [output]
      }
    }
  }
}
