# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's operators on values of a program, and what the builder refuses."""

import itertools
import operator

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import Module, weight
from support import errors

INFINITY, NAN = float("inf"), float("nan")
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 2.5, -2.5,
           INFINITY, -INFINITY, NAN, 1e-45, -1e-45, 3e38, -3e38, 16777215.0]


def program(*features, node_types=1):
    """A function "f" of inputs "a", "b" and so on, node rows of these features."""
    module = Module()
    g = module.graph("g", node_types)
    f = module.function("f")
    inputs = [f.input(name, g.rows("node", *sizes))
              for name, sizes in zip("abcd", features)]
    return (f, *inputs)


def nodes(count):
    return gnn_mlir.Graph([], [], count)


def evaluate(f, **inputs):
    count = len(next(iter(inputs.values())))
    return f.evaluate(nodes(count), inputs)["out"]


def compiled(f, **inputs):
    inputs = {name: np.asarray(x, np.float32) for name, x in inputs.items()}
    count = len(next(iter(inputs.values())))
    return gnn_mlir.compile(f, target="emulator")(nodes(count), inputs)


OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul,
             "/": operator.truediv, "**": operator.pow}


@pytest.mark.parametrize("name", OPERATORS)
def test_arithmetic_is_numpys(name):
    """With values, numbers on both sides, and NumPy's own numbers."""
    op, rng = OPERATORS[name], np.random.default_rng(0)
    x, y = rng.random((2, 5, 3)) + 0.5
    for other, number in ((None, None), (2.5, 2.5), (np.float32(2.5), 2.5), (2, 2)):
        f, a, b = program((3,), (3,))
        other = b if other is None else other
        f.output("out", op(a, other) - op(other, a))
        given = y if number is None else number
        np.testing.assert_allclose(evaluate(f, a=x, b=y), op(x, given) - op(given, x),
                                   rtol=1e-13)


COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt,
               ">=": operator.ge, "==": operator.eq, "!=": operator.ne}


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_are_numpys(compiler, name):
    op = COMPARISONS[name]
    x, y = np.array(list(itertools.product(SPECIAL, SPECIAL)), np.float32).T
    f, a, b = program((), ())
    f.output("out", f.where(op(a, b), 1.0, f.where(op(a, 0.5), 2.0, 3.0)))
    expected = np.where(op(x, y), 1, np.where(op(x, np.float32(0.5)), 2, 3))
    np.testing.assert_array_equal(evaluate(f, a=x, b=y), expected)
    np.testing.assert_array_equal(compiled(f, a=x, b=y), expected)


@pytest.mark.parametrize("name,function", [
    ("math.powf", np.power), ("math.atan2", np.arctan2)])
def test_special_values_are_numpys(compiler, name, function):
    x, y = np.array(list(itertools.product(SPECIAL, SPECIAL)), np.float32).T
    f, a, b = program((), ())
    f.output("out", f.elementwise(name, a, b))
    with np.errstate(all="ignore"):
        expected = function(x.astype(np.float64), y).astype(np.float32)
    out = compiled(f, a=x, b=y)
    np.testing.assert_array_almost_equal_nulp(np.nan_to_num(out),
                                              np.nan_to_num(expected), 2)
    np.testing.assert_array_equal(np.isnan(out), np.isnan(expected))
    np.testing.assert_array_equal(np.signbit(out)[~np.isnan(out)],
                                  np.signbit(expected)[~np.isnan(out)])


@pytest.mark.parametrize("name,function", [("math.floor", np.floor),
                                           ("math.ceil", np.ceil)])
def test_rounding_is_numpys(compiler, name, function):
    x = np.array(SPECIAL + [0.9, -0.9, 8388607.5, -8388607.5], np.float32)
    f, a = program(())
    f.output("out", f.elementwise(name, a))
    np.testing.assert_array_equal(compiled(f, a=x), function(x))


