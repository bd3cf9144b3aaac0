# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What it gives to sum rows in the block that multiplies them.

    python benchmarks/sums_in_products.py --graphs cora.npz fb15k237.npz mag:0.1
        [--layers gcn sage rgcn] [--features 64] [--out 64] [--training] [--rounds 15]

Layers that sum first and multiply then: GCN with its weighted sum, SAGE with a mean and
a root term, RGCN with a mean and a weight for each (destination, edge type). Compared in
turn, as CUDA graphs in one process on torch's current GPU: what is chosen for the graph
(`order-aggregate` may multiply first), sums first as kernels of their own, and
`sums-in-products`. The table has milliseconds, medians of all rounds, and the time of the
second by each, round by round: above 1 is faster. In brackets are kernels, after a slash
those that sum and multiply, and MiB of workspace. Results must agree to 1e-5, and are the
same bits in two runs. Graphs are those of ablation.py; --training is the forward and the
backward pass of a layer.
"""

import argparse
import random
import re

import ablation
from gnn_mlir import types
from gnn_mlir.models.gcn import gcn_norm, propagate
from gnn_mlir.program import Module
from long_rows import race, timed

WAYS = {"chosen": {}, "apart": {"order-aggregate": False},
        "in one": {"order-aggregate": False, "sums-in-products": True}}


def _start(name, graph, features, **options):
    module = Module(f"{name}: sums first.")
    g = module.graph("g", **options)
    f = module.function(name)
    return module, g, f, f.input("x", g.rows("node", features))


def gcn_layer(graph, features, out):
    graph = ablation.looped(graph)
    module, g, f, x = _start("gcn", graph, features, self_loops=True)
    near = propagate(f, x, gcn_norm(f, g))
    f.output("out", f.linear(near, f.input("weight", types.weight(features, out)),
                             f.input("bias", types.weight(out))))
    return module, graph


def sage_layer(graph, features, out):
    graph = ablation.looped(graph)
    module, g, f, x = _start("sage", graph, features)
    near = f.aggregate("mean", f.gather(x, "edge", via="src"), g.dst, via="dst")
    y = f.linear(near, f.input("weight", types.weight(features, out)))
    f.output("out", y + f.linear(x, f.input("root", types.weight(features, out))))
    return module, graph


def rgcn_layer(graph, features, out):
    module, g, f, x = _start("rgcn", graph, features, node_types=graph.num_node_types,
                             edge_types=graph.num_edge_types)
    near = f.aggregate("mean", f.gather(x, "edge", via="src"), "dst_pair")
    weight = f.input("weight", g.rows("edge_type", features, out))
    f.output("out", f.aggregate("sum", f.typed_linear(near, weight), g.dst))
    return module, graph


LAYERS = {"gcn": gcn_layer, "sage": sage_layer, "rgcn": rgcn_layer}


def joint(steps):
    """Kernels that sum and multiply: they have the schedules of both."""
    return sum("row_walk" in step.get("schedule", "") and "kind = " in step["schedule"]
               for step in steps)


def bench(model, graph, device, options):
    """By way: milliseconds of each round, kernels, bytes of workspace."""
    module, graph = LAYERS[model](graph, options.features, options.out)
    function, = module.functions.values()
    inputs = device.inputs(function.random_inputs(graph, 1))
    return race(WAYS, module, graph, inputs, device, options, about)


def about(layer):
    parts = getattr(layer, "passes", [layer])
    steps = [step for part in parts for step in part.report()["steps"]]
    return {"kernels": len(steps), "joint": joint(steps),
            "workspace": max(part.workspace_bytes for part in parts)}


def cell(row, apart):
    """The time of one way, beside that of sums apart."""
    return timed(row, apart, f"[{row['kernels']}/{row['joint']}, "
                             f"{row['workspace'] / 2**20:.2f}]")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", nargs="+", required=True)
    parser.add_argument("--layers", nargs="+", default=list(LAYERS), choices=LAYERS)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--out", type=int, default=64)
    parser.add_argument("--training", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--device", choices=["cuda", "emulator"], default="cuda")
    options = parser.parse_args(arguments)
    device = ablation.OnGPU() if options.device == "cuda" else ablation.OnEmulator()
    random.seed(0)
    print(re.sub(r"[{}']", "", str(device.about())))
    print(f"| graph | layer | {' | '.join(WAYS)} |\n|{'---|' * (len(WAYS) + 2)}")
    for text in options.graphs:
        name, graph = ablation.load(text)
        for model in options.layers:
            rows = bench(model, graph, device, options)
            cells = " | ".join(cell(rows[way], rows["apart"]) for way in WAYS)
            print(f"| {name} | {model} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
