# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables and plots of results as Markdown and SVG."""

import statistics

from sparse import cells, plots
from sparse.results import is_timed
from tables import markdown, number

TITLES = {"sum": "copy_u/sum", "weighted-sum": "u_mul_e/sum", "mean": "copy_u/mean",
          "max": "copy_u/max", "min": "copy_u/min", "argmax": "copy_u/max with its argument",
          "dot": "u_dot_v, edges in the order of the rows",
          "dot-shuffled": "u_dot_v, edges in an order that was drawn",
          "gatv2": "GATv2", "dot-attention": "dot-product attention",
          "additive": "additive attention (GAT)"}
_TEXT = """`benchmarks/sparse` says how it measures. Milliseconds, medians of at least ten rounds in
one process a graph; *: of calls, which cannot be captured in a CUDA graph. limit: the best gather
by tiles of columns of the rows that the edges lead to (kernels {gather}), of both tables for
dot-product attention, by tiles of whole heads in attention; share: the limit over ours. gather
and streams: the same of a gather by the same tiles beside blocks that read and write in order what
the op does, rows of destinations and numbers of edges. peer / ours: above 1, ours is the faster.
spread: the middle 80% of rounds beside the median. error: ||found - expected|| / ||expected|| on
some 100,000 edges, expected in float64. With the L2 flushed are graphs whose rows stay in it. bind
and prepare have the first call."""


def percent(part, whole):
    return f"{100 * part / whole:.1f}%" if part and whole else "-"


def ms_of(found):
    return found["ms"] if is_timed(found) else None


def shown(found):
    """A time, or why there is none."""
    if not found:
        return "-"
    if is_timed(found):
        return number(found["ms"], 4) + ("" if found.get("captured") else "*")
    why = found.get("wrong") or found.get("skipped") or (
        f"error {found['error']:.1e}" if "error" in found else "-")
    return why.replace("|", "/")


def limit_of(row):
    """Milliseconds of what ours cannot go below: with growth's output."""
    parts = [ms_of(row["beside"].get(name)) for name in ("limit", "output")
             if name in row["beside"]]
    return sum(parts) if parts and None not in parts else None


def best_peer(row):
    """(name, what was found) of the fastest peer whose result is right."""
    there = [(name, found) for name, found in row["peers"].items() if is_timed(found)]
    return min(there, key=lambda one: one[1]["ms"], default=(None, {}))


def against_peer(row):
    """The time of the best peer over ours, or None."""
    best, ours = ms_of(best_peer(row)[1]), ms_of(row["ours"])
    return best / ours if best and ours else None


def share(row):
    ours, limit = ms_of(row["ours"]), limit_of(row)
    return limit / ours if ours and limit else None


def share_with_streams(row):
    """Like share, of the gather that reads and writes in order what the op does."""
    ours, limit = ms_of(row["ours"]), ms_of(row["beside"].get("streams"))
    return limit / ours if ours and limit else None


def line_of(row):
    """A row while it is measured."""
    name, best = best_peer(row)
    parts = [f"ours {shown(row['ours'])}"]
    if limit_of(row):
        parts.append(f"limit {number(limit_of(row), 4)} ({percent(limit_of(row), ms_of(row['ours']))})")
    if name:
        parts.append(f"{name} {shown(best)}")
    return ", ".join(parts) + f" [{number(row['cell_s'], 1)} s]"


def _error(found):
    return f"{found['error']:.1e}" if "error" in found else "-"


def width_of(row):
    return f"{row['heads']}x{row['features']}" if row["heads"] else str(row["features"])


def _beside_peers(row):
    name, best = best_peer(row)
    ours, limit = row["ours"], row["beside"].get("limit", {})
    tile = f" ({limit['tile']})" if is_timed(limit) else ""
    return [row["graph"], width_of(row), shown(ours), number(limit_of(row), 4) + tile,
            percent(limit_of(row), ms_of(ours)), percent(share_with_streams(row), 1), name or "-",
            number(ms_of(best), 4), number(against_peer(row), 2),
            percent(ours.get("spread"), 1), _error(ours),
            _error(best)]


_HEAD = ["graph", "F", "ours", "limit (tile)", "share", "gather and streams", "best peer", "its ms",
         "peer / ours", "spread", "error", "its error"]


