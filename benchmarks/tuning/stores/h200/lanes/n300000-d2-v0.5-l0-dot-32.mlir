#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 300000, dst_nodes = 300000, edges = 600000, type_edges = [600000], src_pairs = [259550], dst_pairs = [283457], in_degree_squares = 1598176, in_degree_max = 17, out_degree_squares = 1796102, out_degree_max = 11, src_pair_max = [11], dst_pair_max = [17], near_edges = [16171, 123752, 590396]>}

func.func @dot(
    %x: tensor<?x32xf32, #node> {gnn.name = "x"},
    %z: tensor<?x32xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x32xf32, #node> -> tensor<?x32xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x32xf32, #node> -> tensor<?x32xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x32xf32, #edge>, tensor<?x32xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
