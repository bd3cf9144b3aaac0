# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions under torch's autograd: one `torch.autograd.Function`.

Everything that the backward pass reads is given to `save_for_backward`, so that a
change in place is torch's error and hooks on saved tensors see it. Imported where an
input is a tensor.
"""

import warnings

import torch


def cast(inputs):
    """`inputs` with tensors of 16 bits as float32 where autocast is on for their
    device, as `torch.amp.custom_fwd` does it."""
    def one(value):
        if (isinstance(value, torch.Tensor) and
                value.dtype in (torch.float16, torch.bfloat16) and
                torch.is_autocast_enabled(value.device.type)):
            return value.float()
        return value
    return {name: one(value) for name, value in inputs.items()}


def wanted(function, inputs):
    """The names of the inputs whose gradients torch will ask for, in their order. Warns
    where there are some and the function has no gradients."""
    if not torch.is_grad_enabled():
        return ()
    names = tuple(name for name in function.input_names
                  if isinstance(inputs[name], torch.Tensor) and
                  inputs[name].requires_grad)
    if names and function.differentiated is None:
        warnings.warn(f"{function.name}: {names[0]!r} requires a gradient, but the "
                      "function has none, so that its outputs are constants: compile "
                      "it with gradients=True, or call it under torch.no_grad()",
                      stacklevel=4)
        return ()
    known = function.differentiated.inputs if names else ()
    for name in names:
        if name not in known:
            raise ValueError(f"{function.name}: {name!r} requires a gradient, and gradients "
                             f"were compiled for {', '.join(known)}: compile with it in "
                             "`gradients`, or detach it")
    return names


def record(call, inputs):
    """The outputs of a call by name, whose gradients torch knows."""
    tensors = {name: value for name, value in inputs.items()
               if isinstance(value, torch.Tensor)}
    others = {name: value for name, value in inputs.items() if name not in tensors}
    *outputs, _ = _Recorded.apply(call, others, tuple(tensors), *tensors.values())
    return dict(zip(call.forward_pass.outputs, outputs))


class _Recorded(torch.autograd.Function):
    """A forward pass, and its backward pass. It has no second derivative."""

    @staticmethod
    def forward(ctx, call, others, names, *tensors):
        inputs = {**others, **dict(zip(names, tensors))}
        outputs, kept = call.forward(inputs)
        ctx.call, ctx.names = call, names
        ctx.others = {name: value for name, value in kept.items()
                      if not isinstance(value, torch.Tensor)}
        ctx.kept = [name for name in kept if name not in ctx.others]
        # An output that is empty: what depends on it depends on all inputs.
        everything = tensors[0].new_empty(0, dtype=torch.float32)
        ctx.save_for_backward(*(kept[name] for name in ctx.kept), everything)
        ctx.set_materialize_grads(False)
        differentiable = call.gradients.outputs
        ctx.mark_non_differentiable(*(value for name, value in outputs.items()
                                      if name not in differentiable))
        return *outputs.values(), everything

    @staticmethod
    def backward(ctx, *cotangents):
        call, cotangents = ctx.call, cotangents[:-1]
        if all(cotangent is None for cotangent in cotangents):
            return None, None, None, *(None for _ in ctx.names)
        *kept, everything = ctx.saved_tensors

        def run():
            return call.backward({**ctx.others, **dict(zip(ctx.kept, kept))},
                                 dict(zip(call.forward_pass.outputs, cotangents)))
        if torch.is_grad_enabled():
            given = (value for value in cotangents if value is not None)
            values = _Once.apply(call.gradients.name, run, everything, *given)
            found = dict(zip(call.wrt, values))
        else:
            found = run()
        return None, None, None, *(found.get(name) for name in ctx.names)


SECOND = ("{}: expected to be differentiated once, got a second derivative, which "
          "compiled functions do not have")


class _Once(torch.autograd.Function):
    """Gradients that depend on all that they may depend on, so that to differentiate
    them is an error however it is asked for. `once_differentiable` takes them as
    constants where those of the outputs are: silently wrong here."""

    @staticmethod
    def forward(ctx, name, run, *_):
        ctx.name = name
        return tuple(run().values())

    @staticmethod
    def backward(ctx, *_):
        raise RuntimeError(SECOND.format(ctx.name))
