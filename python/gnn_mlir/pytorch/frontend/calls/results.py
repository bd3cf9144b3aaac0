# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of a call of a compiled model: the caller's own sparse matrices and EdgeIndex where
the model gives back what torch traced in their place, and sparse tensors where it makes some."""

import threading

import torch

from ..tracing.adjacency import Adjacency, SparseTensor, StandIn
from ..saving.sources import is_data
from ..tracing.matrix import as_torch


def replaced(given, made, found=None):
    """(what torch traces, what the caller gave) for each argument that is replaced."""
    found = [] if found is None else found
    if made is given:
        return found
    if isinstance(made, dict):
        for name, one in made.items():
            if name in given:  # The model may write to a copy of the caller's.
                replaced(given[name], one, found)
    elif isinstance(made, (list, tuple)):
        for a, b in zip(given, made):
            replaced(a, b, found)
    elif is_data(made):
        for a, b in zip(given.stores, made.stores):
            replaced(dict(a.items()), dict(b.items()), found)
    else:
        found.append((made, given))
    return found


def has_stand_in(given, made):
    """Whether any argument is replaced by what stands for a sparse matrix."""
    return any(isinstance(one, StandIn) for one, _ in replaced(given, made))


def restored(x, found):
    """A result without stand-ins."""
    for made, given in found:
        if x is made:
            return given
    kind = type(x)
    if isinstance(x, StandIn):
        return _of_torch_sparse(x, found) if kind is Adjacency else as_torch(x)
    if kind is dict:
        made = {name: restored(one, found) for name, one in x.items()}
        return made if any(made[name] is not one for name, one in x.items()) else x
    if isinstance(x, (list, tuple)):
        made = [restored(one, found) for one in x]
        if all(a is b for a, b in zip(made, x)):
            return x
        return kind(*made) if hasattr(kind, "_fields") else kind(made)
    if is_data(x):  # A copy, or what the model makes.
        for store in x.stores:
            for name, one in list(store.items()):
                made = restored(one, found)
                if made is not one:
                    store[name] = made
    return x


def _of_torch_sparse(x, found):
    """A SparseTensor, of the class of the caller's."""
    kind = next((type(given) for made, given in found if type(made) is Adjacency), SparseTensor)
    row, col, value = x.coo()
    return kind(row=row, col=col, value=value, sparse_sizes=x.sparse_sizes())


class Kept:
    """Matrices that a model keeps as attributes, as `GCNConv(cached=True)` does: stand-ins
    within calls, and sparse tensors outside of them."""

    def __init__(self, model, convert):
        self._model = model if isinstance(model, torch.nn.Module) else None
        self._convert, self._places, self._lock = convert, [], threading.RLock()

    def within(self, function, *args, **kwargs):
        """Calls what runs the model."""
        if not self._places:
            return function(*args, **kwargs)
        with self._lock:
            for names, name in self._places:
                if name in names:
                    names[name] = self._convert(names[name])
            try:
                return function(*args, **kwargs)
            finally:
                self.release([])

    def find(self, found):
        """Looks for what a capture may have kept."""
        if self._model is not None:
            with self._lock:
                known = [(id(names), name) for names, name in self._places]
                self._places += [
                    (vars(module), name) for module in self._model.modules()
                    for name, x in vars(module).items()
                    if (id(vars(module)), name) not in known and restored(x, found) is not x]
                self.release(found)

    def release(self, found):
        for names, name in self._places:
            if name in names:
                names[name] = restored(names[name], found)
