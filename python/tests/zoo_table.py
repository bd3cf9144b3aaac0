# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of each case of the zoo is in programs: the table of docs/FrontendCases.md.

    python python/tests/zoo_table.py --write

A case is whole where it is one program, and torch computes nothing with rows, which are
sizes of the graph, but data: what inputs are made of before the program, without
weights, and parts of an input and of what the program gives."""

import pathlib
import re
import sys

import torch
import zoo
from gnn_mlir.frontend import capture, report
from torch.utils._pytree import tree_leaves

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/FrontendCases.md"
REFUSED = {
    "SAGEConv-lstm": "torch: whether edges are sorted is asked of their values",
    "model-GPS": "torch: the size of a batch is asked of its values",
    "to_hetero_with_bases-SAGE2": "hooks, which PyG leaves out where torch traces"}


def kernels(outer):
    """How many kernels there are without gradients, and with the backward pass."""
    found = {}
    for call in outer.calls:
        plans = [plan for package in dict.fromkeys([call.function.called(),
                                                    call.function.package])
                 for plan in package.plan()["functions"]]
        for plan in plans:
            count = sum("kernel" in step for step in plan["steps"])
            found[plan["name"]] = found.get(plan["name"], 0) + count
    return found["forward"], sum(count for name, count in found.items() if name != "forward")


def row(name):
    """The row of a case that was run and differentiated last."""
    if name in REFUSED:
        return f"| {name} | no | | | {REFUSED[name]} |"
    outer = capture._made[-1]
    others = [one.op for one in report.left(outer)]
    whole = len(outer.calls) == 1 and not others
    counts = {op: others.count(op) for op in others}
    text = ", ".join(op if n == 1 else f"{n} {op}" for op, n in counts.items())
    forward, training = kernels(outer)
    return f"| {name} | {'yes' if whole else 'no'} | {forward} | {training} | {text} |"


def committed():
    """The rows of the page by case."""
    return {line.split()[1]: line for line in re.findall(
        r"^\| \S+ \| (?:yes|no) \|.*$", PAGE.read_text(), re.M)}


def _run(name):
    torch._dynamo.reset()
    case, inputs = zoo.CASES[name], zoo.Inputs()
    if name not in REFUSED:
        given = case.inputs(inputs), case.named(inputs)
        for x in tree_leaves(given):
            if isinstance(x, torch.Tensor) and x.is_floating_point():
                x.requires_grad_()
        model = capture.compile_module(case.make().eval(), fullgraph=True)
        sum(out.sum() for out in tree_leaves(model(*given[0], **given[1]))).backward()
    return row(name)


def _write():
    rows = [_run(name) for name in zoo.CASES]
    whole = sum("| yes |" in one for one in rows)
    before = re.match(r".*?^\| --- .*?\n", PAGE.read_text(), re.M | re.S)[0]
    PAGE.write_text(re.sub(r"\d+ of \d+", f"{whole} of {len(rows)}", before) +
                    "\n".join(rows) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("expected --write")
    _write()
