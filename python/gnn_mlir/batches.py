# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mini-batches: sampled graphs as one bipartite graph a layer, and graphs that are made
and bound on another thread while a step runs."""

import concurrent.futures
import operator
from collections import deque
from dataclasses import dataclass

import numpy as np

from . import capi
from .graph import Graph


@dataclass
class Sampled:
    """A sampled graph. Nodes of each kind are numbered by themselves, from those that
    outputs are wanted of; each is before those that were found through it."""

    nodes: list  # The number of nodes of each kind.
    edges: list  # (kind of sources, of destinations, sources, destinations, edge type).
    seeds: list  # How many nodes of each kind outputs are wanted of.
    node_type: object  # Of all nodes, which are of one kind; None: kinds are types.
    options: dict  # Of the graphs to be made.


def blocks(batch, layers, seeds=None, *, num_edge_types=None, num_node_types=None):
    """What `layers` layers read of a sampled graph: a list of bipartite graphs, that of
    the first layer first. `batch` is what PyG's NeighborLoader gives (Data or
    HeteroData), or a square Graph whose first `seeds` nodes outputs are wanted of.

    The sources of the first block are all nodes of the batch, and the destinations of
    the last the seeds; those of each block are its first sources, and the sources of
    the next. Nodes are in the batch's order. Those of a HeteroData, whose types are
    numbered each by itself, are in the order of hops and then of types: `join_types`
    of the first block makes rows of them of a dict by type. For a batch without a
    batch_size `seeds` is a number, or a dict of them by node type. The numbers of types
    are those of a Data: a batch may lack some that its graph has."""
    layers = _positive("layers", layers)
    if isinstance(batch, Graph):
        refuse_types("a Graph", num_edge_types, num_node_types)
        sampled = of_graph(batch, seeds)
    else:
        from . import pyg  # It knows PyG's names.
        sampled = pyg.sampled(batch, seeds, num_edge_types=num_edge_types,
                              num_node_types=num_node_types)
    for seed_count, nodes in zip(sampled.seeds, sampled.nodes):
        if not 0 <= seed_count <= nodes:
            raise ValueError(f"seeds: expected 0 to {nodes}, got {seed_count}")
    return _cut(sampled, layers)


def _positive(name, count):
    if not hasattr(count, "__index__") or operator.index(count) < 1:
        raise ValueError(f"{name}: expected an integer of 1 or more, got {count!r}")
    return operator.index(count)


def refuse_types(what, num_edge_types, num_node_types):
    """Raises where numbers of types are given of what has them."""
    for name, count in (("num_edge_types", num_edge_types),
                        ("num_node_types", num_node_types)):
        if count is not None:
            raise ValueError(f"{name}: expected none for {what}, which has its types, "
                             f"got {count!r}")


def of_graph(graph, seeds):
    """A square graph, whose first `seeds` nodes outputs are wanted of."""
    if not graph.square:
        raise ValueError("blocks: expected a square graph, got a bipartite one")
    if not hasattr(seeds, "__index__"):
        raise ValueError(f"seeds: expected a number of nodes, got {seeds!r}")
    return Sampled([graph.num_nodes],
                   [(0, 0, graph.edge_src, graph.edge_dst, graph.edge_type)],
                   [operator.index(seeds)], graph.node_type, _options(graph))


def of_types(graph, seeds):
    """The graph of a HeteroData: nodes by type, edges by type, and so the seeds."""
    nodes = np.bincount(graph.node_type, minlength=graph.num_node_types).tolist()
    first = np.cumsum([0, *nodes])
    last = np.cumsum(np.bincount(graph.edge_type, minlength=graph.num_edge_types))
    edges, begin = [], 0
    for (s, d), end in zip(graph.schema, last):
        part = slice(begin, end)
        edges.append((s, d, graph.edge_src[part] - np.int32(first[s]),
                      graph.edge_dst[part] - np.int32(first[d]), graph.edge_type[part]))
        begin = end
    return Sampled(nodes, edges, seeds, None, _options(graph))


def _options(graph):
    return {name: getattr(graph, name) for name in (
        "num_edge_types", "num_node_types", "schema", "edge_type_names",
        "node_type_names")}


def _below(ids, limit):
    """An index of the ids under a limit, where that goes a slice: batches have their
    edges in the order of hops."""
    count = int(np.searchsorted(ids, ids.dtype.type(limit)))
    if (ids[:count].max(initial=-1) < limit and
            ids[count:].min(initial=limit) >= limit):
        return slice(count)
    return ids < limit


def _cut(sampled, layers):
    """The blocks, from the seeds on, and then turned around."""
    reached, chosen = [sampled.seeds], []
    for layer in range(layers):
        here = reached[-1]
        chosen.append([_below(dst, here[d]) for _, d, _, dst, _ in sampled.edges])
        more = list(sampled.nodes)
        if layer + 1 < layers:
            more = list(here)
            for (s, _, src, *_), index in zip(sampled.edges, chosen[-1]):
                more[s] = max(more[s], int(src[index].max(initial=-1)) + 1)
        reached.append(more)
    position, node_type = _number(sampled, reached)
    counts = [sum(numbers) for numbers in reached]
    made = []
    for layer in reversed(range(layers)):
        parts = [_edges(edges, index, position)
                 for edges, index in zip(sampled.edges, chosen[layer])]
        src, dst, edge_type = map(_join, zip(*parts)) if parts else [
            np.zeros(0, np.int32)] * 3
        sources, targets = counts[layer + 1], counts[layer]
        made.append(Graph.of_checked(
            square=False, num_src_nodes=sources, num_dst_nodes=targets,
            num_edges=len(src), edge_src=src, edge_dst=dst, edge_type=edge_type,
            src_node_type=node_type[:sources], dst_node_type=node_type[:targets],
            **sampled.options))
    return made


def _number(sampled, reached):
    """The number that each node of each kind has among all, None for its own; the type
    of each node."""
    if sampled.node_type is not None:
        return [None], sampled.node_type
    position = [np.empty(count, np.int32) for count in sampled.nodes]
    types, total, before = [], 0, [0] * len(sampled.nodes)
    for numbers in reached:
        for kind, (begin, end) in enumerate(zip(before, numbers)):
            position[kind][begin:end] = np.arange(total, total + end - begin)
            types.append(np.full(end - begin, kind, np.int32))
            total += end - begin
        before = numbers
    return position, _join(types)


def _edges(edges, index, position):
    """The ends and the types of some edges of one kind."""
    s, d, src, dst, edge_type = edges
    src, dst = src[index], dst[index]
    if position[s] is not None:
        src, dst = position[s][src], position[d][dst]
    return src, dst, edge_type[index]


def _join(parts):
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


_END = object()


def prefetch(function, batches, ahead):
    """What `CompiledFunction.prefetch` gives."""
    return _prefetch(function, iter(batches), _positive("ahead", ahead))


def _prefetch(function, source, ahead):
    passes = []

    def bind(item):
        graphs = function._graphs(_graphs_of(item))
        for package, name, place in passes:
            try:
                function._binder(graphs, place)(package, name, {})
            except capi.GNNError:
                return  # It is the call's: there it has a place in the user's program.

    def step():
        item = next(source, _END)
        if item is not _END:
            bind(item)
        return item

    with concurrent.futures.ThreadPoolExecutor(1, "gnn-mlir-prefetch") as pool:
        try:
            waiting = deque(pool.submit(step) for _ in range(ahead))
            while True:
                item = waiting.popleft().result()
                if item is _END:
                    return
                waiting.append(pool.submit(step))
                yield item
                passes = function._bound_to(function._graphs(_graphs_of(item)))
                item = None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _graphs_of(item):
    return item[0] if isinstance(item, tuple) else item
