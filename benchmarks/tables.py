# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as Markdown and as files."""

import json


def number(value, digits=3):
    return "-" if value is None else f"{value:.{digits}f}"


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def markdown(header, rows=()):
    return "".join(map(line, [header, ["---"] * len(header), *rows]))


def write(path, result, as_table):
    """Writes the tables so far, should the next one fail; nothing without a path."""
    if path:
        from gnn_mlir import files  # Tables alone are made without the library.
        files.write(path.with_suffix(".json"), json.dumps(result, indent=1) + "\n")
        files.write(path.with_suffix(".md"), as_table(result))
