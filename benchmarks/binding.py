# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a graph takes until a layer runs on it: creation, statistics, structures.

    python benchmarks/binding.py [--graphs am,mag,wikikg2] [--models rgat] [--threads 1,0]
        [--repeats 5] [--device cuda]
    python benchmarks/binding.py --tensors [--edges 10000,100000,400000,5000000]
        [--types 8,64] [--models rgcn,rgat,hgt,sage,gat] [--repeats 20] [--parts]

Each graph is made anew for each repeat, of int64 ids; times are medians in milliseconds.
Kernels are loaded before, and a GPU is done at the end. The host builds the structures of
the graphs of benchmarks/cases.py, with so many threads, 0 for as many as the library
takes by itself:

    create      the Graph of the arrays, checked, and the library's
    statistics  those by which passes decide
    bind        a compiled layer to the graph, after the statistics: structures, upload
    upload      the same once more, when the structures are there but not on the device
    structures  bind - upload
    total       statistics + bind
    alone       bind on a graph without statistics
    compile     compile(graph=...) on a graph without statistics

--tensors are batches: random graphs of torch's tensors with a tenth as many nodes as edges,
and a self loop at each node for gat, whose structures a GPU builds:

    forward     TensorGraph and binding the function alone
    training    TensorGraph and binding forward and backward pass
    host        copies to the host, Graph, binding the function alone
    host train  the same of both passes
    launches    kernels and copies on the GPU that `forward` and `training` take
    waits       copies from the GPU to the host and waits for it in `training`, as torch's
                profiler counts them
    by          who builds the structures of `training`: kernels of the compiler, or the host

