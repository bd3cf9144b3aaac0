// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.npy 3 32
// RUN: gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=emulator --phases=%t | FileCheck %s --check-prefix=OUT
// RUN: not gnn-run %s --function f --stop-at=tiles 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not gnn-run %s --function f --passes=fuse=maybe 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not gnn-run %s --function f --passes=fuse=maybe --explain 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not gnn-run %s --function f --stage-passes=tile=cse 2>&1 | FileCheck %s --check-prefix=POINT
// RUN: not gnn-run %s --function f --target=emulator --phases=%t.none --chip=v100 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not gnn-run %s --function f --target=cpu --chip=h100 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --schedules=%t.gone 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --records=%t.gone 2>&1 | FileCheck %s --check-prefix=RECORDS
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --records=/ 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=cpu --explain=/ 2>&1 | FileCheck %s --check-prefix=EXPLAINED
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=cpu --explain=%t.gone/x.dot 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not gnn-run %s --function f --graph %t.npz --explain --explain=%t.html 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not gnn-run %s --function f --add-self-loops 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: not gnn-run %s --function f --refine-types 2>&1 | FileCheck %s --check-prefix=REFINED
// RUN: not gnn-run %s --function= --graph %t.npz 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not gnn-run %s --function f --graph %t.npz --save-schedules= 2>&1 | FileCheck %s --check-prefix=SAVED
// RUN: not gnn-run %s --function f --graph %t.npz --output= 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not gnn-run %s --function f --graph %t.npz --allow-unused-schedules 2>&1 | FileCheck %s --check-prefix=ALLOWED
// RUN: not gnn-run --stats=%t.npz --target=cpu 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: not gnn-run --stats=%t.npz %s 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: not gnn-run %s --function f --graph %t.npz --target=cpu --stage-passes=graph-end=hoist-linear 2>&1 | FileCheck %s --check-prefix=PLUGIN

// An option that is wrong is named, and no place in the file.
//
// GONE:  {{^gnn-run: error: --schedules: cannot open '.*gone': No such file or directory$}}
// RECORDS: {{^gnn-run: error: --records: cannot open '.*gone': No such file or directory$}}
// FOLDER: {{^gnn-run: error: --records: expected a file, got the folder '/'$}}
// EXPLAINED: {{^gnn-run: error: --explain: expected FILE.html or FILE.dot, got '/'$}}
// NOWHERE: {{^gnn-run: error: --explain: cannot write '.*gone/x.dot': No such file or directory$}}
// TWICE: {{^gnn-run: error: --explain: expected once, got it 2 times$}}
// LOOPS: {{^gnn-run: error: --add-self-loops: expected --graph FILE.npz, whose edges it changes, got none$}}
// REFINED: {{^gnn-run: error: --refine-types: expected --graph FILE.npz, whose edges it changes, got none$}}
// EMPTY: {{^gnn-run: error: --function: expected NAME, got an empty text$}}
// SAVED: {{^gnn-run: error: --save-schedules: expected FILE.jsonl, got an empty text$}}
// OUTPUT: {{^gnn-run: error: --output: expected DIR, got an empty text$}}
// ALLOWED: {{^gnn-run: error: --allow-unused-schedules: expected --schedules FILE.jsonl, got none$}}
// STATS: {{^gnn-run: error: --target: expected no such option with --stats$}}
// PROGRAM: {{^gnn-run: error: --stats: expected no program, got '.*bad-options.mlir'$}}
// PLUGIN: {{^gnn-run: error: --stage-passes: graph-end: 'hoist-linear' does not refer to a registered pass or pass pipeline \(those of a plugin are registered where it is loaded: docs/Plugins.md\)$}}
// FORM:  {{^gnn-run: error: --stop-at: expected one of kernels, .+, got 'tiles'$}}
// VALUE: {{^gnn-run: error: --passes: fuse: expected true or false, got 'maybe'$}}
// POINT: {{^gnn-run: error: --stage-passes: expected POINT=PASSES with a point of .+, got 'tile=cse'$}}
// UNUSED: {{^gnn-run: error: --chip: expected --target=cuda or emulator, which PTX is made for, got --target=cpu$}}
// CHIP:  {{^gnn-run: error: --chip: expected h200, h100, a100, rtx3090 or a chip of sm_70, .+, got 'v100'$}}

