#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command over every example in the pages of documentation.

Each ```mlir block of a page is a whole file; the command gets it on its
standard input. Fails if the command does, or if no page has an example.

usage: doc-examples.py FOLDER COMMAND...      FOLDER: where the pages are
"""

import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```mlir\n(.*?)^```$", re.M | re.S)


def main():
    folder, command = Path(sys.argv[1]), sys.argv[2:]
    examples = failures = 0
    for page in sorted(folder.glob("*.md")):
        text = page.read_text()
        for match in BLOCK.finditer(text):
            examples += 1
            result = subprocess.run(command, input=match.group(1), text=True,
                                    capture_output=True)
            if result.returncode != 0:
                failures += 1
                line = text.count("\n", 0, match.start(1)) + 1
                print(f"{page}:{line}: the example fails\n{result.stderr}",
                      file=sys.stderr)
    if not examples:
        sys.exit(f"error: no example found in {folder}")
    print(f"{examples} examples, {failures} fail")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
