# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cells of a graph, in this process or in one of its own."""

import json
import multiprocessing
import pathlib
import random
import tempfile
import time
import warnings

import torch

from sparse import bench, graphs, results, tables


def run_graph(graph, cells, options, seconds, like, save):
    """Measures cells of one graph for so long, and gives `save` the result after each. Raises
    ValueError at once where it does not go with the result `like`."""
    until = time.monotonic() + seconds
    torch.backends.cuda.matmul.allow_tf32 = False
    warnings.filterwarnings("ignore", message=".*beta")  # Warnings of torch's sparse tensors.
    random.seed(0)
    machine = bench.open_machine(options)
    edges = graphs.Edges(graph, graphs.load(graph, options.data), machine.device)
    work = bench.Bench(options, edges, machine)
    result = results.new(options.commit, bench.about(options, machine))
    if like:
        results.together([like, result])
    if work.limit:
        result["runs"][0]["copy"] = work.limit.copy()
    print(f"{graph}: {edges.nodes:,} nodes, {edges.count:,} edges", flush=True)
    for number, cell in enumerate(cells):
        if time.monotonic() > until:
            print(f"no time left for {len(cells) - number} cells of {graph}", flush=True)
            return
        row = work.measure(cell)
        results.add(result, row)
        print(f"{cell}: {tables.line_of(row)}", flush=True)
        save(result)


def _child(graph, cells, options, seconds, like, path):
    run_graph(graph, cells, options, seconds, like,
              lambda result: results.write(path, result))


def run_apart(graph, cells, options, seconds, like):
    """The result of the same in a process of its own: what it has saved where it dies, None where
    that is nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "found.json"
        process = multiprocessing.get_context("spawn").Process(
            target=_child, args=(graph, cells, options, seconds, like, path))
        process.start()
        process.join()
        if process.exitcode:
            print(f"{graph}: its process ended with {process.exitcode}", flush=True)
        return json.loads(path.read_text()) if path.is_file() else None
