# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that stay whole in a graph that torch traces: what PyG's functions and layers mean.

Each is a custom op of torch with a fake (its shape) and a gradient, so that a graph can
run in torch where part of it is not raised. The raising reads them as `gnn` ops.
Shapes: E edges, N nodes, R types.
"""

import itertools

import torch
from torch import Tensor

from .... import targets
from ....types import expected_ids

OPS = torch.ops.gnn_mlir
_DIRECT = {}


class _Direct:
    """The implementation of an op, without what torch's dispatcher adds to each
    call."""

    def __init__(self, name, implementation):
        self.__name__, self._implementation = name, implementation  # torch.fx prints it.

    def __call__(self, *args):
        return self._implementation(*args)


def direct(target):
    """The function that a call without gradients may call in place of an op: the same, if
    it is none of these."""
    return _DIRECT.get(target, target)


def _define(schema, implementation, fake, setup=None, backward=None):
    name, _, rest = schema.partition("(")
    op = torch.library.custom_op(f"gnn_mlir::{name}", implementation, mutates_args=(),
                                 schema="(" + rest)
    op.register_fake(fake)
    if backward is not None:
        op.register_autograd(backward, setup_context=setup)
    _DIRECT[getattr(OPS, name).default] = _Direct(name, implementation)


def _recomputed(implementation):
    """`setup_context` and `backward` of an op that is run again to be differentiated."""
    def setup(ctx, inputs, output):
        ctx.tensors = [i for i, x in enumerate(inputs) if isinstance(x, Tensor)]
        ctx.others = {i: x for i, x in enumerate(inputs) if not isinstance(x, Tensor)}
        ctx.save_for_backward(*[inputs[i] for i in ctx.tensors])

    def backward(ctx, grad):
        inputs, again = dict(ctx.others), torch.is_grad_enabled()
        wanted = [i for i in ctx.tensors if ctx.needs_input_grad[i]]
        for i, x in zip(ctx.tensors, ctx.saved_tensors):
            if again and i in wanted:
                inputs[i] = x.view_as(x)  # For second derivatives, and apart from others.
            else:
                inputs[i] = x.detach().requires_grad_(i in wanted)
        with torch.enable_grad():
            made = implementation(*[inputs[i] for i in sorted(inputs)])
        found = dict(zip(wanted, torch.autograd.grad(
            made, [inputs[i] for i in wanted], grad, allow_unused=True,
            create_graph=again)))
        return tuple(found.get(i) for i in sorted(inputs))
    return setup, backward


def _sized(x, size):
    return x.new_empty([size, *x.shape[1:]])


def _aligned(what, x, *others):
    """Refuses vectors that have not one entry for each row of `x`, where one traces."""
    for other in others:
        torch._check(x.shape[0] == other.shape[-1], lambda: (
            f"{what}: expected {x.shape[0]} ids, one for each row, got "
            f"{other.shape[-1]}"))
    return x


def _rows_of(index, like):
    return index.long().view(-1, *[1] * (like.dim() - 1)).expand_as(like)


def _aggregate(x, index, size, kind):
    if kind in ("sum", "mean"):
        total = x.new_zeros([size, *x.shape[1:]]).index_add_(0, index, x)
        if kind == "sum":
            return total
        count = x.new_zeros(size).index_add_(0, index, x.new_ones(index.shape[0]))
        return total / count.clamp_(min=1).view(-1, *[1] * (x.dim() - 1))
    made = x.new_zeros([size, *x.shape[1:]]).scatter_reduce(
        0, _rows_of(index, x), x, "a" + kind, include_self=False)
    return _of_first(x, index, made) if x.requires_grad and x.shape[0] else made


def _of_first(x, index, extreme):
    """Maxima or minima, with the gradient that programs give: of equal rows the first has it.
    Torch shares it, among rows and the zeros that extremes are written over."""
    count, own = x.shape[0], x.detach()
    is_extreme = (own == extreme.detach().index_select(0, index)) | own.isnan()
    order = torch.arange(count, device=x.device).view(-1, *[1] * (x.dim() - 1))
    first = index.new_full(extreme.shape, count, dtype=order.dtype).scatter_reduce(
        0, _rows_of(index, x), torch.where(is_extreme, order, count), "amin")
    return x.gather(0, first.clamp(max=count - 1)).masked_fill(first == count, 0)


_define("aggregate(Tensor x, Tensor index, SymInt size, str kind) -> Tensor", _aggregate,
        lambda x, index, size, kind: _sized(_aligned("aggregate", x, index), size),
        *_recomputed(_aggregate))


def _aggregate_by_type(x, index, types, size, num_types, kind):
    by_type = _aggregate(x, types * size + index, size * num_types, kind)
    return by_type.view(num_types, size, *x.shape[1:]).sum(0)


_define("aggregate_by_type(Tensor x, Tensor index, Tensor types, SymInt size, "
        "int num_types, str kind) -> Tensor", _aggregate_by_type,
        lambda x, index, types, size, num_types, kind: _sized(
            _aligned("aggregate_by_type", x, index, types), size),
        *_recomputed(_aggregate_by_type))


def _edge_softmax(x, index, size):
    """PyG's: powers over their sum + 1e-16; `size` None: as many rows as ids say."""
    if size is None:
        size = int(index.max()) + 1 if index.numel() else 0
    rows = _rows_of(index, x)
    top = x.detach().new_zeros([size, *x.shape[1:]]).scatter_reduce(
        0, rows, x.detach(), "amax", include_self=False)
    power = (x - top.index_select(0, index)).exp()
    total = x.new_zeros([size, *x.shape[1:]]).index_add_(0, index, power) + 1e-16
    return power / total.index_select(0, index)


