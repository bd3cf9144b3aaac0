# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of the arguments of a call that failed. torch and PyG find most of it
somewhere within the model, if at all; here an error names the argument."""

import dis
import inspect
import logging
import re
import traceback

import torch
from torch._dynamo import exc

from .... import targets
from ..places import place_in, without_symbols
from ..raising.raiser import CaptureError
from ..tracing import intercept
from ..tracing.adjacency import Refused, StandIn, WrongSize
from .results import is_data
from .symbols import is_of_symbols

_IDS = (torch.int32, torch.int64)
_VECTORS = ("edge_type", "edge_weight", "edge_attr")  # One entry, or row, an edge.

# Words of torch's errors where a model does what a stand-in of a sparse matrix has not.
_SPARSE = ("Adjacency", "'Matrix'", "(Matrix)", "RowSums")

# Words of errors of torch and PyG where features have too few dimensions or other sizes.
_DIMENSIONS = re.compile(r"[Dd]imension|must be 2D|mat1|mat2|reduction dim|isn't in range|shape")
# What dynamo says of a model that it cannot trace, and what the model does.
_BREAKS = {"torch.autograd.grad": "the model differentiates in forward (torch.autograd.grad)",
           "requires_grad=True": "the model makes a tensor with requires_grad=True in forward"}
_OUT_OF_RANGE = re.compile(r"^(?:\w+|relation \d+, \w+): (expected (?:ids from 0 to \d+|no ids, as there "
                           r"are no \w+), got (-?\d+)) at (\d+)$")
_LIBRARIES = ("torch", "torch_geometric", "torch_sparse", "torch_scatter", "gnn_mlir", "dgl")
_RAISES = dis.opmap["RAISE_VARARGS"]


def _is_told(record):
    """Whether a line of torch's log is none of a trace that fails within a call of ours, whose
    error says it."""
    return torch._dynamo.config.verbose or not intercept.is_on()


logging.getLogger("torch._subclasses.fake_tensor").addFilter(_is_told)


def explain(error, model, args, kwargs, fullgraph):
    """The error that a user should see: ours, or what is wrong with an argument, or None
    where it is to stay as it is: torch's, where that says it best, and those of the model."""
    chain = _chain(error)
    if is_of_model(error) or any(isinstance(one, torch.OutOfMemoryError) for one in chain):
        return None
    named = list(_named(model, args, kwargs))
    wrong = next((one for one in chain if isinstance(one, WrongSize)), None)
    if wrong is not None:
        return ValueError(_wrong_matrix(wrong, named) + _where_of_matrix(error))
    texts = list(map(str, chain))
    checks = [_arrays, _ids, _devices, _lengths, _held]
    if any("dtype" in text or "float32" in text for text in texts):
        checks.append(_dtypes)
    if any(map(_DIMENSIONS.search, texts)):
        checks.append(_ranks)
    if any("used as indices" in text or "of integer type" in text for text in texts):
        checks.append(_floats_as_ids)
    if any("size '2' in the first dimension" in text for text in texts):
        checks.append(_transposed)
    if any("not support dtype" in text or "same dtype" in text for text in texts):
        checks.append(_integers)
    for text in texts:
        match = _OUT_OF_RANGE.match(text)
        if match:
            checks.insert(0, lambda model, named: _range(named, *match.groups()))
            break
    for check in checks:
        found = check(model, named)
        if found is not None:
            return ValueError(found)
    for one in chain:
        if isinstance(one, CaptureError):
            return one
    if isinstance(error, exc.TorchRuntimeError) and chain[-1] is not error:
        given = ", ".join(f"{name} {_described(x)}" for name, x in named
                          if isinstance(x, torch.Tensor))
        # Sizes that a capture does not know are none of the user's symbols.
        why = without_symbols(str(chain[-1]).strip().rstrip("."))
        return ValueError(f"{why}{_where(error)}; the model was called with {given}")
    if isinstance(error, exc.Unsupported) or fullgraph and (
            isinstance(error, exc.UserError) or is_of_symbols(error)):
        # Else the graph is broken there.
        why = without_symbols(str(error).strip().splitlines()[0].rstrip("."))
        why = next((ours for theirs, ours in _BREAKS.items() if theirs in why), why)
        return CaptureError(f"{why}{_where(error)}: dynamo breaks the graph here, which is "
                            "allowed without fullgraph=True")
    return None


def _where(error):
    """The line of the model, where torch says it with an error."""
    place = place_in(str(error).partition("from user code:")[2])
    return f" at {place} ({place.code})" if place else ""


def asked_of_matrix(error, model, args, kwargs):
    """The question to a sparse matrix that its stand-in has no answer for, where a call failed
    for this; else None."""
    text, chain = str(error), _chain(error)
    asked = next((one.name for one in chain if isinstance(one, Refused)), None)
    if asked is None:
        if not isinstance(error, exc.Unsupported) or not any(word in text for word in _SPARSE):
            return None
        asked = "another op"
    named = _named(model, args, kwargs)
    name = next((name for name, x in named if isinstance(x, StandIn)), "a sparse matrix")
    return (f"{name}: expected a sparse matrix in layers of PyG and in products with features, "
            f"got {asked} of it{_where_of_matrix(error)}")


def _where_of_matrix(error):
    """The line of the model that asks a stand-in."""
    place = place_in(str(error).partition("from user code:")[2] or "".join(
        traceback.format_exception(error)))
    return f" at {place} ({place.code})" if place else ""


