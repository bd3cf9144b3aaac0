// RUN: gnn-opt %s --verify-diagnostics --split-input-file

gnn_overlay.program @program_c1 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  %x = gnn_overlay.read @x : tensor<?x8xf32, #gnn.rows<@g, node>>
  // expected-error @+1 {{'gnn_overlay.region' op expected regions in front of all else}}
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
}

// -----

gnn_overlay.program @program_c1_other_op target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'arith.constant' op expected regions, layers and layer blocks in a program of the overlay}}
  %x = arith.constant 1.0 : f32
}

// -----

// expected-error @+1 {{expected layers, layer blocks or parts, got several of these}}
gnn_overlay.program @program_c1_both target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  %x = gnn_overlay.read @x : tensor<?x8xf32, #gnn.rows<@g, node>>
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
  }
}

// -----

gnn_overlay.program @program_c2 target <memory_bytes = 4096> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 80] input at 0 of "x"
  gnn_overlay.program @part target <memory_bytes = 4096> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
    // expected-error @+1 {{'gnn_overlay.region' op expected an end within 4096 bytes, got 4160}}
    gnn_overlay.region @x features [20, 16] input at 2112 from [0, 0]
  }
}

// -----

gnn_overlay.program @program_c2_overlap target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // Those of @t end, and those of @y do not.
  gnn_overlay.region @y features [20, 40] output at 0
  gnn_overlay.region @t features [20, 8] temporary at 0
  gnn_overlay.region @x features [20, 8] input at 2048 of "x"
  // expected-error @+1 {{'gnn_overlay.region' op expected a region apart from @y}}
  gnn_overlay.region @z features [20, 8] output at 4096
}

// -----

gnn_overlay.program @program_c2_inputs target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @w weights [20, 8] input at 0
  // expected-error @+1 {{'gnn_overlay.region' op expected a region apart from @w}}
  gnn_overlay.region @x features [20, 8] input at 1024 of "x"
}

// -----

gnn_overlay.program @program_c2_edges target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // Descriptors are there before the program runs, temporary features are not.
  gnn_overlay.region @x features [20, 8] temporary at 0
  gnn_overlay.region @y features [20, 8] temporary at 0
  gnn_overlay.region @e edges [4, 7] temporary at 4096
  // expected-error @+1 {{'gnn_overlay.region' op expected a region apart from @e}}
  gnn_overlay.region @f edges [4, 7] temporary at 4096
}

// -----

// expected-error @+1 {{expected n1 to be a multiple of 16 up to 16384 and n2 16, got 24 and 16}}
gnn_overlay.program @program_c3 target <> partition <vertices = 20, edges = 7, n1 = 24, n2 = 16> {
}

// -----

// expected-error @+1 {{expected n1 to be a multiple of 16 up to 16384 and n2 16, got 16400 and 16}}
gnn_overlay.program @program_c3_too_many target <> partition <vertices = 20, edges = 7, n1 = 16400, n2 = 16> {
}

// -----

// expected-error @+1 {{expected n1 to be a multiple of 16 up to 16384 and n2 16, got 16 and 8}}
gnn_overlay.program @program_c3_columns target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 8> {
}

// -----

gnn_overlay.program @program_c4 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected a row for each of 20 vertices, got 21}}
  gnn_overlay.region @x features [21, 8] input at 0 of "x"
}

// -----

gnn_overlay.program @program_c4_edges target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected a column for each of 7 edges, got 8}}
  gnn_overlay.region @e edges [4, 8] input at 0
}

// -----

gnn_overlay.program @region_c1 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected an address that is a multiple of 64, got 32}}
  gnn_overlay.region @x features [20, 8] input at 32 of "x"
}

// -----

gnn_overlay.program @region_c1_negative target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected an address that is a multiple of 64, got -64}}
  gnn_overlay.region @x features [20, 8] input at -64 of "x"
}

// -----

gnn_overlay.program @region_c2 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected two extents that are not negative}}
  gnn_overlay.region @x features [20] input at 0 of "x"
}

