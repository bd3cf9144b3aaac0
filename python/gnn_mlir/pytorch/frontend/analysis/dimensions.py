# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The effects of ops on the dimensions of their operands: the one place that
says them.

A dimension of an operand is `kept` as one of the result where index i of the result's is made
of index i of the operand's alone, as rows of what is computed row by row are. It is `alike`
where the result's has as many indices, each of which may read others, as what a softmax is
over. Both hold for any number of indices. Nothing is known of the other dimensions: they are
reduced or moved about, or the op is not known here.

Most is read off torch: its tags say which ops are elementwise and which reduce, its schemas
where their dimensions are and which ops are views. The rest is `_RULES`.
"""

import functools
import itertools
import math
import operator
import sys

import torch

from ..tracing import vocabulary
from .values import GETITEM, equal, symbols_of, value_of

aten, OPS = torch.ops.aten, vocabulary.OPS


# -- What is asked -------------------------------------------------------------------------

def flows(node):
    """[(operand, kept, alike)] for each result of a node, one for each time that a tensor is an
    operand: both are {dimension of it: dimension of the result}."""
    value = node.meta.get("val")
    several = isinstance(value, (list, tuple))
    results, rule = value if several else [value], _rule(node)
    if rule is None or not all(isinstance(one, torch.Tensor) for one in results):
        return [[] for _ in results]
    given = _arguments(node)
    return [list(rule(made, **given)) for made in results]


def kept(node, x):
    """{dimension of an operand: dimension of the node, of all its results}, as kept by whatever
    the node reads of it."""
    times = _tensors((node.args, node.kwargs)).count(x)
    found = []
    for flow in flows(node):
        own = [kept for one, kept, _ in flow if one is x]
        found += own if len(own) == times else [{}]
    return {its: dim for its, dim in found[0].items() if all(
        one.get(its) == dim for one in found)} if found else {}


def is_row_by_row(node, rows):
    """Whether each row of an op is made of that row of operands that are `rows`, whatever else
    it is made of: it is the same op for any number of rows, which is a size of `sizes_at`."""
    return getattr(node.target, "namespace", "") == "aten" and node.target not in GATHERS and (
        bool(rows) or sizes_at(node) is not None) and all(
            kept(node, x).get(0) == 0 for x in rows)


def sizes_at(node):
    """The place of the argument that is the sizes of the result, None where none is."""
    names = _defaults(node.target) if hasattr(node.target, "_schema") else ()
    return next((i for i, name in enumerate(names) if name in ("size", "shape")), None)


def is_elementwise(node):
    """Whether each element is made of one element of each operand, and numbers."""
    return _rule(node) is _elementwise and sizes_at(node) is None


def is_view(node):
    """Whether the elements are those of the first operand, or some of them, wherever."""
    return node.target == aten._unsafe_view.default or node.target != aten.detach.default and (
        getattr(node.target, "namespace", "") == "aten" and
        not node.target._schema.is_mutable and
        any(one.alias_info for one in node.target._schema.arguments[:1]))


# Ops that pick rows, or more, by ids.
GATHERS = {aten.index_select.default, aten.index.Tensor, aten.embedding.default}


def is_reshape(node):
    """Whether the elements are those of the operand, in their order."""
    return _rule(node) in (_reshaped, _unsqueezed, _squeezed)


def gathered(node):
    """(x, dimension, ids) of what a vector of ids picks of one dimension of x; None of other
    nodes."""
    target, args, found = node.target, node.args, None
    if target == aten.index_select.default:
        found = args[0], args[1] % max(value_of(args[0]).dim(), 1), args[2]
    elif target == aten.embedding.default:
        found = args[0], 0, args[1]
    elif target == aten.index.Tensor:
        places = [i for i, one in enumerate(args[1]) if one is not None]
        if len(places) == 1 and not _is_mask(args[1][places[0]]):
            found = args[0], places[0], args[1][places[0]]
    return found if found and len(_shape(found[2])) == 1 else None


def aligned(node):
    """The operands that are vectors with one entry for each row of the first."""
    places = {OPS.aggregate.default: [1], OPS.aggregate_by_type.default: [1, 2],
              OPS.kept_edges.default: [1], OPS.extend_remaining.default: [2]}
    return [node.args[i] for i in places.get(node.target, ())]


def has_gradient_of_rows(node):
    """Whether the gradient of what is gathered is added to the rows that are: an embedding's may
    be scaled, or none of some."""
    if node.target != aten.embedding.default:
        return True
    given = _arguments(node)
    return given["padding_idx"] < 0 and not given["scale_grad_by_freq"] and not given["sparse"]


def dims_of(dims, rank):
    """The dimensions that an argument of a reduction is, in order."""
    if dims is None or isinstance(dims, (list, tuple)) and not dims:
        return list(range(rank))
    return sorted({d % max(rank, 1) for d in ([dims] if isinstance(dims, int) else dims)})


def order_of(node):
    """The dimension of the operand that each of a node's is; None where it is no permutation."""
    rule = _rule(node)
    return rule.order(value_of(node).dim(), *_arguments(node).values()) if isinstance(
        rule, _Permuted) else None


