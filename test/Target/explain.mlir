// RUN: gnn-opt %s -o /dev/null \
// RUN:   --gnn-explain="passes='cost=rows order-aggregate=false linear-reorder=false'" \
// RUN:   | FileCheck %s
// RUN: gnn-opt %s --gnn-explain="html=%t.html" | FileCheck %s --check-prefix=SAME
// RUN: FileCheck %s --check-prefix=PAGE < %t.html
// RUN: not gnn-opt %s --gnn-explain="passes=target=gtx1080" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TARGET
// RUN: not gnn-opt %s --gnn-explain="passes=compct=false" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PASSES
// RUN: not gnn-opt %s --gnn-explain="passes='fuse=on,gnn-compact=maybe'" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VALUE
// RUN: not gnn-opt %s --gnn-explain="html=%t.none/page.html" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER

// TARGET: error: passes: target: expected one of h200, h100, a100, rtx3090, chip, got 'gtx1080'
// PASSES: error: passes: expected NAME=VALUE with a name of compact, {{.*}}, got 'compct=false'
// VALUE: error: passes: compact: expected true or false, got 'maybe'
// FOLDER: error: cannot write '{{.*}}page.html': No such file or directory

gnn.graph @g square {node_types = 1, edge_types = 2, stats = #gnn.stats<
  src_nodes = 4, dst_nodes = 4, edges = 6, type_edges = [4, 2],
  src_pairs = [2, 1], dst_pairs = [3, 2]>}

// The rows of the result, those of it that go through a product, operations and
// bytes of each op as the module has it, and as the passes make it.
//
// CHECK:      costs on NVIDIA H200 SXM, every op alone
// CHECK-EMPTY:
// CHECK-NEXT: layer, before
// CHECK-NEXT:   op result rows through products flops bytes time ms
// CHECK-NEXT:   gather src edge of g, 16xf32 6 0 0 792 0.0060
// CHECK-NEXT:   typed_linear edge of g, 8xf32 6 6 1,536 1,600 0.0060
// CHECK-NEXT:   aggregate sum dst node of g, 8xf32 4 0 48 344 0.0060
// CHECK-NEXT:   all 6 1,584 2,736 0.0180
// CHECK:      layer, after
// CHECK:        typed_linear src_pair of g, 8xf32 3 3 768 1,312
// CHECK:        all 3

// The module stays as it is.
//
// SAME: gnn.typed_linear {{.*}} -> tensor<?x8xf32, #gnn.rows<@g, edge>>
func.func @layer(%x: tensor<?x16xf32, #gnn.rows<@g, node>> {gnn.name = "<x> & \22y\22"},
                 %w: tensor<2x16x8xf32, #gnn.rows<@g, edge_type>>)
    -> tensor<?x8xf32, #gnn.rows<@g, node>> {
  %m = gnn.gather %x via src : tensor<?x16xf32, #gnn.rows<@g, node>>
      -> tensor<?x16xf32, #gnn.rows<@g, edge>>
  %l = gnn.typed_linear %m, %w : (tensor<?x16xf32, #gnn.rows<@g, edge>>,
      tensor<2x16x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %l via dst : tensor<?x8xf32, #gnn.rows<@g, edge>>
      -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return %s : tensor<?x8xf32, #gnn.rows<@g, node>>
}

gnn.graph @h square {node_types = 1, edge_types = 2}

// Without statistics, what each row of a space takes.
//
// CHECK-LABEL: unknown, before
// CHECK:         gather src edge of h, 16xf32 1 edge 0 0 132 edge -
// CHECK-NEXT:    all 0 0 132 edge -
//
// CHECK:       choices
// CHECK:         gnn-compact at {{.*}}explain.mlir:[[# @LINE - 16]]:8: done, Compacted: 3 src_pair rows instead of 6 edge rows
func.func @unknown(%x: tensor<?x16xf32, #gnn.rows<@h, node>>)
    -> tensor<?x16xf32, #gnn.rows<@h, edge>> {
  %m = gnn.gather %x via src : tensor<?x16xf32, #gnn.rows<@h, node>>
      -> tensor<?x16xf32, #gnn.rows<@h, edge>>
  return %m : tensor<?x16xf32, #gnn.rows<@h, edge>>
}

// One page with pictures of both, and what users wrote escaped.
//
// PAGE:      <!DOCTYPE html>
// PAGE:      <h2>layer</h2>
// PAGE:      <h3>Before</h3>
// PAGE-NEXT: <svg
// PAGE:      <title>&lt;x&gt; &amp; &quot;y&quot;: node of g, 16xf32</title>
// PAGE:      <h3>After</h3>
// PAGE-NEXT: <svg
// PAGE:      <h2>Choices</h2>
// PAGE:      </html>
