# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains that the passes on whole graphs act on, for random programs: layers and
parts of them. As `random_ops`."""

from .random_ops import REDUCE, product


def _relations(t, size, out):
    """A weight [size, out] for each edge type: given, of bases, or a product."""
    kind = t.rng.choice(("given", "given", "bases", "product"))
    if kind == "bases":
        return t.call("weight_combine", t.input("edge_type", 2),
                      t.input(None, 2, size, out))
    if kind == "product":
        typed = t.coin()
        return t.call("weight_product", t.input("edge_type", size, 3), t.input(
            "edge_type" if typed else None, 3, out))
    return t.input("edge_type", size, out)


def _messages(t, out, end="src"):
    """Rows gathered to edges times the weight of their type."""
    x = t.rows(t.src if end == "src" else t.dst, (t.size,))
    message = t.call("gather", x, arguments=("edge", end))
    if t.coin(0.3):  # A composition with an embedding of the type.
        message = t.call("apply", x, t.input("edge_type", (x, -1)), arguments=(
            t.rng.choice(("sub", "mul")), "edge", end, None))
    weight = _relations(t, (x, -1), out)
    bias = [t.input("edge_type", out)] if t.coin(0.2) else []
    return t.call("typed_linear", message, weight, *bias, arguments=(None,))


def relational(t):
    """RGCN's sum: by (type, node), then by node; or at once, or from pairs of the
    other end."""
    message = _messages(t, t.size)
    if t.coin(0.3):
        factor = t.rows(t.rng.choice(("edge", "dst_pair", "src_pair", t.dst)), ())
        end = "dst" if t.value(factor).space == t.dst else None
        message = t.call("apply", message, factor, arguments=(
            "mul", "edge", None, end))
    inner, outer = t.rng.choice(REDUCE), t.rng.choice(("sum", "sum", "mean", "max"))
    if t.coin(0.25):
        return t.call("aggregate", message, arguments=(inner, t.dst, "dst"))
    pair = t.rng.choice(("dst_pair", "dst_pair", "src_pair"))
    pairs = t.call("aggregate", message, arguments=(inner, pair, None))
    t.pool.append(pairs)
    return t.call("aggregate", pairs, arguments=(
        outer, t.dst if pair == "dst_pair" else t.src, None))


def pair_side(t):
    """A sum into pairs, times the weight of their type, into nodes."""
    end = t.rng.choice(("src", "dst"))
    x = t.rows("edge", (t.size,))
    pairs = t.call("aggregate", x, arguments=(
        t.rng.choice(("sum", "mean")), end + "_pair", None))
    y = t.call("typed_linear", pairs, _relations(t, (x, -1), t.size),
               arguments=(None,))
    return t.call("aggregate", y, arguments=(
        "sum", t.src if end == "src" else t.dst, None))


def propagate(t):
    """A homogeneous layer: linear before or after a weighted sum."""
    x, out = t.rows(t.src, (t.size,)), t.rng.choice((t.size, 1, 12))
    before = t.coin()
    h = product(t, x, out) if before else x
    if t.coin():
        norm = t.rows("edge", ())
        h = t.call("apply", norm, h, arguments=("mul", "edge", None, "src"))
    else:
        h = t.call("gather", h, arguments=("edge", "src"))
    y = t.call("aggregate", h, arguments=(
        t.rng.choice(("sum", "sum", "mean", "max")), t.dst, "dst"))
    if t.made.g.square and t.coin(0.4) and not before:
        y = t.call("add", y, t.call("scale", x, arguments=(1.25,)))
    return y if before else product(t, y, out, bias=t.coin())


def scores(t):
    """Inner products of typed rows with a vector: one for all, or one a type."""
    h = _messages(t, t.size, t.rng.choice(("src", "dst")))
    if t.coin():
        return t.call("dot", h, t.like(h))
    return t.call("sddmm", h, t.like(h, "edge_type"), arguments=("edge", None, None))


def _reshaped(t, x):
    """x, with its features in another shape and perhaps back, or side by side with
    nothing more."""
    if len(t.value(x).features) == 1 and t.coin(0.3):
        return t.call("flatten", t.call("split", x, arguments=(1,)))
    return x


def _between(t, score):
    """The ops between scores and their softmax: scale, prior, reshapes."""
    for _ in range(t.rng.choice((0, 0, 1, 2))):
        kind = t.rng.choice(("scale", "prior", "prior", "reshape", "dropout"))
        heads = t.value(score).features
        if kind == "scale":
            score = t.call("scale", score, arguments=(t.rng.choice((0.5, -1.25)),))
        elif kind == "prior":
            space = t.rng.choice(("edge_type", "edge", "src_pair", "dst_pair", t.dst))
            prior = t.rows(space, heads)
            score = t.call("apply", score, prior, arguments=(
                t.rng.choice(("mul", "mul", "add")), "edge", None,
                t.via("edge", space)))
        elif kind == "dropout":
            score = t.call("dropout", score, arguments=(0.0, 1))
        elif len(heads) == 1:
            score = _reshaped(t, score)
    return score


def _weighted_sum(t, score, value, via):
    """The softmax of scores over the edges into a node, and the weighted sum."""
    over = t.rng.choice(("dst", "dst", "dst", "dst_pair"))
    weight = t.call("edge_softmax", _between(t, score), arguments=(over,))
    if t.coin(0.15):
        t.extra.append((weight, 0))  # Then it is used elsewhere as well.
    if t.coin(0.2):
        weight = t.call("dropout", weight, arguments=(t.rng.choice((0.0, 0.4)), 3))
    if t.coin(0.3):  # A factor.
        space = t.rng.choice(("edge", "edge_type", "dst_pair"))
        factor = t.rows(space, t.value(weight).features)
        weight = t.call("apply", weight, factor, arguments=("mul", "edge", None,
                                                            None))
    if t.coin(0.2):
        message = t.call("spmm", weight, value, arguments=(
            "mul", "sum", t.dst, None, via, "dst"))
        return message
    message = t.call("apply", weight, value, arguments=("mul", "edge", None, via))
    if over == "dst_pair" and t.coin():
        pairs = t.call("aggregate", message, arguments=("sum", "dst_pair", None))
        return t.call("aggregate", pairs, arguments=("sum", t.dst, None))
    return t.call("aggregate", message, arguments=("sum", t.dst, "dst"))


def additive(t):
    """GAT's and RGAT's attention."""
    typed = t.coin()
    if typed:
        h = _messages(t, t.size)
        target = _messages(t, t.size, "dst")
        parts = [t.call("sddmm", end, t.like(end, "edge_type"),
                        arguments=("edge", None, None)) if t.coin() else
                 t.call("dot", end, t.like(end)) for end in (h, target)]
        score = t.call("add", *parts)
    else:
        x, y = t.rows(t.src, (t.size,)), t.rows(t.dst, (t.size,))
        h, target = product(t, x, t.size), product(t, y, t.size)
        score = t.call("apply", t.call("dot", h, t.like(h)),
                       t.call("dot", target, t.like(target)),
                       arguments=("add", "edge", "src", "dst"))
    score = t.call("activation", score, arguments=("leaky_relu", 0.2))
    return _weighted_sum(t, score, h, None if typed else "src")


def additive_second(t):
    """GATv2's attention: the leaky relu before the product."""
    x, y = t.rows(t.src, (t.size,)), t.rows(t.dst, (t.size,))
    h, target = product(t, x, t.size), product(t, y, t.size)
    both = t.call("apply", h, target, arguments=("add", "edge", "src", "dst"))
    both = t.call("activation", both, arguments=("leaky_relu", 0.2))
    return _weighted_sum(t, t.call("dot", both, t.like(both)), h, "src")


