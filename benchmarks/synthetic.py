# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Made graphs with the counts of well-known heterogeneous data sets.

Node and edge counts, types and schema sizes are those of aifb, am, bgs, biokg, fb15k,
mag, mutag and wikikg2; so is the share of edges whose (source, edge type) is new. Everything else
is drawn, from one seed: the same call gives the same graph anywhere.
"""

import re
import zlib

import numpy as np

import gnn_mlir

# Nodes, node types, edges, edge types, distinct (source, edge type) an edge.
_COUNTS = {
    "aifb": (7_300, 7, 49_000, 104, 0.5),
    "mutag": (27_000, 5, 148_000, 50, 0.5),
    "bgs": (95_000, 27, 673_000, 122, 0.46),
    "fb15k": (15_000, 1, 620_000, 474, 0.26),
    "am": (1_900_000, 7, 5_700_000, 108, 0.57),
    "biokg": (94_000, 5, 4_800_000, 51, 0.3),
    "wikikg2": (2_500_000, 1, 16_000_000, 535, 0.5),
}
# Which draw of the types that edge types join has sources enough; others take the first.
_DRAWS = {"bgs": 1}
# The schema of ogbn-mag is public: nodes a type (paper, author, institution, field
# of study), then source, destination and edges of each edge type.
_MAG_NODES = (736_389, 1_134_649, 8_740, 59_965)
_MAG_EDGES = ((1, 0, 7_145_660), (0, 0, 5_416_271), (0, 3, 7_505_078),
              (1, 2, 1_043_998))
_MAG_SHARE = 0.3

NAMES = (*_COUNTS, "mag")
# Nodes, edges, variation of the in-degree, share of sources near the destination.
_PLAIN = {"products": (2_449_029, 123_718_280, 1.88, 0.8),
          "products-uniform": (2_449_029, 123_718_280, 1.88, 0.0),
          "proteins": (132_534, 79_122_504, 1.04, 0.0),
          "reddit": (232_965, 114_615_892, 1.63, 0.0)}
WITHOUT_TYPES = tuple(_PLAIN)
_NEAR = 4096


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
    rng = np.random.default_rng(zlib.crc32(name.encode()) + _DRAWS.get(name, 0))
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


def homogeneous(name, scale=1.0):
    """A graph without types: counts and in-degrees of ogbn-products, ogbn-proteins or
    Reddit, lognormal. Sources are drawn uniformly, those of products (without -uniform)
    mostly from the 4096 nodes around the destination."""
    if name not in WITHOUT_TYPES:
        raise ValueError(f"expected one of {', '.join(WITHOUT_TYPES)}, got {name!r}")
    nodes, edges, variation, near = _PLAIN[name]
    return lognormal(max(16, int(nodes * scale)), int(edges * scale), variation, near,
                     zlib.crc32(name.encode()))


def made(name):
    """The graph of a name such as n500000-d16-v1-l0.8: nodes, mean degree, its variation, locality."""
    parts = re.fullmatch(r"n(\d+)-d(\d+)-v([\d.]+)-l([\d.]+)", name)
    if not parts:
        raise ValueError(f"expected a name such as n500000-d16-v1-l0.8, got {name!r}")
    nodes, degree = map(int, parts.groups()[:2])
    variation, near = map(float, parts.groups()[2:])
    return lognormal(nodes, nodes * degree, variation, near, zlib.crc32(name.encode()))


def lognormal(nodes, edges, variation, near, seed):
    """A graph without types whose in-degrees are lognormal, of that coefficient of variation;
    `near` is the share of sources drawn from the 4096 nodes around the destination, others
    are any."""
    rng = np.random.default_rng(seed)
    share = np.exp(rng.standard_normal(nodes) * np.sqrt(np.log1p(variation ** 2)))
    degrees = np.floor(share * (edges / share.sum())).astype(np.int64)
    degrees[rng.permutation(nodes)[:edges - degrees.sum()]] += 1
    targets = np.repeat(np.arange(nodes, dtype=np.int32), degrees)
    sources = rng.integers(0, nodes, edges, dtype=np.int32)
    if near:
        reach = min(_NEAR, nodes) // 2
        beside = targets + rng.integers(-reach, reach, edges, dtype=np.int32)
        sources = np.where(rng.random(edges, dtype=np.float32) < near, beside % nodes,
                           sources)
    return gnn_mlir.Graph(sources, targets, nodes)


# -- Counts of subshards --------------------------------------------------------------

SUBSHARDS = ("uniform", "rmat")
_RMAT = np.array([[0.57, 0.19], [0.19, 0.05]])  # R-MAT's, as Graph500 has them.
_RMAT_CELLS = 9  # 2^9 ranges of ids at each end


def subshards(kind, vertices, edges, n1, loops=False):
    """uint64[blocks, blocks]: the edges from block k into block j, at [j, k], of a graph of
    so many vertices and edges whose blocks have `n1` vertices; `loops` adds a self loop at
    each vertex. No edges are made.

    "uniform": any two vertices are as likely, and numbers are rounded, not drawn. "rmat":
    R-MAT with Graph500's parameters, whose ids are not shuffled, so that low ones have most
    edges; ids from `vertices` on are left out."""
    if kind not in SUBSHARDS:
        raise ValueError(f"expected one of {', '.join(SUBSHARDS)}, got {kind!r}")
    bounds = np.minimum(np.arange(-(-vertices // n1) + 1) * n1, vertices)
    if kind == "uniform":
        rows = np.diff(bounds) / vertices
        shares = np.outer(rows, rows)
    else:
        cells = np.ones((1, 1))
        for _ in range(_RMAT_CELLS):
            cells = np.kron(cells, _RMAT)
        # The share of each cell's ids in each block, where cells end at a power of two.
        width = 2.0 ** (int(vertices - 1).bit_length() - _RMAT_CELLS)
        begin = np.arange(2 ** _RMAT_CELLS) * width
        overlap = np.clip(np.minimum(begin + width, bounds[1:, None]) -
                          np.maximum(begin, bounds[:-1, None]), 0, None) / width
        shares = overlap @ cells @ overlap.T
    ends = np.round(np.cumsum(shares.ravel()) * (edges / shares.sum())).astype(np.int64)
    ends[-1] = edges
    counts = np.diff(ends, prepend=0).reshape(shares.shape)
    if loops:
        counts[np.diag_indices(len(counts))] += np.diff(bounds)
    return counts.astype(np.uint64)
