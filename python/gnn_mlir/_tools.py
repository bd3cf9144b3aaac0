# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of a wheel: each becomes the tool of its name, which lies beside the library."""

import os
import pathlib
import sys


def _become(name):
    tool = pathlib.Path(__file__).resolve().parent / "bin" / name
    if not tool.exists():
        sys.exit(f"{name}: expected {tool}, which a wheel has, got none; a build from source "
                 f"has it in build/*/bin")
    os.execv(tool, [name, *sys.argv[1:]])


def gnn_opt():
    """Runs passes and pipelines on IR."""
    _become("gnn-opt")


def gnn_run():
    """Runs a function of a program on a graph file."""
    _become("gnn-run")


def gnn_translate():
    """Writes PTX, packages and pictures."""
    _become("gnn-translate")
