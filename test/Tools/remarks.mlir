// RUN: %python %S/../Conversion/TileToGPU/Inputs/arrays.py write %t.npz %t.npy 3 32

// gnn-run prints remarks of its own passes and of those that are added to stages.
//
// RUN: gnn-run %s --graph %t.npz --weights random:1 --target=cpu --remarks-filter='gnn-(compact|tile-plan-memory)' \
// RUN:   --passes=compact=false 2>&1 | FileCheck %s --check-prefix=OWN --implicit-check-not=remark:
// RUN: gnn-run %s --graph %t.npz --weights random:1 --target=cpu --remarks-filter='gnn-(compact|tile-plan-memory)' \
// RUN:   --passes=compact=false --stage-passes='graph-begin=func.func(gnn-compact)' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=ADDED,OWN --implicit-check-not=remark:
//
// ADDED: {{remarks.mlir:[0-9]+:[0-9]+: remark: \[Passed\] Compacted \| Category:gnn-compact \|}}
// OWN:   {{remarks.mlir:[0-9]+:[0-9]+: remark: \[Passed\] Planned \| Category:gnn-tile-plan-memory \|}}

// An explanation has the passes of stages, and what they say: on whole-graph ops after the others alone.
//
// RUN: gnn-run %s --graph %t.npz --weights random:1 --target=cpu --passes=compact=false --explain \
// RUN:   | FileCheck %s --check-prefix=WITHOUT
// RUN: gnn-run %s --graph %t.npz --weights random:1 --target=cpu --passes=compact=false --explain \
// RUN:   --stage-passes='graph-begin=func.func(gnn-compact)' | FileCheck %s --check-prefix=WITH
//
// WITHOUT-NOT: linear {{ *}}node of g
// WITHOUT-NOT: gnn-compact
// WITH:        f, before
// WITH:        linear {{ *}}edge of g
// WITH:        f, after
// WITH:        linear {{ *}}node of g
// WITH:        gnn-compact at {{.*}}: done, Compacted

// Other functions than that which runs are compiled too, and have remarks.
//
// RUN: gnn-run --help | FileCheck %s --check-prefix=HELP
// HELP: --function=<NAME> {{.*}} The others are compiled too, as remarks and --explain show

// RUN: not gnn-run %s --graph %t.npz --weights random:1 --remarks-filter='(' 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not gnn-run %s --graph %t.npz --weights random:1 --remarks-filter= 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not gnn-run %s --graph %t.npz --weights random:1 --remarks-filter=gnn --compare=passes=fuse=false 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COMPARE
//
// REGEX:   {{^gnn-run: error: --remarks-filter: expected a regular expression, got '\(': parentheses not balanced$}}
// EMPTY:   {{^gnn-run: error: --remarks-filter: expected REGEX, got an empty text$}}
// COMPARE: {{^gnn-run: error: --compare: expected none of --report, --output and --remarks-filter, as two functions are run, got --remarks-filter$}}

gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x32xf32, #gnn.rows<@g, node>>
!edge = tensor<?x32xf32, #gnn.rows<@g, edge>>

func.func @f(%x: !node {gnn.name = "x"}, %w: tensor<32x32xf32> {gnn.name = "w"}) -> (!node {gnn.name = "out"}) {
  %m = gnn.gather %x via src : !node -> !edge
  %t = gnn.linear %m, %w : (!edge, tensor<32x32xf32>) -> !edge
  %y = gnn.aggregate sum %t via dst : !edge -> !node
  return %y : !node
}
