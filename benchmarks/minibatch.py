# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An epoch of two SAGE layers over sampled batches, beside PyTorch Geometric's.

    python benchmarks/minibatch.py [--graph products:0.25] [--batches 192]
        [--batch 1024] [--fanouts 10,10] [--sizes 100,256,47] [--rounds 7]
        [--workers 4] [--output FILE]

The graph is one of benchmarks/synthetic.py without types; its features and labels are
on the GPU. All batches are sampled before anything is timed, by the sampler of
gnn_mlir.sampling, and all train on the same ones, from the same weights on;
fp32, TF32 off, torch's fused Adam. A step takes a batch in the memory of the host:
features of its nodes are gathered on the GPU, forward, loss, backward, optimizer. An
epoch ends when the GPU is done. All are in one process and take turns; times are
milliseconds of a step, an epoch divided by its batches, medians over rounds.

    PyG                edges copied from pinned memory, layers cut to what they read
    PyG, on the GPU    the edges are there before: what copies cost
    ours               blocks made, structures built and uploaded, all in one thread
    ours, prefetched   the same through `prefetch`: the next batches on another thread
    ours, bound        all batches bound before: what a step alone costs

The parts of a step are what the host does until the GPU has its work, medians over
steps. Where PyG's NeighborLoader runs, epochs that sample are timed too, with --workers
processes. With --output there are FILE.json, with all numbers, and FILE.md, tables.
"""

import argparse
import copy
import datetime
import json
import pathlib
import random
import statistics
import time

import numpy as np
import torch
import torch.nn.functional as F
import torch_geometric
from torch_geometric import nn
from torch_geometric.data import Data
from torch_geometric.loader import NeighborLoader

import gnn_mlir
import race
import synthetic
from gnn_mlir import files, models
from gnn_mlir.pytorch import pyg
from gnn_mlir.sampling import Sampler

WHO = ("PyG", "PyG, on the GPU", "ours", "ours, prefetched", "ours, bound")
PARTS = ("batch", "features", "forward", "backward", "optimizer")


class Theirs(torch.nn.Module):
    """PyG's layers, each cut to the nodes and the edges that later ones read."""

    def __init__(self, sizes):
        super().__init__()
        self.convs = torch.nn.ModuleList(
            nn.SAGEConv(*pair) for pair in zip(sizes, sizes[1:]))

    def forward(self, cut, x):
        for i, (conv, (edge_index, nodes)) in enumerate(zip(self.convs, cut)):
            x = conv((x, x[:nodes]), edge_index)
            x = x.relu() if i + 1 < len(self.convs) else x
        return x


class Ours(torch.nn.Module):
    """The same program, with the same weights."""

    def __init__(self, sizes, theirs, target):
        super().__init__()
        model = models.sage_blocks(sizes)
        weights = pyg.weights(model, *theirs.convs)
        self.layer = gnn_mlir.compile(model, target=target, gradients=list(weights))
        self.weights = torch.nn.ParameterDict(
            {name: torch.tensor(array) for name, array in weights.items()})

    def forward(self, blocks, x):
        return self.layer(blocks, {"x": x, **self.weights})


def count_hops(batch, layers):
    """The edges that each layer reads and the nodes that it gives, first layer first.
    Edges are in the order of hops, as NeighborLoader has them."""
    nodes, found = batch.batch_size, []
    for _ in range(layers):
        edges = int((batch.edge_index[1] < nodes).sum())
        found.insert(0, (edges, nodes))
        if edges:
            nodes = max(nodes, int(batch.edge_index[0, :edges].max()) + 1)
    return found


def cut(edge_index, hops):
    return [(edge_index[:, :edges], nodes) for edges, nodes in hops]


class Clock:
    """Times of the parts of steps, in milliseconds."""

    def __init__(self):
        self.times = {part: [] for part in PARTS}
        self.start()

    def start(self):
        self._last = time.perf_counter()

    def lap(self, part):
        now = time.perf_counter()
        self.times[part].append(1e3 * (now - self._last))
        self._last = now

    def medians(self):
        return {part: statistics.median(times) for part, times in self.times.items()}


