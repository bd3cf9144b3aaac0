# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a random program grows by: single ops, and chains that passes act on. Each
function takes a `random_programs.Growing` and gives the number of a call; ValueError
and IndexError say that it cannot be done with the values there are."""

_REDUCE = ("sum", "mean", "max", "min")
_BINARY = ("add", "sub", "mul")

# -- Single ops --------------------------------------------------------------------


def gather(t):
    x = t.rows()
    source = t.value(x).space
    space = t.finer(source)
    return t.call("gather", x, arguments=(space, t.via(space, source)))


def aggregate(t):
    x = t.rows()
    source = t.value(x).space
    space = t.coarser(source)
    return t.call("aggregate", x, arguments=(t.rng.choice(_REDUCE), space,
                                             t.via(source, space)))


def extreme(t):
    """Of an input alone: a tie of computed values could go either way."""
    x = t.input(t.value(t.rows()).space, t.size)
    source = t.value(x).space
    space = t.coarser(source)
    number = t.call("extreme", x, arguments=(
        t.rng.choice(_REDUCE[2:]), space, t.via(source, space)))
    t.extra.append((number, 1))
    return number


def degree(t):
    space = t.rng.choice([s for s in t.spaces if s not in ("edge", "graph")])
    of = t.finer(space)
    return t.call("degree", arguments=(of, space, t.via(of, space)))


def prefix(t):
    return t.call("prefix_rows", t.rows("src"))


def _operands(t, space, same=False):
    """Two values that rows of `space` lead to, with their paths."""
    x = t.rows(t.coarser(space, itself=True))
    features = t.value(x).features
    keep = len(features) if same else t.rng.randint(0, len(features))
    y = t.rows(t.coarser(space, itself=True), features[:keep])
    return (x, y), [t.via(space, t.value(n).space) for n in (x, y)]


def apply(t):
    space = t.rng.choice(("edge", "edge", "src_pair", "dst_pair", t.src))
    operands, vias = _operands(t, space)
    return t.call("apply", *operands, arguments=(t.rng.choice(_BINARY), space,
                                                 *vias))


def sddmm(t):
    operands, vias = _operands(t, "edge", same=True)
    return t.call("sddmm", *operands, arguments=("edge", *vias))


def spmm(t):
    space = t.coarser("edge")
    operands, vias = _operands(t, "edge")
    return t.call("spmm", *operands, arguments=(
        t.rng.choice(_BINARY), t.rng.choice(_REDUCE), space, *vias,
        t.via("edge", space)))


def softmax(t):
    x = t.rows(t.rng.choice(("edge", "edge", "src_pair", "dst_pair")))
    over = {"edge": ("src", "dst", "src_pair", "dst_pair"), "src_pair": ("src",),
            "dst_pair": ("dst",)}[t.value(x).space]
    return t.call("edge_softmax", x, arguments=(t.rng.choice(over),))


def _product(t, x, out, by=None, via=None, bias=False):
    """x times a weight, typed where `by` names types; `via` is for those."""
    heads = [(x, 0)] if len(t.value(x).features) == 2 and t.coin(0.6) else []
    w = t.input(by, *heads, (x, -1), out)
    operands = [x, w]
    if bias:
        heads = [(x, 0)] if len(t.value(x).features) == 2 else []
        operands.append(t.input(by, *heads, out))
    if by is None:
        return t.call("linear", *operands)
    return t.call("typed_linear", *operands, arguments=(via,))


def linear(t):
    x, by = t.rows(), t.rng.choice((None, "edge_type", "node_type"))
    return _product(t, x, t.rng.randint(1, 12), by,
                    by and t.via(t.value(x).space, by), t.coin())


def outer(t):
    x = t.rows()
    y = t.rows(t.value(x).space, (*t.value(x).features[:-1], 3))
    heads = len(t.value(x).features) == 2 and t.coin()
    if t.coin():
        t.extra.append((t.call("outer", x, y, arguments=(heads,)), 0))
    by = t.rng.choice(("edge_type", "node_type"))
    return t.call("typed_outer", x, y, arguments=(
        by, t.via(t.value(x).space, by), heads))


def activation(t):
    x = t.rows()
    kind = t.rng.choice(("relu", "leaky_relu", "elu", "sigmoid", "tanh", "gelu",
                         "swish", "exp", "prelu"))
    if kind == "prelu":
        return t.call("prelu", x, t.like(x))
    if kind == "exp":
        x = t.call("activation", x, arguments=("tanh", None))
    alpha = 0.3 if kind in ("elu", "leaky_relu") else None
    return t.call("activation", x, arguments=(kind, alpha))


def arithmetic(t):
    x = t.rows()
    y = t.rows(t.value(x).space, t.value(x).features)
    kind = t.rng.choice(("add", "sub", "mul", "div", "max", "scale", "shift"))
    if kind in ("scale", "shift"):
        return t.call(kind, x, arguments=(t.rng.choice((-0.5, 1.0, 1.25)),))
    return t.call(kind, x, y)


def concat(t):
    x = t.rows()
    like = [n for n in t.pool if t.value(n).space == t.value(x).space and
            t.value(n).features and t.value(n).features[-1] < 24 and
            t.value(n).features[:-1] == t.value(x).features[:-1]]
    return t.call("concat", x, t.rng.choice(like))


def slice_(t):
    return t.call("slice", t.rows(), arguments=(t.rng.random(), t.rng.random()))


def shape(t):
    kind = t.rng.choice(("flatten", "split", "broadcast"))
    if kind == "flatten":
        return t.call("flatten", t.rows())
    if kind == "split":
        return t.call("split", t.rows(), arguments=(t.rng.choice((1, t.heads)),))
    return t.call("broadcast", t.rows(), arguments=(t.size,))


def reduce(t):
    return t.call(t.rng.choice(("reduce_heads", "reduce_features")), t.rows(),
                  arguments=(t.rng.choice(_REDUCE),))


def layer_norm(t):
    x = t.rows()
    return t.call("layer_norm", x, *([t.like(x), t.like(x)] if t.coin() else []))


def outer_rows(t):
    x = t.rows()
    return t.call("outer_rows", x, t.rows(t.value(x).space, (3,)))


def dropout(t):
    """Which elements are kept is a matter of their numbers, and p = 0 of none."""
    return t.call("dropout", t.rows(), arguments=(t.rng.choice((0.0, 0.4)),
                                                  t.rng.randrange(100)))


# -- Chains ------------------------------------------------------------------------


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
    inner, outer = t.rng.choice(_REDUCE), t.rng.choice(("sum", "sum", "mean", "max"))
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
    h = _product(t, x, out) if before else x
    if t.coin():
        norm = t.rows("edge", ())
        h = t.call("apply", norm, h, arguments=("mul", "edge", None, "src"))
    else:
        h = t.call("gather", h, arguments=("edge", "src"))
    y = t.call("aggregate", h, arguments=(
        t.rng.choice(("sum", "sum", "mean", "max")), t.dst, "dst"))
    if t.made.g.square and t.coin(0.4) and not before:
        y = t.call("add", y, t.call("scale", x, arguments=(1.25,)))
    return y if before else _product(t, y, out, bias=t.coin())


def scores(t):
    """Inner products of typed rows with a vector: one for all, or one a type."""
    h = _messages(t, t.size, t.rng.choice(("src", "dst")))
    if t.coin():
        return t.call("dot", h, t.like(h))
    return t.call("sddmm", h, t.like(h, "edge_type"), arguments=("edge", None, None))


def _weighted_sum(t, score, value, via):
    """The softmax of scores over the edges into a node, and the weighted sum."""
    over = t.rng.choice(("dst", "dst", "dst", "dst_pair"))
    weight = t.call("edge_softmax", score, arguments=(over,))
    message = t.call("apply", weight, value, arguments=("mul", "edge", None, via))
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
        h, target = _product(t, x, t.size), _product(t, y, t.size)
        score = t.call("apply", t.call("dot", h, t.like(h)),
                       t.call("dot", target, t.like(target)),
                       arguments=("add", "edge", "src", "dst"))
    score = t.call("activation", score, arguments=("leaky_relu", 0.2))
    return _weighted_sum(t, score, h, None if typed else "src")


def additive_second(t):
    """GATv2's attention: the leaky relu before the product."""
    x, y = t.rows(t.src, (t.size,)), t.rows(t.dst, (t.size,))
    h, target = _product(t, x, t.size), _product(t, y, t.size)
    both = t.call("apply", h, target, arguments=("add", "edge", "src", "dst"))
    both = t.call("activation", both, arguments=("leaky_relu", 0.2))
    return _weighted_sum(t, t.call("dot", both, t.like(both)), h, "src")


