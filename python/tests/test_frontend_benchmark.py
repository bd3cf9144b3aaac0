# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark of the front end: what it takes of a graph, what it compares, and cells
that fail. Only a GPU gives times that say anything."""

import json
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from gnn_mlir.testing import graphs  # noqa: E402

TINY = ["--device", "cpu", "--tiny", "--seconds", "0.02", "--no-inductor"]


@pytest.fixture
def frontend(benchmarks):
    return benchmarks("frontend")


def test_dicts_have_all_edges(benchmarks):
    """Ends by node type are those of the graph, of the same features."""
    models = benchmarks("frontend_models")
    graph = graphs.random_graph(40, 200, 3, 4)
    kinds = models.Kinds(graph)
    rows = torch.arange(40.0)[:, None]
    x, edges = models.dicts(graph, kinds, rows)
    found = sorted((int(kind[1:]), x[s][i].item(), x[d][j].item())
                   for (s, kind, d), ends in edges.items() for i, j in ends.T.tolist())
    assert found == sorted(zip(graph.edge_type.tolist(), graph.edge_src.tolist(),
                               graph.edge_dst.tolist()))
    for name, part in x.items():
        types = graph.src_node_type[part.view(-1).long().numpy()]
        assert (types == int(name[1:])).all() and (np.diff(part.view(-1)) > 0).all()


def test_cells_on_the_cpu(frontend, compiler, tmp_path):
    graphs.random_graph(60, 200, 2, 3).save(tmp_path / "small.npz")
    frontend.main([*TINY, "--graphs", "small", "--data", str(tmp_path), "--models",
                   "gcn", "--output", str(tmp_path / "found")])
    rows = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert [(row["model"], row["mode"]) for row in rows] == [
        ("gcn", "inference"), ("gcn", "training")]
    for row in rows:
        ours, eager = row["ways"]["ours"], row["ways"]["eager"]
        assert ours["error"] < 1e-5 and ours["checked"] and ours["compilations"] == 1
        assert 0 < ours["min_ms"] <= ours["ms"] < 1e3 * ours["first_s"]
        assert eager["ms"] > 0 and eager["host_us"] > 0 and row["source"] == "file"
    text = (tmp_path / "found.md").read_text()
    assert text.count("| small | gcn |") == 2 and "| training | homogeneous |" in text


def test_batches_on_the_cpu(frontend, compiler, tmp_path):
    """A graph with types is for the relational models alone."""
    frontend.main([*TINY, "--graphs", "mag", "--batches", "3", "--seeds", "9",
                   "--models", "rgcn,sage", "--fanouts", "4,3", "--output",
                   str(tmp_path / "found")])
    rows = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert [(row["graph"], row["model"]) for row in rows] == [("mag", "rgcn")]
    for row in rows:
        assert row["ways"]["ours"]["error"] < 1e-5 and row["seeds"] == 9
        assert row["ways"]["ours"]["compilations"] == 1
        assert row["ways"]["ours"]["rounds"] >= 3


@pytest.mark.parametrize("error, said", [
    (torch.OutOfMemoryError("CUDA out of memory."), "oom"),
    (RuntimeError("no room\nat all"), "RuntimeError: no room")])
def test_cells_that_fail_stop_no_others(error, said, frontend, tmp_path, monkeypatch):
    """Ours fails; and where it gives other numbers there are no times of it."""
    def fails(model):
        def call(*inputs):
            raise error
        return call
    arguments = [*TINY, "--graphs", "aifb", "--models", "sage,gcn", "--modes",
                 "inference", "--output", str(tmp_path / "found")]
    monkeypatch.setattr(frontend.capture, "compile_module", fails)
    frontend.main(arguments)
    rows = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert [row["ways"]["ours"]["skipped"] for row in rows] == [said] * 2
    assert all(row["ways"]["eager"]["ms"] > 0 for row in rows)
    monkeypatch.setattr(frontend.capture, "compile_module",
                        lambda model: lambda *inputs: model(*inputs) * 1.01)
    frontend.main(arguments)
    result = json.loads((tmp_path / "found.json").read_text())
    for row in result["rows"]:
        assert row["ways"]["ours"]["skipped"] == "wrong: 1.0e-02 from eager"
        assert "ms" not in row["ways"]["ours"]
    assert not frontend.means(result["rows"])


def test_errors_of_outputs_and_gradients(frontend):
    value = torch.ones(3)
    expected = {"out": value, "d w": 2 * value}
    assert frontend.worst_error(expected, expected) == 0
    assert frontend.worst_error({**expected, "d v": 0 * value}, expected) == 0
    assert frontend.worst_error({**expected, "d v": value}, expected) > 1
    assert frontend.worst_error({"out": value}, expected) == 1
    assert frontend.worst_error({"d w": 2 * value}, expected) == math.inf
    assert frontend.worst_error({**expected, "out": value * math.nan},
                                expected) == math.inf


def test_first_calls_have_a_limit(frontend):
    with pytest.raises(frontend.TooLong, match="first call over 0.01 s"):
        with frontend.at_most(0.01):
            while True:
                pass


def test_what_is_not_measured_is_said(frontend, tmp_path, capsys):
    arguments = [*TINY, "--graphs", "aifb", "--modes", "inference", "--output",
                 str(tmp_path / "found")]
    frontend.main([*arguments, "--models", "hetero-sage", "--relations", "64"])
    frontend.main([*arguments, "--models", "gcn", "--minutes", "0"])
    said = capsys.readouterr().out
    assert "104 relations, over 64" in said and "no time left" in said
    with pytest.raises(SystemExit):
        frontend.parse([*TINY, "--models", "gin"])
    assert "expected some of rgcn, " in capsys.readouterr().err


def test_calls_on_the_cpu(benchmarks, capsys):
    """A model whose kernels are left out is called and differentiated all the same."""
    benchmarks("calls").main(["--models", "sage", "--relations", "1", "--seconds", "0"])
    *_, line = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    name, *times = [text.strip() for text in line.strip("| ").split("|")]
    assert name == "sage" and len(times) == 7 and all(float(text) > 0 for text in times)
