# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debian's package lists as a typed graph.

    python python/tests/support/debian.py OUT.npz [--features N] [LIST ...]

Without arguments it reads every Packages list that apt has on this machine
(`apt-get update` fetches them); compressed lists are read by apt's own helper.
Nodes are packages, virtual names (named, but not a package of the lists), source
packages, sections, maintainers and debtags; edges are what the fields of a package
say. The first of a field's alternatives ("a | b") counts as the relation itself,
the others as "<relation>-alternative". Features of a package are the hashed words
of its name and short description; its label is its section. Maintainers are
numbers only: no name or address gets into the graph.

The lists change with every update of the archive, and so does the graph.
"""

import argparse
import glob
import re
import subprocess
import sys
import time

import numpy as np

from gnn_mlir.datasets.features import HashedWords, split_masks, typed_graph

NODE_TYPES = ("package", "virtual", "source", "section", "maintainer", "tag")
_PACKAGE, _VIRTUAL, _SOURCE, _SECTION, _MAINTAINER, _TAG = range(6)

_RELATIONS = ("Pre-Depends", "Depends", "Recommends", "Suggests", "Enhances",
              "Breaks", "Conflicts", "Replaces", "Provides", "Built-Using")
EDGE_TYPES = tuple(
    [r.lower() for r in _RELATIONS] +
    [r.lower() + "-alternative" for r in _RELATIONS[:5]] +
    ["built-from", "in-section", "maintained-by", "has-tag"])
_EDGE = {name: i for i, name in enumerate(EDGE_TYPES)}

APT_LISTS = "/var/lib/apt/lists/*_Packages*"
_HELPER = "/usr/lib/apt/apt-helper"
_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*")


def read_list(path):
    """The text of a Packages list, compressed or not."""
    if path.endswith("_Packages") or path.endswith(".txt"):
        with open(path, encoding="utf-8") as file:
            return file.read()
    result = subprocess.run([_HELPER, "cat-file", path], capture_output=True)
    if result.returncode:
        raise ValueError(f"{path}: expected a list that {_HELPER} reads, got: "
                         f"{result.stderr.decode(errors='replace').strip()}")
    return result.stdout.decode()


def stanzas(text):
    """Each package of a list as a dict from field to value, lines joined."""
    for stanza in text.split("\n\n"):
        fields, field = {}, None
        for line in stanza.split("\n"):
            if line[:1] in (" ", "\t"):
                if field is not None:
                    fields[field] += line
            elif line:
                field, colon, value = line.partition(":")
                if not colon:
                    raise ValueError(f"expected a field and a colon, got {line!r}")
                fields[field] = value.strip()
        if fields:
            if "Package" not in fields:
                raise ValueError("expected a stanza with the field Package, got "
                                 f"{', '.join(fields)}")
            yield fields


class _Nodes:
    """Nodes by (type, name), in the order of their first use."""

    def __init__(self):
        self.numbers = {}

    def of(self, kind, name):
        return self.numbers.setdefault((kind, name), len(self.numbers))


def _targets(value):
    """The names of a relation's field: (name, whether it is an alternative)."""
    for group in value.split(","):
        for i, choice in enumerate(group.split("|")):
            name = _NAME.match(choice.strip())
            if name:
                yield name.group(), i > 0


def build(paths, features=64):
    """The graph of some Packages lists; of a package that several lists have,
    the first version counts."""
    packages = {}
    for path in sorted(paths):
        try:
            for fields in stanzas(read_list(path)):
                packages.setdefault(fields["Package"], fields)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    nodes, edges = _Nodes(), []
    for name in packages:
        nodes.of(_PACKAGE, name)
    for name, fields in packages.items():
        _add_edges(nodes, edges, packages, name, fields)

    hashed = HashedWords(features)
    for kind, name in nodes.numbers:
        hashed.append(f"{name} {packages[name].get('Description', '')}"
                      if kind == _PACKAGE else "")
    types = np.array([kind for kind, _ in nodes.numbers], np.int32)
    sections = [name for kind, name in nodes.numbers if kind == _SECTION]
    number = {name: i for i, name in enumerate(sections)}
    label = np.full(len(types), -1, np.int32)
    label[:len(packages)] = [number.get(f.get("Section"), -1)
                             for f in packages.values()]
    arrays = {**hashed.arrays(), "label": label, "label_names": np.array(
        sections or [""])[:len(sections)],
        **split_masks([name for _, name in nodes.numbers], label)}
    return typed_graph(np.array(edges, np.int64).reshape(-1, 3), types,
                       NODE_TYPES, EDGE_TYPES, arrays)


def _add_edges(nodes, edges, packages, name, fields):
    """The facts in the fields of one package."""
    node = nodes.of(_PACKAGE, name)
    for relation in _RELATIONS:
        for target, alternative in _targets(fields.get(relation, "")):
            kind = relation.lower() + ("-alternative" if alternative else "")
            if kind not in _EDGE:
                continue
            if relation == "Built-Using":
                end = nodes.of(_SOURCE, target)
            else:
                end = nodes.of(_PACKAGE if target in packages else _VIRTUAL,
                               target)
            edges.append((_EDGE[kind], node, end))
    source = fields.get("Source", name).split()[0]
    edges.append((_EDGE["built-from"], node, nodes.of(_SOURCE, source)))
    for field, kind, edge in (("Section", _SECTION, "in-section"),
                              ("Maintainer", _MAINTAINER, "maintained-by")):
        if field in fields:
            edges.append((_EDGE[edge], node, nodes.of(kind, fields[field])))
    for tag in fields.get("Tag", "").split(","):
        if tag.strip():
            edges.append((_EDGE["has-tag"], node, nodes.of(_TAG, tag.strip())))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", help="the .npz file to write")
    parser.add_argument("lists", nargs="*", metavar="LIST",
                        help=f"Packages lists ({APT_LISTS})")
    parser.add_argument("--features", type=int, default=64,
                        help="hashed words a package (%(default)s)")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    try:
        lists = options.lists or glob.glob(APT_LISTS)
        if not lists:
            raise ValueError(f"expected Packages lists as {APT_LISTS}, got none; "
                             "apt-get update fetches them")
        graph = build(lists, options.features)
        graph.save(options.out)
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    print(f"{options.out}: {graph}, {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
