# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse tensors of torch where torch traces: matrices, and sums of their rows."""

import torch
from torch._guards import CompileContext

from .adjacency import StandIn, refusals, refuse
from .vocabulary import OPS

_BY_ROWS, _BY_COLUMNS = torch.sparse_csr, torch.sparse_csc


def _class_of(made):
    """The class for `isinstance`: torch's, but where dynamo does, which has its own answer."""
    return type(made) if CompileContext.current_compile_id() else torch.Tensor


def _turned(order):
    """The order of the transposed matrix."""
    if order == _BY_ROWS:
        return _BY_COLUMNS
    return _BY_ROWS if order == _BY_COLUMNS else order


def _in_order(pair, value, order, rows, columns):
    """Entries sorted by rows and then by columns, or the other way round."""
    keys = (pair[1].long() * columns + pair[0] if order == _BY_ROWS else
            pair[0].long() * rows + pair[1])
    places = keys.argsort()
    return pair.index_select(1, places), None if value is None else value.index_select(0, places)


class Matrix(StandIn):
    """A sparse matrix. `_order` says what entries are sorted by: its rows, its columns, or
    nothing, as those of a tensor that is not coalesced. Where some of these are there twice,
    `_merged` is the matrix without, if it is known."""

    @staticmethod
    def _of(pair, value, rows, columns, layout):
        """The stand-in of a tensor of torch, with its entries in the order of the layout."""
        order = _BY_COLUMNS if layout == _BY_COLUMNS else _BY_ROWS
        return Matrix.__new__(Matrix)._set(pair, value, rows, columns)._laid(
            layout, order, False)

    def _laid(self, layout, order, is_repeated, merged=None):
        self._layout, self._order = layout, order
        self._is_repeated, self._merged = is_repeated, merged
        return self

    def _made(self, pair, value, rows, columns):
        # Not by __init__, which dynamo calls for what is of the class by its `type`.
        return Matrix.__new__(Matrix)._set(pair, value, rows, columns)._laid(
            self._layout, self._order, self._is_repeated)

    def _once(self, name):
        """The matrix without an entry that is there twice."""
        if not self._is_repeated:
            return self
        return refuse(name) if self._merged is None else self._merged

    def _turned(self):
        return self._transposed()._laid(_turned(self._layout), _turned(self._order),
                                        self._is_repeated)

    def _sorted(self, layout, name):
        """In another layout, with its order of entries."""
        if self._is_repeated:
            return self._once(name)._sorted(layout, name)
        order = _BY_COLUMNS if layout == _BY_COLUMNS else _BY_ROWS
        pair, value = self._pair, self._value
        if order != self._order:
            pair, value = _in_order(pair, value, order, self._rows, self._size(1))
        return self._with(pair, value)._laid(layout, order, False)

    # -- What a tensor says of itself ------------------------------------------------------

    @property
    def __class__(self):
        return _class_of(self)

    @property
    def layout(self):
        return self._layout

    @property
    def is_sparse(self):
        return self._layout == torch.sparse_coo

    @property
    def is_sparse_csr(self):
        return self._layout == torch.sparse_csr

    @property
    def shape(self):
        value = self._value
        rest = () if value is None else value.shape[1:]
        return torch.Size([self._rows, self._size(1), *rest])

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def __len__(self):
        return self._rows

    @property
    def ndim(self):
        return 2 if self._value is None else self._value.dim() + 1

    def dim(self):
        return self.ndim

    ndimension = dim

    def sparse_dim(self):
        return 2

    def dense_dim(self):
        return self.ndim - 2

    def numel(self):
        return self.shape.numel()

    nelement = numel

    @property
    def device(self):
        return self._pair.device

    @property
    def is_cuda(self):
        return self._pair.is_cuda

    @property
    def is_cpu(self):
        return self._pair.is_cpu

    @property
    def is_meta(self):
        return False

    is_quantized = is_nested = is_mkldnn = is_meta

    def get_device(self):
        return self._pair.get_device()

    @property
    def dtype(self):
        return torch.float32 if self._value is None else self._value.dtype

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def is_complex(self):
        return self.dtype.is_complex

    @property
    def requires_grad(self):
        return self._value is not None and self._value.requires_grad

    # -- Entries ----------------------------------------------------------------------------

    def _nnz(self):
        return self._pair.size(1)

    def values(self):
        if self._layout == torch.sparse_coo and self._order != _BY_ROWS:
            return refuse("values")
        return self._weights()

    def _values(self):
        return self._weights() if self._layout == torch.sparse_coo else refuse("_values")

    def indices(self):
        if self._layout != torch.sparse_coo or self._order != _BY_ROWS:
            return refuse("indices")
        return self._pair.flip(0).long()

    def _indices(self):
        return self._pair.flip(0).long() if self._layout == torch.sparse_coo else refuse("_indices")

    def crow_indices(self):
        if self._layout != torch.sparse_csr:
            return refuse("crow_indices")
        return OPS.pointers(self._pair[1], self._rows)

    def col_indices(self):
        return self._pair[0] if self._layout == torch.sparse_csr else refuse("col_indices")

    def ccol_indices(self):
        if self._layout != torch.sparse_csc:
            return refuse("ccol_indices")
        return OPS.pointers(self._pair[0], self._size(1))

    def row_indices(self):
        return self._pair[1] if self._layout == torch.sparse_csc else refuse("row_indices")

    def is_coalesced(self):
        if self._layout != torch.sparse_coo:
            return refuse("is_coalesced")
        return self._order == _BY_ROWS

    def coalesce(self):
        if self._layout != torch.sparse_coo:
            return refuse("coalesce")
        return self if self._order == _BY_ROWS else self._sorted(torch.sparse_coo, "coalesce")

    # -- Forms ------------------------------------------------------------------------------

    def to_sparse_coo(self):
        return self._sorted(torch.sparse_coo, "to_sparse_coo")

    def to_sparse_csr(self):
        return self._sorted(torch.sparse_csr, "to_sparse_csr")

    def to_sparse_csc(self):
        return self._sorted(torch.sparse_csc, "to_sparse_csc")

    def to(self, *args, **kwargs):
        value = self._weights().to(*args, **kwargs)
        return self._with(self._pair.to(value.device), value)

    def float(self):
        return self if self.dtype == torch.float32 else self.to(torch.float32)

    def detach(self):
        return self if self._value is None else self._with(self._pair, self._value.detach())

    def clone(self):
        return self if self._value is None else self._with(self._pair, self._value.clone())

    def t(self):
        return self._turned() if self.ndim == 2 else refuse("t")

    def transpose(self, dim0, dim1):
        if self.ndim != 2:
            return refuse("transpose")
        return self._turned() if dim0 % 2 != dim1 % 2 else self

    @property
    def mT(self):
        return self._turned() if self.ndim == 2 else refuse("mT")

    T = mT

    # -- Arithmetic -------------------------------------------------------------------------

    def matmul(self, x):
        return self._product(x) if self._multiplies(x) else refuse("matmul")

    def _multiplies(self, x):
        return isinstance(x, torch.Tensor) and not isinstance(x, StandIn) and (
            x.dim() < 3 and self.ndim == 2)

    mm = mv = smm = __matmul__ = matmul

    def mul(self, other):
        """Times a number, or a vector of the rows or of the columns."""
        if isinstance(other, StandIn):
            return refuse("mul")
        if isinstance(other, torch.Tensor) and other.dim():
            is_vector = other.dim() == 2 and 1 in other.shape and self.ndim == 2
            return self._scaled(other) if is_vector else refuse("mul by a matrix")
        return self._with(self._pair, self._weights() * other)

    __mul__ = __rmul__ = mul

    def div(self, other):
        return refuse("div") if isinstance(other, StandIn) else self.mul(1 / other)

    __truediv__ = div

    def neg(self):
        return self.mul(-1)

    __neg__ = neg

    def sum(self, *args, **kwargs):
        return refuse("sum of a dimension") if args or kwargs else self._weights().sum()

    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        """torch's functions of one."""
        if function is torch.Tensor.__rmatmul__:
            return _product(args[1], args[0])
        if function is torch.sparse.sum:
            return _sum(*args, **(kwargs or {}))
        name = function.__name__
        if name in _ASKED:
            return getattr(args[0], name)(*args[1:], **(kwargs or {}))
        made = _FUNCTIONS.get(name)
        return refuse(name) if made is None else made(*args, **(kwargs or {}))


