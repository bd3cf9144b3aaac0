# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Substitutes of PyG's functions and layers while the front end traces.

Functions are substituted in dynamo's graphs alone. Methods have no such way: their
classes get a forward that asks the switch, and is the layer's own where it is off, as
always but inside a call of a compiled model. Eager code runs PyG's own functions.
"""

import contextlib
import functools
import math
import operator
import sys
import threading
import types

import torch
from torch import Tensor
from torch._dynamo.variables import builtin, torch as traced
from torch.nn import functional

from . import matrix, stand_ins
from .adjacency import Adjacency, Functions, StandIn
from .matrix import Matrix
from .vocabulary import OPS


class _Switch(threading.local):
    """Whether this thread traces for the front end, and how many calls asked for it. dynamo
    guards `on`: it has no default in the class, which dynamo would take for its value."""

    def __init__(self):
        self.on, self.calls = False, 0


switch = _Switch()
_installed = False
_substitutes = []  # (name, PyG's function, what stands for it)


def is_on():
    return switch.on


def turn_on():
    """Turns the switch of this thread on; what turns it back, as dynamo's hooks are."""
    switch.calls += 1
    switch.on = True

    def back():
        switch.calls -= 1
        switch.on = switch.calls > 0
    return back


def _is_wanted():
    """Whether PyG's functions and layers are to be ours. Within transforms of torch.func
    they are PyG's: custom ops of torch have no rules for them."""
    return switch.on and not _is_transformed()


@torch._dynamo.assume_constant_result
def _is_transformed():
    """Constant to dynamo, which enters transforms while it traces them."""
    return torch._C._functorch.peek_interpreter_stack() is not None


_KINDS = "sum", "mean", "max", "min"  # The kinds of OPS.aggregate.


def _kind(reduce):
    return {"add": "sum"}.get(reduce, reduce)


_library = torch.library.Library("aten", "IMPL")


def _fused_gru_cell(given, kept, state, *biases):
    """The shapes of torch's fused GRU cell, which releases of torch lack: without them
    no model with one is captured on a GPU."""
    return torch.empty_like(state), state.new_empty([state.shape[0], 5 * state.shape[1]])


_COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd


def _take_along_dim(x, indices, dim=None):
    """torch's own takes sizes for constants while it is traced: a median would be captured anew
    for each number of edges."""
    if dim is None or x.dim() != indices.dim() or x.dim() == 0:
        return torch.ops.aten.take_along_dim.default._op_dk(_COMPOSITE, x, indices, dim)
    dim, pairs = dim % x.dim(), list(zip(x.shape, indices.shape))
    sizes = [indexed if size == 1 else size for size, indexed in pairs]
    if any(place != dim and size != indexed for place, (size, indexed) in enumerate(pairs)):
        x = x.expand([*sizes[:dim], x.shape[dim], *sizes[dim + 1:]])
        indices = indices.expand([*sizes[:dim], indices.shape[dim], *sizes[dim + 1:]])
    return x.gather(dim, indices % x.shape[dim])  # Places from the end are negative.


def install():
    """Sends PyG's functions and layers to the vocabulary; nothing where it is done or
    there is no PyG."""
    global _installed
    if _installed:
        return
    if not torch._C._dispatch_has_kernel_for_dispatch_key("aten::_thnn_fused_gru_cell",
                                                          "Meta"):
        _library.impl("_thnn_fused_gru_cell", _fused_gru_cell, "Meta")
    if _COMPOSITE not in torch.ops.aten.take_along_dim.default.py_kernels:
        torch.ops.aten.take_along_dim.default.py_impl(_COMPOSITE)(_take_along_dim)
    _trace_products()
    stand_ins.install(is_on)
    try:
        import torch_geometric.index
        import torch_geometric.utils as utils
        from torch_geometric.nn import (FastRGCNConv, GATConv, HeteroLinear, HGTConv,
                                        RGCNConv)
        from torch_geometric.typing import torch_sparse
    except ImportError:
        return
    _installed = True
    for name, make in _FUNCTIONS.items():
        module, _, name = name.rpartition(".")
        own = getattr(sys.modules[f"torch_geometric.{module or 'utils'}"], name)
        copy = types.FunctionType(own.__code__, own.__globals__, own.__name__,
                                  own.__defaults__, own.__closure__)
        copy.__kwdefaults__ = own.__kwdefaults__
        made = make(copy)
        torch._dynamo.substitute_in_graph(own, skip_signature_check=True)(made)
        _substitutes.append((name, own, made))
    for cls, forward in ((RGCNConv, _rgcn), (FastRGCNConv, _rgcn), (HGTConv, _hgt),
                         (HeteroLinear, _hetero_linear)):
        wrap(cls, "forward", forward)
    wrap(GATConv, "edge_update", _gat_scores)
    _trace_data()
    own = Functions(torch_sparse)
    for name, module in list(sys.modules.items()):
        if name.startswith("torch_geometric.") and (
                vars(module).get("torch_sparse") is torch_sparse):
            module.torch_sparse = own


