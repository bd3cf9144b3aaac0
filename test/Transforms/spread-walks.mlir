// RUN: gnn-opt %s --gnn-tile-spread-walks --cse --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-spread-walks --cse --split-input-file --remarks-filter="gnn-tile.*" --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// One slot, one element: a loop.
//
// CHECK-LABEL: func.func @plain
// CHECK:         %[[S:.+]] = scf.for %[[P:.+]] = %arg0 to %arg1 step %c1 iter_args(%[[A:.+]] = %{{.+}}) -> (f32) {
// CHECK-NEXT:      %[[V:.+]] = memref.load %arg2[%[[P]]]
// CHECK-NEXT:      %[[N:.+]] = arith.addf %[[A]], %[[V]]
// CHECK-NEXT:      scf.yield %[[N]]
// CHECK:         return %[[S]]
func.func @plain(%begin: index, %end: index, %x: memref<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %s = gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 identity(%zero : f32) {
  ^bb0(%p: index):
    %v = memref.load %x[%p] : memref<?xf32>
    gnn_tile.yield %v : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    gnn_tile.yield %c : f32
  }
  return %s : f32
}

// -----

// Two slots and two elements at once: rows are found where they are read, loads
// come first, and past the end the last element is read again and counts as
// nothing.
//
// REMARK: remark: [Passed] Spread | Category:gnn-tile-spread-walks | Remark="a walk in steps of 2 x 2 elements
// CHECK-LABEL: func.func @slots
// CHECK:         gnn_tile.parallel 2 over element -> f32 {
// CHECK:         ^bb0(%[[SLOT:.+]]: index):
// CHECK:           scf.for %[[P:.+]] = %arg0 to %arg1 step %c4 iter_args(%[[A:.+]] = %[[ZERO:.+]]) -> (f32) {
// CHECK:             %[[REST:.+]] = arith.subi %arg1, %[[P]]
// CHECK:             %[[LEFT:.+]] = arith.index_cast %[[REST]] : index to i32
// CHECK:             %[[OWN:.+]] = arith.index_cast %[[SLOT]] : index to i32
// CHECK:             %[[IN0:.+]] = arith.cmpi slt, %[[OWN]], %[[LEFT]]
// CHECK:             %[[NEXT:.+]] = arith.addi %[[OWN]], %c2_i32
// CHECK:             %[[IN1:.+]] = arith.cmpi slt, %[[NEXT]], %[[LEFT]]
// CHECK:             %[[R0:.+]] = memref.load %arg3
// CHECK:             %[[V0:.+]] = memref.load %arg2
// CHECK:             %[[R1:.+]] = memref.load %arg3
// CHECK:             %[[V1:.+]] = memref.load %arg2
// CHECK-NOT:         scf.if
// CHECK:             %[[M0:.+]] = arith.select %[[IN0]], %[[V0]], %[[ZERO]]
// CHECK:             %[[S0:.+]] = arith.addf %[[A]], %[[M0]]
// CHECK:             %[[M1:.+]] = arith.select %[[IN1]], %[[V1]], %[[ZERO]]
// CHECK:             arith.addf %[[S0]], %[[M1]]
// CHECK:         } combine {
func.func @slots(%begin: index, %end: index, %x: memref<?xf32>, %rows: memref<?xi32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %s = gnn_tile.walk from %begin to %end over element slots 2 in_flight 2 identity(%zero : f32) {
  ^bb0(%p: index):
    %w = memref.load %rows[%p] : memref<?xi32>
    %r = arith.index_cast %w : i32 to index
    %v = memref.load %x[%r] : memref<?xf32>
    gnn_tile.yield %v : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    gnn_tile.yield %c : f32
  }
  return %s : f32
}

// -----

// A state that looks at another one is kept as it was; what is stored comes
// last, where it counts.
//
// CHECK-LABEL: func.func @joint
// CHECK:         scf.for {{.+}} iter_args(%[[M:.+]] = %{{.+}}, %[[I:.+]] = %{{.+}}) -> (f32, i32) {
// CHECK:           %[[IN:.+]] = arith.cmpi slt, %c1_i32
// CHECK:           %[[B0:.+]] = arith.cmpf ogt
// CHECK:           %[[M0:.+]] = arith.select %[[B0]]
// CHECK:           %[[I0:.+]] = arith.select %[[B0]]
// CHECK:           %[[B1:.+]] = arith.cmpf ogt
// CHECK:           %[[M1:.+]] = arith.select %[[B1]], %{{.+}}, %[[M0]]
// CHECK:           arith.select %[[IN]], %[[M1]], %[[M0]]
// CHECK:           memref.store
// CHECK:           scf.if %[[IN]] {
// CHECK-NEXT:        memref.store
func.func @joint(%begin: index, %end: index, %x: memref<?xf32>, %y: memref<?xf32>) -> (f32, i32) {
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i32
  %m, %i = gnn_tile.walk from %begin to %end over element slots 1 in_flight 2 identity(%low, %none : f32, i32) {
  ^bb0(%p: index):
    %v = memref.load %x[%p] : memref<?xf32>
    %n = arith.index_cast %p : index to i32
    memref.store %v, %y[%p] : memref<?xf32>
    gnn_tile.yield %v, %n : f32, i32
  } combine {
  ^bb0(%m0: f32, %i0: i32, %m1: f32, %i1: i32):
    %wins = arith.cmpf ogt, %m1, %m0 : f32
    %best = arith.select %wins, %m1, %m0 : f32
    %where = arith.select %wins, %i1, %i0 : i32
    gnn_tile.yield %best, %where : f32, i32
  }
  return %m, %i : f32, i32
}

