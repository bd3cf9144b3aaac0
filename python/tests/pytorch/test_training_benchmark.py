# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peers of benchmarks/experiment.py, and how programs take turns. Only a GPU gives times."""

import types

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
@pytest.mark.parametrize("text", ["mag:0.0002", "aifb:0.02"])
@pytest.mark.parametrize("model", ["rgcn", "rgat", "hgt"])
def test_layers_in_torch_are_those_of_pyg(model, text, benchmarks, torch):
    """Outputs and all gradients in float64, on graphs with more than 128 pairs of a
    type, with types that nothing leads to, and with few pairs of a node and a type."""
    experiment, cases = benchmarks("experiment"), benchmarks("cases")
    module, graph, peers = benchmarks("pyg_layers").RELATIONAL[model](
        cases.load(text)[1], 8, "cpu")
    function, = module.functions.values()
    given = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True)
             for name, value in function.random_inputs(graph, 1).items()}
    mask = getattr(peers["PyG"], "mask", 1)
    up = torch.randn(graph.num_nodes, 8, dtype=torch.float64) * mask
    expected = experiment.results(experiment.prepare(peers["PyG"], given), up, mask)
    assert len(expected) == len(given) + 1
    for name in ("torch", "torch, gathered"):
        found = experiment.results(experiment.prepare(peers[name], given), up, mask)
        assert experiment.worst_error(found, expected) < 1e-13
        for i, _ in enumerate(found):  # A fault in any of them is seen.
            wrong = [1.001 * x if i == j else x for j, x in enumerate(found)]
            assert experiment.worst_error(wrong, expected) > 1e-7


@pytest.fixture
def clock(benchmarks, torch, monkeypatch):
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
    monkeypatch.setattr(race.OnGPU, "_capture", lambda self, run, pool, count: Program(run) if (
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
    assert 1 <= quick.found["ms"] <= 1.02 and quick.found["mib"] == 7
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


def test_short_programs_run_several_times_a_turn(clock, monkeypatch):
    """As many as take 2 ms, by the time of a replay: calls take longer."""
    machine, program = clock[0](rounds=10, shortest=2.0), clock[1]
    counts = []

    def capture(self, run, pool, count):
        counts.append(count)
        return types.SimpleNamespace(replay=program(0.01 * count))
    monkeypatch.setattr(type(machine), "_capture", capture)
    entered = machine.enter("short", program(0.1))
    assert counts == [pytest.approx(20, abs=1), pytest.approx(200, abs=4)]
    assert entered.count == counts[1] and entered.once == pytest.approx(0.01, rel=0.03)
    machine.race([entered])
    assert entered.found["ms"] == pytest.approx(0.01, rel=0.03)
    monkeypatch.setattr(type(machine), "_capture", lambda *_: None)
    entered = machine.enter("not captured", program(0.1))
    assert entered.count == 1 and not entered.found["captured"]
    assert entered.once == pytest.approx(0.1, rel=0.03)


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


@pytest.mark.parametrize("name, arguments", [("minibatch", []), ("experiment", ["columns"])])
def test_no_gpu_is_one_line(name, arguments, benchmarks, torch, monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit):
        benchmarks(name).parse(arguments)
    assert capsys.readouterr().err.endswith(
        "error: argument --device: expected cpu or emulator, since torch finds no GPU, got cuda\n")
