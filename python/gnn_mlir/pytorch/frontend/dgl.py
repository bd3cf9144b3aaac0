# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models written for DGL: a graph object whose `update_all` and `apply_edges` are ops that
torch traces.

    model = gnn_mlir.compile(model)          # its forward takes a DGLGraph
    out = model(dgl_graph, features)

`gnn_mlir.compile` gives such a model a `Graph` in place of a DGLGraph of one type of nodes
and one of edges. Without DGL, `Graph(edge_index, num_nodes)` is one, and `function` below
has the builtin functions by DGL's names. Data that a model writes into a graph stay within
the call. Functions of mailboxes are refused. """

import contextlib
import dataclasses
import sys

import torch

from .tracing import intercept
from .tracing.vocabulary import OPS

_BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div}
_REDUCE = ("sum", "mean", "max", "min")


class Frame:
    """Features of nodes or edges by name, each a tensor [size, ...] of any dtype. Another
    number of rows is a ValueError, an unknown name a KeyError."""

    def __init__(self, size, fields):
        self._size, self._fields = size, dict(fields)

    def __getitem__(self, name):
        return self._fields[name]

    def __setitem__(self, name, value):
        if value.size(0) != self._size:
            raise ValueError(f"{name}: expected {self._size} rows, got {value.size(0)}")
        self._fields[name] = value

    def __contains__(self, name):
        return name in self._fields

    def update(self, fields):
        for name, value in fields.items():
            self[name] = value

    def pop(self, name):
        return self._fields.pop(name)

    def keys(self):
        return self._fields.keys()


class _AtEnd:
    """The rows of nodes at an end of each edge."""

    def __init__(self, frame, ids):
        self._frame, self._ids = frame, ids

    def __getitem__(self, name):
        return self._frame[name].index_select(0, self._ids)


class Edges:
    """The argument of a function of edges: `src`, `dst` and `data`."""

    def __init__(self, graph):
        src, dst = graph.edges()
        self.src, self.dst = _AtEnd(graph.ndata, src), _AtEnd(graph.ndata, dst)
        self.data, self._size = graph.edata, graph.num_edges()

    def batch_size(self):
        return self._size


class _Nodes:
    """The argument of a function of nodes."""

    def __init__(self, frame):
        self.data = frame


class Graph:
    """A graph of one type of nodes and of edges, with what DGL's layers ask of one.

    `edge_index` is a tensor [2, edges] of int64 or int32, sources and then destinations below
    `num_nodes`; `ndata` and `edata` are dicts of tensors [num_nodes, ...] and [edges, ...],
    which become its `Frame`s. Wrong shapes are a ValueError."""

    is_block, is_homogeneous = False, True
    ntypes, etypes, canonical_etypes = ("_N",), ("_E",), (("_N", "_E", "_N"),)

    def __init__(self, edge_index, num_nodes, ndata=(), edata=()):
        if edge_index.dim() != 2 or edge_index.size(0) != 2:
            raise ValueError("edge_index: expected a tensor of ids [2, edges], got one of shape "
                             f"{list(edge_index.shape)}")
        self.edge_index, self._size = edge_index, num_nodes
        self.ndata = Frame(num_nodes, ndata)
        self.edata = Frame(edge_index.size(1), edata)

    @property
    def srcdata(self):
        return self.ndata

    @property
    def dstdata(self):
        return self.ndata

    @property
    def device(self):
        return self.edge_index.device

    def num_nodes(self, ntype=None):
        return self._size

    number_of_nodes = num_src_nodes = num_dst_nodes = num_nodes
    number_of_src_nodes = number_of_dst_nodes = num_nodes

    def num_edges(self, etype=None):
        return self.edge_index.size(1)

    number_of_edges = num_edges

    def edges(self):
        return self.edge_index[0], self.edge_index[1]

    def in_degrees(self):
        return self._degrees(1)

    def out_degrees(self):
        return self._degrees(0)

    def _degrees(self, end):
        ones = torch.ones(self.num_edges(), device=self.device)
        return OPS.aggregate(ones, self.edge_index[end], self._size, "sum")

    def local_var(self):
        return Graph(self.edge_index, self._size, self.ndata._fields, self.edata._fields)

    @contextlib.contextmanager
    def local_scope(self):
        """Fields that are written within are gone behind it."""
        kept = self.ndata._fields, self.edata._fields
        self.ndata._fields, self.edata._fields = dict(kept[0]), dict(kept[1])
        try:
            yield
        finally:
            self.ndata._fields, self.edata._fields = kept

    def apply_nodes(self, function):
        """Writes what a function of nodes (with `data`) gives, features by name."""
        self.ndata.update(function(_Nodes(self.ndata)))

    def apply_edges(self, function):
        """Writes what a builtin function or one of `Edges` gives, features [edges, ...]."""
        self.edata.update(self._messages(function))

    def update_all(self, message, reduce, apply_node_func=None):
        """Reduces messages [edges, ...], of a builtin function or one of `Edges`, over the edges
        into each node: features [num_nodes, ...], 0 without edges. NotImplementedError for
        functions of mailboxes."""
        if getattr(reduce, "msg_field", None) is None or reduce.name not in _REDUCE:
            raise NotImplementedError(
                f"update_all: expected a builtin function to reduce by, of "
                f"{', '.join(_REDUCE)}, got {getattr(reduce, 'name', 'one of mailboxes')}")
        messages = self._messages(message)[reduce.msg_field]
        self.ndata[reduce.out_field] = OPS.aggregate(messages, self.edge_index[1],
                                                     self._size, reduce.name)
        if apply_node_func is not None:
            self.apply_nodes(apply_node_func)

    def _messages(self, function):
        """Features of edges by name: of a builtin function, or of one of edges."""
        if getattr(function, "out_field", None) is None:
            return function(Edges(self))
        parts = function.name.split("_")
        if parts[0] == "copy":
            return {function.out_field: self._at(parts[1], function.in_field)}
        left, kind, right = parts
        x, y = self._at(left, function.lhs_field), self._at(right, function.rhs_field)
        while x.dim() < y.dim():
            x = x.unsqueeze(1)
        while y.dim() < x.dim():
            y = y.unsqueeze(1)
        if kind == "dot":
            return {function.out_field: (x * y).sum(-1, keepdim=True)}
        return {function.out_field: _BINARY[kind](x, y)}

    def _at(self, place, name):
        if place == "e":
            return self.edata[name]
        return self.ndata[name].index_select(0, self.edge_index[0 if place == "u" else 1])


def edge_softmax(graph, logits, eids=None, norm_by="dst"):
    """The softmax over the edges into each node, or out of it with norm_by "src", of float
    logits [edges, ...]; of their shape and dtype. NotImplementedError for `eids`, the softmax
    of some edges alone."""
    if eids is not None and not (isinstance(eids, str) and eids == "__ALL__"):
        raise NotImplementedError("edge_softmax: expected logits of all edges, got eids")
    if norm_by not in ("src", "dst"):
        raise ValueError(f"norm_by: expected 'src' or 'dst', got {norm_by!r}")
    ids = graph.edge_index[1 if norm_by == "dst" else 0]
    return OPS.edge_softmax(logits, ids, graph.num_nodes())


# -- Builtin functions by DGL's names ---------------------------------------------------

@dataclasses.dataclass
class _Copy:
    name: str
    in_field: str
    out_field: str


@dataclasses.dataclass
class _Pair:
    name: str
    lhs_field: str
    rhs_field: str
    out_field: str


@dataclasses.dataclass
class _Reduce:
    name: str
    msg_field: str
    out_field: str


class function:
    """`copy_u`, `u_mul_e`, `sum` and so on, as dgl.function has them."""


def _define(kind, name):
    setattr(function, name, staticmethod(lambda *fields: kind(name, *fields)))


for _name in ("copy_u", "copy_e"):
    _define(_Copy, _name)
for _name in _REDUCE:
    _define(_Reduce, _name)
for _left in "uve":
    for _right in "uve".replace(_left, ""):
        for _name in (*_BINARY, "dot"):
            _define(_Pair, f"{_left}_{_name}_{_right}")


# -- Graphs of DGL ------------------------------------------------------------------------

_installed = False


def of_dgl(graph, pair_of):
    """A `Graph` of a DGLGraph; `pair_of(graph, make)` keeps its ids."""
    if len(graph.ntypes) != 1 or len(graph.canonical_etypes) != 1 or graph.is_block:
        raise ValueError("expected a DGLGraph of one type of nodes and one of edges, got "
                         f"{len(graph.ntypes)} and {len(graph.canonical_etypes)}" +
                         " of a block" * graph.is_block)
    _install()
    pair = pair_of(graph, lambda: torch.stack(graph.edges(order="eid")).long())
    return Graph(pair, graph.num_nodes(), graph.ndata, graph.edata)


def _install():
    """DGL's softmax and typed products become ops while the front end traces."""
    global _installed
    if _installed:
        return
    _installed = True
    softmax = sys.modules["dgl.ops.edge_softmax"].edge_softmax

    @torch._dynamo.substitute_in_graph(softmax, skip_signature_check=True)
    def traced(graph, logits, eids=None, norm_by="dst"):
        return edge_softmax(graph, logits, eids, norm_by)
    linear = getattr(sys.modules.get("dgl.nn.pytorch"), "TypedLinear", None)
    if linear is not None:
        intercept.wrap(linear, "forward", _typed_linear)


def _typed_linear(self, x, x_type, sorted_by_type=False):
    return OPS.typed_linear(x, self.get_weight(), x_type, None)
