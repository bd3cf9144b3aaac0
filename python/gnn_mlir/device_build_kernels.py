# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that build structures of graphs on a device, as a program of the compiler.

Few and general ones, which lib/Runtime/KernelLaunches.cpp, RadixSort.cpp and DeviceColumns.cpp
launch in blocks of 256 threads:

    keys     what edges and nodes are sorted by, which also says whose ids are wrong
    sums     sums over blocks of 2048 rows: of rows that differ from the one before, or of
             the pieces that groups are cut into
    scan     those sums before each row, made of the sums over blocks
    search   where groups begin in sorted keys
    starts   where each pair begins in sorted keys
    move     values through up to three arrays of indices, to places in order or others
    tiles    pieces of groups
    columns  ids of several types or relations, one behind another

and those of `device_sort_kernels`, which sort the keys.

All but `sums` and `scan` do up to SLOTS things of their kind in one launch, those of blocks
with one y each. Numbers are i64 in here and arrays i32. An array of ids is read as words:
`step` of them from one id to the next. All that is written has one writer, so what comes
out has the same bits each time.
"""

import functools

from .device_sort_kernels import sort_kernels
from .kernel_text import THREADS, Kernel

ROWS = 8  # Of a thread in `sums` and `scan`.
# Those of lib/Runtime/BuildKernels.h, which compares the number of arguments.
SLOTS = {"columns": 24, "keys": 6, "search": 4, "starts": 4, "move": 8, "tiles": 6}


def _weight(k, i):
    """What a row of `sums` and `scan` counts as. `kind` 0: 1 where it differs from
    the row before. Else a group, from its first element and the next one's: the
    pieces of `tile` elements that it is cut into; for 2 only where there are more
    elements, for 3 these elements."""
    def start():
        return k.choose(i.equals(0), lambda: 1, lambda: k.select(
            k.values[i].differs(k.values[i - 1]), 1, 0))

    def cut():
        length = k.values[i + 1] - k.values[i]
        pieces = (length + k.tile - 1) // k.tile
        is_long = k.tile < length
        kept = k.select(k.kind.equals(1) | is_long, pieces, 0)
        return k.select(k.kind.equals(3), k.select(is_long, length, 0), kept)
    return k.choose(i < k.count, lambda: k.choose(
        k.kind.equals(0), start, cut), lambda: 0)


def _keys(k, i):
    """base + the sum of the row's number and three columns times what they count: the key
    of an edge or a node. Where an id is not below its limit it is `refused`, which is more
    than all others. Self loops get the key `removed` where `loops` is 2, and all others
    `refused` where it is 1. A column with the limit 0 is not there."""
    key, good, ids = k.base + i * k.times, i < k.count, []
    for c in "abc":
        array, step, wide, limit, times = (getattr(k, c + part) for part in (
            "", "_step", "_wide", "_limit", "_times"))
        is_there = limit.differs(0)
        at = i * step
        low = k.choose(is_there, lambda: array[at], lambda: 0)
        high = k.choose(is_there & wide.differs(0), lambda: array[at + 1], lambda: 0)
        good = good & high.equals(0) & ((low < limit) | limit.equals(0))
        key, ids = key + low * times, [*ids, low]
    is_loop = ids[0].equals(ids[1])
    good = good & (k.loops.differs(1) | is_loop)
    key = k.select(k.loops.equals(2) & is_loop, k.removed, key)
    k.keys[i] = k.select(good, key, k.refused)


def _sums():
    k = Kernel("sums", "values partial", "count kind tile", shared=16)
    first = k.block * (THREADS * ROWS) + k.thread
    own = k.repeat(0, THREADS * ROWS, THREADS, 0,
                   lambda i, held: held + _weight(k, first + i))
    own = k.sum_of_warp(own)

    def write_warp():
        k.shared[k.thread // 32] = own
    k.when((k.thread % 32).equals(0), write_warp)
    k.barrier()

    def write():
        k.partial[k.block] = k.repeat(0, THREADS // 32, 1, 0,
                                      lambda i, held: held + k.shared[i])
    k.when(k.thread.equals(0), write)
    return k


def _scan():
    """out[i] is the sum before row i, out[count] that of all; `total`, on the host, too
    where `reports`."""
    k = Kernel("scan", "values partial out total", "count kind tile reports", shared=16)
    warp, lane, rows = k.thread // 32, k.thread % 32, 32 * ROWS  # Of a warp.
    before = k.repeat(k.thread, k.block, THREADS, 0, lambda i, held: held + k.partial[i])
    first = k.block * (THREADS * ROWS) + warp * rows + lane
    own = k.repeat(0, rows, 32, 0, lambda i, held: held + _weight(k, first + i))
    before, own = k.sum_of_warp(before), k.sum_of_warp(own)

    def write_warp():
        k.shared[warp] = own
        k.shared[warp + 8] = before
    k.when(lane.equals(31), write_warp)
    k.barrier()
    start = k.repeat(0, 8, 1, 0, lambda i, held: held + k.shared[i + 8] + k.choose(
        i < warp, lambda: k.shared[i], lambda: 0))

    def write(i, held):
        row, weight = first + i, _weight(k, first + i)
        up = k.sum_up_warp(weight)
        here = held + up - weight

        def store():
            k.out[row] = here
        k.when(row <= k.count, store)

        def report():
            k.total[0] = here
        k.when(row.equals(k.count) & k.reports.differs(0), report)
        return held + k.shuffle("idx", up, 31)
    k.repeat(0, rows, 32, start, write)
    return k


def _search(k, i):
    """For each group, how many of `size` keys are below first + group * step: `at`, and
    how many different ones of them there are by `sums`: `number`. Each where asked for."""
    wanted = k.first + i * k.step
    found = k.bisect(k.size, lambda row: k.keys[row] < wanted)

    def write_at():
        k.at[i] = found

    def write_number():
        k.number[i] = k.sums[found] - k.sums[0]
    k.when(k.wants_at.differs(0), write_at)
    k.when(k.wants_number.differs(0), write_number)


def _starts(k, i):
    """The first row of each pair, and behind them the number of rows, which is one less
    than `count`."""
    here = k.sums[i]
    after = k.choose(i + 1 < k.count, lambda: k.sums[i + 1], lambda: here + 1)

    def store():
        k.out[here - k.sums[0]] = i
    k.when(here < after, store)


def _move(k, i):
    """out[place(i)] = c(b(a(i))), where each gives array[i * step] - less, or i where the
    step is 0; then times a number, or what dividing by it gives or leaves; then `plus`."""
    def through(name, value):
        array, step, less = (getattr(k, name + part) for part in ("", "_step", "_less"))
        return k.choose(step.equals(0), lambda: value,
                        lambda: array[value * step] - less)

    value = through("c", through("b", through("a", i)))
    value = k.choose(k.how.equals(0), lambda: value, lambda: k.choose(
        k.how.equals(1), lambda: value * k.by, lambda: k.choose(
            k.how.equals(2), lambda: value // k.by, lambda: value % k.by)))
    k.out[through("place", i)] = value + k.plus


def _tiles(k, i):
    group = k.bisect(k.groups, lambda g: k.first[g] <= i) - 1
    begin = k.rows[group] + (i - k.first[group]) * k.tile
    k.out[i * 3] = group
    k.out[i * 3 + 1] = begin
    k.out[i * 3 + 2] = (begin + k.tile).least(k.rows[group + 1])


def _columns(k, i):
    """base + an id, or -1 where it is not below its limit; base where the limit is -1, which
    means that there are no ids."""
    is_there = k.limit.differs(-1)
    low = k.choose(is_there, lambda: k.ids[i * k.step], lambda: 0)
    high = k.choose(is_there & k.wide.differs(0), lambda: k.ids[i * k.step + 1], lambda: 0)
    good = (high.equals(0) & (low < k.limit)) | k.limit.equals(-1)
    k.out[i] = k.select(good, k.base + low, -1)


@functools.lru_cache(maxsize=None)
def text():
    """The module of all kernels."""
    columns = " ".join(f"{c}_step {c}_wide {c}_limit {c}_times" for c in "abc")

    def slotted(name, arrays, numbers, body):
        return Kernel(name, arrays, numbers, body, SLOTS[name])

    steps = " ".join(f"{c}_step {c}_less" for c in ("place", "a", "b", "c"))
    kernels = [
        slotted("keys", "keys a b c", "count base times removed refused loops " + columns,
                _keys),
        *sort_kernels(), _sums(), _scan(),
        slotted("search", "keys sums at number", "count size first step wants_at "
                "wants_number", _search),
        slotted("starts", "sums out", "count", _starts),
        slotted("move", "out place a b c", "count how by plus " + steps, _move),
        slotted("tiles", "rows first out", "count groups tile", _tiles),
        slotted("columns", "out ids", "count base step wide limit", _columns)]
    return "\n".join(["module attributes {gpu.container_module} {",
                      "gpu.module @structures {", *(one.text() for one in kernels), "}",
                      "}"])
