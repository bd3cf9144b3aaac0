# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/run_package.c, built by a C compiler and run: with the runtime alone it
prints the plan and runs on the CPU, with the emulator it gives Python's numbers."""

import json
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

import gnn_mlir
from conftest import ROOT, find_tool
from gnn_mlir import Graph, models


def build(folder, libraries, name, *options, source=ROOT / "examples/run_package.c"):
    """Builds an example against one of the libraries alone."""
    cc = shutil.which("cc") or shutil.which("clang-22")
    if cc is None:
        pytest.skip("there is no C compiler")
    program = folder / "".join([source.stem, name, *options])
    command = [cc, "-std=c11", "-Wall", "-Wextra", "-Werror", *options,
               "-I", str(ROOT / "include"), str(source),
               "-L", str(libraries), f"-l{name}", f"-Wl,-rpath,{libraries}",
               "-o", str(program)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return program


@pytest.fixture(name="files", scope="module")
def files_fixture(compiler, tmp_path_factory):
    folder = tmp_path_factory.mktemp("c")
    libraries = pathlib.Path(compiler.find_library()).resolve().parent
    if not (libraries / "libGNNRuntime.so").exists():
        pytest.skip("libGNNRuntime.so is not built")
    rng = np.random.default_rng(5)
    Graph(*rng.integers(0, 20, (2, 90)), 20, num_edge_types=3,
          edge_type=rng.integers(0, 3, 90)).save(folder / "g.npz")
    compiled = gnn_mlir.compile(models.rgcn(3, (8, 4)), target="emulator")
    compiled.save(folder / "m.gnnpkg")
    return folder, libraries, compiled


def run(program, *arguments, code=0):
    result = subprocess.run([program, *arguments], cwd=program.parent, text=True,
                            capture_output=True, timeout=120, check=False)
    assert result.returncode == code, result.stderr
    return result.stdout if code == 0 else result.stderr


def made_up(bound):
    """The inputs that the program makes."""
    return {info.name: ((np.arange(int(np.prod(info.shape))) % 17) / 16 - 0.5).astype(
        np.float32).reshape(info.shape) for info in bound.bound.inputs}


def test_runtime_alone(files):
    folder, libraries, _ = files
    program = build(folder, libraries, "GNNRuntime")
    plan = json.loads(run(program, "--plan", "m.gnnpkg"))
    function, = plan["functions"]
    assert function["name"] == "rgcn" and function["steps"]
    assert "usage:" in run(program, code=2)
    assert "none.gnnpkg" in run(program, "none.gnnpkg", "g.npz", code=1)
    # The package has kernels for the emulator alone.
    assert "run_package: " in run(program, "m.gnnpkg", "g.npz", code=1)


def test_emulator(files):
    folder, libraries, compiled = files
    program = build(folder, libraries, "GNN", "-DGNN_EXAMPLE_EMULATOR")
    out = run(program, "m.gnnpkg", "g.npz")
    bound = compiled.bind(Graph.load(folder / "g.npz"))
    expected = bound(made_up(bound))
    info, = bound.bound.outputs
    name, shape, total = re.match(r"(\w+): f32\[(.*)\], sum (.*)\n", out).groups()
    assert name == info.name
    assert shape == ", ".join(map(str, info.shape))
    np.testing.assert_allclose(float(total), np.asarray(expected, np.float64).sum(),
                               rtol=1e-4, atol=1e-4)
    report = json.loads(out.splitlines()[-1])
    assert [s["kernel"] for s in report["steps"]] == [
        s["kernel"] for s in bound.report()["steps"]]
    message = run(program, "m.gnnpkg", "g.npz", "other", code=1)
    assert "expected one of the functions rgcn; got 'other'" in message


def test_cpu(files):
    """A package that gnn-translate makes for the CPU runs without the compiler; one for the
    emulator does not, and is an error with it, as are kernels as IR alone without it."""
    folder, libraries, compiled = files
    translate = find_tool("gnn-translate")
    if translate is None:
        pytest.skip("gnn-translate is not built")
    (folder / "m.mlir").write_text(compiled.source.module.text())
    for name, options in (("cpu", ["--target=cpu"]), ("gpu", ["--target=emulator"]),
                          ("ir", ["--target=cpu", "--objects="])):
        subprocess.run([translate, "m.mlir", "--gnn-to-package", *options, "-o",
                        f"{name}.gnnpkg"], cwd=folder, check=True, timeout=120)
    runtime, whole = (build(folder, libraries, name, "-DGNN_EXAMPLE_CPU")
                      for name in ("GNNRuntime", "GNN"))
    needed = subprocess.run(["ldd", runtime], capture_output=True, text=True, check=True).stdout
    assert "libGNNRuntime.so" in needed and "LLVM" not in needed and "MLIR" not in needed
    out = [re.search("sum (.*)", run(program, "cpu.gnnpkg", "g.npz"))[1]
           for program in (runtime, whole)]
    assert out[0] == out[1]
    bound = compiled.bind(Graph.load(folder / "g.npz"))
    np.testing.assert_allclose(
        float(out[0]), np.asarray(bound(made_up(bound)), np.float64).sum(), rtol=1e-4, atol=1e-4)
    assert "expected one thread a block" in run(whole, "gpu.gnnpkg", "g.npz", code=1)
    run(whole, "ir.gnnpkg", "g.npz")
    for name in "gpu", "ir":
        assert re.search(r"expected kernels as [\w. -]+\.so for cpu, as gnn-translate "
                         "--gnn-to-package --target=cpu makes them, got mlir",
                         run(runtime, f"{name}.gnnpkg", "g.npz", code=1))


def keys(value):
    """All names of fields in JSON."""
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


def test_page_names_every_field(files):
    page = (ROOT / "docs/CAPI.md").read_text()
    plan = files[2].package.plan()
    assert {"kernel", "ops", "grid"} <= keys(plan)
    assert not {key for key in keys(plan) if f"`{key}`" not in page
                and f'"{key}"' not in page}
