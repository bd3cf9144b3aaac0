# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The single ops that a random program grows by. Each function takes a
`random_programs.Growing` and gives the number of a call; ValueError and IndexError
say that it cannot be done with the values there are."""

REDUCE = ("sum", "mean", "max", "min")
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
    return t.call("aggregate", x, arguments=(t.rng.choice(REDUCE), space,
                                             t.via(source, space)))


def extreme(t):
    """An extreme of an input alone: a tie of computed values could go either way."""
    x = t.input(t.value(t.rows()).space, t.size)
    source = t.value(x).space
    space = t.coarser(source)
    number = t.call("extreme", x, arguments=(
        t.rng.choice(REDUCE[2:]), space, t.via(source, space)))
    t.extra.append((number, 1))
    return number


def pick(t):
    """By the argument of an input, as `extreme`; of a gradient of any kind."""
    space = t.coarser(t.rng.choice(("edge", "edge", "src_pair", "dst_pair")))
    y = t.rows(space)
    source = t.finer(space)
    x = t.input(source, *t.value(y).features)
    return t.call("pick", x, y, arguments=(t.rng.choice(REDUCE[2:]), space,
                                           t.via(source, space)))


def pick_feature(t):
    """By an input: rounding must not decide."""
    x = t.rows()
    features = t.value(x).features
    of = t.input(t.value(x).space, *features)
    heads = len(features) == 2 and t.coin()
    return t.call("pick_feature", x, of, arguments=(
        t.rng.choice(REDUCE[2:]), "heads" if heads else "features"))


def expand(t):
    """The rows of some edge types, 0 elsewhere."""
    x = t.rows(t.rng.choice(("edge", "src_pair", "dst_pair", "edge_type")))
    kinds = tuple(k for k in range(t.graph.num_edge_types) if t.coin())
    part = t.call("restrict_rows", x, arguments=(kinds,))
    if t.coin():
        part = t.call("activation", part, arguments=("tanh", None))
    return t.call("expand_rows", part, arguments=(None,))


def degree(t):
    space = t.rng.choice([s for s in t.spaces if s not in ("edge", "graph")])
    of = t.finer(space)
    return t.call("degree", arguments=(of, space, t.via(of, space)))


def prefix(t):
    """The first sources as destinations, or these among all sources."""
    if t.coin():
        return t.call("extend_rows", t.rows("dst"))
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
        t.rng.choice(_BINARY), t.rng.choice(REDUCE), space, *vias,
        t.via("edge", space)))


def softmax(t):
    x = t.rows(t.rng.choice(("edge", "edge", "src_pair", "dst_pair")))
    over = {"edge": ("src", "dst", "src_pair", "dst_pair"), "src_pair": ("src",),
            "dst_pair": ("dst",)}[t.value(x).space]
    return t.call("edge_softmax", x, arguments=(t.rng.choice(over),))


def product(t, x, out, by=None, via=None, bias=False):
    """x times a weight, typed where `by` names types; `via` is for those."""
    heads = [(x, 0)] if len(t.value(x).features) == 2 and t.coin(0.6) else []
    if t.coin(0.1):
        w = t.call("weight_transpose", t.input(by, *heads, out, (x, -1)))
        if t.coin(0.3):
            t.extra.append((w, 0))
    else:
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
    return product(t, x, t.rng.randint(1, 12), by,
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


def weight_outer(t):
    """Products of weights that types have or share, with heads or without."""
    heads, vector = t.rng.choice(((), (2,), 2)), t.coin(0.3)
    kinds = [t.rng.choice((None, "edge_type")) for _ in range(2)]
    shapes = ((3, 8), (3, 2 if vector else 10)) if heads == 2 else (
        (*heads, 3, 4), (*heads, 3) if vector else (*heads, 3, 5))
    made = t.call("weight_outer", *[t.input(by, *s) for by, s in zip(kinds, shapes)],
                  arguments=(any(kinds) and t.coin(), heads == 2, vector))
    if t.value(made).space:
        return made
    t.extra.append((made, 0))
    return t.call("spread", made, arguments=(t.rng.choice(t.spaces),))


def sum_rows(t):
    """To a weight, which is spread over rows again."""
    x = t.rows()
    made = t.call("sum_rows", x, arguments=(
        t.rng.randint(0, len(t.value(x).features)),))
    t.extra.append((made, 0))
    return t.call("spread", made, arguments=(t.rng.choice(t.spaces),))


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


def pad(t):
    return t.call("pad", t.rows(), arguments=(t.rng.randint(0, 4),
                                              t.rng.randint(0, 4)))


def shape(t):
    kind = t.rng.choice(("flatten", "split", "broadcast"))
    if kind == "flatten":
        return t.call("flatten", t.rows())
    if kind == "split":
        return t.call("split", t.rows(), arguments=(t.rng.choice((1, t.heads)),))
    x = t.rows()
    if len(t.value(x).features) == 2:
        raise ValueError("more than two feature dimensions have no lowering")
    return t.call("broadcast", x, arguments=(t.size,))


def reduce(t):
    x = t.rows()
    heads = len(t.value(x).features) == 2 and t.coin(0.7)
    return t.call("reduce_heads" if heads else "reduce_features", x,
                  arguments=(t.rng.choice(REDUCE),))


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


def choose(t):
    """The larger or the smaller of two values; or of two others, where inputs say
    which: rounding must not decide."""
    x = t.rows()
    like = t.value(x).space, t.value(x).features
    kind = t.rng.choice(("ogt", "olt"))
    if t.coin():
        return t.call("choose", x, t.rows(*like), arguments=(kind,))
    condition = [t.input(like[0], *like[1]) for _ in range(2)]
    return t.call("choose", *condition, x, t.rows(*like), arguments=(kind,))


def where(t):
    """By a condition on inputs: rounding must not decide."""
    x = t.rows()
    like = t.value(x).space, t.value(x).features
    condition = [t.input(like[0], *like[1]) for _ in range(2)]
    other = [t.rows(*like)] if t.coin() else []
    return t.call("where", *condition, x, *other, arguments=(
        *(t.rng.choice(("lt", "le", "gt", "ge", "eq", "ne")) for _ in range(2)),
        t.rng.choice((None, "and", "or")), t.rng.choice((0.0, -1.5))))


def function(t):
    """An op of `math` on every element. Those that jump take inputs."""
    x = t.rows()
    like = t.value(x).space, t.value(x).features
    kind = t.rng.choice(("smooth", "smooth", "power", "power", "floor", "atan2",
                         "angle"))
    if kind == "floor":
        return t.call("floor", t.input(like[0], *like[1]),
                      arguments=(t.rng.choice(("trunc", "ceil", "floor", "roundeven")),))
    if kind == "angle":
        return t.call("angle", *[t.input(like[0], *like[1]) for _ in range(2)])
    if kind == "smooth":
        return t.call("smooth", x, arguments=t.rng.sample((
            "exp", "log", "sqrt", "rsqrt", "tanh", "erf", "sin", "cos", "expm1", "log1p",
            "atan", "neg", "inverse", "above"), 7))
    if kind == "power" and t.coin():
        return t.call("power", x, arguments=(t.rng.choice((2, 3.0, 0.5, -1.5)),))
    return t.call(kind, x, t.rows(*like))


def numpy_broadcast(t):
    """Arithmetic with rows or a weight of fewer features, or of one where there are
    more."""
    x = t.rows()
    features = t.value(x).features
    own = features[t.rng.randint(0, len(features)):]
    own = [1 if t.coin(0.4) else size for size in own]
    y = t.input(t.rng.choice((None, t.value(x).space)), *own)
    return t.call(t.rng.choice(("add", "sub", "mul", "div", "max")),
                  *t.rng.choice(((x, y), (y, x))))


def matmul(t):
    """x @ weight. The types of the weight are those that one path leads to."""
    x = t.rows()
    by = t.rng.choice((None, None, "edge_type", "node_type"))
    return t.call("matmul", x, t.weight(x, t.rng.randint(1, 12), space=by))


def feature_softmax(t):
    return t.call("feature_softmax", t.rows())


def _read_by_edges(t, shape):
    """Rows that edges lead to, some of them gathered."""
    number = t.rows(t.coarser("edge", itself=True), shape)
    space = t.value(number).space
    if space == "edge" or not t.coin(0.3):
        return number
    return t.call("gather", number, arguments=("edge", t.via("edge", space)))


def _score(t, heads):
    """A score of an edge with these features: its inputs, and the steps that
    `recorded` makes it of."""
    wide = (*heads, t.size)
    shapes = [t.rng.choice((heads, wide)) for _ in range(t.rng.randint(1, 4))]
    inputs = [t.input(None, *shape) if shape and t.coin(0.15) else
              _read_by_edges(t, shape) for shape in shapes]
    mask = None
    if t.coin(0.3):  # of inputs that are no results: rounding must not decide
        mask = len(shapes)
        inputs += [t.input(t.coarser("edge", itself=True), *heads) for _ in "ab"]
        shapes += [heads, heads]
    steps = []

    def step(kind, taken, shape, *arguments):
        steps.append((kind, tuple(taken), arguments))
        shapes.append(shape)

    for _ in range(t.rng.randint(0, 4)):
        kind = t.rng.choice(("add", "sub", "mul", "max", "dot", "widen", "scale",
                             "activation", "activation", "choose"))
        x = t.rng.randrange(len(shapes))
        y = t.rng.choice([i for i, s in enumerate(shapes) if s == shapes[x]])
        if kind == "dot":
            if shapes[x] == wide:
                step(kind, (x, y), heads)
        elif kind == "widen":
            if shapes[x] == heads and wide in shapes:
                step("widen", (x, shapes.index(wide)), wide)
        elif kind == "choose":
            if mask is not None and shapes[x] == heads:
                step(kind, (mask, mask + 1, x, y), heads)
        elif kind == "activation":
            step(kind, (x,), shapes[x], t.rng.choice((
                "relu", "leaky_relu", "tanh", "sigmoid", "gelu")))
        elif kind == "scale":
            step(kind, (x,), shapes[x], t.rng.choice((-0.5, 0.25)))
        else:
            step(kind, (x, y), shapes[x])
    last = len(shapes) - 1
    if shapes[last] == wide:
        step("dot", (last, shapes.index(wide)), heads)
    step("activation", (len(shapes) - 1,), heads, "tanh")
    step("scale", (len(shapes) - 1,), heads, 3.0)
    return inputs, tuple(steps)


def attention(t):
    """The op that fuse-attention makes, as a user may write it."""
    heads = t.rng.choice(((), (t.heads,)))
    over = t.rng.choice(("dst", "dst", "src", "dst_pair", "src_pair"))
    inputs, steps = _score(t, heads)
    operands = [*inputs, t.rows(t.coarser("edge", itself=True), t.rng.choice((
        heads, (*heads, t.size))))]
    if t.coin(0.3):
        operands.append(t.rows(t.coarser("edge", itself=True), heads))
    vias = tuple(t.value(n).space and t.via("edge", t.value(n).space)
                 for n in operands)
    space = t.rng.choice((over[:3] + "_pair", t.src if over[:3] == "src" else t.dst))
    return t.call("attention", *operands, arguments=(
        steps, len(inputs), space, over, vias, t.coin(0.3)))


OPS = (gather, aggregate, aggregate, extreme, degree, prefix, prefix, prefix,
       prefix, apply, apply, spmm, sddmm, softmax, linear, linear, outer,
       weight_outer, sum_rows, activation, arithmetic, arithmetic, concat, slice_,
       pad, shape, shape, reduce, reduce, layer_norm, outer_rows, dropout, choose,
       choose, where, where, function, function, function, numpy_broadcast,
       numpy_broadcast, matmul, feature_softmax, attention, attention, attention,
       pick, pick_feature, expand)
