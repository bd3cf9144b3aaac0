#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the pages of the reference that definitions are the source of: dialects, passes and
interfaces by mlir-tblgen, the C API from its headers, and one layer at every stage from a build.
None of them needs a build but the last, which says so where there is none.

usage: make_reference.py [FOLDER]      FOLDER: docs/reference
"""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LLVM = Path(os.environ.get("GNN_LLVM", "/usr/lib/llvm-22"))
CALL = re.compile(r"^ *add_gnn_(dialect|interfaces|passes)\((\w+)\s+(\w+)", re.M)
ROW = re.compile(r"^\| \[(`[^`]+`)\]\((#[^)]*)\) \| (.*) \|$", re.M)
DECLARED = re.compile(r"^GNN_CAPI ([^;(]*\b(gnn\w+)\([^;]*);", re.M)
PAGE = re.compile(r"(?<![`/\w])docs/(\w+\.md(?:#[\w-]+)?)")
OPTION = re.compile(r"^-(\S+) *: (.*)$", re.M)
# Pages in the order of a model's way.
ORDER = {"dialects": ("gnn", "gnn_tile", "gnn_overlay"),
         "passes": ("graph", "conversion", "tile", "schedule", "block", "loop", "lane", "kernel",
                    "stage", "target", "host", "overlay")}
COMMENT = re.compile(r"/\*\*(.*?)\*/\n(.*?)(?=\n\n|\n/\*\*|\Z)", re.S)


def find_tblgen():
    for tblgen in (LLVM / "bin/mlir-tblgen", shutil.which("mlir-tblgen")):
        if tblgen and Path(tblgen).exists():
            return str(tblgen)
    raise OSError(f"expected {LLVM}/bin/mlir-tblgen (mlir-22-tools of Debian), got none; "
                  "GNN_LLVM names another folder")


def definitions():
    """(kind, first, second word) and the folder of each call in a CMakeLists.txt."""
    for path in sorted((ROOT / "include").rglob("CMakeLists.txt")):
        for call in CALL.findall(path.read_text()):
            yield (*call, path.parent)


def anchor(heading):
    """The name that MyST gives to a heading, as GitHub does."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def contents(text, head):
    """A table of the headings that have a summary in the next line."""
    rows = [f"| [{name}](#{anchor(line)}) | {' '.join(summary.split())} |"
            for line, name, summary in re.findall(
                r"^#{3} ((`[^`]+`).*)\n\n_(.*?)_$", text, re.M)]
    return "\n".join([f"| {head} | summary |", "| --- | --- |", *rows, ""]) if rows else ""


def link(text):
    """Definitions name pages by their files; the site shows their titles."""
    return PAGE.sub(r"[](../../\1)", text)


def options(block):
    """The options of a pass, which mlir-tblgen writes as lines of any length, as a list."""
    return "".join(f"* `{name}`: {link(meaning)}\n" for name, meaning in OPTION.findall(block[1]))


