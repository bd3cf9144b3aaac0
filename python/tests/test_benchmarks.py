# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmarks' own code: made graphs, and scripts on tiny ones. Only a GPU gives
times."""

import json
import pathlib
import shutil
import sys

import numpy as np
import pytest

from conftest import ROOT
from support import graphs


@pytest.mark.slow
@pytest.mark.parametrize("name, scale, share", [
    ("am", 0.01, 0.57), ("biokg", 0.02, 0.24), ("mag", 0.01, 0.173),
    ("wikikg2", 0.005, 0.5), ("aifb", 1, 0.505), ("mutag", 1, 0.508),
    ("bgs", 1, 0.463), ("fb15k", 1, 0.268)])
def test_made_graphs_have_their_counts(benchmarks, name, scale, share):
    synthetic = benchmarks("synthetic")
    graph = synthetic.graph(name, scale)
    stats = graph.statistics()
    if name != "mag":
        nodes, kinds, edges, relations, _ = synthetic._COUNTS[name]
        assert graph.num_nodes == int(nodes * scale)
        assert graph.num_edges == int(edges * scale)
        assert (graph.num_node_types, graph.num_edge_types) == (kinds, relations)
    assert sum(stats["src_pairs"]) / graph.num_edges == pytest.approx(share, 0.05)
    again = synthetic.graph(name, scale)
    assert np.array_equal(graph.edge_src, again.edge_src)
    assert (np.diff(graph.edge_type) < 0).any()  # Edges come in no order.


def test_made_graphs_are_named(benchmarks):
    with pytest.raises(ValueError, match="expected one of aifb, .*got 'reddit'"):
        benchmarks("synthetic").graph("reddit")


def opened_libraries():
    """Which of the files that this process has open are libraries of this project."""
    lines = pathlib.Path("/proc/self/maps").read_text().splitlines()
    # addresses, permissions, offset, device, file's number, path
    files = [line.split(maxsplit=5) for line in lines]
    return {(file[3], file[4]) for file in files if "/libGNN" in file[-1]}


@pytest.mark.slow
def test_versions_on_the_emulator(benchmarks, compiler, tmp_path):
    """This version beside itself: other libraries, the same results."""
    versions = benchmarks("versions")
    shutil.copytree(ROOT / "python/gnn_mlir", tmp_path / "gnn_mlir_other")
    compiler.has_compiler()  # opens the libraries
    own = opened_libraries()
    library = pathlib.Path(compiler.find_library())
    shared = library.with_name("libGNNCompiler.so")
    copied = [library]
    if shared.exists():  # A static build has its compiler in libGNN.so.
        copied.append(shared.resolve().with_suffix(""))  # by its soname
    for path in copied:
        shutil.copy(path, tmp_path)
    graphs.random_graph(20, 60, 2, 3).save(tmp_path / "small.npz")

    def compared(name, graph, models, features):
        versions.main(["--other", str(tmp_path), "--graphs", graph, "--models", models,
                       "--features", features, "--device", "emulator", "--output",
                       str(tmp_path / f"{name}.json")])
        return json.loads((tmp_path / f"{name}.json").read_text())["cases"]

    try:
        cases = compared("layers", f"{tmp_path / 'small.npz'}", "rgcn,hgt,gat", "8")
        sums = compared("sums", "products:0.00001", "sum,weighted-sum,dot", "8,3")
    finally:
        for name in [n for n in sys.modules if n.startswith("gnn_mlir_other")]:
            del sys.modules[name]
        sys.path.remove(str(tmp_path))
    assert [case["layer"] for case in cases] == ["rgcn", "hgt", "gat"]
    assert [(case["layer"], case["features"]) for case in sums] == [
        (layer, f) for layer in ("sum", "weighted-sum", "dot") for f in (8, 3)]
    for case in cases + sums:
        assert case["error"] == 0
        assert case["kernels"]["this"] == case["kernels"]["other"] > 0
    assert len(opened_libraries() - own) == len(copied)
    assert "| small | hgt | 8 |" in (tmp_path / "layers.md").read_text()
