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
    a row for each edge, or is None."""

    def __init__(self, pair, value, rows, columns):
        self._pair, self._value = pair, value
        # One number where there is one: torch has a symbol for each.
        self._rows, self._columns = rows, None if rows == columns else columns

    def _with(self, pair, value):
        return self._made(pair, value, *self.sparse_sizes())

    def _made(self, *given):
        return Adjacency(*given)

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
        return self._with(self._pair, value)

    def fill_value(self, fill_value, dtype=None):
        return self._with(self._pair, torch.full(
            (self.nnz(),), fill_value, dtype=dtype, device=self._pair.device))

    def t(self):
        return self._made(self._pair.flip(0), self._value, self.size(1), self._rows)

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
        return self.set_diag(fill)

    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        """torch's functions of one."""
        if function is torch.Tensor.__rmatmul__:
            return args[1].matmul(args[0])
        name = function.__name__
        if name in _FUNCTIONS:
            return _FUNCTIONS[name](*args, **(kwargs or {}))
        raise TypeError("an op of a sparse matrix")


class Matrix(Adjacency):
    """A sparse tensor of torch, with what a model asks one for. Some of PyG's layers read
    its values where they ignore a SparseTensor's."""

    ndim = 2

    def __init__(self, pair, value, rows, columns, layout):
        super().__init__(pair, value, rows, columns)
        self.layout = layout

    def _made(self, *given):
        return Matrix(*given, self.layout)

    @property
    def is_sparse(self):
        return self.layout == torch.sparse_coo

    @property
    def is_sparse_csr(self):
        return self.layout == torch.sparse_csr

    def dim(self):
        return 2

    @property
    def shape(self):
        return self._rows, self.size(1)

    def size(self, dim=None):
        return self.shape if dim is None else super().size(dim)

    @property
    def device(self):
        return self._pair.device

    @property
    def is_cuda(self):
        return self._pair.is_cuda

    @property
    def dtype(self):
        return torch.float32 if self._value is None else self._value.dtype

    @property
    def requires_grad(self):
        return self._value is not None and self._value.requires_grad

    def _nnz(self):
        return self._pair.size(1)

    def values(self):
        return (torch.ones(self._nnz(), device=self._pair.device) if self._value is None else
                self._value)

    def indices(self):
        return self._pair.flip(0)

    _values, _indices = values, indices

    def is_coalesced(self):
        return True

    def coalesce(self):
        return self

    def to_sparse_coo(self):
        return Matrix(self._pair, self._value, *self.shape, torch.sparse_coo)

    def to_sparse_csr(self):
        return Matrix(self._pair, self._value, *self.shape, torch.sparse_csr)

    def to(self, *args, **kwargs):
        value = self.values().to(*args, **kwargs)
        return self._with(self._pair.to(value.device), value)

    def float(self):
        return self.to(torch.float32)

    def detach(self):
        return self if self._value is None else self._with(self._pair, self._value.detach())

    def set_value(self, value, layout=None):
        return self if value is None else self._with(self._pair, value)

    def fill_diag(self, fill):
        """PyG adds the new loops: a node's own loop keeps its value besides."""
        if self._value is None:
            return self.set_diag(fill)
        is_loop = self._pair[0] == self._pair[1]
        value = self._value + fill * is_loop.to(self._value.dtype)
        made = OPS.remaining_loops(self._pair, self._rows)
        return self._with(made, OPS.extend_remaining(value, float(fill), self._pair, made))

    def transpose(self, dim0, dim1):
        return self.t() if dim0 % 2 != dim1 % 2 else self

    @property
    def T(self):
        return self.t()

    mT = T

    def mv(self, x):
        return self.matmul(x)

    mm = spmm = mv

    def mul(self, other):
        """Times a number, or a vector of the rows or of the columns."""
        if isinstance(other, torch.Tensor) and other.dim():
            if other.dim() != 2 or 1 not in other.shape:
                raise TypeError("a sparse matrix times a tensor, element by element")
            return super().mul(other)
        return self._with(self._pair, self.values() * other)

    __mul__ = __rmul__ = mul

    def div(self, other):
        return self.mul(1 / other)

    __truediv__ = div

    def __neg__(self):
        return self.mul(-1)


def _product(a, b):
    """`a @ b`, of which one is an adjacency matrix."""
    return a.matmul(b) if isinstance(a, Adjacency) else b.t().matmul(a.mT).mT


def _sparse_product(a, b, reduce="sum"):
    return a.matmul(b, {"amax": "max", "amin": "min"}.get(reduce, reduce))


def _added_product(x, a, b, *, beta=1, alpha=1):
    return beta * x + alpha * _product(a, b)


def _sum(adj, dim=None):
    """Of rows or columns. Torch gives a sparse vector; of one all entries are there."""
    return adj.values().sum() if dim is None else adj.sum(dim % 2)


def _softmax(adj, dim):
    """Along the entries of each row, or of each column."""
    row = dim % 2
    return adj.set_value(OPS.edge_softmax(adj.values(), adj.coo()[1 - row],
                                          adj.size(1 - row)))


_FUNCTIONS = {
    **dict.fromkeys(("mm", "mv", "matmul", "spmm", "smm"), _product),
    **dict.fromkeys(("addmm", "_sparse_addmm"), _added_product),
    **dict.fromkeys(("mul", "__rmul__"), lambda a, b: (
        a.mul(b) if isinstance(a, Adjacency) else b.mul(a))),
    **dict.fromkeys(("div", "true_divide", "__truediv__"), lambda a, b: a.div(b)),
    "_sparse_mm": _sparse_product, "_sparse_softmax": _softmax, "sum": _sum,
    "neg": lambda a: -a, "t": lambda a: a.t(),
    "transpose": lambda a, dim0, dim1: a.transpose(dim0, dim1)}
# Functions that torch dispatches for no class, and does where it traces if they are known.
SPARSE = (torch.sparse.mm, torch.sparse.addmm, torch.sparse.softmax, torch.sparse.sum)


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
