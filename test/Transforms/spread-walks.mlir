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

// Runs of 256 elements are combined; the first one has none before it. They are added with
// what each addition has rounded away, which is added at the end, unless it is no number.
//
// REMARK: remark: [Passed] Spread | Category:gnn-tile-spread-walks | Remark="a walk in steps of 1 x 1 elements, in runs of 256
// CHECK-LABEL: func.func @runs
// CHECK:         %[[SUMS:.+]]:2 = scf.for %[[B:.+]] = %[[BEGIN:.+]] to %[[END:.+]] step %c256 iter_args(%[[S:.+]] = %[[ZERO:.+]], %[[E:.+]] = %[[ZERO]]) -> (f32, f32) {
// CHECK:           %[[NEXT:.+]] = arith.addi %[[B]], %c256
// CHECK:           %[[STOP:.+]] = arith.minsi %[[NEXT]], %[[END]]
// CHECK:           %[[OWN:.+]] = scf.for %{{.+}} = %[[B]] to %[[STOP]] step %c1
// CHECK:             arith.addf
// CHECK:           %[[OTHERS:.+]] = arith.cmpi sgt, %[[B]], %[[BEGIN]]
// CHECK:           %[[BOTH:.+]]:2 = scf.if %[[OTHERS]] -> (f32, f32) {
// CHECK-NEXT:        %[[SUM:.+]] = arith.addf %[[S]], %[[OWN]]
// CHECK-NEXT:        %[[TAKEN:.+]] = arith.subf %[[SUM]], %[[S]]
// CHECK-NEXT:        %[[LOST:.+]] = arith.subf %[[OWN]], %[[TAKEN]]
// CHECK-NEXT:        %[[ERROR:.+]] = arith.addf %[[E]], %[[LOST]]
// CHECK-NEXT:        scf.yield %[[SUM]], %[[ERROR]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[OWN]], %[[ZERO]]
// CHECK:           scf.yield %[[BOTH]]#0, %[[BOTH]]#1
// CHECK:         %[[LENGTH:.+]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK:         %[[SEVERAL:.+]] = arith.cmpi slt, %c256, %[[LENGTH]]
// CHECK:         %[[TOTAL:.+]] = scf.if %[[SEVERAL]] -> (f32) {
// CHECK:           %[[SIZE:.+]] = math.absf %[[SUMS]]#1
// CHECK:           %[[INFINITY:.+]] = arith.constant 0x7F800000
// CHECK:           %[[IS:.+]] = arith.cmpf olt, %[[SIZE]], %[[INFINITY]]
// CHECK:           %[[WHOLE:.+]] = arith.addf %[[SUMS]]#0, %[[SUMS]]#1
// CHECK:           arith.select %[[IS]], %[[WHOLE]], %[[SUMS]]#0
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[SUMS]]#0
// CHECK:         return %[[TOTAL]]
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

