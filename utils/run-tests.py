#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every test suite of a build and adds up what they say.

Suites: lit (IR tests), GoogleTest (C++), pytest (numbers, Python), and the
checks of the sources. Ends with the names of what failed and `N passed, N failed`
(and `, N skipped`).

A case is what a suite passes or fails as a whole: a file of lit, a GoogleTest, a
parametrized pytest, a check of the sources. A suite that does not run is one that
failed. A case that was skipped is one of them; so is each real data set that is
not there, in whose place the cases of pytest took a made graph.
"""

import argparse
import concurrent.futures
import io
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 600  # Seconds of one test of pytest.


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []

    def add(self, passed, failed, skipped=0, failures=()):
        """Adds the counts of a suite; `failures` are the names of what failed."""
        self.passed += passed
        self.failed += failed
        self.skipped += skipped
        self.failures += failures


def run(command, shown=None, **options):
    """Runs a command, shows its output as it comes, or writes it to the file `shown`, and
    returns (status, output)."""
    print("$", " ".join(map(str, command)), file=shown, flush=True)
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          **options) as process:
        for line in process.stdout:
            print(line, end="", file=shown, flush=True)
            lines.append(line)
    return process.returncode, "".join(lines)


def count(pattern, text):
    return sum(int(n) for n in re.findall(pattern, text))


def lit(build, totals):
    lit = "/usr/lib/llvm-22/bin/lit"
    status, out = run([lit, "-sv", "--no-progress-bar", build / "test"])
    failed = count(r"(?:Failed|Timed Out|Unresolved|Unexpectedly Passed)\s*:\s*(\d+)", out)
    passed = count(r"\bPassed\s*:\s*(\d+)", out)
    skipped = count(r"(?:Unsupported|Skipped|Excluded)\s*:\s*(\d+)", out)
    if status != 0 and failed == 0:
        failed = 1
    failures = re.findall(r"^(?:FAIL|TIMEOUT|UNRESOLVED|XPASS): (\S+ :: \S+)", out, re.M)
    totals.add(passed, failed, skipped, failures or ["lit"] * failed)


def gtest(build, totals):
    programs = sorted(p for p in (build / "unittests").rglob("*Tests")
                      if p.is_file() and os.access(p, os.X_OK))
    if not programs:
        print(f"expected C++ tests in {build / 'unittests'}, got none")
        totals.add(0, 1, failures=["GoogleTest"])
    # Each in parts, as many at once as there are cores.
    shards = os.cpu_count() or 1
    parts = list(itertools.product(programs, range(shards)))
    with concurrent.futures.ThreadPoolExecutor(shards) as pool:
        results = list(pool.map(lambda part: run([part[0], "--gtest_brief=1"], env={
            **os.environ, "GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(part[1])}),
            parts))
    for (program, _), (status, out) in zip(parts, results, strict=True):
        passed = count(r"\[  PASSED  \] (\d+) tests?", out)
        failures = sorted(set(re.findall(r"\[  FAILED  \] ([^\s,]+\.[^\s,]+)", out)))
        if status != 0 and not failures:
            failures = [program.name]
        totals.add(passed, len(failures), count(r"\[  SKIPPED \] (\d+) tests?", out), failures)


def requirements():
    """The packages that the Python part and its tests need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    site = (ROOT / "docs/requirements.txt").read_text(encoding="utf-8").splitlines()
    return [*project["dependencies"], *project["optional-dependencies"]["test"],
            *(line for line in site if not line.startswith("#"))]


def virtual_environment(build):
    """The Python with what the tests need, None where it cannot be installed, and its
    environment."""
    venv = build / "venv"
    python = venv / "bin" / "python"
    if not python.exists():
        run([sys.executable, "-m", "venv", venv])
    status, _ = run([python, "-m", "pip", "install", "-q", *requirements()])
    if status != 0:
        print("the Python packages of the tests cannot be installed")
        return None, {}
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"),
                       GNN_MLIR_BUILD=str(build.resolve()),
                       GNN_REQUIRE_PYG="1")
    # A process a core, each with one thread.
    environment.setdefault("OMP_NUM_THREADS", "1")
    return python, environment


