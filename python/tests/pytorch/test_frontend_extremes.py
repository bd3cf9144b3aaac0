# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Maxima and minima of equal rows, of NaN and onto zeros, however they are written: of equal
rows the first has the gradient."""

import pytest

torch = pytest.importorskip("torch")
pyg = pytest.importorskip("torch_geometric.nn")

import gnn_mlir  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing.vocabulary import OPS  # noqa: E402
from torch_geometric.utils import scatter  # noqa: E402

NAN = float("nan")
# Rows 0 to 2 are ends of edges; equal rows are 0 or NaN, and extremes of others are above and
# below 0. Row 3 has one edge, others none.
X = torch.tensor([[0., 1], [0, 1], [-1, -1], [0, 0], [0, NAN], [0, NAN], [2, -3]])
EDGES = torch.tensor([[0, 1, 2, 3, 4, 5, 0, 1, 6], [0, 0, 0, 1, 1, 1, 2, 2, 3]])
COUNT = X.shape[0]
WEIGHTS = torch.arange(1., 1 + X.numel()).view(X.shape)

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def expected(kind, start=None):
    """(values, gradients), edge by edge."""
    values, grads = torch.zeros_like(X), torch.zeros_like(X)
    for row in range(COUNT):
        sources = [int(src) for src, dst in EDGES.t() if dst == row]
        for column in range(X.shape[1]):
            best = None
            for src in sources:
                one, before = X[src, column], None if best is None else X[best, column]
                if best is None or not before.isnan() and (
                        one.isnan() or (one > before if kind == "max" else one < before)):
                    best = src
            value = None if best is None else X[best, column]
            if start is not None and (value is None or (
                    value < start if kind == "max" else value > start)):
                best, value = None, torch.tensor(start)
            values[row, column] = 0. if value is None else value
            if best is not None:
                grads[best, column] += WEIGHTS[row, column]
    return values, grads


class Layer(pyg.MessagePassing):
    def forward(self, x, edges):
        return self.propagate(edges, x=x)

    def message(self, x_j):
        return x_j


def columns(ids, x):
    return ids[:, None].expand(-1, x.shape[1])


def by_scatter(kind):
    return lambda x, e: scatter(x[e[0]], e[1], dim_size=x.shape[0], reduce=kind)


def by_torch(kind, name="scatter_reduce", start=0., **how):
    def model(x, e):
        base = torch.full_like(x, start)
        ids = e[1] if name == "index_reduce" else columns(e[1], x)
        return getattr(base, name)(0, ids, x[e[0]], f"a{kind}", **how)
    return model


WAYS = {
    "layer": lambda kind: Layer(kind), "scatter": by_scatter,
    "scatter_reduce": lambda kind: by_torch(kind, include_self=False),
    "index_reduce": lambda kind: by_torch(kind, "index_reduce", include_self=False)}


def check(model, values, grads, whole=True):
    x = X.clone().requires_grad_()
    out = gnn_mlir.compile(model, fullgraph=whole)(x, EDGES)
    torch.testing.assert_close(out, values, equal_nan=True)
    torch.testing.assert_close(torch.autograd.grad(out, x, WEIGHTS)[0], grads)


@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize("way", WAYS)
def test_over_edges(way, kind):
    check(WAYS[way](kind), *expected(kind))


@pytest.mark.parametrize("kind, start", [("max", 0.), ("max", .5), ("min", 0.), ("min", -2.)])
@pytest.mark.parametrize("name", ["scatter_reduce", "index_reduce"])
def test_with_a_constant_that_counts(name, kind, start):
    check(by_torch(kind, name, start), *expected(kind, start))


def test_in_torch():
    """An aggregation of the vocabulary that torch runs has the gradient of programs."""
    for kind in "max", "min":
        x = X.clone().requires_grad_()
        out = OPS.aggregate(x[EDGES[0]], EDGES[1], COUNT, kind)
        values, grads = expected(kind)
        torch.testing.assert_close(out, values, equal_nan=True)
        torch.testing.assert_close(torch.autograd.grad(out, x, WEIGHTS)[0], grads)
    x = X[:0].clone().requires_grad_()
    out = OPS.aggregate(x, EDGES[1, :0], COUNT, "max")
    assert torch.autograd.grad(out.sum(), x)[0].shape == x.shape and not out.any()


@pytest.mark.parametrize("size", [3, None])
def test_equal_maxima_behind_a_norm(size):
    """By hand, the gradient of its bias is one of each graph's maximum, whatever says how many
    graphs there are."""
    norm, batch = pyg.GraphNorm(2), torch.arange(COUNT) // 3

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = norm

        def forward(self, x, edges):
            h = x.new_zeros(x.shape).index_add(0, edges[1], x[edges[0]]).relu()
            return pyg.global_max_pool(self.norm(h, batch, size), batch, 3)
    out = gnn_mlir.compile(Model(), fullgraph=True)(X.nan_to_num(), EDGES)
    out.sum().backward()
    torch.testing.assert_close(norm.bias.grad, torch.tensor([3., 3.]))


def sums(x, e):
    return x.new_zeros(x.shape).index_add(0, e[1], x[e[0]])


@pytest.mark.parametrize("kind", ["max", "min"])
def test_over_features(kind):
    """The first of three parts has the gradient, where they are equal and where they are NaN."""
    x = X.clone().requires_grad_()
    scales = [torch.ones(2, requires_grad=True) for _ in range(3)]

    def middle(x, e, *scales):
        parts = torch.stack([sums(x, e) * one for one in scales], 1)  # [rows, 3, 2]
        return getattr(parts[:, None].expand(-1, 2, -1, -1), f"a{kind}")(2)
    run = gnn_mlir.compile(middle, fullgraph=True)
    out = run(x, EDGES, *scales)
    torch.testing.assert_close(out, sums(X, EDGES)[:, None].expand(-1, 2, -1), equal_nan=True)
    out.sum().backward()
    torch.testing.assert_close(scales[0].grad, 2 * sums(X, EDGES).sum(0), equal_nan=True)
    for one in scales[1:]:
        assert torch.equal(one.grad.nan_to_num(), torch.zeros(2))


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("kind", ["max", "min"])
def test_over_relations(kind, other):
    """The first of three relations with the same rows has the gradient."""
    torch.manual_seed(0)
    layers = {("a", f"r{i}", "a"): pyg.GraphConv(2, 2, bias=False) for i in range(3)}
    if other:
        layers["a", "r1", "a"] = pyg.SAGEConv(2, 2, aggr="sum", bias=False)
    conv = pyg.HeteroConv(layers, kind)
    weights = [list(one.parameters()) for one in conv.convs.values()]
    for own in weights:
        for weight, first in zip(own, weights[0]):
            weight.data.copy_(first)
    x = X.nan_to_num()
    out = gnn_mlir.compile(conv, fullgraph=True)({"a": x}, {r: EDGES for r in layers})["a"]
    a, b = (w.detach() for w in weights[0])
    torch.testing.assert_close(out, sums(x, EDGES) @ a.t() + x @ b.t())
    out.sum().backward()
    torch.testing.assert_close(weights[0][0].grad, sums(x, EDGES).sum(0).expand(2, -1))
    assert not any(w.grad.any() for own in weights[1:] for w in own)


@pytest.mark.parametrize("kind", ["maximum", "minimum"])
def test_of_two_is_as_in_torch(kind):
    def model(x, e):
        h = sums(x, e)
        return getattr(torch, kind)(getattr(torch, kind)(h, h.relu()), x)
    x = X.nan_to_num().requires_grad_()
    grads = []
    for run in model, gnn_mlir.compile(model, fullgraph=True):
        grads.append(torch.autograd.grad(run(x, EDGES), x, WEIGHTS)[0])
    torch.testing.assert_close(*grads)
