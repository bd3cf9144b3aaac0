# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dots of edges, each edge by itself, whose destinations are found in an array or by a search of
row pointers (Hector 3.3.2), against NumPy in float64 and with the same bits."""

import re

import numpy as np
import pytest

import gnn_mlir
from test_edge_walks import DEGREES, graph_of

PROGRAM = """
gnn.graph @g square {{node_types = 1, edge_types = {types}}}
func.func @f(%x: tensor<?x{features}xf32> {{gnn.rows = #gnn.rows<@g, node>}},
             %z: tensor<?x{features}xf32> {{gnn.rows = #gnn.rows<@g, {rows}>}})
    -> (tensor<?xf32> {{gnn.rows = #gnn.rows<@g, edge>}}) {{
  %n = gnn_tile.count @g count edge : index
  %init = tensor.empty(%n) : tensor<?xf32>
  %y = gnn_tile.traverse @g <edge.{order}, features = {features}>
      ins(%x, %z : tensor<?x{features}xf32>, tensor<?x{features}xf32>)
      at [#gnn_tile.at<group -> {other} : feature>, #gnn_tile.at<group -> {own} : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] schedule <lookup = {lookup}> {{
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }} -> tensor<?xf32>
  return %y : tensor<?xf32>
}}"""
ENDS = {
    "dst": dict(order="in_rows", own="dst", other="src", rows="node"),
    "src": dict(order="out_rows", own="src", other="dst", rows="node"),
    "dst_pair": dict(order="dst_pairs", own="dst_pair", other="src", rows="dst_pair"),
}


def compiled(end, lookup, features=5, target="emulator", types=1, **options):
    text = PROGRAM.format(lookup=lookup, features=features, types=types, **ENDS[end])
    return gnn_mlir.compile(text, target=target, **options)


def keys(layer):
    plan, = layer.package.plan()["functions"]
    return {one["key"] for one in plan["structures"]}


def check(graph, end, layers, features=5):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((graph.num_nodes, features)).astype(np.float32)
    rows, count = getattr(graph, "edge_" + end[:3]), graph.num_nodes
    if "pair" in end:
        codes, rows = np.unique(graph.edge_type * np.int64(count) + rows, return_inverse=True)
        count = len(codes)
    z = rng.standard_normal((count, features)).astype(np.float32)
    other = graph.edge_dst if end == "src" else graph.edge_src
    right = np.sum(x.astype(np.float64)[other] * z[rows], axis=1)
    found = [np.asarray(layer.bind(graph)({"arg0": x, "arg1": z})) for layer in layers]
    for own in found:
        np.testing.assert_allclose(own, right, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(own, found[0])


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("degrees", DEGREES)
def test_rows_are_as_numpy(degrees, end):
    """Rows without edges at both ends and in between, and one row that has all."""
    graph = graph_of(DEGREES[degrees])
    types = 3 if "pair" in end else 1
    if types > 1:
        kinds = np.arange(len(graph.edge_src), dtype=np.int32) % types
        graph = gnn_mlir.Graph(graph.edge_src, graph.edge_dst, graph.num_nodes,
                               edge_type=kinds, num_edge_types=types)
    check(graph, end, [compiled(end, lookup, types=types) for lookup in ("array", "search")])


@pytest.mark.parametrize("form", ["structured", "scheduled", "blocked", "loops"])
def test_forms(form):
    graph = graph_of(DEGREES["mixed"])
    check(graph, "dst", [compiled("dst", "search", 64, stop_at=form)], 64)


def test_structures():
    """Pointers take the place of a number for each edge."""
    array, search = (keys(compiled("dst", lookup)) for lookup in ("array", "search"))
    assert array - search == {"map edge.in_rows dst"}
    assert search - array == {"rows dst edge.in_rows"}


def test_ptx():
    """The search is a loop, and the other end stays in an array."""
    found = compiled("dst", "search", target="cuda", chip="sm_90").ptx()
    assert re.search(r"\b(?:clz|bfind)\.", found)


def test_refused():
    for text, why in (
            (PROGRAM.replace("edge.{order}", "edge"), "got 'edge'"),
            (PROGRAM.replace("edge.{order}", "edge.out_rows").replace("-> {other}", "-> dst"),
             "got 'edge.out_rows'")):
        with pytest.raises(gnn_mlir.GNNError, match="cannot honour the schedule's 'lookup': expected "
                                                    "rows without elements that lead to a node or "
                                                    f"pair whose rows lie side by side, {why}"):
            gnn_mlir.compile(text.format(lookup="search", features=4, types=1, **ENDS["dst"]),
                             target="emulator")


def test_listed():
    text = PROGRAM.format(lookup="array", features=4, types=1, **ENDS["dst"])
    listed = gnn_mlir.list_schedules(text.replace("schedule <lookup = array>", ""),
                                     vary=["lookup"], target="emulator")
    assert [line["schedule"].get("lookup") for line in listed] == [None, "search"]
