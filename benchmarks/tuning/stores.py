# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores of measured schedules with their features, as gnn-tune lists them: nothing here
computes features."""

import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np


def find_tool(given=None):
    """gnn-tune as given, of the installed package, or of the path."""
    if given:
        return str(given)
    try:
        import gnn_mlir
        own = pathlib.Path(gnn_mlir.__file__).resolve().parent / "bin" / "gnn-tune"
        if own.exists():
            return str(own)
    except ImportError:
        pass
    found = shutil.which("gnn-tune")
    if not found:
        sys.exit("expected gnn-tune of a wheel or in PATH; --tool says where it is")
    return found


@dataclasses.dataclass
class Store:
    """The store of a cell, with the module that was measured."""
    path: pathlib.Path

    def __post_init__(self):
        self.module = self.path.with_suffix(".mlir")
        with self.path.open() as file:
            first = json.loads(file.readline())
        self.first = first  # measured first: the rule's schedule
        self.cell = first["cell"]
        self.target = "cpu" if first["device"] == "cpu" else "cuda"
        self.function = re.search(r"func\.func @(\w+)", self.module.read_text()).group(1)

    def command(self, tool, *options):
        return [tool, str(self.module), "--function", self.function, "--replay",
                str(self.path), "--cell", self.cell, f"--target={self.target}", *options]


@dataclasses.dataclass
class Table:
    """What was measured of one template of a cell: rows of features with their times."""
    cell: str
    device: str
    number: int
    names: list
    schedules: list
    rows: np.ndarray
    milliseconds: np.ndarray
    ratio: np.ndarray
    seconds: np.ndarray
    weights: np.ndarray = None
    refusal: str = None
    rule: int = None  # the row of the schedule that the rules choose, where it is known

    @classmethod
    def parse(cls, line):
        fields = json.loads(line)
        fields.pop("template")
        for name in ("rows", "milliseconds", "ratio", "seconds", "weights"):
            if name in fields:  # null, a missing value, becomes NaN
                fields[name] = np.array(fields[name], dtype=np.float64)
        return cls(**fields)

    @property
    def graph(self):
        return self.cell.split("/")[0]

    def find_rule(self, first):
        """The row of that measurement, of which no two take the same seconds."""
        same = np.flatnonzero((self.seconds == first["seconds"]) &
                              (self.milliseconds == first.get("milliseconds")))
        self.rule = int(same[0]) if len(same) == 1 else None

    def without_rule(self):
        """A table of the other schedules."""
        kept = np.arange(len(self.rows)) != self.rule
        return dataclasses.replace(
            self, rule=None, rows=self.rows[kept], milliseconds=self.milliseconds[kept],
            ratio=self.ratio[kept], seconds=self.seconds[kept],
            schedules=[s for s, keep in zip(self.schedules, kept) if keep],
            weights=None if self.weights is None else self.weights[kept])

    def column(self, name):
        return self.rows[:, self.names.index(name)]


def find_stores(folders):
    """All stores of folders, in the order of their names."""
    paths = sorted(path for folder in folders for path in pathlib.Path(folder).glob("*.jsonl"))
    if not paths:
        sys.exit(f"expected stores, NAME.jsonl beside NAME.mlir, in {', '.join(folders)}; got none")
    return [Store(path) for path in paths]


def list_features(store, tool, model=None):
    """The tables of a store, one a template; with a model, what it says of each row."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "features.jsonl"
        options = ["--features", str(out)]
        if model:
            options += ["--model", str(model)]
        done = subprocess.run(store.command(tool, *options), capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{store.path}: {done.stderr.strip()}")
        tables = [Table.parse(line) for line in out.read_text().splitlines()]
    for table in tables:
        table.find_rule(store.first)
    return tables


def fold(tables, count):
    """The tables in so many parts, none of which shares a graph with another."""
    graphs = sorted({table.graph for table in tables})
    return [[t for t in tables if graphs.index(t.graph) % count == part]
            for part in range(min(count, len(graphs)))]


def load(folders, tool, least=8):
    """The tables with so many schedules, of all stores of some folders."""
    tables = [table for store in find_stores(folders) for table in list_features(store, tool)]
    enough = [table for table in tables if len(table.rows) >= least]
    if not enough:
        most = max((len(table.rows) for table in tables), default=0)
        sys.exit(f"expected a template with {least} schedules in {', '.join(map(str, folders))}, "
                 f"got at most {most}")
    return enough
