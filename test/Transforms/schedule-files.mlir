// Saved schedules are taken again, and listed schedules are those that may be
// taken.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: gnn-opt %t/two.mlir -o %t/chosen.mlir --gnn-schedule-pipeline=save-schedules=%t/saved.jsonl
// RUN: FileCheck %s --check-prefix=SAVED < %t/saved.jsonl
// RUN: gnn-opt %t/two.mlir --gnn-tile-apply-schedules=file=%t/saved.jsonl > %t/applied.mlir
// RUN: sed -E 's/( attributes)? \{gnn.schedule_from = "file saved.jsonl:[123]"\}//' %t/applied.mlir | diff - %t/chosen.mlir
//
// Each template once, by what it computes.
//
// SAVED:      {"function":"two","graph":"g","template":"traverse",
// SAVED-SAME: "domain":"<dst, edge.in_rows, features = 64>",
// SAVED-SAME: "accesses":["<element -> src : feature>","<group : feature>"],
// SAVED-SAME: "types":["memref<?x64xf32>","memref<?x64xf32>"],
// SAVED-SAME: "body":"4049f3264ed989ab",
// SAVED-SAME: "schedule":{"columns_per_block":64,"vector":4,"lanes":16,{{.*}}"row_order":"natural","row_walk":"by_length","split_rows":256,"runs":32}}
// SAVED:      {"function":"two","graph":"g","template":"gemm","domain":"rows src_pair types edge_type",
// SAVED-SAME: "accesses":["<group -> src : feature>","","<group : feature>"]
// SAVED-SAME: "schedule":{"n":16,"kind":"tf32x3","copies":"async"}}
// SAVED:      {{.*}}"template":"outer","domain":"rows src_pair types edge_type"{{.*}}"body":"",
// SAVED-NOT:  "function"

// A schedule that leaves fields out: the passes choose the others.
//
// RUN: gnn-opt %t/two.mlir --gnn-schedule-pipeline=schedules=%t/narrow.jsonl \
// RUN:     --remarks-filter=gnn-tile-apply-schedules 2> %t/remarks | FileCheck %s --check-prefix=NARROW
// RUN: FileCheck %s --check-prefix=REMARK < %t/remarks
//
// NARROW:        gnn_tile.traverse
// NARROW-SAME:     schedule <columns_per_block = 32, vector = 2, lanes = 16,
// NARROW-SAME:     attributes {gnn.schedule_from = "file narrow.jsonl:1"}
// NARROW:        gnn_tile.traverse
// NARROW-SAME:     schedule <columns_per_block = 32, vector = 2, lanes = 16,
// NARROW-SAME:     attributes {gnn.schedule_from = "file narrow.jsonl:1"}
// NARROW:        gnn_tile.gemm
// NARROW-SAME:     schedule <n = 16, kind = tf32x3, copies = async>
// NARROW-NOT:    gnn.schedule_from
// REMARK-COUNT-2: ScheduleApplied{{.*}}takes the schedule of {{.*}}narrow.jsonl:1

// All that the open fields allow.
//
// RUN: gnn-opt %t/two.mlir -o /dev/null --gnn-schedule-pipeline --gnn-tile-list-schedules=vary=vector,n \
// RUN:   | FileCheck %s --check-prefix=VARY
// RUN: gnn-opt %t/two.mlir -o /dev/null --gnn-schedule-pipeline --gnn-tile-list-schedules | FileCheck %s --check-prefix=ONE
//
// VARY:     "schedule":{"columns_per_block":64,"vector":1,"lanes":16,{{.*}}"layout":{"threads":256,"rounds":4,"shared_bytes":{{[0-9]+}},"registers":{{[0-9]+}}}}
// VARY:     "schedule":{"columns_per_block":64,"vector":2,"lanes":16,{{.*}}"layout":{"threads":256,"rounds":2,
// VARY:     "schedule":{"columns_per_block":64,"vector":4,"lanes":16,{{.*}}"layout":{"threads":256,"rounds":1,
// VARY:     "template":"gemm",{{.*}}"schedule":{"n":16,"kind":"tf32x3","copies":"async"},"layout":{"threads":128,"rounds":1,"shared_bytes":20480,
// VARY:     "template":"gemm",{{.*}}"schedule":{"n":32,"kind":"tf32x3","copies":"async"}
// VARY:     "template":"gemm",{{.*}}"schedule":{"n":64,"kind":"tf32x3","copies":"async"}
// VARY-COUNT-3: "template":"outer"
// VARY-NOT: "function"
// ONE-COUNT-3: "layout"
// ONE-NOT:     "layout"

