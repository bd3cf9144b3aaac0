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


def results_of(found):
    return list(found.values()) if isinstance(found, dict) else [found]


def run(text, graph, heads, features, seed=7, **options):
    """The compiled layer, its inputs in float64, and what it gives."""
    rng = np.random.default_rng(seed)
    given = [rng.standard_normal(shape).astype(np.float32)
             for shape in [(graph.num_nodes, heads, features)] * 2
             + [(len(graph.edge_src), heads)]]
    layer = gnn_mlir.compile(text, target="emulator", **options)
    bound = layer.bind(graph)
    inputs = {f"arg{i}": one for i, one in enumerate(given)}
    found, again = bound(inputs), bound(inputs)
    for one, other in zip(results_of(found), results_of(again)):
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


@pytest.mark.parametrize("degrees", list(DEGREES))
def test_rows_of_all_lengths(degrees):
    graph = graph_of(DEGREES[degrees])
    for walk in ("edges", "rows"):
        text = dots(1, 64, schedule=f"schedule <columns_per_block = 32, {WALKS[walk]}>")
        _, (x, z, _), found = run(text, graph, 1, 64)
        check(found, scores(graph, x, z))


TILES = {(8, 16): ["heads_per_block = 2", "heads_per_block = 3", "heads_per_block = 1"],
         (4, 64): ["heads_per_block = 1", "columns_per_block = 32",
                   "heads_per_block = 2, columns_per_block = 32"],
         (1, 128): ["columns_per_block = 32", "columns_per_block = 64"],
         (3, 100): ["heads_per_block = 1, columns_per_block = 32", "heads_per_block = 2"]}


@pytest.mark.parametrize("walk", ["edges", "rows"])
@pytest.mark.parametrize("in_order", [False, True])
@pytest.mark.parametrize("heads, features, fields",
                         [(*shape, fields) for shape in TILES for fields in TILES[shape]])
def test_heads(heads, features, fields, in_order, walk):
    """Those of one head, of some, and of a number that does not divide all."""
    text = dots(heads, features, in_order=in_order, schedule=f"schedule <{fields}, {WALKS[walk]}>")
    _, (x, z, _), found = run(text, GRAPH, heads, features)
    expected = scores(GRAPH, x, z)
    if in_order:
        expected = expected[np.argsort(GRAPH.edge_dst, kind="stable")]
    check(found, expected)


# Functions of a sum, with the number of the edge, and the same by NumPy.
EPILOGUES = {
    "scale": ("%e = arith.mulf %d, %wv : f32", lambda d, w: d * w),
    "leaky": ("%slope = arith.constant 0.2 : f32\n%t = arith.addf %d, %wv : f32\n"
              "%l = arith.mulf %t, %slope : f32\n%e = arith.maximumf %t, %l : f32",
              lambda d, w: np.maximum(d + w, 0.2 * (d + w))),
    "exp": ("%k = arith.constant 0.05 : f32\n%t = arith.mulf %d, %k : f32\n"
            "%e = math.exp %t : f32", lambda d, w: np.exp(0.05 * d))}


@pytest.mark.parametrize("walk", ["edges", "rows"])
@pytest.mark.parametrize("heads", [1, 4])
@pytest.mark.parametrize("name", list(EPILOGUES))
def test_what_is_made_of_a_sum(name, heads, walk):
    """By the last tile, of all."""
    epilogue, expected = EPILOGUES[name]
    text = dots(heads, 96, epilogue, results=["%e"],
                schedule=f"schedule <columns_per_block = 32, {WALKS[walk]}>")
    _, (x, z, w), found = run(text, GRAPH, heads, 96)
    check(found, expected(scores(GRAPH, x, z), w))


KINDS = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}


