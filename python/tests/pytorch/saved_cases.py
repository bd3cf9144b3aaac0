# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are saved, and their arguments."""

import numpy as np
import pytest
import torch
import torch_geometric.nn as nn

import gnn_mlir

class Between(torch.nn.Module):
    """Torch computes what no program means between two."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.SAGEConv(9, 9), nn.SAGEConv(9, 4)

    def forward(self, x, edge_index):
        h = self.first(x, edge_index)
        return self.last(torch.linalg.qr(h)[0], edge_index)


RELATIONS = (("paper", "cites", "paper"), ("author", "writes", "paper"),
             ("paper", "has", "author"), ("author", "knows", "venue"))
WIDTHS = {"paper": 12, "author": 5, "venue": 3}


class Convolutions(torch.nn.Module):
    """GCN with weights or none, batch norm, dropout."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.GCNConv(9, 14), nn.GCNConv(14, 4)
        self.norm = torch.nn.BatchNorm1d(14)

    def forward(self, x, edge_index, edge_weight=None):
        h = self.norm(self.first(x, edge_index, edge_weight)).relu()
        h = torch.nn.functional.dropout(h, 0.5, self.training)
        return self.last(h, edge_index, edge_weight).log_softmax(-1)


class Typed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.RGCNConv(9, 14, 3), nn.RGCNConv(14, 4, 3, num_bases=2)

    def forward(self, x, edge_index, edge_type):
        return {"hidden": (h := self.first(x, edge_index, edge_type)),
                "scores": self.last(h.relu(), edge_index, edge_type)}


class Hetero(torch.nn.Module):
    """Two layers of all types; with `projected` on rows that a linear layer made of each type."""

    def __init__(self, layer, projected=False):
        super().__init__()
        self.projections = torch.nn.ModuleDict(
            {kind: torch.nn.Linear(width, 8) for kind, width in WIDTHS.items()} if projected
            else {})
        self.first, self.last = layer(), layer()

    def forward(self, x_dict, edge_index_dict):
        x = {kind: self.projections[kind](one).relu() for kind, one in x_dict.items()} if (
            self.projections) else x_dict
        x = {kind: one.relu() for kind, one in self.first(x, edge_index_dict).items()}
        return self.last(x, edge_index_dict)


def sage():
    return nn.HeteroConv({one: nn.SAGEConv((-1, -1), 8) for one in RELATIONS})


def homogeneous(seed, nodes=23, edges=90):
    rng = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, nodes - 2, (2, edges), generator=rng)
    ids[:, :3] = 5  # Multi-edges and self loops; the last nodes are isolated.
    return torch.randn(nodes, 9, generator=rng), ids


def weighted(seed, **sizes):
    x, ids = homogeneous(seed, **sizes)
    return x, ids, torch.rand(ids.shape[1], generator=torch.Generator().manual_seed(seed))


def typed(seed, **sizes):
    x, ids = homogeneous(seed, **sizes)
    return x, ids, torch.arange(ids.shape[1]) % 3


def by_type(seed, scale=1, widths=WIDTHS):
    rng = torch.Generator().manual_seed(seed)
    counts = {"paper": 19 * scale, "author": 11 * scale + 1, "venue": 4}
    edges = {one: torch.stack([torch.randint(0, counts[end], (17 * scale + i,), generator=rng)
                               for end in one[::2]]) for i, one in enumerate(RELATIONS)}
    return {kind: torch.randn(count, widths[kind], generator=rng)
            for kind, count in counts.items()}, edges


def attention():
    return nn.GAT(9, 12, 2, 4, heads=3, v2=True)


MODELS = {
    "gcn": (Convolutions, homogeneous), "gcn-weights": (Convolutions, weighted),
    "sage": (lambda: nn.GraphSAGE(9, 14, 2, 4, norm="batch", dropout=0.3), homogeneous),
    "gat": (attention, homogeneous), "gin": (lambda: nn.GIN(9, 14, 2, 4), homogeneous),
    "rgcn": (Typed, typed), "hetero-sage": (lambda: Hetero(sage), by_type),
    "hgt": (lambda: Hetero(lambda: nn.HGTConv(8, 8, (list(WIDTHS), list(RELATIONS)), 2), True),
            by_type)}


def made(name, seed=3):
    """(the model in evaluation mode, what makes its arguments)."""
    model, arguments = MODELS[name]
    torch.manual_seed(seed)
    model = model()
    with torch.no_grad():
        model(*arguments(0))  # Lazy layers, and statistics of batch norm.
    return model.eval(), arguments


def arrays(value):
    if isinstance(value, dict):
        return {key: arrays(one) for key, one in value.items()}
    return value.detach().numpy() if isinstance(value, torch.Tensor) else value


def pairs(found, expected):
    """Arrays of results side by side."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        return [one for key in expected for one in pairs(found[key], expected[key])]
    assert isinstance(found, np.ndarray)
    return [(found, arrays(expected))]


def check_equal(found, expected, close=False):
    for a, b in pairs(found, expected):
        assert a.shape == b.shape and a.dtype == b.dtype
        if close:
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
        else:
            np.testing.assert_array_equal(a, b)


_kept = {}  # What `saved` gives, by its arguments.


@pytest.fixture
def saved(tmp_path):
    """Saves a model by its name: (path, the compiled model, what makes its arguments). Tests that
    ask for the same share the compiled model."""
    def save(name, **options):
        path, key = tmp_path / "model.gnnpkg", (name, repr(options))
        if key not in _kept:
            model, arguments = made(name)
            compiled = gnn_mlir.compile(model, target="cpu")
            with torch.no_grad():
                compiled(*arguments(1))
            compiled.save(path, **options)
            _kept[key] = path.read_bytes(), compiled, arguments
        data, *others = _kept[key]
        path.write_bytes(data)
        return path, *others
    return save
