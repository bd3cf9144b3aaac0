# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of ops on each element: arithmetic, activations, conditions, constants."""

import math

import numpy as np
import torch

from .... import targets
from ..analysis.dimensions import kept
from ..analysis.values import value_of
from .tags import Fill, Mask, Masked, Parts, Rows, Typed, Unsupported, Whole, handles, static

aten = torch.ops.aten

_ARITH = {"add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf",
          "div": "arith.divf", "max": "arith.maximumf", "min": "arith.minimumf",
          "pow": "math.powf"}
_NUMBERS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
            "max": np.maximum, "min": np.minimum, "pow": np.power}


def tag_of(r, x):
    """The tag of an argument; a number is a Fill."""
    if not isinstance(x, torch.fx.Node):
        return Fill(float(x))
    tag = r.tags.get(x)
    if tag is None and isinstance(value_of(x), (int, float)):
        return Fill(float(value_of(x)))
    return tag


def operands(r, node, *given):
    """Nodes and numbers as values that broadcast to the features of `node`, and the
    dimension of its rows. At least one is rows."""
    rank = value_of(node).dim()
    dims = {kept(node, x).get(r.row_dim(x)) for x in given
            if isinstance(x, torch.fx.Node) and r.is_rows(x)}
    if not dims:
        return None, None
    if len(dims) > 1 or None in dims:
        raise Unsupported("rows that meet features")
    dim, = dims
    home, axis = None, None
    for x in given:  # The space of the first value of the program, else of the first rows.
        if isinstance(x, torch.fx.Node) and r.is_rows(x):
            of_program = isinstance(r.tags.get(x), (Rows, Typed))
            if home is None or of_program and not home[1]:
                home, axis = (x, of_program), r.axis(x)
    first = r.rows(home[0])
    graph = next(g for g in r.graphs.all if g.name == first.graph.name)
    values = []
    for x in given:
        if x is home[0]:
            values.append(first)
        elif isinstance(x, torch.fx.Node) and r.is_rows(x):
            if r.axis(x) is not axis:
                raise Unsupported("rows of two kinds")
            values.append(r.rows(x, graph, first.space))
        else:
            values.append(_shared(r, x, rank, dim, first))
    return values, dim


def _shared(r, x, rank, dim, like):
    """A number, or a weight that all rows share."""
    tag = tag_of(r, x)
    if isinstance(tag, Fill):
        return tag.number
    if isinstance(tag, Whole):
        value = r.f.gather(tag.value, like.space)
        wanted = tuple(map(static, value_of(x).shape))
        at = dim - (rank - len(wanted))
        wanted = wanted[:at] + wanted[at + 1:] if at >= 0 else wanted
        return value if value.features == wanted else r.f.reshape(value, *wanted)
    if not isinstance(value_of(x), torch.Tensor):
        raise Unsupported("a number that another call gives otherwise")
    shape = tuple(map(static, value_of(x).shape))
    if math.prod(shape) == 1:
        return r.weight(x, None, ())
    at = dim - (rank - len(shape))
    if at >= 0:
        if shape[at] != 1:
            raise Unsupported("a tensor with a row for each row that is of no graph")
        shape = shape[:at] + shape[at + 1:]
    return r.weight(x, None, shape)


def _prefix(r, short, long):
    """`short` without so many last features of 1 that those of `long` begin with the
    rest, as it was made if that is so; None where they do not."""
    features, found = short.features, []
    while features and features[-1] == 1:
        features = features[:-1]
        if long.features[:len(features)] == features:
            found.append(features)
    if not found:
        return None
    origin = r.origin(short)
    return r.f.reshape(short, *(origin if origin in found else found[0]))


def combine(r, kind, a, b):
    """a op b; features of which one begins with the other's are one op. Products are
    remembered: their sums are products of rows."""
    made = _combined(r, kind, a, b)
    if kind == "mul" and not isinstance(a, float) and not isinstance(b, float):
        r.current.made["product", id(made)] = a, b, made
    return made


def _combined(r, kind, a, b):
    is_rows = [not isinstance(x, (int, float)) and x.space is not None for x in (a, b)]
    if kind in ("add", "sub", "mul", "div") and all(is_rows) and a.features != b.features \
            and len(a.features) == len(b.features):
        for short, long, order in ((a, b, 1), (b, a, -1)):
            prefix = _prefix(r, short, long)
            if prefix is not None:
                return r.f.apply(kind, a.space, *(prefix, long)[::order])
    return r.f.elementwise(_ARITH[kind], a, b)


