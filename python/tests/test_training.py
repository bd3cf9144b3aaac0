# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Needs of training besides gradients: seeds and offsets of dropout that change
from run to run, and batch statistics."""

import numpy as np
import pytest

from gnn_mlir import Module, types
from gnn_mlir.compiler import compile as compile_program
from support import graphs

GRAPH = graphs.random_graph(33, 90, 2, 3, seed=1)


# -- Integers that are inputs ----------------------------------------------------


def dropped(space="node"):
    """x with features dropped, by a seed and an offset that are inputs."""
    module = Module()
    g = module.graph_like("g", GRAPH)
    f = module.function("f")
    x = f.input("x", g.rows(space, 8))
    seed, offset = f.input("seed", types.I64), f.input("offset", types.I64)
    f.output("out", f.dropout(x, 0.5, seed, offset))
    return f


def ones(function, **integers):
    return {"x": np.ones(function.inputs["x"].type.shape(GRAPH), np.float32),
            **integers}


@pytest.mark.parametrize("space", ["node", "edge"])
def test_offsets_of_dropout_are_inputs(space, compiler):
    f = dropped(space)
    run = compile_program(f).bind(GRAPH)
    made = {}
    for seed, offset in ((7, 0), (7, 100), (8, 0), (-5, 2 ** 40), (2 ** 63 - 1, -1)):
        inputs = ones(f, seed=seed, offset=offset)
        made[seed, offset] = out = run(inputs)
        assert np.array_equal(out, run(inputs))
        assert np.array_equal(out, f.evaluate(GRAPH, inputs)["out"])
        assert set(np.unique(out)) == {0, 2}
    assert len({out.tobytes() for out in made.values()}) == len(made)


def test_integers_are_those_of_numpy(compiler):
    f = dropped()
    compiled = compile_program(f)
    expected = compiled(GRAPH, ones(f, seed=3, offset=4))
    for integer in (np.int64, lambda n: np.array(n, np.int64)):
        inputs = ones(f, seed=integer(3), offset=integer(4))
        assert np.array_equal(compiled(GRAPH, inputs), expected)


@pytest.mark.parametrize("given,message", [
    (1.5, "input 'seed': expected an int, an array or a tensor of int64, got float"),
    (True, "input 'seed': expected an int, an array or a tensor of int64, got bool"),
    (2 ** 63, "input 'seed': expected an integer from -9223372036854775808 to "
              "9223372036854775807, got 9223372036854775808"),
    (np.int32(1), "input 'seed': expected int64, got int32"),
    (np.zeros(1, np.int64), r"input 'seed': expected shape \(\), got \(1,\)"),
])
def test_what_is_no_integer_is_refused(given, message, compiler):
    f = dropped()
    with pytest.raises(ValueError, match=message):
        compile_program(f)(GRAPH, ones(f, seed=given, offset=0))


def test_integers_are_no_rows(compiler):
    f = dropped()
    with pytest.raises(ValueError, match="input 'x': expected an array or a tensor "
                       "of float32, got int"):
        compile_program(f)(GRAPH, {"x": 1, "seed": 1, "offset": 1})


@pytest.mark.parametrize("use,message", [
    (lambda f, x, s: x + s, "expected rows, weights and numbers, got i64"),
    (lambda f, x, s: f.broadcast(s, x.type),
     "broadcast: expected rows or a weight as x, got i64"),
    (lambda f, x, s: f.dropout(x, 0.5, x), "dropout: expected an integer, got tensor"),
    (lambda f, x, s: f.output("out", s),
     "f: output 'out': expected rows or a weight, got i64"),
    (lambda f, x, s: f.input("y", types.ScalarType("i32")),
     "f: input 'y': expected the type of rows, of a weight or I64, got"),
])
def test_integers_have_one_use(use, message):
    module = Module()
    f = module.function("f")
    x = f.input("x", module.graph_like("g", GRAPH).rows("node", 8))
    with pytest.raises(ValueError, match=message):
        use(f, x, f.input("seed", types.I64))


def test_an_integer_of_the_meaning_is_one():
    f = dropped()
    with pytest.raises(ValueError, match="f: input 'seed': expected an integer, got "
                       r"(np.float64\()?1.5"):
        f.evaluate(GRAPH, ones(f, seed=1.5, offset=0))


# -- Batch statistics ------------------------------------------------------------


def normalized(graph, space, *features, momentum=0.1, eps=1e-5):
    module = Module()
    g = module.graph_like("g", graph)
    f = module.function("f")
    like = types.weight(*features)
    values = [f.input(n, like) for n in ("mean", "variance", "gamma", "beta")]
    results = f.batch_norm_training(f.input("x", g.rows(space, *features)), *values,
                                    momentum=momentum, eps=eps)
    for name, value in zip(("out", "new_mean", "new_variance"), results):
        f.output(name, value)
    return f


@pytest.mark.parametrize("rows", [0, 1])
def test_batch_norm_of_one_row_and_none(rows, compiler):
    """One row is beta, and has no variance; none leave the statistics as they are."""
    graph = graphs.random_graph(rows, 0, 1, 1)
    f = normalized(graph, "node", 4, momentum=0.25)
    inputs = f.random_inputs(graph, seed=5)
    for found in (f.evaluate(graph, inputs), compile_program(f)(graph, inputs)):
        np.testing.assert_allclose(
            found["out"], np.broadcast_to(inputs["beta"], (rows, 4)), rtol=1e-6)
        kept, mean = 0.75 if rows else 1.0, inputs["x"].sum(0)
        np.testing.assert_allclose(found["new_mean"],
                                   kept * inputs["mean"] + 0.25 * mean, rtol=1e-6)
        np.testing.assert_allclose(found["new_variance"], kept * inputs["variance"],
                                   rtol=1e-6)


@pytest.mark.parametrize("change,message", [
    ({"momentum": 1.5}, "expected a momentum from 0 to 1, got 1.5"),
    ({"momentum": None}, "expected a number as momentum, got None"),
    ({"eps": 0}, "expected a positive eps, got 0"),
])
def test_batch_norm_in_training_refuses(change, message):
    with pytest.raises(ValueError, match="batch_norm_training: " + message):
        normalized(GRAPH, "node", 4, **change)


def test_batch_norm_in_training_needs_weights_of_its_features():
    module = Module()
    g = module.graph_like("g", GRAPH)
    f = module.function("f")
    x, w = f.input("x", g.rows("node", 2, 4)), f.input("w", types.weight(4))
    with pytest.raises(ValueError, match="batch_norm_training: expected "
                       "tensor<2x4xf32>, got tensor<4xf32>"):
        f.batch_norm_training(x, w, w, w, w)
    row = f.input("row", g.rows("graph", 4))
    with pytest.raises(ValueError, match="expected several rows, got tensor<1x4xf32"):
        f.batch_norm_training(row, w, w, w, w)
