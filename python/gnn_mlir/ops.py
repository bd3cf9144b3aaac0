# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One method for each `gnn` op: checks operands, spells the op, knows its
meaning. `gnn_mlir.Function` inherits all of them.

Row spaces are given by name. `via` may be left out where there is one path; where
it is given and agrees with the one path, it is dropped, so that a model can be
written once for square and bipartite graphs.
"""

import functools
import inspect
import math

from . import reference, spaces, types
from .values import Value

_BINARY = ("add", "sub", "mul", "div", "copy")
_REDUCE = ("sum", "mean", "max", "min")
_ACTIVATIONS = ("relu", "leaky_relu", "prelu", "elu", "sigmoid", "tanh", "gelu",
                "swish", "exp")


def _require(condition, op, message):
    if not condition:
        raise ValueError(f"{op}: {message}")


def _one_of(op, what, kind, kinds):
    _require(kind in kinds, op,
             f"expected {what} of {', '.join(kinds)}, got {kind!r}")


def _rows(op, value, what="input"):
    _require(isinstance(value, Value), op,
             f"expected a value as {what}, got {value!r}")
    _require(value.space is not None, op,
             f"expected rows of a graph as {what}, got {value.type}")


def _same_graph(op, *values):
    graphs = {v.graph.name for v in values if v.space is not None}
    _require(len(graphs) <= 1, op,
             f"expected rows of one graph, got rows of {', '.join(sorted(graphs))}")


def _path(op, graph, source, target, via):
    """`via` as the op needs it: None where there is one path."""
    for space in (source, target):
        graph.rows(space)  # Refuses spaces that the kind of graph lacks.
    if via is not None and not spaces.is_ambiguous(source, target) and (
            spaces.end_of(source, target) in (via, None)):
        via = None
    spaces.check_path(source, target, via, op)
    if (source, target) == ("edge_type", "node_type"):
        ends = [pair[via == "dst"] for pair in graph.schema or ()]
        _require(graph.schema is not None and -1 not in ends, op,
                 "from edge_type to node_type expected a schema with one node "
                 f"type at the {via} of each edge type")
    return via


def _via(via):
    return f" via {via}" if via else ""


def _functional(operands, results):
    """(operand types) -> result types"""
    def text(spell):
        left = ", ".join(spell(v.type) for v in operands)
        right = ", ".join(spell(t) for t in results)
        return f"({left}) -> {right if len(results) == 1 else f'({right})'}"
    return text


def _arrow(operand, *results):
    """operand type -> result types"""
    return lambda spell: (f"{spell(operand.type)} -> "
                          f"{', '.join(spell(t) for t in results)}")


def _list(*operands):
    """operand types"""
    return lambda spell: ", ".join(spell(v.type) for v in operands)


def _real(op, what, value):
    """A number as a float."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{op}: expected a number as {what}, got {value!r}") from None


def _number(op, what, value):
    """A finite float as MLIR's parser reads it."""
    number = _real(op, what, value)
    _require(math.isfinite(number), op, f"expected a finite {what}, got {number}")
    mantissa, mark, exponent = repr(number).partition("e")
    return mantissa + ("" if "." in mantissa else ".0") + mark + exponent


# The parameters of ops that are values of the function, by name.
_VALUES = {"x", "lhs", "rhs", "weight", "bias", "grad", "coefficients", "bases",
           "value", "mean", "variance", "gamma", "beta", "prior", "factor", "edges",
           "nodes"}


