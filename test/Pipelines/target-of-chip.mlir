// A chip names the GPU that costs are weighed for, as does the module.
//
// DEFINE: %{remarks} = --remarks-filter=gnn-compact --remark-format=emitRemark -o /dev/null
//
// RUN: gnn-opt %s --gnn-compile-pipeline='chip=sm_80' %{remarks} 2> %t.sm_80
// RUN: gnn-opt %s --gnn-attach-target=chip=a100 --gnn-compile-pipeline %{remarks} 2> %t.a100
// RUN: gnn-opt %s --gnn-compile-pipeline='chip=sm_90' %{remarks} 2> %t.sm_90
// RUN: gnn-opt %s --gnn-compile-pipeline %{remarks} 2> %t.h200
// RUN: diff %t.sm_80 %t.a100
// RUN: diff %t.sm_90 %t.h200
// RUN: not diff %t.sm_80 %t.sm_90
// RUN: FileCheck %s < %t.sm_80

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000, edges = 1000000, type_edges = [1000000], src_pairs = [1000], dst_pairs = [1000]>}

// CHECK: 1000 src_pair rows instead of 1000000 edge rows, {{.*}} us instead of
func.func @f(%x: tensor<?x64xf32, #node>, %w: tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #edge>, tensor<1x64x64xf32, #edge_type>) -> tensor<?x64xf32, #edge>
  return %1 : tensor<?x64xf32, #edge>
}