def _whole(r, kind, a, b):
    """A number of the graph with a constant, a weight, or another."""
    def value(x):
        tag = tag_of(r, x)
        return (tag.value if isinstance(tag, Whole) else tag.number if isinstance(tag, Fill)
                else r.weight(x))
    return Whole(combine(r, kind, value(a), value(b)), r.current.number)


def binary(r, node, kind, a, b, alpha=1):
    ta, tb = tag_of(r, a), tag_of(r, b)
    if alpha != 1:
        if not isinstance(tb, Fill):
            values, dim = operands(r, node, a, b)
            if values is None:
                return None
            return r.made(node, combine(r, kind, values[0], r.f.elementwise(
                "arith.mulf", values[1], float(alpha))), dim)
        b, tb = tb.number * alpha, Fill(tb.number * alpha)
    if isinstance(ta, Fill) and isinstance(tb, Fill):
        with np.errstate(all="ignore"):
            return Fill(float(_NUMBERS[kind](ta.number, tb.number)))
    if isinstance(ta, Parts) or isinstance(tb, Parts):
        return _joined(kind, ta, tb)
    if isinstance(ta, Masked) or isinstance(tb, Masked):
        return _of_one_type(kind, ta, tb)
    values, dim = operands(r, node, a, b)
    if values is None:
        if isinstance(ta, Whole) or isinstance(tb, Whole):
            return _whole(r, kind, a, b)
        return None
    values = [r.f.where(v, 1.0, 0.0) if getattr(v, "type", None) is not None and
              v.type.dtype == "i1" else v for v in values]
    return r.made(node, combine(r, kind, *values), dim)


def _of_one_type(kind, a, b):
    if kind == "add" and isinstance(a, Masked) and isinstance(b, Masked) and a.mask.is_as(
            b.mask):
        return Masked("add", (a, b), a.mask)
    raise Unsupported("rows of one type with others")


def _joined(kind, a, b):
    """Rows by type, added up from rows that are 0 elsewhere."""
    if kind != "add":
        raise Unsupported("an op on rows of some types")
    if isinstance(a, Fill) and a.number == 0:
        return b
    if isinstance(b, Fill) and b.number == 0:
        return a
    if isinstance(a, Parts) and isinstance(b, Parts) and a.types is b.types and not (
            set(a.parts) & set(b.parts)):
        return Parts(a.types, {**a.parts, **b.parts})
    raise Unsupported("an op on rows of some types")


def _register_binary():
    for kind in ("add", "sub", "mul", "div"):
        def handler(r, node, a, b, alpha=1, *, _kind=kind, rounding_mode=None):
            if rounding_mode is not None:
                raise Unsupported(f"division rounded by {rounding_mode}")
            return binary(r, node, _kind, a, b, alpha)
        handles(getattr(aten, kind).Tensor, getattr(aten, kind).Scalar)(handler)
    for name, kind in (("maximum", "max"), ("minimum", "min")):
        handles(getattr(aten, name).default)(
            lambda r, node, a, b, _kind=kind: binary(r, node, _kind, a, b))
    handles(aten.pow.Tensor_Tensor, aten.pow.Scalar)(
        lambda r, node, a, b: binary(r, node, "pow", a, b))


_register_binary()


@handles(aten.rsub.Scalar)
def _rsub(r, node, a, number, alpha=1):
    if alpha != 1:
        raise Unsupported(f"alpha {alpha}")
    return binary(r, node, "sub", number, a)


@handles(aten.reciprocal.default)
def _reciprocal(r, node, a):
    return binary(r, node, "div", 1.0, a)


@handles(aten.clamp.default, aten.clamp_min.default, aten.clamp_max.default)
def _clamp(r, node, a, low=None, high=None, **named):
    if node.target == aten.clamp_max.default:
        low, high = None, low
    low, high = named.get("min", low), named.get("max", high)
    if not r.is_rows(a):
        return each(r, node, a, lambda v: _bounded(r, node, v, low, high), lambda c: min(
            max(c, -math.inf if low is None else low), math.inf if high is None else high))
    return r.made(node, _bounded(r, node, r.rows(a), low, high))


def _bounded(r, node, value, low, high):
    if not r.is_data(node):
        return clamped(r.f, value, low, high)
    for kind, bound in (("max", low), ("min", high)):
        if bound is not None:
            value = r.f.elementwise(_ARITH[kind], value, float(bound))
    return value


def clamped(f, v, low, high):
    """The gradient of what equals a bound is that of what is within, as torch has it; half
    of it goes to each operand of a maximum."""
    for kind, bound in (("lt", low), ("gt", high)):
        if bound is not None:
            v = f.where(f.compare(kind, v, float(bound)), float(bound), v)
    return v


