# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults found in published kernels for relational GNNs, each as a case that it
would fail: none of them may come back here."""

import numpy as np
import pytest

from gnn_mlir import Graph, Module, models, weight
from support import cases, errors, graphs


def check(module, bound, run, kind="dyadic", seed=0):
    function, = module.functions.values()
    bound = function.bind(bound)
    inputs = cases.make_inputs(function, bound, kind, seed)
    return cases.check(cases.Program(function, bound, inputs), run)


def one_op(build, graph):
    """A module of one function of what `build` (function, graph) returns."""
    module = Module()
    g = module.graph_like("g", graph)
    f = module.function("f")
    f.output("out", build(f, g))
    return module


def typed_edges(sizes, nodes=50, seed=0):
    """A graph whose edge types have these numbers of edges, shuffled."""
    rng = np.random.default_rng(seed)
    types = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return Graph(rng.integers(0, nodes, len(types)),
                 rng.integers(0, nodes, len(types)), nodes, edge_type=types,
                 num_edge_types=len(sizes))


@pytest.mark.parametrize("features", [7, 32, 65])
def test_odd_rows_of_a_typed_product(run, features):
    """A tile of the weight, shifted by a row for every second row of the input."""
    graph = typed_edges([1, 2, 3, 31, 32, 33, 0, 63, 65, 127, 129])

    def build(f, g):
        x = f.input("x", g.rows("edge", features))
        return f.typed_linear(x, f.input("w", g.rows("edge_type", features, 33)))

    check(one_op(build, graph), graph, run)


@pytest.mark.parametrize("rows", [1, 3, 17, 64, 130])
def test_sums_over_all_rows_of_a_weight(run, rows):
    """A weight's gradient that adds a quarter of the rows: each row counts here,
    with a value of its own."""
    graph = typed_edges([rows, rows + 1, 0])

    def build(f, g):
        return f.aggregate("sum", f.input("x", g.rows("edge", 5)), "edge_type")

    check(one_op(build, graph), graph, run)


@pytest.mark.parametrize("rows", [1, 3, 17, 64, 130])
def test_weight_gradients_add_all_rows(run, rows):
    """The same of the product that is the gradient: type by type, for edges and
    for pairs, and over all rows at once. A type without rows has a zero."""
    graph = typed_edges([rows, 0, rows + 1])

    def build(f, g):
        x, dy = f.input("x", g.rows("edge", 9)), f.input("dy", g.rows("edge", 5))
        pairs = [f.aggregate("sum", value, "src_pair") for value in (x, dy)]
        f.output("edges", f.typed_outer(x, dy, "edge_type"))
        f.output("pairs", f.typed_outer(*pairs, "edge_type"))
        return f.outer(x, dy)

    check(one_op(build, graph), graph, run)


def test_compact_rows_are_not_read_by_node_id(run):
    """Pair rows and node ids differ on every row of this graph."""
    rng = np.random.default_rng(0)
    graph = Graph(39 - rng.integers(0, 23, 300), rng.integers(0, 40, 300), 40,
                  edge_type=rng.integers(0, 4, 300), num_edge_types=5)
    nodes = graph.map("src_pair", "node")
    assert (nodes != np.arange(len(nodes))).all()

    def build(f, g):
        x = f.input("x", g.rows("node", 16))
        pairs = f.typed_linear(f.gather(x, "src_pair"),
                               f.input("w", g.rows("edge_type", 16, 16)))
        return f.aggregate("sum", f.gather(pairs, "edge"), "node", via="dst")

    check(one_op(build, graph), graph, run)


@pytest.mark.parametrize("via", ["src", "dst"])
def test_the_graph_is_not_transposed(run, via):
    """All edges lead one way, so that the transposed graph gives other rows."""
    rng = np.random.default_rng(0)
    src = rng.integers(0, 20, 200)
    graph = Graph(src, 20 + rng.integers(0, 20, 200), 40)
    other = "dst" if via == "src" else "src"

    def build(f, g):
        message = f.gather(f.input("x", g.rows("node", 8)), "edge", via=other)
        return f.aggregate("sum", message, "node", via=via)

    module = one_op(build, graph)
    function = module.functions["f"]
    inputs = cases.make_inputs(function, function.bind(graph), "dyadic")
    swapped = Graph(graph.edge_dst, graph.edge_src, 40)
    assert errors.error(function.evaluate(swapped, inputs)["out"],
                        function.evaluate(graph, inputs)["out"]) > 0.1
    check(module, graph, run)


def test_hgt_normalizes_once(run):
    """Attention over the edges into a node adds up to 1, not to 1 / degree: with
    equal values the output does not depend on the degree."""
    graph = graphs.named("rows-1000")
    check(models.hgt(5, 17, (16, 16), 2), graph, run, "normal")

    def build(f, g):
        score = f.input("score", g.rows("edge", 2))
        return f.aggregate("sum", f.edge_softmax(score), "node", via="dst")

    module = one_op(build, graph)
    inputs = module.functions["f"].random_inputs(graph)
    out = run(module.text(), "f", {"g": graph}, inputs)["out"]
    full = np.bincount(graph.edge_dst, minlength=graph.num_nodes) > 0
    np.testing.assert_allclose(out, full[:, None] * np.ones(2), atol=1e-5)


@pytest.mark.parametrize("over", ["src", "dst", "src_pair", "dst_pair"])
@pytest.mark.parametrize("edges", [1, 2, 31, 32, 33, 1025])
def test_softmax_is_over_the_right_end_and_all_edges(run, over, edges):
    """Over sources instead of destinations, or without the last edge. The last
    edge has the largest score here."""
    rng = np.random.default_rng(0)
    graph = Graph(rng.integers(0, 3, edges), rng.integers(3, 9, edges), 9,
                  edge_type=rng.integers(0, 2, edges), num_edge_types=2)
    module = one_op(lambda f, g: f.edge_softmax(
        f.input("score", g.rows("edge", 3)), over), graph)
    function = module.functions["f"]
    inputs = function.random_inputs(graph)
    inputs["score"][-1] = 9
    cases.check(cases.Program(function, {"g": graph}, inputs), run)


@pytest.mark.parametrize("shift", [-2000, 0, 2000])
def test_softmax_is_shifted(run, shift):
    """Powers of large scores overflow, of small ones all vanish."""
    graph = graphs.named("rows-1000")
    module = one_op(lambda f, g: f.edge_softmax(
        f.input("score", g.rows("edge", 2))), graph)
    function = module.functions["f"]
    inputs = function.random_inputs(graph)
    inputs["score"] = np.round(inputs["score"] * 64) / 64 + np.float32(shift)
    cases.check(cases.Program(function, {"g": graph}, inputs), run)


@pytest.mark.parametrize("edges", [1, 31, 33, 255, 257])
@pytest.mark.parametrize("features", [1, 3, 5])
def test_nothing_is_read_past_the_end(run, edges, features):
    """Sizes that fill no tile, warp or vector; the emulator checks every access
    against its true extent."""
    graph = typed_edges([edges], nodes=edges // 2 + 1)
    check(models.rgcn(1, (features, features)), graph, run, "positive")


def test_outputs_need_not_be_zeroed(run):
    """Rows without edges are written too. Memory starts as NaN on the emulator."""
    graph = graphs.named("sparse")
    empty = np.bincount(graph.edge_dst, minlength=graph.num_nodes) == 0
    assert empty.any()

    def build(f, g):
        x = f.input("x", g.rows("edge", 4))
        out = [f.aggregate(kind, x, "node", via="dst")
               for kind in ("sum", "mean", "max", "min")]
        return f.concat(*out)

    check(one_op(build, graph), graph, run)


def test_an_empty_type_has_a_zero_sum(run):
    graph = graphs.named("empty-types")

    def build(f, g):
        return f.aggregate("sum", f.input("x", g.rows("edge", 4)), "edge_type")

    check(one_op(build, graph), graph, run)


def test_nan_stays_in_its_rows(run):
    """A NaN reaches what depends on it and nothing else."""
    graph = graphs.named("rows-1000")
    module = models.gcn((16, 16))
    function = module.functions["gcn"]
    looped = cases._looped(graph)
    inputs = function.random_inputs(looped)
    inputs["x"][500, 3] = np.nan
    cases.check(cases.Program(function, {"g": looped}, inputs), run)


def test_the_same_bits_each_time(run):
    graph = graphs.named("rows-1000")
    module = models.rgat(17, (16, 8), heads=2, node_types=5)
    function = module.functions["rgat"]
    inputs = function.random_inputs(graph)
    first, second = (run(module.text(), "rgat", {"g": graph}, inputs)["out"]
                     for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_concatenations_that_begin_alike(run):
    """Two that start with the same rows, one of them twice: their common beginning
    was merged, and could then not be gone on with by both."""
    graph = typed_edges([3, 0, 40])
    module = Module()
    g = module.graph_like("g", graph)
    f = module.function("f")
    x, y = (f.input(name, g.rows("edge", 3)) for name in "xy")
    for i, parts in enumerate(((x, x, y), (x, x), (x, y))):
        whole = f.concat(*parts)
        f.output(f"whole{i}", whole)
        f.output(f"again{i}", whole)
        f.output(f"product{i}", f.linear(whole, f.input(f"w{i}", weight(
            3 * len(parts), 5))))
    check(module, graph, run)
