# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of benchmarks/experiment.py. Each is a function of a graph, a number of features
and torch's device, and gives a module, the graph that it is for, and peers: {name: function
of the same inputs by name}, which torch differentiates, or a peer of pyg_layers.py."""

import functools
import importlib
import math

import numpy as np
import torch

import by_edges
import gnn_mlir
from cases import LAYERS, SLOPE, attention, looped, of_edges
from gnn_mlir import models, types
from gnn_mlir.models.gcn import gcn_norm, propagate
from torch_layers import Incidence


def _program(graph=None, **options):
    """A graph's declaration and a function, in a new module."""
    module = gnn_mlir.Module()
    g = module.graph("g", **options) if graph is None else module.graph_like("g", graph)
    return g, module.function("layer")


def _tensor(array, device):
    return torch.tensor(np.asarray(array, np.int64), device=device)


def _ends(graph, device):
    return _tensor(graph.edge_src, device), _tensor(graph.edge_dst, device)


MODELS = {name: lambda graph, f, device, build=build: (*build(graph, f), {})
          for name, build in LAYERS.items()}


# Layers that sum first and multiply then.
def gcn_sum_first(graph, features, device):
    g, f = _program(self_loops=True)
    near = propagate(f, f.input("x", g.rows("node", features)), gcn_norm(f, g))
    f.output("out", f.linear(near, f.input("weight", types.weight(features, features)),
                             f.input("bias", types.weight(features))))
    return f.module, looped(graph), {}


def sage_sum_first(graph, features, device):
    return models.sage((features, features), "mean"), looped(graph), {}


def rgcn_sum_first(graph, features, device):
    g, f = _program(node_types=graph.num_node_types, edge_types=graph.num_edge_types)
    x = f.input("x", g.rows("node", features))
    near = f.aggregate("mean", f.gather(x, "edge", via="src"), "dst_pair")
    weight = f.input("weight", g.rows("edge_type", features, features))
    f.output("out", f.aggregate("sum", f.typed_linear(near, weight), g.dst))
    return f.module, graph, {}


SUMS_FIRST = {"gcn": gcn_sum_first, "sage": sage_sum_first, "rgcn": rgcn_sum_first}


def neighbour_sum(graph, features, device):
    """The sum over neighbours, beside cuSPARSE."""
    graph = gnn_mlir.merge_types(graph)
    src, dst = _ends(graph, device)
    edges = Incidence(dst, src, graph.num_nodes, graph.num_nodes)
    ones = torch.ones(graph.num_edges, device=device)
    return of_edges(gnn_mlir, "sum", features), graph, {
        "torch": lambda x: edges.sum(ones.to(x.dtype), x)}


# Sums over types and the graph, which the gradients of weights and biases are.
def weight_of_nodes(graph, features, device):
    g, f = _program(graph)
    f.output("out", f.outer(*(f.input(n, g.rows("node", features)) for n in ("x", "dy"))))
    return f.module, graph, {"torch": lambda x, dy: x.T @ dy}


def weight_of_relations(graph, features, device):
    g, f = _program(graph)
    x = f.gather(f.input("x", g.rows("node", features)), "src_pair")
    dy = f.input("dy", g.rows("src_pair", features))
    f.output("out", f.typed_outer(x, dy, "edge_type"))
    of_pairs, nodes, _ = graph.pairs("src")
    counts = np.bincount(of_pairs, minlength=graph.num_edge_types).tolist()
    nodes = _tensor(nodes, device)
    return f.module, graph, {"torch": lambda x, dy: torch.stack(
        [left.T @ right for left, right in zip(x[nodes].split(counts), dy.split(counts))])}


def bias(graph, features, device):
    g, f = _program(graph)
    f.output("out", f.aggregate("sum", f.input("dy", g.rows("node", features)), "graph"))
    return f.module, graph, {"torch": lambda dy: dy.sum(0, keepdim=True)}


def bias_of_types(graph, features, device):
    g, f = _program(graph)
    dy = f.input("dy", g.rows("node", features))
    f.output("out", f.aggregate("sum", dy, "node_type", via="dst"))
    kinds = _tensor(graph.dst_node_type, device)
    return f.module, graph, {"torch": lambda dy: dy.new_zeros(
        graph.num_node_types, features).index_add(0, kinds, dy)}


WEIGHT_GRADIENTS = {"dW of nodes": weight_of_nodes, "dW of relations": weight_of_relations,
                    "db": bias, "db of types": bias_of_types}


# Attention alone, of one head and of rows that are there.
def gatv2(graph, features, device):
    graph = gnn_mlir.merge_types(graph)
    ends = _ends(graph, device)
    peers = {"torch, by edges": functools.partial(by_edges.gatv2, *ends)}
    turbo, structure = turbo_gnn(graph, *ends)
    if turbo:
        peers["turbo-gnn"] = lambda source, target, att: turbo.gatv2_aggr(
            structure, target, source, att, negative_slope=SLOPE)
    return attention(gnn_mlir, "gatv2", 1, features), graph, peers


def dot(graph, features, device):
    graph = gnn_mlir.merge_types(graph)
    src, dst = _ends(graph, device)
    scale = 1 / math.sqrt(features)
    edges = Incidence(dst, src, graph.num_nodes, graph.num_nodes)
    peers = {"torch, by edges": functools.partial(by_edges.dot_attention, src, dst),
             "torch": lambda query, key, value: DotAttention.apply(
                 query.squeeze(1), key.squeeze(1), value.squeeze(1), edges,
                 scale).unsqueeze(1)}
    turbo, structure = turbo_gnn(graph, src, dst)
    if turbo:
        peers["turbo-gnn"] = lambda query, key, value: turbo.graph_transformer_aggr(
            structure, query.view(len(query), -1), query, key, value, scale=scale)
    return attention(gnn_mlir, "dot-attention", 1, features), graph, peers


class DotAttention(torch.autograd.Function):
    """Dot-product attention of rows [nodes, features], by cuSPARSE."""

    @staticmethod
    def forward(ctx, query, key, value, edges, scale):
        softmax = edges.softmax(edges.dots(query, key).mul_(scale))
        out = edges.sum(softmax, value)
        ctx.save_for_backward(query, key, value, softmax, out)
        ctx.edges, ctx.scale = edges, scale
        return out

    @staticmethod
    def backward(ctx, g):
        query, key, value, softmax, out = ctx.saved_tensors
        edges = ctx.edges
        d_score = edges.softmax_back(softmax, edges.dots(g, value),
                                     (g * out).sum(1)).mul_(ctx.scale)
        return (edges.sum(d_score, key), edges.sum_back(d_score, query),
                edges.sum_back(softmax, g), None, None)


def turbo_gnn(graph, src, dst):
    """turbo-gnn's module and a graph of these ends, where it is importable."""
    try:
        turbo = importlib.import_module("turbo_gnn")
    except ImportError:
        return None, None
    nodes, both = graph.num_nodes, []
    for row, col in ((dst, src), (src, dst)):
        order = torch.argsort(row * nodes + col)
        begin = torch.zeros(nodes + 1, dtype=torch.int32, device=src.device)
        begin[1:] = torch.bincount(row, minlength=nodes).cumsum(0)
        both += [begin, col[order].int()]
    structure = turbo.AdjacencyForwardBackwardWithNodeBuckets.from_csr(*both)
    return turbo, structure.to(src.device)


ATTENTION = {"gatv2": gatv2, "dot": dot}
