# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learns the classes of nodes with two layers of RGCN, RGAT, HGT, GCN or GAT.

    python examples/train/classify.py --model rgcn [--graph FILE.npz] [--compare-pyg]

The file (docs/Structures.md) has the labels of nodes and the masks of a split.
Where it has no features, a vector is learned for each node.
"""

import argparse

import numpy as np
import torch

import gnn_mlir
import learning
from gnn_mlir import models
from gnn_mlir.datasets import made
from gnn_mlir.pytorch import pyg

HEADS = {"gcn": 1, "gat": 8, "rgcn": 1, "rgat": 2, "hgt": 2}


def graph_for(model, data):
    """The graph as a model takes it. Along edges of their own types relational models
    also see what an edge starts from, and themselves."""
    if model in ("gcn", "gat"):
        return gnn_mlir.add_self_loops(gnn_mlir.merge_types(data), "replace", 0)
    graph = gnn_mlir.add_inverses(data)
    if model == "rgat":
        return gnn_mlir.add_self_loops(graph, "add")
    return gnn_mlir.refine_types(graph) if model == "hgt" else graph


def program(model, graph, sizes, heads):
    """Two layers, with an activation between."""
    types = {"node_types": graph.num_node_types}
    if model == "gcn":
        return models.gcn(sizes)
    if model == "gat":
        return models.gat(sizes, heads, concat=False)
    if model == "rgcn":
        return models.rgcn(graph.num_edge_types, sizes, **types)
    if model == "rgat":
        return models.rgat(graph.num_edge_types, sizes, heads, concat=False, **types)
    return models.hgt(graph.num_node_types, graph.num_edge_types, sizes, heads,
                      schema=graph.schema)


class PyGNetwork(torch.nn.Module):
    """The same of PyG's layers."""

    def __init__(self, model, graph, sizes, heads):
        super().__init__()
        nn, (size, hidden, classes) = learning.import_pyg(), sizes
        self.model, self.graph, types = model, graph, graph.num_edge_types
        self.register_buffer("edges", torch.tensor(np.stack(
            [graph.edge_src, graph.edge_dst]).astype(np.int64)), False)
        self.register_buffer("types", torch.tensor(graph.edge_type.astype(np.int64)), False)
        if model == "gcn":
            layers = [nn.GCNConv(size, hidden), nn.GCNConv(hidden, classes)]
        elif model == "gat":
            layers = [nn.GATConv(size, hidden, heads),
                      nn.GATConv(heads * hidden, classes, heads, concat=False)]
        elif model == "rgcn":
            layers = [nn.RGCNConv(size, hidden, types), nn.RGCNConv(hidden, classes, types)]
        elif model == "rgat":
            layers = [nn.RGATConv(size, hidden, types, heads=heads),
                      nn.RGATConv(heads * hidden, classes, types, heads=heads,
                                  concat=False)]
        else:
            self._split()
            names = [f"n{t}" for t in range(graph.num_node_types)], list(self.of)
            layers = [nn.HGTConv(size, hidden, names, heads),
                      nn.HGTConv(hidden, classes, names, heads)]
        self.layers = torch.nn.ModuleList(layers)

    def _split(self):
        """The nodes of each type, and the edges with their places among them."""
        graph, self.of = self.graph, {}
        place = np.zeros(graph.num_nodes, np.int64)
        rows = [np.flatnonzero(graph.node_type == t) for t in range(graph.num_node_types)]
        for some in rows:
            place[some] = np.arange(len(some))
        self.rows = [torch.tensor(some) for some in rows]
        for t, (src, dst) in enumerate(graph.schema):
            ends = self.edges[:, self.types == t]
            self.of[f"n{src}", f"r{t}", f"n{dst}"] = torch.tensor(place)[ends]

    def forward(self, x):
        if self.model == "hgt":
            self.rows = [some.to(x.device) for some in self.rows]
            self.of = {kind: ends.to(x.device) for kind, ends in self.of.items()}
            by_type = {f"n{t}": x[some] for t, some in enumerate(self.rows)}
            for layer in self.layers:
                by_type = layer(by_type, self.of)
            parts = {int(name[1:]): part for name, part in by_type.items()}
            return self.graph.join_types(parts, self.layers[-1].out_channels)
        edges = [self.edges] + [self.types] * self.model.startswith("r")
        return self.layers[1](self.layers[0](x, *edges).relu(), *edges)


