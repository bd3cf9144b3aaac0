// RUN: gnn-opt %s --convert-gnn-tile-vectors-to-scalar-loops --split-input-file \
// RUN:   --remarks-filter='convert-gnn-tile-vectors-to-scalar-loops' --remark-format=emitRemark --verify-diagnostics | FileCheck %s

!staged = memref<16x64xf32, #gpu.address_space<workgroup>>

// A tile is read into an array, staged the other way round, and multiplied in the
// order of the depth. A vector that the loop carries is an array too, written once
// all of the next values are known. Masked rows are not stored.
//
// CHECK-LABEL: func.func @product
// CHECK-SAME:      %[[X:[^:]+]]: memref<?x64xf32>
// CHECK:         gnn_tile.blocks to [4] step [1] threads 1 {
// CHECK-DAG:       %[[NEXT:.+]] = memref.alloca() : memref<64x64xf32>
// CHECK-DAG:       %[[TILE:.+]] = memref.alloca() : memref<64x16xf32>
// CHECK:           %[[STAGED:.+]] = memref.alloca() {{.*}}: memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK:           scf.for %[[K:.+]] = %c0{{.*}} to %c64{{.*}} step %c16{{.*}} {
// CHECK:             scf.for %[[I:[^ ]+]] =
// CHECK:               scf.for %[[J:[^ ]+]] =
// CHECK:                 %[[ROW:.+]] = arith.minsi %[[I]], %{{.+}} : index
// CHECK:                 %[[AT:.+]] = arith.addi %[[K]], %[[J]]
// CHECK:                 %[[IN:.+]] = arith.cmpi slt, %[[AT]], %c50
// CHECK:                 %[[SAFE:.+]] = arith.select %[[IN]], %[[AT]], %c0
// CHECK:                 %[[READ:.+]] = memref.load %[[X]][%[[ROW]], %[[SAFE]]]
// CHECK:                 %[[MASKED:.+]] = arith.select %[[IN]], %[[READ]], %{{.+}} : f32
// CHECK:                 memref.store %[[MASKED]], %[[TILE]][%[[I]], %[[J]]]
// CHECK:             scf.for %[[I:[^ ]+]] =
// CHECK:               scf.for %[[J:[^ ]+]] =
// CHECK:                 memref.load %[[TILE]][%[[I]], %[[J]]]
// CHECK:                 memref.store %{{.+}}, %[[STAGED]]
// CHECK:             scf.for {{.+}} iter_args
// CHECK:               %[[A:.+]] = memref.load
// CHECK:               %[[B:.+]] = memref.load
// CHECK:               math.fma %[[A]], %[[B]], %{{.+}} : f32
// CHECK:           %[[INSIDE:.+]] = arith.cmpi sle
// CHECK:           scf.if %[[INSIDE]]
// CHECK:             memref.store %{{.+}} : memref<?x64xf32>
// CHECK-NOT:     vector<
func.func @product(%x: memref<?x64xf32>, %last: index) {
  // expected-remark @+1 {{computed by loops of one thread}}
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %p = arith.constant 0.0 : f32
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %a = gnn_tile.array permuted 4 : !staged
    %step = vector.step : vector<64xindex>
    %ends = vector.broadcast %last : index to vector<64xindex>
    %rows = arith.minsi %step, %ends : vector<64xindex>
    %inside = arith.cmpi sle, %step, %ends : vector<64xindex>
    %s = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
      %t = gnn_tile.load_rows %x[%rows, %k] below 50 : memref<?x64xf32>, vector<64xindex>, index -> vector<64x16xf32>
      gnn_tile.stage %t, %a[%c0] transposed by registers spread <each = [1, 4], lanes = [8, 16]> : vector<64x16xf32>, !staged
      %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !staged, vector<16x64xf32>
      %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
      scf.yield %n : vector<64x64xf32>
    }
    gnn_tile.store_rows %s, %x[%rows, %c0] where(%inside : vector<64xi1>) spread <each = [8, 4], lanes = [8, 16]> : vector<64x64xf32>, memref<?x64xf32>, vector<64xindex>, index
  }
  return
}

