# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of many random programs are checked in parts, and added up."""

import pytest

import gradient_seeds
from support import gradient_cases, gradient_faults, gradients


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
    assert "(largest error 1e-07 of what is allowed, 1" in gradient_seeds.summary(results, "cpu")
    assert [name for name, _ in gradient_seeds.failures(results)] == ["c", "d", "seed 7"]


def test_a_crash_of_the_compiler_is_one(tmp_path):
    crashing = tmp_path / "gnn-opt"
    crashing.write_text("#!/bin/sh\nkill -SEGV $$\n")
    crashing.chmod(0o755)
    result = gradient_seeds.run(crashing, 0)
    (kind, why), = result["programs"].values()
    assert kind == "crashed" and "gnn-opt crashes" in why


@pytest.fixture(scope="module")
def cancelling(gnn_opt):
    """A program with a softmax over 12 parallel edges: their scores are equal, and the
    difference of two terms of about 3, which is their gradient, is 0. It is multiplied by
    large values, so that its rounding is the error of three gradients. Rounded to nearest,
    the terms are equal too."""
    program, pipeline = (gradient_cases.random_program(279),
                         gradient_cases.RANDOM_PIPELINES["of loops"])
    arguments = gnn_opt, program.function, None, pipeline
    return program, gradients.text(*arguments), gradients.differentiate(*arguments)


def check(cancelling, made):
    program, text, _ = cancelling
    return gradients.check_kernels(text, program.function, program.graphs, program.inputs,
                                   made, target="cpu")


def test_what_cancels_may_have_the_error_of_its_terms(cancelling, compiler, monkeypatch):
    assert 0 < check(cancelling, cancelling[2]) <= 1
    # Rounding to nearest alone does not know it.
    monkeypatch.setattr(gradients, "RANDOM_ROUNDINGS", 0)
    with pytest.raises(gradients.Failure, match="by kernels: error .* times"):
        check(cancelling, cancelling[2])


@pytest.mark.parametrize("fault", [f for f in gradient_faults.FAULTS
                                   if f != "missing_degree"])  # There are no means.
def test_faults_are_found_beside_what_cancels(fault, cancelling, compiler):
    faulty = next(iter(gradient_faults.FAULTS[fault](cancelling[2])))
    with pytest.raises(gradients.Failure, match="by kernels: error .* times"):
        check(cancelling, faulty)


@pytest.mark.parametrize("text", ["5", "5..5", "a..b", "..5"])
def test_bad_ranges(text, tmp_path, capsys):
    with pytest.raises(SystemExit):
        gradient_seeds.main(["--seeds", text, "--results", str(tmp_path / "x")])
    assert f"expected A..B, from A to B without B, got '{text}'" in (
        capsys.readouterr().err)
