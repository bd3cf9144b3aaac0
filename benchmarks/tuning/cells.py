# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cells that schedules are measured on: a graph, an operator, a number of features.

`NAMED` are those that searches are compared on. They were written down before any was
measured. `TRAINING` are on made graphs, over degrees, their variation, densities and the
locality of sources; models are trained on them alone. `LANES` are those that the rule of lanes
of dots was changed by; they and `DOTS` are trained on, too. `CPU_` are small ones, for the CPU.
"""

import dataclasses
import pathlib
import sys

import numpy as np

_BENCHMARKS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_BENCHMARKS))

import cases  # noqa: E402
import gnn_mlir  # noqa: E402
import synthetic  # noqa: E402

# By the names of DGL: what a function computes of a graph that is declared so.
OPERATORS = {
    "copy_u": lambda f, **g: cases.of_edges(gnn_mlir, "sum", f, **g),
    "u_mul_e": lambda f, **g: cases.of_edges(gnn_mlir, "weighted-sum", f, **g),
    "dot": lambda f, **g: cases.of_edges(gnn_mlir, "dot", f, **g),
    "attention": lambda f, **g: cases.attention(gnn_mlir, "dot-attention", 1, f, **g)}
# Others, which models are not trained on.
OTHERS = {
    "mean": lambda f, **g: cases.of_edges(gnn_mlir, "mean", f, **g),
    "max": lambda f, **g: cases.of_edges(gnn_mlir, "max", f, **g),
    "gatv2": lambda f, **g: cases.attention(gnn_mlir, "gatv2", 4, f // 4, **g)}


@dataclasses.dataclass(frozen=True)
class Made:
    """A graph of `synthetic.lognormal`."""
    nodes: int
    degree: int
    variation: float
    near: float

    @property
    def name(self):
        return f"n{self.nodes}-d{self.degree}-v{self.variation:g}-l{self.near:g}"

    def load(self, data):
        return synthetic.made(self.name)


@dataclasses.dataclass(frozen=True)
class Known:
    """A graph of `synthetic`, with types or without, or a file of the folder of data sets."""
    name: str

    def load(self, data):
        if self.name in synthetic.WITHOUT_TYPES:
            return synthetic.homogeneous(self.name)
        if self.name in synthetic.NAMES:
            return synthetic.graph(self.name)
        if data is None:
            raise SystemExit(f"{self.name}: expected --data, the folder that has "
                             f"{self.name}.npz")
        graph = gnn_mlir.Graph.load(pathlib.Path(data) / f"{self.name}.npz")
        return gnn_mlir.merge_types(graph)


@dataclasses.dataclass(frozen=True)
class Cell:
    graph: object
    operator: str
    features: int

    @property
    def name(self):
        return f"{self.graph.name}/{self.operator}/{self.features}"

    @property
    def file(self):
        """Its name in files."""
        return self.name.replace("/", "-")

    def module(self, graph):
        """Its one function, on a graph whose edges are sorted by destination. The statistics
        are declared, so that schedules can be listed without the graph."""
        return {**OPERATORS, **OTHERS}[self.operator](
            self.features, stats=graph.statistics(), dst_sorted=True)


@dataclasses.dataclass(frozen=True)
class Layer(Cell):
    """A layer of `cases.LAYERS` on a graph with types; the operator is its name."""

    def module(self, graph):
        module, same = cases.LAYERS[self.operator](graph, self.features)
        assert same is graph
        return module


NAMED = [
    Cell(Known("reddit"), "copy_u", 64), Cell(Known("reddit"), "dot", 32),
    Cell(Known("proteins"), "u_mul_e", 128), Cell(Known("proteins"), "attention", 32),
    Cell(Known("products"), "copy_u", 32), Cell(Known("products"), "u_mul_e", 64),
    Cell(Known("soc-epinions"), "attention", 64), Cell(Known("soc-epinions"), "dot", 128)]


def _on_cpu(*names):
    return [Cell(Known(name), operator, features) for name in names
            for operator, features in (("copy_u", 32), ("u_mul_e", 16), ("dot", 32),
                                       ("attention", 16))]


CPU_TRAINING = _on_cpu("cora", "pubmed", "wn18rr")
CPU_TEST = _on_cpu("fb15k237")

# Each has another mean and variation of the degree, and another locality; none more than
# 16 million edges.
_GRAPHS = [Made(400_000, 4, 0.3, 0.0), Made(1_000_000, 4, 2.0, 0.8), Made(100_000, 8, 4.0, 0.0),
           Made(500_000, 16, 1.0, 0.0), Made(1_000_000, 16, 1.0, 0.8), Made(50_000, 16, 0.3, 0.8),
           Made(200_000, 32, 2.0, 0.0), Made(20_000, 64, 4.0, 0.0), Made(200_000, 64, 1.5, 0.8),
           Made(60_000, 128, 0.5, 0.0), Made(100_000, 128, 2.0, 0.0), Made(50_000, 256, 1.0, 0.5),
           Made(20_000, 500, 1.5, 0.0), Made(5_000, 16, 2.0, 0.0)]
_WIDTHS = (32, 128, 64, 16, 256, 48)

# All operators on each graph, each with a width that goes round.
TRAINING = [Cell(graph, operator, _WIDTHS[(i + 2 * j) % len(_WIDTHS)])
            for i, graph in enumerate(_GRAPHS) for j, operator in enumerate(OPERATORS)]

# G-Sparse's table IV and figure 11: dots and sums of one graph over widths.
WIDTHS = [Cell(Known("reddit"), operator, features) for operator in ("dot", "copy_u")
          for features in (8, 16, 32, 64, 128)]

# What is tuned live, from the rule's schedule and in the time a user would give: operators and
# graphs that no other set joins, and all templates of layers on graphs with types.
LIVE = [Cell(Known(graph), operator, features) for graph, *wanted in (
    ("reddit", ("u_mul_e", 32), ("attention", 64), ("max", 64), ("gatv2", 32)),
    ("proteins", ("copy_u", 32), ("dot", 64), ("mean", 64), ("gatv2", 64)),
    ("products", ("dot", 32), ("attention", 64), ("copy_u", 128), ("max", 32)),
    ("soc-epinions", ("copy_u", 64), ("u_mul_e", 32), ("dot", 32), ("max", 128)))
        for operator, features in wanted] + [
    Layer(Known(graph), layer, 64) for graph in ("am", "biokg", "fb15k", "mag")
    for layer in ("rgcn", "rgat")]

# Dots whose edges have a team each, as the rule has it where rows have few edges, or graphs few.
LANES = [Cell(Made(nodes, degree, variation, near), "dot", features)
         for nodes, degree, variation, near, widths in (
             (2_000_000, 2, 1.0, 0.0, (48, 128)), (300_000, 2, 0.5, 0.0, (16, 32, 64)),
             (1_000_000, 4, 0.3, 0.0, (32, 64)), (1_000_000, 4, 1.0, 0.8, (48, 96)),
             (60_000, 4, 1.0, 0.5, (8, 48, 128)), (100_000, 6, 1.0, 0.0, (16, 32, 64)),
             (100_000, 8, 1.0, 0.8, (16, 32)), (60_000, 12, 0.5, 0.0, (32,)),
             (40_000, 16, 1.0, 0.0, (32,)), (10_000, 24, 0.5, 0.5, (64,)))
         for features in widths]

# Dots of long rows, which blocks take in equal shares: more to train g-SDDMM's network on.
DOTS = [Cell(Made(nodes, degree, variation, near), "dot", features)
        for nodes, degree, variation, near, widths in (
            (500_000, 16, 1.0, 0.0, (8, 32, 64)), (200_000, 64, 1.5, 0.8, (16, 64, 128)),
            (100_000, 128, 2.0, 0.0, (8, 32, 128)), (50_000, 256, 1.0, 0.5, (32, 64, 96)),
            (20_000, 500, 1.5, 0.0, (16, 32, 128)))
        for features in widths]

SETS = {"named": NAMED, "training": TRAINING, "widths": WIDTHS, "lanes": LANES,
        "dots": DOTS, "live": LIVE, "cpu-training": CPU_TRAINING, "cpu-test": CPU_TEST}
