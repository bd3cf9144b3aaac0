// RUN: gnn-tune %s --function f --target=cpu --budget=1s --op=0 --seed=5 --out=%t.jsonl > %t.first
// RUN: FileCheck %s --input-file=%t.first
// RUN: gnn-tune %s --function f --target=cpu --budget=1s --op=0 --seed=5 --out=%t.jsonl > %t.again
// RUN: grep ^graph %t.first > %t.line
// RUN: grep ^graph %t.again | diff %t.line -
// RUN: not gnn-tune %s --function f --target=cpu --max-bytes=10000 --out=%t.jsonl 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not gnn-tune %s --function f --target=cpu --input=x=graph:feat --out=%t.jsonl 2>&1 | FileCheck %s --check-prefix=FEAT
// RUN: sed 's/dst_pairs = .20, 30./dst_pairs = [20, 99]/' %s > %t.mlir
// RUN: not gnn-tune %t.mlir --function f --target=cpu --out=%t.jsonl 2>&1 | FileCheck %s --check-prefix=PAIRS

// Without --graph, graphs are made of the statistics in their declarations.
//
// CHECK:      {{^}}graph 'g' is synthetic, made of its statistics by seed 5: 50 nodes, 400 edges of 2 types; in-degrees vary by 1.09 (declared 1.09), longest 40 (declared 40); out-degrees vary by {{[0-9.]+}}, longest {{[0-9]+}}
// CHECK-NEXT: ms chosen
// CHECK-NEXT: 0 f_0_aggregate (traverse <dst, edge.in_rows, features = 32>)
// BYTES: {{^gnn-tune: error: graph 'g': expected at most 10000 bytes for a synthetic graph, got 43200 \(--max-bytes allows more\)$}}
// FEAT:  {{^gnn-tune: error: input 'x': the graph file has no features$}}
// PAIRS: {{^gnn-tune: error: graph 'g': expected from 1 to 50 dst_pairs of edge type 1, got 99$}}

gnn.graph @g square {node_types = 1, edge_types = 2, stats = #gnn.stats<src_nodes = 50, dst_nodes = 50, edges = 400,
  type_edges = [100, 300], src_pairs = [40, 50], dst_pairs = [20, 30], in_degree_squares = 7000, in_degree_max = 40>}
!node = tensor<?x32xf32, #gnn.rows<@g, node>>

func.func @f(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  %m = gnn.gather %x via src : !node -> tensor<?x32xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %m via dst : tensor<?x32xf32, #gnn.rows<@g, edge>> -> !node
  return %s : !node
}
