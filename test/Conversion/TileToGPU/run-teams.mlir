// RUN: %python %S/Inputs/arrays.py write %t.npz %t.npy 3 32
// RUN: gnn-run %s --function both --graph %t.npz --input x=%t.npy --output %t.out --target=emulator --report | FileCheck %s
// RUN: %python %S/Inputs/arrays.py print %t.out/y.npy 32 | FileCheck %s --check-prefix=NUMBERS
// RUN: gnn-run %s --function both --graph %t.npz --input x=%t.npy --output %t.scalar --target=emulator --stop-at=loops
// RUN: diff %t.out/y.npy %t.scalar/y.npy
// RUN: gnn-opt %s --gnn-lanes-pipeline | FileCheck %s --check-prefix=LANES

// Tiles and teams stand in one block in any order. A tile of rows is staged, teams add
// the sum of each row to it, the tile of these is stored, and teams double what is
// stored. Threads wait in between, at last for what they have written in global memory.
//
// CHECK:       both_0_{{.+ 1 +64 }}
// NUMBERS:     [992.0, 3104.0, 5216.0]
// LANES-LABEL: func.func @both
// LANES:         vector.store {{.+}} : memref<16x32xf32, #gpu.address_space<workgroup>>
// LANES:         gpu.barrier
// LANES-NEXT:    affine.delinearize_index
// LANES:         scf.for
// LANES-NOT:       gpu.barrier
// LANES:         gpu.barrier
// LANES:         vector.load {{.+}} : memref<16x32xf32, #gpu.address_space<workgroup>>
// LANES:         vector.store {{.+}} : memref<?x32xf32>
// LANES:         gpu.barrier
// LANES-NEXT:    affine.delinearize_index
// LANES-NOT:     gpu.barrier
// LANES:         return
gnn.graph @g square {node_types = 1, edge_types = 2}

#tile = #gnn_tile.spread<each = [1, 4], lanes = [8, 8]>
#teams = #gnn_tile.spread<each = [1, 1], lanes = [1, 32], teams = 2, elements = 1>
!tile = memref<16x32xf32, #gpu.address_space<workgroup>>

func.func @both(%x: memref<?x32xf32> {gnn.name = "x", gnn.rows = #gnn.rows<@g, node>},
                %y: memref<?x32xf32> {gnn.name = "y", gnn.rows = #gnn.rows<@g, node>, bufferize.result}) {
  %n = gnn_tile.count @g count dst : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %xv = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 32], strides: [32, 1] : memref<?x32xf32> to memref<?x32xf32>
  %yv = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 32], strides: [32, 1] : memref<?x32xf32> to memref<?x32xf32>
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [16] {
  ^bb0(%b: index):
    %last = arith.subi %n, %c1 : index
    %numbers = vector.step : vector<16xindex>
    %first = vector.broadcast %b : index to vector<16xindex>
    %ends = vector.broadcast %last : index to vector<16xindex>
    %all = arith.addi %first, %numbers : vector<16xindex>
    %rows = arith.minsi %all, %ends : vector<16xindex>
    %inside = arith.cmpi sle, %all, %ends : vector<16xindex>
    %staged = gnn_tile.array : !tile
    %summed = gnn_tile.array : !tile
    %t = gnn_tile.load_rows %xv[%rows, %c0] aligned 4 : memref<?x32xf32>, vector<16xindex>, index -> vector<16x32xf32>
    gnn_tile.stage %t, %staged[%c0] by registers spread #tile : vector<16x32xf32>, !tile
    gnn_tile.teams #teams {
      scf.for %r = %c0 to %c16 step %c2 {
        gnn_tile.parallel 2 over team {
        ^bb0(%team: index):
          %row = arith.addi %r, %team : index
          %v = vector.transfer_read %staged[%row, %c0], %zero {in_bounds = [true]} : !tile, vector<32xf32>
          %d = vector.multi_reduction <add>, %v, %zero [0] : vector<32xf32> to f32
          %w = vector.broadcast %d : f32 to vector<32xf32>
          %u = arith.addf %v, %w : vector<32xf32>
          vector.transfer_write %u, %summed[%row, %c0] {in_bounds = [true]} : vector<32xf32>, !tile
          gnn_tile.yield
        }
      }
    }
    %s = gnn_tile.load_rows %summed[%numbers, %c0] aligned 4 : !tile, vector<16xindex>, index -> vector<16x32xf32>
    gnn_tile.store_rows %s, %yv[%rows, %c0] where(%inside : vector<16xi1>) aligned 4 spread #tile : vector<16x32xf32>, memref<?x32xf32>, vector<16xindex>, index
    gnn_tile.teams #teams {
      scf.for %r = %c0 to %c16 step %c2 {
        gnn_tile.parallel 2 over team {
        ^bb0(%team: index):
          %offset = arith.addi %r, %team : index
          %at = arith.addi %b, %offset : index
          %row = arith.minsi %at, %last : index
          %is = arith.cmpi sle, %at, %last : index
          %v = vector.transfer_read %yv[%row, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
          %u = arith.addf %v, %v : vector<32xf32>
          scf.if %is {
            vector.transfer_write %u, %yv[%row, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
          }
          gnn_tile.yield
        }
      }
    }
  }
  return
}
