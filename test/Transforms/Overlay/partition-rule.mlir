// RUN: gnn-opt %s --mlir-print-local-scope --gnn-overlay-partition --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter='gnn-overlay-partition' --remark-format=emitRemark | FileCheck %s

// Rows of a block by the rule, for the seven graphs of GraphAGILE's table IV.

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 3327, dst_nodes = 3327, edges = 4732, type_edges = [4732], src_pairs = [3327], dst_pairs = [3327]>}
// CHECK: gnn_overlay.program @ci {{.+}} partition <vertices = 3327, edges = 4732, n1 = 112, n2 = 16>
// expected-remark @+1 {{30 blocks of 112 rows, 900 entries}}
func.func @ci(%x: !node) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 5429, type_edges = [5429], src_pairs = [2708], dst_pairs = [2708]>}
// expected-remark @+1 {{29 blocks of 96 rows, 841 entries}}
func.func @co(%x: !node) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 19717, dst_nodes = 19717, edges = 44338, type_edges = [44338], src_pairs = [19717], dst_pairs = [19717]>}
// expected-remark @+1 {{32 blocks of 624 rows, 1024 entries}}
func.func @pu(%x: !node) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 89250, dst_nodes = 89250, edges = 899756, type_edges = [899756], src_pairs = [89250], dst_pairs = [89250]>}
// expected-remark @+1 {{32 blocks of 2800 rows, 1024 entries}}
func.func @fl(%x: !node) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 232965, dst_nodes = 232965, edges = 116069919, type_edges = [116069919], src_pairs = [232965], dst_pairs = [232965]>}
// expected-remark @+1 {{32 blocks of 7296 rows, 1024 entries}}
func.func @re(%x: !node) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 716847, dst_nodes = 716847, edges = 6977410, type_edges = [6977410], src_pairs = [716847], dst_pairs = [716847]>}
// expected-remark @+1 {{44 blocks of 16304 rows, 1936 entries}}
func.func @ye(%x: !node) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}

// -----

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1569960, dst_nodes = 1569960, edges = 264339468, type_edges = [264339468], src_pairs = [1569960], dst_pairs = [1569960]>}
// expected-remark @+1 {{96 blocks of 16368 rows, 9216 entries}}
func.func @ap(%x: !node) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}

// -----

// Half the processing elements: half the blocks.

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
module attributes {gnn_overlay.target = #gnn_overlay.target<pes = 4>} {
  gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 5429, type_edges = [5429], src_pairs = [2708], dst_pairs = [2708]>}
  // expected-remark @+1 {{16 blocks of 176 rows, 256 entries}}
  func.func @co(%x: !node) -> !node {
    %y = gnn_overlay.aggregate sum %x : !node -> !node
    return %y : !node
  }
}

// -----

// A graph without nodes has no blocks.

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 0, dst_nodes = 0, edges = 0, type_edges = [0], src_pairs = [0], dst_pairs = [0]>}
// expected-remark @+1 {{0 blocks of 16 rows, 0 entries}}
func.func @none(%x: !node) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}
