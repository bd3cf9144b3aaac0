// RUN: gnn-opt %s --gnn-tile-pipeline=fuse=false | FileCheck %s --check-prefix=APART
// RUN: gnn-opt %s --gnn-compile-pipeline="fuse=false chip=sm_80 features=+ptx75 opt-level=1" | FileCheck %s --check-prefix=OLD
// RUN: not gnn-opt %s --gnn-compile-pipeline="chips=sm_80" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not gnn-opt %s --gnn-compile-pipeline="opt-level=7" 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not gnn-opt %s --gnn-compile-pipeline="format=elf" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not gnn-opt %s --gnn-compile-pipeline="chip=sm_999" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not gnn-opt %s --gnn-ptx-pipeline="chip=sm_50" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not gnn-translate %s --gnn-to-ptx --chip=sm_35 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not gnn-translate %s --gnn-to-plan --chip=gtx1080 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not gnn-opt %s --gnn-compile-pipeline="features=+ptx60" 2>&1 | FileCheck %s --check-prefix=OLDER
// RUN: not gnn-opt %s --gnn-compile-pipeline="features=+ptx999" 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not gnn-opt %s --gnn-compile-pipeline="features=ptx80" 2>&1 | FileCheck %s --check-prefix=SIGN
// RUN: not gnn-translate %s --gnn-to-ptx --chip=sm_90b 2>&1 | FileCheck %s --check-prefix=CHIP

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x8xf32, #gnn.rows<@g, node>>

// APART-LABEL: func.func @two_steps
// APART-COUNT-2: gnn_tile.traverse
//
// OLD:         gpu.binary
// OLD-SAME:      #nvvm.target<O = 1, chip = "sm_80", features = "+ptx75">
// OLD-SAME:      .version 7.5
// OLD-SAME:      .target sm_80
// OLD-SAME:      two_steps_0_activation
// OLD-SAME:      two_steps_1_activation
//
// UNKNOWN:     no such option chips
// LEVEL:       error: The optimization level must be a number between 0 and 3.
// FORMAT:      for the --format option: expected one of isa, bin, fatbin, got 'elf'
// CHIP:        expected h200, h100, a100, rtx3090 or a chip of sm_70, sm_72, {{.*}}, sm_121f, got '{{(sm_35|sm_50|sm_999|sm_90b|gtx1080)}}'
// CHIP-NOT:    expected
// OLDER:       error: expected PTX 7.8 or later for sm_90, got 6.0
// OLDER-NOT:   error
// FEATURE:     error: expected a feature of LLVM's GPUs, such as +ptx80, got '+ptx999'
// SIGN:        error: expected a feature of LLVM's GPUs, such as +ptx80, got 'ptx80'
func.func @two_steps(%x: !node) -> !node {
  %a = gnn.activation tanh %x : !node
  %b = gnn.activation relu %a : !node
  return %b : !node
}
