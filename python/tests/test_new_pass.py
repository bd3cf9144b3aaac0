# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/new-pass.py writes a pass that builds and whose test passes."""

import importlib.util
import re
import subprocess
import sys

import pytest

import test_docs
from conftest import BUILD, ROOT
from source_copy import Copy, run


def new_pass(root, *arguments):
    return run([sys.executable, ROOT / "utils/new-pass.py", "--root", root,
                *arguments]).split()


@pytest.mark.skipif(not BUILD, reason="needs a build")
def test_new_passes_build_and_pass_their_tests(tmp_path, monkeypatch):
    copy = Copy(tmp_path, "lib/Transforms", "lib/Pipelines", "test/Transforms",
                "test/Tools", "tools", "python/tests/support", "docs")
    written = new_pass(copy.root, "UnrollRows", "--level", "gnn_tile")
    assert written == ["include/GNN/Transforms/Tile/Passes.td",
                       "lib/Transforms/Tile/CMakeLists.txt",
                       "test/Tools/passes.test",
                       "lib/Transforms/Tile/UnrollRows.cpp",
                       "test/Transforms/unroll-rows.mlir"]
    written = new_pass(copy.root, "KeepTypes", "--switch")
    assert "docs/Passes.md" in written
    new_pass(copy.root, "SortRows", "--level", "gnn_tile", "--switch")
    run(["clang-format-22", "--dry-run", "--Werror",
         *copy.root.glob("lib/Transforms/*/*.cpp"),
         copy.root / "include/GNN/Pipelines/Pipelines.h",
         copy.root / "lib/Pipelines/Pipelines.cpp"], cwd=ROOT)
    sources = re.findall(r"^  (\w\S*\.cpp)$", (
        copy.root / "lib/Transforms/Tile/CMakeLists.txt").read_text(), re.M)
    assert "UnrollRows.cpp" in sources and "SortRows.cpp" in sources
    assert sources == sorted(sources)
    for room in "Graph", "Tile":
        copy.tablegen(f"GNN/Transforms/{room}/Passes.td", ".h.inc", "-gen-pass-decls",
                      f"-name=GNN{room}Transforms")
    like = "lib/Transforms/Tile/PlanMemory.cpp"
    copy.link("bin/gnn-opt", copy.bin / "gnn-opt", [
        copy.compile("lib/Transforms/Tile/UnrollRows.cpp", like),
        copy.compile("lib/Transforms/Graph/KeepTypes.cpp", like),
        copy.compile("lib/Transforms/Tile/SortRows.cpp", like),
        copy.compile("lib/Pipelines/Pipelines.cpp"),
        copy.compile("lib/Pipelines/RegisterPasses.cpp"),
        copy.compile("tools/gnn-opt/gnn-opt.cpp")])
    passed = copy.lit("", "unroll-rows|keep-types|sort-rows|Tools/passes")
    assert re.search(r"Passed\s*:\s*4 ", passed)
    check_switches(copy, "gnn-graph-pipeline", "keep-types", "gnn-keep-types")
    check_switches(copy, "gnn-tile-pipeline", "sort-rows", "gnn-tile-sort-rows")
    # The tests that compare the list of switches to the docs and the options.
    monkeypatch.setattr(test_docs, "ROOT", copy.root)
    spec = importlib.util.spec_from_file_location(
        "support.written", copy.root / "python/tests/support/variants.py")
    variants = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(variants)
    assert variants.SWITCHES[-1] == "sort-rows"
    monkeypatch.setattr(test_docs, "variants", variants)
    test_docs.test_switches_of_passes()


def check_switches(copy, pipeline, switch, flag):
    """The pass runs in the pipeline unless its switch is off."""
    def passes(options=""):
        return run([copy.bin / "gnn-opt", "--dump-pass-pipeline",
                    f"--{pipeline}={options}", "/dev/null"])
    assert flag in passes()
    assert flag not in passes(f"{switch}=false")


@pytest.mark.parametrize("name, message", [
    ("compact-rows", "expected a name such as CompactRows, got 'compact-rows'"),
    ("CompactRowsPass", "expected a name such as CompactRows"),
    ("PlanMemory", "there is a pass PlanMemory already"),
])
def test_bad_names(name, message):
    result = subprocess.run([sys.executable, ROOT / "utils/new-pass.py", name],
                            capture_output=True, text=True)
    assert result.returncode == 1
    assert message in result.stderr
