# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The README's numbers: one table and one plot, by model, of committed results of
benchmarks/frontend.py.

    python benchmarks/overview.py benchmarks/results/DATE-CARD-frontend.json
        [--page README.md]

writes DATE-CARD-overview.svg beside the results and the table between two comments of the
page.
"""

import argparse
import json
import pathlib
import statistics
import sys

import frontend_plots
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


def draw(result):
    """A panel for each of _PANELS."""
    found = means(result["rows"])
    return frontend_plots.draw(
        f"PyG beside gnn-mlir, {result['about']['device']}, {result['date']}",
        {title: [(NAMES[model], {peer: (found.get((model, mode, peer, value)), "")
                                 for peer in frontend_plots.COLOURS})
                 for model in models(result["rows"])] for title, mode, value in _PANELS},
        frontend_plots.COLOURS)


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
    options.results.with_name(_plot(options.results.stem)).write_text(draw(result))
    print(table(result["rows"]))


if __name__ == "__main__":
    main()