def is_all(start=None, end=None, step=1):
    """Whether a slice is of all indices, however many there are."""
    return start in (None, 0) and step == 1 and (
        end is None or isinstance(end, int) and end == sys.maxsize)


# -- Rules of ops --------------------------------------------------------------------------

def _rule(node):
    target = node.target
    if target in _RULES:
        return _RULES[target]
    tags = getattr(target, "tags", ()) if node.op == "call_function" else ()
    return (_elementwise if torch.Tag.pointwise in tags else
            _reduced if torch.Tag.reduction in tags else None)


def _arguments(node):
    """The arguments of a node by name, in the order of its schema."""
    if node.target is GETITEM:
        return {"x": node.args[0], "index": node.args[1]}
    found = dict(_defaults(node.target))
    found.update(zip(found, node.args))
    found.update({"x" if name in _FIRST else name: one for name, one in node.kwargs.items()})
    return found


@functools.cache
def _defaults(target):
    """The names of an op's arguments, and what these are by default."""
    return {"x" if one.name in _FIRST else one.name: one.default_value
            for one in target._schema.arguments}


_FIRST = "self", "input"


def _tensors(given):
    """The tensors among arguments, as often as they are there."""
    found = []
    torch.fx.node.map_arg(given, lambda x: found.append(x) if isinstance(
        value_of(x), (torch.Tensor, list, tuple)) else None)
    return found


def _shape(x):
    return value_of(x).shape


def _trailing(x, made):
    """Dimensions that meet from the last one on; those of 1 are repeated, which sizes that are
    symbols are not."""
    away = made.dim() - len(_shape(x))
    return {i: i + away for i, size in enumerate(_shape(x)) if i + away >= 0 and (
        isinstance(size, torch.SymInt) and not symbols_of(size).is_number or
        equal(size, made.shape[i + away]))}


def _elementwise(made, **given):
    for x in _tensors(given):
        yield x, _trailing(x, made), {}


def _without(dims, rank, keep=False):
    """The dimensions but some, which are gone."""
    left = [i for i in range(rank) if i not in dims]
    return {i: i if keep else place for place, i in enumerate(left)}


def _reduced(made, x, dim=None, keepdim=False, **_):
    rank = len(_shape(x))
    yield x, _without(dims_of(dim, rank), rank, keepdim), {}


def _along(made, x, dim=None, dims=None, **_):
    """Numbers of some dimensions that are made of all of these."""
    rank, dims = len(_shape(x)), dim if dims is None else dims
    if dims not in (None, [], ()):
        dims = dims_of(dims, rank)
        yield x, _without(dims, rank, True), {i: i for i in dims}


def _some_along(made, x, dim=0, **_):
    """Some indices of a dimension, or what is made of them."""
    rank = len(_shape(x))
    yield x, _without(dims_of(dim, rank), rank, True), {}


def _slice(made, x, dim=0, start=None, end=None, step=1):
    rank, dim = len(_shape(x)), dim % max(len(_shape(x)), 1)
    found = _without([dim], rank, True)
    whole = {dim: dim} if equal(_shape(x)[dim], made.shape[dim]) else {}
    yield (x, found | whole, {}) if is_all(start, end, step) else (x, found, whole)


def _dropped(made, x, dim=0, **_):
    """One index of a dimension, or each by itself."""
    rank = len(_shape(x))
    yield x, _without(dims_of(dim, rank), rank), {}


