// GraphSAGE: y[v] = (mean over edges u -> v of x[u]) W + x[v] R + b.

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 5429, type_edges = [5429], src_pairs = [2708], dst_pairs = [2708]>}

func.func @sage(
    %x: tensor<?x1433xf32, #node> {gnn.name = "x"},
    %layer1_weight: tensor<1433x128xf32> {gnn.name = "layer1_weight"},
    %layer1_bias: tensor<128xf32> {gnn.name = "layer1_bias"},
    %layer1_root: tensor<1433x128xf32> {gnn.name = "layer1_root"},
    %layer2_weight: tensor<128x7xf32> {gnn.name = "layer2_weight"},
    %layer2_bias: tensor<7xf32> {gnn.name = "layer2_bias"},
    %layer2_root: tensor<128x7xf32> {gnn.name = "layer2_root"})
    -> (tensor<?x7xf32, #node> {gnn.name = "out"}) {
  // Layer 1.
  %message = gnn.gather %x via src : tensor<?x1433xf32, #node> -> tensor<?x1433xf32, #edge>
  %0 = gnn.aggregate mean %message via dst : tensor<?x1433xf32, #edge> -> tensor<?x1433xf32, #node>
  %1 = gnn.linear %0, %layer1_weight bias %layer1_bias : (tensor<?x1433xf32, #node>, tensor<1433x128xf32>, tensor<128xf32>) -> tensor<?x128xf32, #node>
  %2 = gnn.linear %x, %layer1_root : (tensor<?x1433xf32, #node>, tensor<1433x128xf32>) -> tensor<?x128xf32, #node>
  %3 = arith.addf %1, %2 : tensor<?x128xf32, #node>
  %4 = gnn.activation relu %3 : tensor<?x128xf32, #node>
  // Layer 2.
  %message_1 = gnn.gather %4 via src : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %5 = gnn.aggregate mean %message_1 via dst : tensor<?x128xf32, #edge> -> tensor<?x128xf32, #node>
  %6 = gnn.linear %5, %layer2_weight bias %layer2_bias : (tensor<?x128xf32, #node>, tensor<128x7xf32>, tensor<7xf32>) -> tensor<?x7xf32, #node>
  %7 = gnn.linear %4, %layer2_root : (tensor<?x128xf32, #node>, tensor<128x7xf32>) -> tensor<?x7xf32, #node>
  %8 = arith.addf %6, %7 : tensor<?x7xf32, #node>
  return %8 : tensor<?x7xf32, #node>
}
