# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of ops on the features of each row: shapes, reductions, norms."""

import itertools

import torch

from ..analysis.dimensions import crossed_dim, dims_of, kept, order_of
from ..analysis.values import GETITEM, equal, value_of, whole_of
from ..tracing import vocabulary
from .elementwise import combine, operands, root, tag_of
from .sparse import extended
from .tags import Fill, Mask, Masked, Rows, Typed, Unsupported, Whole, handles, product, static

aten, OPS = torch.ops.aten, vocabulary.OPS

# -- Shapes ----------------------------------------------------------------------------


@handles(aten.view.default, aten.reshape.default, aten._unsafe_view.default,
         aten.flatten.using_ints, aten.unsqueeze.default, aten.squeeze.dim,
         aten.squeeze.dims, aten.squeeze.default)
def _view(r, node, x, *rest):
    tag = r.tags.get(x)
    if isinstance(tag, (Fill, Mask)):
        return tag
    if isinstance(tag, Whole):
        wanted = tuple(map(static, value_of(node).shape))
        return tag if wanted == tag.value.features or product(wanted) == 1 else Whole(
            r.f.reshape(tag.value, *wanted), r.current.number)
    if isinstance(tag, Masked):
        raise Unsupported("a view of rows of one type")
    if not r.is_rows(x):
        return None
    dim = kept(node, x).get(r.row_dim(x))
    if dim is None:
        raise Unsupported("a view that takes rows apart")
    if isinstance(tag, Typed) and dim == 0:
        return tag if value_of(tag.weight).shape[1:] == value_of(node).shape[1:] else r.made(
            node, r.rows(x), 0)
    value = r.rows(x)
    if value.type.dtype == "i1":
        wanted = tuple(static(s) for i, s in enumerate(value_of(node).shape) if i != dim)
        number = r.f.reshape(r.f.where(value, 1.0, 0.0), *wanted)
        return Rows(r.f.compare("ne", number, 0.0), r.current.number, dim)
    return r.made(node, value, dim)


@handles(aten.expand.default)
def _expand(r, node, x, size, **named):
    tag = r.tags.get(x)
    if isinstance(tag, (Fill, Mask, Whole)):
        return tag if not isinstance(tag, Whole) else None
    if not r.is_rows(x):
        return None
    value, dim = r.rows(x), kept(node, x).get(r.row_dim(x))
    if dim is None:
        raise Unsupported("a repetition of rows")
    wanted = tuple(static(s) for i, s in enumerate(value_of(node).shape) if i != dim)
    return r.made(node, r.f.broadcast_to(value, value.type.with_features(*wanted)), dim)


@handles(aten.repeat.default)
def _repeat(r, node, x, times):
    if isinstance(r.tags.get(x), Fill):
        return r.tags[x]
    if not r.is_rows(x):
        return None
    value, away = r.rows(x), len(times) - value_of(x).dim()
    dim = r.row_dim(x) + away
    times = list(times)
    if times.pop(dim) != 1:
        raise Unsupported("a repetition of rows")
    if away:
        value = r.f.reshape(value, *[1] * away, *value.features)
    for at, count in enumerate(times):
        if static(count) != 1:
            value = concat(r, [value] * static(count), at)
    return r.made(node, value, dim)


@handles(aten.permute.default, aten.transpose.int, aten.t.default, aten.movedim.int)
def _permute(r, node, x, *rest):
    if isinstance(r.tags.get(x), Fill):
        return r.tags[x]
    if not r.is_rows(x):
        return None
    order, dim = order_of(node), r.row_dim(x)
    value = _reordered(r, r.rows(x), [d - (d > dim) for d in order if d != dim])
    return Rows(value, r.current.number, order.index(dim))


_MOST_PARTS = 64