def _checked(method):
    """A method of an op that refuses what is no value, graph or type where one is
    expected."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def call(*args, **kwargs):
        for name, given in signature.bind(*args, **kwargs).arguments.items():
            default = signature.parameters[name].default
            for what, cls, kind in (
                    ("a value", Value, name in _VALUES),
                    ("a declared graph", types.GraphDecl, name == "graph"),
                    ("a type", types.TensorType, name == "like")):
                if kind and not isinstance(given, cls) and given is not default:
                    raise ValueError(f"{method.__name__}: expected {what} as {name}, "
                                     f"got {given!r}; the arguments are "
                                     f"{', '.join(list(signature.parameters)[1:])}")
            if name in _VALUES and given is not default:
                _require(isinstance(given.type, types.TensorType), method.__name__,
                         f"expected rows or a weight as {name}, got {given.type}")
        return method(*args, **kwargs)

    return call


def checked(cls):
    """All ops of a class, checked."""
    for name, method in list(vars(cls).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(cls, name, _checked(method))
    return cls


def _longer(op, lhs, rhs):
    """The features of two operands, one of which begins with the other's."""
    short, long = sorted((lhs.features, rhs.features), key=len)
    _require(long[:len(short)] == short, op,
             "expected features that begin with those of the other operand, got "
             f"{lhs.features} and {rhs.features}")
    return long


def _times(op, x, weight):
    """The features of x * weight, whose features are [(heads,) in, out]."""
    _require(len(x.features) in (1, 2), op,
             f"expected input [rows, (heads,) in], got {x.type}")
    _require(len(weight.features) in (2, 3), op,
             f"expected weight [(heads,) in, out], got {weight.type}")
    _require(weight.features[-2] == x.features[-1], op,
             f"expected {x.features[-1]} input features in weight, got "
             f"{weight.features[-2]}")
    heads = [f[0] for f in (x.features[:-1], weight.features[:-2]) if f]
    _require(len(set(heads)) <= 1, op,
             f"expected the {heads[:1]} heads of input in weight, got "
             f"{heads[1:]}")
    return tuple(heads[:1]) + weight.features[-1:]


@checked
class RowOps:
    """Between row spaces."""

    def gather(self, x, space, via=None):
        """Every row of `space` gets the features of the row it leads to."""
        _rows("gather", x)
        source, via = x.space, _path("gather", x.graph, space, x.space, via)
        result, name = x.type.with_space(space), x.graph.name
        return self._record(
            "gnn.gather", "{}" + _via(via), _arrow(x, result), [x], [result],
            lambda g, a: reference.gather(g[name], a, source, space, via))

    def aggregate(self, kind, x, space, via=None, argument=False):
        """Reduces all rows that lead to a row of `space`; with `argument`, max
        and min also give the row they took."""
        _one_of("aggregate", "a kind", kind, _REDUCE)
        _rows("aggregate", x)
        _require(not argument or kind in ("max", "min"), "aggregate",
                 f"only max and min have an argument, got {kind}")
        source, via = x.space, _path("aggregate", x.graph, x.space, space, via)
        results, name = [x.type.with_space(space)], x.graph.name
        if argument:
            results.append(results[0].with_dtype("i32"))
        return self._record(
            "gnn.aggregate", f"{kind} {{}}{_via(via)}", _arrow(x, *results), [x],
            results, lambda g, a: reference.aggregate(
                g[name], kind, a, source, space, via, argument))

    def pick(self, x, at, space, via=None):
        """Every row of `space` gets the features of the row it leads to that were
        taken from it: `at` is the argument of `aggregate`."""
        op = "pick"
        _rows(op, x)
        _rows(op, at, "argument")
        _same_graph(op, x, at)
        _require(at.type == x.type.with_dtype("i32"), op,
                 f"expected an argument {x.type.with_dtype('i32')}, got {at.type}")
        source, via = x.space, _path(op, x.graph, space, x.space, via)
        result, name = x.type.with_space(space), x.graph.name
        return self._record(
            "gnn.pick", "{} at {}" + _via(via),
            lambda spell: f"{_list(x, at)(spell)} -> {spell(result)}", [x, at],
            [result],
            lambda g, a, b: reference.pick(g[name], a, b, source, space, via))

    def degree(self, graph, of, space, via=None):
        """The number of rows of `of` that lead to each row of `space`."""
        via = _path("degree", graph, of, space, via)
        result, name = graph.rows(space), graph.name
        return self._record(
            "gnn.degree", of + _via(via), lambda spell: spell(result), [],
            [result], lambda g: reference.degree(g[name], of, space, via))

    def rebind_rows(self, x, graph, space):
        """Node rows of one graph as node rows of another."""
        _rows("rebind_rows", x)
        nodes = ("src", "dst", "node")
        _require(x.space in nodes and space in nodes, "rebind_rows",
                 f"expected node rows, got {x.space} and {space}")
        _require(x.graph.name != graph.name, "rebind_rows",
                 f"expected another graph than {graph.name}")
        result = graph.rows(space, *x.features).with_dtype(x.type.dtype)
        source, old, new = x.space, x.graph.name, graph.name

        def meaning(g, a):
            rows = g[old].count(source), g[new].count(space)
            _require(rows[0] == rows[1], "rebind_rows",
                     f"expected as many {space} rows of {new} as {source} rows "
                     f"of {old}, {rows[0]}, got {rows[1]}")
            return reference.rebind_rows(a)

        return self._record("gnn.rebind_rows", "{}", _arrow(x, result), [x],
                            [result], meaning)

    def prefix_rows(self, x):
        """The first source rows as destination rows of a bipartite graph."""
        return self._first_rows("prefix_rows", x, "src", "dst", reference.prefix_rows)

    def extend_rows(self, x):
        """Destination rows of a bipartite graph as its first source rows, 0
        behind."""
        return self._first_rows("extend_rows", x, "dst", "src", reference.extend_rows)

    def _first_rows(self, op, x, space, other, meant):
        _require(x.space == space, op, f"expected {space} rows, got {x.space}")
        result, name = x.type.with_space(other), x.graph.name

        def meaning(g, a):
            rows = g[name].num_src_nodes, g[name].num_dst_nodes
            _require(rows[0] >= rows[1], op, f"expected at most {rows[0]} destinations, "
                     f"as many as sources, got {rows[1]}")
            return meant(g[name], a)

        return self._record(f"gnn.{op}", "{}", _arrow(x, result), [x], [result], meaning)


