# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows with parts, which a view puts behind each other: [rows, parts, ...] as [rows * parts, ...].

Values made of these row by row, until a view has the rows again, are made of each part by
itself, so that rows stay the rows of a graph. """

import math

import torch
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from ..analysis.dimensions import GATHERS, is_reshape, kept
from ..analysis.values import equal, made_of, value_of

aten = torch.ops.aten

_MOST_PARTS = 8


class _Other(Exception):
    """Rows that are used by what is not known here."""


def rewrite(graph):
    """Rewrites a functional graph in place. Runs under dynamo's fakes."""
    for node in list(graph.nodes):
        if _is_merge(node) and _is_of_graph(node):
            try:
                _Parts(graph, node).rewrite()
            except (_Other, GuardOnDataDependentSymNode):
                pass  # New nodes that nothing reads are dropped with all such.


def _is_merge(node):
    """Whether a view puts parts of rows behind each other."""
    if node.op != "call_function" or not is_reshape(node) or not node.users:
        return False
    given, made = value_of(node.args[0]).shape, value_of(node).shape
    if len(given) < 3 or not isinstance(given[0], torch.SymInt) or any(
            isinstance(size, torch.SymInt) for size in (*given[1:], *made[1:])):
        return False
    return 1 < given[1] <= _MOST_PARTS and math.prod(given[2:]) == math.prod(made[1:]) and (
        equal(made[0], given[0] * given[1]))


def _is_of_graph(node):
    """Whether a tensor is made of rows that ids say."""
    return any(one.target in GATHERS or getattr(one.target, "namespace", "") == "gnn_mlir"
               for one in made_of(node))


class _Parts:
    """The parts of what a view puts behind each other, and of what is made of them."""

    def __init__(self, graph, merge):
        self._graph, self._merge = graph, merge
        self._rows, self._count = value_of(merge.args[0]).shape[:2]
        self._of = {}  # By node: (the dimension of its rows, its parts).
        self._like = merge  # The node that new ones stand for.

    def rewrite(self):
        """Replaces the views that have the rows again."""
        with self._graph.inserting_before(self._merge):
            shape = [-1, *value_of(self._merge).shape[1:]]
            self._of[self._merge] = 0, [self._call(aten.view.default, self._call(
                aten.select.int, self._merge.args[0], 1, i), shape) for i in range(self._count)]
        found = {}
        for node in list(self._graph.nodes):
            if any(x in self._of for x in node.all_input_nodes):
                self._like = node
                with self._graph.inserting_before(node):
                    if is_reshape(node):
                        found[node] = self._split(node)
                    else:
                        self._of[node] = self._each(node)
        for node, made in found.items():
            node.replace_all_uses_with(made)

    def _call(self, target, *args, **kwargs):
        made = self._graph.call_function(target, args, kwargs)
        given = torch.fx.node.map_arg((args, kwargs), value_of)
        made.meta = self._like.meta | {"val": target(*given[0], **given[1])}
        return made

    def _each(self, node):
        """An op on each part."""
        own = [x for x in node.all_input_nodes if x in self._of]
        dims = {kept(node, x).get(self._of[x][0]) for x in own}
        is_known = node.op == "call_function" and getattr(node.target, "namespace", "") == "aten"
        if len(dims) != 1 or None in dims or not is_known or any(
                isinstance(size, torch.SymInt) for x in node.all_input_nodes if x not in own
                for size in getattr(value_of(x), "shape", (self._rows,))):
            raise _Other
        return *dims, [self._call(node.target, *args, **kwargs) for args, kwargs in (
            torch.fx.node.map_arg((node.args, node.kwargs), lambda x, i=i: (
                self._of[x][1][i] if x in self._of else x)) for i in range(self._count))]

    def _split(self, node):
        """The rows with their parts again."""
        dim, parts = self._of[node.args[0]]
        shape = value_of(node).shape
        if dim or not equal(shape[0], self._rows) or any(
                isinstance(size, torch.SymInt) for size in shape[1:]):
            raise _Other
        return self._call(aten.view.default, self._call(aten.stack.default, parts, 1),
                          [-1, *shape[1:]])
