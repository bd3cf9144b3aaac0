# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/sanitize.py: which cases it runs, and that it sees wrong numbers. Only a GPU has
a sanitizer."""

import importlib.util

import pytest

from conftest import ROOT


@pytest.fixture(scope="module")
def sanitize():
    spec = importlib.util.spec_from_file_location("sanitize", ROOT / "utils/sanitize.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_cases_are_those_of_both_passes(sanitize, compiler, capsys):
    arguments = ["--device", "emulator", "--graphs", "rows-31", "--sizes", "3x2",
                 "--forward", "gcn", "--gradients", "gcn", "--draws", "1"]
    said = []
    for part in ("0/2", "1/2"):
        assert sanitize.main([*arguments, "--part", part]) == 0
        said += capsys.readouterr().out.splitlines()
    assert sorted(said) == ["gcn rows-31 3x1, forward",
                            "gcn rows-31 3x1, gradients, schedules 0",
                            "gcn rows-31 3x1, gradients, schedules 1"]


def test_wrong_numbers_fail(sanitize, compiler, capsys, monkeypatch):
    right = sanitize.as_array
    monkeypatch.setattr(sanitize, "as_array", lambda value: right(value) * 1.001)
    assert sanitize.main(["--device", "emulator", "--part", "0/1", "--graphs", "rows-31",
                          "--forward", "gcn", "--gradients", "gcn", "--draws", "0"]) == 1
    assert capsys.readouterr().out.count("FAILED: ") == 2


def test_passes_are_those_of_all_kernels(sanitize, compiler, capsys):
    arguments = ["--device", "emulator", "--part", "0/1", "--graphs", "rows-31", "--forward",
                 "gcn", "--gradients", "gcn", "--draws", "0", "--passes"]
    assert sanitize.main([*arguments, "edge-walks=1,fuse=0"]) == 0
    capsys.readouterr()
    assert sanitize.main([*arguments, "edge-walks=1,none=0"]) == 1
    assert capsys.readouterr().out.count("got 'none'") == 2
    with pytest.raises(SystemExit):
        sanitize.main([*arguments, "edge-walks"])
    assert "expected passes as SWITCH=VALUE, got 'edge-walks'" in capsys.readouterr().err


def test_what_a_tool_finds_fails(sanitize, monkeypatch, tmp_path, capsys):
    """The tool's own status counts, and what it said is shown."""
    fake = tmp_path / "compute-sanitizer"
    fake.write_text("#!/bin/sh\necho under $2\n[ $2 != racecheck ] || exit 9\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    arguments = ["--gradients", "", "--forward", "gcn,rgcn", "--graphs", "rows-31",
                 "--jobs", "2", "--tools"]
    assert sanitize.main([*arguments, "memcheck"]) == 0
    assert capsys.readouterr().out == "2 cases under memcheck: 2 of 2 runs clean\n"
    assert sanitize.main([*arguments, "memcheck,racecheck"]) == 1
    said = capsys.readouterr().out
    assert said.count("FAILED\n under") == said.count("FAILED\n under racecheck") == 2
    assert said.endswith("2 of 4 runs clean\n")


@pytest.mark.parametrize("status", [0, 9])
def test_what_is_planted_is_found(sanitize, monkeypatch, tmp_path, status):
    fake = tmp_path / "compute-sanitizer"
    fake.write_text(f"#!/bin/sh\nexit {status}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    arguments = ["--gradients", "", "--forward", "gcn", "--graphs", "rows-31",
                 "--tools", "memcheck"]
    assert sanitize.main([*arguments, "--plant"]) == (0 if status else 1)
    assert sanitize.main(arguments) == (1 if status else 0)


@pytest.mark.parametrize("arguments, reason", [
    (["--forward", "", "--gradients", ""], "expected cases, got none"),
    (["--forward", "gnc"], "got gnc"),
    (["--graphs", "rows-0,hub-700"], "got rows-0"),
    (["--tools", "memchek"], "expected tools out of initcheck, memcheck, racecheck, "
     "synccheck, got memchek"),
    (["--plant"], "expected --plant with --tools memcheck alone"),
])
def test_wrong_options_are_one_error(sanitize, capsys, arguments, reason):
    with pytest.raises(SystemExit):
        sanitize.main(arguments)
    last = capsys.readouterr().err.splitlines()[-1]
    assert "error: " in last and reason in last
