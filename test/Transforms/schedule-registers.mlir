// Bounds for the registers of a kernel's threads reach PTX, of traversals and of products.
//
// RUN: gnn-opt %s --gnn-attach-target=chip=h200 --gnn-tile-pipeline --gnn-schedule-pipeline \
// RUN:   | gnn-translate --gnn-to-ptx | FileCheck %s
//
// A listing tries none, and a bound by the estimate.
//
// RUN: gnn-opt %s -o /dev/null --gnn-attach-target=chip=h200 --gnn-tile-pipeline --gnn-schedule-pipeline \
// RUN:   --gnn-tile-list-schedules=vary=max_registers | FileCheck %s --check-prefix=LIST
// LIST:      "function":"sum",{{.*}}"row_walk":"team","runs":32},"layout":{{.*}}"registers":[[SUM:[0-9]+]]}}
// LIST-NEXT: "function":"sum",{{.*}}"max_registers":{{[0-9]+}}},"layout":{{.*}}"registers":[[SUM]]}}
// LIST:      "function":"product",{{.*}}"copies":"async","processor_blocks":4},
// LIST-NEXT: "function":"product",{{.*}}"copies":"async","processor_blocks":4,"max_registers":96},
// LIST-NOT:  "function":"product",{{.*}}"gemm"

gnn.graph @g square {node_types = 1, edge_types = 3}

// CHECK:       .entry sum_0_traverse(
// CHECK:       .maxntid 256, 1, 1
// CHECK-NEXT:  .minnctapersm 4
// CHECK-NEXT:  .maxnreg 48
func.func @sum(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x64xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = team, processor_blocks = 4, max_registers = 48> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// The second step of a walk by edges is another kernel, which has its own.
//
// CHECK:       .entry by_edges_0_traverse(
// CHECK:       .maxntid
// CHECK-NEXT:  .maxnreg 64
// CHECK:       .entry by_edges_1_traverse(
// CHECK:       .maxntid
// CHECK-NEXT:  {
func.func @by_edges(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x64xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges, max_registers = 64> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// A bound that is given stands for the blocks that a walk which weighs elements asks room for.
//
// CHECK:       .entry bounded_0_traverse(
// CHECK:       .maxntid
// CHECK-NEXT:  .maxnreg 72
// CHECK:       .entry open_0_traverse(
// CHECK:       .maxntid
// CHECK-NEXT:  .minnctapersm
func.func @bounded(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %n = gnn_tile.count @g count edge : index
  %init = tensor.empty(%n) : tensor<?xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      schedule <row_walk = by_edges, max_registers = 72> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @open(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %n = gnn_tile.count @g count edge : index
  %init = tensor.empty(%n) : tensor<?xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      schedule <row_walk = by_edges> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK:       .entry product_0_gemm(
// CHECK:       .maxntid 128, 1, 1
// CHECK-NEXT:  .minnctapersm 4
// CHECK-NEXT:  {
// CHECK:       .entry product_1_outer(
// CHECK:       .maxntid 128, 1, 1
// CHECK-NEXT:  .maxnreg 168
func.func @product(%x: tensor<?x64xf32>, %w: tensor<3x64x64xf32>) -> (tensor<?x64xf32>, tensor<3x64x64xf32>) {
  %n = gnn_tile.count @g count src_pair : index
  %init = tensor.empty(%n) : tensor<?x64xf32>
  %y = gnn_tile.gemm @g rows src_pair types edge_type
      ins(%x, %w : tensor<?x64xf32>, tensor<3x64x64xf32>)
      at <group -> src : feature> extras at []
      outs(%init : tensor<?x64xf32>) at <group : feature> schedule <n = 64, processor_blocks = 4> {
  ^bb0(%p: f32):
    gnn_tile.yield %p : f32
  } -> tensor<?x64xf32>
  %empty = tensor.empty() : tensor<3x64x64xf32>
  %dw = gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%empty : tensor<3x64x64xf32>) schedule <max_registers = 168> -> tensor<3x64x64xf32>
  return %y, %dw : tensor<?x64xf32>, tensor<3x64x64xf32>
}
