#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 19717, dst_nodes = 19717, edges = 88648, type_edges = [88648], src_pairs = [19717], dst_pairs = [19717], in_degree_squares = 1487332, in_degree_max = 171, out_degree_squares = 1487332, out_degree_max = 171, src_pair_max = [171], dst_pair_max = [171], near_edges = [33210, 88648, 88648]>}

func.func @sum(
    %x: tensor<?x32xf32, #node> {gnn.name = "x"})
    -> (tensor<?x32xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x32xf32, #node> -> tensor<?x32xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x32xf32, #edge> -> tensor<?x32xf32, #node>
  return %1 : tensor<?x32xf32, #node>
}
