// RUN: gnn-opt %s --gnn-tile-spread-walks --split-input-file --verify-diagnostics

func.func @nested(%x: memref<64xf32>, %ix: memref<64xi32>, %y: memref<64xf32>, %n: index, %k: index) {
  gnn_tile.blocks to [%n] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      gnn_tile.walk from %c0 to %k over element slots 1 in_flight 2 {
      ^bb0(%p: index):
        %i = memref.load %ix[%p] : memref<64xi32>
        %j = arith.index_cast %i : i32 to index
        %v = memref.load %x[%p] : memref<64xf32>
        %c = arith.cmpf ogt, %v, %v : f32
        // expected-error @+1 {{'scf.if' op cannot be computed for several elements of a walk at once: expected ops without regions}}
        scf.if %c {
          memref.store %v, %y[%j] : memref<64xf32>
        }
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

func.func @unguarded(%x: memref<64xf32>, %ix: memref<64xi32>, %y: memref<64xf32>, %n: index, %k: index) {
  gnn_tile.blocks to [%n] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      gnn_tile.walk from %c0 to %k over element slots 1 in_flight 2 {
      ^bb0(%p: index):
        %v = memref.load %x[%p] : memref<64xf32>
        %c = arith.cmpf ogt, %v, %v : f32
        // expected-error @+1 {{'scf.if' op cannot be computed for several elements of a walk at once: expected ops without regions}}
        scf.if %c {
          memref.store %v, %y[%c0] : memref<64xf32>
        }
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// All stores come last: what is read behind one would be what was there before.
func.func @read_behind(%x: memref<64xf32>, %y: memref<64xf32>, %n: index, %k: index) {
  gnn_tile.blocks to [%n] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      gnn_tile.walk from %c0 to %k over element slots 1 in_flight 2 {
      ^bb0(%p: index):
        %v = memref.load %x[%p] : memref<64xf32>
        memref.store %v, %y[%p] : memref<64xf32>
        // expected-error @+1 {{'memref.load' op cannot be computed for several elements of a walk at once: expected to read in front of what writes the buffer}}
        %w = memref.load %y[%p] : memref<64xf32>
        memref.store %w, %x[%p] : memref<64xf32>
        gnn_tile.yield
      }
    }
  }
  return
}
