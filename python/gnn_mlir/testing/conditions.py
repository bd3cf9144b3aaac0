# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons and what is made of them, which stand in programs written as text."""

import numpy as np

COMPARE = {"ogt": np.greater, "olt": np.less, "sgt": np.greater, "ne": np.not_equal}
LOGIC = {"andi": np.logical_and, "ori": np.logical_or, "xori": np.logical_xor}


def _spelled(*values):
    return lambda spell: ", ".join(spell(v.type) for v in values)


def compare(f, kind, x, y):
    """Whether x is above y, or whatever `kind` is, element by element."""
    op = "cmpi" if x.type.dtype == "i32" else "cmpf"
    return f._record(f"arith.{op}", f"{kind}, {{}}, {{}}", _spelled(x), [x, y],
                     [x.type.with_dtype("i1")],
                     lambda g, a, b: COMPARE[kind](a, b))


def logic(f, kind, a, b):
    """andi, ori or xori of two conditions."""
    return f._record(f"arith.{kind}", "{}, {}", _spelled(a), [a, b], [a.type],
                     lambda g, a, b: LOGIC[kind](a, b))


def select(f, condition, a, b):
    """a where the condition holds, b elsewhere."""
    return f._record("arith.select", "{}, {}, {}", _spelled(condition, a),
                     [condition, a, b], [a.type],
                     lambda g, c, a, b: np.where(c, a, b))


def number(f, condition, dtype="f32"):
    """1 where the condition holds, 0 elsewhere."""
    op, kind = {"f32": ("uitofp", np.float64), "i32": ("extui", np.int64)}[dtype]
    made = condition.type.with_dtype(dtype)
    return f._record(
        f"arith.{op}", "{}", lambda spell: f"{spell(condition.type)} to {spell(made)}",
        [condition], [made], lambda g, c: np.asarray(c).astype(kind))
