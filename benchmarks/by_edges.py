# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The walks over edges of benchmarks/cases.py by torch, with a row for each edge: peers, and
in float64 what others are held against. `FUNCTIONS` has one for each name, of the ends of edges
(int64[edges] each) and the inputs by name; torch differentiates them. argmax gives the maximum
alone. Scores are small: softmax does not look for the largest first."""

import functools
import math

import torch

from cases import SLOPE

leaky_relu = torch.nn.functional.leaky_relu


def _counts(dst, rows, nodes):
    """The edges into each node, at least 1, beside rows."""
    ones = rows.new_ones(len(dst))
    counts = rows.new_zeros(nodes).index_add(0, dst, ones).clamp(min=1)
    return counts.view(-1, *[1] * (rows.ndim - 1))


def reduce(kind, rows, dst, nodes):
    """[nodes, ...] of rows [edges, ...]; 0 where there is no edge."""
    out = rows.new_zeros(nodes, *rows.shape[1:])
    if kind in ("max", "min"):
        return out.index_reduce(0, dst, rows, f"a{kind}", include_self=False)
    out = out.index_add(0, dst, rows)
    return out / _counts(dst, rows, nodes) if kind == "mean" else out


def reduction(kind, src, dst, x):
    return reduce(kind, x[src], dst, len(x))


def weighted_sum(src, dst, x, w):
    return reduce("sum", x[src] * w.unsqueeze(1), dst, len(x))


def dot(src, dst, x, z):
    return (x[src] * z[dst]).sum(1)


def attend(score, values, src, dst):
    """Rows of sources, weighted by the softmax of scores [edges, heads]."""
    weight = torch.exp(score)
    total = reduce("sum", weight, dst, len(values))
    return reduce("sum", values[src] * (weight / total[dst]).unsqueeze(2), dst, len(values))


def gatv2(src, dst, source, target, att):
    both = leaky_relu(source[src] + target[dst], SLOPE)
    return attend((both * att).sum(2), source, src, dst)


def dot_attention(src, dst, query, key, value):
    score = (query[dst] * key[src]).sum(2) / math.sqrt(query.shape[2])
    return attend(score, value, src, dst)


def additive(src, dst, source, source_score, target_score):
    return attend(leaky_relu(source_score[src] + target_score[dst], SLOPE), source, src, dst)


FUNCTIONS = {
    **{kind: functools.partial(reduction, kind) for kind in ("sum", "mean", "max", "min")},
    "argmax": functools.partial(reduction, "max"), "weighted-sum": weighted_sum, "dot": dot,
    "gatv2": gatv2, "dot-attention": dot_attention, "additive": additive}


def worst_error(found, expected):
    """The largest ||found - expected|| / ||expected||. A value that is nearly 0 for its place is
    measured by the largest."""
    least = 1e-3 * max(value.norm() for value in expected)
    return max(float((a - b).norm() / max(b.norm(), least)) for a, b in zip(found, expected))
