# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of some edge types of another: declared, given with their parent, and
computed on."""

import subprocess

import numpy as np
import pytest
from conftest import find_tool

import gnn_mlir
from gnn_mlir import Module, reference
from gnn_mlir.graph_functions import select_edge_types
from support import cases, graphs
from support.graphs import random_graph


def split_rgcn(graph, lists, features=6):
    """sum over edges e = (u, v) of n[e] x[u] W[type of e], one product for each of
    the lists of types; a last output is one product for all."""
    module = Module()
    g = module.graph_like("g", graph)
    f = module.function("split")
    x, n = f.input("x", g.rows(g.src, features)), f.input("n", g.rows("edge"))
    w = f.input("w", g.rows("edge_type", features, 5))

    def layer(x, w, n, dst):
        pairs = f.typed_linear(f.gather(x, "src_pair"), w)
        return f.spmm("mul", "sum", dst, pairs, n, via="dst")

    total = None
    for i, types in enumerate(lists):
        s = module.derived_graph(f"s{i}", g, types)
        part = f.rebind_rows(layer(
            f.rebind_rows(x, s, s.src), f.restrict_rows(w, s),
            f.restrict_rows(n, s), s.dst), g, g.dst)
        total = part if total is None else total + part
    f.output("split", total)
    f.output("whole", layer(x, w, n, g.dst))
    return f


def test_declarations_and_their_text(gnn_opt):
    f = split_rgcn(random_graph(9, 30, edge_types=3), [[0, 2], [1]])
    text = f.module.text()
    assert "gnn.graph @s0 square of @g types [0, 2] {node_types" in text
    result = subprocess.run([gnn_opt, "-", "--gnn-tile-pipeline"], input=text,
                            text=True, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    assert list(f.graphs()) == ["g"]


@pytest.mark.parametrize("types, message", [
    ([3], "expected edge types that ascend, under 3, got 3"),
    ([1, 0], "expected edge types that ascend, under 3, got 1, 0"),
    ([1, 1], "expected edge types that ascend"), ([-1], "expected edge types")])
def test_lists_that_are_refused(types, message):
    module = Module()
    g = module.graph("g", edge_types=3)
    with pytest.raises(ValueError, match=message):
        module.derived_graph("s", g, types)
    with pytest.raises(ValueError, match="expected edge types that ascend"):
        select_edge_types(random_graph(4, 5, edge_types=3), types)


def test_rows_that_are_refused():
    module = Module()
    g = module.graph("g", edge_types=3)
    s = module.derived_graph("s", g, [1])
    f = module.function("f")
    with pytest.raises(ValueError, match="expected a parent that is not derived"):
        module.derived_graph("t", s, [0])
    with pytest.raises(ValueError, match="expected a graph derived from s, got g"):
        f.restrict_rows(f.input("e", s.rows("edge")), g)
    with pytest.raises(ValueError, match="expected rows of edge, edge_type"):
        f.restrict_rows(f.input("x", g.rows("node")), s)


@pytest.mark.parametrize("name", [*graphs.ODD, *graphs.BIPARTITE])
def test_rows_are_those_of_the_selected_edges(name):
    graph = graphs.named(name)
    for types in ([], [0], range(0, graph.num_edge_types, 2)):
        types = [t for t in types if t < graph.num_edge_types]
        some = select_edge_types(graph, types)
        kept = [e for e in range(graph.num_edges)
                if graph.edge_type[e] in types] if graph.num_edges < 5000 else (
                    np.flatnonzero(np.isin(graph.edge_type, types)))
        for array in ("edge_src", "edge_dst"):
            np.testing.assert_array_equal(getattr(some, array),
                                          getattr(graph, array)[kept])
        np.testing.assert_array_equal(
            np.asarray(types, int)[some.edge_type], graph.edge_type[kept])
        # Gathered before or after, rows are the same.
        for space in ("edge", "src_pair", "dst_pair"):
            for source, via in ((graph_end(graph, "src"), "src"),
                                ("edge_type", None)):
                if space == "dst_pair" and via:
                    source, via = graph_end(graph, "dst"), "dst"
                x = np.random.default_rng(0).random(graph.count(source))
                y = x if via else reference.restrict_rows(graph, x, source, types)
                ambiguous = via if space == "edge" and graph.square else None
                before = reference.restrict_rows(graph, reference.gather(
                    graph, x, source, space, ambiguous), space, types)
                after = reference.gather(some, y, source, space, ambiguous)
                np.testing.assert_array_equal(before, after)


def graph_end(graph, end):
    return "node" if graph.square else end


@pytest.mark.parametrize("name", [*graphs.ODD, *graphs.BIPARTITE])
def test_a_split_product_is_the_whole(name, run):
    graph = graphs.named(name)
    kinds = range(graph.num_edge_types)
    for lists in ([kinds[::2], kinds[1::2]], [kinds, []]):
        f = split_rgcn(graph, [list(types) for types in lists])
        bound = f.bind(graph)
        program = cases.Program(f, bound, cases.make_inputs(f, bound, "dyadic"))
        cases.check(program, run)
        out = f.evaluate(graph, program.inputs)
        np.testing.assert_allclose(out["split"], out["whole"], atol=1e-12)


def test_the_parent_alone_is_given(compiler):
    graph = random_graph(50, 400, 2, 5, seed=3)
    f = split_rgcn(graph, [[0, 3], [1, 2, 4]])
    compiled = gnn_mlir.compile(f)
    assert compiled.graph_names == ["g"]
    inputs = f.random_inputs(graph)
    out = compiled(graph, inputs)
    np.testing.assert_allclose(out["split"], f.evaluate(graph, inputs)["split"],
                               rtol=1e-4, atol=1e-5)


def test_gnn_run_is_given_the_parent_alone(tmp_path):
    tool = find_tool("gnn-run")
    if tool is None:
        pytest.skip("gnn-run is not built")
    graph = random_graph(50, 400, 2, 5, seed=4)
    f = split_rgcn(graph, [[1, 4], [0, 2, 3]])
    (tmp_path / "split.mlir").write_text(f.module.text())
    graph.save(tmp_path / "g.npz")
    inputs = f.random_inputs(graph)
    command = [tool, "split.mlir", "--function", "split", "--graph", "g.npz",
               "--output", "out", "--report"]
    for name, array in inputs.items():
        np.save(tmp_path / f"{name}.npy", array)
        command += ["--input", f"{name}={name}.npy"]
    result = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True,
                            check=False)
    assert result.returncode == 0, result.stderr
    np.testing.assert_allclose(np.load(tmp_path / "out" / "split.npy"),
                               f.evaluate(graph, inputs)["split"],
                               rtol=1e-4, atol=1e-5)


def test_a_schema_that_does_not_hold(compiler):
    module = Module()
    g = module.graph("g", node_types=2, edge_types=2)
    s = module.derived_graph("s", g, [1])
    text = f"""
