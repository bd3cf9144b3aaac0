# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""find_package(GNNCAPI) and find_package(GNN) in a build folder, in what it installs and in a
wheel, and the page of the wheel, whose program in C is built with them."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT
from test_docs import blocks
from test_install import outside, run, shared, site, wheel  # noqa: F401

PAGE = "docs/Wheel.md"
pytestmark = [pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake"),
              pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")]


@pytest.fixture(scope="module", params=("build", "installed", "wheel"))
def prefix(request):
    """A folder that CMake finds packages in."""
    if request.param == "wheel":
        if "GNN_TEST_WHEEL" not in os.environ:
            pytest.skip("GNN_TEST_WHEEL names no wheel")
        return request.getfixturevalue("site") / "gnn_mlir"
    if not BUILD:
        pytest.skip("needs a build")
    if request.param == "build":
        return pathlib.Path(BUILD).resolve()
    return pathlib.Path(run(sys.executable, ROOT / "utils/install-for-tests.py", BUILD).strip())


def check_describes(program):
    """The program says what is wrong of a file that is not there."""
    done = subprocess.run([program, "none.gnnpkg"], cwd=program.parent, text=True, check=False,
                          capture_output=True)
    assert done.returncode == 1 and "cannot open 'none.gnnpkg'" in done.stderr


@pytest.mark.parametrize("library", ("Runtime", "GNN"))
def test_programs_in_c_by_cmake(prefix, library, tmp_path):
    source, (lists,) = blocks(PAGE, "c")[0], blocks(PAGE, "cmake")
    (tmp_path / "describe.c").write_text(source)
    (tmp_path / "CMakeLists.txt").write_text(lists.replace("GNN::Runtime)", f"GNN::{library})"))
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    check_describes(tmp_path / "build/describe")
    needed = run("ldd", tmp_path / "build/describe")
    found = re.search(rf"libGNN{library.replace('GNN', '')}\.so\S* => (\S+)", needed)[1]
    assert prefix in pathlib.Path(found).resolve().parents


def test_targets_are_exported(prefix):
    """Files say nothing of the place that they were made in, but for those of a build folder."""
    for file in (prefix / "lib/cmake").rglob("*.cmake"):
        text = file.read_text()
        assert "IMPORTED" not in text or "Targets" in file.name
        assert str(ROOT) not in text or prefix == pathlib.Path(BUILD).resolve()


@pytest.mark.parametrize("name", ("GNNCAPI", "GNN"))
def test_packages_have_no_components(prefix, name, tmp_path):
    if not (prefix / "lib/cmake" / name).exists():
        pytest.skip("a static build has no package for plugins")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(program C)\n"
        f"find_package({name} REQUIRED COMPONENTS none)\n")
    done = subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "build",
                           f"-DCMAKE_PREFIX_PATH={prefix}"], text=True, check=False,
                          capture_output=True)
    assert done.returncode != 0 and f"{name}_FOUND to FALSE" in done.stderr


@pytest.mark.parametrize("example", ("standalone-pass", "standalone-op"))
def test_plugins_are_configured(prefix, example, tmp_path):
    if prefix.name == "gnn_mlir" or not (prefix / "lib/cmake/GNN").exists():
        pytest.skip("a static build loads no plugins")
    out = run("cmake", "-S", ROOT / "examples" / example, "-B", tmp_path, "-DCMAKE_CXX_COMPILER=clang++-22",
              f"-DGNN_DIR={prefix}/lib/cmake/GNN", "-DCMAKE_C_COMPILER=clang-22")
    assert "Generating done" in out


def test_programs_in_c_by_pkg_config(prefix, tmp_path):
    block, = (one for one in blocks(PAGE, "sh") if "cc -std=c11 describe.c" in one)
    command = block.partition("./describe model")[0]
    if prefix.name != "gnn_mlir":
        command = f"DIR={prefix}\n" + command.partition("\n")[2]
    if not (prefix / "lib/pkgconfig").exists() or shutil.which("pkg-config") is None:
        pytest.skip("there is no pkg-config, or no file for it")
    (tmp_path / "describe.c").write_text(blocks(PAGE, "c")[0])
    site = str(prefix.parent) if prefix.name == "gnn_mlir" else ""
    run("sh", "-ec", command.replace("python -c", f"{sys.executable} -c"), cwd=tmp_path,
        env={**outside(), "PYTHONPATH": site})
    check_describes(tmp_path / "describe")


@pytest.mark.parametrize("tool", ("cc -std=c11 $SERVE", "cmake -S $SERVE"))
@pytest.mark.parametrize("page", (PAGE, "docs/Serving.md"))
def test_the_server_that_is_installed(prefix, page, tool, tmp_path):
    """Its commands build it without a checkout, by pkg-config and by CMake."""
    if prefix == pathlib.Path(BUILD or "").resolve():
        pytest.skip("a build folder has no examples")
    if tool.startswith("cc") and shutil.which("pkg-config") is None:
        pytest.skip("there is no pkg-config")
    block, = (one for one in blocks(page, "sh") if tool in one)
    lines = [line for line in block.replace("\\\n", " ").splitlines()
             if re.match("export|cc|cmake", line)]
    run("sh", "-ec", "\n".join([f"DIR={prefix}", "SERVE=$DIR/share/gnn-mlir/examples/serve", *lines]),
        cwd=tmp_path, env=outside())
    program = tmp_path / ("serve" if tool.startswith("cc") else "build-serve/serve")
    done = subprocess.run([program, "none.gnnpkg", "none.npz"], text=True, check=False,
                          capture_output=True)
    assert done.returncode == 1 and "cannot open 'none.gnnpkg'" in done.stderr


def test_what_is_installed_for_readers(prefix):
    """The pages and examples, as they are in the sources; README is where its pages look for it."""
    if prefix == pathlib.Path(BUILD or "").resolve():
        pytest.skip("a build folder has no pages")
    for name in shared():
        assert (prefix / "share/gnn-mlir" / name).read_bytes() == (ROOT / name).read_bytes()


def test_the_page_of_the_wheel_stands_alone():
    """It is read without the other pages, and so links to none."""
    assert not re.search(r"\]\((?!https?:)", (ROOT / PAGE).read_text())


def test_versions_of_torch_on_the_page():
    """They are those of pyproject.toml, and the line for the CPU is README's, of a version among them."""
    project, page = (ROOT / "pyproject.toml").read_text(), (ROOT / PAGE).read_text()
    extra = re.findall(r'"([^"]+)"', re.search(r"^torch = \[(.*)\]$", project, re.M)[1])
    assert len(extra) == 2 and all(f"`{one}`" in page for one in extra)
    line, = re.findall(r"^pip install .*/whl/cpu$", page, re.M)
    assert f"\n{line}\n" in (ROOT / "README.md").read_text()
    tested = re.search(r'"torch==(\d+\.\d+)\.\d+"', project)[1]
    assert f'"torch=={tested}.*"' in line
