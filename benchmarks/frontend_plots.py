# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bars of what benchmarks/frontend.py measured: how many times the time and the memory of ours
others take."""


import frontend_tables
import svg

COLOURS = {"eager": "#56b4e9", "inductor": "#e69f00", "best": "#444444"}
OURS = "#0072b2"
_PEERS = ("eager", "inductor")


def panel(axis, title, rows, peers, limits):
    """Bars of peers for each row: (name, {peer: (ratio, why none)}). A ratio below 1 is red."""
    height = 0.8 / len(peers)
    for row, (_, bars) in enumerate(rows):
        for place, peer in enumerate(peers):
            ratio, none = bars.get(peer, (None, ""))
            at = row + height * (place - (len(peers) - 1) / 2)
            if ratio:
                axis.barh(at, ratio - 1, left=1, height=0.9 * height, color=COLOURS[peer])
            axis.annotate(f"{ratio:.2g}" if ratio and ratio < 10 else f"{ratio:.0f}" if ratio
                          else none, (max(ratio or 1, 1), at), xytext=(3, 0), fontsize=7,
                          textcoords="offset points", va="center",
                          color="#777777" if not ratio else "#c00000" if ratio < 1 else "black")
    axis.set_xscale("log")
    axis.set_xlim(*limits)
    ticks = [tick for n in range(-6, 7) for tick in (10.0 ** n, 2 * 10.0 ** n, 5 * 10.0 ** n)
             if limits[0] <= tick <= limits[1]]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=8)
    axis.minorticks_off()
    axis.axvline(1, color=OURS, linewidth=2)
    axis.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=9)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.grid(axis="x", color="#e5e5e5")
    axis.set_axisbelow(True)
    axis.set_title(title, fontsize=10)


def draw(title, panels, peers=_PEERS):
    """Panels, two side by side: {title: rows}; None without a number, or without matplotlib."""
    values = [ratio for rows in panels.values() for _, bars in rows
              for ratio, _ in bars.values() if ratio]
    if not values or not svg.matplotlib:
        return None
    low, high = min(values), max(values)
    limits = min(0.7, low / 1.4), max(14, 1.8 * high)
    heights = [max(len(rows) for rows in list(panels.values())[i:i + 2])
               for i in range(0, len(panels), 2)]
    figure, axes = svg.subplots(
        len(heights), 2, (9, 0.9 + sum(0.5 + 0.12 * (len(peers) + 1) * n for n in heights)),
        height_ratios=[n + 2 for n in heights])
    for axis, (name, rows) in zip(axes.flat, panels.items()):
        panel(axis, name, rows, peers, limits)
    for axis in list(axes.flat)[len(panels):]:
        axis.set_axis_off()
    svg.legend(figure, title, {**{f"{peer} / gnn-mlir": COLOURS[peer] for peer in peers},
                               "gnn-mlir": {"color": OURS, "linewidth": 2}})
    return svg.written(figure, title, panels)


def _bars(row, value):
    """{peer: (ratio, why there is none)}."""
    found, bars = frontend_tables.ratios(row), {}
    for peer in _PEERS:
        ratio = found.get(peer, (None, None))[value]
        way = row["ways"].get("ours", {}) if "skipped" in row["ways"].get(
            "ours", {}) else row["ways"].get(peer, {})
        bars[peer] = ratio, "" if ratio else (row["left_out"] or way.get("skipped", ""))[:40]
    return bars


def pictures(rows):
    """{name: (title, panels)}: times of each mode, and memory of training and of batches."""
    found = {}
    for mode, value, name, what in (
            ("inference", 0, "inference", "time"), ("training", 0, "training", "time"),
            ("batches", 0, "batches", "time"), ("training", 1, "memory", "memory")):
        panels = {}
        for row in (row for row in rows if row["mode"] == mode):
            panels.setdefault(row["model"], []).append((row["graph"], _bars(row, value)))
        found[name] = f"{mode.capitalize()}: {what} of PyG over that of gnn-mlir", panels
    return found


def drawings(rows):
    """{name: SVG} of pictures with numbers."""
    drawn = {name: draw(*picture) for name, picture in pictures(rows).items()}
    return {name: text for name, text in drawn.items() if text}
