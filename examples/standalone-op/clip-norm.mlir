// The sum over neighbours, no longer than 1.5.

!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @clipped(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  %m = gnn.gather %x via src : !node -> !edge
  %s = gnn.aggregate sum %m via dst : !edge -> !node
  %y = extra.clip_norm %s to 1.5 : !node
  return %y : !node
}
