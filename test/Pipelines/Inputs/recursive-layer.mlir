!node = tensor<?x8xf32, #gnn.rows<@g, node>>

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @layer(%x: !node) -> !node {
  %y = call @layer(%x) : (!node) -> !node
  return %y : !node
}
