# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that build structures of graphs on a device, as a program of the compiler.

    python lib/Runtime/Kernels/build_kernels.py > structures.mlir

The build makes a package of them, which libGNN and libGNNRuntime hold.

Few and general ones, which lib/Runtime/KernelLaunches.cpp, RadixSort.cpp and DeviceColumns.cpp
launch in blocks of 256 threads:

    keys     what edges and nodes are sorted by, which also says whose ids are wrong
    sums     sums over blocks of 2048 rows: of rows that differ from the one before, of the
             pieces that groups are cut into, of groups that a list has, or of ids that are
             less than the one before
    scan     those sums before each row, made of the sums over blocks
    search   where groups begin in sorted keys
    starts   where each pair begins in sorted keys
    move     values through up to three arrays of indices, to places in order or others
    tiles    pieces of groups
    groups   lists of groups, and marks at the last element of each
    shares   equal shares of the elements of all groups
    schema   whether the type of each edge has the node types of its ends
    degrees  how far the elements of each group are from the most there may be
    columns  ids of several types or relations, one behind another

and those of `sort_kernels`, which sort the keys.

Each does up to SLOTS things of its kind in one launch, those of blocks with one y each.
Numbers are i64 in here and arrays i32. An array of ids is read as words: `step` of them from
one id to the next. All that a launch writes has one writer, so what comes out has the same
bits each time.
"""

import functools

from kernel_text import THREADS, Kernel, constants_of, enum_of, slots_of
from share_layout import (CROSSES, FIELDS, HAS_TAIL, INSIDE, PADDING, SHARE, TOP, TURN, WHOLE,
                          pieces, place_of_word)
from sort_kernels import sort_kernels

# The rows of a thread in `sums` and `scan`, what these count, and what `move` and `groups` do.
ROWS, = constants_of("lib/Runtime/KernelLaunches.cpp", "kRowsOfThread")
WEIGHT = enum_of("lib/Runtime/GraphBuild.h", "Differs")
HOW = enum_of("lib/Runtime/GraphBuild.h", "kAsItIs")
LIST = enum_of("lib/Runtime/GraphGroups.cpp", "kFilled")
# By names, those of BuildKernels.h.
SLOTS = dict(slots_of("keys", "sums", "scan", "search", "starts", "move", "tiles", "groups",
                      "shares", "schema", "degrees", "columns"))


def _weights(k, first, step, counts_falls=False):
    """The numbers that ROWS rows of `sums` and `scan` count as, which are `step` apart, by
    `kind`, a Weight of GraphBuild.h. Differs: 1 where a row differs from the row before. Pieces
    to Cut: a group, from its first element and the next one's. Pieces: those of `tile` elements
    that it is cut into; LongPieces: these where there are more elements; LongElements: the
    elements then; Filled: 1 where it has elements; Cut: 1 where it has none, or lies in several
    blocks of `tile` elements. Border: a border of blocks of `tile` rows, 1 where it is the first
    inside of rows that are equal. With `counts_falls` Falls: an id, 1 where the next one, `tile`
    words on, is less."""
    rows = [first + step * row for row in range(ROWS)]
    is_start, is_border = k.kind.equals(WEIGHT.Differs), k.kind.equals(WEIGHT.Border)
    is_fall = k.kind.equals(WEIGHT.Falls) if counts_falls else None

    def read(places):
        return k.values.read(lambda values: [values[place] for place in places])

    def weights():
        # All loads are on their way at once; behind the last row it is read again.
        stride = k.select(is_border | is_fall if counts_falls else is_border, k.tile, 1)
        own = [i.least(k.count - 1) for i in rows]
        at = [i * stride for i in own]
        values = read(at + [
            k.select(is_start | is_border, k.select(i.equals(0), 0, place - 1),
                     place + (stride if counts_falls else 1))
            for i, place in zip(own, at)])
        pairs = list(zip(values, values[ROWS:]))

        def starts():
            return [k.select(i.equals(0) | here.differs(before), 1, 0)
                    for i, (here, before) in zip(own, pairs)]

        def borders():
            earlier = read([k.select(i < 2, 0, place - k.tile - 1)
                            for i, place in zip(own, at)])
            return [k.select(i.equals(0) | here.differs(before), 0, k.select(
                i.equals(1) | here.differs(other), 1, 0))
                for i, (here, before), other in zip(own, pairs, earlier)]

        def filled():
            return [k.select(begin < end, 1, 0) for begin, end in pairs]

        def falls():
            return [k.select(after < here, 1, 0) for here, after in pairs]

        def cut():
            return [k.select(begin < end, (begin // k.tile).differs(
                (end - 1) // k.tile).wide(), 1) for begin, end in pairs]

        def pieces():
            found = []
            for begin, end in pairs:
                length, is_long = end - begin, k.tile < end - begin
                number = k.select(is_long | k.kind.equals(WEIGHT.Pieces),
                                  (length + k.tile - 1) // k.tile, 0)
                found.append(k.select(k.kind.equals(WEIGHT.LongElements),
                                      k.select(is_long, length, 0), number))
            return found
        def others():
            return k.choose(is_start, starts, lambda: k.choose(
                k.kind.equals(WEIGHT.Filled), filled, lambda: k.choose(
                    is_border, borders, lambda: k.choose(k.kind < WEIGHT.Filled, pieces, cut))))
        found = k.choose(is_fall, falls, others) if counts_falls else others()
        return [k.select(i < k.count, weight, 0) for i, weight in zip(rows, found)]
    return k.choose(k.count < 1, lambda: [0] * ROWS, weights)


def _keys(k, i):
    """base + the sum of the row's number and three columns times what they count: the key
    of an edge or a node. Which of `ranges`, if there are some, of so many nodes the row's
    number, the first or the second id is in, by `range_of` 0 to 2, counts too. Where an id is not below its limit it is `refused`, which is more
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
    node = k.select(k.range_of.equals(0), i, k.select(k.range_of.equals(1), *ids[:2]))
    key = key + k.choose(k.ranges.differs(0), lambda: (
        node * k.ranges // k.range_nodes) * k.range_times, lambda: 0)
    is_loop = ids[0].equals(ids[1])
    good = good & (k.loops.differs(1) | is_loop)
    key = k.select(k.loops.equals(2) & is_loop, k.removed, key)
    k.keys[i] = k.select(good, key, k.refused)


def _sum(values):
    return functools.reduce(lambda a, b: a + b, values)


def _sums():
    k = Kernel("sums", of_slots="count kind tile", arrays_of_slots="values partial",
               slots=SLOTS["sums"], shared=16)
    k.when(k.block * (THREADS * ROWS) <= k.count, lambda: _sum_block(k))
    return k


def _sum_block(k):
    own = k.sum_of_warp(_sum(_weights(k, k.block * (THREADS * ROWS) + k.thread, THREADS,
                                        counts_falls=True)))

    def write_warp():
        k.shared[k.thread // 32] = own
    k.when((k.thread % 32).equals(0), write_warp)
    k.barrier()

    def write():
        k.partial[k.block] = k.repeat(0, THREADS // 32, 1, 0,
                                      lambda i, held: held + k.shared[i])
    k.when(k.thread.equals(0), write)


def _scan():
    """out[i] is the sum before row i, out[count] that of all; `total`, on the host, too
    where `reports`."""
    k = Kernel("scan", of_slots="count kind tile reports",
               arrays_of_slots="values partial out total", slots=SLOTS["scan"], shared=16)
    k.when(k.block * (THREADS * ROWS) <= k.count, lambda: _scan_block(k))
    return k


def _scan_block(k):
    warp, lane = k.thread // 32, k.thread % 32
    before = k.partial.read(lambda partial: k.repeat(
        k.thread, k.block, THREADS, 0, lambda i, held: held + partial[i]))
    first = k.block * (THREADS * ROWS) + warp * (32 * ROWS) + lane
    weights = _weights(k, first, 32)
    before, own = k.sum_of_warp(before), k.sum_of_warp(_sum(weights))

    def write_warp():
        k.shared[warp] = own
        k.shared[warp + 8] = before
    k.when(lane.equals(31), write_warp)
    k.barrier()
    held = k.repeat(0, 8, 1, 0, lambda i, held: held + k.shared[i + 8] + k.choose(
        i < warp, lambda: k.shared[i], lambda: 0))

    places = []
    for weight in weights:
        up = k.sum_up_warp(weight)
        places.append(held + up - weight)
        held = held + k.shuffle("idx", up, 31)
    rows = [first + 32 * row for row in range(ROWS)]
    for row, place in zip(rows, places):
        k.when(row <= k.count, lambda row=row, place=place: k.out.__setitem__(row, place))

        def report(place=place):
            k.total[0] = place
        k.when(row.equals(k.count) & k.reports.differs(0), report)


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
    step is 0; then times a number, or what dividing by it gives or leaves; then `plus`. The
    place is that of a word of a stream where its step is -1."""
    def through(name, value):
        array, step, less = (getattr(k, name + part) for part in ("", "_step", "_less"))
        return k.choose(step.equals(0), lambda: value,
                        lambda: array[value * step] - less)

    def place():
        return k.choose(k.place_step.equals(-1), lambda: place_of_word(i),
                        lambda: through("place", i))

    value = through("c", through("b", through("a", i)))
    value = k.choose(k.how.equals(HOW.kAsItIs), lambda: value, lambda: k.choose(
        k.how.equals(HOW.kTimes), lambda: value * k.by, lambda: k.choose(
            k.how.equals(HOW.kDivided), lambda: value // k.by, lambda: value % k.by)))
    k.out[place()] = value + k.plus


def _tiles(k, i):
    group = k.bisect(k.groups, lambda g: k.first[g] <= i) - 1
    begin = k.rows[group] + (i - k.first[group]) * k.tile
    k.out[i * 3] = group
    k.out[i * 3 + 1] = begin
    k.out[i * 3 + 2] = (begin + k.tile).least(k.rows[group + 1])


def _groups(k, i):
    """By `kind`, kFilled: the groups that have elements, then zeros; `first` says how many come
    before each. kAll: the same where all have some. kCutRows: those that have none or lie in
    several blocks, with their pieces. kCutPairs: the same where all have some; `i` is a border of
    blocks, and `first` says how many groups have their first border before it. kEnds: the top bit
    of `out` at the last element of each group, and zeros behind all elements."""
    def list_filled():
        here = k.first[i.least(k.groups)]

        def store():
            k.out[here] = i
        k.when((i < k.groups) & (here < k.first[(i + 1).least(k.groups)]), store)

        def store_zero():
            k.out[i] = 0
        k.when(k.first[k.groups] <= i, store_zero)

    def list_all():
        k.out[i] = k.select(i < k.groups, i, 0)

    def list_cut():
        here = k.first[i]

        def store():
            group = k.choose(k.kind.equals(LIST.kCutRows), lambda: i, lambda: k.bisect(
                k.groups, lambda g: k.rows[g + 1] <= i * k.block_size))
            begin, end = k.rows[group], k.rows[group + 1]
            k.out[here * 3] = group
            for place, piece in enumerate(pieces(begin, end, k.block_size)):
                k.out[here * 3 + place + 1] = k.select(begin < end, piece, 0)
        k.when(here < k.first[i + 1], store)

    def mark():
        end = k.rows[i + 1]

        def store():
            at = place_of_word(end - 1)
            k.out[at] = k.out.word(at) | TOP
        k.when(k.rows[i] < end, store)

    def store_zero():
        count = k.rows[k.groups]
        at, whole = count + i - k.groups, (count + PADDING) // TURN * TURN
        k.out[k.choose(at < whole, lambda: place_of_word(at), lambda: at)] = 0

    def end_stream():
        k.when(i < k.groups, mark)
        k.when(k.groups <= i, store_zero)
    k.when(k.kind.equals(LIST.kFilled), list_filled)
    k.when(k.kind.equals(LIST.kAll), list_all)
    k.when(k.kind.equals(LIST.kCutRows) | k.kind.equals(LIST.kCutPairs), list_cut)
    k.when(k.kind.equals(LIST.kEnds), end_stream)


def _shares(k, i):
    """The fields of a share (TeamShare of Lattice.h). `places` says how many groups with
    elements come before each; all have some where `has_places` is 0."""
    first = i * SHARE

    def fields():
        last = (first + SHARE).least(k.elements) - 1
        block_begin = first // k.block_size * k.block_size
        block_end = block_begin + k.block_size
        head, tail = (k.bisect(k.groups, lambda g: k.rows[g + 1] <= at)
                      for at in (first, last))
        head_begin, head_end, tail_begin, tail_end = (
            k.rows[g + side] for g in (head, tail) for side in (0, 1))

        def share_in(end):
            return (end.least(block_end) - 1) // SHARE - i
        is_inside = head_begin < first
        has_tail = (first <= tail_begin) & (last + 1 < tail_end)
        is_whole = (head_begin < block_begin) & (block_end < head_end)
        flags = (k.select(is_inside, INSIDE, 0) + k.select(has_tail, HAS_TAIL, 0) + k.select(
            has_tail & (block_end < tail_end), CROSSES, 0) + k.select(is_whole, WHOLE, 0))
        place = k.choose(k.has_places.equals(0), lambda: head, lambda: k.places[head])
        return [place, flags, k.select(has_tail, share_in(tail_end), 0),
                k.select(is_inside, share_in(head_end) + 1, 0)]
    found = k.choose(first < k.elements, fields, lambda: [0] * FIELDS)
    for place, field in enumerate(found):
        k.out[i * FIELDS + place] = field


def _schema(k, i):
    """out[i + 1] is 1 where the edge does not obey the schema, a source's and a destination's
    type of each edge type, or -1 for any; out[0] is 0. Ids that are wrong are found by their keys,
    and nothing is read by them. A column with the limit 0 is not there."""
    edge = k.select(i.equals(0), 0, i - 1)

    def column(name, row, is_good):
        array, step, wide, limit = (getattr(k, name + part) for part in (
            "", "_step", "_wide", "_limit"))
        is_there = is_good & limit.differs(0)
        low = k.choose(is_there, lambda: array[row * step], lambda: 0)
        high = k.choose(is_there & wide.differs(0), lambda: array[row * step + 1], lambda: 0)
        return low, is_good & high.equals(0) & ((low < limit) | limit.equals(0))

    kind, are_good = column("kinds", edge, i.differs(0))
    (src, good_src), (dst, good_dst) = (column(end, edge, are_good) for end in ("src", "dst"))
    are_good = good_src & good_dst
    found = [column(f"{end}_types", row, are_good) for end, row in (("src", src), ("dst", dst))]
    are_good = found[0][1] & found[1][1]
    asked = k.choose(are_good, lambda: [k.table[kind * 2], k.table[kind * 2 + 1]], lambda: [0, 0])
    obeys = [one.equals(own) | one.equals((1 << 32) - 1) for one, (own, _) in zip(asked, found)]
    k.out[i] = k.select(are_good, k.select(obeys[0] & obeys[1], 0, 1), 0)


def _degrees(k, i):
    k.out[i] = k.most - (k.rows[i + 1] - k.rows[i])


def _columns(k, i):
    """base + an id, or -1 where it is not below its limit; base where the limit is -1, which
    means that there are no ids."""
    is_there = k.limit.differs(-1)
    low = k.choose(is_there, lambda: k.ids[i * k.step], lambda: 0)
    high = k.choose(is_there & k.wide.differs(0), lambda: k.ids[i * k.step + 1], lambda: 0)
    good = (high.equals(0) & (low < k.limit)) | k.limit.equals(-1)
    k.out[i] = k.select(good, k.base + low, -1)


def text():
    """The module of all kernels."""
    columns = " ".join(f"{c}_step {c}_wide {c}_limit {c}_times" for c in "abc")

    def slotted(name, arrays, numbers, body):
        return Kernel(name, arrays, numbers, body, SLOTS[name])

    steps = " ".join(f"{c}_step {c}_less" for c in ("place", "a", "b", "c"))
    kernels = [
        slotted("keys", "keys a b c", "count base times removed refused loops " + columns +
                " ranges range_nodes range_of range_times",
                _keys),
        *sort_kernels(), _sums(), _scan(),
        slotted("search", "keys sums at number", "count size first step wants_at "
                "wants_number", _search),
        slotted("starts", "sums out", "count", _starts),
        slotted("move", "out place a b c", "count how by plus " + steps, _move),
        slotted("tiles", "rows first out", "count groups tile", _tiles),
        slotted("groups", "rows first out", "count groups kind block_size", _groups),
        slotted("shares", "rows places out", "count elements groups block_size has_places",
                _shares),
        slotted("schema", "out kinds src dst src_types dst_types table", "count " + " ".join(
            f"{c}_step {c}_wide {c}_limit" for c in ("kinds", "src", "dst", "src_types",
                                                     "dst_types")), _schema),
        slotted("degrees", "rows out", "count most", _degrees),
        slotted("columns", "out ids", "count base step wide limit", _columns)]
    return "\n".join(["module attributes {gpu.container_module} {",
                      "gpu.module @structures {", *(one.text() for one in kernels), "}",
                      "}"])


if __name__ == "__main__":
    print(text())
