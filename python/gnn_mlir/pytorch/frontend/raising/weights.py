# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computations of parameters by torch that a program does instead: changes of layout
that kernels read through, and weights as sums of bases."""

import torch

from ..analysis.dimensions import is_reshape, order_of
from ..analysis.values import value_of

aten = torch.ops.aten
_PRODUCTS = (aten.matmul.default, aten.mm.default)


def made_of(raiser, node, typed):
    """The value of a program that is a tensor of torch, made of others; None where the
    tensor itself is an input."""
    if node.op != "call_function":
        return None
    f, args = raiser.f, node.args
    sizes = [tuple(map(int, value_of(x).shape)) for x in (node, *args[:1])
             if isinstance(x, torch.fx.Node) and isinstance(value_of(x), torch.Tensor)]
    if len(sizes) < 2 or any(0 in one for one in sizes):
        return None
    shape, given = sizes
    if is_reshape(node):
        combined = _combined(raiser, node, typed, shape)
        if combined is not None:
            return combined
        if typed is None and given != shape:
            return f.reshape(raiser.weight(args[0]), *shape)
        if typed is not None and given[0] == shape[0]:
            return f.reshape(raiser.weight(args[0], typed), *shape[1:])
        return None
    if swaps_last(node, len(shape)) and len(shape) in ((2, 3) if typed is None else (3, 4)):
        return f.weight_transpose(raiser.weight(args[0], typed))
    return None


def swaps_last(node, rank):
    """Whether a node is its operand with the last two dimensions exchanged."""
    return rank > 1 and order_of(node) == [*range(rank - 2), rank - 1, rank - 2]


def _combined(raiser, node, typed, shape):
    """coefficients @ bases.view(number, -1) in the shape of weights of types."""
    inner = node.args[0]
    if typed is None or inner.target not in _PRODUCTS or len(shape) not in (3, 4):
        return None
    coefficients, flat = inner.args
    if not is_reshape(flat):
        return None
    bases = flat.args[0]
    if tuple(map(int, value_of(bases).shape))[1:] != shape[1:]:
        return None
    return raiser.f.weight_combine(raiser.weight(coefficients, typed), raiser.weight(bases))