def _flushed(rows):
    """Ours, the limit and the best peer once more with the L2 flushed."""
    lines = []
    for row in rows:
        ours, limit = row["ours"], row["beside"].get("limit", {})
        there = {name: found["flushed_ms"] for name, found in row["peers"].items()
                 if "flushed_ms" in found and "wrong" not in found}
        name = min(there, key=there.get, default=None)
        if ms := ours.get("flushed_ms"):
            lines.append([row["graph"], width_of(row), number(ms, 4),
                          number(limit.get("flushed_ms"), 4),
                          percent(limit.get("flushed_ms"), ms), name or "-",
                          number(there.get(name), 4), number(name and there[name] / ms, 2)])
    return ["With the L2 flushed:", markdown(_HEAD[:3] + ["limit"] + _HEAD[4:5] + _HEAD[6:9], lines)] if (
        lines) else []


def _costs(rows):
    """The costs of a cell beside its time."""
    return ["Kernels, memory in MiB, and seconds:", markdown(
        ["graph", "F", "kernels", "MiB", "compile", "bind", "best peer's MiB", "prepare"],
        [[row["graph"], width_of(row), str(row["ours"].get("kernels", "-")),
          number(row["ours"].get("mib"), 1), number(row["ours"].get("compile_s"), 2),
          number(row["ours"].get("bind_s"), 2), number(best_peer(row)[1].get("mib"), 1),
          number(best_peer(row)[1].get("prepare_s"), 2)] for row in rows])]


def _all_peers(rows):
    """Every peer's time, or its error where there are none; and ours as tuned."""
    names = [name for name in dict.fromkeys(n for row in rows for n in row["peers"])
             if any({"ms", "once_ms", "error"} & set(row["peers"].get(name, {}))
                    for row in rows)]
    ways = list(dict.fromkeys(name for row in rows for name in row["ways"]))
    if not names and not ways:
        return []
    return ["All peers" + (", and ours as tuned" if ways else "") + ":", markdown(
        ["graph", "F", *names, *ways],
        [[row["graph"], width_of(row), *(shown(row["peers"].get(name)) for name in names),
          *("as it comes" if row["ways"].get(name, {}).get("same") else
            shown(row["ways"].get(name)) for name in ways)] for row in rows])]


def _beside_sum(rows):
    """Other reductions over the sum of the same rows."""
    ops = [op for op in ("weighted-sum", "mean", "max", "min", "argmax")
           if any(row["op"] == op for row in rows)]
    times = {(row["op"], row["graph"], row["features"]): ms_of(row["ours"]) for row in rows}
    lines = []
    for row in rows:
        if row["op"] == "sum" and ms_of(row["ours"]):
            others = [times.get((op, row["graph"], row["features"])) for op in ops]
            lines.append([row["graph"], width_of(row), shown(row["ours"]), *(
                number(ms and ms / ms_of(row["ours"]), 3) for ms in others)])
    return ["## Reductions over copy_u/sum, ours", markdown(
        ["graph", "F", "sum, ms", *ops], lines)] if lines and ops else []


def _summary(rows):
    """By op: how near to the limit and how far from peers, and the least cell of each."""
    lines, groups = [], {}
    for row in rows:
        if row["suite"] in cells.GENERAL:
            groups.setdefault((row["op"], row["training"]), []).append(row)
    for (op, training), group in groups.items():
        cellses = [str(len(group))]
        for value, show in ((share, lambda x: percent(x, 1)),
                            (share_with_streams, lambda x: percent(x, 1)),
                            (against_peer, lambda x: number(x, 2))):
            there = [(value(row), row) for row in group if value(row)]
            if not there:
                cellses += ["-", "-"]
                continue
            least, row = min(there, key=lambda one: one[0])
            mean = statistics.geometric_mean([one for one, _ in there])
            cellses += [show(mean), f"{show(least)} ({row['graph']}, {width_of(row)})"]
        lines.append([TITLES[op] + (", forward and backward" if training else ""), *cellses])
    return markdown(["op", "cells", "share of the limit", "least", "gather and streams", "least",
                     "best peer / ours", "least"], lines) if lines else ""


def _growth(rows):
    return markdown(
        ["edges", "F", "ours", "gather", "output", "ours / (gather + output)"],
        [[f"{row['edges']:,}", width_of(row), shown(row["ours"]),
          shown(row["beside"].get("limit")), shown(row["beside"].get("output")),
          number(1 / share(row) if share(row) else None, 3)] for row in rows])


