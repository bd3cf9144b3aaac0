// The sum over incoming edges: one traversal, whose kernel the passes change.

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x64xf32, #gnn.rows<@g, node>>
!edge = tensor<?x64xf32, #gnn.rows<@g, edge>>

func.func @sum(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  %m = gnn.gather %x via src : !node -> !edge
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}
