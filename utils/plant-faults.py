#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants the faults of utils/faults one after the other, and says which tests find them.

    utils/plant-faults.py --check            each fault has its place in the sources
    utils/plant-faults.py --build BUILD --results FILE.jsonl [--own] [NAME...]

The tree is this checkout, which must have no changes, and BUILD is a build of it: take a
worktree of its own. The tests of a fault run until one fails, and all tests (run-tests.py) where
none does, or with --own nothing more. FILE gets a line for each; a fault that it has is not planted
again, so that a run may be ended and gone on with. The result is 1 where a fault was found by no
test. """

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
TESTS = ROOT / "python/tests"
LIT = "/usr/lib/llvm-22/bin/lit"


class Fault:
    def __init__(self, block):
        head, tests, file, *lines = block.splitlines()
        self.name, self.what = head.split(": ", 1)
        self.tests = tests.removeprefix("tests: ").split(", ")
        self.path = ROOT / file.removeprefix("file: ")
        self.old, self.new = ("\n".join(line[1:] for line in lines if line.startswith(sign))
                              for sign in "-+")

    def planted(self):
        """The source with it. Raises ValueError where its place is not one."""
        text = self.path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: expected its place once in "
                             f"{self.path.relative_to(ROOT)}, got {text.count(self.old)}")
        return text.replace(self.old, self.new)

    def check_tests(self):
        """Raises ValueError for a file of pytest that there is not: to run it would fail."""
        for test in self.tests:
            kind, _, what = test.partition(":")
            if kind == "py" and not (TESTS / what.split()[0]).is_file():
                raise ValueError(f"{self.name}: expected a test of {TESTS.relative_to(ROOT)}, got "
                                 f"{what.split()[0]}")


def read_faults():
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "utils/faults").iterdir())]
    return [Fault(block) for text in texts
            for block in re.split(r"\n\n+", re.sub(r"^#.*\n", "", text, flags=re.M).strip())]


def command(test, build):
    """The command of tests: "lit:FILTER", "cpp:PROGRAM" or "py:FILE
    ARGUMENTS"."""
    kind, what = test.split(":", 1)
    if kind == "lit":
        return [LIT, "-q", "--max-failures=1", build / "test", "--filter", what]
    if kind == "cpp":
        return [build / f"unittests/{what}/GNN{what}Tests", "--gtest_brief=1"]
    name, *arguments = what.split()
    return [sys.executable, "-m", "pytest", "-q", "-x", "-n", "auto", "--dist", "worksteal",
            TESTS / name, *arguments]


def run(words, build):
    """Whether it succeeds."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"),
                   "GNN_MLIR_BUILD": str(build), "OMP_NUM_THREADS": "1"}
    return subprocess.run([str(word) for word in words], cwd=ROOT, env=environment, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def find(fault, build, own):
    """The test that finds it, of its `own` or of all; None: none does."""
    if not run(["ninja", "-C", build, "all", "gnn-unit-tests"], build):
        sys.exit(f"{fault.name}: expected a fault that compiles")
    everything = [sys.executable, ROOT / "utils/run-tests.py", "--build", build]
    for test in fault.tests:
        if not run(command(test, build), build):
            return test
    return None if own or run(everything, build) else "run-tests.py"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--own", action="store_true",
                        help="run no other tests, and keep what these find alone")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    faults = read_faults()
    try:
        for fault in faults:
            fault.planted()
            fault.check_tests()
    except ValueError as error:
        sys.exit(f"error: {error}")
    if options.check:
        print(f"{len(faults)} faults have their places")
        return
    for ending in signal.SIGINT, signal.SIGTERM:  # The sources are as they were then, too.
        signal.signal(ending, lambda *_: sys.exit("ended"))
    if not options.build or not options.results:
        parser.error("expected --build and --results")
    if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT, check=False).returncode:
        sys.exit("error: expected a checkout without changes")
    known = [json.loads(line) for line in options.results.read_text().splitlines()] if (
        options.results.exists()) else []
    found = {line["fault"]: line["found_by"] for line in known}
    for fault in faults:
        if fault.name in found or options.names and fault.name not in options.names:
            continue
        text, start = fault.path.read_text(encoding="utf-8"), time.monotonic()
        try:
            fault.path.write_text(fault.planted(), encoding="utf-8")
            found[fault.name] = find(fault, options.build, options.own)
        finally:
            fault.path.write_text(text, encoding="utf-8")
        if found[fault.name] or not options.own:
            with options.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"fault": fault.name, "found_by": found[fault.name],
                                       "seconds": round(time.monotonic() - start)}) + "\n")
        print(f"{fault.name}: {found[fault.name] or 'not found'}", flush=True)
    missed = [name for name, test in found.items() if test is None]
    print(f"{len(found) - len(missed)} of {len(found)} faults were found")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
