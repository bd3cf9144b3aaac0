// RUN: gnn-opt %s --gnn-tile-shard-sources --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-shard-sources --remark-format=emitRemark | FileCheck %s
// RUN: gnn-opt %s --split-input-file -o /dev/null --gnn-tile-shard-sources=shards=0 --remarks-filter=gnn-tile-shard-sources \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: gnn-opt %s --gnn-tile-shard-sources=shards=2 --split-input-file | FileCheck %s --check-prefix=TWO
// RUN: gnn-opt %s --gnn-tile-shard-sources=shards=0 --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: gnn-opt %s --gnn-attach-target=kind=cpu --gnn-tile-shard-sources --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: echo | not gnn-opt --gnn-tile-shard-sources=shards=1 2>&1 | FileCheck %s --check-prefix=RANGE

// RANGE: gnn-tile-shard-sources: expected 'shards' -1, 0 or from 2 to 65535, got 1
// SAYS: it is turned off
// OFF-NOT: shards

// The counts of reddit: keys and values of 119 MB are gathered from.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 232965,
    dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965],
    dst_pairs = [232965], in_degree_max = 21657, out_degree_max = 21657>}

// CHECK-LABEL: func.func @attention(
// CHECK-SAME:      %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]: {{[^,]+}}, %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[Y:[a-z0-9]+]]:
// CHECK:         %[[N:.+]] = gnn_tile.count @g_shards count dst_pair
// CHECK:         %[[PARTS:.+]]:3 = gnn_tile.traverse @g_shards <dst_pair, edge.dst_pairs, features = 64> ins(%[[K]], %[[V]], %[[Q]]
// CHECK-SAME:        at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> src : feature>, #gnn_tile.at<group -> dst : feature>]
// CHECK-SAME:        at [#gnn_tile.at<group>, #gnn_tile.at<group>, #gnn_tile.at<group : feature>]
// CHECK:           %[[M:.+]], %[[SUMS:.+]]:2 = gnn_tile.softmax_sum
// CHECK:           gnn_tile.yield %[[M]], %[[SUMS]]#0, %[[SUMS]]#1
// CHECK:         gnn_tile.traverse @g_shards <dst, dst_pair.by_node, features = 64> ins(%[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2
// CHECK-SAME:        at [#gnn_tile.at<element -> dst_pair>, #gnn_tile.at<element -> dst_pair>, #gnn_tile.at<element -> dst_pair : feature>] outs(%[[Y]]
// CHECK:         ^bb0(%[[M0:.+]]: f32, %[[Z0:.+]]: f32, %[[T0:.+]]: f32):
// CHECK:           %{{.+}}, %[[ALL:.+]]:2 = gnn_tile.softmax_sum %[[M0]], %[[Z0]], %[[T0]]
// CHECK:           arith.divf %[[ALL]]#1, %[[ALL]]#0
// TWO: gnn.graph @g_shards square of @g shards 2 of src
func.func @attention(%k: tensor<?x64xf32>, %v: tensor<?x64xf32>, %q: tensor<?x64xf32>,
                     %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark @+1 {{the edges of each 'dst' are walked in 4 ranges of 'src', one by one: }}
  %r = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%k, %v, %q : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> src : feature>,
          #gnn_tile.at<group : feature>]
      outs(%y : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%key: f32, %value: f32, %query: f32):
    %one = arith.constant 1.0 : f32
    %p = arith.mulf %key, %query : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    %m, %z, %t = gnn_tile.softmax_sum %s, %one, %value : f32
    %o = arith.divf %t, %z : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// A walk of out-edges cuts the destinations. A tensor in the order of its edges is
// found there, side by side for the edges of a node in a range.
//
// CHECK-LABEL: func.func @backward(
// CHECK:         gnn_tile.traverse @g_shards_0 <src_pair, edge.src_pairs, features = 64>
// TWO-LABEL: func.func @backward(
// TWO:         gnn_tile.traverse @g_shards_0 <src_pair, edge.src_pairs, features = 64>
// TWO-SAME:        at [#gnn_tile.at<element -> dst : feature>, #gnn_tile.at<element -> dst : feature>, #gnn_tile.at<element -> edge.out_rows>, #gnn_tile.at<element -> edge>]
// TWO:         gnn_tile.traverse @g_shards_0 <src, src_pair.by_node, features = 64>
func.func @backward(%k: tensor<?x64xf32>, %v: tensor<?x64xf32>,
                    %a: tensor<?xf32, #gnn_tile.order<edge.out_rows>>, %b: tensor<?xf32>,
                    %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark @+1 {{the edges of each 'src' are walked in 4 ranges of 'dst', one by one: }}
  %r = gnn_tile.traverse @g <src, edge.out_rows, features = 64>
      ins(%k, %v, %a, %b : tensor<?x64xf32>, tensor<?x64xf32>,
          tensor<?xf32, #gnn_tile.order<edge.out_rows>>, tensor<?xf32>)
      at [#gnn_tile.at<element -> dst : feature>, #gnn_tile.at<element -> dst : feature>,
          #gnn_tile.at<element>, #gnn_tile.at<element -> edge>]
      outs(%y : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%key: f32, %value: f32, %w: f32, %x: f32):
    %p = arith.mulf %key, %value : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    %sw = arith.mulf %s, %w : f32
    %swx = arith.mulf %sw, %x : f32
    %t = arith.mulf %swx, %value : f32
    %o = gnn_tile.reduce sum [element] %t : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @refused(
// CHECK-NOT:     _shards
func.func @refused(%k: tensor<?x64xf32>, %small: tensor<?x8xf32>, %y: tensor<?x64xf32>,
                   %z: tensor<?x8xf32>, %scores: tensor<?xf32>)
    -> (tensor<?x64xf32>, tensor<?x8xf32>, tensor<?x64xf32>, tensor<?xf32>) {
  // expected-remark @+1 {{tiles of columns may fit the L2 without shards (gnn-tile-schedule-columns)}}
  %0 = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%k : tensor<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%key: f32):
    %o = gnn_tile.reduce sum [element] %key : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x64xf32>
  // expected-remark @+1 {{the 7.5 MB that it gathers from are in the L2}}
  %1 = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%small : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%z : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%key: f32):
    %s = gnn_tile.reduce sum [feature] %key : f32
    %t = arith.mulf %s, %key : f32
    %o = gnn_tile.reduce sum [element] %t : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x8xf32>
  // expected-remark @+1 {{a reduction needs all elements of its group first}}
  %2 = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%k : tensor<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%key: f32):
    %m = gnn_tile.reduce max [element] %key : f32
    %d = arith.subf %key, %m : f32
    %o = gnn_tile.reduce sum [element] %d : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x64xf32>
  // expected-remark @+1 {{its elements read no rows of nodes}}
  %3 = gnn_tile.traverse @g <dst, edge.in_rows, features = 1>
      ins(%scores : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%scores : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%score: f32):
    %o = gnn_tile.reduce sum [element] %score : f32
    gnn_tile.yield %o : f32
  } -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?x64xf32>, tensor<?x8xf32>, tensor<?x64xf32>, tensor<?xf32>
}

// -----

// The counts of products, where four of five sources are near their destinations: most
// rows are in the L2 without, and nodes of all ranges have edges from them.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2449029,
    dst_nodes = 2449029, edges = 123718280, type_edges = [123718280], src_pairs = [2449029],
    dst_pairs = [2442842], in_degree_max = 15002, out_degree_max = 90,
    near_edges = [99016236, 99591687, 103946788]>}

