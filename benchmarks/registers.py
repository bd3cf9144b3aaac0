# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far the estimate of registers is from what ptxas takes.

    python benchmarks/registers.py [--draws 12] [--seed 1] [--chip sm_90]

Draws schedules of the traversals of seven models from all that are legal, compiles
each, and prints for every model and for all of them the quantiles of registers taken
by registers estimated. Kernels that spill, or that take all that their block leaves
them, are left out. Needs CUDA's ptxas, and no GPU.
"""

import argparse
import pathlib
import random
import re
import subprocess
import tempfile

import numpy as np

import gnn_mlir
from gnn_mlir import models
from gnn_mlir.testing import schedules

MODELS = {"gcn": models.gcn((64, 128)), "gat": models.gat((64, 64)),
          "gat, 8 heads": models.gat((64, 64), heads=8), "rgat": models.rgat(3, (64, 32)),
          "rgcn": models.rgcn(3, (64, 64)), "sage": models.sage((64, 48)),
          "gin": models.gin((64, 33))}
KERNEL = re.compile(r"entry function '(\w+)'.*?(\d+) bytes spill stores.*?"
                    r"Used (\d+) registers", re.S)


def taken(compiled, schedule, chip):
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


def ratios(model, draws, rng, chip):
    """Registers taken by registers estimated."""
    legal = [line for line in gnn_mlir.list_schedules(model, target="cuda", chip=chip)
             if line["template"] == "traverse"]
    found = []
    for line in rng.sample(legal, min(draws, len(legal))):
        compiled = gnn_mlir.compile(model, target="cuda", chip=chip, schedules=[line])
        count = taken(compiled, schedules.text_of(line), chip)
        bound = min(255, 65536 // line["layout"]["threads"])
        if count is not None and count < bound - 1:
            found.append(count / line["layout"]["registers"])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=12, help="schedules a model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chip", default="sm_90")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    everything = []
    print("taken / estimated: least, 10 %, median, 90 %, most")
    for name, model in MODELS.items():
        found = ratios(model, options.draws, rng, options.chip)
        everything += found
        print(f"{name:<14}{len(found):3} kernels ",
              np.percentile(found, [0, 10, 50, 90, 100]).round(2))
    print(f"{'all':<14}{len(everything):3} kernels ",
          np.percentile(everything, [0, 10, 50, 90, 100]).round(2))


if __name__ == "__main__":
    main()
