# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules that passes choose where rows are wide or odd: they are ones that kernels can honour,
and the kernels are as NumPy in float64."""

import json

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models
from test_edge_walks import DEGREES, check, graph_of

GRAPH = graph_of(DEGREES["mixed"])
# The statistics of a graph of Reddit's size, whose elements are worth equal shares and whose
# columns tiles.
LARGE = ("stats = #gnn.stats<src_nodes = 232965, dst_nodes = 232965, edges = 114615892, "
         "type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965], "
         "in_degree_squares = 233000000000, in_degree_max = 21657, "
         "out_degree_squares = 233000000000, out_degree_max = 21657>")


def large(module):
    """Its text, which says that the graph is large."""
    return module.text().replace("edge_types = 1", f"edge_types = 1, {LARGE}", 1)


def reductions(heads, features, kinds):
    """Each of these kinds of the same rows over the edges into a node."""
    module = gnn_mlir.Module()
    g, f = module.graph("g"), module.function("f")
    rows = f.gather(f.input("x", g.rows("node", heads, features)), "edge", via="src")
    for kind in kinds:
        f.output(kind, f.aggregate(kind, rows, "node", via="dst"))
    return module


def reduced(graph, x, kind):
    """The same in float64; rows without edges are 0."""
    out = np.zeros(x.shape)
    for node in range(graph.num_nodes):
        rows = x[graph.edge_src[graph.edge_dst == node]]
        if len(rows):
            out[node] = {"sum": rows.sum, "mean": rows.mean, "max": rows.max,
                         "min": rows.min}[kind](axis=0)
    return out


def run(text, graph, inputs, **options):
    """The compiled layer and its results, the same bits twice."""
    layer = gnn_mlir.compile(text, target="emulator", **options)
    found, again = layer(graph, inputs), layer(graph, inputs)
    found, again = (one if isinstance(one, dict) else {"y": one} for one in (found, again))
    for name, value in found.items():
        assert np.array_equal(value, again[name]), name
    return layer, found


def schedules(layer):
    plan, = layer.package.plan()["functions"]
    return [step["schedule"] for step in plan["steps"] if "schedule" in step]


@pytest.mark.parametrize("heads, features, kinds", [
    (12, 64, ["sum"]), (16, 64, ["mean"]), (4, 64, ["sum", "mean", "max", "min"]), (3, 41, ["sum", "max"]),
    (40, 128, ["sum"]), (128, 128, ["sum"])])
def test_teams_hand_over_what_fits_a_block(heads, features, kinds):
    x = np.random.default_rng(3).standard_normal(
        (GRAPH.num_nodes, heads, features)).astype(np.float32)
    layer, found = run(reductions(heads, features, kinds), GRAPH, {"x": x},
                       passes={"edge-walks": 1, "pad-rows": 0})
    for kind in kinds:
        check(found[kind if len(kinds) > 1 else "y"], reduced(GRAPH, x.astype(np.float64), kind))
    assert any("by_edges" in one for one in schedules(layer)), schedules(layer)


def test_rows_of_which_no_team_fits_go_by_rows():
    """A row of 16,384 numbers takes 64 KiB of a team."""
    x = np.random.default_rng(3).standard_normal((GRAPH.num_nodes, 256, 64)).astype(np.float32)
    layer, found = run(reductions(256, 64, ["sum"]), GRAPH, {"x": x}, passes={"edge-walks": 1})
    check(found["y"], reduced(GRAPH, x.astype(np.float64), "sum"))
    assert not any("by_edges" in one for one in schedules(layer))


@pytest.mark.parametrize("make", [
    lambda: models.gat((128, 64), heads=8), lambda: models.gat((128, 128), heads=4),
    lambda: models.gatv2((128, 64), heads=8), lambda: models.transformer((128, 64), heads=8),
    lambda: models.sage((64, 41, 41), aggregation="max"),
    lambda: models.sage((129, 129), aggregation="max")],
    ids=["gat8x64", "gat4x128", "gatv2", "transformer", "sage41", "sage129"])
@pytest.mark.parametrize("gradients", [None, True], ids=["inference", "training"])
def test_models_for_large_graphs_compile(make, gradients):
    gnn_mlir.compile(large(make()), target="cuda", chip="sm_90", gradients=gradients)


@pytest.mark.parametrize("features", [129, 257])
def test_a_tile_of_one_column_that_is_left(features):
    module = gnn_mlir.Module()
    g, f = module.graph("g"), module.function("f")
    x, z = (f.input(name, g.rows("node", features)) for name in "xz")
    f.output("y", f.dot(f.gather(x, "edge", via="src"), f.gather(z, "edge", via="dst")))
    rng = np.random.default_rng(5)
    given = {name: rng.standard_normal((GRAPH.num_nodes, features)).astype(np.float32)
             for name in "xz"}
    layer, found = run(large(module), GRAPH, given)
    a, b = (given[name].astype(np.float64) for name in "xz")
    check(found["y"], np.sum(a[GRAPH.edge_src] * b[GRAPH.edge_dst], axis=1))
    assert any("columns_per_block = 1, vector = 1," in one for one in schedules(layer)), \
        schedules(layer)


@pytest.mark.parametrize("space", ["node", "edge"])
@pytest.mark.parametrize("gathered", [False, True])
def test_products_go_on_with_padded_rows(space, gathered):
    module = gnn_mlir.Module()
    g, f = module.graph("g"), module.function("f")
    x, z = f.input("x", g.rows(space, 16)), f.input("z", g.rows(space, 9))
    u, v = f.input("u", gnn_mlir.weight(16, 9)), f.input("v", gnn_mlir.weight(9, 9))
    y = f.linear(x, u) + f.linear(z, v)
    if gathered and space == "node":
        y = f.aggregate("max", f.gather(y, "edge", via="src"), "node", via="dst")
    elif gathered:
        y = f.aggregate("max", y, "node", via="dst")
    f.output("y", y)
    rng = np.random.default_rng(5)
    rows = GRAPH.num_nodes if space == "node" else len(GRAPH.edge_src)
    given = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in
             (("x", (rows, 16)), ("z", (rows, 9)), ("u", (16, 9)), ("v", (9, 9)))}
    _, found = run(module, GRAPH, given, passes={"pad-rows": 1})
    x, z, u, v = (given[name].astype(np.float64) for name in "xzuv")
    expected = x @ u + z @ v
    if gathered:
        of_edges = expected[GRAPH.edge_src] if space == "node" else expected
        expected = np.zeros((GRAPH.num_nodes, 9))
        for node in range(GRAPH.num_nodes):
            if (into := of_edges[GRAPH.edge_dst == node]).size:
                expected[node] = into.max(axis=0)
    check(found["y"], expected)


def test_equal_sums_of_shards_have_one_part():
    x = np.random.default_rng(3).standard_normal((GRAPH.num_nodes, 1, 8)).astype(np.float32)
    _, found = run(reductions(1, 8, ["sum", "mean"]), GRAPH, {"x": x},
                   passes={"source-shards": 3, "edge-walks": 0, "long-rows": 64})
    for kind in ("sum", "mean"):
        check(found[kind], reduced(GRAPH, x.astype(np.float64), kind))


def test_padded_copies_are_the_same_each_time():
    """Both ends of an edge have the rows of one argument, each by a copy of its own."""
    module = gnn_mlir.Module()
    g, f = module.graph("g"), module.function("f")
    x = f.input("x", g.rows("node", 41))
    f.output("y", f.gather(x, "edge", via="src") * f.gather(x, "edge", via="dst"))
    text = module.text()
    made = [gnn_mlir.compile(text, target="emulator", passes={"pad-rows": 1}) for _ in range(12)]
    plans = {json.dumps(one.package.plan(), sort_keys=True) for one in made}
    assert len(plans) == 1
    rows = np.random.default_rng(1).standard_normal((GRAPH.num_nodes, 41)).astype(np.float32)
    found = made[0](GRAPH, {"x": rows})
    check(found, rows[GRAPH.edge_src].astype(np.float64) * rows[GRAPH.edge_dst])
    assert len(schedules(made[0])) == 3, "expected two copies and a walk"
