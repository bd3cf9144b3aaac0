# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels are held against on a GPU: the limit, a gather of the same rows in the same order,
which writes nothing; and the same gather beside blocks that read and write in order what the op
does, since memory that is read at its full rate takes longer for a byte that is written in between
than a copy does (benchmarks/results/2026-11-29-h200-cache-policies.md). The kernels are those of
benchmarks/ceilings_gpu.py, and they are frozen: results with others are not comparable."""

import hashlib
import itertools

import torch

import ceilings_gpu
from ceilings import summarize

# The first digits of the SHA-256 of their sources.
FROZEN = {"GATHER": "3c398ec3660d07b6", "STREAMS": "08a1a7d77a3820a4"}
_UNROLLS = (4, 8, 16)
_BATCH = 32 * max(_UNROLLS)
_GATHERING = (8, 2)  # Blocks that gather beside one that reads and writes in order.
NARROWEST, WIDEST = 2, 1024  # Features of the rows that it can gather.


def check():
    """Raises where a kernel is another one."""
    for name, expected in FROZEN.items():
        source = getattr(ceilings_gpu, name).encode()
        if (found := hashlib.sha256(source).hexdigest()[:len(expected)]) != expected:
            raise SystemExit(f"expected the kernel {name} of hash {expected}, got {found}: a limit "
                             "does not change (benchmarks/sparse/limit.py)")


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
        if not (way := self._way(columns, least)):
            return None, {"skipped": f"no gather of {columns} floats"}
        passes = self._passes(self._table(columns, table), **way)
        return lambda: _all(passes), dict(way)

    def beside(self, columns, least, read, written, table=None):
        """The same beside so many bytes that are read and written in order, each tile's share of
        them, by the faster of two shares of the blocks. Its result is checked."""
        if not (way := self._way(columns, least)):
            return None, {"skipped": f"no gather of {columns} floats"}
        table, count, found = self._table(columns, table), columns // way["tile"], []
        streams = [torch.full((max(1, size // 4 // count),), value, device=self.edges.device)
                   for size, value in ((read, 0.0), (written, float("nan")))]
        vectors = streams[1].numel() // 4
        for blocks in _GATHERING:
            passes = self._passes(table, **way, streams=(*streams, blocks))
            self._check(passes, table, way)
            if (there := int(streams[1].isfinite().sum()) // 4) != vectors:
                raise AssertionError(f"a gather of {columns} floats: expected {vectors} vectors "
                                     f"that are written, got {there}")
            streams[1].fill_(float("nan"))
            found.append((elapsed(lambda: _all(passes)), blocks, passes))
        _, blocks, passes = min(found, key=lambda one: one[:2])
        return lambda: _all(passes), {**way, "gathering": blocks}

    def _table(self, columns, table):
        return torch.rand(self.edges.nodes, columns, device=self.edges.device) if (
            table is None) else table

    def _way(self, columns, least):
        """The tile and the rows in flight of the fastest; None where there is no gather."""
        if columns & (columns - 1) or not NARROWEST <= columns <= WIDEST:
            return None
        key = columns, least
        if key not in self._best:
            self._best[key] = self._fastest(columns, least)
        return self._best[key]

    def _passes(self, table, tile, unroll, streams=None):
        """(sums, what computes them) of each tile."""
        return [self.gpu.gathering(table[:, first:], self._ids, 4 * tile, unroll,
                                   4 * table.shape[1], streams)
                for first in range(0, table.shape[1], tile)]

    def _check(self, passes, table, way):
        """Raises where the sums are others."""
        for out, _ in passes:
            out.fill_(float("nan"))
        _all(passes)
        got = sum(float(out.double().sum()) for out, _ in passes)
        expected = float(table.sum(1, dtype=torch.float64) @ self._reads)
        size = float(table.norm(p=1, dim=1, dtype=torch.float64) @ self._reads)
        if not abs(got - expected) <= 1e-5 * size:
            raise AssertionError(f"a gather of {way['tile']} of {table.shape[1]} floats, "
                                 f"{way['unroll']} in flight: expected a sum of {expected}, got "
                                 f"{got}")

    def _fastest(self, columns, least):
        """The best of all ways, each of which is checked."""
        table, found = self._table(columns, None), []
        for tile, unroll in itertools.product(tiles(columns, least), _UNROLLS):
            passes, way = self._passes(table, tile, unroll), {"tile": tile, "unroll": unroll}
            self._check(passes, table, way)
            found.append((elapsed(lambda: _all(passes)), len(found), passes, way))
        finalists = ((summarize(self.gpu.times(lambda: _all(passes)))[0], number, way)
                     for _, number, passes, way in sorted(found, key=lambda one: one[:2])[:3])
        return min(finalists, key=lambda one: one[:2])[2]
