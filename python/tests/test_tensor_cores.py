# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of fp32 on tensor cores, as three products of tf32 numbers."""

import os

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir.compiler import compile as compile_program
from support import graphs

TARGET = os.environ.get("GNN_TEST_TARGET", "emulator")

# The error of a sum of fp32 in order at these depths, of the sum of absolute products.
BOUND = 2e-6


def gemm(depth, columns, kind, transposed=False):
    weight = f"{columns}x{depth}" if transposed else f"{depth}x{columns}"
    return f"""
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%x: tensor<?x{depth}xf32> {{gnn.rows = #gnn.rows<@g, node>}}, %w: tensor<{weight}xf32>)
    -> (tensor<?x{columns}xf32> {{gnn.rows = #gnn.rows<@g, node>}}) {{
  %n = gnn_tile.count @g count src : index
  %init = tensor.empty(%n) : tensor<?x{columns}xf32>
  %y = gnn_tile.gemm @g rows src {"transposed" if transposed else ""}
      ins(%x, %w : tensor<?x{depth}xf32>, tensor<{weight}xf32>) at <group : feature> extras at []
      outs(%init : tensor<?x{columns}xf32>) at <group : feature> schedule <kind = {kind}> {{
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }} -> tensor<?x{columns}xf32>
  return %y : tensor<?x{columns}xf32>
}}"""


def outer(left, right, kind, sums):
    results = f"tensor<3x{left}x{right}xf32>" + (f", tensor<3x{right}xf32>" if sums else "")
    return f"""
gnn.graph @g square {{node_types = 1, edge_types = 3}}
func.func @f(%x: tensor<?x{left}xf32> {{gnn.rows = #gnn.rows<@g, edge>}},
             %y: tensor<?x{right}xf32> {{gnn.rows = #gnn.rows<@g, edge>}}) -> ({results}) {{
  %w = tensor.empty() : tensor<3x{left}x{right}xf32>
  %b = tensor.empty() : tensor<3x{right}xf32>
  %d{":2" if sums else ""} = gnn_tile.outer @g rows edge.dst_pairs types edge_type
      ins(%x, %y : tensor<?x{left}xf32>, tensor<?x{right}xf32>)
      at [#gnn_tile.at<group -> edge : feature>, #gnn_tile.at<group -> edge : feature>]
      outs(%w : tensor<3x{left}x{right}xf32>) {f"sums(%b : tensor<3x{right}xf32>)" if sums else ""}
      schedule <kind = {kind}> -> {results}
  return {"%d#0, %d#1" if sums else "%d"} : {results}
}}"""


def run(text, graph, *values, **options):
    binding = compile_program(text, target=TARGET, **options).bind({"g": graph}, TARGET)
    out = binding(dict(zip([i.name for i in binding.inputs], values)))
    outs = out if isinstance(out, (tuple, list)) else list(out.values()) if isinstance(
        out, dict) else [out]
    return [np.asarray(o, np.float64) for o in outs]


def error(out, x, y):
    x, y = x.astype(np.float64), y.astype(np.float64)
    return np.max(np.abs(out - x @ y) / np.maximum(np.abs(x) @ np.abs(y), 1e-30))


def values(rng, *shape):
    """Numbers of many magnitudes and both signs."""
    return (rng.standard_normal(shape) * 2.0 ** rng.integers(-12, 12, shape)).astype(np.float32)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("depth", [1, 33, 64, 130])
def test_gemm(compiler, depth, transposed):
    graph = graphs.random_graph(67, 100, 1, 1, seed=3)
    rng = np.random.default_rng(depth)
    for columns in (17, 70):
        x, w = values(rng, 67, depth), values(rng, depth, columns)
        out, = run(gemm(depth, columns, "tf32x3", transposed), graph, x,
                   np.ascontiguousarray(w.T) if transposed else w)
        assert error(out, x, w) < BOUND