def dot_product(t):
    """HGT's and the graph transformer's attention, with heads."""
    typed = t.coin()
    x = t.rows(t.src, (t.size,))
    y = x if t.made.g.square else t.rows(t.dst, (t.size,))
    by = "node_type" if t.coin() else None
    key, query, value = [t.call("split", product(t, n, t.heads * 2, by),
                                arguments=(t.heads,)) for n in (x, y, x)]
    path = "src"
    if typed:
        key, value = [t.call("typed_linear", t.call("gather", n, arguments=(
            "edge", "src")), t.input("edge_type", t.heads, 2, 2),
            arguments=(None,)) for n in (key, value)]
        path = None
    score = t.call("sddmm", query, key, arguments=("edge", "dst", path))
    if t.coin():
        prior = t.input("edge_type", t.heads)
        score = t.call("apply", score, prior, arguments=("mul", "edge", None, None))
    score = t.call("scale", score, arguments=(0.5,))
    return t.call("flatten", _weighted_sum(t, score, value, path))


def _at_edges(t, features):
    """Rows of edges, or of what edges lead to."""
    space = t.coarser("edge", itself=True)
    rows = t.rows(space, features)
    return rows if space == "edge" else t.call("gather", rows, arguments=(
        "edge", t.via("edge", space)))