def _trace_products():
    """Products with sparse matrices as torch has them: functions of torch.sparse, and
    `adj @ x`, which dynamo takes for `x @ adj` without a name for it."""
    traced.get_overridable_functions().update(
        one for one in map(vars(torch.sparse).get, torch.sparse.__all__) if callable(one) and
        not isinstance(one, type))
    builtin.populate_builtin_to_tensor_fn_map()
    builtin.BUILTIN_TO_TENSOR_RFN_MAP[operator.matmul] = Tensor.__rmatmul__


class _OfThread:
    """True on the thread that made it."""

    def __init__(self):
        self._thread = threading.get_ident()

    def __bool__(self):
        return threading.get_ident() == self._thread


@contextlib.contextmanager
def substituted():
    """PyG's functions are the vocabulary's, and PyG takes itself to be traced, where its code
    runs on fake tensors without dynamo."""
    modules = [vars(module) for name, module in list(sys.modules.items())
               if name.startswith("torch_geometric.")]
    places = [(names, name, own, made) for name, own, made in _substitutes
              for names in modules if names.get(name) is own]
    before, back = torch.compiler._is_compiling_flag, turn_on()
    torch.compiler._is_compiling_flag = _OfThread()
    for names, name, _, made in places:
        names[name] = made
    try:
        yield
    finally:
        for names, name, own, _ in places:
            names[name] = own
        torch.compiler._is_compiling_flag = before
        back()


def _trace_data():
    """The same number of nodes, without a property of a base class, which dynamo takes for
    its value; and the same writes and copies, without calls that it does not trace."""
    from torch_geometric.data.data import BaseData, Data
    count = BaseData.num_nodes.fget
    Data.num_nodes = property(lambda self: count(self), Data.num_nodes.fset,
                              doc=Data.num_nodes.__doc__)

    def write(self, name, value):
        setter = getattr(getattr(type(self), name, None), "fset", None)
        if setter is None:
            setattr(self._store, name, value)
        else:
            setter(self, value)
    Data.__setattr__ = functools.wraps(Data.__setattr__)(write)

    def copied(given):  # By which `Data.clone` copies what it has.
        return dict(given)
    torch._dynamo.substitute_in_graph(dict.copy, skip_signature_check=True)(copied)


def wrap(cls, name, replacement):
    own = getattr(cls, name)

    @functools.wraps(own)
    def method(self, *args, **kwargs):
        if _is_wanted():
            made = replacement(self, *args, **kwargs)
            if made is not NotImplemented:
                return made
        return own(self, *args, **kwargs)
    setattr(cls, name, method)


# -- Functions -----------------------------------------------------------------------

def _scatter(own):
    def scatter(src, index, dim=0, dim_size=None, reduce="sum"):
        if not _is_wanted() or dim_size is None or index.dim() != 1 or reduce not in (
                "sum", "add", "mean", "max", "min", "amax", "amin"):
            return own(src, index, dim, dim_size, reduce)
        dim = src.dim() + dim if dim < 0 else dim
        kind = {"add": "sum", "amax": "max", "amin": "min"}.get(reduce, reduce)
        if dim == 0:
            return OPS.aggregate(src, index, dim_size, kind)
        return OPS.aggregate(src.movedim(dim, 0), index, dim_size, kind).movedim(0, dim)
    return scatter


