// RUN: rm -rf %t && mkdir -p %t/own && cd %t/own && cp %s f.mlir && touch o
// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write g.npz x.npy 3 32
// RUN: ln -s g.npz link && echo '{"schedule":{"n":32}}' > schedules && cp -r %t/own %t/before

// No option writes a file that another one reads or writes.
//
// RUN: not gnn-tune f.mlir --graph g=g.npz --out=g.npz 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: not gnn-tune f.mlir --graph g.npz --out=o --trace=link 2>&1 | FileCheck %s --check-prefix=TRACE
// RUN: not gnn-tune f.mlir --graph g.npz --input x=x.npy --out=o --store=x.npy 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not gnn-tune f.mlir --graph g.npz --load-plugin=x.npy --out=o --records=x.npy 2>&1 | FileCheck %s --check-prefix=PLUGIN
// RUN: not gnn-run f.mlir --graph g.npz --save-schedules=./f.mlir 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: not gnn-run f.mlir --graph g.npz --report=g.npz 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not gnn-run f.mlir --graph g.npz --records=x.npy --save-schedules=x.npy 2>&1 | FileCheck %s --check-prefix=RECORDS
// RUN: not gnn-run f.mlir --graph g.npz --schedule-rule=ranked:x.npy --save-schedules=x.npy 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not gnn-run f.mlir --graph g.npz --report=o --save-schedules=o 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not gnn-run f.mlir --graph g.npz --compare=schedules=schedules --save-schedules=schedules 2>&1 | FileCheck %s --check-prefix=COMPARE
//
// OUT:     {{^gnn-tune: error: --out: expected another file than --graph's, got 'g.npz'$}}
// TRACE:   {{^gnn-tune: error: --trace: expected another file than --graph's, got 'link'$}}
// STORE:   {{^gnn-tune: error: --store: expected another file than --input's, got 'x.npy'$}}
// PLUGIN:  {{^gnn-tune: error: --records: expected another file than --load-plugin's, got 'x.npy'$}}
// PROGRAM: {{^gnn-run: error: --save-schedules: expected another file than FILE.mlir's, got './f.mlir'$}}
// REPORT:  {{^gnn-run: error: --report: expected another file than --graph's, got 'g.npz'$}}
// RECORDS: {{^gnn-run: error: --save-schedules: expected another file than --records's, got 'x.npy'$}}
// RULE:    {{^gnn-run: error: --save-schedules: expected another file than --schedule-rule's, got 'x.npy'$}}
// BOTH:    {{^gnn-run: error: --report: expected another file than --save-schedules's, got 'o'$}}
// COMPARE: {{^gnn-run: error: --compare: expected another file than --save-schedules's, got 'schedules'$}}

// A store and a file of records have lines of their kind alone.
//
// RUN: not gnn-tune f.mlir --graph g.npz --out=o --store=x.npy 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: not gnn-tune f.mlir --graph g.npz --out=o --store=schedules 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not gnn-tune f.mlir --graph g.npz --out=o --records=schedules 2>&1 | FileCheck %s --check-prefix=RATIO
// RUN: not gnn-run f.mlir --graph g.npz --records=schedules 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not gnn-run f.mlir --graph g.npz --records=x.npy 2>&1 | FileCheck %s --check-prefix=NPY
//
// ARRAY: {{^gnn-tune: error: --store: expected a file of measurements, got 'x.npy': expected a JSON object a line}}
// OTHER: {{^gnn-tune: error: --store: expected a file of measurements, got 'schedules': expected a string as 'cell', got nothing$}}
// RATIO: {{^gnn-tune: error: --records: expected a file of records, got 'schedules': expected a ratio and a schedule, and no cell$}}
// TAKEN: {{^gnn-run: error: --records: expected a file of records, got 'schedules': expected a ratio and a schedule, and no cell$}}
// NPY:   {{^gnn-run: error: --records: expected a file of records, got 'x.npy': expected a JSON object a line}}

// RUN: diff -r %t/before %t/own

// A file that is not there yet is one file too, however paths spell it.
//
// RUN: ln -s new link-to-new
// RUN: not gnn-tune f.mlir --graph g.npz --out=new --store=./new 2>&1 | FileCheck %s --check-prefix=DOT
// RUN: not gnn-tune f.mlir --graph g.npz --out=%t/own/new --trace=new 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: not gnn-tune f.mlir --graph g.npz --out=new --records=link-to-new 2>&1 | FileCheck %s --check-prefix=LINK
// RUN: not gnn-run f.mlir --graph g.npz --report=./new.html --explain=new.html 2>&1 | FileCheck %s --check-prefix=PAGE
//
// DOT:   {{^gnn-tune: error: --store: expected another file than --out's, got './new'$}}
// WHOLE: {{^gnn-tune: error: --trace: expected another file than --out's, got 'new'$}}
// LINK:  {{^gnn-tune: error: --records: expected another file than --out's, got 'link-to-new'$}}
// PAGE:  {{^gnn-run: error: --explain: expected another file than --report's, got 'new.html'$}}

// RUN: rm link-to-new && diff -r %t/before %t/own
// RUN: gnn-tune f.mlir --graph g.npz --target=cpu --budget=2s --out=o --store=store
// RUN: gnn-tune f.mlir --graph g.npz --target=cpu --budget=2s --out=o --store=store
// RUN: not gnn-tune f.mlir --graph g.npz --out=o --records=store 2>&1 | FileCheck %s --check-prefix=MEASURED
//
// MEASURED: {{^gnn-tune: error: --records: expected a file of records, got 'store': expected a ratio and a schedule, and no cell$}}

gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x32xf32, #gnn.rows<@g, node>>
func.func @f(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  %y = gnn.activation relu %x : !node
  return %y : !node
}
