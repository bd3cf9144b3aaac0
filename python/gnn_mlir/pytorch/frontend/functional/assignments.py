# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes of a model to parts of a tensor, as ops that give a new one.

In a functional graph a write is a copy of the tensor with other entries in a slice or
where a mask is. Features that are written are a concatenation of those before, the new and
those behind; rows of a mask that the model is given are chosen by a condition, and what is
made of the rows of that mask is made of all; a sum onto entries is `index_add`.
"""

import sys

import torch

from ..analysis.dimensions import is_all, is_row_by_row
from ..analysis.values import equal, is_floats, made_equal, made_of, value_of

aten = torch.ops.aten

_MASKS = (aten.view.default, aten.reshape.default, aten.unsqueeze.default,
          aten.expand.default, aten.logical_not.default, aten.bitwise_not.default)


def rewrite(graph):
    """Replaces the writes of a graph that mean other ops. Runs under dynamo's fakes."""
    for node in list(graph.nodes):
        rule = _RULES.get(node.target)
        if rule is not None:
            with graph.inserting_before(node):
                made = rule(_Ops(graph, node), node, *node.args, **node.kwargs)
            if made is not None:
                node.replace_all_uses_with(made)
                graph.erase_node(node)


class _Ops:
    """New nodes in the place of one."""

    def __init__(self, graph, node):
        self._graph, self._node = graph, node

    def __call__(self, target, *args, **kwargs):
        given = torch.fx.node.map_arg((args, kwargs), value_of)
        made = self._graph.call_function(target, args, kwargs)
        made.meta = self._node.meta | {"val": target(*given[0], **given[1])}
        return made

    def same(self, target, *args):
        """A node of the same sizes and dtype as this one, without running it."""
        made = self._graph.call_function(target, args)
        made.meta = dict(self._node.meta)
        return made

    def sizes(self, node):
        """The sizes of a node as arguments."""
        return [self(aten.sym_size.int, node, dim) if isinstance(size, torch.SymInt) else size
                for dim, size in enumerate(value_of(node).shape)]


def _same_sizes(a, b):
    a, b = value_of(a).shape, value_of(b).shape
    return len(a) == len(b) and all(map(made_equal, a, b))


def _copy(ops, node, place, x, *rest):
    if value_of(x).dtype != value_of(place).dtype:
        x = ops(aten._to_copy.default, x, dtype=value_of(place).dtype)
    return x if _same_sizes(place, x) else ops(aten.expand.default, x, ops.sizes(place))


def _expand(ops, node, x, *_, **__):
    return x if _same_sizes(node, x) else None


def _view(ops, node, x, *_):
    sizes = value_of(node).shape, value_of(x).shape
    return x if len(sizes[0]) == len(sizes[1]) and all(map(equal, *sizes)) else None


def _fill(ops, node, place, number):
    if isinstance(number, torch.fx.Node):
        return _copy(ops, node, place, number)
    return ops(aten.full_like.default, place, number)


def _slice(ops, node, whole, dim=0, start=None, end=None, step=1):
    return whole if is_all(start, end, step) else None


def _slice_scatter(ops, node, whole, x, dim=0, start=None, end=None, step=1):
    dim, size = dim % value_of(whole).dim(), value_of(whole).shape[dim]
    if is_all(start, end, step):
        return x
    start, end = start or 0, sys.maxsize if end is None else end
    if step != 1 or any(isinstance(one, (torch.SymInt, torch.fx.Node))
                        for one in (size, start, end)):
        return None
    start, end = (min(one + size if one < 0 else one, size) for one in (start, end))
    parts = [x]
    if start:
        parts.insert(0, ops(aten.slice.Tensor, whole, dim, 0, start))
    if end < size:
        parts.append(ops(aten.slice.Tensor, whole, dim, end, size))
    return ops(aten.cat.default, parts, dim) if len(parts) > 1 else x


def _select_scatter(ops, node, whole, x, dim, index):
    dim, size = dim % value_of(whole).dim(), value_of(whole).shape[dim]
    if isinstance(size, torch.SymInt) or isinstance(index, torch.fx.Node):
        return None
    index %= size
    return _slice_scatter(ops, node, whole, ops(aten.unsqueeze.default, x, dim), dim, index,
                          index + 1)


def _is_mask(node):
    """Whether a tensor of bools is one that the model is given."""
    while node.op == "call_function" and node.target in _MASKS:
        node = node.args[0]
    return node.op == "placeholder" and value_of(node).dtype == torch.bool


def _is_compared(node):
    """Whether bools are conditions of numbers that the model computes."""
    value = value_of(node)
    return isinstance(value, torch.Tensor) and value.dtype == torch.bool and any(
        is_floats(value_of(x)) or x.op == "call_function" and _is_compared(x)
        for x in node.all_input_nodes)


def _condition(ops, mask):
    """The condition that numbers of a mask are not 0, which a program can be given."""
    return ops(aten.ne.Scalar, ops(aten._to_copy.default, mask, dtype=torch.float32), 0)


# Ops of each row whose gradient is finite at 0.
_SMOOTH = {getattr(aten, name).default for name in (
    "neg", "relu", "leaky_relu", "elu", "sigmoid", "tanh", "silu", "gelu", "clamp",
    "clamp_min", "clamp_max", "linear", "unsqueeze")} | {
        aten.add.Tensor, aten.sub.Tensor, aten.mul.Tensor}