// -----

gnn_overlay.program @region_c2_negative target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected two extents that are not negative}}
  gnn_overlay.region @x features [20, -8] input at 0 of "x"
}

// -----

gnn_overlay.program @region_c2_columns target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected fewer than 2^31 columns and at most 2^44 numbers, got 20 x 2147483648}}
  gnn_overlay.region @x features [20, 2147483648] input at 0 of "x"
}

// -----

gnn_overlay.program @region_c2_numbers target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected fewer than 2^31 columns and at most 2^44 numbers, got 1048576 x 1073741824}}
  gnn_overlay.region @w weights [1048576, 1073741824] input at 0
}

// -----

gnn_overlay.program @region_c3 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected pieces of an input of weights or rows, got input features}}
  gnn_overlay.region @x features [20, 8] input at 0 pieces [["x", false, 0, 0, 8, 0, 0, 20, 8]]
}

// -----

gnn_overlay.program @region_c3_temporary target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected pieces of an input of weights or rows, got temporary weights}}
  gnn_overlay.region @w weights [8, 8] temporary at 0 pieces [["x", false, 0, 0, 8, 0, 0, 8, 8]]
}

// -----

gnn_overlay.program @region_c3_fields target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected pieces of a name or number, a flag and seven numbers that are not negative, got ["w", false, 0]}}
  gnn_overlay.region @w weights [8, 8] input at 0 pieces [["w", false, 0]]
}

// -----

gnn_overlay.program @region_c3_negative target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected pieces of a name or number, a flag and seven numbers that are not negative, got ["w", false, 0, 0, 8, 0, 0, 8, -8]}}
  gnn_overlay.region @w weights [8, 8] input at 0 pieces [["w", false, 0, 0, 8, 0, 0, 8, -8]]
}

// -----

gnn_overlay.program @region_c3_type target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected pieces of a name or number, a flag and seven numbers that are not negative, got}}
  gnn_overlay.region @w weights [8, 8] input at 0 pieces [["w", false, 0, 0, 8, 0, 0, 8, 8 : i128]]
}

// -----

gnn_overlay.program @read_c1 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] temporary at 0
  // expected-error @+1 {{'gnn_overlay.read' op expected an input, got temporary}}
  %x = gnn_overlay.read @x : tensor<?x8xf32, #gnn.rows<@g, node>>
}

// -----

gnn_overlay.program @read_of_nothing target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.read' op names the region @x, which the program around it does not have}}
  %x = gnn_overlay.read @x : tensor<?x8xf32, #gnn.rows<@g, node>>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

gnn_overlay.program @place_c1 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  %x = gnn_overlay.read @x : tensor<?x8xf32, #gnn.rows<@g, node>>
  %y = gnn_overlay.aggregate sum %x : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  // expected-error @+1 {{'gnn_overlay.place' op expected an output or a temporary region, got an input}}
  gnn_overlay.place %y in @x : tensor<?x8xf32, #gnn.rows<@g, node>>
}

// -----

gnn_overlay.program @place_c2 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  gnn_overlay.region @y features [20, 8] output at 4096
  %x = gnn_overlay.read @x : tensor<?x8xf32, #gnn.rows<@g, node>>
  // expected-error @+1 {{'gnn_overlay.place' op expected the result of a layer, placed once}}
  gnn_overlay.place %x in @y : tensor<?x8xf32, #gnn.rows<@g, node>>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

gnn_overlay.program @place_c2_twice target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  gnn_overlay.region @y features [20, 8] output at 4096
  gnn_overlay.region @z features [20, 8] output at 8192
  %x = gnn_overlay.read @x : tensor<?x8xf32, #gnn.rows<@g, node>>
  %y = gnn_overlay.aggregate sum %x : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  // expected-error @+1 {{'gnn_overlay.place' op expected the result of a layer, placed once}}
  gnn_overlay.place %y in @y : tensor<?x8xf32, #gnn.rows<@g, node>>
  gnn_overlay.place %y in @z : tensor<?x8xf32, #gnn.rows<@g, node>>
}

