# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of a compiled model, as torch can trace them: sparse matrices and PyG's
EdgeIndex become tensors, wherever they are among the arguments."""

import copy
import functools

import torch
from torch.utils.weak import WeakIdKeyDictionary

from ...identity import Weak, identity
from .. import dgl
from ..runtime.streams import Shared
from ..saving import sources
from ..tracing.adjacency import Adjacency
from ..tracing.matrix import Matrix
from . import bad_input, results
from .frames import RunsInEager

_Tensor, _strided = torch.Tensor, torch.strided
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_UNTRACED = ("EdgeIndex", "SparseTensor", "DGLGraph", "DGLBlock")
_LAYOUTS = (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc)
_known = WeakIdKeyDictionary()


def converting(function, model, captures, fullgraph):
    """The function that runs a model, on arguments that torch can trace; where it fails,
    the error says what is wrong with them. The messages of the call's captures come
    behind it, unless the arguments are wrong. A model that asks a sparse matrix for what
    its stand-in has no answer for is torch's from then on, where it is given one; with
    `fullgraph` it fails."""
    kept, asked = results.Kept(model, convert), []

    @functools.wraps(function)
    def call(*args, **kwargs):
        given = args, kwargs
        for x in args:
            if type(x) is not _Tensor or x.layout is not _strided or not x.numel():
                args = tuple(map(convert, args))
                break
        if kwargs:
            kwargs = {name: convert(x) for name, x in kwargs.items()}
        if asked and results.has_stand_in(given, (args, kwargs)):
            return model(*given[0], **given[1])
        before, left = captures.count(), None
        try:
            try:
                made = kept.within(function, *args, **kwargs)
            except RunsInEager as one:
                left = one
            if left is not None:
                made = _in_eager(left, model, given, (args, kwargs))
        except Exception as error:
            why = bad_input.asked_of_matrix(error, model, args, kwargs)
            found = (ValueError(why) if why else
                     bad_input.explain(error, model, args, kwargs, fullgraph))
            captures.end_call(found is None)
            if found is None:
                raise
            # The frames of torch's tracing say nothing of an argument.
            cause = error if torch._dynamo.config.verbose else None
            has_run = captures.count() != before or "torch_dynamo_resume_in" in str(error)
        else:
            if args is not given[0] or kwargs:
                replaced = results.replaced(given, (args, kwargs))
                if captures.count() != before:
                    kept.find(replaced)
                made = results.restored(made, replaced) if replaced else made
            if captures.count() != before:
                sources.note(captures.outers(before), model, args, kwargs, made)
            if captures.untold:
                captures.end_call(True)
            return made
        if why and not fullgraph:
            asked.append(why)
            captures.add(model, why=why)
            captures.end_call(True)
            if not has_run:  # Its writes would be made twice.
                return model(*given[0], **given[1])
            found = ValueError(f"{why}; torch runs the model from the next call on")
        raise found.with_traceback(None) from cause
    return call


def _in_eager(left, model, given, made):
    """A call that is left to eager, of the caller's own arguments."""
    if left.error is not None and results.has_stand_in(given, made):
        raise left.error
    try:
        result = model(*given[0], **given[1])
    except Exception as error:
        if left.error is None or bad_input.is_of_model(error):
            raise
    else:
        left.tell()
        return result
    raise left.error  # It says more of the arguments.


