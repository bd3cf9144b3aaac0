# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of `reference` about rows of derived graphs. `graph` is the parent; the
derived graph has the edges of some `types`, or other self `loops`."""

import numpy as np


def loop_places(graph, loops):
    """For each edge of the graph with other self loops, its place among the edges of
    `graph` and, behind them, the new loops of the nodes."""
    own = graph.edge_src == graph.edge_dst
    kept = np.flatnonzero(~own | (loops == "add"))
    if loops == "remove":
        return kept
    made = graph.num_edges + np.arange(graph.num_nodes)
    if loops == "remaining":
        last = np.full(graph.num_nodes, -1)
        np.maximum.at(last, graph.edge_src[own], np.flatnonzero(own))
        made = np.where(last < 0, made, last)
    return np.r_[kept, made]


def _rows_of(graph, space, types, loops):
    """Which rows of `space` the derived graph has."""
    if loops:
        kept = loop_places(graph, loops)
        if space == "edge_type":
            return np.ones(graph.num_edge_types, bool)
        rows = kept if space == "edge" else graph.map("edge", space)[kept]
        return np.isin(np.arange(graph.count(space)), rows)
    of = {"edge": lambda: graph.edge_type,
          "edge_type": lambda: np.arange(graph.num_edge_types),
          "src_pair": lambda: graph.pairs("src")[0],
          "dst_pair": lambda: graph.pairs("dst")[0]}[space]()
    return np.isin(of, types)


def restrict_rows(graph, x, space, types=(), loops=None):
    """result[i] = x[o(i)] for the rows o(i) of `space`, in order, that belong to
    the derived graph."""
    return np.asarray(x)[_rows_of(graph, space, types, loops)]


def expand_rows(graph, x, space, types=(), loops=None):
    """result[o(i)] = x[i] for the rows o(i) of `space`, in order, that belong to
    the derived graph, else 0."""
    x = np.asarray(x, np.float64)
    out = np.zeros((graph.count(space),) + x.shape[1:], np.float64)
    if loops and space == "edge":
        places = loop_places(graph, loops)
        kept = places < graph.num_edges
        out[places[kept]] = x[kept]
    else:
        out[_rows_of(graph, space, types, loops)] = x
    return out


def extend_edges(graph, edges, nodes, loops):
    """result[i] = edges[o(i)] for edges i that are edges o(i) of `graph`, and
    nodes[v] for the new loop of v."""
    return np.concatenate([np.asarray(edges, np.float64),
                           np.asarray(nodes, np.float64)])[loop_places(graph, loops)]


def loop_rows(graph, x, loops):
    """result[v] = x[i] for the edge i that is the new loop of v, else 0."""
    x, places = np.asarray(x, np.float64), loop_places(graph, loops)
    out = np.zeros((graph.num_nodes,) + x.shape[1:], np.float64)
    made = places >= graph.num_edges
    out[places[made] - graph.num_edges] = x[made]
    return out
