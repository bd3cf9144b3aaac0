# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that sort keys and tell where each was, which lib/Runtime/RadixSort.cpp launches.

A stable radix sort from the lowest digit, of 8 bits, to the highest. Keys lie in segments,
each of which is sorted by itself, by how much its keys are above a least one; up to SLOTS
segments are sorted by one launch, those of blocks with one y each. A block has a tile of
TILE keys of its segment. For each digit there are up to three launches:

    digits   for each tile and digit the keys with that digit: counts[digit][tile]
    places   these counts summed up over the tiles before, and behind them over all tiles
    scatter  the keys, and the places that they had, in the order of their digits

A segment of one tile needs `scatter` alone, and one of up to FEW no `places`. A tile is
sorted in the memory of its block and then written: neighbours of one digit side by side.
Places come from counts alone, so the result is one; words of the block's memory are added
to by several threads where the sum is all that matters, and else by one of a warp at a
time. """

from kernel_text import THREADS, Kernel, constants_of, slots_of

TILE, BITS, FEW = constants_of("lib/Runtime/RadixSort.cpp", "kTile", "kBits", "kFew")
(SLOTS,) = set(dict(slots_of("digits", "places", "scatter")).values())

DIGITS, WARPS = 1 << BITS, THREADS // 32
ROWS = TILE // THREADS  # The rows of a thread, 32 apart.
_SEGMENT = "size begin base shift counts_at"
assert DIGITS == THREADS


def _tiles(k):
    """The tiles of the block's segment."""
    return (k.size + (TILE - 1)) // TILE


def _digit(k, key):
    return ((key - k.base.narrow()) >> k.shift.narrow()) & (DIGITS - 1)


def _digits():
    k = Kernel("digits", "keys counts", of_slots=_SEGMENT, slots=SLOTS, shared=DIGITS)
    first = k.block * TILE

    def count():
        k.shared[k.thread] = 0
        k.barrier()
        places = [first + (k.thread + row * THREADS) for row in range(ROWS)]
        keys = [k.keys.word(k.begin + place.least(k.size - 1)) for place in places]
        for place, key in zip(places, keys):
            k.when(place < k.size, lambda key=key: k.shared.add_atomically(
                _digit(k, key), 1))
        k.barrier()
        k.counts[k.counts_at + k.thread * _tiles(k) + k.block] = k.shared.word(k.thread)
    k.when(first < k.size, count)
    return k


def _places():
    """A warp for a digit. A lane takes four tiles at a time."""
    k = Kernel("places", "counts", of_slots=_SEGMENT, slots=SLOTS)
    lane, tiles = k.thread % 32, _tiles(k)
    digit = k.block * WARPS + k.thread // 32
    row = k.counts_at + digit * tiles

    def add(first, before):
        first = first + lane * 4
        counts = [k.choose(first + i < tiles, lambda i=i: k.counts[row + first + i],
                           lambda: 0) for i in range(4)]
        own = counts[0] + counts[1] + counts[2] + counts[3]
        up = k.sum_up_warp(own)
        here = before + up - own
        for i, count in enumerate(counts):
            def store(i=i, here=here):
                k.counts[row + first + i] = here
            k.when(first + i < tiles, store)
            here = here + count
        return before + k.shuffle("idx", up, 31)
    total = k.repeat(0, tiles, 128, 0, add)

    def store():
        k.counts[k.counts_at + tiles * DIGITS + digit] = total
    k.when(lane.equals(0), store)
    return k


def _counted(k, own):
    """The keys of the thread's digit in tiles before, and in all; `own` are in this one."""
    tiles = _tiles(k)
    row = k.counts_at + k.thread * tiles

    def add_up(first, last):
        return k.repeat(first, last, 1, 0, lambda tile, held: held + k.counts[row + tile])
    is_few, is_alone = tiles <= FEW, tiles.equals(1)
    before = k.choose(is_alone, lambda: k.value(0, "i32"), lambda: k.choose(
        is_few, lambda: add_up(0, k.block).narrow(), lambda: k.counts.word(row + k.block)))
    total = k.choose(is_alone, lambda: own, lambda: k.choose(
        is_few, lambda: before + add_up(k.block, tiles).narrow(),
        lambda: k.counts.word(k.counts_at + tiles * DIGITS + k.thread)))
    return before, total


