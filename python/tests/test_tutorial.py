# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of docs/KernelOptimization.md and docs/GraphPass.md: the commands of each run one after
the other and print what stands below them, and its excerpts are in the sources.

A block whose first line is a comment with a name is that file, or an excerpt of the file
of that name in the tree; a block of text is what the commands above it print."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from conftest import BUILD, find_tool

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {name: ROOT / "docs" / name for name in ("KernelOptimization.md", "GraphPass.md")}
#: The example that the commands of a page build, and its folder in `build`.
PLUGINS = {"KernelOptimization.md": ("standalone-tile-pass", "tile"),
           "GraphPass.md": ("standalone-pass", "hoist")}
BLOCK = re.compile(r"^```(\w+)\n(?:(?://|#) (\S+\.\w+)\n)?(.*?)^```$", re.M | re.S)
MARK = "---- the block at line"


def blocks(page):
    """(line, language, the file that it names, text) of each block of a page."""
    text = PAGES[page].read_text()
    return [(text.count("\n", 0, found.start()) + 1, *found.groups())
            for found in BLOCK.finditer(text)]


def check_shown(page, line, shown, text, where):
    """All of a block is in `text` in this order, but for what `...` leaves out. Line
    breaks and indentation may differ."""
    text, at = " ".join(text.split()), 0
    for piece in re.split(r"(?<!\S)\.\.\.(?!\S)", shown):
        piece = " ".join(piece.split())
        found = text.find(piece, at)
        assert found >= 0, f"{page}:{line}: not in {where}: {piece}\n{text[at:]}"
        at = found + len(piece)


@pytest.fixture(scope="module", params=PAGES)
def page(request):
    return request.param


def script_named(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture(scope="module")
def folder(page, tmp_path_factory):
    """A folder that looks like the root of the tree to the commands."""
    path = tmp_path_factory.mktemp("tutorial")
    for name in ("benchmarks", "test", "examples"):
        (path / name).symlink_to(ROOT / name)
    script_named(path / "bin/python", f'exec "{sys.executable}" "$@"')
    if not BUILD:
        pytest.skip("needs a build")
    plugin, name = PLUGINS[page]
    built = subprocess.run([sys.executable, ROOT / "utils/install-for-tests.py", BUILD, plugin],
                           capture_output=True, text=True, check=True).stdout.strip()
    (path / "build").mkdir()
    (path / "build" / name).symlink_to(built)
    script_named(path / "bin/cmake", ":")  # It is built already, for all tests.
    return path


@pytest.fixture(scope="module")
def printed(page, folder, gnn_opt, compiler):
    """{line of a block of commands: what they print}, of all in one shell."""
    script = ["set -e -o pipefail", "exec 2>&1"]
    for line, language, name, text in blocks(page):
        if language == "mlir":
            (folder / name).write_text(f"// {name}\n{text}")
        elif language == "sh":
            script += [f"echo '{MARK} {line}'", text]
    tools = pathlib.Path(gnn_opt).parent
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python"),
           "PATH": f"{folder}/bin:{tools}:{os.environ['PATH']}"}
    assert find_tool("gnn-run"), f"there is no gnn-run in {tools}"
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=folder, env=env,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{page}: {done.stdout[-4000:]}{done.stderr}"
    parts = re.split(rf"^{MARK} (\d+)\n", done.stdout, flags=re.M)
    return dict(zip(map(int, parts[1::2]), parts[2::2]))


def test_commands(page, printed):
    last, shown = None, 0
    for line, language, name, text in blocks(page):
        if language == "sh":
            last = line
        elif language == "text":
            check_shown(page, line, text, printed[last], f"what line {last} prints")
            shown += 1
    assert shown >= 5


def test_excerpts(page):
    excerpts = [block for block in blocks(page) if block[1] not in ("sh", "text", "mlir")]
    assert len(excerpts) >= 5
    for line, _, name, text in excerpts:
        assert name, f"{page}:{line}: expected the file of the excerpt"
        check_shown(page, line, text, (ROOT / name).read_text(), name)


def test_files():
    """Files that are named are there, and those of the table have what it names."""
    for page in PAGES.values():
        for name in re.findall(r"`((?:include|lib|python|benchmarks|utils)/[\w/.-]+)",
                               page.read_text()):
            assert (ROOT / name).exists(), name
    text = PAGES["KernelOptimization.md"].read_text()
    rows = re.findall(r"^\| `([\w/.]+)` \| (.*) \|$", text, re.M)
    assert len(rows) >= 5
    for name, what in rows:
        words = re.findall(r"`(\w+)`", what)
        assert words, name
        for word in words:
            assert re.search(rf"\b{word}\b", (ROOT / name).read_text()), (name, word)