def each(r, node, a, make, number):
    """An op on one operand that is rows, a number of the graph, or a constant."""
    tag = tag_of(r, a)
    if isinstance(tag, Fill):
        return Fill(number(tag.number))
    if isinstance(tag, Whole):
        return Whole(make(tag.value), r.current.number)
    if isinstance(tag, Masked):
        key = node.target, tuple(map(str, node.args[1:])), str(node.kwargs)
        return Masked("one", (tag, key, make), tag.mask)
    if not r.is_rows(a):
        return None
    return r.made(node, make(r.rows(a)), r.row_dim(a))


def _of_number(function):
    """A function of NumPy as one of a constant, with IEEE's infinities and NaN."""
    def call(number):
        with np.errstate(all="ignore"):
            return float(function(np.float64(number)))
    return call


_MATH = {"exp": ("math.exp", np.exp), "log": ("math.log", np.log),
         "sqrt": ("math.sqrt", np.sqrt), "abs": ("math.absf", np.abs),
         "rsqrt": ("math.rsqrt", lambda x: 1 / np.sqrt(x)), "neg": ("arith.negf", np.negative),
         "erf": ("math.erf", math.erf), "sin": ("math.sin", np.sin), "cos": ("math.cos", np.cos),
         "floor": ("math.floor", np.floor), "ceil": ("math.ceil", np.ceil),
         "tanh": ("math.tanh", np.tanh), "expm1": ("math.expm1", np.expm1),
         "log1p": ("math.log1p", np.log1p), "atan": ("math.atan", np.arctan),
         "round": ("math.roundeven", np.rint), "trunc": ("math.trunc", np.trunc)}
for _name, (_op, _number) in _MATH.items():
    handles(getattr(aten, _name).default)(
        lambda r, node, a, _op=_op, _number=_of_number(_number): each(
            r, node, a, lambda v: r.f.elementwise(_op, v), _number))


def _activation(kind, default=None):
    def handler(r, node, a, alpha=default, *rest, **named):
        if kind == "elu" and any(x != 1 for x in rest):
            raise Unsupported("elu with a scale")
        given = None if default is None else float(alpha)
        return each(r, node, a, lambda v: r.f.activation(kind, v, alpha=given),
                    unknown)
    return handler


def unknown(_):
    raise Unsupported("an activation of a constant")


for _name, _kind, _alpha in (("relu", "relu", None), ("sigmoid", "sigmoid", None),
                             ("silu", "swish", None),
                             ("leaky_relu", "leaky_relu", 0.01),
                             ("elu", "elu", 1.0)):
    handles(getattr(aten, _name).default)(_activation(_kind, _alpha))


@handles(aten.prelu.default)
def _prelu(r, node, a, weight):
    if not r.is_rows(a):
        return None
    if value_of(weight).numel() != 1 and (value_of(a).dim() != 2 or r.row_dim(a) != 0):
        raise Unsupported("prelu whose weights are not those of the last features")
    return r.made(node, r.f.activation("prelu", r.rows(a), r.weight(weight)))


def root(f, v):
    """The square root in a norm: its gradient at 0 is 0."""
    is_zero = f.compare("eq", v, 0.0)
    return f.where(is_zero, 0.0, f.elementwise("math.sqrt", f.where(is_zero, 1.0, v)))


def softplus(f, v):
    """log(exp(v - m) + exp(-m)) + m, m = max(v, 0): nothing overflows, and whatever the
    gradient of m, that of v is the sigmoid, at 0 too."""
    most = f.activation("relu", v)
    powers = f.activation("exp", v - most) + f.activation("exp", -most)
    return f.elementwise("math.log", powers) + most


@handles(aten.pow.Tensor_Scalar)
def _pow(r, node, a, exponent):
    def make(v):
        if exponent == -0.5:
            return r.f.elementwise("math.rsqrt", v)
        if exponent == 0.5:
            return r.f.elementwise("math.sqrt", v)
        if exponent == -1:
            return 1.0 / v
        return v if exponent == 1 else v ** exponent
    return each(r, node, a, make, _of_number(lambda c: np.power(c, exponent)))


# -- Conditions ------------------------------------------------------------------------

def _compare(kind):
    def handler(r, node, a, b):
        types = r.graphs.types(a) if isinstance(a, torch.fx.Node) else None
        if types is not None and kind == "eq" and isinstance(b, int):
            return Mask(types, b)
        if isinstance(a, torch.fx.Node) and not value_of(a).dtype.is_floating_point:
            return None
        values, dim = operands(r, node, a, b)
        if values is None:
            return None
        return Rows(r.f.compare(kind, *values), r.current.number, dim)
    return handler


