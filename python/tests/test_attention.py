# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as one op and as several: extreme scores, odd graphs, memory."""

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models, types
from gnn_mlir.program import Module
from support import graphs

HEADS, SIZE = 2, 5

# Node 0 has parallel edges, a self loop and many sources; 1 has none.
ODD = {
    "multi": lambda: gnn_mlir.Graph([0, 2, 2, 2, 3, 4, 0, 0], [0, 0, 0, 3, 0, 0, 2, 2],
                                    6, num_edge_types=3,
                                    edge_type=[0, 1, 1, 0, 2, 1, 2, 2]),
    "no-edges": graphs.ODD["no-edges"],
    "one-node": graphs.ODD["rows-1"],
    "hub": lambda: gnn_mlir.Graph(np.arange(900) % 40, np.zeros(900, int), 40,
                                  num_edge_types=2,
                                  edge_type=np.arange(900) % 2),
}


def _scores(f, g, kind, x, y):
    """Scores of edges from two inputs on nodes, as the models have them."""
    if kind == "additive":
        narrow = [f.reduce_features("sum", h) for h in (x, y)]
        score = f.apply("add", "edge", *narrow, "src", "dst")
        return f.activation("leaky_relu", score, alpha=0.2)
    if kind == "gatv2":
        both = f.activation("leaky_relu", f.apply("add", "edge", x, y, "src", "dst"),
                            alpha=0.2)
        return f.dot(both, f.input("att", types.weight(HEADS, SIZE)))
    prior = f.input("prior", g.rows("edge_type", HEADS))
    score = f.sddmm("edge", x, y, "src", "dst")
    return f.apply("mul", "edge", score, prior) * 0.5


def _program(graph, kind, over="dst"):
    """Several ops that `gnn-fuse-attention` makes one of."""
    module = Module()
    g = module.graph_like("g", graph)
    f = module.function("f")
    x, y = (f.input(name, g.rows("node", HEADS, SIZE)) for name in ("x", "y"))
    weights = f.edge_softmax(_scores(f, g, kind, x, y), over=over)
    far = "src" if over == "dst" else "dst"
    f.output("out", f.spmm("mul", "sum", "node", weights, x, rhs_via=far, via=over))
    return f


@pytest.mark.parametrize("over", ["dst", "src"])
@pytest.mark.parametrize("kind", ["additive", "gatv2", "dot"])
@pytest.mark.parametrize("name", ODD)
def test_extreme_scores(compiler, name, kind, over):
    graph = ODD[name]()
    f = _program(graph, kind, over)
    rng = np.random.default_rng(7)
    inputs = {n: rng.standard_normal(x.shape).astype(np.float32)
              for n, x in f.random_inputs(graph).items()}
    for n in ("x", "y"):  # scores of about +-1e4
        inputs[n] *= np.float32(100 if kind == "dot" else 2000)
    expected = f.evaluate(graph, inputs)["out"]
    for fuse in (True, False):
        layer = gnn_mlir.compile(f, target="emulator",
                                 passes={"fuse-attention": fuse})
        # The last bit of a score of 1e4 is 1e-3: weights are that exact.
        scale = max(1.0, np.abs(inputs["x"]).max(initial=0.0))
        np.testing.assert_allclose(layer(graph, inputs), expected, rtol=0,
                                   atol=5e-3 * scale)


@pytest.mark.parametrize("kind", ["additive", "gatv2", "dot"])
def test_nan_and_infinity_stay_in_their_group(compiler, kind):
    graph = ODD["multi"]()
    f = _program(graph, kind)
    for bad in (np.nan, np.inf):
        inputs = f.random_inputs(graph)
        inputs["y"] = inputs["y"].copy()
        inputs["y"][3] = bad
        layer = gnn_mlir.compile(f, target="emulator")
        out = np.asarray(layer(graph, inputs))
        assert np.isnan(out[3]).all()
        assert np.isfinite(np.delete(out, 3, 0)).all()
        assert (out[1] == 0).all()


@pytest.mark.parametrize("name", ["gat", "gatv2", "rgat", "hgt", "transformer"])
def test_no_row_of_features_for_an_edge(compiler, name):
    """On a graph of many parallel edges the workspace has no room for one."""
    nodes, edges, size, heads = 40, 20_000, 64, 4
    rng = np.random.default_rng(1)
    kinds = 2 if name in ("rgat", "hgt") else 1
    graph = gnn_mlir.Graph(*rng.integers(0, nodes, (2, edges)), nodes,
                           num_edge_types=kinds,
                           edge_type=rng.integers(0, kinds, edges))
    if name in ("gat", "gatv2"):
        graph = gnn_mlir.add_self_loops(graph, edge_type=0)
    program = {
        "gat": lambda: models.gat((size, size // heads), heads),
        "gatv2": lambda: models.gatv2((size, size // heads), heads),
        "rgat": lambda: models.rgat(kinds, (size, size // heads), heads),
        "hgt": lambda: models.hgt(1, kinds, (size, size), heads),
        "transformer": lambda: models.transformer((size, size // heads), heads),
    }[name]()
    bound = gnn_mlir.compile(program, target="emulator").bind(graph)
    assert bound.workspace_bytes < edges * size * 4 / 4
    scores = edges * heads * 4 if name in ("gatv2", "hgt", "transformer") else 0
    assert bound.workspace_bytes < scores + 40 * nodes * kinds * size * 4
