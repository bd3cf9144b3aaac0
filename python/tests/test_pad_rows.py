# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of odd widths in whole vectors: every way to walk, every form of the compiler and both
targets against NumPy in float64, in a workspace of NaN, so that a pad in a result is seen."""

import re

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models

NODES = "{gnn.rows = #gnn.rows<@g, node>}"
# Rows of an argument and of a buffer are gathered, and rows of the walk's own group are read:
# a sum, a maximum with its edge, and a mean; a row of weights is read once.
PROGRAM = """
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%x: tensor<?x{shape}xf32> {nodes}, %z: tensor<?x{shape}xf32> {nodes},
             %b: tensor<{features}xf32>)
    -> (tensor<?x{shape}xf32> {nodes}, tensor<?x{shape}xf32> {nodes},
        tensor<?x{shape}xi32> {nodes}) {{
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x{shape}xf32>
  %h = gnn_tile.traverse @g <node{domain}>
      ins(%x, %b : tensor<?x{shape}xf32>, tensor<{features}xf32>)
      at [#gnn_tile.at<group : {head}feature>, #gnn_tile.at<all : feature>]
      outs(%init : tensor<?x{shape}xf32>) at [#gnn_tile.at<group : {head}feature>] {{
  ^bb0(%xv: f32, %bv: f32):
    %s = arith.addf %xv, %bv : f32
    gnn_tile.yield %s : f32
  }} -> tensor<?x{shape}xf32>
  %o0 = tensor.empty(%n) : tensor<?x{shape}xf32>
  %o1 = tensor.empty(%n) : tensor<?x{shape}xf32>
  %o2 = tensor.empty(%n) : tensor<?x{shape}xi32>
  %y:3 = gnn_tile.traverse @g <dst, edge.in_rows{domain}>
      ins(%h, %z, %h, %b : tensor<?x{shape}xf32>, tensor<?x{shape}xf32>, tensor<?x{shape}xf32>,
          tensor<{features}xf32>)
      at [#gnn_tile.at<element -> src : {head}feature>,
          #gnn_tile.at<element -> src : {head}feature>,
          #gnn_tile.at<group : {head}feature>, #gnn_tile.at<all : feature>]
      outs(%o0, %o1, %o2 : tensor<?x{shape}xf32>, tensor<?x{shape}xf32>, tensor<?x{shape}xi32>)
      at [#gnn_tile.at<group : {head}feature>, #gnn_tile.at<group : {head}feature>,
          #gnn_tile.at<group : {head}feature>] {schedule} {{
  ^bb0(%hv: f32, %zv: f32, %own: f32, %bv: f32):
    %m = arith.mulf %hv, %zv : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    %t = arith.addf %s, %own : f32
    %u = arith.addf %t, %bv : f32
    %e = gnn_tile.index #gnn_tile.at<element -> edge>
    %top, %edge = gnn_tile.arg_reduce max %hv, %e : f32
    gnn_tile.yield %u, %top, %edge : f32, f32, i32
  }} -> tensor<?x{shape}xf32>, tensor<?x{shape}xf32>, tensor<?x{shape}xi32>
  return %y#0, %y#1, %y#2 : tensor<?x{shape}xf32>, tensor<?x{shape}xf32>, tensor<?x{shape}xi32>
}}"""

WAYS = {
    "team": {"schedule": "schedule <row_walk = team>"},
    "one element": {"schedule": "schedule <in_flight = 1, row_walk = team>"},
    "by length": {"schedule": "schedule <row_walk = by_length, split_rows = 16>"},
    "block": {"schedule": "schedule <row_walk = block>"},
    "by edges": {"schedule": "schedule <row_walk = by_edges>"},
    "two features": {"schedule": "schedule <vector = 2, row_walk = team>"},
    "few lanes": {"schedule": "schedule <lanes = 2, row_walk = team>"},
    "in pieces": {"passes": {"long-rows": 8}},
    "cpu": {"target": "cpu"},
    **{form: {"stop_at": form} for form in ("structured", "scheduled", "blocked", "loops")},
    "by edges, loops": {"stop_at": "loops", "schedule": "schedule <row_walk = by_edges>"},
}
SHAPES = [(1, 41), (1, 3), (1, 5), (1, 7), (1, 9), (1, 33), (1, 65), (3, 5), (2, 41), (1, 130)]
DEGREES = [0, 1, 2, 63, 64, 65, 300, 0, 1, 1100, 0, 17, 0]


def make_graph(seed=4):
    """Hubs, rows without edges at both ends, several edges between two nodes, self loops."""
    rng = np.random.default_rng(seed)
    dst = np.repeat(np.arange(len(DEGREES)), DEGREES)
    order = rng.permutation(len(dst))
    src = rng.integers(0, len(DEGREES), len(dst))
    return gnn_mlir.Graph(src.astype(np.int32), dst[order].astype(np.int32), len(DEGREES))


def program(heads, features, schedule=""):
    return PROGRAM.format(
        shape=f"{heads}x{features}" if heads > 1 else features, features=features, nodes=NODES,
        head="head, " if heads > 1 else "", schedule=schedule,
        domain=(f", heads = {heads}" if heads > 1 else "") + f", features = {features}")


def given(graph, heads, features):
    rng = np.random.default_rng(features)
    shape = (graph.num_nodes, heads, features) if heads > 1 else (graph.num_nodes, features)
    x, z = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
    return {"arg0": x, "arg1": z, "arg2": rng.standard_normal(features).astype(np.float32)}


def expected(graph, inputs):
    x, z, b = (value.astype(np.float64) for value in inputs.values())
    rows = (inputs["arg0"] + inputs["arg2"]).astype(np.float64)  # as a kernel rounds it
    total, top, edge = rows + b, np.zeros(x.shape), np.full(x.shape, -1)
    for node in range(graph.num_nodes):
        own = np.flatnonzero(graph.edge_dst == node)
        if len(own):
            source = graph.edge_src[own]
            total[node] += (rows[source] * z[source]).sum(axis=0)
            top[node] = rows[source].max(axis=0)
            edge[node] = own[rows[source].argmax(axis=0)]
    return total, top, edge


def run(layer, graph, inputs):
    bound = layer.bind(graph)

    def call():
        results = bound(inputs)
        return list(results.values()) if isinstance(results, dict) else [results]

    found = call()
    for first, second in zip(found, call()):
        assert np.array_equal(first, second), "other bits in a second run"
    return found


@pytest.mark.parametrize("heads, features", SHAPES)
@pytest.mark.parametrize("way", list(WAYS))
def test_walks_are_as_numpy(way, heads, features):
    graph, options = make_graph(), {"target": "emulator", "schedule": "", **WAYS[way]}
    schedule = options.pop("schedule")
    if features == 3 or heads == 3:
        schedule = schedule.replace("lanes = 2, ", "lanes = 1, ")
    options["passes"] = {"pad-rows": 1, "fuse": False, **options.get("passes", {})}
    inputs = given(graph, heads, features)
    layer = gnn_mlir.compile(program(heads, features, schedule), **options)
    total, top, edge = expected(graph, inputs)
    found = run(layer, graph, inputs)
    np.testing.assert_allclose(found[0], total, rtol=2e-5, atol=2e-4)
    assert np.array_equal(found[1], top.astype(np.float32))
    assert np.array_equal(found[2], edge)


def steps(layer):
    plan, = layer.package.plan()["functions"]
    return plan["steps"]


def test_the_switch():
    """Without it, no buffer has a pad, and walks take single features."""
    vectors = []
    for pad in (0, 1):
        layer = gnn_mlir.compile(program(1, 41), target="emulator",
                                 passes={"pad-rows": pad, "fuse": False})
        walk = [step["schedule"] for step in steps(layer) if "in_flight = 4" in step["schedule"]]
        vectors.append([int(re.search(r"vector = (\d)", line)[1]) for line in walk])
    assert vectors == [[1], [4]]


@pytest.mark.parametrize("features", [3, 5, 33, 41])
@pytest.mark.parametrize("target, way", [("emulator", 0), ("emulator", 1), ("cpu", 0)])
def test_dots(target, way, features):
    """A reduction over features adds no pad, where rows are walked and where edges are."""
    shape, rng, graph = (len(DEGREES), features), np.random.default_rng(5), make_graph()
    text = f"""
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @dot(%x: tensor<?x{features}xf32> {NODES}, %z: tensor<?x{features}xf32> {NODES})
    -> (tensor<?xf32> {{gnn.rows = #gnn.rows<@g, edge>}}) {{
  %n = gnn_tile.count @g count edge : index
  %init = tensor.empty(%n) : tensor<?xf32>
  %s = gnn_tile.traverse @g <edge, features = {features}>
      ins(%x, %z : tensor<?x{features}xf32>, tensor<?x{features}xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {{
  ^bb0(%xv: f32, %zv: f32):
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  }} -> tensor<?xf32>
  return %s : tensor<?xf32>
}}"""
    x, z = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
    layer = gnn_mlir.compile(text, target=target, passes={"pad-rows": 1, "edge-walks": way})
    assert len(steps(layer)) > 1 or target == "cpu", "no copy"
    found, = run(layer, graph, {"arg0": x, "arg1": z})
    right = np.sum(x.astype(np.float64)[graph.edge_src] * z[graph.edge_dst], axis=1)
    np.testing.assert_allclose(found, right, rtol=2e-6, atol=2e-6)


MODELS = {
    "gcn": lambda: models.gcn((16, 8, 41)), "sage": lambda: models.sage((16, 8, 41), "mean"),
    "gat": lambda: models.gat((16, 8, 41)), "gat of heads": lambda: models.gat((16, 7), heads=3),
}


@pytest.mark.parametrize("target", ["emulator", "cpu"])
@pytest.mark.parametrize("name", list(MODELS))
def test_models_have_the_same_values(name, target):
    """Products write such rows, and products, outer products and walks read them."""
    graph, found = gnn_mlir.add_self_loops(make_graph(), "replace", 0), []
    module = MODELS[name]()
    inputs = next(iter(module.functions.values())).random_inputs(graph, 1)
    for pad in (0, 1):
        layer = gnn_mlir.compile(module, target=target, passes={"pad-rows": pad, "edge-walks": 0})
        found.append(run(layer, graph, inputs)[0])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", list(MODELS))
def test_gradients(name):
    """Of 41 columns, which come from the caller: each walk of them has them in vectors."""
    graph, found = gnn_mlir.add_self_loops(make_graph(), "replace", 0), []
    module = MODELS[name]()
    function = next(iter(module.functions.values()))
    inputs = function.random_inputs(graph, 1)
    for pad in (0, 1):
        layer = gnn_mlir.compile(module, target="emulator", gradients=True,
                                 passes={"pad-rows": pad})
        out = layer(graph, inputs)
        out = out if isinstance(out, dict) else {"out": out}
        found.append(layer.gradients(graph, inputs, {
            key: np.cos(np.arange(value.size, dtype=np.float32)).reshape(value.shape)
            for key, value in out.items()}))
    assert list(found[0]) == list(found[1])
    for key, plain in found[0].items():
        np.testing.assert_allclose(found[1][key], plain, rtol=2e-5, atol=2e-5, err_msg=key)


@pytest.mark.parametrize("offset", [0, 3])
def test_rows_of_two_graphs_and_slices(offset):
    """A copy has the rows of one space; others read the argument."""
    rng, nodes = np.random.default_rng(7), len(DEGREES)
    text = f"""
gnn.graph @g bipartite {{node_types = 1, edge_types = 1}}
func.func @f(%x: tensor<?x9xf32> {{gnn.rows = #gnn.rows<@g, src>}},
             %z: tensor<?x9xf32> {{gnn.rows = #gnn.rows<@g, dst>}})
    -> (tensor<?x5xf32> {{gnn.rows = #gnn.rows<@g, dst>}},
        tensor<?x5xf32> {{gnn.rows = #gnn.rows<@g, src>}}) {{
  %n = gnn_tile.count @g count dst : index
  %m = gnn_tile.count @g count src : index
  %i0 = tensor.empty(%n) : tensor<?x5xf32>
  %i1 = tensor.empty(%m) : tensor<?x5xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 5>
      ins(%x, %x : tensor<?x9xf32>, tensor<?x9xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> src : feature + {offset}>]
      outs(%i0 : tensor<?x5xf32>) at [#gnn_tile.at<group : feature>] {{
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }} -> tensor<?x5xf32>
  %w = gnn_tile.traverse @g <src, edge.out_rows, features = 5>
      ins(%z : tensor<?x9xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%i1 : tensor<?x5xf32>) at [#gnn_tile.at<group : feature>] {{
  ^bb0(%a: f32):
    %s = gnn_tile.reduce sum [element] %a : f32
    gnn_tile.yield %s : f32
  }} -> tensor<?x5xf32>
  return %y, %w : tensor<?x5xf32>, tensor<?x5xf32>
}}"""
    dst = np.repeat(np.arange(nodes), DEGREES)
    src = rng.integers(0, 40, len(dst))
    graph = gnn_mlir.Graph(src.astype(np.int32), dst.astype(np.int32), num_src_nodes=40,
                           num_dst_nodes=nodes)
    x, z = (rng.standard_normal((rows, 9)).astype(np.float32) for rows in (40, nodes))
    found = run(gnn_mlir.compile(text, target="emulator", passes={"pad-rows": 1}), graph,
                {"arg0": x, "arg1": z})
    right = np.zeros((nodes, 5)), np.zeros((40, 5))
    np.add.at(right[0], dst, (x[:, :5] * x[:, offset:offset + 5].astype(np.float64))[src])
    np.add.at(right[1], src, z[dst, :5].astype(np.float64))
    for own, other in zip(found, right):
        np.testing.assert_allclose(own, other, rtol=2e-5, atol=2e-4)
