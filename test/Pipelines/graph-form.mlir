// RUN: gnn-opt %s --gnn-compile-pipeline --verify-diagnostics --split-input-file

// The border of level 1 is checked before anything else.

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x8xf32, #gnn.rows<@g, node>>

func.func @cast(%x: !node) -> tensor<?x8xf32> {
  // expected-error @+1 {{'tensor.cast' op expected node rows of @g to stay what they are, got no rows}}
  %y = tensor.cast %x : !node to tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
