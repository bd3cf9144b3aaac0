// RUN: gnn-opt %s --gnn-tile-gather-copies --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-gather-copies --remark-format=emitRemark | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-gather-copies=gather=1 | FileCheck %s --check-prefix=ALL
// RUN: gnn-opt %s --gnn-tile-gather-copies=gather=0 | FileCheck %s --check-prefix=NONE
// RUN: gnn-opt %s --gnn-attach-target=kind=cpu --gnn-tile-gather-copies \
// RUN:   --remarks-filter=gnn-tile-gather-copies --remark-format=emitRemark 2>%t | FileCheck %s --check-prefix=CPU
// RUN: FileCheck %s --check-prefix=CORES --input-file=%t
// RUN: not gnn-opt %s --gnn-tile-gather-copies=gather=7 2>&1 | FileCheck %s --check-prefix=RANGE
//
// RANGE: gnn-tile-gather-copies: expected 'gather' -1, 0 or 1, got 7
// CORES-COUNT-15: the cores of a CPU have no sectors of 32 bytes
// CORES-NOT: [Passed]

gnn.graph @large square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 232965,
  dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965]>}
gnn.graph @sorted square {node_types = 1, edge_types = 1, dst_sorted, stats = #gnn.stats<src_nodes = 232965,
  dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965]>}
gnn.graph @larger square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 20000,
  dst_nodes = 20000, edges = 10100000, type_edges = [10100000], src_pairs = [20000], dst_pairs = [20000]>}
gnn.graph @fitting square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 20000,
  dst_nodes = 20000, edges = 9900000, type_edges = [9900000], src_pairs = [20000], dst_pairs = [20000]>}
gnn.graph @small square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2329,
  dst_nodes = 2329, edges = 114615, type_edges = [114615], src_pairs = [2329], dst_pairs = [2329]>}
