# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/run-tests.py counts cases, whichever suite they are of."""

import importlib.util
import threading

import pytest

from conftest import ROOT

LIT = """
FAIL: GNN :: Transforms/fuse.mlir (3 of 12)
Total Discovered Tests: 12
  Unsupported: 2 (16.67%)
  Passed     : 9 (75.00%)
  Failed     : 1 ( 8.33%)
"""
GTEST = """
[  SKIPPED ] NpzTest.DataSets
[  PASSED  ] 7 tests.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] NpzTest.DataSets
[  FAILED  ] 1 test, listed below:
[  FAILED  ] NpyTest.Reads
"""
PYTEST = """
SKIPPED [3] python/tests/test_counts.py:32: GNN_TEST_DATA is not set
GNN_TEST_DATA is not set: 5 data sets skipped, made graphs ran instead (aifb)
FAILED python/tests/test_counts.py::test_edges - assert 3 == 4
=== 1 failed, 20 passed, 3 skipped in 1.00s ===
"""


@pytest.fixture
def runner():
    spec = importlib.util.spec_from_file_location("run_tests",
                                                  ROOT / "utils/run-tests.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def counted(runner, monkeypatch, suite, output, *arguments, status=1):
    monkeypatch.setattr(runner, "run", lambda command, **options: (
        0 if "pip" in command else status, output))
    totals = runner.Totals()
    suite(*arguments, totals)
    return totals.passed, totals.failures, totals.skipped


def test_versions_of_packages_are_those_of_the_project(runner, monkeypatch, tmp_path):
    commands = []
    monkeypatch.setattr(runner, "run", lambda command: (commands.append(command), (0, ""))[1])
    runner.virtual_environment(tmp_path)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    site = (ROOT / "docs/requirements.txt").read_text(encoding="utf-8").splitlines()
    _, _, packages = " ".join(map(str, commands[-1])).partition("install -q ")
    assert {"torch", "torch-geometric"} <= {one.split("==")[0] for one in packages.split()}
    assert all(f'"{one}"' in project or one in site for one in packages.split())


def test_a_file_of_lit_is_a_case(runner, monkeypatch, tmp_path):
    assert counted(runner, monkeypatch, runner.lit, LIT, tmp_path) == (
        9, ["GNN :: Transforms/fuse.mlir"], 2)


def test_a_googletest_is_a_case(runner, monkeypatch, tmp_path):
    program = tmp_path / "unittests/Some/SomeTests"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    monkeypatch.setattr(runner.os, "cpu_count", lambda: 1)
    assert counted(runner, monkeypatch, runner.gtest, GTEST,
                   tmp_path) == (7, ["NpyTest.Reads"], 1)


def test_data_sets_that_are_not_there_are_skipped_cases(runner, monkeypatch,
                                                        tmp_path):
    """Once, though two suites of pytest run: of the core, without torch, and of the guest."""
    summary = "=== 7 passed, 1 skipped in 1.00s ==="
    outputs = [PYTEST, PYTEST.replace("test_counts", "pytorch/test_pyg").replace(
        PYTEST.strip().splitlines()[-1], summary)]
    commands = []

    def run(command, **options):
        commands.append([str(word).removeprefix(f"{ROOT}/") for word in command])
        return (1, outputs.pop(0)) if "--dist" in command else (0, "")
    monkeypatch.setattr(runner, "run", run)
    totals = runner.Totals()
    runner.pytest(tmp_path, False, totals)
    assert (totals.passed, totals.failed, totals.skipped) == (27, 2, 3 + 1 + 5)
    assert totals.failures == ["python/tests/test_counts.py::test_edges",
                               "python/tests/pytorch/test_pyg.py::test_edges"]
    assert [command[-2:] for command in commands[-2:]] == [
        ["--without-torch", "python/tests"], ["thread", "python/tests/pytorch"]]


def test_a_suite_that_does_not_run_has_failed(runner, monkeypatch, tmp_path):
    for names, suite, arguments in (
            (["lit"], runner.lit, ()), (["pytest"] * 2, runner.pytest, (False,)),
            (["GoogleTest"], runner.gtest, ())):
        assert counted(runner, monkeypatch, suite, "", tmp_path,
                       *arguments) == (0, names, 0)


def test_sources_are_checked_beside_a_suite(runner, monkeypatch, capsys):
    """The output of the checks is not mixed with that of the suite."""
    running, checked = threading.Event(), threading.Event()

    def run(command, shown, **options):
        assert running.wait(60)  # The suite has begun, and has not ended.
        is_format = command[0].startswith("clang-format")
        print(f"checked {command[0] if is_format else command[1].name}", file=shown)
        if is_format:
            checked.set()
        return int(is_format), ""

    def suite():
        print("suite begins")
        running.set()
        assert checked.wait(60)
        print("suite ends")

    monkeypatch.setattr(runner, "run", run)
    totals = runner.Totals()
    totals.add(5, 0, 2)
    runner.sources_beside(suite, totals)
    scripts = sorted(path.name for path in (ROOT / "utils").glob("check-*.py"))
    assert capsys.readouterr().out.splitlines() == [
        "suite begins", "suite ends", *(f"checked {name}" for name in scripts),
        "checked clang-format-22"]
    assert (totals.passed, totals.failed, totals.skipped) == (5 + len(scripts), 1, 2)
    assert totals.failures == ["clang-format"]


def test_a_check_of_the_sources_that_does_not_run_is_an_error(runner, monkeypatch):
    monkeypatch.setattr(runner, "run", lambda command, shown, **options: {}[command[1]])
    with pytest.raises(KeyError):
        runner.sources_beside(lambda: None, runner.Totals())