class Classifier(torch.nn.Module):
    """A network on features, which are learned where the graph has none."""

    def __init__(self, network, x, learned):
        super().__init__()
        self.network = network
        self.x = torch.nn.Parameter(x.clone(), requires_grad=learned)

    def forward(self):
        return self.network(self.x)


def features(data, size, seed):
    """Features with a sum of 1 a node, or vectors to learn; and whether these."""
    if "feat_indptr" not in data.arrays:
        generator = torch.Generator().manual_seed(seed)
        return torch.randn(data.num_nodes, size, generator=generator) / size ** 0.5, True
    x = torch.tensor(data.features())
    return x / x.sum(1, keepdim=True).clamp(min=1), False


def train(name, network, x, learned, labels, masks, device, options):
    """Trains and tests a network."""
    classifier = Classifier(network, x, learned).to(device)
    rows = {part: torch.tensor(np.flatnonzero(mask), device=device)
            for part, mask in masks.items()}
    labels = torch.tensor(labels, dtype=torch.int64, device=device)

    def step(epoch):
        part = rows["train"]
        return torch.nn.functional.cross_entropy(classifier()[part], labels[part])

    run = learning.fit(name, classifier, step, options)
    classifier.eval()
    with torch.no_grad():
        part = rows["test"]
        run.score = (classifier()[part].argmax(1) == labels[part]).float().mean().item()
    return run


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", choices=HEADS, default="rgcn", help="(%(default)s)")
    parser.add_argument("--graph", metavar="FILE.npz", help="a small one is made without it")
    parser.add_argument("--hidden", type=learning.positive, default=16,
                        help="features between the layers, of GAT and RGAT a head "
                        "(%(default)s)")
    parser.add_argument("--heads", type=learning.positive, help="of attention")
    learning.add_options(parser, epochs=50, rate=0.01)
    options = parser.parse_args(arguments)
    model, heads = options.model, options.heads or HEADS[options.model]
    device = learning.find_device(options.device)
    data = learning.read_graph(options.graph, made.communities, "label", "train_mask",
                               "test_mask")
    labels = data.arrays["label"]
    masks = {part: data.arrays[part + "_mask"].astype(bool) & (labels >= 0)
             for part in ("train", "test")}
    for part, mask in masks.items():
        if not mask.any():
            raise ValueError(f"{part}_mask: expected nodes with a label, got none")
    graph = graph_for(model, data)
    x, learned = features(data, options.hidden, options.seed)
    sizes = x.shape[1], options.hidden, int(labels.max()) + 1
    print(f"{model} on {graph}, {'learned vectors' if learned else 'features'} of "
          f"{sizes[0]}, {sizes[2]} classes, on {device.type.replace('cpu', 'the CPU')}",
          flush=True)
    module = program(model, graph, sizes, heads)
    networks = {}
    if options.compare_pyg:
        torch.manual_seed(options.seed)
        networks["PyG"] = PyGNetwork(model, graph, sizes, heads)
        weights = pyg.weights(module, *networks["PyG"].layers)
    else:
        weights = learning.initial_weights(module, graph, options.seed)
    ours = learning.Compiled(module, graph, weights, ["x"] if learned else [])
    networks = {"gnn-mlir": ours, **networks}
    runs = [train(name, network, x, learned, labels, masks, device, options)
            for name, network in networks.items()]
    learning.report(runs, "accuracy", options.plot)
    return runs


if __name__ == "__main__":
    learning.run_example(main)