class RowSums(StandIn):
    """A result of `torch.sparse.sum` over a dimension: a vector without the rows, or columns,
    that have no entries. `_ids` are those of the entries."""

    _layout = torch.sparse_coo

    @property
    def __class__(self):
        return _class_of(self)

    def _of(self, dense, ids):
        self._dense, self._ids = dense, ids
        return self

    @property
    def layout(self):
        return self._layout

    @property
    def shape(self):
        return self._dense.shape

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return 1

    def to_dense(self):
        return self._dense

    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        return refuse(function.__name__)


refusals(Matrix, torch.Tensor)
refusals(RowSums, torch.Tensor)


def _product(a, b):
    """`a @ b`, of which one is a sparse matrix."""
    if isinstance(a, StandIn):
        return a.matmul(b)
    if b.ndim == 2:
        b._check(0, a.size(-1))
    return b.t().matmul(a.mT).mT if a.dim() > 1 else b.t().matmul(a)


def _reduced_product(a, b, reduce="sum"):
    if not isinstance(a, Matrix) or isinstance(b, StandIn):
        return _product(a, b) if reduce == "sum" else refuse("torch.sparse.mm")
    if reduce != "sum":
        a = a._once(f"torch.sparse.mm by {reduce}")
    return a._product(b, reduce) if a._multiplies(b) else refuse("torch.sparse.mm")


