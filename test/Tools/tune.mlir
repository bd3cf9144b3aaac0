// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.npy 3 32
// RUN: rm -f %t.searched %t.records
// RUN: gnn-tune %s --function f --graph %t.npz --input x=%t.npy --target=cpu --budget=2s --search=exhaustive \
// RUN:   --out=%t.jsonl --store=%t.searched --cell=tiny | FileCheck %s --check-prefix=SUMMARY
// RUN: sort -s -t, -k6,6 %t.searched > %t.store
// RUN: FileCheck %s --check-prefix=STORE --input-file=%t.store
// RUN: gnn-run %s --function f --graph %t.npz --input x=%t.npy --weights=random:1 --target=cpu --schedules=%t.jsonl \
// RUN:   | FileCheck %s --check-prefix=RESULT

// All templates are measured, each alone, on what those before it leave.
//
// SUMMARY:      {{^ ms chosen +ms tuned +ratio +measured +dropped +template$}}
// SUMMARY-NEXT: {{^ +[0-9.]+ .* 0 f_0_linear \(gemm rows dst\)$}}
// SUMMARY-NEXT: {{^ +[0-9.]+ .* 1 f_1_aggregate \(traverse <dst, edge.in_rows, features = 32>\)$}}
//
// The first measurement of a template is that of the chosen schedule. Templates stand in the order of their times,
// so sorted by kind here.
//
// STORE: {"cell":"tiny","device":"cpu","version":"{{.+}}","function":"f","graph":"g","template":"gemm",{{.+}},"schedule":{"n":32,{{.+}}},"seconds":{{.+}},"milliseconds":{{.+}},"spread":{{.+}},"ratio":{{.+}},"rounds":7,"check":"same bits"}
// STORE: "template":"traverse",{{.+}}"check":"same bits"}
// RESULT: out: f32[3, 32], norm {{[0-9]}}

// RUN: sed -E 's/"milliseconds":[^,]+/"milliseconds":2/; s/"spread":[^,]+/"spread":0/; s/"ratio":[^,]+/"ratio":1/' %t.store > %t.even
// RUN: gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.even --cell=tiny --out=%t.jsonl | FileCheck %s --check-prefix=EVEN
// RUN: sed '/"n":32/!s/"ratio":1/"ratio":0.5/' %t.even > %t.halves
// RUN: gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.halves --cell=tiny --op=0 --search=exhaustive --out=%t.jsonl | FileCheck %s --check-prefix=HALVES

// The time after tuning is that before it by the ratio, whatever its own was.
//
// EVEN:   {{^no measured schedule is faster than the chosen ones, so .+\.jsonl is empty$}}
// HALVES: {{^ +2.0000 +1.0000 +0.50 .* 0 f_0_linear \(gemm rows dst\)$}}
// HALVES-NOT: no measured schedule

// RUN: sed 's/"n":32/"n":-5/' %t.even > %t.below
// RUN: not gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.below --cell=tiny --out=%t.jsonl 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.below --cell=tiny --features=%t.features 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: sed 's/"vector":[0-9]*/"vector":4611686018427387904/' %t.even > %t.above
// RUN: not gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.above --cell=tiny --out=%t.jsonl 2>&1 | FileCheck %s --check-prefix=ABOVE

// Values that no schedule can have.
//
// BELOW: {{^gnn-tune: error: template 0 .*\(gemm rows dst\): .+\.below:1: schedule: expected 'n' in \{16, 32, 64\}, got -5$}}
// ABOVE: {{^gnn-tune: error: template 1 .*\(traverse .+\): .+\.above:[0-9]+: schedule: expected 'vector' in \{1, 2, 4, 8, 16\}, got 4611686018427387904$}}

// RUN: grep '"template":"gemm"' %t.halves > %t.first
// RUN: not gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.first --cell=tiny --search=exhaustive --out=%t.jsonl \
// RUN:   --records=%t.records > %t.summary 2> %t.error
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t.summary && FileCheck %s --check-prefix=SECOND --input-file=%t.error
// RUN: FileCheck %s --check-prefix=LINE --input-file=%t.jsonl && FileCheck %s --check-prefix=LINE --input-file=%t.records

// An error of the second template keeps what was found of the first.
//
// KEPT:   {{^ +2.0000 +1.0000 +0.50 .* 0 f_0_linear \(gemm rows dst\)$}}
// SECOND: {{^gnn-tune: error: template 1 f_1_aggregate \(traverse .+\): expected measurements of 'tiny' and this template in the store, got none$}}
// LINE:   "template":"gemm"

