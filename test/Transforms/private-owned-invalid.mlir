// RUN: gnn-opt %s --gnn-tile-distribute --verify-diagnostics --split-input-file

func.func @argument(%p: memref<4xf32, #gpu.address_space<private>>, %y: memref<4xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        // expected-error @+1 {{'memref.load' op expected private memory to be a gnn_tile.array of the same loop over blocks, got 'memref<4xf32, #gpu.address_space<private>>'}}
        %q = memref.load %p[%t] : memref<4xf32, #gpu.address_space<private>>
        memref.store %q, %y[%t] : memref<4xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

func.func @outside(%y: memref<4xf32>) {
  %p = gnn_tile.array : memref<4xf32, #gpu.address_space<private>>
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %q = memref.load %y[%t] : memref<4xf32>
        // expected-error @+1 {{'memref.store' op expected private memory to be a gnn_tile.array of the same loop over blocks}}
        memref.store %q, %p[%t] : memref<4xf32, #gpu.address_space<private>>
        gnn_tile.yield
      }
    }
  }
  return
}
