# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of what a loss reads: an input that only other outputs depend on has none, as
in eager, although a program gives those of all its inputs at once.

`mark` notes in each backward pass which outputs are read, before `gate` is reached. Both
give their tensors as they are.
"""

import torch


class Reading:
    """Of one call: the outputs that the last backward pass reads, as bits."""

    read = 0


def gate(reading, bits, *tensors):
    """Inputs; each has a gradient where an output of its bits is read."""
    return _Gate.apply(reading, bits, *tensors)


def mark(reading, bits, *tensors):
    """Outputs, each with the bit that says that it is read."""
    return _Mark.apply(reading, bits, *tensors)


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


class _Mark(_AsTheyAre):

    @staticmethod
    def backward(ctx, *grads):
        ctx.reading.read = sum(bits for x, bits in zip(grads, ctx.bits) if x is not None)
        return None, None, *grads
