// GCN: y[v] = sum over edges u -> v of
//   x[u] W / sqrt(degree(u) degree(v)) + b,
// on a graph where each node has one self loop.

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, self_loops, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 5429, type_edges = [5429], src_pairs = [2708], dst_pairs = [2708]>}

func.func @gcn(
    %x: tensor<?x1433xf32, #node> {gnn.name = "x"},
    %layer1_weight: tensor<1433x16xf32> {gnn.name = "layer1_weight"},
    %layer1_bias: tensor<16xf32> {gnn.name = "layer1_bias"},
    %layer2_weight: tensor<16x7xf32> {gnn.name = "layer2_weight"},
    %layer2_bias: tensor<7xf32> {gnn.name = "layer2_bias"})
    -> (tensor<?x7xf32, #node> {gnn.name = "out"}) {
  %degree = gnn.degree edge via dst : tensor<?xf32, #node>
  %scale = math.rsqrt %degree : tensor<?xf32, #node>
  %norm = gnn.apply mul %scale via src, %scale via dst : (tensor<?xf32, #node>, tensor<?xf32, #node>) -> tensor<?xf32, #edge>
  // Layer 1.
  %h = gnn.linear %x, %layer1_weight : (tensor<?x1433xf32, #node>, tensor<1433x16xf32>) -> tensor<?x16xf32, #node>
  %message = gnn.apply mul %norm, %h via src : (tensor<?xf32, #edge>, tensor<?x16xf32, #node>) -> tensor<?x16xf32, #edge>
  %0 = gnn.aggregate sum %message via dst : tensor<?x16xf32, #edge> -> tensor<?x16xf32, #node>
  %1 = gnn.broadcast %layer1_bias : tensor<16xf32> -> tensor<?x16xf32, #node>
  %2 = arith.addf %0, %1 : tensor<?x16xf32, #node>
  %3 = gnn.activation relu %2 : tensor<?x16xf32, #node>
  // Layer 2.
  %h_1 = gnn.linear %3, %layer2_weight : (tensor<?x16xf32, #node>, tensor<16x7xf32>) -> tensor<?x7xf32, #node>
  %message_1 = gnn.apply mul %norm, %h_1 via src : (tensor<?xf32, #edge>, tensor<?x7xf32, #node>) -> tensor<?x7xf32, #edge>
  %4 = gnn.aggregate sum %message_1 via dst : tensor<?x7xf32, #edge> -> tensor<?x7xf32, #node>
  %5 = gnn.broadcast %layer2_bias : tensor<7xf32> -> tensor<?x7xf32, #node>
  %6 = arith.addf %4, %5 : tensor<?x7xf32, #node>
  return %6 : tensor<?x7xf32, #node>
}
