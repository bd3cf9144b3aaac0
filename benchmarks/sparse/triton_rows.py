# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of rows over the edges into a node as one would write them in Triton: a program
for each node and tile of columns, which walks the edges in blocks. Needs triton."""

import torch
import triton
import triton.language as tl

_KINDS = {"sum": 0, "mean": 1, "max": 2, "min": 3}


@triton.jit
def _reduce(begin, source, weight, x, out, features, KIND: tl.constexpr, WEIGHTED: tl.constexpr,
            COLUMNS: tl.constexpr, EDGES: tl.constexpr):
    node = tl.program_id(0)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    first, last = tl.load(begin + node), tl.load(begin + node + 1)
    if KIND == 2:
        neutral = float("-inf")
    elif KIND == 3:
        neutral = float("inf")
    else:
        neutral = 0.0
    found = tl.full((EDGES, COLUMNS), neutral, tl.float32)
    for start in range(first, last, EDGES):
        edge = start + tl.arange(0, EDGES)
        is_edge = edge < last
        row = tl.load(source + edge, mask=is_edge, other=0).to(tl.int64)
        here = is_edge[:, None] & (column < features)[None, :]
        values = tl.load(x + row[:, None] * features + column[None, :], mask=here,
                         other=neutral)
        if WEIGHTED:
            values *= tl.load(weight + edge, mask=is_edge, other=0.0)[:, None]
        if KIND == 2:
            found = tl.maximum(found, values)
        elif KIND == 3:
            found = tl.minimum(found, values)
        else:
            found += values
    if KIND == 2:
        result = tl.max(found, 0)
    elif KIND == 3:
        result = tl.min(found, 0)
    else:
        result = tl.sum(found, 0)
    if KIND == 1:
        result = result / tl.maximum(last - first, 1).to(tl.float32)
    result = tl.where(last > first, result, 0.0)
    tl.store(out + node.to(tl.int64) * features + column, result, mask=column < features)


def reduce(kind, edges, x, out, weight=None):
    """Writes the reduction of a kind to `out`, [nodes, features] as x."""
    features = x.shape[1]
    columns = min(128, triton.next_power_of_2(features))
    grid = edges.nodes, triton.cdiv(features, columns)
    _reduce[grid](edges.begin, edges.src, x if weight is None else weight, x, out, features,
                  KIND=_KINDS[kind], WEIGHTED=weight is not None, COLUMNS=columns,
                  EDGES=max(8, min(128, 2048 // columns)), num_warps=4)
    return out
