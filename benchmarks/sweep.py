# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of the schedules that one kernel of a layer may have: what the rules that
choose one (lib/Dialect/Tile/IR/TraverseLayout.cpp) were set by.

    python benchmarks/sweep.py --fields element_lanes,rows_per_block --threads 256
        [--graphs rows:1,rows:4,rows:16] [--layers sum] [--features 1,64]
    python benchmarks/sweep.py --fields lanes,element_lanes --graphs am --layers rgcn
        [--kernel TEXT] [--ptxas sm_90]

--fields are those of `gnn_mlir.list_schedules`; all others stay as they were chosen.
The kernel is the slowest that may have several such schedules, or the slowest of
those with TEXT in the name. "rows:4" is a graph of a million nodes whose edges are
drawn uniformly, 4 for each in the mean ("rows:4:0.01": of 10,000 nodes); "n500000-d16-v1-l0.8"
is one of synthetic.made, its edges sorted; others are those of benchmarks/cases.py, and so
are layers, reductions, dots ("dot") and attention of one head; "product" is one of as many
outputs as inputs. Every schedule is compiled and bound at once, and all take turns
(benchmarks/race.py): "layer" is the median over rounds of replays of a CUDA graph, of as many runs as take two
milliseconds, "kernel" that of the kernel alone, by CUDA events around ten launches. All give
the result of the one that is chosen, up to 1e-5. "registers" are those that are estimated, and
with --ptxas those that CUDA's ptxas takes for that chip, "spilled" where they are not enough. On
the emulator there are no times. With --output there are FILE.json and FILE.md: one table with a
row for each case where there are at most ten schedules of all, else a table for each case.
"""

import argparse
import datetime
import json
import pathlib
import random
import re
import subprocess
import tempfile

import numpy as np
import torch

import cases
import ceilings_walks
import gnn_mlir
import kernels
import synthetic
from experiment import worst_error
from race import Contender, OnGPU, device, open_machine
from tables import markdown, number, write

TOLERANCE = 1e-5
MOST_COLUMNS = 10  # Of the table of all cases.
LAYERS = {**cases.LAYERS, **cases.sums_of(gnn_mlir, (*cases.REDUCTIONS, "dot")),
          **{op: lambda g, f, op=op: (cases.attention(gnn_mlir, op, 1, f), g)
             for op in cases.ATTENTION},
          "product": lambda g, f: (ceilings_walks.product(f, f), g)}


def load(text):
    """A graph by name."""
    name, *numbers = text.split(":")
    if re.match(r"n\d+-d", text):
        return gnn_mlir.sort_edges(synthetic.made(text))[0]
    if name != "rows":
        return cases.load(text)[1]
    mean, scale = float(numbers[0]), float((numbers + [1])[1])
    rng, nodes = np.random.default_rng(1), int(1e6 * scale)
    return gnn_mlir.Graph(*rng.integers(0, nodes, (2, int(mean * nodes))), nodes)


def registers_taken(module, graph, line, chip):
    """The report of ptxas on the kernel with that schedule."""
    compiled = gnn_mlir.compile(module, target="cuda", chip=chip, graph=graph, schedules=[line])
    kernel = next(step["kernel"] for step in compiled.package.plan()["functions"][0]["steps"]
                  if has(step["schedule"], text_of(line)))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.ptx"
        path.write_text(compiled.ptx())
        said = subprocess.run(["ptxas", "-v", f"-arch={chip}", path, "-o", "/dev/null"],
                              check=True, capture_output=True, text=True).stderr
    spilled, count = re.search(rf"entry function '{kernel}'.*?(\d+) bytes spill stores.*?"
                               r"Used (\d+) registers", said, re.S).groups()
    return f"{count}, spilled" if int(spilled) else count


def text_of(line):
    """A schedule as plans and reports have it."""
    return ", ".join(f"{k} = {v}" for k, v in line["schedule"].items())


def has(schedule, text):
    """Whether a schedule of a report is that of a line; passes behind it may have added to it."""
    return schedule is not None and f"{schedule}, ".startswith(f"{text}, ")


def by_kernel(lines):
    """The lines of each kernel."""
    kernels = {}
    for line in lines:
        key = json.dumps({**line, "schedule": None, "layout": None})
        kernels.setdefault(key, []).append(line)
    return kernels.values()


class Layer:
    """A layer whose kernels have the schedules in these lines, bound."""

    def __init__(self, module, graph, machine, lines=()):
        self.bound = gnn_mlir.compile(module, target=machine.target, graph=graph,
                                      schedules=list(lines)).bind(graph, machine.place)
        self.schedules = [s.get("schedule") for s in self.bound.report()["steps"]]

    def differs(self, other):
        """The numbers of the launches that have another schedule."""
        return [i for i, (a, b) in enumerate(zip(self.schedules, other.schedules))
                if a != b]


def choose_kernel(module, graph, machine, inputs, options):
    """The chosen layer, the number of the launch that is swept, and its lines."""
    lines = gnn_mlir.list_schedules(module, target=machine.target, graph=graph,
                                    vary=options.fields.split(","))
    if options.threads:
        lines = [x for x in lines if x["layout"]["threads"] == options.threads]
    chosen = Layer(module, graph, machine)
    steps, best = kernels.measure(chosen.bound, inputs), None
    for found in by_kernel(lines):
        others = [x for x in found if not any(has(one, text_of(x)) for one in chosen.schedules)]
        if not others:
            continue
        launch = Layer(module, graph, machine, others[:1]).differs(chosen)[0]
        # The emulator has no timer.
        cost = steps[launch]["ms"] or steps[launch]["mb_read"]
        if options.kernel in steps[launch]["kernel"] and (best is None or
                                                          cost > best[0]):
            best = cost, launch, found
    if best is None:
        raise SystemExit(f"expected a kernel with {options.kernel!r} in its name that may "
                         f"have several schedules, got none of "
                         f"{', '.join(step['kernel'] for step in steps)}")
    return chosen, best[1], best[2]


def outputs(result):
    """The outputs of a layer, as a list of tensors."""
    found = result.values() if isinstance(result, dict) else [result]
    return [torch.as_tensor(one).double() for one in found]


def sweep(module, graph, machine, options):
    """The times of each schedule, fastest first."""
    function, = module.functions.values()
    inputs = {name: torch.tensor(value, device=machine.device)
              for name, value in function.random_inputs(graph, 1).items()}
    chosen, launch, lines = choose_kernel(module, graph, machine, inputs, options)
    expected, rows, pool = outputs(chosen.bound(inputs)), [], machine.new_pool()
    for line in lines:
        text = text_of(line)
        layer = chosen if has(chosen.schedules[launch], text) else Layer(
            module, graph, machine, [line])
        assert has(layer.schedules[launch], text), (layer.schedules[launch], text)
        run = lambda bound=layer.bound: bound(inputs)
        difference = worst_error(outputs(run()), expected)
        assert difference <= TOLERANCE, f"{text}: {difference:.1e}"
        rows.append({**{name: line["schedule"].get(name)
                        for name in options.fields.split(",")},
                     "threads": line["layout"]["threads"], "chosen": layer is chosen,
                     "registers": line["layout"].get("registers"), "ptxas": options.ptxas and
                     registers_taken(module, graph, line, options.ptxas),
                     "layer": layer, "entered": machine.enter(text, run, None, pool)})
    machine.race([row["entered"] for row in rows if isinstance(row["entered"], Contender)])
    for row in rows:
        entered, layer = row.pop("entered"), row.pop("layer")
        row["kernel_ms"] = kernels.measure(layer.bound, inputs)[launch]["ms"]
        found = entered.found if isinstance(entered, Contender) else entered
        row["layer_ms"], row["spread"] = found.get("ms"), found.get("spread")
    rows.sort(key=lambda row: row["kernel_ms"] or 0)
    return kernels.measure(chosen.bound, inputs)[launch]["kernel"], rows


def overview(result):
    """A row for each case, with the microseconds of its layer by each schedule; "" where the
    schedules are too many for a table."""
    def key(row):
        return tuple(str(row[name]) for name in result["fields"].split(","))

    def place(values):
        return [(0, int(value), "") if value.isdigit() else (1, 0, value) for value in values]

    keys = sorted({key(row) for case in result["cases"] for row in case["rows"]}, key=place)
    if len(keys) > MOST_COLUMNS:
        return ""
    lines = []
    for case in result["cases"]:
        rows = {key(row): row for row in case["rows"]}
        times = {of: number(row["layer_ms"] and 1e3 * row["layer_ms"], 2)
                 for of, row in rows.items()}
        lines.append([case["graph"], case["layer"], str(case["features"]), *(
            f"**{times[of]}**" if of in rows and rows[of]["chosen"] else times.get(of, "")
            for of in keys)])
    return "\n" + markdown(["graph", "layer", "features", *map(", ".join, keys)], lines)


def table(result):
    """The results as Markdown."""
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    fields = [*result["fields"].split(","), "threads", "registers", "ptxas"]
    head = (f"# Schedules of one kernel, by {result['fields']}\n\n{result['date']}, "
            f"{about}.")
    if whole := overview(result):
        return (f"{head} Microseconds of a layer in a CUDA graph, by {result['fields']}; "
                f"in bold: what is chosen.\n{whole}")
    text = (f"{head} Milliseconds of the kernel and of its layer, fastest first; *: "
            "what is chosen.\n")
    for case in result["cases"]:
        text += (f"\n## {case['graph']}, {case['layer']}, {case['features']} features: "
                 f"{case['kernel']}\n\n")
        text += markdown(
            [*fields, "kernel, ms", "layer, ms", "spread"],
            [[*(str(row[name]) for name in fields),
              number(row["kernel_ms"], 4) + (" *" if row["chosen"] else ""),
              number(row["layer_ms"], 4),
              "-" if row["spread"] is None else f"{100 * row['spread']:.1f}%"]
             for row in case["rows"]])
    return text


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--fields", required=True)
    parser.add_argument("--threads", type=int, help="only of blocks of so many")
    parser.add_argument("--kernel", default="")
    parser.add_argument("--graphs", default="rows:1,rows:2,rows:4,rows:7,rows:16")
    parser.add_argument("--layers", default="sum")
    parser.add_argument("--features", default="1,64")
    parser.add_argument("--ptxas", metavar="CHIP")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--device", type=device, default="cuda")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    random.seed(0)
    machine = (OnGPU(options.rounds, 0.2, shortest=2.0) if options.device == "cuda" else
               open_machine(options.device, options.rounds, 0.2))
    result = {"date": datetime.date.today().isoformat(),
              "about": {**machine.about(), "gnn-mlir": gnn_mlir.__version__},
              "fields": options.fields, "cases": []}
    for text in options.graphs.split(","):
        graph = load(text)
        for name in options.layers.split(","):
            for features in map(int, options.features.split(",")):
                module, own = LAYERS[name](graph, features)
                kernel, rows = sweep(module, own, machine, options)
                result["cases"].append({"graph": text, "layer": name, "kernel": kernel,
                                        "features": features, "rows": rows})
                write(options.output, result, table)
                print(f"{text} {name} {features}: {len(rows)} schedules", flush=True)
    print(table(result))


if __name__ == "__main__":
    main()
