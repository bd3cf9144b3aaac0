# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants as any operand of any op: one number, or as many as there are, which are data
of the package. Held against the reference on the emulator and the CPU, or on a GPU where
GNN_TEST_TARGET=cuda."""

import itertools
import os

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import Graph, Module, weight
from gnn_mlir.compiler import CompiledFunction
from support import cases, errors

TARGETS = ["cuda"] if os.environ.get("GNN_TEST_TARGET") == "cuda" else ["emulator", "cpu"]
GRAPH = Graph([0, 1, 2, 2, 4, 3, 3], [1, 1, 0, 1, 4, 1, 0], 6, edge_type=[0, 1, 0, 2, 2, 0, 0],
              node_type=[0, 1, 0, 0, 1, 1], num_edge_types=4, num_node_types=2)


def kinds(g):
    """The types of the table below by one letter or a few."""
    return {
        "n": g.rows("node", 4), "m": g.rows("node", 3), "n1": g.rows("node"),
        "h": g.rows("node", 2, 4), "s": g.rows("node", 2), "e": g.rows("edge", 4),
        "e3": g.rows("edge", 3), "e1": g.rows("edge"), "p": g.rows("src_pair", 4),
        "t": g.rows("edge_type", 4), "t1": g.rows("edge_type"), "u": g.rows("graph", 4),
        "tw": g.rows("edge_type", 4, 3), "tb": g.rows("edge_type", 3),
        "tc": g.rows("edge_type", 2), "nt": g.rows("node_type", 4, 3),
        "w": weight(4, 3), "w33": weight(3, 5), "b": weight(3), "d": weight(4),
        "hw": weight(2, 4, 3), "hb": weight(2, 3), "hd": weight(2, 4),
        "bases": weight(2, 4, 3), "wt": weight(3, 4), "1": weight(1)}


# By group: what is called, and the types of its operands.
OPS = {
    "products": [
        (lambda f, *a: f.linear(*a), "n w"), (lambda f, *a: f.linear(*a), "n w b"),
        (lambda f, *a: f.linear(*a), "h w"), (lambda f, *a: f.linear(*a), "h hw hb"),
        (lambda f, *a: f.typed_linear(*a), "e tw"),
        (lambda f, x, w, b: f.typed_linear(x, w, None, b), "e tw tb"),
        (lambda f, *a: f.typed_linear(*a), "t tw"),
        (lambda f, *a: f.typed_linear(*a), "n nt"),
        (lambda f, *a: f.outer(*a), "n m"),
        (lambda f, x, y: f.typed_outer(x, y, "edge_type"), "e e3"),
        (lambda f, x, y: f.typed_outer(x, y, "edge_type"), "t tb"),
        (lambda f, x, w: f.linear(x, f.weight_transpose(w)), "n wt")],
    "weights": [
        (lambda f, *a: f.weight_product(*a), "w w33"),
        (lambda f, *a: f.weight_product(*a), "tw w33"),
        (lambda f, *a: f.weight_product(*a), "tw tb"),
        (lambda f, a, b: f.weight_product(a, b, by_heads=True), "w33b w33h"),
        (lambda f, a, b: f.weight_outer(a, b, weight(4, 5)), "wt w35"),
        (lambda f, *a: f.weight_combine(*a), "tc bases"),
        (lambda f, a: f.weight_transpose(a), "w"),
        (lambda f, a: f.weight_transpose(a), "tw"),
        (lambda f, a, b: a + b, "w w"), (lambda f, a, b: a * b, "w b"),
        (lambda f, a: f.slice(a, 1, 2), "w"), (lambda f, a: f.pad(a, 1, 5), "w"),
        (lambda f, a: f.reshape(a, 12), "w"), (lambda f, a: f.sum_rows(a, weight(3)), "w")],
    "rows": [
        (lambda f, a: f.gather(a, "edge", "src"), "n"), (lambda f, a: f.gather(a, "node"), "u"),
        (lambda f, a: f.gather(a, "edge"), "t"),
        (lambda f, a: f.aggregate("sum", a, "node", "dst"), "e"),
        (lambda f, a: f.aggregate("max", a, "graph"), "n"),
        (lambda f, a: f.aggregate("mean", a, "edge_type"), "e"),
        (lambda f, *a: f.apply("mul", "node", *a), "n u"),
        (lambda f, *a: f.apply("add", "edge", *a), "e t"),
        (lambda f, a, b: f.apply("mul", "edge", a, b, "src"), "n e1"),
        (lambda f, a, b: f.sddmm("edge", a, b, "src", "dst"), "n n"),
        (lambda f, a, b: f.spmm("mul", "sum", "node", a, b, "src", None, "dst"), "n e1"),
        (lambda f, a: f.edge_softmax(a), "e1"),
        (lambda f, a, b: a * b, "t t"), (lambda f, a, b: a - b, "u u"),
        (lambda f, a: f.sum_rows(a), "n"), (lambda f, a: f.sum_rows(a), "t")],
    "features": [
        (lambda f, *a: f.dot(*a), "n d"), (lambda f, *a: f.dot(*a), "h hd"),
        (lambda f, *a: f.dot(*a), "n n"), (lambda f, *a: f.outer_rows(*a), "n m"),
        (lambda f, a, w: f.activation("prelu", a, w), "n d"),
        (lambda f, a: f.activation("elu", a, alpha=1.0), "n"),
        (lambda f, *a: f.batch_norm(*a), "n d d d d"), (lambda f, *a: f.layer_norm(*a), "n d d"),
        (lambda f, a: f.broadcast(a, a.graph.rows("node", 4, 2)), "n"),
        (lambda f, a, x: f.broadcast(a, x.type) + x, "d n"),
        (lambda f, *a: f.concat(*a), "n m"), (lambda f, a: f.slice(a, 1, 2), "n"),
        (lambda f, a: f.pad(a, 1, 7), "n"), (lambda f, a: f.reshape(a, 2, 2), "n"),
        (lambda f, a: f.reduce_heads("mean", a), "h"),
        (lambda f, a: f.reduce_features("max", a), "n"),
        (lambda f, x, of: f.pick_feature(x, of, "max", "features"), "n1 n"),
        (lambda f, *a: f.where(f.compare("gt", *a), *a), "n n")]}


def constant(f, kind, several, rng):
    if several and kind.rows != "?" and (kind.space is not None or kind.features):
        return f.constant(rng.uniform(0.25, 2, kind.shape()).round(3), kind)
    return f.constant(0.75, kind)


def programs(group):
    """Each op with a constant as each operand, and as all of them."""
    module, rng = Module(), np.random.default_rng(0)
    g = module.graph_like("g", GRAPH)
    named = {**kinds(g), "w33b": weight(3, 8), "w33h": weight(2, 4, 5), "w35": weight(3, 5)}
    for number, (op, letters) in enumerate(OPS[group]):
        types = [named[letter] for letter in letters.split()]
        chosen = [{i} for i in range(len(types))] + [set(range(len(types)))] * (len(types) > 1)
        for which, several in itertools.product(chosen, (False, True)):
            name = f"op{number}_{''.join(map(str, sorted(which)))}_{'all' if several else 'one'}"
            f = module.function(name)
            operands = [constant(f, kind, several, rng) if i in which else
                        f.input(f"x{i}", kind) for i, kind in enumerate(types)]
            f.output("out", op(f, *operands))
    return module


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("group", OPS)
def test_constants_as_operands(compiler, group, target):
    module = programs(group)
    compiled = gnn_mlir.compile(module, next(iter(module.functions)), target=target)
    for name, function in module.functions.items():
        graphs = {"g": GRAPH} if function.graphs() else {}
        inputs = cases.make_inputs(function, graphs, "positive")
        found = CompiledFunction(compiled.package, name).bind(graphs, target)(inputs)
        errors.check(name, np.asarray(found), function.evaluate(graphs, inputs)["out"],
                     errors.TOTAL, errors.BY_ROW)
