# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of one kernel with switches of passes beside its time as the rules have it.

    python benchmarks/tuning/switches.py products --output FILE.json [--minutes 8]
    python benchmarks/tuning/switches.py dots --output FILE.json [--only n20000] [--device emulator]

"products" are products of rows of nodes with and without `product-registers`, "dots" dots of 2
to 28 edges a row by teams, by edges, and by edges without turns. All ways of a case are compiled
and take turns in one process (benchmarks/race.py); all give the result of the first, up to 1e-5.
The file has a case for each graph and shape: the median microseconds of each way, in a CUDA graph
where the device has them, and which walk the rules chose. On the emulator there are no times.
"""

import argparse
import datetime
import json
import pathlib
import random
import sys
import time

import torch

_HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent)]

import gnn_mlir  # noqa: E402
import sweep  # noqa: E402
from cells import Cell, Made  # noqa: E402
from ceilings_walks import product  # noqa: E402
from experiment import worst_error  # noqa: E402
from race import Contender, device, open_machine  # noqa: E402

SHAPES = [(64, 32), (64, 41), (64, 64), (64, 128), (48, 64), (40, 64), (33, 64), (50, 50), (64, 256)]
SHORT_ROWS = [Made(*numbers) for numbers in (
    (2_000_000, 2, 1.0, 0.0), (1_000_000, 4, 1.0, 0.8), (500_000, 4, 1.0, 0.0),
    (500_000, 6, 1.0, 0.0), (400_000, 8, 1.0, 0.0), (100_000, 4, 1.0, 0.0),
    (100_000, 8, 1.0, 0.8), (60_000, 12, 0.5, 0.0), (300_000, 12, 2.0, 0.0),
    (1_000_000, 3, 0.3, 0.0), (40_000, 16, 1.0, 0.0), (20_000, 8, 1.0, 0.0),
    (60_000, 4, 1.0, 0.5), (400_000, 20, 1.0, 0.0), (400_000, 24, 1.0, 0.0),
    (400_000, 28, 1.0, 0.0))]

# For each table the ways, and (graph, name, module of a graph) of each case.
WAYS = {"products": {"rule": {}, "open": {"product-registers": False}},
        "dots": {"rule": {}, "teams": {"edge-walks": 0}, "edges": {"edge-walks": 1},
                 "side by side": {"edge-walks": 1, "cyclic-walks": False}}}
CASES = {"products": [(Made(rows, 4, 0.3, 0.0), f"{inputs}x{outputs}",
                       lambda graph, shape=(inputs, outputs): product(*shape))
                      for rows in (15_000, 60_000, 250_000, 1_000_000)
                      for inputs, outputs in SHAPES],
         "dots": [(graph, f"dot/{features}", Cell(graph, "dot", features).module)
                  for graph in SHORT_ROWS for features in (16, 32, 64, 128)]}


def compare(module, graph, ways, machine):
    """The microseconds of each way, and the walk that the rules chose, if it is one."""
    function, = module.functions.values()
    inputs = {name: torch.tensor(value, device=machine.device)
              for name, value in function.random_inputs(graph, 1).items()}
    expected, entered, schedules, pool = None, {}, {}, machine.new_pool()
    for way, passes in ways.items():
        bound = gnn_mlir.compile(module, target=machine.target, graph=graph,
                                 passes=passes).bind(graph, machine.place)
        out = sweep.outputs(bound(inputs))
        expected = expected or out
        error = worst_error(out, expected)
        assert error <= sweep.TOLERANCE, f"{way}: {error:.1e}"
        schedules[way] = [step.get("schedule") or "" for step in bound.report()["steps"]]
        entered[way] = machine.enter(way, lambda bound=bound: bound(inputs), None, pool)
    machine.race([one for one in entered.values() if isinstance(one, Contender)])
    times = {way: (one.found if isinstance(one, Contender) else one).get("ms")
             for way, one in entered.items()}
    return {"microseconds": {way: ms and round(1e3 * ms, 3) for way, ms in times.items()},
            "by_edges": any("by_edges" in schedule for schedule in schedules["rule"])}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("table", choices=WAYS)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="cases that have this in their names")
    parser.add_argument("--minutes", type=float, default=8, help="no case begins after these")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--device", type=device, default="cuda")
    options = parser.parse_args(arguments)
    random.seed(0)
    end = time.monotonic() + 60 * options.minutes
    machine = open_machine(options.device, options.rounds, 0.2, 5.0, 5, 2.0)
    result = {"date": datetime.date.today().isoformat(), "about": machine.about(), "cases": []}
    held = None, None
    for made, name, module in CASES[options.table]:
        case = f"{made.name}/{name}"
        if options.only not in case or time.monotonic() > end:
            continue
        if held[0] != made.name:
            held = made.name, gnn_mlir.sort_edges(made.load(None))[0]
        found = compare(module(held[1]), held[1], WAYS[options.table], machine)
        result["cases"].append({"case": case, **found})
        options.output.write_text(json.dumps(result, indent=1))
        print(case, found, flush=True)


if __name__ == "__main__":
    main()
