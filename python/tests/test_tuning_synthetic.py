# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that tuning makes of statistics: large ones take long."""

import os
import pty
import signal
import subprocess

import pytest

import gnn_mlir
from test_tuning import tool  # noqa: F401  a fixture


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A program whose graph takes seconds to be made of its statistics."""
    count, node = 20_000_000, "tensor<?x4xf32, #gnn.rows<@g, node>>"
    path = tmp_path_factory.mktemp("large") / "large.mlir"
    path.write_text(f"""
gnn.graph @g square {{node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = {count // 10},
  dst_nodes = {count // 10}, edges = {count}, type_edges = [{count}], src_pairs = [{count // 20}],
  dst_pairs = [{count // 20}], in_degree_squares = {20 * count}, in_degree_max = 4000,
  out_degree_squares = {20 * count}, out_degree_max = 4000>}}
func.func @f(%x: {node} {{gnn.name = "x"}}) -> ({node} {{gnn.name = "out"}}) {{
  %m = gnn.gather %x via src : {node} -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %m via dst : tensor<?x4xf32, #gnn.rows<@g, edge>> -> {node}
  return %s : {node}
}}""")
    return path


def test_it_is_made_within_the_budget(large):
    with pytest.raises(gnn_mlir.GNNError, match=(
            "^graph 'g': expected statistics whose graph is made within 1.0 s, got those of 2000000 "
            "nodes and 20000000 edges: give a graph, or a larger budget$")):
        gnn_mlir.tune(large.read_text(), target="cpu", budget=0.5)


def test_ctrl_c_ends_the_making(large, tool, tmp_path):
    class Stop(Exception):
        pass

    def stop(name, *_):
        assert name == "synthetic graph"
        raise Stop
    with pytest.raises(Stop):
        gnn_mlir.tune(large.read_text(), target="cpu", budget=60, progress=stop)
    pressed = []

    def press(name, *_):
        if not pressed:
            pressed.append(name)
            os.kill(os.getpid(), signal.SIGINT)
    found = gnn_mlir.tune(large.read_text(), target="cpu", budget=60, progress=press)
    assert found.stopped and not found.templates and pressed == ["synthetic graph"]
    terminal, stderr = pty.openpty()
    process = subprocess.Popen([tool, large, "--target=cpu", "--budget=60s", "--out",
                                tmp_path / "found.jsonl"], stdout=subprocess.PIPE, stderr=stderr,
                               text=True)
    shown = b""
    while b"making a graph" not in shown:
        shown += os.read(terminal, 1024)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert process.stdout.read() == (f"stopped by Ctrl-C before the search; {tmp_path}/found.jsonl is "
                                     "not written\n")
    assert not (tmp_path / "found.jsonl").exists()
