# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options that a function does not have, and paths in place of programs."""

import inspect
import os


def refuse_unknown(given, function):
    """Raises ValueError for options that a function does not have."""
    for name in given:
        known = [p.name for p in inspect.signature(function).parameters.values()
                 if p.kind is p.KEYWORD_ONLY]
        raise ValueError(f"{name}: expected an option of {function.__name__} "
                         f"({', '.join(known)})")


def refuse_path(program):
    """Raises ValueError for a path where the text of a program belongs."""
    if isinstance(program, os.PathLike) or isinstance(program, str) and (
            "\n" not in program.strip()) and (
            program.rstrip().endswith(".mlir") or os.path.isfile(program)):
        raise ValueError("program: expected MLIR text, got a path; pass "
                         f"pathlib.Path({os.fspath(program)!r}).read_text()")
