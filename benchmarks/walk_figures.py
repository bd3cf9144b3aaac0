# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The constants of walks by edges in include/GNN/Analysis/Kernels.def, fitted to the kernels of
sums, dots and attention on a GPU.

    python benchmarks/walk_figures.py [--graphs reddit products] [--output FILE]
    python benchmarks/walk_figures.py --fit benchmarks/results/2026-11-29-h200-walks.json

The first one measures, each case of CASES with each of its switches of passes, and writes
FILE.json; both fit to what was measured and print the entries, beside what stands there,
and each walk by edges as measured and by the model, before and after. Needs gnn-opt in
$GNN_MLIR_BUILD/bin (build); to measure, a GPU and about five minutes.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import re
import subprocess

import cases
import gnn_mlir
import kernels
from ceilings import DEFINITIONS, name_of, standing, value_of
from gnn_mlir.compiler import CompiledFunction
from tables import markdown, number

WHOLE = "source-shards=0"
SHARDS = (WHOLE, "source-shards=4")
# (op, heads or 0, features, whether the gradients, the switches that are measured).
CASES = (
    *(("sum", 0, features, False, ("",)) for features in (2, 4, 8, 16, 32)),
    *((op, 0, features, False, ("",)) for op in ("weighted-sum", "dot")
      for features in (8, 16, 32)),
    *((op, 0, 64, False, ("", "column-tiles=false")) for op in ("sum", "weighted-sum", "dot")),
    # Sums of 128 features have tiles of 64 without the pass, too.
    *((op, 0, 128, False, ("",)) for op in ("sum", "weighted-sum")),
    ("dot", 0, 128, False, ("", "column-tiles=false")),
    *((op, 1, 64, False, (*SHARDS, f"{WHOLE} edge-walks=0"))
      for op in ("gatv2", "dot-attention", "additive")),
    ("gatv2", 8, 16, False, (WHOLE, "source-shards=4 column-tiles=false")),
    *((op, 1, 64, True, tuple(f"edge-numbers={n} {shards}" for n in (1, 2)
                              for shards in SHARDS))
      for op in ("gatv2", "dot-attention", "additive")),
)
# Constants that are fitted, and between what they may be.
FITTED = {"knee": (2, 12), "nearGather": (1, 3), "writtenBytes": (64, 512),
          "elementSlots": (0.1, 20), "operationSlots": (0.2, 8),
          "shuffleSlots": (1, 200), "crowdedSlots": (1, 200), "resultSlots": (0.1, 60),
          "missWait": (0.01, 3), "overlap": (1, 16), "endSlots": (1, 4000),
          "streamShare": (0.1, 1)}
# The elements of a walk from which it is long beside a launch.
LEAST = 10_000_000
# Columns of rows of which each lane has one vector; of several, kernels hold so much that few
# warps are at work, which the model does not know.
WIDEST = 128
# Columns of rows of which several are in a sector, from which the L1 has the others of those that
# are near, which the model does not know either.
NARROWEST = 8
FAR = 0.1
TILE = ("online-softmax", "edge-walks", "source-shards", "edge-numbers", "long-rows")
SCHEDULE = ("column-tiles", "edge-walks")


# Listings of the compiler.

def module_of(case):
    """The program of a case. Edges of made graphs are sorted by destination, which earlier
    measurements did not declare: numbers of edges were in the user's order for them."""
    op, heads, features = case["op"], case["heads"], case["features"]
    declared = {"dst_sorted": case.get("dst_sorted", False)}
    return (cases.attention(gnn_mlir, op, heads, features, **declared) if heads else
            cases.of_edges(gnn_mlir, op, features, **declared))


def text_of(case, statistics):
    """The program of a case, for a graph with these statistics."""
    module = module_of(case)
    function, = module.functions.values()
    text = re.sub(r"(?m)^(gnn\.graph @\w+ \w+ \{.*)\}$",
                  lambda m: f"{m[1]}, stats = {statistics}}}", module.text())
    if case["training"]:
        signature, body = text.split(") {\n", 1)
        wrt = ", ".join(f'"{name}"' for name in function.inputs)
        text = f"{signature}) attributes {{gnn.gradients = [{wrt}]}} {{\n{body}"
    return text


