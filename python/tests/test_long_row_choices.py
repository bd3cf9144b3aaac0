# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which long rows become pieces: what was chosen before, and what was the faster on an
H200 (benchmarks/results)."""

import re

import pytest

from decisions import record

RESULTS = record.ROOT / "benchmarks/results/2026-11-23-h200-long-rows.md"
# Pieces that are faster by GAIN must be chosen, and none that are slower by LOSS.
GAIN, LOSS = 1.1, 0.97
CELL = re.compile(r"[\d.]+ \(([\d.]+)\) \[(\d+)")


def measured():
    """{(layer, graph): {"64" or "128": times as fast as whole rows}} where pieces of
    each length were made."""
    found = {}
    text = re.split(r"\n## ", RESULTS.read_text())
    table, = (part for part in text if part.startswith("Inference"))
    names = []
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "graph":
            names = cells
        elif names and len(cells) == len(names) and not cells[0].startswith("-"):
            row = dict(zip(names, cells))
            whole = CELL.match(row["whole"])
            ways = {n: CELL.match(row[n]) for n in ("64", "128")}
            if all(way[2] != whole[2] for way in ways.values()):
                found[row["layer"], row["graph"]] = {
                    n: float(way[1]) for n, way in ways.items()}
    return found


@pytest.fixture(scope="module")
def chosen(compiler, gnn_opt):
    return record.long_rows(gnn_opt)


def test_choices(chosen):
    assert record.long_rows_text(chosen) == record.LONG_ROWS.read_text(), (
        "if that is meant: python3 python/tests/decisions/record.py --write")


def test_what_was_measured(chosen):
    """Where every traversal is whole or in pieces of one length, as it was measured."""
    cases = measured()
    assert len(cases) > 20
    for (layer, graph), gains in cases.items():
        lengths = {n for n in chosen[layer, "inference", graph] if n.isdigit()}
        assert lengths or max(gains.values()) < GAIN, (layer, graph)
        if len(lengths) == 1:
            assert gains[lengths.pop()] > LOSS, (layer, graph)
