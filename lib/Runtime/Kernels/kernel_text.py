# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as text: what Python's operators do on values becomes ops of a `gpu.func`.

Numbers are i64, and arrays i32. A kernel does most of its work in i32, where a value of
i64 is made `narrow`. Constants are read from the sources of the library that launches them. """

import pathlib
import re
import types

SOURCES = pathlib.Path(__file__).resolve().parents[3]


def _source(file):
    """The text of a source, whose comments have no constants."""
    return re.sub("//.*", "", (SOURCES / file).read_text(encoding="utf-8"))


def constants_of(file, *names):
    """Constants of a source of the library, numbers or powers of two, by their names."""
    text, found = _source(file), []
    for name in names:
        number, shift = re.search(rf"\b{name} = (\d+)(?: << (\d+))?\s*[,;}}]", text).groups()
        found.append(int(number) << int(shift or 0))
    return found


def enum_of(file, first):
    """The names of an enumeration in a source of the library that has these from 0 on, by its
    first one: an object with the number of each."""
    body = re.search(rf"\benum [\w ]*{{\s*({first}\b[\w\s,]*)}}", _source(file))[1]
    return types.SimpleNamespace(**{
        name: i for i, name in enumerate(re.findall(r"\w+", body))})


def slots_of(*names):
    """Kernels of BuildKernels.h, each with how many things it does in one launch."""
    table = dict(re.findall(r'\{"(\w+)", (\d+),', _source("lib/Runtime/BuildKernels.h")))
    return [(name, int(table[name])) for name in names]


THREADS, = constants_of("lib/Runtime/KernelCall.h", "kThreads")


def _operator(name, kind=None):
    return lambda self, other: self._op(name, other, kind)


class Value:
    """An i64 or i32, or an i1 that a comparison gives."""

    def __init__(self, kernel, text, kind="i64"):
        self.kernel, self.text, self.kind = kernel, text, kind

    def _op(self, name, other, kind=None):
        other = self.kernel.value(other, self.kind)
        return self.kernel.made(f"arith.{name} {self.text}, {other.text} : {self.kind}",
                                kind or self.kind)

    __add__, __sub__, __mul__ = map(_operator, ("addi", "subi", "muli"))
    __floordiv__, __mod__ = map(_operator, ("divsi", "remsi"))  # For numbers from 0 on.
    __and__, __or__, __xor__ = map(_operator, ("andi", "ori", "xori"))
    __lshift__, __rshift__ = map(_operator, ("shli", "shrui"))
    __lt__ = _operator("cmpi slt,", "i1")
    __le__ = _operator("cmpi sle,", "i1")
    equals = _operator("cmpi eq,", "i1")
    differs = _operator("cmpi ne,", "i1")
    least = _operator("minsi")

    def narrow(self):
        if self.kind == "i32":
            return self
        return self.kernel.made(f"arith.trunci {self.text} : i64 to i32", "i32")

    def wide(self):
        """An i32 that is not negative, or an i1."""
        return self.kernel.made(f"arith.extui {self.text} : {self.kind} to i64")

    def word(self, index):
        """The word of an array."""
        k = self.kernel
        return k.made(f"memref.load {self.text}[{k.index(index)}] : {self.kind}", "i32")

    def __getitem__(self, index):
        """The word of an array, as a number that is not negative."""
        return self.word(index).wide()

    def __setitem__(self, index, value):
        k = self.kernel
        word = k.value(value).narrow()
        k.lines.append(f"memref.store {word.text}, {self.text}[{k.index(index)}] : "
                       f"{self.kind}")

    def add_atomically(self, index, value):
        """The word of an array, to which a word is added."""
        k = self.kernel
        return k.made(f"memref.atomic_rmw addi {k.value(value, 'i32').text}, {self.text}["
                      f"{k.index(index)}] : (i32, {self.kind}) -> i32", "i32")


class SlotArray:
    """The array of the block's own slot. Which memory it is has to be known where it is read:
    there is a branch for each."""

    def __init__(self, own, arrays):
        self._own, self._arrays = own, arrays

    def read(self, body, slot=0):
        """The result of `body` on the array: a number or a list of these."""
        if slot + 1 == len(self._arrays):
            return body(self._arrays[slot])
        return self._own.kernel.choose(
            self._own.equals(slot), lambda: body(self._arrays[slot]),
            lambda: self.read(body, slot + 1))

    def __setitem__(self, index, value):
        for slot, array in enumerate(self._arrays):
            self._own.kernel.when(self._own.equals(slot), lambda array=array:
                                  array.__setitem__(index, value))


class Kernel:
    """One kernel: its arguments are `arrays`, each with the number of its words, and then
    `numbers`. With `body` these are those of each slot in turn, and the body is what it
    does for its row `i`, while attributes are those of a slot. `arrays_of_slots` and
    the numbers `of_slots` are those of each slot too, but attributes are those of the block's
    own one. `shared` is how many words the threads of a block share, and `resident` the least
    number of blocks that a multiprocessor has registers for."""

    def __init__(self, name, arrays="", numbers="", body=None, slots=1, of_slots="",
                 arrays_of_slots="", shared=0, resident=0):
        self.lines, self._count = [], 0
        all_slots, slots = range(slots), range(slots) if body else [""]
        arrays, numbers = arrays.split(), numbers.split()
        of_slots, arrays_of_slots = of_slots.split(), arrays_of_slots.split()
        arguments = [f"%{a}{s}_: memref<1xi32>, %{a}{s}_words: i64"
                     for all_of, some in ((slots, arrays), (all_slots, arrays_of_slots))
                     for s in all_of for a in some]
        arguments += [f"%{n}{s}: i64" for s in slots for n in numbers]
        arguments += [f"%{n}{s}: i64" for s in all_slots for n in of_slots]
        kind = f"memref<{shared}xi32, #gpu.address_space<workgroup>>"
        memory = f" workgroup(%shared : {kind})" if shared else ""
        self._head = (f"gpu.func @{name}({', '.join(arguments)}){memory} kernel attributes "
                      f"{{known_block_size = array<i32: {THREADS}, 1, 1>"
                      + f", nvvm.minctasm = {resident} : i32" * (resident > 0) + "} {")
        self.shared = Value(self, "%shared", kind)
        self.thread, self.block = (self._id(f"gpu.{what}_id x") for what in
                                   ("thread", "block"))
        for slot in slots:
            for array in arrays:
                setattr(self, array, self._array(array, slot))
            for number in numbers:
                setattr(self, number, Value(self, f"%{number}{slot}"))
            if body:
                i = self.block * THREADS + self.thread
                is_own = self._id("gpu.block_id y").equals(slot)
                self.when(is_own & (i < self.count), lambda: body(self, i))
        own = self._id("gpu.block_id y") if of_slots else None
        for number in of_slots:
            held = Value(self, f"%{number}0")
            for slot in all_slots[1:]:
                held = self.select(own.equals(slot), Value(self, f"%{number}{slot}"), held)
            setattr(self, number, held)
        for array in arrays_of_slots:
            setattr(self, array, SlotArray(own, [self._array(array, s) for s in all_slots]))

    def text(self):
        return "\n".join([self._head, *self.lines, "gpu.return", "}"])

    def _array(self, name, slot):
        """The array of a slot, of as many words as it has."""
        words = self.index(Value(self, f"%{name}{slot}_words"))
        return self.made(f"memref.reinterpret_cast %{name}{slot}_ to offset: [0], sizes: ["
                         f"{words}], strides: [1] : memref<1xi32> to memref<?xi32>",
                         "memref<?xi32>")

    def _id(self, op):
        found = self.made(op, "index")
        return self.made(f"arith.index_cast {found.text} : index to i64")

    def made(self, op, kind="i64"):
        self._count += 1
        self.lines.append(f"%{self._count} = {op}")
        return Value(self, f"%{self._count}", kind)

    def value(self, value, kind="i64"):
        if isinstance(value, Value):
            return value
        return self.made(f"arith.constant {int(value)} : {kind}", kind)

    def index(self, value):
        value = self.value(value)
        return self.made(f"arith.index_cast {value.text} : {value.kind} to index",
                         "index").text

    def select(self, condition, this, other):
        """One of two; the first may be a constant."""
        other = self.value(other)
        this = self.value(this, other.kind)
        return self.made(f"arith.select {condition.text}, {this.text}, {other.text} : "
                         f"{other.kind}", other.kind)

    def when(self, condition, body):
        """Does what `body` does where the condition holds."""
        self.lines.append(f"scf.if {condition.text} {{")
        body()
        self.lines.append("}")

    def choose(self, condition, this, other):
        """The result of one of two functions: numbers that are read, or computed, or
        lists of as many."""
        self._count += 1
        name, at = f"%c{self._count}", len(self.lines)
        self.lines.append("")
        for i, body in enumerate((this, other)):
            self.lines += ["} else {"] * i
            found = body()
            is_list = isinstance(found, list)
            found = [self.value(one) for one in (found if is_list else [found])]
            texts, kinds = (", ".join(getattr(one, part) for one in found)
                            for part in ("text", "kind"))
            self.lines.append(f"scf.yield {texts} : {kinds}")
        self.lines[at] = f"{name}:{len(found)} = scf.if {condition.text} -> ({kinds}) {{"
        self.lines.append("}")
        found = [Value(self, f"{name}#{i}", one.kind) for i, one in enumerate(found)]
        return found if is_list else found[0]

    def repeat(self, first, last, step, start, body):
        """`body(i, sum)` gives the next sum."""
        first, last, step, start = map(self.value, (first, last, step, start))
        self._count += 1
        name, i, held = (f"%{self._count}{part}" for part in ("", "_i", "_held"))
        self.lines.append(f"{name.replace('%', '%r')} = scf.for {i.replace('%', '%r')} = "
                          f"{first.text} to {last.text} step {step.text} iter_args("
                          f"{held.replace('%', '%r')} = {start.text}) -> (i64) : i64 {{")
        found = body(Value(self, i.replace("%", "%r")), Value(self, held.replace("%", "%r")))
        self.lines += [f"scf.yield {found.text} : i64", "}"]
        return Value(self, name.replace("%", "%r"))

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
        low, high = Value(self, f"%low{n}"), Value(self, f"%high{n}")
        middle = (low + high) // 2
        before = is_before(middle)
        low, high = self.select(before, middle + 1, low), self.select(before, high, middle)
        self.lines += [f"scf.yield {low.text}, {high.text} : i64, i64", "}"]
        return Value(self, f"%w{n}#0")

    def shuffle(self, mode, value, distance):
        word, by, width = value.narrow(), self.value(distance, "i32"), self.value(32, "i32")
        self._count += 1
        name = f"%s{self._count}"
        self.lines.append(f"{name}, {name}_valid = gpu.shuffle {mode} {word.text}, {by.text}, "
                          f"{width.text} : i32")
        found = Value(self, name, "i32")
        return found.wide() if value.kind == "i64" else found

    def ballot(self, vote):
        """The lanes of the warp that vote, as bits."""
        lanes = self.value(-1, "i32")
        return self.made(f"nvvm.vote.sync ballot {lanes.text}, {vote.text} -> i32", "i32")

    def barrier_of_warp(self):
        """A barrier of the warp: others read behind it what lanes have
        written."""
        self.lines.append(f"nvvm.bar.warp.sync {self.value(-1, 'i32').text} : i32")

    def bits_in(self, word):
        return self.made(f"math.ctpop {word.text} : i32", "i32")

    def highest_bit(self, word):
        zeros = self.made(f"math.ctlz {word.text} : i32", "i32")
        return self.value(31, "i32") - zeros

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