_define("edge_softmax(Tensor x, Tensor index, SymInt? size) -> Tensor", _edge_softmax,
        lambda x, index, size: torch.empty_like(_aligned("edge_softmax", x, index)),
        *_recomputed(_edge_softmax))


def _edge_softmax_by_type(x, index, types, size, num_types):
    return _edge_softmax(x, types * size + index, size * num_types)


_define("edge_softmax_by_type(Tensor x, Tensor index, Tensor types, SymInt size, "
        "int num_types) -> Tensor", _edge_softmax_by_type,
        lambda x, index, types, size, num_types: torch.empty_like(
            _aligned("edge_softmax_by_type", x, index, types)),
        *_recomputed(_edge_softmax_by_type))


def _typed_linear(x, weight, types, bias):
    """x [rows, (heads,) in], weight [R, (heads,) in, out]. One product a type: no row has
    a copy of its weight."""
    made = x.new_zeros([*x.shape[:-1], weight.shape[-1]])
    for one in range(weight.shape[0]):
        rows = (types == one).nonzero().view(-1)
        part = x.index_select(0, rows)
        part = (part @ weight[one] if weight.dim() == 3 else
                torch.einsum("rhi,hio->rho", part, weight[one]))
        made = made.index_add(0, rows, part if bias is None else part + bias[one])
    return made


_define("typed_linear(Tensor x, Tensor weight, Tensor types, Tensor? bias) -> Tensor",
        _typed_linear, lambda x, weight, types, bias: _aligned(
            "typed_linear", x, types).new_empty([*x.shape[:-1], weight.shape[-1]]), *_recomputed(_typed_linear))


# Graphs of graphs: a loop is an edge whose ends are one node.

def _some_edges(edge_index):
    return edge_index.new_empty([2, torch.library.get_ctx().new_dynamic_size()])


_define("drop_loops(Tensor edge_index) -> Tensor",
        lambda edge_index: edge_index[:, edge_index[0] != edge_index[1]].contiguous(),
        _some_edges)


def _add_loops(edge_index, size):
    loops = torch.arange(size, dtype=edge_index.dtype, device=edge_index.device)
    return torch.cat([edge_index, loops.expand(2, -1)], 1)


