# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ids of ids: rows of the graphs of a batch at the edges of its nodes, and some of the edges.

`u[batch[row]]` is `u[batch][row]`, rows of nodes that edges read as any others, and a sum of
edges over `batch[row]` is one of nodes, each of which has the sum of its edges. `x[arange(n)]`
is `x`, as where attention is of graphs over their nodes. Ids of pointers of ids are these.

Where each node of a mesh has four edges, `x[src][1::4]` is `x[src[1::4]]`. A sum of messages
that are written slice by slice is the sum of those of the slices. """

import sys

import torch

from ..analysis.dimensions import gathered, has_gradient_of_rows, is_all
from ..analysis.values import equal, is_floats, value_of
from ..tracing import vocabulary

aten, OPS = torch.ops.aten, vocabulary.OPS


def rewrite(graph):
    """Rewrites a functional graph in place."""
    for node in list(graph.nodes):
        found = gathered(node)
        if node.target == OPS.of_pointers.default and (
                node.args[0].target == OPS.pointers.default):
            node.replace_all_uses_with(node.args[0].args[0])
        elif found and found[1] == 0 and is_floats(value_of(node)) and has_gradient_of_rows(node):
            x, _, index = found
            if _is_all(index, value_of(x).shape[0]):
                node.replace_all_uses_with(x)
            elif _inner(index) is not None and isinstance(value_of(x).shape[0], torch.SymInt):
                _read_of_nodes(graph, node, x, *_inner(index))
        elif node.target == OPS.aggregate.default and node.args[3] in ("sum", "mean") and (
                _inner(node.args[1]) is not None):
            _sum_of_nodes(graph, node, *_inner(node.args[1]))
        elif node.target == aten.slice.Tensor:
            _read_some(graph, node, *node.args)
        elif node.target == OPS.aggregate.default and node.args[3] == "sum":
            _sum_of_slices(graph, node, *node.args[:3])


def _inner(index):
    """(vector of ids, ids) where ids are rows of a vector."""
    found = gathered(index)
    return None if found is None or value_of(found[0]).dim() != 1 else found[::2]


def _is_all(index, size):
    """Whether ids are all of so many in their order."""
    if index.target == aten.select.int and index.args[1] == 0 and (
            index.args[0].target == aten.stack.default and index.args[0].args[1:] in ((), (0,))):
        index = index.args[0].args[0][index.args[2]]
    first = {aten.arange.default: 0, aten.arange.start: index.args[0],
             aten.arange.start_step: index.args[0] if index.args[2:] == (1,) else None}.get(
                 index.target) if index.args else None
    return first == 0 and equal(value_of(index).shape[0], size)


def _made(graph, node, target, args, like, *size):
    """A new op before a node, with the rows of a tensor, or so many."""
    made = graph.call_function(target, args)
    value = value_of(like)
    made.meta = node.meta | {"val": value.new_empty([*size, *value.shape[1:]])}
    return made


def _read_of_nodes(graph, node, x, vector, ids):
    with graph.inserting_before(node):
        rows = _made(graph, node, aten.index_select.default, (x, 0, vector), x,
                     value_of(vector).shape[0])
        node.replace_all_uses_with(_made(graph, node, aten.index_select.default,
                                         (rows, 0, ids), node, value_of(node).shape[0]))


def _sum_of_nodes(graph, node, vector, ids):
    x, _, size, kind = node.args
    with graph.inserting_before(node):
        count = graph.call_function(aten.sym_size.int, (vector, 0))
        count.meta = node.meta | {"val": value_of(vector).shape[0]}

        def total(x):
            rows = _made(graph, node, OPS.aggregate.default, (x, ids, count, "sum"), x,
                         value_of(vector).shape[0])
            return _made(graph, node, OPS.aggregate.default, (rows, vector, size, "sum"), x,
                         value_of(node).shape[0])
        made = total(x)
        if kind == "mean":
            value = value_of(x)
            ones = graph.call_function(aten.ones.default, (
                [_size(graph, x), *[1] * (value.dim() - 1)],), {
                    "dtype": value.dtype, "device": value.device})
            ones.meta = node.meta | {"val": value.new_empty([
                value.shape[0], *[1] * (value.dim() - 1)])}
            number = total(ones)
            number = _made(graph, node, aten.clamp_min.default, (number, 1), number,
                           value_of(node).shape[0])
            made = _made(graph, node, aten.div.Tensor, (made, number), made,
                         value_of(node).shape[0])
        node.replace_all_uses_with(made)


def _read_some(graph, node, rows, dim=0, start=None, end=None, step=1):
    """A slice of gathered rows that nothing else reads, as rows of a slice of their ids."""
    found = gathered(rows)
    if not found or found[1] != 0 or dim % value_of(rows).dim() or is_all(start, end, step) or (
            not has_gradient_of_rows(rows) or not is_floats(value_of(rows)) or any(
                user.target != aten.slice.Tensor for user in rows.users)):
        return
    x, _, ids = found
    size = value_of(node).shape[0]
    with graph.inserting_before(node):
        some = _made(graph, node, aten.slice.Tensor, (ids, 0, start, end, step), ids, size)
        node.replace_all_uses_with(_made(graph, node, aten.index_select.default, (x, 0, some),
                                         node, size))


def _sum_of_slices(graph, node, x, ids, size):
    step, parts = None, {}
    while x.target == aten.slice_scatter.default:
        x, part, dim, start, end, by = (*x.args, *(0, None, None, 1)[len(x.args) - 2:])
        step = by if step is None else step
        if dim != 0 or not is_all(0, end) or by != step or start not in range(step) or (
                start in parts):
            return
        parts[start] = part
    if not parts or len(parts) < step and x.target not in _ZEROS:
        return
    with graph.inserting_before(node):
        made = None
        for start, part in sorted(parts.items()):
            some = _made(graph, node, aten.slice.Tensor, (ids, 0, start, sys.maxsize, step), ids,
                         value_of(part).shape[0])
            total = _made(graph, node, OPS.aggregate.default, (part, some, size, "sum"), part,
                          value_of(node).shape[0])
            made = total if made is None else _made(
                graph, node, aten.add.Tensor, (made, total), node, value_of(node).shape[0])
        node.replace_all_uses_with(made)


_ZEROS = (aten.zeros.default, aten.new_zeros.default, aten.zeros_like.default)


def _size(graph, x):
    made = graph.call_function(aten.sym_size.int, (x, 0))
    made.meta = x.meta | {"val": value_of(x).shape[0]}
    return made
