# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gnn_mlir.reference` against loops over rows, on graphs that lack things."""

import itertools
import math

import numpy as np
import pytest

from gnn_mlir import reference, spaces
from naive import NaiveGraph, graphs, paths, reduce, softmax

GRAPHS = graphs()
FEATURES = ((), (3,), (2, 3))


@pytest.fixture(params=GRAPHS, ids=lambda name: name.replace(" ", "-"))
def pair(request):
    graph = GRAPHS[request.param]
    return graph, NaiveGraph(graph)


def rows(graph, space, features=(), seed=0, special=False):
    """Distinct values; with `special` also ties, NaN and infinities."""
    rng = np.random.default_rng(seed)
    x = rng.permutation(math.prod((graph.count(space),) + features)) + 1.0
    x = (x * rng.choice([-1, 1], x.shape)).reshape((-1,) + features)
    if special and x.size:
        x = np.round(x / 5)
        x[rng.random(x.shape) < 0.1] = np.nan
        x[rng.random(x.shape) < 0.1] = np.inf
        x[rng.random(x.shape) < 0.1] = -np.inf
    return x


def equal(out, expected):
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)


def test_counts_and_maps(pair):
    graph, naive = pair
    for source, target, via in paths(graph):
        assert graph.count(source) == naive.count(source)
        found = graph.map(source, target, via).tolist()
        assert found == [naive.lead(source, i, target, via)
                         for i in range(naive.count(source))]


@pytest.mark.parametrize("features", FEATURES)
def test_gather(pair, features):
    graph, naive = pair
    for source, target, via in paths(graph):
        x = rows(graph, target, features)
        out = reference.gather(graph, x, target, source, via)
        for i in range(naive.count(source)):
            equal(out[i], x[naive.lead(source, i, target, via)])