def _softmax(own):
    def softmax(src, index=None, ptr=None, num_nodes=None, dim=0):
        if not _is_wanted() or index is ptr or dim not in (0, -src.dim()) or (
                ptr is not None and ptr.dim() > 1):
            return own(src, index, ptr, num_nodes, dim)
        if ptr is not None:  # PyG's choice of the two.
            index, num_nodes = OPS.of_pointers(ptr, src.size(0)), ptr.size(0) - 1
        return OPS.edge_softmax(src, index, num_nodes)
    return softmax


def _remove_self_loops(own):
    def remove_self_loops(edge_index, edge_attr=None):
        if isinstance(edge_index, Matrix) and edge_index.layout != torch.sparse_csc:
            return matrix.remove_loops(edge_index), None
        if not _is_wanted() or not _is_pair(edge_index):
            return own(edge_index, edge_attr)
        kept = OPS.drop_loops(edge_index)
        return kept, None if edge_attr is None else OPS.kept_edges(edge_attr, edge_index,
                                                                   kept)
    return remove_self_loops


def _is_pair(edge_index):
    """Whether ids are as PyG wants them: what else there is, its own code refuses."""
    return (edge_index.layout == torch.strided and edge_index.dim() == 2 and
            edge_index.size(0) == 2 and edge_index.dtype in (torch.int32, torch.int64))


def _fewest(num_nodes, edge_index):
    if num_nodes is None:
        return int(edge_index.max()) + 1
    if isinstance(num_nodes, (tuple, list)):
        return min(num_nodes)
    return num_nodes


def _add_self_loops(own):
    def add_self_loops(edge_index, edge_attr=None, fill_value=None, num_nodes=None):
        if isinstance(edge_index, Matrix) and edge_index.layout != torch.sparse_csc:
            return matrix.add_loops(edge_index, fill_value), None
        if not _is_wanted() or not _is_pair(edge_index) or isinstance(
                fill_value, Tensor) or isinstance(fill_value, str) and _kind(fill_value) not in _KINDS:
            return own(edge_index, edge_attr, fill_value, num_nodes)
        size = _fewest(num_nodes, edge_index)
        made = OPS.add_loops(edge_index, size)
        if edge_attr is None:
            return made, None
        if isinstance(fill_value, str):
            loops = OPS.aggregate(edge_attr, edge_index[1], size, _kind(fill_value))
        else:
            loops = edge_attr.new_full([size, *edge_attr.shape[1:]],
                                       1.0 if fill_value is None else fill_value)
        return made, OPS.extend_edges(edge_attr, loops, made)
    return add_self_loops


def _add_remaining_self_loops(own):
    def add_remaining_self_loops(edge_index, edge_attr=None, fill_value=None,
                                 num_nodes=None):
        if not _is_wanted() or not _is_pair(edge_index) or isinstance(
                fill_value, (Tensor, str)):
            return own(edge_index, edge_attr, fill_value, num_nodes)
        size = _fewest(num_nodes, edge_index)
        if edge_attr is None:
            return OPS.add_loops(OPS.drop_loops(edge_index), size), None
        made = OPS.remaining_loops(edge_index, size)
        fill = 1.0 if fill_value is None else float(fill_value)
        return made, OPS.extend_remaining(edge_attr, fill, edge_index, made)
    return add_remaining_self_loops


def _spmm(own):
    def spmm(src, other, reduce="sum"):
        if isinstance(src, Matrix):
            return matrix.spmm(src, other, {"add": "sum"}.get(reduce, reduce))
        if not isinstance(src, Adjacency):
            return own(src, other, reduce)
        return src.matmul(other, reduce)
    return spmm


def _to_edge_index(own):
    def to_edge_index(adj):
        return matrix.to_edge_index(adj) if isinstance(adj, Matrix) else own(adj)
    return to_edge_index


def _set_sparse_value(own):
    def set_sparse_value(adj, value):
        return matrix.set_value(adj, value) if isinstance(adj, Matrix) else own(adj, value)
    return set_sparse_value


def _ptr2index(own):
    def ptr2index(ptr, output_size=None):
        if not _is_wanted() or output_size is None:
            return own(ptr, output_size)
        return OPS.of_pointers(ptr, output_size)
    return ptr2index


def _index2ptr(own):
    def index2ptr(index, size=None):
        if not _is_wanted() or size is None:
            return own(index, size)
        # torch's op makes a number of the size, and another capture of each.
        return OPS.pointers(index, size)
    return index2ptr


