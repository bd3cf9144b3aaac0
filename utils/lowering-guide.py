#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a page that shows one layer at every stage of the compiler.

The IR is what gnn-opt prints, so the page cannot be out of date. Of the first
kernel some lines are shown, of the others their arguments.

usage: lowering-guide.py GNN-OPT EXAMPLE.mlir > LoweringGuide.md
"""

import subprocess
import sys

KERNEL_LINES = 40

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


def main():
    tool, example = sys.argv[1:]
    print(f"# One layer at every stage\n\nMade by utils/lowering-guide.py of "
          f"`{example.split('/')[-1]}`.")
    for title, arguments, text in STAGES:
        result = subprocess.run([tool, *arguments, example], text=True,
                                capture_output=True)
        if result.returncode != 0:
            sys.exit(f"error: {title}: {result.stderr}")
        shown = " ".join(a.replace(" ", "") for a in arguments)
        print(f"\n## {title}\n{text}\n")
        if shown:
            print(f"    gnn-opt {shown}\n")
        print(f"```mlir\n{cut_kernels(result.stdout.rstrip())}\n```")


if __name__ == "__main__":
    main()
