# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The raising of a lowered graph: once, unless what is raised is split.

A graph has variants that compute the same: what is detached is made of inputs, relations are
merged, layers have the rows alone that something reads, and ids are ends of graphs of their own.
A variant is made and raised where those before it gave several programs, or left rows to torch
that it brings together. Where all do, the one of the fewest programs is taken, of those with what is
detached as it is.
"""

import math

from . import wholeness
from .functional import detached
from .raising.raiser import Raiser
from .relations import merging, needed
from .tracing import exporting


@exporting.without_autocast()  # Shapes and dtypes are computed anew.
def raised(lowered, foreign):
    """(variant, raiser) of a graph. Ids that are `foreign` are those of no graph."""
    own = detached.of_inputs(lowered)
    if own is not None:
        found = _first_whole(own, foreign)
        if len(programs(found[1])) == 1:
            return found
    return _first_whole(lowered, foreign)


def programs(raiser):
    """The segments that are programs."""
    return [segment for segment in raiser.segments if segment.outputs]


def _first_whole(lowered, foreign):
    """The first variant with what is detached as it is that is one program and brings no rows
    together in torch, or else the one of the fewest programs."""
    found = []
    for variant in _merged(lowered, foreign):
        raiser = _without_small(variant, foreign)
        if len(programs(raiser)) == 1 and not wholeness.is_together(raiser):
            return variant, raiser
        found.append((variant, raiser))
    *merged, apart = found
    most = len(programs(apart[1]))
    fewer = [one for one in merged if len(programs(one[1])) == 1 or (
        0 < len(programs(one[1])) < most)]
    return min(fewer, key=lambda one: len(programs(one[1])), default=apart)


def _merged(lowered, foreign):
    """Variants by what becomes of relations, made as they are asked for; the last one leaves them
    as they are."""
    if not foreign:
        for merge, narrow in ((merging.apart, None), (merging.merge, needed.narrowed),
                              (merging.merge, None)):
            given = narrow(lowered) if narrow else lowered
            variant = given and merge(given)
            if variant is not None:
                yield variant
    yield lowered


def _without_small(lowered, foreign):
    """Raised, but for programs without a sum or a gather over edges. Where edges have more ids
    than two and something is torch's, ids are ends of graphs of their own if less is then."""
    def rest(raiser):
        return len(programs(raiser)) or math.inf, len(raiser.refused())
    raiser = _with_graphs(lowered, foreign, False)
    if not raiser.graphs.crowded or rest(raiser) == (1, 0):
        return raiser
    return min(raiser, _with_graphs(lowered, foreign, True), key=rest)


def _with_graphs(lowered, foreign, alone):
    left = set()
    while True:
        raiser = Raiser(lowered, left, foreign, alone).run()
        small = {segment.number for segment in programs(raiser)
                 if not segment.has_graph_ops}
        more = {node for node, tag in raiser.tags.items()
                if getattr(tag, "segment", None) in small} - left
        if not more:
            return raiser
        left |= more
