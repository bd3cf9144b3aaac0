#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a library of the compiler includes headers alone of libraries that it
names, or that those name.

The compiler is linked as a whole, so the linker does not see a library that uses
one that it does not name in LINK_LIBS (a graph pass that reads what lanes are).
A header is of the library whose folder it is in: include/GNN/X and lib/X are one
folder, and both may include the same. Headers of include/GNN/Transforms itself are
everyone's. Libraries without LLVM, such as the runtime, are found by their archives:
a static build links those that the libraries of the compiler name, and no others.
Neither libraries nor the folders of lib depend on each other in a circle.

usage: check-libraries.py [ROOT]      ROOT: the source tree
"""

import os
import re
import sys
from pathlib import Path

CALL = re.compile(r"^add_gnn_library\((\w+)(.*?)\)", re.M | re.S)
ARCHIVE = re.compile(r"^add_library\((\w+) STATIC\b", re.M)
LINKS = re.compile(r"^target_link_libraries\((\w+)(.*?)\)", re.M | re.S)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def libraries(root):
    """The name of each folder's library, and the libraries that each one names."""
    names, links = {}, {}
    for path in (root / "lib").rglob("CMakeLists.txt"):
        text, folder = path.read_text(), path.parent.relative_to(root / "lib").as_posix()
        for name, words in CALL.findall(text):
            names[folder] = name
            links[name] = set(words.partition("LINK_LIBS")[2].split()) - {"PUBLIC"}
        for name in ARCHIVE.findall(text):
            names[folder] = name
            links[name] = {word for target, words in LINKS.findall(text) if target == name
                           for word in words.split()}
    return names, links


def library_of(path, names):
    """The library of a header in include/GNN or lib, by its path there; none if it is in a
    folder of no library."""
    for parent in path.parents:
        if parent.as_posix() in names:
            return names[parent.as_posix()]
    return None


def reach(name, links):
    """What a name links, itself too, directly or through others."""
    seen, todo = set(), [name]
    while todo:
        if (next_ := todo.pop()) not in seen:
            seen.add(next_)
            todo += links.get(next_, ())
    return seen


def folders_of(names, links):
    """The folders of lib, and the others that the libraries in each one name."""
    tops = {name: folder.split("/")[0] for folder, name in names.items()}
    folders = {top: set() for top in tops.values()}
    for name, top in tops.items():
        folders[top] |= {tops[link] for link in links[name] if link in tops} - {top}
    return folders


def circles(links, what):
    reached = {name: reach(name, links) for name in links}
    return [f"{what}{name}: depends on itself" for name in sorted(links)
            if any(name in reached.get(link, ()) for link in links[name])]


def check(root):
    names, links = libraries(root)
    reached = {name: reach(name, links) for name in links}
    complaints = []
    for path in sorted(path for folder in ("include/GNN", "lib")
                       for path in (root / folder).rglob("*") if path.suffix in (".cpp", ".h")):
        folder = "lib" if path.is_relative_to(root / "lib") else "include/GNN"
        inside = path.relative_to(root / folder)
        user = library_of(inside, names)
        for header in INCLUDE.findall(path.read_text()) if user else ():
            if header.startswith("GNN/"):
                used = library_of(Path(header[len("GNN/"):]), names)
            else:
                used = library_of(Path(os.path.normpath(inside.parent / header)), names)
            if used and used not in reached[user]:
                complaints.append(f"{folder}/{inside}: includes {header} of {used}, which {user} "
                                  "does not name in LINK_LIBS")
    complaints += circles(links, "") + circles(folders_of(names, links), "lib/")
    return complaints, len(links)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1])
    complaints, count = check(root)
    if not count:
        sys.exit("error: no library found")
    for complaint in complaints:
        print(complaint)
    if complaints:
        sys.exit(f"{len(complaints)} complaints")
    print(f"{count} libraries include what they name")


if __name__ == "__main__":
    main()
