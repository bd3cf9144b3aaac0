# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows over the elements of rows (G-Sparse III-B): every way to walk rows with numbers of
edges, against NumPy in float64, and with the same bits as without windows."""

import re

import numpy as np
import pytest

import gnn_mlir

NODES = "{gnn.rows = #gnn.rows<@g, node>}"
EDGES = "{gnn.rows = #gnn.rows<@g, edge>}"
# Two walks: of sources, weights in the order of the user, and the types of edges; and of those
# whose scores are the highest, whose shares are stored for each edge.
PROGRAM = """
gnn.graph @g square {{node_types = 1, edge_types = 3}}
func.func @f(%x: tensor<?x{features}xf32> {nodes}, %w: tensor<?xf32> {edges},
             %t: tensor<3x{features}xf32>)
    -> (tensor<?x{features}xf32> {nodes}, tensor<?xf32> {nodes}, tensor<?xf32> {edges}) {{
  %n = gnn_tile.count @g count dst : index
  %m = gnn_tile.count @g count edge : index
  %o0 = tensor.empty(%n) : tensor<?x{features}xf32>
  %o1 = tensor.empty(%n) : tensor<?xf32>
  %o2 = tensor.empty(%m) : tensor<?xf32>
  %y:3 = gnn_tile.traverse @g <dst, edge.in_rows, features = {features}>
      ins(%x, %w, %t : tensor<?x{features}xf32>, tensor<?xf32>, tensor<3x{features}xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>,
          #gnn_tile.at<element -> edge_type : feature>]
      outs(%o0, %o1, %o2 : tensor<?x{features}xf32>, tensor<?xf32>, tensor<?xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group>, #gnn_tile.at<element -> edge>]
      schedule <{schedule}> {{
  ^bb0(%xv: f32, %wv: f32, %tv: f32):
    %p = arith.mulf %xv, %wv : f32
    %q = arith.addf %p, %tv : f32
    %s = gnn_tile.reduce sum [element] %q : f32
    %top = gnn_tile.reduce max [element] %wv : f32
    %share = arith.divf %wv, %top : f32
    %all = gnn_tile.reduce sum [element] %share : f32
    gnn_tile.yield %s, %all, %share : f32, f32, f32
  }} -> tensor<?x{features}xf32>, tensor<?xf32>, tensor<?xf32>
  return %y#0, %y#1, %y#2 : tensor<?x{features}xf32>, tensor<?xf32>, tensor<?xf32>
}}"""
DEGREES = [0, 1, 2, 31, 32, 33, 127, 128, 129, 0, 700, 1, 1100, 0, 3, 0]
# Teams of a whole warp and of parts of one, whose rows have other numbers of windows; rows of
# teams and of blocks; elements by several lanes and by one.
WAYS = {
    "warp": (64, "vector = 2, lanes = 32, row_walk = team"),
    "half a warp": (64, "vector = 4, lanes = 16, element_lanes = 1, row_walk = team"),
    "lanes of elements": (32, "vector = 4, lanes = 8, element_lanes = 4, row_walk = team"),
    "small teams": (5, "vector = 1, lanes = 2, element_lanes = 2, rows_per_block = 16, "
                       "row_walk = team"),
    "lanes": (1, "lanes = 1, element_lanes = 1, rows_per_block = 32, row_walk = team"),
    "one in flight": (32, "in_flight = 1, row_walk = team"),
    "by length": (64, "row_walk = by_length, split_rows = 64"),
    "lanes by length": (3, "lanes = 4, element_lanes = 8, row_walk = by_length, split_rows = 64"),
    "block": (64, "row_walk = block"),
}


def case(features):
    rng = np.random.default_rng(features)
    dst = np.repeat(np.arange(len(DEGREES)), DEGREES)
    order, edges = rng.permutation(len(dst)), len(dst)
    graph = gnn_mlir.Graph(rng.integers(0, len(DEGREES), edges).astype(np.int32),
                           dst[order].astype(np.int32), len(DEGREES),
                           edge_type=rng.integers(0, 3, edges).astype(np.int32))
    normal = lambda *shape: rng.standard_normal(shape).astype(np.float32)  # noqa: E731
    weights = (rng.random(edges) + 0.5).astype(np.float32)
    return graph, {"arg0": normal(graph.num_nodes, features), "arg1": weights,
                   "arg2": normal(3, features)}


def expected(graph, inputs):
    x, w, t = (value.astype(np.float64) for value in inputs.values())
    types = np.asarray(graph.edge_type)
    total, shares, share = np.zeros(x.shape), np.zeros(len(x)), np.zeros(len(w))
    np.add.at(total, graph.edge_dst, x[graph.edge_src] * w[:, None] + t[types])
    for node in np.unique(graph.edge_dst):
        own = graph.edge_dst == node
        share[own] = w[own] / w[own].max()
        shares[node] = share[own].sum()
    return total, shares, share


PLAIN = {"sum-runs": 0}  # Rows in windows are not added in runs, as others that may be long are.


def compiled(features, schedule, **options):
    text = PROGRAM.format(features=features, nodes=NODES, edges=EDGES, schedule=schedule)
    return gnn_mlir.compile(text, target="emulator", passes=PLAIN, **options)


@pytest.mark.parametrize("window", [32, 64])
@pytest.mark.parametrize("way", list(WAYS))
def test_windows_are_as_numpy(way, window):
    """The emulator reports what lanes read before others have staged it."""
    features, schedule = WAYS[way]
    graph, inputs = case(features)
    found = [list(compiled(features, text).bind(graph)(inputs).values())
             for text in (schedule, f"{schedule}, window = {window}")]
    for plain, staged, right in zip(*found, expected(graph, inputs)):
        assert np.array_equal(plain, staged), "other bits than without a window"
        np.testing.assert_allclose(staged, right, rtol=2e-5, atol=2e-4)


@pytest.mark.parametrize("form", ["structured", "scheduled", "blocked", "loops"])
def test_forms(form):
    graph, inputs = case(8)
    layer = compiled(8, "row_walk = by_length, split_rows = 64, window = 32", stop_at=form)
    for own, right in zip(layer.bind(graph)(inputs).values(), expected(graph, inputs)):
        np.testing.assert_allclose(own, right, rtol=2e-5, atol=2e-4)


def test_schedule_of_the_paper():
    """Figure 5 of G-Sparse: kMTile 32, kNTile 16, a register tile of 2 columns that lie 16
    apart, kNnzTile 128, and rows by their degrees (bind_buffer)."""
    rng, features, nodes = np.random.default_rng(3), 64, 300
    dst = np.minimum(rng.geometric(0.02, 20000), nodes) - 1
    graph = gnn_mlir.Graph(rng.integers(0, nodes, len(dst)).astype(np.int32),
                           dst.astype(np.int32), nodes)
    text = f"""
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%x: tensor<?x{features}xf32> {NODES}, %w: tensor<?xf32> {EDGES})
    -> (tensor<?x{features}xf32> {NODES}) {{
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x{features}xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = {features}>
      ins(%x, %w : tensor<?x{features}xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
      outs(%init : tensor<?x{features}xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 32, vector = 1, lanes = 16, element_lanes = 1, in_flight = 1,
                rows_per_block = 32, row_order = by_degree, row_walk = team, window = 128> {{
  ^bb0(%v: f32, %a: f32):
    %m = arith.mulf %v, %a : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %s : f32
  }} -> tensor<?x{features}xf32>
  return %y : tensor<?x{features}xf32>
}}"""
    x = rng.standard_normal((nodes, features)).astype(np.float32)
    w = rng.standard_normal(len(dst)).astype(np.float32)
    right = np.zeros((nodes, features))
    np.add.at(right, dst, x.astype(np.float64)[graph.edge_src] * w[:, None])
    found = gnn_mlir.compile(text, target="emulator").bind(graph)({"arg0": x, "arg1": w})
    np.testing.assert_allclose(found, right, rtol=1e-4, atol=2e-4)


def test_listed():
    """Each element of a window of each team has four numbers: where its source, its weight and
    its type are, and its weight."""
    text = PROGRAM.format(features=64, nodes=NODES, edges=EDGES, schedule="row_walk = team")
    found = gnn_mlir.list_schedules(text, vary=["window"], target="emulator", passes=PLAIN)
    assert [line["schedule"].get("window") for line in found] == [None, 128]
    plain, staged = (line["layout"]["shared_bytes"] for line in found)
    assert staged - plain == 4 * 4 * 128 * found[0]["schedule"]["rows_per_block"]


REFUSED = {
    "in_flight = 3, window = 32": r"expected a multiple of the \d+ elements of a step, got 32",
    "rows_per_block = 32, lanes = 16, vector = 4, element_lanes = 2, window = 1024":
        "expected windows and results of at most",
}


@pytest.mark.parametrize("schedule", list(REFUSED))
def test_refused(schedule):
    with pytest.raises(gnn_mlir.capi.CompileError) as error:
        compiled(64, schedule)
    assert re.search("cannot honour the schedule's 'window': " + REFUSED[schedule],
                     str(error.value))


def test_walks_by_edges_have_none():
    text = f"""
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%x: tensor<?x8xf32> {NODES}) -> (tensor<?x8xf32> {NODES}) {{
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x8xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges, window = 32> {{
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }} -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}}"""
    with pytest.raises(gnn_mlir.capi.CompileError, match="a walk by edges loads words"):
        gnn_mlir.compile(text, target="emulator")
