# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extremes with their place, of equals the first one: rows of every kind that shares and blocks
cut, and numbers among the edges of a parent, which need not ascend in a row."""

import numpy as np
import pytest

import gnn_mlir

NODES = 90
# Elements of the pairs of each edge type, of nodes from 0: at, before and behind the borders of
# shares (64) and blocks (1,024), hubs, one alone.
DEGREES = [[63, 1, 64, 0, 65, 127, 1, 128], [575, 1024, 0, 1023, 1, 2100], [3] * 80 + [0, 1500]]
PROGRAM = """
gnn.graph @g square {{node_types = 1, edge_types = 3}}
{derived}
func.func @f(%x: tensor<?x3xf32> {{gnn.rows = #gnn.rows<@g, node>}})
    -> (tensor<?x3xf32> {rows}, tensor<?x3xi32> {rows}, tensor<?x3xf32> {rows},
        tensor<?x3xi32> {rows}) {{
  %n = gnn_tile.count @{graph} count {group} : index
  %f0 = tensor.empty(%n) : tensor<?x3xf32>
  %i0 = tensor.empty(%n) : tensor<?x3xi32>
  %f1 = tensor.empty(%n) : tensor<?x3xf32>
  %i1 = tensor.empty(%n) : tensor<?x3xi32>
  %o:4 = gnn_tile.traverse @{graph} <{group}, edge.{order}, features = 3>
      ins(%x : tensor<?x3xf32>) at [#gnn_tile.at<element -> {other} : feature>]
      outs(%f0, %i0, %f1, %i1 : tensor<?x3xf32>, tensor<?x3xi32>, tensor<?x3xf32>, tensor<?x3xi32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>,
          #gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>] {schedule} {{
  ^bb0(%v: f32):
    %position = gnn_tile.index #gnn_tile.at<element>
    %number = gnn_tile.index #gnn_tile.at<element -> {numbers}>
    %m, %p = gnn_tile.arg_reduce max %v, %position : f32
    %k, %e = gnn_tile.arg_reduce min %v, %number : f32
    gnn_tile.yield %m, %p, %k, %e : f32, i32, f32, i32
  }} -> tensor<?x3xf32>, tensor<?x3xi32>, tensor<?x3xf32>, tensor<?x3xi32>
  return %o#0, %o#1, %o#2, %o#3 : tensor<?x3xf32>, tensor<?x3xi32>, tensor<?x3xf32>, tensor<?x3xi32>
}}"""
GROUPS = {"dst": "in_rows", "src": "out_rows", "dst_pair": "dst_pairs", "src_pair": "src_pairs",
          "edge_type": "dst_pairs"}
WAYS = {
    "by edges": {"schedule": "schedule <row_walk = by_edges>"},
    "one element": {"schedule": "schedule <in_flight = 1, row_walk = by_edges>"},
    "team": {"schedule": "schedule <in_flight = 4, row_walk = team>"},
    "by length": {"schedule": "schedule <row_walk = by_length, split_rows = 16>"},
    "in pieces": {"passes": {"long-rows": 100, "edge-walks": 0}}, "cpu": {"target": "cpu"},
}


def graph_of(end, seed=0):
    """A graph whose pairs have so many edges at that end, in a random order; loops among them."""
    rng = np.random.default_rng(seed)
    near = np.concatenate([np.repeat(np.arange(len(one)), one) for one in DEGREES])
    kinds = np.repeat(np.arange(3), [sum(one) for one in DEGREES])
    far = rng.integers(0, NODES, len(near))
    order = rng.permutation(len(near))
    near, far, kinds = (one[order].astype(np.int32) for one in (near, far, kinds))
    ends = (far, near) if end == "dst" else (near, far)
    return gnn_mlir.Graph(*ends, NODES, edge_type=kinds, num_edge_types=3)


def derive(graph, loops="", types=None, shards=0):
    """Ends and types of a derived graph's edges, and their numbers in the parent."""
    src, dst, kinds = graph.edge_src, graph.edge_dst, graph.edge_type
    is_loop, nodes = src == dst, np.arange(NODES)
    numbers = np.arange(len(src))
    if types is not None:
        numbers = np.flatnonzero(np.isin(kinds, types))
    elif loops:
        behind = len(src) + nodes
        if loops == "remaining":
            behind[dst[is_loop]] = np.flatnonzero(is_loop)  # The last one of a node.
        numbers = np.r_[numbers[~is_loop] if loops != "add" else numbers,
                        [] if loops == "remove" else behind].astype(int)
    src, dst, kinds = (np.r_[one, new][numbers] for one, new in (
        (src, nodes), (dst, nodes), (kinds, 0 * nodes)))
    if types is not None:
        kinds = np.searchsorted(types, kinds)
    return src, dst, src * shards // NODES if shards else kinds, numbers


def expected(group, src, dst, kinds, numbers, x):
    """Largest values and their first positions in the walk, smallest ones and the lowest of
    their numbers, of each group."""
    node = src if group.startswith("src") else dst
    if group == "edge_type":
        order, rows, count = np.lexsort((dst, kinds)), kinds, kinds.max() + 1
    elif group.endswith("pair"):
        _, rows = np.unique(kinds * NODES + node, return_inverse=True)
        order, count = np.argsort(rows, kind="stable"), rows.max() + 1
    else:
        order, rows, count = np.argsort(node, kind="stable"), node, NODES
    values = x[dst if group.startswith("src") else src]
    found = [np.zeros((count, 3)), np.full((count, 3), -1), np.zeros((count, 3)),
             np.full((count, 3), -1)]
    for row in np.unique(rows):
        places = np.flatnonzero(rows[order] == row)
        own, ids = values[order[places]], numbers[order[places]]
        found[0][row], found[2][row] = own.max(axis=0), own.min(axis=0)
        found[1][row] = places[own.argmax(axis=0)]
        is_low = own == own.min(axis=0)
        found[3][row] = np.where(is_low, ids[:, None], np.iinfo(np.int32).max).min(axis=0)
    return found


def check(graph, group, way, declared="", numbers="edge", **derived):
    options = {"target": "emulator", "schedule": "", **WAYS[way]}
    space = "node" if group in ("dst", "src") else group
    walked = "h" if declared else "g"
    text = PROGRAM.format(
        derived=declared and f"gnn.graph @h square of @g {declared}", graph=walked, group=group,
        order=GROUPS[group], other="dst" if group.startswith("src") else "src", numbers=numbers,
        rows=f"{{gnn.rows = #gnn.rows<@{walked if space != 'node' else 'g'}, {space}>}}",
        schedule=options.pop("schedule"))
    rng = np.random.default_rng(4)
    x = rng.integers(-2, 3, (NODES, 3)).astype(np.float32)  # Most are equal to others.
    x[8:, 1], x[8:, 2] = -np.inf, np.inf  # No better than nothing.
    src, dst, kinds, ids = derive(graph, **derived)
    own = ids if numbers == "parent_edge" else np.arange(len(src))
    found = list(gnn_mlir.compile(text, **options)(graph, {"arg0": x}).values())
    for one, right in zip(found, expected(group, src, dst, kinds, own, x), strict=True):
        assert np.array_equal(one, right)


@pytest.mark.parametrize("group, way", [
    (group, way) for group in GROUPS for way in WAYS
    if group != "edge_type" or "by_edges" not in WAYS[way].get("schedule", "")])
def test_first_of_equals_in_rows_of_every_kind(group, way):
    check(graph_of("src" if group.startswith("src") else "dst"), group, way)


@pytest.mark.parametrize("declared, derived", [
    ("types [0, 2] {node_types = 1, edge_types = 2}", {"types": [0, 2]}),
    *((f"loops {loops} {{node_types = 1, edge_types = 3}}", {"loops": loops.split()[0]})
      for loops in ("add type 0", "replace type 0", "remaining type 0", "remove")),
    ("loops remaining type 0 shards 4 of src {node_types = 1, edge_types = 4}",
     {"loops": "remaining", "shards": 4})])
@pytest.mark.parametrize("group, way", [
    ("dst", "by edges"), ("dst", "team"), ("src", "team"), ("dst_pair", "by edges"),
    ("dst", "cpu")])
def test_numbers_among_the_edges_of_a_parent(declared, derived, group, way):
    """Loops that remain have numbers below those of edges before them in a row."""
    check(graph_of("dst"), group, way, declared, "parent_edge", **derived)
