# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of the pages, by matplotlib, of committed results.

    python benchmarks/figures.py [NAME ...]

writes docs/images/NAME.svg. Each file has the numbers that it shows in its description, by which
a test finds figures that are older than their results.
"""

import argparse
import hashlib
import json
import pathlib

import overview

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS, IMAGES = ROOT / "benchmarks/results", ROOT / "docs/images"
_COLOURS = {"eager": "#56b4e9", "inductor": "#e69f00", "best": "#444444", "gnn-mlir": "#0072b2",
            "best peer": "#d55e00", "gather": "#999999"}
_LABELS = {"eager": "eager PyG", "inductor": "inductor", "best": "fastest way of PyG"}
_SPEED = [("Inference: time", "inference", 0), ("Training: time", "training", 0),
          ("Sampled batches: time", "batches", 0), ("Training: memory", "training", 1)]


def newest(pattern):
    """The newest committed result of that name."""
    return json.loads(max(RESULTS.glob(pattern)).read_text())


def speed():
    """{panel: {peer: {model: ratio}}} of PyG beside gnn-mlir, and the title."""
    result = newest("*-frontend.json")
    found = overview.means(result["rows"])
    panels = {title: {peer: {overview.NAMES[model]: found[key]
                             for model in overview.models(result["rows"])
                             if (key := (model, mode, peer, value)) in found}
                      for peer in _LABELS} for title, mode, value in _SPEED}
    return f"PyG / gnn-mlir, {result['about']['device']}, {result['date']}", panels


def draw_speed(plt, title, panels):
    figure, axes = plt.subplots(2, 2, figsize=(9, 6.4), layout="constrained", sharey=True)
    names = list(dict.fromkeys(name for bars in panels.values() for peer in bars.values()
                               for name in peer))
    for axis, (panel, bars) in zip(axes.flat, panels.items()):
        for place, (peer, ratios) in enumerate(bars.items()):
            for row, name in enumerate(names):
                if ratio := ratios.get(name):
                    at = row + 0.27 * (place - 1)
                    axis.barh(at, ratio - 1, left=1, height=0.25, color=_COLOURS[peer])
                    axis.annotate(f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}", (
                        max(ratio, 1), at), xytext=(3, 0), textcoords="offset points",
                        va="center", fontsize=7,
                        color="#c00000" if ratio < 1 else "black")
        for row, name in enumerate(names):
            if not any(name in ratios for ratios in bars.values()):
                axis.annotate("not timed", (1, row), xytext=(6, 0), va="center", fontsize=7,
                              textcoords="offset points", color="#777777")
        axis.set_xscale("log")
        axis.set_xlim(0.5, 150)
        axis.set_xticks([0.5, 1, 2, 5, 10, 20, 50, 100], ["0.5", "1", "2", "5", "10", "20", "50",
                                                           "100"])
        axis.minorticks_off()
        axis.axvline(1, color=_COLOURS["gnn-mlir"], linewidth=2)
        axis.set_yticks(range(len(names)), names)
        axis.set_ylim(len(names) - 0.5, -0.5)
        axis.grid(axis="x", color="#e5e5e5")
        axis.set_axisbelow(True)
        axis.set_title(f"{panel} over that of gnn-mlir", fontsize=10)
    handles = [plt.Rectangle((0, 0), 1, 1, color=_COLOURS[peer]) for peer in _LABELS]
    handles.append(plt.Line2D([], [], color=_COLOURS["gnn-mlir"], linewidth=2))
    figure.legend(handles, [*_LABELS.values(), "gnn-mlir"], loc="outside upper center", ncols=4,
                  frameon=False, title=title)
    return figure


def kernels():
    """{panel: {line: {features: milliseconds}}} of sums and dots, and the title."""
    panels = {}
    for name, op, words in ("sums", "sum", "Sum"), ("dots", "dot", "Dot product"):
        result = newest(f"*-h200-{name}.json")
        for graph in ("reddit", "products"):
            lines = panels[f"{words}, {graph}"] = {}
            for row in result["rows"]:
                if (row["op"], row["graph"]) != (op, graph):
                    continue
                peers = [peer["ms"] for peer in row["peers"].values() if "ms" in peer]
                for line, found in (("gnn-mlir", row["ours"].get("ms")),
                                    ("gather", row["beside"].get("limit", {}).get("ms")),
                                    ("best peer", min(peers, default=None))):
                    if found:
                        lines.setdefault(line, {})[str(row["features"])] = found
    return f"Milliseconds of one kernel by features, {result['device']}", panels


def draw_kernels(plt, title, panels):
    figure, axes = plt.subplots(1, len(panels), figsize=(12, 3.2), layout="constrained")
    for axis, (panel, lines) in zip(axes, panels.items()):
        for line in ("best peer", "gather", "gnn-mlir"):
            points = sorted((int(features), ms) for features, ms in lines.get(line, {}).items())
            axis.plot(*zip(*points), color=_COLOURS[line], marker="o", markersize=3,
                      linestyle="--" if line == "gather" else "-",
                      label="gather alone (limit)" if line == "gather" else line)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log", base=2)
        axis.xaxis.set_major_formatter("{x:.0f}")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.grid(color="#e5e5e5")
        axis.set_title(panel, fontsize=10)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3,
                  frameon=False, title=title)
    return figure


_WALK = [3, 14, 1, 0, 6, 2, 4, 2]  # Elements of rows that the figure of walks shows.
_TEAMS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"]


def walks():
    """The elements of rows that each team takes, by rows and by edges, and the title."""
    by_rows = [[row % 4] * length for row, length in enumerate(_WALK)]
    share, taken, by_edges = sum(_WALK) // 4, 0, []
    for length in _WALK:
        by_edges.append([min((taken + i) // share, 3) for i in range(length)])
        taken += length
    return "Who walks the elements of eight rows: four teams of lanes", {
        "row_walk = team: a row each, and the longest decides": by_rows,
        "row_walk = by_edges: equal shares, whatever rows they are of": by_edges}


def draw_walks(plt, title, panels):
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharey=True)
    for axis, (panel, rows) in zip(axes, panels.items()):
        for row, teams in enumerate(rows):
            for element, team in enumerate(teams):
                axis.add_patch(plt.Rectangle((element, row - 0.4), 0.92, 0.8,
                                             color=_TEAMS[team]))
        steps = [sum(teams.count(team) for teams in rows) for team in range(4)]
        axis.set_title(panel, fontsize=9)
        axis.set_xlabel("element of the row; steps of the teams: "
                        f"{', '.join(map(str, steps))}", fontsize=8)
        axis.set_xlim(0, max(_WALK))
        axis.set_ylim(len(rows) - 0.5, -0.5)
        axis.set_ylabel("row", fontsize=8)
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in _TEAMS]
    figure.legend(handles, [f"team {team}" for team in range(4)], loc="outside upper center",
                  ncols=4, frameon=False, title=title)
    return figure


FIGURES = {"speed": (speed, draw_speed), "kernels": (kernels, draw_kernels),
           "walks": (walks, draw_walks)}


def described(title, panels):
    """What the description of a file says of its numbers."""
    text = json.dumps([title, panels], sort_keys=True)
    return f"benchmarks/figures.py: {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def draw(name, path):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot as plt
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": name, "font.size": 9})
    numbers, drawing = FIGURES[name]
    title, panels = numbers()
    figure = drawing(plt, title, panels)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Creator": None, "Title": title,
                                   "Description": described(title, panels)})
    plt.close(figure)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*FIGURES, []],
                        help=", ".join(FIGURES))
    for name in parser.parse_args(arguments).names or FIGURES:
        draw(name, IMAGES / f"{name}.svg")


if __name__ == "__main__":
    main()
