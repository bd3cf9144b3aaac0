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


@pytest.mark.parametrize("degrees", DEGREES)
def test_results_are_gathered(degrees):
    """By statistics of a graph that the L2 does not hold, scores have a workspace in the order of
    the walk, and a kernel that reads them from there; if edges are sorted, neither."""
    graph = graph_of(DEGREES[degrees])
    stats = stats_of(100000000)
    layer = gnn_mlir.compile(module_of("dot", False, stats), target="emulator")
    assert "map edge edge.in_rows" in keys(layer)
    given = inputs_of(graph, "dot")
    right = np.sum(given["x"].astype(np.float64)[graph.edge_src] * given["x"][graph.edge_dst],
                   axis=1)
    found = np.asarray(layer.bind(graph)(given))
    np.testing.assert_allclose(found, right, rtol=2e-5, atol=2e-5)
    is_sorted = gnn_mlir.compile(module_of("dot", True, stats), target="emulator")
    assert not {key for key in keys(is_sorted) if key.endswith(("edge edge.in_rows", " edge"))}
    assert [num_kernels(one) for one in (layer, is_sorted)] == [2, 1]


def test_small_results_are_written():
    """The L2 has those of a graph like this one: no kernel more."""
    layer = gnn_mlir.compile(module_of("dot", False, stats_of(1000000)), target="emulator")
    found = keys(layer)
    assert "map edge.in_rows edge" in found and "map edge edge.in_rows" not in found
    assert num_kernels(layer) == 1  # Without statistics there is a copy.
