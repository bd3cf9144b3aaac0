# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attentions along every path, with scores of several kinds."""


def _total(body, first, *others):
    return sum(others, first)


def _behind_leaky_relu(body, *terms):
    return body.activation("leaky_relu", _total(body, *terms), alpha=0.2)


def _additive_product(body, a, b, c, vector):
    """GATv2's."""
    return body.dot(body.activation("leaky_relu", a + b + c, alpha=0.1), vector)


def _masked(body, a, b, bias, mask):
    """An inner product and a bias, but where the mask is negative a low number."""
    score = body.activation("tanh", body.dot(a, b) * 0.5 + bias)
    return body.where(mask < 0, -9.0, score)


def _centered(body, a, b, narrow):
    """Sums over features on the way to a sum over features."""
    size = a.features[-1]
    ones = body.constant(1.0 / size, a.type)
    away = a - body.broadcast(body.dot(a, ones), *a.features)
    return body.dot(away * body.broadcast(narrow, *a.features), b) / size


def attention(t):
    """Attentions of ends, pairs and types, with factors and statistics, for a
    family of `op_cases`."""
    narrow = t.shape[:-1]
    for stored in (False, True):
        for over, end, other in (("dst", t.dst, "src"), ("src", t.src, "dst")):
            far = t.src if other == "src" else t.dst
            terms = [(t.rows(end, *narrow), over), (t.rows(far, *narrow), other)]
            t.keep(t.f.attention(end, terms, _behind_leaky_relu,
                                 t.rows(far, *t.shape), over, other, stored=stored))
        ends = [(t.rows(t.dst, *t.shape), "dst"), (t.rows(t.src, *t.shape), "src")]
        scalar = t.rows("edge", *narrow)
        t.keep(
            t.f.attention(t.dst, [*ends, (t.rows("edge_type", *narrow), None)],
                          lambda body, q, k, prior: body.dot(q, k) * 0.25 * prior,
                          t.rows("src_pair", *t.shape), factor=scalar,
                          stored=stored),
            t.f.attention(t.dst, [*ends, (t.rows("edge", *t.shape), None),
                                  (t.weight(*t.shape), None)], _additive_product,
                          t.rows(t.src, *t.shape), value_via="src", stored=stored),
            t.f.attention("dst_pair", ends, lambda body, q, k: body.dot(q, k),
                          t.rows(t.src, *t.shape), value_via="src", stored=stored),
            t.f.attention(t.dst, [(scalar, None)], _total,
                          t.rows("edge", *narrow, 5), "dst_pair", stored=stored),
            t.f.attention(t.dst, ends, lambda body, q, k: body.dot(q, k), scalar,
                          stored=stored),
            t.f.attention(t.dst, ends, lambda body, q, k: body.dot(q, k),
                          t.rows("edge", *narrow, 5), stored=stored),
            t.f.attention(t.dst, [*ends, (t.rows("edge_type", *narrow), None),
                                  (scalar, None)], _masked,
                          t.rows(t.src, *t.shape), value_via="src", stored=stored),
            t.f.attention(t.dst, [*ends, (scalar, None)], _centered,
                          t.rows(t.src, *t.shape), value_via="src", stored=stored))


    _of_edges(t)


def _of_edges(t):
    """Inputs that are gathered rows of edges, and scores that are not the last of
    what the body reads or computes."""
    wide = [t.rows(t.dst, *t.shape), t.rows(t.src, *t.shape)]
    gathered = [(t.f.gather(x, "edge", end), None)
                for x, end in zip(wide, ("dst", "src"))]
    few = [t.rows(t.dst, *t.shape[:-1]), t.rows(t.src, *t.shape[:-1])]
    ends = [(few[0], "dst"), (few[1], "src"), (few[0], "dst")]
    value = t.rows(t.src, *t.shape)
    for terms, score in ((gathered, lambda body, q, k: body.dot(q, k)),
                         ([gathered[0], (wide[1], "src")],
                          lambda body, q, k: body.dot(q, k)),
                         (ends, lambda body, a, b, c: b),
                         (ends, _before_another)):
        t.keep(t.f.attention(t.dst, terms, score, value, value_via="src"))


def _before_another(body, a, b, c):
    """A score that the body computes before a value that is not used."""
    score = a * b
    body.activation("tanh", score * c)
    return score
