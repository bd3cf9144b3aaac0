# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where groups are short, several share a warp: the numbers of groups of odd lengths."""

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import Graph, models
from gnn_mlir.compiler import compile as compile_program
from support import cases

# Edges of the pairs of one node each: none, one, as many as are in flight, one more,
# as many as a team takes and one more, and of hubs that a block walks.
LENGTHS = (0, 1, 2, 3, 0, 4, 5, 64, 65, 128, 129, 300, 1100)


def graph_of(lengths, singles, flip):
    """A graph whose pairs at one end have these lengths and then one edge each."""
    ends = np.repeat(np.arange(len(lengths)), lengths)
    ends = np.r_[ends, len(lengths) + np.arange(singles)]
    count, rng = len(lengths) + singles, np.random.default_rng(7)
    # Those of the first nodes are of one type, so that a pair has all of them.
    kinds = np.r_[np.zeros(sum(lengths), int), rng.integers(0, 3, singles)]
    others = rng.integers(0, count, len(ends))
    order = rng.permutation(len(ends))
    ends, others, kinds = ends[order], others[order], kinds[order]
    return Graph(*((others, ends) if flip else (ends, others)), count, edge_type=kinds,
                 num_edge_types=4)


def run(schedules):
    """Compiles for the graph, whose statistics the schedules follow."""
    def run(text, function, graphs, inputs):
        compiled = compile_program(text, function, target="emulator", graph=graphs,
                                   passes={"edge-walks": 0})
        schedules.update(step["schedule"] for f in compiled.package.plan()["functions"]
                         for step in f["steps"] if step["schedule"])
        binding = compiled.bind(graphs)
        out = binding(inputs)
        return out if isinstance(out, dict) else {binding.outputs[0].name: out}
    return run


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("features, heads, shared", [
    (1, 1, "lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 2"),
    (5, 1, "lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 2"),
    (64, 1, "lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 2"),
    (4, 3, "lanes = 1, head_lanes = 4, element_lanes = 1, in_flight = 2")])
@pytest.mark.parametrize("subject", ["op-sum", "op-mean", "op-extremes", "op-degree"])
def test_groups_of_odd_lengths(compiler, subject, features, heads, shared, flip):
    graph = graph_of(LENGTHS, 1700, flip)
    assert 1.5 < graph.num_edges / (graph.num_nodes - 2) < 2.5
    found = set()
    cases.check(cases.build(subject, graph, features, heads), run(found))
    if subject == "op-degree":
        assert not any("element_lanes = 8" in schedule for schedule in found)
    else:
        assert any(shared in schedule and "by_length" in schedule for schedule in found)


def test_one_edge(compiler):
    graph = Graph([0], [2], 3, edge_type=[1], num_edge_types=2)
    cases.check(cases.build("op-sum", graph, 1, 1), run(set()))


@pytest.mark.parametrize("subject", ["rgat", "rgcn"])
def test_layers(compiler, subject):
    found = set()
    cases.check(cases.build(subject, graph_of(LENGTHS, 1700, True), 16, 1), run(found))
    # Rows are so few that each has a warp.
    assert any("lanes = 4, head_lanes = 1, element_lanes = 8" in schedule
               and "by_length" in schedule for schedule in found)


@pytest.mark.parametrize("model", ["transformer", "gatv2"])
def test_wide_rows_of_heads(compiler, model):
    """Where what teams share leaves no room for more, rows are not walked by length."""
    assert gnn_mlir.compile(getattr(models, model)((16, 128), heads=8),
                            target="emulator").package


@pytest.mark.parametrize("shape", [(3, 33000), (300, 130), (70, 515)])
def test_sums_of_wide_heads(compiler, shape):
    """A reduction over heads takes any number of features, by parts of them."""
    m = gnn_mlir.Module()
    f = m.function("f")
    x = f.input("x", m.graph("g").rows("node", *shape))
    f.output("y", f.reduce_heads("sum", x))
    given = np.random.default_rng(0).standard_normal((2, *shape)).astype(np.float32)
    out = gnn_mlir.compile(m, target="emulator")(Graph([0], [1], 2), {"x": given})
    np.testing.assert_allclose(out["y"] if isinstance(out, dict) else out,
                               given.astype(np.float64).sum(1), atol=1e-4)


def test_gradients_of_wide_weights(compiler):
    """Nor is there a bound on weights whose types' gradients are added up."""
    assert gnn_mlir.compile(models.rgat(3, (16, 128), heads=16), target="emulator",
                            gradients=True).package
