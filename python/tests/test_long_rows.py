# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that are made of pieces: the numbers in every form, and their bits."""

import re

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir.compiler import compile as compile_program
from support import cases, errors, gradient_cases, gradients, graphs

LENGTH = 7


def _lengths():
    """Rows of as many edges as a piece has and of one more, two pieces and one edge
    more, at either end; nearly all edges into node 0 and out of node 1; parallel edges;
    nodes and a type without any."""
    rng = np.random.default_rng(2)
    ends = {0: 90, 2: LENGTH, 3: LENGTH + 1, 4: 2 * LENGTH, 5: 2 * LENGTH + 1, 6: 1}
    dst = np.repeat(list(ends), list(ends.values()))
    src = rng.integers(0, 20, len(dst))
    out = np.repeat([1, *list(ends)[1:]], list(ends.values()))
    src, dst = np.r_[src, out], np.r_[dst, rng.integers(7, 20, len(out))]
    order = rng.permutation(len(src))
    types = rng.choice([0, 1, 1, 3], len(src))
    return gnn_mlir.Graph(src[order], dst[order], 24, edge_type=types, num_edge_types=4,
                          node_type=rng.integers(0, 2, 24), num_node_types=2)


GRAPH = _lengths()


def pieces(package):
    """The index arrays of pieces that the plan of a package names."""
    return {s["key"] for f in package.plan()["functions"] for s in f["structures"]
            if s["key"].startswith("long_tile")}


def split(length, found=None, device=None, **options):
    """A `run` for `cases.check` with pieces of so many elements."""
    def run(text, function, bound, inputs):
        compiled = compile_program(text, function, passes={"long-rows": length},
                                   **{"target": "emulator", **options})
        if found is not None:
            found.update(pieces(compiled.package))
        binding = compiled.bind(bound, device)
        out = binding(inputs)
        return out if isinstance(out, dict) else {binding.outputs[0].name: out}
    return run


FORMS = {"emulator": {}, "cpu": {"target": "cpu", "device": "cpu"},
         **{form: {"stop_at": form}
            for form in ("structured", "scheduled", "blocked", "loops")}}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("subject, features, heads", [
    ("rgcn", 20, 1), ("rgat", 16, 2), ("gat", 7, 3), ("sage-mean", 3, 1),
    ("sage-max", 33, 1), ("hgt", 8, 2), ("op-sum", 100, 1), ("op-mean", 5, 2),
    ("op-extremes", 4, 1), ("gatv2", 16, 2)])
def test_all_forms(compiler, subject, features, heads, form):
    found = set()
    cases.check(cases.build(subject, GRAPH, features, heads),
                split(LENGTH, found, **FORMS[form]))
    # One lane walks the scores of a row twice, and its row is not split.
    assert bool(found) == (form != "cpu" or subject not in ("gat", "rgat"))
    assert all(key.endswith(f" {LENGTH}") for key in found)


@pytest.mark.parametrize("graph", ["empty", "no-edges", "rows-1", "empty-types",
                                   "users-items", "no-destinations", "hub"])
@pytest.mark.parametrize("subject", ["op-mean", "op-extremes"])
def test_ops_on_odd_graphs(compiler, subject, graph):
    features = 1 if graph == "hub" else 16
    cases.check(cases.build(subject, graph, features, 1),
                split(1000 if graph == "hub" else 1))


@pytest.mark.parametrize("subject", ["rgcn", "gat", "hgt", "sage-mean"])
def test_gradients(subject, gnn_opt, compiler):
    program = gradient_cases.build(subject, "square",
                                   2 if subject in cases.WITH_HEADS else 1)
    pipeline = gradients.PIPELINES["after the passes"]
    made = gradients.differentiate(gnn_opt, program.function, None, pipeline)
    text = gradients.text(gnn_opt, program.function, None, pipeline)
    passes = {"long-rows": 2}
    gradients.check_kernels(text, program.function, program.graphs, program.inputs, made,
                            passes=passes)
    keys = pieces(compile_program(text, program.function.name + "_backward",
                                  target="emulator", passes=passes).package)
    assert any("out_rows" in key or "src_pairs" in key for key in keys)


