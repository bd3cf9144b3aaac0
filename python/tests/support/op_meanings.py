# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The meaning of one op of level 1, for `interpreter`.

An op means what the function of `gnn_mlir.reference` with its mnemonic says. The
parameters of that function are filled by their names: attributes of the op, what
types say (`_ROLES`, `_FLAGS`), and else the operands in their order. A new op needs
nothing here. An op that neither the reference nor this file knows is an error.
"""

import inspect

import numpy as np

from gnn_mlir import reference


class Call:
    """An op with the arrays of its operands, of which None was left out."""

    def __init__(self, op, operands, types, graphs, whole=True):
        self.op, self.operands, self.types = op, operands, types
        self.graphs, self.whole = graphs, whole
        self.attributes = op.attributes

    @property
    def results(self):
        return self.op.result_types

    def type_of(self, number):
        """The type of an operand, None where there is no such one."""
        return self.types[number] if number < len(self.types) else None

    def graph(self):
        """The graph that the op is on: of a derived one and its parent, the
        parent."""
        names = [t.graph for t in (*self.types, *self.results)
                 if t is not None and t.graph is not None]
        parents = [n for n in names if self.graphs[n].parent is None]
        return self.graphs[(parents or names)[0]].graph

    def parent_types(self):
        """The edge types of the parent that the derived graph has."""
        for kind in (*self.types, *self.results):
            if kind is not None and kind.graph and self.graphs[kind.graph].parent:
                return self.graphs[kind.graph].parent_types
        raise ValueError(f"{self.op.name}: expected a derived graph")

    def loops(self):
        """The self loops of the derived graph; None where types are listed."""
        for kind in (*self.types, *self.results):
            if kind is not None and kind.graph and self.graphs[kind.graph].parent:
                return self.graphs[kind.graph].loops
        raise ValueError(f"{self.op.name}: expected a derived graph")

    def shape(self):
        """The shape of the first result."""
        return shape_of(self.results[0], self.graphs)


class BoundGraph:
    """A declared graph with the one it is bound to."""

    def __init__(self, graph, parent=None, parent_types=(), loops=None):
        self.graph, self.parent = graph, parent
        self.parent_types, self.loops = parent_types, loops


def shape_of(kind, graphs):
    """The shape of a tensor on bound graphs."""
    if kind.space is None:
        return kind.sizes
    return (graphs[kind.graph].graph.count(kind.space), *kind.features)


# -- What the parameters of the reference's functions are -------------------------


def _space(number):
    def of(call):
        kind = call.type_of(number)
        return None if kind is None else kind.space
    return of


def _is_typed(number):
    return lambda call: call.type_of(number).is_typed


def _by(call):
    """The types that weights are over: those of the second operand, or the result."""
    multiplies = call.op.name == "gnn.typed_linear"
    return (call.type_of(1) if multiplies else call.results[0]).space


_ROLES = {
    "graph": Call.graph, "source": _space(0), "space": _space(0),
    "target": lambda call: call.results[0].space,
    "lhs_space": _space(0), "rhs_space": _space(1), "by": _by,
    "types": Call.parent_types, "loops": Call.loops,
    "features": lambda call: (call.shape()[1:] if call.results[0].space else
                              call.shape()),
    "size": lambda call: call.results[0].features[-1],
    "heads": lambda call: (call.results[0].features[0] if "by_heads" in call.attributes
                           else None),
    "via": lambda call: None, "lhs_via": lambda call: None,
    "rhs_via": lambda call: None, "alpha": lambda call: None,
}


def _is_vector(call):
    """Whether the right operand of a product of weights, or the gradient with respect
    to it, is a vector."""
    if "by_heads" in call.attributes:
        is_gradient = call.op.name == "gnn.weight_outer"
        right = call.results[0] if is_gradient else call.type_of(1)
        return len(right.features) == 2
    return len(call.type_of(1).features) < len(call.type_of(0).features)


# Parameters whose default is a bool. Attributes without a value are such ones too.
_FLAGS = {
    "argument": lambda call: len(call.results) == 2,
    "heads": lambda call: len(call.results[0].features) == 3,
    "lhs_typed": _is_typed(0), "rhs_typed": _is_typed(1),
    "grad_typed": _is_typed(1), "vector": _is_vector,
    "typed": lambda call: call.results[0].is_typed,
    "rows": lambda call: call.type_of(0).space is not None,
    "by_heads": lambda call: "by_heads" in call.attributes,
}


def _bound(function, call):
    """The arguments of a function of the reference."""
    left, positional, named = list(call.operands), [], {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += left
            left = []
        elif isinstance(parameter.default, bool):
            if name not in _FLAGS:
                raise ValueError(f"{call.op.name}: expected a flag of "
                                 f"{', '.join(_FLAGS)}, got {name}")
            named[name] = _FLAGS[name](call)
        elif name in call.attributes:
            named[name] = call.attributes[name]
        elif name in _ROLES:
            named[name] = _ROLES[name](call)
        elif left:
            named[name] = left.pop(0)
        elif parameter.default is parameter.empty:
            raise ValueError(f"{call.op.name}: expected {name}, got no such operand "
                             "and no such attribute")
    if left:
        raise ValueError(f"{call.op.name}: expected operands "
                         f"{', '.join(inspect.signature(function).parameters)}, got "
                         f"{len(left)} more")
    return positional, named


# -- Ops that are not a function of the reference alone ----------------------------


def _broadcast(call):
    x, shape = call.operands[0], call.shape()
    if call.results[0].space is None:
        return reference.broadcast_weight(x, shape)
    if call.type_of(0).space is None:
        return reference.broadcast(x, shape[1:], shape[0])
    return reference.broadcast(x, shape[1:])


def _constant(call):
    value = call.attributes["value"]
    return value if call.whole or not isinstance(value, np.ndarray) else value[None]


# arith.cmpf: (function, whether NaN makes it true); the others by number.
_ORDERED = {1: np.equal, 2: np.greater, 3: np.greater_equal, 4: np.less,
            5: np.less_equal, 6: np.not_equal}
_INTEGERS = dict(enumerate((np.equal, np.not_equal, np.less, np.less_equal,
                            np.greater, np.greater_equal)))


def _cmpf(call):
    (x, y), kind = call.operands, call.attributes["predicate"]
    unordered = np.isnan(x) | np.isnan(y)
    if kind in (0, 15):
        return np.full(unordered.shape, kind == 15)
    if kind in (7, 14):
        return unordered == (kind == 14)
    if kind > 7:
        return _ORDERED[kind - 7](x, y) | unordered
    return _ORDERED[kind](x, y) & ~unordered


def _cmpi(call):
    kind = call.attributes["predicate"]
    if kind not in _INTEGERS:
        raise ValueError("arith.cmpi: expected a comparison of signed integers, got "
                         f"number {kind}")
    return _INTEGERS[kind](*call.operands)


def _converted(kind):
    return lambda call: np.asarray(call.operands[0]).astype(kind)


def _concat(call):
    """Arrays in a body have a dimension of rows before those of the type; what all
    rows share has one row."""
    arrays = [np.asarray(x) for x in call.operands]
    if call.whole:
        return np.concatenate(arrays, call.attributes["dim"])
    rows = max(len(x) for x in arrays)
    return np.concatenate([np.broadcast_to(x, (rows, *x.shape[1:])) for x in arrays],
                          call.attributes["dim"] + 1)


def _extract_slice(call):
    x = np.asarray(call.operands[0])
    found = [call.attributes["static_" + what] for what in ("offsets", "sizes",
                                                            "strides")]
    if any(x is not None for x in call.operands[1:]):
        raise ValueError("tensor.extract_slice: expected offsets and sizes that are "
                         "known")
    cut = [slice(o, o + s * step, step) for o, s, step in zip(*found)]
    rows = () if call.whole else (slice(None),)
    return _reshape(call, x[(*rows, *cut)])


def _reshape(call, x=None):
    x = np.asarray(call.operands[0] if x is None else x)
    return x.reshape(call.results[0].sizes if call.whole else
                     (len(x), *call.results[0].sizes))


def _expand_rows(call):
    """The rows of several graphs are added up."""
    parts = [call.graphs[call.type_of(i).graph] for i in range(len(call.operands))]
    return sum(reference.expand_rows(call.graph(), x, call.results[0].space,
                                     part.parent_types, part.loops)
               for x, part in zip(call.operands, parts))


# -- Ops on the features of one row ------------------------------------------------
# Arrays are [rows, ...], or [1, ...] for what all rows share.


def _row_linear(call):
    x, weight = (np.asarray(a, np.float64) for a in call.operands)
    weight = (reference.weight_transpose(weight) if "transposed" in call.attributes
              else weight)
    if weight.ndim == x.ndim:  # With heads in x alone.
        weight = weight[:, None]
    return np.matmul(x[..., None, :], weight)[..., 0, :]


def _row_broadcast(call):
    x, sizes = np.asarray(call.operands[0]), call.results[0].sizes
    x = x.reshape(x.shape + (1,) * (1 + len(sizes) - x.ndim))
    return np.broadcast_to(x, (len(x), *sizes))


def _row_activation(call):
    x, *weight = call.operands
    weight = weight[0] if weight else None
    return reference.activation(call.attributes["kind"], x, weight,
                                call.attributes.get("alpha"))


_MEANINGS = {
    "gnn.broadcast": _broadcast, "arith.constant": _constant,
    "arith.cmpf": _cmpf, "arith.cmpi": _cmpi,
    "arith.select": lambda call: reference.where(*call.operands),
    "arith.sitofp": _converted(np.float64), "arith.uitofp": _converted(np.float64),
    "arith.extui": _converted(np.int64), "tensor.concat": _concat,
    "tensor.extract_slice": _extract_slice, "tensor.expand_shape": _reshape,
    "tensor.collapse_shape": _reshape, "gnn.row_linear": _row_linear,
    "gnn.row_dot": lambda call: reference.dot(*call.operands),
    "gnn.expand_rows": _expand_rows,
    "gnn.row_outer": lambda call: reference.outer_rows(*call.operands),
    "gnn.row_broadcast": _row_broadcast, "gnn.row_activation": _row_activation,
}


def meaning(call):
    """The result of an op without a region: an array, or a tuple of arrays."""
    name = call.op.name
    if name in _MEANINGS:
        return _MEANINGS[name](call)
    if name in reference.ELEMENTWISE:
        return reference.elementwise(name, *call.operands)
    dialect, _, mnemonic = name.partition(".")
    function = getattr(reference, mnemonic, None) if dialect == "gnn" else None
    if not inspect.isfunction(function) or mnemonic.startswith("_"):
        raise ValueError(f"expected an op with a meaning in the reference, got {name}")
    positional, named = _bound(function, call)
    return function(*positional, **named)
