# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which outputs depend on which inputs, as eager's gradients do.

A program has the gradients of all its inputs at once, and a layer over node types is one
op, whose weights are one tensor. In eager, what the outputs that a loss reads do not depend
on has no gradient, not one of zeros; and the last products of each type are alone. So
outputs are followed back to the inputs before relations are merged: all of them, and rows
of a type as long as they depend on rows and weights of that type alone.
"""

import torch

from ..tracing import vocabulary
from .dimensions import kept
from .values import GETITEM, has_gradient, value_of

aten, OPS = torch.ops.aten, vocabulary.OPS

_CONSTANT = {aten.detach.default, aten.zeros_like.default, aten.ones_like.default,
             aten.full_like.default, aten.empty_like.default}


class _Readers:
    """The outputs that read a node, as bits: `all` of its rows, or by the numbers of rows
    of all types some types' rows, {type: bits}."""

    def __init__(self):
        self.all, self.by_type = 0, {}

    @property
    def bits(self):
        """Those that read any of its rows."""
        found = self.all
        for parts in self.by_type.values():
            for bits in parts.values():
                found |= bits
        return found

    def add(self, other):
        """Those of a node whose rows depend on the same rows of this one."""
        self.all |= other.all
        for counts, parts in other.by_type.items():
            for number, bits in parts.items():
                self.add_type(counts, number, bits)

    def add_type(self, counts, number, bits):
        """Those that read the rows of one type."""
        parts = self.by_type.setdefault(counts, {})
        parts[number] = parts.get(number, 0) | bits

    def of(self, counts, number):
        """Those that read the rows of a type."""
        return self.bits if self.by_type.keys() - {counts} else (
            self.all | self.by_type.get(counts, {}).get(number, 0))


def readers(graph):
    """The outputs that depend on each placeholder, as bits by their positions, and bits of
    all that depend on one that needs a gradient."""
    found = {node: _Readers() for node in graph.nodes}
    for position, node in enumerate(graph.output_node().args[0]):
        if isinstance(node, torch.fx.Node):
            found[node].all |= 1 << position
    for node in reversed(graph.nodes):
        if node.op == "call_function" and node.target not in _CONSTANT and found[node].bits \
                and has_gradient(node.meta.get("val")):
            _follow(node, found)
    made = {node: found[node].bits if has_gradient(node.meta["val"]) else 0
            for node in graph.nodes if node.op == "placeholder"}
    every = 0
    for node, bits in made.items():
        every |= bits if node.meta["requires_grad"] else 0
    return list(made.values()), every


def _follow(node, found):
    """Adds the readers of a node to those of its operands."""
    of, target, args = found[node], node.target, node.args
    if target == GETITEM and args[0].target == OPS.split_types.default:
        found[args[0]].add_type(tuple(args[0].args[1]), args[1], of.bits)
        return
    counts = next(iter(of.by_type), None)
    if target == OPS.split_types.default:
        found[args[0]].add(of)
        return
    if counts is not None and _puts_together(node, counts):
        for number, x in enumerate(args[0]):
            found[x].all |= of.of(counts, number)
        return
    for x in node.all_input_nodes:
        if counts is not None and (
                target == OPS.typed_linear.default and _are(args[2], counts) or
                target == aten.index_select.default and x is args[0] and args[1] == 0 and
                _are(args[2], counts) or kept(node, x).get(0) == 0):
            found[x].add(of)
        else:
            found[x].all |= of.bits


def _are(types, counts):
    """Whether these are types of which there are so many rows."""
    return types.target == OPS.type_rows.default and tuple(types.args[1]) == counts


def _puts_together(node, counts):
    """Whether each operand is the rows of one type, or one row for each."""
    if node.target == OPS.join_types.default:
        return _are(node.args[1], counts)
    return stacks(node, len(counts))


def stacks(node, count):
    """Whether a tensor has a row of each of so many operands."""
    target, args = node.target, node.args
    if target not in (aten.stack.default, aten.cat.default) or len(args[0]) != count or (
            len(args) > 1 and args[1] != 0):
        return False
    return target == aten.stack.default or all(value_of(x).shape[0] == 1 for x in args[0])
