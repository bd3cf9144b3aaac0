# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walks by edges whose teams add their parts of rows by atomics (`merge = atomic`), against
NumPy in float64. Results differ in their last bits from run to run: nothing compares these."""

import re

import numpy as np
import pytest

import gnn_mlir
from test_edge_walks import DEGREES, graph_of

NODES = "{gnn.rows = #gnn.rows<@g, node>}"
EDGES = "{gnn.rows = #gnn.rows<@g, edge>}"
PROGRAM = """
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%x: tensor<?x{shape}xf32> {nodes}, %w: tensor<?xf32> {edges}, %z: tensor<?xf32> {nodes})
    -> (tensor<?x{shape}xf32> {nodes}, tensor<?x{mean}f32> {nodes}, tensor<?xf32> {edges}) {{
  %n = gnn_tile.count @g count dst : index
  %m = gnn_tile.count @g count edge : index
  %o0 = tensor.empty(%n) : tensor<?x{shape}xf32>
  %o1 = tensor.empty(%n) : tensor<?x{mean}f32>
  %o2 = tensor.empty(%m) : tensor<?xf32>
  %y:3 = gnn_tile.traverse @g <dst, edge.in_rows{sizes}>
      ins(%x, %w, %z : tensor<?x{shape}xf32>, tensor<?xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> src{dims}>, #gnn_tile.at<element -> edge>, #gnn_tile.at<group>]
      outs(%o0, %o1, %o2 : tensor<?x{shape}xf32>, tensor<?x{mean}f32>, tensor<?xf32>)
      at [#gnn_tile.at<group{dims}>, #gnn_tile.at<group{mean_dims}>, #gnn_tile.at<element -> edge>]
      schedule <{schedule}row_walk = by_edges, merge = {merge}> {{
  ^bb0(%xv: f32, %wv: f32, %zv: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    %a = arith.mulf %s, %zv : f32
    %mean = gnn_tile.reduce mean [element] {mean_of} : f32
    %e = arith.mulf %wv, %zv : f32
    gnn_tile.yield {result}, %mean, %e : f32, f32, f32
  }} -> tensor<?x{shape}xf32>, tensor<?x{mean}f32>, tensor<?xf32>
  return %y#0, %y#1, %y#2 : tensor<?x{shape}xf32>, tensor<?x{mean}f32>, tensor<?xf32>
}}"""
# Rows of whole vectors and others, whose teams are warps or a part of one, and heads. Blocks
# that have tiles of columns have the mean of rows, others of a number.
TILED = {"schedule": "columns_per_block = 32, ", "of_rows": True}
SHAPES = {
    "64": (64, {}), "41": (41, {"schedule": "columns_per_block = 41, vector = 1, lanes = 32, "}),
    "tiles of 41": (41, {"of_rows": True}), "3": (3, {"schedule": "vector = 1, lanes = 4, "}),
    "tiles of 64": (64, TILED), "heads": ((4, 8), {}),
    "small blocks": (16, {"schedule": "rows_per_block = 8, "}),
}


def text_of(shape, schedule="", merge="atomic", result="%a", of_rows=False):
    heads, features = shape if isinstance(shape, tuple) else (1, shape)
    shape = f"{heads}x{features}" if heads > 1 else features
    dims = " : head, feature" if heads > 1 else " : feature"
    return PROGRAM.format(
        shape=shape, nodes=NODES, edges=EDGES, dims=dims, schedule=schedule, merge=merge,
        sizes=f", heads = {heads}" * (heads > 1) + f", features = {features}", result=result,
        mean=f"{shape}x" if of_rows else "", mean_dims=dims if of_rows else "",
        mean_of="%p" if of_rows else "%wv")


def check(graph, layer, shape):
    rng = np.random.default_rng(3)
    shape = shape if isinstance(shape, tuple) else (shape,)
    edges = len(graph.edge_src)
    x, w, z = (rng.standard_normal(size).astype(np.float32)
               for size in ((graph.num_nodes, *shape), edges, graph.num_nodes))
    y, mean, e = layer.bind(graph)({"arg0": x, "arg1": w, "arg2": z}).values()
    x, w, z = (value.astype(np.float64) for value in (x, w, z))
    sums, means, size = np.zeros(x.shape), np.zeros(len(x)), np.zeros(x.shape)
    terms = x[graph.edge_src] * w.reshape(-1, *[1] * len(shape))
    np.add.at(sums, graph.edge_dst, terms)
    np.add.at(size, graph.edge_dst, np.abs(terms))
    np.add.at(means, graph.edge_dst, w)
    degrees = np.maximum(1, np.bincount(graph.edge_dst, minlength=len(means)))
    means = sums / degrees[:, None] if mean.ndim > 1 else means / degrees
    by_row = z.reshape(-1, *[1] * len(shape))
    # Rounding of a sum, in whatever order.
    assert np.all(np.abs(y - sums * by_row) <= 2e-6 * (size * np.abs(by_row) + 1))
    np.testing.assert_allclose(mean, means, atol=2e-6)
    np.testing.assert_allclose(e, w * z[graph.edge_dst], rtol=1e-6)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("degrees", DEGREES)
def test_rows_are_as_numpy(name, degrees):
    """The emulator's memory is full of NaN at first, and it reports races that are no atomics."""
    shape, options = SHAPES[name]
    layer = gnn_mlir.compile(text_of(shape, **options), target="emulator")
    check(graph_of(DEGREES[degrees]), layer, shape)


@pytest.mark.parametrize("form", ["structured", "scheduled", "blocked", "loops"])
def test_forms(form):
    graph = graph_of(DEGREES["mixed"])
    for shape in (8, (2, 3)):
        check(graph, gnn_mlir.compile(text_of(shape), target="emulator", stop_at=form), shape)


def test_random_orders_of_threads(compiler):
    graph, layer = graph_of(DEGREES["hub"]), gnn_mlir.compile(text_of(16), target="emulator")
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        inputs = {"arg0": rng.integers(-4, 5, (graph.num_nodes, 16)).astype(np.float32),
                  "arg1": np.ones(len(graph.edge_src), np.float32),
                  "arg2": np.ones(graph.num_nodes, np.float32)}
        device = compiler.Device.emulator(seed=seed)
        found = next(iter(layer.bind(graph, device=device)(inputs).values()))
        right = np.zeros((graph.num_nodes, 16))
        np.add.at(right, graph.edge_dst, inputs["arg0"][graph.edge_src])
        np.testing.assert_array_equal(found, right)  # Integers have no rounding.


def steps(layer):
    plan, = layer.package.plan()["functions"]
    return [step for step in plan["steps"] if "kernel" in step]


def test_steps_and_structures():
    """Rows are set to zero first; nothing is joined, and no block has workgroup memory."""
    layers = {merge: gnn_mlir.compile(text_of(64, merge=merge), target="emulator")
              for merge in ("atomic", "pieces")}
    keys = {merge: {one["key"].split()[0] for one in
                    layer.package.plan()["functions"][0]["structures"]}
            for merge, layer in layers.items()}
    assert "cut_rows" in keys["pieces"] and "cut_rows" not in keys["atomic"]
    first, second = steps(layers["atomic"])[:2]
    assert "by_edges" not in first["schedule"] and "merge = atomic" in second["schedule"]
    assert "merge = pieces" in steps(layers["pieces"])[0]["schedule"]


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
def test_ptx(chip):
    """Atomics of numbers, and no barrier."""
    found = {merge: gnn_mlir.compile(text_of(64, merge=merge), target="cuda", chip=chip).ptx()
             for merge in ("atomic", "pieces")}
    adds = re.findall(r"\b(?:red|atom)\.\S*global\S*\.add\.f32", found["atomic"])
    assert adds and "bar.sync" not in found["atomic"] and ".shared" not in found["atomic"]
    assert not re.search(r"\b(?:red|atom)\.", found["pieces"]) and "bar.sync" in found["pieces"]


REFUSED = {
    "%bias": ("%bias = arith.addf %s, %zv : f32", "result 0 is none"),
    "%most": ("%most = gnn_tile.reduce max [element] %p : f32", "result 0 is none"),
    "%twice": ("%twice = arith.mulf %s, %s : f32", "result 0 is none"),
    "%own": ("%own = math.exp %s : f32", "result 0 is none"),
}


@pytest.mark.parametrize("result", REFUSED)
def test_refused(result):
    line, why = REFUSED[result]
    text = text_of(8, result=result).replace("    gnn_tile.yield", f"    {line}\n    gnn_tile.yield")
    with pytest.raises(gnn_mlir.GNNError, match="cannot honour the schedule's 'merge': expected "
                                                "results that are sums or means of f32.*" + why):
        gnn_mlir.compile(text, target="emulator")
    # Without it, they are walked by edges.
    gnn_mlir.compile(text.replace("merge = atomic", "merge = pieces"), target="emulator")


def test_refused_numbers_of_tiles():
    """A number that each tile of columns has would be added several times."""
    with pytest.raises(gnn_mlir.GNNError, match="'merge': expected all columns in a block where "
                                                "sums have no features"):
        gnn_mlir.compile(text_of(64, TILED["schedule"]), target="emulator")


def test_refused_without_edges():
    text = text_of(8).replace("row_walk = by_edges", "row_walk = team")
    with pytest.raises(gnn_mlir.GNNError, match="'merge': expected a walk by edges"):
        gnn_mlir.compile(text, target="emulator")


def test_nothing_chooses_it():
    """Neither a rule nor a listing."""
    text = text_of(8).replace(", merge = atomic", "")
    layer = gnn_mlir.compile(text, target="emulator")
    assert not any("merge" in step["schedule"] for step in steps(layer))
    for vary in (["merge"], ["merge", "in_flight"]):
        lines = gnn_mlir.list_schedules(text, vary=vary, target="emulator")
        assert lines and not any("merge" in line["schedule"] for line in lines)