// RUN: not gnn-run %t/2-tile.mlir --function f --target=emulator --passes="tensor-cores=false long-rows=0" 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not gnn-run %t/3-schedule.mlir --function f --target=emulator --passes=gnn-compact=off 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: not gnn-run %t/3-schedule.mlir --function f --target=emulator --passes=tensor-cores=off 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not gnn-run %t/4-block.mlir --function f --target=emulator --passes=sums-in-products=true 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not gnn-run %t/3-schedule.mlir --function f --target=emulator --stop-at=structured 2>&1 | FileCheck %s --check-prefix=STRUCTURED
// RUN: not gnn-run %t/2-tile.mlir --function f --target=emulator --stop-at=structured 2>&1 | FileCheck %s --check-prefix=STRUCTURED
// RUN: not gnn-run %t/2-tile.mlir --function f --target=cpu 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: gnn-opt %s --gnn-attach-target=kind=cpu -o %t.cores && not gnn-run %t.cores --unchecked 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: not gnn-translate %t/3-schedule.mlir --gnn-to-ptx --chip=a100 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not gnn-translate %t/3-schedule.mlir --gnn-to-ptx --passes=fuse=false 2>&1 | FileCheck %s --check-prefix=PTX

// So is one of a stage that a module is past, which would change nothing.
//
// TILE:       {{^gnn-run: error: --passes: expected a switch of a stage that the module is not past, got 'long-rows' of the stage 'tile' and a module of the form 'buffers'$}}
// GRAPH:      {{^gnn-run: error: --passes: expected .*, got 'compact' of the stage 'graph' and a module of the form 'buffers'$}}
// SCHEDULE:   {{^gnn-run: error: --passes: expected .*, got 'tensor-cores' of the stage 'schedule' and a module whose templates have schedules$}}
// BLOCK:      {{^gnn-run: error: --passes: expected .*, got 'sums-in-products' of the stage 'block' and a module of the form 'blocked'$}}
// STRUCTURED: {{^gnn-run: error: --stop-at: expected a form that the module is not past, got 'structured' and a module of the form 'buffers'$}}
// KIND:       {{^gnn-run: error: --target: expected cuda, NVIDIA H200 SXM, which the module is for, got cpu$}}
// CHOSEN:     {{^gnn-run: error: --target: expected cpu, which the module is for, got emulator, .+, which gnn-run chooses without --target$}}
// GPU:        error: target: expected cuda, NVIDIA H200 SXM, which the module is for, got cuda, NVIDIA A100 SXM 80 GB
// PTX:        error: passes: expected a switch of a stage that the module is not past, got 'fuse' of the stage 'tile'

// RUN: gnn-run %t/1-graph.mlir --function f --graph %t.npz --input x=%t.npy --target=emulator --passes="compact=off fuse=off" | FileCheck %s --check-prefix=OUT
// RUN: gnn-run %t/1-graph.mlir --function f --graph %t.npz --input x=%t.npy --target=emulator --stop-at=structured | FileCheck %s --check-prefix=OUT
// RUN: gnn-run %t/2-tile.mlir --function f --graph %t.npz --input x=%t.npy --target=emulator --passes="async-copies=off tensor-cores=off" | FileCheck %s --check-prefix=OUT
// RUN: gnn-run %t/3-schedule.mlir --function f --graph %t.npz --input x=%t.npy --target=emulator --passes=sums-in-products=true | FileCheck %s --check-prefix=OUT

// The option ahead takes its own value.
//
// OUT: out: f32[3, 32], norm

// RUN: gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=emulator --phases=%t --explain | FileCheck %s --check-prefixes=ONGPU,EXPLAIN
// RUN: gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=cpu --explain | FileCheck %s --check-prefixes=ONCPU,EXPLAIN
// RUN: gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=cpu --explain=%t/f.dot | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=DOT < %t/f.dot
// RUN: not gnn-run %t/9-ptx.mlir --function f --target=emulator 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: gnn-run --help | FileCheck %s --check-prefix=HELP

// ONGPU:      {{^estimates for NVIDIA H200 SXM$}}
// ONCPU:      {{^estimates for target cpu, with the figures of 16 threads of an Intel Xeon$}}
// EXPLAIN:    {{^f, before$}}
// DOT:        label="Estimates for target cpu, with the figures of {{.*}}; before:
// ALONE:      9-ptx.mlir:3:1: error: expected kernels as IR, as gnn-math-pipeline makes them, or a form in front of these, got PTX alone (gpu.binary)
// ALONE-NOT:  .visible
// HELP:       --stage-passes=<POINT=PASSES> {{.*}} STAGE-begin, STAGE-end, after-schedule, after-blocked or after-loops:

gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x32xf32, #gnn.rows<@g, node>>
!edge = tensor<?x32xf32, #gnn.rows<@g, edge>>

func.func @f(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  %m = gnn.gather %x via src : !node -> !edge
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}
