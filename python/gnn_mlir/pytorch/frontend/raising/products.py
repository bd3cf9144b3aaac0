# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of products with weights and of rows with rows."""

import torch

from ..analysis.dimensions import gathered, has_gradient_of_rows, is_reshape, kept
from ..analysis.values import value_of
from ..tracing import vocabulary
from .elementwise import operands
from .features import concat, portion, reduced
from .tags import Masked, Typed, Unsupported, Whole, handles, product
from .weights import swaps_last

aten, OPS = torch.ops.aten, vocabulary.OPS


def _linear(r, node, x, weight, bias=None):
    """rows [..., in] times a value [in, out]; several leading features are flattened."""
    value, dim = r.rows(x), r.row_dim(x)
    if dim == value_of(x).dim() - 1:
        raise Unsupported("a product over rows")
    if len(value.features) > 2:
        value = r.f.reshape(value, product(value.features[:-1]), value.features[-1])
    plain = bias if len(value.features) == 1 else None
    made = r.f.linear(value, weight, plain)
    if bias is not None and plain is None:
        made = made + bias
    return r.made(node, made, dim)


@handles(aten.linear.default)
def _linear_handler(r, node, x, weight, bias=None):
    tag = r.tags.get(x)
    if isinstance(tag, Masked):
        return Masked("linear", (tag, weight, bias), tag.mask)
    if isinstance(tag, Whole):
        return _whole(r, node, tag, r.f.weight_transpose(r.weight(weight)),
                      None if bias is None else r.weight(bias))
    if not r.is_rows(x):
        return None
    return _linear(r, node, x, r.f.weight_transpose(r.weight(weight)),
                   None if bias is None else r.weight(bias))


def _whole(r, node, tag, weight, bias=None):
    """A vector of the graph times a weight."""
    shape = tuple(map(int, value_of(node).shape))
    if product(shape[:-1]) != 1:
        raise Unsupported("a product of several vectors of the graph")
    value = r.f.reshape(tag.value, product(tag.value.features))
    made = r.f.linear(value, weight, bias)
    return Whole(made if len(shape) == 1 else r.f.reshape(made, *shape), r.current.number)


@handles(aten.addmm.default)
def _addmm(r, node, base, x, weight, beta=1, alpha=1):
    if not r.is_rows(x):
        return None
    made = _linear(r, node, x, r.weight(weight)).value
    made = made if alpha == 1 else made * float(alpha)
    if r.is_rows(base):
        graph = next(g for g in r.graphs.all if g.name == made.graph.name)
        other = r.rows(base, graph, made.space)
    else:
        other = r.weight(base)
    return r.made(node, made + (other if beta == 1 else other * float(beta)), r.row_dim(x))


@handles(aten.matmul.default, aten.mm.default, aten.bmm.default)
def _matmul(r, node, a, b):
    tag = r.tags.get(b)
    if isinstance(tag, Typed):
        return _typed(r, node, a, tag)
    if isinstance(r.tags.get(a), Whole) and not r.is_rows(b) and value_of(b).dim() == 2:
        return _whole(r, node, r.tags[a], r.weight(b))
    if not r.is_rows(a):
        if r.is_rows(b):
            raise Unsupported("a weight times rows")
        return None
    shape = tuple(value_of(b).shape)
    if r.is_rows(b):
        return _rows_by_rows(r, node, a, b)
    if len(shape) == 1:
        return _linear(r, node, a, r.weight(b, None, (int(shape[0]), 1)))
    if len(shape) == 2:
        return _linear(r, node, a, r.weight(b))
    value, dim = r.rows(a), kept(node, a).get(r.row_dim(a))
    if dim != value_of(node).dim() - 2 or len(shape) != 3:
        raise Unsupported("a product of rows with several weights")
    if len(value.features) == 2 and value.features[0] == 1:
        value = r.f.reshape(value, value.features[-1])
    return r.made(node, r.f.linear(value, r.weight(b)), dim)


def _typed(r, node, x, tag):
    """[rows, 1, in] @ weights[types], [rows, in, out]."""
    rank = value_of(tag.weight).dim()
    shape = value_of(x).shape
    if rank != 3 or len(shape) != 3 or shape[1] != 1:
        raise Unsupported("a product with several weights a row")
    return _typed_linear(r, node, x, tag.weight, tag.types, None, (int(shape[-1]),))


def _typed_linear(r, node, x, weight, types, bias, shape):
    graph, space = r.graph_of_types(types, value_of(weight).shape[0])
    value = r.rows(x, graph, space)
    if value.features != shape:
        value = r.f.reshape(value, *shape)
    weights, via, _ = r.typed_weight(weight, types)
    if bias is not None:
        bias = r.typed_weight(bias, types)[0]
    r.current.has_graph_ops = True
    return r.made(node, r.f.typed_linear(value, weights, via=via, bias=bias),
                  r.row_dim(x))


@handles(OPS.typed_linear.default)
def _typed_linear_handler(r, node, x, weight, types, bias):
    found = r.graphs.types(types)
    if found is None:
        raise Unsupported("types of no graph")
    return _typed_linear(r, node, x, weight, found, bias, r.features(x))