def _small(rows):
    def us(ms):
        return number(ms and 1e3 * ms, 2)

    lines = []
    for row in rows:
        ours, empty = ms_of(row["ours"]), ms_of(row["beside"].get("empty"))
        lines.append([row["op"], row["graph"], width_of(row), str(row["ours"].get("kernels", "-")),
                      us(ours) if ours else shown(row["ours"]), us(empty),
                      us(ours - empty if ours and empty else None),
                      us(row["ours"].get("flushed_ms"))])
    return markdown(["op", "graph", "F", "launches", "ours, us", "an empty kernel, us",
                     "over it, us", "ours, L2 flushed, us"], lines)


def _ablation(rows):
    """The time with all passes over that with one off, as G-Sparse's table II has it."""
    switches = list(dict.fromkeys(name for row in rows for name in row["ways"]))
    idle = [name for name in switches
            if all("same" in row["ways"].get(name, {"same": True}) for row in rows)]

    def effect(row, name):
        found = row["ways"].get(name, {})
        if found.get("same"):
            return "="
        ours, off = ms_of(row["ours"]), ms_of(found)
        return percent(ours, off) if ours and off else shown(found)

    text = markdown(
        ["op", "graph", "F", "all, ms", *(name for name in switches if name not in idle)],
        [[row["op"], row["graph"], width_of(row), shown(row["ours"]),
          *(effect(row, name) for name in switches if name not in idle)] for row in rows])
    return text + (f"\nThe same kernels everywhere: {', '.join(idle)}.\n" if idle else "")


def peers_of(rows):
    """Those that ran, and why others did not, by name."""
    ran, why = {}, {}
    for row in rows:
        for name, found in row["peers"].items():
            if {"ms", "once_ms", "error"} & set(found):
                ran[name] = True
            else:
                why.setdefault(name, found.get("skipped", "-"))
    return list(ran), {name: word for name, word in why.items() if name not in ran}


def head(result):
    runs, rows = result["runs"], result["rows"]
    copies = [run["copy"] / 1e12 for run in runs if run.get("copy")]
    ran, why = peers_of(rows)
    parts = [f"{name} {result[name]}" for name in ("device", "torch", "CUDA") if result.get(name)]
    drivers = sorted({run["driver"] for run in runs if run.get("driver")})
    dates = sorted({run["date"] for run in runs})
    parts += [f"driver {' and '.join(drivers)}"] * bool(drivers)
    if copies:
        parts.append(f"copy {min(copies):.2f} to {max(copies):.2f} TB/s in {len(copies)} processes")
    lines = [f"{' to '.join(sorted({dates[0], dates[-1]}))}, gnn-mlir {result['commit']}, "
             f"{', '.join(parts)}.",
             _TEXT.format(gather=result.get("gather") or "none"),
             f"Peers: {', '.join(ran) or 'none'}. \"best peer\" is the fastest of all that ran."]
    if declared := list(dict.fromkeys(TITLES[row["op"]] for row in rows
                                      if row.get("dst_sorted"))):
        lines.append("Declared with dst_sorted, edges sorted by destination, are the graphs of: "
                     f"{'; '.join(declared)}.")
    if why:
        lines.append("Not there: " + "; ".join(f"{n} ({w})" for n, w in why.items()) + ".")
    return lines


def table(result, name=None):
    """All as Markdown; `name` is that of the files of plots beside it."""
    rows = result["rows"]
    lines = ["# Walks over edges", *head(result), _summary(rows)]
    lines += [f"![{file}]({file})" for file in plots.files(result, name)] if name else []
    of = {suite.name: [row for row in rows if row["suite"] == suite.name]
          for suite in cells.SUITES}
    for suite in cells.GENERAL:
        for op, training in dict.fromkeys((row["op"], row["training"]) for row in of[suite]):
            group = [row for row in of[suite] if (row["op"], row["training"]) == (op, training)]
            lines += [f"## {TITLES[op]}{', forward and backward' if training else ''}",
                      markdown(_HEAD, map(_beside_peers, group)), *_flushed(group),
                      *_all_peers(group), *_costs(group)]
    lines += _beside_sum(of["sums"])
    for suite, title, made in (
            ("growth", "Growth, copy_u/sum", _growth),
            ("ablation", "Ablation: time with all passes over that with one off", _ablation),
            ("small", "Small graphs: microseconds in a CUDA graph", _small)):
        if of[suite]:
            lines += [f"## {title}", made(of[suite])]
    return "\n\n".join(line.strip("\n") for line in lines if line) + "\n"


def files(result, name):
    """{file name: text} of what is made of results."""
    return {**plots.files(result, name), f"{name}.md": table(result, name)}
