# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers that schedules are estimated to need, beside those that ptxas takes.

    python benchmarks/tuning/registers.py [--count 240] [--chip sm_90] [--seed 1] [--output FILE]

Draws schedules of sums, weighted sums, means, extremes, dots, attention and products, those of the
listing of each in turn, compiles each, and has CUDA's ptxas say what its kernel takes; no GPU is
needed. The table has, for each, the quotient of what ptxas takes by the estimate, of the kernels
that spill nothing: median, and the tenth and ninetieth of a hundred; and how often the filter of
registers (docs/Schedules.md) and ptxas agree on whether a thread has enough: a kernel that spills,
or of which no block can be launched, has not. With --output there is FILE.json with each schedule.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import tempfile

import numpy as np

import gnn_mlir

BLOCK_REGISTERS, MOST = 65536, 255
NODE, EDGE = "#gnn.rows<@g, node>", "#gnn.rows<@g, edge>"
HEAD = "gnn.graph @g square {{node_types = 1, edge_types = 1}}\n"
WALK = HEAD + """
func.func @f(%x: tensor<?x{F}xf32> {{gnn.rows = {NODE}}}, %w: tensor<?xf32> {{gnn.rows = {EDGE}}})
    -> (tensor<?x{F}xf32> {{gnn.rows = {NODE}}}) {{
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x{F}xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = {F}>
      ins(%x, %w : tensor<?x{F}xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
      outs(%init : tensor<?x{F}xf32>) at [#gnn_tile.at<group : feature>] {{
  ^bb0(%v: f32, %a: f32):
    {body}
    gnn_tile.yield %s : f32
  }} -> tensor<?x{F}xf32>
  return %y : tensor<?x{F}xf32>
}}"""
DOT = HEAD + """
func.func @f(%x: tensor<?x{F}xf32> {{gnn.rows = {NODE}}})
    -> (tensor<?xf32> {{gnn.rows = {EDGE}}}) {{
  %n = gnn_tile.count @g count edge : index
  %init = tensor.empty(%n) : tensor<?xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = {F}>
      ins(%x, %x : tensor<?x{F}xf32>, tensor<?x{F}xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] {{
  ^bb0(%v: f32, %a: f32):
    %p = arith.mulf %v, %a : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }} -> tensor<?xf32>
  return %y : tensor<?xf32>
}}"""
ATTENTION = HEAD + """
func.func @f(%x: tensor<?x4x{F}xf32> {{gnn.rows = {NODE}}},
             %l: tensor<?x4xf32> {{gnn.rows = {NODE}}})
    -> (tensor<?x4x{F}xf32> {{gnn.rows = {NODE}}}) {{
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x4x{F}xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, heads = 4, features = {F}>
      ins(%x, %l, %l : tensor<?x4x{F}xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<element -> src : head, feature>, #gnn_tile.at<element -> src : head>,
          #gnn_tile.at<group : head>]
      outs(%init : tensor<?x4x{F}xf32>) at [#gnn_tile.at<group : head, feature>] {{
  ^bb0(%v: f32, %a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    %one = arith.constant 1.0 : f32
    %top, %z, %t = gnn_tile.softmax_sum %c, %one, %v : f32
    %s = arith.divf %t, %z : f32
    gnn_tile.yield %s : f32
  }} -> tensor<?x4x{F}xf32>
  return %y : tensor<?x4x{F}xf32>
}}"""
GEMM = HEAD + """
func.func @f(%x: tensor<?x{F}xf32> {{gnn.rows = {NODE}}}, %w: tensor<{F}x{F}xf32>)
    -> (tensor<?x{F}xf32> {{gnn.rows = {NODE}}}) {{
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x{F}xf32>
  %y = gnn_tile.gemm @g rows dst ins(%x, %w : tensor<?x{F}xf32>, tensor<{F}x{F}xf32>)
      at <group : feature> extras at [] outs(%init : tensor<?x{F}xf32>) at <group : feature> {{
  ^bb0(%p: f32):
    gnn_tile.yield %p : f32
  }} -> tensor<?x{F}xf32>
  return %y : tensor<?x{F}xf32>
}}"""
SUM = "%s = gnn_tile.reduce sum [element] %v : f32"
PROGRAMS = {
    "sum": (WALK, SUM), "mean": (WALK, SUM.replace("sum", "mean")),
    "maximum": (WALK, SUM.replace("sum", "max")),
    "weighted sum": (WALK, "%m = arith.mulf %v, %a : f32\n    " + SUM.replace("%v", "%m")),
    "dot": (DOT, ""), "attention": (ATTENTION, ""), "product": (GEMM, "")}
