# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of many values: within 1e-6 of float64, whichever kernel adds them, on every target."""

import os

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models
from gnn_mlir.compiler import compile as compile_program
from support import cases, gradient_cases, gradients
from test_long_rows import FORMS, GRAPH

MOST = 1e-6
TARGETS = ["cpu", "emulator"]
VALUES = [0.1, 0.7, 1.3]  # Each is rounded in its own way where it is added to itself.
EDGES = 1_000_003


def hub(edges, into=True):
    """Nearly all edges into node 0, or out of it; rows of one edge and of none."""
    many, few = np.r_[np.zeros(edges, np.int64), 1, 2], np.r_[np.arange(edges) % 7, 3, 4]
    return gnn_mlir.Graph(*((few, many) if into else (many, few)), 8)


def compile_for(text, function, target, graph, stats=False, **options):
    known = f", stats = {graph.stats()}" if stats else ""
    return compile_program(text.replace("STATS", known), function, target=target, **options)


def compile_text(text, function, target, graph, *args, **options):
    compiled = compile_for(text, function, target, graph, *args, **options)
    return compiled.bind(graph, "cpu" if target == "cpu" else None)


def run(binding, *inputs):
    out = binding({f"arg{i}": value for i, value in enumerate(inputs)})
    return list(out.values()) if isinstance(out, dict) else [out]


def error(out, expected):
    """The relative error, of whatever has the largest."""
    return (np.abs(np.asarray(out, np.float64) - expected) / np.abs(expected)).max()


SUM = """
gnn.graph @g square {node_types = 1, edge_types = 1STATS}
func.func @f(%x: tensor<?xFEATURESxf32> {gnn.rows = #gnn.rows<@g, node>},
             %w: tensor<?xf32> {gnn.rows = #gnn.rows<@g, edge>})
    -> (tensor<?xFEATURESxf32> {gnn.rows = #gnn.rows<@g, node>}) {
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?xFEATURESxf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = FEATURES>
      ins(%x, %w : tensor<?xFEATURESxf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
      outs(%init : tensor<?xFEATURESxf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %wv: f32):
    %m = arith.mulf %v, %wv : f32
    %s = gnn_tile.reduce KIND [element] %m : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xFEATURESxf32>
  return %y : tensor<?xFEATURESxf32>
}
"""


def sums(kind, features):
    return SUM.replace("KIND", kind).replace("FEATURES", str(features))


# Who walks the row: a core; a block; its team alone, where a schedule says so; teams in equal
# shares, whose pieces a second kernel adds; blocks of pieces of it.
WALKS = {"cpu": ("cpu", False, {}), "cpu, known": ("cpu", True, {}),
         "block": ("emulator", False, {}), "known": ("emulator", True, {}),
         "block, known": ("emulator", True, {"passes": {"edge-walks": 0, "long-rows": 0}}),
         "by edges": ("emulator", False, {"passes": {"edge-walks": 1}}),
         "pieces": ("emulator", False, {"passes": {"long-rows": 500}}),
         "pieces, known": ("emulator", True, {"passes": {"edge-walks": 0}})}


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("features", [1, 16])
def test_million_edges(walk, features):
    target, stats, options = WALKS[walk]
    graph = hub(EDGES)
    weights = np.ones(EDGES + 2, np.float32)
    for kind, count in ("sum", EDGES), ("mean", 1):
        binding = compile_text(sums(kind, features), "f", target, graph, stats, **options)
        for value in VALUES:
            x = np.full((8, features), value, np.float32)
            out, = run(binding, x, weights)
            assert error(out[0], count * np.float64(np.float32(value))) <= MOST
            np.testing.assert_array_equal(out[1:4], np.where([[1], [1], [0]], x[:3], 0))


@pytest.mark.parametrize("target", TARGETS)
def test_what_it_is_for(target):
    """Added plainly, the same sum is not within 1e-6."""
    graph = hub(EDGES)
    binding = compile_text(sums("sum", 16), "f", target, graph, passes={"sum-runs": 0})
    out, = run(binding, np.full((8, 16), 0.1, np.float32), np.ones(EDGES + 2, np.float32))
    assert error(out[0], EDGES * np.float64(np.float32(0.1))) > 10 * MOST


