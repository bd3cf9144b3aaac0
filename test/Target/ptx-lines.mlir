// RUN: gnn-translate %s --gnn-to-ptx | tee %t.ptx | FileCheck %s
// RUN: gnn-translate %s --gnn-to-ptx --line-info=false | tee %t.plain.ptx \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: FileCheck %s --check-prefix=FILES < %t.ptx
// RUN: grep -v -e '^\s*\.loc' -e '^\s*\.file' -e '^\s*\.section' \
// RUN:   -e '^\$L__tmp' -e '^\$L__func' %t.ptx > %t.code
// RUN: grep -v -e '^\$L__tmp' %t.plain.ptx | diff %t.code -

// A kernel is called for the ops of the model that it computes; a comment says
// what each parameter is, and line tables lead to the line of each op. Code is
// the same without them.
//
// CHECK:      // layer_0_typed_linear: typed_linear at [[FILE:.*ptx-lines.mlir]]:[[# @LINE + 34]]:8
// CHECK-NEXT: //   schedule n = 16
// CHECK-NEXT: //   param_0: structure 'tiles edge_type src_pair 64' of g
// CHECK-NEXT: //   param_1: tile_count edge_type src_pair 64 of g
// CHECK-NEXT: //   param_2: structure 'map src_pair src' of g
// CHECK-NEXT: //   param_3: src_pair rows of g
// CHECK-NEXT: //   param_4: input '<x>??', f32[node of g, 16]
// CHECK-NEXT: //   param_5: src rows of g
// CHECK-NEXT: //   param_6: input 'arg1', f32[edge_type of g, 16, 8]
// CHECK-NEXT: //   param_7: workspace, f32[src_pair of g, 8] of typed_linear at [[FILE]]:[[# @LINE + 25]]:8
// CHECK-NEXT: .visible .entry layer_0_typed_linear(
// CHECK:      .loc 1 [[# @LINE + 23]] 8
// CHECK:      // layer_1_aggregate_activation: gather at {{.*}}:8, aggregate at {{.*}}:8, activation at {{.*}}:8
// CHECK:      output 'out0', f32[node of g, 8]
// CHECK-NEXT: .visible .entry layer_1_aggregate_activation(
// CHECK-DAG:  .loc 1 [[# @LINE + 21]] 8
// CHECK-DAG:  .loc 1 [[# @LINE + 22]] 8
// CHECK:      // other_0_activation: activation at
// CHECK:      .loc 1 [[# @LINE + 26]] 8

// Several functions share one list of files.
//
// FILES-COUNT-1: .file 1 "{{.*}}ptx-lines.mlir"
// FILES-NOT:     .file

// PLAIN-NOT: .loc
// PLAIN-NOT: .file
gnn.graph @g square {node_types = 1, edge_types = 2}

func.func @layer(%x: tensor<?x16xf32, #gnn.rows<@g, node>> {gnn.name = "<x>\0A\09"},
                 %w: tensor<2x16x8xf32, #gnn.rows<@g, edge_type>>)
    -> tensor<?x8xf32, #gnn.rows<@g, node>> {
  %m = gnn.gather %x via src : tensor<?x16xf32, #gnn.rows<@g, node>>
      -> tensor<?x16xf32, #gnn.rows<@g, edge>>
  %l = gnn.typed_linear %m, %w : (tensor<?x16xf32, #gnn.rows<@g, edge>>,
      tensor<2x16x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %l via dst : tensor<?x8xf32, #gnn.rows<@g, edge>>
      -> tensor<?x8xf32, #gnn.rows<@g, node>>
  %r = gnn.activation relu %s : tensor<?x8xf32, #gnn.rows<@g, node>>
  return %r : tensor<?x8xf32, #gnn.rows<@g, node>>
}

func.func @other(%x: tensor<?x16xf32, #gnn.rows<@g, node>>)
    -> tensor<?x16xf32, #gnn.rows<@g, node>> {
  %r = gnn.activation relu %x : tensor<?x16xf32, #gnn.rows<@g, node>>
  return %r : tensor<?x16xf32, #gnn.rows<@g, node>>
}