// Lanes that are tried beside lanes that are given fit into a warp.
//
// RUN: gnn-opt %t/two.mlir -o /dev/null --gnn-schedule-pipeline --gnn-tile-list-schedules=vary=vector,lanes \
// RUN:   | FileCheck %s --check-prefix=WARP
// WARP:     "vector":1,"lanes":16,"head_lanes":1,"element_lanes":2
// WARP-NOT: "lanes":32,"head_lanes":1,"element_lanes":2

// On a CPU vectors are as long as there.
//
// RUN: gnn-opt %t/two.mlir -o /dev/null --gnn-attach-target=kind=cpu --gnn-schedule-pipeline --gnn-tile-list-schedules=vary=vector \
// RUN:   | FileCheck %s --check-prefix=CORES
// CORES: "schedule":{"columns_per_block":64,"vector":16,"rows_per_block":64,"row_order":"natural","runs":32}

// The lines of older files on a core are read as its schedule; other lanes are
// not.
//
// RUN: gnn-opt %t/two.mlir --gnn-attach-target=kind=cpu --gnn-schedule-pipeline=schedules=%t/old.jsonl | FileCheck %s --check-prefix=OLD
// RUN: sed 's/"lanes":1/"lanes":2/' %t/old.jsonl > %t/lanes.jsonl
// RUN: not gnn-opt %t/two.mlir --gnn-attach-target=kind=cpu --gnn-schedule-pipeline=schedules=%t/lanes.jsonl 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LANES
// OLD:   schedule #gnn_tile.core_schedule<columns_per_block = 64, vector = 8, rows_per_block = 16, row_order = natural, runs = 32>
// LANES: lanes.jsonl:1:1: error: schedule: expected a field of #gnn_tile.core_schedule (columns_per_block, vector, rows_per_block, row_order, rows_per_team, runs), got 'lanes', which the cores of a CPU do not have: is it a schedule for a GPU?

// Each module has templates of its own, with threads and without.
//
// RUN: not gnn-opt %t/modules.mlir -o /dev/null --mlir-disable-threading \
// RUN:     --pass-pipeline='builtin.module(builtin.module(gnn-tile-apply-schedules{file=%t/narrow.jsonl}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MODULES
// MODULES: narrow.jsonl:1:1: error: unused: the module has no template in a function 'two'

// A template outside of a function.
//
// RUN: gnn-opt %t/top.mlir -o /dev/null --gnn-tile-list-schedules=vary=vector | FileCheck %s --check-prefix=TOP
// RUN: gnn-opt %t/top.mlir -o /dev/null --gnn-tile-save-schedules=file=%t/top.jsonl
// RUN: not gnn-opt %t/top.mlir --gnn-schedule-pipeline --gnn-kernels-pipeline 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error: 'gnn_tile.traverse' op expected a template in a func.func of the module
// TOP: {"function":"","graph":"g","template":"traverse","domain":"<dst, features = 64>"

//--- old.jsonl
{"function":"two","graph":"g","template":"traverse","domain":"<dst, edge.in_rows, features = 64>","accesses":["<element -> src : feature>","<group : feature>"],"types":["memref<?x64xf32>","memref<?x64xf32>"],"body":"4049f3264ed989ab","schedule":{"columns_per_block":64,"vector":8,"lanes":1,"head_lanes":1,"element_lanes":1,"in_flight":1,"rows_per_block":16,"row_order":"natural","row_walk":"in_turn"}}

//--- top.mlir
gnn.graph @g square {node_types = 2, edge_types = 3}
%n = arith.constant 4 : index
%x = memref.alloc(%n) : memref<?x64xf32>
%y = memref.alloc(%n) : memref<?x64xf32>
gnn_tile.traverse @g <dst, features = 64>
    ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
    outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
^bb0(%v: f32):
  gnn_tile.yield %v : f32
}

//--- modules.mlir
module {
  gnn.graph @g square {node_types = 2, edge_types = 3}
  func.func @two(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
        ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
        outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
    ^bb0(%v: f32):
      %s = gnn_tile.reduce sum [element] %v : f32
      gnn_tile.yield %s : f32
    }
    return
  }
}
module {
}

//--- two.mlir
gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @two(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %z: memref<?x64xf32>,
               %w: memref<3x64x8xf32>, %p: memref<?x8xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%y : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%z : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%other_name: f32):
    %s = gnn_tile.reduce sum [element] %other_name : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.gemm @g rows src_pair types edge_type
      ins(%z, %w : memref<?x64xf32>, memref<3x64x8xf32>)
      at <group -> src : feature> extras at []
      outs(%p : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%z, %p : memref<?x64xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%w : memref<3x64x8xf32>)
  return
}

//--- narrow.jsonl
{"function":"two","graph":"g","template":"traverse","domain":"<dst, edge.in_rows, features = 64>","accesses":["<element -> src : feature>","<group : feature>"],"types":["memref<?x64xf32>","memref<?x64xf32>"],"body":"4049f3264ed989ab","schedule":{"columns_per_block":32,"vector":2,"lanes":16}}
