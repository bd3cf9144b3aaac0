# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outer products whose tiles are copied give the bits of those that are loaded."""

import os

import numpy as np
import pytest

from gnn_mlir.compiler import compile as compile_program, list_schedules
from support import graphs

TARGET = os.environ.get("GNN_TEST_TARGET", "emulator")


def outer(left, right, schedule, sums=False, offset=0):
    """By edge type, of `left` columns from `offset` on; pairs of 3 types."""
    results = f"tensor<3x{left}x{right}xf32>" + (f", tensor<3x{right}xf32>" if sums else "")
    return f"""
gnn.graph @g square {{node_types = 1, edge_types = 3}}
func.func @f(%x: tensor<?x{left}xf32> {{gnn.rows = #gnn.rows<@g, src>}},
             %y: tensor<?x{right}xf32> {{gnn.rows = #gnn.rows<@g, edge>}}) -> ({results}) {{
  %w = tensor.empty() : tensor<3x{left}x{right}xf32>
  %b = tensor.empty() : tensor<3x{right}xf32>
  %d{":2" if sums else ""} = gnn_tile.outer @g rows edge.dst_pairs types edge_type
      ins(%x, %y : tensor<?x{left}xf32>, tensor<?x{right}xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> edge : feature>]
      outs(%w : tensor<3x{left}x{right}xf32>) {f"sums(%b : tensor<3x{right}xf32>)" if sums else ""}
      schedule <{schedule}> -> {results}
  return {"%d#0, %d#1" if sums else "%d"} : {results}
}}"""


#: Heads that are summed, one after the other.
HEADS = """
gnn.graph @g square {node_types = 1, edge_types = 3}
func.func @f(%x: tensor<?x3x20xf32> {gnn.rows = #gnn.rows<@g, src>},
    %d: tensor<?x3x8xf32> {gnn.rows = #gnn.rows<@g, src>}) -> tensor<20x8xf32> {
  %init = tensor.empty() : tensor<20x8xf32>
  %w = gnn_tile.outer @g rows src ins(%x, %d : tensor<?x3x20xf32>, tensor<?x3x8xf32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%init : tensor<20x8xf32>) schedule <COPIES> -> tensor<20x8xf32>
  return %w : tensor<20x8xf32>
}
"""


def compiled(text, **options):
    return compile_program(text, target=TARGET, **options)


def run(program, graph):
    binding = program.bind({"g": graph}, TARGET)
    rng = np.random.default_rng(0)
    out = binding({i.name: rng.standard_normal(i.shape).astype(np.float32)
                   for i in binding.inputs})
    return list(out.values()) if isinstance(out, dict) else [out]


def assert_same_bits(text_of, *graphs):
    loaded, copied = (compiled(text_of(f"copies = {kind}")) for kind in ("registers", "async"))
    for graph in graphs:
        pairs = list(zip(run(loaded, graph), run(copied, graph), strict=True))
        assert pairs
        for expected, got in pairs:
            assert np.abs(expected).max() > 0
            np.testing.assert_array_equal(got, expected)


# Types without rows, with fewer than a step, and with several steps that end inside.
GRAPHS = [graphs.random_graph(40, edges, 1, 3, seed=5) for edges in (1, 2, 16, 48, 333)]


@pytest.mark.parametrize("kind", ["ffma", "tf32x3"])
@pytest.mark.parametrize("sums", [False, True])
@pytest.mark.parametrize("left, right", [(4, 4), (8, 36), (68, 20), (64, 64), (132, 72)])
def test_same_bits(compiler, left, right, sums, kind):
    assert_same_bits(lambda copies: outer(left, right, f"kind = {kind}, {copies}", sums), *GRAPHS)


def test_heads(compiler):
    assert_same_bits(lambda copies: HEADS.replace("COPIES", copies), GRAPHS[-1])


@pytest.mark.parametrize("stage", ["copied", "as it is made"])
def test_loops_as_they_stand(compiler, stage):
    """The loops of scalars copy at once, to the same bits."""
    text = outer(68, 20, "kind = ffma, copies = async", sums=True)
    passes = {} if stage == "as it is made" else {
        "stage_passes": {"loops-end": "func.func(gnn-tile-copy-async)"}}
    for expected, got in zip(run(compiled(text), GRAPHS[-1]),
                             run(compiled(text, stop_at="loops", **passes), GRAPHS[-1])):
        np.testing.assert_array_equal(got, expected)


def test_rows_that_are_not_aligned(compiler):
    """A schedule that asks for what cannot be is refused; the switch leaves it."""
    with pytest.raises(Exception, match="'copies': expected rows of f32 aligned to 16 bytes "
                                        "for async, got .*x6xf32"):
        compile_program(outer(6, 8, "copies = async"), target=TARGET)
    assert copies(outer(6, 8, "n = 16")) == {"registers"}


def copies(text, **options):
    switches = {"async-copies": True, **options.pop("passes", {})}
    lines = list_schedules(text, target="cuda", vary="n", passes=switches, **options)
    return {line["schedule"]["copies"] for line in lines if "n" in line["schedule"]}


def test_switch(compiler):
    """Older chips have no such copies; the switch is what asks for them."""
    text = outer(64, 64, "kind = ffma")
    assert copies(text, chip="sm_90") == {"async"}
    assert copies(text, chip="sm_75") == {"registers"}
    assert copies(text, chip="sm_90", passes={"async-copies": False}) == {"registers"}


def gemm(depth, columns, schedule):
    """By edge type, of the weight alone what is copied."""
    return f"""
gnn.graph @g square {{node_types = 1, edge_types = 3}}
func.func @f(%x: tensor<?x{depth}xf32> {{gnn.rows = #gnn.rows<@g, src>}}, %w: tensor<3x{depth}x{columns}xf32>)
    -> (tensor<?x{columns}xf32> {{gnn.rows = #gnn.rows<@g, edge>}}) {{
  %n = gnn_tile.count @g count edge : index
  %init = tensor.empty(%n) : tensor<?x{columns}xf32>
  %y = gnn_tile.gemm @g rows edge.dst_pairs types edge_type
      ins(%x, %w : tensor<?x{depth}xf32>, tensor<3x{depth}x{columns}xf32>)
      at <group -> src : feature> extras at []
      outs(%init : tensor<?x{columns}xf32>) at <group -> edge : feature> schedule <{schedule}> {{
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }} -> tensor<?x{columns}xf32>
  return %y : tensor<?x{columns}xf32>
}}"""


@pytest.mark.parametrize("kind", ["ffma", "tf32x3"])
@pytest.mark.parametrize("depth, columns", [(1, 4), (16, 8), (33, 20), (64, 64), (70, 36),
                                            (130, 68)])
def test_gemm(compiler, depth, columns, kind):
    """Copies of a weight, in one step and in several."""
    assert_same_bits(lambda copies: gemm(depth, columns, f"kind = {kind}, {copies}"),
                     GRAPHS[-1])
