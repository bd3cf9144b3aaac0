# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Experiments: layers, each compiled in several ways, beside torch where it has the same.

    python benchmarks/experiment.py NAME [--graphs mag am:0.01 mutag.npz] [--layers rgcn gcn]
        [--features 64 256] [--ways chosen long-rows=64,cost=whole-rows] [--training]
        [--profile] [--rounds 15] [--device emulator] [--output FILE]

The names and what each compares are below. A way is one of the experiment's, or switches of
passes (docs/Passes.md); graphs are those of benchmarks/cases.py. All take turns
(benchmarks/race.py) on torch's current GPU: "ms" is the median of replays of a CUDA graph (*:
of calls, since it cannot be captured), "gain" the time of the first way by it, and "spread" the
middle 80% of rounds beside the median. "MiB" is what a run allocates at most. Errors are the
largest ||out - ref|| / ||ref|| of outputs and gradients, against the first peer in float64, or
without one against the first way. Large ones of ours are refused, and other bits in a second
run. --training is the forward and the backward pass to all inputs, --profile the time of each
kernel of a forward pass. On the emulator there are no times. FILE is JSON, a list of the rows.
"""

import argparse
import dataclasses
import itertools
import json
import pathlib
import random
import sys
import tempfile

import torch

import experiment_layers as layers
import gnn_mlir
import kernels
from cases import load
from gnn_mlir import files
from race import MIB, Contender, OnEmulator, OnGPU, device
from tables import line, markdown, number

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "python/tests"))
from support import ir_counts  # noqa: E402


class Way:
    """A layer, compiled in one way and bound."""

    def __init__(self, module, graph, machine, options, training):
        with tempfile.TemporaryDirectory() as folder:
            self.layer = gnn_mlir.compile(
                module, target=machine.target, gradients=training or None, keep_phases=folder,
                **{"graph": graph, **options})
            self.graph_stage = (pathlib.Path(folder) / "1-graph.mlir").read_text()
        self.bound = self.layer.bind(graph, machine.place)
        self.graph, self.training = graph, training

    def parts(self):
        """The functions that a step runs; passes of training are bound by the first."""
        called, *passes = self.bound._passes.values()
        return passes if self.training else [called]

    def schedules(self):
        return [step.get("schedule", "") for part in self.parts()
                for step in part.report()["steps"]]

    def facts(self, experiment):
        return [str(column(self)) for column in experiment.columns.values()]


# Columns of a table: what is known of a way without a GPU.
def kernel_count(way):
    return len(way.schedules())


def workspace(way):
    return number(max(part.workspace_bytes for part in way.parts()) / MIB, 2)


def lengths(way):
    """Elements above which kernels split rows."""
    keys = [s["key"] for f in way.layer.package.plan()["functions"] for s in f["structures"]]
    found = {int(key.split()[-1]) for key in keys if key.startswith("long_tiles ")}
    return " ".join(map(str, sorted(found)))


def block_columns(way):
    """Columns that a block of the last kernel takes."""
    return way.schedules()[-1].partition("columns_per_block = ")[2].partition(",")[0]


def joint(way):
    """Kernels that sum and multiply: they have the schedules of both."""
    return sum("row_walk" in text and "kind = " in text for text in way.schedules())


def product_rows(way):
    """Rows of all products after the passes on whole graphs."""
    return f"{ir_counts.Program(way.graph_stage).product_rows(way.graph.statistics()):,.0f}"


def product_gflop(way):
    flops = ir_counts.Program(way.graph_stage).product_flops(way.graph.statistics())
    return number(flops / 1e9)


ALWAYS = {"kernels": kernel_count, "workspace, MiB": workspace}


@dataclasses.dataclass
class Experiment:
    """Layers, and ways to compile them: options of `gnn_mlir.compile`."""
    shows: str
    layers: dict
    ways: dict
    graphs: tuple
    columns: dict = dataclasses.field(default_factory=lambda: ALWAYS)
    tolerance: float = 1e-5


def passes(**switches):
    return {"passes": {name.replace("_", "-"): value for name, value in switches.items()}}


# Passes on whole graphs by letters; L are those on the ends of layers.
LETTERS = {"C": ("compact",), "R": ("linear-reorder",), "O": ("order-aggregate",),
           "A": ("fuse-attention",),
           "L": ("fold-normalization", "join-sums", "move-scales", "compute-in-heads",
                 "merge-bias")}


def with_letters(on):
    return {"passes": {name: letter in on for letter in LETTERS for name in LETTERS[letter]}}


WITHOUT_STATISTICS = {"graph": None}

EXPERIMENTS = {
    "passes": Experiment(
        "what passes on whole graphs do, alone, together, and all but one: "
        + ", ".join(f"{letter} {' and '.join(names)}" for letter, names in LETTERS.items()),
        layers.MODELS,
        {"all": {}, **{letters or "none": with_letters(letters) for letters in (
            "", *LETTERS, "CR", "CRO", "CROA")},
         **{f"all but {letter}": {"passes": dict.fromkeys(names, False)}
            for letter, names in LETTERS.items()}},
        ("aifb", "mutag", "am", "mag"),
        {**ALWAYS, "rows of products": product_rows, "Gflop": product_gflop}),
    "long-rows": Experiment(
        "layers whose hubs one block walks, or many: by statistics, by statistics while passes "
        "on whole graphs weigh rows as if they stayed whole, and of given lengths",
        layers.MODELS,
        {"whole": passes(long_rows=0), "chosen": {}, "unaware": passes(cost="whole-rows"),
         **{f"long-rows={n}": passes(long_rows=n) for n in (64, 128, 256, 512, 1024)}},
        ("mutag", "bgs", "fb15k"), {**ALWAYS, "lengths": lengths}),
    "sums-in-products": Experiment(
        "layers that sum first: sums as kernels of their own, what is chosen (it may multiply "
        "first), and sums in the block that multiplies them",
        layers.SUMS_FIRST,
        {"apart": passes(order_aggregate=False), "chosen": {},
         "in one": passes(order_aggregate=False, sums_in_products=True)},
        ("bgs", "am"), {**ALWAYS, "that sum and multiply": joint}),
    "columns": Experiment(
        "the sum over neighbours by blocks that take whole rows, and by those that take the "
        "columns that the L2 keeps, beside cuSPARSE",
        {"sum": layers.neighbour_sum}, {"whole": WITHOUT_STATISTICS, "tiles": {}},
        ("reddit",), {**ALWAYS, "columns a block": block_columns}),
    "weight-gradients": Experiment(
        "sums over types and the graph in two steps, by tiles that statistics choose, by tiles "
        "of 1024 rows, and by one block a type",
        layers.WEIGHT_GRADIENTS,
        {"split": {}, "by 1024": WITHOUT_STATISTICS, "whole": passes(split_sums=False)},
        ("mag", "am"), tolerance=1e-4),  # A million rows, one after another.
    "figures": Experiment(
        "layers by the figures of an H200, the first GPU of its chip, and by those of the GPU "
        "that runs them", layers.MODELS, {"h200": {"chip": "h200"}, "own": {}},
        ("aifb", "mutag", "am", "mag")),
    "attention": Experiment(
        "attention alone, beside torch and, where it is installed, turbo-gnn",
        layers.ATTENTION, {"ours": {}}, ("products", "proteins"), tolerance=2e-5),
}


def step(call, given, up):
    """The output of a call, and the gradients of its inputs where `up` is one of it."""
    out = call(given)
    if up is None:
        return [out]
    return [out.detach(), *torch.autograd.grad(out, list(given.values()), up)]


def reference(peers, given, up, otherwise):
    """What the first peer gives in float64, where it is there and has the memory."""
    given = {name: value.detach().double().requires_grad_(value.requires_grad)
             for name, value in given.items()}
    try:
        peer = next(iter(peers.values()))
        return step(lambda given: peer(**given), given, None if up is None else up.double())
    except (StopIteration, torch.OutOfMemoryError):
        return otherwise()


def worst_error(found, expected):
    """What is nearly 0 for its place is measured by the largest."""
    least = 1e-3 * max(value.norm() for value in expected)
    return max(float((a - b).norm() / max(b.norm(), least)) for a, b in zip(found, expected))


def bench(experiment, chosen, layer, graph, features, machine, options):
    """A row of the table for each way and each peer, and with --profile the kernels."""
    module, graph, peers = experiment.layers[layer](graph, features, machine.device)
    function, = module.functions.values()
    given = {name: torch.tensor(value, device=machine.device, requires_grad=options.training)
             for name, value in function.random_inputs(graph, 1).items()}
    ways = {name: Way(module, graph, machine, way, options.training)
            for name, way in chosen.items()}
    calls = {**{name: way.bound for name, way in ways.items()},
             **{name: lambda given, peer=peer: peer(**given) for name, peer in peers.items()}}
    first, up = next(iter(ways)), None
    if options.training:
        shape = calls[first](given).shape
        up = torch.randn(shape, generator=torch.Generator().manual_seed(1)).to(machine.device)
    expected = reference(peers, given, up, lambda: step(calls[first], given, up))
    entered, errors, pool = {}, {}, machine.new_pool()
    for name, call in calls.items():
        run = lambda call=call: step(call, given, up)
        # A capture that fails leaves its memory in an odd state, and turbo-gnn's kernels end
        # the process that captures them.
        entered[name] = machine.enter(name, run, pool=pool if name in ways else None,
                                      capture=name != "turbo-gnn")
        if isinstance(entered[name], Contender):
            errors[name] = worst_error(run(), expected)
            if name in ways and not errors[name] <= experiment.tolerance:
                raise SystemExit(f"{layer}, {name}: expected an error of at most "
                                 f"{experiment.tolerance:.0e}, got {errors[name]:.1e}")
            if name in ways and not all(map(torch.equal, run(), run())):
                raise SystemExit(f"{layer}, {name}: expected the same bits in two runs")
    machine.race([one for one in entered.values() if isinstance(one, Contender)])
    found = {name: one.found if isinstance(one, Contender) else one
             for name, one in entered.items()}
    rows = [[name, *cells(one, found[first].get("ms")),
             *(ways[name].facts(experiment) if name in ways else
               [""] * len(experiment.columns)),
             f"{errors[name]:.1e}" if name in errors else "-"] for name, one in found.items()]
    return rows, [f"{layer}, {features} features, {name}: {number(kernels.total(steps))} ms\n\n"
                  f"{kernels.table(steps)}" for name, way in ways.items() if options.profile
                  for steps in [kernels.measure(way.bound, given)]]


def cells(found, base):
    """What a race found of a way or a peer, beside the time of the first way."""
    ms = found.get("ms")
    return [found.get("skipped") or number(ms, 4) + ("*" if ms and not found["captured"] else ""),
            number(base / ms if base and ms else None, 2), number(found.get("spread")),
            number(found.get("mib"), 1)]


def way_of(experiment, text):
    """Options of `gnn_mlir.compile` by the name of a way, or by switches."""
    if text in experiment.ways:
        return experiment.ways[text]
    switches = [switch.split("=") for switch in text.split(",")]
    if any(len(switch) != 2 for switch in switches):
        raise SystemExit(f"--ways: expected some of {', '.join(experiment.ways)}, or switches "
                         f"of passes such as long-rows=64,fuse=false, got {text}")
    return {"passes": dict(switches)}


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n\n".join(f"{name}: {one.shows}. Ways: {', '.join(one.ways)}. Layers: "
                           f"{', '.join(one.layers)}." for name, one in EXPERIMENTS.items()))
    parser.add_argument("name", choices=EXPERIMENTS)
    parser.add_argument("--graphs", nargs="+")
    parser.add_argument("--layers", nargs="+")
    parser.add_argument("--features", type=int, nargs="+", default=[64])
    parser.add_argument("--ways", nargs="+")
    parser.add_argument("--training", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--device", type=device, default="cuda")
    parser.add_argument("--output", help="a file for the rows, JSON")
    options = parser.parse_args(arguments)
    known = EXPERIMENTS[options.name].layers
    if not set(options.layers or ()) <= set(known):
        parser.error(f"argument --layers: expected some of {', '.join(known)}, got "
                     f"{' '.join(options.layers)}")
    return options


def main(arguments=None):
    options = parse(arguments)
    experiment = EXPERIMENTS[options.name]
    chosen = {text: way_of(experiment, text) for text in options.ways or experiment.ways}
    torch.backends.cuda.matmul.allow_tf32 = False
    random.seed(0)
    machine = OnEmulator() if options.device == "emulator" else OnGPU(options.rounds)
    about = ", ".join(f"{key} {value}" for key, value in machine.about().items())
    print(f"{options.name}: {experiment.shows}.\n\n{about}\n")
    header = ["graph", "layer", "F", "way", "ms", "gain", "spread", "MiB", *experiment.columns,
              "error"]
    table = []
    for text in options.graphs or experiment.graphs:
        (name, graph), profiles = load(text), []
        print(markdown(header), end="")
        for layer, features in itertools.product(options.layers or experiment.layers,
                                                 options.features):
            rows, more = bench(experiment, chosen, layer, graph, features, machine, options)
            rows, profiles = [[name, layer, str(features), *row] for row in rows], profiles + more
            print("".join(map(line, rows)), end="", flush=True)
            table += [dict(zip(header, row)) for row in rows]
            if options.output:  # What there is so far, should the next one fail.
                files.write(options.output, json.dumps(table, indent=1))
        print("", *profiles, sep="\n")


if __name__ == "__main__":
    main()
