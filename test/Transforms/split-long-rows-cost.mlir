// RUN: gnn-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-tile-split-long-rows{target=h200}))' \
// RUN:   --remarks-filter='gnn-tile-split-long-rows' --remark-format=emitRemark \
// RUN:   | FileCheck %s
// RUN: not gnn-opt %s --gnn-tile-split-long-rows=length=-2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RANGE
// RUN: gnn-opt %s --split-input-file --gnn-tile-split-long-rows=length=0 \
// RUN:   | FileCheck %s --check-prefix=NONE

// RANGE: gnn-tile-split-long-rows: expected 'length' from -1 to 2147483647, got -2
// NONE-NOT: long_tiles

// As Debian's packages, one of which 26,007 others need.

