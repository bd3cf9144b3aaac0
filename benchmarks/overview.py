# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables by model of committed results of benchmarks/frontend.py: a short one for the README and
a full one for docs/Speed.md.

    python benchmarks/overview.py benchmarks/results/DATE-CARD-frontend.json
        [--readme README.md] [--page docs/Speed.md]

writes each between two comments of its page. benchmarks/figures.py draws the same means.
"""

import argparse
import json
import os
import pathlib
import re
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
# The same of the README: beside the fastest way of PyG alone.
SHORT = {
    ("inference", "best", _TIME): "inference",
    ("training", "best", _TIME): "training",
    ("batches", "best", _TIME): "sampled batches",
    ("training", "best", _MEMORY): "memory in training",
    ("batches", "best", _MEMORY): "memory of sampled batches"}
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


def table(rows, columns=None):
    found, columns = means(rows), columns or COLUMNS
    return markdown(["model", *columns.values()], [
        [NAMES[model], *(_figure(found.get((model, *column))) for column in columns)]
        for model in models(rows)])


def _seconds(rows):
    """The seconds after which a first call was given up, by the rows that say so; None if all
    were waited for."""
    said = (re.search(r"first call over ([\d.]+) s", found.get("skipped", ""))
            for row in rows for found in row["ways"].values())
    return next((match[1] for match in said if match), None)


def _dashes(rows, columns):
    """The lines below a table: why some of its cells have a dash."""
    found, there = means(rows), models(rows)
    alone = [model for model in there if (model, "inference", "best", _TIME) not in found]
    without = [model for model in there if model not in alone and any(
        peer == "inductor" and (model, mode, peer, value) not in found
        for mode, peer, value in columns)]
    late = (f"have first calls of over {_seconds(rows)} seconds with inductor" if _seconds(rows)
            else "did not run with inductor")
    reasons = [f"{', '.join(NAMES[model] for model in those)} {why}" for those, why in (
        (alone, "ran in sampled batches only"), (without, late)) if those]
    return f"A dash was not measured: {'; '.join(reasons)}.\n\n" if reasons else ""


def _subject(result):
    """The sentence that says of which models and device the numbers are, up to its verb."""
    return (f"Models of two layers, 64 features, float32, on an {result['about']['device']}, "
            f"{result['date']}")


def for_readme(result, name, folder):
    """The section of the README: beside the fastest way of PyG alone. `folder` leads from the
    page to the results."""
    return (f"{_subject(result)}.\nEach number is PyG's time or memory over that of gnn-mlir, "
            "with PyG's fastest way for each graph: eager,\nFastRGCNConv or inductor. Numbers "
            "**below 1** are losses.\n\n"
            f"{table(result['rows'], SHORT)}\n{_dashes(result['rows'], SHORT)}"
            f"[All cells]({folder}/{name}.md)\n")


def for_page(result, name, folder):
    """The section of a page: the table, and how to read it."""
    graphs = {row["graph"] for row in result["rows"] if row["mode"] != "batches"}
    slower = [f"{_MODES[mode]} of {NAMES[model]} ({_figure(mean).strip('*')})"
              for (model, mode, peer, value), mean in means(result["rows"]).items()
              if mean < 1 and (peer, value) == ("best", _TIME)]
    seconds = _seconds(result["rows"])
    given_up = f", if its first call takes at most {seconds} seconds" if seconds else ""
    return (f"{_subject(result)}:\nPyG's time or memory over ours, geometric means over up to "
            f"{len(graphs)} graphs of 29 thousand to\n21 million edges. Above 1, gnn-mlir is "
            "the faster or the smaller. \"best\" is PyG's fastest way for\na graph: eager, "
            f"FastRGCNConv or inductor{given_up}. "
            "A mean is over\nthe graphs on which both ran.\nPyG is the faster in "
            f"{', '.join(slower) or 'none'}.\n\n"
            f"{table(result['rows'])}\n{_dashes(result['rows'], COLUMNS)}"
            f"[All cells]({folder}/{name}.md), and [how they are measured]"
            "(../benchmarks/frontend.py).\n")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--readme", type=pathlib.Path)
    options = parser.parse_args(arguments)
    try:
        result = json.loads(options.results.read_text())
        for page, text in (options.page, for_page), (options.readme, for_readme):
            if page:
                folder = os.path.relpath(options.results.parent, page.parent)
                page.write_text(frontend_tables.on_page(
                    page.read_text(), text(result, options.results.stem, folder)))
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    print(table(result["rows"]))


if __name__ == "__main__":
    main()
