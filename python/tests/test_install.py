# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel: built, installed in an empty folder, used outside of the checkout."""

import ast
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import zipfile

import pytest

from gnn_mlir._version import VERSION

ROOT = pathlib.Path(__file__).resolve().parents[2]

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



def run(*command, **options):
    result = subprocess.run([str(word) for word in command], text=True,
                            capture_output=True, check=False, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def shared():
    """The pages and the examples that are installed, by their paths in the sources."""
    return ["README.md", "examples/rgcn.mlir", *(
        str(path.relative_to(ROOT)) for pattern in ("docs/*.md", "docs/images/*.svg", "examples/serve/*.*")
        for path in ROOT.glob(pattern))]


def outside():
    """The environment without what leads to the checkout."""
    return {k: v for k, v in os.environ.items()
            if k != "PYTHONPATH" and not k.startswith("GNN_MLIR")}


@pytest.fixture(scope="module")
def wheel(compiler, tmp_path_factory):
    """The wheel that GNN_TEST_WHEEL names; else one without a library, which takes five
    minutes to build."""
    if "GNN_TEST_WHEEL" in os.environ:
        return pathlib.Path(os.environ["GNN_TEST_WHEEL"]).resolve()
    pytest.importorskip("scikit_build_core")
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
        "--no-index", "-Cwheel.cmake=false", "--wheel-dir", folder, ROOT, env=outside())
    found, = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def site(wheel, compiler, tmp_path_factory):
    """The folder that it is installed in; a wheel without them gets the libraries and tools of
    the build."""
    site = tmp_path_factory.mktemp("site")
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index",
        "--target", site, wheel)
    if "GNN_TEST_WHEEL" not in os.environ:
        library = pathlib.Path(compiler.find_library())
        (site / "gnn_mlir/lib").mkdir()
        for path in (library, *library.parent.glob("libGNNCompiler.so.*")):
            shutil.copy(path, site / "gnn_mlir/lib")
        (site / "gnn_mlir/bin").symlink_to(library.parents[1] / "bin")
    return site


def test_what_a_wheel_has(wheel):
    name, version, python, abi, platform = wheel.stem.split("-")
    assert (name, python, abi) == ("gnn_mlir", "py3", "none")
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if not n.endswith("/")]  # auditwheel writes folders.
        metadata, = (archive.read(n).decode() for n in names if n.endswith("/METADATA"))
    assert [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and
            "extra" not in line] == ["Requires-Dist: numpy>=1.22"]
    assert f"\nVersion: {VERSION}\n" in metadata and version == VERSION
    assert {n.rsplit("/")[-1] for n in names if "/licenses/" in n} == {
        "LICENSE", "LICENSES.third-party"}
    assert not [n for n in names if re.search("test|support", n)]
    # The page of an index has no other pages.
    assert "# gnn-mlir\n" in metadata and not re.search(r"\]\((?!https?:)", metadata)
    if platform != "any":
        assert {"gnn_mlir/lib/libGNN.so", "gnn_mlir/lib/libGNNRuntime.so",
                "gnn_mlir/bin/gnn-opt", "gnn_mlir/bin/gnn-run", "gnn_mlir/bin/gnn-translate",
                "gnn_mlir/include/GNN-c/Runtime.h", "gnn_mlir/lib/pkgconfig/gnn.pc",
                "gnn_mlir/lib/cmake/GNNCAPI/GNNCAPIConfig.cmake",
                "gnn_mlir/lib/cmake/GNNCAPI/GNNCAPITargets.cmake",
                *(f"gnn_mlir/share/gnn-mlir/{one}" for one in shared())} <= set(names)
        assert len([n for n in names if ".so" in n]) == 2


@pytest.mark.skipif("GNN_TEST_WHEEL" not in os.environ, reason="of a static build alone")
def test_files_do_not_say_where_they_were_built(wheel):
    """Sources are named from the root of the tree."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            text = archive.read(name)
            assert not re.findall(rb"/[\w./+-]+/(?:lib|include|tools)/\w[\w/]*\.(?:cpp|h|c|inc)\b",
                                  text.replace(b"/usr/lib/", b"")), name
            assert b"gnn_mlir-" not in text or name.endswith(("/RECORD", "/README.md")), name


def check(site, folder, first, call):
    """The installed package compiles and runs PROGRAM, in a process of its own."""
    program = folder / "program.py"
    program.write_text(PROGRAM.format(first=first, call=call))
    out = run(sys.executable, program, site, cwd=folder,
              env={**outside(), "PYTHONPATH": str(site)})
    assert out.startswith("good ")


def test_installed_package_compiles_and_runs(site, tmp_path):
    check(site, tmp_path, 'sys.modules["torch"] = None', "out = gcn(graph, inputs)")


@pytest.mark.parametrize("tool", ("gnn-opt", "gnn-run", "gnn-translate", "gnn-tune"))
def test_tools_are_commands(site, tool):
    out = run(site / "bin" / tool, "--version", env={**outside(), "PYTHONPATH": str(site)})
    assert "gnn-mlir" in out


def test_tools_end_quietly_with_their_reader(site):
    """As where a pager or head has read enough."""
    done = subprocess.Popen([site / "bin/gnn-opt", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**outside(), "PYTHONPATH": str(site)})
    done.stdout.close()
    assert done.stderr.read() == b"" and done.wait() == -signal.SIGPIPE


@pytest.mark.skipif("GNN_TEST_WHEEL" not in os.environ, reason="of a static build alone")
@pytest.mark.parametrize("option", (["--load-pass-plugin=x.so"], ["-load-dialect-plugin", "x.so"]))
def test_a_wheel_loads_no_plugin(site, option):
    done = subprocess.run([site / "bin/gnn-opt", *option, "-"], input="", text=True, check=False,
                          env={**outside(), "PYTHONPATH": str(site)}, capture_output=True)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "'x.so': expected a build with a shared MLIR, this one is static" in done.stderr


def test_a_tool_that_is_not_there_is_one_line(site, monkeypatch):
    from gnn_mlir import _tools
    monkeypatch.setattr(_tools, "__file__", str(site / "none" / "_tools.py"))
    monkeypatch.setattr(sys, "argv", ["/usr/bin/gnn-opt"])
    with pytest.raises(SystemExit, match="gnn-opt: expected .*/bin/gnn-opt, which a wheel has"):
        _tools.main()


def test_the_sources_of_the_package_are_of_the_oldest_python():
    for path in (ROOT / "python/gnn_mlir").rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
