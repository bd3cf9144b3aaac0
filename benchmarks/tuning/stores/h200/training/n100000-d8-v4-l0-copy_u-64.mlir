#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000, edges = 800000, type_edges = [800000], src_pairs = [99958], dst_pairs = [81234], in_degree_squares = 97233790, in_degree_max = 2631, out_degree_squares = 7199090, out_degree_max = 23, src_pair_max = [23], dst_pair_max = [2631], near_edges = [64103, 438788, 800000]>}

func.func @sum(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"})
    -> (tensor<?x64xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}
