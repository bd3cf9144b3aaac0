# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each pass on whole graphs does, alone and together, for one layer of each
model on each graph.

    python benchmarks/ablation.py --graphs aifb.npz,mutag.npz,am,mag
        [--models rgcn,rgat,hgt] [--features 64] [--rounds 20] [--output FILE]

A graph is an .npz file, to which inverse relations are added, or a name of
benchmarks/synthetic.py (am, biokg, mag, wikikg2; "am:0.01" is a hundredth of it).
Every way to compile is bound at once; a round runs each a few times, in an order of
its own, so that what changes with time changes for all. Times are medians over
rounds of replays of a CUDA graph. A ratio is the median over rounds of (without the
pass) / (with all passes), both of the same round. The same program compiled and
bound twice gives the spread: how far its ratio strays from 1 in the worst of five
blocks of rounds. A pass makes a layer slower where leaving it out is more than 3% and more
than the spread faster; where the pass changes nothing, both are one program. Errors are ||out - ref|| / ||ref|| against the pipeline
without any of these passes. On the emulator there are no times. With --output there
are FILE.json, with all numbers, and FILE.md, tables.
"""

import argparse
import datetime
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import weakref

import numpy as np

import gnn_mlir
import synthetic
from gnn_mlir import models
from gnn_mlir.testing import ir_counts
from tables import number, write

# Columns: the switches that are on, by the letter of each pass; L are the passes on
# the ends of layers.
LETTERS = {"C": ("compact",), "R": ("linear-reorder",), "O": ("order-aggregate",),
           "A": ("fuse-attention",),
           "L": ("fold-normalization", "join-sums", "move-scales", "compute-in-heads",
                 "merge-bias")}
ALONE = ("", "C", "R", "O", "A", "L")
TOGETHER = ("CR", "CRO", "CROA")
SLOWER = 1.03


def ways(together=True):
    """{name: passes} of all ways to compile. "all again" is "all", to see how far
    apart the same can be. Without `together`, passes are only alone, or one off."""
    off = {name: False for names in LETTERS.values() for name in names}
    found = {"all": {}, "all again": {}}
    for on in ALONE + (TOGETHER if together else ()):
        found[on or "none"] = {**off, **{name: True for c in on for name in LETTERS[c]}}
    for c in LETTERS:
        found[f"all but {c}"] = dict.fromkeys(LETTERS[c], False)
    return found


def looped(graph):
    return gnn_mlir.add_self_loops(gnn_mlir.merge_types(graph), "replace", 0)


def _hgt(graph, f):
    graph = gnn_mlir.refine_types(graph)
    return models.hgt(graph.num_node_types, graph.num_edge_types, (f, f), heads=4,
                      schema=graph.schema), graph


LAYERS = {
    "rgcn": lambda g, f: (models.rgcn(g.num_edge_types, (f, f),
                                      node_types=g.num_node_types), g),
    "rgat": lambda g, f: (models.rgat(g.num_edge_types, (f, f),
                                      node_types=g.num_node_types), g),
    "hgt": _hgt,
    "gat": lambda g, f: (models.gat((f, f)), looped(g)),
    "gcn": lambda g, f: (models.gcn((f, f)), looped(g)),
}


def load(text):
    """(name, graph) of a file or of a made graph."""
    if text.endswith(".npz"):
        path = pathlib.Path(text)
        graph = gnn_mlir.Graph.load(path)
        undirected = path.stem in ("cora", "citeseer", "pubmed", "soc-epinions")
        return path.stem, graph if undirected else gnn_mlir.add_inverses(graph)
    name, _, scale = text.partition(":")
    return text, synthetic.graph(name, float(scale or 1))


class OnGPU:
    """Runs and times on torch's current GPU."""

    target = place = "cuda"

    def __init__(self):
        import torch
        if not torch.cuda.is_available():
            raise SystemExit("--device: expected emulator, since torch finds no GPU, got "
                             "cuda")
        self.torch = torch
        self.pool, self.alive = None, weakref.WeakSet()

    def inputs(self, arrays):
        return {k: self.torch.tensor(v).cuda() for k, v in arrays.items()}

    def run(self, layer, inputs):
        return layer(inputs).cpu().numpy()

    def prepare(self, layer, inputs):
        """A replay of a CUDA graph, warm. All share their workspace: they run one
        after another."""
        torch = self.torch
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            layer(inputs)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        if not self.alive:  # A pool goes with the last graph of it.
            self.pool = torch.cuda.graph_pool_handle()
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured, pool=self.pool):
            out = layer(inputs)
        self.alive.add(captured)
        captured.keeps = layer, out  # As long as the graph uses them.
        return captured

    def time(self, captured, repeats):
        """Milliseconds of a replay, the median of some."""
        times = []
        for _ in range(repeats):
            begin, end = (self.torch.cuda.Event(enable_timing=True)
                          for _ in range(2))
            begin.record()
            captured.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        return statistics.median(times)

    def about(self):
        driver = subprocess.run(
            ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
            capture_output=True, text=True, check=False).stdout.strip()
        return {"device": self.torch.cuda.get_device_name(), "driver": driver,
                "torch": self.torch.__version__, "cuda": self.torch.version.cuda}


