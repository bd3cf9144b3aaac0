// A program for the graph of a file.
//
// RUN: %python %S/Inputs/graph.py %t.npz 40 0-0x5 1-20x9 20-1 39-39x4
// RUN: gnn-opt %s --mlir-print-local-scope --gnn-overlay-partition='graph=%t.npz n1=16' | FileCheck %s --implicit-check-not=stats
// RUN: gnn-opt %s --mlir-print-local-scope --gnn-overlay-partition='graph=%t.npz n1=16 skip-empty=true' | FileCheck %s --check-prefix=SKIP
// RUN: gnn-opt %s --mlir-print-local-scope --gnn-overlay-partition='graph=%t.npz n1=16 add-self-loops=true' | FileCheck %s --check-prefix=LOOPS
// RUN: %python %S/Inputs/graph.py %t.few.npz 40 1-20x4 39-39x4
// RUN: gnn-opt %s --mlir-print-local-scope --gnn-overlay-partition='graph=%t.few.npz n1=16' | FileCheck %s --check-prefix=FEW

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!looped = tensor<?x16xf32, #gnn.rows<@l, node>>
module attributes {gnn_overlay.target = #gnn_overlay.target<edges = 4>} {
  gnn.graph @g square {node_types = 1, edge_types = 1}
  gnn.graph @l square of @g loops replace type 0 {node_types = 1, edge_types = 1}

  // A subshard of more edges than a buffer takes has several entries; an empty one has
  // one, or none.
  //
  // CHECK-LABEL: gnn_overlay.program @chunks
  // CHECK-SAME:    partition <vertices = 40, edges = 19, n1 = 16, n2 = 16, entries = [4, 5, 3], sources = [0, 0, 1, 2, 0, 0, 0, 1, 2, 0, 1, 2]>
  // CHECK:         gnn_overlay.region @edges edges [12, 19] input
  // SKIP-LABEL:  gnn_overlay.program @chunks
  // SKIP-SAME:     entries = [3, 3, 1], sources = [0, 0, 1, 0, 0, 0, 2]>
  // LOOPS-LABEL: gnn_overlay.program @chunks
  // LOOPS-SAME:    partition <vertices = 40, edges = 50,
  // FEW-LABEL:   gnn_overlay.program @chunks
  // FEW-SAME:      partition <vertices = 40, edges = 8, n1 = 16, n2 = 16> {
  func.func @chunks(%x: !node) -> !node {
    %y = gnn_overlay.aggregate sum %x : !node -> !node
    return %y : !node
  }

  // A derived graph is made of the file's.
  //
  // CHECK-LABEL: gnn_overlay.program @derived
  // CHECK-SAME:    partition <vertices = 40, edges = 50,
  func.func @derived(%x: !looped) -> !looped {
    %y = gnn_overlay.aggregate sum %x : !looped -> !looped
    return %y : !looped
  }
}
