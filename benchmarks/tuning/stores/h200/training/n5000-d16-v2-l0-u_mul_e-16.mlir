#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 5000, dst_nodes = 5000, edges = 80000, type_edges = [80000], src_pairs = [5000], dst_pairs = [4867], in_degree_squares = 5252682, in_degree_max = 496, out_degree_squares = 1359710, out_degree_max = 32, src_pair_max = [32], dst_pair_max = [496], near_edges = [77356, 80000, 80000]>}

func.func @weighted_sum(
    %x: tensor<?x16xf32, #node> {gnn.name = "x"},
    %w: tensor<?xf32, #edge> {gnn.name = "w"})
    -> (tensor<?x16xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.apply mul %w, %x via src : (tensor<?xf32, #edge>, tensor<?x16xf32, #node>) -> tensor<?x16xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x16xf32, #edge> -> tensor<?x16xf32, #node>
  return %1 : tensor<?x16xf32, #node>
}
