# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that are of rows in one way and look like those of another: as many rows as heads, one row
that is repeated, ids beside other ids, embeddings whose gradient is not that of their rows.

Results and gradients are those of the model in float64."""

import copy

import pytest

torch = pytest.importorskip("torch")
pyg = pytest.importorskip("torch_geometric.nn")

import gnn_mlir  # noqa: E402
import zoo  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch_geometric.utils import scatter  # noqa: E402

D = 8
RELS = [("a", "ab", "b"), ("b", "bb", "b"), ("b", "ba", "a"), ("b", "bc", "c"),
        ("c", "ca", "a")]
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


class Relations(nn.Module):
    """Messages along relations, each with numbers of its own."""

    def __init__(self, message):
        super().__init__()
        self.message = message
        self.lins = nn.ModuleDict({r[1]: nn.Linear(D, D) for r in RELS})
        self.numbers = nn.ParameterDict(
            {r[1]: nn.Parameter(torch.randn((), dtype=torch.float64)) for r in RELS})

    def forward(self, x, edges):
        sums = {kind: 0 for kind in "abc"}
        for r in RELS:
            made = self.message(x[r[0]], edges[r], self.numbers[r[1]])
            made = scatter(made, edges[r][1], 0, x[r[2]].size(0))
            sums[r[2]] = sums[r[2]] + self.lins[r[1]](made)
        return tuple(sums.values())


class Scattered(nn.Module):
    """A sum over edges, of which there are as many as features, or that are features."""

    def __init__(self, op, is_constant=False):
        super().__init__()
        self.op, self.is_constant, self.lin = op, is_constant, nn.Linear(D, D)
        self.register_buffer("ids", torch.arange(D).flip(0) % 5)

    def forward(self, x, edges):
        rows, (src, dst) = self.lin(x["b"]), edges[RELS[3]]
        if self.is_constant:
            src = dst = self.ids
        return self.op(rows[src], dst)


class Table(nn.Module):
    """An op on what a layer gives of a table of so many rows."""

    def __init__(self, count, op, *shape):
        super().__init__()
        self.count, self.op = count, op
        self.table, self.conv = nn.Parameter(torch.randn(count, D)), pyg.GraphConv(D, D)
        self.weight = nn.Parameter(torch.randn(shape))

    def forward(self, x, edges):
        ids = torch.arange(self.count)
        return self.op(self.conv(self.table, torch.stack([ids, ids.flip(0)])), self.weight)


MODELS = {
    "columns beside ids": lambda: Relations(
        lambda x, e, n: x[e[0]] * x[e[0], e[1] % D].unsqueeze(1)),
    "padding": lambda: Relations(lambda x, e, n: F.embedding(e[0], x, padding_idx=1)),
    "scaled by frequency": lambda: Relations(
        lambda x, e, n: F.embedding(e[0], x, scale_grad_by_freq=True)),
    "numbers of another dtype": lambda: Relations(lambda x, e, n: x[e[0]] * n),
    "ids along features": lambda: Scattered(
        lambda x, ids: x.new_zeros(7, D).scatter_add(0, ids.expand(D, D), x), True),
    "ids along edges by edges": lambda: Scattered(lambda x, ids: x.new_zeros(
        7, ids.size(0)).scatter_add(0, ids.expand(ids.size(0), -1), x @ x.t())),
    "one row repeated": lambda: Table(1, lambda x, w: x.expand(5, D).relu()),
    "as many heads as rows": lambda: Table(4, lambda x, w: x @ w, 4, D, 3),
    "as many rows as features": lambda: Table(D, lambda x, w: x @ w + x.max(1)[0], D, D, D),
}


def given():
    rng = torch.Generator().manual_seed(0)
    counts = dict(a=40, b=30, c=7)
    x = {kind: torch.randn(n, D, generator=rng).requires_grad_() for kind, n in counts.items()}
    return x, {r: torch.stack([torch.randint(counts[end], (30 + 7 * i,), generator=rng)
                               for end in r[::2]]) for i, r in enumerate(RELS)}


@pytest.mark.parametrize("name", MODELS)
def test_rows(name):
    torch.manual_seed(0)
    model = MODELS[name]()
    own, compiled = copy.deepcopy(model).double(), gnn_mlir.compile(model)
    x, edges = given()
    wide = {kind: one.detach().double().requires_grad_() for kind, one in x.items()}
    results = []
    for run, features in ((own, wide), (compiled, x)):
        made = run(features, edges)
        made = made if isinstance(made, tuple) else (made,)
        sum((one * torch.arange(one.numel()).cos().view(one.shape)).sum() for one in made).backward()
        results.append((made, [one.grad for one in features.values()],
                        [one.grad for one in run.parameters()]))
    assert "1: left to torch" not in gnn_mlir.explain(compiled)
    assert all(one.dtype == torch.float32 for one in results[1][0])
    torch.testing.assert_close(results[1], results[0], rtol=1e-4, atol=1e-4, check_dtype=False)
