# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler takes for a layer, from text to PTX, and how well it estimates registers.

    python benchmarks/compiling.py [--models rgat,hgt] [--graph aifb:0.1] [--features 64]
        [--chip sm_90] [--repeats 5]
    python benchmarks/compiling.py --registers [--draws 12] [--seed 1] [--chip sm_90]

Each layer of benchmarks/cases.py is compiled for a graph, whose statistics are there:
its forward pass alone, and forward and backward pass with the gradients of all inputs.
What is loaded once is not counted: each is compiled a first time. "ms" is what went by, on
all cores, "CPU ms" what the threads of the process computed, added up. Both are the least
of the repeats, since other work on the machine can only add to them.

--registers draws schedules of the traversals of seven models from all that are legal,
compiles each, and prints quantiles of the registers that ptxas takes by those estimated.
Kernels that spill, or that take all that their block leaves them, are left out. It needs
CUDA's ptxas. Neither needs a GPU.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import tempfile
import time

import numpy as np

import cases
import gnn_mlir
from gnn_mlir import capi, models
from sweep import text_of
from tables import markdown, number

MODELS = {"gcn": models.gcn((64, 128)), "gat": models.gat((64, 64)),
          "gat, 8 heads": models.gat((64, 64), heads=8), "rgat": models.rgat(3, (64, 32)),
          "rgcn": models.rgcn(3, (64, 64)), "sage": models.sage((64, 48)),
          "gin": models.gin((64, 33))}
KERNEL = re.compile(r"entry function '(\w+)'.*?(\d+) bytes spill stores.*?"
                    r"Used (\d+) registers", re.S)


def compile_times(model, graph, options, training):
    """A row of the table."""
    module, own = cases.LAYERS[model](graph, options.features)
    text, times = module.text(), []
    capi.NativeGraph.of(own).stats()
    for _ in range(options.repeats + 1):
        began = time.perf_counter(), time.process_time()
        package = gnn_mlir.compile(text, target="cuda", chip=options.chip, graph=own,
                                   gradients=training or None).package
        times.append((time.perf_counter() - began[0], time.process_time() - began[1]))
    return [model, "training" if training else "inference",
            *(number(1e3 * min(each), 0) for each in zip(*times[1:])),
            f"{len(package.kernels('ptx')):,}"]


def registers_taken(compiled, schedule, chip):
    """Registers of the kernel with that schedule; None where they are bounded."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.ptx"
        path.write_text(compiled.ptx())
        said = subprocess.run(["ptxas", "-v", f"-arch={chip}", path, "-o", "/dev/null"],
                              check=True, capture_output=True, text=True).stderr
    kernels = {name: (int(spilled), int(count))
               for name, spilled, count in KERNEL.findall(said)}
    step = next(step for step in compiled.package.plan()["functions"][0]["steps"]
                if step["schedule"] == schedule)
    spilled, count = kernels[step["kernel"]]
    return None if spilled else count


def register_ratios(model, rng, options):
    """Registers taken by registers estimated."""
    legal = [line for line in gnn_mlir.list_schedules(model, target="cuda", chip=options.chip)
             if line["template"] == "traverse"]
    found = []
    for line in rng.sample(legal, min(options.draws, len(legal))):
        compiled = gnn_mlir.compile(model, target="cuda", chip=options.chip, schedules=[line])
        count = registers_taken(compiled, text_of(line), options.chip)
        if count is not None and count < min(255, 65536 // line["layout"]["threads"]) - 1:
            found.append(count / line["layout"]["registers"])
    return found


def register_table(options):
    rng = random.Random(options.seed)
    found = {name: register_ratios(model, rng, options) for name, model in MODELS.items()}
    found["all"] = [ratio for ratios in found.values() for ratio in ratios]
    return markdown(
        ["taken / estimated", "kernels", "least", "10 %", "median", "90 %", "most"],
        [[name, str(len(ratios)), *(number(value, 2) for value in np.percentile(
            ratios, [0, 10, 50, 90, 100]))] for name, ratios in found.items() if ratios])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="rgat,hgt")
    parser.add_argument("--graph", default="aifb:0.1")
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--chip", default="sm_90")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--registers", action="store_true")
    parser.add_argument("--draws", type=int, default=12, help="schedules a model")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.registers:
        print(register_table(options))
        return
    name, graph = cases.load(options.graph)
    print(f"{os.cpu_count()} cores, for {options.chip}, {options.features} features, graph "
          f"{name}; the least of {options.repeats} times.\n")
    print(markdown(["layer", "pass", "ms", "CPU ms", "PTX bytes"], [
        compile_times(model, graph, options, training)
        for model in options.models.split(",") for training in (False, True)]))


if __name__ == "__main__":
    main()
