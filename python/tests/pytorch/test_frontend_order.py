# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front end's packages import those before them alone."""

import ast
import os
import re

import pytest

from conftest import ROOT as CHECKOUT

pytest.importorskip("torch")

from gnn_mlir.pytorch.frontend import dgl, places  # noqa: E402
from gnn_mlir.pytorch.frontend.calls import frames  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing import adjacency  # noqa: E402

ROOT = CHECKOUT / "python/gnn_mlir/pytorch/frontend"


def _imports():
    """{module: the modules of the front end that it imports}, by their paths, wherever in it
    the import is."""
    files = {path.relative_to(ROOT).with_suffix("").parts for path in ROOT.rglob("*.py")}
    found = {}
    for file in files:
        tree = ast.parse(ROOT.joinpath(*file).with_suffix(".py").read_text())
        made = found[file] = set()
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or not 0 < node.level <= len(file):
                continue
            base = (*file[:len(file) - node.level], *(node.module or "").split("."))
            base = tuple(filter(None, base))
            made |= {one for name in node.names for one in (base, (*base, name.name))
                     if one in files}
    return found


def test_packages_import_those_before_them():
    text = (ROOT / "__init__.py").read_text()
    order = re.split(r",\s+", re.search(r"in the order of\s+(.*?)\.", text, re.S)[1])
    assert set(order) == {path.parent.name for path in ROOT.glob("*/__init__.py")}
    wrong = [(file, one) for file, imported in _imports().items() for one in imported
             if file[0] in order and one[0] in order and (
                 order.index(one[0]) > order.index(file[0]))]
    assert not wrong


def test_files_of_the_package_are_known():
    """Their frames are not traced, but for those that are parts of models, and their lines are not
    the user's."""
    package = str(CHECKOUT / "python/gnn_mlir") + os.sep
    assert places._OWN == frames._OWN == package
    assert all(module.__file__.startswith(frames._TRACED) for module in (dgl, adjacency))
    assert not frames.__file__.startswith(frames._TRACED)
