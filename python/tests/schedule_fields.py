# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fields of schedules, of ScheduleFields.def, and the tables of docs/Schedules.md that are
made of them. Run as a program, this writes the tables."""

import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = "include/GNN/Dialect/Tile/IR/ScheduleFields.def"
PAGE = ROOT / "docs/Schedules.md"

Field = collections.namedtuple("Field", "type name range core rule bits meaning listed papers")


def read(root=ROOT):
    text = re.sub(r"^ *//.*\n", "", (root / TABLE).read_text(), flags=re.M)
    fields = []
    for template, use in re.findall(r"^GNN_(\w+)_FIELD\((.*?)\)$", text, re.M | re.S):
        words = re.findall(r'(?:"[^"]*"\s*)+|\w+(?:\([^"]*?\)(?=,))?', use)
        words = ["".join(re.findall('"([^"]*)"', word)) or word.strip('" \n') for word in words]
        kind, _, name, *rest = words
        if template == "TRAVERSE":
            del rest[2]  # The values that a listing tries.
        else:
            rest.insert(0, rest[0])
        fields.append(Field(kind, name, *rest))
    return fields


def values(kind, numbers):
    """The values of a field."""
    if numbers == "words":
        enums = (ROOT / "include/GNN/Dialect/Tile/IR/TileEnums.td").read_text()
        cases = re.search(rf'"{kind}", (.*?)\]>;', enums, re.S)[1]
        return ", ".join(f"`{word}`" for word in re.findall(r'\d, "(\w+)"', cases))
    name, numbers = re.fullmatch(r"(\w+)\((.*)\)", numbers).groups()
    if name == "upTo":
        if constant := re.fullmatch(r"MergedRows::(\w+)", numbers):
            lattice = (ROOT / "include/GNN/Lattice/Lattice.h").read_text()
            numbers = re.search(rf"{constant[1]} = (\d+);", lattice)[1]
        return "1 to " + re.sub(r".* << ", "2^", numbers)
    value, most = map(int, numbers.split(", "))
    if name == "from":
        return f"{value} to {most}"
    return ", ".join(str(value << i) for i in range((most // value).bit_length()))


def tables(fields):
    """The tables of the page, by name."""
    made = {"fields": ["| field | values | meaning | chosen by | in papers |",
                       "| --- | --- | --- | --- | --- |"],
            "listing": ["| field | values |", "| --- | --- |"]}
    for field in fields:
        cell = values(field.type, field.range)
        if field.core == "none":
            cell += "; not on a core"
        elif field.core != field.range:
            cell += f"; on a core {values(field.type, field.core)}"
        rule = field.rule and f"`{field.rule}`"
        made["fields"].append(
            f"| `{field.name}` | {cell} | {field.meaning} | {rule} | {field.papers} |")
        made["listing"].append(f"| `{field.name}` | {field.listed} |")
    return made


def page(fields):
    """docs/Schedules.md with the tables of these fields."""
    text = PAGE.read_text()
    for name, lines in tables(fields).items():
        begin, end = f"<!-- table: {name} -->\n", "\n<!-- end of table -->"
        before, rest = text.split(begin)
        text = before + begin + "\n".join(lines) + end + rest.split(end, 1)[1]
    return text


if __name__ == "__main__":
    PAGE.write_text(page(read()))
