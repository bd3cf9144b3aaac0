# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bars, as SVG, of what benchmarks/frontend.py measured: how many times the time and the
memory of ours others take."""

import math

import frontend_tables
from svg import page, text

COLOURS = {"eager": "#0072b2", "inductor": "#d55e00", "best": "#444444"}
_PEERS = ("eager", "inductor")
_WIDTH, _LABEL, _BAR, _HEAD = 360, 96, 8, 26


def _ticks(values):
    """Powers of 10 around the values, 1 among them."""
    least = min(0, math.floor(math.log10(min(values))))
    most = max(1, math.ceil(math.log10(max(values))))
    return range(least, most + 1)


def _panel(title, rows, peers, ticks, x, y):
    """Bars of peers for each row: (name, {peer: (ratio, why none)})."""
    left, width, row = x + _LABEL, _WIDTH - _LABEL - 60, 4 + _BAR * len(peers)
    at = lambda ratio: left + width * (math.log10(ratio) - ticks[0]) / (len(ticks) - 1)
    low = y + _HEAD + row * len(rows)
    lines = [text(x, y + 14, title, size=13)]
    for tick in ticks:
        lines += [f'<path d="M{at(10.0 ** tick):.1f},{y + _HEAD - 4} V{low}" stroke="'
                  f'{"black" if tick == 0 else "#cccccc"}"/>',
                  text(at(10.0 ** tick), low + 12, f"{10.0 ** tick:g}", "middle", 10)]
    for i, (name, bars) in enumerate(rows):
        top = y + _HEAD + row * i
        lines.append(text(left - 6, top + row // 2 + 3, name, "end", 11 if len(name) < 15 else 9))
        for j, peer in enumerate(peers):
            (ratio, none), colour = bars.get(peer, (None, "")), COLOURS[peer]
            above = top + 2 + _BAR * j
            if ratio is None:
                lines.append(text(at(1) + 3, above + 7, none, size=8, colour=colour))
                continue
            begin, end = sorted((at(1), at(ratio)))
            lines += [f'<rect x="{begin:.1f}" y="{above}" width="{end - begin:.1f}" '
                      f'height="7" fill="{colour}"/>',
                      text(end + 3, above + 7, f"{ratio:.3g}", size=8, colour=colour)]
    return lines, low + 24


def draw(title, panels, peers=_PEERS):
    """Panels, two side by side: {title: rows}; None without a number."""
    values = [ratio for rows in panels.values() for _, bars in rows
              for ratio, _ in bars.values() if ratio]
    if not values:
        return None
    ticks, lines, height = _ticks(values), [], 44
    legend = 12
    for peer in peers:
        lines += [f'<rect x="{legend}" y="28" width="10" height="10" fill="{COLOURS[peer]}"/>',
                  text(legend + 14, 37, f"{peer} / ours")]
        legend += 110
    items = list(panels.items())
    for first in range(0, len(items), 2):
        ends = []
        for column, (name, rows) in enumerate(items[first:first + 2]):
            made, end = _panel(name, rows, peers, ticks, 12 + column * _WIDTH, height + 8)
            lines += made
            ends.append(end)
        height = max(ends)
    width = 24 + 2 * _WIDTH
    return page(width, height + 8, title, lines)


def _bars(row, value):
    """{peer: (ratio, why there is none)}."""
    found, bars = frontend_tables.ratios(row), {}
    for peer in _PEERS:
        ratio = found.get(peer, (None, None))[value]
        way = row["ways"].get("ours", {}) if "skipped" in row["ways"].get(
            "ours", {}) else row["ways"].get(peer, {})
        bars[peer] = ratio, "" if ratio else (row["left_out"] or way.get("skipped", ""))[:40]
    return bars


def drawings(rows):
    """{name: SVG}: times of each mode, and memory of training and of batches."""
    drawn = {}
    for mode, value, name, what in (
            ("inference", 0, "inference", "time"), ("training", 0, "training", "time"),
            ("batches", 0, "batches", "time"), ("training", 1, "memory", "memory")):
        panels = {}
        for row in (row for row in rows if row["mode"] == mode):
            panels.setdefault(row["model"], []).append((row["graph"], _bars(row, value)))
        svg = draw(f"{mode.capitalize()}: {what} of PyG beside ours, {what} / ours", panels)
        if svg:
            drawn[name] = svg
    return drawn
