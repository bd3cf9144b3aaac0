# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The limit that kernels are held against on a GPU: a gather of the same rows in the same order,
which writes nothing. The kernel is that of benchmarks/ceilings_gpu.py, and it is frozen: results
with another one are not comparable."""

import hashlib
import itertools

import torch

import ceilings_gpu
from ceilings import summarize

# The first digits of the SHA-256 of its source.
FROZEN = "3c398ec3660d07b6"
_UNROLLS = (4, 8, 16)
_BATCH = 32 * max(_UNROLLS)
NARROWEST, WIDEST = 2, 1024  # Features of the rows that it can gather.


def digest():
    return hashlib.sha256(ceilings_gpu.GATHER.encode()).hexdigest()[:len(FROZEN)]


def check():
    """Raises where the kernel is another one."""
    if digest() != FROZEN:
        raise SystemExit(f"expected the gather of hash {FROZEN}, got {digest()}: a limit does not "
                         "change (benchmarks/sparse/limit.py)")


def tiles(columns, least):
    """The widths of column tiles that are tried: powers of two times `least`, of rows of 64
    bytes and more, of 128 where there are many."""
    narrowest = min(columns, 16 if columns <= 128 else 32)
    return [least << n for n in range(11) if narrowest <= least << n <= columns]


def elapsed(run):
    """Milliseconds of one run."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    run()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


def _all(passes):
    for _, run in passes:
        run()


class Limit:
    """Gathers of the rows that the edges of a graph lead to, a launch a tile of columns."""

    def __init__(self, edges, gpu=None):
        """`gpu` is torch's current one by ceilings_gpu.GPU."""
        check()
        self.gpu = gpu or ceilings_gpu.GPU(runs=5)
        self.edges, self._best = edges, {}
        padding = -edges.count % _BATCH
        self._ids = torch.cat([edges.src, edges.src.new_zeros(padding)])
        # How often each row is read.
        self._reads = torch.bincount(self._ids, minlength=edges.nodes).double()

    def copy(self):
        """Bytes a second that a large copy reads and writes."""
        size, times = self.gpu.copy()
        return size / summarize(times)[0]

    def empty(self):
        """A function that launches a kernel that does nothing."""
        kernel = self.gpu.kernel("empty")
        return lambda: kernel(1, 32)

    def best(self, columns, least=1, table=None):
        """The function that gathers that many floats of each row, of `table` where it is given, the
        fastest, and what it is; tiles are multiples of `least` floats. (None, why) where the kernel
        has no such rows."""
        if columns & (columns - 1) or not NARROWEST <= columns <= WIDEST:
            return None, {"skipped": f"no gather of {columns} floats"}
        key = columns, least
        if key not in self._best:
            self._best[key] = self._fastest(columns, least)
        if table is None:
            table = torch.rand(self.edges.nodes, columns, device=self.edges.device)
        passes = self._passes(table, **self._best[key])
        return lambda: _all(passes), dict(self._best[key])

    def _passes(self, table, tile, unroll):
        """(sums, what computes them) of each tile."""
        return [self.gpu.gathering(table[:, first:], self._ids, 4 * tile, unroll,
                                   4 * table.shape[1])
                for first in range(0, table.shape[1], tile)]

    def _fastest(self, columns, least):
        """The best of all ways, each of which is checked."""
        table, found = torch.rand(self.edges.nodes, columns, device=self.edges.device), []
        expected = float(table.sum(1, dtype=torch.float64) @ self._reads)
        for tile, unroll in itertools.product(tiles(columns, least), _UNROLLS):
            passes = self._passes(table, tile, unroll)
            for out, _ in passes:
                out.fill_(float("nan"))
            _all(passes)
            got = sum(float(out.double().sum()) for out, _ in passes)
            if not abs(got - expected) <= 1e-5 * expected:
                raise AssertionError(f"a gather of {tile} of {columns} floats, {unroll} in "
                                     f"flight: expected a sum of {expected}, got {got}")
            found.append((elapsed(lambda: _all(passes)), len(found), passes,
                          {"tile": tile, "unroll": unroll}))
        finalists = ((summarize(self.gpu.times(lambda: _all(passes)))[0], number, way)
                     for _, number, passes, way in sorted(found, key=lambda one: one[:2])[:3])
        return min(finalists, key=lambda one: one[:2])[2]