def dot_product(t):
    """HGT's and the graph transformer's attention, with heads."""
    typed = t.coin()
    x = t.rows(t.src, (t.size,))
    y = x if t.made.g.square else t.rows(t.dst, (t.size,))
    by = "node_type" if t.coin() else None
    key, query, value = [t.call("split", _product(t, n, t.heads * 2, by),
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


def normalized(t):
    """linear, bias, batch norm, activation, residual: what folds into a product."""
    x = t.rows(t.rng.choice((t.src, t.dst, "edge", "src_pair")), (t.size,))
    y = _product(t, x, (x, -1), bias=t.coin())
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
        y = _product(t, x, t.rng.randint(1, 12), by)
    else:
        y = _product(t, x, t.rng.randint(1, 12), bias=t.coin(0.3))
    y = _product(t, y, t.size)
    return t.call("dot", y, t.like(y)) if t.coin(0.3) else y


OPS = (gather, aggregate, aggregate, extreme, degree, prefix, apply, apply, spmm,
       sddmm, softmax, linear, linear, outer, activation, arithmetic, arithmetic,
       concat, slice_, shape, shape, reduce, layer_norm, outer_rows, dropout)

CHAINS = (relational, relational, pair_side, propagate, scores, additive,
          additive_second, dot_product, normalized, linear_chain)