// CHECK-LABEL: func.func @local(
// CHECK-NOT:     _shards
func.func @local(%k: tensor<?x64xf32>, %v: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark @+1 {{shards would}}
  %r = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%k, %v : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> src : feature>]
      outs(%y : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%key: f32, %value: f32):
    %s = gnn_tile.reduce sum [feature] %key : f32
    %t = arith.mulf %s, %value : f32
    %o = gnn_tile.reduce sum [element] %t : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @h square of @g loops replace type 0 {node_types = 1, edge_types = 2}

// A graph with other self loops is cut as its parent is. Rows of pairs are not reached.
//
// TWO: gnn.graph @h_shards square of @g loops replace type 0 shards 2 of src {node_types = 1, edge_types = 2}
// TWO-LABEL: func.func @derived(
// TWO:         gnn_tile.traverse @h_shards <dst_pair, edge.dst_pairs, features = 8>
// TWO-SAME:        at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> parent_edge>]
// TWO:         gnn_tile.traverse @h_shards <dst_pair, edge.dst_pairs, features = 8>
// TWO-SAME:        at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge.in_rows>]
// TWO:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
func.func @derived(%x: tensor<?x8xf32>, %e: tensor<?xf32>, %own: tensor<?xf32, #gnn_tile.order<edge.in_rows>>,
                   %p: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  // expected-remark @+1 {{nothing is known of the length of its rows}}
  %0 = gnn_tile.traverse @h <dst, edge.in_rows, features = 8>
      ins(%x, %e : tensor<?x8xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> parent_edge>]
      outs(%y : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%key: f32, %w: f32):
    %t = arith.mulf %key, %w : f32
    %o = gnn_tile.reduce sum [element] %t : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x8xf32>
  // expected-remark @+1 {{nothing is known of the length of its rows}}
  %1 = gnn_tile.traverse @h <dst, edge.in_rows, features = 8>
      ins(%x, %own : tensor<?x8xf32>, tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element>]
      outs(%y : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%key: f32, %w: f32):
    %t = arith.mulf %key, %w : f32
    %o = gnn_tile.reduce sum [element] %t : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x8xf32>
  // expected-remark @+1 {{it reads 'src_pair' rows, which shards do not lead to}}
  %2 = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%p, %x : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<element -> src_pair : feature>, #gnn_tile.at<element -> src : feature>]
      outs(%y : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%key: f32, %w: f32):
    %t = arith.mulf %key, %w : f32
    %o = gnn_tile.reduce sum [element] %t : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x8xf32>
  return %0, %1, %2 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}
