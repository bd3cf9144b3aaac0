# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walks by edges with several results or few: of rows and of elements at once with heads, a
part of a reduction that nothing needs, sizes of rows that have no result. Against NumPy in
float64."""

import numpy as np
import pytest
from test_edge_walks import DEGREES, check, extremes, graph_of, program, sums

import gnn_mlir

GRAPHS = {name: graph_of(DEGREES[name]) for name in ("none", "shares", "blocks", "hub")}


def check_all(body, inputs, outputs, features, heads, fields, reference):
    """Holds the results on each graph against the reference, the inputs in float64 given."""
    def whole(one):
        shape = (heads,) * ("head" in one[1]) + (features,) * ("feature" in one[1])
        return one[0], shape, one[1]

    layer = gnn_mlir.compile(
        program(body, [whole(one) for one in inputs], [whole(one) for one in outputs], features,
                heads=heads, schedule=f"schedule <{fields}>"), target="emulator")
    for graph in GRAPHS.values():
        rng, rows = np.random.default_rng(8), {"node": graph.num_nodes, "edge": graph.num_edges}
        given = [rng.standard_normal((rows[space], *shape)).astype(np.float32)
                 for space, shape, _ in map(whole, inputs)]
        bound = layer.bind(graph)
        found, again = (bound({f"arg{i}": one for i, one in enumerate(given)}) for _ in range(2))
        if not isinstance(found, dict):
            found, again = {"": found}, {"": again}
        expected = reference(graph, *(one.astype(np.float64) for one in given))
        for one, same, right in zip(found.values(), again.values(), expected, strict=True):
            assert np.array_equal(one, same), "other bits in a second run"
            check(one, right)


@pytest.mark.parametrize("in_flight", [1, 2, 32])
@pytest.mark.parametrize("heads, features", [(3, 5), (4, 16)])
def test_results_of_rows_and_of_elements_at_once(heads, features, in_flight):
    """Scores are results themselves, weigh rows of the source, and have a largest one."""
    body = """%p = arith.mulf %v0, %v1 : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    %s = arith.addf %d, %v2 : f32
    %w = arith.mulf %s, %v0 : f32
    %t = gnn_tile.reduce sum [element] %w : f32
    %k = gnn_tile.reduce max [element] %s : f32
    gnn_tile.yield %t, %s, %k : f32, f32, f32"""

    def reference(graph, x, z, w):
        scores = np.sum(x[graph.edge_src] * z[graph.edge_dst], axis=-1) + w
        return [sums(graph, scores[..., None] * x[graph.edge_src]), scores,
                extremes(graph, scores, np.max)]

    check_all(body, [("node", "element -> src : head, feature"),
                     ("node", "group : head, feature"), ("edge", "element -> edge : head")],
              [("node", "group : head, feature"), ("edge", "element -> edge : head"),
               ("node", "group : head")], features, heads,
              f"in_flight = {in_flight}, row_walk = by_edges", reference)


def sizes(graph):
    return np.bincount(graph.edge_dst, minlength=graph.num_nodes).astype(np.float64)


def softmax(graph, x, w):
    powers = np.exp(w - extremes(graph, w, np.max)[graph.edge_dst])
    return sums(graph, powers[:, None] * x[graph.edge_src])


def largest(graph, x):
    """The first edge of each row that has its largest value."""
    found = np.full(x.shape, -1.0)
    for node in np.unique(graph.edge_dst):
        edges = np.flatnonzero(graph.edge_dst == node)
        found[node] = edges[x[graph.edge_src[edges]].argmax(axis=0)]
    return found


X, WEIGHT, SCALE = ("node", "element -> src : feature"), ("edge", "element -> edge"), (
    "node", "group")
ROW = ("node", "group : feature")
# Bodies on these, where their results are, and the references.
FEW = {
    "a reduction that nothing needs": (
        "%s = gnn_tile.reduce sum [element] %v0 : f32\n%m = arith.mulf %v1, %v2 : f32\n"
        "gnn_tile.yield %m : f32", [WEIGHT], lambda g, x, w, z: [w * z[g.edge_dst]]),
    "sums whose score and powers nothing needs": (
        "%one = arith.constant 1.0 : f32\n%m, %p, %t = gnn_tile.softmax_sum %v1, %one, %v0 : f32\n"
        "gnn_tile.yield %t : f32", [ROW], lambda g, x, w, z: [softmax(g, x, w)]),
    "a place whose value nothing needs": (
        "%e = gnn_tile.index #gnn_tile.at<element -> edge>\n"
        "%m, %a = gnn_tile.arg_reduce max %v0, %e : f32\n%f = arith.sitofp %a : i32 to f32\n"
        "gnn_tile.yield %f : f32", [ROW], lambda g, x, w, z: [largest(g, x)]),
    "the sizes of elements' rows": (
        "%n = gnn_tile.size : f32\n%m = arith.mulf %v1, %n : f32\ngnn_tile.yield %m : f32",
        [WEIGHT], lambda g, x, w, z: [w * sizes(g)[g.edge_dst]]),
    "those and a factor of the row": (
        "%n = gnn_tile.size : f32\n%f = arith.mulf %v2, %n : f32\n%m = arith.addf %v1, %f : f32\n"
        "gnn_tile.yield %m : f32", [WEIGHT], lambda g, x, w, z: [w + (z * sizes(g))[g.edge_dst]]),
    "those beside a sum": (
        "%n = gnn_tile.size : f32\n%m = arith.mulf %v1, %n : f32\n"
        "%s = gnn_tile.reduce sum [element] %v0 : f32\ngnn_tile.yield %m, %s : f32, f32",
        [WEIGHT, ROW],
        lambda g, x, w, z: [w * sizes(g)[g.edge_dst], sums(g, x[g.edge_src])]),
}


@pytest.mark.parametrize("fields", [
    "in_flight = 1, row_walk = by_edges", "row_walk = by_edges", "in_flight = 4, row_walk = team"])
@pytest.mark.parametrize("body", list(FEW))
def test_few_results(body, fields):
    text, outputs, reference = FEW[body]
    check_all(text, [X, WEIGHT, SCALE], outputs, 8, 1, fields, reference)


@pytest.mark.parametrize("in_flight", [1, 4, 8])
@pytest.mark.parametrize("heads, features", [(1, 1), (1, 2), (1, 8), (1, 64), (2, 8)])
def test_a_number_that_all_features_of_an_element_take(heads, features, in_flight):
    """A row of an element is as wide as others, though its features are the same."""
    body = """%p = arith.mulf %v0, %v1 : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32"""

    def reference(graph, x, z):
        scores = np.sum(x[graph.edge_src] * z[graph.edge_dst], axis=-1, keepdims=True)
        return [np.broadcast_to(scores, x[graph.edge_src].shape)]

    level = "head, feature" if heads > 1 else "feature"
    check_all(body, [("node", f"element -> src : {level}"), ("node", f"group : {level}")],
              [("edge", f"element -> edge : {level}")], features, heads,
              f"in_flight = {in_flight}, row_walk = by_edges", reference)
