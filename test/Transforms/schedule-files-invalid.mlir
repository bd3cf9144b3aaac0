// Each line of a file is taken or refused, with its place.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/text.jsonl 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/array.jsonl 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/missing.jsonl 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/list.jsonl 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/name.jsonl 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/none.jsonl 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/half.jsonl 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/word.jsonl 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/field.jsonl 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/value.jsonl 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/enum.jsonl 2>&1 | FileCheck %s --check-prefix=ENUM
// RUN: sed 's/schedule <vector = 2>//' %t/f.mlir > %t/open.mlir
// RUN: not gnn-opt %t/open.mlir --gnn-schedule-pipeline=schedules=%t/split.jsonl 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not gnn-opt %t/open.mlir --gnn-schedule-pipeline=schedules=%t/wide.jsonl 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/twice.jsonl 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/types.jsonl 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/body.jsonl 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/other.jsonl 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/fixed.jsonl 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/honour.jsonl 2>&1 | FileCheck %s --check-prefix=HONOUR
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/zero.jsonl 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/quoted.jsonl 2>&1 | FileCheck %s --check-prefix=QUOTED
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/deep.jsonl 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/doubled.jsonl 2>&1 | FileCheck %s --check-prefix=DOUBLED
// RUN: not gnn-opt %t/f.mlir --gnn-schedule-pipeline=schedules=%t/gone.jsonl 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not gnn-opt %t/f.mlir --gnn-tile-apply-schedules 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: not gnn-opt %t/f.mlir --gnn-tile-apply-records 2>&1 | FileCheck %s --check-prefix=NORECORDS
// RUN: not gnn-opt %t/f.mlir --gnn-tile-save-schedules=file=%t/gone/saved.jsonl 2>&1 | FileCheck %s --check-prefix=UNSAVED
// RUN: not gnn-opt %t/f.mlir --gnn-tile-list-schedules=vary=n,depth 2>&1 | FileCheck %s --check-prefix=VARY
// RUN: not gnn-opt %t/apart.mlir --gnn-tile-save-schedules=file=%t/apart.jsonl 2>&1 | FileCheck %s --check-prefix=APART
// RUN: not ls %t/apart.jsonl
//
// A line that nobody takes may be left, and is said.
//
// RUN: gnn-opt %t/f.mlir --gnn-schedule-pipeline="schedules=%t/other.jsonl allow-unused-schedules=true" \
// RUN:     -o /dev/null --remarks-filter=gnn-tile-apply-schedules 2>&1 | FileCheck %s --check-prefix=LEFT
//
// TEXT: text.jsonl:1:1: error: expected a JSON object a line: 
// ARRAY: array.jsonl:1:1: error: expected a JSON object a line, got ["n",32]
// MISSING: missing.jsonl:2:1: error: expected a string as 'graph', got nothing
// LIST: list.jsonl:1:1: error: expected a list of strings as 'accesses', got [1]
// NAME: name.jsonl:1:1: error: expected function, graph, template, domain, accesses, types, body, schedule or layout, got 'bodies'
// NONE: none.jsonl:1:1: error: expected an object as 'schedule', got nothing
// HALF: half.jsonl:1:1: error: expected a whole number or a word as 'n' of the schedule, got 3.5
// WORD: word.jsonl:1:1: error: schedule: expected 'row_walk' in {team, block, by_length, by_edges}, got team> junk
// FIELD: field.jsonl:1:1: error: schedule: expected a field of #gnn_tile.gemm_schedule (n, kind, copies, processor_blocks, max_registers, runs), got 'm'
// VALUE: value.jsonl:1:1: error: schedule: expected 'n' in {16, 32, 64}, got 33
// ENUM: enum.jsonl:1:1: error: schedule: expected 'row_walk' in {team, block, by_length, by_edges}, got crowd
// SPLIT: split.jsonl:1:1: error: schedule: expected 'row_walk' by_length with 'split_rows', got team
// WIDE: wide.jsonl:1:1: error: schedule: expected 'vector' in {1, 2, 4}, got 16
// TWICE: twice.jsonl:3:1: error: ambiguous: expected one line for a template, got another one as line 1
// TYPES: types.jsonl:1:1: error: stale: no template has this key; expected 'types' to be [memref<?x8xf32>, memref<8x8xf32>, memref<?x8xf32>], as in the one most like it, got [memref<?x9xf32>, memref<8x8xf32>, memref<?x9xf32>]
// BODY: body.jsonl:1:1: error: stale: no template has this key; expected 'body' to be 82bdc2c73dd2203a, as in the one most like it, got 0
// OTHER: other.jsonl:1:1: error: unused: the module has no template in a function 'h'
// FIXED: fixed.jsonl:1:1: error: expected 'vector' = 2, which the template has, got 4
// HONOUR: honour.jsonl:1:1: error: cannot honour the schedule's 'columns_per_block': expected at most the 8 features of a row, got 16
// HONOUR: note: the template
// ZERO: zero.jsonl:1:1: error: schedule: expected 'n' in {16, 32, 64}, got 0
// QUOTED: quoted.jsonl:1:1: error: expected a whole number or a word as 'n' of the schedule, got "16"
// DEEP: deep.jsonl:1:1: error: expected at most 100 levels of nesting
// DOUBLED: doubled.jsonl:1:1: error: expected 'n' once, got it twice
// GONE: gone.jsonl:0:0: error: cannot open '{{.*}}gone.jsonl': No such file or directory
// NOFILE: error: gnn-tile-apply-schedules: expected a file
// NORECORDS: error: gnn-tile-apply-records: expected a file of records, or one for keys, got neither
// UNSAVED: saved.jsonl:0:0: error: cannot write '{{.*}}saved.jsonl': {{.*}}No such file or directory
// VARY: error: vary: expected fields of schedules of the module's templates (columns_per_block, heads_per_block, vector, lanes, head_lanes, element_lanes, in_flight, processor_blocks, rows_per_block, row_order, row_walk, split_rows, rows_per_team, runs, window, merge, distribution, lookup, max_registers, n, kind, copies), got 'depth'
// APART: error: 'gnn_tile.gemm' op expected the schedule of another template of the same key, for a file cannot tell them apart: #gnn_tile.gemm_schedule<n = 16>, got #gnn_tile.gemm_schedule<n = 32>
// LEFT: Refused{{.*}}unused: the module has no template in a function 'h'

