# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/sparse without a GPU: it checks results of the emulator and of peers on a small
graph; a machine that is made up gives times, of which tables and plots are made."""

import argparse
import json
import math
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import gnn_mlir
from conftest import ROOT
from support.sparse_results import result_of, row_of

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:.*beta")

OPS = ("sum", "weighted-sum", "mean", "max", "min", "argmax", "dot", "gatv2", "dot-attention",
       "additive")


@pytest.fixture(scope="module")
def sparse(benchmarks):
    """A module of the package by name."""
    return lambda name: benchmarks(f"sparse.{name}")


@pytest.fixture(scope="module")
def graph():
    """A hub, self loops, edges that are there twice, nodes without edges."""
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 30, (2, 120))
    hub = np.stack([rng.integers(0, 40, 90), np.full(90, 7)])
    loops = np.stack([np.arange(5), np.arange(5)])
    return gnn_mlir.Graph(*np.concatenate([ends, hub, loops, loops], 1), 40)


@pytest.fixture(scope="module")
def edges(sparse, graph):
    return sparse("graphs").Edges("small", graph, "cpu")


@pytest.fixture(scope="module")
def folder(graph, tmp_path_factory):
    made = tmp_path_factory.mktemp("data")
    graph.save(made / "small.npz")
    return made


@pytest.fixture
def main(sparse, folder, capsys):
    """Runs the command, and gives what it printed."""
    def run(arguments, target="emulator"):
        sparse("__main__").main([*arguments.split(), "--data", str(folder), "--target", target,
                                 "--commit", "1234"])
        return capsys.readouterr().out
    return run


def cell_of(cells, op, training=False):
    heads, suite = (2, "attention") if op in OPS[7:] else (None, "sums")
    return cells.Cell("dots" if op.startswith("dot") and not heads else suite, op, "small", 4,
                      heads, training)


# -- What results are held against ------------------------------------------------------------

@pytest.mark.parametrize("op", OPS)
def test_references_are_those_of_numpy(sparse, benchmarks, edges, op):
    """torch in float64 on edges gives what NumPy gives for the program on the graph."""
    work = sparse("bench").Work(cell_of(sparse("cells"), op), edges, "cpu")
    function, = work.module.functions.values()
    assert work.module.graphs["g"].dst_sorted
    expected = function.evaluate(edges.graph, {n: v.numpy() for n, v in work.given.items()})
    out = work.expected[0]
    if op == "dot":  # Of edges in their order; all of them are checked here.
        assert work.sample.edges.tolist() == list(range(edges.count))
    else:
        assert work.sample.nodes[work.sample.rows].tolist() == list(range(40))
    assert np.abs(out.numpy() - expected["out"]).max() < 1e-12 * np.abs(expected["out"]).max()


def test_a_sample_has_the_longest_rows(sparse, monkeypatch):
    graphs = sparse("graphs")
    monkeypatch.setattr(graphs, "_CHECKED", 60)
    dst = np.repeat(np.arange(100), np.r_[np.full(98, 5), 300, 200])
    ends = np.random.default_rng(1).integers(0, 100, len(dst)), dst
    edges = graphs.Edges("made", gnn_mlir.Graph(*ends, 100), "cpu")
    sample = edges.sample
    rows = sample.nodes[sample.rows]
    assert {98, 99} <= set(rows.tolist()) and 2 <= len(rows) < 20
    assert len(sample.edges) == int(edges.degrees[rows].sum()) < len(dst)
    for ends, whole in ((sample.src, edges.src64), (sample.dst, edges.dst64)):
        assert torch.equal(sample.nodes[ends], whole[sample.edges])
    assert set(edges.dst64[sample.edges].tolist()) == set(rows.tolist())
    assert (torch.diff(edges.dst64 * 100 + edges.src64) >= 0).all()


@pytest.mark.parametrize("op, training", [
    ("sum", False), ("argmax", False), ("dot", False), ("gatv2", True), ("additive", True)])
def test_wrong_results_are_seen(sparse, benchmarks, edges, op, training):
    """In any of the outputs and gradients."""
    bench, by_edges = sparse("bench"), benchmarks("by_edges")
    work = bench.Work(cell_of(sparse("cells"), op, training), edges, "cpu")
    right = work.step(lambda **given: by_edges.FUNCTIONS[op](
        edges.src64, edges.dst64, **given), work.up if training else None)
    if op == "argmax":
        function, = work.module.functions.values()
        found = function.evaluate(edges.graph, {n: v.numpy() for n, v in work.given.items()})
        right.append(torch.tensor(found["at"]))

    def error(outputs):
        work.step = lambda call, up=None: outputs
        return work.error(None, is_ours=True)

    assert error(right) < 1e-5
    for i, one in enumerate(right):
        wrong = list(right)
        wrong[i] = one * 1.01 if one.is_floating_point() else one + (one >= 0)
        assert error(wrong) > bench.TOLERANCE, i
    if op == "argmax":  # Another edge that leads to the node, and one to an empty node.
        for row in (7, int((edges.degrees == 0).nonzero()[0])):
            at = right[1].clone()
            at[row] = 0
            assert error([right[0], at]) == math.inf


def test_gradients_where_no_edge_leads_are_seen(sparse, benchmarks, edges, monkeypatch):
    bench, by_edges = sparse("bench"), benchmarks("by_edges")
    monkeypatch.setattr(sparse("graphs"), "_CHECKED", 0)
    few = sparse("graphs").Edges("few", edges.graph, "cpu")
    work = bench.Work(cell_of(sparse("cells"), "gatv2", True), few, "cpu")
    call = lambda **given: by_edges.FUNCTIONS["gatv2"](few.src64, few.dst64, **given)
    assert work.error(call) < 1e-5
    out, d_source, *others = work.step(call, work._up_of_sample())
    elsewhere = [n for n in range(40) if n not in work.sample.nodes.tolist()]
    d_source[elsewhere[0], 0, 0] = 1e-9
    work.step = lambda *_: [out, d_source, *others]
    assert work.error(call) == math.inf


# -- The command on the emulator ---------------------------------------------------------------

def test_results_are_checked(main, tmp_path, sparse, compiler):
    """Ours and peers on the emulator, and the tables of them."""
    output = tmp_path / "found"
    said = main(f"--graphs small --widths 6 2x3 --peers torch --output {output}")
    assert "sums: sum 6, small: ours error" in said
    result = json.loads(output.with_suffix(".json").read_text())
    rows = {(row["op"], row["training"]): row for row in result["rows"]}
    assert set(rows) == {*((op, False) for op in (*OPS, "dot-shuffled")),
                         *((op, True) for op in OPS[7:])}
    for (op, training), row in rows.items():
        assert 0 <= row["ours"]["error"] < 2e-6 and "ms" not in row["ours"], op
        assert row["ours"]["kernels"] > 2 * training and row["longest"] > 90
        assert row["dst_sorted"] == (op != "dot-shuffled")
        there = {name for name, found in row["peers"].items() if "error" in found}
        assert "torch by edges" in there and (op != "mean" or "torch.sparse" in there)
        assert all(row["peers"][name]["error"] < 1e-5 for name in there)
    page = output.with_suffix(".md").read_text()
    assert page == sparse("tables").table(result, "found") and said.endswith(page + "\n")
    assert "| small | 2x3 | error " in page and "Not there: torch-scatter (" in page
    declared, = re.findall("Declared with dst_sorted, .*, are the graphs of: (.*)\\.", page)
    assert "u_dot_v, edges in the order of the rows" in declared and "drawn" not in declared


def test_ablation_and_tuned_rows(main, tmp_path, compiler):
    output = tmp_path / "found"
    main(f"--graphs small --ops ablation sum --widths 8 --peers none --tuned long-rows=8,fuse=0 "
         f"--output {output}")
    rows = json.loads(output.with_suffix(".json").read_text())["rows"]
    ways = {row["suite"]: row["ways"] for row in rows if row["op"] == "sum"}
    assert ways["ablation"]["linear-reorder=false"] == {"same": True}
    dot, = (row["ways"] for row in rows if row["op"] == "dot")
    assert 0 <= dot["fuse=false"]["error"] < 1e-6
    tuned, = ways["sums"].items()
    assert tuned[0] == "tuned: long-rows=8,fuse=0" and tuned[1]["kernels"] == 3
    page = output.with_suffix(".md").read_text()
    assert "linear-reorder=false" in page.partition("The same kernels everywhere: ")[2]
    assert "| op | graph | F | all, ms |" in page and " | fuse=false |" in page


def test_a_way_may_lack_memory(main, sparse, monkeypatch, compiler, tmp_path):
    """The others of its cell are measured."""
    bench, output = sparse("bench"), tmp_path / "found"
    step = bench.Bench._step

    def fail(self, work, compiled):
        if len(bench.launches(compiled, False)) > 1:
            raise bench.torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB. More")
        return step(self, work, compiled)

    monkeypatch.setattr(bench.Bench, "_step", fail)
    main(f"--graphs small --ops ablation --widths 8 1x64 --peers none --output {output}")
    page = output.with_suffix(".md").read_text()
    assert re.search(r"\| dot \| small \| 8 \| error .*\| out of memory: Tried to allocate 9 GiB \|"
                     r".*\| error ", page)


def test_wrong_results_end_with_an_error(main, sparse, monkeypatch, compiler, tmp_path):
    bench, output = sparse("bench"), tmp_path / "found"
    monkeypatch.setattr(bench, "TOLERANCE", 1e-12)
    with pytest.raises(SystemExit, match="sum, small, 8 features, ours: error .*e-0"):
        main(f"--graphs small --ops sum --widths 8 --peers none --output {output}")
    row, = json.loads(output.with_suffix(".json").read_text())["rows"]
    assert "error" in row["ours"]["wrong"]

    def fail(*_):
        raise RuntimeError("it does not run\nmore of it")
    monkeypatch.setattr(bench, "launches", fail)
    with pytest.raises(SystemExit, match="ours: failed: RuntimeError: it does not run$"):
        main(f"--graphs small --ops sum --widths 8 --peers none --output {output}")


# -- Times --------------------------------------------------------------------------------------

class FakeGPU:
    """Gathers by torch on the CPU."""

    l2_bytes = 10_000
    wrong, writes = 0.0, 1.0

    def __init__(self):
        self.tried = []

    def gathering(self, table, ids, row_bytes, unroll, apart, streams=None):
        assert len(ids) % (32 * unroll) == 0
        assert table.shape[1] * 4 >= row_bytes and apart == 4 * table.stride(0)
        self.tried.append((row_bytes // 4, unroll))
        out = torch.empty(3)

        def run():
            out.zero_()
            out[0] = table[ids.long(), :row_bytes // 4].double().sum() * (1 + self.wrong)
            if streams:
                out[0] += streams[0].sum()
                streams[1][:int(len(streams[1]) * self.writes)] = 1
        return out, run

    def times(self, run):
        run()
        tile, unroll = self.tried[-1]
        return [1e-3 * (1 + abs(tile - 32) + unroll)] * 3

    def kernel(self, name):
        assert name == "empty"
        return lambda blocks, threads: None


@pytest.fixture
def limit(sparse, edges, monkeypatch):
    module = sparse("limit")
    monkeypatch.setattr(module, "elapsed", lambda run: run() or 1.0)
    return module, module.Limit(edges, FakeGPU())


def test_the_limit_is_the_best_of_its_tiles(limit, sparse, edges):
    module, made = limit
    assert module.tiles(64, 1) == [16, 32, 64] and module.tiles(2, 1) == [2]
    assert module.tiles(256, 1) == [32, 64, 128, 256] and module.tiles(256, 64) == [64, 128, 256]
    assert module.tiles(8, 1) == [8] and module.tiles(128, 16) == [16, 32, 64, 128]
    run, what = made.best(64)
    run()
    assert {tile for tile, _ in made.gpu.tried} == {16, 32, 64} and set(what) == {"tile", "unroll"}
    assert made.best(6)[0] is None and "6 floats" in made.best(6)[1]["skipped"]
    made.gpu.wrong = 1e-4
    with pytest.raises(AssertionError, match="a gather of 16 of 32 floats, 4 in flight"):
        made.best(32)


def test_the_limit_reads_and_writes_in_order(limit):
    """Each tile of columns has its share."""
    _, made = limit
    _, best = made.best(64)
    tiles = 64 // best["tile"]
    made.gpu.tried.clear()
    run, what = made.beside(64, 1, 4096, 8192)
    run()
    assert len(made.gpu.tried) == 2 * tiles and what == {**best, "gathering": 2}
    made.gpu.writes = 0.5
    with pytest.raises(AssertionError, match=f"expected {512 // tiles} vectors that are written, got "):
        made.beside(64, 1, 4096, 8192)
    assert made.beside(6, 1, 4096, 8192)[0] is None


def test_streams_are_rows_of_destinations_and_numbers_of_edges(sparse, edges):
    cells = sparse("cells")
    rows, numbers = 4 * 16 * edges.nodes, 4 * edges.count

    def of(op, heads=None, features=16):
        return cells.streams(cells.Cell("sums", op, "small", features, heads), edges)

    assert of("sum") == (0, rows) and of("argmax") == (0, 2 * rows)
    assert of("weighted-sum") == (numbers, rows)
    assert of("dot") == (rows, numbers) and of("dot-shuffled") == (rows + numbers, numbers)
    assert of("gatv2", 2, 8) == of("dot-attention", 2, 8) == (rows, rows)
    assert of("additive", 2, 8) == (0, rows)


@pytest.mark.parametrize("kernel", ["GATHER", "STREAMS"])
def test_the_limit_is_frozen(sparse, monkeypatch, benchmarks, kernel):
    module = sparse("limit")
    module.check()
    source = getattr(benchmarks("ceilings_gpu"), kernel)
    monkeypatch.setattr(benchmarks("ceilings_gpu"), kernel, source + " ")
    with pytest.raises(SystemExit, match=f"kernel {kernel} of hash {module.FROZEN[kernel]}, got"):
        module.check()


@pytest.fixture
def timed(sparse, benchmarks, edges, limit, monkeypatch):
    """Rows of cells on a machine whose programs take as long as their names say."""
    race, bench = benchmarks("race"), sparse("bench")
    took = {"ours": 2.0, "limit": 1.5, "streams": 1.8, "output": 0.25, "empty": 0.001, "torch.sparse": 4.0,
            "torch by edges": 3.0, "torch segments": 20.0, "lazy": 0.1}

    class Machine(race.OnGPU):
        target = place = device = "cpu"
        name = None

        def enter(self, name, run, *arguments, **options):
            self.name = name
            run.named = name
            return super().enter(name, run, *arguments, **options)

        def _time(self, run, repeats=1):
            return run.took

        def _capture(self, run, pool, count):
            replay = lambda: run()
            replay.took = count * took.get(run.named, 2.5) * (2 if self.is_cold else 1)
            return argparse.Namespace(replay=replay)

        def memory_mib(self, run):
            run()
            run.took = 0.5
            return 7.0

        def new_pool(self):
            return None

    def rows(*cells, more={}):
        options = argparse.Namespace(library=[], peers=["torch"], tuned=[], rounds=10,
                                     seconds=0.1, slower=5.0)
        machine = Machine(10, 0.1, 5.0, least=10, shortest=2.0)
        made = bench.Bench(options, edges, machine)
        made.peers = {**more, **made.peers}
        machine.is_cold, made.limit, made.l2_bytes = False, limit[1], limit[1].gpu.l2_bytes
        made.cold = Machine(10, 0.1, 5.0, least=10)
        made.cold.is_cold = True
        result = sparse("results").new("1234", {"device": "a card", "torch": "2", "CUDA": "13",
                                                "gather": "abc", "driver": "580", "copy": 3e12})
        for cell in cells:
            sparse("results").add(result, made.measure(cell))
        return result
    monkeypatch.setattr(race.torch.cuda, "empty_cache", lambda: None)
    return rows


def test_programs_take_turns(timed, sparse):
    cells, tables = sparse("cells"), sparse("tables")
    result = timed(*(cells.Cell("sums", op, "small", 16) for op in ("sum", "max")),
                   cells.Cell("growth", "sum", "small", 16),
                   cells.Cell("small", "sum", "small", 16),
                   cells.Cell("ablation", "sum", "small", 16),
                   cells.Cell("attention", "gatv2", "small", 4, 2, True))
    summed, largest, growth, small, ablation, attention = result["rows"]
    assert summed["ours"]["ms"] == 2.0 and summed["ours"]["rounds"] == 10
    assert summed["ours"]["flushed_ms"] == 4.0 and summed["small"]
    assert summed["beside"]["limit"]["ms"] == 1.5 and summed["beside"]["limit"]["tile"] == 16
    assert summed["peers"]["torch segments"]["skipped"].startswith("20 ms, 10.0 times the best")
    assert tables.best_peer(summed)[0] == "torch by edges"
    assert tables.share_with_streams(summed) == 0.9
    assert tables.share(summed) == 0.75 and tables.against_peer(summed) == 1.5
    assert tables.limit_of(growth) == 1.75 and not growth["peers"]
    assert small["beside"]["empty"]["ms"] == 0.001 and not small["peers"]
    assert any("ms" in way for way in ablation["ways"].values())
    assert "limit" not in attention["beside"] and attention["ours"]["kernels"] > 2
    page = tables.table(result, "all")
    assert "copy 3.00 to 3.00 TB/s" in page and "kernels abc" in page
    assert "| 220 | 16 | 2.0000 | 1.5000 | 0.2500 | 1.143 |" in page
    assert "| sum | small | 16 | 1 | 2000.00 | 1.00 | 1999.00 | 4000.00 |" in page
    assert ("| small | 16 | 4.0000 | 3.0000 | 75.0% | torch by edges | 6.0000 | 1.50 |" in
            page.partition("With the L2 flushed:")[2])


def test_a_peer_that_computes_nothing_is_wrong(timed, benchmarks, sparse):
    """It finds nothing of the one before, and others are not slow beside it."""
    by_edges = benchmarks("by_edges")

    def writes(task):
        return lambda x: task.out().copy_(by_edges.reduction(
            "sum", task.edges.src64, task.edges.dst64, x))

    def lazy(task):
        task.out()
        return lambda x: task.out()
    row, = timed(sparse("cells").Cell("sums", "sum", "small", 16),
                 more={"writes": writes, "lazy": lazy})["rows"]
    assert row["peers"]["writes"]["error"] < 1e-6
    assert row["peers"]["lazy"]["wrong"].startswith("error ") and row["peers"]["lazy"]["ms"] == 0.1
    assert row["peers"]["torch by edges"]["ms"] == 3.0


# -- Results that are put together ------------------------------------------------------------

def test_runs_are_put_together(sparse, main, tmp_path):
    results, paths = sparse("results"), [tmp_path / f"{n}.json" for n in "ab"]
    failed = {**row_of(graph="cora"), "ours": {"skipped": "out of memory"}}
    other = {**result_of(row_of(ours=9.0), row_of(graph="cora")),
             "runs": [{"date": "2026-01-02", "driver": "580", "copy": 2.9e12}]}
    first = result_of(row_of(), failed, row_of("max"))
    for path, result in zip(paths, (first, other)):
        results.write(path, result)
    found = results.together([first, other])
    assert {(row["op"], row["graph"]): (row["ours"].get("ms"), row["run"])
            for row in found["rows"]} == {("sum", "reddit"): (9.0, 1), ("sum", "cora"): (2.0, 1),
                                          ("max", "reddit"): (2.0, 0)}
    assert len(results.together([found, other])["runs"]) == 2
    reverse = {(row["op"], row["graph"]): row["ours"] for row in results.together(
        [other, first])["rows"]}
    assert reverse["sum", "reddit"]["ms"] == 2.0 and "ms" in reverse["sum", "cora"]
    assert results.has(first, results.key(row_of()))
    assert not results.has(first, results.key(failed)) and not results.has(None, ())
    output = tmp_path / "all"
    said = main(f"--minutes 0 --earlier {paths[0]} {paths[1]} --output {output}")
    assert json.loads(output.with_suffix(".json").read_text()) == found
    assert "2026-01-01 to 2026-01-02" in said and "copy 2.90 to 3.00 TB/s in 2 processes" in said
    results.write(paths[1], result_of(device="another"))
    with pytest.raises(SystemExit, match="device: expected a card, as in the first .* another"):
        main(f"--minutes 0 --earlier {paths[0]} {paths[1]}")


def test_earlier_cells_are_not_measured_again(main, tmp_path, compiler, capsys):
    first, both = tmp_path / "first", tmp_path / "both"
    arguments = "--graphs small --widths 8 --peers none"
    main(f"{arguments} --ops sum --output {first}")
    said = main(f"{arguments} --ops sum dot --earlier {first}.json --output {both}")
    assert "sums: sum 8" not in said and "dots: dot 8, small: ours error" in said
    rows = json.loads(both.with_suffix(".json").read_text())["rows"]
    assert [row["op"] for row in rows] == ["sum", "dot"]
    with pytest.raises(SystemExit, match="error: device: expected emulator, as .* got cpu"):
        main(f"{arguments} --ops max --earlier {first}.json", target="cpu")
    assert "sums: max" not in capsys.readouterr().out


@pytest.mark.slow
def test_graphs_have_processes_of_their_own(folder, tmp_path, compiler):
    shutil.copy(folder / "small.npz", folder / "other.npz")
    found = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks/sparse"), "--graphs", "small", "other", "none",
         "--data", str(folder), "--ops", "sum", "--widths", "8", "--peers", "none", "--target",
         "cpu", "--commit", "1", "--output", str(tmp_path / "found")], check=False,
        capture_output=True, text=True)
    rows = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert [row["graph"] for row in rows] == ["small", "other"] and not found.returncode
    assert "none: its process ended with 1" in found.stdout
    assert "expected one of aifb" in found.stderr


# -- What is measured ---------------------------------------------------------------------------

def test_cells(sparse):
    cells = sparse("cells")
    found = cells.select(("reddit", "uniform-1M", "uniform-10k", "mine"), False)
    suites = {graph: {cell.suite for cell in found[graph]} for graph in found}
    general = {"sums", "dots", "attention"}
    assert suites == {"reddit": general | {"ablation"}, "uniform-1M": {"growth"},
                      "uniform-10k": {"small"}, "mine": general}
    of = lambda suite: [c for c in found["reddit"] if c.suite == suite]
    assert len(of("sums")) == 6 * 10 and len(of("dots")) == 2 * 7
    assert len(of("attention")) == 3 * 3 * 2 and len(of("ablation")) == 3 * 3
    assert {c.width for c in of("attention")} == {"1x64", "8x16", "4x64"}
    few, = cells.select(("reddit",), True, ("dot-shuffled",), (7,), ("forward",)).values()
    assert [(c.op, c.program, c.features) for c in few] == [("dot-shuffled", "dot", 7)]
    named = cells.select(("reddit:0.1",), True, ("growth",), ())["reddit:0.1"]
    assert [(c.suite, c.features) for c in named] == [("growth", 64)]
    assert cells.select(("reddit",), False, ("growth",)) == {}
    assert cells.width("8x16") == (8, 16) and cells.width("64") == 64
    assert cells.default_graphs(None)[-1] == "uniform-100M"
    switches = cells.switches()
    assert switches["fuse"] is False and switches["edge-walks"] == 0 == switches["long-rows"]
    assert switches["sum-runs"] == 0 and switches["separate-group-sums"] is False
    assert not switches.keys() & {"cost", "sum-rows", "calls"}


def test_drawn_graphs_and_scales(sparse, folder):
    load = sparse("graphs").load
    made = load("uniform-1M:0.001", None)
    assert (made.num_nodes, made.num_edges) == (20, 1000)
    assert load("small", folder).num_edges == 440  # with inverse relations
    assert load("products:0.0001", folder).num_nodes == 244


def test_quick_is_a_part(sparse):
    command = sparse("__main__")
    options = command.parse(["--quick", "--commit", "1"])
    found = command.chosen(options)
    assert list(found) == ["reddit", "products"]
    assert {(c.op, c.training) for c in found["reddit"]} == {
        (op, False) for op in ("sum", "weighted-sum", "dot", "gatv2", "dot-attention")}
    assert {c.width for c in found["reddit"]} == {"32", "64", "128", "1x64"}


@pytest.mark.parametrize("arguments, message", [
    ("--widths 8x", "expected a number of features, or heads x features as 8x16, got 8x"),
    ("--rounds 9", "argument --rounds: expected at least 10, got 9"),
    ("--library mine", "argument --library: expected NAME=VALUE, got mine"),
    ("--tuned fuse=0,x", "argument --tuned: expected NAME=VALUE, got fuse=0,x"),
    ("", "error: expected something to measure, got no cell")])
def test_what_is_wrong_is_said(main, arguments, message, capsys):
    with pytest.raises(SystemExit) as error:  # Growth has no gradients: there is no cell.
        main(f"{arguments} --graphs small --ops growth --modes training")
    assert message in str(error.value) + capsys.readouterr().err


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_is_needed_for_times(main):
    with pytest.raises(SystemExit, match="--target: expected cpu or emulator, since torch finds"):
        main("--graphs small --ops sum", target="cuda")


LIBRARY = r"""
int peer_spmm(int nodes, int features, int edges, const int *begin, const int *source,
              const float *value, const int *order, const float *x, float *out, void *stream) {
  for (int n = 0; n < nodes; ++n)
    for (int f = 0; f < features; ++f) {
      int v = order[n];
      float sum = 0;
      for (int e = begin[v]; e < begin[v + 1]; ++e)
        sum += value[e] * x[source[e] * features + f];
      out[v * features + f] = sum;
    }
  return edges != begin[nodes];
}
int peer_sddmm(int nodes, int features, int edges, const int *begin, const int *source,
               const int *order, const float *x, const float *target, float *out,
               void *stream) {
  for (int n = 0; n < nodes; ++n)
    for (int v = order[n], e = begin[v]; e < begin[v + 1]; ++e) {
      out[e] = 0;
      for (int f = 0; f < features; ++f)
        out[e] += x[source[e] * features + f] * target[v * features + f];
    }
  return edges != begin[nodes];
}
"""


def test_a_library_is_a_peer(sparse, edges, tmp_path):
    if (compiler := shutil.which("cc")) is None:
        pytest.skip("there is no C compiler")
    (tmp_path / "peer.c").write_text(LIBRARY)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", tmp_path / "peer.so",
                    tmp_path / "peer.c"], check=True)
    bench, peers, cells = (sparse(name) for name in ("bench", "peers", "cells"))
    make = peers.named([f"mine={tmp_path / 'peer.so'}"])["mine"]
    for op in ("sum", "mean", "weighted-sum", "dot", "dot-shuffled"):
        work = bench.Work(cell_of(cells, op), edges, "cpu")
        task = peers.Task(work.cell.program, edges, work.view, work.given)
        assert work.error(make(task)) < 1e-6, op
    assert make(peers.Task("max", edges, edges, work.given)) is None
    with pytest.raises(peers.Skip, match="nowhere.so"):
        peers.named(["mine=nowhere.so"])["mine"](task)


def test_the_page_names_its_options(sparse):
    """The command of the docs is one that there is."""
    page = (ROOT / "docs/Schedules.md").read_text()
    command = re.search(r"python benchmarks/sparse (.*)", page)[1]
    assert sparse("__main__").parse([*command.split(), "--commit", "1"]).minutes == 8