WIDTHS = (16, 32, 41, 64, 128)
FIELDS = ("columns_per_block", "vector", "lanes", "element_lanes", "in_flight", "rows_per_block",
          "rows_per_team", "max_registers")
OF_PRODUCTS = ("n", "kind", "copies", "max_registers")
VARIED = 4  # Fields at once.
WALKS = ("team", "by_length", "block", "by_edges")


def draw(chip, count, rng):
    """Programs with a line of a schedule each: all kinds, widths and walks in turn."""
    drawn, cases = [], [(name, width, walk) for width in WIDTHS for walk in WALKS
                        for name in PROGRAMS]
    rng.shuffle(cases)
    for name, width, walk in cases:
        text, body = PROGRAMS[name]
        text = text.format(F=width, NODE=NODE, EDGE=EDGE, body=body)
        if name == "product" and walk != WALKS[0]:
            continue
        vary = OF_PRODUCTS if name == "product" else rng.sample(FIELDS, VARIED)
        if name != "product":
            place = text.index(" {\n  ^bb0")
            text = f"{text[:place]} schedule <row_walk = {walk}>{text[place:]}"
        try:
            lines = gnn_mlir.list_schedules(text, target="cuda", chip=chip, vary=vary)
        except gnn_mlir.GNNError:
            continue  # The walk is none of the template's.
        drawn.append([(name, text, line) for line in rng.sample(lines, min(len(lines), count))])
    rng.shuffle(drawn)
    turns = [one for turn in range(count) for one in
             (lines[turn] for lines in drawn if turn < len(lines))]
    return turns[:count]


def taken(text, line, chip):
    """What ptxas says of the kernel: registers, bytes that are spilled, threads of a block."""
    compiled = gnn_mlir.compile(text, target="cuda", chip=chip, schedules=[line])
    said_of = ", ".join(f"{k} = {v}" for k, v in line["schedule"].items())
    kernel = next(step["kernel"] for step in compiled.package.plan()["functions"][0]["steps"]
                  if f"{step.get('schedule')}, ".startswith(f"{said_of}, "))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.ptx"
        path.write_text(compiled.ptx())
        said = subprocess.run(["ptxas", "-v", f"-arch={chip}", path, "-o", "/dev/null"],
                              check=True, capture_output=True, text=True).stderr
    spilled, registers = re.search(rf"entry function '{kernel}'.*?(\d+) bytes spill stores.*?"
                                   r"Used (\d+) registers", said, re.S).groups()
    return int(registers), int(spilled)


def fits(registers, threads, most=MOST):
    return registers <= most and -(-registers // 8) * 8 * threads <= BLOCK_REGISTERS


def measure(case, chip):
    name, text, line = case
    layout, schedule = line["layout"], line["schedule"]
    registers, spilled = taken(text, line, chip)
    return {"program": name, "schedule": schedule, "threads": layout["threads"],
            "estimate": layout["registers"], "registers": registers, "spilled": spilled,
            "filter": fits(layout["registers"], layout["threads"],
                           schedule.get("max_registers", MOST)),
            "enough": not spilled and fits(registers, layout["threads"])}


def table(found):
    rows = ["| program | schedules | ptxas / estimate: median, 10th, 90th | spill "
            "| filter agrees | kept, spills | left out, fits |",
            "| --- | --- | --- | --- | --- | --- | --- |"]
    groups = collections.defaultdict(list)
    for one in found:
        groups[one["program"]].append(one)
    for name, of in [*sorted(groups.items()), ("all", found)]:
        ratios = [one["registers"] / one["estimate"] for one in of if not one["spilled"]
                  and "max_registers" not in one["schedule"]]
        low, middle, high = np.percentile(ratios, [10, 50, 90]) if ratios else [np.nan] * 3
        rows.append(
            f"| {name} | {len(of)} | {middle:.2f}, {low:.2f}, {high:.2f} "
            f"| {sum(one['spilled'] > 0 for one in of)} "
            f"| {sum(one['filter'] == one['enough'] for one in of)} "
            f"| {sum(one['filter'] and not one['enough'] for one in of)} "
            f"| {sum(not one['filter'] and one['enough'] for one in of)} |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--chip", default="sm_90")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    cases = draw(options.chip, options.count, random.Random(options.seed))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda case: measure(case, options.chip), cases))
    print(table(found))
    if options.output:
        options.output.with_suffix(".json").write_text(
            "\n".join(json.dumps(one) for one in found) + "\n")


if __name__ == "__main__":
    main()