//--- f.mlir
gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @f(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %w: memref<8x8xf32>, %z: memref<?x8xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 2> {
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.gemm @g rows src
      ins(%y, %w : memref<?x8xf32>, memref<8x8xf32>)
      at <group : feature> extras at []
      outs(%z : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

//--- apart.mlir
gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @apart(%x: memref<?x8xf32>, %w: memref<8x8xf32>, %y: memref<?x8xf32>, %z: memref<?x8xf32>) {
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x8xf32>, memref<8x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  gnn_tile.gemm @g rows src ins(%y, %w : memref<?x8xf32>, memref<8x8xf32>)
      at <group : feature> extras at []
      outs(%z : memref<?x8xf32>) at <group : feature> schedule <n = 32> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

//--- text.jsonl
not json

//--- array.jsonl
["n", 32]

//--- missing.jsonl

{"function":"f","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a","schedule":{"n":32}}

//--- list.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":[1],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a","schedule":{"n":32}}

//--- name.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"bodies":"82bdc2c73dd2203a","body":"","schedule":{"n":32}}

//--- none.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a"}

//--- half.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a","schedule":{"n":3.5}}

//--- doubled.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a","schedule":{"n":16,"n":32}}

//--- word.jsonl
{"function":"f","graph":"g","template":"traverse","domain":"<dst, edge.in_rows, features = 8>","accesses":["<element -> src : feature>","<group : feature>"],"types":["memref<?x8xf32>","memref<?x8xf32>"],"body":"4049f3264ed989ab","schedule":{"row_walk":"team> junk"}}

//--- field.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a","schedule":{"m":32}}

//--- value.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a","schedule":{"n":33}}

//--- enum.jsonl
{"function":"f","graph":"g","template":"traverse","domain":"<dst, edge.in_rows, features = 8>","accesses":["<element -> src : feature>","<group : feature>"],"types":["memref<?x8xf32>","memref<?x8xf32>"],"body":"4049f3264ed989ab","schedule":{"row_walk":"crowd"}}

//--- split.jsonl
{"function":"f","graph":"g","template":"traverse","domain":"<dst, edge.in_rows, features = 8>","accesses":["<element -> src : feature>","<group : feature>"],"types":["memref<?x8xf32>","memref<?x8xf32>"],"body":"4049f3264ed989ab","schedule":{"row_walk":"team","split_rows":64}}

//--- wide.jsonl
{"function":"f","graph":"g","template":"traverse","domain":"<dst, edge.in_rows, features = 8>","accesses":["<element -> src : feature>","<group : feature>"],"types":["memref<?x8xf32>","memref<?x8xf32>"],"body":"4049f3264ed989ab","schedule":{"vector":16,"lanes":1}}

//--- twice.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a","schedule":{"n":32}}

{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a","schedule":{"n":64}}

//--- types.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x9xf32>","memref<8x8xf32>","memref<?x9xf32>"],"body":"82bdc2c73dd2203a","schedule":{"n":32}}

//--- body.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"0","schedule":{"n":32}}

//--- other.jsonl
{"function":"h","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a","schedule":{"n":32}}

//--- fixed.jsonl
{"function":"f","graph":"g","template":"traverse","domain":"<dst, edge.in_rows, features = 8>","accesses":["<element -> src : feature>","<group : feature>"],"types":["memref<?x8xf32>","memref<?x8xf32>"],"body":"4049f3264ed989ab","schedule":{"vector":4}}

//--- honour.jsonl
{"function":"f","graph":"g","template":"traverse","domain":"<dst, edge.in_rows, features = 8>","accesses":["<element -> src : feature>","<group : feature>"],"types":["memref<?x8xf32>","memref<?x8xf32>"],"body":"4049f3264ed989ab","schedule":{"columns_per_block":16}}

//--- zero.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a","schedule":{"n":0}}

//--- quoted.jsonl
{"function":"f","graph":"g","template":"gemm","domain":"rows src","accesses":["<group : feature>","","<group : feature>"],"types":["memref<?x8xf32>","memref<8x8xf32>","memref<?x8xf32>"],"body":"82bdc2c73dd2203a","schedule":{"n":"16"}}

//--- deep.jsonl
[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
