# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces of SVG that plots of benchmarks share."""

from xml.sax.saxutils import escape


def text(x, y, words, anchor="start", size=11, colour="black"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'fill="{colour}">{escape(words)}</text>')


def page(width, height, title, lines):
    """A drawing with its title, white behind."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        text(12, 18, title, size=14), *lines, "</svg>", ""])
