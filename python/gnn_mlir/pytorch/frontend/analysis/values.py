# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of nodes of a lowered graph at trace time."""

import operator

import torch

from ..tracing import vocabulary

aten, OPS = torch.ops.aten, vocabulary.OPS

GETITEM = operator.getitem


def is_floats(value):
    """Whether a value at trace time is a tensor of floats, or has one."""
    if isinstance(value, (list, tuple)):
        return any(map(is_floats, value))
    return isinstance(value, torch.Tensor) and value.dtype.is_floating_point


def has_gradient(value):
    """Whether a value at trace time may have a gradient: tensors of floats, complex ones too."""
    if isinstance(value, (list, tuple)):
        return any(map(has_gradient, value))
    return isinstance(value, torch.Tensor) and (
        value.dtype.is_floating_point or value.dtype.is_complex)


def value_of(argument):
    """The value of a node at trace time: a fake tensor or a size; other
    arguments are themselves."""
    return argument.meta["val"] if isinstance(argument, torch.fx.Node) else argument


def made_of(node, through=lambda x: True):
    """A node and all that it is made of, by way of nodes of which `through` holds."""
    left, seen = [node], {node}
    while left:
        node = left.pop()
        yield node
        more = [x for x in node.all_input_nodes if x not in seen and through(x)]
        seen.update(more)
        left += more


def features(node):
    """The sizes of all dimensions of a tensor but the first, those that have no number by
    their symbols."""
    return tuple(str(size) if isinstance(size, torch.SymInt) else int(size)
                 for size in value_of(node).shape[1:])


def symbols_of(size):
    """The expression of a size, None of a number."""
    return size.node.expr if isinstance(size, torch.SymInt) else None


def equal(a, b):
    """Whether two sizes are known to be equal. Assumes nothing."""
    if isinstance(a, torch.SymInt) or isinstance(b, torch.SymInt):
        return symbols_of(a) is not None and symbols_of(a) == symbols_of(b)
    return a == b


def made_equal(a, b):
    """Whether two sizes are equal in this call. Those of two symbols are then guarded to
    be: a call where they are not is captured again."""
    if equal(a, b):
        return True
    symbols = [one for one in (a, b) if isinstance(one, torch.SymInt) and one.node.has_hint()]
    return len(symbols) == 2 and a.node.hint == b.node.hint and bool(a == b)


def assertions(graph):
    """The nodes that raise where a model's condition on tensors does not hold."""
    return [node for node in graph.nodes if node.target in (
        aten._assert_async.default, aten._assert_async.msg)]


def whole_of(parts):
    """The split of rows of which `parts` are those of all types in order, or None."""
    splits = {part.args[0] if part.target == GETITEM else None for part in parts}
    split = splits.pop() if len(splits) == 1 else None
    if split is None or split.target != OPS.split_types.default or [
            part.args[1] for part in parts] != list(range(len(split.args[1]))):
        return None
    return split


# Ops whose tags say which are random. None of the others, such as those of sampling
# libraries, is known not to be.
_TAGGED = ("aten", "prims", "gnn_mlir")


def is_random(node):
    """Whether two runs of a node differ: two of them are not one."""
    tags = getattr(node.target, "tags", ())
    return (torch.Tag.nondeterministic_seeded in tags or
            getattr(node.target, "namespace", "aten") not in _TAGGED or
            node.target == aten.dropout.default and node.args[2] and node.args[1] > 0)
