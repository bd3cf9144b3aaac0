# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of a program under construction, with NumPy's operators."""

from . import types


def _both(name):
    """An operator, and the one whose operands are the other way round."""
    return (lambda self, other: self._made(name, self, other),
            lambda self, other: self._made(name, other, self))


def _comparison(kind):
    return lambda self, other: self.function.compare(kind, self, other)


class Value:
    """The result of an op, or an input.

    Operators are NumPy's, on rows of one space, weights and numbers: arithmetic,
    `**`, `@` with a weight, comparisons, which give conditions for `where`, and
    `&` and `|` of those. Features broadcast as in NumPy."""

    # NumPy's numbers leave the operator to this class.
    __array_ufunc__ = None

    def __init__(self, function, value_type, name=None):
        self.function = function
        self.type = value_type
        self.name = name
        self.positive = False  # Whether an op takes a root of it.

    def named(self, name):
        """The same value, with a name for readers of the text."""
        self.name = types.identifier("named", name)
        return self

    graph = property(lambda self: self.type.graph)
    space = property(lambda self: self.type.space)
    features = property(lambda self: self.type.features)

    def __repr__(self):
        return f"Value({self.name or ''}: {self.type})"

    def _made(self, name, *operands):
        return self.function.elementwise(name, *operands)

    __add__, __radd__ = _both("arith.addf")
    __sub__, __rsub__ = _both("arith.subf")
    __mul__, __rmul__ = _both("arith.mulf")
    __truediv__, __rtruediv__ = _both("arith.divf")
    _pow, __rpow__ = _both("math.powf")
    __and__, __or__ = _both("arith.andi")[0], _both("arith.ori")[0]
    __lt__, __le__, __gt__, __ge__, __eq__, __ne__ = map(
        _comparison, ("lt", "le", "gt", "ge", "eq", "ne"))
    __hash__ = object.__hash__

    def __neg__(self):
        return self._made("arith.negf", self)

    def __abs__(self):
        return self._made("math.absf", self)

    def __pow__(self, other):
        if not isinstance(other, Value) and other == 2:  # As NumPy does it.
            return self * self
        return self._pow(other)

    def __matmul__(self, weight):
        return self.function.matmul(self, weight)

    def __bool__(self):
        raise ValueError("a value is not known before the program runs: expected "
                         "where(condition, a, b) in place of if")

    def __iter__(self):
        raise ValueError(f"expected slice or reshape, got a loop over {self!r}")
