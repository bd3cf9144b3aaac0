// SGC: 2 hops of GCN's propagation, then one linear
// layer,
// on a graph where each node has one self loop.

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, self_loops, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 5429, type_edges = [5429], src_pairs = [2708], dst_pairs = [2708]>}

func.func @sgc(
    %x: tensor<?x1433xf32, #node> {gnn.name = "x"},
    %weight: tensor<1433x7xf32> {gnn.name = "weight"},
    %bias: tensor<7xf32> {gnn.name = "bias"})
    -> (tensor<?x7xf32, #node> {gnn.name = "out"}) {
  %degree = gnn.degree edge via dst : tensor<?xf32, #node>
  %scale = math.rsqrt %degree : tensor<?xf32, #node>
  %norm = gnn.apply mul %scale via src, %scale via dst : (tensor<?xf32, #node>, tensor<?xf32, #node>) -> tensor<?xf32, #edge>
  %message = gnn.apply mul %norm, %x via src : (tensor<?xf32, #edge>, tensor<?x1433xf32, #node>) -> tensor<?x1433xf32, #edge>
  %0 = gnn.aggregate sum %message via dst : tensor<?x1433xf32, #edge> -> tensor<?x1433xf32, #node>
  %message_1 = gnn.apply mul %norm, %0 via src : (tensor<?xf32, #edge>, tensor<?x1433xf32, #node>) -> tensor<?x1433xf32, #edge>
  %1 = gnn.aggregate sum %message_1 via dst : tensor<?x1433xf32, #edge> -> tensor<?x1433xf32, #node>
  %2 = gnn.linear %1, %weight bias %bias : (tensor<?x1433xf32, #node>, tensor<1433x7xf32>, tensor<7xf32>) -> tensor<?x7xf32, #node>
  return %2 : tensor<?x7xf32, #node>
}