def _added_product(x, a, b, *, beta=1, alpha=1):
    return refuse("addmm") if isinstance(x, StandIn) else beta * x + alpha * _product(a, b)


def _sum(adj, dim=None):
    if dim is None:
        return adj.sum()
    if type(dim) is not int or adj.ndim != 2:
        return refuse("torch.sparse.sum")
    return RowSums.__new__(RowSums)._of(adj._sum(dim % 2), adj._end(dim % 2))


def _softmax(adj, dim):
    """Along the entries of each row, or of each column."""
    adj, row = adj._once("torch.sparse.softmax"), dim % 2
    return adj._with(adj._pair, OPS.edge_softmax(adj._weights(), adj._end(row),
                                                 adj._size(1 - row)))


_ASKED = ("is_floating_point", "is_complex", "numel", "clone", "detach", "div", "neg", "t",
          "transpose", "sum")
_FUNCTIONS = {
    **dict.fromkeys(("mm", "mv", "matmul", "smm"), _product),
    **dict.fromkeys(("addmm", "_sparse_addmm"), _added_product),
    **dict.fromkeys(("mul", "multiply", "__rmul__"), lambda a, b: (
        a.mul(b) if isinstance(a, StandIn) else b.mul(a))),
    **dict.fromkeys(("true_divide", "divide", "__truediv__"), lambda a, b: a.div(b)),
    "_sparse_mm": _reduced_product, "spmm": _product, "_sparse_softmax": _softmax,
    "negative": lambda a: a.neg()}


# -- What PyG's functions do with one -------------------------------------------------------

def to_edge_index(adj):
    """(rows and columns, values)."""
    return adj._pair.flip(0).long(), adj._weights()


def set_value(adj, value):
    """With other values, of numbers or vectors."""
    return adj._with(adj._pair, value)


def spmm(adj, x, reduce):
    return _reduced_product(adj, x, reduce)


def remove_loops(adj):
    pair, value = adj._pair, adj._value
    kept = OPS.drop_loops(pair)
    if value is not None:
        value = (OPS.kept_edges(value, pair, kept) if adj._is_repeated else
                 OPS.placed(value, OPS.places(pair, kept, adj._size(1)), kept.size(1)))
    return adj._with(kept, value)._laid(adj._layout, adj._order, adj._is_repeated)


def add_loops(adj, fill):
    """A loop at each node, of this value, or of a reduction of its row; a loop that is there
    has the sum."""
    adj = adj._once("add_self_loops")
    if adj._columns is not None or isinstance(fill, torch.Tensor):
        return refuse("add_self_loops")
    pair, size, value = adj._pair, adj._rows, adj._weights()
    made = OPS.sorted_loops(pair, size)
    if isinstance(fill, str):
        kind = {"add": "sum"}.get(fill, fill)
        if kind not in ("sum", "mean", "max", "min"):
            return refuse("add_self_loops")
        loops = OPS.reduced(value, pair[1], size, kind)
    else:
        loops = value.new_full([size, *value.shape[1:]], 1.0 if fill is None else fill)
    ends = torch.arange(size, dtype=pair.dtype, device=pair.device).expand(2, -1)
    value = OPS.placed(value, OPS.places(pair, made, size), made.size(1)) + OPS.placed(
        loops, OPS.places(ends, made, size), made.size(1))
    return adj._with(made, value)._laid(adj._layout, _BY_ROWS, False)


# -- The tensor again -----------------------------------------------------------------------

def as_torch(made):
    """The sparse tensor of a stand-in that is a result."""
    if isinstance(made, RowSums):
        rows = made._ids.unique()
        return torch.sparse_coo_tensor(rows[None], made._dense.index_select(0, rows),
                                       made.shape, is_coalesced=True)
    layout, shape, value, pair = made._layout, made.shape, made._weights(), made._pair
    if made._order is None or layout == torch.sparse_coo and made._order != _BY_ROWS:
        return torch.sparse_coo_tensor(pair.flip(0).long(), value, shape)
    pair, value = _in_order(pair, value, made._order, *shape[:2])
    if layout == torch.sparse_coo:
        return torch.sparse_coo_tensor(pair.flip(0).long(), value, shape, is_coalesced=True)
    by, others, size = (1, 0, shape[0]) if made._order == _BY_ROWS else (0, 1, shape[1])
    return torch.sparse_compressed_tensor(OPS.pointers(pair[by], size),
                                          pair[others].contiguous(), value, shape, layout=layout)
