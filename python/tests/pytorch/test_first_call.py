# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/first_call.py: a process that finds a model's programs in the cache."""

import json

import pytest

pytest.importorskip("torch_geometric")

pytestmark = pytest.mark.usefixtures("compiler")


def test_times_of_processes(benchmarks, tmp_path, monkeypatch):
    first_call = benchmarks("first_call")
    asked, own = [], first_call.measure

    def measure(options, name, way, cache):
        asked.append((way, cache))
        return 1.0 if way in first_call.BACKENDS else own(options, name, way, cache)
    monkeypatch.setattr(first_call, "measure", measure)
    first_call.main(["--models", "sage", "--rounds", "1", "--output", str(tmp_path / "x")])
    row, = json.loads((tmp_path / "x.json").read_text())["rows"]
    assert row["over"] == row["again"] - 1 and 0 < row["again"]
    assert [way for way, _ in asked] == list(first_call.WAYS)
    assert len({cache for _, cache in asked}) == 1  # Of a round.
    assert (tmp_path / "x.md").read_text().startswith("| model |")


def test_a_process_that_fails(benchmarks):
    first_call = benchmarks("first_call")
    with pytest.raises(SystemExit, match="KeyError: 'none'"):
        first_call.main(["--models", "none", "--rounds", "1"])