@pytest.mark.parametrize("walk", ["edges", "rows"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_several_results(kind, walk):
    """Each of a reduction of its own, and one of none."""
    more = (f"%r = arith.addf %p, %zv : f32\n"
            f"%m = gnn_tile.reduce {kind} [feature] %r : f32\n%a = arith.addf %m, %wv : f32\n"
            "%two = arith.addf %wv, %wv : f32")
    text = dots(1, 100, more, results=["%d", "%two", "%a"],
                schedule=f"schedule <columns_per_block = 32, {WALKS[walk]}>")
    layer, (x, z, w), found = run(text, GRAPH, 1, 100)
    products = x[GRAPH.edge_src] * z[GRAPH.edge_dst]
    found = results_of(found)
    check(found[0], products.sum(axis=2))
    check(found[1], 2 * w)
    check(found[2], KINDS[kind](products + z[GRAPH.edge_dst], axis=2) + w)
    assert len(steps_of(layer)) == 4


@pytest.mark.parametrize("walk", ["edges", "rows"])
@pytest.mark.parametrize("in_order", [False, True])
@pytest.mark.parametrize("heads", [1, 2])
def test_results_of_one_sum(heads, in_order, walk):
    """Its parts are in neither of them."""
    text = dots(heads, 96, EPILOGUES["exp"][0], results=["%d", "%e"], in_order=in_order,
                schedule=f"schedule <columns_per_block = 32, {WALKS[walk]}>")
    _, (x, z, w), found = run(text, GRAPH, heads, 96)
    expected = scores(GRAPH, x, z)
    if in_order:
        expected = expected[np.argsort(GRAPH.edge_dst, kind="stable")]
    for one, reference in zip(results_of(found), (expected, np.exp(0.05 * expected))):
        check(one, reference)


@pytest.mark.parametrize("features", [100, 128])
def test_edges_as_rows(features):
    """A row each, in the user's order."""
    text = dots(2, features, by_edge=True, schedule="schedule <columns_per_block = 32>")
    layer, (x, z, _), found = run(text, GRAPH, 2, features)
    assert len(steps_of(layer)) == 4
    check(found, scores(GRAPH, x, z))


@pytest.mark.parametrize("stop_at", ["structured", "scheduled", "blocked", "loops"])
@pytest.mark.parametrize("fields", ["columns_per_block = 32", "heads_per_block = 3",
                                    "heads_per_block = 1, columns_per_block = 64"])
def test_forms(fields, stop_at):
    """Each by the loops of scalars that it means."""
    text = dots(4, 96, EPILOGUES["leaky"][0], results=["%e"],
                schedule=f"schedule <{fields}, row_walk = by_edges>")
    _, (x, z, w), found = run(text, SHORT, 4, 96, stop_at=stop_at)
    check(found, EPILOGUES["leaky"][1](scores(SHORT, x, z), w))


ATTENTION = """
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%x: tensor<?x{heads}x{features}xf32> {{gnn.rows = #gnn.rows<@g, node>}},
             %z: tensor<?x{heads}x{features}xf32> {{gnn.rows = #gnn.rows<@g, node>}},
             %w: tensor<?x{heads}xf32> {{gnn.rows = #gnn.rows<@g, edge>}})
    -> (tensor<?x{heads}x{features}xf32> {{gnn.rows = #gnn.rows<@g, node>}}) {{
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x{heads}x{features}xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, heads = {heads}, features = {features}>
      ins(%x, %z, %w : tensor<?x{heads}x{features}xf32>, tensor<?x{heads}x{features}xf32>,
                       tensor<?x{heads}xf32>)
      at [#gnn_tile.at<element -> src : head, feature>, #gnn_tile.at<group : head, feature>,
          #gnn_tile.at<element -> edge : head>]
      outs(%init : tensor<?x{heads}x{features}xf32>) at [#gnn_tile.at<group : head, feature>]
      schedule <{schedule}> {{
  ^bb0(%xv: f32, %zv: f32, %wv: f32):
    %h = gnn_tile.index #gnn_tile.at<all : head>
    %number = arith.sitofp %h : i32 to f32
    %one = arith.constant 1.0 : f32
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    %e = arith.addf %d, %wv : f32
    %m, %s, %t = gnn_tile.softmax_sum %e, %one, %xv : f32
    %safe = arith.maximumf %s, %one : f32
    %q = arith.divf %t, %safe : f32
    %y = arith.addf %q, %number : f32
    gnn_tile.yield %y : f32
  }} -> tensor<?x{heads}x{features}xf32>
  return %y : tensor<?x{heads}x{features}xf32>
}}"""


def attention(graph, x, z, w):
    score = scores(graph, x, z) + w
    result = np.zeros(x.shape) + np.arange(x.shape[1])[:, None]
    for node in np.unique(graph.edge_dst):
        into = graph.edge_dst == node
        powers = np.exp(score[into] - score[into].max(axis=0))
        total = (powers[:, :, None] * x[graph.edge_src[into]]).sum(axis=0)
        result[node] += total / np.maximum(powers.sum(axis=0), 1)[:, None]
    return result


@pytest.mark.parametrize("walk", ["row_walk = by_edges", "row_walk = team", "split_rows = 64",
                                  "row_walk = block"])
@pytest.mark.parametrize("heads, features, tile", [(4, 64, 1), (8, 16, 2), (3, 20, 2)])
def test_attention_by_heads(heads, features, tile, walk):
    """Each head is a softmax of its own; the number of a head is that of all."""
    text = ATTENTION.format(heads=heads, features=features,
                            schedule=f"heads_per_block = {tile}, {walk}")
    layer, given, found = run(text, GRAPH, heads, features)
    check(found, attention(GRAPH, *given))
    tiles = -(-heads // tile)
    assert len(steps_of(layer)) == tiles * (2 if "by_edges" in walk else 1)


def test_the_same_rows_are_gathered():
    """Other reads of tiles: indices of each tile, and the sums of those before."""
    edges, read = len(GRAPH.edge_src), {}
    for columns in (128, 64, 32):
        text = dots(1, 128, in_order=True,
                    schedule=f"schedule <columns_per_block = {columns}, rows_per_block = 8, "
                             "row_walk = by_edges>")
        layer = gnn_mlir.compile(text, target="emulator")
        rows = layer.bind(GRAPH).report()["steps"]
        read[columns] = sum(row["bytes_read"] for row in rows if row["schedule"])
        written = sum(row["bytes_written"] for row in rows if row["schedule"])
        assert written == 4 * edges * (128 // columns)
    stream = read[128] - edges * 4 * 128 - GRAPH.num_nodes * 4 * 128
    for columns in (64, 32):
        tiles = 128 // columns
        assert read[columns] - read[128] == (tiles - 1) * (stream + 4 * edges)


@pytest.mark.parametrize("stop_at", ["blocked", "loops"])
def test_forms_of_edges_as_rows(stop_at):
    text = dots(4, 96, by_edge=True,
                schedule="schedule <columns_per_block = 32, heads_per_block = 3>")
    _, (x, z, _), found = run(text, SHORT, 4, 96, stop_at=stop_at)
    check(found, scores(SHORT, x, z))


LANES = ["lanes = 8, element_lanes = 1", "lanes = 8, element_lanes = 2", "lanes = 2",
         "lanes = 4, element_lanes = 1, in_flight = 1", "lanes = 1, element_lanes = 4",
         "lanes = 16, element_lanes = 1, in_flight = 8"]


@pytest.mark.parametrize("fields", LANES)
@pytest.mark.parametrize("degrees", ["none", "one", "hub", "mixed", "shares"])
def test_several_rows_of_a_warp(degrees, fields):
    """Which reduce their elements over features: rows of other lengths, and of none."""
    if "element_lanes" not in fields:
        fields += ", element_lanes = 2"
    graph = graph_of(DEGREES[degrees])
    text = dots(1, 32, schedule=f"schedule <{fields}, row_walk = team>")
    layer, (x, z, _), found = run(text, graph, 1, 32)
    check(found, scores(graph, x, z))
    threads, = {step["block"][0] for step in layer.bind(graph).report()["steps"] if step["schedule"]}
    assert threads <= 256


@pytest.mark.parametrize("walk", ["row_walk = team", "split_rows = 64"])
@pytest.mark.parametrize("fields", ["lanes = 4, head_lanes = 2, element_lanes = 1",
                                    "lanes = 4, head_lanes = 1, element_lanes = 2"])
def test_attention_of_several_rows_of_a_warp(fields, walk):
    text = ATTENTION.format(heads=2, features=16, schedule=f"{fields}, {walk}")
    _, given, found = run(text, GRAPH, 2, 16)
    check(found, attention(GRAPH, *given))
