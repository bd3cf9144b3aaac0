# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables and plots of what benchmarks/frontend.py measured.

    python benchmarks/frontend_tables.py RUN.json [RUN.json ...] --output FILE
        [--alone RUN.json] [--page docs/Frontend.md]

puts runs of one commit on one kind of device together: FILE.json, FILE.md and the plots
FILE-MODE.svg and FILE-memory.svg. Where two runs have the same cell, the last one counts
that has a time of ours. --alone is a run whose first calls had the host to themselves.
--page writes the means into a page, between two comments.
"""

import argparse
import json
import pathlib
import re
import statistics
import sys

import frontend_plots
from tables import markdown, number

MARKS = "<!-- results -->\n", "<!-- end of results -->\n"
WAYS = ("eager", "fast", "inductor", "ours")
MODES = ("inference", "training", "batches")
_TITLE = ("# Two layers of PyG by the front end, beside eager and inductor, 64 features, "
          "fp32")
_TEXT = """`benchmarks/frontend.py` says how it measures. Milliseconds a step: medians of turns in
one process; in parentheses: over {slower:g} times the fastest, few turns{mark}. A ratio is another
time over ours, "best" the least of eager, FastRGCNConv and inductor. error: of ours beside
eager, outputs and gradients, the worst. spread: the middle 80% of turns beside the median,
the largest of all ways. MiB: what a step allocates at once, with the graph's structures that
stay. host: microseconds that a call keeps the host. first: seconds of the first
call, with compilation{jobs}. Graphs: {files} are data sets; the others
are made with the counts of the data sets of their names (benchmarks/synthetic.py)."""


def is_measured(found):
    return "ms" in found and "skipped" not in found


def best_peer(row):
    """The findings on the fastest way of PyG, or {}."""
    peers = [found for way, found in row["ways"].items()
             if way != "ours" and is_measured(found)]
    return min(peers, key=lambda found: found["ms"], default={})


def memory(found):
    """MiB of a step, structures included."""
    return found["mib"] + found.get("kept_mib", 0) if "mib" in found else None


def ratios(row):
    """{peer: (time beside ours, memory beside ours or None)}; none where ours has no
    time."""
    ours = row["ways"].get("ours", {})
    if not is_measured(ours):
        return {}
    peers = {"eager": row["ways"].get("eager", {}), "best": best_peer(row),
             "inductor": row["ways"].get("inductor", {})}
    return {peer: (found["ms"] / ours["ms"],
                   memory(found) / memory(ours) if memory(found) and memory(ours) else None)
            for peer, found in peers.items() if is_measured(found)}


def means(rows):
    """Geometric means beside ours: {(mode, group, peer): (time, memory, cells)}."""
    found = {}
    for row in rows:
        for peer, ratio in ratios(row).items():
            found.setdefault((row["mode"], row["group"], peer), []).append(ratio)
    order = lambda item: MODES.index(item[0][0])
    mean = lambda values: statistics.geometric_mean(values) if values else None
    return {key: (mean([time for time, _ in pairs]),
                  mean([size for _, size in pairs if size]), len(pairs))
            for key, pairs in sorted(found.items(), key=order)}


def time(found):
    """The time of a way, or why there is none."""
    if not found:
        return "-"
    mark = "*" if found.get("committed") else ""
    if "skipped" in found:
        return found["skipped"].replace("|", "/") + mark
    if "ms" not in found:
        return "-"
    return (f"({found['ms']:.3f})" if found["slow"] else f"{found['ms']:.3f}") + mark


def _count(value):
    return "-" if value is None else f"{value:,}"


def _times(row):
    found = [row["ways"].get(way, {}) for way in WAYS]
    beside = ratios(row)
    spreads = [one["spread"] for one in found if "spread" in one]
    error = found[-1].get("error")
    return [row["graph"], row["model"], _count(row["edges"]), _count(row["relations"]),
            *([row["left_out"]] + ["-"] * 3 if row["left_out"] else map(time, found)),
            *(number(beside.get(peer, (None,))[0], 2)
              for peer in ("eager", "inductor", "best")),
            "-" if error is None else f"{error:.1e}",
            f"{100 * max(spreads):.1f}%" if spreads else "-"]


def _others(row):
    eager, _, inductor, ours = (row["ways"].get(way, {}) for way in WAYS)
    three = lambda value, digits: " / ".join(
        number(value(one), digits) for one in (eager, inductor, ours))
    return [row["graph"], row["model"], three(memory, 0),
            number(ratios(row).get("eager", (None, None))[1], 2),
            three(lambda one: one.get("min_ms"), 3),
            three(lambda one: one.get("host_us"), 0),
            three(lambda one: one.get("first_s"), 1), str(ours.get("compilations", "-"))]


def summary(rows):
    """Means, and how many cells are in them and in none."""
    lines = [[mode, group, peer, number(time, 2), number(size, 2), str(cells)]
             for (mode, group, peer), (time, size, cells) in means(rows).items()]
    return markdown(["mode", "models", "peer", "time / ours", "memory / ours", "cells"],
                    lines)


def table(result, plots=()):
    """The results as Markdown."""
    rows = result["rows"]
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    stored = sorted({row["graph"] for row in rows if row["source"] == "file"})
    is_marked = any(found.get("committed") for row in rows for found in row["ways"].values())
    text = _TEXT.format(
        mark="; with *:\nfigures of an earlier table of the same device" if is_marked else "",
        slower=result["slower"], files=", ".join(stored) or "none",
        jobs=f", while up to {result['jobs']} processes compiled" if result["jobs"] else "")
    lost = sum(not is_measured(row["ways"].get("ours", {})) for row in rows)
    lines = [_TITLE, f"{result['date']}, {about}.", text,
             "## Geometric means", summary(rows) + f"\nOf {len(rows)} cells {lost} have no "
             "time of ours. A cell is in a mean where both have a time.",
             *(f"![{name}]({file})" for name, file in plots)]
    if "alone" in result:
        commit = result["alone"]["about"]["gnn-mlir"]
        of = "" if commit == result["about"]["gnn-mlir"] else f", gnn-mlir {commit}"
        lines += [f"## First calls with nothing beside them, seconds{of}",
                  first_calls(result["alone"])]
    for mode in MODES:
        here = [row for row in rows if row["mode"] == mode]
        if here:
            lines += [f"## {mode.capitalize()}", markdown(
                ["graph", "model", "edges", "relations", "eager", "FastRGCNConv", "inductor",
                 "ours", "eager / ours", "inductor / ours", "best / ours", "error",
                 "spread"], map(_times, here)), "Eager / inductor / ours:", markdown(
                ["graph", "model", "MiB", "MiB, eager / ours", "least", "host", "first",
                 "compilations"], map(_others, (row for row in here if row["ways"])))]
    return "\n\n".join(line.strip("\n") for line in lines) + "\n"


def first_calls(result):
    """Seconds of first calls of ours, by model, in a run that had the host to itself."""
    found = {}
    for row in result["rows"]:
        place = f"{row['graph']}, {_count(row['edges'])} edges, {row['relations']} relations"
        seconds = row["ways"].get("ours", {}).get("first_s")
        found.setdefault((place, row["model"]), {})[row["mode"]] = number(seconds, 2)
    modes = [mode for mode in MODES if any(mode in one for one in found.values())]
    return markdown(["graph", "model", *modes], [
        [place, model, *(one.get(mode, "-") for mode in modes)]
        for (place, model), one in found.items()])


def together(results):
    """One result of several runs."""
    for result in results[1:]:
        for key in ("about", "slower"):
            if result[key] != results[0][key]:
                raise ValueError(f"{key}: expected {results[0][key]}, as in the first run, "
                                 f"got {result[key]}")
    rows = {}
    for row in (row for result in results for row in result["rows"]):
        key = row["mode"], row["model"], row["graph"]
        if key not in rows or is_measured(row["ways"].get("ours", {})):
            rows[key] = row
    models = list(dict.fromkeys(row["model"] for row in rows.values()))
    ordered = sorted(rows.values(), key=lambda row: (
        MODES.index(row["mode"]), row["group"] != "relational",
        models.index(row["model"]), row["edges"] or 0))
    return {**results[0], "jobs": max(result["jobs"] for result in results),
            "rows": ordered}


def files(result, name):
    """{file name: text} of what is made of a result."""
    made = {f"{name}-{plot}.svg": drawn
            for plot, drawn in frontend_plots.drawings(result["rows"]).items()}
    plots = [(file[len(name) + 1:-4], file) for file in made]
    return {**made, f"{name}.json": json.dumps(result, indent=1) + "\n",
            f"{name}.md": table(result, plots)}


def for_page(result, name):
    """The text of a page in docs on a result."""
    return (f"\nGeometric means of PyG's time and memory beside ours, on {result['date']}, "
            f"{result['about']['device']}\n([all cells](../benchmarks/results/{name}.md)).\n"
            "\"best\" is PyG's fastest way of a cell.\n\n" + summary(result["rows"]) + "\n")


def on_page(page, text):
    """The page with the text between the marks."""
    found = re.subn(f"({MARKS[0]}).*?({MARKS[1]})", lambda m: m[1] + text + m[2], page,
                    flags=re.S)
    if found[1] != 1:
        raise ValueError(f"expected one place between {MARKS[0].strip()} and "
                         f"{MARKS[1].strip()}, got {found[1]}")
    return found[0]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--alone", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args(arguments)
    name = options.output.name
    try:
        result = together([json.loads(path.read_text()) for path in options.runs])
        if options.alone:
            result["alone"] = json.loads(options.alone.read_text())
        if options.page:
            page = on_page(options.page.read_text(), for_page(result, name))
            options.page.write_text(page)
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    for file, text in files(result, name).items():
        options.output.with_name(file).write_text(text)
    print(summary(result["rows"]))


if __name__ == "__main__":
    main()