def _reordered(r, value, order):
    """Features in another order of their dimensions: parts of them side by side. Dimensions of
    1 are anywhere."""
    features = value.features
    moved = [d for d in order if features[d] != 1]
    wanted = [features[d] for d in order]
    if moved == sorted(moved):
        return value if list(features) == wanted else r.f.reshape(value, *wanted)
    inner = 1
    for d in sorted(moved, reverse=True):  # Those that stay the last are parts as a whole.
        if moved[-1] != d:
            break
        inner *= features[moved.pop()]
    if product(features) // inner > _MOST_PARTS:
        raise Unsupported("features in another order")
    flat = r.f.reshape(value, product(features))
    places = itertools.product(*[range(features[d]) for d in moved])
    parts = [r.f.slice(flat, sum(place * product(features[d + 1:]) for place, d in zip(
        one, moved)), inner) for one in places]
    return r.f.reshape(r.f.concat(*parts), *wanted)


def _feature(r, x, dim):
    """The position of a dimension among features, and how many there are."""
    rank, rows = value_of(x).dim(), r.row_dim(x)
    dim %= rank
    if dim == rows:
        raise Unsupported("an op over rows")
    return dim - (dim > rows), rank - 1


def portion(r, value, at, offset, size):
    """`size` of a feature dimension from `offset`."""
    features = value.features
    if (offset, size) == (0, features[at]):
        return value
    inner = product(features[at + 1:])
    if product(features[:at]) == 1:
        flat = r.f.reshape(value, product(features))
        made = r.f.slice(flat, offset * inner, size * inner)
    else:
        flat = r.f.reshape(value, product(features[:at]), features[at] * inner)
        made = r.f.slice(flat, offset * inner, size * inner)
    return r.f.reshape(made, *features[:at], size, *features[at + 1:])


@handles(aten.select.int)
def _select(r, node, x, dim, index):
    tag, index = r.tags.get(x), static(value_of(index))
    if isinstance(tag, Fill):
        return tag
    if isinstance(tag, Whole):
        value, at = r.whole(x), dim % value_of(x).dim()
        made = portion(r, value, at, index % value.features[at], 1)
        return Whole(r.f.reshape(made, *map(static, value_of(node).shape)), r.current.number)
    if not r.is_rows(x):
        return None
    at, _ = _feature(r, x, dim)
    if isinstance(tag, Mask):
        return tag
    value = r.rows(x)
    made = portion(r, value, at, index % value.features[at], 1)
    rows = r.row_dim(x)
    return r.made(node, made, rows - (dim % value_of(x).dim() < rows))


@handles(aten.slice.Tensor)
def _slice(r, node, x, dim=0, start=None, end=None, step=1):
    if isinstance(r.tags.get(x), Fill):
        return r.tags[x]
    if not r.is_rows(x):
        return None
    if dim % value_of(x).dim() == r.row_dim(x):
        if r.axes.of(node, dim) is r.axis(x):
            return r.tags.get(x) or r.made(node, r.rows(x))
        raise Unsupported("some of the rows")
    if step != 1:
        raise Unsupported(f"every {step}th feature")
    at, _ = _feature(r, x, dim)
    size, start = static(value_of(node).shape[dim]), static(value_of(start) or 0)
    value = r.rows(x)
    start = start + value.features[at] if start < 0 else start
    return r.made(node, portion(r, value, at, start, size), r.row_dim(x))


@handles(aten.split.Tensor, aten.split_with_sizes.default, aten.chunk.default,
         aten.tensor_split.sections, aten.unbind.int)
def _split(r, node, x, how=0, dim=0):
    if node.target == aten.unbind.int:
        dim = how
    if not r.is_rows(x) or isinstance(r.tags.get(x), Fill):
        return None
    at, _ = _feature(r, x, dim)
    value, rows, parts, offset = r.rows(x), r.row_dim(x), [], 0
    unbound = node.target == aten.unbind.int
    for part in value_of(node):
        size = 1 if unbound else static(part.shape[dim])
        made = portion(r, value, at, offset, size)
        gone = unbound and dim % value_of(x).dim() < rows
        wanted = [static(s) for i, s in enumerate(part.shape) if i != rows - gone]
        parts.append(Rows(r.f.reshape(made, *wanted), r.current.number, rows - gone))
        offset += size
    return tuple(parts)


