# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops on the features of each row; see `gnn_mlir.ops`."""

from . import reference, types
from .ops import (_ACTIVATIONS, _REDUCE, _arrow, _functional, _list, _number,
                  _one_of, _require, _rows, _same_graph)


def _last_features(op, x, weight, what):
    """A weight with the shape of the last features of x."""
    _require(weight.space is None and weight.features and
             x.features[-len(weight.features):] == weight.features, op,
             f"expected {what} of the shape of the last features of "
             f"{x.type}, got {weight.type}")


class FeatureOps:
    """On the features of each row."""

    def dot(self, lhs, rhs):
        """The inner product of each row with a row or with one vector."""
        _rows("dot", lhs)
        _require(rhs.space in (None, lhs.space), "dot",
                 f"expected {lhs.space} rows or a weight, got {rhs.type}")
        _same_graph("dot", lhs, rhs)
        _require(lhs.features and rhs.features == lhs.features, "dot",
                 "expected the same features, at least one dimension, got "
                 f"{lhs.features} and {rhs.features}")
        result = lhs.type.with_features(*lhs.features[:-1])
        return self._record("gnn.dot", "{}, {}",
                            _functional([lhs, rhs], [result]), [lhs, rhs],
                            [result], lambda g, a, b: reference.dot(a, b))

    def outer_rows(self, lhs, rhs):
        """The outer product of each row with a row."""
        op = "outer_rows"
        _rows(op, lhs)
        _same_graph(op, lhs, rhs)
        _require(lhs.space == rhs.space, op,
                 f"expected {lhs.space} rows, got {rhs.type}")
        _require(len(lhs.features) == len(rhs.features) == 1, op,
                 f"expected [rows, a] and [rows, b], got {lhs.type} and "
                 f"{rhs.type}")
        result = lhs.type.with_features(*lhs.features, rhs.features[-1])
        return self._record("gnn.outer_rows", "{}, {}",
                            _functional([lhs, rhs], [result]), [lhs, rhs],
                            [result], lambda g, a, b: reference.outer_rows(a, b))

    def activation(self, kind, x, weight=None, alpha=None):
        """A nonlinear function of every feature."""
        op = "activation"
        _one_of(op, "a kind", kind, _ACTIVATIONS)
        _rows(op, x)
        _require((alpha is not None) == (kind in ("leaky_relu", "elu")), op,
                 "expected alpha for leaky_relu and elu only")
        _require((weight is not None) == (kind == "prelu"), op,
                 "expected a weight for prelu only")
        operands, body = [x], f"{kind} {{}}"
        if weight is not None:
            if weight.space is not None or weight.features != (1,):
                _last_features(op, x, weight, "a weight [1] or one")
            operands.append(weight)
            body += ", {}"
        if alpha is not None:
            body += f" alpha = {_number(alpha)}"
        return self._record(
            "gnn.activation", body, _list(*operands), operands, [x.type],
            lambda g, a, w=None: reference.activation(kind, a, w, alpha))

    def batch_norm(self, x, mean, variance, gamma, beta, eps=1e-5):
        """Features normalized by running statistics."""
        _rows("batch_norm", x)
        operands = [x, mean, variance, gamma, beta]
        for value in operands[1:]:
            _last_features("batch_norm", x, value, "statistics and weights")
            _require(value.features == mean.features, "batch_norm",
                     f"expected {mean.type} four times, got {value.type}")
        _require(eps > 0, "batch_norm", f"expected a positive eps, got {eps}")
        variance.positive = True
        return self._record(
            "gnn.batch_norm", "{} mean {} variance {} gamma {} beta {} eps = "
            + _number(eps), _list(x, mean), operands, [x.type],
            lambda g, *a: reference.batch_norm(*a, eps))

    def layer_norm(self, x, gamma=None, beta=None, eps=1e-5):
        """The features of each row normalized by their own statistics."""
        op = "layer_norm"
        _rows(op, x)
        _require(bool(x.features), op, "expected at least one feature dimension")
        _require((gamma is None) == (beta is None), op,
                 "expected gamma and beta, or neither")
        _require(eps > 0, op, f"expected a positive eps, got {eps}")
        operands, body = [x], "{}"
        if gamma is not None:
            _last_features(op, x, gamma, "gamma")
            _last_features(op, x, beta, "beta")
            operands += [gamma, beta]
            body += " gamma {} beta {}"
        return self._record(
            "gnn.layer_norm", body + f" eps = {_number(eps)}", _list(*operands),
            operands, [x.type],
            lambda g, a, c=None, b=None: reference.layer_norm(a, c, b, eps))

    def dropout(self, x, p, seed, offset=0):
        """Features zeroed at random, the rest scaled."""
        _rows("dropout", x)
        _require(0 <= p < 1, "dropout", f"expected p from 0 to under 1, got {p}")
        seed_value, offset_value = self._integer(seed), self._integer(offset)
        return self._record(
            "gnn.dropout", f"{{}} p = {_number(p)} seed {{}} offset {{}}",
            _list(x), [x, seed_value, offset_value], [x.type],
            lambda g, a, s, o: reference.dropout(a, p, s, o))

    def _integer(self, value):
        integer = types.ScalarType("i64")
        return self._record("arith.constant", str(int(value)),
                            lambda spell: integer.text(), [], [integer],
                            lambda g: int(value))

    def broadcast(self, x, like):
        """Features repeated along the trailing dimensions that `x` lacks; for a
        weight, along rows and leading ones. `like` is the type of the result."""
        op = "broadcast"
        if x.space is None:
            size = len(x.features)
            _require(like.features[len(like.features) - size:] == x.features, op,
                     f"expected features that end with {x.features}, got "
                     f"{like.features}")

            def meaning(g, a):
                if like.space is None:
                    return reference.broadcast(a, like.features[1:],
                                               like.features[0])
                return reference.broadcast(a, like.features,
                                           like.shape(g[like.graph.name])[0])
        else:
            _require((like.graph, like.space) == (x.graph, x.space), op,
                     f"expected {x.space} rows of {x.graph.name}, got {like}")
            _require(like.features[:len(x.features)] == x.features, op,
                     f"expected features that begin with {x.features}, got "
                     f"{like.features}")

            def meaning(g, a):
                return reference.broadcast(a, like.features)
        return self._record("gnn.broadcast", "{}", _arrow(x, like), [x], [like],
                            meaning)

    def concat(self, *inputs):
        """Rows side by side along the last feature dimension."""
        op = "concat"
        _require(bool(inputs), op, "expected at least one input")
        first = inputs[0]
        for value in inputs:
            _rows(op, value)
            _same_graph(op, first, value)
            _require(value.space == first.space and value.features and
                     value.features[:-1] == first.features[:-1] and
                     len(value.features) == len(first.features), op,
                     f"expected rows like {first.type} but for the last "
                     f"dimension, got {value.type}")
        size = sum(v.features[-1] for v in inputs)
        result = first.type.with_features(*first.features[:-1], size)
        return self._record(
            "gnn.concat", ", ".join(["{}"] * len(inputs)),
            _functional(inputs, [result]), list(inputs), [result],
            lambda g, *a: reference.concat(*a))

    def slice(self, x, offset, size):
        """`size` of the last features, from `offset`."""
        _require(bool(x.features), "slice", "expected a feature dimension")
        _require(0 <= offset and size >= 1 and offset + size <= x.features[-1],
                 "slice", f"expected a part of {x.features[-1]} features, got "
                 f"{size} at {offset}")
        result = x.type.with_features(*x.features[:-1], size)
        return self._record("gnn.slice", f"{{}} at {offset}", _arrow(x, result),
                            [x], [result],
                            lambda g, a: reference.slice(a, offset, size))

    def reshape(self, x, *features):
        """The features of each row, or of a weight, in another shape."""
        result = x.type.with_features(*features)
        sizes = [1, 1]
        for i, shape in enumerate((x.features, features)):
            for size in shape:
                sizes[i] *= size
        _require(sizes[0] == sizes[1], "reshape",
                 f"expected {sizes[0]} features a row, got {sizes[1]}")
        return self._record("gnn.reshape", "{}", _arrow(x, result), [x], [result],
                            lambda g, a: reference.reshape(
                                a, features, x.space is not None))

    def reduce_heads(self, kind, x):
        """The heads of each row reduced."""
        _one_of("reduce_heads", "a kind", kind, _REDUCE)
        _require(x.space is not None and len(x.features) == 2, "reduce_heads",
                 f"expected [rows, heads, d], got {x.type}")
        result = x.type.with_features(x.features[1])
        return self._record("gnn.reduce_heads", f"{kind} {{}}", _arrow(x, result),
                            [x], [result],
                            lambda g, a: reference.reduce_heads(kind, a))

    def reduce_features(self, kind, x):
        """The last feature dimension of each row reduced."""
        _one_of("reduce_features", "a kind", kind, _REDUCE)
        _require(x.space is not None and bool(x.features), "reduce_features",
                 f"expected rows with features, got {x.type}")
        result = x.type.with_features(*x.features[:-1])
        return self._record("gnn.reduce_features", f"{kind} {{}}",
                            _arrow(x, result), [x], [result],
                            lambda g, a: reference.reduce_features(kind, a))

    # -- Upstream's ops on rows of one space -----------------------------------

    def constant(self, value, like):
        """A number for every row and feature of a type."""
        scalar = types.TensorType((), dtype=like.dtype)
        number = self._record(
            "arith.constant", f"dense<{_number(value)}>",
            lambda spell: spell(scalar), [], [scalar], lambda g: float(value))
        return self.broadcast(number, like)

    def elementwise(self, name, *operands):
        """An op of `arith` or `math`, such as "arith.maximumf", on values of one
        type."""
        _one_of("elementwise", "an op", name, tuple(reference.ELEMENTWISE))
        for value in operands[1:]:
            _require(value.type == operands[0].type, name,
                     f"expected operands of one type, got {operands[0].type} "
                     f"and {value.type}")
        first = operands[0]
        return self._record(
            name, ", ".join(["{}"] * len(operands)), _list(first),
            list(operands), [first.type],
            lambda g, *a: reference.elementwise(name, *a))
