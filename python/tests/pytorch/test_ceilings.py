# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/ceilings.py on machines that are made up: it finds their figures."""

import json
import re

import pytest

from conftest import ROOT

pytest.importorskip("torch")

FIGURES = {"memoryBandwidth": 3e12, "l2Bytes": 50e6, "l2Gather": 7.5e12,
           "memoryGather": 3e12, "l2RowBytes": 96, "memoryRowBytes": 64, "fp32Flops": 6e13,
           "processors": 100, "launchSeconds": 3e-6, "productFlops": 3e13,
           "rowSeconds": 4e-10, "warpSeconds": 3e-10, "edgeSeconds": 1e-8,
           "walkGather": 4e12, "roundSeconds": 7e-11, "waitSeconds": 4e-7,
           "memoryWaitSeconds": 1e-6}


class Machine:
    """One that takes what the model says of FIGURES."""

    title, chip, target = "NVIDIA H100 80GB HBM3", "sm_90", "cuda"
    processors, l2_bytes, largest_table = 100, 50_000_000, 2**32

    def __init__(self, ceilings):
        self.ceilings = ceilings

    def warm(self):
        pass

    def check(self):
        pass

    def copy(self):
        return 3e9, [1e-3, 1.01e-3, 0.99e-3]

    def gather(self, table_bytes, row_bytes):
        rows = 2**40 // row_bytes  # so many that the first reads do not count
        return 2**40, [self.ceilings.gather_seconds(FIGURES, rows, row_bytes,
                                                    table_bytes / row_bytes)] * 3

    def flops(self):
        return 6e13, [1.0]

    def product_flops(self):
        return 5e13, [1.0]

    def launches(self):
        return {"one block, graph": [1e-6], "all of it, graph": [3e-6]}


def timed(predict, case):
    return {"kernels": 1, "spread": 0.0, **case, "seconds": predict(FIGURES, case)}


def cases_of(ceilings):
    """The measurements of ceilings_walks.Bench. Two models of sums cannot both be
    right: those of one row or of one warp are the same here."""
    def sums(lanes):
        return [{"nodes": nodes, "edges": nodes * degree, "features": 64, "lanes": 16,
                 "element_lanes": lanes, "in_flight": flight}
                for nodes in (80_000, 1_000_000) for degree in (1, 7, 50)
                for flight in (1, 4)]

    def hubs(wait):
        return [{"nodes": 9, "edges": edges, "element_lanes": 2, "in_flight": 4,
                 "spread": 0.0, "seconds": 1e-5 + edges / 8 * FIGURES[wait]}
                for edges in (1000, 2000)]

    by_rows = [timed(ceilings.sum_seconds, case) for case in sums(1)]
    by_warps = [timed(ceilings.walk_seconds, case) for lanes in (1, 2)
                for case in sums(lanes)]
    return by_warps, {
        "products": [timed(ceilings.product_seconds, {
            "nodes": 100_000, "inputs": size, "outputs": size}) for size in (16, 64, 512)],
        "sums": by_rows, "schedules": [], "near": hubs("waitSeconds"),
        "far": hubs("memoryWaitSeconds"),
        "long rows": [{"nodes": 9, "edges": 5000, "features": 64, "longest": longest,
                       "spread": 0.0, "seconds": 1e-8 * longest, "graph": "made"}
                      for longest in (10, 4000)],
        "chains": [{"kernels": kernels, "seconds": 1e-5 + 3e-6 * kernels, "spread": 0.0}
                   for kernels in (2, 10)]}


@pytest.fixture
def found(benchmarks):
    ceilings = benchmarks("ceilings")
    found = ceilings.Found()
    machine = Machine(ceilings)
    ceilings.measure_machine(machine, found, lambda text: None)
    ceilings.measure_launches(machine, found)
    return ceilings, machine, found


def test_figures_of_a_machine(found):
    ceilings, _, found = found
    assert set(found.figures) == set(ceilings.FIGURES)
    for name in ceilings.FIGURES:
        assert found.figures[name] == pytest.approx(FIGURES[name], 0.01), name
    assert found.spreads["memoryBandwidth"] == pytest.approx(0.02)
    assert all(abs(row["model"] / row["rate"] - 1) < 0.01 for row in found.tables["sizes"])


def test_figures_of_kernels(found):
    """Each model finds the figures that its cases were made with."""
    ceilings, _, found = found
    by_warps, cases = cases_of(ceilings)
    by_rows, errors = ceilings.figures_of_kernels(found.figures, cases)
    assert by_rows["launchSeconds"] == pytest.approx(3e-6)
    assert errors["products"] < 0.01 > errors["sums"]
    walks, errors = ceilings.figures_of_kernels(found.figures, {**cases, "sums": by_warps})
    assert errors["schedules"] < 0.01 < errors["sums"]
    for name in ceilings.KERNELS:
        value = (walks if name in ("warpSeconds", "roundSeconds") else by_rows)[name]
        assert value == pytest.approx(FIGURES[name], 0.05), name


def test_entry_and_tables(found):
    """The entry reads as the files do, and stands beside theirs."""
    ceilings, machine, found = found
    ceilings.add_kernels(found, cases_of(ceilings)[1])
    text = ceilings.report({
        "date": "today", "about": {"device": machine.title}, "title": machine.title,
        "chip": machine.chip, "name": ceilings.name_of(machine.title),
        "found": json.loads(json.dumps(found.__dict__))})
    entry = text.split("```")[1]
    assert ('GNN_TARGET(h100, "NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3", '
            '"sm_90")\n') in entry
    assert "GNN_FIGURE(l2RowBytes, 96, Measured) // 78.1 rows a ns below\n" in entry
    assert "GNN_FIGURE(waitSeconds, 4e-7, Measured) // " in entry
    assert "{" not in entry and "GNN_KERNELS(h100)\n" in entry
    assert "| memoryBandwidth | 3e12 | 2.0% | 3e12, Measured | +0% |" in text
    assert re.search(r"\| fp32Flops \| [\d.e]+ \| [\d.]+% \| 6.57e13, Measured \| [+-]\d+%", text)
    assert "| 4096 | 3" in text and "| made | 9 | 5000 | 4000 | 40.0 | 0.0% | 10.0 |" in text


def test_entry_has_the_figures_of_the_files(benchmarks):
    ceilings = benchmarks("ceilings")
    for file, names in (("Targets", ceilings.FIGURES), ("Kernels", ceilings.KERNELS)):
        text = (ROOT / f"include/GNN/Analysis/{file}.def").read_text()
        known = re.findall(r"^GNN_FIGURE\((\w+), ", text, re.M)
        assert tuple(dict.fromkeys(known)) == names


@pytest.mark.parametrize("title, name", [
    ("NVIDIA H100 80GB HBM3", "h100"), ("NVIDIA A100-SXM4-80GB", "a100"),
    ("NVIDIA GeForce RTX 3090", "rtx3090"), ("Tesla V100-PCIE-16GB", "v100")])
def test_names(benchmarks, title, name):
    assert benchmarks("ceilings").name_of(title) == name


def test_last_cache(benchmarks, tmp_path):
    for index, (level, size) in enumerate([(1, "32K"), (3, "32768K"), (2, "1M")]):
        (tmp_path / f"index{index}").mkdir()
        (tmp_path / f"index{index}" / "level").write_text(f"{level}\n")
        (tmp_path / f"index{index}" / "size").write_text(f"{size}\n")
    assert benchmarks("ceilings_cpu").last_cache(tmp_path) == 32 * 2**20
