# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning on a GPU: schedules that are found are compiled, and compute what the chosen ones do.

    python -m pytest python/tests/pytorch/test_tuning_cuda.py"""

import json

import numpy as np
import pytest
import torch

import gnn_mlir
from gnn_mlir import models

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def make_graph(nodes=20000, edges=400000, edge_types=1, loops=False):
    rng = np.random.default_rng(0)
    src, dst = rng.integers(0, nodes, edges), (nodes * rng.random(edges) ** 4).astype(np.int64)
    src, dst = src[src != dst], dst[src != dst]
    if loops:
        src, dst = (np.concatenate([x, np.arange(nodes)]) for x in (src, dst))
    return gnn_mlir.Graph(src, dst, nodes, edge_type=None if edge_types == 1 else rng.integers(
        0, edge_types, len(src)))


CASES = {"gcn": lambda: (models.gcn((64, 64)), make_graph(loops=True)),
         "gat": lambda: (models.gat((64, 64)), make_graph(loops=True)),
         "rgcn": lambda: (models.rgcn(3, (64, 64)), make_graph(edge_types=3))}


def test_short_kernels(tmp_path):
    """Kernels that take less than their launches are timed as replays: together they take no longer
    than a call in a CUDA graph, whose launches overlap."""
    module, graph = models.gcn((8, 8)), make_graph(300, 2000, loops=True)
    layer = gnn_mlir.compile(module, graph=graph, target="cuda")
    inputs = {key: torch.tensor(value, device="cuda")
              for key, value in layer.source.random_inputs(graph, 1).items()}
    store = tmp_path / "store.jsonl"
    found = gnn_mlir.tune(layer, graph, inputs, budget=10, store=store)
    first = {}  # of each kernel: the chosen schedule's
    for line in map(json.loads, store.read_text().splitlines()):
        if "dropped" not in line:
            first.setdefault((line["template"], line["domain"]), line["milliseconds"])
    assert len(first) == len(found.templates)
    layer(graph, inputs)
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        for _ in range(100):
            layer(graph, inputs)
    times = []
    for _ in range(7):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        captured.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 100)
    kernels, call = sum(first.values()), sorted(times)[3]
    print(f"\n{found}\n{kernels:.4f} ms of kernels alone, {call:.4f} ms of a call in a graph")
    assert kernels <= 1.3 * call


@pytest.mark.parametrize("name", CASES)
def test_found_schedules(name, tmp_path):
    module, graph = CASES[name]()
    layer = gnn_mlir.compile(module, graph=graph, target="cuda")
    inputs = {key: torch.tensor(value, device="cuda")
              for key, value in layer.source.random_inputs(graph, 1).items()}
    store = tmp_path / "store.jsonl"
    found = gnn_mlir.tune(layer, graph, inputs, budget=15, store=store, cell=name)
    print(f"\n{found}")
    lines = [json.loads(line) for line in store.read_text().splitlines()]
    dropped = sorted({line["dropped"] for line in lines if "dropped" in line})
    print(f"{len(lines)} measurements, dropped for:", *dropped, sep="\n  ")
    assert all("cuda:" in line["device"] for line in lines)
    assert not any(why.startswith(("result:", "the device")) for why in dropped), dropped
    assert sum(one["timed"] for one in found.templates) > 20
    tuned = gnn_mlir.compile(module, graph=graph, target="cuda", schedules=found.schedules)
    expected, got = layer(graph, inputs), tuned(graph, inputs)
    assert (got - expected).abs().max() <= 1e-4 * expected.abs().max()
    bound, other = layer.bind(graph, "cuda"), tuned.bind(graph, "cuda")
    times = [sum(step["milliseconds"] for step in one.profile(inputs, 20)["steps"]) for one in (bound, other)]
    print(f"{times[0]:.4f} ms as chosen, {times[1]:.4f} ms tuned")
