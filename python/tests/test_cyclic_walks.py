# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walks by edges whose teams take turns (`distribution = cyclic`), against NumPy in float64 and,
bit by bit, against teams that have 64 edges side by side."""

import numpy as np
import pytest

import gnn_mlir
from test_edge_walks import DEGREES, graph_of

PROGRAM = """
gnn.graph @g square {{node_types = 1, edge_types = 1{fact}}}
func.func @f(%x: tensor<?x{heads}x{features}xf32> {{gnn.rows = #gnn.rows<@g, node>}},
             %z: tensor<?x{heads}x{features}xf32> {{gnn.rows = #gnn.rows<@g, node>}},
             %w: tensor<?xf32> {{gnn.rows = #gnn.rows<@g, edge>}})
    -> (tensor<?x{heads}xf32> {{gnn.rows = #gnn.rows<@g, edge>}}) {{
  %n = gnn_tile.count @g count edge : index
  %init = tensor.empty(%n) : tensor<?x{heads}xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, heads = {heads}, features = {features}>
      ins(%x, %z, %w : tensor<?x{heads}x{features}xf32>, tensor<?x{heads}x{features}xf32>,
                       tensor<?xf32>)
      at [#gnn_tile.at<element -> src : head, feature>, #gnn_tile.at<group : head, feature>,
          #gnn_tile.at<element -> edge>]
      outs(%init : tensor<?x{heads}xf32>) at [#gnn_tile.at<element -> edge : head>]
      schedule <row_walk = by_edges{schedule}> {{
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    %t = arith.mulf %s, %c : f32
    gnn_tile.yield %t : f32
  }} -> tensor<?x{heads}xf32>
  return %y : tensor<?x{heads}xf32>
}}"""


def compiled(distribution, features=8, heads=1, target="emulator", is_sorted=False, more="",
             **options):
    """The passes choose where no `distribution` is given."""
    schedule = f", distribution = {distribution}" if distribution else ""
    return gnn_mlir.compile(PROGRAM.format(
        features=features, heads=heads, schedule=schedule + more,
        fact=", dst_sorted" if is_sorted else ""), target=target, **options)


def check(graph, layers, features=8, heads=1):
    rng = np.random.default_rng(3)
    x, z = rng.standard_normal((2, graph.num_nodes, heads, features)).astype(np.float32)
    w = rng.standard_normal(len(graph.edge_src)).astype(np.float32)
    right = np.sum(x.astype(np.float64)[graph.edge_src] * z[graph.edge_dst], axis=-1)
    right *= w[:, None]
    found = [np.asarray(layer.bind(graph)({"arg0": x, "arg1": z, "arg2": w})) for layer in layers]
    for own in found:
        np.testing.assert_allclose(own, right, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(own, found[0])


@pytest.mark.parametrize("features, heads", [(1, 1), (3, 1), (5, 2), (16, 1), (16, 8), (64, 1)])
@pytest.mark.parametrize("degrees", DEGREES)
def test_as_numpy(degrees, features, heads):
    check(graph_of(DEGREES[degrees]), [compiled(one, features, heads)
                                       for one in ("cyclic", "blocked")], features, heads)


@pytest.mark.parametrize("degrees", DEGREES)
def test_sorted(degrees):
    """Sorted by destination, edges have their numbers side by side, and no map leads to them."""
    graph, _ = gnn_mlir.sort_edges(graph_of(DEGREES[degrees]))
    layers = [compiled(one, is_sorted=True, passes={"use-edge-order": use})
              for one in ("cyclic", "blocked") for use in (True, False)]
    check(graph, layers)


@pytest.mark.parametrize("edges", [1, 3, 7, 8, 9, 63, 64, 65, 511, 513])
@pytest.mark.parametrize("in_flight", [1, 2, 4, 8])
def test_ends(edges, in_flight):
    """The last step has padding where its elements are no whole vectors."""
    rng = np.random.default_rng(edges)
    graph = gnn_mlir.Graph(rng.integers(0, 9, edges), np.sort(rng.integers(0, 9, edges)), 9)
    more = f", in_flight = {in_flight}"
    check(graph, [compiled(one, is_sorted=True, more=more) for one in ("cyclic", "blocked")])


@pytest.mark.parametrize("form", ["scheduled", "blocked", "loops"])
def test_forms(form):
    check(graph_of(DEGREES["mixed"]), [compiled("cyclic", 16, stop_at=form)], 16)


def test_narrow_rows_take_turns():
    """Where four lanes or less have a row; no list of words, and no shares then."""
    def said(features):
        plan, = compiled(None, features, is_sorted=True).package.plan()["functions"]
        step, = (step for step in plan["steps"] if "kernel" in step)
        return "distribution = cyclic" in step["schedule"], {
            one["key"].split()[0] for one in plan["structures"]}

    assert said(16) == (True, {"map"})
    assert said(32)[0] is False
    assert {"stream", "shares", "filled"} <= said(32)[1]


def test_listed():
    text = PROGRAM.format(features=8, heads=1, schedule="", fact="")
    listed = gnn_mlir.list_schedules(text, vary=["distribution"], target="emulator")
    assert [line["schedule"]["distribution"] for line in listed] == ["blocked", "cyclic"]