_FUNCTIONS = {"spmm": _spmm, "to_edge_index": _to_edge_index, "index.ptr2index": _ptr2index,
              "index.index2ptr": _index2ptr, "utils.sparse.set_sparse_value": _set_sparse_value,
              "scatter": _scatter, "softmax": _softmax,
              "remove_self_loops": _remove_self_loops, "add_self_loops": _add_self_loops,
              "add_remaining_self_loops": _add_remaining_self_loops}


# -- Layers ---------------------------------------------------------------------------

def _rgcn(self, x, edge_index, edge_type=None):
    """RGCNConv and FastRGCNConv: a typed product of messages, and a sum over types of what
    is aggregated by type. Of features at the sources, or of ids of nodes, each of which has
    a message of its own for each relation."""
    given, out_rows = x if isinstance(x, tuple) else (x, x)
    is_features = isinstance(out_rows, Tensor) and out_rows.is_floating_point()
    if (edge_type is None or not isinstance(edge_index, Tensor) or not _is_pair(edge_index) or
            (given is None or not given.is_floating_point()) == is_features or
            not is_features and (self.num_blocks is not None or
                                 isinstance(x, tuple) and out_rows is None) or
            self.flow != "source_to_target" or self.aggr not in ("mean", "sum", "add")):
        return NotImplemented
    weight = self.weight
    if self.num_bases is not None:
        weight = (self.comp @ weight.view(self.num_bases, -1)).view(
            self.num_relations, self.in_channels_l, self.out_channels)
    if is_features:
        size = out_rows.size(0)
        message = given.index_select(0, edge_index[0])
        if self.num_blocks is not None:
            message = message.view(-1, weight.size(1), weight.size(2))
        message = OPS.typed_linear(message, weight, edge_type, None)
        if self.num_blocks is not None:
            message = message.reshape(-1, self.out_channels)
    else:
        size = self.in_channels_l if out_rows is None else out_rows.size(0)
        edge_index, edge_type = OPS.by_relation(edge_index, edge_type, given,
                                                self.in_channels_l)
        message = weight.reshape(-1, self.out_channels).index_select(0, edge_index[0])
    out = OPS.aggregate_by_type(message, edge_index[1], edge_type, size, self.num_relations,
                                _kind(self.aggr))
    if self.root is not None:
        out = out + (out_rows @ self.root if is_features else self.root if out_rows is None
                     else self.root.index_select(0, out_rows))
    return out if self.bias is None else out + self.bias


def _hetero_linear(self, x, type_vec):
    return OPS.typed_linear(x, self.weight, type_vec, self.bias)


def _named(module, kept, name):
    """An item of a dict of PyG's, found in what torch keeps of it, which is traced in a
    tenth of the time; PyG keeps some names otherwise."""
    found = kept.get(name)
    return module[name] if found is None else found


def _gat_scores(self, alpha_j, alpha_i, edge_attr, index, ptr, dim_size):
    """GATConv's without its return where there are no edges: torch cannot tell."""
    alpha = alpha_j if alpha_i is None else alpha_j + alpha_i
    if edge_attr is not None and self.lin_edge is not None:
        edge_attr = self.lin_edge(edge_attr.view(-1, 1) if edge_attr.dim() == 1 else edge_attr)
        alpha = alpha + (edge_attr.view(-1, self.heads, self.out_channels) *
                         self.att_edge).sum(-1)
    alpha = OPS.edge_softmax(functional.leaky_relu(alpha, self.negative_slope), index, dim_size)
    return functional.dropout(alpha, p=self.dropout, training=self.training)


# Features of types are one tensor, where shorter ones have zeros behind them: so many times
# shorter at most, else torch has their products.
_WIDER = 8


def _padded(x, size):
    """[n, fewer] as [n, size]."""
    return x if x.size(1) == size else functional.pad(x, (0, size - x.size(1)))


