# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark of forward and backward passes: peers, what it checks, how programs take
turns, and tables. Only a GPU gives times."""

import json

import numpy as np
import pytest


@pytest.fixture(scope="module")
def torch():
    """torch, where PyG is there too."""
    pytest.importorskip("torch_geometric")
    return pytest.importorskip("torch")


@pytest.mark.slow
def test_sums_over_rows_of_any_length(benchmarks, torch):
    layers = benchmarks("torch_layers")
    sizes = torch.tensor([0, 1, 64, 65, 0, 64 * 64 + 1, 3])
    begin = torch.cat([torch.zeros(1, dtype=torch.int64), sizes.cumsum(0)])
    rows, values = layers.Rows(begin), torch.rand(int(sizes.sum()), dtype=torch.float64)
    assert len(rows.levels) == 3
    assert max(int(level.diff().max()) for level in rows.levels) == 64
    parts = values.split(sizes.tolist())
    assert torch.allclose(rows.sum(values), torch.stack([p.sum() for p in parts]))
    expected = [p.max().item() if len(p) else -np.inf for p in parts]
    assert rows.max(values).tolist() == expected
    both = rows.sum(torch.stack([values, 2 * values], 1))
    assert torch.allclose(both[:, 1], 2 * rows.sum(values))


@pytest.mark.slow
@pytest.mark.parametrize("sums", ["cusparse", "gather"])
@pytest.mark.parametrize("model", ["rgcn", "rgat", "hgt"])
def test_layers_in_torch_are_those_of_pyg(model, sums, benchmarks, torch):
    """Outputs and all gradients in float64, on graphs with more than 128 pairs of a
    type, with types that nothing leads to, and with few pairs of a node and a type."""
    training, layers = benchmarks("training"), benchmarks("torch_layers")
    pyg_layers, ways = benchmarks("pyg_layers"), set()
    for text in ("mag:0.0002", "aifb:0.02"):
        graph = training.load(text)
        case = training.Case(model, graph, 8)
        prepared = layers.Prepared(graph, "cpu", torch.float64, sums)
        ways.add(prepared.queries._dense)
        expected = training.gradients_of_pyg(case, pyg_layers.Edges(graph, "cpu"), "PyG",
                                             "cpu", torch.float64)
        found = training.gradients_by_hand(case, prepared, "cpu", torch.float64)
        assert training.worst_error(found, expected, case.given) < 1e-13
        assert len(prepared.tiles.type) > graph.num_edge_types or text != "mag:0.0002"
        for name in expected:  # A fault in any of them is seen.
            wrong = {**found, name: found[name] * 1.001}
            assert training.worst_error(wrong, expected, case.given) > 1e-7
    assert ways == {True, False}


@pytest.mark.slow
def test_gradients_on_the_emulator(benchmarks, compiler, torch):
    """Ours and every peer against PyG in float64, as --check does it."""
    training, race = benchmarks("training"), benchmarks("race")
    found = training.check(["aifb:0.01"], 8, race.OnEmulator())
    errors = found["aifb:0.01"]
    assert set(errors) == {"rgcn", "rgat", "hgt"}
    for model, of_model in errors.items():
        expected = {"ours", "without x", "torch", "torch, gathered", "PyG"}
        assert set(of_model) == expected | ({"PyG, fast"} if model == "rgcn" else set())
        training.expect_small(of_model.values())
    with pytest.raises(SystemExit, match="expected errors of at most 2e-05, got nan"):
        training.expect_small([float("nan")])


def test_training_on_the_emulator(benchmarks, compiler, torch, tmp_path):
    training = benchmarks("training")
    arguments = ["--features", "8", "--device", "emulator", "--output",
                 str(tmp_path / "found"), "--models"]
    training.main([*arguments, "rgcn", "--graphs", "mag:0.00002"])
    training.main([*arguments, "rgcn", "--graphs", "aifb:0.01", "--peers", "torch"])
    result = json.loads((tmp_path / "found.json").read_text())
    assert [row["graph"] for row in result["rows"]] == ["mag:0.00002", "aifb:0.01"]
    first, second = result["rows"]
    assert set(first["peers"]) == {"torch", "torch, gathered", "PyG", "PyG, fast"}
    assert set(second["peers"]) == {"torch"}
    for row in result["rows"]:
        assert row["difference"] < 1e-5
        assert sum(row["kernels_without_x"]) < sum(row["kernels"])
        assert row["ratio"] is None
        rows = row["nodes"] * 8 * 4 / 2**20
        weights = (row["edge_types"] * 64 + 64 + 8) * 4 / 2**20
        forward, backward = row["workspace_mib"]
        assert row["predicted_mib"] == pytest.approx(rows + row["saved_mib"] + max(
            forward, rows + weights + backward))
    assert "| aifb:0.01 | rgcn | 490 | - |" in (tmp_path / "found.md").read_text()
    with pytest.raises(SystemExit, match="expected results of .* got others"):
        training.main([*arguments, "rgcn", "--rounds", "3"])
    with pytest.raises(SystemExit, match="expected some of torch, gather, pyg, got dgl"):
        training.main([*arguments, "rgcn", "--peers", "dgl", "--rounds", "20"])


@pytest.mark.slow
def test_profile_of_kernels(benchmarks, compiler, torch, tmp_path):
    benchmarks("training").main(
        ["--profile", "--graphs", "aifb:0.01", "--models", "rgcn", "--features", "8",
         "--device", "emulator", "--output", str(tmp_path / "found")])
    row, = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert (row["graph"], row["model"]) == ("aifb:0.01", "rgcn")
    for which in ("forward", "backward"):
        assert all(f"rgcn_{which}_" in step["kernel"] for step in row[which])
        assert sum(step["gflop"] for step in row[which]) > 0
        assert {step["ms"] for step in row[which]} == {None}  # There is no timer.
    text = (tmp_path / "found.md").read_text()
    assert "## aifb:0.01, rgcn, backward: - ms" in text
    assert f"| {row['forward'][0]['kernel']} | - | " in text


@pytest.mark.slow
def test_layers_that_fail_stop_no_others(benchmarks, compiler, torch, tmp_path,
                                         monkeypatch):
    training = benchmarks("training")
    real = training.bench

    def bench(case, *rest):
        if case.model == "rgcn":
            raise RuntimeError("no room\nat all")
        return real(case, *rest)

    monkeypatch.setattr(training, "bench", bench)
    training.main(["--features", "8", "--device", "emulator", "--models", "rgcn,rgat",
                   "--graphs", "aifb:0.01", "--peers", "", "--output",
                   str(tmp_path / "found")])
    result = json.loads((tmp_path / "found.json").read_text())
    assert [row["model"] for row in result["rows"]] == ["rgat"]
    assert result["failed"] == ["aifb:0.01 rgcn: no room\nat all"]
    assert "\naifb:0.01 rgcn: no room\n" in (tmp_path / "found.md").read_text()


@pytest.fixture
def clock(benchmarks, monkeypatch):
    """A GPU whose programs are numbers of milliseconds, or errors."""
    race = benchmarks("race")

    class Program:
        def __init__(self, run):
            self.run = self.replay = run

    def time(self, run, repeats=1):
        self.turns.append(run.ms)
        return run.ms * (1 + 0.01 * (len(self.turns) % 3))

    monkeypatch.setattr(race.OnGPU, "_time", time)
    monkeypatch.setattr(race.OnGPU, "memory_mib", lambda self, run: 7.0)
    monkeypatch.setattr(race.OnGPU, "_capture", lambda self, run, pool: Program(run) if (
        run.captured) else None)
    monkeypatch.setattr(race.torch.cuda, "empty_cache", lambda: None)

    def program(ms, captured=True, error=None):
        def run():
            if error:
                raise error
        run.ms, run.captured = ms, captured
        return run

    def machine(**options):
        made = race.OnGPU(**options)
        made.turns = []
        return made
    return machine, program


def test_programs_take_turns(clock):
    machine, program = clock[0](rounds=20, seconds=1.0, slower=5), clock[1]
    quick = machine.enter("quick", program(1.0))
    slow = machine.enter("slow", program(100.0, captured=False), best=50.0)
    machine.turns.clear()
    machine.race([quick, slow])
    # A second has room for 10 turns of the slow one, in every second round.
    assert machine.turns.count(1.0) == 20 and machine.turns.count(100.0) in (9, 10)
    places = [i for i, ms in enumerate(machine.turns) if ms == 100.0]
    assert places[-1] > 24 and max(b - a for a, b in zip(places, places[1:])) <= 5
    assert quick.found["ms"] == pytest.approx(1.01) and quick.found["mib"] == 7
    assert quick.found["captured"] and not slow.found["captured"]
    assert 0 < quick.found["spread"] < 0.03


def test_programs_that_do_not_enter(clock, torch):
    machine, program = clock[0](slower=5), clock[1]
    found = machine.enter("slow", program(60.0), best=10.0)
    assert found["skipped"] == "61.2 ms, 6.1 times the best" and found["captured"]
    found = machine.enter("hopeless", program(600.0), best=10.0)
    assert found["once_ms"] == pytest.approx(600) and not found["captured"]
    error = torch.OutOfMemoryError(
        "CUDA out of memory. Tried to allocate 9.00 GiB. GPU 0 has 8 GiB.")
    found = machine.enter("large", program(1.0, error=error))
    assert found["skipped"] == "out of memory: Tried to allocate 9.00 GiB"


def test_ratios_of_training(benchmarks, torch):
    training = benchmarks("training")
    timed = lambda ms, captured=True: {"ms": ms, "spread": 0.02, "captured": captured}
    rows = []
    for scale in (1, 4):
        rows.append(training.compare({
            "graph": f"g{scale}", "model": "rgcn", "edges": 1000, "saved_mib": 1.0,
            "workspace_mib": [2.0, 3.0], "predicted_mib": 5.0, "kernels": [4, 9],
            "ours": {"training": timed(3.0), "without x": timed(2.0),
                     "inference": timed(1.0)},
            "peers": {"torch": timed(6.0 * scale),
                      "PyG": {"skipped": "90 ms", "once_ms": 90.0, "captured": False},
                      "PyG, fast": timed(9.0, False),
                      "torch, gathered": {"skipped": "out of memory: 9 GiB"}}}))
    assert [row["best"] for row in rows] == ["torch", "PyG, fast"]
    assert [row["ratio"] for row in rows] == [2, 3]
    assert training.means(rows) == {"rgcn": pytest.approx((6 ** 0.5, 3))}
    text = training.table({"date": "today", "about": {"device": "none"}, "features": 8,
                           "rounds": 20, "slower": 5.0, "failed": [], "rows": rows})
    assert ("| g1 | rgcn | 1,000 | 3.000 | 2.000 | 1.000 | 3.00 | 6.000 | out of memory "
            "| (90) | 9.000* | 2.00 | 2.0% |") in text
    assert "| rgcn | 2.45 | 3.00 |" in text


@pytest.mark.slow
@pytest.mark.parametrize("name, variation", [("products", 1.88), ("proteins", 1.04),
                                             ("reddit", 1.63)])
def test_made_graphs_without_types(name, variation, benchmarks):
    synthetic = benchmarks("synthetic")
    graph = synthetic.homogeneous(name, 0.01)
    nodes, edges, _, near = synthetic._PLAIN[name]
    assert (graph.num_nodes, graph.num_edges) == (int(nodes * 0.01), int(edges * 0.01))
    degrees = np.bincount(graph.edge_dst, minlength=graph.num_nodes)
    assert degrees.std() / degrees.mean() == pytest.approx(variation, rel=0.15)
    apart = np.abs(graph.edge_src - graph.edge_dst)
    close = np.minimum(apart, graph.num_nodes - apart) <= 2048
    by_chance = min(1, 4096 / graph.num_nodes)
    assert close.mean() == pytest.approx(near + (1 - near) * by_chance, abs=0.02)
    with pytest.raises(ValueError, match="expected one of products, .*got 'cora'"):
        synthetic.homogeneous("cora")


@pytest.mark.parametrize("name, arguments", [("training", []), ("minibatch", []),
                                             ("experiment", ["columns"])])
def test_no_gpu_is_one_line(name, arguments, benchmarks, torch, monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit):
        benchmarks(name).parse(arguments)
    assert capsys.readouterr().err.endswith(
        "error: argument --device: expected emulator, since torch finds no GPU, got cuda\n")
