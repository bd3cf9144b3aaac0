# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replays searches on stores: the best time that each has found against the seconds it took.

    python benchmarks/tuning/replay.py benchmarks/tuning/stores/h200/named \\
        --ranker benchmarks/tuning/models/h200-ranker.trees \\
        --cost-model benchmarks/tuning/models/h200-cost.json \\
        --widths benchmarks/tuning/stores/h200/widths --out benchmarks/results/tuning-h200

Writes OUT.md and OUT.svg. Every search is gnn-tune's own, in the space of what the store has;
seconds are those that compiling and measuring took when the store was made. Searches that draw
numbers are replayed with several seeds, of which the median is told. All of them measure the
rule's schedule first: a second table, and the plot, are of the other schedules, those that a
search finds itself. With --widths, G-Sparse's table IV (the lanes of the fastest dot by width) and
figure 11 (the best of three schedules by the model against three at random).
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
    """(seconds, ratio) by trial; the first is the rule's schedule."""
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
    return (np.array([t["at"] for t in trials]),
            np.array([t.get("ratio", np.inf) for t in trials]))


class Found:
    """The best that searches of a cell have found by second, over the best of the store."""

    def __init__(self, trials, best):
        self.traces = {method: [(seconds, np.minimum.accumulate(ratios) / best)
                                for seconds, ratios in runs] for method, runs in trials.items()}

    def loss(self, method):
        """What the method's result takes longer than the best, and its seconds."""
        ends = [(t[-1], r[-1] - 1) for t, r in self.traces[method]]
        return float(np.median([e[1] for e in ends])), float(np.median([e[0] for e in ends]))

    def near(self, method):
        """Seconds until it is near the best; infinite where it never is."""
        def first(seconds, ratios):
            found = seconds[ratios <= 1 + NEAR]
            return found[0] if len(found) else np.inf
        return float(np.median([first(*trace) for trace in self.traces[method]]))


class Cell:
    """One cell with the traces of all methods."""

    def __init__(self, store, tool, models, seeds):
        table = main_table(store, tool)
        self.name, self.device, self.count = store.cell, table.device, len(table.rows)
        trials = {}
        for method, (draws, model) in METHODS.items():
            file = models.get(model) if model else None
            if model and not file:
                continue
            trials[method] = [replay(store, tool, table.number, method, file, seed)
                              for seed in range(1, 1 + (seeds if draws else 1))]
        seconds, ratios = next(iter(trials.values()))[0]
        best, other = table.ratio.min(), table.without_rule().ratio.min()
        best = min(best, ratios[0])
        self.rule, self.rule_of_other = ratios[0] / best, ratios[0] / other
        self.all = Found(trials, best)
        self.others = Found({method: [(t, np.r_[np.inf, r[1:]]) for t, r in runs]
                             for method, runs in trials.items()}, other)


def table_of(cells, which, rule):
    """`which`: the attribute with what is found; `rule`: that of the rule's time."""
    methods = [m for m in METHODS if m in cells[0].all.traces]
    lines = ["| cell | schedules | " + " | ".join(TITLES[m] for m in ("rule", *methods)) + " |",
             "| --- " * (3 + len(methods)) + "|"]
    for cell in cells:
        row = [f"{getattr(cell, rule) - 1:.1%}"]
        for method in methods:
            found = getattr(cell, which)
            lost, seconds = found.loss(method)
            near = found.near(method)
            row.append(f"{lost:.1%} in {seconds:.1f} s, " +
                       ("never" if np.isinf(near) else f"{near:.1f} s"))
        lines.append(f"| {cell.name} | {cell.count} | " + " | ".join(row) + " |")
    near = [f"{sum(getattr(c, rule) <= 1 + NEAR for c in cells)}"]
    near += [str(sum(getattr(c, which).loss(m)[0] <= NEAR for c in cells)) for m in methods]
    lines.append(f"| within {NEAR:.0%}, of {len(cells)} | | " + " | ".join(near) + " |")
    return "\n".join(lines) + "\n"


def tables_of(cells):
    return (f"How much longer the result takes than the best of the store, after so many seconds, "
            f"and the seconds until it is within {NEAR:.0%}. Every search measures the rule's "
            f"schedule first.\n\n" + table_of(cells, "all", "rule") +
            "\nThe same of all schedules but the rule's, which does not count.\n\n" +
            table_of(cells, "others", "rule_of_other"))


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
        axis.axhline(cell.rule_of_other, color="black", lw=0.8, label=TITLES["rule"])
        for method, traces in cell.others.traces.items():
            begin = np.median([t[np.isfinite(r)][0] for t, r in traces])
            end = max(max(t[-1] for t, _ in traces), begin * 1.001)
            grid = np.geomspace(begin, end, 200)
            found = [r[np.maximum(np.searchsorted(t, grid, side="right") - 1, 0)]
                     for t, r in traces]
            axis.step(grid, np.median(found, axis=0), where="post", lw=1.2, label=TITLES[method])
        axis.set_yscale("log")
        axis.set_xscale("log")
        axis.set_title(cell.name, fontsize=9)
        axis.tick_params(labelsize=7)
    for axis in axes.flat[len(cells):]:
        axis.axis("off")
    axes[0][0].legend(fontsize=6)
    figure.supxlabel("seconds", fontsize=9)
    figure.supylabel("best time found, of the best without the rule's", fontsize=9)
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
    text = f"# Searches of schedules, replayed\n\nOn {cells[0].device}.\n\n" + tables_of(cells)
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
