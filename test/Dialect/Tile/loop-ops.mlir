// RUN: gnn-opt %s | gnn-opt | FileCheck %s

// CHECK-LABEL: func.func @walk
// CHECK:         %[[S:.+]]:2 = gnn_tile.walk from %{{.+}} to %{{.+}} over block slots 16 in_flight 4 identity(%{{.+}}, %{{.+}} : f32, vector<8xf32>) {
// CHECK:         ^bb0(%{{.+}}: index):
// CHECK:           gnn_tile.yield %{{.+}}, %{{.+}} : f32, vector<8xf32>
// CHECK:         } combine {
// CHECK:           gnn_tile.yield
// CHECK:         gnn_tile.walk from %{{.+}} to %{{.+}} over element slots 1 in_flight 1 {
// CHECK-NOT:     combine
func.func @walk(%begin: index, %end: index, %a: f32, %b: vector<8xf32>, %y: memref<?xf32>) {
  %s:2 = gnn_tile.walk from %begin to %end over block slots 16 in_flight 4 identity(%a, %b : f32, vector<8xf32>) {
  ^bb0(%p: index):
    gnn_tile.yield %a, %b : f32, vector<8xf32>
  } combine {
  ^bb0(%a0: f32, %b0: vector<8xf32>, %a1: f32, %b1: vector<8xf32>):
    gnn_tile.yield %a0, %b1 : f32, vector<8xf32>
  }
  gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 {
  ^bb0(%p: index):
    memref.store %s#0, %y[%p] : memref<?xf32>
    gnn_tile.yield
  }
  return
}

// CHECK-LABEL: func.func @parallel
// CHECK:         gnn_tile.parallel 8 over team -> vector<4xi32> {
// CHECK:         } combine {
// CHECK:         gnn_tile.parallel 4 over element {
// CHECK-NOT:     combine
func.func @parallel(%one: i32) -> vector<4xi32> {
  %flags = gnn_tile.parallel 8 over team -> vector<4xi32> {
  ^bb0(%t: index):
    gnn_tile.yield %one : i32
  } combine {
  ^bb0(%a: i32, %b: i32):
    %most = arith.maxsi %a, %b : i32
    gnn_tile.yield %most : i32
  }
  gnn_tile.parallel 4 over element {
  ^bb0(%e: index):
    gnn_tile.yield
  }
  return %flags : vector<4xi32>
}

// CHECK-LABEL: func.func @blocks
// CHECK:         gnn_tile.blocks to [%{{.+}}, 64] step [8, 32] template "traverse" schedule "rows" threads 64 {
// CHECK-NEXT:    ^bb0(%{{.+}}: index, %{{.+}}: index):
// CHECK-NEXT:    }
func.func @blocks(%n: index) {
  gnn_tile.blocks to [%n, 64] step [8, 32] template "traverse" schedule "rows" threads 64 {
  ^bb0(%row: index, %column: index):
  }
  return
}

// CHECK-LABEL: func.func @teams
// CHECK:         gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 8, elements = 2> {
// CHECK-NEXT:    }
func.func @teams() {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%i: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 8, elements = 2> {
    }
  }
  return
}

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @add
// CHECK:         gnn_tile.add_atomically {
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
func.func @add(%y: memref<?xf32>, %v: f32, %i: index) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 16, elements = 1> {
    gnn_tile.add_atomically {
      memref.store %v, %y[%i] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @range
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%{{.+}} to %{{.+}}] columns[%{{.+}}] ins(%{{.+}} : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>] outs(%{{.+}} : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] index_arrays(%{{.+}}, %{{.+}} : memref<?xi32>, memref<?xi32>) schedule
func.func @range(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %rows: memref<?xi32>, %src: memref<?xi32>, %first: index, %end: index, %column: index) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%first to %end] columns[%column]
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      index_arrays(%rows, %src : memref<?xi32>, memref<?xi32>)
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// RUN: gnn-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=INSIDE

// The host runs what is in front of a loop over blocks: nothing moves there.
//
// INSIDE-LABEL: func.func @kernel
// INSIDE:         gnn_tile.blocks
// INSIDE:           arith.addi
func.func @kernel(%y: memref<?xindex>, %n: index) {
  gnn_tile.blocks to [%n] step [1] threads 1 {
  ^bb0(%b: index):
    %m = arith.addi %n, %n : index
    memref.store %m, %y[%b] : memref<?xindex>
  }
  return
}
