// RUN: %python %S/Inputs/arrays.py write %t.npz %t.npy 3 32
// RUN: gnn-run %s --function tiles --graph %t.npz --input x=%t.npy --output %t.out --target=emulator
// RUN: gnn-run %s --function tiles --graph %t.npz --input x=%t.npy --output %t.scalar --target=emulator --stop-at=loops
// RUN: diff %t.out/y.npy %t.scalar/y.npy
// RUN: %python %S/Inputs/arrays.py print %t.out/y.npy 32 | FileCheck %s
// RUN: gnn-opt %s --gnn-lanes-pipeline -o /dev/null --remarks-filter=gnn-tile-load-ahead --remark-format=emitRemark 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AHEAD

// Tiles alone, with the bits of loops of scalars. A product has an operand that each step
// stages, loaded ahead, and one that was staged before the loop, by the half of the threads.
// Rows are stored, loaded in a loop, stored over in place while the loop gives what was
// loaded, and loaded in the order of others.
//
// AHEAD: the next step is loaded while one is summed
// CHECK: [
gnn.graph @g square {node_types = 1, edge_types = 2}

#tile = #gnn_tile.spread<each = [1, 4], lanes = [8, 8]>
#few = #gnn_tile.spread<each = [16, 1], lanes = [1, 32]>
#sums = #gnn_tile.spread<each = [4, 4], lanes = [8, 8]>
!tile = memref<16x32xf32, #gpu.address_space<workgroup>>
!all = memref<32x32xf32, #gpu.address_space<workgroup>>

func.func @tiles(%x: memref<?x32xf32> {gnn.name = "x", gnn.rows = #gnn.rows<@g, node>},
                 %y: memref<?x32xf32> {gnn.name = "y", gnn.rows = #gnn.rows<@g, node>, bufferize.result}) {
  %n = gnn_tile.count @g count dst : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<32x32xf32>
  %none = arith.constant dense<0.0> : vector<16x32xf32>
  %xv = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 32], strides: [32, 1] : memref<?x32xf32> to memref<?x32xf32>
  %yv = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 32], strides: [32, 1] : memref<?x32xf32> to memref<?x32xf32>
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [16] {
  ^bb0(%b: index):
    %last = arith.subi %n, %c1 : index
    %numbers = vector.step : vector<16xindex>
    %first = vector.broadcast %b : index to vector<16xindex>
    %ends = vector.broadcast %last : index to vector<16xindex>
    %at = arith.addi %first, %numbers : vector<16xindex>
    %rows = arith.minsi %at, %ends : vector<16xindex>
    %inside = arith.cmpi sle, %at, %ends : vector<16xindex>
    %staged = gnn_tile.array : !tile
    %before = gnn_tile.array : !tile
    %products = gnn_tile.array : !all
    %w = gnn_tile.load_rows %xv[%rows, %c0] aligned 4 : memref<?x32xf32>, vector<16xindex>, index -> vector<16x32xf32>
    gnn_tile.stage %w, %before[%c0] by registers spread #few : vector<16x32xf32>, !tile
    %p = scf.for %k = %c0 to %c2 step %c1 iter_args(%sum = %zeros) -> (vector<32x32xf32>) {
      %t = gnn_tile.load_rows %xv[%rows, %c0] aligned 4 : memref<?x32xf32>, vector<16xindex>, index -> vector<16x32xf32>
      gnn_tile.stage %t, %staged[%c0] ahead by registers spread #tile : vector<16x32xf32>, !tile
      %l = vector.transfer_read %staged[%c0, %c0], %zero {in_bounds = [true, true]} : !tile, vector<16x32xf32>
      %r = vector.transfer_read %before[%c0, %c0], %zero {in_bounds = [true, true]} : !tile, vector<16x32xf32>
      %next = gnn_tile.contract %l, %r, %sum spread #sums : vector<16x32xf32>, vector<16x32xf32> into vector<32x32xf32>
      scf.yield %next : vector<32x32xf32>
    }
    gnn_tile.stage %p, %products[%c0] by registers spread #sums : vector<32x32xf32>, !all
    %q = vector.transfer_read %products[%c0, %c0], %zero {in_bounds = [true, true]} : !all, vector<16x32xf32>
    gnn_tile.store_rows %q, %yv[%rows, %c0] where(%inside : vector<16xi1>) aligned 4 spread #tile : vector<16x32xf32>, memref<?x32xf32>, vector<16xindex>, index
    %doubled = scf.for %k = %c0 to %c2 step %c1 iter_args(%kept = %none) -> (vector<16x32xf32>) {
      %u = gnn_tile.load_rows %yv[%rows, %c0] aligned 4 : memref<?x32xf32>, vector<16xindex>, index -> vector<16x32xf32>
      %v = arith.addf %u, %u : vector<16x32xf32>
      gnn_tile.store_rows %v, %yv[%rows, %c0] where(%inside : vector<16xi1>) aligned 4 spread #tile : vector<16x32xf32>, memref<?x32xf32>, vector<16xindex>, index
      scf.yield %u : vector<16x32xf32>
    }
    %reversed = arith.subi %ends, %rows : vector<16xindex>
    %back = gnn_tile.load_rows %yv[%reversed, %c0] aligned 4 : memref<?x32xf32>, vector<16xindex>, index -> vector<16x32xf32>
    %both = arith.addf %back, %doubled : vector<16x32xf32>
    gnn_tile.store_rows %both, %yv[%rows, %c0] where(%inside : vector<16xi1>) aligned 4 spread #tile : vector<16x32xf32>, memref<?x32xf32>, vector<16xindex>, index
  }
  return
}
