# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sampler of neighbours in NumPy, which gives batches as PyG's NeighborLoader does.

    sampler = Sampler(graph, fanouts=(10, 10))
    batch, nodes = sampler.sample(seeds)
    out = layer(gnn_mlir.blocks(batch, 2, len(seeds)), {"x": x[nodes], **weights})
"""

import numpy as np

from . import types
from .graph import Graph, to_numpy


class Sampler:
    """A sampler of neighbours.

    Edges are drawn without replacement: first incoming edges of the seeds, then hop by hop incoming
    edges of the nodes that were found.

    Args:
        graph: a square `Graph`.
        fanouts: for each hop the largest number of edges that are drawn for a node; -1 stands for
            all edges.
        seed: the seed of the random numbers.

    Raises:
        ValueError: an argument is invalid."""

    def __init__(self, graph, fanouts, seed=0):
        if not isinstance(fanouts, (list, tuple)) or not fanouts:
            raise ValueError("fanouts: expected a list of numbers, one a hop, got "
                             f"{types.described(fanouts)}")
        self.graph = graph
        self.fanouts = [types.integer("fanouts", fanout, -1) for fanout in fanouts]
        self._rng = np.random.default_rng(seed)
        order = np.argsort(graph.edge_dst, kind="stable")
        self._sources, self._kinds = graph.edge_src[order], graph.edge_type[order]
        self._begin = np.zeros(graph.num_nodes + 1, np.int64)
        np.cumsum(np.bincount(graph.edge_dst, minlength=graph.num_nodes),
                  out=self._begin[1:])
        self._position = np.full(graph.num_nodes, -1, np.int64)

    def sample(self, seeds):
        """Draws a batch.

        Args:
            seeds: ids of nodes, all different.

        Returns:
            The graph of the batch, whose first nodes are the seeds, and the id in `graph` of each
            of its nodes. Nodes and edges are in the order in which they were found."""
        seeds = self._checked(seeds)
        try:
            return self._sample(seeds)
        except BaseException:  # An interrupt, too: the next batch starts afresh.
            self._position[:] = -1
            raise

    def _checked(self, seeds):
        """Seeds as int64[n]; else ValueError, before anything is written."""
        seeds = to_numpy(seeds)
        if seeds.dtype == bool:
            raise ValueError("seeds: expected ids of nodes, got a mask; its ids are "
                             "np.flatnonzero(mask), or mask.nonzero().view(-1) of torch")
        if seeds.ndim != 1 or seeds.size and not np.issubdtype(seeds.dtype, np.integer):
            raise ValueError("seeds: expected integers in 1 dimension, got "
                             f"{types.described(seeds)}")
        limit = self.graph.num_nodes
        outside = np.flatnonzero((seeds < 0) | (seeds >= limit))
        if outside.size:
            raise ValueError(f"seeds: {types.expected_ids(0, limit)}, got "
                             f"{seeds[outside[0]]} at {outside[0]}")
        seeds = seeds.astype(np.int64)
        ids, counts = np.unique(seeds, return_counts=True)
        if len(ids) < len(seeds):
            raise ValueError("seeds: expected ids that are all different, got "
                             f"{ids[counts > 1][0]} {counts[counts > 1][0]} times")
        return seeds

    def _sample(self, seeds):
        nodes = frontier = seeds
        self._position[nodes] = np.arange(len(nodes))
        ends, begin = [], 0
        for fanout in self.fanouts:
            row, edges = self._draw(frontier, fanout)
            sources = self._sources[edges]
            frontier = _first_of_each(sources[self._position[sources] < 0],
                                      self._position)
            self._position[frontier] = len(nodes) + np.arange(len(frontier))
            ends.append((self._position[sources], begin + row, self._kinds[edges]))
            begin, nodes = len(nodes), np.r_[nodes, frontier]
        self._position[nodes] = -1
        src, dst, kinds = (np.concatenate(part) for part in zip(*ends))
        return Graph(src, dst, len(nodes), edge_type=kinds,
                     node_type=self.graph.node_type[nodes],
                     num_edge_types=self.graph.num_edge_types,
                     num_node_types=self.graph.num_node_types,
                     schema=self.graph.schema,
                     edge_type_names=self.graph.edge_type_names,
                     node_type_names=self.graph.node_type_names), nodes

    def _draw(self, nodes, fanout):
        """The place of its destination among `nodes`, for each edge that is drawn, and
        the edge."""
        begin = self._begin[nodes]
        degree = self._begin[nodes + 1] - begin
        count = degree if fanout < 0 else np.minimum(degree, fanout)
        row = np.repeat(np.arange(len(nodes)), count)
        rank = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        many = degree > count
        if many.any():
            rank[many[row]] = self._choose(degree[many], fanout).reshape(-1)
        return row, begin[row] + rank

    def _choose(self, degree, fanout):
        """int[nodes, fanout], different numbers under each degree (Floyd's method)."""
        chosen = np.full((len(degree), fanout), -1)
        for i in range(fanout):
            last = degree - fanout + i
            drawn = self._rng.integers(0, last + 1)
            again = (chosen[:, :i] == drawn[:, None]).any(1)
            chosen[:, i] = np.where(again, last, drawn)
        return chosen


def _first_of_each(values, scratch):
    """`values` without repetitions, each where it is first. Overwrites `scratch` at
    them."""
    places = np.arange(len(values))
    scratch[values[::-1]] = places[::-1]
    return values[scratch[values] == places]
