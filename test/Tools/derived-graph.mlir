// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.npy 3 32
//
// A function of a derived graph gets the file of its parent, whose statistics
// costs and schedules follow, with its name and without.
//
// RUN: gnn-run %s --graph %t.npz --input x=%t.npy --weights random:1 --target=cpu --explain | FileCheck %s
// RUN: gnn-run %s --graph g=%t.npz --input x=%t.npy --weights random:1 --target=cpu --explain | FileCheck %s
// RUN: gnn-tune %s --graph %t.npz --input x=%t.npy --weights random:1 --target=cpu --budget=100ms --out %t.jsonl | FileCheck %s --check-prefix=TUNED
//
// CHECK: {{^ *}}aggregate sum dst {{ *}}node of l, 32xf32 {{ *}}3
// TUNED: 0 f_0_aggregate (traverse <dst, edge.in_rows, features = 32>)

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @l square of @g loops remove {node_types = 1, edge_types = 2}
!node = tensor<?x32xf32, #gnn.rows<@l, node>>
!edge = tensor<?x32xf32, #gnn.rows<@l, edge>>
func.func @f(%x: !node {gnn.name = "x"}, %w: tensor<?x32xf32, #gnn.rows<@g, edge>> {gnn.name = "w"})
    -> (!node {gnn.name = "y"}, !edge {gnn.name = "z"}) {
  %z = gnn.restrict_rows %w : tensor<?x32xf32, #gnn.rows<@g, edge>> -> !edge
  %m = gnn.gather %x via src : !node -> !edge
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y, %z : !node, !edge
}
