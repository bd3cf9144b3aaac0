#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what is made of the lattice of row spaces against its table,
include/GNN/Lattice/RowSpaces.def: python/gnn_mlir/lattice.py and the tables of
docs/Structures.md. With --write it makes them anew.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "include/GNN/Lattice/RowSpaces.def"
PYTHON = ROOT / "python/gnn_mlir/lattice.py"
DOCS = ROOT / "docs/Structures.md"


def entries(macro):
    """The arguments of every use of a macro of the table."""
    uses = re.findall(rf"^{macro}\((.*)\)$", TABLE.read_text(), re.MULTILINE)
    split = [re.findall(r'"([^"]*)"|(\w+)', use) for use in uses]
    return [[text or word for text, word in words] for words in split]


SPACES = {name: text for name, text, _, _ in entries("GNN_ROW_SPACE")}
ENDS = {name: (text, kind, end)
        for name, text, kind, end in entries("GNN_END_SPACE")}
TEXTS = {**SPACES, **{name: text for name, (text, _, _) in ENDS.items()}}
ORDERS = dict(entries("GNN_ORDER"))


def ordered(space, order):
    return TEXTS[space] + ("." + ORDERS[order] if ORDERS[order] else "")


def pairs(macro):
    """The text of a space, and the texts that the table relates to it."""
    related = {}
    for first, *rest in entries(macro):
        text = TEXTS[rest[0]] if len(rest) == 1 else ordered(*rest[:2])
        related.setdefault(TEXTS[first], []).append(text)
    return related


def python():
    lines = ["# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
             '"""The lattice of row spaces. Made of RowSpaces.def by '
             'utils/check-lattice.py."""', "",
             "# The spaces of tensors: kind and end of each."]

    def table(name, items):
        lines.append(f"{name} = {{")
        lines.extend(f"    {key!r}: {value!r}," for key, value in items)
        lines.append("}")

    table("SPACES", [(text, (kind, end)) for _, text, kind, end
                     in entries("GNN_ROW_SPACE")])
    lines += ["", "# A space that is known by its end alone, at each end."]
    kinds = {kind for _, kind, _ in ENDS.values()} | {"Node"}
    at = {}
    for _, text, kind, end in (entries("GNN_ROW_SPACE")
                               + entries("GNN_END_SPACE")):
        if kind in kinds and end != "Neither":
            at.setdefault(kind, {})[end] = text
    table("AT_END", [(text, at[kind]) for _, text, kind, end
                     in entries("GNN_ROW_SPACE")
                     if end == "Neither" and kind in at])
    lines += ["", "# From each space, those that each of its rows leads to."]
    table("MAPS", [(key, tuple(value)) for key, value in pairs("GNN_MAP").items()])
    return "\n".join(lines) + "\n"


def code(texts):
    return ", ".join(f"`{text}`" for text in texts)


def docs():
    """The tables of the page, by name."""
    orders = {}
    for space, order, meaning in entries("GNN_ORDER_OF"):
        orders.setdefault(space, []).append((ORDERS[order], meaning))
    spaces = ["| space | natural order | other orders |", "| --- | --- | --- |"]
    for space, listed in orders.items():
        others = "; ".join(f"`{text}`: {meaning}" for text, meaning in listed[1:])
        spaces.append(f"| `{TEXTS[space]}` | {listed[0][1]} | {others} |")
    for _, text, own in entries("GNN_PARENT_SPACE"):
        spaces.append(f"| `{text}` | that of `{TEXTS[own]}` in the parent | "
                      "likewise |")
    for _, text, own in entries("GNN_LOOP_SPACE"):
        spaces.append(f"| `{text}` | that of `{TEXTS[own]}` in the parent, behind "
                      "`parent_edge` | |")
    maps = ["| from | to |", "| --- | --- |"]
    maps += [f"| `{key}` | {code(value)} |"
             for key, value in pairs("GNN_MAP").items()]
    groups = ["| groups | elements |", "| --- | --- |"]
    groups += [f"| `{key}` | {code(value)} |"
               for key, value in pairs("GNN_GROUPS").items()]
    groups.append("| `graph` | any |")
    return {"spaces": spaces, "maps": maps, "groups": groups}


def page():
    """docs/Structures.md with its tables made anew."""
    text = DOCS.read_text()
    for name, lines in docs().items():
        begin, end = f"<!-- table: {name} -->", "<!-- end of table -->"
        if begin not in text:
            sys.exit(f"expected '{begin}' in {DOCS.relative_to(ROOT)}")
        start = text.index(begin) + len(begin)
        stop = text.index(end, start)
        text = text[:start] + "\n" + "\n".join(lines) + "\n" + text[stop:]
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true",
                        help="write what differs")
    options = parser.parse_args()
    status = 0
    for path, text in ((PYTHON, python()), (DOCS, page())):
        if path.exists() and path.read_text() == text:
            continue
        if options.write:
            path.write_text(text)
        else:
            print(f"{path.relative_to(ROOT)} is not what RowSpaces.def gives: "
                  "run utils/check-lattice.py --write")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
