// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.npy 3 32
// RUN: gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=emulator --compare=passes=fuse=false \
// RUN:   | FileCheck %s --check-prefixes=LAUNCHES,SAME
// RUN: gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=cpu --compare=stop-at=scheduled \
// RUN:   | FileCheck %s --check-prefixes=TIMES,SAME
// RUN: gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=emulator \
// RUN:   --compare='stage-passes=after-loops=func.func(gnn-tile-spread-walks)' \
// RUN:   | FileCheck %s --check-prefixes=NOTHING,SAME
// RUN: gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=emulator --save-schedules=%t.jsonl
// RUN: sed -E -i.own 's/"in_flight":[0-9]+/"in_flight":2/' %t.jsonl
// RUN: gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=emulator --compare=schedules=%t.jsonl \
// RUN:   | FileCheck %s --check-prefixes=FIELDS,SAME
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --compare=fuse=false 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPTION
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --compare=passes=fuse=false --output=%t.out 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTPUT
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --compare=passes=fuse=false --report 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REPORT
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --compare=passes=fuse=false --explain=%t.html 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PAGE
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --compare=stop-at=tiles 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VALUE
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --compare=passes 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EMPTY
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --compare=schedules= 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EMPTY
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --compare=stop-at=kernels 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EQUAL
// RUN: not gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=emulator --schedules=%t.jsonl --compare=schedules=%t.jsonl 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EQUAL
// RUN: gnn-run %s --function f --graph %t.npz --input x=%t.npy --target=emulator --phases=%t.out
// RUN: not gnn-run %t.out/3-schedule.mlir --function f --graph %t.npz --input x=%t.npy --target=emulator --compare=passes=fuse=false 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PAST

// A function is compiled without and with an option: what each launch is, what it takes
// where the device has times, and how far kernels, schedules and outputs are apart.
//
// LAUNCHES:      {{^launch +blocks, threads, registers$}}
// LAUNCHES-NEXT: {{^f_0_aggregate_activation +1 -> -, [0-9]+ -> -, ([0-9]+ -> )?-$}}
// LAUNCHES-NEXT: {{^f_0_gather +- -> 1, - -> [0-9]+, -}}
// LAUNCHES:      {{^kernels: 1 -> 3, gone f_0_aggregate_activation, new f_0_gather f_1_aggregate f_2_activation$}}
// LAUNCHES-NEXT: {{^PTX: [0-9]+ -> [0-9]+ bytes$}}
// TIMES:         {{^launch +ms without +ms with +ratio +least, largest +blocks, threads, registers$}}
// TIMES-NEXT:    {{^f_0_aggregate_activation +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ \.\. [0-9.]+ +1, 1, -$}}
// TIMES-NEXT:    {{^all +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ \.\. [0-9.]+$}}
// TIMES-NEXT:    {{^kernels: 1$}}
// NOTHING:       {{^launch +blocks, threads, registers$}}
// NOTHING-NEXT:  {{^f_0_aggregate_activation +1, [0-9]+, (-|[0-9]+)$}}
// NOTHING-NEXT:  {{^kernels: 1$}}
// NOTHING-NEXT:  {{^PTX: [0-9]+ bytes, the same$}}
// FIELDS:        {{^kernels: 1$}}
// FIELDS-NEXT:   {{^PTX: [0-9]+ -> [0-9]+ bytes$}}
// FIELDS-NEXT:   {{^schedule of f_0_aggregate_activation: .*in_flight = [0-9]+ -> 2(,|$)}}
// SAME-NEXT:     out: the same bits
// OPTION:        error: --compare: expected passes=, stage-passes=, schedules= or stop-at= with a value, got 'fuse=false'
// EMPTY:         error: --compare: expected passes=, stage-passes=, schedules= or stop-at= with a value, got '{{passes|schedules=}}'
// EQUAL:         error: --compare: expected another value than the first function is compiled with, got '{{.+}}'
// PAGE:          error: --explain: expected no page beside --compare, which runs two functions, got {{.*}}.html
// OUTPUT:        error: --compare: expected none of --report, --output and --remarks-filter, as two functions are run, got --output
// REPORT:        error: --compare: expected none of --report, --output and --remarks-filter, as two functions are run, got --report
// VALUE:         {{^gnn-run: error: --compare: stop-at: }}expected one of kernels, {{.+}}, got 'tiles'
// PAST:          {{^gnn-run: error: --compare: passes: }}expected a switch of a stage that the module is not past, got 'fuse' of the stage 'tile' and a module of the form 'buffers'

gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x32xf32, #gnn.rows<@g, node>>
!edge = tensor<?x32xf32, #gnn.rows<@g, edge>>

func.func @f(%x: !node {gnn.name = "x"}) -> (!node {gnn.name = "out"}) {
  %m = gnn.gather %x via src : !node -> !edge
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  %z = gnn.activation relu %y : !node
  return %z : !node
}