@checked
class DenseOps:
    """Products with weights."""

    def linear(self, x, weight, bias=None):
        """Every row times one weight."""
        _rows("linear", x)
        _require(weight.space is None, "linear",
                 f"expected a weight without a row space, got {weight.type}")
        result = x.type.with_features(*_times("linear", x, weight))
        operands, body = [x, weight], "{}, {}"
        if bias is not None:
            _require(bias.space is None and bias.features == result.features,
                     "linear", f"expected a bias {result.features}, got "
                     f"{bias.type}")
            operands.append(bias)
            body += " bias {}"
        return self._record("gnn.linear", body, _functional(operands, [result]),
                            operands, [result],
                            lambda g, *a: reference.linear(*a))

    def typed_linear(self, x, weight, via=None, bias=None):
        """Every row times the weight of its edge type or node type."""
        _rows("typed_linear", x)
        _require(weight.type.is_typed, "typed_linear",
                 f"expected weights over edge_type or node_type, got "
                 f"{weight.type}")
        _same_graph("typed_linear", x, weight)
        space, by, name = x.space, weight.space, x.graph.name
        via = _path("typed_linear", x.graph, space, by, via)
        result = x.type.with_features(*_times("typed_linear", x, weight))
        operands, body = [x, weight], "{}, {}" + _via(via)
        if bias is not None:
            _require(bias.type == weight.type.with_features(*result.features),
                     "typed_linear", f"expected a bias {result.features} over "
                     f"{by}, got {bias.type}")
            operands.append(bias)
            body += " bias {}"
        return self._record(
            "gnn.typed_linear", body, _functional(operands, [result]), operands,
            [result], lambda g, a, w, b=None: reference.typed_linear(
                g[name], a, w, space, by, via, b))

    def matmul(self, x, weight):
        """x @ weight: rows times a weight for all or for their type, or weights
        times weights."""
        if x.space is None:
            return self.weight_product(x, weight)
        product = self.linear if weight.space is None else self.typed_linear
        return product(x, weight)

    def outer(self, x, grad, heads=False):
        """The sum of outer products of all rows, by head where `heads`."""
        result = types.weight(*self._outer("outer", x, grad, heads))
        return self._record("gnn.outer", "{}, {}",
                            _functional([x, grad], [result]), [x, grad], [result],
                            lambda g, a, b: reference.outer(a, b, heads))

    def typed_outer(self, x, grad, by, via=None, heads=False):
        """The sum of outer products of the rows of each type."""
        features = self._outer("typed_outer", x, grad, heads)
        _one_of("typed_outer", "types", by, ("edge_type", "node_type"))
        space, name = x.space, x.graph.name
        via = _path("typed_outer", x.graph, space, by, via)
        result = x.graph.rows(by, *features)
        return self._record(
            "gnn.typed_outer", "{}, {}" + _via(via),
            _functional([x, grad], [result]), [x, grad], [result],
            lambda g, a, b: reference.typed_outer(g[name], a, b, space, by, via,
                                                  heads))

    @staticmethod
    def _outer(op, x, grad, heads):
        _rows(op, x)
        _rows(op, grad, "gradient")
        _same_graph(op, x, grad)
        _require(x.space == grad.space, op,
                 f"expected {x.space} rows as gradient, got {grad.space}")
        for value in (x, grad):
            _require(len(value.features) in (1, 2), op,
                     f"expected [rows, (heads,) features], got {value.type}")
        with_heads = [v for v in (x, grad) if len(v.features) == 2]
        _require(not with_heads or len(grad.features) == 2, op,
                 f"expected the heads of the input in the gradient, got "
                 f"{grad.type}")
        _require(len({v.features[0] for v in with_heads}) <= 1, op,
                 f"expected the same heads, got {x.type} and {grad.type}")
        _require(bool(with_heads) or not heads, op,
                 "expected operands with heads for a result with heads")
        _require(heads or len(with_heads) in (0, 2), op,
                 "expected an input with heads for a result without")
        return ((grad.features[0],) if heads else ()) + (
            x.features[-1], grad.features[-1])

    def weight_product(self, lhs, rhs, by_heads=False):
        """Weights times weights or vectors, type by type and head by head; with
        `by_heads`, `lhs` has the columns of all heads side by side."""
        op = "weight_product"
        for value in (lhs, rhs):
            _require(value.space is None or value.type.is_typed, op,
                     f"expected weights, got {value.type}")
        _same_graph(op, lhs, rhs)
        _require(len(lhs.features) in ((2,) if by_heads else (2, 3)), op,
                 f"expected lhs [(types,) (heads,) a, b], got {lhs.type}")
        size = len(lhs.features) + by_heads
        vector = len(rhs.features) == size - 1
        _require(vector or len(rhs.features) == size, op,
                 f"expected rhs [(types,) (heads,) b, (c)], got {rhs.type}")
        if by_heads:
            _require(rhs.features[0] * rhs.features[1] == lhs.features[1], op,
                     f"expected rhs [heads, b] of {lhs.features[1]} in all, got "
                     f"{rhs.features}")
            features = (lhs.features[0],
                        rhs.features[0] * (1 if vector else rhs.features[2]))
        else:
            heads = lhs.features[:-2]
            expected = heads + lhs.features[-1:]
            _require(rhs.features[:len(expected)] == expected, op,
                     f"expected rhs that begins with {expected}, got "
                     f"{rhs.features}")
            features = (heads + lhs.features[-2:-1] +
                        rhs.features[len(expected):])
        typed = [v for v in (lhs, rhs) if v.type.is_typed]
        _require(len({v.space for v in typed}) <= 1, op,
                 "expected weights over the same types, got "
                 f"{lhs.type} and {rhs.type}")
        result = (typed[0].type.with_features(*features) if typed else
                  types.weight(*features))
        lhs_typed, rhs_typed = lhs.type.is_typed, rhs.type.is_typed
        syntax = "{}, {} by_heads" if by_heads else "{}, {}"
        return self._record(
            "gnn.weight_product", syntax, _functional([lhs, rhs], [result]),
            [lhs, rhs], [result], lambda g, a, b: reference.weight_product(
                a, b, lhs_typed, rhs_typed, vector, by_heads))

    def weight_outer(self, lhs, grad, like, by_heads=False):
        """Transposed weights times weights or vectors, type by type and head by
        head, to a result of type `like`, summed over types where it has none; with
        `by_heads`, both have the columns of all heads side by side."""
        op = "weight_outer"
        for kind in (lhs.type, grad.type, like):
            _require(kind.space is None or kind.is_typed, op,
                     f"expected weights, got {kind}")
        _same_graph(op, lhs, grad)
        typed = {(v.graph, v.space) for v in (lhs, grad) if v.type.is_typed}
        _require(len(typed) <= 1, op, "expected weights over the same types, got "
                 f"{lhs.type} and {grad.type}")
        _require(not like.is_typed or (like.graph, like.space) in typed, op,
                 f"expected a result with the types of {lhs.type} and {grad.type} "
                 f"or none, got {like}")
        a, b, out = lhs.features, grad.features, like.features
        if by_heads:
            _require(len(out) in (2, 3), op,
                     f"expected a result [(types,) heads, b, (c)], got {like}")
            rows, vector = a[:1], len(out) == 2
            columns = out[0] * out[1], out[0] * (1 if vector else out[2])
            _require((a, b) == (rows + columns[:1], rows + columns[1:]), op,
                     f"expected [a, {columns[0]}] and [a, {columns[1]}], got {a} "
                     f"and {b}")
        else:
            _require(len(a) in (2, 3), op,
                     f"expected lhs [(types,) (heads,) a, b], got {lhs.type}")
            vector = len(b) == len(a) - 1
            _require(b[:len(a) - 1] == a[:-1] and len(b) <= len(a), op,
                     f"expected grad that begins with {a[:-1]}, got {b}")
            expected = a[:-2] + a[-1:] + b[len(a) - 1:]
            _require(out == expected, op,
                     f"expected a result {expected}, got {out}")
        given = lhs.type.is_typed, grad.type.is_typed, like.is_typed
        return self._record(
            "gnn.weight_outer", "{}, {} by_heads" if by_heads else "{}, {}",
            _functional([lhs, grad], [like]), [lhs, grad], [like],
            lambda g, x, y: reference.weight_outer(
                x, y, *given, vector, out[0] if by_heads else None))

    def weight_combine(self, coefficients, bases):
        """Weights of types as sums of shared bases."""
        op = "weight_combine"
        _require(coefficients.type.is_typed and len(coefficients.features) == 1,
                 op, f"expected coefficients [types, bases], got "
                 f"{coefficients.type}")
        _require(bases.space is None and len(bases.features) in (3, 4), op,
                 f"expected bases [bases, (heads,) in, out], got {bases.type}")
        _require(bases.features[:1] == coefficients.features, op,
                 f"expected {coefficients.features[0]} bases, got "
                 f"{bases.features[0]}")
        result = coefficients.type.with_features(*bases.features[1:])
        operands = [coefficients, bases]
        return self._record(
            "gnn.weight_combine", "{}, {}", _functional(operands, [result]),
            operands, [result], lambda g, a, b: reference.weight_combine(a, b))

    def weight_transpose(self, weight):
        """Weights with inputs and outputs exchanged."""
        op = "weight_transpose"
        _require(weight.space is None or weight.type.is_typed, op,
                 f"expected weights, got {weight.type}")
        features = weight.features
        _require(len(features) in (2, 3), op,
                 f"expected [(types,) (heads,) in, out], got {weight.type}")
        swapped = (*features[:-2], features[-1], features[-2])
        result = (weight.type.with_features(*swapped) if weight.type.is_typed
                  else types.weight(*swapped))
        return self._record(
            "gnn.weight_transpose", "{}", _functional([weight], [result]),
            [weight], [result], lambda g, w: reference.weight_transpose(w))


