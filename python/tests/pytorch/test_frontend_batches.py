# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sampled batches in the format of PyG's NeighborLoader and HGTLoader, and those of the loaders
where a library that samples is installed: one compilation for all, forward and backward as in
eager."""

import copy
import os

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir import devices  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from torch import nn  # noqa: E402
from torch_geometric import nn as pyg  # noqa: E402
from torch_geometric.data import Data, HeteroData  # noqa: E402

SIZE = 6
DEVICE = "cuda" if os.environ.get("GNN_TEST_TARGET") == "cuda" else "cpu"
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)

RELATIONS = [("paper", "cites", "paper"), ("author", "writes", "paper"),
             ("paper", "rev_writes", "author"), ("author", "at", "place")]
COUNTS = {"paper": 60, "author": 40, "place": 5}


def whole():
    """A graph of three types of nodes, to be sampled."""
    torch.manual_seed(0)
    made = HeteroData()
    for kind, count in COUNTS.items():
        made[kind].x = torch.randn(count, SIZE)
    for src, name, dst in RELATIONS:
        made[src, name, dst].edge_index = torch.stack([
            torch.randint(0, COUNTS[src], (150,)), torch.randint(0, COUNTS[dst], (150,))])
    made["paper"].y = torch.randint(0, 3, (60,))
    return made


def sample(data, seeds, fanout, depth=2, kind="paper"):
    """The batch of NeighborLoader for HeteroData: seeds first, then what was found of
    edges into what is there, with ids within the batch. Types without a node are
    empty."""
    nodes = {k: [] for k in data.node_types}
    nodes[kind] = seeds.tolist()
    edges = {r: [] for r in data.edge_types}
    begin = dict.fromkeys(nodes, 0)
    for _ in range(depth):
        ends = {k: len(v) for k, v in nodes.items()}
        for src, name, dst in data.edge_types:
            src_ids, dst_ids = data[src, name, dst].edge_index
            for i in range(begin[dst], ends[dst]):
                found = (dst_ids == nodes[dst][i]).nonzero().view(-1)
                for e in found[torch.randperm(len(found))[:fanout]].tolist():
                    node = int(src_ids[e])
                    if node not in nodes[src]:
                        nodes[src].append(node)
                    edges[src, name, dst].append((nodes[src].index(node), i, e))
        begin = ends
    made = HeteroData()
    for k, ids in nodes.items():
        made[k].n_id = torch.tensor(ids, dtype=torch.int64)
        made[k].x = data[k].x[made[k].n_id]
    for r, found in edges.items():
        src, dst, own = torch.tensor(found, dtype=torch.int64).view(-1, 3).unbind(1)
        made[r].edge_index, made[r].e_id = torch.stack([src, dst]), own
    made[kind].y, made[kind].input_id = data[kind].y[made[kind].n_id], torch.arange(len(seeds))
    made[kind].batch_size = len(seeds)
    return made


def square(batch):
    """The batch of a homogeneous graph: papers and their citations."""
    paper, cites = batch["paper"], batch[RELATIONS[0]]
    return Data(x=paper.x, edge_index=cites.edge_index, y=paper.y, n_id=paper.n_id,
                e_id=cites.e_id, input_id=paper.input_id, batch_size=paper.batch_size)


def batches():
    """Of changing sizes: seeds with neighbors of all types, of some, and with none."""
    data = whole()
    made = [sample(data, torch.randperm(60)[:size], fanout, depth)
            for size, fanout, depth in ((9, 3, 2), (7, 2, 2), (12, 4, 2), (5, 1, 1), (8, 3, 1),
                                        (2, 1, 2), (10, 5, 2), (6, 1, 2), (3, 0, 1), (1, 0, 1),
                                        (1, 2, 1), (11, 2, 2))]
    counts = [[b[r].edge_index.shape[1] for r in RELATIONS] for b in made]
    assert any(not any(c) for c in counts) and any(0 in c and any(c) for c in counts)
    return made


class Homogeneous(nn.Module):
    def __init__(self, layer):
        super().__init__()
        torch.manual_seed(1)
        self.one, self.two = layer(SIZE, 8), layer(8, 3)

    def forward(self, batch):
        h = self.one(batch.x, batch.edge_index).relu()
        return self.two(h, batch.edge_index)[:batch.batch_size]


class OfRelations(nn.Module):
    def __init__(self, layer):
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList(pyg.HeteroConv({
            r: layer((size, size), out) for r in RELATIONS}) for size, out in ((SIZE, 8), (8, 3)))
        self.ends = nn.ModuleList(nn.Linear(SIZE, 8) for _ in COUNTS)

    def forward(self, batch):
        found = self.layers[0](batch.x_dict, batch.edge_index_dict)
        h = {k: found[k].relu() + lin(batch.x_dict[k]) if k in found else lin(batch.x_dict[k])
             for k, lin in zip(COUNTS, self.ends)}
        return self.layers[1](h, batch.edge_index_dict)["paper"][:batch["paper"].batch_size]


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        metadata = list(COUNTS), RELATIONS
        self.one, self.two = (pyg.HGTConv(SIZE, 8, metadata, heads=2),
                              pyg.HGTConv(8, 4, metadata, heads=2))

    def forward(self, batch):
        h = self.one(batch.x_dict, batch.edge_index_dict)
        h = {k: h[k] if h.get(k) is not None else batch[k].x.new_zeros(
            batch[k].x.shape[0], 8) for k in COUNTS}
        return self.two(h, batch.edge_index_dict)["paper"][:batch["paper"].batch_size]


MODELS = {
    "SAGE": lambda: Homogeneous(pyg.SAGEConv), "GCN": lambda: Homogeneous(pyg.GCNConv),
    "HeteroConv SAGE": lambda: OfRelations(pyg.SAGEConv),
    "HGT": Transformer,
}


def check(model, given):
    """Outputs and gradients of a model on batches, which it is captured for once."""
    eager, call = copy.deepcopy(model), capture.compile_module(model, fullgraph=True)
    for batch in given:
        batch = batch.to(DEVICE)
        y = batch.y if isinstance(batch, Data) else batch["paper"].y
        made = []
        for run, own in ((eager, eager), (call, model)):
            own.zero_grad()
            out = run(batch)
            loss = nn.functional.cross_entropy(out, y[:len(out)])
            loss.backward()
            made.append((out, [p.grad for p in own.parameters()]))
        (expected, wanted), (out, grads) = made
        torch.testing.assert_close(out, expected, rtol=1e-5, atol=1e-5)
        for a, b in zip(grads, wanted, strict=True):
            assert (a is None) == (b is None)
            if b is not None:
                torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
    assert len(capture._made) == 1


@pytest.mark.parametrize("name", zoo.with_slow(MODELS, {"SAGE"}))
def test_batches(name, monkeypatch):
    bind_all, together = devices.bind_all, []

    def bind(package, names, *others):
        together.append(names)
        return bind_all(package, names, *others)
    monkeypatch.setattr(devices, "bind_all", bind)
    model = MODELS[name]().to(DEVICE)
    is_typed = isinstance(model, (OfRelations, Transformer))
    check(model, [batch if is_typed else square(batch) for batch in batches()])
    nodes = capture._made[0].structures._module.graph.nodes
    for node in nodes:  # None is dispatched.
        assert getattr(node.target, "namespace", "") != "gnn_mlir"
    # Vectors of types are made by one call, but where counts are not known before.
    assert sum(getattr(node.target, "__name__", "") in (
        "type_rows", "made_together") for node in nodes) == is_typed
    # Both passes are bound to the graphs of a batch at once, but to those of the first.
    assert [len(names) for names in together if len(names) > 1] == [2] * (len(batches()) - 1)


@pytest.mark.parametrize("kind,name", [("NeighborLoader", name) for name in MODELS] + [
    ("HGTLoader", "HeteroConv SAGE"), ("HGTLoader", "HGT")])
def test_batches_of_loaders(kind, name):
    from torch_geometric import loader, typing
    if not (typing.WITH_PYG_LIB or typing.WITH_TORCH_SPARSE):
        pytest.skip("PyG's loaders sample by pyg-lib or torch-sparse, and neither is installed")
    data, model = whole(), MODELS[name]().to(DEVICE)
    options = dict(batch_size=7, shuffle=True, input_nodes=("paper", None))
    if kind == "HGTLoader":
        given = loader.HGTLoader(data, [9, 6], **options)
    elif isinstance(model, Homogeneous):
        data = Data(x=data["paper"].x, edge_index=data[RELATIONS[0]].edge_index,
                    y=data["paper"].y)
        given = loader.NeighborLoader(data, [3, 2], batch_size=7, shuffle=True)
    else:
        given = loader.NeighborLoader(data, [3, 2], **options)
    check(model, given)