def _is_of_ids(mask):
    """Whether bools compare two vectors of integers, such as the ends of edges."""
    while mask.target in _MASKS:
        mask = mask.args[0]
    return mask.target in (aten.eq.Tensor, aten.ne.Tensor) and not any(
        map(is_floats, map(value_of, mask.args)))


def _is_of_floats(node):
    """Whether a tensor is made of numbers that the model is given. Torch has what is made of
    ids alone, once for a graph."""
    return any(one.op == "placeholder" and is_floats(value_of(one)) for one in made_of(
        node, lambda x: isinstance(value_of(x), (torch.Tensor, list, tuple))))


def _is_same(a, b):
    """Whether masks are one, or are made by the same ops of the same."""
    if not isinstance(a, torch.fx.Node) or not isinstance(b, torch.fx.Node):
        return a == b
    return a is b or a.op == b.op == "call_function" and a.target == b.target and (
        len(a.args) == len(b.args) and a.kwargs == b.kwargs and all(map(_is_same, a.args, b.args)))


def _is_made_of(x, mask):
    """Whether a tensor is rows of a mask, or is made of these row by row."""
    if x.target == aten.index.Tensor:
        return len(x.args[1]) == 1 and x.args[1][0] is not None and _is_same(x.args[1][0], mask)
    return x.target in _SMOOTH and any(
        is_floats(value_of(one)) and _is_made_of(one, mask) for one in x.all_input_nodes)


def _of_all_rows(ops, x, mask, condition):
    """A result of rows of a mask, made of all rows, of which others are 0; None where an
    operand has as many rows as the mask says and is made otherwise."""
    if x.target == aten.index.Tensor:
        whole = x.args[0]
        return ops(aten.where.self, condition(whole), whole, ops(aten.zeros_like.default, whole))
    rows = [one for one in x.all_input_nodes if _is_made_of(one, mask)]
    if not is_row_by_row(x, rows) or any(
            isinstance(size, torch.SymInt) for one in x.all_input_nodes if one not in rows
            for size in value_of(one).shape):
        return None
    made = {one: _of_all_rows(ops, one, mask, condition) for one in rows}
    if None in made.values():
        return None
    args, kwargs = torch.fx.node.map_arg((x.args, x.kwargs), lambda one: made.get(one, one))
    return ops(x.target, *args, **kwargs)


def _index_put(ops, node, whole, places, x, accumulate=False):
    if len(places) != 1 or places[0] is None:
        return None
    at, rank = places[0], value_of(whole).dim()
    if accumulate:
        is_ids = value_of(at).dtype in (torch.int64, torch.int32) and value_of(at).dim() == 1
        return ops(aten.index_add.default, whole, 0, at, x) if is_ids and (
            value_of(x).dim() == rank and all(map(equal, value_of(x).shape, (
                value_of(at).shape[0], *value_of(whole).shape[1:])))) else None
    if not (_is_mask(at) or _is_compared(at) or _is_of_ids(at) and _is_of_floats(node)) or (
            value_of(at).dim() not in (1, rank)):
        return None

    def condition(whole):
        made = at
        for _ in range(value_of(whole).dim() - value_of(at).dim()):
            made = ops(aten.unsqueeze.default, made, -1)
        return made if _is_compared(at) else _condition(ops, made)
    shape = value_of(x).shape
    if value_of(at).dim() == 1 and len(shape) == rank and _is_made_of(x, at):
        x = _of_all_rows(ops, x, at, condition)
    elif rank == value_of(at).dim() and len(shape) or len(shape) > rank or (
            len(shape) == rank and not equal(shape[0], 1)):
        return None  # Rows, of which there are as many as the mask says.
    return x and ops(aten.where.self, condition(whole), x, whole)


def _index_add(ops, node, whole, dim, index, x, *, alpha=1):
    if alpha == 1:
        return None
    return ops(aten.index_add.default, whole, dim, index, ops(aten.mul.Tensor, x, alpha))


def _where(ops, node, mask, *rest):
    if not _is_mask(mask):
        return None
    # Torch makes a tensor of a number, which is none of the fakes.
    return ops.same(node.target, _condition(ops, mask), *rest)


def _masked_fill(ops, node, x, mask, number):
    return ops(node.target, x, _condition(ops, mask), number) if _is_mask(mask) else None


def _mul(ops, node, a, b):
    for x, other in ((a, b), (b, a)):
        if isinstance(x, torch.fx.Node) and isinstance(value_of(x), torch.Tensor) and _is_mask(
                x) and isinstance(other, torch.fx.Node):
            return ops(aten.mul.Tensor, other, ops(aten._to_copy.default, x,
                                                   dtype=value_of(node).dtype))
    return None


_RULES = {
    aten.copy.default: _copy, aten.expand.default: _expand, aten.view.default: _view,
    aten.fill.Tensor: _fill, aten.fill.Scalar: _fill,
    aten.slice.Tensor: _slice, aten.slice_scatter.default: _slice_scatter,
    aten.select_scatter.default: _select_scatter, aten.index_put.default: _index_put,
    aten.index_add.default: _index_add, aten.where.self: _where,
    aten.where.ScalarOther: _where, aten.where.ScalarSelf: _where,
    aten.masked_fill.Scalar: _masked_fill, aten.masked_fill.Tensor: _masked_fill,
    aten.mul.Tensor: _mul}
