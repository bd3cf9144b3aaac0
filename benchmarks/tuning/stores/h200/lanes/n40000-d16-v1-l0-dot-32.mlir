#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 40000, dst_nodes = 40000, edges = 640000, type_edges = [640000], src_pairs = [40000], dst_pairs = [39964], in_degree_squares = 20884034, in_degree_max = 336, out_degree_squares = 10874418, out_degree_max = 34, src_pair_max = [34], dst_pair_max = [336], near_edges = [124558, 619078, 640000]>}

func.func @dot(
    %x: tensor<?x32xf32, #node> {gnn.name = "x"},
    %z: tensor<?x32xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x32xf32, #node> -> tensor<?x32xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x32xf32, #node> -> tensor<?x32xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x32xf32, #edge>, tensor<?x32xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
