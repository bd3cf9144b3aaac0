# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models written for DGL's graphs, without DGL against dense sums in float64, and where it
is installed its own layers."""

import pytest

torch = pytest.importorskip("torch")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import dgl  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.dgl import function as fn  # noqa: E402
from torch import nn  # noqa: E402

SIZE = 6
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def case(nodes=20, edges=70, seed=0):
    torch.manual_seed(seed)
    pair = torch.randint(0, nodes, (2, edges))
    pair[1, :4] = pair[0, :4]
    return pair, torch.randn(nodes, SIZE), torch.rand(edges) + 0.5


class Builtin(nn.Module):
    """Weighted sums of neighbors and means of what is of both ends."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(SIZE, SIZE)

    def forward(self, g, x, w):
        with g.local_scope():
            g.ndata["h"], g.edata["w"] = self.lin(x), w
            g.update_all(fn.u_mul_e("h", "w", "m"), fn.sum("m", "a"))
            g.update_all(fn.u_sub_v("h", "h", "m"), fn.mean("m", "b"))
            degree = g.in_degrees().clamp(min=1).unsqueeze(-1)
            return g.ndata["a"] / degree + g.ndata["b"]

    @staticmethod
    def dense(model, adj, src, dst, x, w):
        h = model.lin(x)
        mean = adj / adj.sum(1, keepdim=True).clamp(min=1)
        return adj @ (h[src] * w[:, None]) / adj.sum(1).clamp(min=1)[:, None] + mean @ (
            h[src] - h[dst])


class OfEdges(nn.Module):
    """A function of edges, and the largest of what it gives."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2 * SIZE, SIZE)

    def message(self, edges):
        both = torch.cat([edges.src["h"], edges.dst["h"]], -1)
        return {"m": torch.sigmoid(self.lin(both)) * edges.data["w"].unsqueeze(-1)}

    def forward(self, g, x, w):
        g.ndata["h"], g.edata["w"] = x, w
        g.apply_edges(self.message)
        g.update_all(fn.copy_e("m", "m"), fn.max("m", "o"),
                     lambda nodes: {"o": nodes.data["o"] + nodes.data["h"]})
        return g.ndata.pop("o")

    @staticmethod
    def dense(model, adj, src, dst, x, w):
        m = torch.sigmoid(model.lin(torch.cat([x[src], x[dst]], -1))) * w[:, None]
        rows = [m[dst == v].amax(0) if (dst == v).any() else m.new_zeros(SIZE)
                for v in range(len(x))]
        return torch.stack(rows) + x


class Attention(nn.Module):
    """An attention of two heads, by inner products."""

    def __init__(self):
        super().__init__()
        self.key, self.query = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, SIZE)

    def forward(self, g, x, w):
        with g.local_scope():
            g.ndata["k"] = self.key(x).view(-1, 2, SIZE // 2)
            g.ndata["q"] = self.query(x).view(-1, 2, SIZE // 2)
            g.apply_edges(fn.v_dot_u("q", "k", "e"))
            g.edata["a"] = dgl.edge_softmax(g, g.edata.pop("e"))
            g.update_all(fn.u_mul_e("k", "a", "m"), fn.sum("m", "o"))
            return g.ndata["o"].flatten(1)

    @staticmethod
    def dense(model, adj, src, dst, x, w):
        k, q = (lin(x).view(-1, 2, SIZE // 2) for lin in (model.key, model.query))
        power = (q[dst] * k[src]).sum(-1).exp()
        a = power / (adj @ power)[dst]
        return torch.einsum("ve,ehd->vhd", adj, k[src] * a[:, :, None]).flatten(1)


@pytest.mark.parametrize("kind", [Builtin, OfEdges, Attention])
def test_models_on_a_graph_object(kind):
    model = kind()
    call = capture.compile_module(lambda pair, x, w: model(
        dgl.Graph(pair, x.size(0)), x, w), fullgraph=True)
    for seed, (nodes, edges) in enumerate(((20, 70), (25, 90))):
        pair, x, w = case(nodes, edges, seed)
        adj = torch.nn.functional.one_hot(pair[1], nodes).T.double()
        made = []
        for run, dtype in ((call, torch.float32), (None, torch.float64)):
            model.to(dtype).zero_grad()
            own = [t.detach().to(dtype).clone().requires_grad_() for t in (x, w)]
            out = run(pair, *own) if run else kind.dense(model, adj, *pair, *own)
            (out * torch.arange(out.numel()).view_as(out).remainder(5)).sum().backward()
            made.append([out, *(p.grad.clone() for p in model.parameters()), own[0].grad])
        for a, b in zip(*made):
            assert (a - b).norm() <= 1e-5 * max(1, b.norm())
    outer, = capture._made
    assert len(outer.calls) == 1


def test_bad_use():
    pair, x, w = case()
    graph = dgl.Graph(pair, 20)
    with pytest.raises(ValueError, match="h: expected 20 rows, got 19"):
        graph.ndata["h"] = x[1:]
    graph.ndata["h"] = x
    with pytest.raises(NotImplementedError, match="expected a builtin function .* got one of m"):
        graph.update_all(fn.copy_u("h", "m"), lambda nodes: nodes.mailbox["m"].sum(1))


def _layers():
    """DGL's own, and what else they take: types of nodes or edges."""
    dn = pytest.importorskip("dgl.nn.pytorch")
    return {
        "GraphConv": (dn.GraphConv(SIZE, SIZE, allow_zero_in_degree=True), ""),
        "SAGEConv": (dn.SAGEConv(SIZE, SIZE, "mean"), ""),
        "GATConv": (dn.GATConv(SIZE, 4, 2, allow_zero_in_degree=True), ""),
        "GATv2Conv": (dn.GATv2Conv(SIZE, 4, 2, allow_zero_in_degree=True), ""),
        "GINConv": (dn.GINConv(nn.Linear(SIZE, SIZE), "sum"), ""),
        "RelGraphConv": (dn.RelGraphConv(SIZE, SIZE, 3), "e"),
        "RelGraphConv-basis": (dn.RelGraphConv(SIZE, SIZE, 3, "basis", 2), "e"),
        "HGTConv": (dn.HGTConv(SIZE, 4, 2, 3, 3), "ne"),
        "EdgeConv": (dn.EdgeConv(SIZE, SIZE, allow_zero_in_degree=True), ""),
        "TAGConv": (dn.TAGConv(SIZE, SIZE), ""),
        "APPNPConv": (dn.APPNPConv(2, 0.1), ""),
        "GatedGraphConv": (dn.GatedGraphConv(SIZE, SIZE, 2, 1), ""),
    }


