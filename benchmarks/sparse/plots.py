# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of time against the number of features: ours, the limit and peers."""

import math

import svg
from sparse.results import is_timed

_COLOURS = {"cuSPARSE": "#d55e00", "Triton": "#009e73", "inductor": "#cc79a7", "DGL": "#e69f00",
            "torch": "#999999", "PyG": "#56b4e9", "turbo-gnn": "#8c564b"}
_OURS, _LIMIT, _OTHER = "#0072b2", "black", "#bbbb33"


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
    """How a line is drawn; ours lies above all others."""
    if name == "ours":
        return {"color": _OURS, "linewidth": 2.5, "zorder": 3}
    if name == "limit":
        return {"color": _LIMIT, "linewidth": 1.5, "linestyle": "--"}
    return {"color": _COLOURS.get(name, _OTHER), "linewidth": 1.2}


def panel(axis, title, lines):
    for name, line in lines.items():
        points = sorted((float(features), ms) for features, ms in line.items())
        axis.plot(*zip(*points), marker="o", markersize=2.5, label=name, **_look(name))
    for scale in axis.set_xscale, axis.set_yscale:
        scale("log", base=2)
    axis.xaxis.set_major_formatter("{x:g}")
    axis.yaxis.set_major_formatter("{x:.3g}")
    axis.tick_params(labelsize=7)
    axis.grid(color="#e5e5e5")
    axis.set_title(title, fontsize=9)


def draw(title, panels):
    """Panels, two side by side: {title: series}."""
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    rows = math.ceil(len(panels) / 2)
    figure, axes = svg.subplots(rows, 2, (8, 0.8 + 2.6 * rows))
    for axis, (name, lines) in zip(axes.flat, panels.items()):
        panel(axis, name, lines)
    for axis in list(axes.flat)[len(panels):]:
        axis.set_axis_off()
    figure.supxlabel("features", fontsize=8)
    figure.supylabel("ms", fontsize=8)
    svg.legend(figure, title, {name: _look(name) for name in names})
    return svg.written(figure, title, panels)


def pictures(result):
    """{op: (title, panels)}: a picture for each op whose width is a number of features, a panel
    for each graph with two times of ours."""
    from sparse.tables import TITLES
    found = {}
    rows = [row for row in result["rows"] if row["suite"] in ("sums", "dots")]
    for op in dict.fromkeys(row["op"] for row in rows):
        panels = {}
        for graph in dict.fromkeys(row["graph"] for row in rows):
            lines = series([row for row in rows if (row["op"], row["graph"]) == (op, graph)])
            if len(lines.get("ours", {})) > 1:
                panels[graph] = lines
        if panels:
            found[op] = (f"{TITLES[op]}, {result['device']}, gnn-mlir {result['commit']}", panels)
    return found


def files(result, name):
    """{file name: SVG}; none without matplotlib."""
    return {f"{name}-{op}.svg": draw(*picture) for op, picture in pictures(result).items()
            } if svg.matplotlib else {}