class Bench:
    """The data, and epochs of all contenders."""

    def __init__(self, options):
        self.options, device = options, options.device
        name, _, scale = options.graph.partition(":")
        began = time.monotonic()
        self.graph = synthetic.homogeneous(name, float(scale or 1))
        self.device = "cuda" if device == "cuda" else "cpu"
        nodes, torch_rng = self.graph.num_nodes, torch.Generator().manual_seed(0)
        self.x = torch.randn(nodes, options.sizes[0], generator=torch_rng).to(self.device)
        self.y = torch.randint(0, options.sizes[-1], (nodes,), generator=torch_rng
                               ).to(self.device)
        made = time.monotonic()
        sampler = Sampler(self.graph, options.fanouts, seed=1)
        self.seeds = np.random.default_rng(2).permutation(nodes)[
            :options.batches * options.batch]
        began_sampling = time.monotonic()
        self.batches = [self._batch(*sampler.sample(seeds)) for seeds in np.array_split(
            self.seeds, options.batches)]
        self.seconds = {"graph": made - began,
                        "sampling": time.monotonic() - began_sampling}
        torch.manual_seed(0)
        self.theirs = Theirs(options.sizes)
        self.ours = Ours(options.sizes, self.theirs,
                         "cuda" if device == "cuda" else "emulator").to(self.device)
        self.theirs.to(self.device)
        self.first = {who: copy.deepcopy(self._model(who).state_dict()) for who in WHO}
        self.trained = {who: None for who in WHO}
        self.ready, self.clocks = {}, {who: Clock() for who in WHO}

    def _batch(self, graph, nodes):
        """A batch as NeighborLoader gives it."""
        edge_index = torch.from_numpy(np.stack([graph.edge_src, graph.edge_dst])).long()
        ids = torch.from_numpy(nodes)
        if self.device == "cuda":
            edge_index, ids = edge_index.pin_memory(), ids.pin_memory()
        return Data(edge_index=edge_index, n_id=ids, num_nodes=len(nodes),
                    batch_size=len(self.seeds) // self.options.batches)

    def _model(self, who):
        return self.ours if who.startswith("ours") else self.theirs

    def _layers(self):
        return len(self.options.fanouts)

    def edges_of(self, batch):
        """A batch as PyG's model takes it."""
        return cut(batch.edge_index.to(self.device, non_blocking=True),
                   batch.hops if "hops" in batch else count_hops(batch, self._layers()))

    def blocks_of(self, batch):
        return gnn_mlir.blocks(batch, self._layers())

    def items(self, who, batches):
        """Pairs of what the model takes and the batch."""
        if who in self.ready:
            return zip(self.ready[who], batches)
        if who == "ours, prefetched":
            return self.ours.layer.prefetch((self.blocks_of(b), b) for b in batches)
        make = self.blocks_of if who == "ours" else self.edges_of
        return ((make(b), b) for b in batches)

    def prepare(self):
        """Makes what is there before epochs begin."""
        for batch in self.batches:
            batch.hops = count_hops(batch, self._layers())
        self.ready = {"PyG, on the GPU": [self.edges_of(b) for b in self.batches],
                      "ours, bound": [self.blocks_of(b) for b in self.batches]}

    def synchronize(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def epoch(self, who, batches):
        """Seconds and losses; adds to the times of parts."""
        model, clock, losses = self._model(who), self.clocks[who], []
        state, optimizer = self.trained[who] or (self.first[who], None)
        model.load_state_dict(state)
        adam = torch.optim.Adam(model.parameters(), lr=0.003, fused=True)
        if optimizer:
            adam.load_state_dict(optimizer)
        self.synchronize()
        began = time.perf_counter()
        clock.start()
        for item, batch in self.items(who, batches):
            clock.lap("batch")
            ids = batch.n_id.to(self.device, non_blocking=True)
            x, y = self.x[ids], self.y[ids[:batch.batch_size]]
            clock.lap("features")
            loss = F.cross_entropy(model(item, x), y)
            clock.lap("forward")
            adam.zero_grad()
            loss.backward()
            clock.lap("backward")
            adam.step()
            losses.append(loss.detach())
            clock.lap("optimizer")
        self.synchronize()
        seconds = time.perf_counter() - began
        self.trained[who] = copy.deepcopy((model.state_dict(), adam.state_dict()))
        return seconds, torch.stack(losses).cpu().numpy()

    def sampled_epochs(self):
        """Seconds of an epoch that NeighborLoader samples, by contender."""
        whole = Data(edge_index=torch.from_numpy(np.stack(
            [self.graph.edge_src, self.graph.edge_dst])).long(),
            num_nodes=self.graph.num_nodes)
        loader = NeighborLoader(
            whole, list(self.options.fanouts), torch.from_numpy(self.seeds),
            batch_size=self.options.batch, num_workers=self.options.workers,
            persistent_workers=self.options.workers > 0)
        found = {}
        for who in ("PyG", "ours, prefetched") * 2:  # The first start the workers.
            found[who], _ = self.epoch(who, loader)
        return found


def has_loader():
    """Whether PyG's NeighborLoader finds a library that samples."""
    return (torch_geometric.typing.WITH_PYG_LIB or
            torch_geometric.typing.WITH_TORCH_SPARSE)


def run(options):
    """All numbers."""
    bench = Bench(options)
    bench.prepare()
    firsts, rounds = {}, {who: [] for who in WHO}
    for who in WHO:  # The first epoch loads kernels and gets memory.
        firsts[who] = bench.epoch(who, bench.batches)[1]
    bench.clocks = {who: Clock() for who in WHO}
    for _ in range(options.rounds):
        for who in random.sample(WHO, len(WHO)):
            seconds, _ = bench.epoch(who, bench.batches)
            rounds[who].append(1e3 * seconds / options.batches)
    edges = [b.edge_index.shape[1] for b in bench.batches]
    machine = race.OnGPU() if options.device == "cuda" else race.OnEmulator()
    return {
        "date": datetime.date.today().isoformat(),
        "about": {**machine.about(), "torch-geometric": torch_geometric.__version__,
                  "gnn-mlir": gnn_mlir.__version__},
        "graph": options.graph, "nodes": bench.graph.num_nodes,
        "edges": bench.graph.num_edges, "batches": options.batches,
        "batch": options.batch, "fanouts": options.fanouts, "sizes": options.sizes,
        "edges_a_batch": statistics.mean(edges),
        "nodes_a_batch": statistics.mean(b.num_nodes for b in bench.batches),
        "sampling_ms": 1e3 * bench.seconds["sampling"] / options.batches,
        "steps": {who: race.summary(times) for who, times in rounds.items()},
        "parts": {who: clock.medians() for who, clock in bench.clocks.items()},
        "difference": {who: float(np.max(np.abs(
            found[:20] / firsts["PyG"][:20] - 1))) for who, found in firsts.items()},
        "losses": {who: [float(found[0]), float(found[-1])]
                   for who, found in firsts.items()},
        "sampled_s": bench.sampled_epochs() if has_loader() else None}


def table(result):
    """The numbers as Markdown."""
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    sizes, fanouts = ("-".join(map(str, result[k])) for k in ("sizes", "fanouts"))
    lines = [
        f"# Two SAGE layers, {sizes}, over batches of {result['batch']}, fan-outs "
        f"{fanouts}, fp32", "",
        f"{result['date']}, {about}. {result['graph']}: {result['nodes']:,} nodes, "
        f"{result['edges']:,} edges; {result['batches']} batches an epoch, of "
        f"{result['nodes_a_batch']:,.0f} nodes and {result['edges_a_batch']:,.0f} edges "
        f"in the mean, sampled in {result['sampling_ms']:.1f} ms each and before. "
        "Milliseconds a step, medians over rounds; the parts are those of the host.", "",
        "| | step | spread | PyG / it | " + " | ".join(PARTS) + " | losses differ |",
        "| --- |" + " ---: |" * (len(PARTS) + 4)]
    base = result["steps"]["PyG"]["ms"]
    for who, step in result["steps"].items():
        lines.append(
            f"| {who} | {step['ms']:.3f} | {100 * step['spread']:.1f}% | "
            f"{base / step['ms']:.2f} | " + " | ".join(
                f"{result['parts'][who][part]:.3f}" for part in PARTS)
            + f" | {result['difference'][who]:.1e} |")
    if result["sampled_s"]:
        lines += ["", "An epoch that NeighborLoader samples: " + ", ".join(
            f"{who} {seconds:.2f} s" for who, seconds in result["sampled_s"].items())
            + "."]
    return "\n".join(lines) + "\n"


def integers(text):
    return tuple(map(int, text.split(",")))


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--graph", default="products:0.25")
    parser.add_argument("--batches", type=int, default=192)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--fanouts", type=integers, default=(10, 10))
    parser.add_argument("--sizes", type=integers, default=(100, 256, 47))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--device", type=race.device, default="cuda")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    if len(options.sizes) != len(options.fanouts) + 1:
        raise SystemExit(f"--sizes: expected {len(options.fanouts) + 1} numbers, one "
                         f"more than fan-outs, got {len(options.sizes)}")
    return options


def main(arguments=None):
    options = parse(arguments)
    torch.backends.cuda.matmul.allow_tf32 = False
    random.seed(0)
    result = run(options)
    if options.output:
        files.write(options.output.with_suffix(".json"), json.dumps(result, indent=1))
        files.write(options.output.with_suffix(".md"), table(result))
    print(table(result))


if __name__ == "__main__":
    main()