@pytest.mark.parametrize("sums", [False, True])
@pytest.mark.parametrize("left, right", [(3, 5), (65, 17), (33, 64)])
def test_outer(compiler, left, right, sums):
    graph = graphs.random_graph(40, 333, 1, 3, seed=5)
    rng = np.random.default_rng(left)
    x, y = values(rng, 333, left), values(rng, 333, right)
    out = run(outer(left, right, "tf32x3", sums), graph, x, y)
    for t in range(3):
        mine = graph.edge_type == t
        assert error(out[0][t], x[mine].T, y[mine]) < BOUND
        if sums:
            np.testing.assert_allclose(out[1][t], y[mine].astype(np.float64).sum(0),
                                       rtol=0, atol=2e-6 * np.abs(y[mine]).sum(0).max())


def test_one_tf32_number_would_not_do(compiler):
    """The bound tells three products from one."""
    graph = graphs.random_graph(67, 100, 1, 1, seed=3)
    rng = np.random.default_rng(0)
    x, w = values(rng, 67, 64), values(rng, 64, 32)
    cut = [(v.view(np.uint32) & np.uint32(0xffffe000)).view(np.float32) for v in (x, w)]
    assert error(cut[0].astype(np.float64) @ cut[1], x, w) > 20 * BOUND


def test_special_values(compiler):
    """NaN stays NaN; infinite operands give NaN, as the schedule's page says."""
    graph = graphs.random_graph(4, 8, 1, 1, seed=1)
    x = np.ones((4, 16), np.float32)
    x[0, 3], x[1, 5], x[2, 7] = np.nan, np.inf, 3e38
    w = np.full((16, 8), 0.5, np.float32)
    out, = run(gemm(16, 8, "tf32x3"), graph, x, w)
    assert np.isnan(out[0]).all() and np.isnan(out[1]).all()
    np.testing.assert_allclose(out[2], 1.5e38, rtol=1e-5)
    np.testing.assert_array_equal(out[3], 8)
    assert np.isposinf(run(gemm(16, 8, "ffma"), graph, x, w)[0][1]).all()


def test_limits(compiler):
    """At the ends of the range: what rounds to more than the highest tf32 number gives
    NaN, and small operands are exact to 2 ** -136, as RationaleKernels.md says."""
    graph = graphs.random_graph(7, 8, 1, 1, seed=1)
    first = np.uint32(0x7f7ff000).view(np.float32)  # 3.40199e38
    below = np.uint32(0x7f7fefff).view(np.float32)
    x = np.zeros((7, 16), np.float32)
    x[:, 0] = [first, -first, 3.4028e38, below, 1e-37, 1e-40, -1e-42]
    w = np.full((16, 8), 0.5, np.float32)
    expected = 0.5 * x[:, 0].astype(np.float64)
    out = run(gemm(16, 8, "tf32x3"), graph, x, w)[0][:, 0]
    assert np.isnan(out[:3]).all()
    np.testing.assert_allclose(out[3], expected[3], rtol=BOUND)
    np.testing.assert_allclose(out[4:], expected[4:], rtol=0, atol=2.0 ** -137)
    assert (np.abs(out[4:] - expected[4:]) > BOUND * np.abs(expected[4:])).any()
    exact = run(gemm(16, 8, "ffma"), graph, x, w)[0][:, 0]
    np.testing.assert_allclose(exact, expected, rtol=BOUND, atol=2.0 ** -149)


def test_which_products(compiler):
    """Chips without tf32, a switch and the cores of a CPU choose the general ones."""
    model = gnn_mlir.models.rgcn(3, (64, 64))

    def kinds(**options):
        lines = gnn_mlir.list_schedules(model, gradients=True, vary="n", **options)
        return {line["schedule"]["kind"] for line in lines if "n" in line["schedule"]}

    assert kinds(target="cuda", chip="sm_90") == {"tf32x3", "ffma"}
    assert kinds(target="cuda", chip="sm_75") == {"ffma"}
    assert kinds(target="cuda", chip="sm_90", passes={"tensor-cores": False}) == {"ffma"}
