#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 4000000, type_edges = [4000000], src_pairs = [981602], dst_pairs = [947652], in_degree_squares = 32368992, in_degree_max = 153, out_degree_squares = 20004928, out_degree_max = 16, src_pair_max = [16], dst_pair_max = [153], near_edges = [3203711, 3248988, 3561537]>}

func.func @dot(
    %x: tensor<?x96xf32, #node> {gnn.name = "x"},
    %z: tensor<?x96xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x96xf32, #node> -> tensor<?x96xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x96xf32, #node> -> tensor<?x96xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x96xf32, #edge>, tensor<?x96xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