_define("add_loops(Tensor edge_index, SymInt size) -> Tensor", _add_loops,
        lambda edge_index, size: edge_index.new_empty([2, edge_index.shape[1] + size]))


def _kept_edges(x, edge_index, kept):
    return x[edge_index[0] != edge_index[1]]


_define("kept_edges(Tensor x, Tensor edge_index, Tensor kept) -> Tensor", _kept_edges,
        lambda x, edge_index, kept: _sized(
            _aligned("kept_edges", x, edge_index), kept.shape[1]), *_recomputed(_kept_edges))


def _extend_edges(x, loops, edge_index):
    return torch.cat([x, loops])


_define("extend_edges(Tensor x, Tensor loops, Tensor edge_index) -> Tensor", _extend_edges,
        lambda x, loops, edge_index: _sized(x, edge_index.shape[1]),
        *_recomputed(_extend_edges))


def _extend_remaining(x, fill, edge_index, made):
    """The rows of edges that are no loops, then the row of each node's last loop, or
    `fill` where it has none."""
    size, is_loop = made.shape[1] - int((edge_index[0] != edge_index[1]).sum()), (
        edge_index[0] == edge_index[1])
    order = torch.arange(x.shape[0], device=x.device)
    last = order.new_full([size], -1).scatter_reduce(
        0, edge_index[0], torch.where(is_loop, order, -1), "amax")
    rows = x.index_select(0, last.clamp(min=0)) if x.shape[0] else _sized(x, size)
    loops = torch.where((last >= 0).view(-1, *[1] * (x.dim() - 1)), rows, fill)
    return torch.cat([x[~is_loop], loops])


_define("extend_remaining(Tensor x, float fill, Tensor edge_index, Tensor made) -> Tensor",
        _extend_remaining, lambda x, fill, edge_index, made: _sized(
            _aligned("extend_remaining", x, edge_index), made.shape[1]),
        *_recomputed(_extend_remaining))


def _remaining_loops(edge_index, size):
    """Edges that are no loops, then a loop for each node: a last own one or a new one."""
    return _add_loops(edge_index[:, edge_index[0] != edge_index[1]], size)


_define("remaining_loops(Tensor edge_index, SymInt size) -> Tensor", _remaining_loops,
        lambda edge_index, size: _some_edges(edge_index))


# Rows of entries that are sorted by them, as pointers into these: [rows + 1].

def _pointers(index, size):
    counts = index.new_zeros(size + 1)
    return counts.index_add_(0, index + 1, torch.ones_like(index)).cumsum_(0)


_define("pointers(Tensor index, SymInt size) -> Tensor", _pointers,
        lambda index, size: index.new_empty([size + 1]))
_define("of_pointers(Tensor pointers, SymInt size) -> Tensor",
        lambda pointers, size: torch.repeat_interleave(pointers.diff(), output_size=size),
        lambda pointers, size: pointers.new_empty([size]))


# Entries of sparse matrices, each of which is there once. The raising knows none of these ops:
# ids are computed once for a graph, and values, which are known before a program, by torch.

def _keys(pair, size):
    return pair[1].long() * size + pair[0]


def _sorted_loops(pair, size):
    """With all loops, in the order of destinations, then of sources."""
    made = _remaining_loops(pair, size)
    return made.index_select(1, _keys(made, size).argsort())


_define("sorted_loops(Tensor pair, SymInt size) -> Tensor", _sorted_loops,
        lambda pair, size: _some_edges(pair))


def _places(pair, made, size):
    """Where among other entries each is, or -1."""
    (keys, order), wanted = _keys(made, size).sort(), _keys(pair, size)
    if not len(order):
        return torch.full_like(wanted, -1)
    found = torch.searchsorted(keys, wanted).clamp_(max=len(keys) - 1)
    return torch.where(keys[found] == wanted, order[found], -1)


