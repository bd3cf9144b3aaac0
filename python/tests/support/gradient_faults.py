# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults that a pass could have when it makes a backward function, planted to see
that `gradients.check` finds them.

Each is a function that takes a `gradients.Differentiated` and gives others like it,
each with one fault in its backward function; none where it has no place for it.
"""

import contextlib
import copy
import dataclasses
import functools

import numpy as np

from gnn_mlir import reference
from gnn_mlir.graph import Graph


def _with_ops(made, change):
    """Copies with one op of the backward function changed: all that `change` gives
    another op for, or several in its place."""
    for number, op in enumerate(made.backward.body.ops):
        for changed in change(op):
            faulty, backward = copy.copy(made), copy.copy(made.backward)
            ops = list(backward.body.ops)
            ops[number:number + 1] = changed if isinstance(changed, list) else [changed]
            backward.body = dataclasses.replace(backward.body, ops=tuple(ops))
            faulty.backward = backward
            yield faulty


def wrong_end(made):
    """A path that goes by the other end."""
    def change(op):
        for name in ("via", "lhs_via", "rhs_via", "value_via"):
            if op.attributes.get(name):
                other = {"src": "dst", "dst": "src"}[op.attributes[name]]
                yield dataclasses.replace(op, attributes={**op.attributes, name: other})
    return _with_ops(made, change)


def forgotten_reader(made):
    """A sum of the gradients of two readers that has one of them."""
    def change(op):
        if op.name == "arith.addf":
            for kept in op.operands:
                yield dataclasses.replace(op, name="arith.maximumf",
                                          operands=(kept, kept))
    return _with_ops(made, change)


def forgotten_operand(made):
    """The gradient of an operand from an attention's scores, or from any sum over
    edges, is 0: nothing was added up for it."""
    def change(op):
        if op.name == "gnn.aggregate" and len(op.results) == 1:
            sums, kinds = ("%_sums",), op.result_types
            yield [dataclasses.replace(op, results=sums),
                   dataclasses.replace(op, name="arith.subf", operands=sums * 2,
                                       types=kinds * 2, attributes={})]
    return _with_ops(made, change)


class _Patched:
    """A backward function that takes functions of the reference for others."""

    def __init__(self, function, changes):
        self.function, self.changes = function, changes
        self.name, self.body = function.name, function.body
        self.arguments, self.results = function.arguments, function.results

    def evaluate(self, *arguments):
        with contextlib.ExitStack() as stack:
            for name, change in self.changes.items():
                right = getattr(reference, name)
                stack.callback(setattr, reference, name, right)
                setattr(reference, name, functools.wraps(right)(change(right)))
            return self.function.evaluate(*arguments)


def _with_meaning(made, ops, changes):
    if any(op.name.removeprefix("gnn.") in ops for op in made.backward.body.ops):
        faulty = copy.copy(made)
        faulty.backward = _Patched(made.backward, changes)
        yield faulty


def missing_degree(made):
    """The gradient of a mean that is not divided by the number of rows."""
    return _with_meaning(made, ("degree",), {"degree": lambda right: (
        lambda *a, **k: np.ones_like(right(*a, **k)))})


def _without_parallels(graph, x):
    """Rows of edges, 0 for all but the first with the same ends and type."""
    ends = np.stack([graph.edge_src, graph.edge_dst, graph.edge_type])
    kept = np.zeros(graph.num_edges, bool)
    kept[np.unique(ends, axis=1, return_index=True)[1]] = True
    return np.where(kept.reshape((-1,) + (1,) * (np.ndim(x) - 1)), x, 0.0)


def lost_parallel_edge(made):
    """A sum over edges that takes one of those that are parallel."""
    def change(right):
        def aggregate(graph, kind, x, source, *rest, **more):
            x = _without_parallels(graph, x) if source == "edge" else x
            return right(graph, kind, x, source, *rest, **more)
        return aggregate
    return _with_meaning(made, ("aggregate", "spmm"), {"aggregate": change})


_OTHER = {"src_pair": "dst_pair", "dst_pair": "src_pair"}


class _WrongPairs(Graph):
    """A graph whose edges lead to the pairs of one end by the numbers of the other."""

    def map(self, source, target, via=None):
        if source == "edge" and target in _OTHER:
            return super().map(source, _OTHER[target]) % max(self.count(target), 1)
        return super().map(source, target, via)


class _OnOthers(_Patched):
    def evaluate(self, graphs, *rest):
        others = {name: copy.copy(graph) for name, graph in graphs.items()}
        for graph in others.values():
            graph.__class__ = _WrongPairs
        return self.function.evaluate(others, *rest)


def wrong_pair(made):
    """A path from edges to pairs that goes to those of the other end."""
    spaces = {t.space for op in made.backward.body.ops
              for t in (*op.types, *op.result_types)}
    if "edge" in spaces and spaces & set(_OTHER):
        faulty = copy.copy(made)
        faulty.backward = _OnOthers(made.backward, {})
        yield faulty


FAULTS = {f.__name__: f for f in (
    wrong_end, forgotten_reader, forgotten_operand, missing_degree, lost_parallel_edge,
    wrong_pair)}
