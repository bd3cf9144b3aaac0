// RUN: gnn-opt %s --gnn-overlay-annotate-mutexes --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-overlay-annotate-mutexes --split-input-file -o %t.out \
// RUN:   --remarks-filter=gnn-overlay-annotate-mutexes 2>&1 | FileCheck %s --check-prefix=REMARK

// What fills a buffer waits for it, the last that reads it empties it: within the loop
// those of its iteration, of the output behind it.
//
// CHECK-LABEL: gnn_overlay.program @linear
// CHECK:         gnn_overlay.init zero rows 16 width 16 trips 2 lock{{$}}
// CHECK-NEXT:    gnn_overlay.loop {
// CHECK-NEXT:      gnn_overlay.load weight @w at 0 stride 1024 rows 16 width 16 lock{{$}}
// CHECK-NEXT:      gnn_overlay.load feature @x at 0 stride 2048 rows 16 width 16 lock{{$}}
// CHECK-NEXT:      gnn_overlay.gemm rows 16 len 16 cols 16 accumulate unlock [weight, feature]
// CHECK-NEXT:    }
// CHECK-NEXT:    gnn_overlay.act <relu> count 16 buffer 2{{$}}
// CHECK-NEXT:    gnn_overlay.store feature @y at 0 rows 16 width 16 unlock [output]
gnn_overlay.program @linear target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 32] input at 0 of "x"
  gnn_overlay.region @w weights [32, 16] input at 4096
  gnn_overlay.region @y features [20, 16] output at 8192
  gnn_overlay.layer_block linear layer 1 in 32 out 16 activation relu {
    gnn_overlay.tiling_block {
      gnn_overlay.init zero rows 16 width 16 trips 2
      gnn_overlay.loop {
        gnn_overlay.load weight @w at 0 stride 1024 rows 16 width 16
        gnn_overlay.load feature @x at 0 stride 2048 rows 16 width 16
        gnn_overlay.gemm rows 16 len 16 cols 16 accumulate
      }
      gnn_overlay.act <relu> count 16 buffer 2
      gnn_overlay.store feature @y at 0 rows 16 width 16
    }
  }
}

// -----

// Without the loop each product empties what it reads. Flags that are there are replaced.
//
// CHECK-LABEL: gnn_overlay.program @unrolled
// CHECK:         gnn_overlay.load weight @w at 0 rows 16 width 16 lock{{$}}
// CHECK:         gnn_overlay.gemm rows 16 len 16 cols 16 accumulate unlock [weight, feature]
// CHECK:         gnn_overlay.load weight @w at 1024 rows 16 width 16 buffer 1 lock{{$}}
// CHECK:         gnn_overlay.gemm rows 16 len 16 cols 16 buffer 1 accumulate unlock [weight, feature]
gnn_overlay.program @unrolled target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 32] input at 0 of "x"
  gnn_overlay.region @w weights [32, 16] input at 4096
  gnn_overlay.region @y features [20, 16] output at 8192
  gnn_overlay.layer_block linear layer 1 in 32 out 16 {
    gnn_overlay.tiling_block {
      gnn_overlay.init zero rows 16 width 16
      gnn_overlay.load weight @w at 0 rows 16 width 16 unlock [output]
      gnn_overlay.load feature @x at 0 rows 16 width 16
      gnn_overlay.gemm rows 16 len 16 cols 16 accumulate unlock [edge]
      gnn_overlay.load weight @w at 1024 rows 16 width 16 buffer 1
      gnn_overlay.load feature @x at 2048 rows 16 width 16 buffer 1
      gnn_overlay.gemm rows 16 len 16 cols 16 buffer 1 accumulate
      gnn_overlay.store feature @y at 0 rows 16 width 16
    }
  }
}

// -----

// Edges that are loaded in front of a loop are read in it, and again by the store, which
// is the last.
//
// CHECK-LABEL: gnn_overlay.program @vector_inner
// CHECK:         gnn_overlay.init zero trips 2 on_edges lock{{$}}
// CHECK-NEXT:    gnn_overlay.load edge @e at 0 by_descriptor lock{{$}}
// CHECK-NEXT:    gnn_overlay.loop {
// CHECK:           gnn_overlay.load feature @x at 0 stride 2048 rows 16 width 16 lock{{$}}
// CHECK-NEXT:      gnn_overlay.load feature @x at 0 stride 2048 rows 16 width 16 buffer 1 lock{{$}}
// CHECK-NEXT:      gnn_overlay.sddmm width 16 accumulate unlock [feature]
// CHECK-NEXT:    }
// CHECK-NEXT:    gnn_overlay.store edge @f at 0 by_descriptor unlock [edge, output]
gnn_overlay.program @vector_inner target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 32] input at 0 of "x"
  gnn_overlay.region @e edges [4, 7] input at 4096
  gnn_overlay.region @f edges [4, 7] output at 8192
  gnn_overlay.layer_block vector_inner layer 1 in 32 out 1 {
    gnn_overlay.tiling_block {
      gnn_overlay.init zero trips 2 on_edges
      gnn_overlay.load edge @e at 0 by_descriptor
      gnn_overlay.loop {
        gnn_overlay.load feature @x at 0 stride 2048 rows 16 width 16
        gnn_overlay.load feature @x at 0 stride 2048 rows 16 width 16 buffer 1
        gnn_overlay.sddmm width 16 accumulate
      }
      gnn_overlay.store edge @f at 0 by_descriptor
    }
  }
}

