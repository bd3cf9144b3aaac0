# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmarks that run torch's and PyG's ops, on tiny graphs. Only a GPU gives times."""

import json

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import gnn_mlir  # noqa: E402


@pytest.mark.slow
def test_sweep_on_the_emulator(benchmarks, compiler, tmp_path):
    """All legal schedules of one kernel, one of which is what was chosen."""
    sweep = benchmarks("sweep")
    assert sweep.load("rows:3:0.0001").num_edges == 300
    arguments = ["--graphs", "rows:3:0.0001", "--features", "6", "--device", "emulator",
                 "--output", str(tmp_path / "found"), "--fields"]
    sweep.main([*arguments, "element_lanes,rows_per_block", "--threads", "128"])
    case, = json.loads((tmp_path / "found.json").read_text())["cases"]
    assert all(row["registers"] > 28 and row["ptxas"] is None for row in case["rows"])
    lanes = [row["element_lanes"] for row in case["rows"]]
    assert case["kernel"] == "sum_0_aggregate" and len(set(lanes)) > 3
    assert {row["threads"] for row in case["rows"]} == {128}
    sweep.main([*arguments, "in_flight"])
    case, = json.loads((tmp_path / "found.json").read_text())["cases"]
    assert sum(row["chosen"] for row in case["rows"]) == 1
    assert [row["in_flight"] for row in case["rows"]] == [1, 2, 4, 8]
    with pytest.raises(SystemExit, match="with 'gemm' in its name .* sum_0"):
        sweep.main([*arguments, "in_flight", "--kernel", "gemm"])


def test_switches_of_passes_on_the_emulator(benchmarks, compiler, tmp_path, monkeypatch):
    """Every way computes the same; one that does not is an error."""
    switches = benchmarks("tuning.switches")
    arguments = ["dots", "--only", "n90", "--device", "emulator",
                 "--output", str(tmp_path / "found.json")]
    monkeypatch.setitem(switches.CASES, "dots", [
        (switches.Made(90, 6, 1.0, 0.0), "dot/16", switches.Cell(None, "dot", 16).module)])
    switches.main(arguments)
    case, = json.loads((tmp_path / "found.json").read_text())["cases"]
    assert case["case"] == "n90-d6-v1-l0/dot/16"
    assert list(case["microseconds"]) == list(switches.WAYS["dots"])
    monkeypatch.setattr(switches.sweep, "TOLERANCE", -1)
    with pytest.raises(AssertionError, match="rule: 0.0e"):
        switches.main(arguments)


@pytest.mark.slow
def test_minibatches_on_the_emulator(benchmarks, compiler, tmp_path, capsys):
    minibatch = benchmarks("minibatch")
    minibatch.main(["--device", "emulator", "--graph", "products:0.0005", "--batches", "3",
                    "--batch", "8", "--fanouts", "3,2", "--sizes", "6,8,4", "--rounds",
                    "1", "--workers", "0", "--output", str(tmp_path / "found")])
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["batches"] == 3 and 24 < found["edges_a_batch"] <= 8 * 3 * 4
    assert set(found["steps"]) == set(minibatch.WHO)
    for who in minibatch.WHO:
        assert found["difference"][who] < 1e-5 and found["losses"][who][0] > 0
        assert set(found["parts"][who]) == set(minibatch.PARTS)
    assert "| ours, prefetched | " in capsys.readouterr().out


@pytest.mark.slow
def test_steps_differ_where_their_losses_do(benchmarks, compiler):
    """The benchmark sees that one of two models has other weights."""
    minibatch = benchmarks("minibatch")
    options = minibatch.parse(["--device", "emulator", "--graph", "products:0.0005",
                               "--batches", "2", "--batch", "8", "--fanouts", "3,2",
                               "--sizes", "6,8,4"])
    bench = minibatch.Bench(options)
    bench.prepare()
    name = "weights.layer2_root"
    bench.first["ours"][name][:, 0] += 1  # In all classes it would change nothing.
    assert abs(bench.epoch("ours", bench.batches)[1] /
               bench.epoch("PyG", bench.batches)[1] - 1).max() > 1e-3


def test_a_walk_is_measured(benchmarks, compiler):
    """On the CPU."""
    figures = benchmarks("walk_figures")
    graph = gnn_mlir.Graph([0, 1, 2, 2], [1, 2, 0, 1], 3)
    for training in (False, True):
        case = {"op": "gatv2", "heads": 1, "features": 8, "training": training, "passes": ""}
        function, = figures.module_of(case).functions.values()
        known = {name: torch.as_tensor(value)
                 for name, value in function.random_inputs(graph, 1).items()}
        times = figures.kernel_times(case, graph, known, "cpu", "cpu")
        assert times and min(times) >= 0
