# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An op outside of the tree, built against an installed GNN, and loaded by
gnn-opt, gnn-run and Python. test/Examples/standalone-pass.test does so for a
pass."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from conftest import BUILD, ROOT

EXAMPLE = ROOT / "examples/standalone-op"
pytestmark = pytest.mark.skipif(not BUILD, reason="needs a build")


def run(*command, fails=False, **options):
    result = subprocess.run([str(word) for word in command], text=True,
                            capture_output=True, check=False, **options)
    assert bool(result.returncode) == fails, result.stdout + result.stderr
    return result.stderr if fails else result.stdout


def cached(name):
    text = (pathlib.Path(BUILD) / "CMakeCache.txt").read_text()
    return re.search(rf"^{name}:\w+=(.*)$", text, re.M)[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    if cached("GNN_STATIC_MLIR") == "ON":
        pytest.skip("a static build loads no plugins")
    folder = tmp_path_factory.mktemp("installed")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def plugin(installed, tmp_path_factory):
    build = tmp_path_factory.mktemp("standalone-op")
    # LLVM's tools are not in the path: GNN knows where its MLIR is.
    clean = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")}
    run("cmake", "-S", EXAMPLE, "-B", build, "-G", "Ninja",
        f"-DCMAKE_CXX_COMPILER={cached('CMAKE_CXX_COMPILER')}",
        f"-DCMAKE_C_COMPILER={cached('CMAKE_C_COMPILER')}",
        f"-DGNN_ROOT={installed}", env=clean)
    run("cmake", "--build", build, env=clean)
    return build / "ClipNorm.so"


@pytest.fixture
def python(installed):
    """The environment of a program that has the installed library."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"),
            "GNN_MLIR_LIBRARY": str(installed / "lib/libGNN.so")}


def test_python_computes_what_the_reference_does(plugin, python):
    out = run(sys.executable, EXAMPLE / "clip_norm.py", plugin, env=python)
    clipped = int(re.fullmatch(
        r"clip_norm: as the reference, (\d+) rows clipped\n", out)[1])
    assert 0 < clipped < 20


def test_gnn_opt_lowers_the_op(installed, plugin):
    text = run(installed / "bin/gnn-opt", EXAMPLE / "clip-norm.mlir",
               f"--load-dialect-plugin={plugin}", "--convert-gnn-to-gnn-tile")
    assert "extra." not in text
    assert "math.sqrt" in text


@pytest.mark.parametrize("old, new, message", [
    ("to 1.5", "to 0.0", "expected a finite limit above 0, got 0.0"),
    ("to 1.5", "to 0x7F800000", "expected a finite limit above 0, got 0x7F8"),
    ("8xf32", "2x2x2xf32", "expected one or two feature dimensions, got 3"),
    ("clip_norm %s", "clop_norm %s", "extra.clop_norm"),
])
def test_bad_ops_are_refused(installed, plugin, tmp_path, old, new, message):
    text = (EXAMPLE / "clip-norm.mlir").read_text()
    assert old in text
    bad = tmp_path / "bad.mlir"
    bad.write_text(text.replace(old, new))
    assert message in run(installed / "bin/gnn-opt", bad,
                          f"--load-dialect-plugin={plugin}", fails=True)


def test_gnn_run_computes_what_the_reference_does(installed, plugin, tmp_path):
    spec = importlib.util.spec_from_file_location("clip_norm",
                                                  EXAMPLE / "clip_norm.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    import gnn_mlir
    rng = np.random.default_rng(1)
    graph = gnn_mlir.Graph(rng.integers(0, 9, 40), rng.integers(0, 9, 40), 9)
    x = rng.standard_normal((9, 8), np.float32)
    graph.save(tmp_path / "g.npz")
    np.save(tmp_path / "x.npy", x)
    command = [installed / "bin/gnn-run", EXAMPLE / "clip-norm.mlir",
               "--function=clipped", f"--graph={tmp_path}/g.npz",
               f"--input=x={tmp_path}/x.npy", f"--output={tmp_path}"]
    assert "extra" in run(*command, fails=True)
    run(*command, f"--load-plugin={plugin}")
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"),
                               example.expected(graph, x), rtol=1e-5, atol=1e-6)


def test_what_is_no_plugin_is_refused(installed, tmp_path):
    command = [installed / "bin/gnn-run", EXAMPLE / "clip-norm.mlir",
               "--function=clipped"]
    missing = tmp_path / "missing.so"
    assert f"plugin '{missing}': No such file" in run(
        *command, f"--load-plugin={missing}", fails=True)
    library = installed / "lib/libGNNRuntime.so"
    assert ("expected mlirGetDialectPluginInfo or mlirGetPassPluginInfo, got "
            "neither") in run(*command, f"--load-plugin={library}", fails=True)


def test_python_refuses_what_is_no_plugin(compiler, tmp_path):
    import gnn_mlir
    with pytest.raises(gnn_mlir.GNNError, match="No such file"):
        gnn_mlir.load_plugin(tmp_path / "missing.so")