def _squeezed(made, x, dim=None):
    rank = len(_shape(x))
    dims = [i for i in dims_of(dim, rank) if equal(_shape(x)[i], 1)]
    if made.dim() == rank - len(dims):
        yield x, _without(dims, rank), {}


def _unsqueezed(made, x, dim):
    dim %= made.dim()
    yield x, {i: i + (i >= dim) for i in range(made.dim() - 1)}, {}


def _reshaped(made, x, size=(), shape=(), **_):
    """Dimensions that have as many numbers before them, and as many behind."""
    given, sizes = list(_shape(x)), list(made.shape)
    count = len(list(itertools.takewhile(lambda pair: equal(*pair), zip(given, sizes))))
    found = {i: i for i in range(count)}
    before = [list(itertools.accumulate((symbols_of(one) or one for one in some), operator.mul,
                                        initial=1)) for some in (given, sizes)]
    found |= {i: j for i in range(count, len(given)) for j in range(count, len(sizes))
              if equal(given[i], sizes[j]) and not equal(given[i], 1) and (
                  before[0][i] == before[1][j])}
    wanted = list(size or shape)
    if given and wanted[:1] == [-1] and all(
            isinstance(one, int) for one in given[1:] + wanted) and (
            math.prod(given[1:]) == math.prod(wanted[1:]) != 0):
        found[0] = 0  # The number of these may be a quotient of products.
    yield x, found, {}


class _Permuted:
    """The rule of a permutation, by its order."""

    def __init__(self, order):
        self.order = order

    def __call__(self, made, x, **given):
        yield x, {j: i for i, j in enumerate(self.order(made.dim(), x, *given.values()))}, {}


def _swapped(rank, x, a=0, b=1):
    order = list(range(rank))
    if rank > 1:
        order[a], order[b] = order[b], order[a]
    return order


def _moved(rank, x, a, b):
    order = list(range(rank))
    order.insert(b % rank, order.pop(a % rank))
    return order


def _repeated(made, x, repeats):
    away = made.dim() - len(_shape(x))
    yield x, {i: i + away for i in range(len(_shape(x))) if repeats[i + away] == 1}, {}


def _joined(made, tensors, dim=0):
    dim %= made.dim()
    for x in tensors:
        yield x, _without([dim], made.dim(), True) if len(_shape(x)) == made.dim() else {}, {}