def mixed_scores(t):
    """The attention of a score that is any mixture of ops on edges."""
    heads = t.rng.choice(((), (t.heads,)))
    wide = (*heads, t.size)
    score = _at_edges(t, t.rng.choice((heads, wide)))
    for _ in range(t.rng.randint(1, 5)):
        shape = t.value(score).features
        kind = t.rng.choice(("add", "sub", "mul", "max", "tanh", "relu", "sigmoid",
                             "itself", "repeat", "sum", "dot", "choose"))
        if kind in ("add", "sub", "mul", "max"):
            score = t.call(kind, score, _at_edges(t, shape))
        elif kind in ("tanh", "relu", "sigmoid"):
            score = t.call("activation", score, arguments=(kind, None))
        elif kind == "itself":  # Two ops of the score read one.
            score = t.call("mul", score, t.call("activation", score,
                                                arguments=("sigmoid", None)))
        elif kind == "choose":
            others = [t.input("edge", *shape) for _ in range(2)]
            score = t.call("choose", *others, score, _at_edges(t, shape),
                           arguments=("ogt",))
        elif kind == "repeat" and shape == heads:
            score = t.call("broadcast", score, arguments=(t.size,))
        elif kind == "sum" and shape == wide:
            score = t.call("reduce_features", score, arguments=("sum",))
        elif kind == "dot" and shape == wide:
            score = t.call("sddmm", score, t.rows(t.src, wide),
                           arguments=("edge", None, "src"))
    if t.value(score).features == wide:
        score = t.call("dot", score, t.like(score))
    score = t.call("activation", score, arguments=("tanh", None))
    value = t.rows(t.src, t.rng.choice((heads, wide)))
    return _weighted_sum(t, t.call("scale", score, arguments=(3.0,)), value, "src")


def normalized(t):
    """linear, bias, batch norm, activation, residual: what folds into a product."""
    x = t.rows(t.rng.choice((t.src, t.dst, "edge", "src_pair")), (t.size,))
    y = product(t, x, (x, -1), bias=t.coin())
    if t.coin():
        y = t.call("add", y, t.call("broadcast_like", t.like(y), y))
    if t.coin(0.7):
        y = t.call("batch_norm", y, *[t.like(y) for _ in range(4)])
    if t.coin(0.3):
        y = t.call("dropout", y, arguments=(0.0, 1))
    if t.coin(0.7):
        y = t.call("activation", y, arguments=("relu", None))
    return t.call("add", y, x) if t.coin() else y


def linear_chain(t):
    """linear after linear, after a typed linear, after a concat; a dot at its end."""
    space = t.rng.choice((t.src, "edge", "dst_pair"))
    x = t.rows(space, (t.size,))
    kind = t.rng.choice(("linear", "typed", "concat"))
    if kind == "concat":
        y = t.call("concat", x, t.rows(space, (t.size,)))
    elif kind == "typed":
        by = "node_type" if space == t.src else "edge_type"
        y = product(t, x, t.rng.randint(1, 12), by)
    else:
        y = product(t, x, t.rng.randint(1, 12), bias=t.coin(0.3))
    y = product(t, y, t.size)
    return t.call("dot", y, t.like(y)) if t.coin(0.3) else y


def spelled_softmax(t):
    """A softmax with its exponential, sum and quotient, which raise-loops makes one
    op of."""
    score = t.call("activation", t.rows("edge", t.rng.choice(((), (t.heads,)))),
                   arguments=("tanh", None))
    over = t.rng.choice((t.dst, t.src, "dst_pair"))
    end = t.via("edge", over)
    power = t.call("activation", score, arguments=("exp", None))
    total = t.call("aggregate", power, arguments=("sum", over, end))
    weight = t.call("quotient", power, total, arguments=("edge", None, end))
    if t.coin():
        return weight
    value = t.rows(t.src, (*t.value(weight).features, t.size))
    message = t.call("apply", weight, value, arguments=("mul", "edge", None, "src"))
    return t.call("aggregate", message, arguments=("sum", t.dst, "dst"))


