# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of each kernel of a layer: what the figures of Kernels.def are fitted to.

    python benchmarks/kernels.py wordnet30.npz:rgcn:all "am:gat:all:all but A"

A case is a graph, a layer and ways to compile, all as ablation.py has them. Times
are means of ten runs, by torch's profiler, on torch's current GPU. Launches that
share a kernel have its mean.
"""

import argparse

import torch

import ablation


def kernels(layer, inputs, runs=10):
    """(kernel, microseconds, grid, bytes read, bytes written, flops) of each."""
    for _ in range(3):
        layer(inputs)
    torch.cuda.synchronize()
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        for _ in range(runs):
            layer(inputs)
        torch.cuda.synchronize()
    times = {e.key: e.self_device_time_total / e.count
             for e in profile.key_averages()}
    for step in layer.report()["steps"]:
        code = step.get("code", step["kernel"])
        yield (step["kernel"], times.get(code, float("nan")),
               step["grid"], step["bytes_read"], step["bytes_written"],
               step["flops"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+", metavar="GRAPH:LAYER:WAY[:WAY...]")
    parser.add_argument("--features", type=int, default=64)
    options = parser.parse_args()
    device = ablation.OnGPU()
    for case in options.cases:
        graph_name, name, *ways = case.split(":")
        module, graph = ablation.LAYERS[name](ablation.load(graph_name)[1],
                                              options.features)
        function, = module.functions.values()
        inputs = device.inputs(function.random_inputs(graph, 1))
        for way in ways:
            layer, _ = ablation.compiled(module, graph, ablation.ways()[way], device)
            print(f"{graph_name} {name} {way}")
            for kernel, time, grid, read, written, flops in kernels(layer, inputs):
                print(f"  {kernel:<24}{time:9.1f} us  grid {grid}  MB "
                      f"{read / 1e6:.1f} {written / 1e6:.1f}  Gflop {flops / 1e9:.3f}")


if __name__ == "__main__":
    main()