def _padded(made, x, pad, **_):
    rank = len(_shape(x))
    padded = [rank - 1 - i for i in range(len(pad) // 2) if any(pad[2 * i:2 * i + 2])]
    yield x, _without(padded, rank, True), {}


def _stacked(made, tensors, dim=0):
    dim %= made.dim()
    for x in tensors:
        yield x, {i: i + (i >= dim) for i in range(made.dim() - 1)}, {}


def _is_mask(index):
    return value_of(index).dtype in (torch.bool, torch.uint8)


def _picked(made, x, dim, index):
    count = len(_shape(index))
    yield x, {i: i if i < dim else i + count - 1 for i in range(len(_shape(x))) if i != dim}, {}
    yield index, {i: dim + i for i in range(count)}, {}


def _index_select(made, x, dim, index):
    if len(_shape(index)) == 1:
        yield from _picked(made, x, dim % len(_shape(x)), index)


def _embedding(made, weight, indices, **_):
    yield from _picked(made, weight, 0, indices)


def _index(made, x, indices):
    places = [i for i, one in enumerate(indices) if one is not None]
    if len(places) != 1:
        return
    place, index = places[0], indices[places[0]]
    if not _is_mask(index):
        yield from _picked(made, x, place, index)
    elif len(_shape(index)) == 1:  # As many as are true.
        yield x, _without([place], len(_shape(x)), True), {}


def _gather(made, x, dim, index, **_):
    yield x, _met(x, made, dim), {}
    yield index, {i: i for i in range(made.dim())}, {}


def _met(x, made, dim):
    """Equal dimensions of tensors that meet at one of them."""
    return {i: i for i, size in enumerate(_shape(x)) if made.dim() and i != dim % made.dim() and (
        len(_shape(x)) == made.dim() and equal(size, made.shape[i]))}


def _scattered(made, x, dim, index, src=None, source=None, **_):
    """A write to the places that ids of one dimension say."""
    yield x, {i: i for i in range(made.dim())}, {}
    for one in (index, src, source):
        if isinstance(one, torch.fx.Node):
            yield one, _met(one, made, dim) if len(_shape(one)) == made.dim() > 1 else {}, {}


def _index_put(made, x, indices, values, **_):
    yield x, {i: i for i in range(made.dim())}, {}
    places = [i for i, one in enumerate(indices) if one is not None]
    place, index = places[-1], indices[places[-1]]
    last = place + (len(_shape(index)) if _is_mask(index) else 1)
    is_one = len(places) == 1 and len(_shape(index)) == 1
    yield values, {i: j for i, j in _trailing(values, made).items()
                   if j >= last or is_one and j < place}, {}
    if len(places) == 1 and _is_mask(index):
        yield index, {i: i + place for i in range(len(_shape(index)))}, {}


def _slice_scatter(made, x, src, dim=0, **_):
    yield x, {i: i for i in range(made.dim())}, {}
    yield src, _met(src, made, dim), {}


def _select_scatter(made, x, src, dim, index):
    dim %= made.dim()
    yield x, {i: i for i in range(made.dim())}, {}
    yield src, {i: i + (i >= dim) for i in range(made.dim() - 1)}, {}


def _linear(made, x, weight, bias=None):
    yield x, {i: i for i in range(len(_shape(x)) - 1)}, {}
    if len(_shape(weight)) == 2:
        yield weight, {0: made.dim() - 1}, {}
    if bias is not None:
        yield bias, _trailing(bias, made), {}


def _matmul(made, x, other=None, mat2=None):
    other = mat2 if other is None else other
    left, right = len(_shape(x)), len(_shape(other))
    last = made.dim() - 1
    own = {left - 2: last - (right > 1)} if left > 1 else {}
    its = {right - 1: last} if right > 1 else {}
    for one, rank, found in ((x, left, own), (other, right, its)):
        away = last + 1 - rank  # Of what there are several products of, from the last on.
        if left > 1 and right > 1:
            found |= {i: i + away for i in range(rank - 2) if equal(
                _shape(one)[i], made.shape[i + away])}
        elif rank > 2:
            found |= {i: i for i in range(rank - 2)}
        yield one, found, {}


def _addmm(made, x, mat1, mat2, **_):
    yield x, _trailing(x, made), {}
    yield from _matmul(made, mat1, mat2)


def crossed_dim(made, dim=None):
    """The dimension of the vectors of a cross product: by default the first of 3 numbers."""
    return next(i for i, size in enumerate(made.shape) if equal(size, 3)) if dim is None else (
        dim % made.dim())


def _crossed(made, x, other, dim=None):
    dim = crossed_dim(made, dim)
    for one in (x, other):
        found = _trailing(one, made)
        yield one, {i: j for i, j in found.items() if j != dim}, {
            i: j for i, j in found.items() if j == dim}


def _einsum(made, equation, tensors, **_):
    given, arrow, result = equation.replace(" ", "").partition("->")
    given = given.split(",")
    if arrow and "." not in equation and len(given) == len(tensors):
        for names, x in zip(given, tensors):
            yield x, {i: result.index(name) for i, name in enumerate(names)
                      if name in result and names.count(name) == 1 and equal(
                          _shape(x)[i], made.shape[result.index(name)])}, {}


def _layer_norm(made, x, normalized_shape, weight=None, bias=None, **_):
    count = made.dim() - len(normalized_shape)
    yield x, {i: i for i in range(count)}, {i: i for i in range(count, made.dim())}
    for one in (weight, bias):
        if one is not None:
            yield one, _trailing(one, made), {}


def _prelu(made, x, weight):
    yield x, {i: i for i in range(made.dim())}, {}
    yield weight, {0: 1} if made.dim() > 1 and equal(_shape(weight)[0], made.shape[1]) else {}, {}


def _batch_norm(made, x, weight, bias, running_mean, running_var, training=False, **_):
    is_rows = made.dim() == len(_shape(x))
    at = 1 if is_rows else 0
    every = {i: i for i in range(made.dim()) if i != 1} if is_rows else {}
    if not equal(made.shape[at], _shape(x)[1]):
        return
    yield x, {1: at} | ({} if training else every), every if training else {}
    for one in (weight, bias, running_mean, running_var):
        if one is not None:
            yield one, {0: at}, {}


def _gru_cell(made, x, hx, *_, **__):
    if made.dim() == 2:
        yield x, {0: 0}, {}
        yield hx, {0: 0}, {1: 1}


def _getitem(made, x, index):
    yield x, {i: i for i in range(made.dim())}, {}


# -- Of the vocabulary ---------------------------------------------------------------------

def _features(rank):
    return {i: i for i in range(1, rank)}


def _other_rows(result, /, x, loops=None, **_):
    """Rows of others: of ends of edges, of another graph's edges."""
    for one in (x, loops):
        if one is not None:
            yield one, _features(result.dim()), {}


def _edge_softmax(made, x, index, types=None, **_):
    yield x, _features(made.dim()), {0: 0}
    for one in (index, types):
        if one is not None:
            yield one, {}, {0: 0}


def _typed_linear(made, x, weight, types, bias):
    yield x, {i: i for i in range(made.dim() - 1)}, {}
    yield types, {0: 0}, {}
    rank = len(_shape(weight))
    yield weight, {rank - 1: made.dim() - 1, **{i: i for i in range(1, rank - 2)}}, {}
    if bias is not None:
        yield bias, _features(made.dim()), {}


def _join_types(made, parts, types):
    for x in parts:
        yield x, _features(made.dim()), {}
    yield types, {}, {0: 0}


def _every(rule, *names):
    """{op: rule}; a name without an overload is its default."""
    made = {}
    for name in names:
        name, _, overload = name.partition(".")
        made[getattr(getattr(aten, name), overload or "default")] = rule
    return made


_RULES = {
    GETITEM: _getitem,
    # Elementwise, although their tags do not say it, in torch 2.11 that of leaky_relu neither.
    **_every(_elementwise, "_to_copy", "detach", "dropout", "copy", "hardswish", "leaky_relu",
             "log_sigmoid", "masked_fill.Tensor", "where.ScalarOther", "where.ScalarSelf",
             "where.Scalar", "expand", "expand_as"),
    **_every(_along, "softmax.int", "_softmax", "log_softmax.int", "_log_softmax", "cumsum",
             "cumprod", "logcumsumexp", "cummax", "cummin", "sort", "argsort", "flip", "roll"),
    **_every(_some_along, "narrow", "split.Tensor", "split_with_sizes", "chunk", "topk", "glu",
             "tensor_split.sections"),
    **_every(_dropped, "select.int", "unbind.int"),
    **_every(_squeezed, "squeeze", "squeeze.dim", "squeeze.dims"),
    **_every(_reshaped, "view", "reshape", "_unsafe_view", "flatten.using_ints",
             "unflatten.int"),
    **_every(_Permuted(_swapped), "transpose.int", "t"),
    **_every(_Permuted(_moved), "movedim.int"),
    **_every(_Permuted(lambda rank, x, dims: [d % rank for d in dims]), "permute"),
    **_every(_scattered, "scatter_add", "scatter_reduce.two", "scatter.src", "scatter.value",
             "index_add", "index_copy", "index_reduce"),
    **_every(_matmul, "matmul", "mm", "bmm"), **_every(_padded, "pad", "constant_pad_nd"),
    **_every(_batch_norm, "_native_batch_norm_legit_no_training",
             "_native_batch_norm_legit_functional"),
    aten.slice.Tensor: _slice, aten.unsqueeze.default: _unsqueezed,
    aten.repeat.default: _repeated, aten.cat.default: _joined, aten.stack.default: _stacked,
    aten.index_select.default: _index_select, aten.index.Tensor: _index,
    aten.embedding.default: _embedding, aten.gather.default: _gather,
    aten.index_put.default: _index_put, aten.slice_scatter.default: _slice_scatter,
    aten.select_scatter.default: _select_scatter, aten.linear.default: _linear,
    aten.addmm.default: _addmm, aten.einsum.default: _einsum,
    aten.layer_norm.default: _layer_norm, aten.prelu.default: _prelu,
    aten.gru_cell.default: _gru_cell, **_every(_crossed, "cross", "linalg_cross"),
    **{getattr(OPS, name).default: _other_rows for name in (
        "aggregate", "aggregate_by_type", "kept_edges", "extend_edges", "extend_remaining",
        "first_rows", "split_types")},
    OPS.edge_softmax.default: _edge_softmax, OPS.edge_softmax_by_type.default: _edge_softmax,
    OPS.typed_linear.default: _typed_linear, OPS.join_types.default: _join_types}