@pytest.mark.parametrize("features", [1, 2])
def test_shares_of_a_block(features):
    """All shares of a block are of one row, which leaves a few pieces: the block adds its parts
    with compensation."""
    edges, errors = 16_384, []
    graph = hub(edges)
    for length in 32, 0:
        compiled = compile_program(
            sums("sum", features).replace("STATS", f", stats = {graph.stats()}"), "f",
            target="emulator", passes={"edge-walks": 1, "sum-runs": length})
        binding = compiled.bind(graph)
        schedule = next(step["schedule"] for step in compiled.package.plan()["functions"][0]["steps"]
                        if "schedule" in step)
        assert "row_walk = by_edges" in schedule and ("runs = 32" in schedule) == (length == 32)
        errors.append(max(
            error(run(binding, np.full((8, features), value, np.float32),
                      np.ones(edges + 2, np.float32))[0][0], edges * np.float64(np.float32(value)))
            for value in VALUES))
    assert errors[0] <= MOST < errors[1]


@pytest.mark.parametrize("walk", WALKS)
def test_weighted_values_of_all_kinds(walk):
    """u_mul_e of values that differ, of both signs: against the sum of magnitudes."""
    target, stats, options = WALKS[walk]
    graph, rng = hub(200_003), np.random.default_rng(1)
    x = rng.standard_normal((8, 5)).astype(np.float32)
    w = (rng.standard_normal(200_005) * 10 ** rng.uniform(-6, 6, 200_005)).astype(np.float32)
    out, = run(compile_text(sums("sum", 5), "f", target, graph, stats, **options), x, w)
    terms = x.astype(np.float64)[np.arange(200_003) % 7] * w.astype(np.float64)[:200_003, None]
    assert (np.abs(out[0] - terms.sum(0)) / np.abs(terms).sum(0)).max() <= MOST


@pytest.mark.parametrize("walk", WALKS)
def test_infinite_sums_stay_infinite(walk):
    """The error of an infinite sum is no number, and is left out."""
    target, stats, options = WALKS[walk]
    graph = hub(20_003)
    binding = compile_text(sums("sum", 4), "f", target, graph, stats, **options)
    for at in 0, 10_000, 20_002:  # In the first run, in one between, and in the last.
        w = np.full(20_005, 0.5, np.float32)
        x = np.ones((8, 4), np.float32)
        w[at] = np.inf
        x[at % 7] = [1, -1, np.nan, 1]
        out, = run(binding, x, w)
        assert out[0, 0] == np.inf and out[0, 1] == -np.inf
        assert np.isnan(out[0, 2]) and out[0, 3] == np.inf
        assert np.isfinite(out[1:, [0, 1, 3]]).all()
    w[:] = 1
    w[[5, 9_000]] = np.inf, -np.inf
    assert np.isnan(run(binding, np.ones((8, 4), np.float32), w)[0][0]).all()
    w[:] = 3e38
    out, = run(binding, np.ones((8, 4), np.float32), w)
    assert (out[0] == np.inf).all()


SOFTMAX = """
gnn.graph @g square {node_types = 1, edge_types = 1STATS}
func.func @f(%s: tensor<?xf32> {gnn.rows = #gnn.rows<@g, edge>},
             %x: tensor<?x4xf32> {gnn.rows = #gnn.rows<@g, node>})
    -> (tensor<?xf32> {gnn.rows = #gnn.rows<@g, node>},
        tensor<?x4xf32> {gnn.rows = #gnn.rows<@g, node>}) {
  %n = gnn_tile.count @g count dst : index
  %zs = tensor.empty(%n) : tensor<?xf32>
  %ts = tensor.empty(%n) : tensor<?x4xf32>
  %z, %t = gnn_tile.traverse @g <dst, edge.in_rows, features = 4>
      ins(%s, %x : tensor<?xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<element -> edge>, #gnn_tile.at<element -> src : feature>]
      outs(%zs, %ts : tensor<?xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group>, #gnn_tile.at<group : feature>] {
  ^bb0(%score: f32, %v: f32):
    %one = arith.constant 1.0 : f32
    %top, %sum, %total = gnn_tile.softmax_sum %score, %one, %v : f32
    gnn_tile.yield %sum, %total : f32, f32
  } -> tensor<?xf32>, tensor<?x4xf32>
  return %z, %t : tensor<?xf32>, tensor<?x4xf32>
}
"""


