// RUN: gnn-opt %s --gnn-overlay-pipeline=from-layers=true | FileCheck %s
// RUN: not gnn-opt %s --gnn-overlay-pipeline 2>&1 | FileCheck %s --check-prefix=WITHOUT

// A function of layers has no steps 1 and 2: its functions are fused, and it is partitioned.

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}

// CHECK: gnn_overlay.program @layers
// CHECK: gnn_overlay.layer_block linear layer 1 in 20 out 16 activation relu
// CHECK: gnn_overlay.init zero rows 16 width 16 trips 2
// CHECK: gnn_overlay.act <relu>
// CHECK-NOT: gnn_overlay.layer_block
// WITHOUT: error: 'gnn_overlay.linear' op expected ops of gnn
func.func @layers(%x: tensor<?x20xf32, #node> {gnn.name = "x"}, %w: tensor<20x16xf32> {gnn.name = "w"})
    -> (tensor<?x16xf32, #node> {gnn.name = "out"}) {
  %h = gnn_overlay.linear %x, %w : tensor<?x20xf32, #node>, tensor<20x16xf32> -> tensor<?x16xf32, #node>
  %y = gnn_overlay.activation %h activations [#gnn_overlay.act<relu>] : tensor<?x16xf32, #node> -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}
