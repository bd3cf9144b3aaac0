# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of two of PyTorch Geometric's layers with relu between them, and graphs as they
take them."""

import warnings

import numpy as np
import torch
import torch_geometric.nn as pyg

from gnn_mlir.sampling import Sampler

SIZE, HEADS = 64, 4


class Kinds:
    """The names of node types, and the relations of a graph: those triples of a source's
    type, an edge type and a destination's type that an edge has."""

    def __init__(self, graph):
        self.edge_types, self.nodes = graph.num_edge_types, [
            f"n{i}" for i in range(graph.num_node_types)]
        if graph.schema is not None:
            self.codes = np.unique([self._code(graph, s, i, d)
                                    for i, (s, d) in enumerate(graph.schema)])
        else:
            self.codes = np.unique(self.of_edges(graph))
        self.relations = [self._triple(code) for code in self.codes.tolist()]

    @staticmethod
    def _code(graph, source, kind, destination):
        count = graph.num_node_types
        return (np.int64(kind) * count + source) * count + destination

    def of_edges(self, graph):
        """The code of the relation of each edge."""
        return self._code(graph, graph.src_node_type[graph.edge_src],
                          graph.edge_type.astype(np.int64),
                          graph.dst_node_type[graph.edge_dst])

    def _triple(self, code):
        count = len(self.nodes)
        rest, destination = divmod(code, count)
        kind, source = divmod(rest, count)
        return self.nodes[source], f"r{kind}", self.nodes[destination]


def dicts(graph, kinds, x):
    """Features by node type and ids by relation; nodes of a type keep their order."""
    types = graph.src_node_type
    order = np.argsort(types.astype(np.int16), kind="stable")
    sizes = np.bincount(types, minlength=len(kinds.nodes))
    begin = np.cumsum(sizes) - sizes
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - begin[types[order]]
    found = np.searchsorted(kinds.codes, kinds.of_edges(graph)).astype(np.int16)
    edges = np.argsort(found, kind="stable")  # By radix, of 16 bits.
    last = np.cumsum(np.bincount(found, minlength=len(kinds.codes))).tolist()
    ends = np.stack([place[graph.edge_src[edges]], place[graph.edge_dst[edges]]])
    rows = x[torch.from_numpy(order)].split(sizes.tolist())
    return ({name: part.clone() for name, part in zip(kinds.nodes, rows)},
            {relation: torch.from_numpy(ends[:, b:e].copy()) for relation, b, e in zip(
                kinds.relations, [0, *last], last)})


def features(count):
    """Features of so many nodes, the same each time."""
    rng = torch.Generator().manual_seed(1)
    return torch.randn(count, SIZE, generator=rng)


def sampled(graph, options):
    """([(graph of a batch, its nodes)], how many seeds): the seeds come first, of the
    first node type."""
    sampler = Sampler(graph, list(options.fanouts), seed=1)
    among = np.flatnonzero(graph.src_node_type == 0)
    count = min(options.seeds, len(among))
    rng = np.random.default_rng(2)
    return [sampler.sample(rng.choice(among, count, replace=False))
            for _ in range(options.batches)], count


def plain(graph, kinds, x):
    """Features and ids."""
    return x, torch.from_numpy(np.stack([graph.edge_src, graph.edge_dst]).astype(np.int64))


def typed(graph, kinds, x):
    """Features, ids and edge types."""
    return (*plain(graph, kinds, x), torch.from_numpy(graph.edge_type.astype(np.int64)))


class Two(torch.nn.Module):
    """Layers over features, ids and whatever else edges have."""

    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x, *edges):
        return self.second(self.first(x, *edges).relu(), *edges)


class TwoByType(torch.nn.Module):
    """Layers over dicts. The second one sees what the first gave features to: node types
    that no relation leads to have none."""

    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x, edges):
        x = {name: rows.relu() for name, rows in self.first(x, edges).items()
             if rows is not None}
        edges = {relation: ids for relation, ids in edges.items() if relation[0] in x}
        out = self.second(x, edges)
        return {name: rows for name, rows in out.items() if rows is not None}


def _rgat(kinds):
    return pyg.RGATConv(SIZE, SIZE, kinds.edge_types)


def _rgcn(kinds):
    return pyg.RGCNConv(SIZE, SIZE, kinds.edge_types)


def _hgt(kinds):
    return pyg.HGTConv(SIZE, SIZE, (kinds.nodes, kinds.relations), HEADS)


def _hetero(kinds):
    with warnings.catch_warnings():  # The warnings are of node types that no relation leads to.
        warnings.simplefilter("ignore", UserWarning)
        return pyg.HeteroConv({relation: pyg.SAGEConv((SIZE, SIZE), SIZE)
                               for relation in kinds.relations})


def _gat(kinds):
    return pyg.GATConv(SIZE, SIZE // HEADS, heads=HEADS)


# A layer of the same weights that is faster on small graphs.
FAST = {"rgcn": lambda kinds: pyg.FastRGCNConv(SIZE, SIZE, kinds.edge_types)}
# By name: the group, a layer of a graph's kinds, and what it takes of a graph.
MODELS = {
    "rgcn": ("relational", _rgcn, typed),
    "rgat": ("relational", _rgat, typed),
    "hgt": ("relational", _hgt, dicts),
    "hetero-sage": ("relational", _hetero, dicts),
    "gcn": ("homogeneous", lambda kinds: pyg.GCNConv(SIZE, SIZE), plain),
    "gat": ("homogeneous", _gat, plain),
    "sage": ("homogeneous", lambda kinds: pyg.SAGEConv(SIZE, SIZE), plain),
}


def make(name, kinds, fast=False):
    """The model, or that of layers of FAST, with the same weights each time. PyG starts
    biases at 0: they get values too."""
    torch.manual_seed(0)
    _, layer, takes = MODELS[name]
    layer = FAST[name] if fast else layer
    model = (TwoByType if takes is dicts else Two)(layer(kinds), layer(kinds))
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
    return model
