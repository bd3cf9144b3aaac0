// RGAT as PyG's RGATConv, 1 heads: h = x W[r] at both
// ends of an edge of type r, score = leaky_relu(h[v] Q +
// h[u] K), softmax over the edges into v.

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 4, edge_types = 4}

func.func @rgat(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"},
    %weight: tensor<4x64x64xf32, #edge_type> {gnn.name = "weight"},
    %query: tensor<64x1xf32> {gnn.name = "query"},
    %key: tensor<64x1xf32> {gnn.name = "key"},
    %bias: tensor<64xf32> {gnn.name = "bias"})
    -> (tensor<?x64xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %h_src = gnn.typed_linear %0, %weight : (tensor<?x64xf32, #edge>, tensor<4x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  %1 = gnn.gather %x via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %h_dst = gnn.typed_linear %1, %weight : (tensor<?x64xf32, #edge>, tensor<4x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  %2 = gnn.linear %h_dst, %query : (tensor<?x64xf32, #edge>, tensor<64x1xf32>) -> tensor<?x1xf32, #edge>
  %3 = gnn.linear %h_src, %key : (tensor<?x64xf32, #edge>, tensor<64x1xf32>) -> tensor<?x1xf32, #edge>
  %score = arith.addf %2, %3 : tensor<?x1xf32, #edge>
  %4 = gnn.reshape %h_src : tensor<?x64xf32, #edge> -> tensor<?x1x64xf32, #edge>
  %5 = gnn.activation leaky_relu %score alpha = 0.2 : tensor<?x1xf32, #edge>
  %attention = gnn.edge_softmax %5 over dst : tensor<?x1xf32, #edge>
  %message = gnn.apply mul %attention, %4 : (tensor<?x1xf32, #edge>, tensor<?x1x64xf32, #edge>) -> tensor<?x1x64xf32, #edge>
  %6 = gnn.aggregate sum %message via dst : tensor<?x1x64xf32, #edge> -> tensor<?x1x64xf32, #node>
  %7 = gnn.reshape %6 : tensor<?x1x64xf32, #node> -> tensor<?x64xf32, #node>
  %8 = gnn.broadcast %bias : tensor<64xf32> -> tensor<?x64xf32, #node>
  %9 = arith.addf %7, %8 : tensor<?x64xf32, #node>
  return %9 : tensor<?x64xf32, #node>
}
