// RUN: gnn-opt %s --gnn-tile-lower-core-products --verify-diagnostics --remarks-filter=gnn-tile-lower-core-products \
// RUN:   --remark-format=emitRemark | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A product of another type stays.
//
// CHECK-LABEL: func.func @other_type
// CHECK:         gnn_tile.gemm
func.func @other_type(%x: memref<?x64xbf16>, %w: memref<64x64xbf16>, %y: memref<?x64xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [%n] step [64] {
  ^bb0(%i: index):
    // expected-remark @+1 {{it is of bf16}}
    gnn_tile.gemm @g rows src rows[%i, %n] columns[%c0]
        ins(%x, %w : memref<?x64xbf16>, memref<64x64xbf16>) at <group : feature> extras at []
        outs(%y : memref<?x64xbf16>) at <group : feature> schedule <n = 64> {
    ^bb0(%acc: bf16):
      gnn_tile.yield %acc : bf16
    }
  }
  return
}
