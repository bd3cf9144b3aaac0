# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of each case of the zoo, and of each call of PyG's classes, in programs: the tables of
docs/FrontendCases.md.

    python python/tests/pytorch/zoo_table.py --write [ChebConv]

writes both, or the rows whose names have the text. A case is whole where it is one program, and torch computes nothing with rows, which are
sizes of the graph, but data: what inputs are made of before the program, without
weights, and parts of an input and of what the program gives."""

import pathlib
import re
import sys

import beside_eager
import pyg_cases
import torch
import zoo
from gnn_mlir.pytorch.frontend import capture, report
from torch.utils._pytree import tree_leaves

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/FrontendCases.md"
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


def state(captures):
    """"whole", where a model that was called is one program, "split", or "torch"."""
    found = captures.report()
    programs = sum(len(one.programs) for one in found)
    return "torch" if not programs else "split" if (
        len(found) + programs > 2 or found[0].left or found[0].broken) else "whole"


def pyg_row(case, found):
    """The row of a call of PyG's classes that is in such a state."""
    return f"| {case.model} | {case.call} | {found} | {case.why} |"


def committed_pyg():
    """The rows of the page by call."""
    return {f"{model}({call})": f"| {model} | {call} |{rest}" for model, call, rest in re.findall(
        r"^\| ([^|]+) \| ([^|]+) \|( (?:whole|split|torch) \|.*)$", PAGE.read_text(), re.M)}


def _run_pyg(case):
    torch._dynamo.reset()
    model = case.make().eval()
    compiled = capture.compile_module(model)
    beside_eager.run(compiled, model, *case.inputs(zoo.Inputs()))
    return pyg_row(case, state(compiled.captures))


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


def _with(section, rows):
    """A section of the page with these rows in its table, and how many of them are whole."""
    before = re.match(r".*?^\| --- .*?\n", section, re.M | re.S)[0]
    whole = sum(bool(re.search(r"\| (yes|whole) \|", row)) for row in rows.values())
    return re.sub(r"\d+ of \d+", f"{whole} of {len(rows)}", before, count=1) + "".join(
        f"{row}\n" for row in rows.values())


def _write(part):
    models, calls = committed(), committed_pyg()
    models = {name: models[name] if name in models and part not in name else _run(name)
              for name in zoo.CASES}
    calls = {name: calls[name] if name in calls and part not in name else _run_pyg(case)
             for name, case in pyg_cases.CASES.items()}
    first, between, second = PAGE.read_text().partition("\n## ")
    PAGE.write_text(_with(first, models) + between + _with(second, calls))


if __name__ == "__main__":
    if sys.argv[1:2] != ["--write"] or len(sys.argv) > 3:
        sys.exit("expected --write, and part of the names of rows")
    _write(sys.argv[2] if len(sys.argv) > 2 else "")
