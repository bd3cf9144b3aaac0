# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of a program under construction, with NumPy's operators."""

from . import types


class Value:
    """What an op or an input gives.

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

    def __add__(self, other):
        return self._made("arith.addf", self, other)

    def __radd__(self, other):
        return self._made("arith.addf", other, self)

    def __sub__(self, other):
        return self._made("arith.subf", self, other)

    def __rsub__(self, other):
        return self._made("arith.subf", other, self)

    def __mul__(self, other):
        return self._made("arith.mulf", self, other)

    def __rmul__(self, other):
        return self._made("arith.mulf", other, self)

    def __truediv__(self, other):
        return self._made("arith.divf", self, other)

    def __rtruediv__(self, other):
        return self._made("arith.divf", other, self)

    def __neg__(self):
        return self._made("arith.negf", self)

    def __abs__(self):
        return self._made("math.absf", self)

    def __pow__(self, other):
        if not isinstance(other, Value) and other == 2:  # As NumPy does it.
            return self * self
        return self._made("math.powf", self, other)

    def __rpow__(self, other):
        return self._made("math.powf", other, self)

    def __matmul__(self, weight):
        return self.function.matmul(self, weight)

    def __lt__(self, other):
        return self.function.compare("lt", self, other)

    def __le__(self, other):
        return self.function.compare("le", self, other)

    def __gt__(self, other):
        return self.function.compare("gt", self, other)

    def __ge__(self, other):
        return self.function.compare("ge", self, other)

    def __eq__(self, other):
        return self.function.compare("eq", self, other)

    def __ne__(self, other):
        return self.function.compare("ne", self, other)

    __hash__ = object.__hash__

    def __and__(self, other):
        return self._made("arith.andi", self, other)

    def __or__(self, other):
        return self._made("arith.ori", self, other)

    def __bool__(self):
        raise ValueError("a value is not known before the program runs: expected "
                         "where(condition, a, b) in place of if")

    def __iter__(self):
        raise ValueError(f"expected slice or reshape, got a loop over {self!r}")
