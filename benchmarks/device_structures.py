# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a batch's graph takes until a layer runs on it: built on the GPU or the host.

    python benchmarks/device_structures.py [--models rgcn,rgat,hgt,sage,gat]
        [--edges 10000,100000,400000,5000000] [--types 8,64] [--repeats 20]
        [--device cuda] [--parts] [--output FILE]

Random graphs with a tenth as many nodes as edges, of int64 ids, a self loop at each node
for gat. Times are medians over repeats, of a new graph each, in milliseconds; the GPU is
done at their end:

    forward     TensorGraph and binding the function alone
    training    TensorGraph and binding forward and backward pass
    host        copies to the host, Graph, binding the function alone
    host train  the same of both passes
    launches    kernels and copies on the GPU that `forward` and `training` take
    waits       copies from the GPU to the host and waits for it in `training`, as torch's
                profiler counts them
    by          who builds the structures of `training`: kernels of the compiler, or torch

With --parts there is the time of each step of `training` too, in microseconds, without
waits between them: calls of the library and taking memory. With --device cpu or
emulator all is on the host, which tells what Python takes: --edges 20. With --output there
is FILE, JSON.
"""

import argparse
import collections
import json
import statistics
import time

import torch

import gnn_mlir
from gnn_mlir import capi, devices, files, models

COLUMNS = ("forward", "training", "host", "host train", "launches", "waits", "by")
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
    """Functions bound at once, as the front end does it for all batches but the first."""
    (name,) = layer.package.signature(names[0])["graphs"]
    return devices.bind_all(layer.package, names, {name: graph}, device)


def bench(layer, arguments, device, repeats, with_parts=False):
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
    graph = on_device()
    bound(layer, graph, device, both)
    found.update(launches="-", waits="-", by="kernels" if graph._builds else "torch")
    if cuda:
        launches, _ = traced(lambda: bound(layer, on_device(), device, [layer.name]))
        more, waits = traced(lambda: bound(layer, on_device(), device, both))
        found.update(launches=f"{launches}, {more}", waits=waits)
    if with_parts:
        found["parts"] = parts_of(lambda: bound(layer, on_device(), device, both), repeats)
    return found


def traced(run):
    """What the GPU did in a run: kernels and copies, and waits for it as text."""
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


def parts_of(run, repeats):
    """Microseconds of each step of a run: medians of its sums."""
    times, patched = collections.defaultdict(list), []

    def measure(owner, name, label):
        function = getattr(owner, name)

        def measured(*arguments, **options):
            begin = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                now[label or arguments[0]] += 1e6 * (time.perf_counter() - begin)
        patched.append((owner, name, function))
        setattr(owner, name, measured)
    measure(capi, "call", None)
    measure(torch, "empty", "empty")
    try:
        for _ in range(repeats):
            now, begin = collections.Counter(), time.perf_counter()
            kept = run()
            now["all"] = 1e6 * (time.perf_counter() - begin)
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            del kept
            for label, value in now.items():
                times[label].append(value)
    finally:
        for owner, name, function in patched:
            setattr(owner, name, function)
    return {label: round(statistics.median(values)) for label, values in times.items()}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="rgcn,rgat,hgt,sage,gat")
    parser.add_argument("--edges", default="10000,100000,400000,5000000")
    parser.add_argument("--types", default="8,64")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--output")
    options = parser.parse_args(arguments)
    target = options.device.partition(":")[0]
    place = torch.device(options.device if target == "cuda" else "cpu")
    rows = []
    print("| model | edges | types | " + " | ".join(COLUMNS) + " |")
    print("| --- |" + " ---: |" * (2 + len(COLUMNS)))
    for name in options.models.split(","):
        for types in map(int, options.types.split(",")) if name in TYPED else [1]:
            layer = gnn_mlir.compile(program(name, types), target=target, gradients=True)
            for edges in map(int, options.edges.split(",")):
                given = tensors(name, edges, types, place)
                device = devices.open_device(
                    f"cuda:{given[0].device.index or 0}" if target == "cuda" else target)
                found = bench(layer, given, device, options.repeats, options.parts)
                rows.append({"model": name, "edges": edges, "types": types, **found})
                cells = [f"{v:.3f}" if isinstance(v, float) else str(v)
                         for v in (found[column] for column in COLUMNS)]
                print(f"| {name} | {edges} | {types} | " + " | ".join(cells) + " |",
                      flush=True)
                if options.parts:
                    print(", ".join(f"{k} {v}" for k, v in found["parts"].items()),
                          flush=True)
    if options.output:
        files.write(options.output, json.dumps({"device": str(place), "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
