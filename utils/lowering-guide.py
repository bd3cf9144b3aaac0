#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a page that shows one layer at every stage of the compiler, and others in the
forms from templates to threads.

The IR is what the commands on the page print: they are run as they stand there, so the
page cannot be out of date. The page shows some lines of the first kernel, of the others
their arguments; of the forms of kernels what becomes one of them.

usage: lowering-guide.py GNN-OPT EXAMPLE.mlir [OTHER.mlir ...] > LoweringGuide.md
"""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

KERNEL_LINES = 40
FORM_LINES = 60
WIDTH = 96

STAGES = [
    ("The model", [], """
The ops are on whole tensors, whose row space is in their type."""),
    ("Templates", ["--gnn-graph-pipeline", "--convert-gnn-to-gnn-tile", "--cse"], """
Each op is a product (`gnn_tile.gemm`) or a walk over the graph
(`gnn_tile.traverse`). Row spaces have become accesses."""),
    ("Fused", ["--pass-pipeline=builtin.module(gnn-graph-pipeline,convert-gnn-to-gnn-tile,"
               "cse,func.func(gnn-tile-fuse-traversals,gnn-tile-fuse-products),cse)"], """
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
Rows, elements and steps of products are loops; a row's value is a vector. The
form does not mention threads, except for the lanes or the spread of a value. It can be run
(`--stop-at=loops`)."""),
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


def write_command(file, arguments):
    """A command of the page, in lines that fit."""
    lines = [f"gnn-opt {file}"]
    for word in map(shlex.quote, arguments):
        if len(lines[-1]) + len(word) > WIDTH:
            lines.append("   ")
        lines[-1] += f" {word}"
    return " \\\n".join(lines)


def run(folder, command):
    """The output of a command, run in a folder in which `gnn-opt` and its file
    are."""
    path = f"{folder}/bin{os.pathsep}{os.environ.get('PATH', '')}"
    result = subprocess.run(["bash", "-c", command], cwd=folder, text=True,
                            capture_output=True, env={**os.environ, "PATH": path})
    if result.returncode != 0:
        sys.exit(f"error: {command}: {result.stderr}")
    return result.stdout.rstrip()


def cut_lines(lines, shown):
    """The first lines, and how many more there are."""
    more = len(lines) - shown
    return lines if more <= 0 else [*lines[:shown], f"    // ... {more} more lines"]


def find_blocks(text):
    """The origin of each kernel: its loop over blocks."""
    found, left = [], None
    for line in text.splitlines():
        if line.startswith("    gnn_tile.blocks"):
            left = []
        if left is not None:
            left.append(line)
            if line.startswith("    }"):
                found.append(left)
                left = None
    return found


def print_forms(folder, title, file, pick, explained=False):
    """Shows kernel `pick` of a program in each form; `explained`: says what it is."""
    print(f"\n## {title}\n\n`{file}`:\n\n```mlir\n{read_program(folder / file)}\n```")
    arguments = ["--gnn-graph-pipeline", "--gnn-tile-pipeline", "--gnn-schedule-pipeline"]
    for form, stage, what in FORMS:
        arguments.append(f"--gnn-{stage}-pipeline")
        command = write_command(file, arguments)
        blocks = find_blocks(run(folder, command))
        shown = "\n".join(cut_lines(blocks[pick], FORM_LINES))
        what = f"{what}\n" if explained else ""
        print(f"\n### {title}, {form}\n{what}\n```sh\n{command}\n```"
              f"\n\n```mlir\n{shown}\n```")


def read_program(path):
    """A program without the lines that say where it comes from."""
    lines = path.read_text().splitlines()
    return "\n".join(line for line in lines if not line.startswith("//")).strip()


def write_page(folder, example, others):
    print(f"# One layer at every stage\n\nMade by utils/lowering-guide.py of `{example}`. "
          "The commands run in the root of the tree,\nwith `gnn-opt` in the `PATH`; "
          "`// ...` stands for lines that are left out.")
    for title, arguments, what in STAGES:
        command = write_command(example, arguments)
        print(f"\n## {title}\n{what}\n\n```sh\n{command}\n```\n")
        print(f"```mlir\n{cut_kernels(run(folder, command))}\n```")
    print("\nThe rest shows one kernel of a program in each form, as the loop over blocks "
          "that it is made of.\nTo run the commands on `gate.mlir` and `gradient.mlir`, save "
          "the programs under these names.")
    print_forms(folder, "The product of RGCN" if "rgcn" in example else "The first kernel",
                example, 0, explained=True)
    for other in others:
        print_forms(folder, f"A sum over neighbours: {pathlib.Path(other).name}", other, -1)
    print_forms(folder, "An op on rows", "gate.mlir", 0)
    print_forms(folder, "A gradient", "gradient.mlir", -2)  # In front of the sum of its parts.


def main():
    tool, *examples = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for parent in ("bin", "examples"):
            (folder / parent).mkdir()
        (folder / "bin/gnn-opt").symlink_to(tool)
        for example in examples:
            (folder / "examples" / example.name).symlink_to(example)
        (folder / "gate.mlir").write_text(ROW_WISE)
        (folder / "gradient.mlir").write_text(BACKWARD)
        first, *others = [f"examples/{example.name}" for example in examples]
        write_page(folder, first, others)


if __name__ == "__main__":
    main()
