# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs to test with: odd ones, and ones shaped like well-known data sets.

Where the environment variable GNN_TEST_DATA names a folder with aifb.npz,
mutag.npz, fb15k237.npz, cora.npz and acm.npz, `named` gives those; elsewhere
graphs made here, of the same counts and skew. `made` tells which were made.
"""

import functools
import os

import numpy as np

from gnn_mlir.graph import Graph
from gnn_mlir.graph_functions import add_inverses, sort_edges


def skewed(rng, count, total, exponent):
    """`total` numbers below `count`; some are far more frequent, by a power law of
    their rank. An exponent of 0 is uniform."""
    weight = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    bounds = np.cumsum(weight / weight.sum())
    ranks = np.minimum(np.searchsorted(bounds, rng.random(total)), count - 1)
    return rng.permutation(count)[ranks]


def peaked(rng, count, total, most):
    """`total` numbers below `count` by a power law, the most frequent of which
    occurs about `most` times."""
    low, high = 0.0, 4.0
    for _ in range(40):
        exponent = (low + high) / 2
        share = 1 / (np.arange(1, count + 1, dtype=np.float64) ** -exponent).sum()
        low, high = ((exponent, high) if share * total < most else
                     (low, exponent))
    return skewed(rng, count, total, low)


def random_graph(nodes, edges, node_types=1, edge_types=1, seed=0, skew=0.7,
                 dst_nodes=None):
    """A multigraph with self loops, rows without edges and types without members,
    as far as there is room for them. Edges come in no order. With `dst_nodes` it
    is bipartite."""
    rng = np.random.default_rng(seed)
    used = nodes if nodes < 4 else nodes - nodes // 8
    dst_count = nodes if dst_nodes is None else dst_nodes
    dst_used = dst_count if dst_count < 4 else dst_count - dst_count // 8
    if not used or not dst_used:
        edges = 0
    ends = [skewed(rng, n, edges, skew) + shift for n, shift in (
        (used, 0), (dst_used, dst_count - dst_used))] if edges else [[], []]
    kinds = skewed(rng, max(1, edge_types - (edge_types > 2)), edges, skew)
    if edges > 8:
        again = rng.integers(0, edges, edges // 16)
        into = rng.integers(0, edges, edges // 16)
        for array in (*ends, kinds):
            array[into] = array[again]
    if dst_nodes is None and edges:
        loops = rng.random(edges) < 0.05
        ends[1][loops] = ends[0][loops]

    def types(count):
        return skewed(rng, max(1, node_types - (node_types > 2)), count, skew)

    more = dict(num_nodes=nodes, node_type=types(nodes)) if dst_nodes is None else (
        dict(num_src_nodes=nodes, num_dst_nodes=dst_nodes,
             src_node_type=types(nodes), dst_node_type=types(dst_nodes)))
    return Graph(*ends, edge_type=kinds, num_edge_types=edge_types,
                 num_node_types=node_types, **more)


def hub(degree=50000, nodes=100, edge_types=3, seed=0):
    """Two nodes with `degree` edges, one into it and one out of it, among nodes
    with few."""
    rng = np.random.default_rng(seed)
    few = 3 * nodes
    src = np.r_[rng.integers(0, nodes, degree), np.full(degree, 1),
                rng.integers(0, nodes, few)]
    dst = np.r_[np.full(degree, 0), rng.integers(0, nodes, degree),
                rng.integers(0, nodes, few)]
    order = rng.permutation(len(src))
    return Graph(src[order], dst[order], nodes, num_edge_types=edge_types,
                 num_node_types=2, node_type=rng.integers(0, 2, nodes),
                 edge_type=rng.integers(0, edge_types, len(src)))


# Nodes, edges, node types, edge types; the largest out-degree, in-degree, edge
# type and node type.
_SHAPES = {
    "aifb": (8285, 29043, 22, 45, 949, 1240, 4163, 5450),
    "mutag": (23644, 74227, 115, 23, 469, 6781, 22534, 6781),
    "fb15k237": (14541, 310116, 1, 237, 1518, 7124, 16391, 14541),
}


def made(name, seed=0):
    """A graph with the counts and the skew of a data set, and shuffled edges."""
    rng = np.random.default_rng(seed)
    if name == "cora":  # Undirected: both directions of every edge.
        src, dst = (peaked(rng, 2708, 5278, 165) for _ in range(2))
        order = rng.permutation(2 * 5278)
        return Graph(np.r_[src, dst][order], np.r_[dst, src][order], 2708)
    if name == "acm":  # Papers (4019) lead to authors (7167) and subjects (60).
        written = rng.random(17426) < 13407 / 17426
        return Graph(rng.integers(0, 4019, 17426),
                     np.where(written, 4019 + peaked(rng, 7167, 17426, 42),
                              11186 + peaked(rng, 60, 17426, 8000)),
                     edge_type=1 - written,
                     node_type=np.repeat([0, 1, 2], [4019, 7167, 60]))
    nodes, edges, node_types, edge_types, *most = _SHAPES[name]
    return Graph(peaked(rng, nodes, edges, most[0]),
                 peaked(rng, nodes, edges, most[1]), nodes,
                 edge_type=peaked(rng, edge_types, edges, most[2]),
                 node_type=peaked(rng, node_types, nodes, most[3]),
                 num_node_types=node_types, num_edge_types=edge_types)


DATA_SETS = ("aifb", "mutag", "fb15k237", "cora", "acm")


def data_folder():
    """The folder of real graphs, or None."""
    return os.environ.get("GNN_TEST_DATA")


def _data_set(name):
    folder = data_folder()
    if folder is None:
        return made(name)
    graph = Graph.load(os.path.join(folder, name + ".npz"))
    order = np.random.default_rng(0).permutation(graph.num_edges)
    return Graph(graph.edge_src[order], graph.edge_dst[order],
                 edge_type=graph.edge_type[order], node_type=graph.node_type,
                 num_edge_types=graph.num_edge_types,
                 num_node_types=graph.num_node_types)


ODD = {
    "rows-1": lambda: random_graph(1, 5, 2, 3),
    "rows-31": lambda: random_graph(31, 77, 3, 5, seed=1),
    "rows-33": lambda: random_graph(33, 200, 2, 3, seed=2),
    "rows-1000": lambda: random_graph(1000, 5003, 5, 17, seed=3),
    "no-edges": lambda: random_graph(37, 0, 2, 3),
    "empty": lambda: Graph([], [], 0, num_edge_types=3, num_node_types=2),
    "hub": hub,
    "empty-types": lambda: Graph([0, 2, 1, 0], [1, 1, 1, 2], 5, num_edge_types=9,
                                 edge_type=[4, 4, 7, 4], num_node_types=6,
                                 node_type=[3, 3, 1, 1, 3]),
    "one-type-each": lambda: random_graph(65, 400, 1, 1, seed=4),
    "sparse": lambda: random_graph(300, 90, 2, 3, seed=5),
    # Its programs are those of graphs whose edges are sorted by destination.
    "sorted": lambda: sort_edges(random_graph(34, 200, 4, 5, seed=8))[0],
}

BIPARTITE = {
    "users-items": lambda: random_graph(90, 600, 3, 4, seed=6, dst_nodes=35),
    "no-destinations": lambda: random_graph(9, 0, 3, 4, dst_nodes=0),
    "one-destination": lambda: random_graph(40, 63, 3, 4, seed=7, dst_nodes=1),
}

# Graphs with as many types each, on which a program of one text runs.
OF_ONE_SCHEMA = (("rows-33", "rows-1", "no-edges", "empty", "sparse", "hub"),
                 tuple(BIPARTITE))


@functools.lru_cache(maxsize=1)
def smaller_hub():
    """For ops with many results that sum little or without rounding: more edges at a node
    than a block walks at once."""
    return hub(6000)


@functools.lru_cache(maxsize=4)
def named(name):
    """The graph of that name; "fb15k237" comes with inverse edges."""
    if name in DATA_SETS:
        graph = _data_set(name)
        return add_inverses(graph) if name == "fb15k237" else graph
    return (ODD.get(name) or BIPARTITE[name])()


def sample_blocks(graph, seeds, fanouts, seed=0):
    """Bipartite graphs for one layer each, as neighbour sampling makes them: the
    last one leads to `seeds`, each other to the sources of the next. The
    destinations of a block are its first sources. Returns the blocks and the
    nodes whose features the first one reads."""
    rng = np.random.default_rng(seed)
    order, begin = graph.groups("edge", "dst" if not graph.square else "node",
                                "dst")
    nodes, blocks = np.asarray(seeds, np.int64), []
    for fanout in reversed(fanouts):
        edges = [rng.permutation(order[begin[v]:begin[v + 1]].copy())[:fanout]
                 for v in nodes]
        dst = np.repeat(np.arange(len(nodes)), [len(e) for e in edges])
        edges = np.concatenate(edges) if edges else np.zeros(0, np.int64)
        found = graph.edge_src[edges]
        sources = np.r_[nodes, np.setdiff1d(found, nodes)]
        position = np.zeros(graph.num_nodes, np.int64)
        position[sources] = np.arange(len(sources))
        blocks.append(Graph(
            position[found], dst, num_src_nodes=len(sources),
            num_dst_nodes=len(nodes), edge_type=graph.edge_type[edges],
            num_edge_types=graph.num_edge_types,
            src_node_type=graph.node_type[sources],
            dst_node_type=graph.node_type[nodes],
            num_node_types=graph.num_node_types))
        nodes = sources
    return blocks[::-1], nodes