gnn.graph @g square {{node_types = 2, edge_types = 2}}
{s.text().replace("}", ", schema = [[1, -1]]}")}
func.func @f(%x: tensor<?x4xf32, #gnn.rows<@s, edge>>) -> tensor<?x4xf32, #gnn.rows<@s, node>> {{
  %y = gnn.aggregate sum %x via dst : tensor<?x4xf32, #gnn.rows<@s, edge>> -> tensor<?x4xf32, #gnn.rows<@s, node>>
  return %y : tensor<?x4xf32, #gnn.rows<@s, node>>
}}
"""
    graph = gnn_mlir.Graph([0, 1, 0], [1, 0, 1], 2, node_type=[0, 1],
                           edge_type=[0, 1, 1])
    compiled = gnn_mlir.compile(text)
    with pytest.raises(gnn_mlir.capi.GNNError, match="graph 's': edge 1 of edge type 0: "
                       "expected a source of node type 1, got 0"):
        compiled.bind(graph)
    right = gnn_mlir.Graph([0, 1, 1], [1, 0, 1], 2, node_type=[0, 1],
                           edge_type=[0, 1, 1])
    out = compiled(right, {"arg0": np.ones((2, 4), np.float32)})
    np.testing.assert_array_equal(out, np.ones((2, 4)))
