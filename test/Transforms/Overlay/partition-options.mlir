// Rows of a block by an option, and blocks for each processing element.
//
// RUN: gnn-opt %s --mlir-print-local-scope --gnn-overlay-partition=n1=32 | FileCheck %s --check-prefix=N1
// RUN: gnn-opt %s --mlir-print-local-scope --gnn-overlay-partition=blocks-per-pe=1 | FileCheck %s --check-prefix=ONE
// RUN: not gnn-opt %s --gnn-overlay-partition=n1=24 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// RUN: not gnn-opt %s --gnn-overlay-partition=n1=16400 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not gnn-opt %s --gnn-overlay-partition=skip-empty=true 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not gnn-opt %s --gnn-overlay-partition=graph=%t.none.npz 2>&1 | FileCheck %s --check-prefix=FILE

// N1:       partition <vertices = 2708, edges = 5429, n1 = 32, n2 = 16>
// ONE:      partition <vertices = 2708, edges = 5429, n1 = 352, n2 = 16>
// MULTIPLE: [[@LINE+6]]:1: error: expected n1 to be a multiple of 16 up to 16384, got 24
// LARGE:    [[@LINE+5]]:1: error: expected n1 to be a multiple of 16 up to 16384, got 16400
// EMPTY:    [[@LINE+4]]:1: error: skip-empty: expected a file of the graph
// FILE:     [[@LINE+3]]:1: error: graph: {{.+}}none.npz
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 5429, type_edges = [5429], src_pairs = [2708], dst_pairs = [2708]>}
func.func @f(%x: !node) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}

// The errors do not print the function.
//
// MULTIPLE-NOT: see current operation
// FILE-NOT:     see current operation
