# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs by name, as kernels and peers read them, and the edges that results are checked on."""

import functools
import pathlib
import re

import torch

import cases
import gnn_mlir
import synthetic
from ceilings_walks import uniform

# Graphs with both ends drawn, by their edges; 50 edges into a node.
DRAWN = {"uniform-10k": 10_000, "uniform-1M": 1_000_000, "uniform-10M": 10_000_000,
         "uniform-100M": 100_000_000}
_DEGREE = 50
_NUMBERS = re.compile(r"(\d*\.?\d+(?:e-?\d+)?)?(?::([1-9]\d*))?")
# Results are checked on so many edges, with those of the longest rows.
_CHECKED = 100_000


def load(name, data):
    """A graph without types: one of DRAWN, scaled as "uniform-10k:8" or, with other rows,
    "uniform-10k:8:400"; of benchmarks/cases.py; or of a file NAME.npz in the folder `data`, if
    that is not None."""
    base, _, numbers = name.partition(":")
    if base in DRAWN:
        if not (found := _NUMBERS.fullmatch(numbers)):
            raise ValueError(f"expected {base}:SCALE:DEGREE, a scale and edges into a node, at least "
                             f"1, got {name!r}")
        edges, degree = int(DRAWN[base] * float(found[1] or 1)), int(found[2] or _DEGREE)
        return uniform(max(1, edges // degree), degree)
    file = None if data is None else pathlib.Path(data) / f"{name}.npz"
    if file is not None and file.is_file():
        name = str(file)
    elif base not in (known := (*synthetic.WITHOUT_TYPES, *synthetic.NAMES)) and (
            not name.endswith(".npz")):
        raise ValueError(f"expected one of {', '.join([*DRAWN, *known])}, or a file {base}.npz "
                         f"in --data or $GNN_TEST_DATA, got {name!r}")
    return gnn_mlir.merge_types(cases.load(name)[1])


class Sample:
    """Some edges, and a small graph of them: `nodes` are its nodes' numbers in the whole
    graph, `rows` those of its nodes whose edges are all there."""

    def __init__(self, edges, rows, src, dst):
        self.edges = edges
        self.nodes, at = torch.unique(torch.cat([src, dst, rows]), return_inverse=True)
        self.src, self.dst, self.rows = at.split([len(src), len(dst), len(rows)])


class Edges:
    """The edges of a graph on a device of torch, in the user's order: by destination, then
    source, so that `begin` are the row pointers of a sparse matrix. `kept` is for what peers
    make of it."""

    is_sorted = True

    def __init__(self, name, graph, device):
        self.name, self.device, self.kept = name, device, {}
        self.nodes, self.count = graph.num_nodes, graph.num_edges
        src, dst = (torch.tensor(ends, dtype=torch.int64, device=device) for ends in (
            graph.edge_src, graph.edge_dst))
        key = torch.sort(dst * self.nodes + src).values
        self.src, self.dst = (key % self.nodes).int(), (key // self.nodes).int()
        self.graph = gnn_mlir.Graph(self.src, self.dst, self.nodes)

    @functools.cached_property
    def src64(self):
        return self.src.long()

    @functools.cached_property
    def dst64(self):
        return self.dst.long()

    @functools.cached_property
    def degrees(self):
        return torch.bincount(self.dst, minlength=self.nodes)

    @functools.cached_property
    def begin64(self):
        return torch.cat([self.degrees.new_zeros(1), self.degrees.cumsum(0)])

    @functools.cached_property
    def begin(self):
        return self.begin64.int()

    @functools.cached_property
    def longest_first(self):
        return torch.argsort(self.degrees, descending=True).int()

    @functools.cached_property
    def ones(self):
        return torch.ones(self.count, device=self.device)

    @functools.cached_property
    def inverse_degrees(self):
        """1 / (edges into its destination), for each edge."""
        return self.degrees.float().reciprocal_()[self.dst64]

    @functools.cached_property
    def shuffled(self):
        return _Shuffled(self)

    def on_target(self, target):
        """A graph to bind, none of whose structures are there yet."""
        if target == "cuda":
            return gnn_mlir.TensorGraph((self.src, self.dst), self.nodes)
        return self.graph

    @functools.cached_property
    def sample(self):
        """All edges into some nodes: those of the two that have most, and of others."""
        random = torch.Generator().manual_seed(1)
        picked = torch.randperm(self.nodes, generator=random).to(self.device)
        total = self.degrees[picked].cumsum(0)
        picked = picked[total <= _CHECKED]
        longest = torch.topk(self.degrees, min(2, self.nodes)).indices
        rows = torch.unique(torch.cat([longest, picked]))
        sizes = self.degrees[rows]
        first = sizes.cumsum(0) - sizes
        edges = torch.arange(int(sizes.sum()), device=self.device)
        edges += (self.begin64[rows] - first).repeat_interleave(sizes)
        return Sample(edges, rows, self.src[edges].long(), self.dst[edges].long())


class _Shuffled:
    """The same edges in an order that was drawn: `place` is where each of them is in the
    rows."""

    is_sorted = False

    def __init__(self, edges):
        self.parent, self.nodes, self.count = edges, edges.nodes, edges.count
        self.device, self.kept = edges.device, {}
        random = torch.Generator(edges.device).manual_seed(2)
        self.place = torch.randperm(edges.count, generator=random, device=edges.device)
        self.src, self.dst = edges.src[self.place], edges.dst[self.place]

    src64, dst64 = Edges.src64, Edges.dst64

    def on_target(self, target):
        if target == "cuda":
            return gnn_mlir.TensorGraph((self.src, self.dst), self.nodes)
        return gnn_mlir.Graph(self.src, self.dst, self.nodes)

    @functools.cached_property
    def sample(self):
        edges = torch.arange(min(_CHECKED, self.count), device=self.device)
        return Sample(edges, edges[:0], self.src[edges].long(), self.dst[edges].long())
