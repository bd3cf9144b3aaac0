# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seconds of a model's first call in a process, with programs in the cache and without.

    python benchmarks/first_call.py [--models gat,rgcn,hgt] [--graph aifb:0.01] [--device cpu]
        [--training] [--rounds 3] [--output FILE]

Two layers of PyG on a graph of benchmarks/cases.py, each time in a process of its own, whose
imports, graph and weights are not timed. "dynamo" and "aot" are torch's own capture: its
backends eager and aot_eager, which compile nothing. "first" fills an empty cache, "again"
finds the programs there; "over" is what "again" takes over the slower one of torch's. Each is the
median of the rounds. With --training it is a call and its backward pass. With --output there
are FILE.json and FILE.md.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

WAYS = ("dynamo", "aot", "first", "again")
BACKENDS = {"dynamo": "eager", "aot": "aot_eager"}


def first_call(name, text, device, training, way):
    """Seconds, in this process."""
    import torch
    from torch.utils import _pytree as pytree

    import cases
    import frontend_models
    import gnn_mlir
    _, graph = cases.load(text)
    kinds = frontend_models.Kinds(graph)
    model = frontend_models.make(name, kinds).to(device).train(training)
    given = pytree.tree_map_only(torch.Tensor, lambda x: x.to(device), frontend_models.MODELS[
        name][2](graph, kinds, frontend_models.features(graph.num_nodes)))
    compiled = (torch.compile(model, backend=BACKENDS[way]) if way in BACKENDS else
                gnn_mlir.compile(model))
    (torch.ones(4, 4, device=device, requires_grad=True) @ torch.ones(4, 4, device=device)
     ).sum().backward()  # torch's threads and libraries are there
    began = time.perf_counter()
    with torch.set_grad_enabled(training):
        out = compiled(*given)
        if training:
            sum(x.square().sum() for x in pytree.tree_leaves(out)).backward()
    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter() - began


def measure(options, name, way, cache):
    """Seconds, in a process of its own."""
    command = [sys.executable, __file__, "--child", way, "--models", name, "--graph",
               options.graph, "--device", options.device, *["--training"] * options.training]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, "GNN_MLIR_CACHE": cache})
    if done.returncode:
        raise SystemExit(done.stderr)
    return float(done.stdout.splitlines()[-1])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default="gat,rgcn,hgt")
    parser.add_argument("--graph", default="aifb:0.01")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--training", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--child", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        print(first_call(options.models, options.graph, options.device, options.training,
                         options.child))
        return
    from tables import markdown, number, write
    result = {"graph": options.graph, "device": options.device, "training": options.training,
              "rounds": options.rounds, "rows": []}
    for name in options.models.split(","):
        times = {way: [] for way in WAYS}
        for _ in range(options.rounds):
            with tempfile.TemporaryDirectory() as cache:
                for way in WAYS:
                    times[way].append(measure(options, name, way, cache))
        row = {way: statistics.median(found) for way, found in times.items()}
        row["over"] = row["again"] - max(row["dynamo"], row["aot"])
        result["rows"].append({"model": name, **row})
        print(name, *(f"{way} {seconds:.2f}" for way, seconds in row.items()), flush=True)
        if options.output:
            write(options.output, result, lambda found: markdown(
                ["model", *WAYS, "over"],
                [[row["model"], *(number(row[way], 3) for way in (*WAYS, "over"))]
                 for row in found["rows"]]))


if __name__ == "__main__":
    main()
