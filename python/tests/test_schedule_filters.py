# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Filters of a listing (LO-SpMM 3.2 to 3.4) on a graph: what they leave, against NumPy."""

import functools
import json
import re
import subprocess

import numpy as np
import pytest

import gnn_mlir

FEATURES, PROCESSORS = 40, 132  # An H200.
PROGRAM = f"""
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f(%x: memref<?x{FEATURES}xf32>, %y: memref<?x{FEATURES}xf32>) {{
  gnn_tile.traverse @g <dst, edge.in_rows, features = {FEATURES}>
      ins(%x : memref<?x{FEATURES}xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x{FEATURES}xf32>) at [#gnn_tile.at<group : feature>]
      schedule <head_lanes = 1, element_lanes = 1, in_flight = 16> {{
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }}
  return
}}"""


@functools.cache
def graph_of():
    rng, nodes = np.random.default_rng(2), 3000
    dst = (nodes * rng.random(30000) ** 1.2).astype(np.int32)
    return gnn_mlir.Graph(rng.integers(0, nodes, len(dst)).astype(np.int32), dst, nodes)


@pytest.fixture(scope="module")
def listing(gnn_opt, tmp_path_factory):
    folder = tmp_path_factory.mktemp("filters")
    (folder / "sum.mlir").write_text(PROGRAM)
    graph_of().save(folder / "g.npz")

    def listed(filters):
        option = f" filter={filters} graph={folder / 'g.npz'}" if filters else ""
        run = subprocess.run(
            [gnn_opt, folder / "sum.mlir", "-o", "/dev/null", "--gnn-attach-target=chip=h200",
             "--gnn-tile-list-schedules=vary=row_walk" + option,
             "--remarks-filter=gnn-tile-list-schedules", "--remark-format=emitRemark"],
            capture_output=True, text=True, check=True)
        return [json.loads(line) for line in run.stdout.splitlines()], run.stderr
    return listed


def registers_fit(line, graph):
    layout, schedule = line["layout"], line["schedule"]
    most = schedule.get("max_registers", 255)
    return (layout["registers"] <= most and
            -(-layout["registers"] // 8) * 8 * layout["threads"] <= 65536)


def rows_of_block(schedule):
    return schedule["rows_per_block"] * schedule.get("rows_per_team", 1)


def uses_all(line, graph):
    schedule = line["schedule"]
    blocks = {"by_edges": graph.num_edges / (64 * schedule["rows_per_block"]),
              "block": graph.num_nodes}.get(
                  schedule["row_walk"], graph.num_nodes / rows_of_block(schedule))
    blocks *= FEATURES / schedule["columns_per_block"]
    return line["layout"]["threads"] % 32 == 0 and blocks > PROCESSORS / 2


def is_balanced(line, graph):
    schedule = line["schedule"]
    tile, lanes = schedule["columns_per_block"], schedule["lanes"] * schedule["vector"]
    computed = -(-FEATURES // tile) * -(-tile // lanes) * lanes
    if 1 - FEATURES / computed > 0.25:
        return False
    if schedule["row_walk"] == "by_edges":
        return True
    rows = 1 if schedule["row_walk"] == "block" else rows_of_block(schedule)
    return variation(schedule["row_order"] == "natural", rows) <= 0.25


@functools.cache
def variation(is_natural, rows):
    """Of the edges of blocks. All nodes are one window of degrees."""
    degrees = np.bincount(graph_of().edge_dst, minlength=graph_of().num_nodes)
    if not is_natural:
        degrees = -np.sort(-degrees)
    blocks = np.add.reduceat(degrees, np.arange(0, len(degrees), rows))
    return blocks.std() / blocks.mean()


CHECKS = {"registers": registers_fit, "utilization": uses_all, "balance": is_balanced}


@pytest.mark.parametrize("filters", ["registers", "utilization", "balance",
                                     "registers,utilization,balance"])
def test_what_is_left(listing, filters):
    graph, (every, _), (left, remark) = graph_of(), listing(""), listing(filters)
    expected, counts = every, []
    for name in filters.split(","):
        expected = [line for line in expected if CHECKS[name](line, graph)]
        counts.append(f"{name} {len(expected)}")
    assert 0 < len(expected) < len(every)
    assert left == expected
    assert re.search(rf'of {len(every)} schedules filters leave: {"; ".join(counts)}"', remark)


def test_least_bad(gnn_opt, tmp_path):
    """Blocks of one row each, on a graph of a hub: none passes, and all are as bad."""
    nodes = 40
    dst = np.r_[np.zeros(400, np.int32), np.arange(nodes, dtype=np.int32)]
    gnn_mlir.Graph(np.zeros(len(dst), np.int32), dst, nodes).save(tmp_path / "g.npz")
    (tmp_path / "sum.mlir").write_text(PROGRAM.replace(
        "schedule <", "schedule <vector = 4, lanes = 2, row_walk = block, row_order = natural, "
                      "columns_per_block = 40, "))
    run = subprocess.run(
        [gnn_opt, tmp_path / "sum.mlir", "-o", "/dev/null", "--gnn-attach-target=chip=h200",
         "--gnn-tile-list-schedules=vary=rows_per_block filter=utilization,balance "
         f"graph={tmp_path / 'g.npz'}",
         "--remarks-filter=gnn-tile-list-schedules", "--remark-format=emitRemark"],
        capture_output=True, text=True, check=True)
    assert len(run.stdout.splitlines()) > 1
    assert re.search(r"utilization (\d+), which fail least; balance \1, which fail least\"",
                     run.stderr)


def test_graph_of_other_types(gnn_opt, tmp_path):
    gnn_mlir.Graph([0], [0], 1, edge_type=[1], num_edge_types=2).save(tmp_path / "g.npz")
    (tmp_path / "sum.mlir").write_text(PROGRAM)
    run = subprocess.run(
        [gnn_opt, tmp_path / "sum.mlir", "-o", "/dev/null",
         f"--gnn-tile-list-schedules=filter=balance graph={tmp_path / 'g.npz'}"],
        capture_output=True, text=True)
    assert run.returncode == 1 and "graph 'g': " in run.stderr and "edge type" in run.stderr
