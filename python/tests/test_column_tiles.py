# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of columns of what is reduced over features, and tiles of heads, one after the other:
kernels of all walks and forms against NumPy in float64."""

import numpy as np
import pytest

import gnn_mlir
from test_edge_walks import DEGREES, check, graph_of

GRAPH = graph_of(DEGREES["mixed"])
SHORT = graph_of([3, 0, 1, 70, 0, 0, 2, 1, 1, 130, 0])


def dots(heads, features, epilogue="", results=("%d",), in_order=False, by_edge=False,
         schedule=""):
    """Numbers of each edge and head: of rows at both ends, and of the edge."""
    row = f"tensor<?x{heads}x{features}xf32>"
    score, result = f"tensor<?x{heads}xf32>", f"tensor<?x{heads}xf32>"
    edge, dst, domain = "element -> edge", "group", "dst, edge.in_rows"
    if by_edge:
        edge, dst, domain = "group", "group -> dst", "edge"
    to = edge
    if in_order:
        result, to = f"tensor<?x{heads}xf32, #gnn_tile.order<edge.in_rows>>", "element"
    count = len(results)
    outs = ", ".join(f"%o{i}" for i in range(count))
    kinds = ", ".join([result] * count)
    empty = "\n  ".join(f"%o{i} = tensor.empty(%n) : {result}" for i in range(count))
    return f"""
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%x: {row} {{gnn.rows = #gnn.rows<@g, node>}},
             %z: {row} {{gnn.rows = #gnn.rows<@g, node>}},
             %w: {score} {{gnn.rows = #gnn.rows<@g, edge>}})
    -> ({", ".join([result + " {gnn.rows = #gnn.rows<@g, edge>}"] * count)}) {{
  %n = gnn_tile.count @g count edge : index
  {empty}
  %s:{count} = gnn_tile.traverse @g <{domain}, heads = {heads}, features = {features}>
      ins(%x, %z, %w : {row}, {row}, {score})
      at [#gnn_tile.at<{edge.split()[0]} -> src : head, feature>,
          #gnn_tile.at<{dst} : head, feature>, #gnn_tile.at<{edge} : head>]
      outs({outs} : {kinds})
      at [{", ".join([f"#gnn_tile.at<{to} : head>"] * count)}] {schedule} {{
  ^bb0(%xv: f32, %zv: f32, %wv: f32):
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    {epilogue}
    gnn_tile.yield {", ".join(results)} : {", ".join(["f32"] * count)}
  }} -> {kinds}
  return {", ".join(f"%s#{i}" for i in range(count))} : {kinds}
}}"""


def run(text, graph, heads, features, seed=7, **options):
    """The compiled layer, its inputs in float64, and what it gives."""
    rng = np.random.default_rng(seed)
    given = [rng.standard_normal(shape).astype(np.float32)
             for shape in [(graph.num_nodes, heads, features)] * 2
             + [(len(graph.edge_src), heads)]]
    layer = gnn_mlir.compile(text, target="emulator", **options)
    bound = layer.bind(graph)
    inputs = {f"arg{i}": one for i, one in enumerate(given)}
    found = bound(inputs)
    again = bound(inputs)
    for one, other in zip(*(map(lambda r: r if isinstance(r, tuple) else (r,), (found, again)))):
        assert np.array_equal(one, other), "other bits in a second run"
    return layer, [one.astype(np.float64) for one in given], found


def scores(graph, x, z):
    return np.sum(x[graph.edge_src] * z[graph.edge_dst], axis=2)


def steps_of(layer):
    plan, = layer.package.plan()["functions"]
    return [step for step in plan["steps"] if "schedule" in step]


WALKS = {"edges": "row_walk = by_edges", "rows": "row_walk = team",
         "one at a time": "row_walk = by_edges, in_flight = 1",
         "many at a time": "row_walk = by_edges, in_flight = 8"}


@pytest.mark.parametrize("walk", list(WALKS))
@pytest.mark.parametrize("columns", [32, 64])
@pytest.mark.parametrize("features", [96, 100, 128, 130])
def test_dots_in_tiles(features, columns, walk):
    text = dots(1, features, schedule=f"schedule <columns_per_block = {columns}, {WALKS[walk]}>")
    layer, (x, z, _), found = run(text, GRAPH, 1, features)
    assert len(steps_of(layer)) == -(-features // columns)
    check(found, scores(GRAPH, x, z))
