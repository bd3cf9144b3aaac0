# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of attention beside torch's in float64: where one walk over the edges of a row, or
each of two, computes scores, their gradients and the row's gradient."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gnn_mlir  # noqa: E402
from test_gradient_walks import GRAPHS, SLOPE, _program  # noqa: E402

SIZES = [(1, 1), (1, 3), (1, 65), (3, 4), (2, 64)]


def _expected(graph, kind, inputs, up):
    """Output and gradients by torch's autograd."""
    src, dst, of_type = (torch.tensor(np.asarray(a, np.int64)) for a in (
        graph.edge_src, graph.edge_dst, graph.edge_type))
    t = {k: torch.tensor(v, dtype=torch.float64, requires_grad=True)
         for k, v in inputs.items()}
    if kind == "gatv2":
        both = torch.nn.functional.leaky_relu(t["value"][src] + t["target"][dst], SLOPE)
        score = (both * t["att"]).sum(-1)
    elif kind == "gat":
        score = torch.nn.functional.leaky_relu(t["left"][src] + t["right"][dst], SLOPE)
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


def _check(kind, name, heads, features, known=True, target="emulator", passes=None):
    """Output and gradients on the graph beside torch's in float64, twice the same bits."""
    graph = GRAPHS[name]()
    f = _program(graph, kind, heads, features)
    rng = np.random.default_rng(3)
    inputs = {n: rng.standard_normal(x.shape).astype(np.float32)
              for n, x in f.random_inputs(graph).items()}
    up = rng.standard_normal((graph.num_nodes, heads, features)).astype(np.float32)
    expected = _expected(graph, kind, inputs, up.astype(np.float64))
    bound = gnn_mlir.compile(f, target=target, gradients=True, passes=passes,
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


@pytest.mark.parametrize("kind", ["dot", "gatv2", "gat", "prior"])
@pytest.mark.parametrize("heads, features", SIZES)
@pytest.mark.parametrize("name, known", [*((name, True) for name in GRAPHS),
                                         ("hub", False)])
def test_attention(compiler, name, known, heads, features, kind):
    _check(kind, name, heads, features, known)


# By edges or not: apart, stored by one walk, computed in each.
@pytest.mark.parametrize("kind", ["dot", "gatv2", "gat", "prior"])
@pytest.mark.parametrize("numbers", [0, 1, 2])
@pytest.mark.parametrize("target, walks", [("emulator", 0), ("emulator", 1), ("cpu", 0)])
def test_places(compiler, target, walks, numbers, kind):
    for name, heads, features in (("hub", 2, 8), ("hub", 1, 65), ("random", 3, 4)):
        _check(kind, name, heads, features, target=target,
               passes={"edge-numbers": numbers, "edge-walks": walks})


@pytest.mark.parametrize("switch", ["sum-rows-first", "merge-sums"])
def test_switches(compiler, switch):
    _check("gatv2", "hub", 2, 8, passes={switch: False, "edge-walks": 1})
