# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assumptions of torch on sizes while it traces for the front end.

A size that may be 0 or 1 has the range from 0 on, but torch gives SymPy a positive symbol
for it. SymPy then decides `size == 0` and `max(1, size)` by itself: a model that asks
whether there are edges would take the branch of the first call for all others. Here the
symbol of an argument's size is of any sign, and torch decides by the range: what the user's
code asks of a size becomes a guard, and what torch's own code asks is of sizes that are not
0, as before. Tensors that are no arguments are not empty in later calls.
"""

import functools
import threading

from torch.fx.experimental import symbolic_shapes

from . import intercept

_made = threading.local()  # `source`: of what a symbol is made.


def install():
    """Has torch make such symbols where it traces for the front end; once."""
    make, create = symbolic_shapes.make_symbol, symbolic_shapes.ShapeEnv.create_symbol
    if hasattr(make, "__wrapped__"):
        return

    @functools.wraps(make)
    def make_symbol(*args, **assumed):
        if intercept.is_on() and _is_of_argument(getattr(_made, "source", None)):
            assumed.pop("positive", None)
        return make(*args, **assumed)

    @functools.wraps(create)
    def create_symbol(self, value, source, *args, **kwargs):
        before = getattr(_made, "source", None)
        _made.source = source
        try:
            return create(self, value, source, *args, **kwargs)
        finally:
            _made.source = before
    symbolic_shapes.make_symbol = make_symbol
    symbolic_shapes.ShapeEnv.create_symbol = create_symbol


def _is_of_argument(source):
    while getattr(source, "base", None) is not None:
        source = source.base
    return bool(getattr(source, "is_input", False)) and source.local_name != "self"
