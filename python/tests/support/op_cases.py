# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of one family of ops each, along every path that a graph has."""

import itertools

import numpy as np

from gnn_mlir import spaces, types
from gnn_mlir.program import Module
from .attention_cases import attention


class _Family:
    """A function under construction, on a graph. Heads share out the features, so
    that all together have about as many."""

    def __init__(self, name, graph, features, heads):
        self.module = Module()
        self.g = self.module.graph_like("g", graph)
        self.f = self.module.function(name)
        self.features, self.heads = -(-features // heads), heads
        self.shape = (heads, self.features)[heads == 1:]
        self.src, self.dst = self.g.src, self.g.dst

    def rows(self, space, *features):
        """An input on a row space, the same one for the same type."""
        name = "_".join([space, *map(str, features)])
        if name not in self.f.inputs:
            self.f.input(name, self.g.rows(space, *features))
        return self.f.inputs[name]

    def weight(self, *shape):
        name = "_".join(["w", *map(str, shape)])
        if name not in self.f.inputs:
            self.f.input(name, types.weight(*shape))
        return self.f.inputs[name]

    def keep(self, *values):
        for value in values:
            self.f.output(f"out{len(self.f.outputs)}", value)

    def paths(self, *sources):
        """(source, target, via) for all paths, or those from some spaces; paths to
        the same space are left out."""
        mine = [s for s in spaces.SPACES if s not in (
            ("src", "dst") if self.g.square else ("node",))]
        known = self.g.schema is not None and all(
            -1 not in pair for pair in self.g.schema)
        for source, target in itertools.product(sources or mine, mine):
            if source == target or not spaces.leads(source, target):
                continue
            if (source, target) == ("edge_type", "node_type") and not known:
                continue
            for via in (("src", "dst") if spaces.is_ambiguous(source, target)
                        else (None,)):
                yield source, target, via


def _gather(t):
    for source, target, via in t.paths():
        t.keep(t.f.gather(t.rows(target, *t.shape), source, via))


def _sum(t):
    for source, target, via in t.paths():
        x = t.rows(source, *t.shape)
        t.keep(t.f.aggregate("sum", x, target, via))


def _mean(t):
    for source, target, via in t.paths():
        x = t.rows(source, *t.shape)
        t.keep(t.f.aggregate("mean", x, target, via))


def _extremes(t):
    for source, target, via in t.paths("edge", "src_pair", "dst_pair"):
        x = t.rows(source, *t.shape)
        t.keep(*t.f.aggregate("max", x, target, via, argument=True))
        t.keep(*t.f.aggregate("min", x, target, via, argument=True))


def _degree(t):
    for source, target, via in t.paths():
        t.keep(t.f.degree(t.g, source, target, via))


def _linear(t):
    x, f = t.rows(t.src, *t.shape), t.features
    t.keep(t.f.linear(x, t.weight(f, 5)), t.f.linear(x, t.weight(f, 2), t.weight(
        *t.shape[:-1], 2)))
    t.keep(t.f.linear(t.rows("edge", *t.shape), t.weight(*t.shape, f)),
           t.f.linear(t.rows("dst_pair", f), t.weight(3, f, 4)))


def _typed_linear(t):
    f = t.features
    for source, target, via in t.paths("edge", "src_pair", "dst_pair", t.src,
                                       t.dst):
        if target not in ("edge_type", "node_type"):
            continue
        if source == t.dst and t.g.square:
            source = t.src
        x = t.rows(source, *t.shape)
        t.keep(t.f.typed_linear(x, t.rows(target, *t.shape, 5), via),
               t.f.typed_linear(x, t.rows(target, f, f), via,
                                t.rows(target, *t.shape)))


def _outer(t):
    heads = t.heads > 1
    grad = (*t.shape[:-1], 3)
    x, y = (t.rows(t.src, *s) for s in (t.shape, grad))
    t.keep(t.f.outer(x, y, heads), t.f.outer(x, y))
    for space in ("edge", "src_pair"):
        x, y = (t.rows(space, *s) for s in (t.shape, grad))
        t.keep(t.f.typed_outer(x, y, "edge_type", heads=heads))
    for types_of, space in (("edge_type", "edge"), ("node_type", t.src)):
        x, y = t.f.gather(t.rows(types_of, *t.shape), space), t.rows(space, *grad)
        t.keep(t.f.typed_outer(x, y, types_of, heads=heads))


def _weights(t):
    f, heads = t.features, t.shape[:-1]
    bases = t.weight(2, *heads, 4, f)
    combined = t.f.weight_combine(t.rows("edge_type", 2), bases)
    t.keep(combined, t.f.weight_product(combined, t.rows("edge_type", *t.shape)),
           t.f.weight_product(combined, t.weight(*heads, f, 3)),
           t.f.weight_product(combined, t.f.weight_transpose(
               t.weight(*heads, 3, f))))
    back = t.f.weight_transpose(t.rows("edge_type", 5, f))
    t.keep(t.f.typed_linear(t.rows("edge", f), back),
           t.f.linear(t.rows(t.src, f), t.f.weight_transpose(t.weight(7, f))))
    wide = t.rows("edge_type", 3, 2 * f)
    vectors, matrices = t.rows("edge_type", 2, f), t.weight(2, f, 3)
    t.keep(t.f.weight_product(wide, vectors, by_heads=True),
           t.f.weight_product(wide, matrices, by_heads=True),
           t.f.weight_product(t.weight(3, 2 * f), vectors, by_heads=True))
    flat = t.f.reshape(matrices, 2, 3 * f)
    cut = t.f.slice(flat, f, 2)
    t.keep(cut, t.f.broadcast(cut, types.weight(3, 2, 2)))


def _weight_gradients(t):
    """Each of the three weights has types or not."""
    f, heads = t.features, t.shape[:-1]
    made = {False: t.weight, True: lambda *shape: t.rows("edge_type", *shape)}
    for lhs, grad, out in itertools.product((False, True), repeat=3):
        if out and not lhs and not grad:
            continue
        def kind(*shape, typed=out):
            return t.g.rows("edge_type", *shape) if typed else types.weight(*shape)

        left = made[lhs](*heads, 5, f)
        t.keep(t.f.weight_outer(left, made[grad](*heads, 5, 3), kind(*heads, f, 3)),
               t.f.weight_outer(left, made[grad](*heads, 5), kind(*heads, f)),
               t.f.weight_outer(made[lhs](5, 2 * f), made[grad](5, 6),
                                kind(2, f, 3), by_heads=True),
               t.f.weight_outer(made[lhs](5, 2 * f), made[grad](5, 2), kind(2, f),
                                by_heads=True))


def _transposes(t):
    """Transposed weights that something else than a product from the right reads."""
    f, heads = t.features, t.shape[:-1]
    for weight in (t.weight(*heads, 4, f), t.rows("edge_type", *heads, 4, f)):
        back = t.f.weight_transpose(weight)
        t.keep(back, back + back, t.f.weight_product(back, weight),
               t.f.weight_product(weight, back), t.f.sum_rows(back),
               t.f.sum_rows(t.f.weight_transpose(back), types.weight(f)),
               t.f.pad(back, 4, 12))
    bases = t.f.weight_transpose(t.weight(2, f, 3))
    t.keep(t.f.weight_combine(t.rows("edge_type", 2), bases),
           t.f.weight_transpose(t.f.weight_combine(t.rows("edge_type", 2), bases)))


def _sum_rows(t):
    d = t.features
    for space in ("edge", "src_pair", "dst_pair", t.src, t.dst, "edge_type",
                  "node_type", "graph"):
        x = t.rows(space, *t.shape)
        t.keep(t.f.sum_rows(x), t.f.sum_rows(x, types.weight(d)),
               t.f.sum_rows(x, types.weight()), t.f.sum_rows(t.rows(space)))
    # Parts that are summed at once, in rounds, and one by one.
    for parts in (3, 66, 37, 74):
        x = t.weight(parts, *t.shape)
        t.keep(t.f.sum_rows(x, types.weight(*t.shape)), t.f.sum_rows(
            x, types.weight()))
    t.keep(t.f.sum_rows(t.rows("edge", 2, 3, d), types.weight(3, d)),
           t.f.broadcast(t.f.sum_rows(t.rows("edge", d) * 2), t.g.rows(t.src, d)))


def _pad(t):
    f, d = t.f, t.features
    for x in (*(t.rows(space, *t.shape) for space in (t.src, "edge", "edge_type")),
              t.weight(*t.shape), t.weight(2, 3, d), t.rows("edge", 2, 3, d)):
        t.keep(f.pad(x, 0, d + 4), f.pad(x, 4, d + 4), f.pad(x, 1, d + 3),
               f.pad(x * 2, 4, d + 8), f.slice(f.pad(x, 3, d + 8), 2, d + 2))


def _apply(t):
    e, narrow = t.rows("edge", *t.shape), t.rows("edge", *t.shape[:-1])
    u, v = t.rows(t.src, *t.shape), t.rows(t.dst, *t.shape)
    for kind in ("add", "sub", "mul"):
        t.keep(t.f.apply(kind, "edge", u, v, "src", "dst"),
               t.f.apply(kind, "edge", u, narrow, "src"),
               t.f.apply(kind, "edge", e, v, rhs_via="dst"))
    t.keep(t.f.apply("mul", "edge", e, t.rows("edge_type", *t.shape)),
           t.f.apply("copy", "edge", v, lhs_via="dst"))


def _divide(t):
    u, v = t.rows(t.src, *t.shape), t.rows(t.dst, *t.shape)
    t.keep(t.f.apply("div", "edge", u, v, "src", "dst"), u / u, 1 / v)


def _products(t):
    u, v = t.rows(t.src, *t.shape), t.rows(t.dst, *t.shape)
    e = t.rows("edge", *t.shape)
    t.keep(t.f.sddmm("edge", u, v, "src", "dst"),
           t.f.sddmm("edge", e, t.rows("edge_type", *t.shape)),
           t.f.dot(e, t.weight(*t.shape)), t.f.dot(u, u),
           t.f.outer_rows(t.rows("edge", t.features), t.rows("edge", 2)))


def _spmm(t):
    u, e = t.rows(t.src, *t.shape), t.rows("edge", *t.shape[:-1])
    for reduce in ("sum", "mean", "max", "min"):
        t.keep(t.f.spmm("copy", reduce, t.dst, u, lhs_via="src", via="dst"),
               t.f.spmm("mul", reduce, t.dst, u, e, lhs_via="src", via="dst"))
    t.keep(t.f.spmm("mul", "sum", "dst_pair", u, e, lhs_via="src"),
           t.f.spmm("add", "sum", t.src, t.rows(t.dst, *t.shape), e,
                    lhs_via="dst", via="src"))


def _edge_softmax(t):
    for over in ("dst", "src", "dst_pair", "src_pair"):
        t.keep(t.f.edge_softmax(t.rows("edge", *t.shape), over))
    t.keep(t.f.edge_softmax(t.rows("dst_pair", *t.shape), "dst"))


def _activation(t):
    for space in (t.src, "edge"):
        x = t.rows(space, *t.shape)
        for kind in ("relu", "sigmoid", "tanh", "gelu", "swish", "exp"):
            t.keep(t.f.activation(kind, x))
        t.keep(t.f.activation("leaky_relu", x, alpha=0.2),
               t.f.activation("elu", x, alpha=1.5),
               t.f.activation("prelu", x, t.weight(*t.shape)))


def _norms(t):
    x = t.rows(t.src, *t.shape)
    mean, gamma, beta = (t.f.input(n, types.weight(*t.shape))
                         for n in ("mean", "gamma", "bias"))
    variance = t.f.input("variance", types.weight(*t.shape))
    t.keep(t.f.batch_norm(x, mean, variance, gamma, beta),
           t.f.layer_norm(x, gamma, beta, eps=0.1), t.f.layer_norm(x, eps=0.1),
           t.f.dropout(x, 0.4, seed=11, offset=5))


def _training(t):
    """Batch statistics, and integers that are inputs."""
    seeds = [t.f.input(n, types.I64) for n in ("seed", "offset")]
    for space in (t.src, "edge"):
        x = t.rows(space, *t.shape)
        made, *running = t.f.batch_norm_training(x, *[t.weight(*t.shape)] * 4, eps=0.1)
        t.keep(made + 8, *running, t.f.dropout(x, 0.4, *seeds),
               t.f.dropout(x, 0.4, 11, seeds[1]))


def _shapes(t):
    x, f = t.rows(t.src, *t.shape), t.features
    three = t.rows("edge", 3, f)
    t.keep(t.f.broadcast(t.weight(f), t.g.rows(t.src, 2, f)),
           t.f.broadcast(t.rows("edge", 3), three.type),
           t.f.concat(x, x, t.rows(t.src, *t.shape[:-1], 2)),
           t.f.slice(x, f // 2, f - f // 2), t.f.reshape(three, 3 * f))
    for kind in ("sum", "mean", "max", "min"):
        t.keep(t.f.reduce_heads(kind, three), t.f.reduce_features(kind, three))


def _elementwise(t):
    x, y = t.rows("edge", *t.shape), t.rows("dst_pair", *t.shape)
    t.keep(x + x, x - 2, x * x, -x, 3 * y,
           t.f.elementwise("arith.maximumf", x, t.f.constant(0.25, x.type)),
           t.f.elementwise("arith.minimumf", y, -y),
           t.f.elementwise("math.absf", x))


def _numbers_of_types(t):
    """A constant number for each type, of which only some are equal."""
    f = t.f
    for space, row in (("edge_type", "edge"), ("node_type", t.src)):
        kind = t.g.rows(space)
        different = f.constant([0.5 * (n % 3) for n in range(kind.rows)], kind)
        same = f.constant([2.0] * kind.rows, kind)
        t.keep(different, different * t.rows(space) + same,
               f.apply("mul", row, f.gather(different, row), t.rows(row, *t.shape)))


def _number(f, condition, dtype="f32"):
    """1 where the condition holds, 0 elsewhere, as a conversion makes it."""
    op, kind = {"f32": ("uitofp", np.float64), "i32": ("extui", np.int64)}[dtype]
    made = condition.type.with_dtype(dtype)
    return f._record(
        f"arith.{op}", "{}", lambda spell: f"{spell(condition.type)} to {spell(made)}",
        [condition], [made], lambda g, c: np.asarray(c).astype(kind))


def _conditions(t):
    """Conditions with one reader and with several, one after the other, from rows
    that are computed themselves, from integers and from weights."""
    f, width = t.f, t.features
    wide = f.broadcast(t.weight(width), types.weight(3, width))
    for x in (t.rows(t.src, *t.shape), t.rows("edge", *t.shape),
              t.rows("edge_type", *t.shape), t.rows("edge", 2, 3, width),
              t.weight(*t.shape), wide):
        square = x * x
        above, low = x > square, square < x + x
        both = above & low
        other = f.elementwise("arith.xori", above | low, both)
        t.keep(f.where(both, x, -x), f.where(other, square, _number(f, both)))
    u, v = t.rows(t.src, *t.shape), t.rows(t.dst, *t.shape)
    here, there = f.gather(u, "edge", "src"), f.gather(v, "edge", "dst")
    picked = f.where(here > there, here, 0.25)
    t.keep(f.where(2 * there > 0.25, here, there), f.where(there > 0.25, 2 * there, 1),
           f.where((f.gather(t.rows("edge_type", *t.shape), "edge") > 0) & (here > 0),
                   here, 0.25))
    first = f.aggregate("max", picked, t.dst, "dst", argument=True)[1]
    last = f.aggregate("min", picked, t.dst, "dst", argument=True)[1]
    t.keep(f.aggregate("sum", picked, t.dst, "dst"),
           f.where(first != last, v, -v), _number(f, first > last, "i32"))
    for kind in ("lt", "le", "gt", "ge", "eq", "ne"):
        t.keep(f.where(f.compare(kind, u, 0.25), u, 1.0),
               _number(f, f.compare(kind, first, last), "i32"))


def _numpy(t):
    """Operators, and features that broadcast as in NumPy."""
    f, d = t.f, t.features
    x, w = t.rows("edge", *t.shape), t.weight(*t.shape)
    size = f.elementwise("math.absf", x) + 0.5
    t.keep(size ** x, size ** 0.5, x ** 2, 2 ** x, x ** 3,
           f.elementwise("math.floor", 3 * x), f.elementwise("math.ceil", 3 * x),
           f.elementwise("math.atan2", x, w), f.elementwise("math.atan2", 0.5, x),
           f.elementwise("math.sin", x), f.elementwise("math.cos", x),
           f.elementwise("arith.minimumf", x, -0.25), f.softmax(x), abs(x) - w)
    scalar, column, row = (t.rows("edge", *s) for s in ((), (3, 1), (d,)))
    three, middle = t.rows("edge", 2, 3, d), t.rows("edge", 2, 1, d)
    t.keep(scalar + row, column * row, three + row, three - column, middle * three,
           middle + column, t.weight(3, 1) + row, t.weight(2, 1, d) * scalar,
           f.broadcast_to(t.rows("edge", 1, 3, 1), three.type),
           f.where(column > row, column, row), f.where(scalar > 0, three, 0.0),
           f.where(three > 0, row, column), f.where(row > column, 1.0, 2.0),
           f.softmax(three))
    t.keep(row @ t.weight(d, 3), row @ t.rows("edge_type", d, 3),
           row @ (t.weight(d, 3) @ t.weight(3, 2)))


def _dimensions(t):
    """Three feature dimensions."""
    f, d = t.f, t.features
    x, y = t.rows("edge", 2, 3, d), t.rows(t.src, 2, 3, d)
    t.keep(f.dot(x, x), f.dot(x, t.weight(2, 3, d)), f.dot(y, y),
           f.broadcast(t.rows("edge", 2), x.type),
           f.broadcast(t.rows("edge", 2, 3), x.type),
           f.broadcast(t.rows("edge"), x.type), f.broadcast(t.weight(), x.type),
           f.broadcast(t.weight(3, d), y.type), f.broadcast(t.weight(d), y.type))
    for kind in ("sum", "mean", "max", "min"):
        t.keep(f.reduce_features(kind, x))
    for shape in ((d,), (3, d), (2, 3, d)):
        w = t.weight(*shape)
        variance = f.input(f"variance{len(shape)}", types.weight(*shape))
        t.keep(f.layer_norm(x, w, w, eps=0.1), f.activation("prelu", y, w),
               f.batch_norm(y, w, variance, w, w))
    t.keep(f.layer_norm(y, eps=0.1))


def _rebind(t):
    other = t.module.graph_like("h", t.bound)
    if t.g.square:
        t.keep(t.f.rebind_rows(t.rows("node", *t.shape), other, "node") * 2)
        return
    x = t.rows("src", *t.shape)
    t.keep(t.f.rebind_rows(x, other, "src") * 2)
    if t.bound.num_dst_nodes <= t.bound.num_src_nodes:
        t.keep(t.f.prefix_rows(x))


def _derived(t):
    """On graphs of no edge type, of every second and of all."""
    f, every = t.f, range(t.g.edge_types)
    ids = f.aggregate("max", t.rows("edge"), t.dst, "dst", argument=True)[1]
    sums = []
    for name, listed in (("none", ()), ("second", every[::2]), ("all", every)):
        s = t.module.derived_graph(name, t.g, listed)
        for space in ("edge", "edge_type", "src_pair", "dst_pair"):
            t.keep(f.restrict_rows(t.rows(space, *t.shape), s))
        x = f.rebind_rows(t.rows(t.src, *t.shape), s, s.src)
        w, b = (f.restrict_rows(t.rows("edge_type", *shape), s) for shape in (
            (t.features, 5), (*t.shape[:-1], 5)))
        scale = f.restrict_rows(t.rows("edge"), s)
        pairs = f.typed_linear(f.gather(x, "src_pair"), w, bias=b)
        sums.append(f.rebind_rows(
            f.spmm("mul", "sum", s.dst, pairs, scale, via="dst"), t.g, t.dst))
        edges = f.restrict_rows(t.rows("edge", *t.shape) * 2, s)
        t.keep(f.aggregate("max", edges, s.dst, "dst"),
               f.edge_softmax(edges, "dst"),
               f.linear(edges, t.weight(t.features, 3)),
               f.typed_linear(edges, w),
               f.gather(f.restrict_rows(t.rows("dst_pair", *t.shape), s), "edge"),
               f.gather(b, "dst_pair"), f.typed_linear(b, f.restrict_rows(
                   t.rows("edge_type", 5, 2), s)),
               f.typed_linear(edges, f.weight_transpose(f.restrict_rows(
                   t.rows("edge_type", 5, t.features), s))),
               f.restrict_rows(f.weight_transpose(t.rows("edge_type", 5, 2)), s),
               f.weight_transpose(w), f.sum_rows(w), f.sum_rows(edges),
               f.weight_outer(w, w, s.rows("edge_type", 5, 5)),
               f.weight_outer(w, w, types.weight(5, 5)),
               f.typed_outer(edges, edges, "edge_type", heads=t.heads > 1),
               f.restrict_rows(f.gather(ids, "edge", "dst"), s))
    t.keep(sums[0] + sums[1], sums[2])


def _pick(t):
    """Behind what gives the argument, and read as it is, by a walk over the same
    edges and by one over others."""
    f = t.f
    for source, target, via in t.paths("edge", "src_pair", "dst_pair", t.src):
        x = t.rows(source, *t.shape)
        for kind in ("max", "min"):
            top, at = f.aggregate(kind, x, target, via, argument=True)
            picked = f.pick(top * 2, at, source, via)
            t.keep(picked, f.pick(t.rows(target, *t.shape), at, source, via) + x)
    for end in ("src", "dst"):
        node = t.g.src if end == "src" else t.g.dst
        at = f.aggregate("max", t.rows("edge", *t.shape), node, end, argument=True)[1]
        picked = f.pick(t.rows(node, *t.shape), at, "edge", end)
        for space, via in ((t.src, "src"), (t.dst, "dst"), ("src_pair", None),
                           ("dst_pair", None), ("edge_type", None),
                           ("graph", None)):
            t.keep(f.aggregate("sum", picked, space, via))
    top, at = f.aggregate("min", t.rows("edge", 2, 3, t.features), "dst_pair",
                          argument=True)
    t.keep(f.pick(top, at, "edge"))


def _pick_feature(t):
    """Cases of features and of heads, with ties where one is gathered or
    constant."""
    f, d = t.f, t.features
    for x in (t.rows(t.src, 3, d), t.rows("edge", 3, d) * 2):
        ties = f.elementwise("arith.maximumf", x, 0.25)
        for of, kind in ((x, "max"), (x, "min"), (ties, "max"), (-ties, "min"),
                         (f.where(x > 0.25, x, float("nan")), "max"),
                         (f.constant(1.0, x.type), "max")):
            for over in ("heads", "features"):
                reduce = f.reduce_heads if over == "heads" else f.reduce_features
                t.keep(f.pick_feature(reduce("sum", x), of, kind, over))
    for shape in ((d,), (2, 3, d), (1, d), (3, 1)):
        x = t.rows("edge", *shape)
        t.keep(f.pick_feature(f.reduce_features("max", x), x, "max", "features"))


def _expand(t):
    """Rows of graphs of no edge type, of every second and of all, among all: as
    they are, computed in place, by a walk and by a product; what is read once more
    and what several rows are added to."""
    f, every = t.f, range(t.g.edge_types)
    for name, listed in (("none", ()), ("second", every[::2]), ("all", every)):
        s = t.module.derived_graph(name, t.g, listed)

        def own(space):
            return f.restrict_rows(t.rows(space, *t.shape), s)

        for space in ("edge", "edge_type", "src_pair", "dst_pair"):
            x = f.input(f"{name}_{space}", s.rows(space, *t.shape))
            t.keep(f.expand_rows(x, t.g), f.expand_rows(x * 2, t.g) + t.rows(
                space, *t.shape), f.expand_rows(f.constant(1.0, x.type), t.g))
        scores = f.expand_rows(f.edge_softmax(own("edge"), "dst"), t.g)
        t.keep(scores, f.aggregate("sum", scores, t.src, "src"),
               f.aggregate("max", scores, "dst_pair"))
        w = f.restrict_rows(t.rows("edge_type", t.features, 5), s)
        for space in ("edge", "src_pair"):
            product = f.expand_rows(f.typed_linear(own(space), w), t.g)
            t.keep(f.linear(product, t.weight(*t.shape[:-1], 5, 2)), product)
        sums = f.aggregate("sum", own("edge"), "dst_pair")
        t.keep(f.gather(f.expand_rows(sums, t.g), "edge"),
               f.expand_rows(f.typed_outer(own("edge"), own("edge"), "edge_type"),
                             t.g), f.restrict_rows(f.expand_rows(sums, t.g), s))


def _extend(t):
    """Destinations as the first sources, where there are as many of these."""
    f, x = t.f, t.rows(t.dst, *t.shape)
    if t.g.square or t.bound.num_dst_nodes > t.bound.num_src_nodes:
        t.keep(x * 2)
        return
    all_rows = f.extend_rows(x * 2)
    t.keep(f.extend_rows(x), all_rows, f.gather(all_rows, "edge"),
           f.gather(f.extend_rows(x), "src_pair"),
           f.extend_rows(x) + t.rows("src", *t.shape),
           f.linear(f.extend_rows(f.linear(x, t.weight(t.features, 5))),
                    t.weight(*t.shape[:-1], 5, 2)),
           f.extend_rows(f.aggregate("sum", t.rows("edge", *t.shape), "dst")),
           f.extend_rows(f.prefix_rows(t.rows("src", *t.shape))),
           f.extend_rows(f.constant(1.0, x.type)) * 3)


def _looped(t):
    """On graphs with other self loops: rows of edges there of arguments, of computed
    rows, of constants and of what is read once more; and back."""
    f = t.f
    if not t.g.square:
        t.keep(t.rows("edge", *t.shape) * 2)
        return
    for loops in ("remove", "add", "replace", "remaining"):
        s = t.module.looped_graph(loops, t.g, loops, t.g.edge_types)
        own = f.input(f"{loops}_edge", s.rows("edge", *t.shape))
        t.keep(f.expand_rows(own, t.g), f.expand_rows(own * 2, t.g) + t.rows(
            "edge", *t.shape))
        if loops == "remove":
            for space in ("edge", "edge_type", "src_pair", "dst_pair"):
                t.keep(f.restrict_rows(t.rows(space, *t.shape), s))
            continue
        edges, nodes = t.rows("edge", *t.shape), t.rows("node", *t.shape)
        twice = edges * 2
        given = f.extend_edges(edges, nodes, s)
        made = f.extend_edges(edges * edges, nodes * 2, s)
        t.keep(given, made, f.extend_edges(twice, nodes, s), f.aggregate(
            "sum", twice, "node", "src"), f.loop_rows(own), f.loop_rows(given * 2),
            f.aggregate("sum", f.extend_edges(
                edges, f.constant(1.0, nodes.type), s), "node", "src"),
            f.extend_edges(f.constant(1.0, edges.type), nodes, s),
            f.extend_edges(f.linear(edges, t.weight(t.features, 3)), f.linear(
                nodes, t.weight(t.features, 3)), s))
        x = f.rebind_rows(nodes, s, "node")
        total = f.spmm("mul", "sum", "node", x, f.edge_softmax(made, "dst"),
                       lhs_via="src", via="dst")
        t.keep(f.rebind_rows(total, t.g, "node"), f.linear(given, t.weight(
            t.features, 3)), f.aggregate("max", made, "node", "dst"))


OPS = {
    "op-gather": _gather, "op-sum": _sum, "op-mean": _mean,
    "op-extremes": _extremes, "op-degree": _degree, "op-linear": _linear,
    "op-typed-linear": _typed_linear, "op-outer": _outer, "op-weights": _weights,
    "op-weight-gradients": _weight_gradients, "op-transposes": _transposes,
    "op-sum-rows": _sum_rows, "op-pad": _pad,
    "op-apply": _apply, "op-divide": _divide, "op-products": _products,
    "op-spmm": _spmm, "op-edge-softmax": _edge_softmax,
    "op-attention": attention,
    "op-activation": _activation, "op-norms": _norms,
    "op-training": _training, "op-shapes": _shapes,
    "op-numbers-of-types": _numbers_of_types,
    "op-elementwise": _elementwise, "op-conditions": _conditions,
    "op-numpy": _numpy, "op-dimensions": _dimensions,
    "op-rebind": _rebind, "op-derived": _derived, "op-pick": _pick,
    "op-pick-feature": _pick_feature, "op-expand": _expand, "op-extend": _extend,
    "op-looped": _looped,
}

WITH_HEADS = set(OPS) - {"op-degree", "op-dimensions"}

# Conditions on the inputs so that errors by row mean something; see
# `cases.make_inputs`.
INPUTS = {name: "dyadic" for name in OPS}
INPUTS.update({"op-attention": "positive", "op-divide": "positive",
               "op-norms": "positive", "op-training": "positive", "op-dimensions": "positive",
               "op-products": "dyadic"})

# Those whose inputs are sums without rounding, and that the emulator takes long for where there
# are many edges.
OF_MANY_RESULTS = {
    "op-typed-linear", "op-outer", "op-weights", "op-weight-gradients", "op-pad", "op-numpy",
    "op-derived", "op-pick", "op-pick-feature", "op-expand", "op-looped"}
assert all(INPUTS[name] == "dyadic" for name in OF_MANY_RESULTS)


def build(name, graph, features, heads):
    """The module of a family of ops for a graph."""
    family = _Family(name.replace("-", "_"), graph, features, heads)
    family.bound = graph
    OPS[name](family)
    return family.module
