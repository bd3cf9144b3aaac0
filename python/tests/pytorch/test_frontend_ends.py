# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Edges with ids of more kinds of rows than two, and messages of slices of edges, as one program
beside eager."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import beside_eager  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from torch import nn  # noqa: E402
from torch_geometric.data import Data  # noqa: E402
from torch_geometric.utils import scatter, softmax  # noqa: E402

D = 6
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def is_whole(model, *calls):
    """Compares calls with eager's in float64; all are one program, captured once."""
    exact, compiled = copy.deepcopy(model).double(), capture.compile_module(model, fullgraph=True)
    for call in calls:
        expected = beside_eager.run(exact, exact, *beside_eager.converted(
            (call, {}), dtype=torch.float64))
        beside_eager.compare(*expected, *beside_eager.run(compiled, model, call, {}))
    captured, = compiled.captures.report()
    assert len(captured.programs) == 1 and not captured.left


class OfThree(nn.Module):
    """Pairs of nodes that are nodes' of a third kind: three vectors of ids of the same edges."""

    def __init__(self):
        super().__init__()
        self.lin, self.weight = nn.Linear(D, D), nn.Linear(D, 1)

    def forward(self, x, y, one, two, of):
        message = self.lin((x[one] - x[two]).abs())
        message = message * softmax(self.weight(y[of] + message), of, num_nodes=y.size(0))
        return scatter(message, of, 0, y.size(0)), y + scatter(message, of, 0, y.size(0), "max")


class OfPair(nn.Module):
    """A graph whose edges have a third end."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3 * D, D)

    def forward(self, x, y, edge_index, of):
        src, dst = edge_index
        message = self.lin(torch.cat([x[src], x[dst], y[of]], 1)).relu()
        return scatter(message, dst, 0, x.size(0)), scatter(message, of, 0, y.size(0), "mean")


class OfTwoSizes(nn.Module):
    """The same ids point to rows of which one tensor has more than the other."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(D, D)

    def forward(self, x, y, edge_index):
        src, dst = edge_index
        count = int(dst.max()) + 1
        return scatter(self.lin(x[src] * y[dst]), dst, 0, count)


def ids(rows, edges):
    return torch.randint(0, max(rows, 1), (edges,))


@pytest.mark.parametrize("cls", [OfThree, OfPair, OfTwoSizes])
def test_ids_of_several_rows(cls):
    torch.manual_seed(0)

    def call(n, m, edges):
        x, y = torch.randn(n, D), torch.randn(m, D)
        if cls is OfThree:
            return x, y, ids(n, edges), ids(n, edges), ids(m - 1, edges)
        pair = torch.stack([ids(n, edges), ids(n if cls is OfPair else m - 1, edges)])
        return (x, y, pair, ids(m, edges)) if cls is OfPair else (x, y, pair)
    sizes = (7, 4, 30), (11, 17, 12), *(() if cls is OfTwoSizes else ((5, 4, 0),))
    is_whole(cls(), *[call(*size) for size in sizes])


class Slices(nn.Module):
    """Every third edge has another message, which is written to its place."""

    def __init__(self, starts, base):
        super().__init__()
        self.lins = nn.ModuleList(nn.Linear(D, D) for _ in starts)
        self.starts, self.base = starts, base

    def forward(self, x, edge_index):
        src, dst = edge_index
        rows = x[src]
        message = self.base(dst.size(0), D)
        for start, lin in zip(self.starts, self.lins):
            message[start::3] = lin(rows[start::3] - rows[::3])
        return x + scatter(message, dst, 0, x.size(0))


@zoo.since("2.13", "asks whether slices of edges are as many")
@pytest.mark.parametrize("starts,base", zoo.with_slow(
    [((2, 0, 1), torch.empty), ((1,), torch.zeros)], {((1,), torch.zeros)}))
def test_messages_of_slices(starts, base):
    torch.manual_seed(0)
    is_whole(Slices(starts, base), *[(torch.randn(n, D), torch.randint(0, n, (2, edges)))
                                     for n, edges in ((7, 30), (11, 12))])


class OfData(nn.Module):
    """Copies what it is given, as PyG's GPSE does, and writes to the copy, and joins features."""

    def __init__(self):
        super().__init__()
        self.lin, self.power = nn.Linear(D, D), nn.Parameter(torch.tensor([2.5, 0.5]))

    def forward(self, data):
        own = data.clone()
        src, dst = data.edge_index
        own.x = scatter(self.lin(own.x).sigmoid()[src], dst, 0, data.num_nodes, "mean")
        powers = (own.x + 0.5).pow(self.power[0]), self.power[1].sigmoid() ** own.x
        own.x = scatter(torch.hstack(powers)[src], dst, 0, data.num_nodes)
        data.seen = own.x
        return nn.functional.pad(own.x, (1, 0), value=2.0)[src]


@zoo.since("2.13", "does not trace copy.copy")
def test_writes_to_data():
    torch.manual_seed(0)
    model = OfData()
    calls = [(Data(x=torch.randn(n, D), edge_index=torch.randint(0, n, (2, edges))),)
             for n, edges in ((7, 30), (11, 12))]
    is_whole(model, *calls)
    for data, in calls:
        again = Data(x=data.x, edge_index=data.edge_index)
        model(again)
        torch.testing.assert_close(data.seen, again.seen)
