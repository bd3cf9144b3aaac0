#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of a page of --explain beside each other, under their headings, as one file.

usage: explain-picture.py PAGE.html PICTURE.svg
"""

import pathlib
import re
import sys

FIGURE = re.compile(r"<figcaption><b>(\w+)</b>: (.*?)</figcaption>\n(<svg.*?</svg>)", re.S)
GAP, HEAD = 24, 28


def joined(page):
    parts, left, bottom = [], 0, 0
    for when, summary, svg in FIGURE.findall(page):
        width, height = map(int, re.search(r'width="(\d+)" height="(\d+)"', svg).groups())
        parts += [f'<text x="{left}" y="16"><tspan font-weight="bold">{when}</tspan>: {summary}</text>',
                  svg.replace("<svg", f'<svg x="{left}" y="{HEAD}"', 1)]
        left, bottom = left + width + GAP, max(bottom, HEAD + height)
    if not parts:
        sys.exit("explain-picture: expected a page of gnn-run --explain=PAGE.html, got none")
    size = f'width="{left - GAP}" height="{bottom}" viewBox="0 0 {left - GAP} {bottom}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="\'DejaVu Sans\', '
                      'Helvetica, Arial, sans-serif" font-size="14">',
                      '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>\n"])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(joined(pathlib.Path(sys.argv[1]).read_text()))