@pytest.mark.parametrize("walk", WALKS)
def test_softmax_of_a_hub(walk):
    """The denominator and the weighted rows, of scores that are equal, and of others: sums
    and what was rounded away of them are rescaled alike."""
    target, stats, options = WALKS[walk]
    edges = 200_003
    graph = hub(edges)
    binding = compile_text(SOFTMAX, "f", target, graph, stats, **options)
    x = np.full((8, 4), VALUES[0], np.float32)
    others = np.random.default_rng(2).permutation(np.linspace(-3, 3, edges + 2))
    for scores in np.full(edges + 2, 0.5), others:
        scores = scores.astype(np.float32)
        z, total = run(binding, scores, x)
        own = scores[:edges].astype(np.float64)
        expected = np.exp(own - own.max()).sum()
        assert error(z[0], expected) <= MOST
        assert error(total[0], expected * np.float64(x[0, 0])) <= MOST


NODES = """
gnn.graph @g square {node_types = 1, edge_types = 1STATS}

func.func @outer(%x: tensor<?x6xf32> {gnn.rows = #gnn.rows<@g, node>},
                 %dy: tensor<?xOUTxf32> {gnn.rows = #gnn.rows<@g, node>})
    -> (tensor<6xOUTxf32>, tensor<OUTxf32>) {
  %w = tensor.empty() : tensor<6xOUTxf32>
  %b = tensor.empty() : tensor<OUTxf32>
  %dw, %db = gnn_tile.outer @g rows dst ins(%x, %dy : tensor<?x6xf32>, tensor<?xOUTxf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%w : tensor<6xOUTxf32>) sums(%b : tensor<OUTxf32>)
      -> tensor<6xOUTxf32>, tensor<OUTxf32>
  return %dw, %db : tensor<6xOUTxf32>, tensor<OUTxf32>
}

func.func @readout(%x: tensor<?x6xf32> {gnn.rows = #gnn.rows<@g, node>}) -> tensor<1x6xf32> {
  %init = tensor.empty() : tensor<1x6xf32>
  %y = gnn_tile.traverse @g <graph, dst, features = 6>
      ins(%x : tensor<?x6xf32>) at [#gnn_tile.at<element : feature>]
      outs(%init : tensor<1x6xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<1x6xf32>
  return %y : tensor<1x6xf32>
}
"""
STEPS = {"two steps": {}, "one step": {"split-sums": False}, "large tiles": {"sum-rows": 20_000}}


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("stats", [False, True], ids=["unknown", "known"])
@pytest.mark.parametrize("target", TARGETS)
def test_sums_over_all_nodes(unchecked, target, stats, steps):
    """Readouts, and gradients by weights and biases: of a million rows on the CPU. In wide
    tiles of a GPU, whose threads have 32 sums each, products of 1024 rows are added plainly."""
    sizes = {EDGES: "cpu"} if target == "cpu" else {50_003: None}
    if target == "emulator" and "GNN_TEST_TARGET" not in os.environ:
        sizes[5_003] = gnn_mlir.capi.Device.emulator()  # checks accesses
    graphs = [gnn_mlir.Graph([0, 1], [1, 2], rows) for rows in sizes]
    for out in 4, 40:
        is_plain = target == "emulator" and steps == "two steps" and out > 32
        text = NODES.replace("OUT", str(out))
        programs = [compile_for(text, function, target, graphs[0], stats, passes=STEPS[steps])
                    for function in ("outer", "readout")]
        for graph, (rows, device) in zip(graphs, sizes.items()):
            outer, readout = (program.bind(graph, device) for program in programs)
            for value in VALUES:
                x = np.full((rows, 6), value, np.float32)
                dy = np.full((rows, out), 0.3, np.float32)
                each, other = np.float64(x[0, 0]), np.float64(dy[0, 0])
                matrix, columns = run(outer, x, dy)
                assert error(matrix, rows * each * other) <= (2e-5 if is_plain else MOST)
                assert error(columns, rows * other) <= (2e-5 if is_plain else MOST)
                assert error(run(readout, x)[0], rows * each) <= MOST


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("target", TARGETS)
def test_infinite_gradients(target, steps):
    graph = gnn_mlir.Graph([0, 1], [1, 2], 5003)
    binding = compile_text(NODES.replace("OUT", "4"), "outer", target, graph,
                           passes=STEPS[steps])
    x, dy = np.ones((5003, 6), np.float32), np.ones((5003, 4), np.float32)
    dy[40, 0], dy[4000, 1], dy[[3, 99], 2] = np.inf, np.nan, [np.inf, -np.inf]
    for out in run(binding, x, dy):
        np.testing.assert_array_equal(np.broadcast_to([np.inf, np.nan, np.nan, 5003], out.shape),
                                      out)