// -----

// A walk: 64 elements at a time are combined from the identity on, one after the other,
// then with those before. Columns past the last one are not there.
//
// CHECK-LABEL: func.func @walk
// CHECK-DAG:     %[[SUM:.+]] = memref.alloca() : memref<8xf32>
// CHECK:         scf.for %[[FIRST:.+]] = %{{.+}} to %{{.+}} step %c64
// CHECK:           %[[NEXT:.+]] = arith.addi %[[FIRST]], %c64
// CHECK:           %[[LAST:.+]] = arith.minsi %[[NEXT]],
// CHECK:           scf.for %[[P:.+]] = %[[FIRST]] to %[[LAST]] step %c1
// CHECK:             arith.cmpi slt, %{{.+}}, %{{.+}}
// CHECK:             scf.if %{{.+}} -> (f32) {
// CHECK:               memref.load %{{.+}}[%[[P]], %{{.+}}] : memref<9x12xf32>
// CHECK:             } else {
// CHECK:             arith.addf {{.+}} : f32
// CHECK:           arith.addf {{.+}} : f32
// CHECK:         memref.store %{{.+}} : memref<9x12xf32>
// CHECK-NOT:     gnn_tile.walk
// CHECK-NOT:     vector<
func.func @walk(%x: memref<9x12xf32>, %y: memref<9x12xf32>, %begin: index, %end: index, %left: index) {
  // expected-remark @+1 {{computed by loops of one thread}}
  gnn_tile.blocks to [9] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 1, elements = 2> {
      %c0 = arith.constant 0 : index
      %pad = arith.constant 0.0 : f32
      %zero = arith.constant dense<0.0> : vector<8xf32>
      %mask = vector.create_mask %left : vector<8xi1>
      %s = gnn_tile.walk from %begin to %end over element slots 2 in_flight 4 identity(%zero : vector<8xf32>) {
      ^bb0(%p: index):
        %v = vector.transfer_read %x[%p, %c0], %pad, %mask {in_bounds = [true]} : memref<9x12xf32>, vector<8xf32>
        gnn_tile.yield %v : vector<8xf32>
      } combine {
      ^bb0(%u: vector<8xf32>, %v: vector<8xf32>):
        %w = arith.addf %u, %v : vector<8xf32>
        gnn_tile.yield %w : vector<8xf32>
      }
      vector.transfer_write %s, %y[%b, %c0], %mask {in_bounds = [true]} : vector<8xf32>, memref<9x12xf32>
    }
  }
  return
}

// -----

