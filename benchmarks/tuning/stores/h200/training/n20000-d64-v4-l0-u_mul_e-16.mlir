#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 20000, dst_nodes = 20000, edges = 1280000, type_edges = [1280000], src_pairs = [20000], dst_pairs = [19510], in_degree_squares = 1145613492, in_degree_max = 10609, out_degree_squares = 83211350, out_degree_max = 100, src_pair_max = [100], dst_pair_max = [10609], near_edges = [469003, 1280000, 1280000]>}

func.func @weighted_sum(
    %x: tensor<?x16xf32, #node> {gnn.name = "x"},
    %w: tensor<?xf32, #edge> {gnn.name = "w"})
    -> (tensor<?x16xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.apply mul %w, %x via src : (tensor<?xf32, #edge>, tensor<?x16xf32, #node>) -> tensor<?x16xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x16xf32, #edge> -> tensor<?x16xf32, #node>
  return %1 : tensor<?x16xf32, #node>
}
