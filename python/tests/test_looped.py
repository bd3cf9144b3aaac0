# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs with other self loops than the one they are derived from, and rows of their
edges: against graphs with loops that were made before, and against differences."""

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import Graph, Module, add_self_loops, reference
from gnn_mlir.graph_functions import LOOPS
from gnn_mlir.reference_derived import loop_places
from support import gradients

MADE = [loops for loops in LOOPS if loops != "remove"]
GRAPHS = {
    "several-loops": Graph([1, 0, 1, 3, 2, 3, 3], [1, 2, 1, 3, 0, 1, 3], 5),
    "no-edges": Graph([], [], 3),
    "no-nodes": Graph([], [], 0),
    "no-loops": Graph([0, 1, 2, 2], [1, 1 - 1, 1, 0], 4),
    "only-loops": Graph([2, 0, 2], [2, 0, 2], 3),
    "typed": Graph([1, 0, 1, 3, 2], [1, 2, 1, 3, 0], 4, edge_type=[0, 1, 1, 0, 1]),
}


def attention(loops, graph, heads=2, loop_type=0):
    """GAT's attention with features of edges, of which self loops have others."""
    module = Module()
    g = module.graph_like("g", graph)
    s = module.looped_graph("s", g, loops, loop_type)
    f = module.function("f")
    x = f.input("x", g.rows("node", heads, 3))
    edges, nodes = f.input("e", g.rows("edge", 4)), f.input("n", g.rows("node", 4))
    w = f.input("w", gnn_mlir.types.weight(4, heads))
    score = f.extend_edges(f.linear(edges, w), f.linear(nodes, w), s)
    side = f.rebind_rows(f.reduce_features("sum", x), s, "node")
    score = f.apply("add", "edge", score, side, rhs_via="src")
    a = f.edge_softmax(f.activation("leaky_relu", score, alpha=0.2), "dst")
    y = f.spmm("mul", "sum", "node", f.rebind_rows(x, s, "node"), a, lhs_via="src",
               via="dst")
    f.output("y", f.rebind_rows(y, g, "node"))
    return f


def given_loops(f, graph, inputs, loops):
    """The same in NumPy, on the graph that `add_self_loops` makes."""
    looped = add_self_loops(graph, loops, 0)
    rows = {k: np.asarray(v, np.float64) for k, v in inputs.items()}
    features = np.r_[rows["e"], rows["n"]][loop_places(graph, loops)]
    score = features @ rows["w"] + rows["x"].sum(-1)[looped.edge_src]
    score = np.where(score > 0, score, 0.2 * score)
    y = np.zeros(rows["x"].shape)
    for v in range(graph.num_nodes):
        into = looped.edge_dst == v
        power = np.exp(score[into] - score[into].max(0))
        a = power / power.sum(0)
        y[v] = (a[:, :, None] * rows["x"][looped.edge_src[into]]).sum(0)
    return y


@pytest.mark.parametrize("loops", LOOPS)
@pytest.mark.parametrize("name", GRAPHS)
def test_places_say_which_edges_there_are(name, loops):
    graph = GRAPHS[name]
    looped, places = add_self_loops(graph, loops, 0), loop_places(graph, loops)
    nodes = np.arange(graph.num_nodes)
    for end in ("edge_src", "edge_dst"):
        np.testing.assert_array_equal(np.r_[getattr(graph, end), nodes][places],
                                      getattr(looped, end))
    types = np.r_[graph.edge_type, np.zeros(graph.num_nodes, int)][places]
    np.testing.assert_array_equal(types, looped.edge_type)
    if loops in ("replace", "remaining"):
        own = looped.edge_src == looped.edge_dst
        np.testing.assert_array_equal(looped.edge_src[own], nodes)


