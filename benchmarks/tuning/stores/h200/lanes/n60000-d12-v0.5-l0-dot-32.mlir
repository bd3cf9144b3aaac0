#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 60000, dst_nodes = 60000, edges = 720000, type_edges = [720000], src_pairs = [60000], dst_pairs = [60000], in_degree_squares = 10798204, in_degree_max = 94, out_degree_squares = 9363612, out_degree_max = 33, src_pair_max = [33], dst_pair_max = [94], near_edges = [94612, 571864, 720000]>}

func.func @dot(
    %x: tensor<?x32xf32, #node> {gnn.name = "x"},
    %z: tensor<?x32xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x32xf32, #node> -> tensor<?x32xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x32xf32, #node> -> tensor<?x32xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x32xf32, #edge>, tensor<?x32xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
