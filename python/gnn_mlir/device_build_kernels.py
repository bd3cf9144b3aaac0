# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that build structures of graphs on a device, as a program of the compiler.

Few and general ones, which lib/Runtime/DeviceBuild.cpp launches in blocks of 256 threads:

    keys     what edges and nodes are sorted by, which also says whose ids are wrong
    sums     sums over blocks of 2048 rows: of rows that differ from the one before, or of
             the pieces that groups are cut into
    scan     those sums before each row, made of the sums over blocks
    search   where groups begin in sorted keys
    starts   where each pair begins in sorted keys
    move     values through up to three arrays of indices, to places in order or others
    tiles    pieces of groups
    columns  ids of several types or relations, one behind another (DeviceColumns.cpp)

All but `sums` and `scan` do up to SLOTS things of their kind in one launch, those of blocks
with one y each. Numbers are i64 in here and arrays i32. An array of ids is read as words:
`step` of them from one id to the next. All that is written has one writer, so what comes
out has the same bits each time.
"""

import functools

THREADS, ROWS = 256, 8  # Rows of a thread in `sums` and `scan`.
# Those of lib/Runtime/GraphBuild.cpp and DeviceColumns.cpp.
SLOTS = {"columns": 24, "keys": 6, "search": 4, "starts": 4, "move": 8, "tiles": 6}


class _Value:
    """An i64, or an i1 that a comparison gives."""

    def __init__(self, kernel, text, kind="i64"):
        self.kernel, self.text, self.kind = kernel, text, kind

    def _op(self, name, other, kind=None):
        other = self.kernel.value(other)
        return self.kernel.made(f"arith.{name} {self.text}, {other.text} : {self.kind}",
                                kind or self.kind)

    def __add__(self, other):
        return self._op("addi", other)

    def __sub__(self, other):
        return self._op("subi", other)

    def __mul__(self, other):
        return self._op("muli", other)

    def __floordiv__(self, other):
        return self._op("divsi", other)  # Of numbers that are not negative.

    def __mod__(self, other):
        return self._op("remsi", other)

    def __and__(self, other):
        return self._op("andi", other)

    def __or__(self, other):
        return self._op("ori", other)

    def __lt__(self, other):
        return self._op("cmpi slt,", other, "i1")

    def __le__(self, other):
        return self._op("cmpi sle,", other, "i1")

    def equals(self, other):
        return self._op("cmpi eq,", other, "i1")

    def differs(self, other):
        return self._op("cmpi ne,", other, "i1")

    def least(self, other):
        return self._op("minsi", other)

    def __getitem__(self, index):
        """The word of an array, as a number that is not negative."""
        k = self.kernel
        found = k.made(f"memref.load {self.text}[{k.index(index)}] : {self.kind}", "i32")
        return k.made(f"arith.extui {found.text} : i32 to i64")

    def __setitem__(self, index, value):
        k = self.kernel
        word = k.made(f"arith.trunci {k.value(value).text} : i64 to i32", "i32")
        k.lines.append(f"memref.store {word.text}, {self.text}[{k.index(index)}] : "
                       f"{self.kind}")


class _Kernel:
    """One kernel: its arguments are `arrays`, each with the number of its words, and then
    `numbers`; with slots those of each slot in turn, and `body` is what it does for its
    row `i`, while attributes are those of a slot."""

    _SHARED = "memref<16xi32, #gpu.address_space<workgroup>>"

    def __init__(self, name, arrays, numbers, body=None):
        self.lines, self._count = [], 0
        shared, slots = body is None, range(SLOTS[name]) if body else [""]
        arrays, numbers = arrays.split(), numbers.split()
        arguments = [f"%{a}{s}_: memref<1xi32>, %{a}{s}_words: i64"
                     for s in slots for a in arrays]
        arguments += [f"%{n}{s}: i64" for s in slots for n in numbers]
        memory = f" workgroup(%shared : {self._SHARED})" if shared else ""
        self._head = (f"gpu.func @{name}({', '.join(arguments)}){memory} kernel attributes "
                      f"{{known_block_size = array<i32: {THREADS}, 1, 1>}} {{")
        self.shared = _Value(self, "%shared", self._SHARED)
        self.thread, self.block = (self._id(f"gpu.{what}_id x") for what in
                                   ("thread", "block"))
        for slot in slots:
            for array in arrays:
                name = f"%{array}{slot}"
                words = self.index(_Value(self, name + "_words"))
                self.lines.append(f"{name} = memref.reinterpret_cast {name}_ to offset: [0], "
                                  f"sizes: [{words}], strides: [1] : memref<1xi32> to "
                                  "memref<?xi32>")
                setattr(self, array, _Value(self, name, "memref<?xi32>"))
            for number in numbers:
                setattr(self, number, _Value(self, f"%{number}{slot}"))
            if body:
                i = self.block * THREADS + self.thread
                is_own = self._id("gpu.block_id y").equals(slot)
                self.when(is_own & (i < self.count), lambda: body(self, i))

    def text(self):
        return "\n".join([self._head, *self.lines, "gpu.return", "}"])

    def _id(self, op):
        found = self.made(op, "index")
        return self.made(f"arith.index_cast {found.text} : index to i64")

    def made(self, op, kind="i64"):
        self._count += 1
        self.lines.append(f"%{self._count} = {op}")
        return _Value(self, f"%{self._count}", kind)

    def value(self, value):
        if isinstance(value, _Value):
            return value
        return self.made(f"arith.constant {int(value)} : i64")

    def index(self, value):
        return self.made(f"arith.index_cast {self.value(value).text} : i64 to index",
                         "index").text

    def select(self, condition, this, other):
        this, other = self.value(this), self.value(other)
        return self.made(f"arith.select {condition.text}, {this.text}, {other.text} : i64")

    def when(self, condition, body):
        """Does what `body` does where the condition holds."""
        self.lines.append(f"scf.if {condition.text} {{")
        body()
        self.lines.append("}")

    def choose(self, condition, this, other):
        """What one of two functions gives: numbers that are read, or computed."""
        self._count += 1
        name = f"%{self._count}"
        self.lines.append(f"{name} = scf.if {condition.text} -> (i64) {{")
        for i, body in enumerate((this, other)):
            self.lines += ["} else {"] * i
            self.lines.append(f"scf.yield {self.value(body()).text} : i64")
        self.lines.append("}")
        return _Value(self, name)

    def repeat(self, first, last, step, start, body):
        """`body(i, sum)` gives the next sum."""
        first, last, step, start = map(self.value, (first, last, step, start))
        self._count += 1
        name, i, held = (f"%{self._count}{part}" for part in ("", "_i", "_held"))
        self.lines.append(f"{name.replace('%', '%r')} = scf.for {i.replace('%', '%r')} = "
                          f"{first.text} to {last.text} step {step.text} iter_args("
                          f"{held.replace('%', '%r')} = {start.text}) -> (i64) : i64 {{")
        found = body(_Value(self, i.replace("%", "%r")), _Value(self, held.replace("%", "%r")))
        self.lines += [f"scf.yield {found.text} : i64", "}"]
        return _Value(self, name.replace("%", "%r"))

    def bisect(self, count, is_before):
        """How many of the first rows are before something."""
        zero, count = self.value(0), self.value(count)
        self._count += 1
        n = self._count
        self.lines += [
            f"%w{n}:2 = scf.while (%lo{n} = {zero.text}, %hi{n} = {count.text}) : "
            "(i64, i64) -> (i64, i64) {",
            f"%more{n} = arith.cmpi slt, %lo{n}, %hi{n} : i64",
            f"scf.condition(%more{n}) %lo{n}, %hi{n} : i64, i64", "} do {",
            f"^bb0(%low{n}: i64, %high{n}: i64):"]
        low, high = _Value(self, f"%low{n}"), _Value(self, f"%high{n}")
        middle = (low + high) // 2
        before = is_before(middle)
        low, high = self.select(before, middle + 1, low), self.select(before, high, middle)
        self.lines += [f"scf.yield {low.text}, {high.text} : i64, i64", "}"]
        return _Value(self, f"%w{n}#0")

    def shuffle(self, mode, value, distance):
        word = self.made(f"arith.trunci {value.text} : i64 to i32", "i32")
        by, width = (self.made(f"arith.constant {c} : i32", "i32") for c in (distance, 32))
        self._count += 1
        name = f"%s{self._count}"
        self.lines.append(f"{name}, {name}_valid = gpu.shuffle {mode} {word.text}, {by.text}, "
                          f"{width.text} : i32")
        return self.made(f"arith.extui {name} : i32 to i64")

    def sum_of_warp(self, value):
        for distance in (16, 8, 4, 2, 1):
            value = value + self.shuffle("xor", value, distance)
        return value

    def sum_up_warp(self, value):
        """The sum over the lanes up to one's own."""
        lane = self.thread % 32
        for distance in (1, 2, 4, 8, 16):
            before = self.shuffle("up", value, distance)
            value = value + self.select(lane < distance, 0, before)
        return value

    def barrier(self):
        self.lines.append("gpu.barrier")

    def weight(self, i):
        """What a row of `sums` and `scan` counts as. `kind` 0: 1 where it differs from
        the row before. Else a group, from its first element and the next one's: the
        pieces of `tile` elements that it is cut into; for 2 only where there are more
        elements, for 3 these elements."""
        def start():
            return self.choose(i.equals(0), lambda: 1, lambda: self.select(
                self.values[i].differs(self.values[i - 1]), 1, 0))

        def cut():
            length = self.values[i + 1] - self.values[i]
            pieces = (length + self.tile - 1) // self.tile
            is_long = self.tile < length
            kept = self.select(self.kind.equals(1) | is_long, pieces, 0)
            return self.select(self.kind.equals(3), self.select(is_long, length, 0), kept)
        return self.choose(i < self.count, lambda: self.choose(
            self.kind.equals(0), start, cut), lambda: 0)


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
    k = _Kernel("sums", "values partial", "count kind tile")
    first = k.block * (THREADS * ROWS) + k.thread
    own = k.repeat(0, THREADS * ROWS, THREADS, 0,
                   lambda i, held: held + k.weight(first + i))
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
    k = _Kernel("scan", "values partial out total", "count kind tile reports")
    warp, lane, rows = k.thread // 32, k.thread % 32, 32 * ROWS  # Of a warp.
    before = k.repeat(k.thread, k.block, THREADS, 0, lambda i, held: held + k.partial[i])
    first = k.block * (THREADS * ROWS) + warp * rows + lane
    own = k.repeat(0, rows, 32, 0, lambda i, held: held + k.weight(first + i))
    before, own = k.sum_of_warp(before), k.sum_of_warp(own)

    def write_warp():
        k.shared[warp] = own
        k.shared[warp + 8] = before
    k.when(lane.equals(31), write_warp)
    k.barrier()
    start = k.repeat(0, 8, 1, 0, lambda i, held: held + k.shared[i + 8] + k.choose(
        i < warp, lambda: k.shared[i], lambda: 0))

    def write(i, held):
        row, weight = first + i, k.weight(first + i)
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
    steps = " ".join(f"{c}_step {c}_less" for c in ("place", "a", "b", "c"))
    kernels = [
        _Kernel("keys", "keys a b c", "count base times removed refused loops " + columns,
                _keys),
        _sums(), _scan(),
        _Kernel("search", "keys sums at number", "count size first step wants_at "
                "wants_number", _search),
        _Kernel("starts", "sums out", "count", _starts),
        _Kernel("move", "out place a b c", "count how by plus " + steps, _move),
        _Kernel("tiles", "rows first out", "count groups tile", _tiles),
        _Kernel("columns", "out ids", "count base step wide limit", _columns)]
    return "\n".join(["module attributes {gpu.container_module} {",
                      "gpu.module @structures {", *(one.text() for one in kernels), "}",
                      "}"])