def weights(t):
    """Weights times weights before any row, some of them shared by two products."""
    by = t.rng.choice((None, "edge_type", "node_type"))
    space = t.rng.choice(("edge", t.src, "src_pair")) if by != "edge_type" else (
        t.rng.choice(("edge", "src_pair", "dst_pair")))
    x = t.rows(space, (t.size,))
    first = t.input(by, (x, -1), 4)
    second = t.input(by if t.coin() else None, 4, t.size)
    if t.coin(0.3):
        second = t.call("weight_transpose", t.input(by, t.size, 4))
    weight = t.call("weight_product", first, second)
    more = () if by is None else (t.via(space, by),)
    kind = "linear" if by is None else "typed_linear"
    y = t.call(kind, x, weight, arguments=more)
    if t.coin():
        again = t.call(kind, t.rows(space, (t.size,)), weight, arguments=more)
        return t.call("add", y, again)
    return y


def two_layers(t):
    """One of the layers after another, with what stands between."""
    layers = (relational, propagate, additive, dot_product)
    x = t.rng.choice(layers)(t)
    if not t.made.g.square or not t.is_tame(x):
        return x
    if t.coin(0.7):
        x = t.call("activation", x, arguments=(t.rng.choice(("relu", "tanh")), None))
    if t.value(x).features != (t.size,):
        x = product(t, x, t.size)
    t.pool.append(x)
    return t.rng.choice(layers)(t)


def parts(t):
    """A relational sum, part of the edge types by one product and part by another,
    on graphs derived for them."""
    types = range(t.graph.num_edge_types)
    chosen = [k for k in types if t.coin()]
    x = t.rows(t.src, (t.size,))
    weight = _relations(t, (x, -1), t.rng.choice((t.size, 5)))
    factor = t.rows(t.rng.choice(("edge", "edge_type", "dst_pair")), ())
    scaled, total = t.coin(), None
    for kinds in (tuple(chosen), tuple(k for k in types if k not in chosen)):
        part = t.call("rebind_rows", x, arguments=(kinds, t.src))
        w = t.call("restrict_rows", weight, arguments=(kinds,))
        by_source = t.coin()
        if by_source:  # The product for pairs of the source, or of the destination.
            rows = t.call("gather", part, arguments=("src_pair", None))
            rows = t.call("typed_linear", rows, w, arguments=(None,))
            rows = t.call("gather", rows, arguments=("edge", None))
        else:
            rows = t.call("gather", part, arguments=("edge", "src"))
        if scaled:
            n = t.call("restrict_rows", factor, arguments=(kinds,))
            rows = t.call("apply", rows, n, arguments=("mul", "edge", None, None))
        if by_source:
            rows = t.call("aggregate", rows, arguments=("sum", t.dst, "dst"))
        else:
            rows = t.call("aggregate", rows, arguments=("sum", "dst_pair", None))
            rows = t.call("typed_linear", rows, w, arguments=(None,))
            rows = t.call("aggregate", rows, arguments=("sum", t.dst, None))
        back = t.call("rebind_rows", rows, arguments=(None, t.dst))
        total = back if total is None else t.call("add", total, back)
        if t.coin(0.3):
            break
    return total


def type_rows(t):
    """A value that depends on types alone, up to a relational sum of it."""
    by = t.rng.choice(("node_type", "node_type", "edge_type"))
    x = t.rows(by, (t.size,))
    if t.coin(0.4):
        x = product(t, x, t.size)
    if t.coin(0.3):
        x = t.call("activation", x, arguments=("tanh", None))
    if t.coin(0.2):  # To the one row of the graph, or from edge to node types.
        space = t.coarser(by)
        return t.call("aggregate", x, arguments=(t.rng.choice(REDUCE), space,
                                                 t.via(by, space)))
    space = t.rng.choice([s for s in ("edge", "edge", "src_pair", "dst_pair", t.src)
                          if s != t.src or by == "node_type"])
    x = t.call("gather", x, arguments=(space, t.via(space, by)))
    if space == t.src:
        return product(t, x, t.size, t.rng.choice((None, "node_type")))
    if t.coin(0.8):
        x = t.call("typed_linear", x, _relations(t, (x, -1), t.size),
                   arguments=(None,))
    if t.coin(0.3):
        x = t.call("apply", x, t.rows(space, ()), arguments=("mul", space, None,
                                                             None))
    target = t.coarser(space)
    return t.call("aggregate", x, arguments=(
        t.rng.choice(("sum", "sum", "mean", "max")), target, t.via(space, target)))


CHAINS = (relational, relational, pair_side, propagate, scores, additive, additive,
          additive_second, dot_product, dot_product, mixed_scores, mixed_scores,
          normalized, linear_chain,
          spelled_softmax, weights, two_layers, parts, type_rows)
