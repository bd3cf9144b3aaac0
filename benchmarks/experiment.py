# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Experiments: layers, each compiled in several ways, beside torch where it has the same.

    python benchmarks/experiment.py NAME [--graphs mag am:0.01 mutag.npz] [--layers rgcn gcn]
        [--features 64 256] [--ways chosen long-rows=64,cost=whole-rows] [--peers PyG torch]
        [--training] [--without x] [--profile] [--rounds 15] [--seconds 1.5] [--slower 5]
        [--device cpu] [--threads 2] [--output FILE]

The names and what each compares are below. A way is one of the experiment's, or switches of
passes (docs/Passes.md); graphs are those of benchmarks/cases.py. All take turns
(benchmarks/race.py) on torch's current GPU: "ms" is the median of replays of a CUDA graph (*:
of calls, since it cannot be captured; of calls on a CPU), "least" the least of them, "gain" the
time of the first way by it, and "spread" the middle 80% of rounds beside the median. Below the
rows are geometric means of gains over graphs. "MiB" is what a run allocates at most. A program
has as many turns as fit into --seconds, at least 5; a peer that takes --slower times as long as
the best has none. --peers are those whose names begin so. Errors are the largest
||out - ref|| / ||ref|| of outputs and gradients, against the first peer in float64, or without
one against the first way. Large ones of ours are refused, and other bits in a second run.
--training is the forward and the backward pass to all inputs but those --without, --profile the
time of each kernel of a step. On the emulator there are no times. FILE is JSON, a list of the
rows.
"""

import argparse
import dataclasses
import itertools
import json
import pathlib
import random
import statistics
import sys
import tempfile
import time

import torch

import experiment_layers as layers
import gnn_mlir
import kernels
import pyg_layers
from by_edges import worst_error
from cases import load
from gnn_mlir import files
from gnn_mlir.compiler import CompiledFunction
from race import MIB, Contender, device, open_machine, out_of_memory
from sparse.cells import switches
from tables import line, markdown, number

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "python/tests"))
from support import ir_counts  # noqa: E402


class Way:
    """A layer, compiled in one way and bound."""

    def __init__(self, module, graph, on, options, training):
        self.graph, self.training, self.place = graph, training, on.place
        self.asked = {"program": module, "target": on.target, "graph": graph,
                      "gradients": training or None, **options}
        began = time.monotonic()
        self.layer = gnn_mlir.compile(**self.asked)
        self.compile_s = time.monotonic() - began
        self.bound = self.layer.bind(graph, on.place)

    def graph_stage(self):
        """The IR after the passes on whole graphs."""
        with tempfile.TemporaryDirectory() as folder:
            gnn_mlir.compile(**self.asked, keep_phases=folder)
            return ir_counts.Program((pathlib.Path(folder) / "1-graph.mlir").read_text())

    def profile(self, given, up):
        """The kernels of each function that a step runs."""
        functions = [self.bound]
        if self.training:
            passes = self.layer.differentiated.find(
                [name for name, value in given.items() if value.requires_grad])
            functions = [CompiledFunction(passes.package, name).bind(self.graph, self.place)
                         for name in (passes.forward, passes.backward)]
        known = {"d_out": up, **{name: value.detach() for name, value in given.items()}}
        for function in functions:
            inputs = {one.name: known[one.name] for one in function.inputs}
            yield function.function.name, kernels.measure(function, inputs)
            out = function(inputs)
            known |= out if isinstance(out, dict) else {function.outputs[0].name: out}

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
    return f"{way.graph_stage().product_rows(way.graph.statistics()):,.0f}"


def product_gflop(way):
    return number(way.graph_stage().product_flops(way.graph.statistics()) / 1e9)


def saved(way):
    """The memory that the forward pass keeps for the backward pass."""
    return number(way.bound.memory().get("forward", {}).get("saved", 0) / MIB)


def predicted(way):
    """The most memory that is allocated, outputs and gradients included."""
    return number(sum(way.bound.memory()["peak"].values()) / MIB)


def compile_time(way):
    return number(way.compile_s, 2)


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


# Passes on walks over edges, each turned off.
WALKS = {name: switches()[name] for name in (
    "edge-walks", "group-edges", "separate-group-sums", "edge-numbers", "online-softmax",
    "long-rows", "column-tiles")}

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
    "walks": Experiment(
        "layers without one of the passes on walks",
        layers.MODELS,
        {"all": {}, **{f"{name}={str(value).lower()}": {"passes": {name: value}}
                       for name, value in WALKS.items()}},
        ("am", "wikikg2", "mag")),
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
    "layers": Experiment(
        "layers beside every form that PyTorch Geometric has of them, and relational ones "
        "beside those written by hand in torch", pyg_layers.LAYERS, {"ours": {}},
        ("aifb", "mutag", "bgs", "fb15k", "biokg", "am", "mag", "wikikg2"),
        {**ALWAYS, "saved, MiB": saved, "predicted": predicted, "compile, s": compile_time},
        tolerance=2e-5),
    "attention": Experiment(
        "attention alone, beside torch and, where it is installed, turbo-gnn",
        layers.ATTENTION, {"ours": {}}, ("products", "proteins"), tolerance=2e-5),
}


def prepare(peer, given):
    """A call, the tensors that it is differentiated by, and what gives their gradients in
    the order of those of `given`."""
    if hasattr(peer, "prepare"):
        return peer.prepare(given)
    return (lambda: peer(**given)), list(given.values()), list


def step(prepared, up):
    """The output of a call, and gradients where `up` is one of it."""
    call, leaves, _ = prepared
    if up is None:
        return [call()]
    out, wanted = call(), [leaf for leaf in leaves if leaf.requires_grad]
    return [out.detach(), *torch.autograd.grad(out, wanted, up, allow_unused=True)]


def results(prepared, up, mask):
    """The same, where outputs count, and gradients in the order of inputs."""
    (out, *found), (_, leaves, in_order) = step(prepared, up), prepared
    if up is not None:
        found = iter(found)
        found = in_order([next(found) if leaf.requires_grad else torch.zeros_like(leaf)
                          for leaf in leaves])
    return [out * mask, *found]


def reference(peers, given, up, mask):
    """The results of the first peer in float64; None where there is none, or no memory."""
    given = {name: value.detach().double().requires_grad_(value.requires_grad)
             for name, value in given.items()}
    try:
        return results(prepare(next(iter(peers.values())), given),
                       None if up is None else up.double(), mask)
    except (StopIteration, torch.OutOfMemoryError):
        return None


def bench(experiment, chosen, layer, graph, features, on, options):
    """A row of the table for each way and each peer, and with --profile the kernels."""
    module, graph, peers = experiment.layers[layer](graph, features, on.device)
    function, = module.functions.values()
    given = {name: torch.tensor(value, device=on.device, requires_grad=(
        options.training and name not in options.without))
        for name, value in function.random_inputs(graph, 1).items()}
    mask = getattr(next(iter(peers.values()), None), "mask", 1)
    ways = {name: Way(module, graph, on, way, options.training)
            for name, way in chosen.items()}
    runs = {name: prepare(lambda bound=way.bound, **given: bound(given), given)
            for name, way in ways.items()}
    up = None
    if options.training:
        shape = next(iter(runs.values()))[0]().shape
        up = torch.randn(shape, generator=torch.Generator().manual_seed(1))
        up = up.to(on.device) * mask
    expected = reference(peers, given, up, mask) or results(
        next(iter(runs.values())), up, mask)
    entered, errors, pool, best = {}, {}, on.new_pool(), None
    for name in [*ways, *(name for name in peers if name.startswith(options.peers))]:
        try:
            prepared = runs[name] if name in runs else prepare(peers[name], given)
            # A capture that fails leaves its memory in an odd state, and turbo-gnn's kernels
            # end the process that captures them.
            entered[name] = on.enter(name, lambda prepared=prepared: step(prepared, up),
                                     None if name in ways else best,
                                     pool if name in ways else None, capture=name != "turbo-gnn")
        except torch.OutOfMemoryError as error:
            entered[name] = {"skipped": out_of_memory(error)}
        except RuntimeError as error:
            if name in ways:
                raise
            entered[name] = {"skipped": f"failed: {error}".splitlines()[0]}
        if isinstance(entered[name], Contender):
            once = entered[name].once
            best = min(best or once, once) if once else None
            found = results(prepared, up, mask)
            errors[name] = worst_error(found, expected)
            if name in ways and not errors[name] <= experiment.tolerance:
                raise SystemExit(f"{layer}, {name}: expected an error of at most "
                                 f"{experiment.tolerance:.0e}, got {errors[name]:.1e}")
            if name in ways and not all(map(torch.equal, results(prepared, up, mask), found)):
                raise SystemExit(f"{layer}, {name}: expected the same bits in two runs")
    on.race([one for one in entered.values() if isinstance(one, Contender)])
    found = {name: one.found if isinstance(one, Contender) else one
             for name, one in entered.items()}
    rows = [[name, *cells(one, found[next(iter(ways))].get("ms")),
             *(ways[name].facts(experiment) if name in ways else
               [""] * len(experiment.columns)),
             f"{errors[name]:.1e}" if name in errors else "-"] for name, one in found.items()]
    return rows, [f"{layer}, {features} features, {name}, {function}: "
                  f"{number(kernels.total(steps))} ms\n\n{kernels.table(steps)}"
                  for name, way in ways.items() if options.profile
                  for function, steps in way.profile(given, up)]


def cells(found, base):
    """The findings of a race on a way or a peer, beside the time of the first way."""
    ms = found.get("ms")
    return [found.get("skipped") or number(ms, 4) + ("*" if ms and not found["captured"] else ""),
            number(found.get("least"), 4), number(base / ms if base and ms else None, 2),
            number(found.get("spread")), number(found.get("mib"), 1)]


def means(rows):
    """Geometric means of gains over graphs, without peers that compute something else."""
    gains = {}
    for row in rows:
        if row["gain"] != "-" and float(row["error"]) < 1e-3:
            gains.setdefault((row["layer"], row["F"], row["way"]), []).append(float(row["gain"]))
    return markdown(["layer", "F", "way", "graphs", "gain"], [
        [*key, str(len(all_of)), number(statistics.geometric_mean(all_of), 2)]
        for key, all_of in gains.items()]) if gains else ""


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
    parser.add_argument("--peers", type=str, nargs="*", default=[""])
    parser.add_argument("--training", action="store_true")
    parser.add_argument("--without", nargs="+", default=[])
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--slower", type=float, default=5.0)
    parser.add_argument("--threads", type=int, help="of a CPU")
    parser.add_argument("--device", type=device, default="cuda")
    parser.add_argument("--output", help="a file for the rows, JSON")
    options = parser.parse_args(arguments)
    options.peers = tuple(options.peers)
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
    if options.threads:
        torch.set_num_threads(options.threads)
    on = open_machine(options.device, options.rounds, options.seconds, options.slower)
    about = ", ".join(f"{key} {value}" for key, value in on.about().items())
    print(f"{options.name}: {experiment.shows}.\n\n{about}\n")
    header = ["graph", "layer", "F", "way", "ms", "least", "gain", "spread", "MiB",
              *experiment.columns, "error"]
    table = []
    for text in options.graphs or experiment.graphs:
        (name, graph), profiles = load(text), []
        print(markdown(header), end="")
        for layer, features in itertools.product(options.layers or experiment.layers,
                                                 options.features):
            rows, more = bench(experiment, chosen, layer, graph, features, on, options)
            rows, profiles = [[name, layer, str(features), *row] for row in rows], profiles + more
            print("".join(map(line, rows)), end="", flush=True)
            table += [dict(zip(header, row)) for row in rows]
            if options.output:  # The table so far, should the next one fail.
                files.write(options.output, json.dumps(table, indent=1))
        print("", *profiles, sep="\n")
    print(means(table), end="")


if __name__ == "__main__":
    main()
