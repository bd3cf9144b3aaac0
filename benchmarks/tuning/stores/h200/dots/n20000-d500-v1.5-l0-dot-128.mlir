#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 20000, dst_nodes = 20000, edges = 10000000, type_edges = [10000000], src_pairs = [20000], dst_pairs = [20000], in_degree_squares = 18004436914, in_degree_max = 32121, out_degree_squares = 5009991740, out_degree_max = 590, src_pair_max = [590], dst_pair_max = [32121], near_edges = [3687870, 10000000, 10000000]>}

func.func @dot(
    %x: tensor<?x128xf32, #node> {gnn.name = "x"},
    %z: tensor<?x128xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x128xf32, #edge>, tensor<?x128xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
