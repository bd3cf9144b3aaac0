# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers for the lines that `gnn_mlir.list_schedules` gives."""

import json

# The fields of a line on its kernel; the rest is the schedule and what it takes.
KEY = ("function", "graph", "template", "domain", "accesses", "types", "body")


def kernel_of(line):
    """The kernel that a line is about, as text."""
    return json.dumps([line[part] for part in KEY])


def by_kernel(lines):
    """The lines of each kernel."""
    kernels = {}
    for line in lines:
        kernels.setdefault(kernel_of(line), []).append(line)
    return kernels


def draw(kernels, rng):
    """A line for each kernel, of those that `by_kernel` gives."""
    return [rng.choice(found) for found in kernels.values()]


def text_of(line):
    """A schedule as plans and reports have it."""
    return ", ".join(f"{k} = {v}" for k, v in line["schedule"].items())
