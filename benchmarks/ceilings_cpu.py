# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ceilings of the cores of this machine: torch's copies and a large product of it, and sums of
gathered rows, by torch (`embedding_bag`) or this compiler, whichever is faster. ceilings.py makes
figures of them.

Threads are torch's, which OMP_NUM_THREADS sets.
"""

import ctypes
import os
import pathlib
import time

import numpy as np
import torch
from torch.nn import functional

import gnn_mlir
from ceilings import summarize
from ceilings_walks import drawn, sum_of_sources
from gnn_mlir import capi
from race import processor

CACHES = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")
UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}


def last_cache(folder=CACHES):
    """Bytes of the last cache of the first core."""
    levels = [(int((cache / "level").read_text()), (cache / "size").read_text().strip())
              for cache in folder.glob("index*")]
    if not levels:
        raise SystemExit(f"expected caches in {folder}, got none")
    _, size = max(levels)
    return int(size.rstrip("KMG")) * UNITS.get(size[-1], 1)


def keep_memory():
    """Memory that glibc frees stays with the process, so that times are those of kernels, not of
    pages that the system clears."""
    trim_threshold, mmap_max = -1, -4
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(trim_threshold, 2**31 - 1)
        mallopt(mmap_max, 0)


class CPU:
    """All cores that torch uses; otherwise as ceilings_gpu.GPU."""

    target, chip = "cpu", "cpu"
    BAG = 64  # rows that are summed before a row is written

    def __init__(self, runs=11, gathered=2**30):
        keep_memory()
        self.runs, self.gathered = runs, gathered
        self.title, self.processors = processor(), torch.get_num_threads()
        self.l2_bytes = last_cache()
        self.place = capi.Device.cpu(self.processors)
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self.largest_table = min(2**32, 2 ** (memory // 8).bit_length() // 2)
        self._table = None

    def about(self):
        return {"device": self.title, "threads": self.processors,
                "torch": torch.__version__, "last cache": f"{self.l2_bytes / 2**20:.0f} MiB"}

    def inputs(self, arrays):
        return {name: torch.as_tensor(array) for name, array in arrays.items()}

    def warm(self):
        end = time.perf_counter() + 1
        while time.perf_counter() < end:
            self.flops(512)

    def check(self):
        """Nothing: tests check torch's kernels and those of this compiler."""

    def times(self, run, before=lambda: None):
        """The time of each run by the clock of the host. `before` comes first each time and is not
        timed."""
        found = []
        for number in range(self.runs + 2):
            before()
            begin = time.perf_counter()
            run()
            if number >= 2:
                found.append(time.perf_counter() - begin)
        return found

    def seconds(self, run, cold=False):
        """Times of a run of a bound function; `cold`: with nothing of it in the caches."""
        if not cold:
            begin = time.perf_counter()
            run()
            count = max(1, min(20, int(0.02 / (time.perf_counter() - begin))))

            def repeated():
                for _ in range(count):
                    run()
            return [t / count for t in self.times(repeated)]
        other = torch.empty(4 * self.l2_bytes, dtype=torch.uint8)
        return self.times(run, before=lambda: other.fill_(1))

    def copy(self):
        """Bytes read and written, and times."""
        size = min(self.largest_table // 2, max(8 * self.l2_bytes, 2**28))
        source = torch.rand(size // 4)
        target = torch.empty_like(source)
        return 2 * size, self.times(lambda: target.copy_(source))

    def gather(self, table_bytes, row_bytes):
        """Bytes of rows in random order, and times, of the faster of both kernels."""
        if self._table is None:
            self._table = torch.rand(self.largest_table // 4)
        table = self._table[:table_bytes // 4].view(-1, row_bytes // 4)
        count = min(2**23, self.gathered // row_bytes)
        begins = np.arange(0, count, self.BAG, dtype=np.int32)
        graph = drawn(len(table), np.repeat(np.arange(len(begins)), self.BAG))
        bound = gnn_mlir.compile(sum_of_sources(row_bytes // 4), target="cpu",
                                 graph=graph).bind(graph, self.place)
        ids, begins = torch.tensor(graph.edge_src.astype(np.int32)), torch.tensor(begins)
        runs = (lambda: functional.embedding_bag(ids, table, begins, mode="sum"),
                lambda: bound({"x": table}))
        return count * row_bytes, min(map(self.times, runs),
                                      key=lambda times: summarize(times)[0])

    def flops(self, size=4096):
        """Operations of a product of two matrices, and times."""
        a, b = torch.rand(size, size), torch.rand(size, size)
        out = torch.empty_like(a)
        return 2.0 * size**3, self.times(lambda: torch.mm(a, b, out=out))

    product_flops = flops
