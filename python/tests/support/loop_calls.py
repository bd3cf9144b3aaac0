# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over edges and nodes as data: how each is written, and what it means.

A loop is (over, steps, yields). `over` is the space of its rows. A step is (kind,
refs, arguments), where a ref is (depth, step, result): depth 0 are the steps of the
same body, depth 1 those of the loop around. A yield is (ref, reduction, space, via);
without a space an inner loop reduces to a value of its node.

A row is a tuple that begins with "own", the row that the loop is at, or "center",
the node whose edges are walked, and goes on with (space, via) for each step that is
followed from there.
"""

import numpy as np

from gnn_mlir import reference, spaces
from gnn_mlir.ops import _number

_ARITH = {"add": ("arith.addf", np.add), "sub": ("arith.subf", np.subtract),
          "mul": ("arith.mulf", np.multiply), "max": ("arith.maximumf", np.maximum),
          "min": ("arith.minimumf", np.minimum), "div": ("arith.divf", np.divide)}


class Value:
    """A value of a body: features of one row (`space` None), or rows that an inner
    loop gives. `get` gives an array [rows of the loop, *shape]; [*shape] where it
    is `whole`, the same for all rows. `exact`: no rounding went into it."""

    def __init__(self, name, shape, get, whole=False, exact=False, space=None,
                 type=None):
        self.name, self.shape, self._get = name, tuple(shape), get
        self.whole, self.exact, self.space = whole, exact, space
        self.type = type or _type(shape)

    def get(self, env):
        if self not in env:  # Values themselves, so that none of these goes away.
            env[self] = self._get(env)
        return env[self]


def gathered(graph, x, source, target, via):
    return x if source == target else reference.gather(graph, x, source, target,
                                                       via)


class Body:
    """The body of a loop: its lines and its values.

    `operands` are the values of the function that the whole nest reads; {i} in a
    line is the name of the i-th. `env` of a value's `get` has their arrays and the
    graph under "graph"."""

    def __init__(self, g, operands, over, tag="l", around=None, center=None):
        """`center` is (path to it from the row of the body around, its space, its
        name, the end that leads to it, the function that brings its rows to those
        of the body around); None for an outer loop."""
        self.g, self.operands, self.over, self.tag = g, operands, over, tag
        self.around, self.center = around, center
        self.row = f"%{tag}_row"
        self.steps, self.values, self.lines = [], [], []

    def value(self, ref):
        depth, step, result = ref
        if depth == 1:
            value = self.around.values[step][result]
            if value.whole or value.space:
                return value
            if self.center[0] != ("own",):
                raise ValueError("a value of another node")
            _, space, _, via, _ = self.center
            return Value(value.name, value.shape, lambda env: gathered(
                env["graph"], value.get(env), space, "edge", self._via(space, via)),
                exact=value.exact)
        return self.values[step][result]

    @staticmethod
    def _via(space, via):
        return via if spaces.is_ambiguous("edge", space) else None

    def add(self, kind, refs, arguments):
        """Adds a step; its number. Raises ValueError where it does not fit. Only
        weights have three dimensions."""
        values = [self.value(ref) for ref in refs]
        before = len(self.lines)
        self.number = len(self.steps)
        try:
            made = getattr(self, "_" + kind)(*values, *arguments)
            made = made if isinstance(made, tuple) else (made,)
            if any(len(v.shape) > 2 and not v.exact for v in made):
                raise ValueError("expected at most two dimensions")
        except (ValueError, IndexError):
            del self.lines[before:]
            raise
        self.steps.append((kind, tuple(refs), tuple(arguments)))
        self.values.append(made)
        return self.number

    def skip(self, step):
        """Goes on to the next number without a step that nothing needs."""
        self.steps.append(step)
        self.values.append(())

    def _name(self, more=""):
        return f"%{self.tag}{self.number}{more}"

    def _line(self, text, more=""):
        self.lines.append(f"{self._name(more)} = {text}")
        return self._name(more)

    def _full(self, value):
        """`get` of a value with a row for each of the loop's."""
        if not value.whole:
            return value.get
        return lambda env: np.broadcast_to(value.get(env), (
            env["graph"].count(self.over), *value.shape))

    # -- Rows --------------------------------------------------------------------

    def _at(self, row):
        """(name, space, a function that brings rows of that space to the loop's)
        of a row; writes what is followed."""
        base, *path = row
        name, space, hops = self.row, self.over, []
        if base == "center":
            _, space, name, end, _ = self.center
            hops.append((space, self.over, self._via(space, end)))
        for number, (target, via) in enumerate(path):
            spaces.check_path(space, target, via)
            name = self._line(f"gnn.follow {name}{_via(via)} : {self._row(space)} "
                              f"-> {self._row(target)}", f"_f{number}")
            hops.append((target, space, via))
            space = target

        def bring(graph, x):
            for source, target, via in reversed(hops):
                x = gathered(graph, x, source, target, via)
            return x
        return name, space, bring

    def _row(self, space):
        return f"!gnn.row<@{self.g.name}, {space}>"

    def _read(self, operand, row, via, exact=False):
        x = self.operands[operand]
        name, space, bring = self._at(row)
        spaces.check_path(space, x.space, via)
        shape = x.features
        own = self._line(f"gnn.read {{{operand}}}[{name}]{_via(via)} : ("
                         f"{x.type.text()}, {self._row(space)}) -> {_type(shape)}")
        return Value(own, shape, lambda env: bring(env["graph"], gathered(
            env["graph"], np.asarray(env[operand], np.float64), x.space, space,
            via)), exact=exact)

    def _inner_read(self, x):
        """The value that an earlier inner loop gave to the edge."""
        if x.space != "edge" or self.over != "edge":
            raise ValueError("expected rows of edges")
        own = self._line(f"gnn.read {x.name}[{self.row}] : ({x.type}, "
                         f"{self._row('edge')}) -> {_type(x.shape)}")
        return Value(own, x.shape, x.get)

    def _number(self, row):
        name, space, bring = self._at(row)
        self._line(f"gnn.row_number {name} : {self._row(space)} -> tensor<i32>", "_n")
        own = self._line(f"arith.sitofp {self._name('_n')} : tensor<i32> to "
                         "tensor<f32>")
        return Value(own, (), lambda env: bring(env["graph"], np.arange(
            env["graph"].count(space), dtype=np.float64)), exact=True)

    # -- Features ----------------------------------------------------------------

    def _weight(self, operand):
        x = self.operands[operand]
        if x.space is not None:
            raise ValueError("expected a weight")
        return Value(f"{{{operand}}}", x.features,
                     lambda env: np.asarray(env[operand], np.float64), whole=True,
                     exact=True)

    def _constant(self, number, shape):
        own = self._line(f"arith.constant dense<{_number('constant', 'value', number)}> : {_type(shape)}")
        return Value(own, shape, lambda env: np.full(shape, float(number)),
                     whole=True, exact=True)

    def _same(self, *values):
        if any(v.shape != values[0].shape or v.space for v in values):
            raise ValueError("expected features of one shape")

    def _op(self, text, types, shape, function, *values):
        """A line; the function gets arrays with a row for each of the loop's."""
        own = self._line(f"{text} : {types}")
        full = [self._full(v) for v in values]
        return Value(own, shape, lambda env: function(*[get(env) for get in full]))

    def _arith(self, x, y, kind):
        self._same(x, y)
        name, function = _ARITH[kind]
        if kind == "div":  # By what is at least 1.5.
            size = self._op(f"math.absf {y.name}", y.type, y.shape, np.abs, y)
            self._rename("_a")
            half = self._constant(1.5, y.shape)
            self._rename("_c")
            y = self._op(f"arith.addf {size.name}_a, {half.name}_c", y.type, y.shape,
                         lambda a: np.abs(a) + 1.5, y)
            self._rename("_s")
            return self._op(f"{name} {x.name}, {y.name}_s", x.type, x.shape,
                            function, x, y)
        return self._op(f"{name} {x.name}, {y.name}", x.type, x.shape, function, x, y)

    def _rename(self, more):
        """Gives what the last line makes another name."""
        name = self._name()
        self.lines[-1] = name + more + self.lines[-1][len(name):]

    def _math(self, x, kind):
        return self._op(f"math.{kind} {x.name}", x.type, x.shape,
                        reference.ELEMENTWISE["math." + kind], x)

    def _activation(self, x, kind, alpha):
        more = "" if alpha is None else f" alpha = {_number('constant', 'value', alpha)}"
        return self._op(
            f"gnn.row_activation {kind} {x.name}{more}", x.type, x.shape,
            lambda a: reference.activation(kind, a, None, alpha), x)

    def _broadcast(self, x, shape):
        size = len(x.shape)
        if x.space or len(shape) <= size or shape[:size] != x.shape:
            raise ValueError("expected features that begin with the same")

        def wide(a):
            more = (1,) * (len(shape) - size)
            return np.broadcast_to(a.reshape(*a.shape, *more), (len(a), *shape))
        return self._op(f"gnn.row_broadcast {x.name}", f"{x.type} -> {_type(shape)}",
                        shape, wide, x)

    def _dot(self, x, y):
        self._same(x, y)
        if not x.shape or (x.whole and y.whole):
            raise ValueError("expected a feature dimension")
        return self._op(f"gnn.row_dot {x.name}, {y.name}", f"({x.type}, {y.type}) -> "
                        f"{_type(x.shape[:-1])}", x.shape[:-1],
                        lambda a, b: (a * b).sum(-1), x, y)

    def _outer(self, x, y):
        if len(x.shape) != 1 or len(y.shape) != 1 or x.whole and y.whole:
            raise ValueError("expected one dimension")
        shape = x.shape + y.shape
        return self._op(f"gnn.row_outer {x.name}, {y.name}", f"({x.type}, {y.type})"
                        f" -> {_type(shape)}", shape,
                        lambda a, b: a[:, :, None] * b[:, None, :], x, y)

    def _linear(self, x, weight, transposed):
        if len(x.shape) not in (1, 2) or len(weight.shape) not in (2, 3) or x.whole:
            raise ValueError("expected features and a matrix")
        heads, matrix = weight.shape[:-2], weight.shape[-2:]
        matrix = matrix[::-1] if transposed else matrix
        if matrix[0] != x.shape[-1] or heads and heads != x.shape[:-1]:
            raise ValueError("expected as many input features")
        shape = x.shape[:-1] + matrix[1:]
        text = (f"gnn.row_linear {x.name}, {weight.name}"
                f"{' transposed' if transposed else ''}")

        def product(a, w):
            w = w.swapaxes(-1, -2) if transposed else w
            w = w if heads or a.ndim == 2 else w[:, None]
            return np.einsum("...i,...io->...o", a, w)
        return self._op(text, f"({x.type}, {weight.type}) -> {_type(shape)}", shape,
                        product, x, weight)

    def _concat(self, x, y):
        if not x.shape or x.shape[:-1] != y.shape[:-1] or not y.shape or (
                x.whole and y.whole):
            raise ValueError("expected features side by side")
        shape = (*x.shape[:-1], x.shape[-1] + y.shape[-1])
        return self._op(
            f"tensor.concat dim({len(shape) - 1}) {x.name}, {y.name}",
            f"({x.type}, {y.type}) -> {_type(shape)}", shape,
            lambda a, b: np.concatenate([a, b], -1), x, y)

    def _slice(self, x, begin, size):
        if not x.shape or begin + size > x.shape[-1] or x.whole:
            raise ValueError("expected a part of the features")
        shape = (*x.shape[:-1], size)
        zeros = [0] * (len(shape) - 1)
        ones = [1] * len(shape)
        return self._op(
            f"tensor.extract_slice {x.name}{[*zeros, begin]} {list(shape)} {ones}",
            f"{x.type} to {_type(shape)}", shape,
            lambda a: a[..., begin:begin + size], x)

    def _split(self, x, heads):
        if len(x.shape) != 1 or x.shape[0] % heads or x.whole:
            raise ValueError("expected a multiple of the heads")
        shape = (heads, x.shape[0] // heads)
        return self._op(f"tensor.expand_shape {x.name} [[0, 1]] output_shape "
                        f"{list(shape)}", f"{x.type} into {_type(shape)}", shape,
                        lambda a: a.reshape(len(a), *shape), x)

    def _join(self, x):
        if len(x.shape) != 2 or x.whole:
            raise ValueError("expected two dimensions")
        shape = (x.shape[0] * x.shape[1],)
        return self._op(f"tensor.collapse_shape {x.name} [[0, 1]]",
                        f"{x.type} into {_type(shape)}", shape,
                        lambda a: a.reshape(len(a), *shape), x)

    def _condition(self, x, y, kind):
        self._same(x, y)
        shape = "x".join([*map(str, x.shape), "i1"])
        self._line(f"arith.cmpf {kind}, {x.name}, {y.name} : {x.type}", "_c")
        return f"{self._name('_c')}", f"tensor<{shape}>"

    def _choose(self, x, y, kind):
        """The larger or the smaller: continuous, so rounding does not matter."""
        name, type_ = self._condition(x, y, kind)
        function = np.maximum if kind == "ogt" else np.minimum
        return self._op(f"arith.select {name}, {x.name}, {y.name}",
                        f"{type_}, {x.type}", x.shape, function, x, y)

    def _pick(self, x, y, a, b, kind):
        """Either of two, by a comparison of values without rounding."""
        self._same(x, y, a, b)
        if not x.exact or not y.exact:
            raise ValueError("expected values without rounding")
        name, type_ = self._condition(x, y, kind)
        compare = np.greater if kind == "ogt" else np.less
        return self._op(f"arith.select {name}, {a.name}, {b.name}",
                        f"{type_}, {a.type}", a.shape, lambda x, y, a, b: np.where(
                            compare(x, y), a, b), x, y, a, b)

    # -- Inner loops -------------------------------------------------------------

    def inner(self, end, row):
        """The body of a loop over the edges into ("dst") or out of a node."""
        self.number = len(self.steps)
        name, space, bring = self._at(row)
        if space not in ("node", end):
            raise ValueError("expected a node of that end")
        return Body(self.g, self.operands, "edge", self._name()[1:] + "i", self,
                    (tuple(row), space, name, end, bring))

    def _inner(self, end, row, steps, yields):
        body = self.inner(end, row).fill(steps, yields)
        _, space, center, _, bring = body.center
        results, types = [], []
        for number, (ref, kind, target, via) in enumerate(yields):
            value = body.value(ref)
            if target is None and kind is None:
                target = "edge"
            if target is None:
                results.append(Value("", value.shape, _at_center(
                    body._full(value), kind, space, self._via(space, end), bring)))
                types.append(_type(value.shape))
                continue
            if tuple(row) != ("own",):
                raise ValueError("expected the node of the loop around")
            made = self.g.rows(target, *value.shape)
            results.append(Value("", value.shape, body._reduced(
                value, kind, target, via), space=target, type=made.text()))
            types.append(made.text())
        names = [self._name(f"_{i}") for i in range(len(results))]
        for result, name in zip(results, names):
            result.name = name
        direction = "incoming" if end == "dst" else "outgoing"
        self.lines.append(
            f"{', '.join(names)} = gnn.for_{direction} {body.row} of {center} : "
            f"{self._row(space)} -> ({', '.join(types)}) {{{{")
        self.lines += ["  " + line for line in body.lines]
        self.lines += ["  " + body.terminator(yields), "}}"]
        return tuple(results)

    def _reduced(self, value, kind, target, via):
        """`get` of what is yielded to rows of `target`."""
        get = self._full(value)
        if kind is None:
            return get
        spaces.check_path(self.over, target, via)
        return lambda env: reference.aggregate(env["graph"], kind, get(env),
                                               self.over, target, via)

    def fill(self, steps, yields):
        """Adds all steps that the yields need."""
        needed = _needed(steps, yields)
        for number, step in enumerate(steps):
            self.add(*step) if number in needed else self.skip(step)
        return self

    def terminator(self, yields):
        values = [self.value(ref) for ref, *_ in yields]
        words = [f"{kind + ' ' if kind else ''}{v.name}{_via(via)}"
                 for v, (_, kind, _, via) in zip(values, yields)]
        return f"gnn.yield {', '.join(words)} : {', '.join(v.type for v in values)}"


def _at_center(get, kind, space, via, bring):
    """`get` of what an inner loop reduces to a value of its node."""
    return lambda env: bring(env["graph"], reference.aggregate(
        env["graph"], kind, get(env), "edge", space, via))


def _via(via):
    return f" via {via}" if via else ""


def _type(shape):
    return f"tensor<{'x'.join([*map(str, shape), 'f32'])}>"


def _outer_refs(steps, yields):
    """The steps of the loop around that an inner loop reads."""
    needed = _needed(steps, yields)
    found = {ref[1] for ref, *_ in yields if ref[0] == 1}
    for number in needed:
        found |= {ref[1] for ref in steps[number][1] if ref[0] == 1}
    return found


def _needed(steps, yields):
    found = {ref[1] for ref, *_ in yields if ref[0] == 0}
    for number in reversed(range(len(steps))):
        if number in found:
            kind, refs, arguments = steps[number]
            found |= {ref[1] for ref in refs if ref[0] == 0}
            if kind == "inner":
                found |= _outer_refs(*arguments[2:])
    return found


def build(f, g, operands, over, steps, yields, plain=False):
    """Records a loop as an op of a function; its results. `plain` says nothing
    about it: it has a traversal where it is not raised."""
    body = Body(g, operands, over).fill(steps, yields)
    results, gets = [], []
    for ref, kind, target, via in yields:
        value = body.value(ref)
        if value.space:  # Rows of an inner loop.
            results.append(g.rows(value.space, *value.shape))
            gets.append(value.get)
            continue
        results.append(g.rows(target or over, *value.shape))
        gets.append(body._reduced(value, kind, target, via))
    head = "gnn.for_edges" if over == "edge" else "gnn.for_nodes"
    end = f"{over} " if over in ("src", "dst") else ""
    words, _, types = body.terminator(yields).rpartition(" : ")
    lines = [f"{end}{body.row} in @{g.name} -> "
             f"({', '.join(t.text() for t in results)}) {{{{",
             *["    " + line for line in body.lines], "    " + words]

    def meaning(graphs, *arrays):
        env = {"graph": graphs[g.name], **dict(enumerate(arrays))}
        with np.errstate(all="ignore"):
            found = tuple(np.asarray(get(env)) for get in gets)
        return found if len(found) > 1 else found[0]

    # The types of what the body yields end the loop.
    return f._record(head, "\n".join(lines), lambda spell: f"{types}\n  }}",
                     operands, results, meaning)
