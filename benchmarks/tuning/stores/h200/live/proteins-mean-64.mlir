#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 132534, dst_nodes = 132534, edges = 79122504, type_edges = [79122504], src_pairs = [132534], dst_pairs = [132534], in_degree_squares = 98047339900, in_degree_max = 22790, out_degree_squares = 47314892232, out_degree_max = 711, src_pair_max = [711], dst_pair_max = [22790], near_edges = [4817949, 34291713, 79122504]>}

func.func @mean(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"})
    -> (tensor<?x64xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.aggregate mean %0 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}