def test_conditions_are_joined(compiler):
    x = np.arange(-4, 5) / 2
    f, a = program(())
    f.output("out", f.where((a > -1) & (a <= 1) | (a == 2), a, INFINITY))
    expected = np.where((x > -1) & (x <= 1) | (x == 2), x, INFINITY)
    np.testing.assert_array_equal(evaluate(f, a=x), expected)
    np.testing.assert_array_equal(compiled(f, a=x), expected)


def shapes():
    """Feature sizes that broadcast to others, of up to four dimensions."""
    for full in ((3,), (2, 3), (2, 3, 4), (2, 1, 3, 2)):
        for drop in range(len(full) + 1):
            tail = full[drop:]
            for ones in itertools.product((False, True), repeat=len(tail)):
                yield tuple(1 if one else size
                            for one, size in zip(ones, tail)), full


@pytest.mark.parametrize("own,full", sorted(set(shapes())), ids=str)
def test_features_broadcast_as_in_numpy(own, full):
    rng = np.random.default_rng(0)
    x, y = rng.random((4, *own)), rng.random((4, *full))
    wide = x.reshape(4, *(1,) * (len(full) - len(own)), *own)
    f, a, b = program(own, full)
    f.output("out", f.concat(*[f.reshape(v, int(np.prod(full))) for v in (
        a * b, b / a, f.where(a < b, a, b), f.where(b < 0.5, a, 0.25))]))
    parts = [wide * y, y / wide, np.minimum(wide, y), np.where(y < 0.5, wide, 0.25)]
    np.testing.assert_allclose(
        evaluate(f, a=x, b=y),
        np.concatenate([p.reshape(4, -1) for p in parts], 1), rtol=1e-13)


@pytest.mark.parametrize("own,full", [((1,), (5,)), ((5,), (3, 5)), ((3, 1), (3, 5)),
                                      ((2, 1, 4), (2, 3, 4)), ((1, 3, 1), (2, 3, 4))])
def test_repeating_changes_no_bits(compiler, own, full):
    """Infinities, NaN and zeros are copied as they are."""
    size = int(np.prod(own))
    x = np.resize(np.array(SPECIAL, np.float32), (4, size)).reshape(4, *own)
    f, a = program(own)
    f.output("out", f.broadcast_to(a, a.type.with_features(*full)))
    wide = x.reshape(4, *(1,) * (len(full) - len(own)), *own)
    np.testing.assert_array_equal(compiled(f, a=x),
                                  np.broadcast_to(wide, (4, *full)))


def test_weights_broadcast_over_rows(compiler):
    f, a = program((2, 3))
    w, v = f.input("w", weight(3)), f.input("v", weight(2, 1))
    f.output("out", (w - a) * v + f.where(w > a, w, v) + 2 * w)
    rng = np.random.default_rng(0)
    x, y, z = rng.random((4, 2, 3)), rng.random(3), rng.random((2, 1))
    expected = (y - x) * z + np.where(y > x, y, z) + 2 * y
    np.testing.assert_allclose(evaluate(f, a=x, w=y, v=z), expected, rtol=1e-13)
    errors.check("out", compiled(f, a=x, w=y, v=z), expected)


def test_products_with_weights():
    f, a = program((4,), node_types=2)
    w, v = f.input("w", weight(4, 3)), f.input("v", weight(3, 2))
    typed = f.input("t", a.graph.rows("node_type", 4, 2))
    f.output("out", a @ w @ v)
    f.output("once", a @ (w @ v))
    f.output("typed", a @ typed)
    rng = np.random.default_rng(0)
    given = {"a": rng.random((5, 4)), "w": rng.random((4, 3)),
             "v": rng.random((3, 2)), "t": rng.random((2, 4, 2))}
    graph = gnn_mlir.Graph([], [], 5, node_type=[0, 1, 1, 0, 1])
    out = f.evaluate(graph, given)
    for name in ("out", "once"):
        np.testing.assert_allclose(out[name], given["a"] @ given["w"] @ given["v"])
    np.testing.assert_allclose(out["typed"], np.einsum(
        "ni,nio->no", given["a"], given["t"][graph.node_type]))


