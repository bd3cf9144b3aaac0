# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of edges in walks by edges whose teams are one lane: lanes that are neighbours load the
shares of each other, and exchange them. All numbers are small integers, so that sums of f32 are
exact in any order and a weight in a wrong place is another result."""

import numpy as np
import pytest

import gnn_mlir
from test_edge_walks import DEGREES, graph_of

# Of edges: none, some around a step, a share, two shares and a block of 256 shares, and longer.
COUNTS = (0, 1, 15, 16, 17, 63, 64, 65, 129, 513, 16383, 16384, 16385)


def integers(*shape, seed=0):
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(np.float32)


def sorted_graph(degrees):
    graph = graph_of(degrees)
    order = np.argsort(graph.edge_dst, kind="stable")
    return gnn_mlir.Graph(graph.edge_src[order], graph.edge_dst[order], graph.num_nodes)


def weighted(features, weights=1):
    """The sum over neighbours, each times its edge's weights."""
    module = gnn_mlir.Module()
    g, f = module.graph("g", dst_sorted=True), module.function("weighted")
    out = f.gather(f.input("x", g.rows("node", features)), "edge", via="src")
    for i in range(weights):
        out = f.apply("mul", "edge", out, f.input(f"w{i}", g.rows("edge")))
    f.output("out", f.aggregate("sum", out, "node", via="dst"))
    return module


def compiled(module, target="emulator", **fields):
    """With all walks by edges, and these fields of the schedule of the first one."""
    passes = {"edge-walks": 1}
    if not fields:
        return gnn_mlir.compile(module, target=target, passes=passes)
    line, *_ = gnn_mlir.list_schedules(module, target=target, passes=passes,
                                       vary="processor_blocks")
    line.pop("layout", None)
    line["schedule"].update(fields)
    return gnn_mlir.compile(module, target=target, passes=passes, schedules=[line],
                            allow_unused_schedules=True)


def check(layer, graph, features, weights=1):
    given = {"x": integers(graph.num_nodes, features),
             **{f"w{i}": integers(graph.num_edges, seed=i + 1) for i in range(weights)}}
    terms = given["x"][graph.edge_src]
    for i in range(weights):
        terms = terms * given[f"w{i}"][:, None]
    expected = np.zeros((graph.num_nodes, features))
    np.add.at(expected, graph.edge_dst, terms.astype(np.float64))
    np.testing.assert_array_equal(layer.bind(graph)(given), expected)


def loads_of(layer):
    """Loads of numbers that are read once, in kernels as the emulator has them."""
    return layer.package.kernels("mlir").decode().count("nontemporal")


@pytest.mark.parametrize("features", [1, 2, 3, 4])
def test_any_number_of_edges(features):
    layer = compiled(weighted(features))
    assert loads_of(layer)
    for count in COUNTS:
        degrees = np.bincount(np.random.default_rng(count).integers(0, 40, count), minlength=40)
        check(layer, sorted_graph(list(degrees)), features)


@pytest.mark.parametrize("name", DEGREES)
def test_rows_of_any_length(name):
    check(compiled(weighted(4)), sorted_graph(DEGREES[name]), 4)


@pytest.mark.parametrize("in_flight", [1, 2, 4, 8, 16])
def test_any_number_under_way(in_flight):
    layer = compiled(weighted(2), in_flight=in_flight)
    step = layer.package.plan()["functions"][0]["steps"][0]
    assert f"in_flight = {in_flight}," in step["schedule"]
    check(layer, sorted_graph(DEGREES["mixed"]), 2)


def test_several_weights():
    check(compiled(weighted(4, weights=3)), sorted_graph(DEGREES["mixed"]), 4, 3)
    check(compiled(weighted(8, weights=2)), sorted_graph(DEGREES["mixed"]), 8, 2)
