# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sampler of neighbours: what it draws, and what it refuses."""

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir.sampling import Sampler
from support import graphs

GRAPH = graphs.random_graph(120, 700, 2, 3, seed=4)


@pytest.mark.parametrize("fanout", [0, 1, 3, -1])
def test_the_sampler_draws_different_edges(fanout):
    seeds = np.random.default_rng(0).permutation(120)[:30]
    batch, nodes = Sampler(GRAPH, [fanout], seed=2).sample(seeds)
    assert np.array_equal(nodes[:30], seeds) and len(set(nodes)) == len(nodes)
    degree = np.bincount(GRAPH.edge_dst, minlength=120)[seeds]
    drawn = np.bincount(batch.edge_dst, minlength=len(nodes))
    assert np.array_equal(drawn[:30], degree if fanout < 0 else np.minimum(degree, fanout))
    assert not drawn[30:].any() and set(batch.edge_src) >= set(range(30, len(nodes)))

    def count(src, dst, kinds):
        return np.unique(np.stack([src, dst, kinds]), axis=1, return_counts=True)
    known = {tuple(edge): n for edge, n in zip(*[a.T for a in count(
        GRAPH.edge_src, GRAPH.edge_dst, GRAPH.edge_type)])}
    for edge, n in zip(*[a.T for a in count(nodes[batch.edge_src], nodes[batch.edge_dst],
                                            batch.edge_type)]):
        assert n <= known[tuple(edge)]
    assert np.array_equal(batch.node_type, GRAPH.node_type[nodes])


def test_the_sampler_draws_all_edges_alike():
    star = gnn_mlir.Graph(np.arange(1, 21), np.zeros(20, int), 21)
    sampler = Sampler(star, [5])
    drawn = np.zeros(21, int)
    for _ in range(2000):
        drawn[sampler.sample([0])[1]] += 1
    assert (np.abs(drawn[1:] - 500) < 100).all()


@pytest.mark.parametrize("seeds, wanted", [
    (np.arange(120) == 3, r"got a mask; its ids are np.flatnonzero\(mask\)"),
        (np.array([0.0, 1.0]), r"integers in 1 dimension, got ndarray of float64"),
    ([[1, 2]], r"1 dimension, got .* of shape \(1, 2\)"),
    ([3, -1], "0 to 119, got -1 at 1"),
    ([3, 120], "0 to 119, got 120 at 1"), ([4, 3, 4], "all different, got 4 2 times")])
def test_seeds_that_are_refused_leave_no_trace(seeds, wanted):
    sampler = Sampler(GRAPH, (-1,))
    with pytest.raises(ValueError, match=f"seeds: expected .*{wanted}"):
        sampler.sample(seeds)
    assert (sampler._position == -1).all()


def test_a_batch_that_is_interrupted_leaves_no_trace(monkeypatch):
    sampler = Sampler(GRAPH, (-1,))

    def interrupt(*_):
        raise KeyboardInterrupt
    with monkeypatch.context() as patched:
        patched.setattr(sampler, "_draw", interrupt)
        with pytest.raises(KeyboardInterrupt):
            sampler.sample([3, 49])
    assert (sampler._position == -1).all()


def test_fanouts_that_are_refused():
    for fanouts, wanted in ((3, "expected a list of numbers, one a hop, got 3"),
                            ([2.5], "expected an integer, got 2.5"),
                            ([-2], "of at least -1, got -2")):
        with pytest.raises(ValueError, match=f"fanouts: .*{wanted}"):
            Sampler(GRAPH, fanouts)


def test_batches_keep_the_names_of_types():
    graph = gnn_mlir.Graph([0, 5], [1, 6], 8, node_type=[0] * 5 + [1] * 3,
                           edge_type=[0, 1], node_type_names=("p", "a"),
                           edge_type_names=("r", "s"))
    batch, nodes = Sampler(graph, (2,)).sample([0, 6])
    assert batch.node_type_names == ("p", "a") and batch.edge_type_names == ("r", "s")
    last = gnn_mlir.blocks(batch, 1, 2)[-1]
    assert {name: rows.tolist() for name, rows in last.split_types(
        nodes[:2], "dst").items()} == {"p": [0], "a": [6]}


def test_all_edges_of_so_many_hops_decide_the_rows_of_seeds():
    seeds = np.array([7, 110, 41, 8])
    function = gnn_mlir.models.rgcn(3, (3, 5, 3), node_types=2).functions["rgcn"]
    inputs = function.random_inputs(GRAPH)
    whole = function.evaluate(GRAPH, inputs)["out"]

    def on_part(hops):
        part, nodes = Sampler(GRAPH, [-1] * hops).sample(seeds)
        return function.evaluate(part, {**inputs, "x": inputs["x"][nodes]})["out"][:4]
    np.testing.assert_allclose(on_part(2), whole[seeds], rtol=1e-12)
    assert not np.allclose(on_part(1), whole[seeds])
