# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/Serving.md: its commands train, save and serve a model of PyG, in Python without torch and in
C without LLVM."""

import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from conftest import ROOT

PAGE = "docs/Serving.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / PAGE).read_text(), re.M | re.S)


@pytest.fixture(scope="module")
def commands(compiler, tmp_path_factory):
    """(the folder of the commands, a function that runs the one that begins so)."""
    folder = tmp_path_factory.mktemp("serve")
    libraries = pathlib.Path(compiler.find_library()).resolve().parent
    if not (libraries / "libGNNRuntime.so").exists() or not shutil.which("cc"):
        pytest.skip("libGNNRuntime.so is not built, or there is no C compiler")
    text = re.sub(r"(\$PWD/)?build/ci/lib", str(libraries), "".join(blocks("sh")).replace(
        "\\\n", " ").replace("serve-out", str(folder)))
    lines = [shlex.split(line) for line in text.splitlines()]

    def run(begin, *more):
        line, = (line for line in lines if " ".join(line).startswith(begin.format(folder)))
        words = [sys.executable if word == "python" else word for word in line]
        return subprocess.run([*words, *more], cwd=ROOT, capture_output=True, text=True,
                              check=True, timeout=300).stdout
    out = run("python examples/serve/train.py")
    first, *_, last = map(float, re.findall(r"loss ([\d.]+)", out))
    assert last < first < 1.7
    run("cc -std=c11 -I include")
    return folder, run


def test_in_python(commands):
    folder, run = commands
    run("python examples/serve/serve.py", "--output", folder / "found.npz")
    with np.load(folder / "found.npz") as found, np.load(folder / "expected.npz") as expected:
        assert sorted(found) == sorted(expected) == ["0", "1"]
        for name in found:
            np.testing.assert_array_equal(found[name], expected[name])


def test_in_c(commands):
    """The runtime alone gives the bits of the compiled model."""
    folder, run = commands
    out = run("{}/serve --device cpu", folder / "out")
    assert re.findall(r"batch (\d): out \[2000, 5\], sum", out) == ["0", "1"]
    with np.load(folder / "expected.npz") as expected:
        for name in expected:
            found = np.fromfile(folder / f"out.{name}", np.float32).reshape(2000, 5)
            np.testing.assert_array_equal(found, expected[name])
    linked = subprocess.run(["ldd", folder / "serve"], capture_output=True, text=True, check=True)
    names = " ".join(line.split()[0] for line in linked.stdout.splitlines())  # Not their folders.
    assert "libGNNRuntime" in names and not re.search("LLVM|MLIR|libGNN.so|python", names)


def test_errors_in_c(commands):
    folder, _ = commands
    with np.load(folder / "batches.npz") as batches:
        np.savez(folder / "half.npz", **{"0/x": batches["0/x"][:, :5],
                                         "0/edge_index": batches["0/edge_index"]})
        np.savez(folder / "alone.npz", **{"0/x": batches["0/x"]})
    for arguments, words in (
            ([], "usage: serve"), (["model.gnnpkg", "none.npz"], "none.npz"),
            (["model.gnnpkg", "half.npz"], "serve: argument 'x': expected f32[?x32], got the shape "
             "[2000, 5]"),
            (["model.gnnpkg", "alone.npz"], "serve: argument 'edge_index': expected i64[2x?], got "
             "none"),
            (["batches.npz", "batches.npz"], "expected a saved model with 'model.json', got none")):
        found = subprocess.run([folder / "serve", "--device", "cpu", *arguments], cwd=folder,
                               capture_output=True, text=True, check=False)
        assert found.returncode in (1, 2) and words in found.stderr
        assert found.stderr.count("\n") < 3


@pytest.mark.parametrize("names, got", [
    (["x", "edge_index"], "x"), (["0/x", "0/edge_index", "2/x"], "2/x"),
    (["0/x", "0/edge_index", "1/X"], "1/X")])
def test_files_without_batches(commands, names, got):
    """In C and in Python: one error, and no batch runs."""
    folder, _ = commands
    with np.load(folder / "batches.npz") as batches:
        np.savez(folder / "names.npz", **{
            name: batches["0/edge_index" if "edge" in name else "0/x"]
            for name in names})
    for command in ([folder / "serve", "--device", "cpu"],
                    [sys.executable, ROOT / "examples/serve/serve.py", "--device", "cpu"]):
        found = subprocess.run([*command, folder / "model.gnnpkg", folder / "names.npz"],
                               capture_output=True, text=True, check=False)
        assert found.returncode == 1 and not found.stdout
        assert re.search("names.npz: expected arrays of batches by the names of arguments, "
                         rf"0/\w+, \.\.\., 1/\w+, \.\.\., got .*{got}", found.stderr), found.stderr


def test_the_whole_program_of_the_page(commands, tmp_path):
    """It compiles without warnings, and prints what its comment says."""
    import torch
    from torch_geometric.nn import GraphSAGE

    import gnn_mlir
    program, libraries = blocks("c")[0], pathlib.Path(gnn_mlir.capi.find_library()).resolve().parent
    (tmp_path / "whole.c").write_text(program)
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include", "whole.c", "-L",
                    libraries, "-lGNNRuntime", f"-Wl,-rpath,{libraries}", "-o", "whole"], cwd=tmp_path,
                   check=True, timeout=60)
    given = torch.randn(100, 16), torch.randint(0, 100, (2, 400))
    gnn_mlir.export(GraphSAGE(16, 32, num_layers=2, out_channels=4), given, tmp_path / "model.gnnpkg")
    out = subprocess.run([tmp_path / "whole"], cwd=tmp_path, capture_output=True, text=True, check=True)
    printed, = re.findall(r"printf\(.*/\* (.*) \*/$", program, re.M)
    assert out.stdout == f"{printed}\n"
