// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(gnn-fuse-layers),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-fuse-layers' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#dst_pair = #gnn.rows<@g, dst_pair>
gnn.graph @g square {node_types = 1, edge_types = 3}

// A mean for each edge type and their sum: one sum, each edge weighted with one
// over the number of edges of its type.
//
// CHECK-LABEL: func.func @means
// CHECK-SAME:    %[[M:[^:]+]]: tensor<?x64xf32
// CHECK:         %[[D:.+]] = gnn.degree edge : tensor<?xf32, #[[PAIR:.+]]>
// CHECK:         %[[R:.+]] = arith.divf %{{.+}}, %[[D]]
// CHECK:         %[[W:.+]] = gnn.apply mul %[[M]], %[[R]]
// CHECK:         gnn.aggregate sum %[[W]] via dst
// CHECK-NOT:     gnn.aggregate
func.func @means(%m: tensor<?x64xf32, #edge>) -> tensor<?x64xf32, #node> {
  %0 = gnn.aggregate mean %m : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
  // expected-remark @+1 {{one sum, weighted with degrees}}
  %1 = gnn.aggregate sum %0 : tensor<?x64xf32, #dst_pair> -> tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}

// Negative: a weight an edge is as much as the few features themselves.
//
// CHECK-LABEL: func.func @narrow_means
// CHECK:         gnn.aggregate mean
// CHECK:         gnn.aggregate sum
func.func @narrow_means(%m: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #node> {
  %0 = gnn.aggregate mean %m : tensor<?x4xf32, #edge> -> tensor<?x4xf32, #dst_pair>
  // expected-remark @+1 {{its rows have 4 features, expected at least 16 without statistics}}
  %1 = gnn.aggregate sum %0 : tensor<?x4xf32, #dst_pair> -> tensor<?x4xf32, #node>
  return %1 : tensor<?x4xf32, #node>
}

// Negative: the means are read by others.
//
// CHECK-LABEL: func.func @read_means
// CHECK:         gnn.aggregate mean
// CHECK:         gnn.aggregate sum
func.func @read_means(%m: tensor<?x64xf32, #edge>) -> (tensor<?x64xf32, #node>, tensor<?x64xf32, #dst_pair>) {
  %0 = gnn.aggregate mean %m : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
  // expected-remark @+1 {{the groups that it adds up have other readers}}
  %1 = gnn.aggregate sum %0 : tensor<?x64xf32, #dst_pair> -> tensor<?x64xf32, #node>
  return %1, %0 : tensor<?x64xf32, #node>, tensor<?x64xf32, #dst_pair>
}

// As GCN has it, the scale of sources comes at the end of the product. That of
// destinations stays in the sum, which may be one of nothing.
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
  // expected-remark @+1 {{a scale of a whole sum stays in it: there may be nothing to add up}}
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

// Bias, residual and activation after heads were joined: head by head, so that
// the sum ends with them.
//
// CHECK-LABEL: func.func @heads
// CHECK-SAME:    %[[M:[^:]+]]: tensor<?x4x16xf32{{.*}}>, %[[B:[^:]+]]: tensor<64xf32>, %[[X:[^:]+]]: tensor<?x64xf32
// CHECK-DAG:     %[[Y:.+]] = gnn.aggregate sum %[[M]]
// CHECK-DAG:     %[[BH:.+]] = gnn.reshape %[[B]] : tensor<64xf32> -> tensor<4x16xf32>
// CHECK-DAG:     %[[BR:.+]] = gnn.broadcast %[[BH]]
// CHECK:         %[[S:.+]] = arith.addf %[[Y]], %[[BR]]
// CHECK:         %[[XH:.+]] = gnn.reshape %[[X]]
// CHECK:         %[[T:.+]] = arith.addf %[[S]], %[[XH]]
// CHECK:         %[[R:.+]] = gnn.activation relu %[[T]] : tensor<?x4x16xf32
// CHECK:         %[[Z:.+]] = gnn.reshape %[[R]]
// CHECK:         return %[[Z]]
func.func @heads(%m: tensor<?x4x16xf32, #edge>, %b: tensor<64xf32>, %x: tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node> {
  %y = gnn.aggregate sum %m via dst : tensor<?x4x16xf32, #edge> -> tensor<?x4x16xf32, #node>
  %0 = gnn.reshape %y : tensor<?x4x16xf32, #node> -> tensor<?x64xf32, #node>
  %1 = gnn.broadcast %b : tensor<64xf32> -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{computed head by head, 4 of 16 features, as what makes its operand}}
  %2 = arith.addf %0, %1 : tensor<?x64xf32, #node>
  // expected-remark @+1 {{computed head by head, 4 of 16 features, as what makes its operand}}
  %3 = arith.addf %2, %x : tensor<?x64xf32, #node>
  // expected-remark @+1 {{computed head by head, 4 of 16 features, as what makes its operand}}
  %4 = gnn.activation relu %3 : tensor<?x64xf32, #node>
  return %4 : tensor<?x64xf32, #node>
}

// A condition of all rows is one of all heads.
//
// CHECK-LABEL: func.func @heads_select
// CHECK-SAME:    %[[C:[^:]+]]: i1
// CHECK:         %[[R:.+]] = arith.select %[[C]], %{{.+}}, %{{.+}} : tensor<?x4x16xf32
// CHECK:         gnn.reshape %[[R]]
func.func @heads_select(%c: i1, %m: tensor<?x4x16xf32, #edge>, %x: tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node> {
  %y = gnn.aggregate sum %m via dst : tensor<?x4x16xf32, #edge> -> tensor<?x4x16xf32, #node>
  %0 = gnn.reshape %y : tensor<?x4x16xf32, #node> -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{computed head by head}}
  %1 = arith.select %c, %0, %x : tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}

