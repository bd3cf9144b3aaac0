#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 2449029, dst_nodes = 2449029, edges = 123718280, type_edges = [123718280], src_pairs = [2449029], dst_pairs = [2442842], in_degree_squares = 28437726892, in_degree_max = 15002, out_degree_squares = 6376569956, out_degree_max = 90, src_pair_max = [90], dst_pair_max = [15002], near_edges = [99016236, 99591687, 103946788]>}

func.func @dot(
    %x: tensor<?x32xf32, #node> {gnn.name = "x"},
    %z: tensor<?x32xf32, #node> {gnn.name = "z"})
    -> (tensor<?xf32, #edge> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x32xf32, #node> -> tensor<?x32xf32, #edge>
  %1 = gnn.gather %z via dst : tensor<?x32xf32, #node> -> tensor<?x32xf32, #edge>
  %2 = gnn.dot %0, %1 : (tensor<?x32xf32, #edge>, tensor<?x32xf32, #edge>) -> tensor<?xf32, #edge>
  return %2 : tensor<?xf32, #edge>
}
