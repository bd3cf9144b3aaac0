# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Row spaces and the paths between them.

An edge leads to one source pair and one destination pair, a pair to its node
and its edge type, a node to its node type, everything to the graph. A pair is a
(node, edge type) that occurs. ``node`` rows belong to square graphs, ``src`` and
``dst`` rows to bipartite ones.
"""

from . import lattice

SPACES = tuple(lattice.SPACES)


def _at(space, end):
    """The space of the lattice's table for one that is reached at an end."""
    return lattice.AT_END.get(space, {"Src": space, "Dst": space})[end]


def _ways(source, target, end):
    """The rows of `target` that one of `source`, read at an end, leads to."""
    steps = lattice.MAPS.get(_at(source, end), ())
    return {_at(target, each) for each in ("Src", "Dst")} & set(steps)


def leads(source, target):
    """Whether each row of `source` leads to one row of `target`."""
    return (source == target or target == "graph"
            or any(_ways(source, target, end) for end in ("Src", "Dst")))


def is_ambiguous(source, target):
    """Whether there are two paths, so that `via` has to pick an end."""
    return source != target and len(_ways(source, target, "Src")) > 1


def end_of(source, target, via=None):
    """The end of the edge that a path takes: "src", "dst" or None."""
    for space in (source, target):
        end = lattice.SPACES[space][1]
        if end != "Neither":
            return end.lower()
    return via


def check_path(source, target, via, what="path"):
    """Raises ValueError where there is no such path or `via` is wrong."""
    for space in (source, target):
        if space not in SPACES:
            raise ValueError(f"{what}: expected a row space of "
                             f"{', '.join(SPACES)}, got {space!r}")
    if not leads(source, target):
        raise ValueError(f"{what}: a row of {source} does not lead to one row "
                         f"of {target}")
    if is_ambiguous(source, target):
        if via not in ("src", "dst"):
            raise ValueError(f"{what}: from {source} to {target} there are two "
                             f"paths, expected via 'src' or 'dst', got {via!r}")
    elif via is not None:
        raise ValueError(f"{what}: from {source} to {target} there is one path, "
                         f"expected no via, got {via!r}")
