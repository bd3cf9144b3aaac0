// RUN: gnn-opt %s --gnn-tile-block-products --gnn-tile-lower-products --gnn-tile-use-tensor-cores --cse --split-input-file \
// RUN:   --remarks-filter='gnn-tile-use-tensor-cores' --remark-format=emitRemark --verify-diagnostics | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-block-products --gnn-tile-lower-products --gnn-tile-use-tensor-cores --gnn-tile-distribute --canonicalize --cse --split-input-file \
// RUN:   --remarks-filter='gnn-tile-use-tensor-cores' --remark-format=emitRemark --verify-diagnostics | FileCheck %s --check-prefix=LANES

gnn.graph @g square {node_types = 1, edge_types = 1}

// Loads and staged tiles stay as they are; sums and stores of them are spread
// as fragments are.

// CHECK-LABEL: @gemm
// CHECK:         %[[X:.+]] = vector.transfer_read
// CHECK:         %[[Y:.+]] = vector.transfer_read
// CHECK:         %[[S:.+]] = gnn_tile.contract %[[X]], %[[Y]], %{{.+}} kind tf32x3 spread <each = [2, 4], lanes = [32, 4]>
// CHECK:         gnn_tile.store_rows %{{.+}} spread <each = [2, 4], lanes = [32, 4]>

// A warp takes 16 rows, two a thread; each of two fragments side by side gets
// three products of halves, which are added once they are summed.

// LANES-LABEL: @gemm
// LANES-DAG:     %[[CUT:.+]] = arith.constant -8192 : i32
// LANES-DAG:     %[[HALF:.+]] = arith.constant 4096 : i32
// LANES-DAG:     %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<2x2xf32>
// LANES:         %[[PLACE:.+]]:2 = affine.delinearize_index %{{.+}} into (4)
// LANES:         vector.load %{{.+}} {alignment = 8 : i64} : memref<16x64xf32, #gpu.address_space<workgroup>>, vector<2xf32>
// LANES:         %[[V:.+]] = vector.extract
// LANES:         %[[BITS:.+]] = arith.bitcast %[[V]] : f32 to i32
// LANES:         %[[NEAR:.+]] = arith.addi %[[BITS]], %[[HALF]] : i32
// LANES:         %[[KEPT:.+]] = arith.andi %[[NEAR]], %[[CUT]] : i32
// LANES:         %[[HIGH:.+]] = arith.bitcast %[[KEPT]] : i32 to f32
// LANES:         arith.subf %[[V]], %[[HIGH]] : f32
// LANES:         %[[A:.+]] = nvgpu.mma.sync(%[[XLOW:.+]], %[[YHIGH:.+]], %[[ZERO]]) {mmaShape = [16, 8, 8], tf32Enabled}
// LANES:         %[[B:.+]] = nvgpu.mma.sync(%[[XHIGH:.+]], %{{.+}}, %[[A]])
// LANES:         %[[C:.+]] = nvgpu.mma.sync(%[[XHIGH]], %[[YHIGH]], %[[B]])
// LANES:         %[[C0:.+]] = vector.extract %[[C]][0, 0]
// LANES:         arith.addf %[[C0]], %{{.+}} : f32
// LANES-COUNT-9: nvgpu.mma.sync
// LANES-NOT:     nvgpu.mma.sync
// LANES:         return
func.func @gemm(%x: memref<?x16xf32> {gnn.rows = #gnn.rows<@g, node>}, %w: memref<16x8xf32>,
                %y: memref<?x8xf32> {gnn.rows = #gnn.rows<@g, node>}) {
  // expected-remark @+1 {{sums are held in fragments of mma.sync}}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x16xf32>, memref<16x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <n = 16, kind = tf32x3> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

// Others stay.

gnn.graph @g square {node_types = 1, edge_types = 3}

// CHECK-LABEL: @general
// CHECK:         gnn_tile.contract {{.+}} spread <each = [8, 4], lanes = [8, 16]>
// CHECK-NOT:     tf32x3
// CHECK:         return
func.func @general(%x: memref<?x64xf32> {gnn.rows = #gnn.rows<@g, edge>},
                   %d: memref<?x64xf32> {gnn.rows = #gnn.rows<@g, edge>}, %dw: memref<3x64x64xf32>) {
  gnn_tile.outer @g rows edge.dst_pairs types edge_type
      ins(%x, %d : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<group -> edge : feature>, #gnn_tile.at<group -> edge : feature>]
      outs(%dw : memref<3x64x64xf32>) schedule <n = 64, kind = ffma>
  return
}
