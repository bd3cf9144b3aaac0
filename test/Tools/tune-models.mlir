// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.npy 3 32
// RUN: rm -f %t.store
// RUN: gnn-tune %s --function f --graph %t.npz --input x=%t.npy --target=cpu --budget=60s --search=exhaustive \
// RUN:   --op=1 --out=%t.jsonl --store=%t.store --cell=tiny
// RUN: gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.store --cell=tiny \
// RUN:   --features=%t.features --model=%S/Inputs/ranker.txt
// RUN: FileCheck %s --check-prefix=FEATURES --input-file=%t.features

// The line of the template that was measured: names, schedules, rows, times and weights.
//
// FEATURES-NOT: gemm
// FEATURES: {"cell":"tiny","device":"cpu","number":1,"template":"traverse <dst, edge.in_rows, features = 32>",
// FEATURES-SAME: "names":["template.is_product","template.features",{{.+}},"field.columns_per_block","field.vector","field.rows_per_block","field.row_order"
// FEATURES-SAME: "schedules":["columns_per_block = 32, vector = 1, rows_per_block = 1, row_order = natural",
// FEATURES-SAME: "rows":{{\[\[}}0,32,1,1,0,0,1,
// FEATURES-SAME: "milliseconds":[
// FEATURES-SAME: "ratio":[
// FEATURES-SAME: "seconds":[
// FEATURES-SAME: "weights":[-2,-2,-2,

// RUN: gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.store --cell=tiny --op=1 --out=%t.jsonl \
// RUN:   --search=ranked --model=%S/Inputs/ranker.txt --trace=%t.trace
// RUN: FileCheck %s --check-prefix=RANKED --input-file=%t.trace
// RUN: gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.store --cell=tiny --op=1 --out=%t.jsonl \
// RUN:   --search=sampling --model=%S/Inputs/cost.json --trace=%t.trace
// RUN: FileCheck %s --check-prefix=SAMPLED --input-file=%t.trace

// The trees score narrow vectors of few rows most. Ten are measured beside the chosen one.
//
// RANKED:      {"number":1,"at":{{.+}},"schedule":"{{.+}}","ratio":{{.+}}}
// RANKED-COUNT-10: {"number":1,"at":{{.+}},"schedule":"columns_per_block = 32, vector = {{[124]}}, rows_per_block = {{[12]}}, row_order = {{.+}}","ratio":{{.+}}}
// RANKED-NOT:  {{.}}
//
// The network costs many rows least: of the twenty that it likes best three are measured.
//
// SAMPLED:      {"number":1,
// SAMPLED-COUNT-3: rows_per_block = {{512|1024}}, {{.+}}
// SAMPLED-NOT:  {{.}}

// RUN: gnn-tune %s --function f --graph %t.npz --input x=%t.npy --target=cpu --op=0 --out=%t.jsonl --budget=2s \
// RUN:   --search=genetic --model=%S/Inputs/cost.json | FileCheck %s --check-prefix=REFUSED
//
// REFUSED: (gemm rows dst)
// REFUSED-NEXT: not searched: {{.+}}cost.json: expected a traversal that reduces elements or features, got another template

// RUN: sed 's/\[\[1\]\]/[[1e308]]/' %S/Inputs/cost.json > %t.huge
// RUN: gnn-tune %s --function f --graph %t.npz --input x=%t.npy --target=cpu --op=1 --out=%t.jsonl --budget=2s \
// RUN:   --search=genetic --model=%t.huge | FileCheck %s --check-prefix=INFINITE
//
// INFINITE: {{^.+ 1 .*\(traverse}}
// INFINITE-NEXT: not searched: {{.+}}.huge: expected finite costs of schedules, got inf: are its parameters too large?

// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --search=ranked 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --search=random --model=%S/Inputs/cost.json 2>&1 | FileCheck %s --check-prefix=NOMODEL
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --search=ranked --model=%t.none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/leaf_value=-1 2 1/leaf_value=-1 2/' %S/Inputs/ranker.txt > %t.cut
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --search=ranked --model=%t.cut 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not gnn-tune %s --function f --graph %t.npz --target=cpu --features=%t.features 2>&1 | FileCheck %s --check-prefix=REPLAY
// RUN: not gnn-tune %s --function f --graph %t.npz --target=cpu --features=%t.features --replay=%t.store --cell=other 2>&1 | FileCheck %s --check-prefix=CELL
//
// MODEL:   {{^gnn-tune: error: --model: expected a file for search 'ranked', got none$}}
// NOMODEL: {{^gnn-tune: error: --model: expected none for search 'random', got '.+cost.json'$}}
// NONE:    {{^gnn-tune: error: --model: cannot open '.+': No such file or directory$}}
// CUT:     {{^gnn-tune: error: --model: .+:18: expected 3 numbers of 'leaf_value', got 2$}}
// REPLAY:  {{^gnn-tune: error: --features: expected --replay with a store$}}
// CELL:    {{^gnn-tune: error: expected measurements of 'other' and a template of 'f' in the store, got none$}}

gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x32xf32, #gnn.rows<@g, node>>

func.func @f(%x: !node {gnn.name = "x"}, %w: tensor<32x32xf32> {gnn.name = "w"})
    -> (!node {gnn.name = "out"}) {
  %y = gnn.linear %x, %w : (!node, tensor<32x32xf32>) -> !node
  %m = gnn.gather %y via src : !node -> tensor<?x32xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %m via dst : tensor<?x32xf32, #gnn.rows<@g, edge>> -> !node
  return %s : !node
}
