# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders of rows (bind_buffer of G-Sparse III-B): nodes and pairs by degree, of all rows and
within windows of 4,096, against NumPy in float64; each with the bits of rows as they lie."""

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models

ORDERS = ("by_degree", "degree_windows")
PROGRAM = """
gnn.graph @g square {{node_types = 1, edge_types = 3}}
func.func @f(%x: tensor<?x{features}xf32> {{gnn.rows = #gnn.rows<@g, node>}})
    -> (tensor<?x{features}xf32> {{gnn.rows = #gnn.rows<@g, {rows}>}}) {{
  %n = gnn_tile.count @g count {groups} : index
  %init = tensor.empty(%n) : tensor<?x{features}xf32>
  %y = gnn_tile.traverse @g <{groups}, {elements}, features = {features}>
      ins(%x : tensor<?x{features}xf32>) at [#gnn_tile.at<element -> {other} : feature>]
      outs(%init : tensor<?x{features}xf32>) at [#gnn_tile.at<group : feature>]
      schedule <{schedule}> {{
  ^bb0(%v: f32):
    %s = gnn_tile.reduce mean [element] %v : f32
    gnn_tile.yield %s : f32
  }} -> tensor<?x{features}xf32>
  return %y : tensor<?x{features}xf32>
}}"""
GROUPS = {
    "destinations": dict(groups="dst", elements="edge.in_rows", other="src", rows="node"),
    "sources": dict(groups="src", elements="edge.out_rows", other="dst", rows="node"),
    "destination pairs": dict(groups="dst_pair", elements="edge.dst_pairs", other="src",
                              rows="dst_pair"),
    "source pairs": dict(groups="src_pair", elements="edge.src_pairs", other="dst",
                         rows="src_pair"),
}
# Rows that share a warp or not, and those that blocks walk.
WAYS = {
    "warps": (40, "vector = 2, lanes = 32, row_walk = team"),
    "rows of a warp": (3, "lanes = 4, element_lanes = 1, rows_per_block = 64, row_walk = team"),
    "rows of a block": (16, "lanes = 4, row_walk = by_length, split_rows = 32"),
    "blocks": (16, "lanes = 4, row_walk = block, rows_per_block = 2"),
    "windows of elements": (16, "row_walk = team, window = 32"),
}


def graph_of(nodes=9001, edges=30000):
    """Three windows of nodes, the last of which is not full. Degrees are those of a power law,
    with a hub in the last window; there are rows without edges, loops and multi-edges."""
    rng = np.random.default_rng(nodes)
    src, dst = ((nodes * rng.random(edges) ** 3).astype(np.int32) for _ in range(2))
    dst[:300] = src[300:600] = nodes - 5
    src[:200] = src[0]
    dst[600:700] = src[600:700]
    return gnn_mlir.Graph(src, dst, nodes, edge_type=rng.integers(0, 3, edges).astype(np.int32),
                          num_edge_types=3)


def expected(graph, name, x):
    """The mean of each row, in natural order."""
    dst = name.startswith("destination")
    own, other = ((graph.edge_dst, graph.edge_src) if dst else
                  (graph.edge_src, graph.edge_dst))
    rows, count = own, graph.num_nodes
    if "pairs" in name:
        codes, rows = np.unique(graph.edge_type * np.int64(graph.num_nodes) + own,
                                return_inverse=True)
        count = len(codes)
    sums = np.zeros((count, x.shape[1]))
    np.add.at(sums, rows, x.astype(np.float64)[other])
    return sums / np.maximum(1, np.bincount(rows, minlength=count))[:, None]


def found(graph, name, features, schedule, target="emulator", **options):
    text = PROGRAM.format(features=features, schedule=schedule, **GROUPS[name])
    x = np.random.default_rng(features).standard_normal(
        (graph.num_nodes, features)).astype(np.float32)
    layer = gnn_mlir.compile(text, target=target, passes={"sum-runs": 0}, **options)
    return layer, np.asarray(layer.bind(graph)({"arg0": x})), x


def structures(layer):
    plan, = layer.package.plan()["functions"]
    return [one["key"] for one in plan["structures"]]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", GROUPS)
def test_rows_are_as_numpy(name, way):
    graph, (features, schedule) = graph_of(), WAYS[way]
    _, natural, x = found(graph, name, features, schedule)
    np.testing.assert_allclose(natural, expected(graph, name, x), rtol=2e-5, atol=2e-5)
    groups = GROUPS[name]["groups"]
    for order in ORDERS:
        layer, other, _ = found(graph, name, features, f"{schedule}, row_order = {order}")
        np.testing.assert_array_equal(other, natural, order)
        assert f"map {groups}.{order} {groups}" in structures(layer)


@pytest.mark.parametrize("target", ["emulator", "cpu"])
@pytest.mark.parametrize("form", ["structured", "scheduled", "blocked", "loops"])
@pytest.mark.parametrize("order", ORDERS)
def test_forms(order, form, target):
    """A core takes rows in an order too."""
    graph = graph_of(200, 1500)
    for name in ("destinations", "source pairs"):
        schedule = f"row_order = {order}"
        if target == "cpu":
            schedule = f"columns_per_block = 5, rows_per_block = 8, vector = 1, {schedule}"
            text = PROGRAM.replace("schedule <{schedule}>",
                                   "schedule #gnn_tile.core_schedule<{schedule}>")
            text = text.format(features=5, schedule=schedule, **GROUPS[name])
            x = np.random.default_rng(5).standard_normal((200, 5)).astype(np.float32)
            layer = gnn_mlir.compile(text, target=target, stop_at=form)
            own = np.asarray(layer.bind(graph)({"arg0": x}))
        else:
            _, own, x = found(graph, name, 5, schedule, target, stop_at=form)
        np.testing.assert_allclose(own, expected(graph, name, x), rtol=2e-5, atol=2e-5)


def test_graphs_without_rows_to_order():
    none = np.zeros(0, np.int32)
    graph = gnn_mlir.Graph(none, none, 3, edge_type=none, num_edge_types=3)
    for name in GROUPS:
        for order in ORDERS:
            _, own, _ = found(graph, name, 5, f"row_walk = team, row_order = {order}")
            assert not own.any() and len(own) == (0 if "pairs" in name else 3)


@pytest.mark.parametrize("orders", [1, 2])
@pytest.mark.parametrize("gradients", [None, True])
def test_layers(orders, gradients):
    """Blocks of nodes and of pairs take rows in an order, forward and backward."""
    graph = graph_of(300, 4000)
    rng = np.random.default_rng(1)
    model = models.rgcn(3, (8, 5))
    layers = [gnn_mlir.compile(model, target="emulator", gradients=gradients, graph=graph,
                               passes={"row-orders": number, "edge-walks": 0, "long-rows": 0})
              for number in (0, orders)]
    order = ORDERS[orders - 1]
    plans = [layer.package.plan()["functions"] for layer in layers]
    used = [{one["key"] for plan in of for one in plan["structures"] if order in one["key"]}
            for of in plans]
    assert not used[0] and len(used[1]) >= (2 if gradients else 1), used
    if gradients:
        return
    inputs = {one["name"]: rng.standard_normal(
        [300 if size < 0 else size for size in map(int_or_rows, one["shape"])]
        ).astype(np.float32) for one in plans[0][0]["inputs"]}
    outputs = [np.asarray(next(iter(values.values())) if isinstance(values, dict) else values)
               for values in (layer.bind(graph)(inputs) for layer in layers)]
    np.testing.assert_array_equal(*outputs)


def int_or_rows(size):
    """The number of columns or of weights; -1 for rows of nodes."""
    return size if isinstance(size, int) else -1


def test_listed():
    text = PROGRAM.format(features=8, schedule="row_walk = team", **GROUPS["destination pairs"])
    listed = gnn_mlir.list_schedules(text, vary=["row_order"], target="emulator")
    assert [line["schedule"]["row_order"] for line in listed] == ["natural", *ORDERS]


def test_switch():
    for value in (3, -2, "by_degree"):
        with pytest.raises(ValueError, match="^passes: row-orders: expected -1, 0, 1 or 2, got "):
            gnn_mlir.compile(PROGRAM.format(features=8, schedule="", **GROUPS["sources"]),
                             target="emulator", passes={"row-orders": value})
