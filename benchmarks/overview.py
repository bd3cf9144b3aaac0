# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The README's numbers: one table and one plot, by model, of committed results of
benchmarks/frontend.py.

    python benchmarks/overview.py benchmarks/results/DATE-CARD-frontend.json
        [--page README.md]

writes DATE-CARD-overview.svg beside the results (this needs matplotlib) and the table
between two comments of the page.
"""

import argparse
import json
import pathlib
import statistics
import sys

import frontend_tables
from tables import markdown

NAMES = {"rgcn": "RGCN", "rgat": "RGAT", "hgt": "HGT", "hetero-sage": "HeteroConv of SAGE",
         "gcn": "GCN", "gat": "GAT", "sage": "SAGE"}
_TIME, _MEMORY = 0, 1
# (mode, peer, value) of each column, and its head.
COLUMNS = {
    ("inference", "eager", _TIME): "inference: eager",
    ("inference", "inductor", _TIME): "inductor",
    ("inference", "best", _TIME): "best",
    ("training", "eager", _TIME): "training: eager",
    ("training", "inductor", _TIME): "inductor",
    ("training", "best", _TIME): "best",
    ("batches", "best", _TIME): "sampled batches: best",
    ("training", "eager", _MEMORY): "memory in training: eager"}
_PANELS = [("Inference: time", "inference", _TIME), ("Training: time", "training", _TIME),
           ("Sampled batches: time", "batches", _TIME),
           ("Training: memory", "training", _MEMORY)]
_MODES = {"inference": "inference", "training": "training", "batches": "sampled batches"}
_COLOURS = {"eager": "#0072b2", "inductor": "#d55e00", "best": "#444444"}


def means(rows):
    """{(model, mode, peer, value): geometric mean over graphs of theirs over ours}."""
    found = {}
    for row in rows:
        for peer, ratio in frontend_tables.ratios(row).items():
            for value in (_TIME, _MEMORY):
                if ratio[value]:
                    found.setdefault((row["model"], row["mode"], peer, value), []).append(
                        ratio[value])
    return {key: statistics.geometric_mean(values) for key, values in found.items()}


def _figure(value):
    """Two digits, in bold where ours is the slower or the larger."""
    if value is None:
        return "-"
    text = f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"
    return f"**{text}**" if value < 1 else text


def models(rows):
    """The models of a result, in the order of the table."""
    there = {row["model"] for row in rows}
    return [model for model in NAMES if model in there]


def table(rows):
    found = means(rows)
    return markdown(["model", *COLUMNS.values()], [
        [NAMES[model], *(_figure(found.get((model, *column))) for column in COLUMNS)]
        for model in models(rows)])


def for_page(result, name, folder):
    """The section of a page: the plot, the table, and how to read them. `folder` leads from
    the page to the results."""
    graphs = {row["graph"] for row in result["rows"] if row["mode"] != "batches"}
    slower = [f"{_MODES[mode]} of {NAMES[model]} ({_figure(mean).strip('*')})"
              for (model, mode, peer, value), mean in means(result["rows"]).items()
              if mean < 1 and (peer, value) == ("best", _TIME)]
    return (f"![time and memory of PyG beside ours]({folder}/{_plot(name)})\n\n"
            f"Models of two layers, 64 features, float32, on an {result['about']['device']}, "
            f"{result['date']}:\nPyG's time or memory over ours, geometric means over up to "
            f"{len(graphs)} graphs of 29 thousand to\n21 million edges. Above 1, gnn-mlir is "
            "the faster or the smaller. \"best\" is PyG's fastest way for\na graph: eager, "
            "FastRGCNConv or inductor. inductor was not run where its first call takes over\n"
            f"25 seconds. A mean is over the graphs on which both ran.\nPyG is the faster in "
            f"{', '.join(slower) or 'none'}.\n\n"
            f"{table(result['rows'])}\n[All cells]({folder}/{name}.md), and [how they are "
            "measured](benchmarks/frontend.py).\n")


def _plot(name):
    return name.removesuffix("-frontend") + "-overview.svg"


def draw(result, path):
    """Bars on a logarithmic scale, a panel for each of _PANELS."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "overview",  # The same file every time.
                                "svg.fonttype": "none"})
    from matplotlib import pyplot
    found, names = means(result["rows"]), models(result["rows"])
    figure, panels = pyplot.subplots(1, len(_PANELS), figsize=(11, 3.4), sharey=True)
    height = 0.8 / len(_COLOURS)
    for panel, (title, mode, value) in zip(panels, _PANELS):
        for i, (peer, colour) in enumerate(_COLOURS.items()):
            bars = [(place + (i - 1) * height, found[model, mode, peer, value])
                    for place, model in enumerate(names) if (model, mode, peer, value) in found]
            panel.barh([at for at, _ in bars], [ratio - 1 for _, ratio in bars], height,
                       left=1, color=colour, label=peer)
            for at, ratio in bars:
                panel.annotate(_figure(ratio).strip("*"), (max(ratio, 1), at), (2, 0),
                               textcoords="offset points", va="center", fontsize=6)
        panel.set_xscale("log")
        panel.set_xlim(0.5, 200)
        panel.set_xticks([1, 10, 100], ["1×", "10×", "100×"])
        panel.minorticks_off()
        panel.axvline(1, color="black", linewidth=1)
        panel.set_title(title, fontsize=9)
        panel.tick_params(labelsize=8)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(range(len(names)), [NAMES[model] for model in names])
    panels[0].invert_yaxis()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, [f"PyG {label} / ours" for label in labels], loc="lower center",
                  ncols=len(_COLOURS), fontsize=8, frameon=False)
    figure.suptitle(f"PyG beside gnn-mlir, {result['about']['device']}, {result['date']}",
                    fontsize=10)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, metadata={"Date": None}, facecolor="white")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args(arguments)
    try:
        result = json.loads(options.results.read_text())
        if options.page:
            folder = options.results.parent.resolve().relative_to(
                options.page.resolve().parent)
            options.page.write_text(frontend_tables.on_page(
                options.page.read_text(),
                for_page(result, options.results.stem, folder.as_posix())))
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    draw(result, options.results.with_name(_plot(options.results.stem)))
    print(table(result["rows"]))


if __name__ == "__main__":
    main()