// RUN: head -c 60 %t.records | tee %t.torn > %t.cut
// RUN: gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.halves --cell=tiny --op=0 --search=exhaustive --out=%t.jsonl --records=%t.torn
// RUN: gnn-tune %s --function f --graph %t.npz --target=cpu --replay=%t.halves --cell=tiny --op=0 --search=exhaustive --out=%t.jsonl --records=%t.torn
// RUN: (cat %t.cut && echo && cat %t.records %t.records) | diff - %t.torn
// RUN: echo '{"schedule"' > %t.other && cat %t.store >> %t.other
// RUN: not gnn-tune %s --function f --graph %t.npz --target=cpu --out=%t.jsonl --records=%t.other 2>&1 | FileCheck %s --check-prefix=CELLS

// A file whose first line is incomplete gets lines too; its first whole line says of which kind it is.
//
// CELLS: {{^gnn-tune: error: --records: expected a file of records, got '.+other': expected a ratio and a schedule, and no cell$}}

// RUN: echo earlier > %t.kept
// RUN: gnn-tune %s --function f --graph %t.npz --target=cpu --budget=1ms --out=%t.kept | FileCheck %s --check-prefix=BRIEF
// RUN: gnn-tune %s --function f --graph %t.npz --target=cpu --budget=1ms --op=1 --out=%t.kept | FileCheck %s --check-prefix=BRIEF
// RUN: grep earlier %t.kept

// A budget that is over before the search keeps an earlier file of schedules.
//
// BRIEF: {{^no time was left to measure: expected a larger --budget; .+kept is not written$}}

// RUN: gnn-run %s --function f --graph %t.npz --target=cpu --weights=random:1 --phases=%t.phases
// RUN: gnn-tune %t.phases/2-tile.mlir --graph %t.npz --target=cpu --budget=1s --op=0 --out=%t.jsonl | FileCheck %s --check-prefix=TILE
// RUN: gnn-tune %t.phases/2-tile.mlir --graph g=%t.npz --target=cpu --budget=1s --op=0 --out=%t.jsonl | FileCheck %s --check-prefix=TILE
// RUN: not gnn-tune %t.phases/2-tile.mlir --graph h=%t.npz --target=cpu --out=%t.jsonl 2>&1 | FileCheck %s --check-prefix=NAME

// A module of templates, whose types do not name its graph, is bound to it too.
//
// TILE: {{^ +[0-9.]+ .* 0 f_0_gemm \(gemm rows dst\)$}}

// RUN: not gnn-tune %s --function f --graph %t.npz 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not gnn-tune --out=%t.jsonl 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: gnn-tune --help | FileCheck %s --check-prefix=HELP
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --budget=0 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --op=2 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --op=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not gnn-tune %s --function h --graph %t.npz --out=%t.jsonl --target=cpu 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not gnn-tune %s --function f --out=%t.jsonl --target=cpu 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: sed 's/edge_types = 2}/edge_types = 2, self_loops}/' %s > %t.loops.mlir
// RUN: not gnn-tune %t.loops.mlir --function f --graph %t.npz --out=%t.jsonl --target=cpu 2>&1 | FileCheck %s --check-prefix=DECLARED
// RUN: not gnn-tune %s --function f --out=%t.jsonl --target=cpu --graph=h=%t.npz 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not gnn-tune %s --function f --out=%t.jsonl --target=cpu --graph=%t.npz --graph=h=%t.npz 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not gnn-tune %s --function f --out=%t.jsonl --target=cpu --add-self-loops 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --trace= 2>&1 | FileCheck %s --check-prefix=TRACE
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --cell=tiny 2>&1 | FileCheck %s --check-prefix=CELL
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --jobs=100000 2>&1 | FileCheck %s --check-prefix=JOBS
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --replay=%t.store --weights=random:2 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --replay=%t.store --features=%t.features 2>&1 | FileCheck %s --check-prefix=LISTED
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.none/x.jsonl 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --store=%t.none/x.jsonl 2>&1 | FileCheck %s --check-prefix=STORED
// RUN: not gnn-tune %s --function f --graph %t.npz --store=%t.same --out=%t.same 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: cp %s %t.program.mlir && not gnn-tune %t.program.mlir --function f --graph %t.npz --out=%t.program.mlir 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: diff %s %t.program.mlir
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=emulator 2>&1 | FileCheck %s --check-prefix=EMULATOR
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --search=luck 2>&1 | FileCheck %s --check-prefix=SEARCH
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --filter=registers,luck 2>&1 | FileCheck %s --check-prefix=FILTER
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --filter=, 2>&1 | FileCheck %s --check-prefix=COMMA
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --filter=balance --replay=%t.store 2>&1 | FileCheck %s --check-prefix=REPLAYED
// RUN: gnn-tune %s --function f --graph %t.npz --input x=%t.npy --target=cpu --op=1 --budget=1s --out=%t.jsonl --filter=balance | FileCheck %s --check-prefix=FILTERED
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --passes=fuse=maybe 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: not gnn-tune %s --function f --graph %t.npz --out=%t.jsonl --target=cpu --gradients=h: 2>&1 | FileCheck %s --check-prefix=GRADIENTS

