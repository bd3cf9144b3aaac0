# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models at the edges of what eager allows, beside eager: none or one edge and row, ids from the
end, numbers where tensors are, gradients that are zeros."""

import copy
import itertools

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from torch import nn  # noqa: E402
from torch_geometric.nn import (  # noqa: E402
    GATConv, GATv2Conv, GCNConv, SAGEConv, TransformerConv)

X, EDGES = torch.randn(5, 8), torch.randint(0, 5, (2, 9))
NO_EDGES = EDGES[:, :0]

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


class Model(nn.Module):
    """A function of a layer, a linear layer, and the arguments of the call."""

    def __init__(self, function, **options):
        super().__init__()
        self.conv, self.lin = SAGEConv(8, 4, **options), nn.Linear(8, 4)
        self.function = function

    def forward(self, x, edges, *rest):
        return self.function(self, x, edges, *rest)


def are_eager(model, *calls, **options):
    """Whether calls one after the other give what eager gives, buffers included."""
    eager, compiled = copy.deepcopy(model), capture.compile_module(model, **options)
    for call in calls:
        torch.testing.assert_close(compiled(*call), eager(*call))
        for a, b in zip(eager.buffers(), model.buffers(), strict=True):
            torch.testing.assert_close(a, b)
    return compiled


# -- Sizes that are 0 ------------------------------------------------------------------

def numel(m, x, edges):
    return m.lin(x) if edges.numel() == 0 else m.conv(x, edges)


def longer(m, x, edges):
    return m.conv(x, edges) if edges.size(1) > 0 and edges.numel() > 0 else m.lin(x)


def at_least_one(m, x, edges):
    return m.conv(x, edges) * max(1, edges.size(1)) + (edges.shape[1] or 7)


@pytest.mark.parametrize("function, calls", zoo.with_slow(
    itertools.product((numel, longer, at_least_one), ((EDGES, NO_EDGES), (NO_EDGES, EDGES))),
    {(numel, (NO_EDGES, EDGES)), (longer, (EDGES, NO_EDGES)), (at_least_one, (EDGES, NO_EDGES))}))
def test_models_that_ask_whether_there_are_edges(function, calls):
    are_eager(Model(function), *((X, edges) for edges in calls))


# -- Sizes that are 1 ------------------------------------------------------------------

ONE_NODE = torch.zeros(2, 1, dtype=torch.long)
ONE_EDGE = torch.tensor([[0], [1]])


class Embedding(nn.Module):
    """Features of nodes that are weights."""

    def __init__(self, count):
        super().__init__()
        self.rows, self.conv = nn.Parameter(torch.randn(count, 8)), SAGEConv(8, 8)

    def forward(self, x, edges):
        return self.conv(self.rows, edges) + self.rows * 0.5 + x


def program_of(model, *call):
    """The IR of a model that is eager's in one call."""
    [captured] = are_eager(model, call, fullgraph=True).captures.report()
    return [one.text for one in captured.programs]


@pytest.mark.parametrize("make, edge_features", [
    (lambda: GATConv(8, 4, heads=2), 0), (lambda: GATConv(8, 4, heads=2, edge_dim=3), 3),
    (lambda: GATv2Conv(8, 4, heads=2, edge_dim=3), 3), (lambda: TransformerConv(8, 4, heads=2), 0),
    (lambda: GCNConv(8, 4), 0)], ids=["gat", "gat-edges", "gatv2", "transformer", "gcn"])
def test_weights_are_no_rows_where_there_is_one(make, edge_features):
    """A weight [1, heads, channels] is one for all rows, of one node or edge too."""
    model = make().eval()

    def program(nodes, edges):
        rest = [torch.randn(edges.shape[1], edge_features)] if edge_features else []
        return program_of(model, torch.randn(nodes, 8), edges, *rest)

    expected = program(5, EDGES)
    assert program(1, ONE_NODE) == expected
    assert program(1, ONE_NODE.expand(2, 3)) == expected
    assert program(2, ONE_EDGE) == expected


def test_weights_that_are_the_one_row():
    expected = program_of(Embedding(5), X, EDGES)
    assert program_of(Embedding(1), X[:1], ONE_NODE) == expected


# -- Numbers where tensors are ---------------------------------------------------------

def chosen(m, x, edges, mask):
    h = m.conv(x, edges)
    return torch.where(mask[:, None], h, 0.), torch.where(mask[:, None], 2, h)


def test_conditions_with_numbers():
    are_eager(Model(chosen), (X, EDGES, torch.arange(5) % 2 == 0), fullgraph=True)


# -- Ids that count from the last row --------------------------------------------------

def indexed(m, x, edges, ids):
    h = m.conv(x, edges)
    return h[ids], torch.zeros_like(h).index_add(0, edges[1], h[edges[0] - 5])


def test_negative_ids():
    compiled = are_eager(Model(indexed), *((X, EDGES, torch.tensor(ids)) for ids in (
        [0, -1], [1, 2], [-5, 4, 4])))
    for ids, got in (([-6, 1], -6), ([0, 5], 5)):
        with pytest.raises(ValueError, match=fr"h\[ids\].*expected ids from -5 to 4, got {got}"):
            compiled(X, EDGES, torch.tensor(ids))
    with pytest.raises(ValueError, match="edge"):
        compiled(X, EDGES - 5, torch.tensor([0]))


# -- No rows ---------------------------------------------------------------------------

def normalized(m, x, edges):
    return m.norm(m.conv(x, edges))


def test_batch_norm_of_no_rows_keeps_its_statistics():
    model = Model(normalized)
    model.norm = nn.BatchNorm1d(4, momentum=.3)
    are_eager(model, (X, EDGES), (X[:0], NO_EDGES), (X, EDGES))


# -- Gradients that are zeros ----------------------------------------------------------

def stepped(m, x, edges):
    return m.conv(x, edges).round(), m.lin(x).floor()


def test_gradients_of_steps_are_zeros():
    model, x = Model(stepped), X.clone().requires_grad_()
    sum(out.sum() for out in capture.compile_module(model)(x, EDGES)).backward()
    for one in (x, *model.parameters()):
        assert one.grad is not None and not one.grad.any()
