# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of the pages, by matplotlib, of committed results.

    python benchmarks/figures.py [NAME ...]

writes docs/images/NAME.svg. Each file has the numbers that it shows in its description, by which
a test finds figures that are older than their results.
"""

import argparse
import json
import pathlib

import frontend_plots
import overview
import svg

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS, IMAGES = ROOT / "benchmarks/results", ROOT / "docs/images"
WIDE = 7.6, 7.2  # inches: as wide as a page of the site, so that letters keep their size
_COLOURS = {"gnn-mlir": frontend_plots.OURS, "best peer": "#d55e00", "gather": "#999999"}
_LABELS = {"eager": "eager PyG", "inductor": "inductor", "best": "fastest way of PyG"}
_SPEED = [("Inference: time", "inference", 0), ("Training: time", "training", 0),
          ("Sampled batches: time", "batches", 0), ("Training: memory", "training", 1)]


def newest(pattern):
    """The newest committed result of that name."""
    return json.loads(max(RESULTS.glob(pattern)).read_text())


def speed():
    """The title, and {panel: [(model, {peer: (ratio, why none)})]} of PyG beside gnn-mlir."""
    result = newest("*-frontend.json")
    found = overview.means(result["rows"])
    panels = {}
    for title, mode, value in _SPEED:
        rows = panels[f"{title} over that of gnn-mlir"] = []
        for model in overview.models(result["rows"]):
            bars = {peer: (found.get((model, mode, peer, value)), "") for peer in _LABELS}
            if not any(ratio for ratio, _ in bars.values()):
                bars["inductor"] = None, "not timed"
            rows.append((overview.NAMES[model], bars))
    return f"PyG / gnn-mlir, {result['about']['device']}, {result['date']}", panels


def draw_speed(title, panels):
    figure, axes = svg.subplots(2, 2, WIDE, sharey=True)
    for axis, (panel, rows) in zip(axes.flat, panels.items()):
        frontend_plots.panel(axis, panel, rows, [*_LABELS], (0.5, 200))
    svg.legend(figure, title, {
        **{name: frontend_plots.COLOURS[peer] for peer, name in _LABELS.items()},
        "gnn-mlir": {"color": frontend_plots.OURS, "linewidth": 2}})
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


def draw_kernels(title, panels):
    figure, axes = svg.subplots(2, 2, (7.6, 5.4))
    for axis, (panel, lines) in zip(axes.flat, panels.items()):
        for line in ("best peer", "gather", "gnn-mlir"):
            points = sorted((int(features), ms) for features, ms in lines.get(line, {}).items())
            axis.plot(*zip(*points), color=_COLOURS[line], marker="o", markersize=3,
                      linestyle="--" if line == "gather" else "-")
        axis.set_xscale("log", base=2)
        axis.set_yscale("log", base=2)
        axis.xaxis.set_major_formatter("{x:.0f}")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.grid(color="#e5e5e5")
        axis.set_title(panel, fontsize=10)
    svg.legend(figure, title, {
        "best peer": {"color": _COLOURS["best peer"], "marker": "o"},
        "gather alone (limit)": {"color": _COLOURS["gather"], "linestyle": "--"},
        "gnn-mlir": {"color": _COLOURS["gnn-mlir"], "marker": "o"}})
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


def draw_walks(title, panels):
    figure, axes = svg.subplots(1, 2, (7.6, 3.2), sharey=True)
    for axis, (panel, rows) in zip(axes.flat, panels.items()):
        for row, teams in enumerate(rows):
            for element, team in enumerate(teams):
                axis.barh(row, 0.92, left=element, height=0.8, color=_TEAMS[team])
        steps = [sum(teams.count(team) for teams in rows) for team in range(4)]
        axis.set_title(panel.replace(": ", ":\n"), fontsize=9)
        axis.set_xlabel("element of the row; steps of the teams: "
                        f"{', '.join(map(str, steps))}", fontsize=8)
        axis.set_xlim(0, max(_WALK))
        axis.set_ylim(len(rows) - 0.5, -0.5)
        axis.set_ylabel("row", fontsize=8)
    svg.legend(figure, title, {f"team {team}": _TEAMS[team] for team in range(4)})
    return figure


FIGURES = {"speed": (speed, draw_speed), "kernels": (kernels, draw_kernels),
           "walks": (walks, draw_walks)}


def draw(name):
    numbers, drawing = FIGURES[name]
    title, panels = numbers()
    return svg.written(drawing(title, panels), title, panels)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*FIGURES, []],
                        help=", ".join(FIGURES))
    for name in parser.parse_args(arguments).names or FIGURES:
        (IMAGES / f"{name}.svg").write_text(draw(name))


if __name__ == "__main__":
    main()