// -----

gnn_overlay.program @layer_block_c1 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    // expected-error @+1 {{'arith.constant' op expected tiling blocks in a layer block}}
    %x = arith.constant 1.0 : f32
  }
}

// -----

gnn_overlay.program @tiling_block_c1 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'arith.constant' op expected instructions in a tiling block}}
      %x = arith.constant 1.0 : f32
    }
  }
}

// -----

gnn_overlay.program @tiling_block_c1_loop_first target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.loop' op expected one loop, behind an instruction}}
      gnn_overlay.loop {
        gnn_overlay.gemm rows 16 len 16 cols 16
      }
      gnn_overlay.gemm rows 16 len 16 cols 16
    }
  }
}

// -----

gnn_overlay.program @tiling_block_c1_loops target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      gnn_overlay.init zero rows 16 width 16 trips 2
      gnn_overlay.loop {
        gnn_overlay.gemm rows 16 len 16 cols 16
      }
      // expected-error @+1 {{'gnn_overlay.loop' op expected one loop, behind an instruction}}
      gnn_overlay.loop {
        gnn_overlay.gemm rows 16 len 16 cols 16
      }
      gnn_overlay.gemm rows 16 len 16 cols 16
    }
  }
}

// -----

gnn_overlay.program @tiling_block_c2 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    // expected-error @+1 {{expected an instruction at the end of a tile}}
    gnn_overlay.tiling_block {
      gnn_overlay.init zero rows 16 width 16 trips 2
      gnn_overlay.loop {
        gnn_overlay.gemm rows 16 len 16 cols 16
      }
    }
  }
}

// -----

gnn_overlay.program @tiling_block_c2_empty target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    // expected-error @+1 {{expected an instruction at the end of a tile}}
    gnn_overlay.tiling_block {
    }
  }
}

// -----

gnn_overlay.program @loop_c1 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      gnn_overlay.init zero rows 16 width 16 trips 2
      gnn_overlay.loop {
        // expected-error @+1 {{'arith.constant' op expected instructions in a loop}}
        %x = arith.constant 1.0 : f32
      }
      gnn_overlay.gemm rows 16 len 16 cols 16
    }
  }
}

// -----

gnn_overlay.program @program_c1_parts target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  // expected-error @+1 {{expected layer blocks in a part}}
  gnn_overlay.program @part target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
    gnn_overlay.region @x features [20, 8] input at 0 from [0, 0]
    %x = gnn_overlay.read @x : tensor<?x8xf32, #gnn.rows<@g, node>>
  }
}

// -----

// expected-error @+1 {{expected layers, layer blocks or parts, got several of these}}
gnn_overlay.program @program_c1_parts_and_blocks target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
  }
  gnn_overlay.program @part target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  }
}

// -----

gnn_overlay.program @program_c4_rows target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [40, 40] input at 0 of "x"
  gnn_overlay.program @part target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
    // expected-error @+1 {{'gnn_overlay.region' op expected a window of @x [40, 40] in whole blocks and fibers, or shards, got [20, 16] from [0, 0]}}
    gnn_overlay.region @x features [20, 16] input at 0 from [0, 0]
  }
}

// -----

gnn_overlay.program @program_c4_fiber target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [40, 40] input at 0 of "x"
  gnn_overlay.program @part target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
    // expected-error @+1 {{'gnn_overlay.region' op expected a window of @x [40, 40] in whole blocks and fibers, or shards, got [16, 16] from [32, 8]}}
    gnn_overlay.region @x features [16, 16] input at 0 from [32, 8]
  }
}

// -----

gnn_overlay.program @program_c4_edges target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @e edges [9, 7] input at 0
  gnn_overlay.program @part target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
    // expected-error @+1 {{'gnn_overlay.region' op expected a window of @e [9, 7] in whole blocks and fibers, or shards, got [4, 3] from [6, 0]}}
    gnn_overlay.region @e edges [4, 3] input at 0 from [6, 0]
  }
}

// -----

