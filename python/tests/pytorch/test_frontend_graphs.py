# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches of graphs: what nodes and edges have of their graph, and graphs of them, as one
program beside eager."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from torch import nn  # noqa: E402
from torch_geometric import nn as pyg  # noqa: E402
from torch_geometric.utils import scatter  # noqa: E402

D = 8
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def given(nodes, edges, graphs):
    """Features of nodes, ids, features of edges and of graphs, and the graph of each node."""
    torch.manual_seed(0)
    return [torch.randn(nodes, D), torch.randint(0, max(nodes, 1), (2, edges)),
            torch.randn(edges, D), torch.randn(graphs, D),
            torch.arange(nodes) * graphs // max(nodes, 1)]


class Edges(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4 * D, D)

    def forward(self, src, dst, edge_attr, u, batch):
        return self.lin(torch.cat([src, dst, edge_attr, u[batch]], 1)).relu()


class Nodes(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3 * D, D)

    def forward(self, x, edge_index, edge_attr, u, batch):
        own = scatter(edge_attr, edge_index[1], dim_size=x.size(0), reduce="max")
        return self.lin(torch.cat([x, own, u[batch]], 1)).relu()


class Graphs(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4 * D, D)

    def forward(self, x, edge_index, edge_attr, u, batch):
        of_edges = [scatter(edge_attr, batch[edge_index[0]], dim_size=u.size(0), reduce=kind)
                    for kind in ("sum", "mean")]
        own = scatter(x, batch, dim_size=u.size(0), reduce="mean")
        return self.lin(torch.cat([u, own, *of_edges], 1))


class Meta(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = pyg.MetaLayer(Edges(), Nodes(), Graphs())

    def forward(self, *inputs):
        return self.layer(*inputs)


class Attention(nn.Module):
    """Of graphs over their nodes, each of which has one edge."""

    def __init__(self):
        super().__init__()
        self.nodes = pyg.GraphConv(D, D)
        self.graphs = pyg.GATConv((D, D), D, add_self_loops=False)

    def forward(self, x, edge_index, edge_attr, u, batch):
        x = self.nodes(x, edge_index).relu()
        u = u + scatter(x, batch, dim_size=u.size(0))
        return (self.graphs((x, u), torch.stack([
            torch.arange(x.size(0), device=x.device), batch])),)


@pytest.mark.parametrize("make", [Meta, Attention])
def test_graphs_of_a_batch(make, monkeypatch):
    captured, lowered = [], capture.lower
    monkeypatch.setattr(capture, "lower", lambda *own: captured.append(0) or lowered(*own))
    torch.manual_seed(0)
    model = make()
    compiled = capture.compile_module(model, fullgraph=True)
    for sizes in (40, 200, 5), (20, 7, 1), (1, 2, 1), (0, 0, 3):
        results = []
        for run in (model, compiled):
            model.zero_grad()
            own = [x.requires_grad_() if x.is_floating_point() else x for x in given(*sizes)]
            made = run(*own)
            sum(x.sin().sum() for x in made).backward()
            results.append([*made, *(p.grad for p in model.parameters()),
                            *(x.grad for x in own)])
        for eager, found in zip(*results, strict=True):
            assert (eager is None) == (found is None)
            if eager is not None:
                assert (found - eager).norm() <= 1e-4 * max(1, eager.norm())
    assert len(captured) == 1 and len(capture._made[-1].calls) == 1


def test_attentive_fingerprints():
    """Of as many graphs as ids say."""
    torch.manual_seed(0)
    model = pyg.AttentiveFP(D, D, 2, edge_dim=D, num_layers=1, num_timesteps=1).eval()
    x, edge_index, edge_attr, _, batch = given(40, 200, 5)
    with torch.no_grad():
        found = capture.compile_module(model, fullgraph=True)(x, edge_index, edge_attr, batch)
        torch.testing.assert_close(found, model(x, edge_index, edge_attr, batch))
    assert len(capture._made[-1].calls) == 1


def test_all_rows_of_an_embedding():
    """Are the table, but for the gradient of its padding."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.conv = nn.Embedding(6, D, padding_idx=2), pyg.GraphConv(D, D)

        def forward(self, edge_index):
            return self.conv(self.table(torch.arange(6)), edge_index)
    torch.manual_seed(0)
    model, grads = Model(), []
    for run in (model, capture.compile_module(model)):
        model.zero_grad()
        run(torch.randint(0, 6, (2, 20), generator=torch.Generator().manual_seed(0))).sum().backward()
        grads.append(model.table.weight.grad.clone())
    assert not grads[0][2].any()
    torch.testing.assert_close(*grads, rtol=1e-4, atol=1e-4)
