#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 4000000, type_edges = [4000000], src_pairs = [981261], dst_pairs = [999999], in_degree_squares = 17772544, in_degree_max = 19, out_degree_squares = 20007920, out_degree_max = 17, src_pair_max = [17], dst_pair_max = [19], near_edges = [32798, 258131, 1822432]>}

func.func @dot(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"},
    %z: tensor<?x64xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x64xf32, #edge>, tensor<?x64xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