With --parts there are the microseconds of each call of the library in `training` too. With
--device cpu or emulator all is on the host, which tells what Python takes: --edges 20.
"""

import argparse
import collections
import itertools
import os
import statistics
import time
from unittest import mock

import numpy as np
import torch

import cases
import gnn_mlir
from gnn_mlir import capi, devices, models
from tables import line, markdown, number

ON_HOST = ("create", "statistics", "structures", "upload", "bind", "total", "alone", "compile")
OF_TENSORS = ("forward", "training", "host", "host train", "launches", "waits", "by")
TYPED = {"rgcn", "rgat", "hgt"}


def timed(body):
    """The milliseconds of a call, and what it returns."""
    begin = time.perf_counter()
    found = body()
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
    return 1e3 * (time.perf_counter() - begin), found


def bind_on_host(graph, model, options, device, target):
    """Medians of one graph with the present number of threads."""
    program, graph = cases.LAYERS[model](graph, options.features)
    ids = {name: getattr(graph, name).astype(np.int64)
           for name in ("edge_src", "edge_dst", "edge_type", "node_type")}

    def make():
        made = gnn_mlir.Graph(**ids, num_nodes=graph.num_nodes, schema=graph.schema,
                              num_edge_types=graph.num_edge_types,
                              num_node_types=graph.num_node_types)
        capi.NativeGraph.of(made)
        return made

    def compiled(graph):
        return gnn_mlir.compile(program, target=target, graph=graph)

    layer, rows = compiled(graph), []
    layer.bind(graph, device)  # loads the kernels
    for _ in range(options.repeats):
        row = {}
        row["create"], made = timed(make)
        row["statistics"], _ = timed(capi.NativeGraph.of(made).stats)
        row["bind"], bound = timed(lambda: layer.bind(made, device))
        size = bound.bound.structure_bytes
        del bound
        row["upload"], _ = timed(lambda: layer.bind(made, device))
        row["alone"], _ = timed(lambda graph=make(): layer.bind(graph, device))
        row["compile"], _ = timed(lambda graph=make(): compiled(graph))
        rows.append(row)
    found = {name: statistics.median(row[name] for row in rows) for name in rows[0]}
    found["structures"] = found["bind"] - found["upload"]
    found["total"] = found["statistics"] + found["bind"]
    return [f"{graph.num_edges}", number(size / 1e6, 1), f"{gnn_mlir.get_num_threads()}",
            *(number(found[name], 2) for name in ON_HOST)]


def program_of(name, types, width):
    return {"rgcn": lambda: models.rgcn(types, (width, width)),
            "rgat": lambda: models.rgat(types, (width, width)),
            "hgt": lambda: models.hgt(4, types, (width, width), heads=4),
            "sage": lambda: models.sage((width, width)),
            "gat": lambda: models.gat((width, width))}[name]()


def batch(name, edges, types, place):
    """Edges and the other arguments of a graph."""
    nodes, random = max(1, edges // 10), torch.Generator().manual_seed(1)

    def ids(limit, *shape):
        return torch.randint(limit, shape, generator=random).to(place)

    index, given = ids(nodes, 2, edges), {"num_nodes": nodes}
    if name == "gat":
        loops = torch.arange(nodes, device=place).expand(2, -1)
        index = torch.cat([index[:, index[0] != index[1]], loops], 1)
    if name in TYPED:
        given |= {"edge_type": ids(types, index.shape[1]), "num_edge_types": types}
    if name == "hgt":
        given |= {"node_type": ids(4, nodes), "num_node_types": 4}
    return index.contiguous(), given


def bind_tensors(layer, index, given, options, device):
    """The columns of OF_TENSORS, and what the parts of `training` take."""
    passes = layer.differentiated.find()
    alone, both = [layer.name], [passes.forward, passes.backward]
    (graph_name,) = layer.package.signature(layer.name)["graphs"]

    def bind(make, names):
        # As the front end binds all batches but the first.
        graph = make()
        return graph, devices.bind_all(layer.package, names, {graph_name: graph}, device)

    on_device = lambda: gnn_mlir.TensorGraph(index, **given)
    on_host = lambda: gnn_mlir.Graph(*index, **given)
    found = []
    for make, names in itertools.product((on_device, on_host), (alone, both)):
        times = [timed(lambda: bind(make, names))[0] for _ in range(options.repeats + 3)]
        found.append(number(statistics.median(times[3:])))  # The first ones load kernels.
    launches = waits = "-"
    if index.is_cuda:
        launches, _ = traced(lambda: bind(on_device, alone))
        more, waits = traced(lambda: bind(on_device, both))
        launches = f"{launches}, {more}"
    by = "kernels" if bind(on_device, both)[0]._builds else "host"
    return [*found, launches, waits, by], parts_of(lambda: bind(on_device, both), options)


def traced(run):
    """The work of the GPU in a run: kernels and copies, and waits for it as text."""
    activities = torch.profiler.ProfilerActivity
    with torch.profiler.profile(activities=[activities.CPU, activities.CUDA]) as trace:
        kept = run()
    calls = collections.Counter(event.name for event in trace.events())
    launches = sum(event.device_type == torch.autograd.DeviceType.CUDA
                   for event in trace.events())
    copies = sum(n for name, n in calls.items() if name.startswith("Memcpy DtoH"))
    # The profiler itself waits for the device once at its end.
    waits = sum(n for name, n in calls.items() if name.removesuffix("_v2") in (
        "cudaStreamSynchronize", "cudaEventSynchronize", "cudaDeviceSynchronize",
        "cuStreamSynchronize"))
    del kept
    return launches, f"{copies} + {waits}"


def parts_of(run, options):
    """Microseconds of the calls of the library in a run, by name, without waits between
    them: medians of sums."""
    runs, call = [], capi.call

    def measured(name, *arguments, **more):
        begin = time.perf_counter()
        try:
            return call(name, *arguments, **more)
        finally:
            runs[-1][name] += 1e6 * (time.perf_counter() - begin)
    with mock.patch.object(capi, "call", measured):
        for _ in range(options.repeats if options.parts else 0):
            runs.append(collections.Counter())
            runs[-1]["all"] = 1e3 * timed(run)[0]
    return {name: statistics.median(one[name] for one in runs) for name in (runs or [()])[-1]}


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--tensors", action="store_true")
    parser.add_argument("--graphs", default="am,mag,wikikg2")
    parser.add_argument("--threads", default="1,0")
    parser.add_argument("--edges", default="10000,100000,400000,5000000")
    parser.add_argument("--types", default="8,64")
    parser.add_argument("--models")
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args(arguments)
    options.models = (options.models or (
        "rgcn,rgat,hgt,sage,gat" if options.tensors else "rgat")).split(",")
    options.repeats = options.repeats or (20 if options.tensors else 5)
    return options


def main(arguments=None):
    options = parse(arguments)
    device, target = devices.open_device(options.device), options.device.partition(":")[0]
    place = options.device if target == "cuda" else "cpu"
    print(f"{device.name}, {os.cpu_count()} cores of the host\n")

    def numbers(text):
        return map(int, text.split(","))

    if not options.tensors:
        print(markdown(["graph", "model", "edges", "MB", "threads", *ON_HOST]), end="")
        for name in options.graphs.split(","):
            graph = cases.load(name)[1]
            for model in options.models:
                for threads in numbers(options.threads):
                    gnn_mlir.set_num_threads(threads)
                    print(line([name, model, *bind_on_host(graph, model, options, device,
                                                           target)]), end="", flush=True)
        gnn_mlir.set_num_threads(0)
        return
    print(markdown(["model", "edges", "types", *OF_TENSORS]), end="")
    for name in options.models:
        for types in numbers(options.types) if name in TYPED else [1]:
            layer = gnn_mlir.compile(program_of(name, types, options.features), target=target,
                                     gradients=True)
            for edges in numbers(options.edges):
                row, parts = bind_tensors(layer, *batch(name, edges, types, place), options,
                                          device)
                print(line([name, str(edges), str(types), *row]), end="", flush=True)
                if parts:
                    print(", ".join(f"{k} {v:.0f}" for k, v in parts.items()), flush=True)


if __name__ == "__main__":
    main()
