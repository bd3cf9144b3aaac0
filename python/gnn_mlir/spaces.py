# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Row spaces and the paths between them.

An edge leads to one source pair and one destination pair, a pair to its node
and its edge type, a node to its node type, everything to the graph. A pair is a
(node, edge type) that occurs. ``node`` rows belong to square graphs, ``src`` and
``dst`` rows to bipartite ones.
"""

SPACES = ("edge", "src_pair", "dst_pair", "src", "dst", "node", "edge_type",
          "node_type", "graph")

_NODES = ("src", "dst", "node")

# From each space, the coarser ones that it leads to.
_LEADS_TO = {
    "edge": SPACES[1:],
    "src_pair": ("src", "node", "edge_type", "node_type", "graph"),
    "dst_pair": ("dst", "node", "edge_type", "node_type", "graph"),
    "src": ("node_type", "graph"),
    "dst": ("node_type", "graph"),
    "node": ("node_type", "graph"),
    "edge_type": ("node_type", "graph"),
    "node_type": ("graph",),
    "graph": (),
}


def leads(source, target):
    """Whether each row of `source` leads to one row of `target`."""
    return source == target or target in _LEADS_TO[source]


def is_ambiguous(source, target):
    """Whether there are two paths, so that `via` has to pick an end."""
    if source == target or not leads(source, target):
        return False
    return source in ("edge", "edge_type") and target in ("node", "node_type")


def end_of(source, target, via=None):
    """The end of the edge that a path takes: "src", "dst" or None."""
    for space in (source, target):
        for end in ("src", "dst"):
            if space in (end, end + "_pair"):
                return end
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
