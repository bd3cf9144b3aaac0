// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(gnn-move-scales),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-move-scales' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#dst_pair = #gnn.rows<@g, dst_pair>
gnn.graph @g square {node_types = 1, edge_types = 3}

// As GCN has it, the scale of sources comes at the end of the product. The
// scale of destinations stays in the sum, which may be one of nothing.
//
// CHECK-LABEL: func.func @gcn
// CHECK-SAME:    %[[S:[^:]+]]: tensor<?xf32
// CHECK:         %[[H:.+]] = gnn.linear
// CHECK:         %[[HS:.+]] = gnn.apply mul %[[H]], %[[S]] : (tensor<?x64xf32, #[[NODE:.+]]>, tensor<?xf32, #[[NODE]]>) -> tensor<?x64xf32, #[[NODE]]>
// CHECK:         %[[U:.+]] = gnn.gather %[[HS]] via src
// CHECK:         %[[M:.+]] = gnn.apply mul %[[U]], %[[S]] via dst
// CHECK:         gnn.aggregate sum %[[M]] via dst
func.func @gcn(%scale: tensor<?xf32, #node>, %x: tensor<?x64xf32, #node>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #node> {
  %norm = gnn.apply mul %scale via src, %scale via dst : (tensor<?xf32, #node>, tensor<?xf32, #node>) -> tensor<?xf32, #edge>
  %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x64xf32>) -> tensor<?x64xf32, #node>
  %m = gnn.apply mul %norm, %h via src : (tensor<?xf32, #edge>, tensor<?x64xf32, #node>) -> tensor<?x64xf32, #edge>
  // expected-remark @+2 {{a scale of gathered rows comes before the gather: the kernel that makes the rows ends with it}}
  // expected-remark @+1 {{the scale of a sum stays inside it: the sum may be empty}}
  %y = gnn.aggregate sum %m via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %y : tensor<?x64xf32, #node>
}

// The divisor of the messages divides the rows of the product.
//
// CHECK-LABEL: func.func @divided
// CHECK:         %[[S:.+]] = math.exp
// CHECK:         %[[H:.+]] = gnn.linear
// CHECK:         %[[HS:.+]] = gnn.apply div %[[H]], %[[S]]
// CHECK:         %[[U:.+]] = gnn.gather %[[HS]] via src
// CHECK:         gnn.aggregate sum %[[U]] via dst
func.func @divided(%log: tensor<?xf32, #node>, %x: tensor<?x64xf32, #node>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #node> {
  %scale = math.exp %log : tensor<?xf32, #node>
  %norm = gnn.gather %scale via src : tensor<?xf32, #node> -> tensor<?xf32, #edge>
  %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x64xf32>) -> tensor<?x64xf32, #node>
  %m = gnn.apply div %h via src, %norm : (tensor<?x64xf32, #node>, tensor<?xf32, #edge>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{a scale of gathered rows comes before the gather: the kernel that makes the rows ends with it}}
  %y = gnn.aggregate sum %m via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %y : tensor<?x64xf32, #node>
}

// Negative: no kernel makes the features, so that scaling them is a walk of its
// own.
//
// CHECK-LABEL: func.func @given_rows
// CHECK:         %[[NORM:.+]] = gnn.gather
// CHECK:         gnn.apply mul %{{.+}}, %[[NORM]]
func.func @given_rows(%scale: tensor<?xf32, #node>, %x: tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node> {
  %norm = gnn.gather %scale via src : tensor<?xf32, #node> -> tensor<?xf32, #edge>
  %m = gnn.apply mul %x via src, %norm : (tensor<?x64xf32, #node>, tensor<?xf32, #edge>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{a scale of gathered rows stays in the sum: the rows would be walked once more}}
  %y = gnn.aggregate sum %m via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %y : tensor<?x64xf32, #node>
}

// No pair is empty: the scale of a pair comes after its sum.
//
// CHECK-LABEL: func.func @pairs
// CHECK:         %[[Y:.+]] = gnn.aggregate sum %{{.+}} : tensor<?x64xf32, #{{.+}}> -> tensor<?x64xf32
// CHECK:         gnn.apply mul %[[Y]]
func.func @pairs(%m: tensor<?x64xf32, #edge>, %scale: tensor<?xf32, #dst_pair>) -> tensor<?x64xf32, #dst_pair> {
  %n = gnn.apply mul %m, %scale : (tensor<?x64xf32, #edge>, tensor<?xf32, #dst_pair>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{a scale of each sum comes after it: dst_pair rows instead of edge}}
  %y = gnn.aggregate sum %n : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
  return %y : tensor<?x64xf32, #dst_pair>
}

// A factor that stays in the sum stays multiplied: the product that others read
// is not computed in another way.
//
// CHECK-LABEL: func.func @product_that_is_there
// CHECK:         %[[A:.+]] = arith.mulf
// CHECK:         %[[M:.+]] = gnn.apply mul %{{.+}}, %[[A]]
// CHECK-NOT:     gnn.apply
// CHECK:         %[[Y:.+]] = gnn.aggregate sum %[[M]]
// CHECK:         gnn.apply mul %[[Y]]
// CHECK:         return %{{.+}}, %[[A]]
func.func @product_that_is_there(%m: tensor<?x64xf32, #edge>, %a: tensor<?xf32, #edge>, %b: tensor<?xf32, #edge>, %scale: tensor<?xf32, #dst_pair>)
    -> (tensor<?x64xf32, #dst_pair>, tensor<?xf32, #edge>) {
  %ab = arith.mulf %a, %b : tensor<?xf32, #edge>
  %s = gnn.apply mul %ab, %scale : (tensor<?xf32, #edge>, tensor<?xf32, #dst_pair>) -> tensor<?xf32, #edge>
  %n = gnn.apply mul %m, %s : (tensor<?x64xf32, #edge>, tensor<?xf32, #edge>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{a scale of each sum comes after it: dst_pair rows instead of edge}}
  %y = gnn.aggregate sum %n : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
  return %y, %ab : tensor<?x64xf32, #dst_pair>, tensor<?xf32, #edge>
}

// -----

// From rows of types: the message has a row for each of the 3 edge types, the
// sum one row.
//
// CHECK-LABEL: func.func @types
// CHECK:         %[[U:.+]] = gnn.gather %{{.+}} via src : tensor<2x8xf32, #{{.+}}> -> tensor<3x8xf32
// CHECK:         gnn.aggregate sum %[[U]] : tensor<3x8xf32, #{{.+}}> -> tensor<1x8xf32
#node_type = #gnn.rows<@t, node_type>
#graph = #gnn.rows<@t, graph>
gnn.graph @t square {node_types = 2, edge_types = 3, schema = [[0, 1], [1, 1], [1, 0]]}
func.func @types(%x: tensor<2x8xf32, #node_type>, %s: tensor<2xf32, #node_type>, %w: tensor<8x8xf32>) -> tensor<1x8xf32, #graph> {
  %b = gnn.linear %x, %w : (tensor<2x8xf32, #node_type>, tensor<8x8xf32>) -> tensor<2x8xf32, #node_type>
  %m = gnn.apply mul %b via src, %s via src : (tensor<2x8xf32, #node_type>, tensor<2xf32, #node_type>) -> tensor<3x8xf32, #gnn.rows<@t, edge_type>>
  // expected-remark @+1 {{a scale of gathered rows comes before the gather}}
  %y = gnn.aggregate sum %m : tensor<3x8xf32, #gnn.rows<@t, edge_type>> -> tensor<1x8xf32, #graph>
  return %y : tensor<1x8xf32, #graph>
}

// -----

// By statistics, one number of each of few nodes less to gather for each of many
// edges pays for a walk over the nodes.
#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000, edges = 50000000,
    type_edges = [50000000], src_pairs = [1000], dst_pairs = [1000], in_degree_squares = 2500000000000, in_degree_max = 50000,
    out_degree_squares = 2500000000000, out_degree_max = 50000, src_pair_max = [50000], dst_pair_max = [50000]>}

// CHECK-LABEL: func.func @own_product
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32
// CHECK:         gnn.apply mul %[[X]], %{{.+}} : (tensor<?x64xf32, #{{.+}}>, tensor<?xf32
func.func @own_product(%x: tensor<?x64xf32, #node>, %a: tensor<?xf32, #edge>, %scale: tensor<?xf32, #node>) -> tensor<?x64xf32, #node> {
  %p = gnn.apply mul %a, %scale via src : (tensor<?xf32, #edge>, tensor<?xf32, #node>) -> tensor<?xf32, #edge>
  %m = gnn.apply mul %x via src, %p : (tensor<?x64xf32, #node>, tensor<?xf32, #edge>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{a scale of gathered rows comes before the gather}}
  %y = gnn.aggregate sum %m via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %y : tensor<?x64xf32, #node>
}

// Negative: the product that holds it is there, so there is nothing less to gather.
//
// CHECK-LABEL: func.func @product_of_others
// CHECK:         %[[P:.+]] = gnn.apply mul
// CHECK:         gnn.apply mul %{{.+}} via src, %[[P]]
func.func @product_of_others(%x: tensor<?x64xf32, #node>, %a: tensor<?xf32, #edge>, %scale: tensor<?xf32, #node>)
    -> (tensor<?x64xf32, #node>, tensor<?xf32, #edge>) {
  %p = gnn.apply mul %a, %scale via src : (tensor<?xf32, #edge>, tensor<?xf32, #node>) -> tensor<?xf32, #edge>
  %m = gnn.apply mul %x via src, %p : (tensor<?x64xf32, #node>, tensor<?xf32, #edge>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{a scale of gathered rows stays in the sum: others read a product that it is part of}}
  %y = gnn.aggregate sum %m via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %y, %p : tensor<?x64xf32, #node>, tensor<?xf32, #edge>
}

// Where gradients are asked for, a factor that may not be finite stays; one
// whose infinities were replaced moves.
//
// CHECK-LABEL: func.func @infinite
// CHECK:         gnn.gather
// CHECK:         gnn.apply mul {{.+}} via src
func.func @infinite(%degree: tensor<?xf32, #node>, %x: tensor<?x64xf32, #node>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #node> attributes {gnn.gradients} {
  %scale = math.rsqrt %degree : tensor<?xf32, #node>
  %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x64xf32>) -> tensor<?x64xf32, #node>
  %m = gnn.gather %h via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %n = gnn.apply mul %m, %scale via src : (tensor<?x64xf32, #edge>, tensor<?xf32, #node>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{a scale of gathered rows stays in the sum: its derivative may not be finite there}}
  %y = gnn.aggregate sum %n via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %y : tensor<?x64xf32, #node>
}

// CHECK-LABEL: func.func @replaced
// CHECK:         %[[H:.+]] = gnn.linear
// CHECK:         gnn.apply mul %[[H]], %{{.+}} : (tensor<?x64xf32, #[[NODE:.+]]>, tensor<?xf32, #[[NODE]]>)
func.func @replaced(%degree: tensor<?xf32, #node>, %x: tensor<?x64xf32, #node>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #node> attributes {gnn.gradients} {
  %c = arith.constant dense<0x7F800000> : tensor<f32>
  %infinity = gnn.broadcast %c : tensor<f32> -> tensor<?xf32, #node>
  %z = arith.constant dense<0.0> : tensor<f32>
  %zero = gnn.broadcast %z : tensor<f32> -> tensor<?xf32, #node>
  %root = math.rsqrt %degree : tensor<?xf32, #node>
  %is = arith.cmpf oeq, %root, %infinity : tensor<?xf32, #node>
  %scale = arith.select %is, %zero, %root : tensor<?xi1, #node>, tensor<?xf32, #node>
  %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x64xf32>) -> tensor<?x64xf32, #node>
  %m = gnn.gather %h via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %n = gnn.apply mul %m, %scale via src : (tensor<?x64xf32, #edge>, tensor<?xf32, #node>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{a scale of gathered rows comes before the gather: the kernel that makes the rows ends with it}}
  %y = gnn.aggregate sum %n via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %y : tensor<?x64xf32, #node>
}
