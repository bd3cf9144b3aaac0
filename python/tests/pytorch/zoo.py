# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models to try the front end on: PyG's layers, heterogeneous models, whole models and
message passing by hand. A case is a model and its inputs on a graph of any size."""

import dataclasses
import gc
from typing import Callable

import pytest
import torch
import torch._dynamo.guards
import torch.nn.functional as F
from gnn_mlir.pytorch.frontend import capture
from torch import nn
from torch_geometric import nn as pyg
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import scatter, softmax

NODES, EDGES, RELATIONS, SIZE, HEADS = 50, 300, 4, 16, 4


@dataclasses.dataclass
class Inputs:
    """Inputs of one size: features, ids, and what edges have."""

    nodes: int = NODES
    edges: int = EDGES
    seed: int = 0

    def __post_init__(self):
        rng = torch.Generator().manual_seed(self.seed)
        self.x = torch.randn(self.nodes, SIZE, generator=rng)
        self.edge_index = torch.randint(0, max(self.nodes, 1), (2, self.edges),
                                        generator=rng)
        self.edge_type = torch.randint(0, RELATIONS, (self.edges,), generator=rng)
        self.edge_attr = torch.randn(self.edges, 8, generator=rng)
        self.edge_weight = torch.rand(self.edges, generator=rng)
        self.position = torch.randn(self.nodes, 3, generator=rng)
        self.node_type = torch.arange(self.nodes) % 3
        self.batch = torch.arange(self.nodes) // 10

    def hetero(self):
        """Features by node type and ids by relation, of about this size."""
        rng = torch.Generator().manual_seed(self.seed + 1)
        counts = {"paper": self.nodes * 4 // 5, "author": self.nodes * 3 // 5,
                  "venue": self.nodes // 7}
        features = {t: torch.randn(n, SIZE, generator=rng) for t, n in counts.items()}
        edges = {r: torch.stack([torch.randint(0, counts[t], (self.edges // 5 + 10 * i,),
                                               generator=rng) for t in (r[0], r[2])])
                 for i, r in enumerate(RELS)}
        return features, edges


# Behind each capture torch flushes the caches of the processor to measure its guards, for a log,
# and collects garbage: some 0.1 s each.
torch._dynamo.guards.profile_guard_manager = lambda *_: 0.0
torch._dynamo.config.run_gc_after_compile = False


def forget_captures():
    """Of a fixture: a test begins and ends without what torch has compiled. What tests leave
    behind stays, and is no longer walked in each collection."""
    torch._dynamo.reset()
    capture._made.clear()
    gc.collect()
    gc.freeze()
    yield
    torch._dynamo.reset()


def with_slow(cases, slow, marks=()):
    """Parameters of a test, tuples where it has several: those in `slow` run with --all alone,
    and those that the dict `marks` has are marked so."""
    cases, marks = list(cases), {**dict.fromkeys(slow, pytest.mark.slow), **dict(marks)}
    assert not (unknown := {*marks} - {*cases}), unknown
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks.get(case, ()))
            for case in cases]


def since(version, why):
    """A mark of tests that need that torch."""
    return pytest.mark.skipif(torch.__version__ < version, reason=f"torch before {version} {why}")


TYPES = ["paper", "author", "venue"]
RELS = [("author", "writes", "paper"), ("paper", "cites", "paper"),
        ("paper", "rev_writes", "author"), ("paper", "in", "venue")]
META = TYPES, RELS


@dataclasses.dataclass
class Case:
    name: str
    model: Callable
    inputs: Callable  # of Inputs: positional arguments
    named: Callable = lambda given: {}

    def make(self, seed=0):
        torch.manual_seed(seed)
        return self.model()


CASES = {}


def _case(name, model, inputs, named=lambda given: {}):
    CASES[name] = Case(name, model, inputs, named)


def _layer(name, model, *extra):
    _case(name, model, lambda g: (g.x, g.edge_index, *[getattr(g, e) for e in extra]))


def _hetero(name, model):
    _case(name, model, lambda g: g.hetero())


def mlp(size=SIZE, out=SIZE):
    return nn.Sequential(nn.Linear(size, out), nn.ReLU(), nn.Linear(out, out))


D, H, R = SIZE, HEADS, RELATIONS
_layer("GCNConv", lambda: pyg.GCNConv(D, D))
_layer("GCNConv+edge_weight", lambda: pyg.GCNConv(D, D), "edge_weight")
_layer("GCNConv-nonorm", lambda: pyg.GCNConv(D, D, normalize=False), "edge_weight")
_layer("SAGEConv-mean", lambda: pyg.SAGEConv(D, D))
_layer("SAGEConv-max", lambda: pyg.SAGEConv(D, D, aggr="max", project=True))
_layer("SAGEConv-lstm", lambda: pyg.SAGEConv(D, D, aggr="lstm"))
_layer("GraphConv", lambda: pyg.GraphConv(D, D), "edge_weight")
_layer("GINConv", lambda: pyg.GINConv(mlp(), train_eps=True))
_layer("GINEConv", lambda: pyg.GINEConv(mlp(), edge_dim=8), "edge_attr")
_layer("GATConv", lambda: pyg.GATConv(D, D // H, heads=H))
_layer("GATConv+edge", lambda: pyg.GATConv(D, D // H, heads=H, edge_dim=8), "edge_attr")
_layer("GATv2Conv", lambda: pyg.GATv2Conv(D, D // H, heads=H))
_layer("GATv2Conv+edge", lambda: pyg.GATv2Conv(D, D // H, heads=H, edge_dim=8), "edge_attr")
_layer("TransformerConv", lambda: pyg.TransformerConv(D, D // H, heads=H, beta=True))
_layer("TransformerConv+edge",
       lambda: pyg.TransformerConv(D, D // H, heads=H, edge_dim=8), "edge_attr")
_layer("RGCNConv", lambda: pyg.RGCNConv(D, D, R), "edge_type")
_layer("RGCNConv-bases", lambda: pyg.RGCNConv(D, D, R, num_bases=2), "edge_type")
_layer("RGCNConv-blocks", lambda: pyg.RGCNConv(D, D, R, num_blocks=2), "edge_type")
_case("RGCNConv-ids", lambda: pyg.RGCNConv(100, D, R), lambda g: (
    torch.arange(g.nodes) * 7 % 100, g.edge_index, g.edge_type))
_layer("FastRGCNConv", lambda: pyg.FastRGCNConv(D, D, R), "edge_type")
_layer("FastRGCNConv-blocks", lambda: pyg.FastRGCNConv(D, D, R, num_blocks=2), "edge_type")
_layer("RGATConv", lambda: pyg.RGATConv(D, D, R), "edge_type")
_layer("RGATConv-within", lambda: pyg.RGATConv(
    D, D, R, attention_mechanism="within-relation"), "edge_type")
_layer("RGATConv-mult-heads", lambda: pyg.RGATConv(
    D, D, R, heads=2, dim=1, num_bases=2,
    attention_mode="multiplicative-self-attention"), "edge_type")
_layer("FiLMConv", lambda: pyg.FiLMConv(D, D, num_relations=R), "edge_type")
_layer("GatedGraphConv", lambda: pyg.GatedGraphConv(D, 2), "edge_weight")
_layer("ResGatedGraphConv", lambda: pyg.ResGatedGraphConv(D, D))
_layer("AGNNConv", lambda: pyg.AGNNConv())
_layer("TAGConv", lambda: pyg.TAGConv(D, D, K=2), "edge_weight")
_layer("SGConv", lambda: pyg.SGConv(D, D, K=2))
_layer("SSGConv", lambda: pyg.SSGConv(D, D, alpha=0.1, K=2))
_layer("APPNP", lambda: pyg.APPNP(2, 0.1))
_layer("ARMAConv", lambda: pyg.ARMAConv(D, D, num_stacks=2, num_layers=2))
_layer("ChebConv", lambda: pyg.ChebConv(D, D, K=3))
_layer("LGConv", lambda: pyg.LGConv())
_layer("LEConv", lambda: pyg.LEConv(D, D), "edge_weight")
_layer("NNConv", lambda: pyg.NNConv(D, D, nn.Linear(8, D * D)), "edge_attr")
_layer("CGConv", lambda: pyg.CGConv(D, dim=8), "edge_attr")
_layer("EdgeConv", lambda: pyg.EdgeConv(mlp(2 * D, D)))
_layer("PNAConv", lambda: pyg.PNAConv(
    D, D, ["mean", "min", "max", "std"], ["identity", "amplification"],
    deg=torch.bincount(Inputs().edge_index[1], minlength=NODES)))
_layer("GENConv-softmax", lambda: pyg.GENConv(D, D, aggr="softmax", edge_dim=8), "edge_attr")
_layer("SuperGATConv", lambda: pyg.SuperGATConv(D, D // H, heads=H))
_layer("EGConv", lambda: pyg.EGConv(D, D, aggregators=["sum", "mean", "max"]))
_layer("PDNConv", lambda: pyg.PDNConv(D, D, 8, 16), "edge_attr")
_layer("GeneralConv-att", lambda: pyg.GeneralConv(D, D, attention=True, heads=H))
_layer("FeaStConv", lambda: pyg.FeaStConv(D, D, heads=2))
_layer("ClusterGCNConv", lambda: pyg.ClusterGCNConv(D, D))
_layer("MFConv", lambda: pyg.MFConv(D, D))
_layer("SimpleConv-mean", lambda: pyg.SimpleConv("mean"))
_case("FAConv", lambda: pyg.FAConv(D), lambda g: (g.x, g.x, g.edge_index))
_case("GCN2Conv", lambda: pyg.GCN2Conv(D, 0.1), lambda g: (g.x, g.x, g.edge_index))
_case("HEATConv", lambda: pyg.HEATConv(D, D, 3, R, 4, 8, 8, heads=2), lambda g: (
    g.x, g.edge_index, g.node_type, g.edge_type, g.edge_attr))
_case("GMMConv", lambda: pyg.GMMConv(D, D, dim=2, kernel_size=3),
      lambda g: (g.x, g.edge_index, g.edge_attr[:, :2]))
_case("PointNetConv", lambda: pyg.PointNetConv(mlp(D + 3, D)),
      lambda g: (g.x, g.position, g.edge_index))
_case("HypergraphConv", lambda: pyg.HypergraphConv(D, D), lambda g: (g.x, g.edge_index),
      lambda g: {"num_edges": g.nodes})


# -- Heterogeneous -------------------------------------------------------------------

class _SAGE2(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = pyg.SAGEConv((D, D), D), pyg.SAGEConv((D, D), D)

    def forward(self, x, edge_index):
        return self.conv2(self.conv1(x, edge_index).relu(), edge_index)


class _HGT2(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin_dict = nn.ModuleDict({t: nn.Linear(D, D) for t in TYPES})
        self.convs = nn.ModuleList(pyg.HGTConv(D, D, META, H) for _ in range(2))
        self.lin = nn.Linear(D, 3)

    def forward(self, x_dict, edge_index_dict):
        x_dict = {t: self.lin_dict[t](v).relu_() for t, v in x_dict.items()}
        for conv in self.convs:
            x_dict = conv(x_dict, edge_index_dict)
        return self.lin(x_dict["author"])


class _HeteroConv2(nn.Module):
    """Its norms are over all nodes of a type."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(pyg.HeteroConv({r: pyg.SAGEConv((D, D), D) for r in RELS})
                                   for _ in range(2))
        self.norms = nn.ModuleDict({t: nn.BatchNorm1d(D) for t in TYPES})

    def forward(self, x_dict, edge_index_dict):
        x_dict = {t: self.norms[t](v).relu()
                  for t, v in self.convs[0](x_dict, edge_index_dict).items()}
        return self.convs[1](x_dict, edge_index_dict)


