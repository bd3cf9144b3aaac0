# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch Geometric's models by the front end, beside eager PyG and beside inductor.

    python benchmarks/frontend.py [--graphs aifb,mutag,bgs,fb15k,biokg,am,mag,wikikg2]
        [--data FOLDER] [--kept FOLDER] [--models rgcn,rgat,hgt,hetero-sage,gcn,gat,sage]
        [--modes inference,training] [--no-inductor] [--inductor-graphs aifb,mag]
        [--seconds 0.6] [--minutes 8] [--jobs 16] [--commit TEXT] [--committed FILE.json]
        [--output FILE]
    python benchmarks/frontend.py --batches 10 [--graphs mag,products:0.25]
    python benchmarks/frontend.py --make --kept FOLDER --graphs am,mag
    python benchmarks/frontend.py --device cpu --tiny

Models are two unmodified layers, 64 features, of benchmarks/frontend_models.py; fp32,
TF32 off. A graph is FOLDER/NAME.npz of --data where that is, else the made one of that name
("am:0.01": a hundredth of it); --kept keeps made ones. Inference is a call without
gradients; a training step is forward pass, loss and backward pass to all weights, without
an optimizer. "fast" is FastRGCNConv in place of RGCNConv, with the same weights; "inductor"
is torch.compile as it comes, with dynamic sizes for batches.

First all ways that compile are called, then all ways of a cell, in one process, are
compared and take turns. A time is that of some steps between two events, by their number;
the median over rounds, the least, and the spread, the middle 80% beside the median. A way
that takes --slower times as long as the fastest gets few turns; its times are in
parentheses. The first call is capture and compilation; over --first seconds (inductor's:
--first-inductor, eager's: --first-eager) it is given up. "host" is how long a call keeps the
host while the GPU has nothing to do, without waiting for the end of it, unless the call
waits itself. Memory is what a step allocates at once by torch's counter, and what it leaves
there: structures of the graph. Outputs and gradients are compared with eager PyG's: what differs by more than
--tolerance has no times.

With --committed ways that were slow or had no time in FILE.json, of the same device, have
its figures, marked *: they are not run again, but for one step of eager to compare with.

With --batches there are sampled batches, of 1,024 seeds and at most 25 and 20 neighbours,
which are made before and are in pinned memory. A training step takes tensors that were just
copied: nothing of an earlier step is there but what was compiled. Each graph has models of its
kind.

With --jobs each model of a graph has a process of its own. So many compile at once, then
one after another is measured, with the others waiting; first calls have shared the host.
--minutes ends a run between two cells. With --output there are FILE.json, with all numbers,
after each cell, and FILE.md at the end. benchmarks/frontend_tables.py puts runs together.
"""

import argparse
import datetime
import json
import os
import pathlib
import time

import torch

import frontend_cells
import frontend_jobs
import frontend_models
import frontend_tables
import synthetic
from gnn_mlir import files

os.environ.setdefault("GNN_MLIR_CACHE", "off")  # First calls are timed, too.


def names(known):
    def parse(text):
        found = text.split(",") if text else []
        for name in found:
            if known and name not in known:
                raise argparse.ArgumentTypeError(
                    f"expected some of {', '.join(known)}, got {name}")
        return found
    return parse


def device(name):
    if name not in ("cuda", "cpu"):
        raise argparse.ArgumentTypeError(f"expected cuda or cpu, got {name}")
    if name == "cuda" and not torch.cuda.is_available():
        raise argparse.ArgumentTypeError("expected cpu, since torch finds no GPU, got cuda")
    return name


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=names(()))
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--kept", type=pathlib.Path)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--models", type=names(tuple(frontend_models.MODELS)),
                        default=list(frontend_models.MODELS))
    parser.add_argument("--modes", type=names(frontend_cells.MODES),
                        default=list(frontend_cells.MODES))
    parser.add_argument("--batches", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=1024)
    parser.add_argument("--fanouts", type=lambda t: tuple(map(int, t.split(","))),
                        default=(25, 20))
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--inductor-graphs", type=names(()))
    parser.add_argument("--relations", type=int, default=128,
                        help="most relations of hetero-sage")
    parser.add_argument("--seconds", type=float, default=0.6, help="of turns, a cell")
    parser.add_argument("--first", type=float, default=60, help="most seconds of a first "
                        "call")
    parser.add_argument("--first-inductor", type=float, default=60)
    parser.add_argument("--first-eager", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=0, help="processes that compile at once; "
                        "0: all in this process")
    parser.add_argument("--wave", type=float, default=240, help="most seconds until the "
                        "processes of a wave have compiled")
    parser.add_argument("--cell", type=float, default=120, help="most seconds of measuring "
                        "a process's cells")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--slower", type=float, default=5)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--device", type=device, default="cuda")
    parser.add_argument("--commit", help="what is measured, for the tables")
    parser.add_argument("--committed", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    if options.graphs is None:
        products = "products" if options.tiny else "products:0.25"
        options.graphs = ["mag", products] if options.batches else list(synthetic.NAMES)
    if options.kept:
        options.kept.mkdir(parents=True, exist_ok=True)
    return options


def in_this_process(options, save):
    """All cells, one after another."""
    until = time.monotonic() + 60 * options.minutes
    bench = frontend_cells.Bench(options)
    for text in options.graphs:
        for name in options.models:
            if frontend_cells.is_measured(options, text, name):
                work = frontend_cells.Work(bench, text, name)
                if time.monotonic() > until:
                    work.left_out = work.left_out or "no time left"
                work.compile()
                for row in work.measure():
                    save(row)


def main(arguments=None):
    options = parse(arguments)
    frontend_cells.quiet()
    if options.make:
        for text in options.graphs:
            frontend_cells.load(text, options)
        return
    result = {"date": datetime.date.today().isoformat(),
              "about": frontend_cells.Bench(options).about(), "jobs": options.jobs,
              "seconds": options.seconds, "slower": options.slower, "rows": []}

    def save(row):
        result["rows"].append(row)
        print(f"{row['graph']:<14}{row['model']:<12}{row['mode']:<10}" + (
            row["left_out"] or ", ".join(f"{way} {frontend_tables.time(one)}" for way, one in
                                         row["ways"].items())), flush=True)
        if options.output:
            files.write(options.output.with_suffix(".json"),
                        json.dumps(result, indent=1) + "\n")

    (frontend_jobs.run if options.jobs else in_this_process)(options, save)
    text = frontend_tables.table(result)
    if options.output:
        files.write(options.output.with_suffix(".md"), text)
    print(text)


if __name__ == "__main__":
    main()
