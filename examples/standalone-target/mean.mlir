// A layer of GraphSAGE: the mean over neighbours, times a matrix.

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!edge = tensor<?x16xf32, #gnn.rows<@g, edge>>
!out = tensor<?x8xf32, #gnn.rows<@g, node>>

func.func @mean(%x: !node {gnn.name = "x"}, %w: tensor<16x8xf32> {gnn.name = "w"})
    -> (!out {gnn.name = "out"}) {
  %m = gnn.gather %x via src : !node -> !edge
  %y = gnn.aggregate mean %m via dst : !edge -> !node
  %z = gnn.linear %y, %w : (!node, tensor<16x8xf32>) -> !out
  return %z : !out
}
