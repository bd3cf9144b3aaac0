// Two layers of GCN that sum rows before they multiply them.

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
  %message = gnn.apply mul %norm, %x via src : (tensor<?xf32, #edge>, tensor<?x1433xf32, #node>) -> tensor<?x1433xf32, #edge>
  %0 = gnn.aggregate sum %message via dst : tensor<?x1433xf32, #edge> -> tensor<?x1433xf32, #node>
  %1 = gnn.linear %0, %layer1_weight bias %layer1_bias : (tensor<?x1433xf32, #node>, tensor<1433x16xf32>, tensor<16xf32>) -> tensor<?x16xf32, #node>
  %2 = gnn.activation relu %1 : tensor<?x16xf32, #node>
  %message_1 = gnn.apply mul %norm, %2 via src : (tensor<?xf32, #edge>, tensor<?x16xf32, #node>) -> tensor<?x16xf32, #edge>
  %3 = gnn.aggregate sum %message_1 via dst : tensor<?x16xf32, #edge> -> tensor<?x16xf32, #node>
  %4 = gnn.linear %3, %layer2_weight bias %layer2_bias : (tensor<?x16xf32, #node>, tensor<16x7xf32>, tensor<7xf32>) -> tensor<?x7xf32, #node>
  return %4 : tensor<?x7xf32, #node>
}
