# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Made graphs with the counts of well-known heterogeneous data sets.

Node and edge counts, types and schema sizes are those of am, biokg, mag and
wikikg2; so is the share of edges whose (source, edge type) is new. Everything else
is drawn, from one seed: the same call gives the same graph anywhere.
"""

import zlib

import numpy as np

import gnn_mlir

# Nodes, node types, edges, edge types, distinct (source, edge type) an edge.
_COUNTS = {
    "am": (1_900_000, 7, 5_700_000, 108, 0.57),
    "biokg": (94_000, 5, 4_800_000, 51, 0.3),
    "wikikg2": (2_500_000, 1, 16_000_000, 535, 0.5),
}
# Of ogbn-mag the schema is public: nodes a type (paper, author, institution, field
# of study), then source, destination and edges of each edge type.
_MAG_NODES = (736_389, 1_134_649, 8_740, 59_965)
_MAG_EDGES = ((1, 0, 7_145_660), (0, 0, 5_416_271), (0, 3, 7_505_078),
              (1, 2, 1_043_998))
_MAG_SHARE = 0.3

NAMES = (*_COUNTS, "mag")


def _shares(total, parts, least):
    """`total` in parts of sizes 1, 1/2, 1/3, ..., none below `least`."""
    weight = 1 / np.arange(1, parts + 1)
    sizes = np.maximum(least, (total * weight / weight.sum()).astype(np.int64))
    sizes[0] += total - sizes.sum()
    return sizes


def _plan(name, rng, scale):
    """Nodes a type, (source type, destination type, edges) of each edge type, and
    the share of distinct sources."""
    if name == "mag":
        nodes = [max(2, int(n * scale)) for n in _MAG_NODES]
        edges = [(s, d, max(1, int(n * scale))) for s, d, n in _MAG_EDGES]
        return nodes, edges, _MAG_SHARE
    count, kinds, edges, relations, share = _COUNTS[name]
    nodes = _shares(max(16 * kinds, int(count * scale)), kinds, 16)
    weight = np.sqrt(nodes / nodes.sum())
    ends = rng.choice(kinds, (relations, 2), p=weight / weight.sum())
    ends[0] = 0  # The most frequent relation joins the largest type to itself.
    sizes = _shares(max(2 * relations, int(edges * scale)), relations, 1)
    return nodes, [(s, d, n) for (s, d), n in zip(ends, sizes)], share


def graph(name, scale=1.0):
    """The graph of that name; `scale` makes it smaller in nodes and edges."""
    if name not in NAMES:
        raise ValueError(f"expected one of {', '.join(NAMES)}, got {name!r}")
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    nodes, relations, wanted = _plan(name, rng, scale)
    begin = np.r_[0, np.cumsum(nodes)]
    total = sum(count for *_, count in relations)

    def distinct(share):
        return [min(nodes[s], max(1, int(share * n))) for s, _, n in relations]

    share = wanted  # More where small types have too few sources.
    while share < 1 and sum(distinct(share)) < 0.99 * wanted * total:
        share = min(1.0, share * 1.05)
    ranks = [rng.permutation(n) for n in nodes]
    ends = [[], []]
    for (s, d, count), sources in zip(relations, distinct(share)):
        active = rng.permutation(nodes[s])[:sources]
        again = active[(rng.random(count - sources) ** 3 * sources).astype(int)]
        ends[0].append(rng.permutation(np.r_[active, again]) + begin[s])
        targets = (rng.random(count) ** 2 * nodes[d]).astype(int)
        ends[1].append(ranks[d][targets] + begin[d])
    sizes = [count for *_, count in relations]
    order = rng.permutation(total)
    return gnn_mlir.Graph(
        np.concatenate(ends[0])[order], np.concatenate(ends[1])[order],
        edge_type=np.repeat(np.arange(len(sizes)), sizes)[order],
        node_type=np.repeat(np.arange(len(nodes)), nodes),
        num_node_types=len(nodes), num_edge_types=len(sizes),
        schema=[(int(s), int(d)) for s, d, _ in relations])