// -----

// Runs of 256 elements are combined; the first one has none before it.
//
// REMARK: remark: [Passed] Spread | Category:gnn-tile-spread-walks | Remark="a walk in steps of 1 x 1 elements, in runs of 256
// CHECK-LABEL: func.func @runs
// CHECK:         %[[SUMS:.+]] = scf.for %[[B:.+]] = %[[BEGIN:.+]] to %[[END:.+]] step %c256 iter_args(%[[S:.+]] = %{{.+}}) -> (f32) {
// CHECK:           %[[NEXT:.+]] = arith.addi %[[B]], %c256
// CHECK:           %[[STOP:.+]] = arith.minsi %[[NEXT]], %[[END]]
// CHECK:           %[[OWN:.+]] = scf.for %{{.+}} = %[[B]] to %[[STOP]] step %c1
// CHECK:             arith.addf
// CHECK:           %[[OTHERS:.+]] = arith.cmpi sgt, %[[B]], %[[BEGIN]]
// CHECK:           %[[BOTH:.+]] = scf.if %[[OTHERS]] -> (f32) {
// CHECK:             %[[SUM:.+]] = arith.addf %[[S]], %[[OWN]]
// CHECK:             scf.yield %[[SUM]]
// CHECK:           } else {
// CHECK:             scf.yield %[[OWN]]
// CHECK:           scf.yield %[[BOTH]]
// CHECK:         return %[[SUMS]]
func.func @runs(%begin: index, %end: index, %x: memref<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %s = gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 run 256 identity(%zero : f32) {
  ^bb0(%p: index):
    %v = memref.load %x[%p] : memref<?xf32>
    gnn_tile.yield %v : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    gnn_tile.yield %c : f32
  }
  return %s : f32
}

// -----

// Teams of one warp take as many steps as the one with the most elements. Past
// its own a team reads its last element again, or the first of all, and neither
// counts nor stores it.
//
// CHECK-LABEL: func.func @in_step
// CHECK:         gnn_tile.parallel 16 over team {
// CHECK:           %[[OWN:.+]] = arith.subi %[[END:.+]], %[[BEGIN:.+]] : index
// CHECK:           %[[MOST:.+]] = gnn_tile.most_of_teams %[[OWN]] : index
// CHECK:           scf.for %[[AT:.+]] = %c0 to %[[MOST]] step %c1 {
// CHECK:             %[[FIRST:.+]] = arith.addi %[[BEGIN]], %[[AT]] : index
// CHECK:             %[[REST:.+]] = arith.subi %[[END]], %[[FIRST]] : index
// CHECK:             %[[LEFT:.+]] = arith.index_cast %[[REST]] : index to i32
// CHECK:             %[[IN:.+]] = arith.cmpi slt, %c0_i32, %[[LEFT]]
// CHECK:             arith.maxsi %{{.*}}, %c0_i32
// CHECK:             vector.multi_reduction
// CHECK:             scf.if %[[IN]] {
// CHECK-NEXT:          memref.store
func.func @in_step(%rows: memref<?xindex>, %x: memref<?x16xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 16, elements = 1> {
    gnn_tile.parallel 16 over team {
    ^bb0(%r: index):
      %next = arith.addi %r, %c1 : index
      %begin = memref.load %rows[%r] : memref<?xindex>
      %end = memref.load %rows[%next] : memref<?xindex>
      gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 in_step {
      ^bb0(%p: index):
        %v = vector.transfer_read %x[%p, %c0], %zero {in_bounds = [true]} : memref<?x16xf32>, vector<16xf32>
        %d = vector.multi_reduction <add>, %v, %zero [0] : vector<16xf32> to f32
        memref.store %d, %y[%p] : memref<?xf32>
        gnn_tile.yield
      }
      gnn_tile.yield
    }
  }
  return
}
