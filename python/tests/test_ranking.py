# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost model, with the figures that are shipped, orders what was measured: layers
compiled with one pass more or less, on an H200 (benchmarks/results)."""

import functools
import json
import pathlib
import re
import subprocess

import pytest

from decisions import record

MEASURED = record.ROOT / "benchmarks/results/2026-11-21-h200-passes.json"
# By the letters of benchmarks/experiment.py. Passes on the ends of layers and the fusion
# of templates are left out: ops are counted as kernels of their own.
PASSES = {"C": "compact", "R": "linear-reorder", "O": "order-aggregate",
          "A": "fuse-attention"}
ENDS = ("fold-normalization", "join-sums", "move-scales", "compute-in-heads",
        "merge-bias", "fuse")
# One pass apart, and by more than this share of the time: no model is asked to see less.
# Launches decide on layers of fewer milliseconds than TINY: fused ops have fewer.
STEPS = (("none", "C"), ("C", "CR"), ("CR", "CRO"), ("CRO", "CROA"))
CLOSE, TINY = 0.15, 0.1
LAYERS = {name: record.LAYERS[name] for name in ("rgcn", "rgat", "hgt", "gat")}


def cases():
    stored = json.loads(record.STATISTICS.read_text())
    for case in json.loads(MEASURED.read_text())["cases"]:
        if case["graph"] in record.GRAPHS and case["layer"] in LAYERS:
            form, build = LAYERS[case["layer"]]
            graph = stored[case["graph"]][form]
            times = {way: row["ms"] for way, row in case["rows"].items()}
            if times["none"] > TINY:
                yield pytest.param(record.with_statistics(build(graph).text(), graph),
                                   times, id=f"{case['layer']}-{case['graph']}")


CASES = list(cases())


@functools.cache
def predicted(gnn_opt, way):
    """Milliseconds of all kernels of each case after the passes of a way, by one run of
    gnn-opt. Rows were walked whole."""
    off = [name for letter, name in PASSES.items() if letter not in way.strip("none")]
    switches = " ".join([*(f"{name}=false" for name in (*off, *ENDS)), "long-rows=0",
                         "edge-walks=0"])
    texts = "\n// -----\n".join(case.values[0] for case in CASES)
    run = subprocess.run([gnn_opt, "-", f"--gnn-explain=passes={{{switches}}}",
                          "--split-input-file"],
                         input=texts, capture_output=True, text=True, check=True)
    reports = re.split(r"^estimates for ", run.stdout, flags=re.MULTILINE)[1:]
    assert len(reports) == len(CASES)
    return [float(re.findall(r"^  all: .* ([\d.]+)$", report, re.MULTILINE)[-1])
            for report in reports]


def test_one_pass_more(compiler, gnn_opt):
    """All cases at once: each of several processes would predict all of them."""
    wrong = []
    for number, case in enumerate(CASES):
        measured = case.values[1]
        times = {way: predicted(gnn_opt, way)[number] for step in STEPS for way in step}
        for before, after in STEPS:
            ratio = measured[before] / measured[after]
            if (ratio > 1 + CLOSE and times[after] >= times[before]
                    or ratio < 1 / (1 + CLOSE) and times[before] >= times[after]):
                wrong.append((case.id, before, after, ratio))
    assert not wrong


def test_there_is_something_to_order():
    apart = [case for case in CASES for before, after in STEPS
             if abs(case.values[1][before] / case.values[1][after] - 1) > CLOSE]
    assert len(apart) > 15