MEAN = """
gnn.graph @g square {node_types = 2, edge_types = 4}

// A mean over elements and features at once, scaled by the size of the row.
func.func @f(%x: tensor<?x3x6xf32> {gnn.rows = #gnn.rows<@g, node>})
    -> (tensor<?x3xf32> {gnn.rows = #gnn.rows<@g, node>}) {
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x3xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, heads = 3, features = 6>
      ins(%x : tensor<?x3x6xf32>) at [#gnn_tile.at<element -> src : head, feature>]
      outs(%init : tensor<?x3xf32>) at [#gnn_tile.at<group : head>] {
  ^bb0(%v: f32):
    %mean = gnn_tile.reduce mean [element, feature] %v : f32
    %size = gnn_tile.size : f32
    %o = arith.mulf %mean, %size : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
"""


@pytest.mark.parametrize("form", FORMS)
def test_mean_of_two_dimensions(compiler, form):
    x = np.random.default_rng(1).standard_normal((24, 3, 6)).astype(np.float32)
    found = set()
    out, = split(LENGTH, found, **FORMS[form])(MEAN, "f", {"g": GRAPH},
                                               {"arg0": x}).values()
    assert found
    expected = np.zeros((24, 3))
    np.add.at(expected, GRAPH.edge_dst, x.astype(np.float64).mean(2)[GRAPH.edge_src])
    errors.check("out", out, expected, 1e-6, 1e-5)


ATTENTION = """
gnn.graph @g square {node_types = 2, edge_types = 4}

// A softmax over the edges into a row and the sum weighted by it, in one walk: the
// maximum so far, the sum of powers relative to it, and the weighted sum.
func.func @f(%s: tensor<?x2xf32> {gnn.rows = #gnn.rows<@g, edge>},
             %x: tensor<?x2x5xf32> {gnn.rows = #gnn.rows<@g, node>})
    -> (tensor<?x2x5xf32> {gnn.rows = #gnn.rows<@g, node>}) {
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x2x5xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, heads = 2, features = 5>
      ins(%s, %x : tensor<?x2xf32>, tensor<?x2x5xf32>)
      at [#gnn_tile.at<element -> edge : head>, #gnn_tile.at<element -> src : head, feature>]
      outs(%init : tensor<?x2x5xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%score: f32, %v: f32):
    %lowest = arith.constant 0xFF7FFFFF : f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %none = arith.subf %score, %score : f32
    %unit = arith.addf %none, %one : f32
    %max, %sum, %all = gnn_tile.fold %score, %unit, %v identity %lowest, %zero, %zero
        : f32, f32, f32 {
    ^bb0(%m0: f32, %z0: f32, %a0: f32, %m1: f32, %z1: f32, %a1: f32):
      %m = arith.maximumf %m0, %m1 : f32
      %d0 = arith.subf %m0, %m : f32
      %d1 = arith.subf %m1, %m : f32
      %e0 = math.exp %d0 : f32
      %e1 = math.exp %d1 : f32
      %p0 = arith.mulf %z0, %e0 : f32
      %p1 = arith.mulf %z1, %e1 : f32
      %z = arith.addf %p0, %p1 : f32
      %q0 = arith.mulf %a0, %e0 : f32
      %q1 = arith.mulf %a1, %e1 : f32
      %a = arith.addf %q0, %q1 : f32
      gnn_tile.yield %m, %z, %a : f32, f32, f32
    }
    %some = arith.maximumf %sum, %one : f32
    %o = arith.divf %all, %some : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x2x5xf32>
  return %y : tensor<?x2x5xf32>
}
"""


@pytest.mark.parametrize("form", FORMS)
def test_attention_in_one_walk(compiler, form):
    rng = np.random.default_rng(4)
    s = (4 * rng.standard_normal((GRAPH.num_edges, 2))).astype(np.float32)
    x = rng.standard_normal((24, 2, 5)).astype(np.float32)
    found = set()
    out, = split(LENGTH, found, **FORMS[form])(
        ATTENTION, "f", {"g": GRAPH}, {"arg0": s, "arg1": x}).values()
    assert found
    powers = np.exp(s.astype(np.float64))
    sums, expected = np.zeros((24, 2)), np.zeros((24, 2, 5))
    np.add.at(sums, GRAPH.edge_dst, powers)
    np.add.at(expected, GRAPH.edge_dst, powers[..., None] * x[GRAPH.edge_src])
    errors.check("out", out, expected / np.where(sums, sums, 1)[..., None], 1e-6, 1e-5)


