# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statistics of a graph: the library counts what NumPy counts, `gnn.graph` takes
what is printed, and a program is compiled with those of its graph."""

import subprocess

import numpy as np
import pytest

import gnn_mlir
from conftest import find_tool
from gnn_mlir import Graph, Module, models, types
from gnn_mlir.graph_functions import select_edge_types
from naive import graphs

ODD = {
    **graphs(),
    "nothing": Graph([], [], 0, num_edge_types=0, num_node_types=0),
    "far apart": Graph([0, 300_000, 4096, 40_000, 40_001, 7], [4096, 0, 0, 7_232, 7_232, 7],
                       300_001),
    "isolated nodes": Graph([], [], 5, num_edge_types=2),
    "one edge many times": Graph([2] * 9, [1] * 9, 4, num_edge_types=3,
                                 edge_type=[1] * 9),
    "users and items": Graph([0, 0, 6], [1, 1, 0], num_src_nodes=7,
                             num_dst_nodes=2, edge_type=[2, 0, 2],
                             num_edge_types=4),
    "no destinations": Graph([], [], num_src_nodes=3, num_dst_nodes=0),
}


def counted(graph):
    """The fields of `#gnn.stats`, by NumPy."""
    def pairs_by_type(end):
        return np.bincount(graph.pairs(end)[0],
                           minlength=graph.num_edge_types).tolist()

    def moments(end, count):
        degree = np.bincount(graph.ends(end), minlength=count)
        return int((degree.astype(np.int64) ** 2).sum()), int(
            degree.max(initial=0))

    def longest_by_type(end):
        types, _, pair = graph.pairs(end)
        longest = np.zeros(graph.num_edge_types, np.int64)
        np.maximum.at(longest, types,
                      np.bincount(pair, minlength=len(types)))
        return longest.tolist()

    apart = np.abs(graph.edge_src.astype(np.int64) - graph.edge_dst)
    in_squares, in_max = moments("dst", graph.num_dst_nodes)
    out_squares, out_max = moments("src", graph.num_src_nodes)
    return {
        "src_nodes": graph.num_src_nodes, "dst_nodes": graph.num_dst_nodes,
        "edges": graph.num_edges,
        "type_edges": np.bincount(graph.edge_type,
                                  minlength=graph.num_edge_types).tolist(),
        "src_pairs": pairs_by_type("src"), "dst_pairs": pairs_by_type("dst"),
        "in_degree_squares": in_squares, "in_degree_max": in_max,
        "out_degree_squares": out_squares, "out_degree_max": out_max,
        "src_pair_max": longest_by_type("src"),
        "dst_pair_max": longest_by_type("dst"),
        "near_edges": [int((apart <= distance).sum()) for distance in (4096, 32768, 262144)]
        if graph.square else [],
    }


@pytest.mark.parametrize("name", ODD)
def test_the_library_counts_what_numpy_counts(capi, name):
    graph = ODD[name]
    assert graph.statistics() == counted(graph)
    assert graph.stats() == types.stats_text(counted(graph).items())


def test_a_declaration_takes_them(gnn_opt):
    module = Module()
    for i, graph in enumerate(ODD.values()):
        module.graph_like(f"g{i}", graph, stats=True)
    result = subprocess.run([gnn_opt, "-"], input=module.text(), text=True,
                            capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("stats = #stats") == len(ODD)


@pytest.fixture(name="gnn_run", scope="module")
def gnn_run_fixture(gnn_opt):
    del gnn_opt  # skips where nothing is built
    path = find_tool("gnn-run")
    if path is None:
        pytest.skip("gnn-run is not built")
    return path


def run(*command):
    return subprocess.run(list(map(str, command)), text=True, check=False,
                          capture_output=True, timeout=120)


def test_gnn_run_prints_them(gnn_run, tmp_path):
    graph = Graph([0, 1, 2, 2], [1, 2, 0, 1], 4, edge_type=[0, 1, 1, 0])
    graph.save(tmp_path / "g.npz")
    result = run(gnn_run, "--stats", tmp_path / "g.npz")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == graph.stats() + "\n"
    more = run(gnn_run, "--stats", tmp_path / "g.npz", "--add-inverses")
    assert more.stdout == gnn_mlir.add_inverses(graph).stats() + "\n"


def test_gnn_run_says_what_it_expects(gnn_run, tmp_path):
    result = run(gnn_run, "--stats", tmp_path / "none.npz")
    assert result.returncode == 1 and "none.npz" in result.stderr
    result = run(gnn_run)
    assert result.returncode == 1
    assert result.stderr.count("error:") == 1
    assert "expected FILE.mlir, or --stats" in result.stderr


def graph_of(types=2, seed=1):
    rng = np.random.default_rng(seed)
    return Graph(*rng.integers(0, 9, (2, 30)), 9, num_edge_types=types,
                 edge_type=rng.integers(0, types, 30))


def first_phase(folder):
    return (folder / "1-graph.mlir").read_text()


def test_compile_attaches_them(compiler, tmp_path):
    graph = graph_of()
    layer = gnn_mlir.compile(models.rgcn(2, (4, 4)), graph=graph,
                             keep_phases=tmp_path / "with")
    assert graph.stats() in first_phase(tmp_path / "with")
    gnn_mlir.compile(models.rgcn(2, (4, 4)), keep_phases=tmp_path / "without")
    assert "gnn.stats" not in first_phase(tmp_path / "without")
    # They are no promise: it runs on other graphs.
    other = graph_of(seed=2)
    inputs = layer.source.random_inputs(other)
    np.testing.assert_allclose(layer(other, inputs), gnn_mlir.compile(
        models.rgcn(2, (4, 4)))(other, inputs), rtol=1e-5, atol=1e-5)


def test_a_declaration_keeps_its_own(compiler, tmp_path):
    module = Module()
    g = module.graph_like("g", graph_of(seed=1), stats=True)
    f = module.function("f")
    f.output("y", f.aggregate("sum", f.gather(f.input("x", g.rows("node", 4)),
                                              "edge", via="src"),
                              "node", via="dst"))
    gnn_mlir.compile(module, graph=graph_of(seed=2), keep_phases=tmp_path)
    assert graph_of(seed=1).stats() in first_phase(tmp_path)


def two_graphs():
    module = Module()
    g = module.graph("g")
    h = module.graph("h", edge_types=2)
    f = module.function("f")
    for graph in (g, h):
        f.output(f"y_{graph.name}", f.gather(
            f.input(f"x_{graph.name}", graph.rows("node", 4)), "edge", via="src"))
    return module


def test_graphs_by_name(compiler, tmp_path):
    gnn_mlir.compile(two_graphs(), graph={"h": graph_of()}, keep_phases=tmp_path)
    text = first_phase(tmp_path)
    assert graph_of().stats() in text and text.count("gnn.stats") == 1


REFUSED = {
    "graph 'g': expected 2 edge types, got 3":
        lambda: gnn_mlir.compile(models.rgcn(2, (4, 4)), graph=graph_of(3)),
    "graph 'g': expected 4 edge types, got 3; where a type does not occur, the Graph has to "
    "be told: num_edge_types=4":
        lambda: gnn_mlir.compile(models.rgcn(4, (4, 4)), graph=graph_of(3)),
    "graph 'g': expected 3 edge types, got 1; all edges of the graph are of type 0, as "
    "without edge_type. Only where that is meant, num_edge_types=3":
        lambda: gnn_mlir.compile(models.rgcn(3, (4, 4)), graph=graph_of(1)),
    "graph 'g': expected 1 edge type, got 3; gnn_mlir.merge_types(graph, "
    "node_types=False) is the graph without edge types":
        lambda: gnn_mlir.compile(models.sage((4, 4)), graph=graph_of(3)),
    "graph 'g': expected a square graph, got a bipartite one":
        lambda: gnn_mlir.compile(models.rgcn(2, (4, 4)), graph=ODD["no destinations"]),
    "graph: expected graphs g, h, got a Graph":
        lambda: gnn_mlir.compile(two_graphs(), graph=graph_of()),
    "expected a gnn.graph @k, got none":
        lambda: gnn_mlir.compile(two_graphs(), graph={"k": graph_of()}),
}


@pytest.mark.parametrize("message", REFUSED)
def test_one_clear_error(compiler, message):
    with pytest.raises(ValueError) as error:
        REFUSED[message]()
    lines = str(error.value).splitlines()
    assert sum("error" in line or message in line for line in lines) == 1
    assert any(line.endswith(message) for line in lines)


def test_what_is_no_graph(compiler):
    with pytest.raises(ValueError, match="expected a Graph, or a list or dict"):
        gnn_mlir.compile(models.rgcn(2, (4, 4)), graph=3)


def test_gnn_run_attaches_them(gnn_run, tmp_path):
    graph = graph_of()
    graph.save(tmp_path / "g.npz")
    (tmp_path / "layer.mlir").write_text(models.rgcn(2, (4, 4)).text())
    command = [gnn_run, tmp_path / "layer.mlir", "--function", "rgcn", "--weights",
               "random:1", "--phases", tmp_path / "phases"]
    result = run(*command, "--graph", tmp_path / "g.npz")
    assert result.returncode == 0, result.stderr
    assert graph.stats() in first_phase(tmp_path / "phases")
    graph_of(3).save(tmp_path / "h.npz")
    result = run(*command, "--graph", tmp_path / "h.npz")
    assert result.returncode == 1
    assert result.stderr.count("error:") == 1
    assert "graph 'g': expected 2 edge types, got 3" in result.stderr


def test_parts_take_those_of_their_parent(compiler):
    """A graph that is given with its parts: what is declared of the parent, of
    another graph, stands for the parts too."""
    del compiler  # skips where nothing is built
    graph = Graph([0, 1, 2], [1, 2, 0], 3, edge_type=[0, 1, 2], num_edge_types=3)
    other = Graph([0, 1], [1, 0], 4, edge_type=[0, 2], num_edge_types=3)
    module = Module()
    g = module.graph_like("g", other, True)
    h = module.derived_graph("h", g, (0, 2))
    f = module.function("f")
    f.output("out", f.aggregate("sum", f.input("x", h.rows("edge", 3)), "node", via="dst"))
    given = {"g": graph, "h": select_edge_types(graph, (0, 2))}
    for graphs in (given, {"g": graph}):
        gnn_mlir.compile(f, target="emulator", graph=graphs)


def test_many_sums_of_rows_are_weighed_at_once(compiler):
    """Each reads the one before twice: the ways through them are 2 ** 60."""
    del compiler  # skips where nothing is built
    graph = Graph([0, 1, 2], [1, 2, 0], 3)
    module = Module()
    g = module.graph_like("g", graph, True)
    f = module.function("f")
    x = f.gather(f.input("x", g.rows("node", 3)), "edge", via="src")
    x = f.typed_linear(x, f.input("w", g.rows("edge_type", 3, 3)))
    for _ in range(60):
        x = x + x
    f.output("out", x)
    assert "gnn-compact" in gnn_mlir.explain(f)
