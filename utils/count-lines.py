#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the lines of the tree that somebody has to read and keep: those that are
neither tests, docs, results nor data. By folder, beside another commit's.

usage: count-lines.py [COMMIT [OTHER]]      COMMIT: HEAD; OTHER: to compare with
"""

import collections
import re
import subprocess
import sys

LEFT_OUT = re.compile(
    r"(python/tests|test|unittests|fuzz/corpus|docs|benchmarks/results)/|LICENSE$|"
    r".*\.(md|json|jsonl|npz|svg|png|html)$")


def lines(commit):
    """{folder: lines} of a commit."""
    tree = subprocess.run(["git", "ls-tree", "-r", "-z", commit], check=True,
                          capture_output=True, text=True).stdout.split("\0")
    found = collections.Counter()
    with subprocess.Popen(["git", "cat-file", "--batch"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as git:
        for entry in filter(None, tree):
            mode, kind, name, path = re.split(r"[ \t]", entry, maxsplit=3)
            if kind != "blob" or mode == "120000" or LEFT_OUT.match(path):
                continue
            git.stdin.write(f"{name}\n".encode())
            git.stdin.flush()
            size = int(git.stdout.readline().split()[2])
            text = git.stdout.read(size + 1)[:-1]
            folder = "/".join(path.split("/")[:-1][:2]) or "."
            found[folder] += text.count(b"\n") if b"\0" not in text else 0
        git.stdin.close()
    return found


def main():
    commits = sys.argv[1:3] or ["HEAD"]
    counts = [lines(commit) for commit in commits]
    for folder in sorted(set().union(*counts)):
        print(f"{folder:24}", *(f"{count[folder]:8,}" for count in counts))
    totals = [sum(count.values()) for count in counts]
    print(f"{'all':24}", *(f"{total:8,}" for total in totals))
    if len(totals) == 2:
        print(f"{commits[0]} has {totals[0] - totals[1]:+,} lines")


if __name__ == "__main__":
    main()