def marking(function):
    """The function, to which sizes of 1 are special: there torch may broadcast. So are numbers
    of features, for which programs are compiled. Others are taken as they come, 0 and 1 too,
    when a program is there that was captured for more."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        for x in (*args, *kwargs.values()):
            _mark(x)
        return function(*args, **kwargs)
    return call


def _mark(x):
    if isinstance(x, torch.Tensor):
        if x.layout is torch.strided:
            fixed = {i for i, size in enumerate(x.shape) if size == 1}
            if x.dim() == 2 and x.is_floating_point() and x.shape[0] != x.shape[1]:
                fixed.add(1)
            elif x.dim() > 2 and x.is_floating_point() and x.shape[0] > max(x.shape[1:]):
                fixed.update(range(1, x.dim()))  # Else rows may be in any dimension.
            if fixed:
                _fix(x, fixed)
    elif isinstance(x, dict):
        for one in x.values():
            _mark(one)
    elif isinstance(x, (list, tuple)):
        for one in x:
            _mark(one)
    elif results.is_data(x):
        for store in x.stores:
            _mark(dict(store.items()))


def _fix(x, dims):
    """As torch._dynamo.mark_static does, which asks whether any thread traces."""
    if not hasattr(x, "_dynamo_static_indices"):
        x._dynamo_static_indices = set()
    x._dynamo_static_indices |= dims
    x._has_dynamo_dim_marking = True


def convert(x):
    """An argument as torch can trace it: itself where it is."""
    kind = type(x)
    if kind in _PLAIN:
        if x.layout is not torch.strided:
            return _of_torch(x)
        return x if x.numel() or x.dim() != 2 or x.requires_grad else _empty(x)
    if kind is dict:
        for one in x.values():
            if type(one) is not _Tensor or one.layout is not _strided or not one.numel():
                break
        else:
            return x
        made = {name: convert(one) for name, one in x.items()}
        return made if any(made[name] is not one for name, one in x.items()) else x
    if kind in (list, tuple):
        made = kind(map(convert, x))
        return made if any(a is not b for a, b in zip(made, x)) else x
    if isinstance(x, torch.Tensor):
        return x.as_tensor() if hasattr(x, "as_tensor") else x
    if kind.__name__ == "SparseTensor" and hasattr(x, "coo"):
        return _of_sparse(x)
    if kind.__name__ in ("DGLGraph", "DGLBlock"):
        return dgl.of_dgl(x, _of_dgl)
    if results.is_data(x):
        return _of_data(x)
    return x


def untraced(x):
    """The words for an argument that torch cannot trace, or None."""
    if isinstance(x, torch.Tensor) and x.layout is not torch.strided:
        return f"a tensor of {x.layout}"
    name = type(x).__name__
    return name if name in _UNTRACED else None


def _empty(x):
    """Ids [2, 0] with the strides [0, 1]: torch's own, [1, 1], are a special case of those
    of other sizes, for which a model would be compiled again."""
    return x.as_strided(x.shape, (x.shape[1], 1))


def _of_data(data):
    """Data and HeteroData of PyG, or a copy that has other tensors."""
    made = None
    for place, store in enumerate(data.stores):
        for name, x in store.items():
            one = convert(x)
            if one is not x:
                made = copy.copy(data) if made is None else made
                made.stores[place][name] = one
    return data if made is None else made


def _kept(given, vectors, make):
    """The result of `make` for an object of these vectors, or a sparse tensor; made
    once, while they are what they were. A kept result is of no mode of
    torch."""
    key, found = identity(vectors or [given], held=bool(vectors)), None
    try:
        found = None if key is None else _known.get(given)
    except TypeError:
        key = None  # No object that can be held weakly.
    if found is None or found[0] != key or not vectors and found[1].has_moved():
        if key is None:
            return make()
        with torch.inference_mode(False), torch.no_grad():
            made = make()
        found = key, vectors or Weak([given]), made, Shared(
            x for x in made if x is not None)
        _known[given] = found
    found[3].wait()
    return found[2]


def _pair(rows, columns):
    return torch.stack([columns, rows])


def _of_torch(x):
    """A sparse tensor: row i has the edges into node i. Where all values are
    1 there are no weights."""
    if x.layout not in _LAYOUTS:
        raise ValueError(f"expected a sparse tensor of layout torch.sparse_coo, sparse_csr "
                         f"or sparse_csc, got {x.layout}")
    if x.dim() - x.dense_dim() != 2:
        raise ValueError(f"expected a sparse matrix, got one of shape {tuple(x.shape)}")
    is_sorted = x.layout is not torch.sparse_coo or x.is_coalesced()

    def make():
        found = _entries(x)
        own = found if is_sorted else _entries(x.coalesce())
        return found if found[0].shape == own[0].shape else (*found, *own)
    pair, value, *merged = _kept(x, None, make)
    if x.requires_grad:  # torch cannot trace a view of a sparse tensor.
        own = x if x.layout is not torch.sparse_coo else x.coalesce()
        if not is_sorted:
            pair, merged = _pair(*own.indices()), []
        value = own.values().clone()
    made = Matrix._of(pair, value, *x.shape[:2], x.layout)
    return made if is_sorted else made._laid(
        x.layout, None, bool(merged), Matrix._of(*merged, *x.shape[:2], x.layout)
        if merged else None)


def _entries(x):
    """(ids of columns and rows, values)."""
    if x.layout is torch.sparse_coo:
        pair, value = _pair(*x._indices()), x._values()
    else:
        is_csr, value = x.layout is torch.sparse_csr, x.values()
        begins, ends = ((x.crow_indices(), x.col_indices()) if is_csr else
                        (x.ccol_indices(), x.row_indices()))
        rows = torch.repeat_interleave(begins.diff(), output_size=ends.shape[0])
        pair = _pair(*((rows, ends) if is_csr else (ends, rows)))
    is_one = value.dim() == 1 and value.dtype == torch.float32 and bool((value == 1).all())
    return pair, None if is_one else value.clone()


def _of_dgl(graph, make):
    """The ids of a graph of DGL, which makes tensors of its memory at each call."""
    with torch.inference_mode(False):
        vectors = list(graph.edges())
    return _kept(graph, vectors, lambda: (make(),))[0]


def _of_sparse(x):
    """A SparseTensor of torch_sparse."""
    row, col, value = x.coo()
    pair, = _kept(x, [row, col], lambda: (_pair(row, col),))
    return Adjacency(pair, value, *map(int, x.sparse_sizes()))
