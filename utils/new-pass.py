#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts a pass that keeps its level: what else a pass needs besides its idea.

    utils/new-pass.py CompactRows --level gnn --switch

adds an entry to include/GNN/Transforms/Graph/Passes.td and a line to
lib/Transforms/Graph/CMakeLists.txt and test/Tools/passes.test, and writes
lib/Transforms/Graph/CompactRows.cpp and test/Transforms/compact-rows.mlir. The
result builds and its test passes: the pass looks at one kind of op, says in a
remark that it changes none, and changes none. With --switch it is in the
pipeline of its level, with an option that turns it off, which
`variants.SWITCHES` and docs/Passes.md name.
CONTRIBUTING.md says what makes it done.
"""

import argparse
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

# For each level: its folder of lib/Transforms, the prefix of flags, and the op that
# a new pass looks at, with its header and a function that has one.
LEVELS = {
    "gnn": {
        "room": "Graph", "prefix": "gnn-", "namespace": "gnn",
        "op": "AggregateOp", "header": "GNN/Dialect/GNN/IR/GNN.h",
        "landmark": "gnn.aggregate",
        "function": """\
!node = tensor<?x64xf32, #gnn.rows<@g, node>>
!edge = tensor<?x64xf32, #gnn.rows<@g, edge>>

gnn.graph @g square {node_types = 1, edge_types = 1}

CHECKS
func.func @FUNCTION(%m: !edge) -> !node {
  // expected-remark @+1 {{no case is known in which it pays}}
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}
"""},
    "gnn_tile": {
        "room": "Tile", "prefix": "gnn-tile-",
        "namespace": "gnn::tile", "op": "TraverseOp",
        "header": "GNN/Dialect/Tile/IR/Tile.h",
        "landmark": "gnn_tile.traverse",
        "function": """\
gnn.graph @g square {node_types = 1, edge_types = 1}

