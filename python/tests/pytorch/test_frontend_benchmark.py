# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark of the front end: what it takes of a graph, what it compares, and cells
that fail. Only a GPU gives times that say anything."""

import json
import math
import multiprocessing
import pathlib
import re
import time
import types
import xml.etree.ElementTree as xml

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from support import graphs  # noqa: E402

TINY = ["--device", "cpu", "--tiny", "--seconds", "0.02", "--no-inductor",
        "--first", "300"]


@pytest.fixture
def frontend(benchmarks):
    return benchmarks("frontend")


@pytest.fixture
def cells(benchmarks):
    return benchmarks("frontend_cells")


@pytest.fixture
def tables(benchmarks):
    return benchmarks("frontend_tables")


@pytest.mark.slow
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
        assert eager["ms"] > 0 and row["source"] == "file"
        # Steps of over 300 ms, as on a busy machine, are not timed again for the host.
        assert eager.get("host_us", 0) > 0 or eager["ms"] >= 300
    text = (tmp_path / "found.md").read_text()
    assert text.count("| small | gcn |") == 4 and "| training | homogeneous |" in text


@pytest.mark.slow
def test_slow_ways_have_committed_figures(frontend, compiler, tables, tmp_path):
    """They are compared with all the same."""
    graphs.random_graph(60, 200, 2, 3).save(tmp_path / "small.npz")
    arguments = [*TINY, "--graphs", "small", "--data", str(tmp_path), "--models", "gcn",
                 "--modes", "inference", "--output", str(tmp_path / "found")]
    frontend.main(arguments)
    before = json.loads((tmp_path / "found.json").read_text())
    eager = before["rows"][0]["ways"]["eager"]
    eager.update(ms=1234.5, slow=True)
    committed = tmp_path / "committed.json"
    committed.write_text(json.dumps(before))
    frontend.main([*arguments, "--committed", str(committed)])
    row, = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert row["ways"]["eager"] == {**eager, "committed": True}
    assert row["ways"]["ours"]["error"] < 1e-5 and "committed" not in row["ways"]["ours"]
    assert tables.time(row["ways"]["eager"]) == "(1234.500)*"
    before["about"]["device"] = "another"
    committed.write_text(json.dumps(before))
    with pytest.raises(ValueError, match="expected figures of CPU, .* got those of another"):
        frontend.main([*arguments, "--committed", str(committed)])


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("error, said", [
    (torch.OutOfMemoryError("CUDA out of memory."), "oom"),
    (RuntimeError("no room\nat all"), "RuntimeError: no room")])
def test_cells_that_fail_stop_no_others(error, said, frontend, cells, tables, tmp_path,
                                        monkeypatch):
    """Ours fails; and where it gives other numbers there are no times of it."""
    def fails(model):
        def call(*inputs):
            raise error
        return call
    arguments = [*TINY, "--graphs", "aifb", "--models", "sage,gcn", "--modes",
                 "inference", "--output", str(tmp_path / "found")]
    monkeypatch.setattr(cells.capture, "compile_module", fails)
    frontend.main(arguments)
    rows = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert [row["ways"]["ours"]["skipped"] for row in rows] == [said] * 2
    assert all(row["ways"]["eager"]["ms"] > 0 for row in rows)
    monkeypatch.setattr(cells.capture, "compile_module",
                        lambda model: lambda *inputs: model(*inputs) * 1.01)
    frontend.main(arguments)
    result = json.loads((tmp_path / "found.json").read_text())
    for row in result["rows"]:
        assert row["ways"]["ours"]["skipped"] == "wrong: 1.0e-02 from eager"
        assert "ms" not in row["ways"]["ours"]
    assert not tables.means(result["rows"])


def test_errors_of_outputs_and_gradients(cells):
    value = torch.ones(3)
    expected = {"out": value, "d w": 2 * value}
    assert cells.worst_error(expected, expected) == 0
    assert cells.worst_error({**expected, "d v": 0 * value}, expected) == 0
    assert cells.worst_error({**expected, "d v": value}, expected) > 1
    assert cells.worst_error({"out": value}, expected) == 1
    assert cells.worst_error({"d w": 2 * value}, expected) == math.inf
    assert cells.worst_error({**expected, "out": value * math.nan},
                                expected) == math.inf


@pytest.mark.slow
def test_first_calls_have_a_limit(cells):
    """However much of it a compiler catches."""
    last = time.monotonic() + 60
    with pytest.raises(cells.TooLong, match="first call over 0.01 s"):
        with cells.at_most(0.01):
            while time.monotonic() < last:
                try:
                    math.sqrt(2)
                except Exception:
                    pass
    assert cells.why(cells.TooLong("first call over 9 s")) == "first call over 9 s"


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


@pytest.mark.slow
def test_calls_on_the_cpu(benchmarks, capsys):
    """A model whose kernels are left out is called and differentiated all the same. A call is
    no op of torch, a step four: the loss, and its gradient as the program reads it."""
    benchmarks("calls").main(["--models", "sage", "--graph", "mag:0.0001", "--seconds", "0"])
    *_, line = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    name, *times = [text.strip() for text in line.strip("| ").split("|")]
    ops = [times.pop(i) for i in (8, 4)]
    assert name == "sage" and len(times) == 7 and all(float(text) > 0 for text in times)
    assert ops == ["4", "0"]


@pytest.mark.slow
def test_fast_layers_have_the_same_weights(benchmarks):
    models = benchmarks("frontend_models")
    graph = graphs.random_graph(40, 200, 3, 4)
    kinds = models.Kinds(graph)
    inputs = models.typed(graph, kinds, models.features(40))
    plain, fast = (models.make("rgcn", kinds, fast) for fast in (False, True))
    assert type(fast.first) is not type(plain.first)
    torch.testing.assert_close(fast(*inputs), plain(*inputs), rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_processes_of_their_own(frontend, compiler, tmp_path):
    """A cell is measured in another process; graphs that were made are kept."""
    frontend.main([*TINY, "--jobs", "2", "--graphs", "aifb", "--models", "gcn",
                   "--modes", "inference", "--kept", str(tmp_path / "kept"),
                   "--wave", "400", "--cell", "100", "--output", str(tmp_path / "found")])
    row, = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert row["ways"]["ours"]["error"] < 1e-5 and not row["left_out"]
    assert row["source"] == "made" and row["ways"]["ours"]["compilations"] == 1
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["aifb.npz"]


@pytest.mark.slow
def test_a_graph_that_is_not_there_is_a_reason(benchmarks, frontend):
    jobs = benchmarks("frontend_jobs")
    here, there = multiprocessing.Pipe()
    here.send("go")
    jobs._work(frontend.parse([*TINY, "--graphs", "none"]), "none", "gcn", there)
    said = [here.recv() for _ in range(2)]
    assert said[0][0] == "ready" and said[1] == ("end", None)
    assert said[0][1].startswith("ValueError: expected one of aifb")
    row, _ = jobs._unknown(frontend.parse([*TINY]), "none", "gcn")
    assert row["edges"] is None and row["group"] == "homogeneous"


class Pipes:
    """A job whose process has said what it will, and ended."""

    def __init__(self, jobs, *said, ends=True):
        self.job = jobs._Job.__new__(jobs._Job)
        self.job.rows, self.job.left_out = [{"row": 1}, {"row": 2}], None
        self.job.pipe, self.other = multiprocessing.Pipe()
        self.job.process = types.SimpleNamespace(
            kill=lambda: None, join=lambda seconds: None, exitcode=-11)
        for one in said:
            self.other.send(one)
        if ends:
            self.other.close()


@pytest.mark.slow
def test_processes_that_end_or_wait_stop_no_others(benchmarks):
    jobs = benchmarks("frontend_jobs")
    ends = Pipes(jobs)
    waits = Pipes(jobs, ("rows", [{"row": 3}]), ends=False)
    fails = Pipes(jobs, ("ready", "no such thing"))
    half = Pipes(jobs, ("ready", None), ("row", {"row": 1}))
    slow = Pipes(jobs, ("ready", None), ends=False)
    jobs._compile([one.job for one in (ends, waits, fails, half, slow)], 0.1)
    assert [one.job.left_out for one in (ends, waits, fails, half, slow)] == [
        "its process ended with -11", "not compiled after 0.1 s", "no such thing", None, None]
    assert waits.job.rows == [{"row": 3}]
    saved = []
    jobs._measure(ends.job, 0.1, saved.append)
    jobs._measure(slow.job, 0.1, saved.append)
    assert not saved and slow.job.left_out == "over 0.1 s"
    half.job.pipe = types.SimpleNamespace(  # Of a process that ends after its first row.
        send=lambda said: None, poll=half.job.pipe.poll, recv=half.job.pipe.recv)
    jobs._measure(half.job, 0.1, saved.append)
    assert saved == [{"row": 1}] and half.job.rows == [{"row": 2}]
    assert half.job.left_out == "its process ended with -11"


def run_of(graph, eager, ours, **more):
    """A result of one row."""
    way = lambda ms, mib: {"ms": ms, "min_ms": ms, "spread": 0.1, "slow": False, "mib": mib}
    row = {"graph": graph, "source": "file", "model": "rgcn", "mode": "training",
           "group": "relational", "nodes": 5, "edges": 9, "relations": 2, "left_out": None,
           "ways": {"eager": way(eager, 80), "fast": way(eager / 2, 90),
                    "inductor": {"skipped": "oom"},
                    "ours": {**way(ours, 15), "kept_mib": 5, "first_s": 1.5} if ours else {}}}
    return {"date": "2026-11-23", "about": {"device": "none", "gnn-mlir": "1"}, "jobs": 2,
            "seconds": 1, "slower": 5, "rows": [row], **more}


def test_runs_are_put_together(tables, tmp_path, capsys):
    """A later run replaces cells where it has a time; only like runs go together."""
    runs = [run_of("a", 8, 1), run_of("b", 8, None), run_of("b", 32, 1), run_of("b", 1, None)]
    files = [tmp_path / f"{i}.json" for i in range(len(runs))]
    for file, run in zip(files, runs):
        file.write_text(json.dumps(run))
    tables.main([*map(str, files), "--output", str(tmp_path / "all")])
    result = json.loads((tmp_path / "all.json").read_text())
    assert [row["graph"] for row in result["rows"]] == ["a", "b"]
    means = tables.means(result["rows"])
    assert means["training", "relational", "eager"] == (pytest.approx(16), 4, 2)
    assert means["training", "relational", "best"] == (pytest.approx(8), 4.5, 2)
    assert ("training", "relational", "inductor") not in means
    text = (tmp_path / "all.md").read_text()
    assert "| a | rgcn | 9 | 2 | 8.000 | 4.000 | oom | 1.000 | 8.00 | - | 4.00 |" in text
    if (tmp_path / "all-training.svg").exists():  # matplotlib is there.
        assert "![training](all-training.svg)" in text
        drawn = xml.parse(tmp_path / "all-training.svg").getroot()
        words = [one.text for one in drawn.iter() if one.tag.endswith("text")]
        assert {"8", "32", "oom", "rgcn"} <= set(words)
        assert "oom" in (tmp_path / "all-memory.svg").read_text()
    page = tmp_path / "page.md"
    page.write_text("a\n" + "".join(tables.MARKS) + "z\n")
    tables.main([*map(str, files), "--output", str(tmp_path / "all"), "--alone",
                 str(files[0]), "--page", str(page)])
    assert "results/all.md)" in page.read_text() and "| 16.00 | 4.00 | 2 |" in page.read_text()
    text = (tmp_path / "all.md").read_text()
    assert "## First calls" in text and "| a, 9 edges, 2 relations | rgcn | 1.50 |" in text
    with pytest.raises(SystemExit, match="expected one place between .* got 0"):
        tables.main([*map(str, files), "--output", str(tmp_path / "all"), "--page",
                     str(files[0])])
    files[1].write_text(json.dumps(run_of("b", 1, 1, about={"device": "another"})))
    with pytest.raises(SystemExit, match="about: expected .*'none'.* got .*'another'"):
        tables.main([*map(str, files), "--output", str(tmp_path / "all")])


def test_results_are_made_of_their_numbers(benchmarks, tables):
    """Tables, plots and the page are those of the committed .json; the last one counts."""
    svg, frontend_plots = benchmarks("svg"), benchmarks("frontend_plots")
    root = pathlib.Path(__file__).resolve().parents[3]
    folder, text = root / "benchmarks/results", ""
    for path in sorted(folder.glob("*-frontend.json")):
        result = json.loads(path.read_text())
        for file, made in tables.files(result, path.stem).items():
            if not file.endswith((".svg", ".md")):
                assert (folder / file).read_text() == made
        plots = [(plot, f"{path.stem}-{plot}.svg") for plot in frontend_plots.pictures(
            result["rows"]) if (folder / f"{path.stem}-{plot}.svg").exists()]
        assert (folder / f"{path.stem}.md").read_text() == tables.table(result, plots)
        for plot, picture in frontend_plots.pictures(result["rows"]).items():
            assert svg.described(*picture) in (folder / f"{path.stem}-{plot}.svg").read_text()
        text = tables.for_page(result, path.stem)
    page = (root / "docs/Frontend.md").read_text()
    assert tables.on_page(page, text) == page


def test_numbers_of_pages_are_those_of_results(benchmarks, tables):
    """The tables of the README and of Speed.md, and their text, are those of a committed .json."""
    overview, root = benchmarks("overview"), pathlib.Path(__file__).resolve().parents[3]
    for name, text, folder in (("README.md", overview.for_readme, "benchmarks/results"),
                               ("docs/Speed.md", overview.for_page, "../benchmarks/results")):
        page = (root / name).read_text()
        result = re.search(r"\[All cells\]\(\S*/(\S+-frontend)\.md\)", page)[1]
        numbers = json.loads((root / f"benchmarks/results/{result}.json").read_text())
        assert tables.on_page(page, text(numbers, result, folder)) == page


def test_figures_are_those_of_results(benchmarks):
    """Each figure of the pages has the numbers of the newest results; running figures.py draws
    them anew."""
    figures, svg = benchmarks("figures"), benchmarks("svg")
    for name, (numbers, _) in figures.FIGURES.items():
        text = (figures.IMAGES / f"{name}.svg").read_text()
        assert svg.described(*numbers()) in text, name
    pytest.importorskip("matplotlib")
    for name, (numbers, _) in figures.FIGURES.items():
        drawn = figures.draw(name)
        assert svg.described(*numbers()) in drawn and xml.fromstring(drawn).tag.endswith("svg")


def test_overview_is_of_means_over_graphs(benchmarks):
    overview = benchmarks("overview")
    row = lambda graph, mode, eager, ours: {
        "graph": graph, "mode": mode, "model": "sage", "group": "homogeneous", "ways": {
            "eager": {"ms": eager, "mib": 12}, "ours": {"ms": ours, "mib": 4}}}
    rows = [row("a", "inference", 8, 1), row("b", "inference", 4, 2),
            row("a", "training", 100, 1), row("a", "batches", 1, 2)]
    assert overview.table(rows).splitlines()[2:] == [
        "| SAGE | 4.0 | - | 4.0 | 100 | - | 100 | **0.50** | 3.0 |"]
    said = overview.for_page({"rows": rows, "date": "today", "about": {"device": "card"}},
                             "today-frontend", "there")
    assert "PyG is the faster in sampled batches of SAGE (0.50)." in said