_define("places(Tensor pair, Tensor made, SymInt size) -> Tensor", _places,
        lambda pair, made, size: pair.new_empty([pair.shape[1]], dtype=torch.int64))


def _placed(value, places, size):
    """Values at their places; those that have none are left out."""
    made = value.new_zeros([size + 1, *value.shape[1:]])
    return made.index_add_(0, torch.where(places < 0, size, places), value)[:size].clone()


_define("placed(Tensor value, Tensor places, SymInt size) -> Tensor", _placed,
        lambda value, places, size: _sized(_aligned("placed", value, places), size),
        *_recomputed(_placed))
_define("reduced(Tensor value, Tensor index, SymInt size, str kind) -> Tensor", _aggregate,
        lambda value, index, size, kind: _sized(_aligned("reduced", value, index), size),
        *_recomputed(_aggregate))


# A graph of the messages of ids: its sources are a node's for each relation.

def _by_relation(edge_index, edge_type, ids, count):
    src = edge_index[0] if ids is None else ids.index_select(0, edge_index[0])
    outside = (src < 0) | (src >= count) | (edge_type < 0)
    return torch.stack([(edge_type * count + src).masked_fill_(outside, -1),
                        edge_index[1]]), edge_type.clone()


def _as_many_edges(edge_index, edge_type, ids, count):
    """Their size is their own: they are rows of another graph."""
    size = torch.library.get_ctx().new_dynamic_size()
    return edge_index.new_empty([2, size]), edge_type.new_empty([size])


_define("by_relation(Tensor edge_index, Tensor edge_type, Tensor? ids, SymInt count) -> "
        "(Tensor, Tensor)", _by_relation, _as_many_edges)


# One graph of a dict of them: nodes type after type, edges relation after relation.

def upload(numbers, device):
    """A tensor of numbers of the host. Nothing waits for what a GPU computes meanwhile."""
    if not targets.is_gpu(device):
        return torch.tensor(numbers, device=device)
    return torch.tensor(numbers, pin_memory=True).to(device, non_blocking=True)


def _spread(counts, device):
    """Each number as often as its count says."""
    ends = upload(list(itertools.accumulate(counts)), device)
    return torch.searchsorted(ends, torch.arange(sum(counts), device=device), right=True)


# The vector of types has a symbol of its own for its size, which is that of all rows: torch
# takes long to compare sums of many symbols.
_define("type_rows(Tensor like, SymInt[] counts) -> Tensor",
        lambda like, counts: _spread(counts, like.device), lambda like, counts:
        torch.empty([torch.library.get_ctx().new_dynamic_size()], dtype=torch.int64,
                    device=like.device))


def _typed_edges(edge_indices, src_types, dst_types, src_counts, dst_counts, relations):
    """Ids of one type behind those of another; relations that are left out have no edges. Ids
    that no node of their type has are not another type's: an error where that is known, else
    -1, which no graph takes."""
    edges, device = torch.cat(edge_indices, 1), relations.device
    limits = [[[counts[i] for i in types], [sum(counts[:i]) for i in types]]
              for types, counts in ((src_types, src_counts), (dst_types, dst_counts))]
    counts, begins = upload(limits, device).index_select(
        2, relations).unbind(1)
    outside = (edges < 0) | (edges >= counts)
    if targets.is_host(device) and outside.any():
        end, edge = outside.nonzero()[0].tolist()
        number = int(relations[edge])
        raise ValueError(
            f"relation {number}, {('sources', 'destinations')[end]}: "
            f"{expected_ids(0, int(counts[end, edge]))}, got {int(edges[end, edge])} at "
            f"{edge - int((relations < number).sum())}")
    return (edges + begins).masked_fill_(outside, -1)


_define("typed_edges(Tensor[] edge_indices, int[] src_types, int[] dst_types, "
        "SymInt[] src_counts, SymInt[] dst_counts, Tensor relations) -> Tensor",
        _typed_edges, lambda edge_indices, src_types, dst_types, src_counts, dst_counts,
        relations: edge_indices[0].new_empty([2, relations.shape[0]], dtype=torch.int64))


