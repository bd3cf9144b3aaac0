# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums that powers of scores weigh, in one walk: every way to walk rows and every form of the
compiler against NumPy in float64, with scores that have no power of themselves."""

import numpy as np
import pytest

import gnn_mlir

PROGRAM = """
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%s: tensor<?x{heads}xf32> {{gnn.rows = #gnn.rows<@g, edge>}},
             %x: tensor<?x{heads}x5xf32> {{gnn.rows = #gnn.rows<@g, node>}})
    -> (tensor<?x{heads}xf32> {{gnn.rows = #gnn.rows<@g, node>}},
        tensor<?x{heads}xf32> {{gnn.rows = #gnn.rows<@g, node>}},
        tensor<?x{heads}x5xf32> {{gnn.rows = #gnn.rows<@g, node>}}) {{
  %n = gnn_tile.count @g count dst : index
  %o0 = tensor.empty(%n) : tensor<?x{heads}xf32>
  %o1 = tensor.empty(%n) : tensor<?x{heads}xf32>
  %o2 = tensor.empty(%n) : tensor<?x{heads}x5xf32>
  %y:3 = gnn_tile.traverse @g <dst, edge.in_rows, heads = {heads}, features = 5>
      ins(%s, %x : tensor<?x{heads}xf32>, tensor<?x{heads}x5xf32>)
      at [#gnn_tile.at<element -> edge : head>, #gnn_tile.at<element -> src : head, feature>]
      outs(%o0, %o1, %o2 : tensor<?x{heads}xf32>, tensor<?x{heads}xf32>, tensor<?x{heads}x5xf32>)
      at [#gnn_tile.at<group : head>, #gnn_tile.at<group : head>,
          #gnn_tile.at<group : head, feature>] {schedule} {{
  ^bb0(%score: f32, %v: f32):
    %one = arith.constant 1.0 : f32
    %m, %z, %t = gnn_tile.softmax_sum %score, %one, %v : f32
    gnn_tile.yield %m, %z, %t : f32, f32, f32
  }} -> tensor<?x{heads}xf32>, tensor<?x{heads}xf32>, tensor<?x{heads}x5xf32>
  return %y#0, %y#1, %y#2 : tensor<?x{heads}xf32>, tensor<?x{heads}xf32>, tensor<?x{heads}x5xf32>
}}"""

INF = float("inf")
# Scores of rows; the others are random.
ROWS = {
    "one of minus infinity": [-INF, 0.5, 0.25], "the first ones": [-INF] * 20 + [1.0],
    "all of minus infinity": [-INF] * 70, "infinity": [0.0, INF, 1.0],
    "not a number": [0.0, np.nan, 1.0], "far apart": [-1e4, 1e4, -3e38, 0.0],
    "lowest": [-3.4028235e38, -3.4028235e38], "falling": list(np.arange(200.0, 0, -1)),
    "rising": list(np.arange(0.0, 200)),
}
DEGREES = [0, 1, 2, 63, 64, 65, 300, 0] + [len(row) for row in ROWS.values()] + [0, 7]
WAYS = {
    "team": {"schedule": "schedule <row_walk = team>"},
    "one element": {"schedule": "schedule <in_flight = 1, row_walk = team>"},
    "by length": {"schedule": "schedule <row_walk = by_length, split_rows = 16>"},
    "by edges": {"schedule": "schedule <row_walk = by_edges>"},
    "in pieces": {"passes": {"long-rows": 8}},
    "cpu": {"target": "cpu"},
    **{form: {"stop_at": form} for form in ("structured", "scheduled", "blocked", "loops")},
    "by edges, blocked": {"stop_at": "blocked", "schedule": "schedule <row_walk = by_edges>"},
    "in pieces, structured": {"passes": {"long-rows": 8}, "stop_at": "structured"},
}


def case(heads):
    rng = np.random.default_rng(4)
    dst = np.repeat(np.arange(len(DEGREES)), DEGREES)
    scores = rng.standard_normal((len(dst), heads)).astype(np.float32)
    for i, row in enumerate(ROWS.values()):
        scores[dst == 8 + i, i % heads] = row
    order = rng.permutation(len(dst))
    src = rng.integers(0, len(DEGREES), len(dst))
    graph = gnn_mlir.Graph(src.astype(np.int32), dst[order].astype(np.int32), len(DEGREES))
    x = rng.standard_normal((len(DEGREES), heads, 5)).astype(np.float32)
    return graph, scores[order], x


def expected(graph, scores, x):
    nodes, heads = graph.num_nodes, scores.shape[1]
    highest, powers = np.zeros((nodes, heads)), np.zeros((nodes, heads))
    total = np.zeros((nodes, heads, 5))
    for node in range(nodes):
        own = graph.edge_dst == node
        if not own.any():
            continue
        score = scores[own].astype(np.float64)
        highest[node] = score.max(axis=0)
        with np.errstate(invalid="ignore"):
            power = np.exp(score - np.maximum(highest[node], np.finfo(np.float32).min))
        powers[node] = power.sum(axis=0)
        total[node] = (power[:, :, None] * x[graph.edge_src[own]]).sum(axis=0)
    return highest, powers, total


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("way", list(WAYS))
def test_sums_are_as_numpy(way, heads):
    graph, scores, x = case(heads)
    options = {"target": "emulator", "schedule": "", **WAYS[way]}
    text = PROGRAM.format(heads=heads, schedule=options.pop("schedule"))
    bound = gnn_mlir.compile(text, **options).bind(graph)
    found = bound({"arg0": scores, "arg1": x})
    again = bound({"arg0": scores, "arg1": x})
    reference = expected(graph, scores, x)
    if isinstance(found, dict):
        found, again = list(found.values()), list(again.values())
    for own, same, right in zip(found, again, reference):
        assert np.array_equal(own, same, equal_nan=True), "other bits in a second run"
        np.testing.assert_allclose(own, right, rtol=2e-6, atol=2e-6)


# Rows across the borders of blocks of 1,024 elements, beside rows without any: how many, and which
# of their elements have a score.
ACROSS = [(0, None), (1000, slice(None)), (0, None), (0, None), (100, slice(0)), (0, None),
          (3000, slice(0)), (0, None), (1100, slice(1030, None)), (0, None), (0, None),
          (1000, slice(3)), (0, None), (2100, slice(1000, 1002)), (70, slice(0)), (0, None)]


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("fields", [
    "row_walk = by_edges", "in_flight = 1, row_walk = by_edges",
    "in_flight = 32, row_walk = by_edges",
    "in_flight = 4, row_walk = team"])
def test_rows_of_minus_infinity_across_blocks(fields, heads):
    """Whole rows and pieces of rows that have no score: the sum of nothing, and nothing added."""
    rng = np.random.default_rng(7)
    lengths = [length for length, _ in ACROSS]
    first = np.concatenate([[0], np.cumsum(lengths)])
    walked = np.full((first[-1], heads), -INF, np.float32)
    for begin, end, (_, finite) in zip(first, first[1:], ACROSS):
        if finite:
            own = walked[begin:end][finite]
            own[:] = rng.standard_normal(own.shape)
    dst = rng.permutation(np.repeat(np.arange(len(lengths)), lengths)).astype(np.int32)
    scores = np.empty_like(walked)
    scores[np.argsort(dst, kind="stable")] = walked
    src = rng.integers(0, len(lengths), len(dst)).astype(np.int32)
    graph = gnn_mlir.Graph(src, dst, len(lengths))
    x = rng.standard_normal((len(lengths), heads, 5)).astype(np.float32)
    text = PROGRAM.format(heads=heads, schedule=f"schedule <{fields}>")
    found = gnn_mlir.compile(text, target="emulator")(graph, {"arg0": scores, "arg1": x})
    for one, right in zip(found.values(), expected(graph, scores, x), strict=True):
        np.testing.assert_allclose(one, right, rtol=2e-6, atol=2e-5)


@pytest.mark.parametrize("passes", [
    {}, {"online-softmax": 0}, {"online-softmax": 1}, {"edge-walks": 1}, {"long-rows": 1},
    {"source-shards": 2}, {"fuse-attention": False}], ids=str)
@pytest.mark.parametrize("target", ["emulator", "cpu"])
def test_a_row_without_a_score_has_no_softmax(target, passes):
    """Of scores that are all minus infinity it is NaN, as of PyG's; the lowest number is a score,
    and no element has nothing."""
    graph = gnn_mlir.Graph([0, 1, 0, 2, 2, 1], [1, 1, 2, 2, 3, 4], 6)
    scores = np.array([-INF, -INF, -3.4028235e38, -3.4028235e38, -INF, 1], np.float32)[:, None]
    module = gnn_mlir.Module()
    g = module.graph("g")
    function = module.function("f")
    x = function.input("x", g.rows("node", 1, 2))
    weights = function.edge_softmax(function.input("s", g.rows("edge", 1)), over="dst")
    function.output("y", function.aggregate("sum", function.apply(
        "mul", "edge", weights, x, rhs_via="src"), "node", via="dst"))
    rows = np.arange(12, dtype=np.float32).reshape(6, 1, 2)
    found = gnn_mlir.compile(module, target=target, passes=passes, graph=graph)(
        graph, {"x": rows, "s": scores})
    nan = [np.nan, np.nan]
    assert np.array_equal(found[:, 0], [[0, 0], nan, [2, 3], nan, [2, 3], [0, 0]], equal_nan=True)


NODES, EDGES = "{gnn.rows = #gnn.rows<@g, node>}", "{gnn.rows = #gnn.rows<@g, edge>}"
# Several reductions beside each other, scores of no element, of features, and alone.
BODIES = {
    "two": """%m, %t = gnn_tile.softmax_sum %x, %v : f32
    %n, %u, %q = gnn_tile.softmax_sum %w, %v, %x : f32
    %k = gnn_tile.reduce mean [element] %v : f32
    %a = arith.addf %t, %u : f32
    %b = arith.addf %a, %q : f32
    %y = arith.addf %b, %k : f32""",
    "constant": """%c = arith.constant 2.0 : f32
    %m, %t = gnn_tile.softmax_sum %c, %v : f32
    %y = arith.addf %m, %t : f32""",
    "of features": """%m, %t = gnn_tile.softmax_sum %v, %x : f32
    %y = arith.addf %m, %t : f32""",
    "of the sum": """%p = arith.mulf %v, %r : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    %s = arith.mulf %d, %x : f32
    %f = arith.mulf %w, %v : f32
    %m, %t, %z = gnn_tile.softmax_sum %s, %f, %d : f32
    %a = arith.addf %m, %t : f32
    %y = arith.addf %a, %z : f32""",
    "of no head": """%p = arith.mulf %v, %r : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    %s = arith.mulf %g, %d : f32
    %k = arith.addf %g, %s : f32
    %m, %t, %z = gnn_tile.softmax_sum %k, %v, %g : f32
    %a = arith.addf %m, %t : f32
    %y = arith.addf %a, %z : f32""",
    "chosen": """%p = arith.mulf %v, %r : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    %c = arith.cmpf ogt, %d, %g : f32
    %s = arith.select %c, %d, %x : f32
    %l = arith.select %c, %v, %r : f32
    %m, %t = gnn_tile.softmax_sum %s, %l : f32
    %k = gnn_tile.reduce sum [element] %l : f32
    %a = arith.addf %m, %t : f32
    %y = arith.addf %a, %k : f32""",
    "alone": "%m = gnn_tile.softmax_sum %x : f32\n    %y = arith.addf %m, %r : f32",
    "mean of features": """%p = arith.mulf %v, %r : f32
    %d = gnn_tile.reduce mean [feature] %p : f32
    %l = gnn_tile.reduce max [feature] %v : f32
    %s = arith.addf %d, %l : f32
    %m, %y = gnn_tile.softmax_sum %s, %l : f32""",
}
ODD = """
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%a0: tensor<?x{h}xf32> {e}, %a1: tensor<?x{h}xf32> {e}, %a2: tensor<?x{h}x{f}xf32> {n},
             %a3: tensor<?x{h}x{f}xf32> {n}, %a4: tensor<?xf32> {e}) -> (tensor<?x{h}x{f}xf32> {n}) {{
  %count = gnn_tile.count @g count dst : index
  %o = tensor.empty(%count) : tensor<?x{h}x{f}xf32>
  %r = gnn_tile.traverse @g <dst, edge.in_rows, heads = {h}, features = {f}>
      ins(%a0, %a1, %a2, %a3, %a4 : tensor<?x{h}xf32>, tensor<?x{h}xf32>,
          tensor<?x{h}x{f}xf32>, tensor<?x{h}x{f}xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> edge : head>, #gnn_tile.at<element -> edge : head>,
          #gnn_tile.at<element -> src : head, feature>, #gnn_tile.at<group : head, feature>,
          #gnn_tile.at<element -> edge>]
      outs(%o : tensor<?x{h}x{f}xf32>) at [#gnn_tile.at<group : head, feature>] {schedule} {{
  ^bb0(%x: f32, %w: f32, %v: f32, %r: f32, %g: f32):
    {body}
    gnn_tile.yield %y : f32
  }} -> tensor<?x{h}x{f}xf32>
  return %r : tensor<?x{h}x{f}xf32>
}}"""


@pytest.mark.parametrize("heads, features, in_flight", [
    (1, 64, 4), (1, 5, 8), (3, 16, 4), (4, 4, 8), (9, 8, 2), (2, 1, 4), (1, 1, 2), (1, 8, 32)])
@pytest.mark.parametrize("name", list(BODIES))
def test_walks_by_edges_are_as_loops(name, heads, features, in_flight):
    """Held against the loops of one thread, which know no elements under way."""
    graph, _, _ = case(1)
    rng = np.random.default_rng(6)
    shapes = [(graph.num_edges, heads)] * 2 + [(graph.num_nodes, heads, features)] * 2 + [
        (graph.num_edges,)]
    inputs = {f"arg{i}": rng.standard_normal(shape).astype(np.float32)
              for i, shape in enumerate(shapes)}
    found = []
    for schedule, options in (("", {"stop_at": "structured"}), (
            f"schedule <in_flight = {in_flight}, row_walk = by_edges>", {})):
        text = ODD.format(h=heads, f=features, e=EDGES, n=NODES, body=BODIES[name],
                          schedule=schedule)
        found.append(gnn_mlir.compile(text, target="emulator", **options).bind(graph)(inputs))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5, atol=1e-5)