NAMES = ["GraphConv", "SAGEConv", "GATConv", "GATv2Conv", "GINConv", "RelGraphConv",
         "RelGraphConv-basis", "HGTConv", "EdgeConv", "TAGConv", "APPNPConv",
         "GatedGraphConv"]


@pytest.mark.parametrize("name", NAMES)
def test_layers_of_dgl(name):
    library = pytest.importorskip("dgl")
    layer, more = _layers()[name]
    layer.eval()
    pair, x, _ = case()
    graph = library.graph((pair[0], pair[1]), num_nodes=20)
    types = {"n": torch.arange(20) % 3, "e": torch.arange(70) % 3}
    given = [types[kind] for kind in more]
    torch.testing.assert_close(
        capture.compile_module(layer, fullgraph=True)(graph, x, *given),
        layer(graph, x, *given), rtol=1e-4, atol=1e-5)
    assert len(capture._made) == 1


def test_what_is_refused():
    graph = dgl.Graph(torch.tensor([[0, 1], [1, 1]]), 2)
    with pytest.raises(NotImplementedError, match="expected logits of all edges"):
        dgl.edge_softmax(graph, torch.rand(1), eids=torch.tensor([0]))
    with pytest.raises(ValueError, match="norm_by: expected 'src' or 'dst', got 'in'"):
        dgl.edge_softmax(graph, torch.rand(2), norm_by="in")
    with pytest.raises(ValueError, match=r"edge_index: expected a tensor of ids \[2, edges\]"):
        dgl.Graph(torch.tensor([0, 1]), 2)