gnn_overlay.program @program_c4_weights target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @w weights [9, 7] input at 0
  gnn_overlay.program @part target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
    // expected-error @+1 {{'gnn_overlay.region' op expected a window of @w [9, 7] in whole blocks and fibers, or shards, got [8, 7] from [0, 0]}}
    gnn_overlay.region @w weights [8, 7] input at 0 from [0, 0]
  }
}

// -----

gnn_overlay.program @program_c4_name target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [40, 40] input at 0 of "x"
  gnn_overlay.program @part target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
    // expected-error @+1 {{'gnn_overlay.region' op expected a region of the program that has the kind and the name of its window}}
    gnn_overlay.region @y features [40, 40] input at 0 from [0, 0]
  }
}

// -----

gnn_overlay.program @program_c5 target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{expected a part of the target, the partition and the graph of its program}}
  gnn_overlay.program @part target <> partition <vertices = 40, edges = 7, n1 = 32, n2 = 16> {
  }
}

// -----

gnn_overlay.program @region_c4_part target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [40, 40] input at 0 of "x"
  gnn_overlay.program @part target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
    // expected-error @+1 {{'gnn_overlay.region' op expected the place of a window in a part}}
    gnn_overlay.region @x features [40, 40] input at 0
  }
}

// -----

gnn_overlay.program @region_c4_whole target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{'gnn_overlay.region' op expected no window outside of parts}}
  gnn_overlay.region @x features [40, 40] input at 0 from [0, 0]
}

// -----

gnn_overlay.program @region_c4_argument target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [40, 40] input at 0 of "x"
  gnn_overlay.program @part target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
    // expected-error @+1 {{'gnn_overlay.region' op expected a row and a column that are not negative, and no argument}}
    gnn_overlay.region @x features [40, 40] input at 0 from [0, -16]
  }
}

// -----

// The sum of the first row and the rows does not fit 64 bits.

gnn_overlay.program @program_c4_far target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [40, 40] input at 0 of "x"
  gnn_overlay.program @part target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16> {
    // expected-error @+1 {{'gnn_overlay.region' op expected a window of @x [40, 40] in whole blocks and fibers, or shards, got [16, 16] from [9223372036854775792, 0]}}
    gnn_overlay.region @x features [16, 16] input at 0 from [9223372036854775792, 0]
  }
}

// -----

gnn_overlay.program @program_c4_within_a_shard target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16, shard_edges = [2, 1, 4]> {
  gnn_overlay.region @e edges [9, 7] input at 0
  gnn_overlay.program @part target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16, shard_edges = [2, 1, 4]> {
    gnn_overlay.region @e edges [6, 5] input at 0 from [3, 0]
  }
  gnn_overlay.program @other target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16, shard_edges = [2, 1, 4]> {
    // expected-error @+1 {{'gnn_overlay.region' op expected a window of @e [9, 7] in whole blocks and fibers, or shards, got [4, 1] from [3, 0]}}
    gnn_overlay.region @e edges [4, 1] input at 0 from [3, 0]
  }
}

// -----

gnn_overlay.program @program_c4_edges_of_shards target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16, shard_edges = [2, 1, 4]> {
  gnn_overlay.region @e edges [9, 7] input at 0
  gnn_overlay.program @part target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16, shard_edges = [2, 1, 4]> {
    // expected-error @+1 {{'gnn_overlay.region' op expected a window of @e [9, 7] in whole blocks and fibers, or shards, got [3, 4] from [3, 0]}}
    gnn_overlay.region @e edges [3, 4] input at 0 from [3, 0]
  }
}

// -----

gnn_overlay.program @program_c4_entries target <> partition <vertices = 40, edges = 7, n1 = 16, n2 = 16, shard_edges = [2, 1, 4]> {
  // expected-error @+1 {{'gnn_overlay.region' op expected a row for each of 9 entries, got 8}}
  gnn_overlay.region @e edges [8, 7] input at 0
}

// -----

// expected-error @+1 {{expected a square gnn.graph of the module, got @g}}
gnn_overlay.program @program_c6 graph @g target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
}

