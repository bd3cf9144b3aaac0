# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of what a loss reads: an input that only other outputs depend on has none, as
in eager, although a program gives those of all its inputs at once.

`mark` notes in each backward pass which outputs are read, before `gate` is reached. Both
give their tensors as they are. `stacked` and `joined` are gates of inputs that are one
tensor from there on.
"""

import torch


class Reading:
    """The outputs of one call that the last backward pass reads, as bits."""

    read = 0


def gate(reading, bits, *tensors):
    """Inputs; each has a gradient where an output of its bits is read."""
    return _Gate.apply(reading, bits, *tensors)


def stacked(reading, bits, *tensors):
    """The result of `torch.stack` for inputs that a gate would give; bits of -1 are of
    others."""
    return _Stack.apply(reading, bits, *tensors)


def joined(reading, bits, *tensors):
    """The same of `torch.cat`."""
    return _Cat.apply(reading, bits, *tensors)


JOINS = {torch.ops.aten.stack.default: stacked, torch.ops.aten.cat.default: joined,
         torch.cat: joined}


def mark(reading, bits, of_inputs, *tensors):
    """Outputs, each with the bits that say that it is read. Behind them are inputs that nothing
    needs, with the bits of the outputs that depend on each."""
    return _Mark.apply(reading, bits, of_inputs, *tensors)


class _AsTheyAre(torch.autograd.Function):

    @staticmethod
    def forward(ctx, reading, bits, *tensors):
        ctx.reading, ctx.bits = reading, bits
        ctx.set_materialize_grads(False)
        return tuple(x.detach() for x in tensors)


class _Gate(_AsTheyAre):

    @staticmethod
    def backward(ctx, *grads):
        read = ctx.reading.read
        return None, None, *(x if read & bits else None for x, bits in zip(grads, ctx.bits))


class _Stack(torch.autograd.Function):

    @staticmethod
    def forward(ctx, reading, bits, *tensors):
        ctx.reading, ctx.bits = reading, bits
        return torch.stack(tensors)

    @staticmethod
    def backward(ctx, grad):
        return None, None, *_chosen(ctx, grad.unbind())


class _Cat(torch.autograd.Function):

    @staticmethod
    def forward(ctx, reading, bits, *tensors):
        ctx.reading, ctx.bits, ctx.sizes = reading, bits, [len(x) for x in tensors]
        return torch.cat(tensors)

    @staticmethod
    def backward(ctx, grad):
        return None, None, *_chosen(ctx, grad.split(ctx.sizes))


def _chosen(ctx, grads):
    read = ctx.reading.read
    return (x if read & bits else None for x, bits in zip(grads, ctx.bits))


class _Mark(_AsTheyAre):

    @staticmethod
    def forward(ctx, reading, bits, of_inputs, *tensors):
        ctx.inputs = [(own, x.shape, x.dtype, x.device)
                      for own, x in zip(of_inputs, tensors[len(bits):])]
        return _AsTheyAre.forward(ctx, reading, bits, *tensors[:len(bits)])

    @staticmethod
    def backward(ctx, *grads):
        read = sum(bits for x, bits in zip(grads, ctx.bits) if x is not None)
        ctx.reading.read = read
        return None, None, None, *grads, *(
            torch.zeros(shape, dtype=dtype, device=device) if read & own else None
            for own, shape, dtype, device in ctx.inputs)
