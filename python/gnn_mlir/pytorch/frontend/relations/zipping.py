# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equal ops on the rows of several types as one op on all rows.

An op that each type or relation has with weights of its own becomes one op, with the
weights stacked and read by a vector of types: `typed_linear` for a product, a gather of
the stack for what is computed element by element.
"""

import abc

import torch

from ..analysis.dimensions import is_elementwise, is_row_by_row, is_view, sizes_at
from ..analysis.values import GETITEM, features, is_random, value_of
from ..functional.writing import Stuck
from ..tracing import vocabulary

aten, OPS = torch.ops.aten, vocabulary.OPS


class Differ(Stuck):
    """Values that differ in what `keys` say, one a relation: some are alike."""

    def __init__(self, keys):
        super().__init__("different ops by relation")
        self.keys = keys


# Ops that rows that mean nothing may go through: gradients of others are 0 times what may be
# infinite.
_FINITE = {getattr(getattr(aten, name), kind) for name, kind in (
    ("add", "Tensor"), ("sub", "Tensor"), ("mul", "Tensor"), ("add", "Scalar"),
    ("sub", "Scalar"), ("mul", "Scalar"), ("div", "Scalar"), ("rsub", "Scalar"),
    *((name, "default") for name in (
        "neg", "abs", "relu", "leaky_relu", "elu", "gelu", "sigmoid", "tanh", "exp", "silu",
        "softplus", "clamp", "clamp_min", "clamp_max", "cos", "sin", "hardtanh", "dropout",
        "amax", "amin", "cat", "layer_norm", "linear", "_softmax")),
    ("softmax", "int"), ("log_softmax", "int"), ("sum", "dim_IntList"), ("mean", "dim"))}


def is_finite(node):
    """Whether the gradient of an op is finite wherever its operands are."""
    return node.target in _FINITE or is_view(node.args[0] if node.target is GETITEM else node)


class Zip(abc.ABC):
    """One op of the ops that types have, each a node of the graph that is read. A plan is
    a function of `at`, what it is written for, that gives the new node.

    A derived class says what the types are: `axes` are those of their rows."""

    def __init__(self, graph, axes):
        self.graph, self.axes = graph, axes

    @abc.abstractmethod
    def kind(self, i, x):
        """The role of an operand of type i: "rows", "weight" or None."""

    @abc.abstractmethod
    def rows(self, nodes):
        """The plan of operands as rows of all types."""

    @abc.abstractmethod
    def stacked(self, nodes, apart=False):
        """(whether they are all one and not asked for `apart`, plan) of weights."""

    def drew(self, nodes, made, at):
        """Notes a random op of all types."""

    @abc.abstractmethod
    def size(self, at):
        """How many rows all types have."""

    @abc.abstractmethod
    def types(self, at):
        """The vector of the rows' types."""

    def plan(self, nodes):
        """The plan of the one op. Raises Differ or Stuck where there is none."""
        first = nodes[0]
        if any(x.op != "call_function" for x in nodes):
            raise Stuck("values that no op makes")
        same([(x.target, len(x.args), tuple(sorted(x.kwargs))) for x in nodes])
        target = first.target
        if target is GETITEM:
            return self._part(nodes)
        for i, x in enumerate(nodes):
            if not is_row_by_row(x, [one for one in x.all_input_nodes
                                     if self.kind(i, one) == "rows"]):
                raise Stuck(f"{target} by type")
        same([_features(x) for x in nodes])
        if any(self.kind(i, x) != "rows" for i, x in enumerate(nodes)):
            raise Stuck("values without rows by type")
        if target == aten.linear.default:
            return self.linear(nodes)
        if target == aten.layer_norm.default and len({x.args[2:4] for x in nodes}) > 1:
            return self._layer_norm(nodes)
        args = [self._argument(first, [x.args[i] for x in nodes])
                for i in range(len(first.args))]
        kwargs = {name: self._argument(first, [x.kwargs[name] for x in nodes])
                  for name in first.kwargs}

        def made(at):
            given = [a(at) for a in args], {name: a(at) for name, a in kwargs.items()}
            if is_random(first):
                found = self.graph.draw(dict(zip(self.axes, nodes)), target, *given)
                self.drew(nodes, found, at)
                return found
            found, own = self.graph.call(target, *given[0], **given[1]), value_of(first)
            if value_of(found).dtype != own.dtype:  # A number may have any.
                raise Stuck(f"{target} with numbers of another dtype by type")
            return found
        return made

    def _part(self, nodes):
        """The plan of a part of each row."""
        parts = [x.args[0] for x in nodes]
        same([(x.args[1], x.args[0].target, str((x.args[0].args[1:], x.args[0].kwargs)))
              for x in nodes])
        target, rest, named = parts[0].target, parts[0].args[1:], parts[0].kwargs
        if any(not is_row_by_row(x, x.all_input_nodes) or x.all_input_nodes != [x.args[0]]
               for x in parts):
            raise Stuck(f"parts by {target}")
        rows = self.rows([x.args[0] for x in parts])
        return lambda at: self.graph.call(GETITEM, self.graph.call(
            target, rows(at), *rest, **named), nodes[0].args[1])

    def _argument(self, node, given):
        """The plan of an argument, of all types' arguments."""
        first = given[0]
        if isinstance(first, (list, tuple)):
            same([len(one) for one in given])
            at = sizes_at(node)
            is_shape = at is not None and given[0] is node.args[at]
            parts = [self._rows_of_shape([one[0] for one in given]) if is_shape and i == 0 else
                     self._argument(node, [one[i] for one in given])
                     for i in range(len(first))]
            return lambda at: [part(at) for part in parts]
        if isinstance(first, torch.fx.Node) and isinstance(value_of(first), torch.Tensor):
            if any(not isinstance(x, torch.fx.Node) for x in given):
                raise Stuck("different operands by type")
            kinds = {self.kind(i, x) for i, x in enumerate(given)}
            if kinds == {"rows"}:
                return self.rows(given)
            if kinds != {"weight"}:
                raise Stuck("different operands by type")
            return self._weight(node, given)
        if any(isinstance(x, (torch.fx.Node, torch.SymInt)) for x in given):
            raise Stuck("numbers that are no numbers of rows")
        same(given)
        return lambda at: first

    def _rows_of_shape(self, given):
        """The plan of the first size of a result that is rows: a number is that of them too."""
        if given[0] == -1:
            same(given)
            return lambda at: -1
        return self.size

    def _weight(self, node, given):
        """A tensor that all rows have, or the gather of those that types have."""
        shared, stack = self.stacked(given)
        if shared:
            return stack
        if not is_elementwise(node):
            raise Stuck(f"{node.target} with weights by type")
        return self.gathered(stack, tuple(value_of(given[0]).shape), value_of(node).dim())

    def gathered(self, stack, shape, rank):
        """The plan of what is of `shape` for each type, for each row of `rank`
        dimensions."""
        if len(shape) == rank:
            if shape[0] != 1:
                raise Stuck("a weight with rows")
            shape = shape[1:]
        shape = [1] * (rank - 1 - len(shape)) + [int(size) for size in shape]

        def made(at):
            weights = stack(at)
            count = int(value_of(weights).shape[0])
            if list(map(int, value_of(weights).shape[1:])) != shape:
                weights = self.graph.call(aten.view.default, weights, [count, *shape])
            return self.graph.call(aten.index_select.default, weights, 0, self.types(at))
        return made

    def _layer_norm(self, nodes):
        """The plan of a norm over features with weights by type."""
        same([(tuple(x.args[1]), len(x.args), x.args[4:]) for x in nodes])
        x = self.rows([one.args[0] for one in nodes])
        size, eps = list(nodes[0].args[1]), (*nodes[0].args[4:5], 1e-5)[0]
        weights = []
        for given in zip(*[one.args[2:4] for one in nodes]):
            same([one is None for one in given])
            weights += [] if given[0] is None else [self.gathered(
                self.stacked(given, apart=True)[1], tuple(value_of(given[0]).shape),
                value_of(nodes[0]).dim())]

        def made(at):
            found = self.graph.call(aten.layer_norm.default, x(at), size, None, None, eps)
            for target, weight in zip((aten.mul.Tensor, aten.add.Tensor), weights):
                found = self.graph.call(target, found, weight(at))
            return found
        return made

    def linear(self, nodes, with_bias=True):
        """The plan of a product with weights by type."""
        if any(self.kind(i, x.args[0]) != "rows" or self.kind(i, x.args[1]) != "weight"
               for i, x in enumerate(nodes)):
            raise Stuck("a product with rows as weights")
        biases = [x.args[2] if with_bias and len(x.args) > 2 else None for x in nodes]
        same([b is None for b in biases])
        weights, has_bias = [x.args[1] for x in nodes], biases[0] is not None
        shared, weight = self.stacked(weights)
        bias_shared, bias = self.stacked(biases) if has_bias else (shared, None)
        if shared != bias_shared:
            shared, weight = self.stacked(weights, apart=True)
            bias_shared, bias = self.stacked(biases, apart=True)
        x = self.rows([one.args[0] for one in nodes])
        if not shared and value_of(nodes[0].args[0]).dim() != 2:
            raise Stuck("a product by type of rows with several dimensions")

        def made(at):
            rows, w, b = x(at), weight(at), bias(at) if has_bias else None
            if shared:
                return self.graph.call(aten.linear.default, rows, w, b)
            return self.graph.call(OPS.typed_linear.default, rows, self.graph.call(
                aten.transpose.int, w, 1, 2), self.types(at), b)
        return made


def _features(node):
    """The features of a result, which its rows come before."""
    value = value_of(node)
    if not isinstance(value, torch.Tensor) or value.dim() == 0:
        raise Stuck("values without rows by type")
    return features(node)


def same(keys):
    """Raises Differ where not all keys are equal."""
    if any(key != keys[0] for key in keys[1:]):
        raise Differ(keys)


def once(plan):
    """A plan that is run once for whatever it is written for."""
    found = {}

    def made(at):
        if at not in found:
            found[at] = plan(at)
        return found[at]
    return made
