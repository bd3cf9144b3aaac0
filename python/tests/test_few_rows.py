# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Few long rows, which have a block each by the statistics of their graph: reductions and
attention against the meaning of the ops in float64."""

import re

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import types

NODES, TYPES = 61, 3


def graph_of(degree=64):
    """Rows of about that many edges, but for one of 8 times as many, one of one, and some that
    have none; loops, multi-edges, nodes without edges, and types whose pairs are not even."""
    rng = np.random.default_rng(degree)
    src, dst = rng.integers(0, NODES - 4, (2, degree * NODES)).astype(np.int32)
    dst[:8 * degree] = 7
    src[:degree], dst[dst == 9] = src[0], 10
    dst[-1] = NODES - 2
    kind = rng.choice(TYPES, len(src), p=(0.5, 0.5, 0)).astype(np.int32)
    return gnn_mlir.Graph(src, dst, NODES, edge_type=kind, num_edge_types=TYPES)


def program(op, features=64, heads=2):
    module = gnn_mlir.Module()
    g = module.graph("g", edge_types=TYPES)
    f = module.function("f")
    if op in ("sum", "mean", "max", "argmax", "two", "pairs", "edges"):
        x = f.input("x", g.rows("node", features))
        rows = f.gather(x, "edge", via="src")
        if op == "pairs":
            f.output("out", f.aggregate("sum", rows, "dst_pair"))
        elif op == "argmax":
            for name, found in zip(("out", "at"), f.aggregate("max", rows, "node", via="dst",
                                                              argument=True)):
                f.output(name, found)
        elif op == "edges":
            w = f.input("w", g.rows("edge"))
            f.output("out", f.aggregate("sum", f.apply("mul", "edge", w, rows), "node", via="dst"))
        else:
            f.output("out", f.aggregate("sum" if op == "two" else op, rows, "node", via="dst"))
            if op == "two":
                f.output("most", f.aggregate("max", rows, "node", via="dst"))
        return module
    key, value = (f.input(n, g.rows("node", heads, features)) for n in ("key", "value"))
    query = f.input("query", g.rows("node", heads, features))
    if op == "dot-attention":
        score = f.sddmm("edge", query, key, "dst", "src") * 0.125
    else:
        score = f.dot(f.activation("leaky_relu", f.apply("add", "edge", key, query, "src", "dst"),
                                   alpha=0.2),
                      f.input("att", types.weight(heads, features)))
    message = f.apply("mul", "edge", f.edge_softmax(score, over="dst"), value, rhs_via="src")
    f.output("out", f.aggregate("sum", message, "node", via="dst"))
    return module


def inputs_of(function, graph):
    rng = np.random.default_rng(3)
    return {name: rng.standard_normal(value.type.shape(graph)).astype(np.float32)
            for name, value in function.inputs.items()}


def walks_of(compiled):
    """Who walks the rows of each launch that has sums."""
    return [found[1] for step in compiled.package.plan()["functions"][0]["steps"]
            if (found := re.search(r"row_walk = (\w+)", step.get("schedule", "")))]


@pytest.mark.parametrize("op", ["sum", "mean", "max", "argmax", "two", "pairs", "edges", "gatv2",
                                "dot-attention"])
@pytest.mark.parametrize("features", [64, 41])
def test_a_block_each(op, features):
    graph, module = graph_of(), program(op, features)
    function = module.functions["f"]
    inputs = inputs_of(function, graph)
    compiled = gnn_mlir.compile(module, target="emulator", graph=graph)
    assert "block" in walks_of(compiled)
    bound = compiled.bind(graph)
    found, again = bound(inputs), bound(inputs)
    expected = function.evaluate(graph, inputs)
    single = not isinstance(found, dict)
    for name, value in expected.items():
        got = found if single else found[name]
        np.testing.assert_array_equal(got, again if single else again[name])
        if name == "at":
            np.testing.assert_array_equal(got, value)
        else:
            np.testing.assert_allclose(got, value, rtol=2e-5, atol=2e-5)


def test_other_graphs_have_other_walks():
    """What is chosen for few long rows is neither for many nor for short ones."""
    compile = lambda graph: walks_of(gnn_mlir.compile(  # noqa: E731
        program("sum"), target="emulator", graph=graph))
    assert compile(graph_of()) == ["block"]
    assert compile(graph_of(2)) == ["by_length"]
