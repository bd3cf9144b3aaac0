#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 16000000, type_edges = [16000000], src_pairs = [1000000], dst_pairs = [999172], in_degree_squares = 510018954, in_degree_max = 568, out_degree_squares = 272010906, out_degree_max = 40, src_pair_max = [40], dst_pair_max = [568], near_edges = [12811832, 12992923, 14244777]>}

func.func @weighted_sum(
    %x: tensor<?x32xf32, #node> {gnn.name = "x"},
    %w: tensor<?xf32, #edge> {gnn.name = "w"})
    -> (tensor<?x32xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.apply mul %w, %x via src : (tensor<?xf32, #edge>, tensor<?x32xf32, #node>) -> tensor<?x32xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x32xf32, #edge> -> tensor<?x32xf32, #node>
  return %1 : tensor<?x32xf32, #node>
}
