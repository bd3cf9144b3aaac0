# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which dimensions of tensors are rows of the same things.

An axis is a set of dimensions that have one size because of what is computed. Sizes that
torch knows by a symbol are one axis a symbol. Sizes that are numbers, as those of an
embedding that is the features of all nodes, are told apart by what flows into what:
two dimensions of 16 are not the same because both are 16. A dimension of 1 of weights that
meets other numbers is repeated, as for any number of rows, and is none of the one row of
these: unless ids pick of it, which are of rows.
"""

import torch

from .dimensions import aligned, flows, gathered, is_elementwise
from .values import GETITEM, equal, symbols_of, value_of


class Axis:
    """One of the sets; `find` gives its representative."""

    def __init__(self, size):
        self.size, self._parent = size, None

    def find(self):
        root = self
        while root._parent is not None:
            root = root._parent
        return root

    def join(self, other):
        """One axis of two."""
        a, b = self.find(), other.find()
        if a is not b:
            b._parent = a
            if not isinstance(a.size, torch.SymInt):
                a.size = b.size


class Axes:
    """The axes of all tensors of a graph."""

    def __init__(self, graph, same):
        self._same, self._by_symbol, self._of = same, {}, {}
        self._weights, picked, repeated = set(), [], []
        for node in graph.nodes:
            given = node.all_input_nodes
            if node.meta.get("is_weight") or given and self._weights.issuperset(given):
                self._weights.add(node)
            value = node.meta.get("val")
            if isinstance(value, torch.Tensor):
                self._of[node] = tuple(self._axis(size) for size in value.shape)
            elif isinstance(value, (list, tuple)):
                self._of[node] = tuple(
                    tuple(self._axis(size) for size in one.shape)
                    if isinstance(one, torch.Tensor) else () for one in value)
            if node in self._of and node.op == "call_function":
                repeated += self._flow(node)
                for vector in aligned(node):
                    self._of[vector][-1].join(self._of[node.args[0]][0])
                if (found := gathered(node)) is not None:
                    picked.append(self._of[found[0]][found[1]])
        rows = {axis.find() for axis in picked}
        for its, own in repeated:
            if its.find() in rows:
                its.join(own)

    def of(self, node, dim=0):
        """The axis of a dimension of a node; None of a scalar."""
        axes = self._of.get(node, ())
        return axes[dim].find() if axes else None

    def all_of(self, node):
        """The axes of all dimensions of a tensor."""
        return [axis.find() for axis in self._of.get(node, ()) if isinstance(axis, Axis)]

    def of_size(self, size):
        """The axis of a size that is an argument; None of a number."""
        value = value_of(size)
        return self._axis(value).find() if isinstance(value, torch.SymInt) else None

    def _axis(self, size):
        expr = symbols_of(size)
        if expr is None or expr.is_number:
            return Axis(int(size))
        while True:
            replaced = expr.xreplace(self._same)
            if replaced == expr:
                break
            expr = replaced
        if expr not in self._by_symbol:
            self._by_symbol[expr] = Axis(size)
        return self._by_symbol[expr]

    def _flow(self, node):
        """Joins dimensions of results with those of operands that they are. Gives those, in
        pairs, that may be of weights that are repeated."""
        made, meets = self._of[node], node not in self._weights and is_elementwise(node)
        repeated = []
        for number, flow in enumerate(flows(node)):
            own = made if isinstance(node.meta["val"], torch.Tensor) else made[number]
            for x, kept, alike in flow:
                its = self._of[x][node.args[1]] if node.target is GETITEM else self._of[x]
                for i, dim in (kept | alike).items():
                    if meets and x in self._weights and equal(its[i].size, 1):
                        repeated.append((its[i], own[dim]))
                    else:
                        its[i].join(own[dim])
        return repeated
