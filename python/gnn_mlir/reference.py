# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The meaning of every `gnn` op, in NumPy and float64.

One function an op, named by its mnemonic: what it returns is what compiled code
is held against. Rows are arrays whose first dimension is the row space; `graph`
is a `gnn_mlir.Graph`; row spaces and ends are given by name. Functions convert
features to float64 and never change their arguments.

Everywhere: an empty group reduces to 0 (sum, mean, max, min, softmax) with
argument -1; ties go to the lowest row, which for edges is the user's order; NaN
propagates.
"""

import numpy as np

from .reference_derived import expand_rows, extend_edges, loop_rows, restrict_rows  # noqa: F401


def _float(x):
    return np.asarray(x, np.float64)


# -- Rows of one space to rows of another --------------------------------------


def gather(graph, x, source, target, via=None):
    """result[i] = x[p(i)] for rows i of `target`, which lead to rows of
    `source`, the rows of `x`."""
    return np.asarray(x)[graph.map(target, source, via)]


def _reduce_rows(reduce, x, order, begin):
    """A reduction, such as np.maximum, over the rows of each group; 0 where there
    are none."""
    out = np.zeros((len(begin) - 1,) + x.shape[1:], np.float64)
    full = np.flatnonzero(np.diff(begin))
    if len(full):
        out[full] = reduce.reduceat(x[order], begin[full], axis=0)
    return out


def _sum_rows(graph, x, source, target, via):
    """The sum over the rows of each group, in ascending order."""
    if x.ndim > 1:
        return _reduce_rows(np.add, x, *graph.groups(source, target, via))
    return np.bincount(graph.map(source, target, via), x,
                       graph.count(target)).astype(np.float64)


def _first_rows(x, extreme, order, begin):
    """The lowest row of each group that has the extreme; -1 without rows."""
    argument = np.full(extreme.shape, -1, np.int32)
    full = np.flatnonzero(np.diff(begin))
    if len(full):
        taken = np.repeat(extreme[full], np.diff(begin)[full], axis=0)
        values = x[order]
        taken = (values == taken) | (np.isnan(values) & np.isnan(taken))
        rows = order.reshape((-1,) + (1,) * (x.ndim - 1))
        rows = np.where(taken, rows, np.iinfo(np.int32).max)
        argument[full] = np.minimum.reduceat(rows, begin[full], axis=0)
    return argument


_EXTREME = {"max": np.maximum, "min": np.minimum}


def aggregate(graph, kind, x, source, target, via=None, argument=False):
    """result[g] = reduce(x[i] for rows i of `source` that lead to row g of
    `target`); with `argument` also the rows that max or min took."""
    x = _float(x)
    if kind in ("max", "min"):
        groups = graph.groups(source, target, via)
        out = _reduce_rows(_EXTREME[kind], x, *groups)
        return (out, _first_rows(x, out, *groups)) if argument else out
    out = _sum_rows(graph, x, source, target, via)
    if kind == "mean":
        sizes = np.maximum(degree(graph, source, target, via), 1)
        out /= sizes.reshape((-1,) + (1,) * (x.ndim - 1))
    return out


def pick(graph, x, argument, source, target, via=None):
    """result[i, f] = x[p(i), f] where argument[p(i), f] = i, else 0, for rows i of
    `target`, which lead to rows of `source`, those of `x` and `argument`."""
    rows = graph.map(target, source, via)
    own = np.arange(len(rows)).reshape((-1,) + (1,) * (np.ndim(x) - 1))
    return np.where(np.asarray(argument)[rows] == own, _float(x)[rows], 0.0)


def degree(graph, of, target, via=None):
    """result[g] = the number of rows of `of` that lead to row g of `target`."""
    return np.bincount(graph.map(of, target, via),
                       minlength=graph.count(target)).astype(np.float64)


def rebind_rows(x):
    """result[i] = x[i], on another graph with as many such nodes."""
    return np.asarray(x)


def prefix_rows(graph, x):
    """result[i] = x[i] for destinations i, which are the first sources."""
    return np.asarray(x)[:graph.num_dst_nodes]


def extend_rows(graph, x):
    """result[i] = x[i] for destinations i, which are the first sources, else 0."""
    x = _float(x)
    out = np.zeros((graph.num_src_nodes,) + x.shape[1:], np.float64)
    out[:len(x)] = x
    return out


# -- Products with weights -----------------------------------------------------


def _times(x, weight):
    """x[i, (h,) in] * weight[(h,) in, out]; heads of either serve both."""
    if weight.ndim == 2:
        return x @ weight
    heads, size, out = weight.shape
    if x.ndim == 2:
        joined = weight.transpose(1, 0, 2).reshape(size, heads * out)
        return (x @ joined).reshape(len(x), heads, out)
    return (x.transpose(1, 0, 2) @ weight).transpose(1, 0, 2)


def linear(x, weight, bias=None):
    """result[i] = x[i] * weight + bias, head by head where there are heads."""
    out = _times(_float(x), _float(weight))
    return out if bias is None else out + _float(bias)


def typed_linear(graph, x, weight, space, by, via=None, bias=None):
    """result[i] = x[i] * weight[t(i)] + bias[t(i)], where row i of `space` leads
    to row t(i) of `by`, "edge_type" or "node_type"."""
    x, weight = _float(x), _float(weight)
    order, begin = graph.groups(space, by, via)
    heads = weight.shape[1:-2] or x.shape[1:-1]
    out = np.zeros((len(x),) + heads + weight.shape[-1:], np.float64)
    for t in np.flatnonzero(np.diff(begin)):
        rows = order[begin[t]:begin[t + 1]]
        out[rows] = _times(x[rows], weight[t])
    if bias is not None:
        out += _float(bias)[graph.map(space, by, via)]
    return out


def _outer_sum(x, grad, heads):
    """sum_i x[i]^T grad[i], by head where `heads`."""
    if heads:
        x = x if x.ndim == 3 else x[:, None, :]
        x = np.broadcast_to(x, (len(x), grad.shape[1], x.shape[2]))
        return x.transpose(1, 2, 0) @ grad.transpose(1, 0, 2)
    return x.reshape(-1, x.shape[-1]).T @ grad.reshape(-1, grad.shape[-1])


def outer(x, grad, heads=False):
    """result = sum_i x[i]^T * grad[i]: the gradient of `linear` with respect to
    its weight, which has heads or not."""
    return _outer_sum(_float(x), _float(grad), heads)


def typed_outer(graph, x, grad, space, by, via=None, heads=False):
    """result[t] = sum_i x[i]^T * grad[i] over the rows i of type t."""
    x, grad = _float(x), _float(grad)
    order, begin = graph.groups(space, by, via)
    shape = (grad.shape[1:2] if heads else ()) + (x.shape[-1], grad.shape[-1])
    out = np.zeros((graph.count(by),) + shape, np.float64)
    for t in np.flatnonzero(np.diff(begin)):
        rows = order[begin[t]:begin[t + 1]]
        out[t] = _outer_sum(x[rows], grad[rows], heads)
    return out


def weight_product(lhs, rhs, lhs_typed=False, rhs_typed=False, vector=False,
                   by_heads=False):
    """result[t, h] = lhs[t, h] * rhs[t, h] for each type and head that there is;
    with `vector`, rhs[t, h] is a vector. With `by_heads`, lhs[t] has the columns
    of all heads side by side, and so has result[t]."""
    lhs, rhs = _float(lhs), _float(rhs)
    if vector:
        rhs = rhs[..., None]
    if lhs_typed and not rhs_typed:
        rhs = rhs[None]
    if rhs_typed and not lhs_typed:
        lhs = lhs[None]
    if by_heads:
        heads, size = rhs.shape[-3:-1]
        parts = np.moveaxis(lhs.reshape(*lhs.shape[:-1], heads, size), -2, -3)
        out = np.moveaxis(parts @ rhs, -3, -2)
        return out.reshape(*out.shape[:-2], out.shape[-2] * out.shape[-1])
    out = lhs @ rhs
    return out[..., 0] if vector else out


def weight_outer(lhs, grad, lhs_typed=False, grad_typed=False, typed=False,
                 vector=False, heads=None):
    """result[t, h, k, j] = sum_a lhs[t, h, a, k] * grad[t, h, a, j], summed over
    types where the result is not `typed`: the gradient of `weight_product` with
    respect to its rhs, which is a `vector` or not. With `heads`, both operands have
    the columns of so many heads side by side."""
    lhs, grad = _float(lhs), _float(grad)
    if heads:
        lhs, grad = (np.moveaxis(x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads),
                                 -2, -3) for x in (lhs, grad))
    elif vector:
        grad = grad[..., None]
    if lhs_typed and not grad_typed:
        grad = grad[None]
    if grad_typed and not lhs_typed:
        lhs = lhs[None]
    out = np.swapaxes(lhs, -1, -2) @ grad
    if (lhs_typed or grad_typed) and not typed:
        out = out.sum(0)
    return out[..., 0] if vector else out


def weight_combine(coefficients, bases):
    """result[t] = sum_b coefficients[t, b] * bases[b]."""
    return np.tensordot(_float(coefficients), _float(bases), 1)


def weight_transpose(weight):
    """result[t, h, b, a] = weight[t, h, a, b]."""
    return np.swapaxes(_float(weight), -1, -2)


# -- Rows of several spaces at once --------------------------------------------


def _meet(lhs, rhs):
    """Both operands with trailing dimensions of size 1 where one lacks them."""
    rank = max(lhs.ndim, rhs.ndim)
    return tuple(x.reshape(x.shape + (1,) * (rank - x.ndim)) for x in (lhs, rhs))


_BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply,
           "div": np.divide}


def _combine(kind, lhs, rhs):
    with np.errstate(all="ignore"):
        return _BINARY[kind](*_meet(lhs, rhs))


def apply(graph, kind, target, lhs, lhs_space, rhs=None, rhs_space=None,
          lhs_via=None, rhs_via=None):
    """result[i] = lhs[p(i)] op rhs[q(i)] for rows i of `target`; features are
    repeated along the trailing dimensions that one operand lacks."""
    lhs = gather(graph, _float(lhs), lhs_space, target, lhs_via)
    if kind == "copy":
        return lhs
    rhs = gather(graph, _float(rhs), rhs_space, target, rhs_via)
    return _combine(kind, lhs, rhs)


def sddmm(graph, target, lhs, lhs_space, rhs, rhs_space, lhs_via=None,
          rhs_via=None):
    """result[i] = sum_f lhs[p(i), f] * rhs[q(i), f] for rows i of `target`."""
    return dot(gather(graph, _float(lhs), lhs_space, target, lhs_via),
               gather(graph, _float(rhs), rhs_space, target, rhs_via))


def spmm(graph, kind, reduce, target, lhs, lhs_space, rhs=None, rhs_space=None,
         lhs_via=None, rhs_via=None, via=None):
    """result[g] = reduce(lhs[p(e)] op rhs[q(e)] for edges e that lead to g)."""
    edges = apply(graph, kind, "edge", lhs, lhs_space, rhs, rhs_space, lhs_via,
                  rhs_via)
    return aggregate(graph, reduce, edges, "edge", target, via)


def _softmax_sums(graph, x, space, over):
    """The rows of the groups `over` that rows of `space` lead to; for each group the
    maximum, and the sum of exp(x - maximum)."""
    target, via = over, None
    if over in ("src", "dst") and graph.square:
        target, via = "node", over if space == "edge" else None
    rows = graph.map(space, target, via)
    with np.errstate(all="ignore"):
        maximum = aggregate(graph, "max", x, space, target, via)
        weight = np.exp(x - maximum[rows])
        return rows, maximum, _sum_rows(graph, weight, space, target, via)


def edge_softmax(graph, x, space, over):
    """result[i] = exp(x[i] - max) / sum_j exp(x[j] - max) over the rows j in the
    group of i: those that lead to one row of `over`."""
    x = _float(x)
    rows, maximum, total = _softmax_sums(graph, x, space, over)
    with np.errstate(all="ignore"):
        return np.exp(x - maximum[rows]) / total[rows]


def attention(graph, inputs, score, value, target, over, factor=None,
              statistics=False):
    """result[g] = sum of factor[e] * softmax(scores)[e] * value[e] over the edges e
    that lead to row g of `target`, where the softmax is over the groups `over`.

    Operands with rows are (array, space, via), read at edges; an input may be an
    array alone, which all edges share. `score` is a function of one edge: it gets
    for each input an array of edges, or of one for all, and gives their scores.
    With `statistics` also, for each group, the highest score and the sum of
    exp(score - highest)."""
    def read(operand):
        if not isinstance(operand, tuple):
            return _float(operand)[None]
        x, space, via = operand
        return gather(graph, _float(x), space, "edge", via)

    with np.errstate(all="ignore"):
        scores = score(*map(read, inputs))
    scores = np.broadcast_to(scores, (graph.num_edges, *scores.shape[1:]))
    weight = edge_softmax(graph, scores, "edge", over)
    if factor is not None:
        weight = _combine("mul", weight, read(factor))
    via = over[:3] if target == "node" else None
    out = aggregate(graph, "sum", _combine("mul", weight, read(value)), "edge",
                    target, via)
    return (out, *_softmax_sums(graph, _float(scores), "edge", over)[1:]) if (
        statistics) else out


# -- Functions of the features of each row -------------------------------------


def dot(lhs, rhs):
    """result[i, (h)] = sum_f lhs[i, (h,) f] * rhs[i, (h,) f]; `rhs` may be one
    vector for all rows."""
    lhs, rhs = _float(lhs), _float(rhs)
    if rhs.ndim < lhs.ndim:
        rhs = rhs[None]
    return (lhs * rhs).sum(-1)


def outer_rows(lhs, rhs):
    """result[i, a, b] = lhs[i, a] * rhs[i, b]."""
    return _float(lhs)[..., :, None] * _float(rhs)[..., None, :]


# The error function is W. J. Cody's: rational approximations to 1e-16
# ("Rational Chebyshev approximations for the error function", 1969).
_ERF_SMALL = (
    (3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2,
     3.20937758913846947e3, 1.85777706184603153e-1),
    (2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
     2.84423683343917062e3))
_ERF_MIDDLE = (
    (5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
     2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3,
     2.05107837782607147e3, 1.23033935479799725e3, 2.15311535474403846e-8),
    (1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
     1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
     3.43936767414372164e3, 1.23033935480374942e3))
_ERF_LARGE = (
    (3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
     1.60837851487422766e-2, 6.58749161529837803e-4, 1.63153871373020978e-2),
    (2.56852019228982242e0, 1.87295284992346047e0, 5.27905102951428412e-1,
     6.05183413124413191e-2, 2.33520497626869185e-3))


def _cody(coefficients, z):
    above, below = coefficients
    numerator, denominator = above[-1] * z, z
    for a, b in zip(above[:-2], below[:-1]):
        numerator = (numerator + a) * z
        denominator = (denominator + b) * z
    return (numerator + above[-2]) / (denominator + below[-1])


def erf(x):
    """The error function, to float64 accuracy."""
    x = _float(x)
    y = np.minimum(np.abs(x), 30.0)
    with np.errstate(all="ignore"):
        small = x * _cody(_ERF_SMALL, y * y)
        tail = np.exp(-y * y)
        middle = 1 - tail * _cody(_ERF_MIDDLE, y)
        inverse = 1 / (y * y)
        large = inverse * _cody(_ERF_LARGE, inverse)
        large = 1 - tail * (1 / np.sqrt(np.pi) - large) / y
        out = np.where(y <= 4, middle, large)
    out = np.where(y <= 0.46875, small, np.copysign(out, x))
    return np.where(np.isnan(x), np.nan, out)


def sigmoid(x):
    """1 / (1 + exp(-x)) without overflow."""
    x = _float(x)
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def activation(kind, x, weight=None, alpha=None):
    """result = kind(x) for each feature."""
    x = _float(x)
    with np.errstate(all="ignore"):
        if kind == "relu":
            return np.maximum(x, 0)
        if kind == "leaky_relu":
            return np.where(x > 0, x, alpha * x)
        if kind == "prelu":
            return np.where(x > 0, x, _float(weight) * x)
        if kind == "elu":
            return np.where(x > 0, x, alpha * np.expm1(x))
        if kind == "sigmoid":
            return sigmoid(x)
        if kind == "tanh":
            return np.tanh(x)
        if kind == "gelu":
            return x * (1 + erf(x / np.sqrt(2))) / 2
        if kind == "swish":
            return x * sigmoid(x)
        if kind == "exp":
            return np.exp(x)
    raise ValueError(f"expected a kind of activation, got {kind!r}")


def batch_norm(x, mean, variance, gamma, beta, eps):
    """result = (x - mean) / sqrt(variance + eps) * gamma + beta."""
    scale = _float(gamma) / np.sqrt(_float(variance) + eps)
    return (_float(x) - _float(mean)) * scale + _float(beta)


def layer_norm(x, gamma=None, beta=None, eps=1e-5):
    """result = (x - m) / sqrt(v + eps) * gamma + beta with the mean and biased
    variance of the last dimension."""
    x = _float(x)
    out = x - x.mean(-1, keepdims=True)
    out /= np.sqrt((out * out).mean(-1, keepdims=True) + eps)
    return out if gamma is None else out * _float(gamma) + _float(beta)


def _philox(counter, key):
    """Philox4x32-10: four 32-bit words for each 64-bit counter."""
    low = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    words = [counter & low, counter >> shift, np.zeros_like(counter),
             np.zeros_like(counter)]
    key = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        first = words[0] * np.uint64(0xD2511F53)
        second = words[2] * np.uint64(0xCD9E8D57)
        words = [(second >> shift) ^ words[1] ^ np.uint64(key[0]), second & low,
                 (first >> shift) ^ words[3] ^ np.uint64(key[1]), first & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF,
               (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(words, -1)


def dropout(x, p, seed, offset):
    """Elements whose Philox word is at least floor(p * 2^32) are kept and
    divided by 1 - p, the others are 0. Word n mod 4 of counter offset + n div 4
    belongs to element n, in row-major order."""
    x = _float(x)
    counter = np.arange(-(-x.size // 4), dtype=np.uint64)
    counter += np.uint64(int(offset) & 0xFFFFFFFFFFFFFFFF)
    words = _philox(counter, int(seed) & 0xFFFFFFFFFFFFFFFF).reshape(-1)
    kept = words[:x.size].reshape(x.shape) >= np.uint64(int(p * 2.0 ** 32))
    return np.where(kept, x / (1 - p), 0.0)


# -- The shape of features -----------------------------------------------------


def broadcast(x, features, rows=None):
    """Rows repeated along the trailing dimensions they lack; with `rows`, a
    weight repeated for that many rows and along leading dimensions."""
    x = _float(x)
    if rows is None:
        x = x.reshape(x.shape + (1,) * (1 + len(features) - x.ndim))
        rows = len(x)
    return np.broadcast_to(x, (rows,) + tuple(features)).copy()


def broadcast_weight(x, features):
    """A weight repeated along the leading dimensions that it lacks."""
    return np.broadcast_to(_float(x), tuple(features)).copy()


def sum_rows(x, features):
    """result[f] = sum of x[i, h, f] over all rows i and the leading dimensions h
    that `features` lacks."""
    return _float(x).reshape((-1,) + tuple(features)).sum(0)


def concat(*inputs):
    """The inputs side by side along the last feature dimension."""
    return np.concatenate([_float(x) for x in inputs], -1)


def slice(x, offset, size):
    """result[i, f] = x[i, offset + f] for f less than `size`."""
    return _float(x)[..., offset:offset + size]


def pad(x, offset, size):
    """result[i, offset + f] = x[i, f] between zeros, `size` features in all."""
    x = _float(x)
    out = np.zeros(x.shape[:-1] + (size,))
    out[..., offset:offset + x.shape[-1]] = x
    return out


def reshape(x, features, rows=True):
    """The features of each row in another shape, in row-major order; without
    `rows`, all of a weight."""
    return _float(x).reshape(((len(x),) if rows else ()) + tuple(features))


_REDUCE = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}


def reduce_heads(kind, x):
    """result[i, f] = reduce_h(x[i, h, f])."""
    return _REDUCE[kind](_float(x), axis=1)


def reduce_features(kind, x):
    """result[i, (h)] = reduce_f(x[i, (h,) f])."""
    return _REDUCE[kind](_float(x), axis=-1)


def pick_feature(x, of, kind, over):
    """result[i, h, f] = x[i, f] (over "heads") or x[i, (h)] (over "features") where
    of[i, h, f] is the first along that dimension that is its max or min, else 0."""
    of, axis = _float(of), 1 if over == "heads" else -1
    # NumPy's argmax and argmin give the first; of NaN the first one.
    first = {"max": np.argmax, "min": np.argmin}[kind](of, axis=axis)
    out = np.zeros(of.shape)
    np.put_along_axis(out, np.expand_dims(first, axis),
                      np.expand_dims(_float(x), axis), axis)
    return out


# -- Upstream's arithmetic on rows of one space --------------------------------

ELEMENTWISE = {
    "arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply,
    "arith.divf": np.divide, "arith.negf": np.negative,
    "arith.maximumf": np.maximum, "arith.minimumf": np.minimum,
    "math.absf": np.abs, "math.exp": np.exp, "math.log": np.log,
    "math.sqrt": np.sqrt, "math.rsqrt": lambda x: 1 / np.sqrt(x),
    "math.tanh": np.tanh, "math.erf": erf, "math.floor": np.floor,
    "math.ceil": np.ceil, "math.sin": np.sin, "math.cos": np.cos,
    "math.expm1": np.expm1, "math.log1p": np.log1p, "math.atan": np.arctan,
    "math.roundeven": np.rint, "math.trunc": np.trunc,
    "math.atan2": np.arctan2, "math.powf": np.power,
    "arith.andi": np.logical_and, "arith.ori": np.logical_or,
    "arith.xori": np.logical_xor,
}

# The ops on conditions among them.
LOGIC = ("arith.andi", "arith.ori", "arith.xori")

_COMPARE = {"lt": np.less, "le": np.less_equal, "gt": np.greater,
            "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal}


def operands_of(name):
    """How many operands an elementwise op has."""
    return getattr(ELEMENTWISE[name], "nin", 1)


def elementwise(name, *operands):
    """An op of `arith` or `math` on floating point operands or conditions."""
    with np.errstate(all="ignore"):
        return ELEMENTWISE[name](*[x if name in LOGIC else _float(x)
                                   for x in operands])


def compare(kind, lhs, rhs):
    """A condition: whether lhs is lt, le, gt, ge, eq or ne to rhs; NaN is ne to all
    and nothing else."""
    return _COMPARE[kind](lhs, rhs)


def where(condition, a, b):
    """a where the condition holds, else b."""
    return np.where(condition, a, b)
