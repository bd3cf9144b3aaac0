# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The walks of gradients of attention: how many there are, and what they store for an edge."""

import json
import pathlib
import re
import subprocess

import numpy as np
import pytest

import gnn_mlir
from conftest import find_tool
from gnn_mlir import Module, models, types
from support import graphs

SLOPE = 0.2


def _hub():
    """1,100 edges into node 0, more than a team of lanes walks alone; parallel edges
    and self loops; none into the last nodes, none of type 2."""
    rng = np.random.default_rng(5)
    src = np.concatenate([rng.integers(0, 45, 1100), [3, 3, 3, 7, 44], np.arange(9)])
    dst = np.concatenate([np.zeros(1100, int), [4, 4, 3, 7, 0], np.arange(9) + 20])
    return gnn_mlir.Graph(src, dst, 45, num_edge_types=4,
                          edge_type=rng.choice([0, 1, 3], len(src)))


GRAPHS = {"hub": _hub, "random": lambda: graphs.random_graph(23, 90, 2, 3, seed=8),
          "no-edges": graphs.ODD["no-edges"], "one-node": graphs.ODD["rows-1"]}


def _program(graph, kind, heads, features):
    module = Module()
    g = module.graph_like("g", graph)
    f = module.function("f")
    rows = g.rows("node", heads, features)
    if kind == "gatv2":
        value, target = f.input("value", rows), f.input("target", rows)
        both = f.apply("add", "edge", value, target, "src", "dst")
        score = f.dot(f.activation("leaky_relu", both, alpha=SLOPE),
                      f.input("att", types.weight(heads, features)))
    elif kind == "gat":
        left, right = (f.input(n, g.rows("node", heads)) for n in ("left", "right"))
        value = f.input("value", rows)
        score = f.activation("leaky_relu", f.apply("add", "edge", left, right, "src", "dst"),
                             alpha=SLOPE)
    else:
        query, key, value = (f.input(n, rows) for n in ("query", "key", "value"))
        score = f.sddmm("edge", query, key, "dst", "src") * features ** -0.5
        if kind == "prior":
            score = f.apply("mul", "edge", score,
                            f.input("prior", g.rows("edge_type", heads)))
    softmax = f.edge_softmax(score, over="dst")
    f.output("out", f.spmm("mul", "sum", "node", softmax, value, rhs_via="src",
                           via="dst"))
    return f


# Nodes, edges, sum of squares of degrees and highest degree of large graphs.
LARGE = {"reddit": (232_965, 114_615_892, 172_500_000_000, 21_657),
         "proteins": (132_534, 79_122_504, 142_000_000_000, 7_750),
         "products": (2_449_029, 123_718_280, 23_500_000_000, 17_481)}


def _schedule(text, *options):
    """The backward pass of a program with one function, with the schedules of its kernels."""
    begin = re.search(r"@\w+\(", text[text.index("func.func"):]).start() + text.index("func.func")
    end = text.index(" {\n", begin)
    made = subprocess.run(
        [find_tool("gnn-opt"), "-", "--gnn-attach-target=chip=h100", "--gnn-graph-pipeline",
         "--gnn-tile-pipeline=" + " ".join(options), "--gnn-schedule-pipeline"],
        input=text[:end] + " attributes {gnn.gradients}" + text[end:], text=True,
        capture_output=True, check=True).stdout
    return made[made.index("_backward("):]


def _backward(kind, heads, features, name, *options):
    """The gradient of an attention on a large graph. Ranges of sources make walks of
    pairs of the same walks."""
    f = _program(GRAPHS["random"](), kind, heads, features)
    nodes, edges, squares, longest = LARGE[name]
    statistics = (
        f"#gnn.stats<src_nodes = {nodes}, dst_nodes = {nodes}, edges = {edges}, "
        f"type_edges = [{edges}], src_pairs = [{nodes}], dst_pairs = [{nodes}], "
        f"in_degree_squares = {squares}, in_degree_max = {longest}, "
        f"out_degree_squares = {squares}, out_degree_max = {longest}, "
        f"src_pair_max = [{longest}], dst_pair_max = [{longest}]>")
    return _schedule(re.sub(
        r"gnn.graph @g .*", "gnn.graph @g square {node_types = 1, edge_types = 1, "
        f"stats = {statistics}}}", f.module.text()), "source-shards=0", *options)


