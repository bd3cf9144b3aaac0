# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tests find the tools of the build, and which options they have."""

import os
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true",
                     help="run the full product of cases, not a covering set")


def find_tool(name):
    """Path of a tool: from GNN_TOOLS, a build folder, or the PATH."""
    folders = [os.environ["GNN_TOOLS"]] if "GNN_TOOLS" in os.environ else sorted(
        str(p) for p in ROOT.glob("build/*/bin"))
    return shutil.which(name, path=os.pathsep.join(
        folders + [os.environ.get("PATH", "")]))


@pytest.fixture(scope="session")
def gnn_opt():
    """Path of gnn-opt; skips where it is not built."""
    path = find_tool("gnn-opt")
    if path is None:
        if "GNN_TOOLS" in os.environ:
            pytest.fail(f"no gnn-opt in GNN_TOOLS={os.environ['GNN_TOOLS']}")
        pytest.skip("gnn-opt is not built")
    return path
