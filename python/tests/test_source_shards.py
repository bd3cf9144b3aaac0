# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walks over ranges of sources: the graphs whose edge types these are, held against their
definition, and every reduction and form against NumPy in
float64."""

import numpy as np
import pytest

import gnn_mlir

SOFTMAX = """%p = arith.mulf %x, %q : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    %one = arith.constant 1.0 : f32
    %m, %z, %t = gnn_tile.softmax_sum %s, %one, %x : f32
    %o = arith.divf %t, %z : f32
    %n = gnn_tile.size : f32
    %zero = arith.constant 0.0 : f32
    %any = arith.cmpf ogt, %n, %zero : f32
    %y = arith.select %any, %o, %zero : f32"""
BODIES = {
    "softmax": SOFTMAX,
    "sum": "%w = arith.mulf %x, %e : f32\n    %y = gnn_tile.reduce sum [element] %w : f32",
    "mean": "%y = gnn_tile.reduce mean [element] %x : f32",
    "maximum": "%w = arith.mulf %x, %e : f32\n    %y = gnn_tile.reduce max [element] %w : f32",
}
PROGRAM = """
gnn.graph @g {kind} {{node_types = 1, edge_types = 1}}
{looped}
func.func @f(%a: tensor<?x5xf32> {{gnn.rows = #gnn.rows<@g, {sources}>}},
             %b: tensor<?x5xf32> {{gnn.rows = #gnn.rows<@g, {destinations}>}},
             %c: tensor<?xf32> {{gnn.rows = #gnn.rows<@g, {weights}>}})
    -> (tensor<?x5xf32> {{gnn.rows = #gnn.rows<@g, {groups}>}}) {{
  %rows = gnn_tile.count @{walked} count {group} : index
  %empty = tensor.empty(%rows) : tensor<?x5xf32>
  %r = gnn_tile.traverse @{walked} <{group}, {order}, features = 5>
      ins(%a, %b, %c : tensor<?x5xf32>, tensor<?x5xf32>, tensor<?xf32>)
      at [#gnn_tile.at<{at_x} : feature>, #gnn_tile.at<{at_q} : feature>, {weight}]
      outs(%empty : tensor<?x5xf32>) at [#gnn_tile.at<group : feature>] {schedule} {{
  ^bb0({gathered}: f32, {own}: f32, %e: f32):
    {body}
    gnn_tile.yield %y : f32
  }} -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}}"""
WAYS = {
    "gpu": {}, "by edges": {"passes": {"edge-walks": 1}},
    "in pieces": {"passes": {"long-rows": 8}}, "cpu": {"target": "cpu"},
    **{form: {"stop_at": form} for form in ("structured", "scheduled", "blocked", "loops")},
}


def program(body, kind="square", end="src", loops=""):
    square, of_src = kind == "square", end == "src"
    looped = f"gnn.graph @h square of @g loops {loops} {{node_types = 1, edge_types = 1}}"
    return PROGRAM.format(
        kind=kind, looped=looped if loops else "", walked="h" if loops else "g",
        sources="node" if square else "src", destinations="node" if square else "dst",
        groups="node" if square else "dst" if of_src else "src", schedule="",
        group="dst" if of_src else "src", order="edge.in_rows" if of_src else "edge.out_rows",
        at_x="element -> src" if of_src else "group",
        at_q="group" if of_src else "element -> dst",
        gathered="%x" if of_src else "%q", own="%q" if of_src else "%x",
        weight="#gnn_tile.at<group>" if loops else "#gnn_tile.at<element -> edge>",
        weights="node" if loops else "edge", body=body)


def graph_of(kind="square", nodes=37, others=23, edges=900):
    """Multi-edges, self loops, a hub, nodes without edges; sources of few ranges alone."""
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, nodes - 3, edges), rng.integers(2, others, edges)
    dst[:200] = 7
    src[dst == 9] = 1  # All in one range.
    if kind == "square":
        return gnn_mlir.Graph(src.astype(np.int32), dst.astype(np.int32), nodes)
    return gnn_mlir.Graph(src.astype(np.int32), dst.astype(np.int32),
                          num_src_nodes=nodes, num_dst_nodes=others)


def expected(graph, name, inputs, end="src"):
    x, q, e = (value.astype(np.float64) for value in inputs.values())
    src, dst = graph.edge_src, graph.edge_dst
    if end == "dst":
        x, q, src, dst = q, x, dst, src
    out = np.zeros((len(q), 5))
    for node in range(len(q)):
        own = dst == node
        if not own.any():
            continue
        rows = x[src[own]]
        if name == "softmax":
            score = rows @ q[node]
            power = np.exp(score - score.max())
            out[node] = (power[:, None] * rows).sum(0) / power.sum()
        elif name == "mean":
            out[node] = rows.mean(0)
        else:
            rows = rows * e[own][:, None]
            out[node] = rows.sum(0) if name == "sum" else rows.max(0)
    return out


def inputs_of(graph, seed=3):
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in (
        ("arg0", (graph.num_src_nodes, 5)), ("arg1", (graph.num_dst_nodes, 5)),
        ("arg2", graph.num_edges))}


def run(text, graph, **options):
    options = {"target": "emulator", **options}
    options["passes"] = {"source-shards": 3, **options.get("passes", {})}
    package = gnn_mlir.compile(text, **options)
    bound = package.bind(graph)
    return package, bound


@pytest.mark.parametrize("kind, end", [("square", "src"), ("square", "dst"),
                                       ("bipartite", "src")])
@pytest.mark.parametrize("name", list(BODIES))
@pytest.mark.parametrize("way", list(WAYS))
def test_reductions_are_as_numpy(way, name, kind, end):
    graph = graph_of(kind)
    package, bound = run(program(BODIES[name], kind, end), graph, **WAYS[way])
    inputs = inputs_of(graph)
    found, again = bound(inputs), bound(inputs)
    assert np.array_equal(found, again), "other bits in a second run"
    np.testing.assert_allclose(found, expected(graph, name, inputs, end), rtol=1e-5, atol=1e-5)
    derived, = package.package.plan()["functions"][0]["derived"]
    assert (derived["shards"], derived["shard_end"]) == (3, end)


@pytest.mark.parametrize("loops", ["add type 0", "replace type 0", "remaining type 0", "remove"])
def test_graphs_with_other_self_loops_are_cut(loops):
    graph = graph_of()
    own = graph.edge_src == graph.edge_dst
    assert own.any() and not own.all()
    mode = loops.split()[0]
    changed = gnn_mlir.graph_functions.add_self_loops(graph, mode)
    inputs = inputs_of(graph)
    inputs["arg2"] = inputs["arg2"][:graph.num_nodes]
    _, bound = run(program(BODIES["softmax"], loops=loops), graph)
    np.testing.assert_allclose(bound(inputs), expected(changed, "softmax", inputs),
                               rtol=1e-5, atol=1e-5)


def test_shards_are_chosen_by_how_near_sources_are():
    """A table of 134 MB, whose rows are read by destinations beside them or anywhere."""
    nodes, edges = 1 << 19, 1 << 27
    counts = {"src_nodes": nodes, "dst_nodes": nodes, "edges": edges, "type_edges": [edges],
              "src_pairs": [nodes], "dst_pairs": [nodes], "in_degree_max": 4000,
              "out_degree_max": 4000}
    for near, found in ((0, True), (edges * 9 // 10, False)):
        stats = gnn_mlir.types.stats_text({**counts, "near_edges": [near] * 3}.items())
        text = program(BODIES["softmax"].replace("x5x", "x64x")).replace(
            "edge_types = 1}", f"edge_types = 1, stats = {stats}}}").replace(
            "x5x", "x64x").replace("features = 5", "features = 64")
        package = gnn_mlir.compile(text, target="cuda", chip="sm_90").package
        assert bool(package.plan()["functions"][0].get("derived")) == found
