// RUN: gnn-opt %s --verify-diagnostics --split-input-file

func.func @add_atomically_c1(%y: memref<?xf32>, %v: f32, %i: index) {
  // expected-error @+1 {{expected a gnn_tile.teams around it}}
  gnn_tile.add_atomically {
    memref.store %v, %y[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @add_atomically_c2(%y: memref<?xi32>, %v: i32, %i: index) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 16, elements = 1> {
    gnn_tile.add_atomically {
      // expected-error @+1 {{expected f32 in global memory, got 'memref<?xi32>'}}
      memref.store %v, %y[%i] : memref<?xi32>
    }
  }
  return
}
