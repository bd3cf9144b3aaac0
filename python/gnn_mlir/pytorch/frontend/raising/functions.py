# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of functions that are made of others: activations, and what is made of sums over
features.

Each has torch's gradient too where it is not smooth: rows without edges are zeros, which is
where most are not.
"""

import math

import torch

from ..analysis.dimensions import dims_of
from ..analysis.values import value_of
from .elementwise import clamped, each, operands, root, softplus, unknown
from .features import reduced
from .tags import Unsupported, handles

aten = torch.ops.aten


def _handles(*targets):
    """Registers `function(f, v, *args)`, f the builder of the program and v a value of
    it."""
    def take(function):
        @handles(*targets)
        def handler(r, node, a, *args, **named):
            return each(r, node, a, lambda v: function(r.f, v, *args, **named), unknown)
        return function
    return take


@_handles(aten.square.default)
def _square(f, v):
    return v * v


@_handles(aten.sign.default, aten.sgn.default)
def _sign(f, v):
    return f.where(f.compare("gt", v, 0.0), 1.0, f.where(f.compare("lt", v, 0.0), -1.0, v * 0.0))


def _flat(f, v, low, high):
    """Clamped, without a gradient at the bounds."""
    return f.where(f.compare("le", v, low), low, f.where(f.compare("ge", v, high), high, v))


@_handles(aten.hardtanh.default)
def _hardtanh(f, v, low=-1.0, high=1.0):
    return _flat(f, v, float(low), float(high))


@_handles(aten.relu6.default)
def _relu6(f, v):
    return _flat(f, v, 0.0, 6.0)


@_handles(aten.hardsigmoid.default)
def _hardsigmoid(f, v):
    return _flat(f, v + 3.0, 0.0, 6.0) * (1 / 6)


@_handles(aten.hardswish.default)
def _hardswish(f, v):
    return v * (_flat(f, v + 3.0, 0.0, 6.0) * (1 / 6))


@_handles(aten.softshrink.default)
def _softshrink(f, v, lambd=0.5):
    return v - clamped(f, v, -float(lambd), float(lambd))


@_handles(aten.hardshrink.default)
def _hardshrink(f, v, lambd=0.5):
    return f.where(f.compare("le", abs(v), float(lambd)), 0.0, v)


@_handles(aten.threshold.default)
def _threshold(f, v, threshold, value):
    return f.where(f.compare("le", v, float(threshold)), float(value), v)


@_handles(aten.selu.default)
def _selu(f, v):
    return f.activation("elu", v, alpha=1.6732632423543772) * 1.0507009873554805


@_handles(aten.celu.default)
def _celu(f, v, alpha=1.0):
    alpha = float(alpha)
    if alpha <= 0:
        raise Unsupported(f"celu with an alpha of {alpha}")
    return f.activation("elu", v * (1 / alpha), alpha=1.0) * alpha


@_handles(aten.rrelu.default)
def _rrelu(f, v, lower=0.125, upper=1 / 3, training=False, generator=None):
    if training:
        raise Unsupported("rrelu in training")
    return f.activation("leaky_relu", v, alpha=(lower + upper) / 2)


@_handles(aten.softplus.default)
def _softplus(f, v, beta=1, threshold=20):
    if threshold < 15:  # From there on v is what float32 has for it.
        raise Unsupported(f"softplus with a threshold of {threshold}")
    beta = float(beta)
    return softplus(f, v) if beta == 1 else softplus(f, v * beta) * (1 / beta)


@_handles(aten.log_sigmoid.default)
def _log_sigmoid(f, v):
    return -softplus(f, -v)


@_handles(aten.mish.default)
def _mish(f, v):
    return v * f.elementwise("math.tanh", softplus(f, v))


@_handles(aten.gelu.default)
def _gelu(f, v, approximate="none"):
    if approximate == "none":
        return f.activation("gelu", v)
    inner = (v + v * v * v * 0.044715) * math.sqrt(2 / math.pi)
    return v * ((f.elementwise("math.tanh", inner) + 1.0) * 0.5)


@_handles(aten.nan_to_num.default)
def _nan_to_num(f, v, nan=None, posinf=None, neginf=None):
    most = torch.finfo(torch.float32).max
    for compared, to, default in ((math.inf, posinf, most), (-math.inf, neginf, -most)):
        v = f.where(f.compare("eq", v, compared), default if to is None else float(to), v)
    return f.where(f.compare("ne", v, v), 0.0 if nan is None else float(nan), v)


# -- Of several operands -------------------------------------------------------------------

def _or_zero(f, v):
    """The shift of exponents: 0 in place of what would make infinite ones NaN."""
    return f.where(f.compare("eq", abs(v), math.inf), 0.0, v)


@handles(aten.logaddexp.default)
def _logaddexp(r, node, a, b):
    values, dim = operands(r, node, a, b)
    if values is None:
        return None
    f = r.f
    most = _or_zero(f, f.elementwise("arith.maximumf", *values))
    powers = [f.activation("exp", v - most) for v in values]
    return r.made(node, f.elementwise("math.log", powers[0] + powers[1]) + most, dim)


@handles(aten.atan2.default)
def _atan2(r, node, a, b):
    values, dim = operands(r, node, a, b)
    if values is None:
        return None
    f, made = r.f, r.f.elementwise("math.atan2", *values)
    if isinstance(b, torch.fx.Node) and b.target in (
            aten.sum.dim_IntList, aten.sum.default) and not any(
                isinstance(v, float) for v in values):
        # Torch's sums begin at 0.0: one of -0.0 is 0.0, which has no angle of pi with 0.0.
        is_zero = [f.compare("eq", v, 0.0) for v in values]
        made = f.where(f.elementwise("arith.andi", *is_zero), 0.0, made)
    return r.made(node, made, dim)


@handles(aten.addcmul.default)
def _addcmul(r, node, a, b, c, value=1):
    values, dim = operands(r, node, a, b, c)
    if values is None:
        return None
    a, b, c = values
    return r.made(node, a + (b * c if value == 1 else b * c * float(value)), dim)


@handles(aten.lerp.Scalar)
def _lerp(r, node, a, b, weight):
    values, dim = operands(r, node, a, b)
    if values is None:
        return None
    a, b = values
    return r.made(node, a + (b - a) * float(weight), dim)


# -- Over features ---------------------------------------------------------------------------

def _over_features(*targets):
    """Registers `function(over, f, v, **named)`, where over(kind, v) reduces
    features, and over(kind, v, True) has as many dimensions as v."""
    def take(function):
        @handles(*targets)
        def handler(r, node, x, dims=None, *args, **named):
            if not r.is_rows(x):
                return None
            names = [argument.name for argument in node.target._schema.arguments]
            named |= dict(zip(names[2:], args))
            keepdim = named.pop("keepdim", False)
            rank, rows = value_of(x).dim(), r.row_dim(x)
            dims = dims_of(dims, rank)
            if rows in dims:
                raise Unsupported("over rows")
            value, places = r.rows(x), [d - (d > rows) for d in dims]

            def over(kind, v, keep=False):
                made = reduced(r, kind, v, places)
                return made if not keep else r.f.reshape(made, *[
                    1 if i in places else n for i, n in enumerate(v.features)])
            left = rows if keepdim else rows - sum(d < rows for d in dims)
            return r.made(node, function(over, r.f, value, **named), left)
        return function
    return take


@_over_features(aten.logsumexp.default)
def _logsumexp(over, f, v):
    powers = f.activation("exp", v - _or_zero(f, over("max", v, True)))
    return f.elementwise("math.log", over("sum", powers)) + _or_zero(f, over("max", v))


def _variance(over, f, v, correction, unbiased):
    correction = (1 if correction is None else correction) if unbiased else 0
    away = v - over("mean", v, True)
    count = math.prod(v.features) // math.prod(over("mean", v).features)
    return over("sum", away * away) * (1 / (count - correction) if count > correction
                                       else math.nan)


@_over_features(aten.var.dim, aten.var.correction)
def _var(over, f, v, correction=None, unbiased=True):
    return _variance(over, f, v, correction, unbiased)


@_over_features(aten.std.dim, aten.std.correction)
def _std(over, f, v, correction=None, unbiased=True):
    return root(f, _variance(over, f, v, correction, unbiased))
