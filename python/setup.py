# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the built libGNN.so into the wheel.

It is the one that GNN_MLIR_LIBRARY names, or the newest in build/*/lib of the
checkout. GNN_MLIR_PURE=1 makes a wheel without it: graphs, programs and the
reference work, and the library may be named when it is used.
"""

import os
import pathlib
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

ROOT = pathlib.Path(__file__).resolve().parent.parent
PURE = os.environ.get("GNN_MLIR_PURE") == "1"


def find_library():
    named = os.environ.get("GNN_MLIR_LIBRARY")
    found = [pathlib.Path(named)] if named else [
        *ROOT.glob("build/*/lib/libGNN.so"),
        *ROOT.glob("build/*/lib/*/libGNN.so")]
    found = [path for path in found if path.exists()]
    if not found:
        raise SystemExit(
            f"expected libGNN.so in {ROOT}/build/*/lib, or GNN_MLIR_LIBRARY to "
            f"name it, got {named or 'none'}; build it first, or set "
            "GNN_MLIR_PURE=1 for a package without it")
    return max(found, key=lambda path: path.stat().st_mtime)


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if not PURE:
            folder = pathlib.Path(self.build_lib) / "gnn_mlir" / "lib"
            folder.mkdir(parents=True, exist_ok=True)
            library = find_library()
            shutil.copy(library.resolve(), folder / "libGNN.so")
            # A static build is installed with what it needs beside it.
            for need in library.parent.glob("lib*.so.*"):
                if not need.name.startswith("libGNN"):
                    shutil.copy(need, folder)
            # Another build has most of the compiler in a library of its own,
            # which tools and plugins share.
            needs = library.read_bytes()
            for shared in library.parent.glob("libGNNCompiler.so.*"):
                if shared.name.encode() + b"\0" in needs:  # its soname
                    shutil.copy(shared.resolve(), folder / shared.name)


class BinaryDistribution(Distribution):
    """A wheel for this machine, but for every Python."""

    def has_ext_modules(self):
        return not PURE


def commands():
    found = {"build_py": BuildWithLibrary}
    try:
        from setuptools.command.bdist_wheel import bdist_wheel
    except ImportError:
        from wheel.bdist_wheel import bdist_wheel

    class Wheel(bdist_wheel):
        def get_tag(self):
            _, _, platform = super().get_tag()
            return ("py3", "none", "any" if PURE else platform)

    found["bdist_wheel"] = Wheel
    return found


setup(cmdclass=commands(), distclass=BinaryDistribution)
