# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines, as SVG, of time against the number of features: ours, the limit and peers."""

import math

from sparse.results import is_timed
from svg import page, text

_COLOURS = {"cuSPARSE": "#d55e00", "Triton": "#009e73", "inductor": "#cc79a7", "DGL": "#e69f00",
            "torch": "#999999", "PyG": "#56b4e9", "turbo-gnn": "#8c564b"}
_OURS, _LIMIT, _OTHER = "#0072b2", "black", "#bbbb33"
_WIDTH, _HEIGHT, _LEFT, _LOW = 380, 260, 52, 40


def family(peer):
    """Peers of one name that share a line, the best of them."""
    return next((name for name in _COLOURS if peer.startswith(name)), peer)


def series(rows):
    """{name: {features: milliseconds}} of ours, the limit and the best of each family of
    peers."""
    found = {}
    for row in rows:
        parts = {"ours": row["ours"], "limit": row["beside"].get("limit"),
                 **{name: one for name, one in row["peers"].items()}}
        for name, one in parts.items():
            if is_timed(one):
                line = found.setdefault(name if name in ("ours", "limit") else family(name), {})
                line[row["features"]] = min(line.get(row["features"], math.inf), one["ms"])
    return found


def _look(name):
    """Colour, width and dashes of a line."""
    if name == "ours":
        return _OURS, 2.5, ""
    if name == "limit":
        return _LIMIT, 1.5, ' stroke-dasharray="5 3"'
    return _COLOURS.get(name, _OTHER), 1.2, ""


def _scale(values, length):
    """Where a value lies on a logarithmic axis of that length, and ticks: powers of 2, or of 10
    where these are many."""
    low, high = math.log2(min(values)), math.log2(max(values))
    low, high = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    if high - low <= 10:
        ticks = [2.0 ** n for n in range(low, high + 1)]
    else:
        ticks = [10.0 ** n for n in range(-6, 9) if 2.0 ** low <= 10.0 ** n <= 2.0 ** high]
    return lambda value: length * (math.log2(value) - low) / (high - low), ticks


def _panel(title, lines, x, y):
    width, height = _WIDTH - _LEFT - 16, _HEIGHT - _LOW - 24
    across, columns = _scale([f for line in lines.values() for f in line], width)
    up, levels = _scale([ms for line in lines.values() for ms in line.values()], height)
    left, low = x + _LEFT, y + 24 + height
    drawn = [text(x + _LEFT, y + 14, title, size=13)]
    for tick in levels:
        drawn += [f'<path d="M{left},{low - up(tick):.1f} h{width}" stroke="#dddddd"/>',
                  text(left - 4, low - up(tick) + 3, f"{tick:.3g}", "end", 9)]
    for tick in columns:
        drawn += [f'<path d="M{left + across(tick):.1f},{low} v-{height}" stroke="#eeeeee"/>',
                  text(left + across(tick), low + 12, f"{tick:g}", "middle", 9)]
    # Ours lies above all others.
    for name, line in sorted(lines.items(), key=lambda one: one[0] == "ours"):
        colour, thick, dashes = _look(name)
        points = [(left + across(f), low - up(ms)) for f, ms in sorted(line.items())]
        drawn.append('<polyline points="' + " ".join(f"{a:.1f},{b:.1f}" for a, b in points) +
                     f'" fill="none" stroke="{colour}" stroke-width="{thick}"{dashes}/>')
        drawn += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2" fill="{colour}"/>'
                  for a, b in points]
    return [*drawn, text(left + width / 2, low + 26, "features", "middle", 10),
            text(x + 4, y + 14, "ms", size=10)]


def draw(title, panels):
    """Panels, two side by side: {title: series}."""
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    drawn, place = [], 12
    for name in names:
        colour, thick, dashes = _look(name)
        drawn += [f'<path d="M{place},34 h18" stroke="{colour}" stroke-width="{thick}"{dashes}/>',
                  text(place + 22, 38, name)]
        place += 40 + 7 * len(name)
    for number, (name, lines) in enumerate(panels.items()):
        drawn += _panel(name, lines, 8 + _WIDTH * (number % 2), 48 + _HEIGHT * (number // 2))
    height = 48 + _HEIGHT * math.ceil(len(panels) / 2)
    return page(max(16 + _WIDTH * min(2, len(panels)), place), height + 8, title, drawn)


def files(result, name):
    """{file name: SVG}: a drawing for each op whose width is a number of features, a panel for
    each graph with two times of ours."""
    from sparse.tables import TITLES
    made = {}
    rows = [row for row in result["rows"] if row["suite"] in ("sums", "dots")]
    for op in dict.fromkeys(row["op"] for row in rows):
        panels = {}
        for graph in dict.fromkeys(row["graph"] for row in rows):
            lines = series([row for row in rows if (row["op"], row["graph"]) == (op, graph)])
            if len(lines.get("ours", {})) > 1:
                panels[graph] = lines
        if panels:
            made[f"{name}-{op}.svg"] = draw(f"{TITLES[op]}, {result['device']}, "
                                            f"gnn-mlir {result['commit']}", panels)
    return made
