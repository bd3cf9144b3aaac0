// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write g.npz x.npy 3 32

// What cannot be written is found before the search.
//
// RUN: not gnn-tune %s --graph g.npz --target=cpu --out=o --trace=none/trace 2> error > table
// RUN: FileCheck %s --check-prefix=TRACE --input-file=error
// RUN: count 0 < table
// RUN: not gnn-tune %s --graph g.npz --target=cpu --out=o --store=- 2>&1 | FileCheck %s --check-prefix=DASH
// RUN: not gnn-tune %s --graph g.npz --target=cpu --out=o --records=- 2>&1 | FileCheck %s --check-prefix=DASHES
// RUN: not test -e ./-
//
// TRACE:  {{^gnn-tune: error: --trace: cannot write 'none/trace': No such file or directory$}}
// DASH:   {{^gnn-tune: error: --store: expected FILE.jsonl, to which lines are added, got '-'$}}
// DASHES: {{^gnn-tune: error: --records: expected FILE.jsonl, to which lines are added, got '-'$}}

// A file that becomes full is named, and the table of what was measured is kept.
//
// RUN: not gnn-tune %s --graph g.npz --target=cpu --out=o --store=/dev/full > table 2> error
// RUN: FileCheck %s --check-prefix=FULL --input-file=error && FileCheck %s --check-prefix=TABLE --input-file=table
// RUN: not gnn-tune %s --graph g.npz --target=cpu --budget=1s --out=o --trace=/dev/full > table 2> error
// RUN: FileCheck %s --check-prefix=LATE --input-file=error && FileCheck %s --check-prefix=TABLE --input-file=table
//
// FULL:  {{^gnn-tune: error: template 0 f_0_aggregate \(.+\): store: cannot write '/dev/full': No space left on device$}}
// LATE:  {{^gnn-tune: error: --trace: cannot write '/dev/full': No space left on device$}}
// TABLE: {{^ +ms chosen +ms tuned +ratio +measured +dropped +template$}}

// Lines of JSON are in UTF-8, which a path may not be.
//
// RUN: %python -c 'import os; os.link(b"g.npz", b"g\xff.npz")'
// RUN: not sh -c 'gnn-tune %s --graph g?.npz --target=cpu --budget=1s --out=o --store=named' 2> error
// RUN: FileCheck %s --check-prefix=NAME --input-file=error && not grep . named
// RUN: sh -c 'gnn-tune %s --graph g?.npz --target=cpu --budget=1s --out=o --store=named --cell=g'
// RUN: grep '"cell":"g"' named
// RUN: sh -c 'gnn-tune %s --graph g?.npz --target=cpu --budget=1ms --out=o'
//
// NAME: {{^gnn-tune: error: --cell: expected a name in UTF-8, got 'g.+npz f', the default$}}

// Ctrl-C before anything is found keeps an earlier file of schedules.
//
// RUN: echo earlier > kept && rm -f store
// RUN: %python %S/Inputs/interrupt.py store gnn-tune %s --graph g.npz --target=cpu --budget=60s --out=kept --store=store > out
// RUN: FileCheck %s --check-prefix=STOPPED --input-file=out
// RUN: grep -E 'schedule|earlier' kept
//
// STOPPED: {{^stopped by Ctrl-C, 1 of 1 templates searched$}}
// STOPPED-NEXT: status 130

gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x32xf32, #gnn.rows<@g, node>>
func.func @f(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  %m = gnn.gather %x via src : !node -> tensor<?x32xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %m via dst : tensor<?x32xf32, #gnn.rows<@g, edge>> -> !node
  return %s : !node
}
