// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.npy 3 32
// RUN: not gnn-run %s --function f_backward --graph %t.npz --target=cpu --weights=random:1 --gradients="f: x -> out" 2>&1 | FileCheck %s
// RUN: not gnn-tune %s --function f_backward --graph %t.npz --target=cpu --out=%t.jsonl --gradients="f: x -> out" 2>&1 | FileCheck %s

// Where the elements of a maximum stand is not drawn at random: the error says
// what the input takes.
//
// CHECK: {{^gnn-(run|tune): error: input 'saved_0': expected FILE.npy of i32\[3, 32\], as random values are f32, got random:1$}}

gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x32xf32, #gnn.rows<@g, node>>
func.func @f(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  %m = gnn.gather %x via src : !node -> tensor<?x32xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate max %m via dst : tensor<?x32xf32, #gnn.rows<@g, edge>> -> !node
  return %s : !node
}
