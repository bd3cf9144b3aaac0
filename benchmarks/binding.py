# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a graph takes until a layer runs on it: creation, statistics, binding.

    python benchmarks/binding.py [--graphs am,mag,wikikg2] [--model rgat]
        [--threads 1,0] [--repeats 5] [--device cuda] [--output FILE]

Graphs are those of benchmarks/ablation.py, each made anew for each repeat from NumPy
arrays of 64-bit ids; times are medians over repeats, in milliseconds:

    create      the Graph of the arrays, checked, and the library's
    statistics  those by which passes decide
    bind        a compiled layer to the graph, after the statistics: structures, upload
    upload      the same once more, when the structures are there but not on the device
    structures  bind - upload
    total       statistics + bind
    alone       bind on a graph without statistics
    compile     compile(graph=...) on a graph without statistics

`blocks` in --graphs are two bipartite graphs as a sampler of 10 neighbours gives them
for 1024 nodes, a new pair a repeat, bound to two SAGE layers that are compiled once.
Kernels are loaded before anything is timed. --threads are numbers of host threads, 0
for as many as the library takes by itself. With --output there is FILE, JSON.
"""

import argparse
import gc
import json
import os
import statistics
import time

import numpy as np

import ablation
import gnn_mlir
from gnn_mlir import capi, devices, files, models

COLUMNS = ("create", "statistics", "structures", "upload", "bind", "total", "alone",
           "compile")


class Clock:
    """Times by name, in milliseconds."""

    def __init__(self):
        self.times = {}

    def time(self, name, body):
        begin = time.perf_counter()
        result = body()
        self.times.setdefault(name, []).append(1e3 * (time.perf_counter() - begin))
        return result

    def medians(self):
        return {name: statistics.median(times) for name, times in self.times.items()}


def maker(graph):
    """A function that makes a graph again, from arrays of 64-bit ids."""
    ids = {name: getattr(graph, name).astype(np.int64)
           for name in ("edge_src", "edge_dst", "edge_type", "node_type")}

    def make():
        made = gnn_mlir.Graph(**ids, num_nodes=graph.num_nodes,
                              num_edge_types=graph.num_edge_types,
                              num_node_types=graph.num_node_types, schema=graph.schema)
        capi.NativeGraph.of(made)
        return made

    return make


def bench(graph, model, features, device, target, repeats):
    """Medians of one graph with the present number of threads."""
    program, graph = ablation.LAYERS[model](graph, features)
    make, clock = maker(graph), Clock()

    def compiled(graph):
        return gnn_mlir.compile(program, target=target, graph=graph)

    layer = compiled(graph)
    layer.bind(graph, device)  # loads the kernels
    for _ in range(repeats):
        made = clock.time("create", make)
        clock.time("statistics", capi.NativeGraph.of(made).stats)
        bound = clock.time("bind", lambda: layer.bind(made, device))
        size = bound.bound.structure_bytes
        del bound
        clock.time("upload", lambda: layer.bind(made, device))
        made = make()
        clock.time("alone", lambda: layer.bind(made, device))
        made = make()
        clock.time("compile", lambda: compiled(made))
        del made
        gc.collect()
    found = clock.medians()
    found["structures"] = found["bind"] - found["upload"]
    found["total"] = found["statistics"] + found["bind"]
    return {"edges": graph.num_edges, "nodes": graph.num_nodes,
            "megabytes": size / 1e6, "times": found}


def sampled(rng, nodes, batch, fanout):
    """Blocks of sampled neighbours, the one that is computed last at the end, each as
    (sources, destinations, source of each edge, destination of each edge)."""
    blocks = []
    for _ in range(2):
        chosen, source = np.unique(rng.integers(0, nodes, batch * fanout),
                                   return_inverse=True)
        blocks.insert(0, (batch + len(chosen), batch, source + batch,
                          np.repeat(np.arange(batch), fanout)))
        batch += len(chosen)
    return blocks


def bench_blocks(features, device, target, repeats, nodes=200_000, batch=1024):
    """The same for pairs of sampled blocks, which have no statistics."""
    layer = gnn_mlir.compile(models.sage_blocks((features,) * 3), target=target)
    rng, clock = np.random.default_rng(1), Clock()

    def make(blocks):
        graphs = [gnn_mlir.Graph(src, dst, num_src_nodes=sources, num_dst_nodes=targets)
                  for sources, targets, src, dst in blocks]
        for graph in graphs:
            capi.NativeGraph.of(graph)
        return graphs

    for repeat in range(10 * repeats):
        if repeat == 5:  # The first ones load kernels and get memory.
            clock = Clock()
        blocks = sampled(rng, nodes, batch, 10)
        graphs = clock.time("create", lambda: make(blocks))
        bound = clock.time("bind", lambda: layer.bind(graphs, device))
    found = clock.medians()
    found["total"] = found["create"] + found["bind"]
    return {"edges": sum(graph.num_edges for graph in graphs),
            "nodes": graphs[0].num_src_nodes,
            "megabytes": bound.bound.structure_bytes / 1e6, "times": found}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", default="am,mag,wikikg2,blocks")
    parser.add_argument("--model", default="rgat", choices=ablation.LAYERS)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--threads", default="1,0")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--output")
    options = parser.parse_args(arguments)
    device = devices.open_device(options.device)
    target = options.device.partition(":")[0]
    print(f"{device.name}, {os.cpu_count()} cores of the host")
    print("| graph | edges | MB | threads | " + " | ".join(COLUMNS) + " |")
    print("| --- |" + " ---: |" * (len(COLUMNS) + 3))
    rows = []
    for name in options.graphs.split(","):
        graph = None if name == "blocks" else ablation.load(name)[1]
        for threads in map(int, options.threads.split(",")):
            gnn_mlir.set_num_threads(threads)
            case = (bench_blocks(options.features, device, target, options.repeats)
                    if graph is None else bench(graph, options.model, options.features,
                                                device, target, options.repeats))
            rows.append({"graph": name, "threads": gnn_mlir.get_num_threads(), **case})
            times = case["times"]
            print(f"| {name} | {case['edges']} | {case['megabytes']:.1f} | "
                  f"{rows[-1]['threads']} | " + " | ".join(
                      f"{times[c]:.2f}" if c in times else "" for c in COLUMNS) + " |",
                  flush=True)
    gnn_mlir.set_num_threads(0)
    if options.output:
        files.write(options.output, json.dumps(
            {"device": device.name, "cores": os.cpu_count(), "model": options.model,
             "features": options.features, "repeats": options.repeats, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
