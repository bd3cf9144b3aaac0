#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a page that shows one layer at every stage of the compiler, and others in the
forms from templates to threads.

The IR is what gnn-opt prints, so the page cannot be out of date. Of the first
kernel some lines are shown, of the others their arguments; of the forms of kernels what
becomes the first of them.

usage: lowering-guide.py GNN-OPT EXAMPLE.mlir [OTHER.mlir ...] > LoweringGuide.md
"""

import pathlib
import subprocess
import sys

KERNEL_LINES = 40
FORM_LINES = 60

STAGES = [
    ("The model", [], """
What is computed: whole tensors, whose row space is in their type."""),
    ("Templates", ["--gnn-graph-pipeline", "--convert-gnn-to-gnn-tile", "--cse"], """
Each op is a product (`gnn_tile.gemm`) or a walk over the graph
(`gnn_tile.traverse`). Row spaces have become accesses."""),
    ("Fused", ["--pass-pipeline=builtin.module(convert-gnn-to-gnn-tile,cse,"
               "func.func(gnn-tile-fuse-traversals,gnn-tile-fuse-products),cse)"], """
Walks with the same loops are one; products gather the rows they read and end
with what followed."""),
    ("Buffers", ["--gnn-graph-pipeline", "--gnn-tile-pipeline",
                 "--canonicalize", "--cse"], """
Results are arguments, everything between lies in one workspace whose size is
known before anything runs."""),
    ("Kernels and launches",
     ["--gnn-graph-pipeline", "--gnn-tile-pipeline",
      "--gnn-schedule-pipeline", "--gnn-kernels-pipeline"], """
The host function is a straight line of counts, structures and launches. It
becomes the launch plan."""),
]

#: From a template to what a thread does: the stage, and what it makes.
FORMS = [
    ("blocked", "block", """
A kernel is a loop over blocks, mapped to the grid; the template in it computes a range.
Buffers have their true extents, index arrays are operands, and what the launch costs is
stated."""),
    ("loops", "loops", """
Rows, elements and steps of products are loops; a row's value is a vector. Of threads
nothing is said but which lanes or spread a value is for. It runs as it stands:
`--stop-at=loops`."""),
    ("lanes", "lanes", """
What one thread does: vectors are the parts that it holds, workers are what its number
says, reductions go over lanes."""),
]

ROW_WISE = """
gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x64xf32, #gnn.rows<@g, node>>
func.func @gate(%x: !node, %y: !node) -> !node {
  %a = gnn.activation sigmoid %x : !node
  %b = arith.mulf %a, %y : !node
  return %b : !node
}
"""

BACKWARD = """
gnn.graph @g square {node_types = 1, edge_types = 1}
#node = #gnn.rows<@g, node>
!node = tensor<?x16xf32, #node>
!edge = tensor<?x16xf32, #gnn.rows<@g, edge>>
func.func @gcn(%x: !node {gnn.name = "x"}, %w: tensor<16x16xf32> {gnn.name = "w"})
    -> (!node {gnn.name = "y"}) attributes {gnn.gradients = ["w"]} {
  %h = gnn.linear %x, %w : (!node, tensor<16x16xf32>) -> !node
  %m = gnn.gather %h via src : !node -> !edge
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}
"""


def cut_kernels(text):
    """Keeps the first lines of the first kernel, and the first of each other."""
    lines, left, shown = [], None, KERNEL_LINES
    for line in text.splitlines():
        if line.lstrip().startswith("gpu.func"):
            left, shown = shown, 2
        if left is not None:
            left -= 1
            end = line == "    }"
            if left == 0 and not end:
                lines.append("      // ...")
            if left <= 0 and not end:
                continue
            left = None if end else left
        lines.append(line)
    return "\n".join(lines)


def run(tool, arguments, text):
    result = subprocess.run([tool, "-", *arguments], input=text, text=True,
                            capture_output=True)
    if result.returncode != 0:
        sys.exit(f"error: {' '.join(arguments)}: {result.stderr}")
    return result.stdout.rstrip()


def cut_lines(lines, shown):
    """The first lines, and how many more there are."""
    more = len(lines) - shown
    return lines if more <= 0 else [*lines[:shown], f"    // ... {more} more lines"]


def find_blocks(text):
    """What becomes each kernel: its loop over blocks."""
    found, left = [], None
    for line in text.splitlines():
        if line.startswith("    scf.forall"):
            left = []
        if left is not None:
            left.append(line)
            if line.startswith("    }"):
                found.append(left)
                left = None
    return found


def print_forms(tool, title, text, pick, explained=False):
    """Shows kernel `pick` of a program in each form; `explained`: says what it is."""
    print(f"\n## {title}\n\n```mlir\n{text.strip()}\n```")
    text = run(tool, ["--gnn-graph-pipeline", "--gnn-tile-pipeline",
                      "--gnn-schedule-pipeline"], text)
    for form, stage, what in FORMS:
        text = run(tool, [f"--gnn-{stage}-pipeline"], text)
        blocks = find_blocks(text)
        shown = "\n".join(cut_lines(blocks[pick], FORM_LINES))
        what = f"{what}\n" if explained else ""
        print(f"\n### {title}, {form}\n{what}\n    gnn-opt --gnn-{stage}-pipeline"
              f"\n\n```mlir\n{shown}\n```")


def read_program(file):
    """A program without the lines that say where it comes from."""
    lines = pathlib.Path(file).read_text().splitlines()
    return "\n".join(line for line in lines if not line.startswith("//"))


def main():
    tool, example, *others = sys.argv[1:]
    print(f"# One layer at every stage\n\nMade by utils/lowering-guide.py of "
          f"`{example.split('/')[-1]}`.")
    text = pathlib.Path(example).read_text()
    for title, arguments, what in STAGES:
        printed = run(tool, arguments, text)
        shown = " ".join(a.replace(" ", "") for a in arguments)
        print(f"\n## {title}\n{what}\n")
        if shown:
            print(f"    gnn-opt {shown}\n")
        print(f"```mlir\n{cut_kernels(printed)}\n```")
    print_forms(tool, "The product of RGCN" if "rgcn" in example else "The first kernel",
                read_program(example), 0, explained=True)
    for other in others:
        print_forms(tool, f"A sum over neighbours: {other.split('/')[-1]}",
                    read_program(other), -1)
    print_forms(tool, "An op on rows", ROW_WISE, 0)
    print_forms(tool, "A gradient", BACKWARD, -2)  # In front of the sum of its parts.


if __name__ == "__main__":
    main()
