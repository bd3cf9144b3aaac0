# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that tuning makes of statistics: large ones take long."""

import os
import pty
import signal
import subprocess
import time

import pytest

import gnn_mlir
from test_tuning import tool  # noqa: F401  a fixture


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A program whose graph takes seconds to be made of its statistics."""
    count = 20_000_000
    path = tmp_path_factory.mktemp("large") / "large.mlir"
    path.write_text(program_of(
        f"src_nodes = {count // 10}, dst_nodes = {count // 10}, edges = {count}, "
        f"type_edges = [{count}], src_pairs = [{count // 20}], dst_pairs = [{count // 20}], "
        f"in_degree_squares = {20 * count}, in_degree_max = 4000, "
        f"out_degree_squares = {20 * count}, out_degree_max = 4000"))
    return path


def program_of(stats):
    node = "tensor<?x4xf32, #gnn.rows<@g, node>>"
    return f"""
gnn.graph @g square {{node_types = 1, edge_types = 1, stats = #gnn.stats<{stats}>}}
func.func @f(%x: {node} {{gnn.name = "x"}}) -> ({node} {{gnn.name = "out"}}) {{
  %m = gnn.gather %x via src : {node} -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %m via dst : tensor<?x4xf32, #gnn.rows<@g, edge>> -> {node}
  return %s : {node}
}}"""


def test_it_is_made_within_the_budget(large):
    with pytest.raises(gnn_mlir.GNNError, match=(
            "^graph 'g': expected statistics whose graph is made within 1.0 s, got those of 2000000 "
            "nodes and 20000000 edges: give a graph, or a larger budget$")):
        gnn_mlir.tune(large.read_text(), target="cpu", budget=0.5)


def test_nodes_without_edges_are_made_within_the_budget():
    wide = program_of("src_nodes = 40000000, dst_nodes = 40000000, edges = 10, type_edges = [10], "
                      "src_pairs = [5], dst_pairs = [5]")
    begin = time.monotonic()
    with pytest.raises(gnn_mlir.GNNError, match="expected statistics whose graph is made within 1.0 s"):
        gnn_mlir.tune(wide, target="cpu", budget=0.2)
    assert time.monotonic() - begin < 3


def test_graphs_that_are_not_given_are_made():
    """Those of the function that is tuned."""
    stats = ("stats = #gnn.stats<src_nodes = 30, dst_nodes = 30, edges = 100, type_edges = [100], "
             "src_pairs = [20], dst_pairs = [20]>")
    g, h = ("tensor<?x4xf32, #gnn.rows<@%s, node>>" % name for name in "gh")
    sums = "".join(f"""
  %m{name} = gnn.gather %{name} via src : {node} -> tensor<?x4xf32, #gnn.rows<@{name}, edge>>
  %s{name} = gnn.aggregate sum %m{name} via dst : tensor<?x4xf32, #gnn.rows<@{name}, edge>> -> {node}"""
                   for name, node in (("g", g), ("h", h)))
    program = f"""
gnn.graph @g square {{node_types = 1, edge_types = 1}}
gnn.graph @h square {{node_types = 1, edge_types = 1, {stats}}}
gnn.graph @other square {{node_types = 1, edge_types = 1, {stats}}}
func.func @f(%g: {g} {{gnn.name = "x"}}, %h: {h} {{gnn.name = "y"}})
    -> ({g} {{gnn.name = "a"}}, {h} {{gnn.name = "b"}}) {{{sums}
  return %sg, %sh : {g}, {h}
}}"""
    given = gnn_mlir.Graph([0, 1, 2], [1, 2, 2], 3)
    found = gnn_mlir.tune(program, {"g": given}, target="cpu", budget=0.2)
    assert [line.split(" is ")[0] for line in found.graphs] == ["graph 'h'"]
    assert len(found.templates) == 2
    with pytest.raises(gnn_mlir.GNNError, match="^graph 'g': expected a graph, or statistics "):
        gnn_mlir.tune(program, {"h": given}, target="cpu", budget=0.2)


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
