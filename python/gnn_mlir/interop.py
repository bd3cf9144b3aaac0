# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`compile` and `explain` of PyTorch models. Imports torch for these alone."""

import inspect
import sys

from . import types

NONE = object()  # In place of a program: `compile` is a decorator.


def is_any(program):
    """Whether it is a torch.nn.Module, or a Python function."""
    torch = sys.modules.get("torch")
    return inspect.isfunction(program) or torch is not None and isinstance(
        program, torch.nn.Module)


def _refuse(given, what, instead=""):
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name}: expected none for {what}, got {types.described(value)}"
                             f"{instead}")


def refuse_unknown(unknown, settings, others):
    """Raises ValueError for options that `compile` does not have."""
    for name in unknown:
        raise ValueError(f"{name}: expected an option of PyTorch models "
                         f"({', '.join(settings)}) or "
                         f"of programs ({', '.join([*list(settings)[:-1], *others])})")


def compile(model, settings, others):
    """A model captured at its first call. `others` are arguments for programs. A model that
    is compiled is itself where no settings are given."""
    _refuse(others, "a PyTorch model")
    from .pytorch import frontend
    from .pytorch.frontend import report
    given = {name: value for name, value in settings.items() if value not in (None, False)}
    if report.is_compiled(model):
        if given or report.of_compiled(model) is None:
            raise ValueError("program: expected a model that is not compiled, as "
                             "compiled._orig_mod is, got a compiled one with "
                             f"{', '.join(given) or 'another backend'}")
        return model
    return frontend.compile_module(model, **given)


def explain(model, args, named, kernels, others):
    """The captures of a compiled model, as text, with `kernels` by their names. With
    arguments it is called first."""
    from .pytorch.frontend import report
    captures = report.of_compiled(model)
    if captures is None:
        raise ValueError(f"program: expected a compiled model, got {type(model).__name__}: "
                         "gnn_mlir.compile(model) makes one")
    _refuse(others, "a compiled model", "; gnn_mlir.explain takes it with the text of a program, "
            "as that of model.captures.report()[0].programs[0].text")
    if args or named:
        model(*args, **named)
    return captures.text(kernels)
