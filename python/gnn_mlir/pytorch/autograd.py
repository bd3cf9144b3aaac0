# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions under torch's autograd: one `torch.autograd.Function`.

Everything that the backward pass reads is given to `save_for_backward`, so that a
change in place is torch's error and hooks on saved tensors see it. Imported where an
input is a tensor.
"""

import warnings

import torch
from torch._functorch.utils import unwrap_dead_wrappers
from torch.autograd import forward_ad


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
    if forward_ad._current_level >= 0:
        for name, value in inputs.items():
            if isinstance(value, torch.Tensor) and (
                    forward_ad.unpack_dual(value).tangent is not None):
                raise ValueError(f"{function.name}: expected {name!r} without a tangent of "
                                 "torch.autograd.forward_ad: compiled functions have no "
                                 "forward-mode derivatives")
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
    passes = _Named(call, inputs)
    outputs = run(passes, *unwrap_dead_wrappers(inputs[name] for name in passes.names))
    return dict(zip(call.forward_pass.outputs, outputs))


class _Named:
    """A `gradients.Call` as `run` takes it: tensors in order, the others by name."""

    holds = None

    def __init__(self, call, inputs):
        self.name, self._call = call.gradients.name, call
        self.names = [name for name, value in inputs.items()
                      if isinstance(value, torch.Tensor)]
        self._others = {name: value for name, value in inputs.items()
                        if name not in self.names}
        self.constant = [i for i, name in enumerate(call.forward_pass.outputs)
                         if name not in call.gradients.outputs]

    def forward(self, tensors):
        outputs, kept = self._call.forward({**self._others, **dict(zip(self.names, tensors))})
        self._kept = [name for name in kept if name not in self._others]
        return list(outputs.values()), [kept[name] for name in self._kept]

    def backward(self, kept, cotangents):
        found = self._call.backward(
            {**self._others, **dict(zip(self._kept, kept))},
            dict(zip(self._call.forward_pass.outputs, cotangents)))
        return [found.get(name) for name in self.names]


def direct(function):
    """`apply` of a torch.autograd.Function, where no transform of torch.func is active
    without its look at each argument for what one has left behind."""
    apply, is_transformed = function.apply, torch._C._are_functorch_transforms_active
    own = super(torch.autograd.Function, function).apply

    def call(*args):
        return apply(*args) if is_transformed() else own(*args)
    return call


def run(passes, *tensors):
    """The outputs of `passes` on tensors, whose gradients torch knows. It has `name`;
    `holds`, None or a call that gives what lives as long; `forward`, which gives outputs and
    what it keeps, all tensors; `backward`, which gives gradients of the tensors, or None, of
    what is kept and of gradients of the outputs, or None; `names` of the tensors; and
    `constant`, positions of outputs without gradients."""
    return _recorded(passes, *tensors)[:-1]


class _Recorded(torch.autograd.Function):
    """A forward pass, and its backward pass. It has no second derivative."""

    @staticmethod
    def forward(ctx, passes, *tensors):
        outputs, kept = passes.forward(tensors)
        # An output that is empty: what depends on it depends on all inputs.
        everything = tensors[0].new_empty(0, dtype=torch.float32)
        ctx.passes, ctx.held = passes, passes.holds and passes.holds()
        ctx.save_for_backward(*kept, everything)
        ctx.set_materialize_grads(False)
        if passes.constant:
            ctx.mark_non_differentiable(*(outputs[i] for i in passes.constant))
        return *outputs, everything

    @staticmethod
    def backward(ctx, *cotangents):
        passes, cotangents = ctx.passes, cotangents[:-1]
        has_cotangents = False
        for x in cotangents:
            if x is not None:
                has_cotangents = True
                if not torch._C._has_storage(x):
                    raise ValueError(BATCHED.format(passes.name))
        count = len(passes.names)
        if not has_cotangents:
            return (None,) * (1 + count)
        *kept, everything = ctx.saved_tensors
        if not torch.is_grad_enabled():
            return None, *passes.backward(kept, cotangents)
        found = [None] * count

        def once():
            found[:] = passes.backward(kept, cotangents)
            return [x for x in found if x is not None]
        values = iter(_Once.apply(passes.name, once, everything, *(
            cotangent for cotangent in cotangents if cotangent is not None)))
        return None, *(None if x is None else next(values) for x in found)


_recorded = direct(_Recorded)
BATCHED = ("{}: expected one gradient of each output, got a batch of them, as "
           "torch.autograd.grad gives with is_grads_batched=True")
SECOND = ("{}: expected to be differentiated once, got a second derivative, as of "
          "torch.autograd.grad with create_graph=True, which compiled functions do not have")


class _Once(torch.autograd.Function):
    """Gradients that depend on all that they may depend on, so that to differentiate
    them is an error however it is asked for. `once_differentiable` takes them as
    constants where those of the outputs are: silently wrong here."""

    @staticmethod
    def forward(ctx, name, run, *_):
        ctx.name = name
        return tuple(run())

    @staticmethod
    def backward(ctx, *_):
        raise RuntimeError(SECOND.format(ctx.name))
