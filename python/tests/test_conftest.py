# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests test this checkout."""

import os
import subprocess
import sys

from conftest import ROOT


def test_a_package_from_elsewhere_is_refused(tmp_path):
    (tmp_path / "gnn_mlir").mkdir()
    (tmp_path / "gnn_mlir/__init__.py").write_text("")
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q",
         ROOT / "python/tests/test_conftest.py"], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=False)
    assert result.returncode == 4
    assert (f"expected gnn_mlir of this checkout, {ROOT}/python/gnn_mlir/__init__.py, "
            f"got {tmp_path}/gnn_mlir/__init__.py: set PYTHONPATH={ROOT}/python") in result.stdout + result.stderr