// A fold: the state is a maximum and a sum relative to it. It is combined in two places,
// 64 elements and then those before, and in each what the combination needs twice, the
// maximum, is computed of the states that are combined there.
//
// CHECK-LABEL: func.func @fold
// CHECK:         gnn_tile.blocks
// CHECK:           scf.for %[[FIRST:.+]] = %{{.+}} to %{{.+}} step %c64
// CHECK:             scf.for %{{.+}} = %[[FIRST]] to %{{.+}} step %c1
// CHECK:               %[[M:.+]] = arith.maximumf
// CHECK-NEXT:          memref.store %[[M]], %[[SOME:[a-z_0-9]+]][
// CHECK:               memref.load %[[SOME]][
// CHECK:               %[[K:.+]] = memref.load %[[SOME]][%{{.+}}] : memref<8xf32>
// CHECK-NEXT:          arith.subf %{{.+}}, %[[K]]
// CHECK:             %[[A:.+]] = arith.maximumf
// CHECK-NEXT:        memref.store %[[A]], %[[ALL:[a-z_0-9]+]][
// CHECK-NOT:         memref.load %[[SOME]][
// CHECK:             memref.load %[[ALL]][
// CHECK:             %[[L:.+]] = memref.load %[[ALL]][%{{.+}}] : memref<8xf32>
// CHECK-NEXT:        arith.subf %{{.+}}, %[[L]]
// CHECK-NOT:     vector<
func.func @fold(%x: memref<9x12xf32>, %y: memref<9x12xf32>, %begin: index, %end: index) {
  // expected-remark @+1 {{computed by loops of one thread}}
  gnn_tile.blocks to [9] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 1, elements = 2> {
      %c0 = arith.constant 0 : index
      %pad = arith.constant 0.0 : f32
      %lowest = arith.constant dense<0xFF7FFFFF> : vector<8xf32>
      %zero = arith.constant dense<0.0> : vector<8xf32>
      %one = arith.constant dense<1.0> : vector<8xf32>
      %s:2 = gnn_tile.walk from %begin to %end over element slots 2 in_flight 4 identity(%lowest, %zero : vector<8xf32>, vector<8xf32>) {
      ^bb0(%p: index):
        %v = vector.transfer_read %x[%p, %c0], %pad {in_bounds = [true]} : memref<9x12xf32>, vector<8xf32>
        gnn_tile.yield %v, %one : vector<8xf32>, vector<8xf32>
      } combine {
      ^bb0(%m0: vector<8xf32>, %z0: vector<8xf32>, %m1: vector<8xf32>, %z1: vector<8xf32>):
        %m = arith.maximumf %m0, %m1 : vector<8xf32>
        %d0 = arith.subf %m0, %m : vector<8xf32>
        %d1 = arith.subf %m1, %m : vector<8xf32>
        %e0 = math.exp %d0 : vector<8xf32>
        %e1 = math.exp %d1 : vector<8xf32>
        %p0 = arith.mulf %z0, %e0 : vector<8xf32>
        %p1 = arith.mulf %z1, %e1 : vector<8xf32>
        %t = arith.addf %p0, %p1 : vector<8xf32>
        gnn_tile.yield %m, %t : vector<8xf32>, vector<8xf32>
      }
      vector.transfer_write %s#1, %y[%b, %c0] {in_bounds = [true]} : vector<8xf32>, memref<9x12xf32>
    }
  }
  return
}

// -----

// Workers: the first of each four begins an entry, the others are combined with it.
//
// CHECK-LABEL: func.func @workers
// CHECK-DAG:     %[[FLAGS:.+]] = memref.alloca() : memref<2xi32>
// CHECK-DAG:     %[[STATE:.+]] = memref.alloca() : memref<i32>
// CHECK:         scf.for %[[T:.+]] = %c0{{.*}} to %c8{{.*}} step %c1
// CHECK:           %[[REST:.+]] = arith.remsi %[[T]], %c4
// CHECK:           %[[IS:.+]] = arith.cmpi eq, %[[REST]],
// CHECK:           scf.if %[[IS]] {
// CHECK-NEXT:        memref.store %{{.+}}, %[[STATE]][] : memref<i32>
// CHECK-NEXT:      } else {
// CHECK:             arith.maxsi
// CHECK:           %[[ENTRY:.+]] = arith.divsi %[[T]], %c4
// CHECK:           memref.store %{{.+}}, %[[FLAGS]][%[[ENTRY]]] : memref<2xi32>
// CHECK:         memref.load %[[FLAGS]]
func.func @workers(%y: memref<2xi32>) {
  // expected-remark @+1 {{computed by loops of one thread}}
  gnn_tile.blocks to [2] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 8], teams = 8, elements = 1> {
      %f = gnn_tile.parallel 8 over team -> vector<2xi32> {
      ^bb0(%t: index):
        %i = arith.index_cast %t : index to i32
        gnn_tile.yield %i : i32
      } combine {
      ^bb0(%u: i32, %v: i32):
        %w = arith.maxsi %u, %v : i32
        gnn_tile.yield %w : i32
      }
      %e = vector.extract %f[%b] : i32 from vector<2xi32>
      memref.store %e, %y[%b] : memref<2xi32>
    }
  }
  return
}
