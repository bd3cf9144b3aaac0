# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `compile` and `explain` do with PyTorch models. Imports torch for these alone."""

import inspect
import sys

from . import types


def is_any(program):
    """Whether it is a torch.nn.Module, or a Python function."""
    torch = sys.modules.get("torch")
    return inspect.isfunction(program) or torch is not None and isinstance(
        program, torch.nn.Module)


def _refuse(given, what):
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name}: expected none for {what}, got {types.described(value)}")


def compile(model, settings, others):
    """A model captured at its first call. `others` are arguments for programs."""
    _refuse(others, "a PyTorch model")
    from . import frontend
    return frontend.compile_module(model, **{
        name: value for name, value in settings.items() if value is not None})


def explain(model, others):
    """What was captured of a compiled model, as text."""
    captures = vars(model).get("captures")
    if captures is None:
        raise ValueError(f"program: expected a compiled model, got {type(model).__name__}: "
                         "gnn_mlir.compile(model) makes one")
    _refuse(others, "a compiled model")
    return str(captures)
