// RUN: gnn-opt %s --gnn-tile-spread-walks -o /dev/null --remarks-filter=gnn-tile-spread-walks \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: gnn-opt %s --gnn-tile-spread-walks --gnn-tile-copy-async --gnn-tile-distribute --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=LANES
// RUN: gnn-opt %s --gnn-attach-target=chip=sm_75 --gnn-tile-spread-walks --gnn-tile-copy-async -o /dev/null \
// RUN:   --remarks-filter=gnn-tile-copy-async --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: gnn-opt %s --gnn-tile-spread-walks | FileCheck %s

// Rows of a weighted sum: a window has the source and the weight of each element, but not
// where the weight is, which is needed for nothing else. Two teams of 16 lanes share a warp,
// and go through as many windows.
//
// CHECK-LABEL: func.func @weighted
// CHECK:         %[[I:.+]] = gnn_tile.array : memref<2x128xi32, #gpu.address_space<workgroup>>
// CHECK:         %[[W:.+]] = gnn_tile.array : memref<2x128xf32, #gpu.address_space<workgroup>>
// CHECK:         gnn_tile.parallel 2 over team
// CHECK:         ^bb0(%[[TEAM:.+]]: index):
// CHECK:           %[[OWN:.+]] = arith.ceildivsi
// CHECK:           %[[MOST:.+]] = gnn_tile.most_of_teams %[[OWN]]
// CHECK:           scf.for %{{.+}} = %{{.+}} to %[[MOST]]
// CHECK:             gnn_tile.stage_window %[[FIRST:.+]] to %[[END:.+]] team %[[TEAM]] into %[[I]], %[[W]]
// CHECK:               %[[SRC:.+]] = memref.load %{{.+}} : memref<?xi32>
// CHECK:               %[[EDGE:.+]] = memref.load %{{.+}} : memref<?xi32>
// CHECK:               %[[AT:.+]] = arith.index_cast %[[EDGE]]
// CHECK:               %[[A:.+]] = memref.load %{{.+}}[%[[AT]]] : memref<?xf32>
// CHECK:               gnn_tile.yield %[[SRC]], %[[A]] : i32, f32
// CHECK:             scf.for %[[P:.+]] = %[[FIRST]] to %[[END]]
// CHECK-COUNT-8:       memref.load %{{.+}}[%[[TEAM]], %{{.+}}] : memref<2x128x{{.+}}, #gpu.address_space<workgroup>>
// CHECK-NOT:           memref<?xi32>
// REMARK:      a walk in steps of 1 x 4 elements, in windows of 128 elements, which have 2 numbers each
// OLD:         the target has no such copies
//
// LANES-LABEL: func.func @weighted
// LANES:         nvvm.bar.warp.sync
// LANES:         scf.if
// LANES-COUNT-16:  nvgpu.device_async_copy %{{.+}}, 1 : memref<?x{{.+}}> to memref<2x128x
// LANES:         nvgpu.device_async_wait
// LANES:         nvvm.bar.warp.sync
func.func @weighted(%rows: memref<?xi32>, %source: memref<?xi32>, %edge: memref<?xi32>,
                    %x: memref<?x64xf32>, %w: memref<?xf32>, %y: memref<?x64xf32>, %n: index) {
  gnn_tile.blocks to [%n] step [2] {
  ^bb0(%r: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %f0 = arith.constant 0.0 : f32
      %zero = arith.constant dense<0.0> : vector<64xf32>
      gnn_tile.parallel 2 over team {
      ^bb0(%team: index):
        %row = arith.addi %r, %team : index
        %b = memref.load %rows[%row] : memref<?xi32>
        %begin = arith.index_cast %b : i32 to index
        %next = arith.addi %row, %c1 : index
        %e = memref.load %rows[%next] : memref<?xi32>
        %end = arith.index_cast %e : i32 to index
        %s = gnn_tile.walk from %begin to %end over element slots 1 in_flight 4 window 128 identity(%zero : vector<64xf32>) {
        ^bb0(%p: index):
          %i = memref.load %source[%p] : memref<?xi32>
          %at = arith.index_cast %i : i32 to index
          %v = vector.transfer_read %x[%at, %c0], %f0 {in_bounds = [true]} : memref<?x64xf32>, vector<64xf32>
          %j = memref.load %edge[%p] : memref<?xi32>
          %where = arith.index_cast %j : i32 to index
          %a = memref.load %w[%where] : memref<?xf32>
          %as = vector.broadcast %a : f32 to vector<64xf32>
          %m = arith.mulf %v, %as : vector<64xf32>
          gnn_tile.yield %m : vector<64xf32>
        } combine {
        ^bb0(%p: vector<64xf32>, %q: vector<64xf32>):
          %t = arith.addf %p, %q : vector<64xf32>
          gnn_tile.yield %t : vector<64xf32>
        }
        vector.transfer_write %s, %y[%row, %c0] {in_bounds = [true]} : vector<64xf32>, memref<?x64xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// Negative: nothing is read by the position alone.
//
// CHECK-LABEL: func.func @counted
// CHECK-NOT:     gnn_tile.array
// REMARK:      a walk in steps of 1 x 1 elements, without windows: nothing is read by position alone
func.func @counted(%n: index, %y: memref<?xindex>) {
  gnn_tile.blocks to [%n] step [2] {
  ^bb0(%r: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 2, elements = 1> {
      %c0 = arith.constant 0 : index
      gnn_tile.parallel 2 over team {
      ^bb0(%team: index):
        %s = gnn_tile.walk from %c0 to %n over element slots 1 in_flight 1 window 32 identity(%c0 : index) {
        ^bb0(%p: index):
          gnn_tile.yield %p : index
        } combine {
        ^bb0(%p: index, %q: index):
          %t = arith.maxsi %p, %q : index
          gnn_tile.yield %t : index
        }
        memref.store %s, %y[%team] : memref<?xindex>
        gnn_tile.yield
      }
    }
  }
  return
}