@checked
class SparseOps:
    """On rows of several spaces at once."""

    def apply(self, kind, space, lhs, rhs=None, lhs_via=None, rhs_via=None):
        """lhs op rhs for every row of `space`, read where the row leads to."""
        lhs_via, rhs_via, features = self._pair("apply", kind, space, lhs, rhs,
                                                lhs_via, rhs_via)
        result, name = lhs.graph.rows(space, *features), lhs.graph.name
        operands, body = self._operands(lhs, rhs, lhs_via, rhs_via)
        lhs_space, rhs_space = lhs.space, None if rhs is None else rhs.space
        return self._record(
            "gnn.apply", f"{kind} {body}", _functional(operands, [result]),
            operands, [result], lambda g, a, b=None: reference.apply(
                g[name], kind, space, a, lhs_space, b, rhs_space, lhs_via,
                rhs_via))

    def sddmm(self, space, lhs, rhs, lhs_via=None, rhs_via=None):
        """The inner product of two rows that each row of `space` leads to."""
        op = "sddmm"
        lhs_via, rhs_via, _ = self._pair(op, "mul", space, lhs, rhs, lhs_via,
                                         rhs_via)
        _require(lhs.features == rhs.features and lhs.features, op,
                 "expected the same features, at least one dimension, got "
                 f"{lhs.features} and {rhs.features}")
        result = lhs.graph.rows(space, *lhs.features[:-1])
        operands, body = self._operands(lhs, rhs, lhs_via, rhs_via)
        lhs_space, rhs_space, name = lhs.space, rhs.space, lhs.graph.name
        return self._record(
            "gnn.sddmm", body, _functional(operands, [result]), operands,
            [result], lambda g, a, b: reference.sddmm(
                g[name], space, a, lhs_space, b, rhs_space, lhs_via, rhs_via))

    def spmm(self, kind, reduce, space, lhs, rhs=None, lhs_via=None,
             rhs_via=None, via=None):
        """`apply` on edges and `aggregate` to `space` in one op."""
        _one_of("spmm", "a reduction", reduce, _REDUCE)
        lhs_via, rhs_via, features = self._pair("spmm", kind, "edge", lhs, rhs,
                                                lhs_via, rhs_via)
        via = _path("spmm", lhs.graph, "edge", space, via)
        result, name = lhs.graph.rows(space, *features), lhs.graph.name
        operands, body = self._operands(lhs, rhs, lhs_via, rhs_via)
        lhs_space, rhs_space = lhs.space, None if rhs is None else rhs.space
        return self._record(
            "gnn.spmm", f"{kind} {body} reduce {reduce}{_via(via)}",
            _functional(operands, [result]), operands, [result],
            lambda g, a, b=None: reference.spmm(
                g[name], kind, reduce, space, a, lhs_space, b, rhs_space,
                lhs_via, rhs_via, via))

    def edge_softmax(self, x, over="dst"):
        """Scores normalized over all edges (or pairs) that meet in a row."""
        op = "edge_softmax"
        _one_of(op, "groups", over, ("src", "dst", "src_pair", "dst_pair"))
        groups = {"edge": ("src", "dst", "src_pair", "dst_pair"),
                  "src_pair": ("src",), "dst_pair": ("dst",)}
        _require(over in groups.get(x.space, ()), op,
                 f"{x.space} rows are not in one group over {over}")
        space, name = x.space, x.graph.name
        return self._record(
            "gnn.edge_softmax", f"{{}} over {over}", _list(x), [x], [x.type],
            lambda g, a: reference.edge_softmax(g[name], a, space, over))

    @staticmethod
    def _pair(op, kind, space, lhs, rhs, lhs_via, rhs_via):
        """Checks two operands; both vias and the features of the result."""
        _one_of(op, "a kind", kind, _BINARY)
        _require((rhs is None) == (kind == "copy"), op,
                 "expected one operand for copy and two for other kinds")
        _rows(op, lhs)
        lhs_via = _path(op, lhs.graph, space, lhs.space, lhs_via)
        if rhs is None:
            return lhs_via, None, lhs.features
        _rows(op, rhs)
        _same_graph(op, lhs, rhs)
        rhs_via = _path(op, rhs.graph, space, rhs.space, rhs_via)
        return lhs_via, rhs_via, _longer(op, lhs, rhs)

    @staticmethod
    def _operands(lhs, rhs, lhs_via, rhs_via):
        body = "{}" + _via(lhs_via)
        if rhs is None:
            return [lhs], body
        return [lhs, rhs], body + ", {}" + _via(rhs_via)
