# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes decide what they decided: a change is seen in review."""

import json
import os

import pytest

from decisions import record


def test_decisions(compiler, gnn_opt):
    found = record.decisions(gnn_opt)
    assert found == record.GOLDEN.read_text(), (
        "if that is meant: python3 python/tests/decisions/record.py --write")


# Statistics of the smaller graphs, and of one with both directions of each edge.
SMALL = ("aifb", "wn18rr", "cora")
LARGE = sorted({*record.GRAPHS, *record.MEASURED} - {*SMALL})


@pytest.mark.parametrize("names", [SMALL, pytest.param(LARGE, marks=pytest.mark.slow)],
                         ids=["small", "large"])
def test_statistics_are_those_of_the_graphs(names, compiler):
    folder = os.environ.get("GNN_TEST_DATA")
    if not folder:
        pytest.skip("GNN_TEST_DATA has the graphs")
    stored = json.loads(record.STATISTICS.read_text())
    assert len(stored) == len(SMALL) + len(LARGE)
    assert record.read_statistics(folder, names) == {name: stored[name] for name in names}
