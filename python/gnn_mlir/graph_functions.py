# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs made from graphs. Arguments never change; edges keep their order, if not sorted."""

import numpy as np

from .graph import Graph, not_a_graph, to_numpy


def _check(graph, what):
    if not isinstance(graph, Graph):
        raise ValueError(f"{what}: expected a Graph, got {not_a_graph(graph)}")


def _square(graph, what):
    _check(graph, what)
    if not graph.square:
        raise ValueError(f"{what}: expected a square graph, got a bipartite one")


# The ways in which `add_self_loops` and graphs derived by loops treat self loops.
LOOPS = ("replace", "add", "remaining", "remove")


def add_self_loops(graph, mode="replace", edge_type=None):
    """Adds a self loop to each node, after the other edges, in the order of nodes.

    Args:
        graph: a square graph.
        mode: "add" keeps the self loops that the graph has. "replace" removes them first, so each
            node has exactly one. "remaining" is "replace", but the new loop of a node gets the type
            of the node's last old loop. "remove" only removes self loops.
        edge_type: the type of new edges; its schema must allow them. The number of edge types
            stands for a new type, "self_loop". By default it is the only type, or a new one if the
            graph has several, as with `gnn-run --add-self-loops`."""
    _square(graph, "add_self_loops")
    if mode not in LOOPS:
        raise ValueError(f"expected mode {', '.join(LOOPS)}, got {mode!r}")
    own = graph.edge_src == graph.edge_dst
    if mode == "remove":
        return select_edges(graph, ~own)
    if edge_type is None:
        edge_type = 0 if graph.num_edge_types == 1 else graph.num_edge_types
    elif edge_type not in range(graph.num_edge_types + 1):
        raise ValueError(f"expected an edge type from 0 to {graph.num_edge_types}, a new "
                         f"one, got {edge_type!r}")
    new_type = edge_type == graph.num_edge_types
    kept = ~own | (mode == "add")
    loops = np.arange(graph.num_nodes, dtype=np.int32)
    types = np.full(graph.num_nodes, edge_type, np.int32)
    if mode == "remaining":
        last = np.full(graph.num_nodes, -1)
        np.maximum.at(last, graph.edge_src[own], np.flatnonzero(own))
        types[last >= 0] = graph.edge_type[last[last >= 0]]
    schema = graph.schema
    if schema is not None and new_type:
        schema = (*schema, (-1, -1))
    names = graph.edge_type_names
    if names is not None and new_type:
        names = (*names, "self_loop")
    return _like(graph, np.r_[graph.edge_src[kept], loops],
                 np.r_[graph.edge_dst[kept], loops],
                 edge_type=np.r_[graph.edge_type[kept], types],
                 num_edge_types=graph.num_edge_types + new_type, schema=schema,
                 edge_type_names=names)


def check_self_loops(name, graph):
    """Raises ValueError unless each node has one self loop."""
    loops = graph.edge_src[graph.edge_src == graph.edge_dst]
    found = np.bincount(loops, minlength=graph.num_nodes)
    wrong = np.flatnonzero(found != 1)
    if len(wrong):
        raise ValueError(
            f"graph {name!r}: expected one self loop at each node, got "
            f"{found[wrong[0]]} at node {wrong[0]}; make them by "
            'gnn_mlir.add_self_loops(graph, "replace", 0)')


def check_dst_sorted(name, graph):
    """Raises ValueError unless the edges are sorted by destination."""
    dst = graph.edge_dst
    wrong = np.flatnonzero(dst[1:] < dst[:-1])
    if len(wrong):
        e = int(wrong[0])
        raise ValueError(
            f"graph {name!r}: expected edges sorted by destination, got edge {e + 1} to node "
            f"{dst[e + 1]} behind edge {e} to node {dst[e]}; sort them by "
            "gnn_mlir.sort_edges(graph)")


def sort_edges(graph):
    """Sorts edges by destination. Edges with the same destination keep their order.

    Returns:
        The sorted graph, and an array `edges` of the numbers that its edges had before, so
        `rows[edges]` are the rows of edges in the new order. A graph with sorted edges is returned
        itself. Otherwise the new graph has no `arrays`. Those of nodes stay valid, and those of
        edges become `array[edges]`."""
    _check(graph, "sort_edges")
    if graph.is_dst_sorted:
        return graph, np.arange(graph.num_edges)
    edges = np.argsort(graph.edge_dst, kind="stable")
    return _like(graph, graph.edge_src[edges], graph.edge_dst[edges],
                 edge_type=graph.edge_type[edges]), edges


def add_inverses(graph):
    """Adds the inverse of each edge after the other edges, in the same order. The type of an
    inverse is that of the edge plus the number of edge types; its name ends in "_inverse"."""
    _square(graph, "add_inverses")
    types, names, schema = graph.num_edge_types, graph.edge_type_names, graph.schema
    if names is not None:
        names = (*names, *(name + "_inverse" for name in names))
    if schema is not None:
        schema = (*schema, *((d, s) for s, d in schema))
    return _like(graph, np.r_[graph.edge_src, graph.edge_dst],
                 np.r_[graph.edge_dst, graph.edge_src],
                 edge_type=np.r_[graph.edge_type, graph.edge_type + types],
                 num_edge_types=2 * types, schema=schema, edge_type_names=names)


