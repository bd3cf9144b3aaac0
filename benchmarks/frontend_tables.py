# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables and plots of what benchmarks/frontend.py measured.

    python benchmarks/frontend_tables.py RUN.json [RUN.json ...] --output FILE

puts runs of one commit on one kind of device together: FILE.json, FILE.md and the plots
FILE-MODE.svg and FILE-memory.svg. Where two runs have the same cell, the last one counts
that has a time of ours.
"""

import argparse
import json
import pathlib
import statistics
import sys

import frontend_plots
from tables import markdown, number

WAYS = ("eager", "fast", "inductor", "ours")
MODES = ("inference", "training", "batches")
_TITLE = ("# Two layers of PyG by the front end, beside eager and inductor, 64 features, "
          "fp32")
_TEXT = """`benchmarks/frontend.py` says how it measures. Milliseconds a step: medians of turns in one
process; in parentheses: over {slower:g} times the fastest, few turns. A ratio is another
time over ours, "best" the least of eager, FastRGCNConv and inductor. error: of ours beside
eager, outputs and gradients, the worst. spread: the middle 80% of turns beside the median,
the largest of all ways. MiB: what a step allocates at once, with the graph's structures that
stay. host: microseconds that a call keeps the host. first: seconds of the first
call, with compilation{jobs}. Graphs: {files} are data sets; the others
are made with the counts of the data sets of their names (benchmarks/synthetic.py)."""


def is_measured(found):
    return "ms" in found and "skipped" not in found


def best_peer(row):
    """What is found of the fastest way of PyG, or {}."""
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
    if "skipped" in found:
        return found["skipped"].replace("|", "/")
    if "ms" not in found:
        return "-"
    return f"({found['ms']:.3f})" if found["slow"] else f"{found['ms']:.3f}"


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
    files = sorted({row["graph"] for row in rows if row["source"] == "file"})
    text = _TEXT.format(
        slower=result["slower"], files=", ".join(files) or "none",
        jobs=f", while up to {result['jobs']} processes compiled" if result["jobs"] else "")
    lost = sum(not is_measured(row["ways"].get("ours", {})) for row in rows)
    lines = [_TITLE, f"{result['date']}, {about}.", text,
             "## Geometric means", summary(rows) + f"\nOf {len(rows)} cells {lost} have no "
             "time of ours. A cell is in a mean where both have a time.",
             *(f"![{name}]({file})" for name, file in plots)]
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


def write(result, path):
    """FILE.json, FILE.md and the plots."""
    plots = []
    for name, drawn in frontend_plots.drawings(result["rows"]).items():
        file = path.with_name(f"{path.name}-{name}.svg")
        file.write_text(drawn)
        plots.append((name, file.name))
    path.with_name(path.name + ".json").write_text(json.dumps(result, indent=1) + "\n")
    path.with_name(path.name + ".md").write_text(table(result, plots))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    try:
        result = together([json.loads(path.read_text()) for path in options.runs])
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    write(result, options.output)
    print(summary(result["rows"]))


if __name__ == "__main__":
    main()
