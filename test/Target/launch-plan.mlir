// RUN: gnn-translate %s --gnn-to-plan --chip=sm_80 --features=+ptx75 | FileCheck %s

// A host function as it leaves convert-gnn-tile-to-gpu, line by line as data.
// A graph that no function uses has no place in the plan.
//
// CHECK:      "version": 9
// CHECK:      "target": {"chip":"sm_80","features":"+ptx75"}
// CHECK:      {"name": "sum_rows",
// CHECK:      "graphs": [
// CHECK-NEXT:   {"name":"g","square":false,"node_types":2,"edge_types":3,"schema":{{\[\[}}0,1],[1,1],[-1,-1]]}
// CHECK-NEXT: ],
// CHECK:      "inputs": [
// CHECK-NEXT:   {"name":"x","graph":"g","space":"src","shape":[-1,8],"dtype":"f32"},
// CHECK-NEXT:   {"name":"arg1","graph":"","space":"none","shape":[8],"dtype":"f32"}
// CHECK:      "outputs": [
// CHECK-NEXT:   {"name":"y","graph":"g","space":"dst","shape":[-1,8],"dtype":"f32"}
//
// CHECK:      "exprs": [
// CHECK-DAG:    {"op":"count","graph":"g","of":"count dst"}
// CHECK-DAG:    {"op":"count","graph":"g","of":"tile_count dst edge.in_rows 64"}
//
// Equal structures are one.
//
// CHECK:      "structures": [
// CHECK-NEXT:   {"graph":"g","key":"rows dst edge.in_rows"},
// CHECK-NEXT:   {"graph":"g","key":"map edge.in_rows src"}
// CHECK-NEXT: ]
//
// CHECK:      "steps": [
// CHECK-NEXT:   {"kernel":"first",{{.*}}"shared":-1,"args":[{"input":0},{"structure":0},{"workspace":{{[0-9]+}},"written":true,"bytes":{{[0-9]+}},"value":"f32[dst of g, 8]"},{"i64":{{[0-9]+}}},{"i32":{{[0-9]+}}}],"reads":{{[0-9]+}},"writes":{{[0-9]+}},"flops":{{[0-9]+}}},
// CHECK-NEXT:   {"kernel":"second",{{.*}}"shared":{{[0-9]+}},"args":[{"structure":0},{"structure":1},{"workspace":{{[0-9]+}},"bytes":{{[0-9]+}},"value":"f32[dst of g, 8]"},{"input":1},{"output":0,"written":true}],"reads":-1,"writes":-1,"flops":-1,"name":"of_both"}

module attributes {gpu.container_module} {
  gnn.graph @g bipartite {node_types = 2, edge_types = 3, schema = [[0, 1], [1, 1], [-1, -1]]}
  gnn.graph @unused square {node_types = 1, edge_types = 1}

  gpu.module @kernels {
    gpu.func @first(%x: memref<1x8xf32>, %rows: memref<1xi32>, %part: memref<1x2x4xf32>, %n: index, %m: i32) kernel {
      gpu.return
    }
    gpu.func @second(%rows: memref<1xi32>, %map: memref<1xi32>, %part: memref<1x8xf32> {llvm.readonly}, %b: memref<8xf32>, %y: memref<1x8xf32>) kernel {
      gpu.return
    }
  }

  func.func @sum_rows(%x: memref<?x8xf32> {gnn.name = "x", gnn.rows = #gnn.rows<@g, src>},
                      %b: memref<8xf32>,
                      %y: memref<?x8xf32> {gnn.name = "y", gnn.rows = #gnn.rows<@g, dst>, bufferize.result},
                      %workspace: memref<?xi8> {gnn.workspace}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %shared = arith.constant 4096 : i32
    %n = gnn_tile.count @g count dst : index
    %tiles = gnn_tile.count @g tile_count dst edge.in_rows 64 : index
    %bytes = arith.muli %n, %c32 : index
    %blocks256 = arith.ceildivui %bytes, %c256 : index
    %size = arith.muli %blocks256, %c256 : index
    gnn_tile.workspace_size %size
    %part = memref.view %workspace[%c0][%n] : memref<?xi8> to memref<?x8xf32>
    %rows = gnn_tile.structure @g rows dst edge.in_rows : memref<?xi32>
    %rows_again = gnn_tile.structure @g rows dst edge.in_rows : memref<?xi32>
    %map = gnn_tile.structure @g map edge.in_rows src : memref<?xi32>
    %p0 = memref.cast %x : memref<?x8xf32> to memref<1x8xf32>
    %p1 = memref.cast %rows : memref<?xi32> to memref<1xi32>
    %split = memref.expand_shape %part [[0], [1, 2]] output_shape [%n, 2, 4] : memref<?x8xf32> into memref<?x2x4xf32>
    %p2 = memref.cast %split : memref<?x2x4xf32> to memref<1x2x4xf32>
    %m = arith.index_cast %tiles : index to i32
    gnn_tile.cost %bytes, %bytes, %n
    gpu.launch_func @kernels::@first blocks in (%tiles, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%p0 : memref<1x8xf32>, %p1 : memref<1xi32>, %p2 : memref<1x2x4xf32>, %n : index, %m : i32)
    %grid = arith.ceildivui %n, %c128 : index
    %p3 = memref.cast %rows_again : memref<?xi32> to memref<1xi32>
    %p4 = memref.cast %map : memref<?xi32> to memref<1xi32>
    %p5 = memref.cast %part : memref<?x8xf32> to memref<1x8xf32>
    %p6 = memref.cast %y : memref<?x8xf32> to memref<1x8xf32>
    gpu.launch_func @kernels::@second blocks in (%grid, %c1, %c1) threads in (%c128, %c1, %c1)
        dynamic_shared_memory_size %shared
        args(%p3 : memref<1xi32>, %p4 : memref<1xi32>, %p5 : memref<1x8xf32>, %b : memref<8xf32>, %p6 : memref<1x8xf32>)
        {gnn.name = "of_both"}
    return
  }
}
