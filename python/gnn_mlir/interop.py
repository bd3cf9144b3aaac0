# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The door from the core to `gnn_mlir.pytorch`.

The core imports neither torch nor that package. This module alone does, within its functions,
where a caller hands in what is torch's or PyG's, and so has imported it.
"""

import inspect
import sys

from . import types

NONE = object()  # In place of a program: `compile` is a decorator.


def _torch():
    """torch where the caller has imported it, else None."""
    return sys.modules.get("torch")


# -- Tensors --------------------------------------------------------------------------------


def is_traced():
    """Whether torch.compile is tracing the caller."""
    torch = _torch()
    return torch is not None and torch.compiler.is_compiling()


def current_gpu():
    """The number of torch's current GPU; None without torch or a GPU."""
    torch = _torch()
    return None if torch is None or not torch.cuda.is_available() else (
        torch.cuda.current_device())


def index_beside(array, tensor):
    """An array of ids as a tensor where another one is."""
    return _torch().as_tensor(array, device=tensor.device)


def tensors(arrays):
    """Arrays as tensors of the same memory."""
    return list(map(_torch().from_numpy, arrays))


def traced(function, graphs, inputs):
    """The outputs of a call by name, which torch traces."""
    from .pytorch import custom_ops
    return custom_ops.traced(function, graphs, inputs)


def autograd():
    """Calls under torch's autograd."""
    from .pytorch import autograd as found
    return found


def run_on_stream(bound, inputs, launch):
    """A run on CUDA tensors, as `running` has those of arrays."""
    from .pytorch import launches
    return launches.on_stream(bound, inputs, launch)


def tensor_graph():
    """The class `TensorGraph`."""
    try:
        from .pytorch.tensor_graph import TensorGraph
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError("TensorGraph: expected torch, of whose tensors it is made, to be "
                          "installed, got none") from None
    return TensorGraph


def pyg():
    """The names of PyG."""
    from .pytorch import pyg as found
    return found


# -- Models ---------------------------------------------------------------------------------


def is_torch_model(program):
    """Whether it is what torch captures: a torch.nn.Module, or a Python function of tensors."""
    torch = _torch()
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


def export(model, args, path, kwargs, settings, options):
    """A model called in evaluation mode and saved."""
    torch = _torch()
    if torch is None or not isinstance(model, torch.nn.Module):
        raise ValueError(f"model: expected a torch.nn.Module, got {types.described(model)}")
    from .pytorch.frontend.saving import packages
    compiled = compile(model, settings, {})
    packages.export(compiled, args, kwargs, path, **options)


def calls_of(model, args, named):
    """The programs that a compiled model calls, each once, as `tune` takes them: function,
    graphs, inputs, and the names of what runs. Raises ValueError where torch runs all of it."""
    from .pytorch.frontend import report
    from .pytorch.frontend.runtime import program_calls
    if report.of_compiled(model) is None:
        raise ValueError(f"program: expected a compiled model, got {type(model).__name__}: "
                         "gnn_mlir.compile(model) makes one")
    with program_calls.recording() as recorded:
        model(*args, **named)
    if not recorded:
        raise ValueError("program: expected a model with ops on graphs, got a call that "
                         "torch ran without any program: gnn_mlir.explain(model) says why")
    once = {id(call): (call, *given) for call, *given in recorded}
    return [call.as_function(*given) for call, *given in once.values()]


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
