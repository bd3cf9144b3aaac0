# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as Markdown and as files."""

import json


def number(value, digits=3):
    return "-" if value is None else f"{value:.{digits}f}"


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def write(path, result, as_table):
    """What there is so far, should the next one fail; nothing without a path."""
    if path:
        path.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
        path.with_suffix(".md").write_text(as_table(result))
