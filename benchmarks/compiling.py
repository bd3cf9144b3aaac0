# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long the compiler takes for a layer, from text to PTX.

    python benchmarks/compiling.py [--graph aifb:0.1] [--models rgat,hgt]
        [--features 64] [--chip sm_90] [--repeats 5] [--output FILE]

Each layer of benchmarks/ablation.py is compiled for a graph, whose statistics are there:
its forward pass alone, and forward and backward pass with the gradients of all inputs.
What is loaded once is not counted: each is compiled a first time. Both times are the
least of the repeats, since other work on the machine can only add to them:

    ms      what went by, on all cores
    CPU ms  what the threads of the process computed, added up: about what one core needs
"""

import argparse
import datetime
import os
import pathlib
import resource
import time

import ablation
import gnn_mlir
from gnn_mlir import capi
from tables import markdown, number, write


def measure(body):
    """The milliseconds of a call, those of the processor, and what it returns."""
    def seconds():
        used = resource.getrusage(resource.RUSAGE_SELF)
        return time.perf_counter(), used.ru_utime + used.ru_stime

    before = seconds()
    result = body()
    return *(1e3 * (b - a) for a, b in zip(before, seconds())), result


def bench(model, graph, features, chip, training, repeats):
    """The numbers of one layer."""
    module, own = ablation.LAYERS[model](graph, features)
    text = module.text()
    capi.NativeGraph.of(own).stats()

    def compiled():
        return gnn_mlir.compile(text, target="cuda", chip=chip, graph=own,
                                gradients=True if training else None).package

    compiled()
    times = [measure(compiled) for _ in range(repeats)]
    return {"layer": model, "pass": "training" if training else "inference",
            "ms": min(t[0] for t in times), "CPU ms": min(t[1] for t in times),
            "PTX bytes": len(times[0][2].kernels("ptx"))}


def table(result):
    head = ["layer", "pass", "ms", "CPU ms", "PTX bytes"]
    rows = [[row["layer"], row["pass"], number(row["ms"], 0), number(row["CPU ms"], 0),
             f"{row['PTX bytes']:,}"] for row in result["rows"]]
    return (f"# From text to PTX\n\n{result['date']}, {result['cores']} cores, for "
            f"{result['chip']}, {result['features']} features, graph {result['graph']}; "
            f"the least of {result['repeats']} times.\n\n{markdown(head, rows)}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graph", default="aifb:0.1")
    parser.add_argument("--models", default="rgat,hgt")
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--chip", default="sm_90")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    name, graph = ablation.load(options.graph)
    result = {"date": datetime.date.today().isoformat(), "cores": os.cpu_count(),
              "graph": name, "chip": options.chip, "features": options.features,
              "repeats": options.repeats, "rows": []}
    for model in options.models.split(","):
        for training in False, True:
            result["rows"].append(bench(model, graph, options.features, options.chip,
                                        training, options.repeats))
            write(options.output, result, table)
    print(table(result))


if __name__ == "__main__":
    main()
