// RUN: gnn-translate %s --gnn-to-plan | FileCheck %s

// The demands of a function on its graph, which binding checks, and on its
// inputs.
//
// CHECK: {"name":"g","square":true,"node_types":1,"edge_types":1,"schema":null,"self_loops":true}
//
// CHECK-NEXT: {"name":"h","square":false,"node_types":1,"edge_types":1,"schema":null,"dst_sorted":true}
//
// An input without dimensions is a number.
//
// CHECK: {"name":"s","graph":"","space":"none","shape":[],"dtype":"f32"}

module attributes {gpu.container_module} {
  gnn.graph @g square {node_types = 1, edge_types = 1, self_loops}
  gnn.graph @h bipartite {node_types = 1, edge_types = 1, dst_sorted}
  func.func @f(%x: memref<?x8xf32> {gnn.name = "x", gnn.rows = #gnn.rows<@g, node>},
               %s: memref<f32> {gnn.name = "s"},
               %z: memref<?x8xf32> {gnn.name = "z", gnn.rows = #gnn.rows<@h, dst>}) {
    return
  }
}
