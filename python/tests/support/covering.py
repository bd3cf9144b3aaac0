# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Few cases that together hold every pair of values of any two factors."""

import itertools


def product(factors, allowed=lambda case: True):
    """All allowed cases: dicts from factor to value."""
    for values in itertools.product(*factors.values()):
        case = dict(zip(factors, values))
        if allowed(case):
            yield case


def _pairs(case):
    return [(a, case[a], b, case[b])
            for a, b in itertools.combinations(case, 2)]


def pairwise(factors, allowed=lambda case: True, of=None):
    """Allowed cases such that each two values that some allowed case has together
    occur together in one of them, of all factors or of the factor `of` and the others. The
    same arguments give the same cases.

    `allowed` gets whole cases. Greedy: each case takes the first pair that is
    missing and adds the values that cover most others."""
    possible = {}
    for case in product(factors, allowed):
        for pair in _pairs(case):
            if of is None or of in pair[::2]:
                possible.setdefault(pair, case)
    missing = dict(possible)
    cases = []
    while missing:
        case = dict(missing[next(iter(missing))])
        fixed = set(next(iter(missing))[::2])
        for name in factors:
            if name not in fixed:
                case[name] = _best(case, name, factors, allowed, missing)
        cases.append(case)
        for pair in _pairs(case):
            missing.pop(pair, None)
    return cases


def _best(case, name, factors, allowed, missing):
    """The value of a factor that covers most missing pairs of the case."""
    def gain(value):
        changed = {**case, name: value}
        if not allowed(changed):
            return -1
        return sum(pair in missing for pair in _pairs(changed))

    return max(factors[name], key=gain)
