# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random loops over edges and nodes, for `random_ops`: what raise-loops makes ops
of, and what stays."""

import numpy as np

from gnn_mlir import spaces
from . import loop_calls

_REDUCE = ("sum", "sum", "mean", "max", "min")
_TAME = 100.0

# The steps of a loop that is lowered as it is, and of others.
_PLAIN_STEPS = ("read", "read", "constant", "arith", "arith", "math", "activation",
                "broadcast", "dot", "dot", "choose", "pick", "number", "weight")
_STEPS = _PLAIN_STEPS + ("linear", "linear", "linear", "outer", "outer", "concat",
                         "slice", "split", "join", "arith")


class _Making:
    """One loop nest while it grows. `plain`: of steps that have a traversal as they
    are; their features begin with each other's."""

    def __init__(self, t, plain):
        self.t, self.rng, self.plain = t, t.rng, plain
        self.numbers, self.operands = [], []  # Calls, and their values.
        self.env = {"graph": t.graph}
        self.dims = self.rng.choice(((), (t.size,), (t.size,), (t.heads, t.size)))

    def operand(self, number):
        """The place of a call among the operands."""
        if number not in self.numbers:
            self.env[len(self.numbers)] = self.t._array(self.t.value(number))
            self.numbers.append(number)
            self.operands.append(self.t.value(number))
        return self.numbers.index(number)

    def prefix(self):
        return self.dims[:self.rng.randint(0, len(self.dims))] if (
            self.t.coin(0.3)) else self.dims

    # -- Rows --------------------------------------------------------------------

    def coarser(self, space, itself=True):
        """A space that rows of `space` lead to, and the end."""
        known = self.t.spaces
        if space == "edge_type":  # To node types only by a schema.
            known = ("edge_type", "graph")
        found = [s for s in known if spaces.leads(space, s) and
                 (itself or s != space)]
        target = self.rng.choice(found)
        return target, self.t.via(space, target)

    def row(self, body):
        """A row, and its space."""
        row, space = ["own"], body.over
        if body.center and self.t.coin(0.25):
            row, space = ["center"], body.center[1]
        if self.t.coin(0.3):
            target, via = self.coarser(space, itself=False)
            if target != "graph":
                row.append((target, via))
                space = target
        return tuple(row), space

    def read(self, body, features=None):
        row, space = self.row(body)
        source, via = self.coarser(space)
        if self.plain and features is None:
            features = self.prefix()
        number = self.t.rows(source, features)
        exact = self.t.calls[number].kind == "input"
        return body.add("read", (), (self.operand(number), row, via, exact))

    # -- Steps -------------------------------------------------------------------

    def refs(self, body):
        """All values that a body may use, those of the loop around included."""
        found = [(0, i, k) for i, values in enumerate(body.values)
                 for k in range(len(values))]
        if body.around and body.center[0] == ("own",):
            found += [(1, i, k) for i, values in enumerate(body.around.values)
                      for k in range(len(values))]
        return found

    def pick(self, body, fits=lambda value: True):
        """Mostly a recent value."""
        found = [r for r in self.refs(body) if not body.value(r).space and
                 fits(body.value(r))]
        return found[max(self.rng.randrange(len(found)) for _ in range(2))]

    def pair(self, body):
        """Two values of one shape, one of them made wider where need be."""
        x = self.pick(body)
        shape = body.value(x).shape
        y = self.pick(body, lambda v: v.shape == shape[:len(v.shape)])
        if body.value(y).shape != shape:
            y = (0, self.add(body, "broadcast", (y,), (shape,)), 0)
        pair = [x, y]
        self.rng.shuffle(pair)
        return tuple(pair)

    def add(self, body, kind, refs=(), arguments=()):
        """A step; refuses values that are not tame."""
        number = body.add(kind, refs, arguments)
        for value in body.values[number]:
            with np.errstate(all="ignore"):
                found = np.abs(np.asarray(value.get(self.env), np.float64))
                if not found.max(initial=0) < _TAME:
                    body.values[number] = ()
                    raise ValueError("values without measure")
        return number

    def step(self, body):
        rng = self.rng
        kind = rng.choice(_PLAIN_STEPS if self.plain else _STEPS)
        if kind == "read":
            self.read(body)
        elif kind == "weight":
            number = self.t.input(None, *(self.prefix() if self.plain else
                                          body.value(self.pick(body)).shape))
            self.add(body, kind, (), (self.operand(number),))
        elif kind == "constant":
            self.add(body, kind, (), (rng.choice((0.0, 1.0, 0.5, -1.25)),
                                      body.value(self.pick(body)).shape))
        elif kind == "arith":
            self.add(body, kind, self.pair(body), (rng.choice(
                ("add", "sub", "mul", "max", "min", "div")),))
        elif kind == "math":
            self.add(body, kind, (self.pick(body),), (rng.choice(
                ("tanh", "absf", "exp")),))
        elif kind == "activation":
            name = rng.choice(("relu", "leaky_relu", "elu", "sigmoid", "tanh",
                               "gelu", "swish"))
            alpha = 0.2 if name in ("leaky_relu", "elu") else None
            self.add(body, kind, (self.pick(body),), (name, alpha))
        elif kind == "broadcast":
            x = self.pick(body)
            more = self.dims[len(body.value(x).shape):] if self.plain else (
                rng.choice((self.t.size, self.t.heads)),)
            self.add(body, kind, (x,), (body.value(x).shape + more,))
        elif kind == "dot":
            whole = self.plain  # Only the last dimension of all is summed.
            x = self.pick(body, lambda v: v.shape and (
                not whole or v.shape == self.dims))
            shape = body.value(x).shape
            y = self.pick(body, lambda v: v.shape == shape)
            self.add(body, kind, (x, y))
        elif kind == "choose":
            self.add(body, kind, self.pair(body), (rng.choice(("ogt", "olt")),))
        elif kind == "pick":
            x = self.pick(body, lambda v: v.exact)
            shape = body.value(x).shape
            more = [self.pick(body, lambda v: v.shape == shape and v.exact)] + [
                self.pick(body, lambda v: v.shape == shape) for _ in range(2)]
            self.add(body, kind, (x, *more), (rng.choice(("ogt", "olt")),))
        elif kind == "number":
            self.add(body, kind, (), (self.row(body)[0],))
        else:
            self.shaped(body, kind)

    def shaped(self, body, kind):
        """Steps after which features have another shape."""
        rng = self.rng
        if kind == "linear":
            self.linear(body)
        elif kind == "outer":
            x, y = (self.pick(body, lambda v: len(v.shape) == 1 and v.shape[0] < 6)
                    for _ in range(2))
            self.add(body, kind, (x, y))
        elif kind == "concat":
            x = self.pick(body, lambda v: v.shape and v.shape[-1] < 24)
            lead = body.value(x).shape[:-1]
            y = self.pick(body, lambda v: v.shape and v.shape[:-1] == lead and
                          v.shape[-1] < 24)
            self.add(body, kind, (x, y))
        elif kind == "slice":
            x = self.pick(body, lambda v: v.shape)
            size = body.value(x).shape[-1]
            begin = rng.randrange(size)
            self.add(body, kind, (x,), (begin, rng.randint(1, size - begin)))
        elif kind == "split":
            heads = rng.choice((1, self.t.heads))
            self.add(body, kind, (self.pick(body, lambda v: len(v.shape) == 1 and
                                            v.shape[0] % heads == 0),), (heads,))
        else:
            self.add(body, kind, (self.pick(body, lambda v: len(v.shape) == 2),))

    def linear(self, body):
        """By a weight from outside, or by that of the type of a row."""
        x = self.pick(body, lambda v: len(v.shape) in (1, 2))
        shape = body.value(x).shape
        heads = shape[:-1] if self.t.coin(0.4) else ()
        transposed = self.t.coin(0.3)
        out = self.rng.choice((self.t.size, self.rng.randint(1, 8)))
        matrix = (out, shape[-1]) if transposed else (shape[-1], out)
        row, space = self.row(body)
        types = [s for s in ("edge_type", "node_type") if spaces.leads(space, s)]
        if space == "edge_type":
            types = types[:1]
        if types and self.t.coin(0.7):
            by = self.rng.choice(types)
            number = self.t.input(by, *heads, *matrix)
            weight = body.add("read", (), (self.operand(number), row,
                                           self.t.via(space, by), True))
        else:
            number = self.t.input(None, *heads, *matrix)
            weight = body.add("weight", (), (self.operand(number),))
        self.add(body, "linear", (x, (0, weight, 0)), (transposed,))

    # -- Bodies ------------------------------------------------------------------

    def grow(self, body, steps):
        """Some steps; at least one."""
        self.read(body)
        for _ in range(3 * steps):
            if len(body.steps) > steps:
                break
            try:
                self.step(body)
            except (ValueError, IndexError):
                continue

    def yields(self, body, targets):
        """One or two yields; `targets` are (reduction or not, space)."""
        found = []
        for _ in range(self.rng.choice((1, 1, 2))):
            ref = self.pick(body, lambda v: not v.whole and len(v.shape) <= 2)
            reduces, space = self.rng.choice(targets)
            kind = self.rng.choice(_REDUCE) if reduces else None
            via = self.t.via(body.over, space) if space and reduces else None
            found.append((ref, kind, space, via))
        return tuple(found)

    def inner(self, body, end, center=("own",)):
        """A loop over the edges of a node; a later one may read what it gave to
        edges."""
        part = body.inner(end, center)
        rows = [r for i, values in enumerate(body.values) for k, v in
                enumerate(values) for r in [(1, i, k)] if v.space == "edge" and
                body.steps[i][2][0] == end]
        if rows and center == ("own",):
            part.add("inner_read", (self.rng.choice(rows),), ())
        self.grow(part, self.rng.randint(1, 7))
        if not self.plain and self.t.coin(0.15):
            try:  # Two hops.
                self.inner(part, self.rng.choice(self.ends()), (
                    "own", (self.t.src, "src") if self.t.made.g.square else
                    (self.t.src, None)))
            except (ValueError, IndexError):
                pass
        targets = [(True, None), (True, None)]
        if center == ("own",):
            targets.append((False, "edge"))
            if not self.plain:
                targets.append((True, self.coarser("edge", itself=False)[0]))
        self.add(body, "inner", (), (end, center, tuple(part.steps),
                                     self.yields(part, targets)))

    def ends(self):
        return ("src", "dst") if self.t.made.g.square else ("src",)

    def nodes(self, body):
        """The body of a loop over nodes: steps, and loops over their edges."""
        end = {"src": "src", "dst": "dst"}.get(body.over) or self.rng.choice(
            ("src", "dst"))
        for _ in range(self.rng.choice((0, 1, 1, 2, 3))):
            if self.t.coin(0.5):
                self.grow(body, self.rng.randint(1, 3))
            if body.over == "node" and not self.plain and self.t.coin(0.2):
                end = self.rng.choice(("src", "dst"))
            try:
                self.inner(body, end)
            except (ValueError, IndexError):
                continue
        self.grow(body, self.rng.randint(1, 3))

    def make(self):
        """The call's number and how many results it has."""
        t = self.t
        over = self.rng.choice(("edge", "edge", t.src, t.dst))
        body = loop_calls.Body(t.made.g, self.operands, over)
        if over == "edge":
            self.grow(body, self.rng.randint(2, 10))
            targets = [(False, "edge"), (True, t.dst), (True, t.src)]
            if not self.plain:
                targets += [(True, s) for s in (
                    "src_pair", "dst_pair", "edge_type", "node_type", "graph")]
        else:
            self.nodes(body)
            targets = [(False, over)]
            if not self.plain:
                targets.append((True, self.rng.choice(("node_type", "graph"))))
        yields = self.yields(body, targets)
        yields += tuple(((0, i, k), None, None, None)
                        for i, values in enumerate(body.values)
                        for k, v in enumerate(values) if v.space)
        number = t.call("loop", *self.numbers, arguments=(
            over, tuple(body.steps), yields, self.plain))
        t.extra += [(number, i) for i in range(len(yields))
                    if i or t.coin(0.5)]
        return number


def loop(t):
    return _Making(t, t.coin(0.4)).make()
