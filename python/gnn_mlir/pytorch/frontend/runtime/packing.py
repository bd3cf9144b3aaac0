# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters that a program reads as one tensor: joined, and with their axes as it has them.

A model of a hundred relations has hundreds of them, and torch takes microseconds for each op on
them and for each op's gradient. `pack` writes one call for all, with one gradient, which gives
each parameter a part of the gradient of what it was joined into.
"""

import dataclasses
import functools
import math
import operator

import torch

from ... import autograd
from . import reads

aten = torch.ops.aten
_STACKS = (aten.stack.default, reads.stacked)
_JOINS = (*_STACKS, aten.cat.default, torch.cat, reads.joined)


@dataclasses.dataclass
class Group:
    """The tensor made of parameters of `shapes`, which are stacked, or joined by their rows, or
    one; at the places `zeros` are zeros of these shapes in place of parameters. `bits` are those
    of `reads.gate`, or None. Each of `steps` is the name of what is done, its argument, and the
    shape before; `parts` is into how many tensors the result is taken apart, or None."""

    shapes: list
    zeros: list
    bits: tuple
    is_stack: bool
    steps: list
    parts: int = None

    @functools.cached_property
    def count(self):
        """How many parameters there are."""
        return len(self.shapes) - len(self.zeros)

    def make(self, tensors):
        """The tensors that parameters are made into."""
        if self.zeros:
            made = {self.shapes[i]: tensors[0].new_zeros(self.shapes[i]) for i in self.zeros}
            given = iter(tensors)
            tensors = [made[shape] if i in self.zeros else next(given)
                       for i, shape in enumerate(self.shapes)]
        if len(self.shapes) == 1:
            x, = tensors
        elif not self.is_stack:
            x = torch.cat(tensors)
        elif self.shapes[0]:  # This looks at each of them once.
            x = torch.cat(tensors).view(len(tensors), *self.shapes[0])
        else:
            x = torch.stack(tensors)
        for name, argument, _ in self.steps:
            if name == "view":
                x = x.view(argument)
            elif name == "permute":
                x = x.permute(argument).contiguous()
            else:
                x = x.sum(0)
        return (x,) if self.parts is None else x.unbind()

    def gradients(self, grads, read):
        """Those of the parameters, None of those on which no output depends that is
        `read`."""
        given = [x for x in grads if x is not None]
        if not given:
            return [None] * self.count
        x = grads[0]
        if self.parts is not None:
            x = torch.stack([torch.zeros_like(given[0]) if g is None else g for g in grads])
        for name, argument, before in reversed(self.steps):
            if name == "view":
                x = x.reshape(before)
            elif name == "permute":
                x = x.permute([argument.index(i) for i in range(len(argument))])
            else:
                x = x.expand(before)
        x = x.contiguous()  # No two gradients share memory, as rows that were summed do.
        if len(self.shapes) == 1:
            return [x]
        made = x.unbind() if self.is_stack else x.split([shape[0] for shape in self.shapes])
        if self.bits is not None:
            made = [g if read & bits else None for g, bits in zip(made, self.bits)]
        return [g for i, g in enumerate(made) if i not in self.zeros] if self.zeros else made


class Packed:
    """The call that makes of parameters what groups say, in their order."""

    def __init__(self, groups, has_gradients):
        self._groups, self._has_gradients = groups, has_gradients
        self.__name__ = "packed"  # torch.fx prints it.

    def inputs_of(self, call, result):
        """The parameters that one of the results of a call in a graph is made of."""
        begin, place = 1, 0
        for group in self._groups:
            if result < place + (group.parts or 1):
                break
            place, begin = place + (group.parts or 1), begin + group.count
        return call.args[begin:begin + group.count]

    def __call__(self, reading, *tensors):
        if self._has_gradients:
            return _made(reading, self._groups, *tensors)
        return _all(self._groups, tensors)


def _all(groups, tensors):
    found, place = [], 0
    for group in groups:
        end = place + group.count
        found += group.make(tensors[place:end])
        place = end
    return tuple(found)


class _Made(torch.autograd.Function):

    @staticmethod
    def forward(ctx, reading, groups, *tensors):
        ctx.reading, ctx.groups = reading, groups
        ctx.set_materialize_grads(False)
        return _all(groups, tensors)

    @staticmethod
    def backward(ctx, *grads):
        read, place = ctx.reading.read if ctx.reading else 0, 0
        found = [None, None]
        for group in ctx.groups:
            end = place + (group.parts or 1)
            found += group.gradients(grads[place:end], read)
            place = end
        return tuple(found)


_made = autograd.direct(_Made)


def pack(graph, shapes, zeros):
    """Writes the calls into the graph of an outer module. `shapes` has for each placeholder
    of a parameter its shape, and whether it requires a gradient; `zeros` the shape of each node
    that gives zeros."""
    found = {True: [], False: []}
    for node in list(graph.nodes):
        one = _group(node, shapes, zeros)
        if one is not None:
            found[one[0]].append(one[1:])
    for wants, some in found.items():
        if some:
            _write(graph, wants, some)


def _group(node, shapes, zeros):
    """(whether it has gradients, group, reading, parameters, nodes that it stands for, the
    last of which gives its result), or None."""
    reading = bits = None
    is_join = node.op == "call_function" and node.target in _JOINS
    if is_join and node.target in (reads.stacked, reads.joined):
        reading, bits, *given = node.args
    elif is_join and not node.kwargs and node.args[1:] in ((), (0,)):
        given = list(node.args[0])
    elif node in shapes and len(node.users) == 1 and shapes[node][0]:
        given = [node]
    else:
        return None
    own = [shapes[x][0] if x in shapes else zeros.get(x) for x in given]
    without, given = [i for i, x in enumerate(given) if x in zeros], [
        x for x in given if x not in zeros]
    if not given or None in own or len({shapes[x][1] for x in given}) > 1:
        return None
    is_stack = node.target in _STACKS
    if is_join and len(own) == 1:
        return None
    steps, nodes = [], [node] if is_join else []
    shape = own[0]
    if is_join:
        joined = (len(own), *own[0]) if is_stack else (sum(s[0] for s in own), *own[0][1:])
        shape = joined
    parts, last = None, node
    while len(last.users) == 1 and parts is None:
        user, = last.users
        step = _step(user, last, shape)
        if step is None:
            break
        name, argument, after, last = step
        nodes += [user] if last is user else [user, last]
        if name == "unbind":
            parts = shape[0]
        else:
            steps.append((name, argument, shape))
            shape = after
    if not is_join and not any(name == "permute" for name, *_ in steps):
        return None
    made = Group(own, without, bits, is_stack, steps, parts)
    return shapes[given[0]][1], made, reading, given, nodes


def _step(user, x, shape):
    """(name, argument, shape behind it, the node that gives it) of a step, or None."""
    if user.op != "call_function" or user.kwargs or user.args[:1] != (x,):
        return None
    target, rest = user.target, user.args[1:]
    if target == aten.reshape.default and all(type(size) is int for size in rest[0]):
        sizes = list(rest[0])
        if -1 in sizes:
            sizes[sizes.index(-1)] = math.prod(shape) // -math.prod(sizes)
        return "view", sizes, sizes, user
    if target == aten.sum.dim_IntList and rest == ([0],):
        return "sum", None, shape[1:], user
    if target == aten.unbind.int and rest in ((), (0,)):
        is_known = all(one.target is operator.getitem for one in user.users)
        return ("unbind", None, None, user) if is_known else None
    order = list(range(len(shape)))
    if target == aten.movedim.int and all(type(dim) is int for dim in rest):
        order.insert(rest[1], order.pop(rest[0]))
    elif target == aten.transpose.int:
        a, b = rest
        order[a], order[b] = order[b], order[a]
    else:
        return None
    copy = next(iter(user.users))
    if len(user.users) != 1 or copy.target != aten.contiguous.default or copy.kwargs:
        return None
    if [i for i in order if shape[i] != 1] == [i for i in range(len(shape)) if shape[i] != 1]:
        return ("view", [shape[i] for i in order], [shape[i] for i in order], copy)
    return "permute", order, [shape[i] for i in order], copy


def _write(graph, wants, found):
    """One call for groups that all have gradients, or none."""
    reading = next((reading for _, reading, *_ in found if reading is not None), None)
    place = next(node for node in graph.nodes if node.op != "placeholder") if (
        reading is None) else reading.next
    packed = Packed([group for group, *_ in found], wants)
    with graph.inserting_before(place):
        call = graph.call_function(packed, (reading, *(x for *_, own, _ in found for x in own)))
        count, old = 0, []
        for group, *_, nodes in found:
            if group.parts is None:
                nodes[-1].replace_all_uses_with(graph.call_function(
                    operator.getitem, (call, count)))
            else:
                for user in list(nodes[-1].users):
                    user.replace_all_uses_with(graph.call_function(
                        operator.getitem, (call, count + user.args[1])))
                    old.append(user)
            old += reversed(nodes)
            count += group.parts or 1
    for node in old:
        graph.erase_node(node)