// -----

gnn.graph @g bipartite {node_types = 1, edge_types = 1}
// expected-error @+1 {{expected a square gnn.graph of the module, got @g}}
gnn_overlay.program @program_c6_bipartite graph @g target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
}

// -----

gnn_overlay.program @read_c2 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  // expected-error @+1 {{'gnn_overlay.read' op expected the type of the features [20, 8] of @x, got 'tensor<?x9xf32, #gnn.rows<@g, node>>'}}
  %x = gnn_overlay.read @x : tensor<?x9xf32, #gnn.rows<@g, node>>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @h square {node_types = 1, edge_types = 1}
gnn_overlay.program @read_c2_graph graph @g target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  // expected-error @+1 {{'gnn_overlay.read' op expected the type of the features [20, 8] of @x, got 'tensor<?x8xf32, #gnn.rows<@h, node>>'}}
  %x = gnn_overlay.read @x : tensor<?x8xf32, #gnn.rows<@h, node>>
}

// -----

gnn_overlay.program @read_c2_weights target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @w weights [400, 16] input at 0
  // expected-error @+1 {{'gnn_overlay.read' op expected the type of the weights [400, 16] of @w, got 'tensor<99x16xf32>'}}
  %w = gnn_overlay.read @w : tensor<99x16xf32>
}

// -----

gnn_overlay.program @read_c2_row target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @b row [1, 8] input at 0
  // expected-error @+1 {{'gnn_overlay.read' op expected the type of the row [1, 8] of @b, got 'tensor<9xf32>'}}
  %b = gnn_overlay.read @b : tensor<9xf32>
}

// -----

gnn_overlay.program @read_c2_edges target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @e edges [4, 7] input at 0
  // expected-error @+1 {{'gnn_overlay.read' op expected the type of the edges [4, 7] of @e, got 'tensor<?x8xf32, #gnn.rows<@g, node>>'}}
  %e = gnn_overlay.read @e : tensor<?x8xf32, #gnn.rows<@g, node>>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn_overlay.program @place_c3 graph @g target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.region @x features [20, 8] input at 0 of "x"
  gnn_overlay.region @y features [20, 4] output at 4096
  %x = gnn_overlay.read @x : tensor<?x8xf32, #gnn.rows<@g, node>>
  %y = gnn_overlay.activation %x activations [#gnn_overlay.act<relu>] : tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
  // expected-error @+1 {{'gnn_overlay.place' op expected the type of the features [20, 4] of @y, got 'tensor<?x8xf32, #gnn.rows<@g, node>>'}}
  gnn_overlay.place %y in @y : tensor<?x8xf32, #gnn.rows<@g, node>>
}

// -----

gnn_overlay.program @layer_block_c2 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block linear layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.spdmm' op expected instructions of a layer of type linear}}
      gnn_overlay.spdmm sum width 16
    }
  }
}

// -----

gnn_overlay.program @layer_block_c2_gemm target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block vector_add layer 1 in 8 out 8 {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.gemm' op expected instructions of a layer of type vector_add}}
      gnn_overlay.gemm rows 16 len 16 cols 16
    }
  }
}

// -----

gnn_overlay.program @layer_block_c2_aggregation target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  gnn_overlay.layer_block aggregate layer 1 in 8 out 8 aggregation max {
    gnn_overlay.tiling_block {
      // expected-error @+1 {{'gnn_overlay.spdmm' op expected the aggregation of its layer}}
      gnn_overlay.spdmm sum width 16
    }
  }
}

// -----

gnn_overlay.program @layer_block_c3 target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{expected a layer from 1 to 255, got 256}}
  gnn_overlay.layer_block linear layer 256 in 8 out 8 {
  }
}

// -----

gnn_overlay.program @layer_block_c3_none target <> partition <vertices = 20, edges = 7, n1 = 16, n2 = 16> {
  // expected-error @+1 {{expected a layer from 1 to 255, got 0}}
  gnn_overlay.layer_block linear layer 0 in 8 out 8 {
  }
}
