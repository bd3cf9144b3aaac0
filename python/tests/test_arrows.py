# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every arrow of the lattice down and up, on graphs where all of them are: with a
schema that names the node types of each edge type, on one derived from it, and from
rows of the one to those of the other. The numeric cases have no such graphs."""

import numpy as np
import pytest

from gnn_mlir import Graph, spaces
from gnn_mlir.program import Module
from support import cases

SCHEMA = [(0, 1), (1, 1), (2, 0), (0, 2)]  # no edge is of the last type


def graph_with_schema(square):
    rng = np.random.default_rng(3)
    kinds = rng.integers(0, 3, 41), rng.integers(0, 3, 41 if square else 17)
    ends = [[rng.choice(np.flatnonzero(kinds[end == 1 and not square] == pair[end]), 30)
             for pair in SCHEMA[:3]] for end in (0, 1)]
    order = rng.permutation(90)
    src, dst = (np.concatenate(end)[order] for end in ends)
    nodes = {"node_type": kinds[0], "num_nodes": 41} if square else {
        "src_node_type": kinds[0], "num_src_nodes": 41, "dst_node_type": kinds[1],
        "num_dst_nodes": 17}
    return Graph(src, dst, edge_type=np.repeat(range(3), 30)[order],
                 num_edge_types=4, num_node_types=3, schema=SCHEMA, **nodes)


def arrows(graph):
    """(finer, coarser, via) of the row spaces that a graph has."""
    lacks = ("src", "dst") if graph.square else ("node",)
    mine = [s for s in spaces.SPACES if s not in lacks]
    return [(source, target, via) for source in mine for target in mine
            if source != target and spaces.leads(source, target)
            for via in (("src", "dst") if spaces.is_ambiguous(source, target)
                        else (None,))]


@pytest.mark.parametrize("square", [True, False])
def test_all_are_there(square):
    found = arrows(graph_with_schema(square))
    assert len(found) == (22 if square else 24)
    assert ("edge_type", "node_type", "dst") in found


@pytest.mark.parametrize("square", [True, False])
@pytest.mark.parametrize("where", ["whole", "derived"])
def test_every_arrow(square, where, run):
    graph = graph_with_schema(square)
    module = Module()
    whole = g = module.graph_like("g", graph)
    f = module.function("arrows")
    if where == "derived":
        g = module.derived_graph("s", whole, [0, 2])

    def rows(graph, space):
        name = f"{graph.name}_{space}"
        if name not in f.inputs:
            f.input(name, graph.rows(space, 3))
        return f.inputs[name]

    def keep(value):
        f.output(f"out{len(f.outputs)}", value)

    own = ("edge", "edge_type", "src_pair", "dst_pair")
    for source, target, via in arrows(graph):
        keep(f.gather(rows(g, target), source, via))
        top, at = f.aggregate("max", rows(g, source), target, via, argument=True)
        keep(f.pick(top, at, source, via))
        for kind in ("sum", "mean"):
            keep(f.aggregate(kind, rows(g, source), target, via))
        if where == "derived" and target in own:
            keep(f.gather(f.restrict_rows(rows(whole, target), g), source, via))
        if where == "derived" and source in own:
            keep(f.aggregate("sum", f.restrict_rows(rows(whole, source), g), target,
                             via))
            keep(f.aggregate("sum", f.expand_rows(rows(g, source), whole), target,
                             via))
    bound = f.bind(graph)
    cases.check(cases.Program(f, bound, cases.make_inputs(f, bound, "dyadic")), run)