class OnEmulator:
    """Runs, and times nothing."""

    target = "emulator"

    def __init__(self):
        self.place = gnn_mlir.capi.Device.emulator(checked=False)

    def inputs(self, arrays):
        return arrays

    def run(self, layer, inputs):
        return layer(inputs)

    def prepare(self, layer, inputs):
        return None

    def about(self):
        return {"device": "emulator"}


def compiled(module, graph, passes, device):
    """A bound layer, and the text of its graph stage."""
    with tempfile.TemporaryDirectory() as folder:
        layer = gnn_mlir.compile(module, target=device.target, passes=passes,
                                 graph=graph, keep_phases=folder)
        text = (pathlib.Path(folder) / "1-graph.mlir").read_text()
    return layer.bind(graph, device.place), text


def bench(module, graph, device, rounds, together=True, repeats=3):
    """The numbers of every way to compile."""
    function, = module.functions.values()
    inputs = device.inputs(function.random_inputs(graph, 1))
    stats = graph.statistics()
    rows, prepared, texts, reference = {}, {}, {}, None
    for name, passes in {"none": ways()["none"], **ways(together)}.items():
        layer, texts[name] = compiled(module, graph, passes, device)
        program = ir_counts.Program(texts[name])
        out = np.asarray(device.run(layer, inputs), np.float64)
        reference = out if reference is None else reference
        prepared[name] = device.prepare(layer, inputs)
        rows[name] = {
            "ms": None, "workspace": layer.workspace_bytes,
            "kernels": len(layer.report()["steps"]),
            "product_rows": program.product_rows(stats),
            "product_flops": program.product_flops(stats),
            "error": float(np.linalg.norm(out - reference) /
                           np.linalg.norm(reference))}
    for name, row in rows.items():
        row["same"] = texts[name] == texts["all"]
    if device.target == "cuda":
        times = {name: [] for name in rows}
        for _ in range(rounds):
            for name in random.sample(list(rows), len(rows)):
                times[name].append(device.time(prepared[name], repeats))
        compare(rows, times)
    return rows


def compare(rows, times):
    """Medians, and ratios to "all" of the same round."""
    def ratio(name):
        return [a / b for a, b in zip(times[name], times["all"])]

    spread = max(abs(r - 1) for r in block_medians(ratio("all again")))
    for name, row in rows.items():
        row["ms"], row["ms_rounds"] = statistics.median(times[name]), times[name]
        row["ratio"] = statistics.median(ratio(name))
    rows["all"]["spread"] = spread
    for name, row in rows.items():
        if name.startswith("all but"):
            gain = 1 / row["ratio"]
            row["slower_with"] = (not row.get("same") and
                                  gain > max(SLOWER, 1 + spread))