@pytest.mark.parametrize("loops", MADE)
@pytest.mark.parametrize("name", GRAPHS)
def test_attention_over_edges_and_loops(name, loops, gnn_opt, compiler):
    graph = GRAPHS[name]
    f = attention(loops, graph)
    inputs = gradients.smooth_inputs(f, graph)
    np.testing.assert_allclose(f.evaluate(graph, inputs)["y"],
                               given_loops(f, graph, inputs, loops), atol=1e-12)
    made = gradients.differentiate(gnn_opt, f)
    gradients.check(f, f.bind(graph), inputs, made)
    text = gradients.text(gnn_opt, f)
    for target in ("emulator", "cpu")[:1 + (name in ("several-loops", "no-edges"))]:
        share = gradients.check_kernels(text, f, f.bind(graph), inputs, made,
                                        target=target)
        assert share <= 1


@pytest.mark.parametrize("loop_type", [0, 2])
def test_types_of_loops(loop_type, compiler):
    """Weights of edge types on a graph whose loops have one of them, or their own."""
    graph = GRAPHS["typed"]
    module = Module()
    g = module.graph_like("g", graph)
    s = module.looped_graph("s", g, "replace", loop_type)
    assert s.edge_types == (3 if loop_type == 2 else 2)
    f = module.function("f")
    x = f.rebind_rows(f.input("x", g.rows("node", 4)), s, "node")
    w = f.input("w", s.rows("edge_type", 4, 3))
    pairs = f.typed_linear(f.gather(x, "src_pair"), w)
    f.output("y", f.rebind_rows(f.aggregate(
        "mean", f.gather(pairs, "edge"), "node", "dst"), g, "node"))
    inputs = f.random_inputs(graph)
    out = f.evaluate(graph, inputs)["y"]
    for target in ("emulator", "cpu"):
        got = gnn_mlir.compile(f, target=target)(graph, inputs)
        np.testing.assert_allclose(got, out, rtol=1e-5, atol=1e-6)


def test_rows_of_one_use_are_computed_where_they_are_read(gnn_opt):
    """No kernel but those of the features and of the sum writes rows of edges."""
    import subprocess
    graph = GRAPHS["several-loops"]
    result = subprocess.run(
        [gnn_opt, "-", "--gnn-graph-pipeline", "--gnn-tile-pipeline"],
        input=attention("replace", graph).module.text(), text=True,
        capture_output=True, check=True)
    kernels = [line for line in result.stdout.splitlines()
               if line.lstrip().startswith(("gnn_tile.traverse", "gnn_tile.gemm"))]
    assert sum("<edge" in line or "rows edge" in line for line in kernels) == 1


def test_what_is_refused():
    module = Module()
    g, b = module.graph("g", edge_types=2), module.graph("b", square=False)
    s = module.looped_graph("s", g, "add", 0)
    kept = module.looped_graph("kept", g, "remove")
    f = module.function("f")
    e, n = f.input("e", g.rows("edge", 2)), f.input("n", g.rows("node", 2))
    for what, message in (
            (lambda: module.looped_graph("t", s), "square parent that is not derived"),
            (lambda: module.looped_graph("t", b), "square parent that is not derived"),
            (lambda: module.looped_graph("t", g, "none"), "expected loops replace, add"),
            (lambda: module.looped_graph("t", g, "add", 3), "loop_type"),
            (lambda: f.restrict_rows(e, s), "without new self loops, got s"),
            (lambda: f.extend_edges(n, n, s), "expected edge rows, got node"),
            (lambda: f.extend_edges(e, n, kept), "with new self loops derived from g"),
            (lambda: f.loop_rows(e), "expected a graph with new self loops, got g"),
            (lambda: f.expand_rows(f.input("p", s.rows("src_pair")), g),
             "expected edge rows of s")):
        with pytest.raises(ValueError, match=message):
            what()


@pytest.mark.parametrize("loops", MADE)
def test_extending_is_transposed(loops):
    graph, rng = GRAPHS["several-loops"], np.random.default_rng(0)
    e, n = rng.random((graph.num_edges, 2)), rng.random((graph.num_nodes, 2))
    d = rng.random((add_self_loops(graph, loops, 0).num_edges, 2))
    extended = reference.extend_edges(graph, e, n, loops)
    back = (e * reference.expand_rows(graph, d, "edge", loops=loops)).sum() + (
        n * reference.loop_rows(graph, d, loops)).sum()
    np.testing.assert_allclose((extended * d).sum(), back)
