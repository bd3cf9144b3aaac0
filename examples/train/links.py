# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learns which links a graph of facts lacks: two layers of RGCN, and DistMult.

    python examples/train/links.py [--graph FILE.npz] [--compare-pyg]

The file (docs/Structures.md) says in `edge_split` which facts are for training (0),
validation (1) and test (2). The layers pass messages along the first ones, in both
directions, from a vector that is learned for each entity. The score of a fact
(head, relation, tail) is the sum of head * relation * tail; it is learned from facts
and from others that are drawn, with another head or tail. The result is the mean reciprocal
rank of the facts of the test among all with another head or tail that are not known.
"""

import argparse

import numpy as np
import torch

import gnn_mlir
import learning
from gnn_mlir import models
from gnn_mlir.datasets import made
from gnn_mlir.pytorch import pyg


class PyGNetwork(torch.nn.Module):
    """The two layers as PyG has them."""

    def __init__(self, graph, size, blocks):
        super().__init__()
        nn = learning.import_pyg()
        self.layers = torch.nn.ModuleList(nn.RGCNConv(
            size, size, graph.num_edge_types, num_blocks=blocks) for _ in range(2))
        self.register_buffer("edges", torch.tensor(np.stack(
            [graph.edge_src, graph.edge_dst]).astype(np.int64)), False)
        self.register_buffer("types", torch.tensor(graph.edge_type.astype(np.int64)), False)

    def forward(self, x):
        edges = self.edges, self.types
        return self.layers[1](self.layers[0](x, *edges).relu(), *edges)


class LinkModel(torch.nn.Module):
    """A network on learned vectors, and a vector for each relation."""

    def __init__(self, network, entities, relations, size, seed):
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.network = network
        self.x, self.relation = (
            torch.nn.Parameter(torch.randn(count, size, generator=generator) / size ** 0.5)
            for count in (entities, relations))

    def forward(self):
        """The vectors of entities that facts are scored with."""
        return self.x + self.network(self.x)

    def score(self, h, facts):
        head, relation, tail = facts
        # Its gradient sums up the rows of one index fast, and in one order.
        rows = torch.nn.functional.embedding
        return (rows(head, h) * rows(relation, self.relation) * rows(tail, h)).sum(1)


def corrupt(facts, entities, generator):
    """Facts with another head or tail, either for half of them."""
    head, relation, tail = facts
    other = torch.randint(entities, head.shape, generator=generator, device=head.device)
    which = torch.rand(head.shape, generator=generator, device=head.device) < 0.5
    return torch.stack([torch.where(which, other, head), relation,
                        torch.where(which, tail, other)])


def ranks(scores, right, known):
    """The rank of the right column of each row, ties in the middle, among those that
    are not known: `known` are (row, column) of others that are true as well."""
    best = scores.gather(1, right[:, None])
    scores[known] = -torch.inf
    scores.scatter_(1, right[:, None], -torch.inf)
    return 1 + (scores > best).sum(1) + (scores == best).sum(1) / 2


def known_columns(query, answers, queries):
    """(row, column) of all true answers to each query. `queries` are those of all
    facts, ascending, and `answers` what they lead to."""
    first = torch.searchsorted(queries, query)
    count = torch.searchsorted(queries, query, right=True) - first
    row = torch.repeat_interleave(torch.arange(len(query), device=query.device), count)
    begin = torch.cumsum(count, 0) - count
    place = torch.arange(len(row), device=query.device) - begin[row] + first[row]
    return row, answers[place]


def reciprocal_rank(model, facts, test, batch=256):
    """The filtered mean reciprocal rank of the facts of a test, for heads and tails."""
    with torch.no_grad():
        h, found = model(), []
        relations = len(model.relation)
        for given, asked in ((0, 2), (2, 0)):
            code = facts[given] * relations + facts[1]
            queries, order = code.sort(stable=True)
            answers = facts[asked][order]
            for part in test.split(batch, 1):
                scores = (h[part[given]] * model.relation[part[1]]) @ h.T
                known = known_columns(part[given] * relations + part[1], answers, queries)
                found.append(1 / ranks(scores, part[asked], known))
    return torch.cat(found).double().mean().item()


def train(name, network, facts, split, entities, device, options):
    """Trains and tests a network. All draw the same facts that are not."""
    relations = int(facts[1].max()) + 1
    model = LinkModel(network, entities, relations, options.size, options.seed).to(device)
    facts, split = (torch.tensor(a, dtype=torch.int64, device=device)
                    for a in (facts, split))
    true, test = facts[:, split == 0], facts[:, split == 2]
    generator = torch.Generator(device).manual_seed(options.seed)
    wanted = torch.zeros((1 + options.negatives) * true.shape[1], device=device)
    wanted[:true.shape[1]] = 1

    def step(epoch):
        h = model()
        false = corrupt(true.repeat(1, options.negatives), entities, generator)
        scores = model.score(h, torch.cat([true, false], 1))
        return torch.nn.functional.binary_cross_entropy_with_logits(scores, wanted)

    run = learning.fit(name, model, step, options)
    run.score = reciprocal_rank(model.eval(), facts, test)
    return run


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--graph", metavar="FILE.npz", help="a small one is made without it")
    parser.add_argument("--size", type=learning.positive, default=32,
                        help="of the vectors of entities (%(default)s)")
    parser.add_argument("--negatives", type=learning.positive, default=1,
                        help="facts drawn for each that is true (%(default)s)")
    parser.add_argument("--diagonal-blocks", type=learning.positive,
                        help="on the diagonal of the weight of a relation (one: the "
                        "whole matrix)")
    learning.add_options(parser, epochs=50, rate=0.01)
    options = parser.parse_args(arguments)
    device = learning.find_device(options.device)
    data = learning.read_graph(options.graph, made.kinships, "edge_split")
    split = data.arrays["edge_split"]
    for part, number in (("training", 0), ("test", 2)):
        if not (split == number).any():
            raise ValueError(f"edge_split: expected facts for {part} ({number}), got none")
    facts = np.stack([data.edge_src, data.edge_type, data.edge_dst])
    graph = gnn_mlir.add_inverses(gnn_mlir.select_edges(data, split == 0))
    size, entities = options.size, data.num_nodes
    print(f"RGCN and DistMult on {graph}, vectors of {size}, {(split == 2).sum()} facts to "
          f"find, on {device.type.replace('cpu', 'the CPU')}",
          flush=True)
    module = models.rgcn(graph.num_edge_types, (size,) * 3, node_types=graph.num_node_types,
                         diagonal_blocks=options.diagonal_blocks)
    networks = {}
    if options.compare_pyg:
        torch.manual_seed(options.seed)
        networks["PyG"] = PyGNetwork(graph, size, options.diagonal_blocks)
        weights = pyg.weights(module, *networks["PyG"].layers)
    else:
        weights = learning.initial_weights(module, graph, options.seed)
    networks = {"gnn-mlir": learning.Compiled(module, graph, weights, ["x"]), **networks}
    runs = [train(name, network, facts, split, entities, device, options)
            for name, network in networks.items()]
    learning.report(runs, "MRR", options.plot)
    return runs


if __name__ == "__main__":
    learning.run_example(main)
