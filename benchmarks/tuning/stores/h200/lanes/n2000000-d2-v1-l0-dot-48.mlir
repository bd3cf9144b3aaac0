#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 2000000, dst_nodes = 2000000, edges = 4000000, type_edges = [4000000], src_pairs = [1729329], dst_pairs = [1665023], in_degree_squares = 16684622, in_degree_max = 94, out_degree_squares = 11995882, out_degree_max = 12, src_pair_max = [12], dst_pair_max = [94], near_edges = [16227, 129837, 981481]>}

func.func @dot(
    %x: tensor<?x48xf32, #node> {gnn.name = "x"},
    %z: tensor<?x48xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x48xf32, #node> -> tensor<?x48xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x48xf32, #node> -> tensor<?x48xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x48xf32, #edge>, tensor<?x48xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