def _walks(backward, heads):
    """(groups, bytes stored for an edge) of each kernel that goes through edges."""
    found = []
    for groups, elements, outputs in re.findall(
            r"traverse @g <(edge[.\w]*|[^,]+)(, edge\.\w+)?[^>]*>.*? outs\(.*?\) "
            r"at \[([^]]*)\] (?:parts.*?)?schedule", backward):
        if elements or re.fullmatch(r"edge(\.\w+)?", groups):
            anchor = "element" if elements else "group"
            stored = re.findall(rf"at<{anchor}[^>]*>(?=,|$)", outputs.replace("->", "to"))
            found.append((groups, 4 * heads * len(stored)))
    return found


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("heads, features", [(1, 64), (4, 64), (8, 16)])
def test_walks_of_gatv2(compiler, name, heads, features):
    """Two, and nothing is stored for an edge, nor kept for one in the workspace."""
    backward = _backward("gatv2", heads, features, name)
    assert _walks(backward, heads) == [("dst", 0), ("src", 0)]
    assert "count edge" not in backward
    assert backward.count("row_walk = by_edges") == 2


@pytest.mark.parametrize("name", ["reddit", "products"])
@pytest.mark.parametrize("kind", ["dot", "gat"])
def test_walks_of_scores(compiler, name, kind):
    """Each walk computes the scores, or one stores two numbers of an edge for the other one.
    Where sources are near, those of additive attention are computed apart: they read two numbers,
    and the walks that read theirs gather a row each."""
    each = [("dst", 0), ("src", 0)]
    expected = [("dst", 8), *each] if (kind, name) == ("gat", "products") else each
    assert _walks(_backward(kind, 1, 64, name), 1) == expected
    assert _walks(_backward(kind, 1, 64, name, "edge-numbers=1"), 1) == [("dst", 8), ("src", 0)]
    assert _walks(_backward(kind, 1, 64, name, "edge-numbers=2"), 1) == [("dst", 0), ("src", 0)]
    apart = _walks(_backward(kind, 1, 64, name, "edge-numbers=0"), 1)
    assert len(apart) == 3 and sum(stored for _, stored in apart) == 8


def _relational(model, heads, name):
    """The walks of edges in the backward pass of a layer, but for sums over
    types."""
    folder = pathlib.Path(__file__).resolve().parent / "decisions"
    form = "typed" if model == "rgat" else "refined"
    graph = json.loads((folder / "statistics.json").read_text())[name][form]
    program = (models.rgat(graph["edge_types"], (64, 64)) if model == "rgat" else
               models.hgt(graph["node_types"], graph["edge_types"], (64, 64), heads=heads,
                          schema=graph["schema"]))
    text = re.sub(r"(?m)^(gnn\.graph @\w+ \w+ \{.*)\}$",
                  lambda m: f"{m[1]}, stats = {graph['stats']}}}", program.text())
    return [(groups, stored) for groups, stored in _walks(_schedule(text), heads)
            if not groups.startswith(("tiles", "long_tiles", "edge_type"))]


@pytest.mark.parametrize("name, stored", [("fb15k237", 4), ("wordnet30", 4),
                                          ("debian-bookworm", 4)])
def test_walks_of_rgat(compiler, name, stored):
    """One walk gathers rows, the gradient of the result, and stores the gradient of each
    score, which is all that the other one reads. On fb15k237, where an H200 takes 0.57 ms either
    way, both might compute it."""
    assert _relational("rgat", 1, name) == [("src_pair", stored), ("dst_pair", 0)]


@pytest.mark.parametrize("name, walks", [
    ("wordnet30", [("src_pair", 32), ("dst", 0)]),
    ("soc-epinions", [("src_pair", 32), ("dst", 0)])])
def test_walks_of_hgt(compiler, name, walks):
    """Two, where three read the same rows."""
    assert _relational("hgt", 4, name) == walks


@pytest.mark.parametrize("kind", ["dot", "gatv2", "prior"])
def test_no_kernel_of_edges(compiler, kind):
    """Values of an edge are computed in a walk: rows are neither short nor long."""
    graph = GRAPHS["random"]()
    f = _program(graph, kind, 1, 64)
    text = re.sub(r"(gnn.graph @g .*)}", rf"\1, stats = {graph.stats()}}}",
                  f.module.text())
    begin = text.index("@f(")
    end = text.index(" {\n", begin)
    asked = text[:end] + " attributes {gnn.gradients}" + text[end:]
    made = subprocess.run(
        [find_tool("gnn-opt"), "-", "--gnn-graph-pipeline", "--gnn-tile-pipeline"],
        input=asked, text=True, capture_output=True, check=True).stdout
    backward = made[made.index("@f_backward"):]
    assert backward.count("traverse @g <dst, edge.in_rows") == 1
    assert "traverse @g <edge.in_rows" not in backward
