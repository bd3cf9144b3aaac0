# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of a call of a compiled model to the host, without its kernels.

    python benchmarks/calls.py [--models rgcn,gat,sage,hgt,hetero-sage] [--graph aifb:0.01]
        [--features 64] [--seconds 1] [--device cpu]

Two layers of PyG on a small graph of benchmarks/synthetic.py. Programs are bound and called
as ever, but nothing is launched. Microseconds of the processor, the least of many turns: a call without gradients, the same by dynamo's own way (docs/Frontend.md),
the forward pass of training, and a training step without an optimizer, all of which torch's
own part is in. "first" are seconds to the end of the first call and of the first step. "ops"
are torch's ops that compute or copy in a call and in a step, those of the loss too: each is a
kernel of torch on a GPU. With few features they take no time for values.
"""

import argparse
import time

import torch
from torch import profiler
from torch.utils import _pytree as pytree

import cases
import frontend_models
from gnn_mlir.pytorch.frontend import capture
from tables import markdown, number

MODELS = ("rgcn", "gat", "sage", "hgt", "hetero-sage")


# Ops that only make tensors of memory that is there, or memory.
_FREE = ("empty", "empty_like", "empty_strided", "new_empty", "as_strided", "view", "detach",
         "alias", "reshape", "resolve_neg", "resolve_conj", "to", "contiguous", "_unsafe_view",
         "_reshape_alias", "unbind")


def ops(run):
    """How many ops of torch compute or copy in a call."""
    with profiler.profile(activities=[profiler.ProfilerActivity.CPU]) as made:
        run()
    return sum(event.name.startswith("aten::") and event.name[6:] not in _FREE and not any(
        child.name.startswith("aten::") for child in event.cpu_children)
        for event in made.events())


def least_us(run, seconds):
    """Microseconds of the processor that a call takes, the least of turns."""
    times, until = [], time.monotonic() + seconds
    while len(times) < 5 or time.monotonic() < until:
        began = time.process_time()
        for _ in range(10):
            run()
        times.append(1e5 * (time.process_time() - began))
    return min(times)


def without_kernels():
    """Makes all programs that were bound launch nothing."""
    def nothing(*_):
        return None
    for outer in capture._made:
        for (structures, *_), *_ in outer.structures._kept.values():
            for plan in structures.plans.values():
                plan.run._run = nothing
                for launcher, _ in getattr(plan, "_backward", {}).values():
                    launcher._run = nothing


def row(name, graph, options):
    """The times of one model."""
    torch._dynamo.reset()
    capture._made.clear()
    takes = frontend_models.MODELS[name][2]
    kinds = frontend_models.Kinds(graph)
    model = frontend_models.make(name, kinds).to(options.device)
    given = pytree.tree_map_only(torch.Tensor, lambda x: x.to(options.device), takes(
        graph, kinds, frontend_models.features(graph.num_nodes)))
    compiled = capture.compile_module(model)
    by_dynamo = compiled.forward.__wrapped__.__wrapped__
    parameters = list(model.parameters())  # As an optimizer has them.
    found = [name, str(len(parameters))]

    def step():
        for parameter in parameters:
            parameter.grad = None
        sum(x.sum() for x in pytree.tree_leaves(compiled(*given))).backward()

    def first(run):
        began = time.perf_counter()
        run()
        found.append(number(time.perf_counter() - began, 1))
        run()
        without_kernels()
    with torch.no_grad():
        first(lambda: compiled(*given))
        found += [number(least_us(run, options.seconds), 0) for run in (
            lambda: compiled(*given), lambda: by_dynamo(*given))]
        found.append(str(ops(lambda: compiled(*given))))
    first(step)
    return [*found, *(number(least_us(run, options.seconds), 0) for run in (
        lambda: compiled(*given), step)), str(ops(step))]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=lambda text: text.split(","), default=MODELS)
    parser.add_argument("--graph", default="aifb:0.01")
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    frontend_models.SIZE = options.features
    _, graph = cases.load(options.graph)
    print(markdown(["model", "parameters", "first", "call", "by dynamo", "ops", "first step",
                    "forward", "step", "ops"], [
        row(name, graph, options) for name in options.models]))


if __name__ == "__main__":
    main()
