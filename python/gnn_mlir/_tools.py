# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of a wheel: each becomes the tool of its name, which lies beside the library."""

import os
import pathlib
import signal
import sys


def main():
    name = pathlib.Path(sys.argv[0]).name
    tool = pathlib.Path(__file__).resolve().parent / "bin" / name
    if not tool.exists():
        sys.exit(f"{name}: expected {tool}, which a wheel has, got none; a build from source "
                 f"has it in build/*/bin")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and what it becomes would, too.
    os.execv(tool, [name, *sys.argv[1:]])