for _kind in ("eq", "ne", "lt", "le", "gt", "ge"):
    handles(getattr(aten, _kind).Scalar, getattr(aten, _kind).Tensor)(_compare(_kind))


@handles(aten.isinf.default)
def _isinf(r, node, a):
    if not r.is_rows(a):
        return None
    return Rows(r.f.compare("eq", abs(r.rows(a)), math.inf), r.current.number,
                r.row_dim(a))


@handles(aten.logical_and.default, aten.logical_or.default)
def _logical(r, node, a, b):
    values, dim = operands(r, node, a, b)
    if values is None or any(isinstance(v, float) for v in values):
        return None
    name = "arith.andi" if node.target == aten.logical_and.default else "arith.ori"
    return Rows(r.f.elementwise(name, *values), r.current.number, dim)


def _condition(r, mask):
    tag = r.tags.get(mask)
    if isinstance(tag, Rows):
        return tag
    raise Unsupported("expected a condition of rows of the program")


@handles(aten.masked_fill.Scalar, aten.masked_fill.Tensor)
def _masked_fill(r, node, a, mask, number):
    if isinstance(number, torch.fx.Node):
        number = tag_of(r, number)
        if not isinstance(number, Fill):
            raise Unsupported("masked_fill by what is no constant")
        number = number.number
    return choose(r, node, mask, number, a)


def choose(r, node, mask, a, b):
    _condition(r, mask)
    values, dim = operands(r, node, mask, a, b)
    return r.made(node, r.f.where(*values), dim)


@handles(aten.where.self, aten.where.ScalarOther, aten.where.ScalarSelf,
         aten.where.Scalar)
def _where(r, node, mask, a, b):
    tag = r.tags.get(mask)
    if isinstance(tag, Mask):
        other = tag_of(r, b)
        if isinstance(other, Fill) and other.number == 0 and _is_mask_of(r, tag, mask, a):
            return Parts(tag.types, {tag.number: Masked("rows", (a,), tag)})
        raise Unsupported("rows of a type with others than 0")
    return choose(r, node, mask, a, b)


def _is_mask_of(r, tag, mask, x):
    """Whether a mask of rows of one type is that of the first dimension of a tensor."""
    return isinstance(x, torch.fx.Node) and r.row_dim(x) == 0 and (
        value_of(mask).dim() == value_of(x).dim() and
        r.axes.of(mask) is r.axis(x) is tag.types.axis.find())


# -- Constants -------------------------------------------------------------------------

@handles(aten.new_zeros.default, aten.zeros.default, aten.zeros_like.default,
         aten.new_empty.default, aten.empty.memory_format, aten.empty_like.default)
def _zeros(r, node, *args, **named):
    return Fill(0.0)


@handles(aten.new_ones.default, aten.ones.default, aten.ones_like.default)
def _ones(r, node, *args, **named):
    return Fill(1.0)


@handles(aten.new_full.default, aten.full.default, aten.full_like.default)
def _full(r, node, like, *rest, **named):
    return _filled(node, rest[-1] if rest else named.get("fill_value"))


@handles(aten.scalar_tensor.default)
def _scalar(r, node, number, **named):
    return _filled(node, number)


def _filled(node, number):
    """The constant as the tensor's dtype has it."""
    if not isinstance(number, (int, float)):
        return None
    return Fill(float(torch.tensor(number, dtype=value_of(node).dtype, device=targets.CPU)))


@handles(aten.detach.default)
def _detach(r, node, a):
    raise Unsupported("a value without its gradient")


@handles(aten.clone.default)
def _clone(r, node, a, **named):
    """Another layout in memory, which rows of a program have not."""
    return r.tags.get(a)


@handles(aten._to_copy.default)
def _to_copy(r, node, a, **named):
    if value_of(a).dtype == torch.bool and isinstance(r.tags.get(a), Rows):
        return r.made(node, r.f.where(r.rows(a), 1.0, 0.0), r.row_dim(a))
    if value_of(a).dtype != value_of(node).dtype:
        raise Unsupported(f"a change from {value_of(a).dtype} to {value_of(node).dtype}")
    return r.tags.get(a)


@handles(aten.dropout.default)
def _dropout(r, node, a, p, train):
    if not train or p == 0:
        return r.tags.get(a) or (r.is_rows(a) and r.made(node, r.rows(a)) or None)
    if not r.is_rows(a):
        return None
    if p == 1:  # Torch's is a product too: what is not finite is NaN.
        return r.made(node, r.rows(a) * 0.0, r.row_dim(a))
    return r.made(node, r.f.dropout(r.rows(a), p, *r.seed(node)), r.row_dim(a))
