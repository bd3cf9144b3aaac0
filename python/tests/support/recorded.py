# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as data: a list of calls that can be changed and made again. What
`random_programs` writes and `reduction` makes smaller."""

import dataclasses

import numpy as np

from gnn_mlir import types
from gnn_mlir.graph import Graph
from gnn_mlir.graph_functions import derive
from gnn_mlir.program import Module
from . import loop_calls


def _typed_linear(f, g, x, weight, *rest):
    """rest: (bias,) via."""
    return f.typed_linear(x, weight, rest[-1], *rest[:-1])


def _slice(f, g, x, begin, part):
    """`part` of what follows after `begin` of the features."""
    begin = int(begin * x.features[-1])
    return f.slice(x, begin, max(1, int(part * (x.features[-1] - begin))))


def _pad(f, g, x, before, after):
    size = x.features[-1] if x.features else 0  # Which the builder refuses.
    return f.pad(x, before, before + size + after)


def _sum_rows(f, g, x, dims):
    """All but the last dimensions are summed."""
    return f.sum_rows(x, types.weight(*x.features[len(x.features) - dims:]))


def _weight_outer(f, g, lhs, grad, typed, by_heads, vector):
    """By heads, there are two."""
    columns = () if vector else grad.features[-1:]
    shape = (*lhs.features[:-2], lhs.features[-1], *columns)
    if by_heads:
        shape = (2, lhs.features[-1] // 2, *(size // 2 for size in columns))
    like = g.rows("edge_type", *shape) if typed else types.weight(*shape)
    return f.weight_outer(lhs, grad, like, by_heads)


def _split(f, g, x, heads):
    if len(x.features) != 1 or x.features[0] % heads:
        raise ValueError(f"expected a multiple of {heads} features, got {x.type}")
    return f.reshape(x, heads, x.features[0] // heads)


def _choose(f, g, x, y, *rest):
    """rest: (a, b), and the kind of comparison: either of x and y, or of a and b, by
    whether x is above y."""
    *picked, kind = rest
    condition = f.compare(kind.removeprefix("o"), x, y)
    return f.where(condition, *(picked or (x, y)))


def _where(f, g, a, b, x, *rest):
    """rest: (y,), two kinds of comparison, how they are joined, a number: x where a
    condition on a and b holds, elsewhere y or the number. Only whole numbers are
    equal often enough."""
    *picked, first, second, joined, number = rest
    whole = [f.elementwise("math.floor", v) if first in ("eq", "ne") else v
             for v in (a, b)]
    condition = f.compare(first, *whole)
    if joined:
        other = f.compare(second, a, 0.25)
        condition = condition & other if joined == "and" else condition | other
    return f.where(condition, x, *picked or (number,))


def _pick_feature(f, g, x, of, kind, over):
    """The mean of x where `of` is extreme."""
    reduce = f.reduce_heads if over == "heads" else f.reduce_features
    return f.pick_feature(reduce("mean", x), of, kind, over)


def _power(f, g, x, *rest):
    """rest: an exponent below 1, or a number. The base of a root is
    positive."""
    exponent, = rest
    if exponent in (2, 3.0):
        return x ** exponent
    if isinstance(exponent, float):
        return (abs(x) + 0.5) ** exponent
    return (abs(x) + 0.5) ** f.activation("tanh", exponent)


# Smooth functions, where a little less or more in makes little out.
_SMOOTH = {
    "exp": lambda f, x: f.elementwise("math.exp", f.activation("tanh", x)),
    "log": lambda f, x: f.elementwise("math.log", abs(x) + 0.5),
    "sqrt": lambda f, x: f.elementwise("math.sqrt", abs(x) + 0.1),
    "rsqrt": lambda f, x: f.elementwise("math.rsqrt", abs(x) + 0.5),
    "tanh": lambda f, x: f.elementwise("math.tanh", x),
    "erf": lambda f, x: f.elementwise("math.erf", x),
    "sin": lambda f, x: f.elementwise("math.sin", x),
    "cos": lambda f, x: f.elementwise("math.cos", x),
    "expm1": lambda f, x: f.elementwise("math.expm1", f.activation("tanh", x)),
    "log1p": lambda f, x: f.elementwise("math.log1p", abs(x)),
    "atan": lambda f, x: f.elementwise("math.atan", x),
    "neg": lambda f, x: -x,
    "inverse": lambda f, x: 1.5 / (abs(x) + 0.5),
    "above": lambda f, x: f.elementwise("arith.minimumf", x, 0.5),
}

def _smooth(f, g, x, *kinds):
    for kind in kinds:
        x = _SMOOTH[kind](f, x)
    return x


_SCORE = {
    "add": lambda body, x, y: x + y, "sub": lambda body, x, y: x - y,
    "mul": lambda body, x, y: x * y,
    "max": lambda body, x, y: body.elementwise("arith.maximumf", x, y),
    "dot": lambda body, x, y: body.dot(x, y),
    "scale": lambda body, x, factor: x * factor,
    "activation": lambda body, x, kind: body.activation(
        kind, x, alpha=0.2 if kind in ("elu", "leaky_relu") else None),
    "widen": lambda body, x, like: body.broadcast(x, *like.features),
    "choose": lambda body, a, b, x, y: body.where(a > b, x, y),
}


def _score(steps):
    """The function of one edge that `steps` say: each is (kind, numbers of the
    inputs and steps that it takes, arguments)."""
    def score(body, *inputs):
        values = list(inputs)
        for kind, taken, arguments in steps:
            values.append(_SCORE[kind](body, *[values[i] for i in taken], *arguments))
        return values[-1]
    return score


def _attention(f, g, *rest):
    """rest: the inputs, the value and perhaps a factor; then the arguments."""
    *values, steps, count, space, over, vias, stored = rest
    pairs = list(zip(values, vias))
    factor, factor_via = (pairs[count + 1:] or [(None, None)])[0]
    return f.attention(space, pairs[:count], _score(steps), values[count], over,
                       vias[count], factor, factor_via, stored)


def _graph(f, g, made):
    """The graph of these edge types, or that with other self loops: how, and the type
    of new ones; None is the whole one."""
    if made is None:
        return g
    is_looped = made[:1] and isinstance(made[0], str)
    name = "_".join(["loops" if is_looped else "part", *map(str, made)])
    declare = f.module.looped_graph if is_looped else (
        lambda name, g, *kinds: f.module.derived_graph(name, g, kinds))
    return f.module.graphs.get(name) or declare(name, g, *made)


def made_of(decl):
    """The arguments with which `_graph` makes a graph."""
    if decl is None or decl.parent is None:
        return None
    if decl.loops is None:
        return decl.parent_types
    return decl.loops, (0 if decl.loop_type is None else decl.loop_type)


# How each kind of call is built from the function, the graph's declaration, the
# operands and the arguments.
BUILD = {
    "gather": lambda f, g, x, *path: f.gather(x, *path),
    "aggregate": lambda f, g, x, kind, *path: f.aggregate(kind, x, *path),
    "extreme": lambda f, g, x, kind, *path: f.aggregate(kind, x, *path, True),
    "pick": lambda f, g, x, y, kind, *path: f.pick(
        y, f.aggregate(kind, x, *path, True)[1], x.space, path[1]),
    "pick_feature": _pick_feature,
    "degree": lambda f, g, *path: f.degree(g, *path),
    "prefix_rows": lambda f, g, x: f.prefix_rows(x),
    "extend_rows": lambda f, g, x: f.extend_rows(x),
    "linear": lambda f, g, *values: f.linear(*values),
    "typed_linear": _typed_linear,
    "outer": lambda f, g, x, y, heads: f.outer(x, y, heads),
    "typed_outer": lambda f, g, x, y, *rest: f.typed_outer(x, y, *rest),
    "weight_product": lambda f, g, x, y: f.weight_product(x, y),
    "weight_combine": lambda f, g, x, y: f.weight_combine(x, y),
    "apply": lambda f, g, x, y, kind, space, *vias: f.apply(kind, space, x, y,
                                                            *vias),
    "sddmm": lambda f, g, x, y, space, *vias: f.sddmm(space, x, y, *vias),
    "spmm": lambda f, g, x, y, kind, reduce, space, *vias: f.spmm(
        kind, reduce, space, x, y, *vias),
    "edge_softmax": lambda f, g, x, over: f.edge_softmax(x, over),
    "dot": lambda f, g, x, y: f.dot(x, y),
    "outer_rows": lambda f, g, x, y: f.outer_rows(x, y),
    "activation": lambda f, g, x, kind, alpha: f.activation(kind, x, None, alpha),
    "prelu": lambda f, g, x, weight: f.activation("prelu", x, weight),
    "batch_norm": lambda f, g, *values: f.batch_norm(*values),
    "layer_norm": lambda f, g, *values: f.layer_norm(*values, eps=0.1),
    "dropout": lambda f, g, x, p, seed: f.dropout(x, p, seed),
    "broadcast_like": lambda f, g, x, like: f.broadcast(x, like.type),
    "broadcast": lambda f, g, x, size: f.broadcast(
        x, x.type.with_features(*x.features, size)),
    "concat": lambda f, g, *values: f.concat(*values),
    "slice": _slice,
    "pad": _pad,
    "sum_rows": _sum_rows,
    "spread": lambda f, g, x, space: f.broadcast(x, g.rows(space, *x.features)),
    "weight_outer": _weight_outer,
    "flatten": lambda f, g, x: f.reshape(x, int(np.prod(x.features))),
    "split": _split,
    "reduce_heads": lambda f, g, x, kind: f.reduce_heads(kind, x),
    "reduce_features": lambda f, g, x, kind: f.reduce_features(kind, x),
    "add": lambda f, g, x, y: x + y,
    "sub": lambda f, g, x, y: x - y,
    "mul": lambda f, g, x, y: x * y,
    "div": lambda f, g, x, y: x / (f.elementwise("math.absf", y) + 1.5),
    "max": lambda f, g, x, y: f.elementwise("arith.maximumf", x, y),
    "scale": lambda f, g, x, factor: x * factor,
    "shift": lambda f, g, x, number: number - x,
    "matmul": lambda f, g, x, weight: x @ weight,
    "where": _where,
    "power": _power,
    "smooth": _smooth,
    "floor": lambda f, g, x, kind: f.elementwise(f"math.{kind}", x),
    "atan2": lambda f, g, x, y: f.elementwise("math.atan2", x, abs(y) + 0.5),
    "angle": lambda f, g, x, y: f.elementwise("math.atan2", x, y),
    "feature_softmax": lambda f, g, x: f.softmax(x),
    "choose": _choose,
    "attention": _attention,
    "weight_transpose": lambda f, g, weight: f.weight_transpose(weight),
    "quotient": lambda f, g, x, y, *rest: f.apply("div", rest[0], x, y, *rest[1:]),
    "rebind_rows": lambda f, g, x, kinds, space: f.rebind_rows(
        x, _graph(f, g, kinds), space),
    "restrict_rows": lambda f, g, x, kinds: f.restrict_rows(x, _graph(f, g, kinds)),
    "expand_rows": lambda f, g, x, kinds: f.expand_rows(x, _graph(f, g, kinds)),
    "extend_edges": lambda f, g, x, y, loops: f.extend_edges(x, y, _graph(f, g, loops)),
    "loop_rows": lambda f, g, x: f.loop_rows(x),
    "loop": lambda f, g, *rest: loop_calls.build(f, g, rest[:-4], *rest[-4:]),
}


@dataclasses.dataclass(frozen=True)
class Call:
    """One step: a kind of `BUILD`, or "input" with (space, shape) and perhaps what its
    graph is derived by, where no space is a weight. `operands` are numbers of earlier
    calls. An entry of a shape is a number, or (call, axis): as large as that feature
    dimension there."""

    kind: str
    operands: tuple = ()
    arguments: tuple = ()


@dataclasses.dataclass(frozen=True)
class Recorded:
    """A program, what it is bound to, and the seed of its inputs.

    `results` are (call, number of the result). With `stats` the declaration of the
    graph carries its statistics; with `dst_sorted` it says that edges are sorted."""

    graph: Graph
    calls: tuple
    results: tuple
    seed: int
    stats: bool = False
    dst_sorted: bool = False

    def replace(self, **changes):
        return dataclasses.replace(self, **changes)

    @property
    def is_raised(self):
        """Whether it has loops that only raise-loops makes compile."""
        needed = self.needed()
        return any(call.kind == "loop" and not call.arguments[-1]
                   for i, call in enumerate(self.calls) if i in needed)

    def needed(self):
        """The calls that results depend on, ascending."""
        found = {call for call, _ in self.results}
        for i in reversed(range(len(self.calls))):
            if i in found:
                found.update(self.calls[i].operands)
                if self.calls[i].kind == "input":
                    found.update(entry[0] for entry in self.calls[i].arguments[1]
                                 if not isinstance(entry, int))
        return sorted(found)

    def build(self):
        """A `Building` of the calls that are needed. Raises ValueError where they
        do not fit together."""
        made = Building(self.graph, self.seed, self.stats, self.dst_sorted)
        for i in self.needed():
            made.add(i, self.calls[i])
        for number, (call, which) in enumerate(self.results):
            made.function.output(f"out{number}", made.results[call][which])
        return made


class Building:
    """A function under construction from calls. `results` has a tuple of values
    for each call's number."""

    def __init__(self, graph, seed, stats=False, dst_sorted=False):
        self.graph, self.seed = graph, seed
        module = Module()
        self.g = module.graph_like("g", graph, stats, dst_sorted)
        self.function = module.function("f")
        self.results = {}

    def value(self, number):
        return self.results[number][0]

    def add(self, number, call):
        """Builds a call, and gives its first value."""
        if call.kind == "input":
            space, shape, *made = call.arguments
            shape = [entry if isinstance(entry, int) else
                     self.value(entry[0]).features[entry[1]] for entry in shape]
            graph = _graph(self.function, self.g, *made or (None,))
            found = self.function.input(f"x{number}", graph.rows(
                space, *shape) if space else types.weight(*shape))
        else:
            found = BUILD[call.kind](self.function, self.g, *[
                self.value(i) for i in call.operands], *call.arguments)
        self.results[number] = found if isinstance(found, tuple) else (found,)
        return self.value(number)

    def inputs(self):
        """float32 arrays by name, each by its name and the seed alone: rows from
        N(0, 1), weights scaled so that features keep their size."""
        return {name: draw(value, name, self.graph, self.seed)
                for name, value in self.function.inputs.items()}


def draw(value, name, graph, seed):
    """The array of one input; `graph` is the program's."""
    decl = value.graph
    if decl is not None and decl.parent is not None:
        graph = derive(graph, decl.parent_types, decl.loops, decl.loop_type)
    shape = value.type.shape(graph)
    rng = np.random.default_rng([seed, int(name[1:])])
    x = rng.standard_normal(shape, dtype=np.float32)
    is_weight = value.space is None or value.type.is_typed
    if is_weight and len(value.features) >= 2:
        x /= np.float32(np.sqrt(value.features[-2]))
    return np.abs(x) + np.float32(0.5) if value.positive else x

