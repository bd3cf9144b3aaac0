// RUN: gnn-opt %s --gnn-overlay-super-partition --split-input-file --verify-diagnostics

gnn_overlay.program @no_store target <memory_bytes = 4096> partition <vertices = 40, edges = 21, n1 = 16, n2 = 16, shard_edges = [6, 11, 4]> {
  gnn_overlay.region @y features [40, 32] output at 0
  gnn_overlay.region @x features [40, 32] input at 64000
  gnn_overlay.region @e edges [9, 21] input at 128000
  gnn_overlay.region @f edges [9, 21] temporary at 192000
  gnn_overlay.layer_block activation layer 1 in 32 out 32 {
    // expected-error @+1 {{expected a tile that stores its result}}
    gnn_overlay.tiling_block {
      gnn_overlay.load feature @x at 0 rows 16 width 16 lock
      gnn_overlay.act <relu> count 16 lock unlock [feature, output]
    }
  }
}

// -----

gnn_overlay.program @stride target <memory_bytes = 4096> partition <vertices = 40, edges = 21, n1 = 16, n2 = 16, shard_edges = [6, 11, 4]> {
  gnn_overlay.region @y features [40, 32] output at 0
  gnn_overlay.region @x features [40, 32] input at 64000
  gnn_overlay.region @e edges [9, 21] input at 128000
  gnn_overlay.region @f edges [9, 21] temporary at 192000
  gnn_overlay.layer_block linear layer 1 in 32 out 32 {
    gnn_overlay.tiling_block {
      gnn_overlay.init zero rows 16 width 16 trips 2 lock
      gnn_overlay.loop {
        // expected-error @+1 {{'gnn_overlay.load' op expected a stride of a fiber, 3072 bytes, got 1024}}
        gnn_overlay.load feature @x at 0 stride 1024 rows 16 width 16 lock unlock [feature]
      }
      gnn_overlay.store feature @y at 0 rows 16 width 16 unlock [output]
    }
  }
}

// -----

gnn_overlay.program @load_of_edges target <memory_bytes = 4096> partition <vertices = 40, edges = 21, n1 = 16, n2 = 16, shard_edges = [6, 11, 4]> {
  gnn_overlay.region @y features [40, 32] output at 0
  gnn_overlay.region @x features [40, 32] input at 64000
  gnn_overlay.region @e edges [9, 21] input at 128000
  gnn_overlay.region @f edges [9, 21] temporary at 192000
  gnn_overlay.layer_block activation layer 1 in 32 out 32 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.load' op expected edges by descriptor}}
      gnn_overlay.load edge @e at 0 rows 4 lock
      gnn_overlay.act <relu> count 4 on_edges lock unlock [edge]
      gnn_overlay.store edge @f at 0 by_descriptor unlock [output]
    }
  }
}

// -----

gnn_overlay.program @store_of_edges target <memory_bytes = 4096> partition <vertices = 40, edges = 21, n1 = 16, n2 = 16, shard_edges = [6, 11, 4]> {
  gnn_overlay.region @y features [40, 32] output at 0
  gnn_overlay.region @x features [40, 32] input at 64000
  gnn_overlay.region @e edges [9, 21] input at 128000
  gnn_overlay.region @f edges [9, 21] temporary at 192000
  gnn_overlay.layer_block activation layer 1 in 32 out 32 {
    gnn_overlay.tiling_block {
      gnn_overlay.load edge @e at 0 by_descriptor lock
      gnn_overlay.act <relu> on_edges lock unlock [edge]
      // expected-error @+1 {{'gnn_overlay.store' op expected edges by descriptor}}
      gnn_overlay.store edge @f at 0 rows 4 unlock [output]
    }
  }
}
