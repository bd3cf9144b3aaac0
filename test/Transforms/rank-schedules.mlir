// RUN: gnn-opt %s --gnn-schedule-pipeline="schedule-rule=ranked:%S/../Tools/Inputs/ranker.txt" | FileCheck %s
// RUN: gnn-opt %s -o /dev/null --gnn-schedule-pipeline="schedule-rule=ranked:%S/../Tools/Inputs/ranker.txt" \
// RUN:   --remarks-filter=gnn-tile-rank-schedules --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: gnn-opt %s -o /dev/null --gnn-tile-rank-schedules="rule=ranked:%S/../Tools/Inputs/cost.json" \
// RUN:   --remarks-filter=gnn-tile-rank-schedules --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=COST
// RUN: gnn-opt %s --gnn-schedule-pipeline=schedule-rule=rule > %t.rule
// RUN: gnn-opt %s --gnn-schedule-pipeline | diff - %t.rule
// RUN: not gnn-opt %s --gnn-schedule-pipeline=schedule-rule=luck 2>&1 | FileCheck %s --check-prefix=LUCK
// RUN: not gnn-opt %s --gnn-schedule-pipeline=schedule-rule=ranked: 2>&1 | FileCheck %s --check-prefix=LUCK
// RUN: not gnn-opt %s --gnn-schedule-pipeline=schedule-rule=ranked:%t.none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not gnn-opt %s --gnn-schedule-pipeline=schedule-rule=ranked:%s 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: sed 's/field.vector/field.vectors/' %S/../Tools/Inputs/ranker.txt > %t.field
// RUN: not gnn-opt %s --gnn-schedule-pipeline=schedule-rule=ranked:%t.field 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: sed 's/g-spmm/x/' %S/../Tools/Inputs/cost.json > %t.kind
// RUN: not gnn-opt %s --gnn-schedule-pipeline=schedule-rule=ranked:%t.kind 2>&1 | FileCheck %s --check-prefix=KIND

// A schedule of a file or of a record stays, and the rule chooses the fields that it leaves open.
//
// RUN: gnn-opt %s -o /dev/null --gnn-schedule-pipeline=save-schedules=%t.saved
// RUN: sed -n -E '1s/"schedule":.*/"schedule":{"rows_per_block":16}}/p' %t.saved > %t.jsonl
// RUN: rm -f %t.keys && gnn-opt %s -o /dev/null --gnn-schedule-pipeline=record-keys=%t.keys
// RUN: sed -E '/"template":"traverse"/!d; s/}$/,"ratio":0.5,"schedule":{"rows_per_block":16}}/' %t.keys > %t.records
// RUN: gnn-opt %s --gnn-schedule-pipeline="schedule-rule=ranked:%S/../Tools/Inputs/ranker.txt schedules=%t.jsonl" \
// RUN:   --remarks-filter=gnn-tile-rank-schedules --remark-format=emitRemark 2> %t.remarks | FileCheck %s --check-prefixes=KEPT,FILE
// RUN: FileCheck %s --check-prefix=KEPT-REMARK < %t.remarks
// RUN: gnn-opt %s --gnn-schedule-pipeline="schedule-rule=ranked:%S/../Tools/Inputs/ranker.txt records=%t.records" | FileCheck %s --check-prefixes=KEPT,RECORD
//
// KEPT-LABEL:  @free
// KEPT:        gnn_tile.traverse {{.+}} schedule <columns_per_block = 64, vector = 4, {{.+}} rows_per_block = 16,
// FILE-SAME:   {gnn.schedule_from = "file {{.+}}.jsonl:1"}
// RECORD-SAME: {gnn.schedule_from = "record of {{.+}}.records"}
// KEPT-LABEL:  @given
// KEPT:        {gnn.schedule_from = "model ranker.txt"}
// KEPT-REMARK: [Missed] Refused {{.+}}its schedule is from file {{.+}}.jsonl:1: the rule chooses open fields"
// KEPT-REMARK: [Passed] ScheduleRanked

// The trees score two rows a block and vectors of up to four most; of equal schedules the
// first is taken, and the passes choose what it leaves open. Fields that are set stay. No
// tree knows the fields of products, which the rule chooses.
//
// CHECK-LABEL: @free
// CHECK: gnn_tile.traverse {{.+}} schedule <columns_per_block = 64, vector = 1, {{.+}} rows_per_block = 2, {{.+}} runs = 32> attributes {gnn.schedule_from = "model ranker.txt"}
// CHECK-LABEL: @given
// CHECK: gnn_tile.traverse {{.+}} schedule <columns_per_block = 64, vector = 2, lanes = 32, {{.+}} rows_per_block = 4,
// CHECK-LABEL: @product
// CHECK: gnn_tile.gemm {{.+}} schedule <n = 64, kind = tf32x3, copies = async, max_registers = 128>
// CHECK-NOT: gnn.schedule_from
//
// REMARK: remark: [Passed] ScheduleRanked | Category:gnn-tile-rank-schedules | Remark="the first of {{[0-9]+}} schedules: #gnn_tile.traverse_schedule<{{[^>]+}} rows_per_block = 2, {{[^>]+}}>; by the rule: #gnn_tile.traverse_schedule<columns_per_block = 64, vector = 4, lanes = 16, {{[^>]+}} rows_per_block = 8, {{[^>]+}}>"
// REMARK: remark: [Passed] ScheduleRanked {{.+}} rows_per_block = 4, {{[^>]+}}>; by the rule: {{[^>]+}} rows_per_block = 4,
// REMARK: remark: [Missed] Refused {{.+}}ranker.txt: expected a model of all fields that these schedules set, got one without n, kind, copies; benchmarks/tuning/retrain.py trains models (docs/TuningModels.md)"
//
// The network likes many rows; a block of 1024 would have more registers than there are.
//
// COST: ScheduleRanked{{.+}}rows_per_block = 512
// COST-NOT: by the rule
// COST: [Missed] Refused{{.+}}got another template
//
// LUCK: error: schedule-rule: expected rule or ranked:FILE, got '{{luck|ranked:}}'
// NONE: error: schedule-rule: cannot open '{{.+}}': No such file or directory
// FIELD: error: schedule-rule: {{.+}}.field:7: expected features of schedules, got 'field.vectors'; benchmarks/tuning/retrain.py
// KIND: error: schedule-rule: {{.+}}.kind: networks[0]: expected 'kind' to be g-spmm or g-sddmm, got 'x'
// TEXT: error: schedule-rule: {{.+}}rank-schedules.mlir:1: expected 'tree', with which a text model of LightGBM begins, got '// RUN

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @free(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%a: f32):
    %s = gnn_tile.reduce sum [element] %a : f32
    gnn_tile.yield %s : f32
  }
  return
}

func.func @given(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 2, lanes = 32, rows_per_block = 4> {
  ^bb0(%a: f32):
    %s = gnn_tile.reduce max [element] %a : f32
    gnn_tile.yield %s : f32
  }
  return
}

func.func @product(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
