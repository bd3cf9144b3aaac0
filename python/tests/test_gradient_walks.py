# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of attention in float64: where one walk over the edges into a row computes
its scores, their gradients and the row's gradient."""

import importlib
import os
import re
import subprocess

import numpy as np
import pytest

import gnn_mlir
from conftest import find_tool
from gnn_mlir import Module, types
from support import graphs

SLOPE = 0.2
SIZES = [(1, 1), (1, 3), (1, 65), (3, 4), (2, 64)]


def _hub():
    """1,100 edges into node 0, more than a team of lanes walks alone; parallel edges
    and self loops; none into the last nodes, none of type 2."""
    rng = np.random.default_rng(5)
    src = np.concatenate([rng.integers(0, 45, 1100), [3, 3, 3, 7, 44], np.arange(9)])
    dst = np.concatenate([np.zeros(1100, int), [4, 4, 3, 7, 0], np.arange(9) + 20])
    return gnn_mlir.Graph(src, dst, 45, num_edge_types=4,
                          edge_type=rng.choice([0, 1, 3], len(src)))


GRAPHS = {"hub": _hub, "random": lambda: graphs.random_graph(23, 90, 2, 3, seed=8),
          "no-edges": graphs.ODD["no-edges"], "one-node": graphs.ODD["rows-1"]}


def _program(graph, kind, heads, features):
    module = Module()
    g = module.graph_like("g", graph)
    f = module.function("f")
    rows = g.rows("node", heads, features)
    if kind == "gatv2":
        value, target = f.input("value", rows), f.input("target", rows)
        both = f.apply("add", "edge", value, target, "src", "dst")
        score = f.dot(f.activation("leaky_relu", both, alpha=SLOPE),
                      f.input("att", types.weight(heads, features)))
    else:
        query, key, value = (f.input(n, rows) for n in ("query", "key", "value"))
        score = f.sddmm("edge", query, key, "dst", "src") * features ** -0.5
        if kind == "prior":
            score = f.apply("mul", "edge", score,
                            f.input("prior", g.rows("edge_type", heads)))
    softmax = f.edge_softmax(score, over="dst")
    f.output("out", f.spmm("mul", "sum", "node", softmax, value, rhs_via="src",
                           via="dst"))
    return f


def _expected(torch, graph, kind, inputs, up):
    """Output and gradients by torch's autograd."""
    src, dst, of_type = (torch.tensor(np.asarray(a, np.int64)) for a in (
        graph.edge_src, graph.edge_dst, graph.edge_type))
    t = {k: torch.tensor(v, dtype=torch.float64, requires_grad=True)
         for k, v in inputs.items()}
    if kind == "gatv2":
        both = torch.nn.functional.leaky_relu(t["value"][src] + t["target"][dst], SLOPE)
        score = (both * t["att"]).sum(-1)
    else:
        score = (t["query"][dst] * t["key"][src]).sum(-1) * up.shape[-1] ** -0.5
        if kind == "prior":
            score = score * t["prior"][of_type]
    weight = torch.exp(score)
    total = torch.zeros(up.shape[:2], dtype=torch.float64).index_add(0, dst, weight)
    out = torch.zeros(up.shape, dtype=torch.float64).index_add(
        0, dst, t["value"][src] * (weight / total[dst]).unsqueeze(-1))
    out.backward(torch.tensor(up))
    return {"out": out.detach().numpy(), **{k: v.grad.numpy() for k, v in t.items()}}


@pytest.mark.parametrize("kind", ["dot", "gatv2", "prior"])
@pytest.mark.parametrize("heads, features", SIZES)
@pytest.mark.parametrize("name, known", [*((name, True) for name in GRAPHS),
                                         ("hub", False)])
def test_attention(compiler, name, known, heads, features, kind):
    torch = (importlib.import_module("torch") if "GNN_REQUIRE_PYG" in os.environ
             else pytest.importorskip("torch"))
    graph = GRAPHS[name]()
    f = _program(graph, kind, heads, features)
    rng = np.random.default_rng(3)
    inputs = {n: rng.standard_normal(x.shape).astype(np.float32)
              for n, x in f.random_inputs(graph).items()}
    up = rng.standard_normal((graph.num_nodes, heads, features)).astype(np.float32)
    expected = _expected(torch, graph, kind, inputs, up.astype(np.float64))
    bound = gnn_mlir.compile(f, target="emulator", gradients=True,
                             graph=graph if known else None).bind(graph)
    runs = []
    for _ in range(2):
        out, tape = bound.forward(inputs)
        runs.append({"out": out, **tape.gradients({"out": up})})
    assert runs[0].keys() == expected.keys()
    for key, value in expected.items():
        scale = max(1.0, np.abs(value).max(initial=0))
        np.testing.assert_allclose(runs[0][key], value, rtol=0, atol=2e-5 * scale)
        assert np.array_equal(runs[0][key], runs[1][key])  # the same bits


@pytest.mark.parametrize("kind", ["dot", "gatv2", "prior"])
def test_no_kernel_of_edges(compiler, kind):
    """What is computed of an edge is so in a walk: rows are neither short nor long."""
    graph = GRAPHS["random"]()
    f = _program(graph, kind, 1, 64)
    text = re.sub(r"(gnn.graph @g .*)}", rf"\1, stats = {graph.stats()}}}",
                  f.module.text())
    begin = text.index("@f(")
    end = text.index(" {\n", begin)
    asked = text[:end] + " attributes {gnn.gradients}" + text[end:]
    made = subprocess.run(
        [find_tool("gnn-opt"), "-", "--gnn-graph-pipeline", "--gnn-tile-pipeline"],
        input=asked, text=True, capture_output=True, check=True).stdout
    backward = made[made.index("@f_backward"):]
    assert backward.count("traverse @g <dst, edge.in_rows") == 1
    assert "traverse @g <edge.in_rows" not in backward
