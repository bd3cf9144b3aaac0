# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of models, differentiated alone and between the passes, are those of
PyG's autograd in float64, for the input and all weights."""

import numpy as np
import pytest
from test_pyg import (hetero, inputs, nn, random_graph, randomize, torch, with_loops)

import gnn_mlir
from gnn_mlir import models
from gnn_mlir.pytorch import pyg
from support import gradients

# The second of what has a gelu, whose gradient has constants that f32 rounds.
TOLERANCE, OF_GELU = 1e-10, 1e-7
PIPELINES = ("alone", "between the passes")


def gradients_of(convs):
    """Puts the gradients of all parameters in their places, where `pyg.weights` reads
    them by the model's names: it does no more than bring them into another order."""
    for conv in convs:
        for parameter in conv.parameters():
            parameter.data = (torch.zeros_like(parameter) if parameter.grad is None
                              else parameter.grad)


def check(gnn_opt, module, graph, x, tx, convs, out, cotangent=None,
          tolerance=TOLERANCE):
    """`out` is PyG's on `tx`, whose values are those of `x`."""
    function, = module.functions.values()
    given = {"x": x, **pyg.weights(module, *convs)}
    if cotangent is None:
        cotangent = np.random.default_rng(5).standard_normal(out.shape)
    out.backward(torch.tensor(cotangent))
    gradients_of(convs)
    expected = {"x": tx.grad.numpy(), **pyg.weights(module, *convs)}
    largest = max(np.linalg.norm(value) for value in expected.values())
    bound = {n: g for n, g in function.bind(graph).items() if n in function.graphs()}
    for pipeline in PIPELINES:
        made = gradients.differentiate(gnn_opt, function,
                                       pipeline=gradients.PIPELINES[pipeline])
        found = made.gradients(bound, given, {"out": cotangent})
        assert set(found) == set(expected)
        for name, value in expected.items():
            error = np.linalg.norm(found[name] - value)
            # The key's bias of a softmax has the gradient 0, but for rounding.
            size = np.linalg.norm(value) + 1e-3 * largest
            assert error <= tolerance * size, (pipeline, name, error / size)


def data(graph, size):
    x, tx, edges, edge_types = inputs(graph, size)
    return x, tx.requires_grad_(), edges, edge_types


def test_gcn(gnn_opt):
    graph = random_graph(2)
    convs = [randomize(nn.GCNConv(7, 6), 0), randomize(nn.GCNConv(6, 3), 1)]
    x, tx, edges, _ = data(graph, 7)
    check(gnn_opt, models.gcn((7, 6, 3)), with_loops(graph), x, tx, convs,
          convs[1](convs[0](tx, edges).relu(), edges))


@pytest.mark.parametrize("aggregation", ["mean", "max", "sum"])
def test_sage(aggregation, gnn_opt):
    graph = random_graph()
    conv = randomize(nn.SAGEConv(7, 5, aggr=aggregation))
    x, tx, edges, _ = data(graph, 7)
    check(gnn_opt, models.sage((7, 5), aggregation), gnn_mlir.merge_types(graph), x, tx,
          [conv], conv(tx, edges))


def test_gin(gnn_opt):
    graph = random_graph()
    mlp = torch.nn.Sequential(torch.nn.Linear(7, 9), torch.nn.ReLU(),
                              torch.nn.Linear(9, 5))
    conv = randomize(nn.GINConv(mlp, eps=0.25))
    x, tx, edges, _ = data(graph, 7)
    check(gnn_opt, models.gin((7, 5), 9, 0.25), gnn_mlir.merge_types(graph), x, tx,
          [conv], conv(tx, edges))


@pytest.mark.parametrize("concat", [True, False])
def test_gat(concat, gnn_opt):
    graph = random_graph()
    conv = randomize(nn.GATConv(7, 5, heads=2, concat=concat))
    x, tx, edges, _ = data(graph, 7)
    check(gnn_opt, models.gat((7, 5), 2, concat), with_loops(graph), x, tx, [conv],
          conv(tx, edges))


@pytest.mark.parametrize("share", [True, False])
def test_gatv2(share, gnn_opt):
    graph = random_graph()
    conv = randomize(nn.GATv2Conv(7, 5, heads=3, share_weights=share))
    x, tx, edges, _ = data(graph, 7)
    check(gnn_opt, models.gatv2((7, 5), 3, share_weights=share), with_loops(graph), x,
          tx, [conv], conv(tx, edges))


@pytest.mark.parametrize("beta", [True, False])
def test_transformer(beta, gnn_opt):
    graph = random_graph()
    conv = randomize(nn.TransformerConv(7, 4, heads=3, beta=beta))
    x, tx, edges, _ = data(graph, 7)
    check(gnn_opt, models.transformer((7, 4), 3, beta=beta),
          gnn_mlir.merge_types(graph), x, tx, [conv], conv(tx, edges))


@pytest.mark.parametrize("options, ours", [
    ({}, {}), ({"num_bases": 2}, {"bases": 2}), ({"num_blocks": 2}, {"diagonal_blocks": 2}),
    ({"aggr": "sum"}, {"aggregation": "sum"})], ids=["plain", "bases", "blocks", "sum"])
def test_rgcn(options, ours, gnn_opt):
    graph = random_graph()
    conv = randomize(nn.RGCNConv(8, 6, 5, **options))
    x, tx, edges, edge_types = data(graph, 8)
    check(gnn_opt, models.rgcn(5, (8, 6), **ours), graph, x, tx, [conv],
          conv(tx, edges, edge_types))


def test_rgcn_two_layers(gnn_opt):
    graph = random_graph()
    convs = [randomize(nn.RGCNConv(7, 6, 5), 0), randomize(nn.RGCNConv(6, 3, 5), 1)]
    x, tx, edges, edge_types = data(graph, 7)
    check(gnn_opt, models.rgcn(5, (7, 6, 3)), graph, x, tx, convs,
          convs[1](convs[0](tx, edges, edge_types).relu(), edges, edge_types))


@pytest.mark.parametrize("attention", ["across-relation", "within-relation"])
@pytest.mark.parametrize("bases", [None, 2])
def test_rgat(attention, bases, gnn_opt):
    graph = random_graph()
    conv = randomize(nn.RGATConv(7, 4, 5, heads=3, num_bases=bases,
                                 attention_mechanism=attention))
    x, tx, edges, edge_types = data(graph, 7)
    check(gnn_opt, models.rgat(5, (7, 4), 3, bases, attention=attention), graph, x, tx,
          [conv], conv(tx, edges, edge_types))


def test_hgt(gnn_opt):
    widths = dict.fromkeys(("paper", "author", "venue"), 8)
    graph, edges, parts = hetero(widths)
    conv = randomize(nn.HGTConv(widths, 8, (list(widths), list(edges)), 2))
    x = np.concatenate(list(parts.values()))
    tx = torch.tensor(x, requires_grad=True)
    of = dict(zip(parts, torch.split(tx, [len(p) for p in parts.values()])))
    out = conv(of, {t: torch.tensor(e) for t, e in edges.items()})
    # Nothing leads to venues: PyG has no result there.
    given = [name for name in parts if name in out]
    assert given == ["paper", "author"]
    out = torch.cat([*[out[name] for name in given], 0 * of["venue"].detach()])
    cotangent = np.random.default_rng(5).standard_normal(out.shape)
    cotangent[-len(parts["venue"]):] = 0
    check(gnn_opt, models.hgt(3, 4, (8, 8), 2), graph, x, tx, [conv], out, cotangent,
          OF_GELU)