@handles(aten.einsum.default)
def _einsum(r, node, equation, operands, path=None):
    tag = r.tags.get(operands[-1])
    if len(operands) == 2 and isinstance(tag, Typed) and equation == "abcd,acde->ace":
        shape = r.features(operands[0])  # [rows, 1, blocks, in] x [rows, blocks, in, out]
        if shape[0] == 1:
            return _typed_linear(r, node, operands[0], tag.weight, tag.types, None,
                                 shape[1:])
    raise Unsupported(f"einsum {equation}")


# An edge's matrix is smaller than what its nodes have instead where it is made of more
# numbers than this for each of its rows.
_NUMBERS_A_ROW = 2


def _by_edge_network(r, a, b):
    """Rows of nodes times the matrices that a linear layer makes of edges: each edge has
    numbers h[k], its matrix is sum_k h[k] w[k], and its product sum_k h[k] (x w[k]), where
    nodes have x w[k]. No edge has a matrix. None where a and b are others."""
    if not is_reshape(b) or b.args[0].target != aten.linear.default:
        return None
    h, weight, *bias = b.args[0].args
    while is_reshape(a):
        a = a.args[0]
    x, dim, index = gathered(a) or (None, None, None)
    if dim != 0 or not has_gradient_of_rows(a):
        return None
    ids = r.graphs.ids(index, r.axes.of(x, 0))
    width, size = (int(n) for n in value_of(b).shape[1:])
    if ids is None or ids.end not in ids.graph.ends or value_of(x).dim() != 2 or (
            value_of(h).dim() != 2):
        return None
    numbers = int(value_of(h).shape[1])
    if numbers > _NUMBERS_A_ROW * width or r.axis(h) is not ids.graph.edge.find():
        return None
    nodes = r.rows(x, ids.graph, ids.graph.space(ids.end))
    by_number = r.f.weight_transpose(r.f.reshape(r.weight(weight), width, size, numbers))
    parts = r.f.linear(nodes, r.f.reshape(by_number, width, numbers * size))
    parts = r.f.gather(r.f.reshape(parts, numbers, size), "edge", via=ids.end)
    made = r.f.reduce_heads("sum", r.f.apply(
        "mul", "edge", r.rows(h, ids.graph, "edge"), parts))
    r.current.has_graph_ops = True
    if not bias or bias[0] is None:
        return made
    shift = r.f.linear(nodes, r.f.reshape(r.weight(bias[0]), width, size))
    return made + r.f.gather(shift, "edge", via=ids.end)


def _is_swapped(r, b):
    """Whether matrices are those of another node, each with rows for columns."""
    rank = value_of(b).dim()
    return rank > 2 and b.op == "call_function" and swaps_last(b, rank) and (
        r.is_rows(b.args[0]) and r.row_dim(b.args[0]) == 0)


def read_by(r, node):
    """The nodes that a product reads: matrices that are exchanged need not be there."""
    return [x.args[0] if x is node.args[1] and _is_swapped(r, x) else x
            for x in node.all_input_nodes]


def _rows_by_rows(r, node, a, b):
    """Matrices of a row times matrices of a row: [rows, ..., n, k] @ [rows, ..., k, m]."""
    if value_of(a).dim() == value_of(b).dim() == 3 and value_of(a).shape[1] == 1:
        made = _by_edge_network(r, a, b)
        if made is not None:
            return r.made(node, made, 0)
    is_swapped = _is_swapped(r, b)
    other = b.args[0] if is_swapped else b
    if not value_of(a).dim() == value_of(b).dim() >= 3 or r.axis(a) is not r.axis(other) or (
            r.row_dim(a) != 0 or r.row_dim(other) != 0):
        raise Unsupported("a product of rows with rows that is none of matrices of rows")
    right = r.rows(other)
    graph = next(g for g in r.graphs.all if g.name == right.graph.name)
    left = r.rows(a, graph, right.space)
    *batch, count, inner = left.features
    if tuple(batch) != right.features[:-2]:
        raise Unsupported("a product of rows with several matrices of each")
    at, parts = len(batch), []
    for i in range(count):
        one = portion(r, left, at, i, 1)
        if is_swapped:
            made = r.f.reduce_features("sum", r.f.broadcast_to(one, right.type) * right)
        elif product(batch) == 1:
            made = r.f.reduce_heads("sum", r.f.apply(
                "mul", right.space, r.f.reshape(one, inner),
                r.f.reshape(right, *right.features[-2:])))
        else:
            column = r.f.reshape(one, *batch, inner, 1)
            made = reduced(r, "sum", r.f.broadcast_to(column, right.type) * right, [at])
        parts.append(r.f.reshape(made, *batch, 1, product(made.features) // product(batch)))
    return r.made(node, concat(r, parts, at), 0)


@handles(aten.gru_cell.default)
def _gru_cell(r, node, x, state, w_in, w_state, b_in=None, b_state=None):
    values, dim = operands(r, node, x, state)
    if values is None:
        return None
    x, state = values

    def part(value, weight, bias):
        made = r.f.linear(value, r.f.weight_transpose(r.weight(weight)),
                          None if bias is None else r.weight(bias))
        size = made.features[-1] // 3
        return [r.f.slice(made, i * size, size) for i in range(3)]
    given, kept = part(x, w_in, b_in), part(state, w_state, b_state)
    reset, update = (r.f.activation("sigmoid", given[i] + kept[i]) for i in (0, 1))
    new = r.f.activation("tanh", given[2] + reset * kept[2])
    return r.made(node, (state - new) * update + new, dim)
