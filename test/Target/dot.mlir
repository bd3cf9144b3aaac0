// RUN: gnn-translate %s --gnn-to-dot | FileCheck %s

gnn.graph @g square {node_types = 1, edge_types = 3}

// One node an op, with the rows and features of its value; one edge a use.
//
// CHECK:      digraph module {
// CHECK:      subgraph cluster_f0_ {
// CHECK-NEXT:   label="messages";
// CHECK-NEXT:   [[X:f0_[0-9]+]] [label="x\nnode of g, 64xf32", style=rounded];
// CHECK-NEXT:   [[W:f0_[0-9]+]] [label="argument 1\nedge_type of g, 64x8xf32", style=rounded];
// CHECK-NEXT:   [[M:f0_[0-9]+]] [label="gather src\nedge of g, 64xf32"];
// CHECK-NEXT:   [[X]] -> [[M]];
// CHECK-NEXT:   [[L:f0_[0-9]+]] [label="typed_linear\nedge of g, 8xf32"];
// CHECK-NEXT:   [[M]] -> [[L]];
// CHECK-NEXT:   [[W]] -> [[L]];
// CHECK-NEXT:   [[S:f0_[0-9]+]] [label="aggregate sum dst\nnode of g, 8xf32"];
// CHECK-NEXT:   [[L]] -> [[S]];
// CHECK-NEXT:   [[R:f0_[0-9]+]] [label="result 0\nnode of g, 8xf32", style=rounded];
// CHECK-NEXT:   [[S]] -> [[R]];
// CHECK-NEXT: }
func.func @messages(%x: tensor<?x64xf32, #gnn.rows<@g, node>> {gnn.name = "x"},
                    %w: tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>)
    -> tensor<?x8xf32, #gnn.rows<@g, node>> {
  %m = gnn.gather %x via src : tensor<?x64xf32, #gnn.rows<@g, node>> -> tensor<?x64xf32, #gnn.rows<@g, edge>>
  %l = gnn.typed_linear %m, %w : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %l via dst : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return %s : tensor<?x8xf32, #gnn.rows<@g, node>>
}

// CHECK:      subgraph cluster_f1_ {
// CHECK-NEXT:   label="elementwise";
// CHECK:        [label="addf\n8xf32"];
func.func @elementwise(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = arith.addf %x, %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
