#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A two-layer RGCN and an RGAT on WordNet: compiled, run, and checked against
the float64 reference on a sample of the rows.

Runs on a GPU where there is a driver, else on the CPU; on the emulator with every access
checked. Only NumPy is needed.
"""

import argparse
import ctypes
import os
import pathlib
import re
import sys
import time

import numpy as np

import gnn_mlir
from gnn_mlir import capi, models
from gnn_mlir.devices import open_device
from gnn_mlir.datasets import wordnet
from gnn_mlir.sampling import Sampler

ROOT = pathlib.Path(__file__).resolve().parent.parent


def find_device(wanted):
    """The device of that name; "auto" is a GPU where there is one."""
    if wanted == "auto":
        count = ctypes.c_int()
        try:
            capi.call("gnnCudaDeviceCount", ctypes.byref(count))
        except gnn_mlir.GNNError:
            pass  # No driver.
        wanted = "cuda" if count.value else "cpu"
    return open_device(wanted)


def load_graph(path, features):
    """WordNet, made where it is not there yet."""
    start = time.monotonic()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        wordnet.build(features=features).save(path)
    graph = gnn_mlir.Graph.load(path)
    print(f"WordNet: {graph} in {time.monotonic() - start:.1f} s")
    return graph


def print_report(report):
    """A line for each kernel. Bytes and flops are counted, not measured."""
    def text(value, form="{:,}"):
        return "-" if value is None else form.format(value)

    width = max(len(step["kernel"]) for step in report["steps"])
    print(f"  {'kernel':<{width}}{'time ms':>9}{'read B':>15}{'written B':>15}"
          f"{'flops':>16}")
    for step in report["steps"]:
        print(f"  {step['kernel']:<{width}}"
              f"{text(step.get('milliseconds'), '{:.3f}'):>9}"
              f"{text(step.get('bytes_read')):>15}"
              f"{text(step.get('bytes_written')):>15}"
              f"{text(step.get('flops')):>16}")
    print(f"  workspace {report['workspace_bytes']:,} bytes, structures of the "
          f"graph {report['structure_bytes']:,} bytes")


def sample_rows(graph, count, seed=0):
    """Nodes drawn at random, and the one with the most incoming edges."""
    rng = np.random.default_rng(seed)
    degree = np.bincount(graph.edge_dst, minlength=graph.num_nodes)
    return np.unique(np.r_[rng.choice(graph.num_nodes, count, replace=False),
                           np.argmax(degree)])


def compare(function, graph, inputs, out, layers, count=500):
    """Checks a sample of the rows against the reference, on the part of the graph
    that decides them. Returns whether they are near enough."""
    rows = sample_rows(graph, count)
    part, nodes = Sampler(graph, [-1] * layers).sample(rows)
    expected = function.evaluate(part, {**inputs, "x": inputs["x"][nodes]})["out"]
    size, off = (np.linalg.norm(x, axis=1) for x in (
        expected[:len(rows)], out[rows] - expected[:len(rows)]))
    total = np.linalg.norm(off) / np.linalg.norm(size)
    worst = np.max(off / (size + 1e-6 * np.sqrt(np.mean(size ** 2))))
    good = total <= layers * 1e-5 and worst <= layers * 1e-4
    print(f"  {len(rows)} rows against float64: error {total:.1e} in all, "
          f"{worst:.1e} in the worst row{'' if good else ': TOO MUCH'}")
    return good


def show(name, module, graph, layers, device, folder):
    """Compiles a model, runs it, and says all about it."""
    print(f"\n{name}")
    gpu, cpu = device.kind == "cuda", device.kind == "cpu"
    chip = re.search(r"sm_\d+\w?", device.name)
    place = {"target": "cpu"} if cpu else {"chip": chip.group() if chip else "sm_90"}
    start = time.monotonic()
    compiled = gnn_mlir.compile(module, keep_phases=folder, graph=graph, **place)
    compile_time = time.monotonic() - start
    start = time.monotonic()
    binding = compiled.bind(graph, device)
    bind_time = time.monotonic() - start
    inputs = {**compiled.source.random_inputs(graph), "x": graph.features()}
    print(f"  compiled in {compile_time:.2f} s, bound to the graph in "
          f"{bind_time:.2f} s, running on {device.name} ...", flush=True)
    start = time.monotonic()
    out = binding(inputs)
    took = time.monotonic() - start
    print(f"  ran in {took:.3g} s" + ("" if gpu or cpu else ", which says nothing of a "
                                      "GPU's time"))
    print_report(binding.profile(inputs) if gpu or cpu else binding.report())
    good = compare(compiled.source, graph, inputs, out, layers)
    print(f"  IR of every phase{'' if cpu else ' and PTX'}: {os.path.relpath(folder)}/")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", default="auto",
                        help="auto, cpu, cuda, cuda:N or emulator (%(default)s)")
    parser.add_argument("--features", type=int, default=64,
                        help="of the nodes and of each layer (%(default)s)")
    parser.add_argument("--output", type=pathlib.Path,
                        default=ROOT / "out" / "demo",
                        help="folder of the graph, the IR and the PTX "
                        "(out/demo)")
    options = parser.parse_args()
    start = time.monotonic()
    folder, size = options.output, options.features
    try:
        device = find_device(options.device)
        graph = load_graph(folder / f"wordnet-{size}.npz", size)
        types = {"node_types": graph.num_node_types}
        edge_types = graph.num_edge_types
        good = [
            show(f"RGCN, 2 layers of {size} features", models.rgcn(
                edge_types, (size, size, size), **types), graph, 2, device,
                folder / "rgcn"),
            show(f"RGAT, 1 layer of {size} features", models.rgat(
                edge_types, (size, size), **types), graph, 1, device,
                folder / "rgat")]
    except (gnn_mlir.GNNError, OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    print(f"\n{time.monotonic() - start:.0f} s in all")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
