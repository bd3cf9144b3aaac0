# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of docs/Overlay.md: its tables are those of the tables of macros, and its commands run
one after the other and print what the page shows."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

import overlay_page
from conftest import BUILD, find_tool

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ("gnn-opt", "gnn-translate", "gnn-overlay-sim")


def test_tables():
    """Running overlay_page.py writes them."""
    made = overlay_page.tables()
    assert len(made["instructions"]) > 50 and len(made["timing"]) > 10
    assert overlay_page.page() == overlay_page.PAGE.read_text(encoding="utf-8")


def blocks():
    """(language, text) of each block between fences."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", overlay_page.PAGE.read_text(encoding="utf-8"),
                      re.M | re.S)


def shown(text, printed):
    """Whether the lines of a block are printed in that order; `...` stands for anything."""
    parts = [re.escape(line.strip()) for line in text.strip().splitlines()]
    pattern = r"\n\s*".join(parts).replace(r"\n\s*\.\.\.\n\s*", r"\n.*?").replace(r"\.\.\.", ".*")
    return re.search(pattern, printed, re.S)


def test_commands(tmp_path):
    for name in TOOLS:
        if find_tool(name) is None:
            if BUILD:
                pytest.fail(f"there is no {name} in {BUILD}/bin")
            pytest.skip(f"{name} is not built")
    (tmp_path / "layer.mlir").write_text(next(text for kind, text in blocks() if kind == "mlir"))
    folders = {str(pathlib.Path(find_tool(name)).parent) for name in TOOLS}
    env = dict(os.environ, PYTHONPATH=str(ROOT / "python"),
               PATH=os.pathsep.join([*sorted(folders), os.environ["PATH"]]))
    printed, everything, commands, outputs = "", "", 0, 0
    for kind, text in blocks():
        if kind == "sh":
            everything += printed
            printed = ""
            for command in text.strip().splitlines():
                command = re.sub("^python ", f"{shlex.quote(sys.executable)} ", command)
                result = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=tmp_path,
                                        env=env, capture_output=True, text=True, check=False)
                assert result.returncode == 0, (command, result.stderr)
                printed += result.stdout + result.stderr
                commands += 1
        elif kind == "text":
            assert shown(text, printed), (text, printed)
            outputs += 1
    assert commands == 9 and outputs == 4
    assert "Category:gnn-overlay-partition" in everything  # Remarks.


def test_python(compiler, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    piece, = [text for kind, text in blocks() if kind == "python"]
    names = {}
    exec(compile(piece, "docs/Overlay.md", "exec"), names)  # pylint: disable=exec-used
    size, layers, cycles, seconds = map(float, capsys.readouterr().out.split())
    assert layers == 4 and size == 16 * len(names["program"].instructions)
    assert seconds == pytest.approx(cycles / 300e6)
    assert (tmp_path / "b1.ga").stat().st_size > size
