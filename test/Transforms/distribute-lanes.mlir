// RUN: gnn-opt %s --gnn-tile-distribute --canonicalize --cse --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-distribute --canonicalize --cse --split-input-file --remarks-filter="gnn-tile.*" --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// A lane has 4 features side by side of each of 2 rounds; those past the end of
// 96 read the beginning again, count as nothing and store nothing.
//
// REMARK: remark: [Passed] Distributed | Category:gnn-tile-distribute | Remark="over 64 threads
// CHECK-LABEL: func.func @rounds
// CHECK:         gnn_tile.blocks to [1] step [1] threads 64 {
// CHECK:         %[[TID:.+]] = gpu.thread_id x
// CHECK:         %[[PLACE:.+]]:2 = affine.delinearize_index %[[TID]] into (16)
// CHECK:         %[[C0:.+]] = arith.muli %[[PLACE]]#1, %c4
// CHECK:         %[[C1:.+]] = arith.addi %[[C0]], %c64
// CHECK:         %[[IN:.+]] = arith.cmpi slt, %[[C1]], %c96
// CHECK:         %[[SAFE:.+]] = arith.select %[[IN]], %[[C1]], %c0
// CHECK:         %[[X0:.+]] = vector.load %arg0[%[[PLACE]]#0, %[[C0]]] {alignment = 16 : i64} : memref<4x96xf32>, vector<4xf32>
// CHECK:         %[[X1:.+]] = vector.load %arg0[%[[PLACE]]#0, %[[SAFE]]]
// CHECK:         arith.select %[[IN]], %[[X1]], %{{.+}} : vector<4xf32>
// CHECK:         gpu.subgroup_reduce add %{{.+}} cluster(size = 16) : (f32) -> f32
// CHECK:         vector.store %{{.+}}, %arg1[%[[PLACE]]#0, %[[C0]]]
// CHECK:         scf.if %[[IN]] {
// CHECK:           vector.store
func.func @rounds(%x: memref<4x96xf32>, %y: memref<4x96xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %zero {in_bounds = [true]} : memref<4x96xf32>, vector<96xf32>
        %s = vector.multi_reduction <add>, %v, %zero [0] : vector<96xf32> to f32
        %w = vector.broadcast %s : f32 to vector<96xf32>
        vector.transfer_write %w, %y[%t, %c0] {in_bounds = [true]} : vector<96xf32>, memref<4x96xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// One lane stores what several have: the first of those over elements. Several
// results at once are exchanged by shuffles.
//
// CHECK-LABEL: func.func @joint
// CHECK:         %[[PLACE:.+]]:2 = affine.delinearize_index %{{.+}} into (2)
// CHECK:         gpu.shuffle xor %{{.+}}, %c1_i32, %c32_i32 : f32
// CHECK:         gpu.shuffle xor %{{.+}}, %c1_i32, %c32_i32 : i32
// CHECK:         arith.cmpf ogt
// CHECK:         %[[ONLY:.+]] = arith.cmpi eq, %[[PLACE]]#1, %c0
// CHECK:         scf.if %[[ONLY]] {
// CHECK-NEXT:      memref.store
func.func @joint(%x: memref<32xf32>, %y: memref<16xi32>) {
  %c2 = arith.constant 2 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 16, elements = 2> {
      gnn_tile.parallel 16 over team {
      ^bb0(%t: index):
        %m, %i = gnn_tile.parallel 2 over element -> f32, i32 {
        ^bb0(%e: index):
          %first = arith.muli %t, %c2 : index
          %p = arith.addi %first, %e : index
          %v = memref.load %x[%p] : memref<32xf32>
          %n = arith.index_cast %p : index to i32
          gnn_tile.yield %v, %n : f32, i32
        } combine {
        ^bb0(%m0: f32, %i0: i32, %m1: f32, %i1: i32):
          %wins = arith.cmpf ogt, %m1, %m0 : f32
          %best = arith.select %wins, %m1, %m0 : f32
          %where = arith.select %wins, %i1, %i0 : i32
          gnn_tile.yield %best, %where : f32, i32
        }
        memref.store %i, %y[%t] : memref<16xi32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// One lane is all workers, one after the other.
//
// CHECK-LABEL: func.func @in_turn
// CHECK:         gnn_tile.blocks to [1] step [1] threads 1 {
// CHECK:         scf.for %[[T:.+]] = %c0 to %c16 step %c1 {
// CHECK-NEXT:      %[[V:.+]] = vector.load %arg0[%[[T]], %{{.+}}] {alignment = 16 : i64} : memref<16x8xf32>, vector<8xf32>
// CHECK-NEXT:      vector.store %[[V]]
func.func @in_turn(%x: memref<16x8xf32>, %y: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 8], lanes = [1, 1], teams = 1, elements = 1> {
      gnn_tile.parallel 16 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %zero {in_bounds = [true]} : memref<16x8xf32>, vector<8xf32>
        vector.transfer_write %v, %y[%t, %c0] {in_bounds = [true]} : vector<8xf32>, memref<16x8xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// Where vectors of a buffer begin elsewhere, nothing is said of alignment.
//
// CHECK-LABEL: func.func @unaligned
// CHECK:         vector.load %{{[^{]+}} : memref<?x65xf32>, vector<4xf32>
// CHECK:         vector.store %{{[^{]+}} : memref<?x65xf32>, vector<4xf32>
// CHECK:         vector.load %{{[^{]+}} : memref<?x64xf32>, vector<4xf32>
// CHECK:         vector.load %{{.+}} {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
func.func @unaligned(%x: memref<?x65xf32>, %y: memref<?x64xf32>, %n: index) {
  gnn_tile.blocks to [%n, 64] step [1, 32] {
  ^bb0(%b: index, %c: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<?x65xf32>, vector<64xf32>
      vector.transfer_write %v, %x[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<?x65xf32>
      %u = vector.transfer_read %y[%b, %b], %p {in_bounds = [true]} : memref<?x64xf32>, vector<64xf32>
      vector.transfer_write %u, %x[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<?x65xf32>
      %next = arith.addi %c, %c4 : index
      %w = vector.transfer_read %y[%b, %next], %p {in_bounds = [true]} : memref<?x64xf32>, vector<64xf32>
      vector.transfer_write %w, %x[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<?x65xf32>
    }
  }
  return
}

// -----

// Branches give what a lane holds of their results.
//
// CHECK-LABEL: func.func @branches
// CHECK:         %[[V:.+]] = vector.load
// CHECK:         %[[Q:.+]] = arith.select %arg2, %{{.+}}, %arg3 : f32
// CHECK:         %[[R:.+]] = scf.if %arg2 -> (vector<4xf32>) {
// CHECK:           %[[S:.+]] = arith.addf %[[V]], %[[V]] : vector<4xf32>
// CHECK:           scf.yield %[[S]]
// CHECK:         } else {
// CHECK:           scf.yield %[[V]]
// CHECK:         vector.store %[[R]]
// CHECK:         memref.store %[[Q]]
func.func @branches(%x: memref<4x64xf32>, %y: memref<4xf32>, %c: i1, %k: f32) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
      %r, %q = scf.if %c -> (vector<64xf32>, f32) {
        %s = arith.addf %v, %v : vector<64xf32>
        scf.yield %s, %p : vector<64xf32>, f32
      } else {
        scf.yield %v, %k : vector<64xf32>, f32
      }
      vector.transfer_write %r, %x[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<4x64xf32>
      memref.store %q, %y[%b] : memref<4xf32>
    }
  }
  return
}

// -----

// As patterns leave it: a constant has an entry for each head; a vector that tiles need
// too stands around the teams. Lanes write what takes the place of the heads that they have
// read, though a vector of one scalar may be one of features.
//
// CHECK-LABEL: func.func @simplified
// CHECK:         %[[PLACE:.+]]:2 = affine.delinearize_index %{{.+}} into (4)
// CHECK-DAG:     %[[IN:.+]] = arith.cmpi slt, %[[PLACE]]#1, %c3
// CHECK-DAG:     %[[HEAD:.+]] = arith.select %[[IN]], %[[PLACE]]#1, %c0
// CHECK:         %[[V:.+]] = memref.load %arg0[%{{.+}}, %[[HEAD]]]
// CHECK:         %[[SECOND:.+]] = arith.cmpi eq, %[[HEAD]], %c1
// CHECK:         %[[LOW:.+]] = arith.select %[[SECOND]], %{{.+}}, %{{.+}} : f32
// CHECK:         %[[THIRD:.+]] = arith.cmpi eq, %[[HEAD]], %c2
// CHECK:         %[[ENTRY:.+]] = arith.select %[[THIRD]], %{{.+}}, %[[LOW]] : f32
// CHECK:         %[[P:.+]] = arith.mulf %[[V]], %[[ENTRY]]
// CHECK:         scf.if %[[IN]] {
// CHECK-NEXT:      memref.store %arg2, %arg0[%{{.+}}, %[[HEAD]]]
// CHECK:         arith.addf %[[P]], %arg2
func.func @simplified(%x: memref<8x3xf32>, %y: memref<8x3x1xf32>, %f: f32) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %heads = arith.constant dense<[[2.0], [4.0], [8.0]]> : vector<3x1xf32>
    %outer = vector.broadcast %f : f32 to vector<3x1xf32>
    gnn_tile.teams <each = [1, 1], lanes = [4, 1], teams = 8, elements = 1> {
      gnn_tile.parallel 8 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %p {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, 0)>} : memref<8x3xf32>, vector<3x1xf32>
        %m = arith.mulf %v, %heads : vector<3x1xf32>
        %s = vector.broadcast %f : f32 to vector<3xf32>
        vector.transfer_write %s, %x[%t, %c0] {in_bounds = [true]} : vector<3xf32>, memref<8x3xf32>
        %a = arith.addf %m, %outer : vector<3x1xf32>
        vector.transfer_write %a, %y[%t, %c0, %c0] {in_bounds = [true, true]} : vector<3x1xf32>, memref<8x3x1xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// In turns too, the next step stores flags that all have read by then.
//
// CHECK-LABEL: func.func @flags_in_turn
// CHECK:         scf.for
// CHECK:           memref.store {{.+}} #gpu.address_space<workgroup>
// CHECK:           gpu.barrier
// CHECK:           load {{.+}} #gpu.address_space<workgroup>
// CHECK:           gpu.barrier
// CHECK-NEXT:    }
func.func @flags_in_turn(%y: memref<2xi32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 2, elements = 1> {
      gnn_tile.parallel 2 over element {
      ^bb0(%e: index):
        %all = gnn_tile.parallel 2 over team -> vector<2xi32> {
        ^bb0(%t: index):
          %sum = arith.addi %e, %t : index
          %flag = arith.index_cast %sum : index to i32
          gnn_tile.yield %flag : i32
        } combine {
        ^bb0(%l: i32, %r: i32):
          %m = arith.maxsi %l, %r : i32
          gnn_tile.yield %m : i32
        }
        %most = vector.reduction <maxsi>, %all : vector<2xi32> into i32
        memref.store %most, %y[%e] : memref<2xi32>
        gnn_tile.yield
      }
    }
  }
  return
}