def block_medians(ratios, blocks=5):
    """Medians of ratios over blocks of rounds."""
    size = max(1, len(ratios) // blocks)
    return [statistics.median(ratios[i:i + size])
            for i in range(0, len(ratios) - size + 1, size)]


def table(result):
    """The results as Markdown."""
    names = ", ".join(f"{c} {' and '.join(names)}" for c, names in LETTERS.items())
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    text = (f"# Each pass alone and together, one layer of {result['features']} to "
            f"{result['features']} features, inference, fp32\n\n{result['date']}, "
            f"{about}, gnn-mlir {result['gnn_mlir']}. {names}. Milliseconds of a "
            f"CUDA graph's replay, medians of {result['rounds']} rounds in which "
            "each way to compile runs in turn. Errors are against the column "
            "\"none\".\n\n")
    columns = [name for name in ways() if name != "all again" and
               not name.startswith("all but") and
               any(name in case["rows"] for case in result["cases"])]
    columns = columns[1:] + columns[:1]
    text += ("## Time, ms\n\n| graph | layer | " + " | ".join(columns) +
             " | spread | none / all |\n" + "|---" * (len(columns) + 4) + "|\n")
    for case in result["cases"]:
        rows = case["rows"]
        spread = rows["all"].get("spread")
        text += (f"| {case['graph']} | {case['layer']} | " + " | ".join(
            number(rows.get(c, {}).get("ms")) for c in columns) + " | " +
            ("-" if spread is None else f"{100 * spread:.1f}%") + " | " +
            number(rows["none"].get("ratio"), 2) + " |\n")
    text += ("\n## All passes but one, time beside all: below 1 the pass costs, same where it changes nothing\n\n"
             "| graph | layer | " + " | ".join(f"without {c}" for c in LETTERS) +
             " | slower with |\n" + "|---" * (len(LETTERS) + 3) + "|\n")
    for case in result["cases"]:
        rows = [case["rows"][f"all but {c}"] for c in LETTERS]
        slower = [c for c, row in zip(LETTERS, rows) if row.get("slower_with")]
        text += (f"| {case['graph']} | {case['layer']} | " + " | ".join(
            "same" if row.get("same") else number(row.get("ratio"))
            for row in rows) +
            f" | {', '.join(slower) or 'none'} |\n")
    text += ("\n## Rows through products, workspace and errors\n\n| graph | layer | "
             "edges | rows, none | C | CR | all | Gflop, none | all | kernels, none "
             "| all | MiB, none | C | all | largest error |\n" + "|---" * 15 + "|\n")
    for case in result["cases"]:
        rows = case["rows"]

        def cell(name, key, scale=1, digits=0):
            found = rows.get(name)
            return "-" if found is None else f"{found[key] / scale:,.{digits}f}"

        text += f"| {case['graph']} | {case['layer']} | {case['edges']:,} | "
        text += " | ".join(
            [cell(n, "product_rows") for n in ("none", "C", "CR", "all")] +
            [cell(n, "product_flops", 1e9, 2) for n in ("none", "all")] +
            [cell(n, "kernels") for n in ("none", "all")] +
            [cell(n, "workspace", 2**20, 1) for n in ("none", "C", "all")] +
            [f"{max(row['error'] for row in rows.values()):.1e}"]) + " |\n"
    return text


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", required=True,
                        help=".npz files and made graphs, with commas between")
    parser.add_argument("--models", default=",".join(LAYERS))
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--no-together", action="store_true",
                        help="leave out the passes one after another, C, CR, CRO, CROA")
    parser.add_argument("--device", choices=("cuda", "emulator"), default="cuda")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    device = OnGPU() if options.device == "cuda" else OnEmulator()
    random.seed(0)
    result = {"date": datetime.date.today().isoformat(), "about": device.about(),
              "gnn_mlir": gnn_mlir.__version__, "python": sys.version.split()[0],
              "features": options.features, "rounds": options.rounds, "cases": []}
    for text in options.graphs.split(","):
        name, graph = load(text)
        for model in options.models.split(","):
            module, own = LAYERS[model](graph, options.features)
            rows = bench(module, own, device, options.rounds,
                         not options.no_together)
            result["cases"].append(
                {"graph": name, "layer": model, "nodes": own.num_nodes,
                 "edges": own.num_edges, "edge_types": own.num_edge_types,
                 "rows": rows})
            print(f"{name:<18}{model:<6}" + "".join(
                f"{way} {number(row['ms'])}  " for way, row in rows.items()),
                flush=True)
            write(options.output, result, table)
    print(table(result))


if __name__ == "__main__":
    main()