def _wrong_matrix(wrong, named):
    """A wrong size of a matrix, in terms of the argument that it is or is the transposed of."""
    for one in (wrong, wrong.transposed()):
        for name, x in named:
            if isinstance(x, StandIn) and (x._rows, x._size(1)) == one.sizes:
                return f"{name}: {one.said}"
    return f"a sparse matrix: {wrong.said}"


def has_stand_in(model, args, kwargs):
    """Whether an argument is what stands for a sparse matrix."""
    return any(isinstance(x, StandIn) for _, x in _named(model, args, kwargs))


def is_of_model(error):
    """Whether the code of a model raises it: by a class of its own, or by `raise` or `assert`
    in a file that is of no library."""
    if type(error).__module__.partition(".")[0] not in (*_LIBRARIES, "builtins"):
        return True
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    if at is None or at.tb_frame.f_globals.get("__name__", "").partition(".")[0] in _LIBRARIES:
        return False
    code = at.tb_frame.f_code.co_code
    return 0 <= at.tb_lasti < len(code) and code[at.tb_lasti] == _RAISES


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
            yield from _within(f"{name}[{key!r}]" if name.endswith("_dict") else str(key), one)
    elif is_data(x):
        for store in x.stores:
            yield from _within(name, dict(store.items()))
    elif isinstance(x, (tuple, list)) and any(
            isinstance(one, (dict, torch.Tensor, StandIn)) for one in x):
        for one in x:
            yield from _within(name, one)
    else:
        yield name, x


def _described(x):
    return f"{x.dtype} of shape {list(x.shape)}"


def _is_pair(name):
    return name.partition("[")[0].removesuffix("_dict").endswith("edge_index")


def _arrays(model, named):
    for name, x in named:
        if type(x).__module__ == "numpy" and not _is_pair(name) and hasattr(x, "shape") and x.shape:
            return f"{name}: expected a torch.Tensor, got numpy's {type(x).__name__}"
    return None


def _ranks(model, named):
    for name, x in named:
        if isinstance(x, torch.Tensor) and x.dim() < 2 and x.is_floating_point() and (
                name not in _VECTORS):
            return f"{name}: expected features [rows, size], got {_described(x)}"
    return None


def _floats_as_ids(model, named):
    """A graph that is made of floats, by whatever name."""
    for name, x in named:
        if isinstance(x, torch.Tensor) and x.dim() == 2 and x.size(0) == 2 and (
                x.is_floating_point()):
            return (f"{name}: expected ids [2, edges] of torch.int64 or torch.int32, got "
                    f"{_described(x)}")
    return None


def _transposed(model, named):
    """Ids of edges row by row, by whatever name."""
    for name, x in named:
        if isinstance(x, torch.Tensor) and x.dtype in _IDS and x.dim() == 2 and x.size(1) == 2:
            return (f"{name}: expected ids [2, edges] of torch.int64 or torch.int32, got "
                    f"{_described(x)}")
    return None


def _integers(model, named):
    """Features of integers, where they are multiplied by weights."""
    for name, x in named:
        if isinstance(x, torch.Tensor) and x.dtype in _IDS and x.dim() == 2 and (
                x.size(0) != 2 and not _is_pair(name)):
            return f"{name}: expected features of floats, as weights are, got {_described(x)}"
    return None


def _range(named, message, got, at):
    """The argument that has an id out of range: at that edge, or else anywhere."""
    got, at, found = int(got), int(at), []
    for name, x in named:
        if not isinstance(x, torch.Tensor) or x.layout is not torch.strided or x.dtype not in (
                torch.int16, *_IDS):
            continue
        rows = {f"{name}[{i}]": row for i, row in enumerate(x)} if (
            x.dim() == 2 and x.size(0) == 2) else {name: x} if x.dim() == 1 else {}
        for place, row in rows.items():
            places = (row == got).nonzero().view(-1).tolist()
            if places:
                found.append((at not in places, place, at if at in places else places[0]))
    if not found:
        return None
    _, place, at = min(found, key=lambda one: one[0])
    return f"{place}: {message} at {at}"


def _ids(model, named):
    for name, x in named:
        if not _is_pair(name) or x is None or isinstance(x, StandIn):
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
            if x.device.type == "meta" and (first is None or first.device == x.device):
                return f"{name}: expected a tensor with data, got one on the device meta"
            if first is None:
                first, where = x, "where the others are"
            if x.device != first.device and x.dim():
                return f"{name}: expected a tensor on {first.device}, {where}, got {x.device}"
    return None


def _dtypes(model, named):
    parameters = model.parameters() if isinstance(model, torch.nn.Module) else ()
    dtypes = {p.dtype for p in parameters if p.is_floating_point()}
    if len(dtypes) != 1 or any(map(torch.is_autocast_enabled, targets.OF_TORCH)):
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
        if len(pairs) != 1 or name not in _VECTORS or x is None:
            continue
        edges, got = pairs[0].size(1), None
        if not isinstance(x, torch.Tensor):
            got = f"{type(x).__name__} {x!r}" if isinstance(x, (int, float)) else None
        elif not x.dim():
            got = "a tensor without dimensions"
        elif x.size(0) != edges:
            got = str(x.size(0))
        if got is not None:
            return f"{name}: expected {edges} entries, one an edge, got {got}"
    return None
