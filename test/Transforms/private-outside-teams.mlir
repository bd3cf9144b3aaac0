// RUN: gnn-opt %s --gnn-verify-form=form=loops --verify-diagnostics

// A private array that workers use outside of teams is refused as any worker there is.
func.func @outside(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %own = gnn_tile.array : memref<4xf32, #gpu.address_space<private>>
    gnn_tile.parallel 4 over team {
    ^bb0(%t: index):
      %v = memref.load %x[%t] : memref<4xf32>
      // expected-error @+1 {{'memref.store' op expected a team to read or write its whole entry of a private array, at its number}}
      memref.store %v, %own[%t] : memref<4xf32, #gpu.address_space<private>>
      gnn_tile.yield
    }
  }
  return
}
