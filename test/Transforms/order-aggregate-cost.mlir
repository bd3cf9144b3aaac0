// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(gnn-order-aggregate{cost=full},canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-order-aggregate' --remark-policy=all --verify-diagnostics | FileCheck %s

// Times decide by more than the margin.

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>
#src_pair = #gnn.rows<@g, src_pair>
gnn.graph @g square {node_types = 1, edge_types = 2, stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 20000000, type_edges = [10000000, 10000000], src_pairs = [1000000, 1000000], dst_pairs = [10, 10]>}

// CHECK-LABEL: @too_close
// CHECK: gnn.spmm
// CHECK: gnn.linear
func.func @too_close(%x: tensor<?x256xf32, #node>, %w: tensor<256x252xf32>) -> tensor<?x252xf32, #node> {
  %0 = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x256xf32, #node>) -> tensor<?x256xf32, #node>
  // expected-remark-re @+1 {{product first 1000000 rows ({{.*}} us), sum first 1000000 rows ({{.*}} us); less than 5 % apart, too close to change}}
  %1 = gnn.linear %0, %w : (tensor<?x256xf32, #node>, tensor<256x252xf32>) -> tensor<?x252xf32, #node>
  return %1 : tensor<?x252xf32, #node>
}

// CHECK-LABEL: @apart
// CHECK: gnn.linear
// CHECK: gnn.aggregate
func.func @apart(%x: tensor<?x256xf32, #node>, %w: tensor<256x128xf32>) -> tensor<?x128xf32, #node> {
  %0 = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x256xf32, #node>) -> tensor<?x256xf32, #node>
  // expected-remark @+1 {{product first 1000000 rows}}
  %1 = gnn.linear %0, %w : (tensor<?x256xf32, #node>, tensor<256x128xf32>) -> tensor<?x128xf32, #node>
  return %1 : tensor<?x128xf32, #node>
}

// CHECK-LABEL: @of_edge_types
// CHECK: gnn.typed_linear %arg0, %arg1 : (tensor<2x64xf32
func.func @of_edge_types(%x: tensor<2x64xf32, #edge_type>, %w: tensor<2x64x64xf32, #edge_type>) -> tensor<?x64xf32, #node> {
  %0 = gnn.typed_linear %x, %w : (tensor<2x64xf32, #edge_type>, tensor<2x64x64xf32, #edge_type>) -> tensor<2x64xf32, #edge_type>
  %1 = gnn.gather %0 : tensor<2x64xf32, #edge_type> -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{product first 2 rows}}
  %2 = gnn.aggregate sum %1 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %2 : tensor<?x64xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 500, dst_nodes = 500, edges = 10000, type_edges = [10000], src_pairs = [500], dst_pairs = [500]>}

// Half as wide elements are half the bytes: what launches cost is more of it.
// CHECK-LABEL: @wide_elements
// CHECK: gnn.linear
// CHECK: gnn.aggregate
func.func @wide_elements(%x: tensor<?x256xf32, #node>, %w: tensor<256x128xf32>) -> tensor<?x128xf32, #node> {
  %0 = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x256xf32, #node>) -> tensor<?x256xf32, #node>
  // expected-remark @+1 {{product first 500 rows}}
  %1 = gnn.linear %0, %w : (tensor<?x256xf32, #node>, tensor<256x128xf32>) -> tensor<?x128xf32, #node>
  return %1 : tensor<?x128xf32, #node>
}

// CHECK-LABEL: @narrow_elements
// CHECK: gnn.spmm
// CHECK: gnn.linear
func.func @narrow_elements(%x: tensor<?x256xf16, #node>, %w: tensor<256x128xf16>) -> tensor<?x128xf16, #node> {
  %0 = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x256xf16, #node>) -> tensor<?x256xf16, #node>
  // expected-remark @+1 {{less than 5 % apart, too close to change}}
  %1 = gnn.linear %0, %w : (tensor<?x256xf16, #node>, tensor<256x128xf16>) -> tensor<?x128xf16, #node>
  return %1 : tensor<?x128xf16, #node>
}

// -----

// The backward pass counts where gradients are asked for: after a sum that comes
// first, a gradient of the weight alone walks over no edges.

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 20000000, type_edges = [20000000], src_pairs = [1000000], dst_pairs = [1000000]>}

// CHECK-LABEL: @inference
// CHECK: gnn.linear
// CHECK: gnn.aggregate
func.func @inference(%x: tensor<?x256xf32, #node> {gnn.name = "x"}, %w: tensor<256x192xf32> {gnn.name = "w"}) -> tensor<?x192xf32, #node> {
  %0 = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x256xf32, #node>) -> tensor<?x256xf32, #node>
  // expected-remark-re @+1 {{product first 1000000 rows ({{.*}} us), sum first 1000000 rows ({{[0-9.]+}} us)"}}
  %1 = gnn.linear %0, %w : (tensor<?x256xf32, #node>, tensor<256x192xf32>) -> tensor<?x192xf32, #node>
  return %1 : tensor<?x192xf32, #node>
}

// CHECK-LABEL: @of_weight
// CHECK: gnn.spmm
// CHECK: gnn.linear
func.func @of_weight(%x: tensor<?x256xf32, #node> {gnn.name = "x"}, %w: tensor<256x192xf32> {gnn.name = "w"}) -> tensor<?x192xf32, #node>
    attributes {gnn.gradients = ["w"]} {
  %0 = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x256xf32, #node>) -> tensor<?x256xf32, #node>
  // expected-remark-re @+1 {{product first 1000000 rows ({{.*}} us), sum first 1000000 rows ({{.*}} us), with gradients of the weight}}
  %1 = gnn.linear %0, %w : (tensor<?x256xf32, #node>, tensor<256x192xf32>) -> tensor<?x192xf32, #node>
  return %1 : tensor<?x192xf32, #node>
}

// CHECK-LABEL: @of_both
// CHECK: gnn.linear
// CHECK: gnn.aggregate
func.func @of_both(%x: tensor<?x256xf32, #node> {gnn.name = "x"}, %w: tensor<256x192xf32> {gnn.name = "w"}) -> tensor<?x192xf32, #node>
    attributes {gnn.gradients} {
  %0 = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x256xf32, #node>) -> tensor<?x256xf32, #node>
  // expected-remark-re @+1 {{product first 1000000 rows ({{.*}} us), sum first 1000000 rows ({{.*}} us), with gradients of the input and the weight}}
  %1 = gnn.linear %0, %w : (tensor<?x256xf32, #node>, tensor<256x192xf32>) -> tensor<?x192xf32, #node>
  return %1 : tensor<?x192xf32, #node>
}
