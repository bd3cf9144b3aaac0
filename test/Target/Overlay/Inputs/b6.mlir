// GAT with 1 heads: additive attention over the edges
// into each node,
// on a graph where each node has one self loop.

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, self_loops, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 5429, type_edges = [5429], src_pairs = [2708], dst_pairs = [2708]>}

func.func @gat(
    %x: tensor<?x1433xf32, #node> {gnn.name = "x"},
    %layer1_weight: tensor<1433x64xf32> {gnn.name = "layer1_weight"},
    %layer1_att_src: tensor<1x64xf32> {gnn.name = "layer1_att_src"},
    %layer1_att_dst: tensor<1x64xf32> {gnn.name = "layer1_att_dst"},
    %layer1_bias: tensor<64xf32> {gnn.name = "layer1_bias"},
    %layer2_weight: tensor<64x7xf32> {gnn.name = "layer2_weight"},
    %layer2_att_src: tensor<1x7xf32> {gnn.name = "layer2_att_src"},
    %layer2_att_dst: tensor<1x7xf32> {gnn.name = "layer2_att_dst"},
    %layer2_bias: tensor<7xf32> {gnn.name = "layer2_bias"})
    -> (tensor<?x7xf32, #node> {gnn.name = "out"}) {
  // Layer 1.
  %0 = gnn.linear %x, %layer1_weight : (tensor<?x1433xf32, #node>, tensor<1433x64xf32>) -> tensor<?x64xf32, #node>
  %h = gnn.reshape %0 : tensor<?x64xf32, #node> -> tensor<?x1x64xf32, #node>
  %1 = gnn.dot %h, %layer1_att_src : (tensor<?x1x64xf32, #node>, tensor<1x64xf32>) -> tensor<?x1xf32, #node>
  %2 = gnn.dot %h, %layer1_att_dst : (tensor<?x1x64xf32, #node>, tensor<1x64xf32>) -> tensor<?x1xf32, #node>
  %score = gnn.apply add %1 via src, %2 via dst : (tensor<?x1xf32, #node>, tensor<?x1xf32, #node>) -> tensor<?x1xf32, #edge>
  %3 = gnn.activation leaky_relu %score alpha = 0.2 : tensor<?x1xf32, #edge>
  %attention = gnn.edge_softmax %3 over dst : tensor<?x1xf32, #edge>
  %message = gnn.apply mul %attention, %h via src : (tensor<?x1xf32, #edge>, tensor<?x1x64xf32, #node>) -> tensor<?x1x64xf32, #edge>
  %4 = gnn.aggregate sum %message via dst : tensor<?x1x64xf32, #edge> -> tensor<?x1x64xf32, #node>
  %5 = gnn.reshape %4 : tensor<?x1x64xf32, #node> -> tensor<?x64xf32, #node>
  %6 = gnn.broadcast %layer1_bias : tensor<64xf32> -> tensor<?x64xf32, #node>
  %7 = arith.addf %5, %6 : tensor<?x64xf32, #node>
  %8 = gnn.activation relu %7 : tensor<?x64xf32, #node>
  // Layer 2.
  %9 = gnn.linear %8, %layer2_weight : (tensor<?x64xf32, #node>, tensor<64x7xf32>) -> tensor<?x7xf32, #node>
  %h_1 = gnn.reshape %9 : tensor<?x7xf32, #node> -> tensor<?x1x7xf32, #node>
  %10 = gnn.dot %h_1, %layer2_att_src : (tensor<?x1x7xf32, #node>, tensor<1x7xf32>) -> tensor<?x1xf32, #node>
  %11 = gnn.dot %h_1, %layer2_att_dst : (tensor<?x1x7xf32, #node>, tensor<1x7xf32>) -> tensor<?x1xf32, #node>
  %score_1 = gnn.apply add %10 via src, %11 via dst : (tensor<?x1xf32, #node>, tensor<?x1xf32, #node>) -> tensor<?x1xf32, #edge>
  %12 = gnn.activation leaky_relu %score_1 alpha = 0.2 : tensor<?x1xf32, #edge>
  %attention_1 = gnn.edge_softmax %12 over dst : tensor<?x1xf32, #edge>
  %message_1 = gnn.apply mul %attention_1, %h_1 via src : (tensor<?x1xf32, #edge>, tensor<?x1x7xf32, #node>) -> tensor<?x1x7xf32, #edge>
  %13 = gnn.aggregate sum %message_1 via dst : tensor<?x1x7xf32, #edge> -> tensor<?x1x7xf32, #node>
  %14 = gnn.reshape %13 : tensor<?x1x7xf32, #node> -> tensor<?x7xf32, #node>
  %15 = gnn.broadcast %layer2_bias : tensor<7xf32> -> tensor<?x7xf32, #node>
  %16 = arith.addf %14, %15 : tensor<?x7xf32, #node>
  return %16 : tensor<?x7xf32, #node>
}