def test_softmax(compiler):
    f, a = program((2, 5))
    f.output("out", f.softmax(a))
    x = np.random.default_rng(0).standard_normal((3, 2, 5)) * 50
    x[0, 0, 1], x[1, 1, 2] = -INFINITY, NAN
    power = np.exp(x - x.max(-1, keepdims=True))
    expected = power / power.sum(-1, keepdims=True)
    np.testing.assert_allclose(evaluate(f, a=x), expected, rtol=1e-13)
    errors.check("out", compiled(f, a=x), evaluate(f, a=x.astype(np.float32)))


@pytest.mark.parametrize("number", [
    1 / 3, -0.0, 1e-45, 1.1754942e-38, 3.4028235e38, 16777217, np.float32(0.1),
    np.int64(7), 1e-7, INFINITY, -INFINITY, NAN], ids=str)
def test_constants_keep_their_bits(compiler, number):
    f, a = program(())
    f.output("out", f.where(a == a, number, a))
    out = compiled(f, a=np.zeros(1))
    assert out.tobytes() == np.float32([number]).tobytes()


def test_numpys_integers_are_sizes():
    assert gnn_mlir.models.gcn((np.int64(4), np.int32(3))).text() == (
        gnn_mlir.models.gcn((4, 3)).text())
    assert Module().graph("g", np.int64(2), np.int16(3)).text() == (
        "gnn.graph @g square {node_types = 2, edge_types = 3}")
    f, a = program((np.uint8(4),))
    assert f.slice(a, np.int64(1), np.int64(2)).features == (2,)
    assert f.reshape(a, np.int64(2), np.int64(2)).features == (2, 2)


