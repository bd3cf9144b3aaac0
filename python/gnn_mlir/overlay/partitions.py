# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs cut into subshards (GraphAGILE 6.5)."""

import functools
import json
import time

import numpy as np

from .. import capi, types
from ..graph import Graph, not_a_graph
from ..signatures import Buffer
from . import native


class Partition(native.Handle):
    """The subshards of a graph: edges by the block of N1 rows of their destination, and
    in it by that of their source."""

    _release = "gnnOverlayPartitionRelease"
    _elsewhere = "make it there"

    @classmethod
    def of(cls, graph, n1=None, *, blocks_per_pe=None, skip_empty=None):
        """The partition of a square Graph. `n1` are the rows of a block, a multiple of 16
        up to 16384; None: by the rule, from `blocks_per_pe` (4). With `skip_empty`
        subshards without edges have no entry. Raises ValueError for what is no graph,
        GNNError for another n1."""
        native.load()
        return cls(capi.made("gnnOverlayPartitionCreate", native_graph(graph),
                             native.options_text(dict(n1=n1, blocks_per_pe=blocks_per_pe,
                                                      skip_empty=skip_empty))))

    @classmethod
    def of_counts(cls, vertices, n1, counts, *, skip_empty=None):
        """The partition of a graph of which only the numbers of edges are known: `counts`
        are [blocks, blocks] of int, counts[j, k] from block k into block j, with blocks =
        ceil(vertices / n1). It has times (`Program.simulate`), and nothing runs on it."""
        native.load()
        vertices = types.integer("vertices", vertices, 1, native.MOST)
        n1 = types.integer("n1", n1, 1, native.MOST)
        blocks = -(-vertices // n1)
        counts = np.asarray(counts)
        if counts.shape != (blocks, blocks) or counts.dtype.kind not in "iu" or (
                counts < 0).any():
            raise ValueError(f"counts: expected whole numbers of 0 or more [{blocks}, {blocks}], "
                             f"got {counts.dtype} {list(counts.shape)}")
        counts = np.ascontiguousarray(counts, np.uint64)
        return cls(capi.made("gnnOverlayPartitionOfCounts", vertices, n1, Buffer.of(counts),
                             native.options_text(dict(skip_empty=skip_empty))))

    @classmethod
    def for_program(cls, program, graph):
        """The partition of a Graph that a program was compiled for. Raises GNNError where
        the program is for another graph."""
        return cls(capi.made("gnnOverlayPartitionForProgram", program.handle,
                             native_graph(graph)))

    def describe(self, features=0):
        """A dict: vertices, edges, n1, blocks, entries of the table of descriptors, `bytes`
        of edges with their descriptors, bytes `unpadded` (4 V f + 12 E) and `padded` with
        rows of `features` columns, and `seconds` of the host by phase."""
        features = types.integer("features", features, 0, native.MOST)
        return json.loads(capi.text_of("gnnOverlayPartitionDescribe", self.handle, features))

    @functools.cached_property
    def _facts(self):
        return self.describe()

    vertices = property(lambda self: self._facts["vertices"])
    edges = property(lambda self: self._facts["edges"])
    n1 = property(lambda self: self._facts["n1"])
    blocks = property(lambda self: self._facts["blocks"])
    entries = property(lambda self: self._facts["entries"])

    def write(self, weights=None):
        """uint8[bytes]: descriptors and edges as the memory has them at address 0, and the
        seconds of the host that this took. `weights` are float32[edges] in the order of
        the graph; None: all 1."""
        image = np.empty(self._facts["bytes"], np.uint8)
        if weights is not None:
            weights = np.ascontiguousarray(weights, np.float32)
        begin = time.perf_counter()
        capi.call("gnnOverlayPartitionWrite", self.handle,
                  Buffer() if weights is None else Buffer.of(weights), Buffer.of(image))
        return image, time.perf_counter() - begin


def native_graph(graph):
    """The handle of a Graph; raises ValueError for anything else."""
    if not isinstance(graph, Graph):
        raise ValueError(f"expected a Graph, got {not_a_graph(graph)}")
    return capi.NativeGraph.of(graph).handle