# Words of the memory of a block of `scatter`.
_COUNTERS = 0  # [warp][digit]
_KEYS = _COUNTERS + WARPS * DIGITS
_FROM = _KEYS + TILE
_BEFORE = _FROM + TILE  # [digit]
_SUMS = _BEFORE + DIGITS


def _scatter():
    k = Kernel("scatter", "keys order keys_out order_out counts", of_slots=_SEGMENT,
               slots=SLOTS, shared=_SUMS + 2 * WARPS, resident=4)
    k.when(k.block * TILE < k.size, lambda: _scatter_tile(k))
    return k


def _scatter_tile(k):
    thread, lane = k.thread.narrow(), (k.thread % 32).narrow()
    first, size = (k.block * TILE).narrow(), k.size.narrow()
    warp, is_first = (k.thread // 32).narrow(), k.shift.equals(0)
    counters = warp * DIGITS + _COUNTERS
    rows = [first + warp * (32 * ROWS) + 32 * row for row in range(ROWS)]  # The rows of a warp.
    # All loads are on their way at once; behind the last key it is read again.
    places = [(row + lane).least(size - 1) for row in rows]
    keys = [k.keys.word(k.begin + place.wide()) for place in places]
    froms = k.choose(is_first, lambda: places, lambda: [
        k.order.word(k.begin + place.wide()) for place in places])

    for other in range(WARPS):
        k.shared[thread + (_COUNTERS + other * DIGITS)] = 0
    k.barrier()
    for row, key in zip(rows, keys):
        k.when(row + lane < size, lambda key=key: k.shared.add_atomically(
            counters + _digit(k, key), 1))
    k.barrier()

    # Where each warp's keys of the thread's digit begin in the tile, and how much further
    # on in the segment those of the digit are.
    own = k.shared.word(thread + _COUNTERS)
    for other in range(1, WARPS):
        own = own + k.shared.word(thread + (_COUNTERS + other * DIGITS))
    before, total = _counted(k, own)
    up = [k.sum_up_warp(value) for value in (own, total)]

    def write_warp():
        for i, value in enumerate(up):
            k.shared[warp + (_SUMS + i * WARPS)] = value
    k.when(lane.equals(31), write_warp)
    k.barrier()
    start, place = (value - of + k.repeat(
        0, k.thread // 32, 1, 0, lambda other, held, i=i: held + k.shared[
            other + (_SUMS + i * WARPS)]).narrow()
        for i, (value, of) in enumerate(zip(up, (own, total))))
    k.shared[thread + _BEFORE] = place + before - start
    for other in range(WARPS):
        counter = thread + (_COUNTERS + other * DIGITS)
        count = k.shared.word(counter)
        k.shared[counter] = start
        start = start + count
    k.barrier()

    for row, key, at in zip(rows, keys, froms):
        def place_row(row=row, key=key, at=at):
            is_there, digit = row + lane < size, _digit(k, key)
            peers = k.ballot(is_there)  # Lanes with the same digit.
            for bit in range(BITS):
                is_set = (digit & (1 << bit)).differs(0)
                lanes = k.ballot(is_set)
                peers = peers & k.select(is_set, lanes, lanes ^ -1)
            last = k.highest_bit(peers)
            found = k.choose(is_there & last.equals(lane), lambda: (
                k.shared.add_atomically(counters + digit, k.bits_in(peers))),
                lambda: k.value(0, "i32"))
            below = (k.value(1, "i32") << lane) - 1
            found = k.shuffle("idx", found, last) + k.bits_in(peers & below)

            def store():
                k.shared[found + _KEYS] = key
                k.shared[found + _FROM] = at
            k.when(is_there, store)
            # Another lane may add to the counter in the next row: neither ballots nor
            # shuffles order accesses to memory.
            k.barrier_of_warp()
        k.when(row < size, place_row)
    k.barrier()

    for row in range(ROWS):
        def write(i=thread + row * THREADS):
            key = k.shared.word(i + _KEYS)
            to = k.begin + (k.shared.word(_digit(k, key) + _BEFORE) + i).wide()
            k.keys_out[to] = key
            k.order_out[to] = k.shared.word(i + _FROM)
        k.when(first + (thread + row * THREADS) < size, write)


def sort_kernels():
    return [_digits(), _places(), _scatter()]
