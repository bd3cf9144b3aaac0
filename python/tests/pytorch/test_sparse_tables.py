# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables and plots that benchmarks/sparse makes of its results."""

import xml.etree.ElementTree as xml

import pytest

from support.sparse_results import result_of, row_of

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def sparse(benchmarks):
    """A module of the package by name."""
    return lambda name: benchmarks(f"sparse.{name}")


@pytest.fixture(scope="module")
def tables(sparse):
    return sparse("tables")


def test_the_best_peer_is_right_and_timed(tables):
    row = row_of(**{"cuSPARSE ALG2": 3.0, "Triton": {"ms": 1.0, "wrong": "error 3.0e-02"},
                    "DGL": {"skipped": "dgl is not installed"},
                    "torch by edges": {"skipped": "90 ms, 45.0 times the best", "once_ms": 90.0}})
    page = tables.table(result_of(row, row_of(features=8, ours=1.0, **{"cuSPARSE ALG2": 0.9})))
    assert ("| reddit | 64 | 2.0000 | 1.5000 (32) | 75.0% | 90.0% | cuSPARSE ALG2 | 3.0000 | 1.50 "
            "| 1.0% | 1.0e-07 | 1.0e-07 |") in page
    assert ("| copy_u/sum | 2 | 106.1% | 75.0% (reddit, 64) | 127.3% | 90.0% (reddit, 64) | 1.16 "
            "| 0.90 (reddit, 8) |") in page
    assert "Peers: cuSPARSE ALG2, Triton, torch by edges." in page
    assert "Not there: DGL (dgl is not installed)." in page
    assert ("| reddit | 64 | 3.0000 | error 3.0e-02 | 90 ms, 45.0 times the best |" in page)


def test_reductions_stand_over_the_sum(tables):
    page = tables.table(result_of(row_of(), row_of("max", ours=2.1), row_of("mean", ours=3.0)))
    assert "| graph | F | sum, ms | mean | max |" in page
    assert "| reddit | 64 | 2.0000 | 1.500 | 1.050 |" in page


def test_ablation_is_the_time_of_all_over_that_of_one_off(tables):
    row = row_of(suite="ablation")
    row["ways"] = {"fuse=false": {"same": True}, "edge-walks=0": {"ms": 4.0, "captured": True}}
    page = tables.table(result_of(row))
    assert "| sum | reddit | 64 | 2.0000 | 50.0% |" in page
    assert "The same kernels everywhere: fuse=false." in page


def test_plots_have_a_line_for_each(sparse, tables):
    rows = [row_of(features=f, ours=f / 8, limit=f / 16, **{
        "cuSPARSE ALG3": f / 4.0, "cuSPARSE ALG1": f / 2.0, "Triton": float(f)})
        for f in (8, 16, 32)] + [row_of(graph="products", features=f) for f in (8, 64)]
    plots = sparse("plots")
    (op, (title, panels)), = plots.pictures(result_of(*rows, row_of("max"))).items()
    assert op == "sum"  # One width of max is no line.
    assert panels["reddit"]["ours"] == {8: 1.0, 16: 2.0, 32: 4.0}
    assert panels["reddit"]["limit"] == {8: 0.5, 16: 1.0, 32: 2.0}
    assert panels["reddit"]["cuSPARSE"] == {8: 2.0, 16: 4.0, 32: 8.0}  # The best is one line.
    assert [*panels] == ["reddit", "products"]
    pytest.importorskip("matplotlib")
    made = plots.files(result_of(*rows), "all")
    words = {one.text for one in xml.fromstring(made["all-sum.svg"]).iter()
             if one.tag.endswith("text")}
    assert {"ours", "limit", "cuSPARSE", "Triton", "reddit", "products", title} <= words
    assert "![all-sum.svg](all-sum.svg)" in tables.table(result_of(*rows), "all")
