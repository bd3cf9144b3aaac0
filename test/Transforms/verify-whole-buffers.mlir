// RUN: gnn-opt %s --pass-pipeline="builtin.module(func.func(gnn-verify-whole-results))" --verify-diagnostics --split-input-file
// RUN: not gnn-opt %s --gnn-schedule-pipeline --split-input-file 2>&1 | FileCheck %s

// On buffers, what is written until somebody reads counts. Functions that are
// written on buffers meet the check at the beginning of gnn-schedule-pipeline.
//
// CHECK: leaves columns 32 to 63 of 'memref<?x64xf32>'

gnn.graph @g square {node_types = 2, edge_types = 3}

// Half of what the caller gets is written.

func.func @half(%x: memref<?x32xf32>, %y: memref<?x64xf32> {bufferize.result}) {
  // expected-error @+1 {{'gnn_tile.traverse' op leaves columns 32 to 63 of 'memref<?x64xf32>' without a value: expected templates that write all of them, or a buffer that has values to go on with}}
  gnn_tile.traverse @g <dst, features = 32>
      ins(%x : memref<?x32xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  // expected-note @+1 {{what reads them}}
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The second half comes too late for who reads the whole.

func.func @too_late(%x: memref<?x4xf32>, %y: memref<?x8xf32> {bufferize.result}, %z: memref<?x8xf32> {bufferize.result}) {
  // expected-error @+1 {{leaves columns 4 to 7 of 'memref<?x8xf32>'}}
  gnn_tile.traverse @g <dst, features = 4>
      ins(%x : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  // expected-note @+1 {{what reads them}}
  gnn_tile.traverse @g <dst, features = 8>
      ins(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%z : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst, features = 4>
      ins(%x : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature + 4>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A gap in a place of the workspace, which several views are of; the reader sees
// it reshaped.

func.func @gap_in_workspace(%x: memref<?x8xf32>, %w: memref<8x16xf32>, %n: index,
    %y: memref<?x2x32xf32> {bufferize.result}, %workspace: memref<?xi8> {gnn.workspace}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : index
  %a = memref.view %workspace[%c0][%n] : memref<?xi8> to memref<?x64xf32>
  %b = memref.view %workspace[%zero][%n] : memref<?xi8> to memref<?x64xf32>
  gnn_tile.gemm @g rows dst ins(%x, %w : memref<?x8xf32>, memref<8x16xf32>)
      at <group : feature> extras at []
      outs(%a : memref<?x64xf32>) at <group : feature + 48> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  // expected-error @+1 {{leaves columns 8 to 47 of 'memref<?x64xf32>'}}
  gnn_tile.traverse @g <dst, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%b : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  %r = memref.expand_shape %b [[0], [1, 2]] output_shape [%n, 2, 32] : memref<?x64xf32> into memref<?x2x32xf32>
  // expected-note @+1 {{what reads them}}
  gnn_tile.traverse @g <dst, heads = 2, features = 32>
      ins(%r : memref<?x2x32xf32>) at [#gnn_tile.at<group : head, feature>]
      outs(%y : memref<?x2x32xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// An output that nothing is written to.

func.func @nothing(%y: memref<?x8xf32> {bufferize.result}) {
  // expected-error @+1 {{'func.return' op reads 'memref<?x8xf32>' before anything is written to it: expected a template in front that writes it}}
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The same in a function that has some of its templates alone.

func.func @excerpt(%y: memref<?x8xf32> {bufferize.result}) attributes {gnn.excerpt} {
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A buffer of one's own that is read first.

func.func @unwritten(%n: index, %y: memref<?x8xf32> {bufferize.result}) {
  %a = memref.alloc(%n) : memref<?x8xf32>
  // expected-error @+1 {{'gnn_tile.traverse' op reads 'memref<?x8xf32>' before anything is written to it}}
  gnn_tile.traverse @g <dst, features = 8>
      ins(%a : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Parts that meet are a whole, a copy of a whole is one, arguments have values to
// go on with, and so has what another op may have written. A place that another
// one may reach into is left alone.

func.func @whole(%x: memref<?x4xf32>, %z: memref<?x8xf32>, %n: index, %at: index,
    %y: memref<?x8xf32> {bufferize.result}, %u: memref<?x8xf32> {bufferize.result},
    %workspace: memref<?xi8> {gnn.workspace}) {
  gnn_tile.traverse @g <dst, features = 4>
      ins(%x : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature + 4>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst, features = 4>
      ins(%x : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst, features = 4>
      ins(%x : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%z : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  %a = memref.alloc(%n) : memref<?x8xf32>
  memref.copy %z, %a : memref<?x8xf32> to memref<?x8xf32>
  %c = memref.alloc(%n) : memref<?x8xf32>
  func.call @fills(%c) : (memref<?x8xf32>) -> ()
  %c0 = arith.constant 0 : index
  %p = memref.view %workspace[%c0][%n] : memref<?xi8> to memref<?x8xf32>
  %q = memref.view %workspace[%at][%n] : memref<?xi8> to memref<?x8xf32>
  gnn_tile.traverse @g <dst, features = 8>
      ins(%y, %a, %c, %z : memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>,
          #gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%p : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %w: f32, %s: f32, %t: f32):
    %1 = arith.addf %v, %w : f32
    %2 = arith.addf %s, %t : f32
    %3 = arith.addf %1, %2 : f32
    gnn_tile.yield %3 : f32
  }
  gnn_tile.traverse @g <dst, features = 8>
      ins(%q : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%u : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

func.func private @fills(memref<?x8xf32>)

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A buffer that is read reshaped may be one that another place reaches into,
// too.

func.func @reshaped(%x: memref<?x8xf32>, %z: memref<?x2x4xf32> {bufferize.result},
    %ws: memref<?xi8> {gnn.workspace}) {
  %c0 = arith.constant 0 : index
  %n = gnn_tile.count @g count dst : index
  %c16 = arith.constant 16 : index
  %a = memref.view %ws[%c0][%n] : memref<?xi8> to memref<?x8xf32>
  %b = memref.view %ws[%c16][%n] : memref<?xi8> to memref<?x8xf32>
  gnn_tile.traverse @g <dst, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  %r = memref.expand_shape %b [[0], [1, 2]] output_shape [%n, 2, 4] : memref<?x8xf32> into memref<?x2x4xf32>
  gnn_tile.traverse @g <dst, heads = 2, features = 4>
      ins(%r : memref<?x2x4xf32>) at [#gnn_tile.at<group : head, feature>]
      outs(%z : memref<?x2x4xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Two values may be one offset: what is written at one of them may fill the gaps
// of the other.

func.func @one_place(%x: memref<?x8xf32>, %x4: memref<?x4xf32>,
    %z: memref<?x8xf32> {bufferize.result}, %ws: memref<?xi8> {gnn.workspace}) {
  %n = gnn_tile.count @g count dst : index
  %m = arith.muli %n, %n : index
  %m2 = arith.muli %n, %n : index
  %a = memref.view %ws[%m][%n] : memref<?xi8> to memref<?x8xf32>
  %b = memref.view %ws[%m2][%n] : memref<?xi8> to memref<?x8xf32>
  gnn_tile.traverse @g <dst, features = 4>
      ins(%x4 : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst, features = 4>
      ins(%x4 : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%b : memref<?x8xf32>) at [#gnn_tile.at<group : feature + 4>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst, features = 8>
      ins(%b : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%z : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A workspace that something may have filled, and one that is seen in two forms.

func.func @filled(%n: index, %y: memref<?x8xf32> {bufferize.result}, %ws: memref<?xi8> {gnn.workspace}) {
  %all = memref.cast %ws : memref<?xi8> to memref<1024xi8>
  func.call @fills_bytes(%all) : (memref<1024xi8>) -> ()
  %c0 = arith.constant 0 : index
  %a = memref.view %ws[%c0][%n] : memref<?xi8> to memref<?x8xf32>
  gnn_tile.traverse @g <dst, features = 8>
      ins(%a : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

func.func private @fills_bytes(memref<1024xi8>)

func.func @in_bytes(%x: memref<?x8xf32>, %n: index, %y: memref<?x8xf32> {bufferize.result}, %ws: memref<?xi8> {gnn.workspace}) {
  %all = memref.cast %ws : memref<?xi8> to memref<1024xi8>
  %c0 = arith.constant 0 : index
  %a = memref.view %all[%c0][%n] : memref<1024xi8> to memref<?x8xf32>
  %b = memref.view %ws[%c0][%n] : memref<?xi8> to memref<?x8xf32>
  gnn_tile.traverse @g <dst, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst, features = 8>
      ins(%b : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A copy has the columns that were written, and may go on.

func.func @copied(%x: memref<?x4xf32>, %n: index, %y: memref<?x8xf32> {bufferize.result}) {
  %a = memref.alloc(%n) : memref<?x8xf32>
  gnn_tile.traverse @g <dst, features = 4>
      ins(%x : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  memref.copy %a, %y : memref<?x8xf32> to memref<?x8xf32>
  gnn_tile.traverse @g <dst, features = 4>
      ins(%x : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature + 4>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The others are still without a value.

func.func @copied_half(%x: memref<?x4xf32>, %n: index, %y: memref<?x8xf32> {bufferize.result}) {
  %a = memref.alloc(%n) : memref<?x8xf32>
  // expected-error @+1 {{leaves columns 4 to 7 of 'memref<?x8xf32>'}}
  gnn_tile.traverse @g <dst, features = 4>
      ins(%x : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  memref.copy %a, %y : memref<?x8xf32> to memref<?x8xf32>
  // expected-note @+1 {{what reads them}}
  return
}

// -----

gnn.graph @block bipartite {node_types = 1, edge_types = 1}

// The first rows are written alone, or before all are.

func.func @some_rows(%x: memref<?xf32>, %y: memref<?xf32> {bufferize.result}) {
  // expected-error @+1 {{leaves some rows of 'memref<?xf32>' without a value: expected templates that write all of them, or a buffer that has values to go on with}}
  gnn_tile.traverse @block <dst> ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group -> src>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  // expected-note @+1 {{what reads them}}
  return
}

func.func @some_rows_behind_all(%x: memref<?xf32>, %y: memref<?xf32> {bufferize.result}) {
  gnn_tile.traverse @block <src> at [] outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
    %zero = arith.constant 0.0 : f32
    gnn_tile.yield %zero : f32
  }
  gnn_tile.traverse @block <dst> ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group -> src>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Elements of long rows, and then all others, are all of them.

func.func @elements(%x: memref<?xf32>, %p: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index) {
  %e = memref.alloc(%n) : memref<?xf32>
  gnn_tile.traverse @g <long_tiles<dst, edge.in_rows, 16>, edge.in_rows>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%p, %e : memref<?xf32>, memref<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<element -> edge>] {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %max, %v : f32, f32
  }
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%y, %e : memref<?xf32>, memref<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<element -> edge>]
      parts(%p : memref<?xf32>) of long_tiles<dst, edge.in_rows, 16> {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %max, %v : f32, f32
  }
  gnn_tile.traverse @g <edge.in_rows>
      ins(%e : memref<?xf32>) at [#gnn_tile.at<group -> edge>]
      outs(%z : memref<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Those of more than 32 elements leave some of more than 16.

func.func @other_elements(%x: memref<?xf32>, %p: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index) {
  %e = memref.alloc(%n) : memref<?xf32>
  gnn_tile.traverse @g <long_tiles<dst, edge.in_rows, 32>, edge.in_rows>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%p, %e : memref<?xf32>, memref<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<element -> edge>] {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %max, %v : f32, f32
  }
  // expected-error @+1 {{leaves some rows of 'memref<?xf32>' without a value}}
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%y, %e : memref<?xf32>, memref<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<element -> edge>]
      parts(%p : memref<?xf32>) of long_tiles<dst, edge.in_rows, 16> {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %max, %v : f32, f32
  }
  // expected-note @+1 {{what reads them}}
  gnn_tile.traverse @g <edge.in_rows>
      ins(%e : memref<?xf32>) at [#gnn_tile.at<group -> edge>]
      outs(%z : memref<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

// Both halves of all heads are written; a part of a row without heads is read.
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @part_of_heads(%x: memref<?x4x4xf32>, %z: memref<?x8xf32>) {
  %n = gnn_tile.count @g count dst : index
  %y = memref.alloc(%n) : memref<?x4x8xf32>
  gnn_tile.traverse @g <dst, heads = 4, features = 4>
      ins(%x : memref<?x4x4xf32>) at [#gnn_tile.at<group : head, feature>]
      outs(%y : memref<?x4x8xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst, heads = 4, features = 4>
      ins(%x : memref<?x4x4xf32>) at [#gnn_tile.at<group : head, feature>]
      outs(%y : memref<?x4x8xf32>) at [#gnn_tile.at<group : head, feature + 4>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  %flat = memref.collapse_shape %y [[0], [1, 2]] : memref<?x4x8xf32> into memref<?x32xf32>
  gnn_tile.traverse @g <dst, features = 8>
      ins(%flat : memref<?x32xf32>) at [#gnn_tile.at<group : feature + 8>]
      outs(%z : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}
