#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs models and op families on a GPU under compute-sanitizer.

    utils/sanitize.py --build build/static [--tool memcheck,racecheck]

Each case is compiled and run by gnn-run, and its numbers are checked as well.
Needs compute-sanitizer of the CUDA toolkit and a GPU.
"""

import argparse
import concurrent.futures
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from gnn_mlir.testing import cases, tools  # noqa: E402


def check(tool, build, case):
    run = tools.run_by_tool(build / "bin/gnn-run", "--target", "cuda", under=(
        "compute-sanitizer", "--tool", tool, "--error-exitcode", "9"))
    try:
        cases.check(cases.build(*case), run)
    except AssertionError as error:
        return str(error)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--tool", default="memcheck,racecheck")
    parser.add_argument("--graphs", default="rows-33")
    parser.add_argument("--sizes", default="7x3,64x1", help="features x heads")
    parser.add_argument("--jobs", type=int, default=4)
    options = parser.parse_args()
    found = []
    for graph in options.graphs.split(","):
        for size in options.sizes.split(","):
            features, heads = map(int, size.split("x"))
            names = ("subject", "graph", "features", "heads")
            found += [case for s in cases.SUBJECTS if s != "sage-blocks"
                      for case in [(s, graph, features, heads)]
                      if cases.allowed(dict(zip(names, case)))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(check, tool, options.build, case): (tool, *case)
                for tool in options.tool.split(",") for case in found}
        for job in concurrent.futures.as_completed(jobs):
            if job.result() is not None:
                failed += 1
                print(*jobs[job], "FAILED\n", job.result()[:2000])
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
