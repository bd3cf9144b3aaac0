#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no test has check lines that nobody reads.

A test with CHECK lines calls FileCheck, every prefix of a check line is one that
a RUN line gives, every prefix given is used, and no check line has an SSA number
such as %0.

usage: check-filecheck.py [FOLDER]      FOLDER: the folder of tests
"""

import re
import sys
from pathlib import Path

RUN = re.compile(r"^\s*(?://|#|;)?\s*RUN:(.*)", re.M)
PREFIXES = re.compile(r"--?check-prefix(?:es)?[= ]([\w,-]+)")
SUFFIX = r"(?:-LABEL|-SAME|-NEXT|-NOT|-DAG|-COUNT-\d+|-EMPTY)?"
CHECK = re.compile(r"^\s*(?://|#|;)?\s*([A-Z][A-Z0-9_-]*?)" + SUFFIX + r":(?:\s|$)(.*)")
NUMBERED = re.compile(r"%\d")
# Words of lit and of prose that end in a colon but begin no check line.
OTHER = {"RUN", "REQUIRES", "UNSUPPORTED", "XFAIL", "DEFINE", "REDEFINE", "END",
         "NOTE", "COM"}


def check_file(path):
    """Returns the complaints about one test."""
    # Files that split-file takes out of a test are not part of it.
    text = path.read_text()
    if path.suffix == ".test":
        text = text.split("\n//--- ")[0]
    runs = " ".join(line.rstrip("\\") for line in RUN.findall(text))
    given = set()
    # Each FileCheck reads CHECK unless told otherwise.
    for command in re.findall(r"FileCheck\b([^|;&]*)", runs):
        prefixes = PREFIXES.findall(command)
        given.update(p for group in prefixes or ["CHECK"] for p in group.split(","))
    complaints, used = [], set()
    for number, line in enumerate(text.splitlines(), 1):
        match = CHECK.match(line)
        if not match or match.group(1) in OTHER:
            continue
        prefix, pattern = match.groups()
        used.add(prefix)
        if prefix not in given:
            complaints.append(f"{path}:{number}: no FileCheck reads {prefix} lines")
        elif NUMBERED.search(pattern):
            complaints.append(f"{path}:{number}: an SSA number in a check line")
    for prefix in sorted(given - used):
        complaints.append(f"{path}: FileCheck reads {prefix} lines, there are none")
    return complaints


def main():
    default = Path(__file__).parents[1] / "test"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    tests = [p for p in sorted(folder.rglob("*"))
             if p.suffix in (".mlir", ".test") and "Inputs" not in p.relative_to(folder).parts]
    complaints = [c for path in tests for c in check_file(path)]
    if not tests:
        complaints.append(f"no test found below {folder}")
    for complaint in complaints:
        print(f"error: {complaint}", file=sys.stderr)
    if complaints:
        return 1
    print(f"{len(tests)} tests, all check lines are read")
    return 0


if __name__ == "__main__":
    sys.exit(main())
