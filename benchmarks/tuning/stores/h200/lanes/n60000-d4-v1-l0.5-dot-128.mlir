#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 60000, dst_nodes = 60000, edges = 240000, type_edges = [240000], src_pairs = [58892], dst_pairs = [56797], in_degree_squares = 1966680, in_degree_max = 97, out_degree_squares = 1202464, out_degree_max = 16, src_pair_max = [16], dst_pair_max = [97], near_edges = [133986, 213465, 240000]>}

func.func @dot(
    %x: tensor<?x128xf32, #node> {gnn.name = "x"},
    %z: tensor<?x128xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x128xf32, #edge>, tensor<?x128xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
