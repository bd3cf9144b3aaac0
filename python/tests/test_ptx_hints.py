# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The edits of benchmarks/ptx_hints.py on the PTX of a sum, which a walk by edges makes."""

import re

import pytest

import gnn_mlir

# What an edit makes of the stores, of the two loads of words, or of the eight of rows.
EDITED = {"stores-cs": r"st\.global\.cs\.v4\.b32",
          "stores-first": r"st\.global\.L2::cache_hint\.v4\.b32 .*, %policy;",
          "words-first": r"ld\.global\.nc\.L1::no_allocate\.L2::cache_hint\.v4\.b32 .*, %policy;",
          "rows-past-l1": r"ld\.global\.nc\.L1::no_allocate\.v4\.b32",
          "rows-last": r"ld\.global\.nc\.L2::cache_hint\.v4\.b32 .*, %policy;",
          "rows-128": r"ld\.global\.nc\.L2::128B\.v4\.b32",
          "rows-256": r"ld\.global\.nc\.L2::256B\.v4\.b32"}


@pytest.fixture(scope="module")
def package(benchmarks, compiler, tmp_path_factory):
    module = benchmarks("cases").of_edges(gnn_mlir, "sum", 64, dst_sorted=True)
    path = tmp_path_factory.mktemp("hints") / "sum.gnnpkg"
    gnn_mlir.compile(module, target="cuda", chip="h200",
                     passes={"edge-walks": 1}).package.save(path)
    return path


@pytest.mark.parametrize("hint", EDITED)
def test_an_edit_is_of_all_its_loads_or_stores(benchmarks, package, hint):
    hints = benchmarks("ptx_hints")
    before, after = (gnn_mlir.capi.Package.load(path).kernels("ptx").decode()
                     for path in (package, hints.edited(package, hint)))
    loads = re.findall(r"ld\.global\.nc\S*\.v4\.b32", before)
    expected = {"stores": len(re.findall(r"st\.global\.v4\.b32", before)), "words": 4,
                "rows": len(loads) - 4}[hint.partition("-")[0]]
    assert expected and len(re.findall(EDITED[hint], after.replace("\t", " "))) == expected
    entries = after.count(".visible .entry")
    assert after.count("createpolicy") == (entries if "%policy;" in EDITED[hint] else 0)


def test_hints_are_all_tested(benchmarks):
    assert set(benchmarks("ptx_hints").HINTS) == set(EDITED)