_hetero("HGTConv", lambda: pyg.HGTConv(D, D, META, heads=H))
_hetero("HANConv", lambda: pyg.HANConv(D, D, META, heads=H))
_hetero("HeteroConv-SAGE", lambda: pyg.HeteroConv(
    {r: pyg.SAGEConv((D, D), D) for r in RELS}))
_hetero("HeteroConv-GAT", lambda: pyg.HeteroConv(
    {r: pyg.GATConv((D, D), D, add_self_loops=False) for r in RELS}, aggr="mean"))
_hetero("to_hetero-SAGE2", lambda: pyg.to_hetero(_SAGE2(), META))
_hetero("to_hetero_with_bases-SAGE2",
        lambda: pyg.to_hetero_with_bases(_SAGE2(), META, num_bases=2))
_hetero("model-HGT2", _HGT2)
_hetero("model-HeteroConv2-BatchNorm", _HeteroConv2)


# -- Whole models --------------------------------------------------------------------

class _RGCN2(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = pyg.RGCNConv(D, D, R, num_bases=3)
        self.conv2 = pyg.RGCNConv(D, 5, R, num_bases=3)

    def forward(self, x, edge_index, edge_type):
        x = self.conv1(x, edge_index, edge_type).relu()
        x = F.dropout(x, 0.5, self.training)
        return self.conv2(x, edge_index, edge_type).log_softmax(-1)


class _Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(pyg.GINEConv(mlp(), edge_dim=8) for _ in range(2))
        self.norms = nn.ModuleList(pyg.BatchNorm(D) for _ in range(2))
        self.lin = nn.Linear(D, 2)

    def forward(self, x, edge_index, edge_attr, batch, batch_size):
        for conv, norm in zip(self.convs, self.norms):
            x = norm(conv(x, edge_index, edge_attr)).relu() + x
        return self.lin(pyg.global_mean_pool(x, batch, batch_size))


_layer("model-RGCN2", _RGCN2, "edge_type")
_layer("model-GCN3", lambda: pyg.GCN(D, D, 3, 5, dropout=0.5, norm="BatchNorm"))
_layer("model-GAT2", lambda: pyg.GAT(D, D, 2, 5, heads=H, v2=True))
_layer("model-GIN3-jk", lambda: pyg.GIN(D, D, 3, 5, jk="cat", norm="LayerNorm"))
_case("model-GraphClassifier", _Classifier, lambda g: (
    g.x, g.edge_index, g.edge_attr, g.batch, g.nodes // 10 + 1))
_case("model-GPS", lambda: pyg.GPSConv(D, pyg.GINEConv(mlp(), edge_dim=8), heads=2),
      lambda g: (g.x, g.edge_index, g.batch), lambda g: {"edge_attr": g.edge_attr})


# -- By hand -------------------------------------------------------------------------

class _EdgeFunction(MessagePassing):
    def __init__(self):
        super().__init__(aggr="max")
        self.mlp = mlp(2 * D, D)

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=x)

    def message(self, x_i, x_j):
        return self.mlp(torch.cat([x_i, x_j - x_i], dim=-1))


class _EdgeFeatures(MessagePassing):
    def __init__(self):
        super().__init__(aggr="mean", flow="target_to_source", node_dim=0)
        self.lin, self.gate = nn.Linear(8, D), nn.Linear(D, D)

    def forward(self, x, edge_index, edge_attr):
        ones = torch.ones_like(edge_index[0], dtype=x.dtype)
        degree = scatter(ones, edge_index[0], 0, x.size(0))
        return self.propagate(edge_index, x=x, norm=degree.clamp(min=1).rsqrt(),
                              e=self.lin(edge_attr))

    def message(self, x_j, e, norm_i):
        return norm_i.view(-1, 1) * torch.sigmoid(self.gate(x_j)) * F.silu(e)

    def update(self, aggr_out, x):
        return F.normalize(aggr_out + x, dim=-1)


class _Attention(MessagePassing):
    def __init__(self):
        super().__init__(aggr="add", node_dim=0)
        self.q, self.k, self.v = (nn.Linear(D, D) for _ in range(3))
        self.rel = nn.Parameter(torch.randn(R, H))

    def forward(self, x, edge_index, edge_type):
        q, k, v = (lin(x).view(-1, H, D // H) for lin in (self.q, self.k, self.v))
        alpha = self.edge_updater(edge_index, q=q, k=k, edge_type=edge_type, size=None)
        return self.propagate(edge_index, v=v, alpha=alpha).flatten(1)

    def edge_update(self, q_i, k_j, edge_type, index, ptr, size_i):
        score = (q_i * k_j).sum(-1) * self.rel[edge_type]
        return F.dropout(softmax(score, index, ptr, size_i), 0.1, self.training)

    def message(self, v_j, alpha):
        return v_j * alpha.unsqueeze(-1)


class _Positions(nn.Module):
    """An equivariant layer: features and positions of the same nodes, summed by hand."""

    def __init__(self):
        super().__init__()
        self.message, self.place, self.node = mlp(2 * D + 1, D), nn.Linear(D, 1), mlp(2 * D, D)

    def forward(self, x, position, edge_index):
        dst, src = edge_index
        away = position[dst] - position[src]
        message = self.message(torch.cat(
            [x[dst], x[src], away.square().sum(-1, keepdim=True)], -1))
        position = position + torch.zeros_like(position).index_add(
            0, dst, away * self.place(message))
        total = message.new_zeros(x.size(0), D).index_add(0, dst, message)
        return x + self.node(torch.cat([x, total], -1)), position


class _TypedByMask(MessagePassing):
    """Typed by a mask and an assignment in the message."""

    def __init__(self):
        super().__init__(aggr="add")
        self.lins = nn.ModuleList(nn.Linear(D, D, bias=False) for _ in range(R))

    def forward(self, x, edge_index, edge_type):
        return self.propagate(edge_index, x=x, edge_type=edge_type)

    def message(self, x_j, edge_type):
        out = torch.zeros_like(x_j)
        for i, lin in enumerate(self.lins):
            mask = edge_type == i
            out[mask] = lin(x_j[mask])
        return out


class _TypedByWhere(_TypedByMask):
    def message(self, x_j, edge_type):
        return sum(torch.where((edge_type == i).unsqueeze(-1), lin(x_j), 0.0)
                   for i, lin in enumerate(self.lins))


class _Raw(nn.Module):
    """No PyG: index_select, index_add_ and a softmax by hand."""

    def __init__(self):
        super().__init__()
        self.lin, self.a = nn.Linear(D, D), nn.Parameter(torch.randn(2 * D))

    def forward(self, x, edge_index):
        src, dst = edge_index
        h = self.lin(x)
        score = F.leaky_relu(torch.cat([h[src], h[dst]], -1) @ self.a).exp()
        total = score.new_zeros(x.shape[0]).index_add_(0, dst, score)
        return torch.zeros_like(h).index_add_(0, dst, h[src] * (
            score / total[dst]).unsqueeze(-1))


_layer("custom-EdgeFunction", _EdgeFunction)
_layer("custom-EdgeFeatures", _EdgeFeatures, "edge_attr")
_layer("custom-Attention", _Attention, "edge_type")
_case("custom-Positions", _Positions, lambda g: (g.x, g.position, g.edge_index))
_layer("custom-TypedByMask", _TypedByMask, "edge_type")
_layer("custom-TypedByWhere", _TypedByWhere, "edge_type")
_layer("custom-Raw", _Raw)
