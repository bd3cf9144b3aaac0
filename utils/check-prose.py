#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks how sentences begin in pages and in comments of public headers.

No sentence begins with What, That, There or Of: its subject is a noun. Questions, code,
tables and results of measurements are left alone.

usage: check-prose.py [ROOT]      ROOT: the source tree
"""

import importlib.util
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
_spec = importlib.util.spec_from_file_location("check_sources", HERE / "check-sources.py")
_sources = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_sources)

# Text that is not prose, by kind of file, and the marks of comments in what is.
CODE = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
NOT_IN_PAGES = re.compile(r"<!--(?s:.*?)-->|^\|.*$|^#.*$|^:::.*$", re.M)
COMMENT = re.compile(r"^[^\n\"]*?//.*$|(?s:/\*.*?\*/|\[\{.*?\}\])", re.M)
MARK = re.compile(r"^[^\n]*?///?<?|^ *(?:\|\*|\*(?!/))|/\*\*?|\*/|\|?\*\\|\[\{|\}\]", re.M)
OPENING = re.compile(r"(?:\A|\n\s*\n|[.!?][)\"'*`]*\s+|^ *(?:[*-]|\d+\.) +)\s*(?:\*\*)?"
                     r"(?P<word>What|That|There|Of)\b(?=(?P<rest>[^.!?]*[.!?]?))", re.M)


def blank(match):
    """As many lines, without the text."""
    return "\n" * match[0].count("\n")


def prose(path, text):
    """The prose of a file, each line where it was; None for files that are not checked."""
    if path.suffix == ".md":
        return NOT_IN_PAGES.sub(blank, CODE.sub(blank, text))
    kept, end = [], 0
    for match in COMMENT.finditer(text):
        between = text[end:match.start()]
        # Code between two comments ends the sentence of the first.
        kept.append("\n" * between.count("\n") + (". " if between.strip() else ""))
        kept.append(MARK.sub("", match[0]))
        end = match.end()
    return CODE.sub(blank, "".join(kept))


def openings(path, text):
    """(line, word) of each sentence of a file that begins with one of the words."""
    text = prose(path, text)
    for match in OPENING.finditer(text):
        if not match["rest"].endswith("?"):
            yield text.count("\n", 0, match.start("word")) + 1, match["word"]


def is_checked(name):
    """Pages, but those that measurements write, and public headers."""
    if name.suffix == ".md":
        return name.parts[:2] != ("benchmarks", "results")
    return name.parts[0] == "include" and name.suffix in (".h", ".td")


def main():
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HERE.parent
    files = [path for path in sorted(_sources.hand_written(root))
             if path.is_file() and is_checked(path.relative_to(root))]
    complaints = [f"{path.relative_to(root)}:{line}: a sentence begins with {word}"
                  for path in files for line, word in openings(path, path.read_text())]
    if not files:
        complaints.append(f"no page found below {root}")
    for complaint in complaints:
        print(f"error: {complaint}", file=sys.stderr)
    if complaints:
        return 1
    print(f"{len(files)} files have plain sentences")
    return 0


if __name__ == "__main__":
    sys.exit(main())
