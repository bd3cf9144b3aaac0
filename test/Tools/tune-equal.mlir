// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.npy 3 32
// RUN: rm -f %t.store
// RUN: gnn-tune %s --function f --graph %t.npz --input x=%t.npy --target=cpu --budget=2s --search=exhaustive \
// RUN:   --out=%t.jsonl --store=%t.store --cell=tiny | FileCheck %s --check-prefix=LIVE
// RUN: sed -E '1s/"milliseconds":[^,]+/"milliseconds":2/; 2,$s/"milliseconds":[^,]+/"milliseconds":1/; 1s/"ratio":[^,]+/"ratio":1/; 2,$s/"ratio":[^,]+/"ratio":0.5/' %t.store > %t.halves
// RUN: gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.halves --cell=tiny --search=exhaustive --out=%t.jsonl \
// RUN:   | FileCheck %s --check-prefix=FIRST
// RUN: gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.halves --cell=tiny --search=exhaustive --op=1 --out=%t.jsonl \
// RUN:   | FileCheck %s --check-prefix=SECOND

// Of equal kernels one is searched, and the others have its schedule, times and ratio.
//
// LIVE:      {{^ +}}[[TIME:[0-9.]+]] {{.* 0 .*\(traverse .+\)$}}
// LIVE-NEXT: {{^ +}}[[TIME]] {{.* as 0 +- +1 .*\(traverse .+\)$}}
//
// FIRST:      {{^ +2.0000 +1.0000 +0.50 +[0-9]+ +[0-9]+  0 .*\(traverse .+\)$}}
// FIRST-NEXT: {{^ +2.0000 +1.0000 +0.50 +as 0 +-  1 .*\(traverse .+\)$}}
//
// SECOND:      {{^ +2.0000 +1.0000 +0.50 +as 1 +-  0 .*\(traverse .+\)$}}
// SECOND-NEXT: {{^ +2.0000 +1.0000 +0.50 +[0-9]+ +[0-9]+  1 .*\(traverse .+\)$}}

// RUN: sed '1s/"milliseconds":2,.*/"dropped":"launch: planted"}/' %t.halves > %t.dropped
// RUN: not gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.dropped --cell=tiny --out=%t.jsonl > %t.out 2> %t.error
// RUN: FileCheck %s --check-prefix=DROPPED --input-file=%t.error && FileCheck %s --check-prefix=EMPTY --allow-empty --input-file=%t.out

// Without a time there is no table.
//
// DROPPED:   {{^gnn-tune: error: template 0 .*\(traverse .+\): launch: planted$}}
// EMPTY-NOT: {{.}}

!node = tensor<?x32xf32, #gnn.rows<@g, node>>

gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @f(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  %m = gnn.gather %x via src : !node -> tensor<?x32xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %m via dst : tensor<?x32xf32, #gnn.rows<@g, edge>> -> !node
  %n = gnn.gather %s via src : !node -> tensor<?x32xf32, #gnn.rows<@g, edge>>
  %t = gnn.aggregate sum %n via dst : tensor<?x32xf32, #gnn.rows<@g, edge>> -> !node
  return %t : !node
}
