# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/serve: a model of PyG that is trained, saved and served, in Python without torch and in C
without LLVM."""

import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

from conftest import ROOT
from test_c_example import build, run

EXAMPLES = ROOT / "examples/serve"


@pytest.fixture(scope="module")
def trained(compiler, tmp_path_factory):
    """The folder of a trained model and its batches."""
    folder = tmp_path_factory.mktemp("serve")
    out = subprocess.run([sys.executable, EXAMPLES / "train.py", folder, "--epochs", "20"],
                         check=True, capture_output=True, text=True).stdout
    first, last = map(float, re.findall(r"loss ([\d.]+)", out))
    assert last < first < 1.7
    return folder


@pytest.fixture(scope="module")
def program(trained, compiler):
    libraries = pathlib.Path(compiler.find_library()).resolve().parent
    if not (libraries / "libGNNRuntime.so").exists():
        pytest.skip("libGNNRuntime.so is not built")
    return build(trained, libraries, "GNNRuntime", source=EXAMPLES / "serve.c")


def test_in_python(trained):
    subprocess.run([sys.executable, EXAMPLES / "serve.py", trained / "model.gnnpkg",
                    trained / "batches.npz", "--output", trained / "found.npz"], check=True)
    with np.load(trained / "found.npz") as found, np.load(trained / "expected.npz") as expected:
        assert sorted(found) == sorted(expected) == ["0", "1"]
        for name in found:
            np.testing.assert_array_equal(found[name], expected[name])


def test_in_c(trained, program):
    """The runtime alone gives the bits of the compiled model."""
    out = run(program, "--device", "cpu", "model.gnnpkg", "batches.npz", "out")
    assert re.findall(r"batch (\d): out \[2000, 5\], sum", out) == ["0", "1"]
    with np.load(trained / "expected.npz") as expected:
        for name in expected:
            found = np.fromfile(trained / f"out.{name}", np.float32).reshape(2000, 5)
            np.testing.assert_array_equal(found, expected[name])


def test_errors_in_c(trained, program):
    assert "usage: serve" in run(program, code=2)
    with np.load(trained / "batches.npz") as batches:
        np.savez(trained / "half.npz", **{"0/x": batches["0/x"][:, :5],
                                          "0/edge_index": batches["0/edge_index"]})
        np.savez(trained / "alone.npz", **{"0/x": batches["0/x"]})
    half = run(program, "--device", "cpu", "model.gnnpkg", "half.npz", code=1)
    assert half.startswith("serve: argument 'x': expected f32[?x32], got the shape [2000, 5]")
    alone = run(program, "--device", "cpu", "model.gnnpkg", "alone.npz", code=1)
    assert "edge_index" in alone
    assert "none.npz" in run(program, "--device", "cpu", "model.gnnpkg", "none.npz", code=1)
