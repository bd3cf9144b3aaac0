#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 16000000, type_edges = [16000000], src_pairs = [1000000], dst_pairs = [999172], in_degree_squares = 510018954, in_degree_max = 568, out_degree_squares = 272010906, out_degree_max = 40, src_pair_max = [40], dst_pair_max = [568], near_edges = [12811832, 12992923, 14244777]>}

func.func @dot(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"},
    %z: tensor<?x64xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x64xf32, #edge>, tensor<?x64xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
