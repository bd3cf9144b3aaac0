// RUN: gnn-opt %s --split-input-file --verify-diagnostics --gnn-overlay-partition=n1=16 --gnn-overlay-map-kernels --gnn-overlay-annotate-mutexes --gnn-overlay-super-partition
// RUN: not gnn-opt %s --gnn-overlay-super-partition 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: %python %S/Inputs/graph.py %t.npz 40 0-0 1-20
// RUN: not gnn-opt %s --gnn-overlay-partition='graph=%t.npz n1=16 shard-edges' --gnn-overlay-map-kernels --gnn-overlay-annotate-mutexes --gnn-overlay-super-partition=super-bytes=100 2>&1 | FileCheck %s

!node = tensor<?x16xf32, #gnn.rows<@g, node>>
module attributes {gnn_overlay.target = #gnn_overlay.target<memory_bytes = 4096>} {
  gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40, dst_nodes = 40, edges = 90, type_edges = [90], src_pairs = [40], dst_pairs = [40]>}
  // FORM: error: expected programs, got a function of layers: gnn-overlay-partition makes programs
  // CHECK: error: expected parts of at least 4224 bytes, which a tile of layer 1 needs, got 100
  // expected-error @+1 {{expected a graph that is given (graph=FILE, with shard-edges where gnn-overlay-partition runs alone): parts are cut by the edges of shards, and regions of 7424 bytes do not fit 4096}}
  func.func @no_graph(%x: !node) -> !node {
    %y = gnn_overlay.aggregate sum %x : !node -> !node
    return %y : !node
  }
}