@pytest.mark.parametrize("target", TARGETS)
def test_gradients_of_a_hub(target):
    """Forward and backward: what many edges give a row, and what many rows give a weight."""
    edges = EDGES if target == "cpu" else 50_003
    graph = hub(edges, into=False)
    layer = gnn_mlir.compile(models.sage((4, 4), aggregation="sum"), target=target,
                             gradients=True)
    inputs = {name: np.full(shape, 0.1, np.float32) for name, shape in (
        (i.name, [8 if n is None or n < 0 else n for n in i.shape])
        for i in layer.bind(graph, "cpu" if target == "cpu" else None).inputs)}
    ones = np.ones((8, 4), np.float32)
    found = layer.gradients(graph, inputs, {layer.output_names[0]: ones})
    # Each edge out of node 0 gives it what the neighbours' weight has in a row.
    neighbours = np.float64(np.float32(0.1)) * 4
    assert error(found["x"][0], edges * neighbours + neighbours) <= 2 * MOST


FEATURES = """
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @f(%x: tensor<?xFxf32> {gnn.rows = #gnn.rows<@g, node>},
             %z: tensor<?xFxf32> {gnn.rows = #gnn.rows<@g, node>})
    -> (tensor<?xf32> {gnn.rows = #gnn.rows<@g, edge>}) {
  %n = gnn_tile.count @g count edge : index
  %init = tensor.empty(%n) : tensor<?xf32>
  %s = gnn_tile.traverse @g <edge, features = F>
      ins(%x, %z : tensor<?xFxf32>, tensor<?xFxf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32, %zv: f32):
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
"""


@pytest.mark.parametrize("target, features", [
    ("cpu", 1000), ("cpu", 65_536), ("cpu", 1_000_003), ("emulator", 4096),
    ("emulator", 32_768)])
def test_dots_of_wide_rows(target, features):
    graph = gnn_mlir.Graph([0, 1], [1, 2], 3)
    binding = compile_text(FEATURES.replace("F", str(features)), "f", target, graph)
    for value in VALUES:
        x, z = np.full((3, features), value, np.float32), np.full((3, features), 0.3, np.float32)
        expected = features * np.float64(x[0, 0]) * np.float64(z[0, 0])
        assert error(run(binding, x, z)[0], expected) <= MOST


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("subject, features, heads", [
    ("rgcn", 20, 1), ("rgat", 16, 2), ("gat", 7, 3), ("sage-mean", 3, 1), ("sage-max", 33, 1),
    ("hgt", 8, 2), ("op-sum", 100, 1), ("op-mean", 5, 2), ("op-extremes", 4, 1),
    ("gatv2", 16, 2)])
def test_all_forms_in_short_runs(compiler, subject, features, heads, form):
    """Runs of 2 where rows have 1 to 90 elements: also runs that no steps divide."""
    def of_graph(text, function, bound, inputs):
        options = {"target": "emulator", **FORMS[form]}
        device = options.pop("device", None)
        compiled = compile_program(text, function, passes={"sum-runs": 2}, **options)
        binding = compiled.bind(bound, device)
        out = binding(inputs)
        return out if isinstance(out, dict) else {binding.outputs[0].name: out}
    cases.check(cases.build(subject, GRAPH, features, heads), of_graph)


@pytest.mark.parametrize("passes", [{"sum-runs": 2}, {"sum-runs": 1, "edge-walks": 1},
                                    {"sum-runs": 3, "long-rows": 2, "sum-rows": 40}],
                         ids=str)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("subject", ["rgcn", "gat", "hgt", "sage-mean"])
