# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replays searches on stores: the best time that each has found against the seconds it took.

    python benchmarks/tuning/replay.py benchmarks/tuning/stores/h200/named \\
        --ranker benchmarks/tuning/models/h200-ranker.trees \\
        --cost-model benchmarks/tuning/models/h200-cost.json \\
        --widths benchmarks/tuning/stores/h200/widths --out benchmarks/results/tuning-h200

Writes OUT.md and OUT.svg. Every search is gnn-tune's own, in the space of what the store has;
seconds are those that compiling and measuring took when the store was made. Searches that draw
numbers are replayed with several seeds, of which the median is told. With --widths, G-Sparse's
table IV (the lanes of the fastest dot by width) and figure 11 (the best of three schedules by the
model against three at random).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import stores

# By what is asked: the seeds, and the model.
METHODS = {"random": (True, None), "exhaustive": (False, None), "ranked": (False, "ranker"),
           "genetic": (True, "cost_model"), "sampling": (True, "cost_model")}
TITLES = {"rule": "the rule", "random": "random", "exhaustive": "exhaustive",
          "ranked": "ranked, top 10", "genetic": "G-Sparse, genetic",
          "sampling": "G-Sparse, sampling"}
NEAR = 0.03


def main_table(store, tool, model=None):
    """Of the template with most schedules."""
    return max(stores.list_features(store, tool, model), key=lambda t: len(t.rows))


def replay(store, tool, number, method, model, seed):
    """(seconds, least ratio so far) by trial; the first is the rule's schedule."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.jsonl"
        options = ["--op", str(number), "--search", method, "--seed", str(seed), "--budget",
                   "1000000s", "--out", str(pathlib.Path(folder) / "out.jsonl"),
                   "--trace", str(trace)]
        if model:
            options += ["--model", model]
        done = subprocess.run(store.command(tool, *options), capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{store.path}: {method}: {done.stderr.strip()}")
        trials = [json.loads(line) for line in trace.read_text().splitlines()]
    ratios = np.array([t.get("ratio", np.inf) for t in trials])
    return np.array([t["at"] for t in trials]), np.minimum.accumulate(ratios)


class Cell:
    """One cell with the traces of all methods."""

    def __init__(self, store, tool, models, seeds):
        table = main_table(store, tool)
        self.name, self.device = store.cell, table.device
        self.count, self.best = len(table.rows), table.ratio.min()
        self.traces = {}
        for method, (draws, model) in METHODS.items():
            file = models.get(model) if model else None
            if model and not file:
                continue
            self.traces[method] = [replay(store, tool, table.number, method, file, seed)
                                   for seed in range(1, 1 + (seeds if draws else 1))]
        first = next(iter(self.traces.values()))[0]
        self.best = min(self.best, first[1][0])
        self.rule = first[0][0], first[1][0]

    def loss(self, method):
        """What the method's result takes longer than the best, and its seconds."""
        ends = [(t[-1], r[-1] / self.best - 1) for t, r in self.traces[method]]
        return float(np.median([e[1] for e in ends])), float(np.median([e[0] for e in ends]))

    def near(self, method):
        """Seconds until it is near the best; infinite where it never is."""
        def first(seconds, ratios):
            found = seconds[ratios <= self.best * (1 + NEAR)]
            return found[0] if len(found) else np.inf
        return float(np.median([first(*trace) for trace in self.traces[method]]))


def table_of(cells):
    methods = [m for m in METHODS if m in cells[0].traces]
    lines = [f"How much longer the result takes than the best of the store, after so many seconds, "
             f"and the seconds until it is within {NEAR:.0%}.", "",
             "| cell | schedules | " + " | ".join(TITLES[m] for m in ("rule", *methods)) + " |",
             "| --- " * (3 + len(methods)) + "|"]
    for cell in cells:
        row = [f"{cell.rule[1] / cell.best - 1:.1%}"]
        for method in methods:
            lost, seconds = cell.loss(method)
            near = cell.near(method)
            row.append(f"{lost:.1%} in {seconds:.1f} s, " +
                       ("never" if np.isinf(near) else f"{near:.1f} s"))
        lines.append(f"| {cell.name} | {cell.count} | " + " | ".join(row) + " |")
    near = [f"{sum(c.rule[1] <= c.best * (1 + NEAR) for c in cells)}"]
    near += [str(sum(c.loss(m)[0] <= NEAR for c in cells)) for m in methods]
    lines.append(f"| within {NEAR:.0%}, of {len(cells)} | | " + " | ".join(near) + " |")
    return "\n".join(lines) + "\n"


