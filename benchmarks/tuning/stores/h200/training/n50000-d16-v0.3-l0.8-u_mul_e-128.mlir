#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 50000, dst_nodes = 50000, edges = 800000, type_edges = [800000], src_pairs = [50000], dst_pairs = [50000], in_degree_squares = 13954570, in_degree_max = 60, out_degree_squares = 13599624, out_degree_max = 36, src_pair_max = [36], dst_pair_max = [60], near_edges = [651985, 767677, 800000]>}

func.func @weighted_sum(
    %x: tensor<?x128xf32, #node> {gnn.name = "x"},
    %w: tensor<?xf32, #edge> {gnn.name = "w"})
    -> (tensor<?x128xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.apply mul %w, %x via src : (tensor<?xf32, #edge>, tensor<?x128xf32, #node>) -> tensor<?x128xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x128xf32, #edge> -> tensor<?x128xf32, #node>
  return %1 : tensor<?x128xf32, #node>
}
