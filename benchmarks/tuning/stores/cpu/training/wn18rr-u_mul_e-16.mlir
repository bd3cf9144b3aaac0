#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 40943, dst_nodes = 40943, edges = 93003, type_edges = [93003], src_pairs = [40701], dst_pairs = [33075], in_degree_squares = 2465367, in_degree_max = 514, out_degree_squares = 785539, out_degree_max = 494, src_pair_max = [494], dst_pair_max = [514], near_edges = [27558, 88438, 93003]>}

func.func @weighted_sum(
    %x: tensor<?x16xf32, #node> {gnn.name = "x"},
    %w: tensor<?xf32, #edge> {gnn.name = "w"})
    -> (tensor<?x16xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.apply mul %w, %x via src : (tensor<?xf32, #edge>, tensor<?x16xf32, #node>) -> tensor<?x16xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x16xf32, #edge> -> tensor<?x16xf32, #node>
  return %1 : tensor<?x16xf32, #node>
}
