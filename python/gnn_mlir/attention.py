# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gnn.attention`, and the body that says what the score of an edge is."""

from . import reference, types
from .feature_ops import FeatureOps
from .ops import (_ACTIVATIONS, _functional, _list, _number, _one_of, _path,
                  _real, _require, _rows, _same_graph, _via, checked)
from .values import Value


class Body:
    """The builder of the score of one edge. Its values are the features of one
    row, with the operators of other values; the methods are ops on one row. In
    NumPy a value is an array of all edges, or of one row for a weight."""

    def __init__(self, name):
        self.name = name
        self.arguments, self.result, self._ops = [], None, []

    def argument(self, value):
        """The features of one row of a value of the function, or a weight."""
        made = types.TensorType(value.features, dtype=value.type.dtype)
        self.arguments.append(Value(self, made, value.name))
        return self.arguments[-1]

    def _own(self, value):
        _require(getattr(value, "function", None) is self, self.name,
                 f"expected a value of the score, got {value!r}")
        return value

    def _record(self, head, text, types_text, operands, results, meaning):
        for value in operands:
            self._own(value)
        value, = (Value(self, t) for t in results)
        self._ops.append((head, text, types_text, operands, value, meaning))
        return value

    elementwise = FeatureOps.elementwise
    compare = FeatureOps.compare
    where = FeatureOps.where
    _common = FeatureOps._common
    _as = FeatureOps._as

    def constant(self, number, like):
        """A number for every feature of a type."""
        text = _number("constant", "value", number)
        if like.dtype == "i32":
            text = str(types.integer("constant", number, -2 ** 31, 2 ** 31 - 1))
        return self._record(
            "arith.constant", f"dense<{text}>", lambda spell: spell(like), [], [like],
            lambda g: reference.broadcast(_real("constant", "value", number),
                                          like.features, 1))

    def broadcast_to(self, x, like):
        """A number of a row for all features of a type."""
        if x.features == like.features:
            return x
        _require(not x.features, "broadcast_to", f"expected features {like.features} "
                 f"or none, or a broadcast, got {x.features}")
        return self.broadcast(x, *like.features)

    def activation(self, kind, x, alpha=None):
        """A nonlinear function of every feature."""
        op = "row_activation"
        _one_of(op, "a kind", kind, [k for k in _ACTIVATIONS if k != "prelu"])
        _require((alpha is not None) == (kind in ("leaky_relu", "elu")), op,
                 "expected alpha for leaky_relu and elu only")
        slope = "" if alpha is None else f" alpha = {_number(op, 'alpha', alpha)}"
        return self._record("gnn.row_activation", f"{kind} {{}}{slope}", _list(x),
                            [x], [x.type], lambda g, a: reference.activation(
                                kind, a, None, alpha))

    def dot(self, lhs, rhs):
        """The inner product of the last features."""
        _require(lhs.features and lhs.features == rhs.features, "row_dot",
                 "expected the same features, at least one dimension, got "
                 f"{lhs.features} and {rhs.features}")
        result = lhs.type.with_features(*lhs.features[:-1])
        return self._record("gnn.row_dot", "{}, {}",
                            _functional([lhs, rhs], [result]), [lhs, rhs],
                            [result], lambda g, a, b: (a * b).sum(-1))

    def broadcast(self, x, *features):
        """Features repeated along the trailing dimensions that `x` lacks."""
        _require(features[:len(x.features)] == x.features, "row_broadcast",
                 f"expected features that begin with {x.features}, got {features}")
        like = x.type.with_features(*features)
        return self._record(
            "gnn.row_broadcast", "{}",
            lambda spell: f"{spell(x.type)} -> {spell(like)}", [x], [like],
            lambda g, a: reference.broadcast(a, features))

    def text(self, names, spell):
        """The region, from its opening brace."""
        lines = ["{"]
        for head, text, types_text, operands, value, _ in self._ops:
            text = text.format(*map(names.of, operands))
            lines.append(f"    {names.of(value)} = {head} {text} : "
                         f"{types_text(spell)}")
        lines.append(f"    gnn.yield {names.of(self.result)} : "
                     f"{spell(self.result.type)}")
        return "\n".join(lines + ["  }"])

    def evaluate(self, *arrays):
        """The scores of all edges from the rows that each argument has there."""
        found = dict(zip(map(id, self.arguments), arrays))
        for _, _, _, operands, value, meaning in self._ops:
            found[id(value)] = meaning(None, *[found[id(v)] for v in operands])
        return found[id(self.result)]


@checked
class AttentionOps:
    """Scores, softmax and weighted sum in one op."""

    def attention(self, space, inputs, score, value, over="dst", value_via=None,
                  factor=None, factor_via=None, stored=False):
        """The values at edges, weighted with the softmax over the groups `over` of
        their scores, summed to the rows of `space`.

        `inputs` are pairs of a value and its via. `score` is called with a `Body`
        and the features that each input has at one edge, and gives the score:

            f.attention("node", [(l, "src"), (r, "dst")],
                        lambda body, l, r: body.activation("tanh", l + r), x,
                        value_via="src")
        """
        op, end = "attention", over[:3]
        _one_of(op, "groups", over, ("src", "dst", "src_pair", "dst_pair"))
        _one_of(op, "a result", space, ("node", end, end + "_pair"))
        _rows(op, value, "value")
        graph = value.graph
        graph.rows(space)  # Refuses spaces that the kind of graph lacks.

        operands, paths = [], []

        def read(x, via):
            """Records an operand; the text that names it."""
            if x.space is not None:
                via = _path(op, graph, "edge", x.space, via)
            paths.append((x.space, via))
            operands.append(x)
            return f"{{{len(operands) - 1}}}{_via(via)}"

        for x, _ in inputs:
            _require(isinstance(x, Value), op,
                     f"expected a value as an input, got {x!r}")
        body = Body(self.name)
        inside = [body.argument(x) for x, _ in inputs]
        texts = [read(x, via) for x, via in inputs]
        count = len(inputs)
        weighed = f"value {read(value, value_via)}"
        if factor is not None:
            _rows(op, factor, "factor")
            weighed += f" factor {read(factor, factor_via)}"
        _same_graph(op, *operands)
        body.result = score(body, *inside)
        scores = body.result.features
        _require(factor is None or factor.features == scores[:len(
            factor.features)], op,
            f"expected features of factor that scores {scores} begin with")
        _require(value.features[:len(scores)] == scores, op,
                 f"expected features of value that begin with {scores}, got "
                 f"{value.features}")
        named = ", ".join(f"{{{len(operands) + i}}} = {text}"
                          for i, text in enumerate(texts))
        result, name = graph.rows(space, *value.features), graph.name

        def meaning(g, *arrays):
            given = [a if at is None else (a, at, via)
                     for a, (at, via) in zip(arrays, paths)]
            return reference.attention(g[name], given[:count], body.evaluate,
                                       given[count], space, over,
                                       *given[count + 1:])

        return self._record(
            "gnn.attention", f"({named}) {weighed} over {over}"
            + (" stored" if stored else ""), _functional(operands, [result]),
            operands, [result], meaning, body)