CHECKS
func.func @FUNCTION(%x: tensor<?x64xf32>, %init: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark @+1 {{no case is known in which it pays}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
"""},
}

ENTRY = """\
def {name} : Pass<"{flag}", "::mlir::func::FuncOp"> {{
  let summary = "{summary}";
  let description = [{{
    The rewrite, before and after, and why it pays.

    Needs: nothing. Keeps: everything. Never changes an op.
  }}];
}}

"""

SOURCE = """\
{headline}
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/{room}/Passes.h"

#include "{header}"
#include "GNN/Transforms/Remarks.h"

using namespace mlir;
using namespace {namespace};

namespace gnn {{
#define GEN_PASS_DEF_{upper}
#include "GNN/Transforms/{room}/Passes.h.inc"
}} // namespace gnn

/// Why `op` stays as it is; empty if it is to be changed.
static std::string refusal({op}) {{
  return "no case is known in which it pays";
}}

namespace {{
struct {name} : gnn::impl::{name}Base<{name}> {{
  void runOnOperation() override {{
    getOperation()->walk([&]({op} op) {{
      if (std::string why = refusal(op); !why.empty())
        gnn::refused(getArgument(), op.getLoc()) << why;
    }});
  }}
}};
}} // namespace
"""

TEST = """\
// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func({flag}))' \\
// RUN:   --remarks-filter='{flag}' --remark-format=emitRemark \\
// RUN:   --verify-diagnostics | FileCheck %s

{function}"""

CHECKS = """\
// Negative: nothing pays here.
//
// CHECK-LABEL: func.func @FUNCTION
// CHECK:         LANDMARK"""


OPTION = """\
  Option<bool> {camel}{{
      *this, "{kebab}", llvm::cl::desc("{summary}"),
      llvm::cl::init(true)}};
"""

ROW = ("| `{kebab}` | `{flag}` | what it does, in a few words | the same | `true` "
       "|\n")


def words(name):
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", name)


def add_entry(text, entry):
    """Puts an entry at the end of the passes of a level."""
    end = text.index("#endif")
    return text[:end] + entry + text[end:]


def add_source(text, source):
    """Puts a source into the sorted list of a library."""
    head, rest = text.split("\n", 1)
    lines, tail = rest.split("\n\n", 1)
    lines = sorted(lines.split("\n") + [f"  {source}"], key=str.strip)
    return "\n".join([head, *lines]) + "\n\n" + tail


def add_flag(text, flag):
    """Puts a flag into the sorted list of passes, which is before the pipelines."""
    head, *lines = re.split(r"^CHECK(?:-NEXT)?: +--", text, flags=re.M)
    flags = [line.strip() for line in lines]
    pipelines = [line for line in flags if line.endswith("-pipeline")]
    passes = [line for line in flags if line not in pipelines]
    first, *rest = sorted(passes + [flag]) + pipelines
    return head + f"CHECK:      --{first}\n" + "".join(
        f"CHECK-NEXT: --{name}\n" for name in rest)


def put(path, landmark, new, after=False):
    """Puts text before the one place of a file where `landmark` is, or after."""
    text = path.read_text()
    if text.count(landmark) != 1:
        sys.exit(f"error: {path}: expected one '{landmark.strip()}', got "
                 f"{text.count(landmark)}")
    both = landmark + new if after else new + landmark
    path.write_text(text.replace(landmark, both))


def add_switch(root, level, facts):
    """Puts the pass at the end of its level's pipeline, with its switch."""
    header = root / "include/GNN/Pipelines/Pipelines.h"
    source = root / "lib/Pipelines/Pipelines.cpp"
    variants = root / "python/tests/support/variants.py"
    docs = root / "docs/Passes.md"
    on_graphs = level == "gnn"
    option = OPTION.format(**facts)
    assign = "    other.{camel} = {camel};\n".format(**facts)
    row = ROW.format(**facts)
    if on_graphs:
        put(header, "  Option<CostKind> cost{\n", option)
        put(header, "    other.cost = cost;\n", assign)
        text = source.read_text()
        end = text.index("\n}\n", text.index("void gnn::buildGraphPipeline(")) + 1
        source.write_text(
            text[:end] + "  if (options.{camel})\n    pm.addNestedPass<func::FuncOp>"
            "(create{name}());\n".format(
                **facts) + text[end:])
        put(docs, "| `fuse` |", row)
    else:
        put(header, "\n  /// Sets the same switches of `other`.\n"
            "  template <typename Other> void assignTileSwitches(", option)
        put(header, "    other.fuse = fuse;\n", assign, after=True)
        put(source, "  pm.addNestedPass<func::FuncOp>(createSeparateResults());\n",
            "  if (options.{camel})\n    pm.addNestedPass<func::FuncOp>"
            "(create{name}());\n".format(**facts))
        rows = re.search(r"^\| `use-edge-order` \|.*\n", docs.read_text(), re.M)
        put(docs, rows[0], row, after=True)
    if formatter := shutil.which("clang-format-22"):  # names differ in length
        subprocess.run([formatter, "-i", header, source], check=True)
    text = variants.read_text()
    old = re.search(r"^SWITCHES = \((.*?)\)", text, re.M | re.S)
    names = re.findall(r'"([\w-]+)"', old[1])
    at = names.index("fuse") if on_graphs else len(names)
    names.insert(at, facts["kebab"])
    listed = textwrap.fill(", ".join(f'"{name}"' for name in names), 79,
                           initial_indent="SWITCHES = (", break_on_hyphens=False,
                           subsequent_indent=" " * 12)
    variants.write_text(text.replace(old[0], listed + ")"))
    return header, source, variants, docs


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="name of the pass in CamelCase, a phrase")
    parser.add_argument("--level", choices=LEVELS, default="gnn")
    parser.add_argument("--switch", action="store_true",
                        help="add it to the pipeline, with a switch")
    parser.add_argument("--root", type=Path, help="the source tree",
                        default=Path(__file__).resolve().parents[1])
    options = parser.parse_args()
    name, root, level = options.name, options.root, LEVELS[options.level]
    parts = words(name)
    if "".join(parts) != name or name.endswith("Pass"):
        sys.exit(f"error: expected a name such as CompactRows, got '{name}'")
    kebab = "-".join(parts).lower()
    passes = root / "include/GNN/Transforms" / level["room"] / "Passes.td"
    cmake = root / "lib/Transforms" / level["room"] / "CMakeLists.txt"
    source = root / "lib/Transforms" / level["room"] / f"{name}.cpp"
    test = root / "test/Transforms" / f"{kebab}.mlir"
    names = root / "test/Tools/passes.test"
    rooms = root.glob("include/GNN/Transforms/*/*.td")
    if any(re.search(rf"^def {name}\b", path.read_text(), re.M) for path in rooms):
        sys.exit(f"error: there is a pass {name} already")

    flag, phrase = level["prefix"] + kebab, " ".join(parts).capitalize()
    headline = f"//===- {name}.cpp - {phrase} "
    headline += "-" * (80 - len(headline) - len("===//")) + "===//"
    facts = dict(level, name=name, kebab=kebab,
                 camel=parts[0].lower() + "".join(parts[1:]), flag=flag, summary=phrase,
                 headline=headline, upper=name.upper())
    checks = CHECKS.replace("LANDMARK", level["landmark"])
    function = level["function"].replace("CHECKS", checks)
    function = function.replace("FUNCTION", "_".join(parts).lower())
    passes.write_text(add_entry(passes.read_text(), ENTRY.format(**facts)))
    cmake.write_text(add_source(cmake.read_text(), f"{name}.cpp"))
    names.write_text(add_flag(names.read_text(), flag))
    source.write_text(SOURCE.format(**facts))
    test.write_text(TEST.format(flag=flag, function=function))
    written = [passes, cmake, names, source, test]
    if options.switch:
        written += add_switch(root, options.level, facts)
    for path in written:
        print(path.relative_to(root))


if __name__ == "__main__":
    main()