gnn.graph @unknown square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @numbers
// CHECK:         gnn_tile.traverse @large <edge> {{.*}}[#gnn_tile.at<group -> edge.in_rows>] {{.*}}[#gnn_tile.at<group>]
// NONE-LABEL: func.func @numbers
// NONE:         gnn_tile.traverse @large <edge.in_rows> {{.*}}[#gnn_tile.at<group>] {{.*}}[#gnn_tile.at<group -> edge>]
// CPU-LABEL: func.func @numbers
// CPU:         gnn_tile.traverse @large <edge.in_rows> {{.*}}[#gnn_tile.at<group>] {{.*}}[#gnn_tile.at<group -> edge>]
func.func @numbers(%s: tensor<?xf32, #gnn_tile.order<edge.in_rows>>) -> tensor<?xf32> {
  %n = gnn_tile.count @large count edge : index
  %to = tensor.empty(%n) : tensor<?xf32>
  // expected-remark @+1 {{the rows are gathered where they are read, and not copied}}
  %c = gnn_tile.traverse @large <edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// Numbers of 40.4 MB do not stay in an L2 of 60 MB that rows pass through, those of 39.6 do: two thirds
// are 40.
//
// CHECK-LABEL: func.func @share
// CHECK:         gnn_tile.traverse @larger <edge>
// CHECK:         gnn_tile.traverse @fitting <edge.in_rows>
func.func @share(%s: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %to = tensor.empty(%n) : tensor<?xf32>
  // expected-remark @+1 {{the rows are gathered where they are read, and not copied}}
  %c = gnn_tile.traverse @larger <edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  // expected-remark @+1 {{its result is not known to exceed two thirds of the L2; no traversal}}
  %d = gnn_tile.traverse @fitting <edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %c, %d : tensor<?xf32>, tensor<?xf32>
}

// The orders are one here; the L2 holds those of a small graph, and wide rows are whole sectors. No
// traversal gives the rows that are copied.
//
// CHECK-LABEL: func.func @others
// CHECK:         gnn_tile.traverse @sorted <edge.in_rows>
// CHECK:         gnn_tile.traverse @small <edge.in_rows>
// CHECK:         gnn_tile.traverse @large <edge.in_rows, features = 8>
// ALL-LABEL: func.func @others
// ALL:         gnn_tile.traverse @sorted <edge.in_rows>
// ALL:         gnn_tile.traverse @small <edge>
// ALL:         gnn_tile.traverse @large <edge, features = 8>
// NONE-LABEL: func.func @others
// NONE:         gnn_tile.traverse @sorted <edge.in_rows>
// NONE:         gnn_tile.traverse @small <edge.in_rows>
// NONE:         gnn_tile.traverse @large <edge.in_rows, features = 8>
func.func @others(%s: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %w: tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>,
                  %n: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x8xf32>) {
  %to = tensor.empty(%n) : tensor<?xf32>
  // expected-remark @+1 {{edges that are sorted by destination lie in one order; no traversal of its graph gives what it copies}}
  %c = gnn_tile.traverse @sorted <edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  // expected-remark @+1 {{its result is not known to exceed two thirds of the L2; no traversal}}
  %d = gnn_tile.traverse @small <edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %rows = tensor.empty(%n) : tensor<?x8xf32>
  // expected-remark @+1 {{its rows have at least the 32 bytes of a sector; no traversal}}
  %e = gnn_tile.traverse @large <edge.in_rows, features = 8>
      ins(%w : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>]
      outs(%rows : tensor<?x8xf32>) at [#gnn_tile.at<group -> edge : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %c, %d, %e : tensor<?xf32>, tensor<?xf32>, tensor<?x8xf32>
}

// A result that a walk writes in another order, as where a copy was fused into it: two heads of
// Reddit's edges are 0.9 GB in rows of 8 bytes.
//
// CHECK-LABEL: func.func @heads
// CHECK:         %[[TO:.+]] = tensor.empty(%{{.+}}) : tensor<?x2xf32>
// CHECK:         %[[OWN:.+]] = tensor.empty(%{{.+}}) : tensor<?x2xf32, #edge_in_rows>
// CHECK:         %[[S:.+]] = gnn_tile.traverse @large <dst, edge.in_rows, heads = 2, features = 32>
// CHECK-SAME:        outs(%[[OWN]] : {{.*}}) at [#gnn_tile.at<element : head>] schedule <row_walk = by_edges>
// CHECK:         %[[C:.+]] = gnn_tile.traverse @large <edge, heads = 2>
// CHECK-SAME:        ins(%[[S]] : {{.*}}) at [#gnn_tile.at<group -> edge.in_rows : head>]
// CHECK-SAME:        outs(%[[TO]] : {{.*}}) at [#gnn_tile.at<group : head>]
// CHECK:         return %[[C]]
// NONE-LABEL: func.func @heads
// NONE:         at [#gnn_tile.at<element -> edge : head>] schedule <row_walk = by_edges>
// NONE-NOT:     gnn_tile.traverse
// NONE:         return
// CPU-LABEL: func.func @heads
// CPU:         at [#gnn_tile.at<element -> edge : head>] schedule <row_walk = by_edges>
func.func @heads(%x: tensor<?x2x32xf32>) -> tensor<?x2xf32> {
  %n = gnn_tile.count @large count edge : index
  %to = tensor.empty(%n) : tensor<?x2xf32>
  // expected-remark @+1 {{the rows are stored in the order of the walk, and gathered from there}}
  %s = gnn_tile.traverse @large <dst, edge.in_rows, heads = 2, features = 32>
      ins(%x, %x : tensor<?x2x32xf32>, tensor<?x2x32xf32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<element -> src : head, feature>]
      outs(%to : tensor<?x2xf32>) at [#gnn_tile.at<element -> edge : head>] schedule <row_walk = by_edges> {
  ^bb0(%xv: f32, %zv: f32):
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?x2xf32>
  return %s : tensor<?x2xf32>
}

// One of two results goes on in order, and the other one in that of the walk; edges one by one
// have them as well, and so have walks by rows.
//
// CHECK-LABEL: func.func @two
// CHECK:         %[[S:.+]]:2 = gnn_tile.traverse @large <edge.in_rows, features = 4>
// CHECK-SAME:        at [#gnn_tile.at<group>, #gnn_tile.at<group>]
// CHECK:         %[[C:.+]] = gnn_tile.traverse @large <edge> ins(%[[S]]#1
// CHECK-SAME:        at [#gnn_tile.at<group -> edge.in_rows>]
// CHECK:         %[[T:.+]] = gnn_tile.traverse @large <dst, edge.in_rows>
// CHECK-SAME:        at [#gnn_tile.at<element>]
// CHECK:         %[[D:.+]] = gnn_tile.traverse @large <edge> ins(%[[T]]
// CHECK:         return %[[S]]#0, %[[C]], %[[D]]
func.func @two(%x: tensor<?x4xf32>, %w: tensor<?xf32>)
    -> (tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32>, tensor<?xf32>) {
  %n = gnn_tile.count @large count edge : index
  %own = tensor.empty(%n) : tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %to = tensor.empty(%n) : tensor<?xf32>
  // expected-remark @+1 {{the rows are stored in the order of the walk, and gathered from there}}
  %s:2 = gnn_tile.traverse @large <edge.in_rows, features = 4>
      ins(%x : tensor<?x4xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%own, %to : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32>)
      at [#gnn_tile.at<group>, #gnn_tile.at<group -> edge>] {
  ^bb0(%xv: f32):
    %d = gnn_tile.reduce sum [feature] %xv : f32
    %e = gnn_tile.reduce max [feature] %xv : f32
    gnn_tile.yield %d, %e : f32, f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32>
  // expected-remark @+1 {{the rows are stored in the order of the walk, and gathered from there}}
  %t = gnn_tile.traverse @large <dst, edge.in_rows>
      ins(%w : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] {
  ^bb0(%wv: f32):
    %z = gnn_tile.reduce sum [element] %wv : f32
    %e = arith.divf %wv, %z : f32
    gnn_tile.yield %e : f32
  } -> tensor<?xf32>
  return %s#0, %s#1, %t : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32>, tensor<?xf32>
}

// Numbers for a walk of the other ends are written in its order, which was not measured.
//
// CHECK-LABEL: func.func @for_walk
// CHECK:         at [#gnn_tile.at<element -> edge.in_rows>] {
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return
// ALL-LABEL: func.func @for_walk
// ALL:         gnn_tile.traverse @large <src, edge.out_rows> {{.*}} at [#gnn_tile.at<element>] {
// ALL:         gnn_tile.traverse @large <edge.in_rows>
// ALL-SAME:        at [#gnn_tile.at<group -> edge.out_rows>]
// ALL-SAME:        at [#gnn_tile.at<group>]
func.func @for_walk(%x: tensor<?xf32>) -> tensor<?xf32, #gnn_tile.order<edge.in_rows>> {
  %n = gnn_tile.count @large count edge : index
  %to = tensor.empty(%n) : tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark @+1 {{it is in the order of another walk, where copies that gather were not measured}}
  %s = gnn_tile.traverse @large <src, edge.out_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> dst>]
      outs(%to : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element -> edge.in_rows>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  return %s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>
}

// Results that stay: nothing is known of the graph, the orders are one, the result goes on with what
// was there, or a schedule was given.
//
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-4: at [#gnn_tile.at<element -> edge>] schedule
// ALL-LABEL: func.func @stay
// ALL:         traverse @unknown <dst, edge.in_rows> {{.*}} at [#gnn_tile.at<element>] schedule
// ALL:         traverse @unknown <edge>
// ALL-COUNT-3:  at [#gnn_tile.at<element -> edge>] schedule
func.func @stay(%x: tensor<?xf32>, %given: tensor<?xf32>, %n: index)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %to = tensor.empty(%n) : tensor<?xf32>
  // expected-remark @+1 {{its result is not known to exceed two thirds of the L2}}
  %a = gnn_tile.traverse @unknown <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %b = gnn_tile.traverse @sorted <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %c = gnn_tile.traverse @large <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%given : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %d = gnn_tile.traverse @large <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] schedule <in_flight = 4, row_walk = by_edges> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %a, %b, %c, %d : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// A result that is copied, behind a reshape, and read by nothing else is written there; one that has
// another reader is not. Where a copy gathers, the walk stays as it is.
//
// CHECK-LABEL: func.func @copied
// CHECK:         %[[OUT:.*]] = tensor.empty({{.*}}) : tensor<?xf32>
// CHECK:         %[[S:.*]] = gnn_tile.traverse @small <dst, edge.in_rows, features = 64>
// CHECK-SAME:        outs(%[[OUT]] : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] schedule <row_walk = by_edges>
// CHECK:         %[[R:.*]] = tensor.expand_shape %[[S]] {{.*}} : tensor<?xf32> into tensor<?x1xf32>
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return %[[R]] : tensor<?x1xf32>
// ALL-LABEL: func.func @copied
// ALL:         at [#gnn_tile.at<element>] schedule <row_walk = by_edges>
// ALL:         gnn_tile.traverse @small <edge>
// NONE-LABEL: func.func @copied
// NONE:         at [#gnn_tile.at<element -> edge>] schedule <row_walk = by_edges>
// NONE-NOT:     gnn_tile.traverse
// NONE:         return
// CPU-LABEL: func.func @copied
// CPU:         at [#gnn_tile.at<element>] schedule <row_walk = by_edges>
// CPU:         gnn_tile.traverse @small <edge.in_rows>
func.func @copied(%x: tensor<?x64xf32>) -> tensor<?x1xf32> {
  %n = gnn_tile.count @small count edge : index
  %init = tensor.empty(%n) : tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %s = gnn_tile.traverse @small <dst, edge.in_rows, features = 64>
      ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element>] schedule <row_walk = by_edges> {
  ^bb0(%xv: f32, %zv: f32):
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %wide = tensor.expand_shape %s [[0, 1]] output_shape [%n, 1] : tensor<?xf32, #gnn_tile.order<edge.in_rows>> into tensor<?x1xf32, #gnn_tile.order<edge.in_rows>>
  %to = tensor.empty(%n) : tensor<?x1xf32>
  // expected-remark @+1 {{the producer writes the rows to the places that the copy would give them}}
  %c = gnn_tile.traverse @small <edge.in_rows> ins(%wide : tensor<?x1xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>]
      outs(%to : tensor<?x1xf32>) at [#gnn_tile.at<group -> edge : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x1xf32>
  return %c : tensor<?x1xf32>
}

// CHECK-LABEL: func.func @read_twice
// CHECK:         at [#gnn_tile.at<element>]
// CHECK:         gnn_tile.traverse @small <edge.in_rows>
// NONE-LABEL: func.func @read_twice
// NONE:         at [#gnn_tile.at<element>]
// NONE:         gnn_tile.traverse @small <edge.in_rows>
func.func @read_twice(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32, #gnn_tile.order<edge.in_rows>>) {
  %n = gnn_tile.count @small count edge : index
  %init = tensor.empty(%n) : tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %s = gnn_tile.traverse @small <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%init : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %to = tensor.empty(%n) : tensor<?xf32>
  // expected-remark @+1 {{its result is not known to exceed two thirds of the L2; what it copies has other readers}}
  %c = gnn_tile.traverse @small <edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %c, %s : tensor<?xf32>, tensor<?xf32, #gnn_tile.order<edge.in_rows>>
}

// Edges one by one write where a copy would put their rows, but not by a schedule that was given.
//
// CHECK-LABEL: func.func @edges
// CHECK:         gnn_tile.traverse @unknown <edge.in_rows> {{.*}} at [#gnn_tile.at<group -> edge>] {
// CHECK:         gnn_tile.traverse @unknown <edge.in_rows> {{.*}} at [#gnn_tile.at<group>] schedule
// CHECK:         gnn_tile.traverse @unknown <edge.in_rows> {{.*}} at [#gnn_tile.at<group -> edge>] {
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return
func.func @edges(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %n = gnn_tile.count @unknown count edge : index
  %own = tensor.empty(%n) : tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %to = tensor.empty(%n) : tensor<?xf32>
  %s = gnn_tile.traverse @unknown <edge.in_rows> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group -> src>]
      outs(%own : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark @+1 {{the producer writes the rows to the places that the copy would give them}}
  %c = gnn_tile.traverse @unknown <edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %t = gnn_tile.traverse @unknown <edge.in_rows> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group -> dst>]
      outs(%own : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] schedule <rows_per_block = 64> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark @+1 {{its result is not known to exceed two thirds of the L2; what gives its rows has a schedule}}
  %d = gnn_tile.traverse @unknown <edge.in_rows> ins(%t : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %c, %d : tensor<?xf32>, tensor<?xf32>
}
