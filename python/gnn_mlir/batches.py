# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mini-batches: sampled graphs as one bipartite graph a layer, and graphs that are made
and bound on another thread while a step runs."""

import contextlib
import os
import queue
import threading

import numpy as np

from . import capi, interop, types
from .graph import Graph
from .graph_functions import renumber
from .placed_graph import PlacedGraph


MOST_LAYERS = 65535
MOST_AHEAD = 65535


def blocks(batch, layers, seeds=None, *, num_edge_types=None, num_node_types=None):
    """Splits a sampled graph into blocks: one bipartite graph for each layer (docs/MiniBatches.md).

    The sources of the first block are all nodes of the batch. The destinations of a block are its
    first sources, and the sources of the next block. The destinations of the last block are the
    seeds. Nodes keep the order of the batch. Nodes of a HeteroData, which are numbered by type, are
    in the order of hops and then of types: `Graph.join_types` of the first block makes rows for
    them from a dict by type.

    Args:
        batch: a Data or HeteroData of PyG's NeighborLoader, or a square `Graph`.
        layers: the number of layers.
        seeds: the number of nodes whose outputs are wanted, which are the first nodes, or a dict of
            numbers by node type. By default it is the `batch_size` of the batch.
        num_edge_types, num_node_types: the numbers of types of a Data. A batch may lack types that
            its graph has.

    Returns:
        A list of bipartite graphs, that of the first layer first."""
    layers = types.integer("layers", layers, 1, MOST_LAYERS)
    if isinstance(batch, Graph):
        refuse_types("a Graph", num_edge_types, num_node_types)
        found, like = native_blocks(batch, layers, seeds)
    else:
        found, like = interop.pyg().blocks(batch, layers, seeds, num_edge_types, num_node_types)
    return [Graph.of_native(block, like) for block in found]


def native_blocks(graph, layers, seeds):
    """The library's blocks of a graph, and that."""
    if not graph.square:
        raise ValueError("blocks: expected a square graph, got a bipartite one")
    if seeds is None:
        raise ValueError("seeds: expected a number of nodes, got None")
    seeds = types.integer("seeds", seeds, 0, graph.num_nodes)
    return capi.NativeGraph.of(graph).blocks(seeds, layers), graph


def refuse_types(what, num_edge_types, num_node_types):
    """Raises where numbers of types are given of what has them."""
    for name, count in (("num_edge_types", num_edge_types),
                        ("num_node_types", num_node_types)):
        if count is not None:
            raise ValueError(f"{name}: expected none for {what}, which has its types, "
                             f"got {count!r}")


def order_by_hops(graph, seeds, layers):
    """The graph of a HeteroData, whose nodes lie by type, with its nodes in the order
    of hops and then of types. `seeds` is the number of those of each type."""
    nodes = np.bincount(graph.node_type, minlength=graph.num_node_types)
    first = np.cumsum(nodes) - nodes
    kinds, places = ([rows[graph.ends(end)] for end in ("src", "dst")] for rows in (
        graph.node_type, np.arange(graph.num_nodes) - first[graph.node_type]))
    reached = [np.asarray(seeds)]
    for _ in range(layers - 1):
        inside = places[1] < reached[-1][kinds[1]]
        reached.append(reached[-1].copy())
        np.maximum.at(reached[-1], kinds[0][inside], places[0][inside] + 1)
    order, before = [], np.zeros_like(nodes)
    for counts in (*reached, nodes):
        for begin, end, offset in zip(before, counts, first):
            order.append(np.arange(begin, end) + offset)
        before = counts
    ids = np.empty(graph.num_nodes, np.int64)
    ids[np.concatenate(order)] = np.arange(graph.num_nodes)
    return renumber(graph, ids)


_END = object()

# Seconds after which a thread that waits looks whether the program has ended.
_PATIENCE = 0.2


def prefetch(function, batches, ahead):
    """The iterator of `CompiledFunction.prefetch`."""
    return _prefetch(function, iter(batches),
                     types.integer("ahead", ahead, 1, MOST_AHEAD))


def _prefetch(function, source, ahead):
    # Both sides wait at C's queues alone: who waits for Python's lock wakes late.
    wanted, ready = queue.SimpleQueue(), queue.SimpleQueue()
    passes, ended, process = [], threading.Event(), os.getpid()

    def is_wanted():
        """Whether there is to be another item; waits for the answer. No where the
        iteration has ended, or the program in the middle of it."""
        while threading.main_thread().is_alive():
            with contextlib.suppress(queue.Empty):
                wanted.get(timeout=_PATIENCE)
                return not ended.is_set()
        return False

    def make():
        try:
            while is_wanted():
                item = next(source, _END)
                if item is not _END:
                    function._bind_passes(function._graphs(_graphs_of(item)), passes)
                ready.put((item, None))
                item = None
        except BaseException as error:  # It is the iteration's.
            ready.put((_END, error))

    thread = threading.Thread(target=make, name="gnn-mlir-prefetch")
    thread.start()
    try:
        for _ in range(ahead):
            wanted.put(None)
        while True:
            if os.getpid() != process:
                raise RuntimeError("prefetch: expected the process that began the "
                                   "iteration, got a fork of it, which has no such "
                                   "thread: begin another one there")
            item, error = ready.get()
            if error is not None:
                try:
                    raise error
                finally:
                    error = None  # It holds this frame.
            if item is _END:
                return
            wanted.put(None)
            graphs = function._graphs(_graphs_of(item))
            yield item
            passes = function._bound_to(graphs)
            item = graphs = None
    finally:
        ended.set()
        wanted.put(None)
        if os.getpid() == process:
            thread.join()


def _graphs_of(item):
    if isinstance(item, tuple) and not item:
        raise ValueError("batches: expected graphs, or a tuple that begins with them, "
                         "got ()")
    if isinstance(item, list) and not all(
            isinstance(one, (Graph, PlacedGraph)) for one in item):
        raise ValueError("batches: expected graphs, or a tuple that begins with them, "
                         f"got a list of {', '.join(type(one).__name__ for one in item)}")
    return item[0] if isinstance(item, tuple) else item
