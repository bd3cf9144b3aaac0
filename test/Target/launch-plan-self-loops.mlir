// RUN: gnn-translate %s --gnn-to-plan | FileCheck %s

// What a graph's declaration says of self loops is checked at binding.
//
// CHECK: {"name":"g","square":true,"node_types":1,"edge_types":1,"schema":null,"self_loops":true}

module attributes {gpu.container_module} {
  gnn.graph @g square {node_types = 1, edge_types = 1, self_loops}
  func.func @f(%x: memref<?x8xf32> {gnn.name = "x", gnn.rows = #gnn.rows<@g, node>}) {
    return
  }
}
