# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch assumes of sizes while it traces for the front end.

A size that may be 0 or 1 has the range from 0 on, but torch gives SymPy a positive symbol
for it. SymPy then decides `size == 0` and `max(1, size)` by itself: a model that asks
whether there are edges would take the branch of the first call for all others. Here the
symbol is of any sign, and torch decides by the range: what the user's code asks of a size
becomes a guard, and what torch's own code asks is of sizes that are not 0, as before.
"""

import functools

from torch.fx.experimental import symbolic_shapes

from . import intercept


def install():
    """Has torch make such symbols where it traces for the front end; once."""
    own = symbolic_shapes.make_symbol
    if hasattr(own, "__wrapped__"):
        return

    @functools.wraps(own)
    def make_symbol(*args, **assumed):
        if intercept.is_on():
            assumed.pop("positive", None)
        return own(*args, **assumed)
    symbolic_shapes.make_symbol = make_symbol