def _copies(relations, kinds, counts):
    """Ids of copies of nodes and of the nodes: each relation has one of all nodes of its type."""
    device = relations.device
    begins = upload([sum(counts[:kind]) for kind in kinds], device)
    own = torch.arange(relations.shape[0], device=device)
    first = torch.searchsorted(relations, torch.arange(len(kinds), device=device))
    return torch.stack([own, own + (begins - first).index_select(0, relations)])


_define("copies(Tensor relations, int[] kinds, SymInt[] counts) -> Tensor", _copies,
        lambda relations, kinds, counts: relations.new_empty(
            [2, torch.library.get_ctx().new_dynamic_size()]))


def _keep_sizes(ctx, inputs, output):
    ctx.sizes = [x.shape[0] for x in inputs[0]]


# `join_types` and `split_types` are torch's cat and split of rows, which the front end
# calls instead.
_define("join_types(Tensor[] parts, Tensor types) -> Tensor",
        lambda parts, types: torch.cat(parts),
        lambda parts, types: _sized(parts[0], types.shape[0]), _keep_sizes,
        lambda ctx, grad: (list(grad.split(ctx.sizes)), None))


def _keep_count(ctx, inputs, output):
    ctx.count = inputs[0].shape[0]


def _first_grads(ctx, grad):
    rest = grad.new_zeros([ctx.count - grad.shape[0], *grad.shape[1:]])
    return torch.cat([grad, rest]), None


_define("first_rows(Tensor x, SymInt size) -> Tensor", lambda x, size: x[:size].clone(),
        _sized, _keep_count, _first_grads)


def _keep_shape(ctx, inputs, output):
    ctx.like = inputs[0].new_empty(0), inputs[0].shape[1:], inputs[1]


def _joined_grads(ctx, grads):
    like, shape, counts = ctx.like
    return torch.cat([like.new_zeros([count, *shape]) if grad is None else grad
                      for grad, count in zip(grads, counts)]), None


_define("split_types(Tensor x, SymInt[] counts) -> Tensor[]",
        lambda x, counts: [part.clone() for part in x.split(counts)],
        lambda x, counts: [_sized(x, count) for count in counts], _keep_shape,
        _joined_grads)


def index_of_scatter(name, args, kwargs):
    """The node of the ids of an op of torch whose result, or gradient, is wrong on a CPU for
    ids of int32 that are expanded over columns; else None."""
    if name.rstrip("_") not in ("gather", "scatter", "scatter_add", "scatter_reduce"):
        return None
    found = args[2] if len(args) > 2 else kwargs.get("index")
    if not isinstance(found, torch.fx.Node):
        return None
    value = found.meta.get("val", found.meta.get("example_value"))
    return found if isinstance(value, Tensor) and value.dtype == torch.int32 else None


# Ops that are ops of torch for those who need no sizes of them, and with which arguments. What
# is in one piece when it is captured need not be when it is run: attention is of torch's choice.
_AS_TORCH = {
    torch.ops.aten.view.default: lambda x, sizes: (torch.ops.aten.reshape.default, (x, sizes)),
    OPS.first_rows.default: lambda x, size: (torch.ops.aten.narrow.default, (x, 0, 0, size)),
    OPS.join_types.default: lambda parts, types: (torch.cat, (parts,)),
    OPS.split_types.default: lambda x, counts: (torch.split, (x, counts))}


def as_torch(node):
    """(target, args) of a node as torch runs it; None where it is run as it is."""
    found = _AS_TORCH.get(node.target)
    return found and found(*node.args)


def read_by_torch(node):
    """The nodes that a node reads as torch runs it."""
    found, nodes = as_torch(node), []
    if found is None:
        return node.all_input_nodes
    torch.fx.node.map_arg(found[1], nodes.append)
    return nodes
