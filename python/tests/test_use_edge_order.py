# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on graphs whose edges are sorted by destination: without the maps of edges
(`gnn-tile-use-edge-order`) the bits are the same, and results of edges larger than the L2 are
copied to the user's order by a gather."""

import numpy as np
import pytest

import gnn_mlir
from test_edge_walks import DEGREES, graph_of

EDGES = {"weighted-sum": 8, "odd": 5, "dot": 8, "argmax": 4, "softmax": 4}


def stats_of(edges):
    return {"src_nodes": 300000, "dst_nodes": 300000, "edges": edges, "type_edges": [edges],
            "src_pairs": [300000], "dst_pairs": [300000]}


def module_of(op, dst_sorted, stats=None):
    module = gnn_mlir.Module()
    g = module.graph("g", dst_sorted=dst_sorted, stats=stats)
    f = module.function("f")
    features = EDGES[op]
    x = f.input("x", g.rows("node", features))
    if op in ("weighted-sum", "odd"):
        w = f.input("w", g.rows("edge"))
        f.output("out", f.aggregate("sum", f.apply("mul", "edge", w, x, rhs_via="src"), "node",
                                    via="dst"))
    elif op == "argmax":
        out, at = f.aggregate("max", f.gather(x, "edge", via="src"), "node", via="dst",
                              argument=True)
        f.output("out", out)
        f.output("at", at)
    else:
        score = f.dot(f.gather(x, "edge", via="src"), f.gather(x, "edge", via="dst"))
        f.output("out", f.edge_softmax(score, over="dst") if op == "softmax" else score)
    return module


def inputs_of(graph, op):
    rng = np.random.default_rng(4)
    found = {"x": rng.standard_normal((graph.num_nodes, EDGES[op])).astype(np.float32)}
    if op in ("weighted-sum", "odd"):
        found["w"] = rng.standard_normal(graph.num_edges).astype(np.float32)
    return found


@pytest.mark.parametrize("target", ["emulator", "cpu"])
@pytest.mark.parametrize("op", EDGES)
@pytest.mark.parametrize("degrees", DEGREES)
def test_same_bits(degrees, op, target):
    graph, _ = gnn_mlir.sort_edges(graph_of(DEGREES[degrees]))
    given = inputs_of(graph, op)
    module = module_of(op, True)
    right = module.functions["f"].evaluate(graph, given)
    expected = None
    for passes in ({}, {"edge-walks": 1}, {"edge-walks": 1, "use-edge-order": False}):
        layer = gnn_mlir.compile(module, target=target, passes=passes)
        found = layer.bind(graph)(given)
        found = found if isinstance(found, dict) else {"out": found}
        for name, value in right.items():
            np.testing.assert_allclose(found[name], value, rtol=2e-5, atol=2e-5)
        if passes:  # Of one walk.
            expected = expected or found
            for name in right:
                np.testing.assert_array_equal(found[name], expected[name])


def keys(layer):
    return {one["key"] for function in layer.package.plan()["functions"]
            for one in function["structures"]}


def num_kernels(layer):
    return sum("kernel" in step for step in layer.package.plan()["functions"][0]["steps"])


def test_no_map_of_edges():
    passes = {"edge-walks": 1}
    for op, key in (("weighted-sum", "stream dst edge.in_rows edge"),
                    ("dot", "map edge.in_rows edge")):
        made = [keys(gnn_mlir.compile(module_of(op, dst_sorted), target="emulator",
                                      passes=passes)) for dst_sorted in (True, False)]
        assert key not in made[0]
        assert key in made[1]


LARGE, SMALL = stats_of(100000000), stats_of(1000000)
# Dots: heads and features. The copy of the first stands behind a reshape, that of the others is
# fused into the dot.
SHAPES = {"one": (0, 8), "odd": (3, 5), "wide": (2, 32)}
WHOLE = {"pad-rows": 0, "column-tiles": False}  # No kernels of padding, and none for a tile.


def dots_of(shape, dst_sorted=False, stats=None):
    module = gnn_mlir.Module()
    g = module.graph("g", dst_sorted=dst_sorted, stats=stats)
    f = module.function("f")
    heads, features = SHAPES[shape]
    x = f.input("x", g.rows("node", heads, features) if heads else g.rows("node", features))
    f.output("out", f.dot(f.gather(x, "edge", via="src"), f.gather(x, "edge", via="dst")))
    return module


def check_dots(layer, graph, shape):
    heads, features = SHAPES[shape]
    sizes = (graph.num_nodes, heads, features) if heads else (graph.num_nodes, features)
    x = np.random.default_rng(4).standard_normal(sizes).astype(np.float32)
    right = np.sum(x.astype(np.float64)[graph.edge_src] * x[graph.edge_dst], axis=-1)
    found = np.asarray(layer.bind(graph)({"x": x}))
    np.testing.assert_allclose(found.reshape(right.shape), right, rtol=2e-5, atol=2e-5)
    return found


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("degrees", DEGREES)
def test_results_are_gathered(degrees, shape):
    """By statistics of a graph that the L2 does not hold, scores have a workspace in the order of
    the walk, and a kernel that reads them from there; if edges are sorted, neither."""
    graph = graph_of(DEGREES[degrees])
    layer = gnn_mlir.compile(dots_of(shape, stats=LARGE), target="emulator", passes=WHOLE)
    found = keys(layer)
    assert "map edge edge.in_rows" in found
    assert not {"map edge.in_rows edge", "stream dst edge.in_rows edge"} & found
    check_dots(layer, graph, shape)
    is_sorted = gnn_mlir.compile(dots_of(shape, True, LARGE), target="emulator", passes=WHOLE)
    assert not {key for key in keys(is_sorted) if key.endswith(("edge edge.in_rows", " edge"))}
    assert [num_kernels(one) for one in (layer, is_sorted)] == [2, 1]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("stats", [None, SMALL], ids=["unknown", "small"])
def test_small_results_are_written(stats, shape):
    """The L2 has those of a small graph: no kernel more. Nor is one without statistics."""
    layer = gnn_mlir.compile(dots_of(shape, stats=stats), target="emulator", passes=WHOLE)
    assert num_kernels(layer) == 1
    assert "map edge edge.in_rows" not in keys(layer)


@pytest.mark.parametrize("target", ["emulator", "cpu"])
@pytest.mark.parametrize("edges", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_setting_is_one_choice(shape, edges, target):
    """0 and 1 have one form each, whatever the statistics are, of walks by edges and of edges one
    by one: the dot writes where its numbers belong, or a copy reads them from its own order."""
    graph = graph_of(DEGREES["mixed"])
    found = []
    for gather in (0, 1):
        layers = [gnn_mlir.compile(dots_of(shape, stats=stats), target=target,
                                   passes={**WHOLE, "edge-walks": edges, "gather-copies": gather})
                  for stats in (None, SMALL, LARGE)]
        assert [num_kernels(layer) for layer in layers] == [1 + gather] * 3
        for layer in layers:
            assert ("map edge edge.in_rows" in keys(layer)) == gather
            found.append(check_dots(layer, graph, shape))
    for one in found:
        np.testing.assert_array_equal(one, found[0])


def test_cores_keep_copies():
    """Choices by sectors of a GPU are not asked of the cores of a CPU."""
    for stats in (None, SMALL, LARGE):
        layer = gnn_mlir.compile(dots_of("one", stats=stats), target="cpu")
        assert num_kernels(layer) == 2
        assert "map edge edge.in_rows" not in keys(layer)
