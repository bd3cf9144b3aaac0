// RUN: gnn-opt %s --gnn-overlay-map-kernels --split-input-file --verify-diagnostics

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @not_placed target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  %x = gnn_overlay.read @x : !node
  // expected-error @+1 {{'gnn_overlay.activation' op expected a result that is placed in a region}}
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : !node -> !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @no_weights target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.region @y features [20, 16] output at 4096
  %x = gnn_overlay.read @x : !node
  // expected-error @+1 {{'gnn_overlay.aggregate' op expected weights of edges: gnn-overlay-partition gives each the weight 1}}
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  gnn_overlay.place %y in @y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @no_edges target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.region @y edges [4, 7] output at 4096
  %x = gnn_overlay.read @x : !node
  // expected-error @+1 {{'gnn_overlay.vector_inner' op expected a region of edges in the program}}
  %y = gnn_overlay.vector_inner %x, %x : !node, !node -> !number
  gnn_overlay.place %y in @y : !number
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @two_regions target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.region @s affine [1, 16] input at 2048
  gnn_overlay.region @b affine [1, 16] input at 3072
  gnn_overlay.region @y features [20, 16] output at 4096
  %x = gnn_overlay.read @x : !node
  %s = gnn_overlay.read @s : tensor<16xf32>
  %b = gnn_overlay.read @b : tensor<16xf32>
  // expected-error @+1 {{'gnn_overlay.batch_norm' op expected a scale and a shift of one region}}
  %y = gnn_overlay.batch_norm %x scale %s shift %b : !node, tensor<16xf32>, tensor<16xf32>
  gnn_overlay.place %y in @y : !node
}

// -----

!node = tensor<?x65536xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @wide target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 65536] input at 0 of "x"
  gnn_overlay.region @y features [20, 65536] output at 16777216
  %x = gnn_overlay.read @x : !node
  // expected-error @+1 {{'gnn_overlay.activation' op expected at most 65535 features, got 65536}}
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : !node -> !node
  gnn_overlay.place %y in @y : !node
}
