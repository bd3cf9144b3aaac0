// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.npy 3 32
// RUN: rm -rf %t && split-file %s %t

// Without --function the function is the one that is not private.
//
// RUN: gnn-run %t/one.mlir --graph %t.npz --input x=%t.npy --target=cpu | FileCheck %s
// RUN: gnn-run %t/one.mlir --graph %t.npz --input x=%t.npy --target=emulator --compare=passes=fuse=false | FileCheck %s --check-prefix=COMPARED
// RUN: gnn-tune %t/one.mlir --graph %t.npz --input x=%t.npy --target=cpu --budget=100ms --out %t.jsonl | FileCheck %s --check-prefix=TUNED
//
// CHECK:    out: f32[3, 32], norm
// COMPARED: out: the same bits
// TUNED:    0 f_0_activation (traverse <dst, features = 32>)

// Of several it needs a name, and says which there are.
//
// RUN: not gnn-run %t/several.mlir --graph %t.npz --input x=%t.npy --target=cpu 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not gnn-tune %t/several.mlir --graph %t.npz --input x=%t.npy --target=cpu --out %t.jsonl 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not gnn-tune %t/several.mlir --function h --graph %t.npz --target=cpu --out %t.jsonl 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not gnn-run %t/none.mlir --graph %t.npz --target=cpu 2>&1 | FileCheck %s --check-prefix=NONE
//
// SEVERAL: {{^gnn-(run|tune): error: --function: expected one of f, second, got none$}}
// OTHER:   {{^gnn-tune: error: --function: expected one of f, second, got 'h'$}}
// NONE:    {{^gnn-run: error: --function: expected a function, got none$}}

//--- one.mlir
gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x32xf32, #gnn.rows<@g, node>>
func.func private @layer(%x: !node) -> !node {
  %y = gnn.activation relu %x : !node
  return %y : !node
}
func.func @f(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  %y = func.call @layer(%x) : (!node) -> !node
  return %y : !node
}
//--- several.mlir
gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x32xf32, #gnn.rows<@g, node>>
func.func @f(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  return %x : !node
}
func.func @second(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  return %x : !node
}
//--- none.mlir
gnn.graph @g square {node_types = 1, edge_types = 2}
