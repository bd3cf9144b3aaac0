# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs and models that tests of the overlay share."""

import functools

import numpy as np

import gnn_mlir
from gnn_mlir import models
from gnn_mlir.overlay import LayerIR, ModelIR

MODELS = ("b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8")
FEATURES, CLASSES = 37, 7
# More than a fiber, and no multiple of one.
HIDDEN = {"b1": 16, "b2": 24, "b3": 20, "b4": 33, "b5": 20, "b6": 19, "b7": None, "b8": 24}
WITH_LOOPS = ("b1", "b2", "b6", "b7", "b8")


def _ids(*ends):
    return [np.asarray(ids, np.int32) for ids in ends]


@functools.lru_cache(maxsize=None)
def graph(name):
    """A graph of edges that are odd in some way."""
    rng = np.random.default_rng(1)
    if name == "one":  # one vertex
        src, dst, nodes = [], [], 1
    elif name == "no-edge":
        src, dst, nodes = [], [], 21
    elif name == "odd":  # no multiple of 16
        src, dst = rng.integers(0, 37, (2, 90))
        nodes = 37
    elif name == "hub":  # half of all edges lead to one vertex
        src, dst = rng.integers(0, 300, (2, 1200))
        dst, nodes = np.where(rng.random(1200) < .5, 13, dst), 300
    elif name == "multi":  # edges that there are three times
        src, dst = np.tile(rng.integers(0, 200, (2, 150)), 3)
        nodes = 200
    else:  # "empty": blocks without an edge
        src, dst = rng.integers(0, 16, (2, 60))
        nodes = 700
    return gnn_mlir.Graph(*_ids(src, dst), num_nodes=nodes)


GRAPHS = ("one", "no-edge", "odd", "hub", "multi", "empty")


@functools.lru_cache(maxsize=None)
def graph_of(model, name):
    """The graph as a model takes it."""
    return gnn_mlir.add_self_loops(graph(name)) if model in WITH_LOOPS else graph(name)


@functools.lru_cache(maxsize=None)
def function(model):
    """The function of a model of small widths."""
    module = models.graphagile(model, FEATURES, CLASSES, HIDDEN[model])
    return next(iter(module.functions.values()))


def listing3(nvertices=2708, nedges=5429, nflen=1433, graph=None):
    """The ModelIR of listing 3, before the steps of the compiler."""
    model = ModelIR()
    model._graphs = graph

    def add(layertype, layerid, parent_id, child_id, fin, fout, aggoperator=None, act=None):
        layer = LayerIR()
        layer.setparameter(
            layertype=layertype, layerid=layerid, parent_id=parent_id, child_id=child_id,
            fin=fin, fout=fout, nv=nvertices, ne=nedges, aggoperator=aggoperator, act=act,
            actenable=act is not None, batchenable=False)
        model.addlayers(layer)

    add("Aggregate", 1, [], [2], nflen, nflen, aggoperator=2)
    add("Linear", 2, [1], [3], nflen, 16)
    add("Activation", 3, [2], [4], 16, 16, act="ReLU")
    add("Aggregate", 4, [3], [5], 16, 16, aggoperator=2)
    add("Linear", 5, [4], [], 16, 7)
    return model
