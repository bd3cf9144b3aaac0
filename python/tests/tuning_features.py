# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of docs/TuningModels.md from Features.def: python tuning_features.py"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFINITIONS = ROOT / "include/GNN/Analysis/ScheduleModels/Features.def"
PAGE = ROOT / "docs/TuningModels.md"


def read():
    """(name, meaning) of each feature."""
    text = re.sub(r"^(//|#).*$", "", DEFINITIONS.read_text(), flags=re.M)
    found = []
    for part in text.split("_FEATURE(\"")[1:]:
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', '"' + part)
        found.append((strings[0], "".join(strings[1:])))
    return found


def page(features):
    """The page with the table of these."""
    text = PAGE.read_text()
    head = text[:text.index("## Features")]
    intro = re.search(r"## Features\n\n.*?\n\n", text, re.S)[0]
    rows = "".join(f"| `{name}` | {meaning} |\n" for name, meaning in features)
    return f"{head}{intro}| feature | meaning |\n| --- | --- |\n{rows}"


if __name__ == "__main__":
    PAGE.write_text(page(read()))