def width_of(table):
    return int(table.column("template.features")[0])


def table_iv(tables):
    """The fastest dot by width."""
    lines = ["| features | threads | lanes of features | lanes of elements | vector |",
             "| --- | --- | --- | --- | --- |"]
    for table in sorted(tables, key=width_of):
        best = int(np.argmin(table.ratio))
        cells = [f"{table.column(n)[best]:g}" if n in table.names else "-" for n in
                 ("layout.threads", "field.lanes", "field.element_lanes", "field.vector")]
        lines.append(f"| {width_of(table)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def figure_11(tables, draws=999, count=3):
    """The best of three by the model against three at random, in the median of draws."""
    rng = np.random.default_rng(1)
    lines = ["| cell | schedules | speedup of the model's three over random three |",
             "| --- | --- | --- |"]
    for table in tables:
        model = table.ratio[np.argsort(table.weights, kind="stable")[:count]].min()
        chance = np.median([table.ratio[rng.permutation(len(table.ratio))[:count]].min()
                            for _ in range(draws)])
        lines.append(f"| {table.cell} | {len(table.rows)} | {chance / model:.2f} |")
    return "\n".join(lines) + "\n"


def plot(cells, path):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "tuning"  # the same file for the same numbers
    import matplotlib.pyplot as plt
    columns = min(4, len(cells))
    rows = -(-len(cells) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.4 * columns, 2.6 * rows),
                                squeeze=False)
    for axis, cell in zip(axes.flat, cells):
        axis.axhline(cell.rule[1] / cell.best, color="black", lw=0.8, label=TITLES["rule"])
        for method, traces in cell.traces.items():
            end = max(t[-1] for t, _ in traces)
            grid = np.geomspace(max(cell.rule[0], 1e-3), max(end, 2e-3), 200)
            found = [r[np.maximum(np.searchsorted(t, grid, side="right") - 1, 0)]
                     for t, r in traces]
            axis.step(grid, np.median(found, axis=0) / cell.best, where="post", lw=1.2,
                      label=TITLES[method])
        axis.set_xscale("log")
        axis.set_title(cell.name, fontsize=9)
        axis.tick_params(labelsize=7)
    for axis in axes.flat[len(cells):]:
        axis.axis("off")
    axes[0][0].legend(fontsize=6)
    figure.supxlabel("seconds", fontsize=9)
    figure.supylabel("best time found, of the best", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("stores", nargs="+", help="folders of stores")
    parser.add_argument("--ranker", help="a model of train_ranker.py")
    parser.add_argument("--cost-model", help="a model of train_cost_model.py")
    parser.add_argument("--widths", nargs="*", default=[], help="folders of stores by width")
    parser.add_argument("--seeds", type=int, default=9)
    parser.add_argument("--out", required=True, help="OUT.md and OUT.svg")
    parser.add_argument("--tool", help="gnn-tune")
    args = parser.parse_args()
    tool = stores.find_tool(args.tool)
    models = {"ranker": args.ranker, "cost_model": args.cost_model}
    cells = [Cell(store, tool, models, args.seeds) for store in stores.find_stores(args.stores)]
    text = f"# Searches of schedules, replayed\n\nOn {cells[0].device}.\n\n" + table_of(cells)
    if args.widths:
        tables = [main_table(s, tool, args.cost_model) for s in stores.find_stores(args.widths)]
        dots = [t for t in tables if t.column("template.sums")[0] == 0]
        text += "\n## The fastest dots (G-Sparse, table IV)\n\n" + table_iv(dots)
        if args.cost_model:
            text += "\n## Three schedules (G-Sparse, figure 11)\n\n" + figure_11(tables)
    out = pathlib.Path(args.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.with_suffix(".md").write_text(text)
    plot(cells, out.with_suffix(".svg"))
    print(text)


if __name__ == "__main__":
    main()