def costs(case, statistics, chip, gnn_opt, more=()):
    """The costs by `gnn-tile-list-costs` of the traversals of a case, the backward pass of one with
    gradients; and the remarks that `more` asks for."""
    words = case["passes"].split()

    def options(names):
        return " ".join(word for word in words if word.split("=")[0] in names)

    run = subprocess.run(
        [gnn_opt, "-", "-o", os.devnull, f"--gnn-attach-target=chip={chip}",
         "--gnn-graph-pipeline", f"--gnn-tile-pipeline={options(TILE)}",
         f"--gnn-schedule-pipeline={options(SCHEDULE)}", "--gnn-tile-list-costs", *more],
        input=text_of(case, statistics), capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return [line for line in lines
            if line["function"].endswith("_backward") == case["training"] and
            not line["function"].endswith("_forward")], run.stderr


def walks_of(measured, chip, gnn_opt):
    """Each walk by edges of what was measured, as the compiler describes it, with its
    seconds: those of its launches, but for what joins its pieces. Cases that CASES no longer
    has were measured of other kernels than are made now."""
    known = {(*case, passes) for *case, ways in CASES for passes in ways}
    found = []
    for case in measured["cases"]:
        if tuple(case[key] for key in ("op", "heads", "features", "training",
                                       "passes")) not in known:
            continue
        lines, _ = costs(case, measured["graphs"][case["graph"]], chip, gnn_opt)
        if not NARROWEST <= max(case["heads"], 1) * case["features"] <= WIDEST or (
                case["op"] == "dot" and not case.get("dst_sorted")):
            continue
        # The traversal that joins shards is the last one, and short.
        same = len(case["ms"]) == sum(line["launches"] for line in lines)
        times = iter(case["ms"])
        for line in lines if same else lines[:1]:
            kernels = [next(times) / 1e3 for _ in range(line["launches"])]
            walk = line.get("walk")
            if walk and walk["elements"] > LEAST:
                found.append({**walk, "name": name_of_case(case), "domain": line["domain"],
                              "measured": sum(kernels[::1 + walk["joins"]]) / walk["tiles"]})
    return found


def name_of_case(case):
    width = f"{case['heads']}x" * bool(case["heads"]) + str(case["features"])
    training = ":t" * case["training"]
    return f"{case['graph']} {case['op']}:{width}{training} [{case['passes']}]"


# The model, as lib/Analysis/CostModel.cpp has it.

def share_in_l2(figures, table_bytes):
    knee = figures["knee"]
    return (1 + (table_bytes / figures["l2Bytes"]) ** knee) ** (-1 / knee)


def share_at_hand(figures, gather, table_bytes):
    found = 0
    for rows, share in gather["near"]:
        part = rows / gather["table_rows"]
        if part >= 1 or part * table_bytes * gather["ranges"] > (
                figures["windowShare"] * figures["l2Bytes"]):
            continue
        random = part * (1 - part / 4)
        found = max(found, (share - random) / (1 - random))
    return found


def share_of_sectors(reads, skew, more=0):
    """The share of sectors that have been read, of this mean of reads with a gamma
    distribution; with `more` = 1 of the reads that are of these."""
    return -math.expm1(-reads) if skew < 1e-3 else 1 - (1 + skew * reads) ** (-more - 1 / skew)


def hits_of(figures, gathers):
    """`findHits`: the share of each that the L2 has."""
    def reads_of(gather):
        return gather["rows"] / gather["table_rows"] * max(1, 32 / gather["row_bytes"])

    tables = [(gather["table_rows"] * gather["row_bytes"] / gather["ranges"], reads_of(gather),
               gather["skew"])
              for gather in gathers if not gather["written"] and not gather["again"]]
    total = sum(size for size, *_ in tables)
    share = share_in_l2(figures, total)
    if not tables or (not any(skew for *_, skew in tables) and
                      len({reads for _, reads, _ in tables}) == 1):
        return [share] * len(gathers), total
    low, high = -40, 40
    for _ in range(100):
        middle = (low + high) / 2
        inside = sum(size * share_of_sectors(reads * math.exp(middle), skew)
                     for size, reads, skew in tables)
        low, high = (middle, high) if inside < share * total else (low, middle)
    return [share_of_sectors(reads_of(gather) * math.exp(low), gather["skew"], 1)
            for gather in gathers], total


def walk_seconds(figures, walk):
    """`CostModel::equalSharesSeconds`, with the launch."""
    gathers = walk["gathers"]
    hits, total = hits_of(figures, gathers)
    widest = max((g["row_bytes"] for g in gathers if not g["written"]), default=0)
    beside = widest > figures["l2RowBytes"]
    read, scattered, at_once = 0, 0, 1
    for gather, hit in zip(gathers, hits):
        size = gather["row_bytes"]
        short = beside and not gather["written"]
        memory = max(size, figures["writtenBytes"] if gather["written"] else
                     32 if short else figures["memoryRowBytes"]) / figures["memoryGather"]
        l2 = max(size, 32 if short else figures["l2RowBytes"]) / figures["l2Gather"]
        if gather["again"]:
            read += gather["rows"] * l2
            continue
        near = share_at_hand(figures, gather, total)
        of_first = near * size / figures["memoryGather"] + (1 - near) * memory
        firsts = min(gather["rows"], gather["table_rows"])
        seconds = firsts * of_first + (gather["rows"] - firsts) * (
            near * l2 / figures["nearGather"] + (1 - near) * (hit * l2 + (1 - hit) * memory))
        if gather["written"]:
            held = share_in_l2(figures, gather["table_rows"] * size)
            seconds = gather["rows"] * (held * (l2 + size / figures["memoryGather"]) +
                                        (1 - held) * of_first)
        if gather["written"]:
            scattered += seconds
        else:
            read += seconds
            at_once *= (near + (1 - near) * hit) ** walk["in_flight"]
    slots = walk["elements"] * (figures["elementSlots"] + figures["operationSlots"] * walk["operations"] / 32 +
                                walk["is_crowded"] * figures["resultSlots"] * walk["results"] +
                                walk["warps"] * (
        walk["reduces_features"] * figures["shuffleSlots"] +
        walk["is_crowded"] * figures["crowdedSlots"]))
    batches = walk["elements"] / walk["in_flight"]
    ended = batches * -math.expm1(-walk["rows"] / batches)
    slots += walk["warps"] * (walk["rows"] * figures["rowSlots"] + ended * figures["endSlots"])
    issue = slots * 64 / figures["fp32Flops"] * (1 + figures["missWait"] * (1 - at_once))
    norm = figures["overlap"]
    return (figures["launchSeconds"] + (read ** norm + issue ** norm) ** (1 / norm) + scattered +
            figures["streamShare"] * walk["stream_bytes"] / figures["memoryBandwidth"])


def constants(folder=DEFINITIONS):
    """Those of Kernels.def that the model of walks has."""
    text = (folder / "Kernels.def").read_text()
    return {name: float(value) for name, value in re.findall(
        r"GNN_CONSTANT\((\w+), ([\d.]+)\)", text)}


def error_of(figures, walks):
    """How wrong the logarithms of predicted by measured are, each op of walks counting alike,
    and the change of them between walks of one kernel, twice: about the root of the mean
    square of those below FAR, beyond which errors count as they are."""
    ops, kernels = {}, {}
    for walk in walks:
        error = math.log(walk_seconds(figures, walk) / walk["measured"])
        op, _ = walk["name"].split(" [")
        of_op = ops.setdefault(op.split(":")[0].split()[1], [])
        of_kernel = kernels.setdefault((op, walk["operations"]), [])
        of_op.append(error)
        if of_kernel:
            of_op.append(2 * (error - of_kernel[0]))
        of_kernel.append(error)
    means = [sum(2 * (math.hypot(1, error / FAR) - 1) for error in of) / len(of)
             for of in ops.values()]
    return FAR * math.sqrt(sum(means) / max(len(means), 1))


def fit(figures, walks):
    """The constants FITTED for which the walks are the least wrong: one after another larger
    or smaller, by smaller and smaller factors."""
    best, least, factor = dict(figures), error_of(figures, walks), 1.5
    while factor > 1.003:
        before = least
        for name, (low, high) in FITTED.items():
            for by in (factor, 1 / factor):
                trial = {**best, name: min(max(best[name] * by, low), high)}
                if (error := error_of(trial, walks)) < least:
                    best, least = trial, error
        if least == before:
            factor = math.sqrt(factor)
    return {name: best[name] for name in FITTED}


# Measurements.

def measure(graphs, say):
    """The times of all kernels of all cases on the graphs of these names."""
    import torch
    import synthetic
    found = {"device": torch.cuda.get_device_name(), "graphs": {}, "cases": [],
             "date": datetime.date.today().isoformat()}
    for name in graphs:
        graph = synthetic.homogeneous(name)
        found["graphs"][name] = str(graph.stats())
        for op, heads, features, training, ways in CASES:
            case = {"graph": name, "op": op, "heads": heads, "features": features,
                    "training": training, "dst_sorted": True}
            function, = module_of(case).functions.values()
            known = {key: torch.as_tensor(value, device="cuda")
                     for key, value in function.random_inputs(graph, 1).items()}
            for passes in ways:
                case = {**case, "passes": passes}
                case["ms"] = kernel_times(case, graph, known)
                say(f"{name_of_case(case)} {case['ms']}")
                found["cases"].append(case)
    return found


def kernel_times(case, graph, known, target="cuda", place="cuda"):
    """Milliseconds of each kernel, of the backward pass where there are gradients. `known`
    are the inputs."""
    import torch
    module = module_of(case)
    called = gnn_mlir.compile(
        module, target=target, graph=graph, gradients=case["training"] or None,
        passes=dict(word.split("=") for word in case["passes"].split()))
    steps = [called.bind(graph, place)]
    if case["training"]:
        passes = called.differentiated.find(list(known))
        steps = [CompiledFunction(passes.package, name).bind(graph, place)
                 for name in (passes.forward, passes.backward)]
    known = dict(known)
    for step in steps:
        inputs = {one.name: known[one.name] for one in step.inputs}
        times = kernels.measure(step, inputs)
        out = step(inputs)
        known |= out if isinstance(out, dict) else {step.outputs[0].name: out}
        known.setdefault("d_out", torch.ones_like(known["out"]))
    return [round(time["ms"] or 0, 4) for time in times]


# Printed entries.

def entries(figures):
    """The lines of Kernels.def."""
    return "".join(f"GNN_CONSTANT({name}, {value_of(figures[name])})\n" for name in FITTED)


def table(walks, before, after):
    """Each walk by edges as measured and by the model, in ms."""
    return markdown(
        ["walk", "domain", "measured", "stands", "error", "fitted", "error"],
        [[walk["name"], walk["domain"].removeprefix("#gnn_tile.domain"),
          number(1e3 * walk["measured"]),
          *(cell for figures in (before, after) for seconds in (walk_seconds(figures, walk),)
            for cell in (number(1e3 * seconds),
                         f"{seconds / walk['measured'] - 1:+.0%}"))] for walk in walks])


def figures_of(chip):
    """The figures of a GPU, and the constants, that stand in the files."""
    return {**{name: value for name, (value, _) in standing(chip).items()}, **constants()}


def report(measured, chip, gnn_opt):
    """(the entries, the table) of what was measured."""
    before = figures_of(chip)
    walks = walks_of(measured, chip, gnn_opt)
    after = {**before, **fit(before, walks)}
    return (entries(after), f"{table(walks, before, after)}\n\nerror "
            f"{error_of(before, walks):.3f}, fitted {error_of(after, walks):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--graphs", nargs="+", default=["reddit", "products"])
    parser.add_argument("--fit", type=pathlib.Path, help="what was measured before")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    build = os.environ.get("GNN_MLIR_BUILD", "build")
    if options.fit:
        measured = json.loads(options.fit.read_text())
    else:
        measured = measure(options.graphs, lambda text: print(text, flush=True))
    if options.output:
        options.output.with_suffix(".json").write_text(json.dumps(measured, indent=1) + "\n")
    text, listed = report(measured, name_of(measured["device"]), f"{build}/bin/gnn-opt")
    print(text, listed, sep="\n")


if __name__ == "__main__":
    main()