// Negative: conditions, one a feature, are no features to split.
//
// CHECK-LABEL: func.func @heads_select_features
// CHECK:         arith.select {{.*}} : tensor<?x64xi1, #{{.+}}>, tensor<?x64xf32
func.func @heads_select_features(%m: tensor<?x4x16xf32, #edge>, %x: tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node> {
  %y = gnn.aggregate sum %m via dst : tensor<?x4x16xf32, #edge> -> tensor<?x4x16xf32, #node>
  %0 = gnn.reshape %y : tensor<?x4x16xf32, #node> -> tensor<?x64xf32, #node>
  %c = arith.cmpf ogt, %x, %x : tensor<?x64xf32, #node>
  // expected-remark @+1 {{only features of f32, bf16 or f16 can be split, got i1}}
  %1 = arith.select %c, %0, %x : tensor<?x64xi1, #node>, tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}

// Negative: others read the joined heads.
//
// CHECK-LABEL: func.func @heads_read
// CHECK:         gnn.activation relu %{{.+}} : tensor<?x64xf32
func.func @heads_read(%m: tensor<?x4x16xf32, #edge>) -> (tensor<?x64xf32, #node>, tensor<?x64xf32, #node>) {
  %y = gnn.aggregate sum %m via dst : tensor<?x4x16xf32, #edge> -> tensor<?x4x16xf32, #node>
  %0 = gnn.reshape %y : tensor<?x4x16xf32, #node> -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{not computed head by head: heads are read 2 times, expected once}}
  %1 = gnn.activation relu %0 : tensor<?x64xf32, #node>
  return %0, %1 : tensor<?x64xf32, #node>, tensor<?x64xf32, #node>
}

// A repeated weight that is added to a product is its bias.
//
// CHECK-LABEL: func.func @bias
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32{{.*}}>, %[[W:[^:]+]]: tensor<64x8xf32>, %[[B:[^:]+]]: tensor<8xf32>
// CHECK:         %[[Y:.+]] = gnn.linear %[[X]], %[[W]] bias %[[B]]
// CHECK:         return %[[Y]]
func.func @bias(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.broadcast %b : tensor<8xf32> -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{the product adds it as its bias: no walk over 8 features a row}}
  %2 = arith.addf %0, %1 : tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}

// Negative: the product without the bias is read, too.
//
// CHECK-LABEL: func.func @bias_read
// CHECK:         arith.addf
func.func @bias_read(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %b: tensor<8xf32>) -> (tensor<?x8xf32, #node>, tensor<?x8xf32, #node>) {
  %0 = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.broadcast %b : tensor<8xf32> -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{the product is read 2 times, expected once}}
  %2 = arith.addf %0, %1 : tensor<?x8xf32, #node>
  return %0, %2 : tensor<?x8xf32, #node>, tensor<?x8xf32, #node>
}

// Negative: there is a bias.
//
// CHECK-LABEL: func.func @second_bias
// CHECK:         arith.addf
func.func @second_bias(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.linear %x, %w bias %c : (tensor<?x64xf32, #node>, tensor<64x8xf32>, tensor<8xf32>) -> tensor<?x8xf32, #node>
  %1 = gnn.broadcast %b : tensor<8xf32> -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{the product has a bias already}}
  %2 = arith.addf %0, %1 : tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}

// Dropout that drops nothing is gone.
//
// CHECK-LABEL: func.func @dropout
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x64xf32
// CHECK:         return %[[X]]
func.func @dropout(%x: tensor<?x64xf32, #node>, %s: i64, %o: i64) -> tensor<?x64xf32, #node> {
  %y = gnn.dropout %x p = 0.0 seed %s offset %o : tensor<?x64xf32, #node>
  return %y : tensor<?x64xf32, #node>
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

#src_pair = #gnn.rows<@g, src_pair>
#edge_type = #gnn.rows<@g, edge_type>
gnn.graph @g square {node_types = 1, edge_types = 3}

// A bias that is added after the product is split into heads.
//
// CHECK-LABEL: func.func @bias_in_heads
// CHECK-SAME:    %[[X:[^:]+]]: {{[^%]+}}, %[[W:[^:]+]]: {{[^%]+}}, %[[B:[^:]+]]:
// CHECK:         %[[F:.+]] = gnn.reshape %[[B]] : tensor<3x2x4xf32, {{.+}}> -> tensor<3x8xf32,
// CHECK:         %[[Y:.+]] = gnn.typed_linear %[[X]], %[[W]] bias %[[F]]
// CHECK:         %[[Z:.+]] = gnn.reshape %[[Y]]
// CHECK:         return %[[Z]]
func.func @bias_in_heads(%x: tensor<?x64xf32, #src_pair>, %w: tensor<3x64x8xf32, #edge_type>, %b: tensor<3x2x4xf32, #edge_type>) -> tensor<?x2x4xf32, #src_pair> {
  %0 = gnn.typed_linear %x, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %1 = gnn.reshape %0 : tensor<?x8xf32, #src_pair> -> tensor<?x2x4xf32, #src_pair>
  %2 = gnn.gather %b : tensor<3x2x4xf32, #edge_type> -> tensor<?x2x4xf32, #src_pair>
  // expected-remark @+1 {{the product adds it as its bias: no walk over 8 features a row}}
  %3 = arith.addf %1, %2 : tensor<?x2x4xf32, #src_pair>
  return %3 : tensor<?x2x4xf32, #src_pair>
}