REFUSED = {
    "gather: expected a value as x, got None": lambda f, a: f.gather(None, "edge"),
    "linear: expected a value as weight, got array": lambda f, a: f.linear(
        a, np.eye(4)),
    "dot: expected a value as rhs, got 3": lambda f, a: f.dot(a, 3),
    "concat: expected a value as input, got None": lambda f, a: f.concat(a, None),
    "attention: expected a value as an input, got None": lambda f, a: f.attention(
        "node", [(None, "src")], lambda body, x: x, a, value_via="src"),
    "degree: expected a declared graph as graph, got 'g'": lambda f, a: f.degree(
        "g", "edge", "node"),
    "broadcast: expected a type as like, got 4": lambda f, a: f.broadcast(a, 4),
    "constant: expected a number as value, got None": lambda f, a: a + None,
    "constant: expected a number as value, got 'x'": lambda f, a: a * "x",
    "constant: expected a number that f32 holds, got 1e[+]39": lambda f, a: a * 1e39,
    "activation: expected a finite alpha, got inf": lambda f, a: f.activation(
        "leaky_relu", a, alpha=INFINITY),
    "activation: expected a finite alpha, got nan": lambda f, a: f.activation(
        "elu", a, alpha=NAN),
    "activation: expected a number as alpha, got 'x'": lambda f, a: f.activation(
        "elu", a, alpha="x"),
    "layer_norm: expected a finite eps, got inf": lambda f, a: f.layer_norm(
        a, eps=INFINITY),
    "layer_norm: expected a number as eps, got None": lambda f, a: f.layer_norm(
        a, eps=None),
    "dropout: expected a number as p, got None": lambda f, a: f.dropout(a, None, 1),
    "dropout: expected an integer, got None": lambda f, a: f.dropout(a, 0.5, None),
    "slice: expected an integer, got 1.5": lambda f, a: f.slice(a, 1.5, 2),
    r"expected positive integers as feature sizes, got \(2.0, 2\)":
        lambda f, a: f.reshape(a, 2.0, 2),
    "arith.addf: expected operands of one type, or features that broadcast":
        lambda f, a: a + f.slice(a, 0, 3),
    "broadcast_to: expected features that broadcast to":
        lambda f, a: f.broadcast_to(a, a.type.with_features(4, 3)),
    "math.powf: expected 2 operands, got 1": lambda f, a: f.elementwise(
        "math.powf", a),
    "arith.addf: expected f32 operands, got .*i1": lambda f, a: (a > 0) + a,
    "arith.andi: expected i1 operands, got .*f32": lambda f, a: (a > 0) & a,
    "compare: expected numbers, got .*i1": lambda f, a: (a > 0) == (a > 1),
    "where: expected a condition, as of x > 0, got Value": lambda f, a: f.where(
        a, a, a),
    "f: output 'out': expected numbers, .* got a condition": lambda f, a: f.output(
        "out", a > 0),
    "a value is not known before the program runs": lambda f, a: 1 if a > 0 else 2,
    "expected slice or reshape, got a loop": lambda f, a: list(a),
    "f: output: expected an identifier as a name, got 'a\"b'":
        lambda f, a: f.output('a"b', a),
    "f: output: expected an identifier as a name, got None":
        lambda f, a: f.output(None, a),
    "named: expected an identifier as a name, got 'a b'": lambda f, a: a.named("a b"),
    "f: input: expected an identifier as a name, got 7": lambda f, a: f.input(
        7, a.type),
    "f: input 'x': expected the type of rows, of a weight or I64, got 4":
        lambda f, a: f.input("x", 4),
    "f: expected 1 width, one for each node type, got 4":
        lambda f, a: f.typed_input("x", a.graph, 4),
    "graph: expected an identifier as a name, got 'a b'":
        lambda f, a: f.module.graph("a b"),
    "function: expected an identifier as a name, got None":
        lambda f, a: f.module.function(None),
    "graph 'h': edge_types: expected an integer from 0 to 65535, got -1":
        lambda f, a: f.module.graph("h", edge_types=-1),
    "graph 'h': node_types: expected an integer, got 1.5":
        lambda f, a: f.module.graph("h", 1.5),
    r"graph 'h': schema: expected a pair of node types .*, got \[0\]":
        lambda f, a: f.module.graph("h", schema=[0]),
    "graph 'h': schema: expected a pair of node types .*, got 5":
        lambda f, a: f.module.graph("h", schema=5),
    r"graph 'h': schema: expected node types from -1 to 0, got \[\(0, 1\)\]":
        lambda f, a: f.module.graph("h", schema=[(0, 1)]),
    "schema: expected a pair of node types": lambda f, a: gnn_mlir.Graph(
        [], [], 2, schema=[(0, 0, 0)]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    f, a = program((4,))
    with pytest.raises(ValueError, match=message):
        REFUSED[message](f, a)


def test_graphs_and_inputs_that_nothing_reads():
    """Keys that are in no declaration are errors, not ignored."""
    module = Module()
    g = module.graph("g", node_types=2)
    f = module.function("f")
    (_, x), = f.typed_input("x", g, {0: 3, 1: 3})
    f.output("out", x)
    graph = gnn_mlir.Graph([], [], 2, node_type=[0, 1], node_type_names=["a", "b"])
    rows = {"a": np.ones((1, 3)), "b": np.ones((1, 3))}
    assert f.evaluate({"g": graph}, {"x": rows})["out"].shape == (2, 3)
    with pytest.raises(ValueError, match="f: expected graphs g, got 'h'"):
        f.evaluate({"g": graph, "h": graph}, {"x": rows})
    with pytest.raises(ValueError, match="f: expected a graph, or a list or dict of graphs "
                                         "g, got None"):
        f.evaluate(None, {"x": rows})
    for key in ("c", 2, -1):
        with pytest.raises(ValueError, match=f"f: input 'x': expected node types of "
                                             f"a, b, got {key!r}"):
            f.evaluate(graph, {"x": {**rows, key: np.ones((1, 3))}})
    with pytest.raises(ValueError, match="f: input 'x': expected a dict by node "
                                         "type, got ndarray"):
        f.evaluate(graph, {"x": np.ones((2, 3))})
