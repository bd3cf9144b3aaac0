# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions in graphs of torch.compile: one op for all of them.

The code that torch traces holds no objects of ours, so the op takes text that
stands for a function and its graphs, by which torch specializes. Both have to
live as long as what torch has compiled is run, which the code that was traced
sees to. """

import torch

from .. import devices, gradients, tokens
from .autograd import SECOND


def traced(function, graphs, inputs):
    """The outputs of a call by name; torch traces this."""
    if not isinstance(graphs, (dict, list, tuple)):
        graphs = [graphs]
    if isinstance(graphs, dict):
        graphs = [graphs[name] for name in function.graph_names]
    if function.source is not None and function.source.typed_inputs:
        inputs = function.source.place_typed_inputs(
            dict(zip(function.graph_names, graphs)), inputs)
    for name in inputs:
        if name not in function.input_names:
            raise ValueError(f"{function.name}: expected inputs "
                             f"{', '.join(function.input_names)}, got {name!r}")
    handle = " ".join([function._token] + [graph._token for graph in graphs])
    values = []
    device = next(value.device for value in inputs.values()
                  if isinstance(value, torch.Tensor))
    for name in function.input_names:
        value = inputs[name]
        if isinstance(value, int):
            value = torch.full((), value, dtype=torch.int64, device=device)
        elif not isinstance(value, torch.Tensor):
            value = torch.as_tensor(value)
        if (value.dtype in (torch.float16, torch.bfloat16) and
                torch.is_autocast_enabled(value.device.type)):
            value = value.float()
        values.append(value)
    wrt = ""
    if function.differentiated is not None and torch.is_grad_enabled():
        wrt = " ".join([name for name, value in zip(function.input_names, values)
                        if value.requires_grad])
    if not wrt:
        values = [value.detach() for value in values]
    outputs = torch.ops.gnn_mlir.call(handle, wrt, values)
    return {name: value for name, value in zip(function.output_names, outputs)}


class _Site:
    """A function with its graphs, which a handle stands for."""

    def __init__(self, handle, wrt):
        function, *graphs = map(tokens.find, handle.split())
        self.function, self.run = function, devices.run
        self.bind = function._binder(function._graphs(graphs))
        self.call = None
        if wrt:
            self.call = gradients.Call(function.differentiated, wrt.split(), self.bind,
                                       self.run)

    def bound(self, values):
        """The function that runs, bound where the inputs are."""
        if self.call is None:
            return self.bind(self.function.called(), self.function.name, values)
        passes = self.call.forward_pass
        return self.bind(passes.package, passes.forward, values)


def _empty(infos, like):
    return [like.new_empty(i.shape, dtype=getattr(torch, {"f32": "float32", "i32": "int32",
                                                           "i64": "int64"}[i.dtype]))
            for i in infos]


@torch.library.custom_op("gnn_mlir::call", mutates_args=())
def _call(handle: str, wrt: str, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    site = _Site(handle, wrt)
    values = dict(zip(site.function.input_names, inputs))
    return site.run(site.bound(values), values)


@_call.register_fake
def _(handle, wrt, inputs):
    site = _Site(handle, wrt)
    values = dict(zip(site.function.input_names, inputs))
    return _empty(site.bound(values).outputs, inputs[0])


@torch.library.custom_op("gnn_mlir::gradients", mutates_args=())
def _gradients(handle: str, wrt: str, given: str, kept: list[torch.Tensor],
               cotangents: list[torch.Tensor]) -> list[torch.Tensor]:
    call = _Site(handle, wrt).call
    found = call.backward(dict(zip(call.forward_pass.kept, kept)),
                          dict(zip(given.split(), cotangents)))
    return [found[name] for name in call.wrt]


@_gradients.register_fake
def _(handle, wrt, given, kept, cotangents):
    site = _Site(handle, wrt)
    values = dict(zip(site.call.forward_pass.kept, kept))
    passes, bound = site.call.bind_backward(values, dict(zip(given.split(), cotangents)))
    infos = dict(zip(passes.wrt, bound.outputs))  # A loaded package has those of all.
    return _empty([infos[name] for name in site.call.wrt], cotangents[0])


def _setup_gradients(ctx, inputs, output):
    ctx.handle = inputs[0]


def _refuse(ctx, *_):
    raise RuntimeError(SECOND.format(tokens.find(ctx.handle.split()[0]).name))


_gradients.register_autograd(_refuse, setup_context=_setup_gradients)


def _setup(ctx, inputs, output):
    ctx.handle, ctx.wrt, values = inputs
    site = _Site(ctx.handle, ctx.wrt)
    if site.call is None:
        return
    ctx.names, passes = site.function.input_names, site.call.forward_pass
    by_name = dict(zip(ctx.names, values))
    made = dict(zip([*passes.outputs, *passes.saved], output))
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*[made[name] if "role" in spec else by_name[name]
                            for name, spec in passes.kept.items()])
    ctx.outputs, ctx.differentiable = passes.outputs, site.call.gradients.outputs


def _backward(ctx, cotangents):
    given = {name: value for name, value in zip(ctx.outputs, cotangents)
             if value is not None and name in ctx.differentiable}
    if not given:
        return None, None, [None] * len(ctx.names)
    found = torch.ops.gnn_mlir.gradients(
        ctx.handle, ctx.wrt, " ".join(given), list(ctx.saved_tensors),
        list(given.values()))
    by_name = dict(zip(ctx.wrt.split(), found))
    return None, None, [by_name.get(name) for name in ctx.names]


_call.register_autograd(_backward, setup_context=_setup)
