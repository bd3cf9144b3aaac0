# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The identity of tensors, for caches of what was made of them.

torch counts the writes to a tensor together with those to its views. It does not count
writes through NumPy, or through what `.data` gives: nothing here sees them.
"""

import torch
from torch.multiprocessing.reductions import StorageWeakRef

_Tensor, _strided = torch.Tensor, torch.strided
_is_gone, _WeakTensor = torch.UntypedStorage._expired, torch._C._WeakTensorRef
_PARTS = {torch.sparse_coo: ("_indices", "_values"),
          torch.sparse_csr: ("crow_indices", "col_indices", "values"),
          torch.sparse_csc: ("ccol_indices", "row_indices", "values")}


def identity(values, held=False):
    """A key of tensors, dense or sparse, and of numbers among them: another one where
    tensors are others, lie elsewhere, or were written to. None where torch counts no
    writes, as to inference tensors.

    Tensors are told apart by addresses, so that who keeps a key keeps `Weak(values)` too,
    or with `held` the tensors themselves. Views are known by what they are views of, but
    what `.data` and `detach()` give is another tensor each time: torch may count writes to
    it apart. With `held` it is not: objects that make new tensors of their memory at each
    call are known by it."""
    key = []
    for x in values:
        if not isinstance(x, _Tensor):
            key.append(x)
            continue
        try:  # Most are dense, and no tensors of inference mode.
            key += x._version, x.data_ptr(), x.shape, x.stride()
        except RuntimeError:
            if x.layout is not _strided and not x.is_inference():
                key += x._version, x.shape, *((part.data_ptr(), part.shape)
                                              for part in _parts(x))
            elif x.layout is _strided and not x.numel():
                key += x.shape, x.stride()
                continue
            else:
                return None
        if not held:
            key.append((x._base if x._is_view() else x)._cdata)
    return tuple(key)


def _parts(x):
    if x.layout is _strided:
        return (x,)
    return [getattr(x, name)() for name in _PARTS[x.layout]]


class Weak:
    """Keeps addresses in the identity of tensors from being those of others, and none of
    their memory."""

    def __init__(self, values):
        tensors = [x for x in values if isinstance(x, _Tensor)]
        self._tensors = [_WeakTensor(x._base if x._is_view() else x) for x in tensors]
        self._storages = [StorageWeakRef(part.untyped_storage())
                          for x in tensors for part in _parts(x)]
        self._places = [storage.cdata for storage in self._storages]

    def has_moved(self):
        """Whether memory of theirs is gone: whoever has their identity is another."""
        return any(map(_is_gone, self._places))

    def is_gone(self):
        """Whether none has their identity any more, or is to have it."""
        return self.has_moved() or any(tensor.expired() for tensor in self._tensors)