// -----

// Without an init the addition, or the function of an input, fills the output.
//
// CHECK-LABEL: gnn_overlay.program @without_init
// CHECK:         gnn_overlay.vadd rows 16 width 16 lock unlock [feature]
// CHECK-NEXT:    gnn_overlay.store feature @y at 0 rows 16 width 16 unlock [output]
// CHECK:         gnn_overlay.act <divide, 0.0> count 16 lock unlock [feature]
// CHECK-NEXT:    gnn_overlay.act <relu> count 16 buffer 2{{$}}
// CHECK-NEXT:    gnn_overlay.store feature @z at 0 rows 16 width 16 unlock [output]
// CHECK:         gnn_overlay.act <exp> on_edges lock{{$}}
// CHECK-NEXT:    gnn_overlay.store edge @f at 0 by_descriptor unlock [edge, output]
gnn_overlay.program @without_init target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 16] input at 0 of "x"
  gnn_overlay.region @e edges [4, 7] input at 4096
  gnn_overlay.region @y features [20, 16] output at 8192
  gnn_overlay.region @z features [20, 16] output at 12288
  gnn_overlay.region @f edges [4, 7] output at 16384
  gnn_overlay.layer_block vector_add layer 1 in 16 out 16 {
    gnn_overlay.tiling_block {
      gnn_overlay.load feature @x at 0 rows 16 width 16
      gnn_overlay.load feature @x at 0 rows 16 width 16 buffer 1
      gnn_overlay.vadd rows 16 width 16
      gnn_overlay.store feature @y at 0 rows 16 width 16
    }
  }
  gnn_overlay.layer_block activation layer 2 in 16 out 16 activation relu {
    gnn_overlay.tiling_block {
      gnn_overlay.load feature @x at 0 rows 16 width 16
      gnn_overlay.load feature @x at 0 rows 16 width 16 buffer 1
      gnn_overlay.act <divide, 0.0> count 16
      gnn_overlay.act <relu> count 16 buffer 2
      gnn_overlay.store feature @z at 0 rows 16 width 16
    }
  }
  gnn_overlay.layer_block activation layer 3 in 1 out 1 activation exp {
    gnn_overlay.tiling_block {
      gnn_overlay.load edge @e at 0 by_descriptor
      gnn_overlay.act <exp> on_edges
      gnn_overlay.store edge @f at 0 by_descriptor
    }
  }
}

// -----

// Tiles of parts too.
//
// REMARK-COUNT-5: remark: [Passed] Annotated | Category:gnn-overlay-annotate-mutexes | Remark="{{[0-9]+ tiles?}}"
// CHECK-LABEL: gnn_overlay.program @cut
// CHECK:         gnn_overlay.load feature @x at 0 rows 16 width 16 lock{{$}}
// CHECK-NEXT:    gnn_overlay.act <relu> count 16 lock unlock [feature]
// CHECK-NEXT:    gnn_overlay.store feature @y at 0 rows 16 width 16 unlock [output]
gnn_overlay.program @cut target <> partition <vertices = 16, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [16, 16] input at 0 of "x"
  gnn_overlay.region @y features [16, 16] output at 8192
  gnn_overlay.program @part0 target <> partition <vertices = 16, edges = 7, n1 = 16, n2 = 16> {
    gnn_overlay.region @x features [16, 16] input at 0 from [0, 0]
    gnn_overlay.region @y features [16, 16] output at 1024 from [0, 0]
    gnn_overlay.layer_block activation layer 1 in 16 out 16 activation relu {
      gnn_overlay.tiling_block {
        gnn_overlay.load feature @x at 0 rows 16 width 16
        gnn_overlay.act <relu> count 16
        gnn_overlay.store feature @y at 0 rows 16 width 16
      }
    }
  }
}
