// GraphGym: linear, 3 GCN layers with batch norm,
// relu and residual, linear,
// on a graph where each node has one self loop.

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, self_loops, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 5429, type_edges = [5429], src_pairs = [2708], dst_pairs = [2708]>}

func.func @graphgym(
    %x: tensor<?x1433xf32, #node> {gnn.name = "x"},
    %pre_weight: tensor<1433x256xf32> {gnn.name = "pre_weight"},
    %pre_norm_mean: tensor<256xf32> {gnn.name = "pre_norm_mean"},
    %pre_norm_variance: tensor<256xf32> {gnn.name = "pre_norm_variance"},
    %pre_norm_gamma: tensor<256xf32> {gnn.name = "pre_norm_gamma"},
    %pre_norm_beta: tensor<256xf32> {gnn.name = "pre_norm_beta"},
    %layer1_weight: tensor<256x256xf32> {gnn.name = "layer1_weight"},
    %layer1_norm_mean: tensor<256xf32> {gnn.name = "layer1_norm_mean"},
    %layer1_norm_variance: tensor<256xf32> {gnn.name = "layer1_norm_variance"},
    %layer1_norm_gamma: tensor<256xf32> {gnn.name = "layer1_norm_gamma"},
    %layer1_norm_beta: tensor<256xf32> {gnn.name = "layer1_norm_beta"},
    %layer2_weight: tensor<256x256xf32> {gnn.name = "layer2_weight"},
    %layer2_norm_mean: tensor<256xf32> {gnn.name = "layer2_norm_mean"},
    %layer2_norm_variance: tensor<256xf32> {gnn.name = "layer2_norm_variance"},
    %layer2_norm_gamma: tensor<256xf32> {gnn.name = "layer2_norm_gamma"},
    %layer2_norm_beta: tensor<256xf32> {gnn.name = "layer2_norm_beta"},
    %layer3_weight: tensor<256x256xf32> {gnn.name = "layer3_weight"},
    %layer3_norm_mean: tensor<256xf32> {gnn.name = "layer3_norm_mean"},
    %layer3_norm_variance: tensor<256xf32> {gnn.name = "layer3_norm_variance"},
    %layer3_norm_gamma: tensor<256xf32> {gnn.name = "layer3_norm_gamma"},
    %layer3_norm_beta: tensor<256xf32> {gnn.name = "layer3_norm_beta"},
    %post_weight: tensor<256x7xf32> {gnn.name = "post_weight"},
    %post_bias: tensor<7xf32> {gnn.name = "post_bias"})
    -> (tensor<?x7xf32, #node> {gnn.name = "out"}) {
  %degree = gnn.degree edge via dst : tensor<?xf32, #node>
  %scale = math.rsqrt %degree : tensor<?xf32, #node>
  %norm = gnn.apply mul %scale via src, %scale via dst : (tensor<?xf32, #node>, tensor<?xf32, #node>) -> tensor<?xf32, #edge>
  // Before.
  %0 = gnn.linear %x, %pre_weight : (tensor<?x1433xf32, #node>, tensor<1433x256xf32>) -> tensor<?x256xf32, #node>
  %1 = gnn.batch_norm %0 mean %pre_norm_mean variance %pre_norm_variance gamma %pre_norm_gamma beta %pre_norm_beta eps = 1.0e-05 : tensor<?x256xf32, #node>, tensor<256xf32>
  %2 = gnn.activation relu %1 : tensor<?x256xf32, #node>
  // Layer 1.
  %h = gnn.linear %2, %layer1_weight : (tensor<?x256xf32, #node>, tensor<256x256xf32>) -> tensor<?x256xf32, #node>
  %message = gnn.apply mul %norm, %h via src : (tensor<?xf32, #edge>, tensor<?x256xf32, #node>) -> tensor<?x256xf32, #edge>
  %3 = gnn.aggregate sum %message via dst : tensor<?x256xf32, #edge> -> tensor<?x256xf32, #node>
  %4 = gnn.batch_norm %3 mean %layer1_norm_mean variance %layer1_norm_variance gamma %layer1_norm_gamma beta %layer1_norm_beta eps = 1.0e-05 : tensor<?x256xf32, #node>, tensor<256xf32>
  %5 = gnn.activation relu %4 : tensor<?x256xf32, #node>
  %6 = arith.addf %2, %5 : tensor<?x256xf32, #node>
  // Layer 2.
  %h_1 = gnn.linear %6, %layer2_weight : (tensor<?x256xf32, #node>, tensor<256x256xf32>) -> tensor<?x256xf32, #node>
  %message_1 = gnn.apply mul %norm, %h_1 via src : (tensor<?xf32, #edge>, tensor<?x256xf32, #node>) -> tensor<?x256xf32, #edge>
  %7 = gnn.aggregate sum %message_1 via dst : tensor<?x256xf32, #edge> -> tensor<?x256xf32, #node>
  %8 = gnn.batch_norm %7 mean %layer2_norm_mean variance %layer2_norm_variance gamma %layer2_norm_gamma beta %layer2_norm_beta eps = 1.0e-05 : tensor<?x256xf32, #node>, tensor<256xf32>
  %9 = gnn.activation relu %8 : tensor<?x256xf32, #node>
  %10 = arith.addf %6, %9 : tensor<?x256xf32, #node>
  // Layer 3.
  %h_2 = gnn.linear %10, %layer3_weight : (tensor<?x256xf32, #node>, tensor<256x256xf32>) -> tensor<?x256xf32, #node>
  %message_2 = gnn.apply mul %norm, %h_2 via src : (tensor<?xf32, #edge>, tensor<?x256xf32, #node>) -> tensor<?x256xf32, #edge>
  %11 = gnn.aggregate sum %message_2 via dst : tensor<?x256xf32, #edge> -> tensor<?x256xf32, #node>
  %12 = gnn.batch_norm %11 mean %layer3_norm_mean variance %layer3_norm_variance gamma %layer3_norm_gamma beta %layer3_norm_beta eps = 1.0e-05 : tensor<?x256xf32, #node>, tensor<256xf32>
  %13 = gnn.activation relu %12 : tensor<?x256xf32, #node>
  %14 = arith.addf %10, %13 : tensor<?x256xf32, #node>
  // After.
  %15 = gnn.linear %14, %post_weight bias %post_bias : (tensor<?x256xf32, #node>, tensor<256x7xf32>, tensor<7xf32>) -> tensor<?x7xf32, #node>
  return %15 : tensor<?x7xf32, #node>
}
