# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graph ops a second time, as loops over rows written from their definitions."""

import itertools
import math

import numpy as np

from gnn_mlir import Graph, spaces


class NaiveGraph:
    """Where the rows of each space lead to, looked up in lists of tuples."""

    def __init__(self, graph):
        self.graph = graph
        ends = list(zip(graph.edge_type.tolist(), graph.edge_src.tolist(),
                        graph.edge_dst.tolist()))
        self.edges = ends
        self.pairs = {"src": sorted({(t, s) for t, s, _ in ends}),
                      "dst": sorted({(t, d) for t, _, d in ends})}
        self.types = {"src": graph.src_node_type.tolist(),
                      "dst": graph.dst_node_type.tolist()}

    def count(self, space):
        if space == "edge":
            return len(self.edges)
        if space in ("src_pair", "dst_pair"):
            return len(self.pairs[space[:3]])
        return {"src": len(self.types["src"]), "dst": len(self.types["dst"]),
                "node": len(self.types["src"]), "graph": 1,
                "edge_type": self.graph.num_edge_types,
                "node_type": self.graph.num_node_types}[space]

    def lead(self, source, row, target, via):
        """The row of `target` that row `row` of `source` leads to."""
        if source == target:
            return row
        if target == "graph":
            return 0
        if source == "edge":
            edge_type, src, dst = self.edges[row]
            if target == "edge_type":
                return edge_type
            end = via or ("src" if target in ("src", "src_pair") else "dst")
            node = src if end == "src" else dst
            if target in ("src_pair", "dst_pair"):
                return self.pairs[end].index((edge_type, node))
            return self.types[end][node] if target == "node_type" else node
        if source in ("src_pair", "dst_pair"):
            edge_type, node = self.pairs[source[:3]][row]
            if target == "edge_type":
                return edge_type
            return (self.types[source[:3]][node] if target == "node_type"
                    else node)
        if source == "edge_type":
            return self.graph.schema[row][via == "dst"]
        return self.types["dst" if source == "dst" else "src"][row]

    def group(self, source, row, target, via):
        """All rows of `source` that lead to a row of `target`, ascending."""
        return [i for i in range(self.count(source))
                if self.lead(source, i, target, via) == row]


def reduce(kind, values):
    """One number of a list of numbers, and the place it was taken from."""
    if not values:
        return 0.0, -1
    if kind == "sum":
        return math.fsum(values), None
    if kind == "mean":
        return math.fsum(values) / len(values), None
    for i, v in enumerate(values):
        if math.isnan(v):
            return v, i
    best = max(values) if kind == "max" else min(values)
    return best, values.index(best)


def softmax(values):
    if any(math.isnan(v) for v in values):
        return [math.nan] * len(values)
    top = max(values)
    if math.isinf(top):
        return [math.nan] * len(values)
    powers = [math.exp(v - top) for v in values]
    return [p / math.fsum(powers) for p in powers]


def paths(graph, schema=True):
    """All (source, target, via) that a graph has."""
    have = [s for s in spaces.SPACES
            if s not in (("src", "dst") if graph.square else ("node",))]
    for source, target in itertools.product(have, have):
        if not spaces.leads(source, target):
            continue
        if (source, target) == ("edge_type", "node_type") and not (
                schema and graph.schema):
            continue
        for via in (("src", "dst") if spaces.is_ambiguous(source, target)
                    else (None,)):
            yield source, target, via


def graphs():
    """Small graphs that differ in what they lack."""
    rng = np.random.default_rng(7)

    def square(nodes, edges, node_types, edge_types, **more):
        return Graph(rng.integers(0, max(nodes, 1), edges),
                     rng.integers(0, max(nodes, 1), edges), nodes,
                     edge_type=rng.integers(0, max(1, edge_types), edges),
                     node_type=rng.integers(0, max(1, node_types), nodes),
                     num_node_types=node_types, num_edge_types=edge_types, **more)

    loops = np.r_[np.zeros(5, int), 1, 1, 2]
    return {
        "multigraph": square(9, 60, 3, 4),
        "sparse": square(31, 12, 2, 6),
        "one node": Graph(loops[:5], loops[:5], 1, edge_type=[0, 1, 0, 2, 0],
                          num_edge_types=4, num_node_types=2),
        "no edges": square(5, 0, 2, 3),
        "empty": square(0, 0, 0, 0),
        "schema": Graph([0, 1, 0, 2], [2, 3, 3, 2], 4, node_type=[0, 0, 1, 1],
                        edge_type=[0, 0, 0, 2], num_edge_types=3,
                        num_node_types=3, schema=[(0, 1), (2, 0), (1, 1)]),
        "bipartite": Graph(rng.integers(0, 11, 40), rng.integers(0, 4, 40),
                           num_src_nodes=11, num_dst_nodes=5,
                           edge_type=rng.integers(0, 3, 40), num_edge_types=4,
                           src_node_type=rng.integers(0, 2, 11),
                           dst_node_type=rng.integers(1, 3, 5),
                           num_node_types=3),
        "bipartite without edges": Graph([], [], num_src_nodes=3,
                                         num_dst_nodes=0),
    }
