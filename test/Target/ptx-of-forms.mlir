// RUN: split-file %s %t
// RUN: gnn-opt %t/layer.mlir --gnn-compile-pipeline -o %t/ptx.mlir
// RUN: gnn-translate %t/ptx.mlir --gnn-to-ptx | FileCheck %s --check-prefix=TEXT
// RUN: gnn-opt %t/layer.mlir --gnn-compile-pipeline=chip=sm_80 | gnn-translate --gnn-to-ptx --chip=sm_80 \
// RUN:   | FileCheck %s --check-prefix=OTHER
// RUN: not gnn-translate %t/ptx.mlir --gnn-to-ptx --chip=sm_80 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: sed -e 's/gnn.target = #target, //' %t/ptx.mlir | not gnn-translate --gnn-to-ptx --chip=sm_80 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHIP
// RUN: not gnn-translate %t/ptx.mlir --gnn-to-package -o %t/none 2>&1 | FileCheck %s --check-prefix=PACKAGE
// RUN: gnn-translate %t/template.mlir --gnn-to-ptx 2>&1 | FileCheck %s --check-prefix=TEMPLATE
// RUN: not gnn-translate %t/template.mlir --gnn-to-plan 2>&1 | FileCheck %s --check-prefix=PLAN

// The text of the last stage has the PTX, and no plan to make of it.
//
// TEXT:       .target sm_90
// TEXT:       .visible .entry f_0_apply_aggregate
// OTHER:      .target sm_80
// TARGET:     error: target: expected cuda, NVIDIA H200 SXM, which the module is for, got cuda, NVIDIA A100 SXM 80 GB
// CHIP:       error: chip: expected sm_90, which the PTX is for, got sm_80
// PACKAGE:    error: expected kernels as IR, as gnn-math-pipeline makes them, or a form in front of these, got PTX alone (gpu.binary)

// Kernels need no word of whose rows arguments have; a plan does.
//
// TEMPLATE:     warning: no launch plan to say what arguments are: expected gnn.rows, which says what rows 'f' takes
// TEMPLATE-NOT: param_0:
// TEMPLATE:     .visible .entry f_0_traverse
// PLAN:         error: expected gnn.rows, which says what rows 'f' takes

//--- layer.mlir
#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @f(%x: tensor<?x64xf32, #node>, %w: tensor<?xf32, #edge>) -> tensor<?x64xf32, #node> {
  %m = gnn.apply mul %x via src, %w : (tensor<?x64xf32, #node>, tensor<?xf32, #edge>) -> tensor<?x64xf32, #edge>
  %y = gnn.aggregate sum %m via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %y : tensor<?x64xf32, #node>
}

//--- template.mlir
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @f(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x64xf32>
  %y = gnn_tile.traverse @g <dst, features = 64> ins(%x : tensor<?x64xf32>)
      at [#gnn_tile.at<group : feature>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = arith.addf %v, %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
