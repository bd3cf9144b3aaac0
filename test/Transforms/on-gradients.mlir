// RUN: gnn-opt %s --pass-pipeline='builtin.module(gnn-differentiate,func.func(gnn-on-gradients{passes=gnn-compact,canonicalize,cse}))' | FileCheck %s
// RUN: gnn-opt %s --gnn-graph-pipeline --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=TEXT
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-on-gradients{passes=gnn-compat}))' 2>&1 | FileCheck %s --check-prefix=BAD

// The passes run on what gnn-differentiate has made, and nowhere else. They are in the
// text of the pipeline.
//
// BAD: gnn-on-gradients: {{.*}}'gnn-compat' does not refer to a registered pass
// TEXT:      gnn-differentiate{
// TEXT:      gnn-on-gradients{passes={{.*}}gnn-compact
// TEXT:      gnn-order-aggregate{{.*}}of-gradients=true
// TEXT:      gnn-on-gradients{passes={{.*}}gnn-fuse-attention

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#type = #gnn.rows<@g, edge_type>
!x = tensor<?x8xf32, #node>
!e = tensor<?x8xf32, #edge>
!w = tensor<3x8x8xf32, #type>
gnn.graph @g square {node_types = 1, edge_types = 3}

// CHECK-LABEL: func.func @layer(
// CHECK-NOT:     src_pair
// CHECK:         return
// CHECK-LABEL: func.func @layer_forward(
// CHECK:         src_pair
// CHECK-LABEL: func.func @layer_backward(
// CHECK:         return
// CHECK-LABEL: func.func @other(
// CHECK-NOT:     src_pair
func.func @layer(%x: !x {gnn.name = "x"}, %w: !w {gnn.name = "w"}) -> !x attributes {gnn.gradients} {
  %e = gnn.gather %x via src : !x -> !e
  %p = gnn.typed_linear %e, %w : (!e, !w) -> !e
  %y = gnn.aggregate sum %p via dst : !e -> !x
  return %y : !x
}

func.func @other(%x: !x {gnn.name = "x"}, %w: !w {gnn.name = "w"}) -> !x {
  %e = gnn.gather %x via src : !x -> !e
  %p = gnn.typed_linear %e, %w : (!e, !w) -> !e
  %y = gnn.aggregate sum %p via dst : !e -> !x
  return %y : !x
}