def seeds(build, options):
    """Gradients of random programs alone; whether one is wrong."""
    python, environment = virtual_environment(build)
    if python is None:
        return True
    status, _ = run([python, ROOT / "python/tests/gradient_seeds.py", "--seeds", options.seeds,
                     "--results", build / "gradient-seeds.jsonl",
                     *(["--all"] if options.all else [])], env=environment)
    return status != 0


def pytest(build, everything, totals):
    """The tests of the core, for which torch is not installed, and those of `gnn_mlir.pytorch`."""
    python, environment = virtual_environment(build)
    if python is None:
        totals.add(0, 1, failures=["pytest"])
        return
    # A test that does not end says where it is, and fails.
    command = [python, "-m", "pytest", "-q", "-ra", "-n", "auto", "--dist", "worksteal",
               "-o", f"faulthandler_timeout={LIMIT - 30}",
               "--timeout", str(LIMIT), "--timeout-method", "thread"]
    if everything:
        environment["GNN_TEST_ALL"] = "1"
    tests, missing = ROOT / "python" / "tests", 0
    for options in ["--without-torch", tests], [tests / "pytorch"]:
        status, out = run([*command, *options], env=environment)
        summary = out.strip().splitlines()[-1] if out.strip() else ""
        failed = count(r"(\d+) failed", summary) + count(r"(\d+) errors?", summary)
        if status != 0 and failed == 0:
            failed = 1
        totals.add(count(r"(\d+) passed", summary), failed,
                   count(r"(\d+) skipped", summary),
                   re.findall(r"^(?:FAILED|ERROR) (\S+)", out, re.M) or ["pytest"] * failed)
        missing = max(missing, count(r"(\d+) data sets skipped", out))  # Of both the same.
    totals.add(0, 0, missing)


def sources(totals, shown=None):
    for script in sorted((ROOT / "utils").glob("check-*.py")):
        status, _ = run([sys.executable, script], shown)
        totals.add(status == 0, status != 0, failures=[script.name] * (status != 0))
    files = subprocess.run(["git", "ls-files", "*.cpp", "*.h"], cwd=ROOT,
                           capture_output=True, text=True).stdout.split()
    if files:
        status, _ = run(["clang-format-22", "--dry-run", "--Werror", *files],
                        shown, cwd=ROOT)
        totals.add(status == 0, status != 0, failures=["clang-format"] * (status != 0))


def sources_beside(suite, totals):
    """Checks the sources, one after another, while a suite runs that leaves cores idle at its
    end; shows what they say behind it."""
    shown, of_sources = io.StringIO(), Totals()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        checks = pool.submit(sources, of_sources, shown)
        suite()
    print(shown.getvalue(), end="", flush=True)
    checks.result()
    totals.add(of_sources.passed, of_sources.failed, failures=of_sources.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True,
                        help="the build folder")
    parser.add_argument("--install", action="store_true",
                        help="install the Python packages of the tests alone")
    parser.add_argument("--all", action="store_true",
                        help="run the full products of the numeric tests, and slow tests")
    parser.add_argument("--seeds", metavar="A..B",
                        help="check gradients of random programs A to B (without B) "
                        "alone; those that were checked before are not again")
    options = parser.parse_args()
    totals = Totals()
    build = options.build if options.build.is_absolute() else ROOT / options.build
    if options.install:
        return virtual_environment(build)[0] is None
    # glibc overwrites most memory that is freed, so most uses of it fail in every run.
    os.environ.setdefault("GLIBC_TUNABLES",
                          "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165")
    if options.seeds:
        return seeds(build, options)
    sources_beside(lambda: lit(build, totals), totals)
    gtest(build, totals)
    pytest(build, options.all, totals)
    for name in totals.failures:
        print("failed:", name)
    skipped = f", {totals.skipped} skipped" if totals.skipped else ""
    print(f"{totals.passed} passed, {totals.failed} failed{skipped}")
    return 1 if totals.failed or not totals.passed else 0


if __name__ == "__main__":
    sys.exit(main())