// Each of two slots has runs of its own, of whole steps: 8 elements become 9, of three
// steps with 3 elements each. Masks and the last element are those of the whole walk.
//
// REMARK: remark: [Passed] Spread | Category:gnn-tile-spread-walks | Remark="a walk in steps of 2 x 3 elements, in runs of 8
// CHECK-LABEL: func.func @runs_of_slots
// CHECK:         gnn_tile.parallel 2 over element -> f32 {
// CHECK:           scf.for %[[B:.+]] = %arg0 to %arg1 step %c18 iter_args(
// CHECK:             %[[NEXT:.+]] = arith.addi %[[B]], %c18
// CHECK:             %[[STOP:.+]] = arith.minsi %[[NEXT]], %arg1
// CHECK:             scf.for %[[P:.+]] = %[[B]] to %[[STOP]] step %c6
// CHECK:               arith.subi %arg1, %[[P]]
// CHECK:           math.absf
// CHECK:         } combine {
func.func @runs_of_slots(%begin: index, %end: index, %x: memref<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %s = gnn_tile.walk from %begin to %end over element slots 2 in_flight 3 run 8 identity(%zero : f32) {
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

// A state is rescaled with what was rounded away of it; the maximum has one part.
//
// CHECK-LABEL: func.func @runs_of_a_softmax
// CHECK:         scf.for {{.+}} iter_args(%[[M:.+]] = %{{.+}}, %[[S:.+]] = %{{.+}}, %[[E:.+]] = %{{.+}}) -> (f32, f32, f32) {
// CHECK:           %[[OWN:.+]]:2 = scf.for
// CHECK:           scf.if %{{.+}} -> (f32, f32, f32) {
// CHECK:             %[[TOP:.+]] = arith.maximumf %[[M]], %[[OWN]]#0
// CHECK:             %[[P0:.+]] = math.exp
// CHECK:             %[[P1:.+]] = math.exp
// CHECK:             %[[T0:.+]] = arith.mulf %[[P0]], %[[S]]
// CHECK:             %[[T1:.+]] = arith.mulf %[[P1]], %[[OWN]]#1
// CHECK:             %[[SUM:.+]] = arith.addf %[[T0]], %[[T1]]
// CHECK:             %[[TAKEN:.+]] = arith.subf %[[SUM]], %[[T0]]
// CHECK:             %[[SCALED:.+]] = arith.mulf %[[P0]], %[[E]]
// CHECK:             %[[LOST:.+]] = arith.subf %[[T1]], %[[TAKEN]]
// CHECK:             %[[ERROR:.+]] = arith.addf %[[SCALED]], %[[LOST]]
// CHECK:             scf.yield %[[TOP]], %[[SUM]], %[[ERROR]]
func.func @runs_of_a_softmax(%begin: index, %end: index, %x: memref<?xf32>) -> f32 {
  %low = arith.constant 0xFF7FFFFF : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %m, %s = gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 run 32 identity(%low, %zero : f32, f32) {
  ^bb0(%p: index):
    %v = memref.load %x[%p] : memref<?xf32>
    gnn_tile.yield %v, %one : f32, f32
  } combine {
  ^bb0(%m0: f32, %s0: f32, %m1: f32, %s1: f32):
    %top = arith.maximumf %m0, %m1 : f32
    %d0 = arith.subf %m0, %top : f32
    %d1 = arith.subf %m1, %top : f32
    %p0 = math.exp %d0 : f32
    %p1 = math.exp %d1 : f32
    %t0 = arith.mulf %p0, %s0 : f32
    %t1 = arith.mulf %p1, %s1 : f32
    %t = arith.addf %t0, %t1 : f32
    gnn_tile.yield %top, %t : f32, f32
  }
  return %s : f32
}

// -----

// A maximum has no errors, and nothing is done behind its runs.
//
// CHECK-LABEL: func.func @runs_of_a_maximum
// CHECK:         %[[ALL:.+]] = scf.for {{.+}} iter_args(%{{.+}} = %{{.+}}) -> (f32) {
// CHECK-NOT:       arith.subf
// CHECK:         return %[[ALL]]
func.func @runs_of_a_maximum(%begin: index, %end: index, %x: memref<?xf32>) -> f32 {
  %low = arith.constant 0xFF800000 : f32
  %m = gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 run 32 identity(%low : f32) {
  ^bb0(%p: index):
    %v = memref.load %x[%p] : memref<?xf32>
    gnn_tile.yield %v : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    gnn_tile.yield %c : f32
  }
  return %m : f32
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

// -----

// Runs of teams in step are those of the one with the most elements. A run that a
// team does not have adds nothing.
//
// CHECK-LABEL: func.func @in_step_runs
// CHECK:           %[[MOST:.+]] = gnn_tile.most_of_teams
// CHECK:           scf.for %[[FROM:.+]] = %c0{{.*}} to %[[MOST]] step %c32 iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (f32, f32) {
// CHECK:             %[[NEXT:.+]] = arith.addi %[[FROM]], %c32
// CHECK:             %[[STOP:.+]] = arith.minsi %[[NEXT]], %[[MOST]]
// CHECK:             scf.for %[[AT:.+]] = %[[FROM]] to %[[STOP]]
// CHECK:               %[[SUM:.+]] = vector.multi_reduction
// CHECK:               arith.select %{{.+}}, %[[SUM]], %{{.+}}
// CHECK:             arith.cmpi sgt, %[[FROM]], %c0
func.func @in_step_runs(%rows: memref<?xindex>, %x: memref<?x16xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 16, elements = 1> {
    gnn_tile.parallel 16 over team {
    ^bb0(%r: index):
      %next = arith.addi %r, %c1 : index
      %begin = memref.load %rows[%r] : memref<?xindex>
      %end = memref.load %rows[%next] : memref<?xindex>
      %s = gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 run 32 in_step identity(%zero : f32) {
      ^bb0(%p: index):
        %v = vector.transfer_read %x[%p, %c0], %zero {in_bounds = [true]} : memref<?x16xf32>, vector<16xf32>
        %d = vector.multi_reduction <add>, %v, %zero [0] : vector<16xf32> to f32
        gnn_tile.yield %d : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        gnn_tile.yield %c : f32
      }
      memref.store %s, %y[%r] : memref<?xf32>
      gnn_tile.yield
    }
  }
  return
}
