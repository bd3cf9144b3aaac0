# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options that a function does not have."""

import inspect


def refuse_unknown(given, function):
    """Raises ValueError for options that a function does not have."""
    for name in given:
        known = [p.name for p in inspect.signature(function).parameters.values()
                 if p.kind is p.KEYWORD_ONLY]
        raise ValueError(f"{name}: expected an option of {function.__name__} "
                         f"({', '.join(known)})")
