# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuSPARSE's products of a sparse matrix by its generic API, in the library that torch brings:
every algorithm, with what it prepares made once."""

import ctypes

import torch

from ceilings_gpu import library

ALGORITHMS = {"ALG1": 4, "ALG2": 6, "ALG3": 12}  # CUSPARSE_SPMM_CSR_...
_DEFAULT, _INT32, _ZERO_BASED, _FLOAT, _BY_COLUMNS, _BY_ROWS = 0, 2, 0, 0, 1, 2
_handle = None


def _check(status, what):
    if status:
        raise RuntimeError(f"{what}: status {status}")


def _pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


class _Product:
    """A product and what it needs; calling it computes it on torch's current stream."""

    def __init__(self, name, left, right, result, algorithm):
        """Operands are pairs (what destroys it, descriptor)."""
        self._library, self._name, self._made = library("cusparse"), name, (left, right, result)
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        self._arguments = (_handle, 0, 0, ctypes.byref(one), left[1], right[1],
                           ctypes.byref(zero), result[1], _FLOAT, algorithm)
        size = ctypes.c_size_t()
        self._call("_bufferSize", ctypes.byref(size))
        self._buffer = torch.empty(max(size.value, 16), dtype=torch.uint8, device="cuda")
        # Not every algorithm has something to prepare: its status is not looked at.
        getattr(self._library, f"{name}_preprocess")(*self._arguments, _pointer(self._buffer))

    def _call(self, suffix, *more):
        function = getattr(self._library, self._name + suffix)
        _check(function(*self._arguments, *more), self._name + suffix)

    def __call__(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        _check(self._library.cusparseSetStream(_handle, stream), "cusparseSetStream")
        self._call("", _pointer(self._buffer))

    def __del__(self):
        for destroy, descriptor in self._made:
            destroy(descriptor)


def _open():
    global _handle
    found = library("cusparse")
    if _handle is None:
        _handle = ctypes.c_void_p()
        torch.cuda.current_stream().synchronize()  # opens the context
        _check(found.cusparseCreate(ctypes.byref(_handle)), "cusparseCreate")
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    _check(found.cusparseSetStream(_handle, stream), "cusparseSetStream")
    return found


def version():
    found, number = _open(), ctypes.c_int()
    _check(found.cusparseGetVersion(_handle, ctypes.byref(number)), "cusparseGetVersion")
    return number.value


def _sparse(edges, values):
    found, made = _open(), ctypes.c_void_p()
    rows = ctypes.c_int64(edges.nodes)
    _check(found.cusparseCreateCsr(
        ctypes.byref(made), rows, rows, ctypes.c_int64(edges.count), _pointer(edges.begin),
        _pointer(edges.src), _pointer(values), _INT32, _INT32, _ZERO_BASED, _FLOAT),
        "cusparseCreateCsr")
    return found.cusparseDestroySpMat, made


def _dense(tensor, transposed=False):
    """Rows as they lie, or as the columns of a matrix."""
    found, made = _open(), ctypes.c_void_p()
    rows, columns = (ctypes.c_int64(size) for size in tensor.shape)
    shape = (columns, rows) if transposed else (rows, columns)
    _check(found.cusparseCreateDnMat(
        ctypes.byref(made), *shape, ctypes.c_int64(tensor.shape[1]), _pointer(tensor), _FLOAT,
        _BY_COLUMNS if transposed else _BY_ROWS), "cusparseCreateDnMat")
    return found.cusparseDestroyDnMat, made


def spmm(edges, values, x, out, algorithm):
    """The function that computes out[v] = sum of values[e] x[u] over edges e = (u, v)."""
    product = _Product("cusparseSpMM", _sparse(edges, values), _dense(x), _dense(out),
                       ALGORITHMS[algorithm])
    product.keeps = values, x, out
    return product


def sddmm(edges, source, target, out):
    """The function that computes out[e] = source[u] . target[v] for edges e = (u, v)."""
    product = _Product("cusparseSDDMM", _dense(target), _dense(source, transposed=True),
                       _sparse(edges, out), _DEFAULT)
    product.keeps = source, target, out
    return product
