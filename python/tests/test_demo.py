# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The run of ./demo after building, with few features."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_demo(compiler, tmp_path):
    if not os.path.exists("/usr/share/wordnet/data.noun"):
        pytest.skip("Debian's wordnet-base is not installed")
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"),
                       GNN_MLIR_LIBRARY=compiler.find_library())
    result = subprocess.run(
        [sys.executable, ROOT / "examples/demo.py", "--device", "emulator",
         "--features", "4", "--output", tmp_path], env=environment,
        capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "26496" in result.stdout and "of 27 types" in result.stdout
    assert result.stdout.count("rows against float64") == 2
    for model in ("rgcn", "rgat"):
        for name in ("1-graph.mlir", "7-gpu.mlir", "kernels.ptx"):
            assert (tmp_path / model / name).stat().st_size > 0
