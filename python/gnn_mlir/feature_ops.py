# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops on the features of each row; see `gnn_mlir.ops`."""

import numpy as np

from . import reference, types
from .ops import (_ACTIVATIONS, _REDUCE, _arrow, _functional, _list, _number,
                  _one_of, _real, _require, _rows, _same_graph, checked)
from .values import Value


def _positive(op, eps):
    _require(_real(op, "eps", eps) > 0, op, f"expected a positive eps, got {eps}")


def _last_features(op, x, weight, what):
    """A weight with the shape of the last features of x."""
    _require(weight.space is None and weight.features and
             x.features[-len(weight.features):] == weight.features, op,
             f"expected {what} of the shape of the last features of "
             f"{x.type}, got {weight.type}")


# The predicates of `arith` for comparisons of f32 (as IEEE 754 and NumPy have
# them for NaN) and of i32.
_COMPARE = {"lt": ("olt", "slt"), "le": ("ole", "sle"), "gt": ("ogt", "sgt"),
            "ge": ("oge", "sge"), "eq": ("oeq", "eq"), "ne": ("une", "ne")}


def _stored(op, number):
    """A number of f32 as MLIR's parser reads it."""
    number = _real(op, "value", number)
    with np.errstate(over="ignore"):
        stored = np.float32(number)
    _require(np.isfinite(stored) or not np.isfinite(number), op,
             f"expected a number that f32 holds, got {number}")
    return (_number(op, "value", number) if np.isfinite(stored) else
            f"0x{stored.view(np.uint32):08X}")


