# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots as SVG, by matplotlib. A file has a hash of the numbers that it shows in its description:
tests compare that, which is the same for each version of matplotlib."""

import hashlib
import io
import json

try:
    import matplotlib
    from matplotlib import pyplot
except ImportError:  # On machines that only measure: tables have no plots there.
    matplotlib = None


def described(title, numbers):
    """The description of a plot of these numbers."""
    text = json.dumps([title, numbers], sort_keys=True)
    return f"numbers {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def subplots(rows, columns, size, **options):
    """A figure of inches `size`, and an array [rows, columns] of axes."""
    matplotlib.use("svg")
    return pyplot.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False,
                           **options)


def legend(figure, title, entries):
    """Above all panels: {name: colour of a patch, or options of a line}."""
    handles = [pyplot.Line2D([], [], **look) if isinstance(look, dict) else
               pyplot.Rectangle((0, 0), 1, 1, color=look) for look in entries.values()]
    figure.legend(handles, [*entries], loc="outside upper center", ncols=max(1, min(6, len(entries))),
                  frameon=False, title=title)


def written(figure, title, numbers):
    """The text of the file."""
    file = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):
        figure.savefig(file, format="svg", metadata={
            "Date": None, "Creator": None, "Title": title,
            "Description": described(title, numbers)})
    pyplot.close(figure)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"
