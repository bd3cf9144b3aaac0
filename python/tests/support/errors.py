# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a result is from the reference, so that one wrong row cannot hide."""

import numpy as np

# The bounds of a correct result of fp32, for a layer.
TOTAL = 1e-5
BY_ROW = 1e-4


def error(out, expected):
    """|out - expected| / |expected| over the whole result."""
    difference, expected = differences(out, expected)
    return _largest(np.array([np.linalg.norm(difference)]),
                    np.array([np.linalg.norm(expected)]))


def row_error(out, expected):
    """max over rows of |out - expected| / (|expected| + 1e-6 rms), where rms is
    the root mean square of the norms of the expected rows."""
    difference, expected = differences(out, expected)
    size = np.linalg.norm(expected, axis=1)
    rms = np.sqrt(np.mean(size ** 2)) if len(size) else 0.0
    return _largest(np.linalg.norm(difference, axis=1), size + 1e-6 * rms)


def differences(out, expected):
    """The difference and the expected rows; NaN and infinities are no difference
    where both have the same, and an infinite one elsewhere."""
    out, expected = [np.asarray(x, np.float64) for x in (out, expected)]
    if out.shape != expected.shape:
        raise ValueError(f"expected shape {expected.shape}, got {out.shape}")
    rows = expected.shape[0] if expected.ndim else 1
    out, expected = [x.reshape(rows, x.size // max(1, rows))
                     for x in (out, expected)]
    odd = ~(np.isfinite(out) & np.isfinite(expected))
    same = (out == expected) | (np.isnan(out) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        difference = np.where(odd, np.where(same, 0.0, np.inf), out - expected)
    return difference, np.where(odd, 0.0, expected)


def _largest(difference, size):
    """max of difference / size, where 0 / 0 is 0."""
    ratio = np.divide(difference, size, out=np.full(size.shape, np.inf),
                      where=size > 0)
    return float(np.max(np.where(difference == 0, 0.0, ratio), initial=0.0))


def random_rounding(seed):
    """A function that rounds numbers to float32 as some way to compute them in float32
    may: by up to one unit in the last place, at random (Monte Carlo arithmetic).

    Rounding to nearest is one such way, and a lucky one where values cancel: what is
    equal stays equal, and the difference is 0. Kernels that add in another order do not
    get the same bits, and have a small difference of large terms."""
    rng = np.random.default_rng(seed)

    def rounded(x):
        x = np.asarray(x, np.float64)
        return (x * (1 + rng.uniform(-2.0 ** -24, 2.0 ** -24, x.shape))).astype(np.float32)
    return rounded


def furthest(expected, found):
    """For each element, the one of several results that is the furthest off; one that
    is not finite where that is not expected is further than all others."""
    found = np.stack([np.asarray(x, np.float64) for x in found])
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        distance = np.where(same, 0.0, np.abs(found - expected))
    distance[np.isnan(distance)] = np.inf
    return np.take_along_axis(found, np.argmax(distance, axis=0)[None], axis=0)[0]


def check(name, out, expected, total=TOTAL, by_row=BY_ROW):
    """Raises AssertionError where `out` is too far from `expected`; integers must
    be equal. Returns both errors."""
    out, expected = np.asarray(out), np.asarray(expected)
    if np.issubdtype(expected.dtype, np.integer):
        if out.shape != expected.shape or (out != expected).any():
            raise AssertionError(f"{name}: expected other integers{_first(out, expected)}")
        return 0.0, 0.0
    errors = error(out, expected), row_error(out, expected)
    for what, found, limit in zip(("in all", "by row"), errors, (total, by_row)):
        if not found <= limit:
            raise AssertionError(f"{name}: expected an error {what} of at most "
                                 f"{limit}, got {found:.3g}"
                                 f"{_worst(out, expected)}")
    return errors


def _first(out, expected):
    if out.shape != expected.shape:
        return f": shape {expected.shape}, got {out.shape}"
    at = tuple(int(i) for i in np.argwhere(out != expected)[0])
    return f", {expected[at]} at {at}, got {out[at]}"


def _worst(out, expected):
    """Where the row is that is furthest off, and how many rows are off."""
    difference, rows = differences(out, expected)
    off = np.linalg.norm(difference, axis=1)
    size = np.linalg.norm(rows, axis=1)
    wrong = off > BY_ROW * (size + 1e-6 * np.sqrt(np.mean(size ** 2)))
    if not wrong.any():
        return ""
    row = int(np.argmax(np.where(wrong, off / (size + 1e-300), 0)))
    return (f"; {int(wrong.sum())} of {len(off)} rows are off, row {row}: "
            f"expected {_short(expected[row])}, got {_short(out[row])}")


def _short(row):
    return np.array2string(np.asarray(row).reshape(-1), precision=6, threshold=6,
                           edgeitems=3)
