// RUN: gnn-opt %s --verify-diagnostics --split-input-file

gnn_overlay.program @load_c1 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.load' op expected a region of weights, got features}}
      gnn_overlay.load weight @x at 0 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @load_of_nothing target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.load' op names the region @x, which the program around it does not have}}
      gnn_overlay.load feature @x at 0 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @load_c2 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.load' op expected bytes that are a multiple of 64, got 16}}
      gnn_overlay.load feature @x at 16 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @load_c2_stride target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.load' op expected bytes that are a multiple of 64, got -64}}
      gnn_overlay.load feature @x at 64 stride -64 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @load_c2_descriptor target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @e edges [4, 7] input at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      gnn_overlay.load edge @e at 16 by_descriptor
      // expected-error @+1 {{'gnn_overlay.load' op expected bytes that are a multiple of 16, got 24}}
      gnn_overlay.load edge @e at 24 by_descriptor
    }
  }
}

// -----

gnn_overlay.program @load_c3 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.load' op expected tiles of weights apart, got those of feature}}
      gnn_overlay.load feature @x at 0 rows 16 width 16 fiber_stride 1024
    }
  }
}

// -----

gnn_overlay.program @load_c3_unit target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @w weights [32, 32] input at 0
  gnn_overlay.layer_block linear layer 1 in 32 out 32 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.load' op expected bytes that are a multiple of 64, got 1000}}
      gnn_overlay.load weight @w at 0 rows 32 width 16 fiber_stride 1000
    }
  }
}

// -----

gnn_overlay.program @store_c1 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @e edges [4, 7] output at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.store' op expected a region of features, got edges}}
      gnn_overlay.store feature @e at 0 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @store_c1_input target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.store' op expected a region that is written, got an input}}
      gnn_overlay.store feature @x at 0 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @store_c2 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @y features [20, 8] output at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.store' op expected bytes that are a multiple of 64, got 16}}
      gnn_overlay.store feature @y at 16 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @store_c3 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @e edges [4, 7] temporary at 0
  gnn_overlay.layer_block vector_inner layer 1 in 8 out 1 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.store' op expected a fiber of features, got one of edge}}
      gnn_overlay.store edge @e at 0 fiber 1 by_descriptor
    }
  }
}

// -----

gnn_overlay.program @init_c1 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.init' op expected a region}}
      gnn_overlay.init bias rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @init_c1_zero target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @b row [1, 8] input at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.init' op expected no region}}
      gnn_overlay.init zero @b rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @init_c1_kind target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @b affine [1, 8] input at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.init' op expected a region of row, got affine}}
      gnn_overlay.init bias @b rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @init_c2 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @b row [1, 8] input at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.init' op expected bytes that are a multiple of 64, got 8}}
      gnn_overlay.init bias @b at 8 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @act_c1_affine target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.act' op expected a region}}
      gnn_overlay.act <affine> count 16 buffer 2
    }
  }
}

// -----

gnn_overlay.program @act_c1 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @s affine [1, 8] input at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.act' op expected no region}}
      gnn_overlay.act <relu> @s count 16 buffer 2
    }
  }
}

// -----

gnn_overlay.program @act_c2 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @s affine [1, 8] input at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.act' op expected bytes that are a multiple of 64, got 32}}
      gnn_overlay.act <affine> @s at 32 count 16 buffer 2
    }
  }
}

// -----

gnn_overlay.program @load_c4 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.load' op expected an offset within 2048 bytes of @x, got 2048}}
      gnn_overlay.load feature @x at 2048 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @load_c4_empty target <> partition <vertices = 0, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [0, 8] input at 0 of "x"
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.load' op expected an offset within 0 bytes of @x, got 0}}
      gnn_overlay.load feature @x at 0 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @load_c4_strides target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      gnn_overlay.init zero rows 16 width 16 trips 3
      gnn_overlay.loop {
        gnn_overlay.load feature @x at 1024 stride 448 rows 16 width 16
        // expected-error @+1 {{'gnn_overlay.load' op expected an offset within 2048 bytes of @x, got 1024 and 3 iterations 512 bytes apart}}
        gnn_overlay.load feature @x at 1024 stride 512 rows 16 width 16
      }
      gnn_overlay.act <relu> count 16 buffer 2
    }
  }
}

// -----

gnn_overlay.program @load_c4_entries target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @e edges [4, 7] input at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      gnn_overlay.init zero rows 16 width 16 trips 2
      gnn_overlay.loop {
        gnn_overlay.load edge @e at 32 by_descriptor
        // expected-error @+1 {{'gnn_overlay.load' op expected an offset within 64 bytes of @e, got 48 and 2 iterations 16 bytes apart}}
        gnn_overlay.load edge @e at 48 by_descriptor
      }
      gnn_overlay.act <relu> count 16 buffer 2
    }
  }
}

// -----

gnn_overlay.program @load_c4_no_iterations target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @e edges [4, 7] input at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      gnn_overlay.init zero rows 16 width 16
      gnn_overlay.loop {
        gnn_overlay.load edge @e at 64 by_descriptor
        // expected-error @+1 {{'gnn_overlay.load' op expected an offset within 64 bytes of @e, got 80}}
        gnn_overlay.load edge @e at 80 by_descriptor
      }
      gnn_overlay.act <relu> count 16 buffer 2
    }
  }
}

// -----

gnn_overlay.program @store_c4 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @y features [20, 8] output at 4096
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.store' op expected an offset within 2048 bytes of @y, got 4611686018427387904}}
      gnn_overlay.store feature @y at 4611686018427387904 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @init_c3 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @b row [1, 8] input at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.init' op expected an offset within 64 bytes of @b, got 64}}
      gnn_overlay.init bias @b at 64 rows 16 width 16
    }
  }
}

// -----

gnn_overlay.program @init_c4 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.init' op expected trips that are not negative, got -3}}
      gnn_overlay.init zero rows 16 width 16 trips -3
    }
  }
}

// -----

gnn_overlay.program @act_c3 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @s affine [1, 8] input at 0
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.act' op expected an offset within 128 bytes of @s, got 128}}
      gnn_overlay.act <affine> @s at 128 count 16 buffer 2
    }
  }
}