def refine_types(graph):
    """Splits edge types so that each joins one node type to one other.

    The new types are the triples (edge type, source type, destination type) that occur, in this
    order. The result has a schema. Names are "source edge destination", of the names of types or
    else of their numbers."""
    _check(graph, "refine_types")
    kinds = max(1, graph.num_node_types)
    src = graph.src_node_type[graph.edge_src].astype(np.int64)
    dst = graph.dst_node_type[graph.edge_dst].astype(np.int64)
    codes, types = np.unique((graph.edge_type * kinds + src) * kinds + dst,
                             return_inverse=True)
    triples = [(int(c) // kinds ** 2, int(c) // kinds % kinds, int(c) % kinds)
               for c in codes]
    nodes = graph.node_type_names or range(graph.num_node_types)
    edges = graph.edge_type_names or range(graph.num_edge_types)
    names = [f"{nodes[s]} {edges[t]} {nodes[d]}" for t, s, d in triples]
    return _like(graph, graph.edge_src, graph.edge_dst,
                 edge_type=types.reshape(-1), num_edge_types=len(triples),
                 schema=[(s, d) for _, s, d in triples], edge_type_names=names)


def select_edge_types(graph, types):
    """The edges whose type is one of `types`, which ascend, in their order; edge
    types get the number of their place in the list."""
    _check(graph, "select_edge_types")
    types = [int(t) for t in types]
    if types != sorted(set(types)) or not all(
            0 <= t < graph.num_edge_types for t in types):
        raise ValueError("select_edge_types: expected edge types that ascend, "
                         f"under {graph.num_edge_types}, got {types}")
    kept = np.isin(graph.edge_type, types)
    names, schema = graph.edge_type_names, graph.schema
    return _like(graph, graph.edge_src[kept], graph.edge_dst[kept],
                 edge_type=np.searchsorted(types, graph.edge_type[kept]),
                 num_edge_types=len(types),
                 schema=None if schema is None else [schema[t] for t in types],
                 edge_type_names=names and [names[t] for t in types])


def derive(graph, types=(), loops=None, loop_type=None):
    """The derivation of a graph by a declaration: the edges of some types, or other
    self loops, new ones of one of the graph's edge types or a type of their own."""
    if loops is None:
        return select_edge_types(graph, types)
    return add_self_loops(graph, loops, loop_type)


def select_edges(graph, kept):
    """Keeps some edges, in their order. Types and nodes stay as they are.

    Args:
        graph: a graph.
        kept: a mask, one bool for each edge."""
    _check(graph, "select_edges")
    kept = to_numpy(kept)
    if not kept.size:  # An empty list is of no type.
        kept = kept.astype(bool)
    if kept.dtype != bool or kept.shape != (graph.num_edges,):
        raise ValueError(f"select_edges: expected bool of shape {(graph.num_edges,)}, "
                         f"got {kept.dtype} of shape {kept.shape}")
    return _like(graph, graph.edge_src[kept], graph.edge_dst[kept],
                 edge_type=graph.edge_type[kept])


def merge_types(graph, edge_types=True, node_types=True):
    """Merges all edge types into one, and all node types into one, for models without types."""
    _check(graph, "merge_types")
    changes = {}
    if edge_types:
        changes.update(edge_type=None, num_edge_types=1, edge_type_names=None,
                       schema=None)
    if node_types:
        changes.update(num_node_types=1, node_type_names=None, schema=None)
        changes.update({"node_type": None} if graph.square else
                       {"src_node_type": None, "dst_node_type": None})
    return _like(graph, graph.edge_src, graph.edge_dst, **changes)


def renumber(graph, src_ids, dst_ids=None):
    """Gives nodes new ids.

    Args:
        graph: a graph.
        src_ids: a permutation: node v becomes src_ids[v].
        dst_ids: the same for the destination nodes of a bipartite graph."""
    _check(graph, "renumber")
    if graph.square != (dst_ids is None):
        raise ValueError("expected dst_ids for a bipartite graph only")
    changes, ends = {}, {}
    for end, ids in (("src", src_ids), ("dst", dst_ids)):
        if ids is None:
            ends["dst"] = ends["src"]
            continue
        ids, count = to_numpy(ids), graph.count(end)
        if ids.shape != (count,) or not np.array_equal(np.sort(ids),
                                                       np.arange(count)):
            raise ValueError(f"{end}_ids: expected a permutation of {count} ids, "
                             f"got {ids.dtype} of shape {ids.shape}")
        types = np.empty(count, np.int32)
        types[ids] = graph.node_types_at(end)
        changes["node_type" if graph.square else end + "_node_type"] = types
        ends[end] = ids
    return _like(graph, ends["src"][graph.edge_src], ends["dst"][graph.edge_dst],
                 **changes)


def degrees(graph, end="dst", edge_type=None):
    """The number of edges at each node: int64[nodes].

    Args:
        graph: a graph.
        end: the end of edges that is counted, "src" or "dst".
        edge_type: the type of the edges that are counted. By default all are."""
    _check(graph, "degrees")
    if end not in ("src", "dst"):
        raise ValueError(f"degrees: expected end src or dst, got {end!r}")
    ids = graph.ends(end)
    if edge_type is not None:
        ids = ids[graph.edge_type == edge_type]
    return np.bincount(ids, minlength=graph.count(end))


def _like(graph, edge_src, edge_dst, **changes):
    """A graph with other edges and changes, else as `graph`."""
    fields = dict(edge_type=graph.edge_type, num_edge_types=graph.num_edge_types,
                  num_node_types=graph.num_node_types, schema=graph.schema,
                  edge_type_names=graph.edge_type_names,
                  node_type_names=graph.node_type_names)
    if graph.square:
        fields.update(num_nodes=graph.num_nodes, node_type=graph.node_type)
    else:
        fields.update(num_src_nodes=graph.num_src_nodes,
                      num_dst_nodes=graph.num_dst_nodes,
                      src_node_type=graph.src_node_type,
                      dst_node_type=graph.dst_node_type)
    fields.update(changes)
    return Graph(edge_src, edge_dst, **fields)
