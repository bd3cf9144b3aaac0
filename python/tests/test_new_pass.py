# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/new-pass.py writes a pass that builds and whose test passes."""

import re
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT
from source_copy import Copy, run


def new_pass(root, *arguments):
    return run([sys.executable, ROOT / "utils/new-pass.py", "--root", root,
                *arguments]).split()


@pytest.mark.skipif(not BUILD, reason="needs a build")
def test_new_passes_build_and_pass_their_tests(tmp_path):
    copy = Copy(tmp_path, "lib/Transforms", "test/Transforms", "tools/gnn-opt")
    written = new_pass(copy.root, "UnrollRows", "--level", "gnn_tile")
    assert written == ["include/GNN/Transforms/Passes.td",
                       "lib/Transforms/CMakeLists.txt",
                       "lib/Transforms/UnrollRows.cpp",
                       "test/Transforms/unroll-rows.mlir"]
    new_pass(copy.root, "KeepTypes")
    run(["clang-format-22", "--dry-run", "--Werror",
         *copy.root.glob("lib/Transforms/*.cpp")], cwd=ROOT)
    sources = re.findall(r"^  (\w\S*\.cpp)$", (
        copy.root / "lib/Transforms/CMakeLists.txt").read_text(), re.M)
    assert "UnrollRows.cpp" in sources and "KeepTypes.cpp" in sources
    assert sources == sorted(sources)
    copy.tablegen("GNN/Transforms/Passes.td", ".h.inc", "-gen-pass-decls",
                  "-name=GNNTransforms")
    like = "lib/Transforms/PlanMemory.cpp"
    copy.link("bin/gnn-opt", copy.bin / "gnn-opt", [
        copy.compile("lib/Transforms/UnrollRows.cpp", like),
        copy.compile("lib/Transforms/KeepTypes.cpp", like),
        copy.compile("tools/gnn-opt/gnn-opt.cpp")])
    passed = copy.lit("Transforms", "unroll-rows|keep-types")
    assert re.search(r"Passed\s*:\s*2 ", passed)


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
