# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a batch's graph takes until a layer runs on it: built on the GPU or the host.

    python benchmarks/device_structures.py [--models rgcn,rgat,hgt,sage,gat]
        [--edges 10000,100000,400000,5000000] [--types 8,64] [--repeats 20]
        [--device cuda] [--output FILE]

Random graphs with a tenth as many nodes as edges, of int64 ids, a self loop at each node
for gat. Times are medians over repeats, of a new graph each, in milliseconds; the GPU is
done at their end:

    forward     TensorGraph and binding the function alone
    training    TensorGraph and binding forward and backward pass
    host        copies to the host, Graph, binding the function alone
    host train  the same of both passes
    waits       copies from the GPU to the host and waits for it in `training`, as torch's
                profiler counts them: one of each is what is wanted
    launches    kernels and copies that `training` launches

With --device cpu all is on the host, which tells what Python takes: --edges 20. With
--output there is FILE, JSON.
"""

import argparse
import collections
import json
import statistics
import time

import torch

import gnn_mlir
from gnn_mlir import devices, models

COLUMNS = ("forward", "training", "host", "host train", "waits", "launches")
TYPED = {"rgcn", "rgat", "hgt"}


def program(name, types, width=64):
    return {"rgcn": lambda: models.rgcn(types, (width, width)),
            "rgat": lambda: models.rgat(types, (width, width)),
            "hgt": lambda: models.hgt(4, types, (width, width), heads=4),
            "sage": lambda: models.sage((width, width)),
            "gat": lambda: models.gat((width, width))}[name]()


def tensors(name, edges, types, device):
    """Edges and the other arguments of a graph."""
    nodes, random = max(1, edges // 10), torch.Generator().manual_seed(1)

    def ids(limit, count):
        return torch.randint(limit, (count,), generator=random).to(device)

    index, given = torch.stack([ids(nodes, edges), ids(nodes, edges)]), {}
    if name == "gat":
        index = index[:, index[0] != index[1]]
        index = torch.cat([index, torch.arange(nodes, device=device).expand(2, -1)], 1)
    if name in TYPED:
        given = {"edge_type": ids(types, index.shape[1]), "num_edge_types": types}
    if name == "hgt":
        given.update(node_type=ids(4, nodes), num_node_types=4)
    return index.contiguous(), nodes, given


def bound(layer, graph, device, names):
    return [devices.bind(layer.package, name, [graph], device) for name in names]


def bench(layer, arguments, device, repeats):
    index, nodes, given = arguments
    cuda = index.is_cuda
    passes = layer.differentiated.find()
    both = [passes.forward, passes.backward]

    def on_device():
        return gnn_mlir.TensorGraph(index, nodes, **given)

    def on_host():
        return gnn_mlir.Graph(*index, nodes, **given)

    def median(make, names):
        times = []
        for repeat in range(repeats + 3):
            if cuda:
                torch.cuda.synchronize()
            begin = time.perf_counter()
            found = bound(layer, make(), device, names)
            if cuda:
                torch.cuda.synchronize()
            times.append(1e3 * (time.perf_counter() - begin))
            del found
        return statistics.median(times[3:])  # The first ones load kernels.

    found = {"forward": median(on_device, [layer.name]),
             "training": median(on_device, both), "host": median(on_host, [layer.name]),
             "host train": median(on_host, both)}
    found["waits"] = found["launches"] = "-"
    if cuda:
        kept = []
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU,
                                                torch.profiler.ProfilerActivity.CUDA]) as trace:
            kept += bound(layer, on_device(), device, both)
        calls = collections.Counter()
        for event in trace.events():
            calls[event.name] += 1
        copies = sum(n for name, n in calls.items() if name.startswith("Memcpy DtoH"))
        waits = sum(n for name, n in calls.items() if name in (
            "cudaStreamSynchronize", "cudaEventSynchronize", "cudaDeviceSynchronize"))
        # The profiler itself waits for the device once at its end.
        found["waits"] = f"{copies} + {waits}"
        found["launches"] = sum(n for name, n in calls.items() if name in (
            "cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cudaMemcpyAsync",
            "cudaMemsetAsync"))
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="rgcn,rgat,hgt,sage,gat")
    parser.add_argument("--edges", default="10000,100000,400000,5000000")
    parser.add_argument("--types", default="8,64")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--output")
    options = parser.parse_args(arguments)
    place = torch.device(options.device)
    target = "cpu" if place.type == "cpu" else "cuda"
    rows = []
    print("| model | edges | types | " + " | ".join(COLUMNS) + " |")
    print("| --- |" + " ---: |" * (2 + len(COLUMNS)))
    for name in options.models.split(","):
        for types in map(int, options.types.split(",")) if name in TYPED else [1]:
            layer = gnn_mlir.compile(program(name, types), target=target, gradients=True)
            for edges in map(int, options.edges.split(",")):
                given = tensors(name, edges, types, place)
                device = devices.open_device(
                    "cpu" if target == "cpu" else f"cuda:{given[0].device.index or 0}")
                found = bench(layer, given, device, options.repeats)
                rows.append({"model": name, "edges": edges, "types": types, **found})
                cells = [f"{v:.3f}" if isinstance(v, float) else str(v)
                         for v in (found[column] for column in COLUMNS)]
                print(f"| {name} | {edges} | {types} | " + " | ".join(cells) + " |",
                      flush=True)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump({"device": str(place), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
