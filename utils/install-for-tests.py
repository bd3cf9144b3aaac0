#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs a build for the tests that need an installed package, which share it.

    utils/install-for-tests.py BUILD [EXAMPLE]

installs BUILD into its folder `installed`, and prints that; or builds examples/EXAMPLE with
what is installed, and prints the folder with it. A file that is there and as it is in
the build stays; what is installed no longer is removed. One process does so at a time.
"""

import contextlib
import fcntl
import os
import pathlib
import re
import subprocess
import sys


ROOT = pathlib.Path(__file__).resolve().parent.parent


@contextlib.contextmanager
def alone(build, name):
    """One process at a time works at what is called so."""
    with (build / f"{name}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install(build):
    """The folder with what the build installs."""
    folder = build / "installed"
    with alone(build, "installed"):
        subprocess.run(["cmake", "--install", build, "--prefix", folder], check=True,
                       stdout=subprocess.DEVNULL)
        installed = set((build / "install_manifest.txt").read_text(
            encoding="utf-8").splitlines())
        for path in folder.rglob("*"):
            if not path.is_dir() and str(path) not in installed:
                path.unlink()
    return folder


def build_example(build, name):
    """The folder with an example that is built outside of the tree."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    compilers = [f"-D{key}={re.search(rf'^{key}:[A-Z]+=(.*)$', cache, re.M)[1]}"
                 for key in ("CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER")]
    # LLVM's tools are not in the path: GNN knows where its MLIR is.
    clean = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")}
    folder = build / "examples-of-installed" / name
    configure = ["-S", ROOT / "examples" / name, "-B", folder, "-G", "Ninja", *compilers,
                 f"-DGNN_ROOT={install(build)}"]
    with alone(build, name):
        for command in configure, ["--build", folder]:
            subprocess.run(["cmake", *command], check=True, env=clean, stdout=sys.stderr)
    return folder


def main():
    build, *examples = sys.argv[1:] or [""]
    if not (pathlib.Path(build) / "CMakeCache.txt").exists() or len(examples) > 1:
        sys.exit(f"expected a build folder, got {' '.join(sys.argv[1:]) or 'none'}")
    build = pathlib.Path(build).resolve()
    print(build_example(build, *examples) if examples else install(build))


if __name__ == "__main__":
    main()