@handles(aten.linalg_cross.default, aten.cross.default)
def _cross(r, node, a, b, dim=None):
    values, rows = operands(r, node, a, b)
    if values is None:
        return None
    default = -1 if node.target == aten.linalg_cross.default else None
    dim = crossed_dim(value_of(node), default if dim is None else dim)
    if dim == rows or any(isinstance(v, float) for v in values):
        raise Unsupported("a cross product over rows, or with a constant")
    at = dim - (dim > rows)

    def turned(value, by):
        """Each of the three in the place of another."""
        return concat(r, [portion(r, value, at, by, 3 - by), portion(r, value, at, 0, by)], at)
    a, b = (value if len(value.features) == value_of(node).dim() - 1 else r.f.reshape(
        value, *[1] * (value_of(node).dim() - 1 - len(value.features)), *value.features)
        for value in values)
    return r.made(node, turned(a, 1) * turned(b, 2) - turned(a, 2) * turned(b, 1), rows)


@handles(GETITEM)
def _getitem(r, node, x, index):
    tag = r.tags.get(x)
    return tag[index] if isinstance(tag, tuple) else None


@handles(aten.cat.default)
def _cat(r, node, xs, dim=0):
    if dim % value_of(node).dim() == 0 and sliced(r, node):
        return _joined_parts(r, node, xs, 0)
    if not any(r.is_rows(x) for x in xs):
        return None
    tags = [tag_of(r, x) for x in xs]
    if all(isinstance(tag, Fill) for tag in tags):
        if len({tag.number for tag in tags}) == 1:
            return tags[0]
    rank = value_of(node).dim()
    rows = next(r.row_dim(x) for x in xs if r.is_rows(x))
    if dim % rank == rows:
        made = extended(r, node, xs) if rows == 0 else None
        if made is None:
            raise Unsupported("rows behind rows")
        return made
    values = _alike(r, node, xs)
    at = dim % rank - (dim % rank > rows)
    return r.made(node, concat(r, values, at), rows)


@handles(aten.pad.default, aten.constant_pad_nd.default)
def _pad(r, node, x, sizes, *rest):
    """Numbers before and behind the last features."""
    number = next((one for one in rest if isinstance(one, (int, float))), 0)
    if not r.is_rows(x) or isinstance(r.tags.get(x), Fill):
        return None
    value, rows = r.rows(x), r.row_dim(x)
    if rest[:1] not in ((), ("constant",)) and not isinstance(rest[0], (int, float)) or (
            len(sizes) != 2 or rows == value_of(x).dim() - 1
            or not all(isinstance(size, int) and size >= 0 for size in sizes)):
        raise Unsupported("padding that is no constant beside the last features")
    before, behind = [[r.f.constant(float(number), value.type.with_features(
        *value.features[:-1], size))] if size else [] for size in sizes]
    made = concat(r, [*before, value, *behind], len(value.features) - 1)
    return r.made(node, made, rows)


def sliced(r, node):
    """The node that a cat puts parts of together, None where there are several."""
    sources = {_source(x) for x in node.args[0]}
    source = sources.pop() if len(sources) == 1 else None
    return source if source is not None and r.is_rows(source) else None


def _source(x):
    """The node that one is a slice or a part of."""
    if x.target == aten.slice.Tensor:
        return x.args[0]
    if x.target == GETITEM and x.args[0].target == aten.split_with_sizes.default:
        return x.args[0].args[0]
    return None


def _joined_parts(r, node, xs, dim):
    """Parts of one tensor behind each other that are all of it."""
    whole, at = _source(xs[0]), 0
    for i, x in enumerate(xs):
        if x.target == GETITEM:
            split = x.args[0]
            if x.args[1] != i or split is not xs[0].args[0] or (
                    split.args[2] if len(split.args) > 2 else 0) != dim:
                raise Unsupported("rows behind rows")
        elif len(x.args) != 4 or x.args[1] != dim or not equal(value_of(x.args[2]), at):
            raise Unsupported("rows behind rows")
        else:
            at = value_of(x.args[3])
    if r.axes.of(node, dim) is not r.axis(whole):
        raise Unsupported("rows behind rows")
    return r.tags.get(whole) or r.made(node, r.rows(whole))