def tidy(text):
    """A page of mlir-tblgen without its own marks; blocks without a language are text. The syntax
    of attributes and types is left out: mlir-tblgen lists C++ types in the order of parameters,
    also where the text has names; descriptions have examples."""
    text = re.sub(r"<!--.*?-->\n*", "", text, flags=re.S).replace("[TOC]\n", "")
    text = re.sub(r"^Syntax:\n\n```\n[#!][\w.]+<\n.*?^```\n\n", "", text, flags=re.M | re.S)
    lines, is_open = [], False
    for line in text.splitlines():
        if line.strip().startswith("```"):
            if not is_open and line.strip() == "```":
                line += "text"
            is_open = not is_open
        elif not is_open:
            line = link(line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def tablegen(td, *options):
    return tidy(subprocess.run(
        [find_tblgen(), *options, str(td), "-I", str(ROOT / "include"), "-I",
         str(LLVM / "include"), "-I", str(td.parent)], text=True, capture_output=True,
        check=True).stdout)


def dialect(name, mnemonic, folder):
    all_ops = folder / f"{name}Dialect.td"
    td = all_ops if all_ops.exists() else folder / f"{name}Ops.td"
    text = tablegen(td, "-gen-dialect-doc", f"-dialect={mnemonic}")
    title, rest = re.match(r"\s*# (.*?)\n(.*)", text, re.S).groups()
    at = re.search(r"^## ", rest, re.M).start()
    return (f"# The dialect `{mnemonic}`\n{rest[:at]}## List of operations\n\n"
            f"{contents(rest, 'op')}\n{rest[at:]}")


def passes(group, folder):
    """The passes of one file, under a title that says where they are."""
    text = re.sub(r"^(#{3,}) `-", r"\1 `--", tablegen(folder / "Passes.td", "-gen-pass-doc"),
                  flags=re.M)
    text = re.sub(r"(?<=#### Options\n\n)```text\n(.*?)^```$", options, text, flags=re.M | re.S)
    where = folder.relative_to(ROOT / "include/GNN")
    return (f"# Passes: {group}\n\n"
            f"The passes of `{where}`.\n\n{contents(text, 'pass')}\n{text}")


def c_header(path):
    """The page of a C header: its introduction, then each declaration that has a comment."""
    text = path.read_text()
    intro = re.search(r"===\*\|\n\|\*\n(.*?)\|\*\n\\\*===", text, re.S)[1]
    intro = link(re.sub(r"^\|\* ?", "", intro, flags=re.M))
    name = re.match(r"/\*===- (\S+)", text)[1]
    parts, rows = [], []
    for comment, declared in COMMENT.findall(text):
        called = re.search(r"\b([Gg]nn\w+)\s*\(|^} (\w+);|^typedef struct \w+ (\w+);|^enum (\w+)",
                           declared, re.M)
        if not called or "*===" in comment:
            continue
        word = next(word for word in called.groups() if word)
        said = link(re.sub(r"^ *\* ?", "", comment.strip(), flags=re.M))
        declared = declared.replace("GNN_CAPI ", "").strip()
        first = re.split(r"(?<=[.:;])\s", " ".join(said.split()), maxsplit=1)[0].rstrip(":;")
        rows.append(f"| [`{word}`](#{anchor(word)}) | {first} |")
        parts.append(f"## `{word}`\n\n```c\n{declared}\n```\n\n{said}\n")
    shown = "\n".join(parts)
    others = [" ".join(one.split()) + ";" for one, word in DECLARED.findall(text)
              if not re.search(rf"\b{word}\b", shown)]
    if others:
        parts.append("## Counts and references\n\nThe names of these functions say what they "
                     "return. `Retain` and `Release` add and drop a reference.\n\n```c\n" +
                     "\n".join(others) + "\n```\n")
    return "\n".join([f"# `GNN-c/{name}`\n\n{intro}\n", "| declaration | summary |",
                      "| --- | --- |", *rows, "", *parts])


def lowering_guide():
    build = Path(os.environ.get("GNN_MLIR_BUILD", ROOT / "build/ci"))
    made = build / "docs/LoweringGuide.md"
    if made.exists():
        return tidy(made.read_text())
    return ("# One layer at every stage\n\nThis page is made by the compiler. Build it with "
            "`ninja -C build/ci mlir-doc`, then build the site again.\n")


def pages():
    """{path in the folder: text}."""
    made, listed = {"lowering.md": lowering_guide()}, {"dialects": [], "passes": [],
                                                       "interfaces": [], "c": []}

    def add(kind, name, text):
        made[f"{kind}/{name}.md"] = text
        listed[kind].append(name)

    for kind, first, second, folder in definitions():
        if kind == "dialect":
            add("dialects", second, dialect(first, second, folder))
        elif kind == "interfaces":
            text = tablegen(folder / f"{first}.td", f"-gen-{second}-interface-docs")
            text = re.sub(r"^# .*\n", "", text, count=1, flags=re.M)
            text = re.sub(r"^::.{88,}$", lambda line: textwrap.fill(
                line[0], 88, subsequent_indent="    "), text, flags=re.M)
            add("interfaces", first, f"# Interfaces: `{first}`\n\n{text}")
        else:
            group = re.sub(r"^GNN|Transforms$", "", first).lower()
            add("passes", group, passes(group, folder))
    for path in sorted((ROOT / "include/GNN-c").glob("*.h")):
        add("c", path.stem, c_header(path))
    for kind, names in ORDER.items():
        listed[kind].sort(key=names.index)
    titles = {"dialects": "Operations of the dialects", "passes": "All passes",
              "interfaces": "Interfaces of ops", "c": "Headers of the C API"}
    for kind, names in listed.items():
        rows = []
        for name in names:
            rows += [f"| [{word}]({name}.md{link}) | {summary} |"
                     for word, link, summary in ROW.findall(made[f"{kind}/{name}.md"])]
        table = ["| name | summary |", "| --- | --- |", *rows, ""] if rows else []
        made[f"{kind}/index.md"] = "\n".join(
            [f"# {titles[kind]}", "", "```{toctree}", ":maxdepth: 1", "", *names, "```", "",
             *table])
    return made


def write(folder):
    """Writes what differs, and removes pages that are no more."""
    made = pages()
    for path in folder.rglob("*.md"):
        if path.relative_to(folder).as_posix() not in made:
            path.unlink()
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/reference")
