# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The single ops that a random model grows by. Each function takes a
`random_models.Growing` and adds statements; IndexError says that there is no value that
it could take."""

_SIZES = (3, 4, 6)


def _shape(dims):
    return "(" + ", ".join(map(str, dims)) + ",)"


# -- Layers and message passing by hand ----------------------------------------------


def layer(t):
    x = t.rows("n")
    k, out = t.dims(x)[1], t.rng.choice(_SIZES)
    text, member, made = t.rng.choice((
        (f"({x}, edge_index)", f"pyg.SAGEConv({k}, {out}, aggr='{{aggr}}')", out),
        (f"({x}, edge_index)", f"pyg.SAGEConv({k}, {out}, normalize=True)", out),
        (f"({x}, edge_index, weight.abs())", f"pyg.GCNConv({k}, {out})", out),
        (f"({x}, edge_index)", f"pyg.GCNConv({k}, {out})", out),
        (f"({x}, edge_index)", f"pyg.GATConv({k}, {out}, heads=2)", 2 * out),
        (f"({x}, edge_index, w)", f"pyg.GATConv({k}, {out}, heads=2, edge_dim=3,"
         " concat=False, add_self_loops=False)", out),
        (f"({x}, edge_index, w)", f"pyg.GATv2Conv({k}, {out}, edge_dim=3)", out),
        (f"({x}, edge_index)", f"pyg.GINConv(nn.Sequential(nn.Linear({k}, {out}), "
         f"nn.Tanh(), nn.Linear({out}, {out})))", out),
        (f"({x}, edge_index, w)", f"pyg.TransformerConv({k}, {out}, edge_dim=3, "
         "beta=True)", out),
        (f"({x}, edge_index, weight)", f"pyg.GraphConv({k}, {out})", out),
        (f"({x}, edge_index)", f"pyg.ResGatedGraphConv({k}, {out})", out),
        (f"({x}, edge_index)", f"pyg.EdgeConv(nn.Linear({2 * k}, {out}), "
         "aggr='mean')", out),
        (f"({x}, edge_index, kinds)", f"pyg.RGCNConv({k}, {out}, 3)", out),
        (f"({x}, edge_index)", f"pyg.LEConv({k}, {out})", out),
        (f"({x}, edge_index)", f"pyg.TAGConv({k}, {out}, K=2)", out)))
    member = member.replace("{aggr}", t.rng.choice(("mean", "sum", "max")))
    t.add("{m}" + text, ("n", made), "{} = " + member)


def hetero(t):
    """Two relations or three of two types."""
    a, b = t.rows("n"), t.rows("m")
    out = t.rng.choice(_SIZES)
    ka, kb = t.dims(a)[1], t.dims(b)[1]
    kind = t.rng.choice(("SAGEConv", "GraphConv", "GATConv"))
    more = ", add_self_loops=False" if kind == "GATConv" else ""
    layers = [f"('a', 'of', 'b'): pyg.{kind}(({ka}, {kb}), {out}{more})",
              f"('b', 'by', 'a'): pyg.{kind}(({kb}, {ka}), {out}{more})"]
    if t.coin():
        layers.append(f"('a', 'to', 'a'): pyg.{kind}(({ka}, {ka}), {out}{more})")
    made = t.add(
        f"{{m}}({{'a': {a}, 'b': {b}}}, {{('a', 'of', 'b'): across, ('b', 'by', 'a'): "
        "across.flip(0), ('a', 'to', 'a'): edge_index})", ("dict",),
        f"{{}} = pyg.HeteroConv({{{', '.join(layers)}}}, "
        f"aggr='{t.rng.choice(('sum', 'mean', 'max'))}')")
    del t.values[made]
    function = t.rng.choice(("{}", "{}.relu()", "{} - {}.mean(0)", "F.softmax({}, 0)",
                             "{}.clamp(max=0.3)", "{} / {}.size(0)"))
    for key, letter in (("a", "n"), ("b", "m")):
        t.add(function.replace("{}", f"{made}['{key}']"), (letter, out))


def by_hand(t):
    """Gather, something of an edge, a sum at the other end."""
    x = t.rows("n")
    k = t.dims(x)[1]
    ends = t.rng.choice((("row", "col"), ("col", "row")))
    message = t.add(t.rng.choice((f"{x}[{ends[0]}]", f"{x}.index_select(0, {ends[0]})")),
                    ("e", k))
    factor = t.rng.choice((None, "weight[:, None]", "w.mean(1, keepdim=True)", "score"))
    if factor == "score":
        score = t.add(f"({x}[row] * {x}[col]).sum(1).tanh()", ("e",))
        alpha = t.add(t.rng.choice((
            f"utils.softmax({score}, {ends[1]}, num_nodes=n)",
            f"{score}.exp() / x.new_zeros(n).index_add(0, {ends[1]}, {score}.exp())"
            f"[{ends[1]}]",
            f"{score}.softmax(0)")), ("e",))
        factor = f"{alpha}.unsqueeze(-1)"
    if factor:
        message = t.add(f"{message} * {factor}", ("e", k))
    _onto(t, message, ends[1])


def _onto(t, message, end):
    k = t.dims(message)[1]
    t.add(t.rng.choice((
        f"x.new_zeros(n, {k}).index_add(0, {end}, {message})",
        f"torch.zeros(n, {k}, dtype=x.dtype).index_add_(0, {end}, {message})",
        f"x.new_zeros(n, {k}).scatter_add(0, {end}[:, None].expand(-1, {k}), {message})",
        f"x.new_zeros(n, {k}).scatter_reduce(0, {end}[:, None].expand(-1, {k}), "
        f"{message}, 'mean', include_self=False)",
        *[f"utils.scatter({message}, {end}, dim_size=n, reduce='{reduce}')"
          for reduce in ("sum", "mean", "max")],
        f"utils.scatter({message}, {end}, dim=0, dim_size=n, reduce='sum') / "
        f"utils.degree({end}, n, x.dtype).clamp(min=1)[:, None]")), ("n", k))


def edges(t):
    x = t.rows("n")
    t.add(t.rng.choice((f"torch.cat([{x}[row], {x}[col]], 1)",
                        f"torch.cat([{x}[row] - {x}[col], {x}[col]], -1)")),
          ("e", 2 * t.dims(x)[1]))


def onto_nodes(t):
    _onto(t, t.rows("e"), t.rng.choice(("row", "col")))


def pool(t):
    x = t.rows("n")
    t.add(t.rng.choice((
        f"pyg.global_mean_pool({x}, batch, size=g)", f"pyg.global_add_pool({x}, batch, g)",
        f"pyg.global_max_pool({x}, batch, g)",
        f"x.new_zeros(g, {t.dims(x)[1]}).index_add(0, batch, {x})")),
          ("g", t.dims(x)[1]))


def of_graph(t):
    u = t.rows("g")
    at, letter = t.rng.choice((("batch", "n"), ("batch[row]", "e")))
    t.add(f"{u}[{at}]", (letter, t.dims(u)[1]))


def message_passing(t):
    t.rng.choice((layer, layer, by_hand, hetero))(t)


# -- Features ------------------------------------------------------------------------


def _any(t):
    return t.pick(lambda d: 0 < len(d) <= 3)


def _number(t):
    """An expression that is a number of Python, of the sizes too."""
    return t.rng.choice(("0.5", "-1.25", "2", "n", "e", "(n + 1)", "1 / (g + 1)", "n / 7",
                         "x.size(1)", "min(n, 3)", "m"))


def unary(t):
    x = _any(t)
    text = t.rng.choice((
        "{}.relu()", "F.leaky_relu({}, 0.2)", "{}.tanh()", "{}.sigmoid()", "F.gelu({})",
        "F.elu({})", "{}.tanh().exp()", "({}.abs() + 1).log()", "({}.abs() + 0.1).sqrt()",
        "-{}", "{}.abs()", "{}.square().tanh()", "{} + 0", "{}.clone()", "{}.contiguous()",
        "{}.detach()", "{}.clamp(-0.5, 0.5)", "{}.clamp(min=0)", "{}.sign()",
        "F.dropout({}, 0.5, training=False)", "F.softplus({})", "torch.zeros_like({})",
        "torch.nan_to_num({})", "{}.floor()", "{} ** 2 / 4", "{}.masked_fill({} > 0.7, 0.1)",
        "torch.where({} > 0, {}, {} * 0.5)", "{}.masked_fill({} > 1, float('-inf')).tanh()",
        "1 / ({}.abs() + 1)", "{}.reciprocal().clamp(-2, 2)", "({} > 0).to(x.dtype)",
        "F.silu({})", "F.hardtanh({})", "{}.sin()", "{}.cos()", "{}.neg().expm1().tanh()"))
    t.add(text.replace("{}", x), t.dims(x))


def sizes(t):
    x, number = _any(t), _number(t)
    text = t.rng.choice((
        "{} * N", "{} / (N + 30)", "{} + N", "N - {}", "{}.clamp(max=N)", "{} * N / 9",
        "torch.add({}, {}, alpha=N)", "torch.full_like({}, N)", "{} / max(n, 1)",
        "torch.where({} > 0, {}, {}.new_tensor(0.3))"))
    made = t.add(text.replace("{}", x).replace("N", number), t.dims(x))
    t.add(f"{made}.tanh()", t.dims(x))


def binary(t):
    x = _any(t)
    dims = t.dims(x)

    def fits(d):
        return len(d) <= len(dims) and all(
            a in (1, b) for a, b in zip(d[::-1], dims[::-1]))

    y = t.pick(fits)
    pair = t.rng.choice(((x, y), (y, x)))
    text = t.rng.choice((
        "{a} + {b}", "{a} - {b}", "({a} * {b}).tanh()", "{a} / ({b}.abs() + 1)",
        "torch.maximum({a}, {b} + 0.01)", "torch.minimum({a}, {b} - 0.01)",
        "torch.where({a} > {b} + 0.01, {a}, {b} * 2)", "torch.atan2({a}, {b}.abs() + 0.5)",
        "torch.addcmul({a}, {a}, {b}, value=0.3)", "torch.lerp({a}, {b}, 0.25)",
        "torch.logaddexp({a}, {b})", "torch.hypot({a}, {b} + 3)"))
    t.add(text.format(a=pair[0], b=pair[1]), dims)


def reduce(t):
    x = _any(t)
    dims = t.dims(x)
    which = t.rng.choice(list(range(len(dims))) + [None])
    keep = t.coin()
    text = t.rng.choice((
        "sum", "mean", "amax", "amin", "logsumexp", "norm", "var", "max", "std"))
    if which is None:
        text = text if text in ("sum", "mean", "amax", "amin") else "sum"
        if keep:
            axes = tuple(range(len(dims)))
            t.add(f"{x}.{text}({axes}, keepdim=True)", (1,) * len(dims))
        else:
            t.add(f"{x}.{text}()", ())
        return
    call = {"max": "max({})[0]", "norm": "norm(dim={})", "std": "std({}, unbiased=False)",
            "var": "var({}, unbiased=False)"}.get(text, text + "({})")
    axis = which - len(dims) if t.coin() else which
    arguments = f"{axis}, keepdim={keep}"
    made = f"{x}." + call.replace("{}", arguments)
    if text in ("norm", "std"):
        made = f"({x} + torch.arange({dims[which]}, dtype=x.dtype).view(" + (
            ", ".join("-1" if i == which else "1" for i in range(len(dims)))
            ) + f")).{call.replace('{}', arguments)}"
    t.add(made, tuple(1 if i == which else d for i, d in enumerate(dims)
                      if keep or i != which))


def along(t):
    """Ops along a dimension that keep it."""
    x = _any(t)
    axis = t.rng.randrange(len(t.dims(x)))
    t.add(t.rng.choice((
        f"{x}.softmax({axis})", f"F.log_softmax({x}, {axis})", f"{x}.flip({axis})",
        f"{x}.cumsum({axis}).tanh()", f"F.normalize({x} + 0.3, dim={axis})",
        f"{x}.roll(1, {axis})", f"{x} - {x}.mean({axis}, keepdim=True)",
        f"F.layer_norm({x}, {x}.shape[-1:])",
        f"{x} / {x}.abs().sum({axis}, keepdim=True).clamp(min=1)")), t.dims(x))


def select(t):
    x = _any(t)
    dims = t.dims(x)
    numbers = [i for i, d in enumerate(dims) if isinstance(d, int)]
    axis = t.rng.choice(numbers)
    at = t.rng.randrange(dims[axis])
    rest = dims[:axis] + dims[axis + 1:]
    lead = ":, " * axis
    low = t.rng.randrange(dims[axis])
    kind = t.rng.choice(("select", "slice", "narrow", "step", "ids"))
    if kind == "select":
        t.add(t.rng.choice((f"{x}[{lead}{at}]", f"{x}.select({axis}, {at})",
                            f"{x}[{lead}{at - dims[axis]}]")), rest)
        return
    made, size = {
        "slice": (f"{x}[{lead}{low}:]", dims[axis] - low),
        "narrow": (f"{x}.narrow({axis}, {low}, 1)", 1),
        "step": (f"{x}[{lead}{low}::2]", -(-(dims[axis] - low) // 2)),
        "ids": (f"{x}[{lead}[{low}, 0, {at}]]", 3)}[kind]
    t.add(made, (*dims[:axis], size, *dims[axis + 1:]))


def first_rows(t):
    """Rows that are chosen, and go back to all."""
    x = t.pick(lambda d: len(d) in (1, 2) and d[0] == "n")
    t.add(t.rng.choice((f"{x}[:1]", f"{x}[-1:]", f"{x}[0].unsqueeze(0)")),
          (1, *t.dims(x)[1:]))


def shape(t):
    x = _any(t)
    dims = t.dims(x)
    kind = t.rng.choice(("t", "t", "unsqueeze", "heads", "flat", "permute", "expand",
                         "squeeze", "repeat"))
    if kind == "t" and len(dims) == 2:
        t.add(t.rng.choice((f"{x}.t()", f"{x}.transpose(0, 1)", f"{x}.t().contiguous()")),
              dims[::-1])
    elif kind == "unsqueeze" and len(dims) < 3:
        axis = t.rng.randint(0, len(dims))
        t.add(f"{x}.unsqueeze({axis})", (*dims[:axis], 1, *dims[axis:]))
    elif kind == "heads" and len(dims) == 2 and dims[1] in (4, 6, 8, 12):
        t.add(f"{x}.reshape(-1, 2, {dims[1] // 2})", (dims[0], 2, dims[1] // 2))
    elif kind == "flat" and len(dims) == 3 and all(isinstance(d, int) for d in dims[1:]):
        t.add(t.rng.choice((f"{x}.flatten(1)", f"{x}.reshape({dims[0]}, -1)")),
              (dims[0], dims[1] * dims[2]))
    elif kind == "permute" and len(dims) == 3:
        order = t.rng.sample(range(3), 3)
        t.add(f"{x}.permute({', '.join(map(str, order))})", [dims[i] for i in order])
    elif kind == "expand" and 1 in dims:
        axis = dims.index(1)
        size = t.rng.choice(("n", "e", 3, "g"))
        new = (*dims[:axis], size, *dims[axis + 1:])
        if sum(isinstance(d, str) for d in new) < 3:
            t.add(f"{x}.expand{_shape(new)}", new)
    elif kind == "squeeze" and 1 in dims and len(dims) > 1:
        axis = dims.index(1)
        t.add(f"{x}.squeeze({axis})", dims[:axis] + dims[axis + 1:])
    elif kind == "repeat" and len(dims) == 2 and isinstance(dims[1], int) and dims[1] < 5:
        t.add(t.rng.choice((f"{x}.repeat(1, 2)", f"{x}.repeat_interleave(2, 1)")),
              (dims[0], 2 * dims[1]))


def together(t):
    x = t.pick(lambda d: len(d) >= 2 and isinstance(d[-1], int) and d[-1] < 10)
    dims = t.dims(x)
    y = t.pick(lambda d: len(d) == len(dims) and d[:-1] == dims[:-1] and
               isinstance(d[-1], int) and d[-1] < 10)
    wide = dims[-1] + t.dims(y)[-1]
    if t.coin(0.6):
        t.add(f"torch.cat([{x}, {y}], -1)", (*dims[:-1], wide))
    elif t.dims(y) == dims and len(dims) == 2:
        axis = t.rng.randint(0, 2)
        t.add(f"torch.stack([{x}, {y}], {axis})", (*dims[:axis], 2, *dims[axis:]))
    elif dims[-1] > 1:
        made = t.add(f"{x}.chunk(2, -1)", ("pair",))
        del t.values[made]
        size = -(-dims[-1] // 2)
        t.add(f"{made}[0]", (*dims[:-1], size))
        t.add(f"{made}[1]", (*dims[:-1], dims[-1] - size))


def module(t):
    x = t.pick(lambda d: len(d) == 2 and isinstance(d[1], int))
    k, out = t.dims(x)[1], t.rng.choice(_SIZES)
    text, made = t.rng.choice((
        (f"nn.Linear({k}, {out})", out), (f"nn.Linear({k}, {out}, bias=False)", out),
        (f"nn.LayerNorm({k})", k), (f"nn.BatchNorm1d({k})", k), (f"pyg.GraphNorm({k})", k),
        (f"nn.Sequential(nn.Linear({k}, {out}), nn.ReLU(), nn.BatchNorm1d({out}))", out),
        ("nn.PReLU()", k), ("nn.Dropout(0.0)", k), (f"pyg.PairNorm()", k)))
    t.add(f"{{m}}({x})", (t.dims(x)[0], made), "{} = " + text)


def parameter(t):
    x = t.pick(lambda d: len(d) >= 2 and isinstance(d[-1], int))
    k = t.dims(x)[-1]
    member = "{} = nn.Parameter(torch.empty(K))"
    if t.coin(0.3) and len(t.dims(x)) == 2:
        t.add(f"{x} @ {{m}}", (t.dims(x)[0], 3), member.replace("K", f"{k}, 3"))
    elif t.coin(0.3):
        t.add("{m}.tanh()", (k,), member.replace("K", str(k)))
    else:
        text = t.rng.choice(("{x} * {{m}}", "{x} + {{m}}", "{x} * {{m}}.softmax(0)",
                             "({x} * {{m}}).sum(-1, keepdim=True) + {x}"))
        t.add(text.format(x=x), t.dims(x), member.replace("K", str(k)))


def embedding(t):
    t.add("{m}(ids)", ("n", 4), "{} = nn.Embedding(5, 4)")


def products(t):
    """Gram matrices and products of what has rows of one kind."""
    x = t.pick(lambda d: len(d) == 2 and isinstance(d[1], int))
    y = t.pick(lambda d: len(d) == 2 and isinstance(d[1], int) and d[0] == t.dims(x)[0])
    t.add(f"({x}.t() @ {y}).tanh()", (t.dims(x)[1], t.dims(y)[1]))


def masked(t):
    x = t.rows("n")
    t.add(t.rng.choice((
        f"torch.where(mask[:, None], {x}, 0.0)", f"{x} * mask[:, None]",
        f"torch.where(mask.unsqueeze(1), {x} * 2, {x})",
        f"{x}.masked_fill(mask[:, None], -0.25)",
        f"torch.where((ids == 2)[:, None], {x}, -{x})",
        f"{x} * (ids[:, None] > 1)",
        f"torch.where(torch.isfinite({x}), {x}, {x}.new_zeros(()))",
        f"{x}.masked_fill(mask[:, None], float('-inf')).softmax(-1).nan_to_num(0.0)")),
          t.dims(x))


def write(t):
    """In place: to a copy, a result, or a view of either."""
    x = t.pick(lambda d: len(d) == 2 and isinstance(d[1], int))
    dims = t.dims(x)
    if t.coin(0.7):
        x = t.add(f"{x}.clone()" if t.coin() else f"{x} * 1.5", dims)
    y = t.pick(lambda d: d == dims)
    k = dims[1]
    texts = [f"{x}.mul_(0.5)", f"{x} += {y}", f"{x}[:, 0] = 0.25",
             f"{x}[:, :{max(1, k // 2)}] = {y}[:, :{max(1, k // 2)}]", f"{x}.relu_()",
             f"{x}[:, -1:] *= 2", f"{x}.t().add_(1)", f"{x}.copy_({y})", f"{x}[0] = 1",
             f"{x}.zero_()", f"{x}.clamp_(max=0.4)", f"{x}.select(1, 0).fill_(2)",
             f"{x}.masked_fill_({y} > 0.3, 0.0)", f"{x}[:1] = {y}[-1:]"]
    if dims[0] == "n":
        texts += [f"{x}[mask] = 0.0", f"{x}[mask] = {y}[mask]", f"{x}[~mask] *= 0.5",
                  f"{x}.index_add_(0, batch, {y})"]
    if t.coin(0.4):
        view = t.add(f"{x}[:, :1]", (dims[0], 1))
        t.write(t.rng.choice(texts))
        t.write(f"{view}.add_(0.5)" if t.coin() else f"{x}.mul_(2)")
    else:
        t.write(t.rng.choice(texts))


def quiet(t):
    """Without gradients."""
    x = _any(t)
    text = t.rng.choice((f"{x} * 0.5", f"{x}.mean()", f"{x}.relu()", f"{x}.clone()"))
    dims = () if "mean" in text else t.dims(x)
    name = f"v{len(t.statements)}"
    t.add(f"None\nwith torch.no_grad():\n    {name} = {text}", dims)


def buffer(t):
    """A running number of the model."""
    x = t.rows("n")
    k = t.dims(x)[1]
    made = t.add("{m}.clone()", (k,),
                 f"register_buffer('{{}}', torch.ones({k}))")
    t.write(f"self.{made.replace('v', 'm')}.mul_(0.9).add_({x}.detach().mean(0), alpha=0.1)")


OPS = (layer, by_hand, by_hand, edges, onto_nodes, pool, of_graph, of_graph, unary, unary,
       unary, sizes, sizes, binary, binary, binary, binary, reduce, reduce, reduce, reduce,
       along, along, select, select, first_rows, shape, shape, shape, together, together,
       module, module, parameter, embedding, products, masked, masked, write, write, write,
       quiet, buffer)
