# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of benchmarks/experiment.py beside every form that PyTorch Geometric has of them,
and relational ones beside those that are written by hand (benchmarks/torch_layers.py)."""

import copy

import numpy as np
import torch
import torch_geometric.nn as nn

import frontend_models
import gnn_mlir
import torch_layers
from cases import looped
from gnn_mlir import models
from gnn_mlir.pytorch import pyg


def _tensor(array, device):
    return torch.tensor(np.asarray(array, np.int64), device=device)


class Edges:
    """A graph as PyG's layers take it. Edges lie by destination where they have no types,
    else by type: what its kernels do best with."""

    def __init__(self, graph, typed, device):
        order = np.argsort(graph.edge_type if typed else graph.edge_dst, kind="stable")
        self.index = torch.stack([_tensor(ids[order], device) for ids in (
            graph.edge_src, graph.edge_dst)])
        self.type = _tensor(graph.edge_type[order], device)
        if not typed:  # An edge that is there twice stays so.
            counts = np.bincount(graph.edge_dst, minlength=graph.num_nodes)
            self.csr = torch.sparse_csr_tensor(
                _tensor(np.r_[0, np.cumsum(counts)], device), self.index[0],
                torch.ones(self.index.shape[1], device=device), (graph.num_nodes,) * 2)


class HeteroEdges:
    """The same by types of nodes, which lie by type, and of edges, for HGTConv."""

    def __init__(self, graph, device):
        kinds = frontend_models.Kinds(graph)
        rows, edges = frontend_models.dicts(graph, kinds, torch.empty(graph.num_nodes, 0))
        self.metadata = kinds.nodes, kinds.relations
        self.sizes = [len(rows[name]) for name in kinds.nodes]
        self.of = {relation: ends.to(device) for relation, ends in edges.items()}
        # Node types that no edge type leads to have no output.
        into = np.isin(graph.src_node_type, [d for _, d in graph.schema])
        self.mask = torch.tensor(into[:, None], device=device)

    def call(self, conv, x):
        parts = dict(zip(self.metadata[0], x.split(self.sizes)))
        out = conv(parts, self.of)
        return torch.cat([torch.zeros_like(part) if out.get(name) is None else out[name]
                          for name, part in parts.items()])


class OfPyG:
    """A layer of PyG as a peer: `call` gives its output of a layer and features. Outputs
    count where `mask` is not 0. One that is `cached` keeps the graph that it normalized."""

    def __init__(self, module, conv, call, mask=1, cached=False):
        self.module, self.conv, self.call, self.mask = module, conv, call, mask
        self.cached = cached

    def prepare(self, given):
        x, training = given["x"], any(value.requires_grad for value in given.values())
        conv = copy.deepcopy(self.conv).to(x.device, x.dtype).eval().requires_grad_(training)
        weights = {name: value.detach() for name, value in given.items() if name != "x"}
        pyg.load_weights(self.module, weights, conv)
        if self.cached:
            conv.cached = True

        def by_name(gradients):
            """In the order of `given`: they take the places of parameters."""
            made = copy.deepcopy(conv)
            made.cached = False
            for parameter, gradient in zip(made.parameters(), gradients[1:]):
                parameter.data = torch.zeros_like(parameter) if gradient is None else gradient
            found = {"x": gradients[0], **pyg.weights(self.module, made)}
            return [torch.as_tensor(found[name], device=x.device) for name in given]
        return lambda: self.call(conv, x), [x, *conv.parameters()], by_name


class ByHand:
    """A layer of benchmarks/torch_layers.py as a peer."""

    def __init__(self, model, graph, sums):
        self.model, self.graph, self.sums = torch_layers.LAYERS[model], graph, sums

    def prepare(self, given):
        weights = dict(given)
        x = weights.pop("x")
        prepared = torch_layers.Prepared(self.graph, x.device, x.dtype, self.sums)
        return lambda: self.model(prepared, x, weights), list(given.values()), list


def plain(model, conv, prepare=gnn_mlir.merge_types, cached=False):
    """A layer without types. PyG's adds its own self loops."""
    def build(graph, f, device):
        module, edges = model(f), Edges(gnn_mlir.merge_types(graph), False, device)
        forms = {"": lambda c, x: c(x, edges.index), ", CSR": lambda c, x: c(x, edges.csr)}
        peers = {f"PyG{form}": OfPyG(module, conv(f), call) for form, call in forms.items()}
        if cached:
            peers |= {f"PyG{form}, cached": OfPyG(module, conv(f), call, cached=True)
                      for form, call in forms.items()}
        return module, prepare(graph), peers
    return build


def by_hand(name, graph):
    return {"torch": ByHand(name, graph, "cusparse"),
            "torch, gathered": ByHand(name, graph, "gather")}


def typed(name, model, conv, fast=None, heads=1):
    def build(graph, f, device):
        module, edges = model(graph, f), Edges(graph, True, device)
        convs = {"PyG": conv(graph, f), **({"PyG, fast": fast(graph, f)} if fast else {})}
        peers = {form: OfPyG(module, one, lambda c, x: c(x, edges.index, edges.type))
                 for form, one in convs.items()}
        return module, graph, peers | (by_hand(name, graph) if heads == 1 else {})
    return build


def hgt(graph, f, device):
    """Nodes lie by type, and an edge type has one type of ends."""
    if graph.schema is None:
        graph = gnn_mlir.refine_types(_by_node_type(graph))
    module = models.hgt(graph.num_node_types, graph.num_edge_types, (f, f),
                        schema=graph.schema)
    edges = HeteroEdges(graph, device)
    conv = nn.HGTConv(f, f, edges.metadata, heads=1)
    return module, graph, {"PyG": OfPyG(module, conv, edges.call, edges.mask),
                           **by_hand("hgt", graph)}


def _by_node_type(graph):
    order = np.argsort(graph.src_node_type, kind="stable")
    return gnn_mlir.renumber(graph, np.argsort(order))


def _rgat(heads):
    return typed("rgat", lambda g, f: models.rgat(
        g.num_edge_types, (f, f // heads), heads, node_types=g.num_node_types),
        lambda g, f: nn.RGATConv(f, f // heads, g.num_edge_types, heads=heads), heads=heads)


def _gat(heads):
    return plain(lambda f: models.gat((f, f // heads), heads),
                 lambda f: nn.GATConv(f, f // heads, heads), looped)


def _gin(f):
    return nn.GINConv(torch.nn.Sequential(
        torch.nn.Linear(f, f), torch.nn.ReLU(), torch.nn.Linear(f, f)))


RELATIONAL = {
    "rgcn": typed("rgcn", lambda g, f: models.rgcn(
        g.num_edge_types, (f, f), node_types=g.num_node_types),
        lambda g, f: nn.RGCNConv(f, f, g.num_edge_types, is_sorted=True),
        lambda g, f: nn.FastRGCNConv(f, f, g.num_edge_types, is_sorted=True)),
    "rgat": _rgat(1), "hgt": hgt}
LAYERS = {
    **RELATIONAL, "rgat-4": _rgat(4), "gat": _gat(1), "gat-4": _gat(4),
    "gcn": plain(lambda f: models.gcn((f, f)), lambda f: nn.GCNConv(f, f), looped,
                 cached=True),
    "sage": plain(lambda f: models.sage((f, f), "mean"), lambda f: nn.SAGEConv(f, f)),
    "gin": plain(lambda f: models.gin((f, f)), _gin)}
