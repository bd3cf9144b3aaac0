# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which dimensions of tensors are rows of the same things.

An axis is a set of dimensions that have one size because of what is computed. Sizes that
torch knows by a symbol are one axis a symbol. Sizes that are numbers, as those of an
embedding that is the features of all nodes, are told apart by what flows into what:
two dimensions of 16 are not the same because both are 16.
"""

import math

import torch

from ..tracing import vocabulary
from .values import GETITEM, equal, symbols_of, value_of

aten = torch.ops.aten


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
        for node in graph.nodes:
            value = node.meta.get("val")
            if isinstance(value, torch.Tensor):
                self._of[node] = tuple(self._axis(size) for size in value.shape)
                if node.op == "call_function":
                    self._flow(node)
            elif isinstance(value, (list, tuple)):
                self._of[node] = tuple(
                    tuple(self._axis(size) for size in one.shape)
                    if isinstance(one, torch.Tensor) else () for one in value)
                if node.op == "call_function":
                    for part in self._of[node]:
                        self._flow_like(node.args[0], part)

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

    def _join(self, node, dim, other, its):
        """Of two dimensions of one size."""
        if not isinstance(other, torch.fx.Node) or not self._of.get(other):
            return
        a, b = self._of[node][dim], self._of[other][its]
        if equal(a.find().size, b.find().size):
            a.join(b)

    def _flow(self, node):
        """Joins dimensions of a result with those of operands that they come from."""
        target, args = node.target, node.args
        made = self._of[node]
        if target in _INDEXED:
            x, dim, index = _INDEXED[target](args)
            if dim is None:
                return
            inner = len(self._of.get(index, ())) or 1
            for i in range(len(self._of[x])):
                if i < dim:
                    self._join(node, i, x, i)
                elif i > dim:
                    self._join(node, i + inner - 1, x, i)
            for i in range(len(self._of.get(index, ()))):
                self._join(node, dim + i, index, i)
        elif target in _LEADING:
            x = args[0]
            for i in range(len(made) - 1):
                if i < len(self._of.get(x, ())):
                    self._join(node, i, x, i)
        elif target in _SIZED_BY_ARGUMENT:
            for i in range(1, len(made)):
                self._join(node, i, args[0], i)
        elif target in _RESHAPES:
            x = args[0]
            if _keeps_rows(node, x):  # Their number may be a quotient of products.
                self._of[x][0].join(made[0])
            for i, (a, b) in enumerate(zip(made, self._of.get(x, ()))):
                if not equal(a.find().size, b.find().size):
                    break
                self._join(node, i, x, i)
        elif target in _DROPPED:
            x, dropped = _DROPPED[target](args, len(self._of.get(args[0], ())))
            left = [i for i in range(len(self._of.get(x, ()))) if i not in dropped]
            if len(left) == len(made):
                for i, j in enumerate(left):
                    self._join(node, i, x, j)
        elif target in (aten.permute.default,):
            for i, j in enumerate(args[1]):
                self._join(node, i, args[0], j)
        elif target in (aten.t.default, aten.transpose.int):
            order = list(range(len(made)))
            a, b = args[1:3] if target == aten.transpose.int else (0, -1)
            if order:
                order[a], order[b] = order[b], order[a]
            for i, j in enumerate(order):
                self._join(node, i, args[0], j)
        elif target in (aten.cat.default, aten.stack.default):
            stacked = target == aten.stack.default
            dim = (args[1] if len(args) > 1 else 0) % len(made)
            for x in args[0]:
                for i in range(len(made)):
                    if i != dim:
                        self._join(node, i, x, i - (stacked and i > dim))
        elif target in (aten.slice.Tensor, aten.select.int):
            x, dim = args[0], (args[1] if len(args) > 1 else 0) % len(self._of[args[0]])
            for i in range(len(self._of[x])):
                if target == aten.slice.Tensor and len(made) > i:
                    if i != dim or equal(made[i].find().size, self._of[x][i].find().size):
                        self._join(node, i, x, i)
                elif target == aten.select.int and i != dim:
                    self._join(node, i - (i > dim), x, i)
        elif target is GETITEM:
            for a, b in zip(made, self._of[args[0]][args[1]]):
                a.join(b)
        elif target in _ALIKE or torch.Tag.pointwise in getattr(target, "tags", ()):
            for x in node.all_input_nodes:
                self._flow_like(x, made)

    def _flow_like(self, x, made):
        """Of elementwise ops: dimensions from the last one on."""
        own = self._of.get(x, ()) if isinstance(x, torch.fx.Node) else ()
        if own and not isinstance(own[0], Axis):
            return
        for a, b in zip(reversed(made), reversed(own)):
            if equal(a.find().size, b.find().size):
                a.join(b)


def _keeps_rows(node, x):
    """Whether a view with -1 rows has those of what it is of."""
    if len(node.args) < 2 or not isinstance(node.args[1], (list, tuple)) or (
            tuple(node.args[1][:1]) != (-1,)) or not value_of(x).dim():
        return False
    sizes = value_of(x).shape[1:], node.args[1][1:]
    return all(isinstance(size, int) for size in (*sizes[0], *sizes[1])) and (
        math.prod(sizes[0]) == math.prod(sizes[1]) != 0)


def _index_tensor(args):
    """(tensor, dimension, ids) of x[:, ids]; no dimension where ids are not of one alone."""
    places = [i for i, one in enumerate(args[1]) if one is not None]
    ids = args[1][places[0]].meta["val"]
    if len(places) > 1 or ids.dtype in (torch.bool, torch.uint8) and ids.dim() > 1:
        return args[0], None, None
    return args[0], places[0], args[1][places[0]]


def _reduced(args, rank):
    dims = args[1] if len(args) > 1 and args[1] is not None else range(rank)
    dims = [dims] if isinstance(dims, int) else dims
    keep = len(args) > 2 and args[2]
    return args[0], () if keep else {d % rank for d in dims} if rank else ()


_INDEXED = {aten.index_select.default: lambda a: (a[0], a[1] % a[0].meta["val"].dim(), a[2]),
            aten.index.Tensor: _index_tensor,
            aten.embedding.default: lambda a: (a[0], 0, a[1])}
_LEADING = {aten.linear.default, aten.matmul.default, aten.mm.default,
            vocabulary.OPS.typed_linear.default}
# What is elementwise as far as dimensions go. Sizes of other ops' results are told apart.
_ALIKE = {aten.layer_norm.default, aten.softmax.int, aten._softmax.default,
          aten.log_softmax.int, aten.dropout.default, aten.expand.default,
          aten.index_put.default, aten.index_copy.default, aten.index_add.default,
          aten.scatter_add.default, aten.scatter_reduce.two, aten.gru_cell.default,
          aten.slice_scatter.default, aten.select_scatter.default, aten.copy.default,
          aten._to_copy.default, aten.clone.default, aten.detach.default,
          aten.prelu.default, vocabulary.OPS.edge_softmax.default,
          vocabulary.OPS.edge_softmax_by_type.default}
_SIZED_BY_ARGUMENT = {getattr(vocabulary.OPS, name).default for name in (
    "aggregate", "aggregate_by_type", "kept_edges", "extend_edges", "extend_remaining",
    "first_rows")}
_RESHAPES = {aten.view.default, aten.reshape.default, aten.flatten.using_ints,
             aten.unsqueeze.default, aten._unsafe_view.default}
_DROPPED = {aten.sum.dim_IntList: _reduced, aten.mean.dim: _reduced,
            aten.amax.default: _reduced, aten.amin.default: _reduced,
            aten.squeeze.dim: lambda a, rank: (a[0], {a[1] % rank}
                                               if a[0].meta["val"].shape[a[1]] == 1 else ())}
