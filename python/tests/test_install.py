# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel: built, installed in an empty folder, used outside of the checkout."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

PYTHON = pathlib.Path(__file__).resolve().parents[1]

PROGRAM = '''
import sys
{first}
import numpy as np
import gnn_mlir
from gnn_mlir import capi, models

assert gnn_mlir.__file__.startswith(sys.argv[1]), gnn_mlir.__file__
assert capi.find_library().startswith(sys.argv[1]), capi.find_library()
graph = gnn_mlir.Graph([0, 1, 2, 0, 1, 2], [1, 2, 0, 0, 1, 2], 3)
gcn = gnn_mlir.compile(models.gcn((4, 5)))
inputs = gcn.source.random_inputs(graph)
expected = gcn.source.evaluate(graph, inputs)["out"]
{call}
np.testing.assert_allclose(np.asarray(out), expected, rtol=1e-5, atol=1e-6)
print("good", gnn_mlir.__version__)
'''

NUMPY = {"first": "", "call": "out = gcn(graph, inputs)"}
# Torch first, so that what it brings into the process is there already.
TORCH = {"first": "import torch; torch.ones(8, 8) @ torch.ones(8, 8)",
         "call": "out = gcn(graph, {k: torch.from_numpy(v)"
                 " for k, v in inputs.items()})"}


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], text=True,
                            capture_output=True, check=False, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def outside():
    """The environment without what leads to the checkout."""
    return {k: v for k, v in os.environ.items()
            if k != "PYTHONPATH" and not k.startswith("GNN_MLIR")}


def can_build():
    """Whether the setuptools that is here makes wheels without a download."""
    if importlib.util.find_spec("setuptools") is None:
        return False
    from setuptools import __version__
    return tuple(map(int, __version__.split(".")[:2])) >= (70, 1)


@pytest.fixture(scope="module")
def wheel(compiler, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    # A copy, so that building leaves nothing in the checkout.
    shutil.copytree(PYTHON, folder / "python", ignore=shutil.ignore_patterns(
        "__pycache__", "build", "*.egg-info"))
    library = pathlib.Path(compiler.find_library()).resolve()
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps",
        *(["--no-build-isolation", "--no-index"] if can_build() else []),
        "--wheel-dir", folder, folder / "python",
        env={**outside(), "GNN_MLIR_LIBRARY": str(library)})
    found, = folder.glob("*.whl")
    return found


def test_wheel_is_for_every_python_of_the_machine(wheel):
    name, version, python, abi, platform = wheel.stem.split("-")
    assert (name, python, abi) == ("gnn_mlir", "py3", "none")
    assert platform.startswith("linux_")
    names = zipfile.ZipFile(wheel).namelist()
    assert "gnn_mlir/lib/libGNN.so" in names
    assert not [n for n in names if re.search("test|support", n)]


@pytest.mark.parametrize("user", ("numpy", "torch"))
def test_installed_package_compiles_and_runs(wheel, tmp_path, user):
    if importlib.util.find_spec(user) is None:
        pytest.skip(f"{user} is not installed")
    site = tmp_path / "site"
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index",
        "--target", site, wheel)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(**(TORCH if user == "torch" else NUMPY)))
    out = run(sys.executable, program, site, cwd=tmp_path,
              env={**outside(), "PYTHONPATH": str(site)})
    assert out.startswith("good ")