def _alike(r, node, xs):
    """Nodes as rows of one space."""
    first = next(x for x in xs if r.is_rows(x))
    like = r.rows(first)
    graph = next(g for g in r.graphs.all if g.name == like.graph.name)
    values = []
    for x in xs:
        if r.axis(x) is not r.axis(first) and not isinstance(r.tags.get(x), Fill):
            raise Unsupported("rows of two kinds")
        if isinstance(r.tags.get(x), Fill):
            features = [static(s) for i, s in enumerate(value_of(x).shape)
                        if i != r.row_dim(first)]
            values.append(r.f.constant(r.tags[x].number, like.type.with_features(*features)))
        else:
            values.append(r.rows(x, graph, like.space))
    return values


def concat(r, values, at):
    """Values side by side along a feature dimension."""
    first = values[0].features
    outer = product(first[:at])
    flat = []
    for value in values:
        inner = product(value.features[at:])
        flat.append(r.f.reshape(value, inner) if outer == 1 else
                    r.f.reshape(value, outer, inner))
    made = r.f.concat(*flat)
    size = sum(value.features[at] for value in values)
    return r.f.reshape(made, *first[:at], size, *first[at + 1:])


@handles(OPS.join_types.default)
def _join_types(r, node, parts, types):
    split = whole_of(parts)
    if split is not None and r.is_rows(split.args[0]):
        whole = split.args[0]
        return r.tags.get(whole) or r.made(node, r.rows(whole))
    if any(r.phase(part) > 0 for part in parts):
        raise Unsupported("rows of some types behind each other")
    return None


@handles(OPS.first_rows.default)
def _first_rows(r, node, x, size):
    """The rows of a graph's sources that are its destinations."""
    if not r.is_rows(x):
        return None
    for graph in r.graphs.all:
        ends = {end: axis.find() for end, axis in graph.ends.items()}
        if ends.get("src") is r.axis(x) and ends.get("dst") is r.axis(node):
            return r.made(node, r.f.prefix_rows(r.rows(x, graph, "src")), 0)
    raise Unsupported("the first rows of what are no sources")


@handles(OPS.split_types.default)
def _split_types(r, node, x, counts):
    raise Unsupported("the rows of one type")


@handles(aten.stack.default)
def _stack(r, node, xs, dim=0):
    if not any(r.is_rows(x) for x in xs):
        if any(isinstance(r.tags.get(x), Whole) for x in xs):
            values = [r.tags[x].value for x in xs if isinstance(r.tags.get(x), Whole)]
            if len(values) != len(xs) or dim % value_of(node).dim():
                raise Unsupported("numbers of the graph with others")
            values = [r.f.reshape(v, product(v.features)) for v in values]
            return Whole(r.f.reshape(r.f.concat(*values), *map(
                static, value_of(node).shape)), r.current.number)
        return None
    values = _alike(r, node, xs)
    rank = value_of(node).dim()
    rows = next(r.row_dim(x) for x in xs if r.is_rows(x))
    dim %= rank
    rows += dim <= rows
    at = dim - (dim > rows)
    values = [r.f.reshape(v, *v.features[:at], 1, *v.features[at:]) for v in values]
    return r.made(node, concat(r, values, at), rows)


# -- Reductions ------------------------------------------------------------------------

def reduced(r, kind, value, places):
    """Features reduced over some of their dimensions, the last first."""
    for at in sorted(places, reverse=True):
        features = value.features
        if at == len(features) - 1:
            value = _reduced(r, kind, value)
            continue
        outer, inner = product(features[:at]), product(features[at + 1:])
        if outer == 1:
            value = r.f.reduce_heads(kind, r.f.reshape(value, features[at], inner))
        else:
            parts = [portion(r, value, at, i, 1) for i in range(features[at])]
            made = parts[0]
            for part in parts[1:]:
                made = _extreme(r.f, kind, made, part) if kind in ("max", "min") else made + part
            value = made / float(features[at]) if kind == "mean" else made
        left = features[:at] + features[at + 1:]
        value = value if value.features == left else r.f.reshape(value, *left)
    return value


