# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was wrong with the arguments of a call that failed. torch and PyG find most of it
somewhere within the model, if at all; here it is said of the argument by its name."""

import inspect

import torch
from torch._dynamo import exc

from .adjacency import Adjacency
from .raising import CaptureError

_IDS = (torch.int32, torch.int64)
_VECTORS = ("edge_type", "edge_weight", "edge_attr")  # One entry, or row, an edge.

# What torch says where a model does what a stand-in of a sparse matrix has not.
_SPARSE = ("Adjacency", "'Matrix'", "(Matrix)", "an op of a sparse matrix", "a sparse matrix times")


def explain(error, model, args, kwargs):
    """The error that a user should see: ours, or what is wrong with an argument, or None
    where torch's says it best."""
    chain = _chain(error)
    named = list(_named(model, args, kwargs))
    checks = [_ids, _devices, _lengths, _held]
    if any("dtype" in str(one) or "float32" in str(one) for one in chain):
        checks.append(_dtypes)
    for check in checks:
        found = check(model, named)
        if found is not None:
            return ValueError(found)
    for one in chain:
        if isinstance(one, CaptureError):
            return one
    if isinstance(error, exc.Unsupported) and any(word in str(error) for word in _SPARSE):
        name = next((name for name, x in named if isinstance(x, Adjacency)), "a sparse matrix")
        where = str(error).partition("from user code:")[2].partition("\n\n")[0].strip()
        return ValueError(f"{name}: expected a sparse matrix in layers of PyG and in products "
                          f"with features, got another op of it; at {where}")
    if isinstance(error, exc.TorchRuntimeError) and chain[-1] is not error:
        given = ", ".join(f"{name} {_described(x)}" for name, x in named
                          if isinstance(x, torch.Tensor))
        why = str(chain[-1]).strip().rstrip(".")
        return ValueError(f"{why}; the model was called with {given}")
    return None


def _chain(error):
    """An error and those that it came of, the first of all last."""
    found = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _named(model, args, kwargs):
    """Arguments by name; those in dicts, lists and Data by the name of what has them."""
    function = model.forward if isinstance(model, torch.nn.Module) else model
    try:
        bound = inspect.signature(function).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return
    for name, x in bound.items():
        yield from _within(name, x)


def _within(name, x):
    if isinstance(x, dict):
        for key, one in x.items():
            yield from _within(name if name.endswith("_dict") else str(key), one)
    elif hasattr(x, "stores") and hasattr(x, "to_dict"):
        for store in x.stores:
            yield from _within(name, dict(store.items()))
    elif isinstance(x, (tuple, list)) and any(isinstance(one, torch.Tensor) for one in x):
        for one in x:
            yield from _within(name, one)
    else:
        yield name, x


def _described(x):
    return f"{x.dtype} of shape {list(x.shape)}"


def _is_pair(name):
    return name.removesuffix("_dict").endswith("edge_index")


def _ids(model, named):
    for name, x in named:
        if not _is_pair(name) or x is None or isinstance(x, Adjacency):
            continue
        wanted = f"{name}: expected ids [2, edges] of torch.int64 or torch.int32, got "
        if not isinstance(x, torch.Tensor):
            return wanted + type(x).__name__
        if x.dtype not in _IDS or x.dim() != 2 or x.size(0) != 2:
            return wanted + _described(x)
    return None


def _devices(model, named):
    parameters = model.parameters() if isinstance(model, torch.nn.Module) else ()
    first = next(iter(parameters), None)
    where = "where the model is"
    for name, x in named:
        if isinstance(x, torch.Tensor):
            if first is None:
                first, where = x, "where the others are"
            if x.device != first.device and x.dim():
                return f"{name}: expected a tensor on {first.device}, {where}, got {x.device}"
    return None


def _dtypes(model, named):
    parameters = model.parameters() if isinstance(model, torch.nn.Module) else ()
    dtypes = {p.dtype for p in parameters if p.is_floating_point()}
    if len(dtypes) != 1 or torch.is_autocast_enabled("cpu") or (
            torch.is_autocast_enabled("cuda")):
        return None
    dtype, = dtypes
    for name, x in named:
        if isinstance(x, torch.Tensor) and x.dtype != dtype and (
                x.is_floating_point() or x.is_complex()):
            return f"{name}: expected {dtype}, as the model has it, got {_described(x)}"
    return None


def _held(model, named):
    """Sparse matrices that no argument is: torch cannot trace them."""
    modules = model.named_modules() if isinstance(model, torch.nn.Module) else ()
    for at, module in modules:
        for name, x in (*vars(module).items(), *module._buffers.items()):
            if isinstance(x, torch.Tensor) and x.layout is not torch.strided:
                return (f"{at}{'.' * bool(at)}{name}: expected sparse matrices as arguments "
                        f"of the call, got one of {x.layout} that the model holds")
    return None


def _lengths(model, named):
    pairs = [x for name, x in named if _is_pair(name) and isinstance(x, torch.Tensor)]
    for name, x in named:
        if len(pairs) == 1 and name in _VECTORS and isinstance(x, torch.Tensor) and x.dim():
            edges = pairs[0].size(1)
            if x.size(0) != edges:
                return f"{name}: expected {edges} entries, one an edge, got {x.size(0)}"
    return None
