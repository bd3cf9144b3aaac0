# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pieces of long rows give: layers whose hubs one block walks, or many.

    python benchmarks/long_rows.py --graphs mutag.npz debian-bookworm.npz
        [--layers rgcn rgat hgt gat gcn] [--features 64] [--lengths 64 128 256 512 1024]
        [--training] [--rounds 15]

Compared in turn, as CUDA graphs in one process on torch's current GPU: rows that stay
whole (`long-rows=0`), those that `gnn-tile-split-long-rows` splits by the statistics of
the graph (`chosen`), the same where passes on whole graphs weigh rows as if they stayed
whole (`unaware`: `cost=whole-rows`), and all that have more elements than each of the
lengths. The table has milliseconds, medians of all rounds, and the time of whole rows by
each: above 1 is faster. In brackets is how many kernels there are, and of what is chosen
by statistics the lengths. Results
must agree to 1e-5, and are the same bits in two runs. Graphs and layers are those of
ablation.py; --training is the forward and the backward pass of a layer.
"""

import argparse
import random
import re
import statistics

import numpy as np

import ablation
import gnn_mlir
from versions import bound_layer


class Way:
    """The compiler with these passes, as versions.py takes one."""

    def __init__(self, passes):
        self.passes = passes

    def __getattr__(self, name):
        return getattr(gnn_mlir, name)

    def compile(self, *module, **options):
        return gnn_mlir.compile(*module, passes=self.passes, **options)


def lengths(layer):
    """Elements above which the kernels of a layer split rows."""
    keys = (s["key"] for f in layer.package.plan()["functions"] for s in f["structures"])
    return sorted({int(key.split()[-1]) for key in keys if key.startswith("long_tiles ")})


def race(ways, module, graph, inputs, device, options, about):
    """By way to compile, {name: passes}: milliseconds of each round, and what `about`
    says of the layer. Results are the same bits in two runs, and agree to 1e-5."""
    rows, prepared, first = {}, {}, None
    for name, passes in ways.items():
        layer = bound_layer(Way(passes), module, graph, device, options.training)
        out, again = (np.asarray(device.run(layer, inputs)) for _ in range(2))
        assert np.array_equal(out.view(np.int32), again.view(np.int32)), name
        out = out.astype(np.float64)
        first = out if first is None else first
        error = float(np.linalg.norm(out - first) / np.linalg.norm(first))
        assert error < 1e-5, (name, error)
        rows[name] = {"ms": [], **about(layer)}
        prepared[name] = device.prepare(layer, inputs)
    if device.target == "cuda":
        for _ in range(options.rounds):
            for name in random.sample(list(ways), len(ways)):
                rows[name]["ms"].append(device.time(prepared[name], 3))
    return rows


def bench(model, graph, device, options):
    """By way: milliseconds of each round, kernels, lengths."""
    module, graph = ablation.LAYERS[model](graph, options.features)
    function, = module.functions.values()
    inputs = device.inputs(function.random_inputs(graph, 1))
    ways = {"whole": {"long-rows": 0}, "chosen": {}, "unaware": {"cost": "whole-rows"},
            **{str(n): {"long-rows": n} for n in options.lengths}}
    rows = race(ways, module, graph, inputs, device, options, about)
    for name in ("chosen", "unaware"):
        rows[name]["lengths"] = lengths(
            gnn_mlir.compile(module, target=device.target, graph=graph,
                             passes=ways[name]))
    return rows


def about(layer):
    return {"kernels": len(layer.report()["steps"])}


def timed(row, beside, text):
    """A way's time and that of `beside` by it, round by round, in front of a text."""
    if not row["ms"]:
        return text
    gain = statistics.median(a / b for a, b in zip(beside["ms"], row["ms"]))
    return f"{statistics.median(row['ms']):.4f} ({gain:.2f}) {text}"


def cell(row, whole):
    """The time of one way, beside whole rows."""
    text = ", ".join(map(str, row.get("lengths", [])))
    return timed(row, whole, f"[{row['kernels']}{': ' if text else ''}{text}]")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", nargs="+", required=True)
    parser.add_argument("--layers", nargs="+", default=["rgcn", "rgat", "hgt", "gat", "gcn"])
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--lengths", type=int, nargs="*", default=[64, 128, 256, 512, 1024])
    parser.add_argument("--training", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--device", choices=["cuda", "emulator"], default="cuda")
    options = parser.parse_args(arguments)
    device = ablation.OnGPU() if options.device == "cuda" else ablation.OnEmulator()
    random.seed(0)
    names = ["whole", "chosen", "unaware", *map(str, options.lengths)]
    print(re.sub(r"[{}']", "", str(device.about())))
    print(f"| graph | layer | {' | '.join(names)} |\n|{'---|' * (len(names) + 2)}")
    for text in options.graphs:
        name, graph = ablation.load(text)
        for model in options.layers:
            rows = bench(model, graph, device, options)
            cells = " | ".join(cell(rows[n], rows["whole"]) for n in names)
            print(f"| {name} | {model} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
