// RUN: gnn-opt %s --split-input-file --verify-diagnostics

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c12(%x: memref<?x8xf32>, %p: memref<?x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{expected parts of the long tiles, or in buffers of the pieces, of its groups and elements, 'dst' and 'edge.in_rows', got 'tiles<dst, edge.in_rows, 16>'}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      parts(%p : memref<?x8xf32>) of tiles<dst, edge.in_rows, 16> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c12_groups(%x: memref<?x8xf32>, %p: memref<?x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'dst' and 'edge.in_rows', got 'long_tiles<src, edge.out_rows, 16>'}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      parts(%p : memref<?x8xf32>) of long_tiles<src, edge.out_rows, 16> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c12_rows(%x: memref<?x8xf32>, %p: memref<?x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{expected parts of the long tiles, or in buffers of the pieces, of its groups and elements, 'dst' and '', got 'long_tiles<dst, edge.in_rows, 16>'}}
  gnn_tile.traverse @g <dst, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      parts(%p : memref<?x8xf32>) of long_tiles<dst, edge.in_rows, 16> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c12_again(%x: memref<?xf32>, %p: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{expected elements that are walked once where groups are made of parts, got a body that needs a reduction over them for each of them}}
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
      parts(%p, %p : memref<?xf32>, memref<?xf32>) of long_tiles<dst, edge.in_rows, 16> {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    %d = arith.subf %v, %max : f32
    %s = gnn_tile.reduce sum [element] %d : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c12_elements(%x: memref<?xf32>, %p: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{expected elements that are walked once where groups are made of parts}}
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      parts(%p : memref<?xf32>) of long_tiles<dst, edge.in_rows, 16> {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    %d = arith.subf %v, %max : f32
    gnn_tile.yield %d : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c13(%x: memref<?xf32>, %p: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{expected one of 'parts' for each result of a reduction over elements: 1, got 2}}
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
      parts(%p, %p : memref<?xf32>, memref<?xf32>) of long_tiles<dst, edge.in_rows, 16> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c13_level(%x: memref<?x8xf32>, %p: memref<?xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{expected parts of 'memref<?x8xf32>' for a reduction, got 'memref<?xf32>'}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      parts(%p : memref<?xf32>) of long_tiles<dst, edge.in_rows, 16> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c13_order(%x: tensor<?xf32>, %p: tensor<?xf32, #gnn_tile.order<dst.by_type>>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected parts of 'tensor<?xf32>' for a reduction}}
  %z = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : tensor<?xf32>) at [#gnn_tile.at<group>]
      parts(%p : tensor<?xf32, #gnn_tile.order<dst.by_type>>) of long_tiles<dst, edge.in_rows, 16> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @split_rows(%x: memref<?xf32>, %p: memref<?xf32>, %y: memref<?xf32>, %first: index, %end: index, %column: index,
    %a: memref<?xi32>, %b: memref<?xi32>) {
  // expected-error @+1 {{cannot honour the schedule's 'split_rows': groups of more than 16 elements are made of parts, got 32}}
  gnn_tile.traverse @g <dst, edge.in_rows> rows[%first to %end] columns[%column]
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
      parts(%p : memref<?xf32>) of long_tiles<dst, edge.in_rows, 16>
      index_arrays(%a, %b : memref<?xi32>, memref<?xi32>)
      schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 8, in_flight = 4, rows_per_block = 32, row_order = natural, row_walk = by_length, split_rows = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c12_of(%x: memref<?xf32>, %p: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected the tiles that 'parts' are of}}
  "gnn_tile.traverse"(%x, %y, %p) <{domain = #gnn_tile.domain<dst, edge.in_rows>, graph = @g, inputs_at = [#gnn_tile.at<element -> src>], outputs_at = [#gnn_tile.at<group>], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>}> ({
  ^bb0(%v: f32):
    %s = "gnn_tile.reduce"(%v) <{dims = array<i32: 0>, kind = #gnn_tile<reduction sum>}> : (f32) -> f32
    "gnn_tile.yield"(%s) : (f32) -> ()
  }) : (memref<?xf32>, memref<?xf32>, memref<?xf32>) -> ()
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @pieces_of_other_blocks(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %p: memref<?x64xf32>) {
  // expected-error @+1 {{expected pieces of blocks of 1024 elements, as its schedule has them, got 'pieces<dst, edge.in_rows, 512>'}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      parts(%p : memref<?x64xf32>) of pieces<dst, edge.in_rows, 512>
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @pieces_of_a_mean(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %p: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      parts(%p : memref<?x64xf32>) of pieces<dst, edge.in_rows, 1024>
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
  // expected-error @+1 {{expected no mean over elements whose groups are made of pieces}}
    %s = gnn_tile.reduce mean [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @pieces_of_no_block(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %p: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      // expected-error @+1 {{expected blocks of a power of two from 64 to 16384 elements, got 1000}}
      parts(%p : memref<?x64xf32>) of pieces<dst, edge.in_rows, 1000>
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