def _extreme(f, kind, first, second):
    """The larger or the smaller of two, or NaN; the first of equal ones has the gradient."""
    wins = f.compare("ge" if kind == "max" else "le", first, second)
    wins = f.elementwise("arith.ori", wins, f.compare("ne", first, first))
    return f.where(wins, first, second)


def _reduced(r, kind, value):
    """The last features reduced; the sum of a product with a weight is one op."""
    rows, weight, _ = r.current.made.get(("product", id(value)), (value, value, value))
    if rows.space is None:
        rows, weight = weight, rows
    if kind != "sum" or weight.space is not None or rows.features != value.features:
        return r.f.reduce_features(kind, value)
    if weight.features != value.features:
        if product(weight.features) != product(value.features):
            return r.f.reduce_features(kind, value)
        weight = r.f.reshape(weight, *value.features)
    return r.f.dot(rows, weight)


def _reduction(kind):
    def handler(r, node, x, dims=None, keepdim=False, **named):
        tag = r.tags.get(x)
        if named.get("dtype") is not None:
            raise Unsupported("a reduction in another dtype")
        if isinstance(tag, Whole):
            places = dims_of(dims, value_of(x).dim())
            return Whole(reduced(r, kind, r.whole(x), places), r.current.number)
        if not r.is_rows(x):
            return None
        rank, rows = value_of(x).dim(), r.row_dim(x)
        dims = dims_of(dims, rank)
        value = r.rows(x)
        if rows in dims:
            return _over_rows(r, kind, value, [d - (d > rows) for d in dims if d != rows])
        made = reduced(r, kind, value, [d - (d > rows) for d in dims])
        left = rows if keepdim else rows - sum(d < rows for d in dims)
        return r.made(node, made, left)
    return handler


def _over_rows(r, kind, value, places):
    """A number of the whole graph."""
    if value.space == "graph":
        raise Unsupported("a reduction of a number of the graph")
    return Whole(reduced(r, kind, r.f.aggregate(kind, value, "graph"), places),
                 r.current.number)


handles(aten.sum.dim_IntList, aten.sum.default)(_reduction("sum"))
handles(aten.mean.dim, aten.mean.default)(_reduction("mean"))
handles(aten.amax.default, aten.max.default)(_reduction("max"))
handles(aten.amin.default, aten.min.default)(_reduction("min"))


def _largest(kind):
    """A handler of ops that give (values, places): the values alone."""
    def handler(r, node, x, dim, keepdim=False):
        values = [user for user in node.users if user.target is GETITEM and user.args[1] == 0]
        if len(values) != 1 or len(node.users) != 1:
            raise Unsupported(f"the places of a {kind}imum")
        made = _reduction(kind)(r, values[0], x, dim, keepdim)
        return None if made is None else (made, None)
    return handler


handles(aten.max.dim)(_largest("max"))
handles(aten.min.dim)(_largest("min"))


def _is_centered(x):
    """Whether a tensor is one without its mean."""
    return x.target == aten.sub.Tensor and not x.kwargs and isinstance(
        x.args[1], torch.fx.Node) and (x.args[1].target, x.args[1].args) == (
            aten.mean.default, x.args[:1])


@handles(aten.std.default)
def _std(r, node, x, unbiased=True):
    if unbiased or not r.is_rows(x):
        raise Unsupported("a standard deviation with a correction")
    value, dims = r.rows(x), range(value_of(x).dim() - 1)
    if _is_centered(x):
        centered = value
    else:
        mean = _over_rows(r, "mean", value, list(dims)).value
        centered = combine(r, "sub", value, r.f.gather(mean, value.space) if not value.features
                           else r.f.broadcast_to(r.f.gather(mean, value.space), value.type))
    made = _over_rows(r, "mean", centered * centered, list(dims)).value
    return Whole(root(r.f, made), r.current.number)