// What is wrong is said before anything is measured.
//
// NONE:     {{^gnn-tune: error: --out: expected FILE.jsonl, got none$}}
// HELP:     --target=<KIND> {{.*}}Target: cuda, cpu, or one of a plugin; by default a GPU if there is one, else cpu
// PROGRAM:  {{^gnn-tune: error: expected FILE.mlir, got none$}}
// BUDGET:   {{^gnn-tune: error: --budget: expected a time above 0 and of at most 1e9 s, such as 500ms, 5s or 2m, got '0'$}}
// OP:       {{^gnn-tune: error: --op: expected the number of a template of 'f', one of 0 f_0_linear \(gemm rows dst\), 1 f_1_aggregate \(traverse .+\); got 2$}}
// NEGATIVE: {{^gnn-tune: error: --op: expected a whole number from 0 to 2147483647, got '-2'$}}
// FUNCTION: {{^gnn-tune: error: --function: expected one of f, got 'h'$}}
// GRAPH:    {{^gnn-tune: error: graph 'g': expected a graph, or statistics in its declaration \(stats = #gnn.stats<...>\) for a synthetic graph, got neither$}}
// DECLARED: {{^gnn-tune: error: graph 'g': expected one self loop at each node, got 0 at node 0; }}
// NAME:     {{^gnn-tune: error: expected --graph g=FILE.npz, got 'h=.+'$}}
// COUNT:    {{^gnn-tune: error: expected --graph once for each graph of the function: 1, got 2$}}
// LOOPS:    {{^gnn-tune: error: --add-self-loops: expected --graph FILE.npz, whose edges it changes, got none$}}
// TRACE:    {{^gnn-tune: error: --trace: expected FILE.jsonl, got an empty text$}}
// CELL:     {{^gnn-tune: error: --cell: expected --store or --replay, whose measurements it names, got neither$}}
// JOBS:     {{^gnn-tune: error: --jobs: expected a whole number from 1 to [0-9]+, got '100000'$}}
// WEIGHTS:  {{^gnn-tune: error: --weights: expected none with --replay, which neither compiles nor measures$}}
// LISTED:   {{^gnn-tune: error: --out: expected none with --features, which searches nothing$}}
// OUT:      {{^gnn-tune: error: --out: cannot write '.+': No such file or directory$}}
// STORED:   {{^gnn-tune: error: --store: cannot write '.+': No such file or directory$}}
// SAME:     {{^gnn-tune: error: --store: expected another file than --out's, got '.*same'$}}
// OWN:      {{^gnn-tune: error: --out: expected another file than FILE.mlir's, got '.*program.mlir'$}}
// EMULATOR: {{^gnn-tune: error: the emulator has no times: expected target cuda or cpu$}}
// SEARCH:   {{^gnn-tune: error: --search: expected one of coordinate, random, exhaustive, ranked, genetic, sampling, got 'luck'$}}
// FILTER:   {{^gnn-tune: error: --filter: expected registers, utilization, balance, got 'luck'$}}
// COMMA:    {{^gnn-tune: error: --filter: expected registers, utilization, balance, got ''$}}
// REPLAYED: {{^gnn-tune: error: --filter: expected none with --replay, which neither compiles nor measures$}}
// FILTERED: 1 f_1_aggregate (traverse
// FILTERED-NEXT: {{^ +not compiled, by filters: [0-9]+ balance$}}
// PASSES:   {{^gnn-tune: error: --passes: fuse: expected true or false, got 'maybe'$}}
// GRADIENTS: {{^gnn-tune: error: --gradients: expected one of f, got 'h'$}}

gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x32xf32, #gnn.rows<@g, node>>

func.func @f(%x: !node {gnn.name = "x"}, %w: tensor<32x32xf32> {gnn.name = "w"})
    -> (!node {gnn.name = "out"}) {
  %y = gnn.linear %x, %w : (!node, tensor<32x32xf32>) -> !node
  %m = gnn.gather %y via src : !node -> tensor<?x32xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %m via dst : tensor<?x32xf32, #gnn.rows<@g, edge>> -> !node
  return %s : !node
}
