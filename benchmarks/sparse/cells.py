# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cells to measure: suites of cells, each of a program of benchmarks/cases.py, a graph and a
width."""

import dataclasses
import pathlib
import re

import cases
import gnn_mlir
from sparse.graphs import DRAWN

PASSES = pathlib.Path(__file__).parents[2] / "docs/Passes.md"
MADE = ("reddit", "proteins", "products-uniform", "products")
REAL = ("cora", "fb15k237", "soc-epinions", "amazon-book", "debian-files")
FEATURES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
HEADS = ((1, 64), (8, 16), (4, 64))
DOTS = ("dot", "dot-shuffled")


@dataclasses.dataclass(frozen=True)
class Suite:
    """Programs and widths, (heads or None, features), and the graphs that have them all."""
    name: str
    ops: tuple
    widths: tuple
    graphs: tuple
    modes: tuple = ("forward",)


def _plain(*features):
    return tuple((None, size) for size in features)


_ONE = ((None, 64), (1, 64))
SUITES = (
    Suite("sums", cases.REDUCTIONS, _plain(*FEATURES), MADE + REAL),
    Suite("dots", DOTS, _plain(*(size for size in FEATURES if 8 <= size <= 512)), MADE + REAL),
    Suite("attention", cases.ATTENTION, HEADS, MADE + REAL, ("forward", "training")),
    Suite("growth", ("sum",), _plain(64), ("uniform-1M", "uniform-10M", "uniform-100M")),
    Suite("ablation", ("sum", "dot", "gatv2"), _plain(8, 64, 512) + HEADS,
          ("reddit", "proteins", "products")),
    Suite("small", (*cases.REDUCTIONS, "dot", *cases.ATTENTION), _ONE, ("uniform-10k", "cora")))
GENERAL = ("sums", "dots", "attention")
OPS = tuple(dict.fromkeys([*(op for suite in SUITES for op in suite.ops),
                           *(suite.name for suite in SUITES)]))
# The part of them that --quick takes.
QUICK_OPS = ("sum", "weighted-sum", "dot", "gatv2", "dot-attention")
QUICK_WIDTHS = (32, 64, 128, (1, 64))


@dataclasses.dataclass(frozen=True)
class Cell:
    suite: str
    op: str
    graph: str
    features: int
    heads: int = None
    training: bool = False

    program = property(lambda self: "dot" if self.op in DOTS else self.op)
    width = property(lambda self: f"{self.heads}x{self.features}" if self.heads else
                     str(self.features))

    def module(self, dst_sorted):
        """For a graph whose edges are sorted by destination, or of any order."""
        if self.heads:
            return cases.attention(gnn_mlir, self.program, self.heads, self.features,
                                   dst_sorted=dst_sorted)
        return cases.of_edges(gnn_mlir, self.program, self.features, dst_sorted=dst_sorted)

    def key(self):
        return dataclasses.astuple(self)

    def __str__(self):
        mode = ", forward and backward" if self.training else ""
        return f"{self.suite}: {self.op} {self.width}{mode}, {self.graph}"


def streams(cell, edges):
    """(read, written): bytes that a cell reads and writes in order, beside the rows that it
    gathers: rows of destinations, numbers of edges; indices of orders that were drawn count as
    if they led to neighbours."""
    heads = cell.heads or 1
    rows, numbers = 4 * edges.nodes * heads * cell.features, 4 * edges.count * heads
    if cell.op in DOTS:
        return rows + (cell.op == "dot-shuffled") * numbers, numbers
    read = {"weighted-sum": numbers, "gatv2": rows, "dot-attention": rows}
    return read.get(cell.op, 0), (2 if cell.op == "argmax" else 1) * rows


def width(text):
    """A width of --widths: features, or (heads, features)."""
    if not (found := re.fullmatch(r"(?:(\d+)x)?(\d+)", text)):
        raise ValueError(f"expected a number of features, or heads x features as 8x16, got {text}")
    return (int(found[1]), int(found[2])) if found[1] else int(found[2])


def _widths(suite, asked):
    """The widths of a suite, or those asked for where some are of its kind: sizes of rows, or
    of heads."""
    heads = {bool(heads) for heads, _ in suite.widths}
    wanted = [(None, one) if isinstance(one, int) else one for one in asked or ()]
    kinds = {bool(heads) for heads, _ in wanted}
    kept = [one for one in suite.widths if bool(one[0]) not in kinds]
    return kept + [one for one in wanted if bool(one[0]) in heads]


def _is_of(op, heads):
    return (op in cases.ATTENTION) == bool(heads)


def _suite_of(suite, graph, is_named, ops):
    """The ops of a suite that a graph gets. Suites of their own graphs take others where the
    suite and the graph are named."""
    base = graph.partition(":")[0]
    known = any(base in other.graphs for other in SUITES)
    takes = base in suite.graphs or (not known and suite.name in GENERAL)
    if not ops:
        return suite.ops if takes else ()
    if suite.name in ops:
        return suite.ops if takes or is_named else ()
    if suite.name in GENERAL and (takes or is_named):
        return tuple(op for op in suite.ops if op in ops)
    return ()


def default_graphs(data):
    """All graphs, and of data sets those whose files are in the folder `data`."""
    real = [name for name in REAL if data and (pathlib.Path(data) / f"{name}.npz").is_file()]
    return [*MADE, *real, *DRAWN]


def select(graphs, is_named, ops=(), widths=(), modes=("forward", "training")):
    """{graph: cells} of all graphs that have some, in the order in which they are run.
    `is_named`: whether the graphs were chosen."""
    found = {}
    for graph in graphs:
        cells = [Cell(suite.name, op, graph, features, heads, mode == "training")
                 for suite in SUITES for op in _suite_of(suite, graph, is_named, ops)
                 for heads, features in _widths(suite, widths) if _is_of(op, heads)
                 for mode in suite.modes if mode in modes]
        if cells:
            found[graph] = list(dict.fromkeys(cells))
    return found


def switches():
    """{switch or setting: what turns its pass off}, of the tables of docs/Passes.md, which a
    test holds against the compiler. `calls` leaves out no pass."""
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| `(true|-1|[1-9]\d*)` \|$", PASSES.read_text(),
                      re.M)
    return {name: False if default == "true" else 0 for name, default in rows
            if name != "calls"}
