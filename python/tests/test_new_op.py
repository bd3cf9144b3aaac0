# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/new-op.py writes an op that builds, passes its tests, computes what its
reference does, and has a gradient."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT
from source_copy import Copy, run

PROGRAM = """
import sys
import gnn_mlir
from support import graphs, op_cases

assert gnn_mlir.__file__.startswith(sys.argv[1]), gnn_mlir.__file__
assert "op-soft-clip" in op_cases.OPS
m = gnn_mlir.Module()
g = m.graph("g")
f = m.function("f")
x = f.input("x", g.rows("node", 3, 5))
f.output("out", f.soft_clip(x, -1.5))
graph = graphs.random_graph(7, 20, 1, 1)
inputs = f.random_inputs(graph)
out = gnn_mlir.compile(f, target="emulator")(graph, inputs)
assert abs(out - f.evaluate(graph, inputs)["out"]).max() < 1e-6
assert abs(out + 1.5 * inputs["x"]).max() < 1e-6
layer = gnn_mlir.compile(f, target="emulator", gradients=True)
found = layer.gradients(graph, inputs, {"out": inputs["x"]})["x"]
assert abs(found + 1.5 * inputs["x"]).max() < 1e-6
print("good")
"""


def new_op(root, name):
    return run([sys.executable, ROOT / "utils/new-op.py", "--root", root,
                name]).split()


@pytest.mark.skipif(not BUILD, reason="needs a build")
def test_a_new_op_builds_and_passes_its_tests(tmp_path):
    copy = Copy(tmp_path, "lib", "test/Dialect/GNN", "test/Conversion/GNNToTile",
                "python/gnn_mlir", "python/tests/support")
    written = new_op(copy.root, "SoftClip")
    assert "include/GNN/Dialect/GNN/IR/GNNFeatureOps.td" in written
    sources = [path for path in written if path.endswith(".cpp")]
    assert len(sources) == 4
    run([sys.executable, ROOT / "utils/check-gradients.py", copy.root])
    run(["clang-format-22", "--dry-run", "--Werror",
         *[copy.root / path for path in written if path[-2:] in ("pp", ".h")]],
        cwd=ROOT)
    # In the build, functions that it calls may be in it.
    sources.append("lib/Conversion/GNNToTile/GNNToTile.cpp")
    ops = "GNN/Dialect/GNN/IR/GNNFeatureOps.td"
    copy.tablegen(ops, ".h.inc", "-gen-op-decls", "-dialect=gnn")
    copy.tablegen(ops, ".cpp.inc", "-gen-op-defs", "-dialect=gnn")
    compiler = (copy.build / "lib/libGNNCompiler.so").resolve()
    named = compiler.with_suffix("")  # by the minor version, until 1.0
    copy.link(f"lib/{compiler.name}", copy.lib / named.name,
              [copy.compile(source) for source in sources])
    shutil.copy(copy.build / "bin/gnn-opt", copy.bin)
    shutil.copy(copy.build / "lib/libGNN.so", copy.lib)
    passed = copy.lit("", r"/GNN/ops|invalid-features|GNNToTile/features")
    assert re.search(r"Passed\s*:\s*3 ", passed)
    python = copy.root / "python"
    assert run([sys.executable, "-c", PROGRAM, python], cwd=tmp_path, env={
        **os.environ, "PYTHONPATH": f"{python}:{python}/tests",
        "GNN_MLIR_LIBRARY": str(copy.lib / "libGNN.so")}) == "good\n"


@pytest.mark.parametrize("name, message", [
    ("soft-clip", "expected a name such as SoftClip, got 'soft-clip'"),
    ("SoftClipOp", "expected a name such as SoftClip"),
    ("LayerNorm", "there is an op gnn.layer_norm already"),
])
def test_bad_names(name, message):
    result = subprocess.run([sys.executable, ROOT / "utils/new-op.py", name],
                            capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert message in result.stderr
