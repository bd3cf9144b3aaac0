#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 132534, dst_nodes = 132534, edges = 79122504, type_edges = [79122504], src_pairs = [132534], dst_pairs = [132534], in_degree_squares = 98047339900, in_degree_max = 22790, out_degree_squares = 47314892232, out_degree_max = 711, src_pair_max = [711], dst_pair_max = [22790], near_edges = [4817949, 34291713, 79122504]>}

func.func @gatv2(
    %source: tensor<?x4x16xf32, #node> {gnn.name = "source"},
    %target: tensor<?x4x16xf32, #node> {gnn.name = "target"},
    %att: tensor<4x16xf32> {gnn.name = "att"})
    -> (tensor<?x4x16xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.apply add %source via src, %target via dst : (tensor<?x4x16xf32, #node>, tensor<?x4x16xf32, #node>) -> tensor<?x4x16xf32, #edge>
  %1 = gnn.activation leaky_relu %0 alpha = 0.2 : tensor<?x4x16xf32, #edge>
  %2 = gnn.dot %1, %att : (tensor<?x4x16xf32, #edge>, tensor<4x16xf32>) -> tensor<?x4xf32, #edge>
  %3 = gnn.edge_softmax %2 over dst : tensor<?x4xf32, #edge>
  %4 = gnn.apply mul %3, %source via src : (tensor<?x4xf32, #edge>, tensor<?x4x16xf32, #node>) -> tensor<?x4x16xf32, #edge>
  %5 = gnn.aggregate sum %4 via dst : tensor<?x4x16xf32, #edge> -> tensor<?x4x16xf32, #node>
  return %5 : tensor<?x4x16xf32, #node>
}