PARTS = """
gnn.graph @g square {{node_types = 2, edge_types = 4}}

func.func @f(%x: tensor<?x6xf32> {{gnn.rows = #gnn.rows<@g, node>}})
    -> (tensor<?x6xf32> {{gnn.rows = #gnn.rows<@g, node>}}) {{
  %n = gnn_tile.count @g long_tile_count dst edge.in_rows 7 : index
  %none = tensor.empty(%n) : tensor<?x6xf32>
  %parts = gnn_tile.traverse @g <long_tiles<dst, edge.in_rows, 7>, edge.in_rows, features = 6>
      ins(%x : tensor<?x6xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%none : tensor<?x6xf32>) at [#gnn_tile.at<group : feature>] {schedule} {{
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %max : f32
  }} -> tensor<?x6xf32>
  %m = gnn_tile.count @g count dst : index
  %init = tensor.empty(%m) : tensor<?x6xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 6>
      ins(%x : tensor<?x6xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x6xf32>) at [#gnn_tile.at<group : feature>]
      parts(%parts : tensor<?x6xf32>) of long_tiles<dst, edge.in_rows, 7> {schedule} {{
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %max : f32
  }} -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}}
"""


@pytest.mark.parametrize("walk", ["team", "block", "by_length"])
def test_all_walks(compiler, walk):
    """A row is made of its pieces whoever walks it; the tail of its features too."""
    schedule = ("schedule <columns_per_block = 4, vector = 2, lanes = 2, head_lanes = 1, "
                f"element_lanes = 4, in_flight = 2, rows_per_block = 8, row_walk = {walk}>")
    compiled = compile_program(PARTS.format(schedule=schedule), target="emulator")
    assert {f["row_walk"] for f in _schedules(compiled)} == {walk}
    x = np.random.default_rng(1).standard_normal((24, 6)).astype(np.float32)
    expected = np.full((24, 6), -np.inf)
    np.maximum.at(expected, GRAPH.edge_dst, x[GRAPH.edge_src])
    expected[np.isinf(expected)] = 0
    np.testing.assert_array_equal(compiled.bind(GRAPH)({"arg0": x}), expected)


def _schedules(compiled):
    """The fields of the schedule of each launch."""
    for step in compiled.package.plan()["functions"][0]["steps"]:
        if "schedule" in step:
            yield dict(re.findall(r"(\w+) = (\w+)", step["schedule"]))


def test_bits_do_not_depend_on_the_order_of_threads(compiler):
    program = cases.build("hgt", GRAPH, 9, 2)
    function = program.function
    compiled = compile_program(function.module.text(), function.name, target="emulator",
                               passes={"long-rows": LENGTH})
    assert pieces(compiled.package)
    first, *others = [compiled.bind(program.graphs, compiler.Device.emulator(seed=seed))(
        program.inputs).view(np.int32) for seed in (None, 1, 2)]
    for other in others:
        assert np.array_equal(first, other)


def test_statistics_decide(compiler):
    """A hub's row is split on a graph that is known, on a GPU."""
    graph = graphs.named("hub")
    program = cases.build("sage-mean", graph, 16, 1)
    text, graph = program.function.module.text(), *program.graphs.values()
    known = compile_program(text, target="emulator", graph=graph, passes={"edge-walks": 0})
    assert pieces(known.package)
    assert not pieces(compile_program(text, target="emulator").package)
    assert not pieces(compile_program(text, target="cpu", graph=graph).package)
    assert not pieces(compile_program(text, target="emulator", graph=graph,
                                      passes={"long-rows": 0}).package)
    program = cases.build("sage-mean", GRAPH, 16, 1)
    assert not pieces(compile_program(text, target="emulator",
                                      graph=program.graphs).package)


@pytest.mark.parametrize("length", [-2, 2**31, "many"])
def test_lengths_that_are_none(compiler, length):
    with pytest.raises(ValueError, match="^passes: long-rows: expected a number of "
                                         f"elements, 0 or -1, got '{length}'$"):
        compile_program(MEAN, target="emulator", passes={"long-rows": length})