@checked
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
            body += f" alpha = {_number(op, 'alpha', alpha)}"
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
        _positive("batch_norm", eps)
        variance.positive = True
        return self._record(
            "gnn.batch_norm", "{} mean {} variance {} gamma {} beta {} eps = "
            + _number("batch_norm", "eps", eps), _list(x, mean), operands, [x.type],
            lambda g, *a: reference.batch_norm(*a, eps))

    def layer_norm(self, x, gamma=None, beta=None, eps=1e-5):
        """The features of each row normalized by their own statistics."""
        op = "layer_norm"
        _rows(op, x)
        _require(bool(x.features), op, "expected at least one feature dimension")
        _require((gamma is None) == (beta is None), op,
                 "expected gamma and beta, or neither")
        _positive(op, eps)
        operands, body = [x], "{}"
        if gamma is not None:
            _last_features(op, x, gamma, "gamma")
            _last_features(op, x, beta, "beta")
            operands += [gamma, beta]
            body += " gamma {} beta {}"
        return self._record(
            "gnn.layer_norm", body + f" eps = {_number(op, 'eps', eps)}", _list(*operands),
            operands, [x.type],
            lambda g, a, c=None, b=None: reference.layer_norm(a, c, b, eps))

    def batch_norm_training(self, x, mean, variance, gamma, beta, momentum=0.1,
                            eps=1e-5):
        """Features normalized by the statistics of all rows: the result, and the
        running mean and variance that follow, as weights.

        It is torch.nn.BatchNorm1d in training: rows are normalized by the biased
        variance, and running statistics move by `momentum` towards those of the
        rows, with the unbiased variance. One row, which torch refuses, gives
        `beta` and has variance 0; no rows leave the statistics as they are."""
        op = "batch_norm_training"
        _rows(op, x)
        _require(x.space != "graph", op, f"expected several rows, got {x.type}")
        like = types.weight(*x.features)
        for value in (mean, variance, gamma, beta):
            _require(value.type == like, op, f"expected {like}, got {value.type}")
        momentum = _real(op, "momentum", momentum)
        _require(0 <= momentum <= 1, op,
                 f"expected a momentum from 0 to 1, got {momentum}")
        _positive(op, eps)
        found = self.aggregate("mean", x, "graph")
        centered = self.apply("sub", x.space, x, found)
        spread = self.aggregate("mean", centered * centered, "graph")
        scale = gamma * self.elementwise("math.rsqrt", spread + eps)
        result = self.apply("mul", x.space, centered, scale) + beta
        count = self.degree(x.graph, x.space, "graph")
        above = [self.elementwise("arith.maximumf", count - less, 1.0)
                 for less in (0.0, 1.0)]
        unbiased = self.apply("mul", "graph", spread, above[0] / above[1])
        kept = self.elementwise("arith.maximumf", 1.0 - count, 1 - momentum)  # 1 of no rows.
        kept = self.sum_rows(self.broadcast(kept, found.type))
        moved = [old * kept + self.sum_rows(new) * momentum
                 for old, new in ((mean, found), (variance, unbiased))]
        return (result, *moved)

    def dropout(self, x, p, seed, offset=0):
        """Features zeroed at random, the rest scaled. `seed` and `offset` are
        integers, or inputs of the type `types.I64`, which change from run to run."""
        _rows("dropout", x)
        _require(0 <= _real("dropout", "p", p) < 1, "dropout", f"expected p from 0 to under 1, got {p}")
        seed_value, offset_value = self._integer(seed), self._integer(offset)
        return self._record(
            "gnn.dropout", f"{{}} p = {_number('dropout', 'p', p)} seed {{}} offset {{}}",
            _list(x), [x, seed_value, offset_value], [x.type],
            lambda g, a, s, o: reference.dropout(a, p, s, o))

    def _integer(self, value):
        if isinstance(value, Value):
            _require(value.type == types.I64, "dropout",
                     f"expected an integer, got {value.type}")
            return value
        value = types.i64("dropout", value)
        return self._record("arith.constant", str(value),
                            lambda spell: types.I64.text(), [], [types.I64],
                            lambda g: value)

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
                    return reference.broadcast_weight(a, like.features)
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

    def sum_rows(self, x, like=None):
        """All rows, and the leading dimensions that `like` lacks, summed to a
        weight of that type; without one, all features are kept."""
        op = "sum_rows"
        like = types.weight(*x.features) if like is None else like
        size = len(like.features)
        _require(like.space is None, op, f"expected the type of a weight, got {like}")
        _require(x.features[len(x.features) - size:] == like.features, op,
                 f"expected a result with which {x.features} ends, got "
                 f"{like.features}")
        return self._record("gnn.sum_rows", "{}", _arrow(x, like), [x], [like],
                            lambda g, a: reference.sum_rows(a, like.features))

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
        offset = types.integer("slice", offset)
        size = types.integer("slice", size, 1)
        _require(0 <= offset and size >= 1 and offset + size <= x.features[-1],
                 "slice", f"expected a part of {x.features[-1]} features, got "
                 f"{size} at {offset}")
        result = x.type.with_features(*x.features[:-1], size)
        return self._record("gnn.slice", f"{{}} at {offset}", _arrow(x, result),
                            [x], [result],
                            lambda g, a: reference.slice(a, offset, size))

    def pad(self, x, offset, size):
        """The last features from `offset` on of `size`, the others 0."""
        _require(bool(x.features), "pad", "expected a feature dimension")
        offset, size = types.integer("pad", offset), types.integer("pad", size, 1)
        _require(offset + x.features[-1] <= size, "pad",
                 f"expected a place within {size} features, got {x.features[-1]} "
                 f"at {offset}")
        result = x.type.with_features(*x.features[:-1], size)
        return self._record("gnn.pad", f"{{}} at {offset}", _arrow(x, result), [x],
                            [result], lambda g, a: reference.pad(a, offset, size))

    def reshape(self, x, *features):
        """The features of each row, or of a weight, in another shape."""
        result = x.type.with_features(*features)
        features = result.features
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

    def pick_feature(self, x, of, kind, over):
        """Each row's features `x` where `of` has its max or min over heads or
        features first, 0 elsewhere."""
        op = "pick_feature"
        _one_of(op, "a kind", kind, ("max", "min"))
        _one_of(op, "a dimension", over, ("heads", "features"))
        _rows(op, of, "what is compared")
        size = len(of.features)
        _require(size == 2 if over == "heads" else size >= 1, op,
                 f"expected rows with {over}, got {of.type}")
        left = of.features[1:] if over == "heads" else of.features[:-1]
        _require(x.type == of.type.with_features(*left), op,
                 f"expected {of.type.with_features(*left)}, got {x.type}")
        return self._record(
            "gnn.pick_feature", f"{{}} at {kind} {over} of {{}}", _list(x, of),
            [x, of], [of.type],
            lambda g, a, b: reference.pick_feature(a, b, kind, over))

    # -- Upstream's ops on rows of one space -----------------------------------

    def constant(self, number, like):
        """A number for every row and feature of a type; or where rows are of types, of the
        graph or none (a weight), a list or an array of that shape with all numbers."""
        _require(like.dtype == "f32", "constant", f"expected an f32 type, got {like}")
        if isinstance(number, (list, tuple)) or (
                isinstance(number, np.ndarray) and number.ndim):
            return self._several_numbers(np.asarray(number, object), like)
        scalar = types.weight()
        text = _stored("constant", number)
        made = self._record("arith.constant", f"dense<{text}>",
                            lambda spell: spell(scalar), [], [scalar],
                            lambda g: float(number))
        return self.broadcast(made, like)

    def _several_numbers(self, numbers, like):
        _require(like.rows != "?", "constant",
                 f"expected a number for rows that a graph counts, got several for {like}")
        shape = like.shape()
        _require(numbers.shape == shape, "constant",
                 f"expected numbers of the shape {shape}, got {numbers.shape}")

        def text(part):
            if isinstance(part, np.ndarray):
                return f"[{', '.join(map(text, part))}]"
            return _stored("constant", part)

        return self._record("arith.constant", f"dense<{text(numbers)}>",
                            lambda spell: spell(like), [], [like],
                            lambda g: np.array(numbers, float))

    def broadcast_to(self, x, like):
        """Features broadcast as in NumPy to those of a type: from the last one on,
        each is the same or 1, or is not there. Weights are repeated for all rows."""
        op, target = "broadcast_to", like.features
        _require(x.space is None or (x.graph, x.space) == (like.graph, like.space),
                 op, f"expected rows like {like}, got {x.type}")
        own = (1,) * (len(target) - len(x.features)) + x.features
        _require(len(own) == len(target) and all(
            a in (1, b) for a, b in zip(own, target)), op,
            f"expected features that broadcast to {target}, got {x.features}")
        like = like.with_dtype(x.type.dtype)
        if x.type == like:
            return x
        if x.type.dtype == "i1":
            number = self.where(x, 1.0, 0.0)
            return self.compare("ne", self.broadcast_to(
                number, like.with_dtype("f32")), 0.0)
        if x.space is None:
            if target[len(target) - len(x.features):] == x.features:
                return self.broadcast(x, like)
            _require(like.space is not None, op, "expected a weight whose features "
                     f"{target} end with, got {x.features}")
            x = self.broadcast(x, like.with_features(*x.features))
        return self._repeat(x, own, target)

    def _repeat(self, x, own, target):
        """Rows repeated along the dimensions where `own` is 1 and `target` is not,
        from the last dimension to the first."""
        kept, done = 1, 1
        for size in own:
            kept *= size
        flat = self.reshape(x, kept)
        for i in reversed(range(len(target))):
            if own[i] == target[i]:  # The last of what is kept moves to the done.
                kept, done = kept // own[i], done * own[i]
                continue
            times = target[i]
            if kept == done == 1:
                flat = self.broadcast(self.reshape(flat), flat.type.with_features(times))
            elif done == 1:
                flat = self.broadcast(flat, flat.type.with_features(
                    *flat.features, times))
            elif kept == 1:
                ones = self.constant(1.0, flat.type.with_features(times))
                flat = self.outer_rows(ones, flat)
            else:
                flat = self.reshape(flat, kept, done)
                flat = self.concat(*[flat] * times)
            done *= times
            flat = self.reshape(flat, kept * done)
        return self.reshape(flat, *target)

    def _common(self, op, *operands):
        """The row space, graph and features to which values and numbers broadcast,
        as the type of the first value."""
        values = [self._own(v) for v in operands if isinstance(v, Value)]
        _require(bool(values), op, "expected at least one value, got "
                 f"{', '.join(map(repr, operands))}")
        for value in values:
            _require(isinstance(value.type, types.TensorType), op,
                     f"expected rows, weights and numbers, got {value.type}")
        first = next((v for v in values if v.space is not None), values[0]).type
        listed = " and ".join(str(v.type) for v in values)
        for value in values:
            _require(value.space is None or value.graph == first.graph, op,
                     f"expected operands of one type, got {listed}")
            _require(value.space in (None, first.space), op,
                     f"expected operands of one type, got {listed}; gather takes rows to "
                     'another space first, as gather(x, "edge", via="src")')
        try:
            features = np.broadcast_shapes(*[v.features for v in values])
        except ValueError:
            _require(False, op, "expected operands of one type, or features that "
                     f"broadcast, got {listed}")
        return first.with_features(*features).with_dtype(values[0].type.dtype)

    def _as(self, op, operand, like):
        """A value or a number as a value of that type."""
        if not isinstance(operand, Value):
            return self.constant(operand, like)
        _require(operand.type.dtype == like.dtype, op,
                 f"expected {like.dtype} operands, got {operand.type}")
        return self.broadcast_to(operand, like)

    def elementwise(self, name, *operands):
        """An op of `arith` or `math`, such as "arith.maximumf", on values and
        numbers. Features broadcast as in NumPy."""
        _one_of("elementwise", "an op", name, tuple(reference.ELEMENTWISE))
        wanted = reference.operands_of(name)
        _require(len(operands) == wanted, name,
                 f"expected {wanted} operands, got {len(operands)}")
        like = self._common(name, *operands).with_dtype(
            "i1" if name in reference.LOGIC else "f32")
        operands = [self._as(name, operand, like) for operand in operands]
        return self._record(
            name, ", ".join(["{}"] * len(operands)), _list(operands[0]), operands,
            [like], lambda g, *a: reference.elementwise(name, *a))

    def compare(self, kind, a, b):
        """lt, le, gt, ge, eq or ne, element by element: a condition."""
        _one_of("compare", "a kind", kind, tuple(_COMPARE))
        like = self._common("compare", a, b)
        _require(like.dtype != "i1", "compare", f"expected numbers, got {like}")
        a, b = (self._as("compare", operand, like) for operand in (a, b))
        integers = like.dtype == "i32"
        return self._record(
            "arith.cmpi" if integers else "arith.cmpf",
            _COMPARE[kind][integers] + ", {}, {}", _list(a), [a, b],
            [like.with_dtype("i1")],
            lambda g, x, y: reference.compare(kind, x, y))

    def where(self, condition, a, b):
        """a where a condition holds, b elsewhere."""
        _require(isinstance(condition, Value) and condition.type.dtype == "i1",
                 "where", f"expected a condition, as of x > 0, got {condition!r}")
        dtypes = [v.type.dtype for v in (a, b) if isinstance(v, Value)]
        like = self._common("where", condition, a, b).with_dtype(
            dtypes[0] if dtypes else "f32")
        condition = self.broadcast_to(condition, like.with_dtype("i1"))
        a, b = (self._as("where", operand, like) for operand in (a, b))
        return self._record(
            "arith.select", "{}, {}, {}", _list(condition, a), [condition, a, b],
            [like], lambda g, c, x, y: reference.where(c, x, y))

    def softmax(self, x):
        """Softmax over the last feature dimension."""
        _require(x.space is not None and bool(x.features), "softmax",
                 f"expected rows with features, got {x.type}")
        power = self.elementwise("math.exp", x - self.broadcast(
            self.reduce_features("max", x), x.type))
        return power / self.broadcast(self.reduce_features("sum", power), x.type)
