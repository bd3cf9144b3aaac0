# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/Overlay.md, made of Instructions.def, Parameters.def and TimingOptions.def.
Run as a program, this writes them."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/Overlay.md"
USE = re.compile(r"^GNN_OVERLAY_(\w+)\((.*?)\)$", re.M | re.S)
WORDS = re.compile(r'(?:"[^"]*"\s*)+|[\w.]+')


def read(name):
    """(macro, arguments) of each use in a table of macros, in its order."""
    text = re.sub(r"^ *//.*\n|^#.*\n", "", (ROOT / "include/GNN/Overlay" / name).read_text(),
                  flags=re.M)
    for macro, arguments in USE.findall(text):
        yield macro, ["".join(re.findall('"([^"]*)"', word)) or word
                      for word in WORDS.findall(arguments)]


def instructions():
    """A row for each field: the instruction, the field, its bits and its meaning."""
    rows = ["| instruction | field | bits | meaning |", "| --- | --- | --- | --- |"]
    common = [("opcode", 6, "which instruction it is")]
    bit, rest = 6, []
    for macro, arguments in read("Instructions.def"):
        if macro == "COMMON":
            common.append((arguments[0], int(arguments[1]), arguments[2]))
        elif macro == "BEGIN":
            _, mnemonic, code, summary = arguments
            rest.append(f"| **`{mnemonic}`** | opcode {code} | | {summary} |")
            bit = sum(width for _, width, _ in common)
        elif macro == "FIELD":
            name, width, meaning = arguments
            rest.append(f"| | `{name}` | {span(bit, int(width))} | {meaning} |")
            bit += int(width)
            assert bit <= 128
    rows.append("| **all** | | | |")
    bit = 0
    for name, width, meaning in common:
        rows.append(f"| | `{name}` | {span(bit, width)} | {meaning} |")
        bit += width
    return rows + rest


def span(begin, width):
    return f"{begin}" if width == 1 else f"{begin}–{begin + width - 1}"


def numbers(name, title):
    """A row for each number: its keyword, its default and its meaning."""
    return [f"| {title} | default | meaning |", "| --- | --- | --- |"] + [
        f"| `{keyword}` | {int(value):,} | {meaning} |"
        for _, (_, keyword, value, meaning) in read(name)]


def tables():
    return {"instructions": instructions(),
            "parameters": numbers("Parameters.def", "parameter of `#gnn_overlay.target`"),
            "timing": numbers("TimingOptions.def", "option of the simulator")}


def page():
    """docs/Overlay.md with the tables made anew."""
    text = PAGE.read_text(encoding="utf-8")
    for name, lines in tables().items():
        begin, end = f"<!-- table: {name} -->\n", "<!-- end of table -->"
        before, rest = text.split(begin)
        text = before + begin + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
