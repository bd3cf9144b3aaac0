#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 200000, dst_nodes = 200000, edges = 6400000, type_edges = [6400000], src_pairs = [200000], dst_pairs = [198242], in_degree_squares = 1058207172, in_degree_max = 5351, out_degree_squares = 211176286, out_degree_max = 58, src_pair_max = [58], dst_pair_max = [5351], near_edges = [259421, 1923900, 6400000]>}

func.func @dot(
    %x: tensor<?x256xf32, #node> {gnn.name = "x"},
    %z: tensor<?x256xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x256xf32, #node> -> tensor<?x256xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x256xf32, #node> -> tensor<?x256xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x256xf32, #edge>, tensor<?x256xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
