#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 500000, dst_nodes = 500000, edges = 8000000, type_edges = [8000000], src_pairs = [500000], dst_pairs = [499550], in_degree_squares = 255725676, in_degree_max = 441, out_degree_squares = 136021294, out_degree_max = 38, src_pair_max = [38], dst_pair_max = [441], near_edges = [130118, 1014640, 6187625]>}

func.func @weighted_sum(
    %x: tensor<?x48xf32, #node> {gnn.name = "x"},
    %w: tensor<?xf32, #edge> {gnn.name = "w"})
    -> (tensor<?x48xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.apply mul %w, %x via src : (tensor<?xf32, #edge>, tensor<?x48xf32, #node>) -> tensor<?x48xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x48xf32, #edge> -> tensor<?x48xf32, #node>
  return %1 : tensor<?x48xf32, #node>
}
