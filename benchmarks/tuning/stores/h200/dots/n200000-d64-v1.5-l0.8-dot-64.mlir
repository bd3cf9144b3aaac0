#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 200000, dst_nodes = 200000, edges = 12800000, type_edges = [12800000], src_pairs = [200000], dst_pairs = [199960], in_degree_squares = 2746256128, in_degree_max = 7340, out_degree_squares = 832289770, out_degree_max = 103, src_pair_max = [103], dst_pair_max = [7340], near_edges = [10292518, 10958171, 12800000]>}

func.func @dot(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"},
    %z: tensor<?x64xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x64xf32, #edge>, tensor<?x64xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
