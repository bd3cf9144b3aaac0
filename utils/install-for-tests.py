#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs a build for the tests that need an installed package, which share it.

    utils/install-for-tests.py BUILD

installs BUILD into its folder `installed`, and prints that. What is there and as it is
in the build stays; what is installed no longer is removed. One process does so at a time.
"""

import fcntl
import pathlib
import subprocess
import sys


def install(build):
    """The folder with what the build installs."""
    folder = build / "installed"
    with (build / "installed.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["cmake", "--install", build, "--prefix", folder], check=True,
                       stdout=subprocess.DEVNULL)
        installed = set((build / "install_manifest.txt").read_text(
            encoding="utf-8").splitlines())
        for path in folder.rglob("*"):
            if not path.is_dir() and str(path) not in installed:
                path.unlink()
    return folder


def main():
    if len(sys.argv) != 2 or not (pathlib.Path(sys.argv[1]) / "CMakeCache.txt").exists():
        sys.exit(f"expected a build folder, got {' '.join(sys.argv[1:]) or 'none'}")
    print(install(pathlib.Path(sys.argv[1]).resolve()))


if __name__ == "__main__":
    main()
