# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which parts of what is put together by type no output reads.

A layer over node types is one program, and its weights are one tensor. Eager computes the
last products of each type alone: where a model returns some types, weights of the others
have no gradient there, not one of zeros. Rows are followed back from where they are taken
apart, as long as those of a type depend on rows and weights of that type alone.
"""

import torch

from . import vocabulary
from .axes import equal
from .lowering import GETITEM, value_of

aten, OPS = torch.ops.aten, vocabulary.OPS

_BY_ROW = {aten.view.default, aten.reshape.default, aten._unsafe_view.default,
           aten.unsqueeze.default, aten.rsub.Scalar, aten.dropout.default}
_OF_TWO = {aten.transpose.int: slice(1, 3), aten.unbind.int: slice(1, 2)}


def unread_parts(graph):
    """Positions of the operands that nothing reads, by node that puts them together."""
    found, needed = {}, {}  # (counts of types, numbers of types) by node; None is all.

    def need(node, what):
        if isinstance(node, torch.fx.Node):
            before = needed.get(node, what)
            needed[node] = None if what is None or before is None or (
                before[0] != what[0]) else (what[0], before[1] | what[1])

    for node in reversed(graph.nodes):
        if node.op == "output":
            needed[node] = None
        if node not in needed:
            continue
        what, target, args = needed[node], node.target, node.args
        if target == GETITEM and args[0].target == OPS.split_types.default:
            need(args[0], (tuple(args[0].args[1]), {args[1]}))
        elif what is not None and target == OPS.split_types.default:
            need(args[0], what)
        elif what is not None and _puts_together(node, what):
            found[node] = set(range(len(args[0]))) - what[1]
            for i in what[1]:
                need(args[0][i], None)
        elif what is not None and target == OPS.typed_linear.default and _are(
                args[2], what):
            for x in (args[0], args[1], args[3]):
                need(x, what)
        elif what is not None and target == aten.index_select.default and (
                args[1] == 0 and _are(args[2], what)):
            need(args[0], what)
        else:
            for x in node.all_input_nodes:
                need(x, what if what is not None and _by_row(node, x) else None)
    return {node: parts for node, parts in found.items() if parts}


def _are(types, what):
    """Whether these are the types that were taken apart."""
    return types.target == OPS.type_rows.default and tuple(types.args[1]) == what[0]


def _puts_together(node, what):
    """Whether each operand is the rows of one type, or one row for each."""
    target, args = node.target, node.args
    if target == OPS.join_types.default:
        return _are(args[1], what)
    if target not in (aten.stack.default, aten.cat.default) or len(args[0]) != len(
            what[0]) or len(args) > 1 and args[1] != 0:
        return False
    return target == aten.stack.default or all(value_of(x).shape[0] == 1 for x in args[0])


def _by_row(node, x):
    """Whether each row of a node is of that of an operand, and of no other."""
    made, given = (value_of(one) for one in (node, x))
    if node.target == GETITEM:
        return x.target == aten.unbind.int
    made = made[0] if isinstance(made, (list, tuple)) else made
    if not (isinstance(made, torch.Tensor) and isinstance(given, torch.Tensor)) or 0 in (
            made.dim(), given.dim()) or not equal(made.shape[0], given.shape[0]):
        return False
    if node.target in _OF_TWO:
        dims = node.args[_OF_TWO[node.target]]
        return bool(dims) and 0 not in {dim % given.dim() for dim in dims}
    return node.target in _BY_ROW or torch.Tag.pointwise in getattr(
        node.target, "tags", ()) and made.dim() == given.dim()