def test_gradients_in_short_runs(subject, target, passes, gnn_opt, compiler):
    if target == "cpu":
        passes = {**passes, "edge-walks": 0}
    program = gradient_cases.build(subject, "square",
                                   2 if subject in cases.WITH_HEADS else 1)
    pipeline = gradients.PIPELINES["after the passes"]
    made = gradients.differentiate(gnn_opt, program.function, None, pipeline)
    text = gradients.text(gnn_opt, program.function, None, pipeline)
    gradients.check_kernels(text, program.function, program.graphs, program.inputs, made,
                            passes=passes, target=target)


IN_STEP = """
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @f(%x: tensor<?x16xf32> {gnn.rows = #gnn.rows<@g, node>},
             %z: tensor<?x16xf32> {gnn.rows = #gnn.rows<@g, node>})
    -> (tensor<?x16xf32> {gnn.rows = #gnn.rows<@g, node>}) {
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x16xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x, %z : tensor<?x16xf32>, tensor<?x16xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, lanes = 4, SCHEDULE> {
  ^bb0(%v: f32, %q: f32):
    %p = arith.mulf %v, %q : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    %m = arith.mulf %d, %v : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
"""


@pytest.mark.parametrize("schedule", [
    "element_lanes = 1, in_flight = 2, row_walk = team, runs = 4",
    "element_lanes = 2, in_flight = 1, row_walk = team, runs = 16",
    "element_lanes = 1, in_flight = 2, row_walk = by_length, runs = 8"])
def test_runs_of_rows_that_share_a_warp(schedule):
    """Rows of one warp go through their elements in step, with runs of different numbers."""
    rng, degrees = np.random.default_rng(0), [0, 1, 5, 700, 3, 64, 65, 0, 33, 32] + [2] * 20
    dst = np.repeat(np.arange(len(degrees)), degrees)
    src = rng.integers(0, len(degrees), len(dst))
    graph = gnn_mlir.Graph(src, dst, len(degrees))
    x, z = (rng.standard_normal((len(degrees), 16)).astype(np.float32) for _ in range(2))
    expected = np.zeros(x.shape)
    np.add.at(expected, dst, np.sum(x[src].astype(np.float64) * z[dst], 1)[:, None] * x[src])
    out, = run(compile_text(IN_STEP.replace("SCHEDULE", schedule), "f", "emulator", graph), x, z)
    assert np.abs(out - expected).max() <= 2e-7 * np.abs(expected).max()


@pytest.mark.parametrize("target", TARGETS)
def test_same_bits(target):
    graph, rng = hub(30_003), np.random.default_rng(3)
    x = rng.standard_normal((8, 16)).astype(np.float32)
    w = rng.standard_normal(30_005).astype(np.float32)
    binding = compile_text(sums("sum", 16), "f", target, graph)
    first, = run(binding, x, w)
    np.testing.assert_array_equal(run(binding, x, w)[0].view(np.int32), first.view(np.int32))
    if target == "cpu":
        before = gnn_mlir.get_num_threads()
        gnn_mlir.set_num_threads(2 if before == 1 else 1)
        try:
            again, = run(binding, x, w)
        finally:
            gnn_mlir.set_num_threads(before)
        np.testing.assert_array_equal(again.view(np.int32), first.view(np.int32))


@pytest.mark.parametrize("target", TARGETS)
def test_schedule_says_it(target):
    """A file may ask for other runs, and for none of them where statistics ask for some."""
    graph, text = hub(5003), sums("sum", 8)
    binding = {}
    for runs in 3, 1000:
        lines = gnn_mlir.list_schedules(text.replace("STATS", ""), target=target,
                                        vary="row_order")
        assert {line["schedule"]["runs"] for line in lines} == {32}
        line = lines[0]
        line["schedule"]["runs"] = runs
        binding[runs] = compile_text(text, "f", target, graph, schedules=[line])
    x, w = np.full((8, 8), 0.1, np.float32), np.ones(5005, np.float32)
    few, many = (run(binding[runs], x, w)[0][0] for runs in (3, 1000))
    assert error(few, 5003 * np.float64(x[0, 0])) <= 2e-7
    if target == "cpu":
        assert error(many, 5003 * np.float64(x[0, 0])) > MOST


@pytest.mark.parametrize("length", [-1, "few", 2.5])
def test_bad_lengths(length):
    with pytest.raises(ValueError, match="^passes: sum-runs: expected a number of elements, got "):
        compile_program(sums("sum", 8).replace("STATS", ""), target="cpu",
                        passes={"sum-runs": length})
