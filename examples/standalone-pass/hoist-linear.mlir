// Each message is the transformed row of its source. Nodes are fewer than
// edges: after the pass, rows are transformed first.

!node = tensor<?x64xf32, #gnn.rows<@g, node>>
!edge = tensor<?x64xf32, #gnn.rows<@g, edge>>
!message = tensor<?x8xf32, #gnn.rows<@g, edge>>

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @messages(%x: !node {gnn.name = "x"}, %w: tensor<64x8xf32> {gnn.name = "w"})
    -> (!message {gnn.name = "out"}) {
  %m = gnn.gather %x via src : !node -> !edge
  %y = gnn.linear %m, %w : (!edge, tensor<64x8xf32>) -> !message
  return %y : !message
}