@handles(aten.linalg_vector_norm.default)
def _norm(r, node, x, order=2, dims=None, keepdim=False, **named):
    if order not in (1, 2) or not r.is_rows(x):
        raise Unsupported(f"a norm of order {order}")
    rank, rows = value_of(x).dim(), r.row_dim(x)
    places = dims_of(dims, rank)
    if rows in places:
        raise Unsupported("a norm over rows")
    value = r.rows(x)
    made = reduced(r, "sum", abs(value) if order == 1 else value * value,
                   [d - (d > rows) for d in places])
    left = rows if keepdim else rows - sum(d < rows for d in places)
    return r.made(node, made if order == 1 else root(r.f, made), left)


@handles(aten.softmax.int, aten._softmax.default)
def _softmax(r, node, x, dim, *rest, **named):
    if isinstance(r.tags.get(x), Whole):
        if dim % value_of(x).dim() != value_of(x).dim() - 1:
            raise Unsupported("a softmax over some numbers of the graph")
        return Whole(r.f.softmax(r.whole(x)), r.current.number)
    if not r.is_rows(x):
        return None
    at, count = _feature(r, x, dim)
    if at != count - 1:
        raise Unsupported("a softmax over features that are not the last")
    return r.made(node, r.f.softmax(r.rows(x)), r.row_dim(x))


@handles(aten.log_softmax.int)
def _log_softmax(r, node, x, dim, *rest):
    if not r.is_rows(x):
        return None
    at, count = _feature(r, x, dim)
    if at != count - 1:
        raise Unsupported("a softmax over features that are not the last")
    value = r.rows(x)
    moved = value - r.f.broadcast(r.f.reduce_features("max", value), value.type)
    total = r.f.reduce_features("sum", r.f.activation("exp", moved))
    return r.made(node, moved - r.f.broadcast(r.f.elementwise("math.log", total),
                                              value.type), r.row_dim(x))


# -- Norms -----------------------------------------------------------------------------

def _check_channels(r, x):
    """Channels are the second dimension: of [rows, channels] alone the last features."""
    if value_of(x).dim() != 2 or r.row_dim(x) != 0:
        raise Unsupported("batch_norm of what is not [rows, channels]")


@handles(aten._native_batch_norm_legit_no_training.default)
def _batch_norm(r, node, x, weight, bias, mean, variance, momentum, eps):
    if not r.is_rows(x):
        return None
    _check_channels(r, x)
    if weight is None or bias is None:
        raise Unsupported("batch_norm without weights")
    value = r.f.batch_norm(r.rows(x), r.weight(mean), r.weight(variance), r.weight(weight),
                           r.weight(bias), eps=eps)
    return Rows(value, r.current.number, r.row_dim(x)), None, None


@handles(aten._native_batch_norm_legit_functional.default)
def _batch_norm_training(r, node, x, weight, bias, mean, variance, training, momentum, eps):
    if not r.is_rows(x):
        return None
    _check_channels(r, x)
    if weight is None or bias is None or not training:
        raise Unsupported("batch_norm without weights")

    def running(of):
        """Running statistics; those that a layer before left, where it is used again."""
        tag = r.tags.get(of)
        if isinstance(tag, Whole) and tag.segment == r.current.number:
            return tag.value
        return r.weight(of)
    value, *moved = r.f.batch_norm_training(
        r.rows(x), running(mean), running(variance), r.weight(weight), r.weight(bias),
        momentum=momentum, eps=eps)
    return (Rows(value, r.current.number, r.row_dim(x)), None, None,
            *(Whole(one, r.current.number) for one in moved))


@handles(aten.layer_norm.default)
def _layer_norm(r, node, x, shape, weight=None, bias=None, eps=1e-5, *rest):
    if not r.is_rows(x):
        return None
    if len(shape) != 1 or (weight is None) != (bias is None):
        raise Unsupported("layer_norm over several dimensions, or with a scale alone")
    given = [] if weight is None else [r.weight(weight), r.weight(bias)]
    return r.made(node, r.f.layer_norm(r.rows(x), *given, eps=eps), r.row_dim(x))