def _hgt(self, x_dict, edge_index_dict):
    """HGTConv on one typed graph of all node types and relations, by the layer's own
    names of relations."""
    heads, size = self.heads, self.out_channels // self.heads
    # In the order of the layer's results, without types that it does not know.
    kinds = [kind for kind in self.kqv_lin.in_channels if kind in x_dict]
    relations, edges = list(edge_index_dict), [
        one._pair if isinstance(one, StandIn) else one for one in edge_index_dict.values()]
    xs = [x_dict[kind] for kind in kinds]
    for one in edges:
        if not _is_pair(one):
            return NotImplemented
    for kind, x in zip(kinds, xs):
        if not x.is_floating_point():  # torch's error, before types are made one dtype.
            functional.linear(x, self.kqv_lin.lins[kind].weight)
    sizes = [x.size(1) for x in xs]
    if sizes != [_named(self.kqv_lin.lins, self.kqv_lin.lins._modules, kind).weight.size(1)
                 for kind in kinds]:
        return NotImplemented  # For torch's error.
    counts = [x.size(0) for x in xs]
    places = {kind: i for i, kind in enumerate(kinds)}
    node_type = OPS.type_rows(edges[0], counts)
    # The types are of `node_type`, so that edges between other nodes are others for all
    # that follows.
    edge_type = OPS.type_rows(node_type, [one.size(1) for one in edges])
    edge_index = OPS.typed_edges(edges, [places[r[0]] for r in relations],
                                 [places[r[-1]] for r in relations], counts, counts, edge_type)

    def lins(module, parts):
        """Weights and biases of all types, [types, out, in] and [types, out] of each
        part."""
        found = [_named(module.lins, module.lins._modules, kind) for kind in kinds]
        most = max([lin.weight.size(1) for lin in found])
        weight = torch.stack([_padded(lin.weight, most) for lin in found])
        bias = torch.stack([lin.bias for lin in found])
        return zip(weight.view(len(kinds), parts, -1, weight.size(-1)).unbind(1),
                   bias.view(len(kinds), parts, -1).unbind(1))

    part = self.out_channels
    if max(sizes) <= _WIDER * min(sizes):
        x = OPS.join_types([_padded(x, max(sizes)) for x in xs], node_type)
        made = [OPS.typed_linear(x, weight.mT, node_type, bias)
                for weight, bias in lins(self.kqv_lin, 3)]
    else:
        made = OPS.join_types([_named(self.kqv_lin.lins, self.kqv_lin.lins._modules, kind)(x)
                               for kind, x in zip(kinds, xs)], node_type).chunk(3, 1)
    key, query, value = [one.reshape(-1, heads, size) for one in made]
    is_sorted = relations == self.edge_types

    def relation_weights(module):
        found = module.weight.view(heads, len(self.edge_types), size, size).transpose(0, 1)
        return found if is_sorted else torch.stack([found[self.edge_types_map[r]]
                                                    for r in relations])

    src, dst = edge_index[0], edge_index[1]
    key = OPS.typed_linear(key.index_select(0, src), relation_weights(self.k_rel),
                           edge_type, None)
    value = OPS.typed_linear(value.index_select(0, src), relation_weights(self.v_rel),
                             edge_type, None)
    kept = self.p_rel._parameters  # As `_named`: a call for each relation takes longer.
    names = ["__".join(r) for r in relations]
    prior = torch.cat([self.p_rel[name] if kept.get(name) is None else kept[name]
                       for name in names])
    score = (query.index_select(0, dst) * key).sum(-1) * prior.index_select(
        0, edge_type) / size ** 0.5
    score = OPS.edge_softmax(score, dst, node_type.size(0))
    out = OPS.aggregate((value * score.unsqueeze(-1)).view(-1, part), dst,
                        node_type.size(0), "sum")
    (weight, bias), = lins(self.out_lin, 1)
    out = OPS.typed_linear(functional.gelu(out), weight.mT, node_type, bias)
    if part in sizes:  # A type of another size has all of its result, and none of itself.
        if len(set(sizes)) > 1:
            x = OPS.join_types([x if x.size(1) == part else x.new_zeros(x.size(0), part)
                                for x in xs], node_type)
        skip = torch.cat([
            _named(self.skip, self.skip._parameters, kind) if size == part else
            x.new_full((1,), math.inf) for kind, size in zip(kinds, sizes)]).sigmoid()
        skip = skip.index_select(0, node_type).unsqueeze(-1)
        out = skip * out + (1 - skip) * x
    return {kind: rows for kind, rows in zip(kinds, OPS.split_types(out, counts))
            if kind in self.dst_node_types}
