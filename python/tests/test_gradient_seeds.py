# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of many random programs are checked in parts, and added up."""

import pytest

from gnn_mlir.testing import gradient_cases, gradient_seeds


def test_seeds_run_once_and_are_added_up(gnn_opt, tmp_path, capsys):
    path = tmp_path / "seeds.jsonl"
    common = ["--results", str(path), "--gnn-opt", gnn_opt, "--jobs", "2"]
    assert gradient_seeds.main(["--seeds", "0..2", *common]) == 0
    lines = path.read_text().splitlines()
    assert len(lines) == 2
    # One that was cut off runs again; the other does not.
    path.write_text(lines[0] + "\n" + lines[1][:20])
    assert gradient_seeds.main(["--seeds", "0..3", *common]) == 0
    assert sorted(gradient_seeds.read(path)) == [0, 1, 2]
    assert len(path.read_text().splitlines()) == 4
    assert capsys.readouterr().out.splitlines()[-1].startswith("3 programs of 3 seeds: ")
    # No more time, no more seeds.
    gradient_seeds.main(["--seeds", "0..9", *common, "--seconds", "0"])
    assert sorted(gradient_seeds.read(path)) == [0, 1, 2]


def test_what_became_of_seeds(gnn_opt, monkeypatch):
    def become(report):
        def check(*_):
            if isinstance(report, Exception):
                raise report
            return report
        monkeypatch.setattr(gradient_cases, "check_seeds", check)
        return gradient_seeds.run(gnn_opt, 7)

    report = gradient_cases.Report
    results = [
        become(report(checked={"a": 1e-7}, open=["a: x"])),
        become(report(refused={"b": "x.mlir: error: 'gnn.for_edges' op has no"})),
        become(report(failed={"c": "d_x: error 0.5"})),
        become(report(failed={"d": "gnn-opt crashes: PLEASE"})),
        become(RuntimeError("odd"))]
    assert gradient_seeds.summary(results) == (
        "5 programs of 5 seeds: 1 right (largest error 1e-07, 1 inputs held to "
        "nothing), 1 refused (gnn.for_edges 1), 1 wrong, 2 crashed")
    assert [name for name, _ in gradient_seeds.failures(results)] == ["c", "d", "seed 7"]


def test_a_crash_of_the_compiler_is_one(tmp_path):
    crashing = tmp_path / "gnn-opt"
    crashing.write_text("#!/bin/sh\nkill -SEGV $$\n")
    crashing.chmod(0o755)
    result = gradient_seeds.run(crashing, 0)
    (kind, why), = result["programs"].values()
    assert kind == "crashed" and "gnn-opt crashes" in why


@pytest.mark.parametrize("text", ["5", "5..5", "a..b", "..5"])
def test_bad_ranges(text, tmp_path, capsys):
    with pytest.raises(SystemExit):
        gradient_seeds.main(["--seeds", text, "--results", str(tmp_path / "x")])
    assert f"expected A..B, from A to B without B, got '{text}'" in (
        capsys.readouterr().err)
