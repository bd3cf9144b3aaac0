// RUN: gnn-opt %s --gnn-schedule-pipeline=tensor-cores=false --gnn-block-pipeline=sums-in-products=true --split-input-file \
// RUN:   --remarks-filter='gnn-tile-fuse-sums-into-products' --remark-policy=all --remark-format=emitRemark --verify-diagnostics | FileCheck %s

gnn.graph @g square {node_types = 1, edge_types = 3}

// Another product reads the sum.
//
// CHECK-LABEL: func.func @read_later
// CHECK-NOT:     gnn_tile.array
func.func @read_later(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: something else reads it}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  // expected-remark @+1 {{stays a kernel: something else reads it}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%z : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// So does one in front of it.
//
// CHECK-LABEL: func.func @read_before
// CHECK-NOT:     gnn_tile.array
func.func @read_before(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: something else reads it}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%z : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  // expected-remark @+1 {{stays a kernel: something else reads it}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// The sum is a result as well.
//
// CHECK-LABEL: func.func @of_the_caller
// CHECK-NOT:     gnn_tile.array
func.func @of_the_caller(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>, %s: memref<?x16xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: something else reads it}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// The summed rows are no longer there when the product is computed.
//
// CHECK-LABEL: func.func @written_between
// CHECK-NOT:     gnn_tile.array
func.func @written_between(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  gnn_tile.gemm @g rows dst ins(%z, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%x : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  // expected-remark @+1 {{stays a kernel: what it reads is written before the product}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// Blocks that are done would write over what others still sum.
//
// CHECK-LABEL: func.func @written_by_the_product
// CHECK-NOT:     gnn_tile.array
func.func @written_by_the_product(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: the product writes over what it reads}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%x : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// Two results of the workspace in one place are as one.
//
// CHECK-LABEL: func.func @one_place
// CHECK-NOT:     gnn_tile.array
func.func @one_place(%w: memref<16x16xf32>, %z: memref<?x16xf32>, %ws: memref<?xi8> {gnn.workspace}) {
  %n = gnn_tile.count @g count dst : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %bytes = arith.muli %n, %c64 : index
  %begin = arith.addi %c0, %bytes : index
  %all = arith.addi %begin, %bytes : index
  gnn_tile.workspace_size %all
  %x = memref.view %ws[%c0][%n] : memref<?xi8> to memref<?x16xf32>
  %s = memref.view %ws[%begin][%n] : memref<?xi8> to memref<?x16xf32>
  %y = memref.view %ws[%c0][%n] : memref<?xi8> to memref<?x16xf32>
  gnn_tile.gemm @g rows dst ins(%z, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%x : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: the product writes over what it reads}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// Each of its rows is walked by a whole block.
//
// CHECK-LABEL: func.func @by_block
// CHECK-NOT:     gnn_tile.array
func.func @by_block(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = block, rows_per_block = 8, element_lanes = 8> {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: a block walks each of its rows}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// 64 rows of 200 features are more than workgroup memory holds.
//
// CHECK-LABEL: func.func @large
// CHECK-NOT:     gnn_tile.array
func.func @large(%x: memref<?x200xf32>, %w: memref<200x16xf32>, %y: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x200xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 200>
      ins(%x : memref<?x200xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x200xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: it would take 60432 bytes of workgroup memory with its product, of 49152}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x200xf32>, memref<200x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// Rows of pairs read those of their destinations: a block would sum them for each.
//
// CHECK-LABEL: func.func @other_rows
// CHECK-NOT:     gnn_tile.array
func.func @other_rows(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: the product does not read its rows one by one}}
  gnn_tile.gemm @g rows dst_pair ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group -> dst : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// The degree is a result too.
//
// CHECK-LABEL: func.func @two_results
// CHECK-NOT:     gnn_tile.array
func.func @two_results(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>, %d: memref<?xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s, %d : memref<?x16xf32>, memref<?xf32>) at [#gnn_tile.at<group : feature>, #gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    %size = gnn_tile.size : f32
    gnn_tile.yield %sum, %size : f32, f32
  }
  // expected-remark @+1 {{stays a kernel: it has several results}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// No remark of rows that are computed one by one: there is no sum.
//
// CHECK-LABEL: func.func @no_sum
// CHECK-NOT:     gnn_tile.array
func.func @no_sum(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.gemm @g rows dst ins(%x, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%s : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// The sum is one half of the rows that are multiplied.
//
// CHECK-LABEL: func.func @half
// CHECK-NOT:     gnn_tile.array
func.func @half(%x: memref<?x16xf32>, %w: memref<32x16xf32>, %y: memref<?x16xf32>, %s: memref<?x32xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x32xf32>) at [#gnn_tile.at<group : feature + 16>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: it does not write its rows one by one}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x32xf32>, memref<32x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// CHECK-LABEL: func.func @first_half
// CHECK-NOT:     gnn_tile.array
func.func @first_half(%x: memref<?x16xf32>, %w: memref<32x16xf32>, %y: memref<?x16xf32>, %s: memref<?x32xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x32xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: the product reads other columns beside it}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x32xf32>, memref<32x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
gnn.graph @h square {node_types = 1, edge_types = 3}

// CHECK-LABEL: func.func @other_graph
// CHECK-NOT:     gnn_tile.array
func.func @other_graph(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: its rows are of another graph}}
  gnn_tile.gemm @h rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// CHECK-LABEL: func.func @rows_of_sources
// CHECK-NOT:     gnn_tile.array
func.func @rows_of_sources(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: its rows are 'dst', those of the product 'src'}}
  gnn_tile.gemm @g rows src ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// CHECK-LABEL: func.func @half_precision
// CHECK-NOT:     gnn_tile.array
func.func @half_precision(%x: memref<?x16xbf16>, %w: memref<16x16xbf16>, %y: memref<?x16xbf16>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xbf16>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xbf16>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xbf16>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: bf16):
    %sum = gnn_tile.reduce sum [element] %xv : bf16
    gnn_tile.yield %sum : bf16
  }
  // expected-remark @+1 {{stays a kernel: expected f32}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xbf16>, memref<16x16xbf16>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xbf16>) at <group : feature> {
  ^bb0(%acc: bf16):
    gnn_tile.yield %acc : bf16
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// CHECK-LABEL: func.func @one_lane
// CHECK-NOT:     gnn_tile.array
func.func @one_lane(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule #gnn_tile.core_schedule<columns_per_block = 16, vector = 16, rows_per_block = 64, row_order = natural> {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: a core walks its rows in turn}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// The caller gets the sum.
//
// CHECK-LABEL: func.func @returned
// CHECK-NOT:     gnn_tile.array
func.func @returned(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>) -> memref<?x16xf32> {
  %n = gnn_tile.count @g count dst : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %sum : f32
  }
  // expected-remark @+1 {{stays a kernel: something else reads it}}
  gnn_tile.gemm @g rows dst ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return %s : memref<?x16xf32>
}
