# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of ops between rows: gathers, aggregations, softmax over edges, and what is
computed for each type alone."""

import torch

from ..analysis.dimensions import has_gradient_of_rows
from ..analysis.values import equal, value_of
from ..tracing import vocabulary
from .elementwise import choose, clamped
from .tags import (Fill, Mask, Masked, Parts, Rows, Typed, Unsupported, count_types,
                   handles)

aten, OPS = torch.ops.aten, vocabulary.OPS


def _gathered(r, node, x, dim, index):
    """x[index] in a dimension."""
    types = r.graphs.types(index)
    axis = r.axes.of(x, dim)
    ids = r.graphs.ids(index, axis)
    tag = r.tags.get(x)
    if isinstance(r.tags.get(index), Mask):
        return _masked(r, x, dim, r.tags[index])
    if isinstance(tag, Fill):
        return tag
    if types is not None and ids is None:
        if dim != 0 or r.is_rows(x) and not isinstance(tag, Fill):
            raise Unsupported("rows indexed by types")
        return Typed(x, types)
    if ids is None:
        raise Unsupported("rows by ids that are no end of edges")
    graph = ids.graph
    if graph.ends.get(ids.end) is None or graph.ends[ids.end].find() is not axis or (
            r.row_dim(x) != dim):
        raise Unsupported("ids of other rows")
    value = r.rows(x, graph, graph.space(ids.end))
    r.current.has_graph_ops = True
    return r.made(node, r.f.gather(value, "edge", via=ids.end), dim)


def _masked(r, x, dim, mask):
    """The rows of one type."""
    if dim != 0 or r.row_dim(x) != 0 or r.axis(x) is not mask.types.axis.find():
        raise Unsupported("a mask of other rows")
    return Masked("rows", (x,), mask)


@handles(aten.nonzero.default)
def _nonzero(r, node, mask):
    """The ids of the rows of one type."""
    tag = r.tags.get(mask)
    return tag if isinstance(tag, Mask) and value_of(mask).dim() == 1 else None


@handles(aten.index_select.default)
def _index_select(r, node, x, dim, index):
    return _gathered(r, node, x, dim % value_of(x).dim(), index)


@handles(aten.index.Tensor)
def _index(r, node, x, indices):
    places = [i for i, one in enumerate(indices) if one is not None]
    if len(places) != 1:
        raise Unsupported("an index by several tensors")
    return _gathered(r, node, x, places[0], indices[places[0]])


@handles(aten.embedding.default)
def _embedding(r, node, weight, index, *_):
    if not has_gradient_of_rows(node) and not r.is_data(weight):
        raise Unsupported("an embedding whose gradient is not that of its rows: padding_idx, "
                          "scale_grad_by_freq or sparse")
    return _gathered(r, node, weight, 0, index)


def _edges(r, x, ids, node, dim=0):
    """A node as edge rows of the graph of some ids."""
    if isinstance(r.tags.get(x), Fill):
        features = [int(s) for i, s in enumerate(value_of(x).shape) if i != dim]
        return r.f.constant(r.tags[x].number,
                            r.current.graph(ids.graph).rows("edge", *features))
    if not r.is_rows(x) or r.axis(x) is not ids.graph.edge.find():
        raise Unsupported("rows of other edges than the ids")
    return r.rows(x, ids.graph, "edge")


def _ends(r, index, axis):
    """The end of edges that ids are, whose rows are those of an axis."""
    ids = r.graphs.ids(index, axis)
    if ids is None:
        raise Unsupported("rows by ids that are no end of edges")
    if ids.end not in ids.graph.ends:
        raise Unsupported("an end of edges whose number of rows is not known")
    if ids.graph.ends[ids.end].find() is not axis:
        raise Unsupported("a sum over edges to other rows than their ends")
    r.current.has_graph_ops = True
    return ids


def _aggregate_to(r, node, x, index, kind, dim=0):
    ids = _ends(r, index, r.axes.of(node, dim))
    value = _edges(r, x, ids, node, dim)
    return r.made(node, r.f.aggregate(kind, value, ids.graph.space(ids.end), via=ids.end),
                  dim)


@handles(OPS.aggregate.default)
def _aggregate(r, node, x, index, size, kind):
    return _aggregate_to(r, node, x, index, kind)


@handles(aten.scatter_add.default)
def _scatter_add(r, node, base, dim, index, x):
    return _onto(r, node, base, x, index, "sum", dim % value_of(base).dim())


@handles(aten.index_add.default)
def _index_add(r, node, base, dim, index, x):
    return _onto(r, node, base, x, index, "sum", dim % value_of(base).dim())


@handles(aten.scatter_reduce.two, aten.index_reduce.default)
def _scatter_reduce(r, node, base, dim, index, x, reduce, include_self=True):
    kind = {"sum": "sum", "amax": "max", "amin": "min", "mean": "mean"}.get(reduce)
    if kind is None:
        raise Unsupported(f"expected sum, mean, amax or amin of rows by ids, got {reduce}")
    dim %= value_of(base).dim()
    if include_self and kind == "sum":
        return _onto(r, node, base, x, index, kind, dim)
    tag = r.tags.get(base)
    if not isinstance(tag, Fill):
        raise Unsupported(f"expected {reduce} of rows by ids onto zeros, got onto other rows")
    start = -tag.number if kind == "min" else tag.number
    if not (start >= 0 and kind != "mean" if include_self else start == 0):
        raise Unsupported(f"expected {reduce} of rows by ids onto zeros, got onto {tag.number}")
    made = _by_ids(r, node, x, index, kind, dim)
    if include_self:  # The gradient of a row that equals the start is the row's.
        low, high = (None, tag.number) if kind == "min" else (tag.number, None)
        made = r.made(node, clamped(r.f, made.value, low, high), dim)
    return made


def _onto(r, node, base, x, index, kind, dim):
    """An aggregation, onto rows of a tensor."""
    tag = r.tags.get(base)
    made = _by_ids(r, node, x, index, kind, dim)
    if isinstance(tag, Fill) and tag.number == 0:
        return made
    if not isinstance(tag, Fill) and r.row_dim(base) != dim:
        raise Unsupported("a sum onto rows that are not 0")
    graph = next(g for g in r.graphs.all if g.name == made.value.graph.name)
    return r.made(node, r.rows(base, graph, made.value.space) + made.value, dim)


def _by_ids(r, node, x, index, kind, dim):
    """Rows that are aggregated in a dimension."""
    if value_of(index).dim() > 1 and not all(
            equal(a, b) for i, (a, b) in enumerate(zip(value_of(index).shape, value_of(x).shape))
            if i != dim):
        raise Unsupported("ids of some columns alone")
    if not r.graphs.is_along(index, dim) or (
            r.row_dim(x) not in (None, dim)):
        raise Unsupported("ids along another dimension")
    return _aggregate_to(r, node, x, index, kind, dim)


@handles(OPS.aggregate_by_type.default)
def _aggregate_by_type(r, node, x, index, types, size, num_types, kind):
    ids = _ends(r, index, r.axes.of(node))
    _check_types(r, ids, types)
    value = _edges(r, x, ids, node)
    if kind == "sum":
        made = r.f.aggregate("sum", value, ids.graph.space(ids.end), via=ids.end)
    else:
        pairs = r.f.aggregate(kind, value, ids.end + "_pair")
        made = r.f.aggregate("sum", pairs, ids.graph.space(ids.end))
    return r.made(node, made)


def _check_types(r, ids, types):
    found = r.graphs.types(types)
    if found is None or ids.graph.edge_types is not found:
        raise Unsupported("types of other edges than the ids")


@handles(OPS.edge_softmax.default)
def _edge_softmax(r, node, x, index, size):
    tag, inside = r.tags.get(x), r.tags.get(index)
    if isinstance(tag, Masked) and isinstance(inside, Masked):
        if tag.mask.is_as(inside.mask):
            return Masked("softmax", (tag, inside.args[0]), tag.mask)
        raise Unsupported("a softmax over rows of two masks")
    ids = _ends_of_softmax(r, index, size)
    return r.made(node, r.f.edge_softmax(_edges(r, x, ids, node), over=ids.end))


def _ends_of_softmax(r, index, size):
    ids = r.graphs.ids(index, r.axes.of_size(size))
    if ids is None:
        raise Unsupported("a softmax over ids that are no end of edges")
    r.current.has_graph_ops = True
    return ids


@handles(OPS.edge_softmax_by_type.default)
def _edge_softmax_by_type(r, node, x, index, types, size, num_types):
    ids = _ends_of_softmax(r, index, size)
    _check_types(r, ids, types)
    return r.made(node, r.f.edge_softmax(_edges(r, x, ids, node), over=ids.end + "_pair"))


# -- Edges of graphs with other self loops ----------------------------------------------

@handles(OPS.kept_edges.default)
def _kept_edges(r, node, x, edge_index, kept):
    graph = _derived(r, kept)
    if graph.loops != "remove":
        raise Unsupported("edges of a graph that is not known")
    value = r.rows(x, graph.parent, "edge")
    return r.made(node, r.f.restrict_rows(value, r.current.graph(graph)))


@handles(OPS.extend_edges.default)
def _extend_edges(r, node, x, loops, made):
    return _extended(r, node, x, loops, _derived(r, made))


def extended(r, node, parts):
    """Rows of edges and those of nodes behind them, as the edges of a graph that has a loop at
    each node behind the others; None where they are not that."""
    for graph in r.graphs.all if len(parts) == 2 else ():
        if graph.parent is None or graph.loops not in ("add", "replace") or (
                graph.edge.find() is not r.axes.of(node)):
            continue
        edges = graph.parent.edge if graph.loops == "add" else r.axes.of(graph.pair.args[0], 1)
        if r.axes.of(parts[0]) is edges.find() and (
                r.axes.of(parts[1]) is graph.ends["src"].find()):
            return _extended(r, node, *parts, graph)
    return None


def _extended(r, node, x, loops, graph):
    if x.target == OPS.kept_edges.default and graph.loops == "replace":
        value = r.rows(x.args[0], graph.parent, "edge")
    elif graph.loops == "replace":
        kept = _derived(r, graph.pair.args[0])
        value = r.f.expand_rows(r.rows(x, kept, "edge"), r.current.graph(graph.parent))
    else:
        value = r.rows(x, graph.parent, "edge")
    return r.made(node, r.f.extend_edges(value, _of_nodes(r, loops, graph.parent, value),
                                         r.current.graph(graph)))


@handles(OPS.extend_remaining.default)
def _extend_remaining(r, node, x, fill, edge_index, made):
    graph = _derived(r, made)
    value = r.rows(x, graph.parent, "edge")
    like = r.current.graph(graph.parent).rows("node", *value.features)
    return r.made(node, r.f.extend_edges(value, r.f.constant(fill, like),
                                         r.current.graph(graph)))


def _derived(r, pair):
    graph = r.graphs.of_pair(pair)
    if graph is None or graph.parent is None:
        raise Unsupported("edges of a graph that is made of no other")
    return graph


def _of_nodes(r, x, graph, like):
    if isinstance(r.tags.get(x), Fill):
        return r.f.constant(r.tags[x].number,
                            r.current.graph(graph).rows("node", *like.features))
    return r.rows(x, graph, "node")


# -- Rows of one type ------------------------------------------------------------------

@handles(aten.index_put.default)
def _index_put(r, node, base, indices, x, accumulate=False):
    places = [i for i, one in enumerate(indices) if one is not None]
    if places != [0] or accumulate:
        raise Unsupported("index_put that is no assignment to rows")
    mask, given = r.tags.get(indices[0]), r.tags.get(x)
    if isinstance(mask, Rows) and isinstance(given, Fill):
        return choose(r, node, indices[0], given.number, base)
    return _put(r, base, mask, given)


@handles(aten.index_copy.default)
def _index_copy(r, node, base, dim, index, x):
    if dim % value_of(base).dim():
        raise Unsupported("index_copy that is no assignment to rows")
    return _put(r, base, r.tags.get(index), r.tags.get(x))


def _put(r, base, mask, given):
    """`base` with other rows where they are of the type of a mask."""
    before = r.tags.get(base)
    if isinstance(mask, Mask) and isinstance(given, Masked) and given.mask.is_as(mask):
        if isinstance(before, Parts) and before.types is mask.types:
            return Parts(mask.types, {**before.parts, mask.number: given})
        if isinstance(before, Fill) and before.number == 0:
            return Parts(mask.types, {mask.number: given})
    raise Unsupported("an assignment to some rows")


def join_parts(r, tag):
    """Rows of all types as typed ops. Each part is the same ops, with its own weights.
    Rows of others are 0, as their weights are."""
    parts, types = [tag.parts.get(i) for i in range(len(tag.parts))], tag.types
    if None in parts or types.others and not all(map(_ends_in_products, parts)):
        raise Unsupported("rows of some types alone")
    graph, space = r.graph_of_types(types, types.count)
    if types.count != count_types(graph, space, types):
        raise Unsupported("types of several vectors")
    return _joined(r, parts, types, graph, space)


def _ends_in_products(part):
    """Whether rows are 0 where weights are."""
    if part.op == "rows":
        return part.args[0].target == aten.linear.default
    if part.op == "one":
        return part.args[1][0] in _ZERO_AT_ZERO and _ends_in_products(part.args[0])
    return part.op == "linear" or part.op == "add" and all(map(_ends_in_products, part.args))


_ZERO_AT_ZERO = (aten.relu.default, aten.leaky_relu.default, aten.elu.default,
                 aten.silu.default, aten.gelu.default, aten.tanh.default, aten.neg.default)


def _joined(r, parts, types, graph, space):
    """One value of rows of each type."""
    parts = [_of_linear(part) for part in parts] if len(
        {part.args for part in parts if part.op == "rows"}) > 1 else parts
    kind = parts[0].op
    if any(part.op != kind for part in parts):
        raise Unsupported("different ops by type")

    def inner(at=0):
        return _joined(r, [part.args[at] for part in parts], types, graph, space)

    def same(at):
        if len({part.args[at] for part in parts}) != 1:
            raise Unsupported("different ops by type")
        return parts[0].args[at]

    if kind == "rows":
        return r.rows(same(0), graph, space)
    if kind == "add":
        return inner(0) + inner(1)
    if kind == "one":
        same(1)
        return parts[0].args[2](inner())
    if kind == "softmax":
        ids = r.graphs.ids(same(1))
        if ids is None or ids.graph is not graph or graph.edge_types is not types:
            raise Unsupported("a softmax by type over ids that are no end of edges")
        r.current.has_graph_ops = True
        return r.f.edge_softmax(inner(), over=ids.end + "_pair")
    by = graph, "edge_type" if space == "edge" and types.end is None else "node_type"
    biases = [part.args[2] for part in parts]
    if None in biases and biases.count(None) < len(biases):
        raise Unsupported("different ops by type")
    zeros = [None] * types.others
    return r.f.typed_linear(
        inner(), stacked(r, [part.args[1] for part in parts] + zeros, by, True),
        via=types.end, bias=None if None in biases else stacked(r, biases + zeros, by, False))


def _of_linear(part):
    """Rows of a type of a product, as the product of those rows."""
    x = part.args[0]
    if part.op != "rows" or x.target != aten.linear.default:
        raise Unsupported("different ops by type")
    given, weight, *rest = x.args
    return Masked("linear", (Masked("rows", (given,), part.mask), weight,
                             rest[0] if rest else None), part.mask)


def stacked(r, nodes, typed, transposed):
    """Weights of torch, one for each type, as one input over types; None are zeros."""
    key = "stacked", tuple(nodes), typed, transposed
    if key not in r.current.inputs:
        shape = tuple(map(int, value_of(nodes[0]).shape))
        if any(n and tuple(map(int, value_of(n).shape)) != shape for n in nodes):
            raise Unsupported("weights of several shapes by type")
        if any(n and r.phase(n) > r.current.number for n in nodes):
            raise Unsupported("expected a weight that is known before the program")
        shape = shape[::-1] if transposed else shape
        r.current.inputs[key] = tuple(nodes), r.f.input(
            r.name_of(next(filter(None, nodes))), r.type(typed, shape))
    return r.current.inputs[key][1]

