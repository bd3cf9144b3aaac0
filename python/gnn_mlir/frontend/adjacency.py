# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse adjacency matrices where torch traces: their edges and values.

torch cannot trace a sparse tensor, and a SparseTensor of torch_sparse neither. An
`Adjacency` stands for both: PyG's layers take it for a SparseTensor, and what they ask of
it are ops on vectors. Row i has the edges into node i, as PyG has them (`adj_t`).
"""

import torch

from .vocabulary import OPS

try:
    from torch_geometric.typing import SparseTensor
except ImportError:
    class SparseTensor:
        """Without PyG no layer asks for one."""


class Adjacency(SparseTensor):
    """`pair` is [2, edges] of sources, the columns, and destinations, the rows; `value` has
    a row for each edge, or is None. `is_torch` says that a sparse tensor of torch is
    meant, whose values some of PyG's layers read where they ignore a SparseTensor's."""

    def __init__(self, pair, value, rows, columns, is_torch):
        self._pair, self._value, self._is_torch = pair, value, is_torch
        # One number where there is one: torch has a symbol for each.
        self._rows, self._columns = rows, None if rows == columns else columns

    def _with(self, pair, value):
        return Adjacency(pair, value, *self.sparse_sizes(), self._is_torch)

    def size(self, dim):
        return self._rows if dim in (0, -2) or self._columns is None else self._columns

    sparse_size = size

    def sparse_sizes(self):
        return self._rows, self.size(1)

    sizes = sparse_sizes

    def nnz(self):
        return self._pair.size(1)

    @property
    def storage(self):
        return self

    def row(self):
        return self._pair[1]

    def col(self):
        return self._pair[0]

    def value(self):
        return self._value

    def coo(self):
        return self._pair[1], self._pair[0], self._value

    def csr(self):
        """No pointers: what reads them takes the rows of `coo` else."""
        return None, self._pair[0], self._value

    def device(self):
        return self._pair.device

    def is_cuda(self):
        return self._pair.is_cuda

    def requires_grad(self):
        return self._value is not None and self._value.requires_grad

    def has_value(self):
        return self._value is not None

    def set_value(self, value, layout=None):
        return self if value is None and self._is_torch else self._with(self._pair, value)

    def fill_value(self, fill_value, dtype=None):
        return self._with(self._pair, torch.full(
            (self.nnz(),), fill_value, dtype=dtype, device=self._pair.device))

    def t(self):
        return Adjacency(self._pair.flip(0), self._value, self.size(1), self._rows,
                         self._is_torch)

    def matmul(self, x, reduce="sum"):
        if x.size(0) != self.size(1):
            raise ValueError(f"expected {self.size(1)} rows, as many as the adjacency matrix "
                             f"has columns, got {x.size(0)}")
        rows = x.index_select(0, self._pair[0])
        if self._value is not None:
            rows = rows * self._value.view(-1, *[1] * (x.dim() - 1))
        kind = {"add": "sum"}.get(reduce, reduce)
        return OPS.aggregate(rows, self._pair[1], self._rows, kind)

    __matmul__ = matmul

    def sum(self, dim):
        value = self._value
        if value is None:
            value = torch.ones(self.nnz(), device=self._pair.device)
        return OPS.aggregate(value, self._pair[dim], self.size(1 - dim), "sum")

    def mul(self, other):
        """Times a vector of the rows [rows, 1] or of the columns [1, columns]."""
        factor = other.view(-1).index_select(0, self._pair[int(other.size(-1) == 1)])
        return self._with(self._pair, factor if self._value is None else
                          self._value * factor)

    def masked_select(self, mask):
        return self._with(self._pair[:, mask],
                          None if self._value is None else self._value[mask])

    def set_diag(self, fill=1.0):
        """One self loop at each node, with this value."""
        kept = OPS.drop_loops(self._pair)
        made, value = OPS.add_loops(kept, self._rows), self._value
        if value is not None:
            value = OPS.kept_edges(value, self._pair, kept)
            value = OPS.extend_edges(value, value.new_full(
                [self._rows, *value.shape[1:]], fill), made)
        return self._with(made, value)

    def fill_diag(self, fill):
        """`set_diag`; of sparse tensors of torch, to which PyG adds the new loops, a node's
        own loop keeps its value besides."""
        if not self._is_torch or self._value is None:
            return self.set_diag(fill)
        is_loop = self._pair[0] == self._pair[1]
        value = self._value + fill * is_loop.to(self._value.dtype)
        made = OPS.remaining_loops(self._pair, self._rows)
        return self._with(made, OPS.extend_remaining(value, float(fill), self._pair, made))

    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        """torch's products with one."""
        name = function.__name__
        if name == "matmul" and len(args) == 2 and isinstance(args[1], Adjacency):
            x, adj = args  # Torch traces `adj @ x` so. It is no `x @ adj` of these shapes.
            if x.size(0) == adj.size(1) and x.size(-1) != adj.size(0):
                return adj.matmul(x)
        if name in _PRODUCTS and len(args) == 2 and isinstance(args[0], Adjacency) and (
                not kwargs):
            return args[0].matmul(args[1])
        raise TypeError(f"{name}: expected a dense tensor, "
                        "got a sparse adjacency matrix: compiled models take it in layers "
                        "of PyG and in products with features")


_PRODUCTS = ("mm", "matmul", "spmm", "smm", "_sparse_mm")


class Functions:
    """torch_sparse as PyG's modules have it: functions that take an `Adjacency` as well;
    all else is `own`, a placeholder where torch_sparse is not installed."""

    def __init__(self, own):
        self._own = own

    def __getattr__(self, name):
        return getattr(self._own, name)

    def set_diag(self, adj, *args, **kwargs):
        if isinstance(adj, Adjacency) and not (args or kwargs):
            return adj.set_diag()
        return self._own.set_diag(adj, *args, **kwargs)

    def fill_diag(self, adj, fill_value, *args, **kwargs):
        if isinstance(adj, Adjacency):
            return adj.fill_diag(fill_value)
        return self._own.fill_diag(adj, fill_value, *args, **kwargs)

    def sum(self, adj, dim=None):
        return adj.sum(dim) if isinstance(adj, Adjacency) else self._own.sum(adj, dim)

    def mul(self, adj, other):
        return adj.mul(other) if isinstance(adj, Adjacency) else self._own.mul(adj, other)

    def matmul(self, adj, other, reduce="sum"):
        if isinstance(adj, Adjacency):
            return adj.matmul(other, reduce)
        return self._own.matmul(adj, other, reduce)

    def masked_select_nnz(self, adj, mask, layout=None):
        if isinstance(adj, Adjacency):
            return adj.masked_select(mask)
        return self._own.masked_select_nnz(adj, mask, layout)
