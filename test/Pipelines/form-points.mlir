// RUN: gnn-opt %s --gnn-tile-pipeline --gnn-schedule-pipeline -o %t
// RUN: gnn-opt %t --gnn-block-pipeline --gnn-loops-pipeline | FileCheck %s --check-prefix=WALK
// RUN: gnn-opt %t --gnn-block-pipeline \
// RUN:   --gnn-loops-pipeline='after-loops=func.func(gnn-tile-spread-walks),gnn-verify-form{form=loops has-math=true}' \
// RUN:   | FileCheck %s --check-prefix=SPREAD
// RUN: gnn-opt %t --gnn-block-pipeline='after-blocked=gnn-loops-pipeline,gnn-lanes-pipeline' | FileCheck %s --check-prefix=LANES
// RUN: not gnn-opt %t --gnn-schedule-pipeline='after-schedule=gnn-verify-form{form=loops}' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not gnn-opt %t --gnn-block-pipeline='after-blocked=func.func(nothing)' 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not gnn-opt %t --gnn-loops-pipeline='after-loops=builtin.module(cse)' 2>&1 | FileCheck %s --check-prefix=MODULE
// RUN: not gnn-opt %s "--gnn-schedule-pipeline=after-schedule=any(gnn-tile-apply-schedules{file=s.jsonl})" 2>&1 | FileCheck %s --check-prefix=ANY
// RUN: not gnn-opt %s "--gnn-schedule-pipeline=after-schedule=canonicalize{max-iterations=zz}" 2>&1 | FileCheck %s --check-prefix=VALUE

// Passes of the user run where a form is made, as options of its stage.

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

// WALK:       gnn_tile.walk
// SPREAD:     gnn_tile.blocks
// SPREAD-NOT: gnn_tile.walk
// LANES:      gpu.thread_id x
// FORM:       error: expected loops and vectors in loops over blocks, as gnn-loops-pipeline makes them, got 'gnn_tile.traverse' on buffers
// PASS:       for the --after-blocked option: 'nothing' does not refer to a registered pass or pass pipeline
// ANY:        expected 'gnn-tile-apply-schedules' on the module, got it within any(...), where no module is
// VALUE:      expected passes with valid options, got 'canonicalize{max-iterations=zz}'
// MODULE:     for the --after-loops option: expected passes on the module and on what is in it, got passes on modules inside: 'builtin.module(cse)'
func.func @sum(%x: !node) -> !node {
  %m = gnn.gather %x via src : !node -> !edge
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}
