# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions on sizes under which a captured graph is that of the model: the guards of torch, as the
manifest of a saved model has them."""

import math

import sympy

from ..raising.raiser import CaptureError

_OPS = {sympy.Eq: ("eq", "=="), sympy.Ne: ("ne", "!="), sympy.Le: ("le", "<="),
        sympy.Lt: ("lt", "<"), sympy.Ge: ("le", ">="), sympy.Gt: ("lt", ">")}
_MOST = 64  # Times that an extent may stand in a sum.


def conditions(environment, symbols, words, count):
    """Those of a shape environment of torch. `symbols` are those of extents of arguments, `words`
    has those of each that others are equal to, and `count` gives what a manifest has of it. Raises
    CaptureError for what no sums of extents say."""
    known = {symbol: int(there.lower) for symbol, there in environment.var_to_range.items()
             if there.is_singleton()}
    found = []
    for guard in environment.guards:
        # Equal symbols are one: `manifest` has the extents that are.
        expr = environment.replace(guard.expr).subs(known)
        is_known = guard.expr.free_symbols <= symbols | known.keys()
        if expr is sympy.true and is_known:
            continue
        op, sign = _OPS.get(expr.func, (None, None))
        sides = is_known and op and expr.free_symbols <= words.keys() and _sums(expr, count)
        if not sides:
            raise CaptureError("a condition on sizes cannot be saved: expected one that compares "
                               "sums of sizes of tensors that the program reads, got "
                               f"{_text(guard.expr, words)}")
        left, right, divisor = sides
        if expr.func in (sympy.Ge, sympy.Gt):
            left, right = right, left
        found.append({"op": op, "left": left, "right": right, "text": " ".join(
            (_text(expr.lhs / divisor, words), sign, _text(expr.rhs / divisor, words)))})
    return found


def _sums(expr, count):
    """What is on the left and on the right, with no coefficient below 0, and what both were divided
    by; None of what is no sum."""
    terms = sympy.expand(expr.lhs - expr.rhs).as_coefficients_dict()
    if not all(number.is_Integer and (term == 1 or term.is_Symbol)
               for term, number in terms.items()):
        return None
    divisor = math.gcd(*map(int, terms.values())) or 1
    sides = [], []
    for term, number in terms.items():
        number = int(number) // divisor
        if term != 1 and abs(number) > _MOST:
            return None
        sides[number < 0].extend([abs(number)] if term == 1 else [count(term)] * abs(number))
    return *(side or 0 for side in sides), divisor


def _text(expr, words):
    return str(expr.subs({symbol: sympy.Symbol(name) for symbol, name in words.items()}))
