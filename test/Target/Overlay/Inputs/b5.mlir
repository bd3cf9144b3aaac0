// GIN: y[v] = mlp((1 + eps) x[v] + sum over edges u -> v of x[u]), eps = 0.0.

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 5429, type_edges = [5429], src_pairs = [2708], dst_pairs = [2708]>}

func.func @gin(
    %x: tensor<?x1433xf32, #node> {gnn.name = "x"},
    %layer1_weight1: tensor<1433x128xf32> {gnn.name = "layer1_weight1"},
    %layer1_bias1: tensor<128xf32> {gnn.name = "layer1_bias1"},
    %layer1_weight2: tensor<128x128xf32> {gnn.name = "layer1_weight2"},
    %layer1_bias2: tensor<128xf32> {gnn.name = "layer1_bias2"},
    %layer2_weight1: tensor<128x128xf32> {gnn.name = "layer2_weight1"},
    %layer2_bias1: tensor<128xf32> {gnn.name = "layer2_bias1"},
    %layer2_weight2: tensor<128x128xf32> {gnn.name = "layer2_weight2"},
    %layer2_bias2: tensor<128xf32> {gnn.name = "layer2_bias2"},
    %layer3_weight1: tensor<128x128xf32> {gnn.name = "layer3_weight1"},
    %layer3_bias1: tensor<128xf32> {gnn.name = "layer3_bias1"},
    %layer3_weight2: tensor<128x128xf32> {gnn.name = "layer3_weight2"},
    %layer3_bias2: tensor<128xf32> {gnn.name = "layer3_bias2"},
    %layer4_weight1: tensor<128x128xf32> {gnn.name = "layer4_weight1"},
    %layer4_bias1: tensor<128xf32> {gnn.name = "layer4_bias1"},
    %layer4_weight2: tensor<128x128xf32> {gnn.name = "layer4_weight2"},
    %layer4_bias2: tensor<128xf32> {gnn.name = "layer4_bias2"},
    %layer5_weight1: tensor<128x128xf32> {gnn.name = "layer5_weight1"},
    %layer5_bias1: tensor<128xf32> {gnn.name = "layer5_bias1"},
    %layer5_weight2: tensor<128x7xf32> {gnn.name = "layer5_weight2"},
    %layer5_bias2: tensor<7xf32> {gnn.name = "layer5_bias2"})
    -> (tensor<?x7xf32, #node> {gnn.name = "out"}) {
  // Layer 1.
  %message = gnn.gather %x via src : tensor<?x1433xf32, #node> -> tensor<?x1433xf32, #edge>
  %0 = gnn.aggregate sum %message via dst : tensor<?x1433xf32, #edge> -> tensor<?x1433xf32, #node>
  %1 = arith.addf %0, %x : tensor<?x1433xf32, #node>
  %2 = gnn.linear %1, %layer1_weight1 bias %layer1_bias1 : (tensor<?x1433xf32, #node>, tensor<1433x128xf32>, tensor<128xf32>) -> tensor<?x128xf32, #node>
  %3 = gnn.activation relu %2 : tensor<?x128xf32, #node>
  %4 = gnn.linear %3, %layer1_weight2 bias %layer1_bias2 : (tensor<?x128xf32, #node>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32, #node>
  %5 = gnn.activation relu %4 : tensor<?x128xf32, #node>
  // Layer 2.
  %message_1 = gnn.gather %5 via src : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %6 = gnn.aggregate sum %message_1 via dst : tensor<?x128xf32, #edge> -> tensor<?x128xf32, #node>
  %7 = arith.addf %6, %5 : tensor<?x128xf32, #node>
  %8 = gnn.linear %7, %layer2_weight1 bias %layer2_bias1 : (tensor<?x128xf32, #node>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32, #node>
  %9 = gnn.activation relu %8 : tensor<?x128xf32, #node>
  %10 = gnn.linear %9, %layer2_weight2 bias %layer2_bias2 : (tensor<?x128xf32, #node>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32, #node>
  %11 = gnn.activation relu %10 : tensor<?x128xf32, #node>
  // Layer 3.
  %message_2 = gnn.gather %11 via src : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %12 = gnn.aggregate sum %message_2 via dst : tensor<?x128xf32, #edge> -> tensor<?x128xf32, #node>
  %13 = arith.addf %12, %11 : tensor<?x128xf32, #node>
  %14 = gnn.linear %13, %layer3_weight1 bias %layer3_bias1 : (tensor<?x128xf32, #node>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32, #node>
  %15 = gnn.activation relu %14 : tensor<?x128xf32, #node>
  %16 = gnn.linear %15, %layer3_weight2 bias %layer3_bias2 : (tensor<?x128xf32, #node>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32, #node>
  %17 = gnn.activation relu %16 : tensor<?x128xf32, #node>
  // Layer 4.
  %message_3 = gnn.gather %17 via src : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %18 = gnn.aggregate sum %message_3 via dst : tensor<?x128xf32, #edge> -> tensor<?x128xf32, #node>
  %19 = arith.addf %18, %17 : tensor<?x128xf32, #node>
  %20 = gnn.linear %19, %layer4_weight1 bias %layer4_bias1 : (tensor<?x128xf32, #node>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32, #node>
  %21 = gnn.activation relu %20 : tensor<?x128xf32, #node>
  %22 = gnn.linear %21, %layer4_weight2 bias %layer4_bias2 : (tensor<?x128xf32, #node>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32, #node>
  %23 = gnn.activation relu %22 : tensor<?x128xf32, #node>
  // Layer 5.
  %message_4 = gnn.gather %23 via src : tensor<?x128xf32, #node> -> tensor<?x128xf32, #edge>
  %24 = gnn.aggregate sum %message_4 via dst : tensor<?x128xf32, #edge> -> tensor<?x128xf32, #node>
  %25 = arith.addf %24, %23 : tensor<?x128xf32, #node>
  %26 = gnn.linear %25, %layer5_weight1 bias %layer5_bias1 : (tensor<?x128xf32, #node>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32, #node>
  %27 = gnn.activation relu %26 : tensor<?x128xf32, #node>
  %28 = gnn.linear %27, %layer5_weight2 bias %layer5_bias2 : (tensor<?x128xf32, #node>, tensor<128x7xf32>, tensor<7xf32>) -> tensor<?x7xf32, #node>
  return %28 : tensor<?x7xf32, #node>
}
