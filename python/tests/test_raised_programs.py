# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as a front end writes them op by op take as many kernels as those that are
written by hand, compute what they mean, and so do their gradients."""

import os

import numpy as np
import pytest

from gnn_mlir import Graph, add_self_loops, compile, models, types
from gnn_mlir.program import Module
from support import gradients

RNG = np.random.default_rng(3)
GRAPH = add_self_loops(
    Graph(RNG.integers(0, 23, 90), RNG.integers(0, 23, 90), 23), "replace", 0)
SIZE = 12


def begin(**kinds):
    module = Module()
    g = module.graph("g", **kinds)
    f = module.function("f")
    return g, f, f.input("x", g.rows("node", SIZE))


def by_hand(module):
    return next(iter(module.functions.values()))


def torch_linear(f, x, out, name, bias=True):
    """With a weight as torch has it: [out, in]."""
    weight = f.weight_transpose(f.input(name, types.weight(out, *x.features)))
    return f.linear(x, weight, f.input(name + "_bias", types.weight(out)) if bias
                    else None)


def gcn():
    g, f, x = begin(self_loops=True)
    weight = f.constant(1.0, g.rows("edge"))
    degree = f.aggregate("sum", weight, "node", via="dst")
    root = f.elementwise("math.rsqrt", degree)
    zero, infinite = (f.constant(c, root.type) for c in (0.0, np.inf))
    root = f.where(f.compare("eq", root, infinite), zero, root)
    norm = f.gather(root, "edge", via="src") * weight
    norm = norm * f.gather(root, "edge", via="dst")
    message = f.gather(torch_linear(f, x, SIZE, "weight", bias=False), "edge", via="src")
    norm = f.reshape(f.reshape(norm, 1))
    y = f.aggregate("sum", f.apply("mul", "edge", norm, message), "node", via="dst")
    f.output("out", y + f.broadcast(f.input("bias", types.weight(SIZE)), y.type))
    return f


def transformer():
    g, f, x = begin()
    query, key, value = (f.reshape(torch_linear(f, x, SIZE, name), 2, SIZE // 2)
                         for name in ("query", "key", "value"))
    product = f.gather(query, "edge", via="dst") * f.gather(key, "edge", via="src")
    score = f.reduce_features("sum", product)
    score = score / f.constant(float(SIZE // 2) ** 0.5, score.type)
    weight = f.reshape(f.reshape(f.edge_softmax(score, over="dst"), 2, 1), 2)
    message = f.apply("mul", "edge", f.gather(value, "edge", via="src"), weight)
    y = f.reshape(f.aggregate("sum", message, "node", via="dst"), SIZE)
    root = torch_linear(f, x, SIZE, "root")
    gate = torch_linear(f, f.concat(y, root, y - root), 1, "beta", bias=False)
    gate = f.activation("sigmoid", gate)
    rest = f.constant(1.0, gate.type) - gate
    f.output("out", f.apply("mul", "node", f.reshape(gate), root) +
             f.apply("mul", "node", f.reshape(rest), y))
    return f


def normalized(naive):
    """Rows divided by their length."""
    g, f, x = begin()
    near = f.aggregate("mean", f.gather(x, "edge", via="src"), "node", via="dst")
    if naive:
        length = f.elementwise("math.sqrt", f.reduce_features("sum", near * near))
        length = f.reshape(length, 1)
        length = f.elementwise("arith.maximumf", length, f.constant(1e-12, length.type))
        y = near / f.broadcast(f.reshape(length), near.type)
    else:
        length = f.elementwise("math.sqrt", f.dot(near, near))
        length = f.elementwise("arith.maximumf", length, f.constant(1e-12, length.type))
        y = near / f.broadcast(length, near.type)
    f.output("out", y)
    return f


def for_heads(naive):
    """Each row for each head, weighed by a vector of the head."""
    g, f, x = begin()
    if naive:
        rows = f.reshape(f.concat(x, x, x), 3, SIZE)
    else:
        rows = f.outer_rows(f.constant(1.0, g.rows("node", 3)), x)
    weight = f.input("weight", types.weight(3, SIZE))
    y = f.activation("relu", rows * f.broadcast(weight, rows.type))
    f.output("out", f.reduce_heads("sum", y))
    return f


def parts(naive):
    """A row taken apart and joined, times 1, plus 0."""
    g, f, x = begin()
    y = f.activation("tanh", x)
    if naive:
        y = f.concat(f.slice(y, 0, 5), f.slice(y, 5, SIZE - 5))
        y = y * f.constant(1.0, y.type) + f.constant(0.0, y.type)
    f.output("out", f.aggregate("sum", f.gather(y, "edge", via="src"), "node", via="dst"))
    return f


PAIRS = {
    "gcn": (gcn, lambda: by_hand(models.gcn((SIZE, SIZE)))),
    "transformer": (transformer, lambda: by_hand(
        models.transformer((SIZE, SIZE // 2), heads=2, beta=True))),
    "normalized": (lambda: normalized(True), lambda: normalized(False)),
    "for-heads": (lambda: for_heads(True), lambda: for_heads(False)),
    "parts": (lambda: parts(True), lambda: parts(False)),
}


def report(f):
    """The kernels, and the bytes that they read and write."""
    steps = compile(f, target="emulator", graph=GRAPH).bind(GRAPH, "emulator").report()["steps"]
    return ([step["kernel"] for step in steps],
            sum(step["bytes_read"] + step["bytes_written"] for step in steps))


@pytest.mark.parametrize("name", PAIRS)
def test_as_many_kernels_as_by_hand(name):
    (naive, bytes_naive), (hand, bytes_hand) = (report(make()) for make in PAIRS[name])
    assert len(naive) == len(hand), f"expected {hand}, got {naive}"
    assert bytes_naive <= 1.02 * bytes_hand


@pytest.mark.parametrize("name", PAIRS)
def test_outputs_and_gradients(name, gnn_opt):
    f = PAIRS[name][0]()
    inputs = f.random_inputs(GRAPH, 1)
    graphs = {"g": GRAPH}
    expected = f.evaluate(graphs, inputs)
    out = compile(f, target="emulator", graph=GRAPH)(GRAPH, inputs)
    np.testing.assert_allclose(out, expected["out"], rtol=1e-4, atol=1e-5)
    pipeline = gradients.PIPELINES["after the passes"]
    made = gradients.differentiate(gnn_opt, f, None, pipeline)
    text = gradients.text(gnn_opt, f, None, pipeline)
    gradients.check_kernels(text, f, graphs, inputs, made,
                            target=os.environ.get("GNN_TEST_TARGET", "emulator"))
