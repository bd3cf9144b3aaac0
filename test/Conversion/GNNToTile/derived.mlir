// RUN: gnn-opt %s --convert-gnn-to-gnn-tile --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-pipeline --gnn-schedule-pipeline --gnn-kernels-pipeline --split-input-file | FileCheck %s --check-prefix=GPU

gnn.graph @g square {node_types = 1, edge_types = 3}
gnn.graph @part square of @g types [0, 2] {node_types = 1, edge_types = 2}

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!node8 = tensor<?x8xf32, #gnn.rows<@g, node>>
!w = tensor<3x16x8xf32, #gnn.rows<@g, edge_type>>
!pnode = tensor<?x16xf32, #gnn.rows<@part, node>>
!pnode8 = tensor<?x8xf32, #gnn.rows<@part, node>>
!ppair = tensor<?x16xf32, #gnn.rows<@part, src_pair>>
!ppair8 = tensor<?x8xf32, #gnn.rows<@part, src_pair>>
!pw = tensor<2x16x8xf32, #gnn.rows<@part, edge_type>>

// Nothing is copied: the product finds its weights in the parent's, the sum over
// neighbours its scalars, and nodes need no check.
//
// CHECK-LABEL: func.func @layer
// CHECK-SAME:    %[[X:.+]]: tensor<?x16xf32> {{.+}}, %[[W:.+]]: tensor<3x16x8xf32> {{.+}}, %[[B:.+]]: tensor<3x8xf32> {{.+}}, %[[N:.+]]: tensor<?xf32>
// CHECK-NOT:     gnn_tile.require
// CHECK:         gnn_tile.traverse @part <src_pair, features = 16> ins(%[[X]] : tensor<?x16xf32>) at [#gnn_tile.at<group -> src : feature>]
// CHECK:         gnn_tile.gemm @part rows src_pair types edge_type weights parent_edge_type ins(%{{.+}}, %[[W]] :
// CHECK-SAME:      extras(%[[B]] : tensor<3x8xf32>) at [#gnn_tile.at<group -> parent_edge_type : feature>]
// CHECK:         gnn_tile.traverse @part <dst, edge.in_rows, features = 8> ins(%{{.+}}, %[[N]] :
// CHECK-SAME:      #gnn_tile.at<element -> parent_edge>]
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return
//
// GPU-LABEL: func.func @layer
// GPU-DAG:     gnn_tile.structure @part map edge_type parent_edge_type
// GPU-DAG:     gnn_tile.structure @part map edge.in_rows parent_edge
// GPU-NOT:     "map src_pair parent_edge_type"
func.func @layer(%x: !node, %w: !w, %b: tensor<3x8xf32, #gnn.rows<@g, edge_type>>,
                 %n: tensor<?xf32, #gnn.rows<@g, edge>>) -> !node8 {
  %pw = gnn.restrict_rows %w : !w -> !pw
  %pb = gnn.restrict_rows %b : tensor<3x8xf32, #gnn.rows<@g, edge_type>> -> tensor<2x8xf32, #gnn.rows<@part, edge_type>>
  %pn = gnn.restrict_rows %n : tensor<?xf32, #gnn.rows<@g, edge>> -> tensor<?xf32, #gnn.rows<@part, edge>>
  %px = gnn.rebind_rows %x : !node -> !pnode
  %p = gnn.gather %px : !pnode -> !ppair
  %m = gnn.typed_linear %p, %pw bias %pb : (!ppair, !pw, tensor<2x8xf32, #gnn.rows<@part, edge_type>>) -> !ppair8
  %s = gnn.spmm mul %m, %pn reduce sum via dst : (!ppair8, tensor<?xf32, #gnn.rows<@part, edge>>) -> !pnode8
  %y = gnn.rebind_rows %s : !pnode8 -> !node8
  return %y : !node8
}

// -----

gnn.graph @part square of @g types [1] {node_types = 1, edge_types = 1}
gnn.graph @g square {node_types = 1, edge_types = 3}

// Edges that the function computed lie in the order of the parent's in-rows.
//
// CHECK-LABEL: func.func @computed
// CHECK:         math.tanh
// CHECK:         gnn_tile.count @part count dst
// CHECK:         gnn_tile.traverse @part <dst, edge.in_rows, features = 8>
// CHECK-SAME:      ins(%{{.+}} : tensor<?x8xf32, #edge_in_rows>)
// CHECK-SAME:      at [#gnn_tile.at<element -> parent_edge.in_rows : feature>]
func.func @computed(%x: tensor<?x8xf32, #gnn.rows<@g, node>>)
    -> tensor<?x8xf32, #gnn.rows<@part, node>> {
  %e = gnn.gather %x via src : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %t = math.tanh %e : tensor<?x8xf32, #gnn.rows<@g, edge>>
  %r = gnn.restrict_rows %t : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@part, edge>>
  %y = gnn.aggregate sum %r via dst : tensor<?x8xf32, #gnn.rows<@part, edge>> -> tensor<?x8xf32, #gnn.rows<@part, node>>
  return %y : tensor<?x8xf32, #gnn.rows<@part, node>>
}

// The returned tensor is a copy, in the user's order.
//
// CHECK-LABEL: func.func @returned
// CHECK:         gnn_tile.traverse @part <edge.in_rows, features = 8> ins(%{{.+}}) at [#gnn_tile.at<group -> parent_edge : feature>]
// CHECK-SAME:      at [#gnn_tile.at<group -> edge : feature>]
// CHECK:         gnn_tile.traverse @part <edge_type, features = 4> ins(%{{.+}}) at [#gnn_tile.at<group -> parent_edge_type : feature>]
// CHECK-SAME:      outs(%{{.+}} : tensor<1x4xf32>) at [#gnn_tile.at<group : feature>]
func.func @returned(%e: tensor<?x8xf32, #gnn.rows<@g, edge>>,
                    %t: tensor<3x4xf32, #gnn.rows<@g, edge_type>>)
    -> (tensor<?x8xf32, #gnn.rows<@part, edge>>, tensor<1x4xf32, #gnn.rows<@part, edge_type>>) {
  %0 = gnn.restrict_rows %e : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@part, edge>>
  %1 = gnn.restrict_rows %t : tensor<3x4xf32, #gnn.rows<@g, edge_type>> -> tensor<1x4xf32, #gnn.rows<@part, edge_type>>
  return %0, %1 : tensor<?x8xf32, #gnn.rows<@part, edge>>, tensor<1x4xf32, #gnn.rows<@part, edge_type>>
}

// Weights that are multiplied by each other lie one after the other first, once.
//
// CHECK-LABEL: func.func @weights
// CHECK:         %[[W:.+]] = gnn_tile.traverse @part <edge_type, features = 32>
// CHECK-SAME:      at [#gnn_tile.at<group -> parent_edge_type : feature>]
// CHECK-COUNT-2: gnn_tile.gemm @g rows {{[0-9]+}}
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return
func.func @weights(%w: tensor<3x4x8xf32, #gnn.rows<@g, edge_type>>, %v: tensor<8x2xf32>)
    -> (tensor<1x4x2xf32, #gnn.rows<@part, edge_type>>, tensor<1x4x2xf32, #gnn.rows<@part, edge_type>>) {
  %0 = gnn.restrict_rows %w : tensor<3x4x8xf32, #gnn.rows<@g, edge_type>> -> tensor<1x4x8xf32, #gnn.rows<@part, edge_type>>
  %1 = gnn.weight_product %0, %v : (tensor<1x4x8xf32, #gnn.rows<@part, edge_type>>, tensor<8x2xf32>) -> tensor<1x4x2xf32, #gnn.rows<@part, edge_type>>
  %2 = gnn.weight_product %0, %v : (tensor<1x4x8xf32, #gnn.rows<@part, edge_type>>, tensor<8x2xf32>) -> tensor<1x4x2xf32, #gnn.rows<@part, edge_type>>
  return %1, %2 : tensor<1x4x2xf32, #gnn.rows<@part, edge_type>>, tensor<1x4x2xf32, #gnn.rows<@part, edge_type>>
}