@pytest.mark.parametrize("kind", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_aggregate(pair, kind, special):
    graph, naive = pair
    for (source, target, via), features in itertools.product(paths(graph),
                                                             FEATURES):
        x = rows(graph, source, features, special=special)
        out = reference.aggregate(graph, kind, x, source, target, via)
        expected = np.empty((naive.count(target),) + features)
        if kind in ("max", "min"):
            again, argument = reference.aggregate(graph, kind, x, source, target,
                                                  via, argument=True)
            np.testing.assert_array_equal(out, again)
        for g, f in itertools.product(range(naive.count(target)),
                                      np.ndindex(features)):
            group = naive.group(source, g, target, via)
            if special and kind in ("sum", "mean"):
                expected[(g,) + f] = sum([x[(i,) + f] for i in group]) / (
                    max(1, len(group)) if kind == "mean" else 1)
                continue
            value, at = reduce(kind, [x[(i,) + f] for i in group])
            expected[(g,) + f] = value
            if at is not None and kind in ("max", "min"):
                assert argument[(g,) + f] == (group[at] if at >= 0 else -1)
        equal(out, expected)


def test_gather_and_aggregate_are_transposed(pair):
    graph, _ = pair
    for source, target, via in paths(graph):
        x, y = rows(graph, target, (2,)), rows(graph, source, (2,), seed=1)
        down = reference.gather(graph, x, target, source, via)
        up = reference.aggregate(graph, "sum", y, source, target, via)
        equal((down * y).sum(), (x * up).sum())


@pytest.mark.parametrize("features", FEATURES)
def test_pick_is_the_gradient_of_max(pair, features):
    graph, naive = pair
    for source, target, via in paths(graph):
        x = np.round(rows(graph, source, features) / 3)  # with ties
        g = rows(graph, target, features, seed=1)
        _, at = reference.aggregate(graph, "max", x, source, target, via,
                                    argument=True)
        out = reference.pick(graph, g, at, target, source, via)
        expected = np.zeros(x.shape)
        for i, f in itertools.product(range(naive.count(target)),
                                      np.ndindex(features)):
            group = naive.group(source, i, target, via)
            if group:
                first = max(group, key=lambda row: x[(row,) + f])
                expected[(first,) + f] = g[(i,) + f]
        equal(out, expected)


def test_degree(pair):
    graph, naive = pair
    for source, target, via in paths(graph):
        out = reference.degree(graph, source, target, via)
        equal(out, [len(naive.group(source, g, target, via))
                    for g in range(naive.count(target))])


def test_prefix_rows():
    graph = GRAPHS["bipartite"]
    x = rows(graph, "src", (2,))
    equal(reference.prefix_rows(graph, x), x[:5])


def test_extend_rows():
    graph = GRAPHS["bipartite"]
    x = rows(graph, "dst", (2,))
    out = reference.extend_rows(graph, x)
    assert out.shape == (graph.num_src_nodes, 2)
    equal(out[:5], x)
    assert not out[5:].any()


@pytest.mark.parametrize("space", ["edge", "src_pair", "dst_pair", "edge_type"])
def test_expand_rows_is_transposed(pair, space):
    graph, _ = pair
    for types in ([], [0], range(0, graph.num_edge_types, 2)):
        types = [t for t in types if t < graph.num_edge_types]
        y = rows(graph, space, (2,))
        down = reference.restrict_rows(graph, y, space, types)
        x = np.arange(down.size).reshape(down.shape) + 1.0
        up = reference.expand_rows(graph, x, space, types)
        assert up.shape == y.shape
        equal(reference.restrict_rows(graph, up, space, types), x)
        equal((up * y).sum(), (x * down).sum())


def naive_times(x, weight):
    """One row, with or without heads, times its weight."""
    heads = (weight.shape[:-2] or x.shape[:-1] or (None,))[0]
    out = []
    for h in range(heads or 1):
        v = x if x.ndim == 1 else x[h]
        w = weight if weight.ndim == 2 else weight[h]
        out.append([math.fsum(v[i] * w[i, o] for i in range(len(v)))
                    for o in range(w.shape[1])])
    return np.array(out if heads else out[0])


HEADS = [((4,), (4, 3)), ((2, 4), (4, 3)), ((4,), (2, 4, 3)),
         ((2, 4), (2, 4, 3))]


@pytest.mark.parametrize("row,weight", HEADS)
def test_linear(row, weight):
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((5,) + row), rng.standard_normal(weight)
    out = reference.linear(x, w)
    for i in range(5):
        equal(out[i], naive_times(x[i], w))
    b = rng.standard_normal(out.shape[1:])
    equal(reference.linear(x, w, b), out + b)
    assert len(reference.linear(x[:0], w)) == 0


def typed_paths(graph):
    return [p for p in paths(graph) if p[1] in ("edge_type", "node_type")]


@pytest.mark.parametrize("row,weight", HEADS)
def test_typed_linear(pair, row, weight):
    graph, naive = pair
    rng = np.random.default_rng(0)
    for space, by, via in typed_paths(graph):
        x = rng.standard_normal((graph.count(space),) + row)
        w = rng.standard_normal((graph.count(by),) + weight)
        b = rng.standard_normal((graph.count(by),) + row[:-1] + (3,)
                                if len(row) == 2 else
                                (graph.count(by),) + weight[:-2] + (3,))
        out = reference.typed_linear(graph, x, w, space, by, via)
        biased = reference.typed_linear(graph, x, w, space, by, via, b)
        for i in range(len(x)):
            t = naive.lead(space, i, by, via)
            equal(out[i], naive_times(x[i], w[t]))
            equal(biased[i], out[i] + b[t])


@pytest.mark.parametrize("row,grad,heads", [
    ((4,), (3,), False), ((2, 4), (2, 3), False), ((4,), (2, 3), True),
    ((2, 4), (2, 3), True)])
def test_typed_outer(pair, row, grad, heads):
    graph, naive = pair
    rng = np.random.default_rng(0)
    for space, by, via in typed_paths(graph):
        count = graph.count(space)
        x = rng.standard_normal((count,) + row)
        y = rng.standard_normal((count,) + grad)
        out = reference.typed_outer(graph, x, y, space, by, via, heads)
        expected = np.zeros((graph.count(by),) + ((2,) if heads else ()) + (4, 3))
        for i in range(count):
            t = naive.lead(space, i, by, via)
            for h in range(2 if len(grad) == 2 else 1):
                u = x[i] if len(row) == 1 else x[i, h]
                v = y[i] if len(grad) == 1 else y[i, h]
                for a, b in itertools.product(range(4), range(3)):
                    expected[(t, h, a, b) if heads else (t, a, b)] += u[a] * v[b]
        equal(out, expected)
        if by == "node_type" and graph.num_node_types == 1:
            equal(reference.outer(x, y, heads), out[0])


@pytest.mark.parametrize("typed", list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("heads", [(), (2,)])
@pytest.mark.parametrize("vector", [False, True])
def test_weight_product(typed, heads, vector):
    rng = np.random.default_rng(0)
    shapes = [((3,) if typed[0] else ()) + heads + (4, 5),
              ((3,) if typed[1] else ()) + heads + ((5,) if vector else (5, 2))]
    a, b = [rng.standard_normal(s) for s in shapes]
    out = reference.weight_product(a, b, *typed, vector)
    for t in range(3 if any(typed) else 1):
        u = a[t] if typed[0] else a
        v = b[t] if typed[1] else b
        for h in range(2 if heads else 1):
            expected = (u[h] if heads else u).dot(v[h] if heads else v)
            found = out[t] if any(typed) else out
            equal(found[h] if heads else found, expected)


@pytest.mark.parametrize("typed", [(a, b, c) for a in (False, True)
                                   for b in (False, True) for c in (False, True)
                                   if a or b or not c])
@pytest.mark.parametrize("heads", [False, True, "side by side"])
@pytest.mark.parametrize("vector", [False, True])
def test_weight_outer_is_the_transpose_of_weight_product(typed, heads, vector):
    """<lhs * rhs, grad> = <rhs, weight_outer(lhs, grad)>."""
    rng = np.random.default_rng(3)
    by_heads = heads == "side by side"

    def made(is_typed, *shape):
        return rng.standard_normal((3,) * is_typed + shape)

    lhs_typed, grad_typed, rhs_typed = typed
    types = lhs_typed or grad_typed
    a, b = (5, 4), (4,) if vector else (4, 6)
    out = (5,) if vector else (5, 6)
    if by_heads:
        a, b, out = (5, 8), (2, *b), (5, 2 * (1 if vector else 6))
    elif heads:
        a, b, out = (2, *a), (2, *b), (2, *out)
    lhs, grad, rhs = made(lhs_typed, *a), made(grad_typed, *out), made(rhs_typed, *b)
    got = reference.weight_outer(lhs, grad, lhs_typed, grad_typed, rhs_typed, vector,
                                 2 if by_heads else None)
    assert got.shape == rhs.shape
    product = reference.weight_product(
        np.broadcast_to(lhs, (3, *a)) if types and not lhs_typed else lhs, rhs, types,
        rhs_typed, vector, by_heads)
    assert np.isclose((product * grad).sum(), (rhs * got).sum(), rtol=1e-12)


@pytest.mark.parametrize("types", [None, 3, 0])
@pytest.mark.parametrize("vector", [False, True])
def test_weight_product_by_heads(types, vector):
    """Also of no types at all."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal((() if types is None else (types,)) + (4, 2 * 5))
    b = rng.standard_normal((2, 5) if vector else (2, 5, 3))
    out = reference.weight_product(a, b, types is not None, False, vector, True)
    assert out.shape == (*a.shape[:-1], 2 if vector else 6)
    grad = reference.weight_outer(a, out, types is not None, types is not None,
                                  False, vector, 2)
    assert grad.shape == b.shape
    for u, found in [(a, out)] if types is None else zip(a, out):
        for h in range(2):
            width = 1 if vector else 3
            equal(found[:, h * width:(h + 1) * width],
                  (u[:, 5 * h:5 * h + 5] @ b[h]).reshape(4, width))


def test_weight_combine():
    rng = np.random.default_rng(0)
    c, b = rng.standard_normal((3, 2)), rng.standard_normal((2, 4, 5, 6))
    out = reference.weight_combine(c, b)
    for t in range(3):
        equal(out[t], c[t, 0] * b[0] + c[t, 1] * b[1])


KINDS = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b,
         "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
         "copy": lambda a, b: a}


@pytest.mark.parametrize("kind", KINDS)
def test_apply_spmm_sddmm(pair, kind):
    graph, naive = pair
    from_edges = [(t, v) for s, t, v in paths(graph) if s == "edge"]
    targets = from_edges[::3]
    some = from_edges[1::2]
    for (ls, lv), (rs, rv) in itertools.product(from_edges, some):
        for lf, rf in (((2, 3), (2,)), ((), (3,))):
            a, b = rows(graph, ls, lf), rows(graph, rs, rf, seed=1)
            more = {} if kind == "copy" else dict(rhs=b, rhs_space=rs,
                                                  rhs_via=rv)
            if kind == "copy" and (rs, rv) != some[0]:
                continue
            out = reference.apply(graph, kind, "edge", a, ls, lhs_via=lv, **more)
            shape = lf if kind == "copy" or len(lf) > len(rf) else rf
            expected = np.empty((graph.num_edges,) + shape)
            for e, f in itertools.product(range(graph.num_edges),
                                          np.ndindex(shape)):
                left = a[(naive.lead("edge", e, ls, lv),) + f[:len(lf)]]
                right = b[(naive.lead("edge", e, rs, rv),) + f[:len(rf)]]
                expected[(e,) + f] = KINDS[kind](left, right)
            equal(out, expected)
            for target, via in targets:
                y = reference.spmm(graph, kind, "mean", target, a, ls,
                                   lhs_via=lv, via=via, **more)
                equal(y, reference.aggregate(graph, "mean", out, "edge", target,
                                             via))
        if kind == "mul":
            a, b = rows(graph, ls, (2, 3)), rows(graph, rs, (2, 3), seed=1)
            out = reference.sddmm(graph, "edge", a, ls, b, rs, lv, rv)
            expected = [[math.fsum(a[naive.lead("edge", e, ls, lv), h] *
                                   b[naive.lead("edge", e, rs, rv), h])
                         for h in range(2)] for e in range(graph.num_edges)]
            equal(out, np.reshape(expected, (-1, 2)))


@pytest.mark.parametrize("special", [False, True])
def test_edge_softmax(pair, special):
    graph, naive = pair
    cases = [("edge", over) for over in ("src", "dst", "src_pair", "dst_pair")]
    for space, over in cases + [("src_pair", "src"), ("dst_pair", "dst")]:
        target = over if not graph.square or "pair" in over else "node"
        via = over if target == "node" and space == "edge" else None
        x = rows(graph, space, (2,), special=special)
        out = reference.edge_softmax(graph, x, space, over)
        expected = np.zeros_like(x)
        for g, f in itertools.product(range(naive.count(target)), range(2)):
            group = naive.group(space, g, target, via)
            if group:
                expected[group, f] = softmax(x[group, f].tolist())
        equal(out, expected)


@pytest.mark.parametrize("kind", ["add", "by", "dot"])
@pytest.mark.parametrize("over", ["dst", "src", "dst_pair"])
def test_attention(pair, kind, over):
    graph, naive = pair
    end, far = over[:3], "src" if over[:3] == "dst" else "dst"
    nodes = {"src": "node", "dst": "node"} if graph.square else {
        "src": "src", "dst": "dst"}

    def read(space, features, seed):
        via = space if space in nodes else None
        x = rows(graph, nodes.get(space, space), features) * (1 + seed)
        operand = x, nodes.get(space, space), via if graph.square else None
        at = [x[naive.lead("edge", i, *operand[1:])]
              for i in range(naive.count("edge"))]
        return operand, np.array(at).reshape((-1, *features))

    d = () if kind == "add" else (3,)
    (a, left), (b, right) = read("src", (2, *d), 0), read("dst", (2, *d), 1)
    value, values = read(far, (2, 4), 2)
    prior, priors = read("edge_type", (2,), 3)
    factor, factors = read("edge", (), 4)
    by = np.arange(6.).reshape(2, 3) - 2

    def given(left, right, prior, by=None):
        if kind == "dot":
            score = (left * right).sum(-1)
        else:
            score = left + right
            score = np.maximum(score, 0) + 0.2 * np.minimum(score, 0)
        return (score if by is None else (score * by).sum(-1)) * 0.5 * prior

    score = given(left, right, priors, by if kind == "by" else None)
    groups = over if "pair" in over else nodes[end]
    via = end if groups == "node" else None
    weight = np.zeros_like(score)
    for g, h in itertools.product(range(naive.count(groups)), range(2)):
        group = naive.group("edge", g, groups, via)
        if group:
            weight[group, h] = softmax(score[group, h].tolist())
    message = (weight * factors[:, None])[..., None] * values
    inputs = [a, b, prior] + [by] * (kind == "by")
    out, highest, total = reference.attention(
        graph, inputs, given, value, nodes[end], over, factor, statistics=True)
    equal(reference.attention(graph, inputs, given, value, nodes[end], over, factor),
          out)
    for g in range(naive.count(groups)):
        of = score[naive.group("edge", g, groups, via)]
        equal(highest[g], of.max(0) if len(of) else [0, 0])
        equal(total[g], np.exp(of - of.max(0)).sum(0) if len(of) else [0, 0])
    via = end if graph.square else None
    for g in range(naive.count(nodes[end])):
        group = naive.group("edge", g, nodes[end], via)
        equal(out[g], message[group].sum(0))


def test_paths_of_one_node_graph_keep_multi_edges():
    graph = GRAPHS["one node"]
    x = rows(graph, "edge")
    equal(reference.aggregate(graph, "sum", x, "edge", "node", "dst"), [x.sum()])
    equal(reference.degree(graph, "edge", "src_pair"), [3, 1, 1])


def test_ties_take_the_lowest_edge_in_the_users_order():
    from gnn_mlir import Graph
    graph = Graph([0, 1, 2, 0, 1], [1, 0, 1, 1, 0], 3)
    for kind in ("max", "min"):
        _, argument = reference.aggregate(graph, kind, np.zeros(5), "edge",
                                          "node", "dst", argument=True)
        assert argument.tolist() == [1, 0, -1]


def test_spaces_name_what_they_refuse():
    with pytest.raises(ValueError, match="a row of node does not lead to one row "
                       "of edge"):
        spaces.check_path("node", "edge", None)
    with pytest.raises(ValueError, match="there are two paths, expected via"):
        spaces.check_path("edge", "node", None)
    with pytest.raises(ValueError, match="there is one path, expected no via"):
        spaces.check_path("edge", "dst_pair", "dst")
