# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of each kernel of a layer: what the figures of Kernels.def are fitted to.

    python benchmarks/kernels.py wordnet30.npz:rgcn:all "am:gat:all:all but A"

A case is a graph, a layer and ways to compile, all as ablation.py has them. Times
are medians of ten runs, by CUDA events around each launch, on torch's current GPU:
kernels run one after another, and a short one takes what a launch takes. Those of
forward and backward passes: benchmarks/training.py --profile.
"""

import argparse

import ablation
from tables import markdown, number


def measure(bound, inputs, runs=10):
    """What a bound function launches, in order: times, where the device has a timer,
    and what the launches move and compute."""
    return [{"kernel": step["kernel"], "ms": step.get("milliseconds"),
             "grid": step["grid"], "mb_read": step["bytes_read"] / 1e6,
             "mb_written": step["bytes_written"] / 1e6, "gflop": step["flops"] / 1e9}
            for step in bound.profile(inputs, runs)["steps"]]


def total(steps):
    """Milliseconds of all kernels, None without a timer."""
    times = [step["ms"] for step in steps]
    return None if None in times else sum(times)


def table(steps):
    """One line a launch."""
    return markdown(
        ["kernel", "ms", "grid", "MB read", "written", "Gflop"],
        [[step["kernel"], number(step["ms"], 4), " x ".join(map(str, step["grid"])),
          number(step["mb_read"], 1), number(step["mb_written"], 1),
          number(step["gflop"])] for step in steps])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", metavar="GRAPH:LAYER:WAY[:WAY...]")
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--device", choices=("cuda", "emulator"), default="cuda")
    options = parser.parse_args(arguments)
    device = ablation.OnGPU() if options.device == "cuda" else ablation.OnEmulator()
    for case in options.cases:
        graph_name, name, *ways = case.split(":")
        module, graph = ablation.LAYERS[name](ablation.load(graph_name)[1],
                                              options.features)
        function, = module.functions.values()
        inputs = device.inputs(function.random_inputs(graph, 1))
        for way in ways:
            layer, _ = ablation.compiled(module, graph, ablation.ways()[way], device)
            steps = measure(layer, inputs)
            print(f"{graph_name} {name} {way}: {number(total(steps))} ms\n\n{table(steps)}")


if __name__ == "__main__":
    main()
