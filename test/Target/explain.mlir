// RUN: gnn-opt %s -o /dev/null \
// RUN:   --gnn-explain="passes='cost=rows order-aggregate=false linear-reorder=false'" \
// RUN:   | FileCheck %s
// RUN: gnn-opt %s --gnn-explain="dot=%t.dot" | FileCheck %s --check-prefix=SAME
// RUN: FileCheck %s --check-prefix=DOT < %t.dot
// RUN: gnn-opt %s --gnn-explain="html=%t.html" | FileCheck %s --check-prefix=SAME
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// RUN: not gnn-opt %s --gnn-explain="passes=compct=false" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PASSES
// RUN: not gnn-opt %s --gnn-explain="passes='fuse=on,gnn-compact=maybe'" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VALUE
// RUN: not gnn-opt %s --gnn-explain="dot=%t.none/layer.dot" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER
// RUN: not gnn-opt %s --gnn-explain="html=%t.none/layer.dot" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER

// PASSES: error: passes: expected NAME=VALUE with a name of async-copies, cache-policies, calls, column-tiles, compact, {{.*}}, got 'compct=false'
// VALUE: error: passes: compact: expected true or false, got 'maybe'
// FOLDER: error: cannot write '{{.*}}layer.dot': No such file or directory

gnn.graph @g square {node_types = 1, edge_types = 2, stats = #gnn.stats<
  src_nodes = 4, dst_nodes = 4, edges = 6, type_edges = [4, 2],
  src_pairs = [2, 1], dst_pairs = [3, 2]>}

// Kernels with their bytes and times, and below each the ops that it computes or
// reads through: the rows of the result, those of it that go through a product,
// and operations. First as the module is, then as the passes make it.
//
// CHECK:      {{^}}estimates for NVIDIA H200 SXM{{$}}
// CHECK-NEXT: {{^}}before: without the passes on whole-graph ops; after: with them; passes on kernels run in both{{$}}
// CHECK-EMPTY:
// CHECK-NEXT: layer, before
// CHECK-NEXT:   kernel, op result rows through products flops bytes time ms
// CHECK-NEXT:   layer_0_typed_linear 1,536 1,673 0.0060
// CHECK-NEXT:     gather src edge of g, 16xf32 6 0 0{{$}}
// CHECK-NEXT:     typed_linear edge of g, 8xf32 6 6 1,536{{$}}
// CHECK-NEXT:   layer_1_aggregate 48 340 0.0060
// CHECK-NEXT:     aggregate sum dst node of g, 8xf32 4 0 48{{$}}
// CHECK-NEXT:   all: 2 kernels 6 1,584 2,013 0.0120
// CHECK:      layer, after
// CHECK-NEXT:   kernel, op
// CHECK-NEXT:   layer_0_typed_linear 768 1,348 0.0060
// CHECK-NEXT:     gather src_pair of g, 16xf32 3 0 0{{$}}
// CHECK-NEXT:     typed_linear src_pair of g, 8xf32 3 3 768{{$}}
// CHECK-NEXT:   layer_1_aggregate 48 364 0.0060
// CHECK-NEXT:     gather edge of g, 8xf32 6 0 0{{$}}
// CHECK-NEXT:     aggregate sum
// CHECK-NEXT:   all: 2 kernels 3 816 1,712 0.0120

// The module stays as it is.
//
// SAME: gnn.typed_linear {{.*}} -> tensor<?x8xf32, #edge>
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
// CHECK:         unknown_0_gather 0 136 edge -
// CHECK-NEXT:      gather src edge of h, 16xf32 1 edge 0 0{{$}}
// CHECK-NEXT:      result 0
// CHECK-NEXT:    all: 1 kernel 0 0 136 edge -
//
// CHECK:       choices
// CHECK:         gnn-compact at {{.*}}explain.mlir:[[# @LINE - 18]]:8: done, Compacted: 3 src_pair rows instead of 6 edge rows
func.func @unknown(%x: tensor<?x16xf32, #gnn.rows<@h, node>>)
    -> tensor<?x16xf32, #gnn.rows<@h, edge>> {
  %m = gnn.gather %x via src : tensor<?x16xf32, #gnn.rows<@h, node>>
      -> tensor<?x16xf32, #gnn.rows<@h, edge>>
  return %m : tensor<?x16xf32, #gnn.rows<@h, edge>>
}

// A picture of both, and what users wrote escaped.
//
// DOT:      digraph explanation {
// DOT:      subgraph "cluster_layer_before" {
// DOT-NEXT: label="layer, before: 2 kernels, 0.0120 ms, 2.0 kB";
// DOT-NEXT: subgraph "cluster_layer_before_kernel0" {
// DOT-NEXT: label="layer_0_typed_linear\n0.0060 ms, 1.7 kB, 50% of the time"; tooltip="bytes 1,673, flops 1,536"; style=filled; fillcolor="0.08 0.50 1";
// DOT-NEXT: "layer_before_2" [label="gather src\nedge of g, 16xf32", {{.*}}, style="filled"];
// DOT:      "layer_before_0" [{{.*}}tooltip="<x> & \"y\": node of g, 16xf32", style="filled,rounded"];
// DOT:      "layer_before_0" -> "layer_before_2" [edgetooltip="<x> & \"y\": node of g, 16xf32"];
// DOT:      subgraph "cluster_layer_after" {
// DOT-NEXT: label="layer, after: 2 kernels, 0.0120 ms, 1.7 kB";
// DOT:      gnn-compact done, Compacted: 3 src_pair rows instead of 6 edge rows

// A page of both: a picture, a line for each kernel with its schedule and what limits it, choices.
//
// HTML:      <title>Kernels of layer, unknown</title>
// HTML:      Estimates for NVIDIA H200 SXM.
// HTML:      its bytes at 4300 GB/s and its flops at 67.0 TFLOP/s, without the 6.0 us of a launch.</p>
// HTML:      <h2>layer</h2>
// HTML:      <b>Before</b>: 2 kernels, 0.0120 ms, 2.0 kB</figcaption>
// HTML-NEXT: <svg xmlns
// HTML-NEXT: <g class="kernel"><title>layer_0_typed_linear: n = 16, kind = tf32x3, copies = async
// HTML-NEXT: bytes 1,673, flops 1,536</title>
// HTML:      <title>&lt;x&gt; &amp; &quot;y&quot;: node of g, 16xf32</title>
// HTML:      <b>After</b>: 2 kernels, 0.0120 ms, 1.7 kB</figcaption>
// HTML:      <h3>Kernels after</h3>
// HTML:      <tr><th>kernel</th>{{.*}}>estimated ms</th><th class="number">limit ms</th><th>limited by</th></tr>
// HTML:      <code>layer_0_typed_linear</code>{{.*}}>layer_0_typed_linear: n = 16, kind = tf32x3, copies = async{{$}}
// HTML-NEXT: gather: src_pair of g, 16xf32 (3 rows, 0 flops)
// HTML-NEXT: typed_linear · argument 1: src_pair of g, 8xf32 (3 rows, 768 flops)</span></td><td class="number">1,348</td><td class="number">768</td><td class="number">0.0060</td><td class="number">0.0000</td><td>launch</td></tr>
// HTML:      <h2>unknown</h2>
// HTML:      <td class="number">136 edge</td><td class="number">0</td><td class="number">-</td><td class="number">-</td><td>-</td></tr>
// HTML:      <h3>Done</h3>
// HTML:      <td>Compacted: 3 src_pair rows instead of 6 edge rows{{.*}}</td><td class="place">explain.mlir:{{[0-9]+}}:8</td></tr>
// HTML:      <h3>Refused</h3>
