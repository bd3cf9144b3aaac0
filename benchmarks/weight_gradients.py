# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums over types and the graph, which the gradients of weights and biases are: in
two steps, by one block a type, and by torch.

    python benchmarks/weight_gradients.py --graphs mag am --features 64

Compared in turn, as CUDA graphs in one process on torch's current GPU: tiles that
`gnn-tile-split-sums` chooses by the statistics of the graph, tiles of 1024 rows
(compiled without), no tiles, and torch: a product of whole matrices, one product a
type, or index_add. Ours give the same bits on every run, which is checked; index_add
does not. Graphs are named as in ablation.py.
"""

import argparse
import functools
import statistics

import numpy as np
import torch

import ablation
import gnn_mlir

# Whether statistics are known, and the passes.
WAYS = {"split": (True, {}), "by 1024": (False, {}),
        "whole": (True, {"split-sums": False})}


def sums(graph, features):
    """By name: the module, and what torch computes of the same inputs."""
    def program(build):
        module = gnn_mlir.Module()
        g = module.graph_like("g", graph)
        f = module.function("sums")
        f.output("out", build(g, f))
        return module

    def rows(g, f, name, space):
        return f.input(name, g.rows(space, features))

    def of_nodes(g, f):
        return f.outer(rows(g, f, "x", "node"), rows(g, f, "dy", "node"))

    def of_relations(g, f):
        x = f.gather(rows(g, f, "x", "node"), "src_pair")
        return f.typed_outer(x, rows(g, f, "dy", "src_pair"), "edge_type")

    def bias(g, f):
        return f.aggregate("sum", rows(g, f, "dy", "node"), "graph")

    def bias_of_types(g, f):
        return f.aggregate("sum", rows(g, f, "dy", "node"), "node_type", via="dst")

    types, nodes, _ = graph.pairs("src")
    counts = np.bincount(types, minlength=graph.num_edge_types).tolist()

    @functools.cache
    def index(array, place):
        return torch.tensor({"nodes": nodes, "types": graph.dst_node_type}[array],
                            device=place)

    def torch_relations(x, dy):
        found = [left.T @ right for left, right in zip(
            x[index("nodes", x.device)].split(counts), dy.split(counts))]
        return torch.stack(found)

    def torch_types(dy):
        zero = dy.new_zeros(graph.num_node_types, features)
        return zero.index_add(0, index("types", dy.device), dy)

    return {"dW of nodes": (program(of_nodes), lambda x, dy: x.T @ dy),
            "dW of relations": (program(of_relations), torch_relations),
            "db": (program(bias), lambda dy: dy.sum(0, keepdim=True)),
            "db of types": (program(bias_of_types), torch_types)}


def bench(module, theirs, graph, device, runs):
    """By way: the error beside float64, ms of each run, kernels."""
    function, = module.functions.values()
    given = function.random_inputs(graph, 1)
    inputs = device.inputs(given)
    layers = {name: gnn_mlir.compile(
        module, target=device.target, passes=passes,
        graph=graph if known else None).bind(graph, device.place)
        for name, (known, passes) in WAYS.items()}
    ways = {**layers, "torch": lambda inputs: theirs(
        **{name: torch.as_tensor(value) for name, value in inputs.items()})}
    expected = theirs(**{name: torch.tensor(value, dtype=torch.float64)
                         for name, value in given.items()})
    result, prepared = {}, {}
    for name, run in ways.items():
        out, again = (torch.as_tensor(run(inputs)).cpu() for _ in range(2))
        if name != "torch":
            assert torch.equal(out, again), f"{name}: other bits on the second run"
        error = (out.double() - expected).norm() / expected.norm()
        result[name] = {"error": error.item(), "ms": [], "kernels": len(
            layers[name].report()["steps"]) if name in layers else None}
        prepared[name] = device.prepare(run, inputs)
    for _ in range(runs):
        for name in ways:
            result[name]["ms"].append(device.time(prepared[name], 1))
    return result


def line(result):
    def text(way):
        ms = way["ms"]
        times = (f"{statistics.median(ms):.3f} ms ({min(ms):.3f}-{max(ms):.3f}), "
                 if ms else "")
        kernels = f"{way['kernels']} kernels, " if way["kernels"] else ""
        return f"{times}{kernels}error {way['error']:.1e}"
    return "".join(f"\n  {name:<8} {text(way)}" for name, way in result.items())


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", nargs="+", default=["mag", "am"])
    parser.add_argument("--features", type=int, nargs="+", default=[64])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--device", choices=["cuda", "emulator"], default="cuda")
    options = parser.parse_args(arguments)
    on_gpu = options.device == "cuda"
    device = ablation.OnGPU() if on_gpu else ablation.OnEmulator()
    if on_gpu:
        torch.backends.cuda.matmul.allow_tf32 = False
        print(torch.cuda.get_device_name())
    for text in options.graphs:
        name, graph = ablation.load(text)
        for features in options.features:
            for what, (module, theirs) in sums(graph, features).items():
                result = bench(module, theirs, graph, device,
                               options.runs if on_gpu else 0)
                print(f"{name}, {features} features, {what}:{line(result)}", flush=True)
                worst = max(way["error"] for way in result.values())
                assert worst < 1e-4, worst  # A million rows, one after another.


if __name__ == "__main__":
    main()
