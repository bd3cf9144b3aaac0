# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of every layout of a tile: depths, columns and rows that end inside of one."""

import numpy as np
import pytest

from gnn_mlir.compiler import compile as compile_program
from support import errors, graphs

DEPTHS = [1, 16, 20, 33, 64, 130]
COLUMNS = [1, 17, 70]
ROWS = [1, 16, 17, 150]


def run(text, graph, x, y, passes=None, target="emulator"):
    compiled = compile_program(text, target=target, passes=passes)
    binding = compiled.bind({"g": graph})
    return binding(dict(zip([i.name for i in binding.inputs], (x, y))))


def values(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


def close(out, expected):
    errors.check("out", out, expected, 1e-4, 1e-4)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("depth", DEPTHS)
def test_rows_times_weights(compiler, depth, transposed):
    graph = graphs.random_graph(70, 100, 1, 1, seed=3)
    rng = np.random.default_rng(depth)
    for columns in COLUMNS:
        x, w = values(rng, 70, depth), values(rng, depth, columns)
        weight = f"tensor<{columns}x{depth}xf32>" if transposed else \
            f"tensor<{depth}x{columns}xf32>"
        out = run(f"""
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%x: tensor<?x{depth}xf32> {{gnn.rows = #gnn.rows<@g, node>}}, %w: {weight})
    -> (tensor<?x{columns}xf32> {{gnn.rows = #gnn.rows<@g, node>}}) {{
  %n = gnn_tile.count @g count src : index
  %init = tensor.empty(%n) : tensor<?x{columns}xf32>
  %y = gnn_tile.gemm @g rows src {"transposed" if transposed else ""}
      ins(%x, %w : tensor<?x{depth}xf32>, {weight}) at <group : feature> extras at []
      outs(%init : tensor<?x{columns}xf32>) at <group : feature> {{
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }} -> tensor<?x{columns}xf32>
  return %y : tensor<?x{columns}xf32>
}}""", graph, x, np.ascontiguousarray(w.T) if transposed else w)
        close(out, x.astype(np.float64) @ w)


OUTERS = [(1, 64), (64, 1), (3, 5), (64, 64), (65, 17), (8, 32)]


def outer(left, right, groups, shape, side=""):
    """Outer products and the sums of a side beside them, of `groups`."""
    matrices = f"tensor<{''.join(f'{n}x' for n in shape)}{left}x{right}xf32>"
    sums = f"tensor<{''.join(f'{n}x' for n in shape)}{left if side else right}xf32>"
    return f"""
gnn.graph @g square {{node_types = 1, edge_types = 5}}
func.func @f(%x: tensor<?x{left}xf32> {{gnn.rows = #gnn.rows<@g, edge>}},
             %y: tensor<?x{right}xf32> {{gnn.rows = #gnn.rows<@g, edge>}})
    -> ({matrices} {{gnn.name = "matrices"}}, {sums} {{gnn.name = "sums"}}) {{
  %w = tensor.empty() : {matrices}
  %b = tensor.empty() : {sums}
  %dw, %db = gnn_tile.outer @g {groups}
      ins(%x, %y : tensor<?x{left}xf32>, tensor<?x{right}xf32>)
      at [#gnn_tile.at<group -> edge : feature>, #gnn_tile.at<group -> edge : feature>]
      outs(%w : {matrices}) sums {side}(%b : {sums}) -> {matrices}, {sums}
  return %dw, %db : {matrices}, {sums}
}}"""


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("left, right", OUTERS)
def test_sums_of_outer_products(compiler, rows, left, right):
    rng = np.random.default_rng(rows)
    x, y = values(rng, rows, left), values(rng, rows, right)
    out = run(outer(left, right, "rows edge.in_rows", []),
              graphs.random_graph(5, rows, 1, 5, seed=3), x, y)
    close(out["matrices"], x.astype(np.float64).T @ y)
    close(out["sums"], y.astype(np.float64).sum(0))


@pytest.mark.parametrize("split", [0, 16])
@pytest.mark.parametrize("edges", [0, 1, 40, 300])
def test_sums_of_outer_products_by_type(compiler, edges, split):
    """A long type among short ones and some without edges, whole and in two steps."""
    graph = graphs.random_graph(20, edges, 1, 5, seed=3)
    rng = np.random.default_rng(edges)
    x, y = values(rng, edges, 70), values(rng, edges, 9)
    out = run(outer(70, 9, "rows edge.src_pairs types edge_type", [5]), graph, x, y,
              {"sum-rows": split} if split else {"split-sums": False})
    of_type = [np.flatnonzero(graph.edge_type == t) for t in range(5)]
    close(out["matrices"], np.stack([x[i].astype(np.float64).T @ y[i] for i in of_type]))
    close(out["sums"], np.stack([y[i].astype(np.float64).sum(0) for i in of_type]))


@pytest.mark.parametrize("target", ["emulator", "cpu"])
@pytest.mark.parametrize("left, right", [(3, 5), (70, 18), (18, 70)])
def test_sums_of_the_left_side(compiler, left, right, target):
    """Of all rows, and by type in two steps."""
    graph = graphs.random_graph(20, 150, 1, 5, seed=3)
    rng = np.random.default_rng(left)
    x, y = values(rng, 150, left), values(rng, 150, right)
    out = run(outer(left, right, "rows edge.in_rows", [], "left"), graph, x, y,
              target=target)
    close(out["matrices"], x.astype(np.float64).T @ y)
    close(out["sums"], x.astype(np.float64).sum(0))
    out = run(outer(left, right, "rows edge.src_pairs types edge_type", [5], "left"), graph,
              x, y, {"sum-rows": 16}, target)
    of_type = [np.flatnonzero(graph.edge_type == t) for t in range(5)]
    close(out["matrices"], np.stack([x[i].astype(np.float64).T @ y[i] for i in of_type]))
    close(out["sums"], np.stack([x[i].astype(np.float64).sum(0) for i in of_type]))
