// RGCN: y[v] = sum over edge types r of
//   (mean over edges u -> v of type r of x[u] W[r]) + x[v] R + b.

#dst_pair = #gnn.rows<@g, dst_pair>
#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 5, edge_types = 51}

func.func @rgcn(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"},
    %weight: tensor<51x64x64xf32, #edge_type> {gnn.name = "weight"},
    %root: tensor<64x64xf32> {gnn.name = "root"},
    %bias: tensor<64xf32> {gnn.name = "bias"})
    -> (tensor<?x64xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %message = gnn.typed_linear %0, %weight : (tensor<?x64xf32, #edge>, tensor<51x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  %1 = gnn.aggregate mean %message : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
  %2 = gnn.aggregate sum %1 : tensor<?x64xf32, #dst_pair> -> tensor<?x64xf32, #node>
  %3 = gnn.linear %x, %root : (tensor<?x64xf32, #node>, tensor<64x64xf32>) -> tensor<?x64xf32, #node>
  %4 = arith.addf %2, %3 : tensor<?x64xf32, #node>
  %5 = gnn.broadcast %bias : tensor<64xf32> -> tensor<?x64xf32, #node>
  %6 = arith.addf %4, %5 : tensor<?x64xf32, #node>
  return %6 : tensor<?x64xf32, #node>
}
