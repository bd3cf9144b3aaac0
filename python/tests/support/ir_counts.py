# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows and flops of a compiled program, read from the IR of its graph stage."""

import pathlib
import re
import tempfile
from dataclasses import dataclass

import numpy as np

from gnn_mlir import targets
from gnn_mlir.compiler import compile as compile_program

_OP = re.compile(r"^\s*(?:(%[\w:, %]+) = )?(?:gnn\.)?([\w.]+)\b(.*)$")
_GRAPH = re.compile(r"^\s*gnn\.graph @(\w+) (square|bipartite)"
                    r"(?: of @(\w+) types \[([^\]]*)\])?")


def graph_stage(text, passes=None):
    """The IR of a program after the passes on whole graphs."""
    with tempfile.TemporaryDirectory() as folder:
        compile_program(text, target=targets.EMULATOR, passes=passes,
                        keep_phases=folder)
        return (pathlib.Path(folder) / "1-graph.mlir").read_text()


@dataclass(frozen=True)
class Rows:
    """A tensor type: the graph and space of its rows (None: a weight), how many
    there are where that is known, and its other dimensions."""

    graph: str
    space: str
    count: int
    shape: tuple


@dataclass(frozen=True)
class Op:
    """An op of the IR: its name without "gnn.", and the types it lists: operands
    then results for most."""

    name: str
    text: str
    types: tuple


def _types(text):
    """The tensor types of a line, in order."""
    at = 0
    while (at := text.find("tensor<", at)) >= 0:
        begin = at = at + len("tensor<")
        depth = 1
        while depth:
            depth += {"<": 1, ">": -1}.get(text[at], 0)
            at += 1
        yield text[begin:at - 1]


def _rows(text, aliases):
    dims, _, encoding = text.partition(", ")
    shape = tuple(-1 if d == "?" else int(d) for d in dims.split("x")[:-1])
    encoding = aliases.get(encoding.strip(), encoding)
    found = re.match(r"#gnn\.rows<@(\w+), (\w+)>", encoding)
    if not found:
        return Rows(None, None, 0, shape)
    return Rows(found[1], found[2], shape[0], shape[1:])


class Program:
    """The ops of the IR text of one function, and what rows are."""

    def __init__(self, text):
        self.aliases = dict(re.findall(r"^(#\w+) = (#gnn\.rows<.*>)$", text, re.M))
        self.ops, self.parts = [], {}
        for line in text.splitlines():
            graph = _GRAPH.match(line)
            if graph:
                types = graph[4] and [int(t) for t in graph[4].split(",")]
                self.parts[graph[1]] = graph[3], types
                continue
            op = _OP.match(line)
            if op and op[1]:
                self.ops.append(Op(op[2], line.strip(), tuple(
                    _rows(t, self.aliases) for t in _types(op[3]))))

    def types_of(self, graph, root_types):
        """The edge types of the graph that was declared first which a graph
        derived from it has."""
        parent, types = self.parts[graph]
        if parent is None:
            return np.arange(root_types)
        return self.types_of(parent, root_types)[np.array(types or [], int)]

    def rows(self, operand, stats):
        """The number of rows of a tensor, from the statistics of the graph."""
        if operand.count >= 0:
            return operand.count
        types = self.types_of(operand.graph, len(stats["type_edges"]))
        by_type = {"edge": "type_edges", "src_pair": "src_pairs",
                   "dst_pair": "dst_pairs"}.get(operand.space)
        if by_type:
            return int(np.array(stats[by_type], np.int64)[types].sum())
        return stats["dst_nodes" if operand.space == "dst" else "src_nodes"]

    def products(self, *names):
        """The products of rows with weights, of these names."""
        return [op for op in self.ops
                if op.name in (names or ("linear", "typed_linear"))]

    def product_rows(self, stats, *names):
        """The rows that go through them."""
        return sum(self.rows(op.types[0], stats) for op in self.products(*names))

    def product_flops(self, stats):
        """2 in out for each row of each product, head by head."""
        total = 0
        for op in self.products():
            heads = int(np.prod(op.types[-1].shape[:-1], dtype=np.int64))
            total += (2 * self.rows(op.types[0], stats) * heads *
                      op.types[0].shape[-1] * op.types[-1].shape[-1])
        return total

    def aggregate_flops(self, stats):
        """2 for each feature of each edge that is summed up into another row: a
        multiplication and an addition, as GraphAGILE counts."""
        return sum(2 * self.rows(op.types[0], stats) *
                   int(np.prod(op.types[0].shape, dtype=np.int64))
                   for op in self.ops if op.name == "aggregate" and
                   op.types[0].space == "edge")
