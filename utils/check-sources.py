#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what the house style asks of every hand-written file.

* At most 600 lines: a longer one is split by theme.
* Sources name their licence in an SPDX line.
* No work is left for later in a comment (TODO, FIXME, XXX).
* A page links to files that are there, and to headings of pages.
* A name of Python is assigned or imported where its file uses it.
* The compiler's libraries report through diagnostics, not llvm::errs(), and
  make ops by `Op::create`.

usage: check-sources.py [ROOT]      ROOT: the source tree
"""

import builtins
import re
import subprocess
import symtable
import sys
from pathlib import Path

MAX_LINES = 600
SOURCES = {".c", ".cpp", ".h", ".py", ".td"}
TEXTS = SOURCES | {".cmake", ".md", ".mlir", ".sh", ".test", ".txt"}
LATER = re.compile(r"(?://|#|;).*\b(?:TODO|FIXME|XXX)\b")
LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]*))?\)")
FENCED = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)
IN_LIBRARIES = {
    re.compile(r"\bllvm::errs\(\)"): "reports past the diagnostics",
    re.compile(r"\b(?:re)?(?:writer|builder)\.create<"): "expected Op::create",
}


def hand_written(root):
    """The files under version control; all files where there is none."""
    listed = subprocess.run(["git", "ls-files"], cwd=root, text=True,
                            capture_output=True)
    if listed.returncode == 0 and listed.stdout:
        return [root / name for name in listed.stdout.splitlines()]
    return [path for path in root.rglob("*") if path.is_file()]


BOUND_BY_PYTHON = {*dir(builtins), "__file__", "__class__"}


def unknown_names(text, name):
    """The names that a file of Python reads and nothing in it binds."""
    tables = [symtable.symtable(text, str(name), "exec")]
    for table in tables:
        tables += table.get_children()
    symbols = [symbol for table in tables for symbol in table.get_symbols()]
    bound = BOUND_BY_PYTHON | {symbol.get_name() for symbol in tables[0].get_symbols()
                          if symbol.is_assigned() or symbol.is_imported()}
    bound |= {symbol.get_name() for symbol in symbols
              if symbol.is_declared_global() and symbol.is_assigned()}
    return sorted({symbol.get_name() for symbol in symbols
                   if symbol.is_referenced() and symbol.is_global()} - bound)


def anchors(text):
    """The names that links of GitHub give to the headings of a page."""
    counts, found = {}, set()
    for heading in HEADING.findall(FENCED.sub("", text)):
        heading = re.sub(r"\]\([^)]*\)", "", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = counts[name] = counts.get(name, -1) + 1
        found.add(f"{name}-{count}" if count else name)
    return found


def check_links(path, name, text):
    """The complaints about the links of a page."""
    complaints = []
    for link, anchor in LINK.findall(text):
        page = path.parent / link if link else path
        if not page.exists():
            complaints.append(f"{name}: links to {link}, which is not there")
        elif anchor and page.suffix == ".md" and anchor not in anchors(page.read_text()):
            complaints.append(f"{name}: links to {link}#{anchor}, which is no heading there")
    return complaints


def check_file(root, path):
    """Returns the complaints about one file."""
    name = path.relative_to(root)
    text = path.read_text()
    lines = text.splitlines()
    complaints = []
    if len(lines) > MAX_LINES:
        complaints.append(f"{name}: expected at most {MAX_LINES} lines, "
                          f"got {len(lines)}")
    if path.suffix in SOURCES and "SPDX-License-Identifier" not in text:
        complaints.append(f"{name}: expected a line SPDX-License-Identifier")
    if path.suffix in SOURCES and Path(__file__).name != name.name:
        complaints += [f"{name}:{number}: leaves work for later"
                       for number, line in enumerate(lines, 1)
                       if LATER.search(line)]
    if path.suffix == ".py" and not path.name.endswith(".cfg.py"):  # lit gives names to those.
        complaints += [f"{name}: {unknown} is assigned and imported nowhere"
                       for unknown in unknown_names(text, name)]
    if path.suffix == ".md":
        complaints += check_links(path, name, text)
    if name.parts[0] == "lib":
        complaints += [f"{name}:{number}: {complaint}"
                       for number, line in enumerate(lines, 1)
                       for pattern, complaint in IN_LIBRARIES.items()
                       if pattern.search(line)]
    return complaints


def main():
    default = Path(__file__).resolve().parents[1]
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else default
    files = [path for path in sorted(hand_written(root))
             if path.suffix in TEXTS and path.is_file()]
    complaints = [c for path in files for c in check_file(root, path)]
    if not files:
        complaints.append(f"no file found below {root}")
    for complaint in complaints:
        print(f"error: {complaint}", file=sys.stderr)
    if complaints:
        return 1
    print(f"{len(files)} files keep to the style")
    return 0


if __name__ == "__main__":
    sys.exit(main())
