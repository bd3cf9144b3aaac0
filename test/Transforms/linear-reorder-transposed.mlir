// RUN: gnn-opt %s --gnn-linear-reorder --gnn-compact | FileCheck %s

// Weights of torch are [out, in]: products read them transposed.

gnn.graph @g square {node_types = 1, edge_types = 1}

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

// A join of both ends of an edge is multiplied at the nodes, by the columns of
// the weight that each meets.
//
// CHECK-LABEL: func.func @ends
// CHECK-SAME:    %[[X:.+]]: tensor<?x8xf32{{.*}}>, %[[W:.+]]: tensor<4x16xf32>
// CHECK-DAG:     %[[A:.+]] = gnn.slice %[[W]] at 0 : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-DAG:     %[[B:.+]] = gnn.slice %[[W]] at 8 : tensor<4x16xf32> -> tensor<4x8xf32>
// CHECK-DAG:     %[[AT:.+]] = gnn.weight_transpose %[[A]]
// CHECK-DAG:     %[[BT:.+]] = gnn.weight_transpose %[[B]]
// CHECK-DAG:     gnn.linear %[[X]], %[[AT]] {{.*}} -> tensor<?x4xf32, #node>
// CHECK-DAG:     gnn.linear %[[X]], %[[BT]] {{.*}} -> tensor<?x4xf32, #node>
// CHECK-NOT:     gnn.concat
func.func @ends(%x: tensor<?x8xf32, #node>, %w: tensor<4x16xf32>) -> tensor<?x4xf32, #edge> {
  %a = gnn.gather %x via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %b = gnn.gather %x via dst : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %c = gnn.concat %a, %b : (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) -> tensor<?x16xf32, #edge>
  %t = gnn.weight_transpose %w : (tensor<4x16xf32>) -> tensor<16x4xf32>
  %y = gnn.linear %c, %t : (tensor<?x16xf32, #edge>, tensor<16x4xf32>) -> tensor<?x4xf32, #edge>
  return %y : tensor<?x4xf32, #edge>
}

// Negative: rows of edges joined are multiplied as one.
//
// CHECK-LABEL: func.func @same_rows
// CHECK:         gnn.concat
// CHECK-NOT:     gnn.slice
func.func @same_rows(%a: tensor<?x8xf32, #edge>, %b: tensor<?x8xf32, #edge>, %w: tensor<4x16xf32>) -> tensor<?x4xf32, #edge> {
  %c = gnn.concat %a, %b : (tensor<?x8xf32, #edge>, tensor<?x8xf32, #edge>) -> tensor<?x16xf32, #edge>
  %t = gnn.weight_transpose %w : (tensor<4x16xf32>) -> tensor<16x4xf32>
  %y = gnn.linear %c, %t : (tensor<?x16xf32, #edge>, tensor<16x4xf32>) -> tensor<?x4xf32, #edge>
  return %y : tensor<?x4xf32, #edge>
}

// Columns of the product are rows of the weight.
//
// CHECK-LABEL: func.func @part
// CHECK-SAME:    %[[X:.+]]: tensor<?x8xf32{{.*}}>, %[[W:.+]]: tensor<12x8xf32>
// CHECK:         %[[F:.+]] = gnn.reshape %[[W]] : tensor<12x8xf32> -> tensor<96xf32>
// CHECK:         %[[S:.+]] = gnn.slice %[[F]] at 32 : tensor<96xf32> -> tensor<32xf32>
// CHECK:         %[[V:.+]] = gnn.reshape %[[S]] : tensor<32xf32> -> tensor<4x8xf32>
// CHECK:         %[[T:.+]] = gnn.weight_transpose %[[V]]
// CHECK:         gnn.linear %[[X]], %[[T]]
func.func @part(%x: tensor<?x8xf32, #node>, %w: tensor<12x8xf32>) -> tensor<?x4xf32, #node> {
  %t = gnn.weight_transpose %w : (tensor<12x8xf32>) -> tensor<8x12xf32>
  %h = gnn.linear %x, %t : (tensor<?x8xf32, #node>, tensor<8x12xf32>) -> tensor<?x12xf32, #node>
  %y = gnn.slice %h at 4 : tensor<?x12xf32, #node> -> tensor<?x4xf32, #node>
  return %y : tensor<?x4xf32, #node>
}

// Negative: the whole product is read as well.
//
// CHECK-LABEL: func.func @part_and_whole
// CHECK:         gnn.linear {{.*}} -> tensor<?x12xf32
// CHECK-NOT:     gnn.linear
// CHECK:         gnn.slice
func.func @part_and_whole(%x: tensor<?x8xf32, #node>, %w: tensor<12x8xf32>) -> (tensor<?x12xf32, #node>, tensor<?x4xf32, #node>) {
  %t = gnn.weight_transpose %w : (tensor<12x8xf32>) -> tensor<8x12xf32>
  %h = gnn.linear %x, %t : (tensor<?x8xf32, #node>, tensor<8x12xf32>) -> tensor<?x12xf32, #node>
  %y = gnn.slice %h at 4 : tensor<?x12xf32, #node> -> tensor<?x4xf32, #node>
  return %h, %y : tensor<?x12xf32, #node>, tensor<?x4xf32, #node>
}
