# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse matrices where torch traces: their edges and values.

torch cannot trace a sparse tensor, and a SparseTensor of torch_sparse neither. A `StandIn`
has the entries of one, and what models do with it are ops on vectors: a `Matrix` (matrix.py)
is a tensor of torch, an `Adjacency` a SparseTensor. Each answers what it is asked as the
original does; what it cannot answer is `Refused`, and torch runs the model. Row i has the
edges into node i, as PyG has them (`adj_t`).
"""

import torch
from torch.fx.experimental.symbolic_shapes import guard_scalar

from .vocabulary import OPS

try:
    from torch_geometric.typing import SparseTensor
except ImportError:
    class SparseTensor:
        """Without PyG no layer asks for one."""


class Refused(Exception):
    """A model asks a stand-in for `name`, which it has no answer for."""

    def __init__(self, name):
        super().__init__(f"{name} of a sparse matrix")
        self.name = name


@torch._dynamo.assume_constant_result
def refuse(name):
    """Raises where dynamo traces, too: there the exceptions of traced code are the model's."""
    raise Refused(name)


class WrongSize(ValueError):
    """A product of a matrix whose dimension `dim` has not the size `rows`, that of the other
    factor."""

    def __init__(self, dim, rows, *sizes):
        self.dim, self.rows, self.sizes = dim, rows, sizes
        wanted = f"[.., {rows}]" if dim else f"[{rows}, ..]"
        self.said = (f"expected a matrix {wanted} in the product with {rows} "
                     f"row{'s' * (rows != 1)} of features, got {list(sizes)}")
        super().__init__(self.said)  # dynamo adds frames to it.

    def transposed(self):
        return WrongSize(1 - self.dim, self.rows, *reversed(self.sizes))


@torch._dynamo.assume_constant_result
def _refuse_size(*found):
    """Raises as `refuse` does."""
    raise WrongSize(*found)


def refusals(cls, original):
    """Gives a class of stand-ins what its original has and it has not: refusals."""
    own = {name for one in cls.__mro__ if issubclass(one, StandIn) for name in vars(one)}
    asked = {*dir(original)} - {*dir(object), *own, "__dict__", "__weakref__", "__module__",
                                "__annotations__", "__firstlineno__", "__static_attributes__"}
    for name in asked | {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}:
        if not name.startswith(("__torch", "__cuda", "__setstate", "__deepcopy", "__dlpack")):
            is_method = callable(getattr(original, name, None))
            setattr(cls, name, _method(name) if is_method else _property(name))


def _method(name):
    def method(self, *args, **kwargs):
        return refuse(name)
    return method


def _property(name):
    def get(self):
        return refuse(name)
    return property(get)


class StandIn:
    """`_pair` is [2, edges] of sources, the columns, and destinations, the rows; `_value` has
    a row for each edge, or is None where all are 1. The original's names are the only ones
    that do not begin with an underscore."""

    def _set(self, pair, value, rows, columns):
        self._pair, self._value = pair, value
        # One number where there is one: torch has a symbol for each.
        self._rows, self._columns = rows, None if rows == columns else columns
        return self

    def _size(self, dim):
        return self._rows if dim in (0, -2) or self._columns is None else self._columns

    def _with(self, pair, value):
        return self._made(pair, value, self._rows, self._size(1))

    def _transposed(self):
        return self._made(self._pair.flip(0), self._value, self._size(1), self._rows)

    def _check(self, dim, rows):
        """Refuses a product with other rows than the dimension has."""
        if rows != self._size(dim):
            _refuse_size(dim, guard_scalar(rows), guard_scalar(self._rows),
                         guard_scalar(self._size(1)))

    def _product(self, x, reduce="sum"):
        self._check(1, x.size(0))
        rows, value = x.index_select(0, self._pair[0]), self._value
        if value is not None:
            rows = rows * value.view(-1, *[1] * (x.dim() - 1))
        kind = {"add": "sum", "amax": "max", "amin": "min"}.get(reduce, reduce)
        return OPS.aggregate(rows, self._pair[1], self._rows, kind)

    def _weights(self):
        value = self._value
        return torch.ones(self._pair.size(1), device=self._pair.device) if value is None else value

    def _end(self, dim):
        """The columns, or the rows; by a tuple, for which dynamo makes a number constant."""
        return (self._pair[0], self._pair[1])[dim]

    def _sum(self, dim):
        return OPS.aggregate(self._weights(), self._end(dim), self._size(1 - dim), "sum")

    def _scaled(self, other):
        """Times a vector of the rows [rows, 1] or of the columns [1, columns]."""
        factor = other.view(-1).index_select(0, self._pair[int(other.size(-1) == 1)])
        value = self._value
        return self._with(self._pair, factor if value is None else value * factor)


class Adjacency(StandIn, SparseTensor):
    """A SparseTensor of torch_sparse, of which PyG's layers ask this."""

    def __init__(self, pair, value, rows, columns):
        self._set(pair, value, rows, columns)

    def _made(self, *given):
        return Adjacency(*given)

    def size(self, dim):
        return self._size(dim)

    sparse_size = size

    def sparse_sizes(self):
        return self._rows, self._size(1)

    def sizes(self):
        return [self._rows, self._size(1)]

    def dim(self):
        return 2

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
        return self._transposed()

    def matmul(self, x, reduce="sum"):
        return self._product(x, reduce)

    __matmul__ = matmul

    def sum(self, dim):
        return self._sum(dim)

    def mul(self, other):
        return self._scaled(other)

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
        """torch's functions know no SparseTensor, but for `x @ adj`, which dynamo has for
        `adj @ x`."""
        if function is torch.Tensor.__rmatmul__:
            return args[1].matmul(args[0])
        return refuse(function.__name__)


refusals(Adjacency, SparseTensor)


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
