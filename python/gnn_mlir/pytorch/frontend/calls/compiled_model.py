# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models: the `OptimizedModule` of torch, with a forward that takes what
torch cannot trace, and with its own settings, so that copies and pickles compile too."""

import functools
import logging
import re

import torch
from torch._dynamo import eval_frame
from torch._dynamo.variables.builder import VariableBuilder
from torch.nn.parameter import is_lazy

from ..raising.raiser import CaptureError
from ..saving import packages
from . import arguments, dispatch
from .frames import RunsInEager

_has_any_global_hook = torch.nn.modules.module._has_any_global_hook


class Compiled(eval_frame.OptimizedModule):
    """A compiled model. Copies and pickles of it are compiled with its settings."""

    _remade = None  # torch sets what its class has not on the model.

    @classmethod
    def of(cls, made, compiled, captures, function, settings):
        """Takes what torch made of a model; `compiled` makes what dynamo runs of a function that
        the model's calls are, or its forward alone. `captures` tells of the model, and
        `function` makes the same of another by the settings."""
        made.__class__ = cls
        made._remade = function, settings
        model = made._orig_mod

        def refuse(why):
            if settings["fullgraph"]:
                raise CaptureError(f"{captures.name}: {why}")
            raise RunsInEager(functools.partial(captures.miss, why))
        dispatch.install(made, model, compiled, refuse)
        made.forward = _initialized(arguments.converting(
            made.forward, model, captures, settings["fullgraph"]), model, captures)
        return made

    def save(self, path, *, targets=None, chip=None, gradients=False):
        """Writes the model with its parameters to a file that `gnn_mlir.load` and C run without
        torch (docs/Serving.md): as it was captured last in evaluation mode, with any sizes. It is
        for the target of that call, or for `targets`, such as ["cuda", "cpu"], and `chip`.
        `gradients` adds the forward and backward pass. Raises CaptureError, which names the op,
        where it is not one program with parameters, rows and ids as arguments have them."""
        if self._forward_hooks or self._forward_pre_hooks:
            raise CaptureError("expected a compiled model without hooks of its own, to save it, got "
                               "some: the model that it was compiled of may have them")
        packages.save(vars(self)["captures"], self._orig_mod, path, targets=targets, chip=chip,
                      gradients=gradients)

    def __call__(self, *args, **kwargs):
        """As torch has it; where there are no hooks, without asking for each kind of them."""
        own = self.__dict__
        if torch.compiler.is_exporting():
            raise ValueError("torch.export: expected a model that is not compiled, since its "
                             "kernels would not be in what torch exports, got a compiled one: "
                             "compiled.save(path) and gnn_mlir.export(model, args, path) save it "
                             "with them")
        if (own["_forward_hooks"] or own["_forward_pre_hooks"] or own["_backward_hooks"] or
                own["_backward_pre_hooks"] or self._compiled_call_impl is not None or
                _has_any_global_hook() or torch._C._get_tracing_state() or
                torch.compiler.is_dynamo_compiling()):
            return super().__call__(*args, **kwargs)
        return self.forward(*args, **kwargs)

    def __reduce__(self):
        return _remake, (self._orig_mod, *self._remade)


def _initialized(function, model, captures):
    """The function, but for calls of a model whose lazy layers have no parameters yet: torch
    would capture each of these layers alone. The model itself runs them."""
    if not _is_lazy(model):
        return function
    lazy = [True]

    @functools.wraps(function)
    def call(*args, **kwargs):
        if lazy and _is_lazy(model):
            captures.miss("its lazy layers had no parameters yet", logging.INFO)
            captures.end_call(True)
            return model(*args, **kwargs)
        lazy.clear()
        return function(*args, **kwargs)
    return call


def _is_lazy(model):
    return any(map(is_lazy, model.parameters())) or any(map(is_lazy, model.buffers()))


def _remake(model, function, settings):
    return function(model, **settings)


def refuse_untraced(backend):
    """Makes what torch cannot trace an error where `torch.compile` by itself calls a
    backend. torch would run the model in parts, or fail at one of them."""
    own = VariableBuilder.__call__

    @functools.wraps(own)
    def wrap(self, value):
        kind = arguments.untraced(value)
        if kind is not None:
            output, frame = self.tx.output, self.tx.f_code.co_name
            if getattr(output.compiler_fn, "compiler_fn", None) is backend and not (
                    frame.startswith("torch_dynamo_resume")):
                name = re.sub(r"_store\._mapping\['(\w+)'\]", r"\1", re.sub(
                    r"^L\['(\w+)'\]", r"\1", self.source.name))
                raise CaptureError(f"{name}: expected what torch can trace, got {kind}; "
                                   "gnn_mlir.compile(model) takes it")
        return own(self, value)
    VariableBuilder.__call__ = wrap
