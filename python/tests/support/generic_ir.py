# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads modules in MLIR's generic form, as `gnn-opt` prints them with `OPTIONS`: one
syntax for all ops, so that an op needs nothing here.

    "gnn.gather"(%x) <{via = #gnn<end src>}> : (tensor<...>) -> tensor<...>

Attributes become Python's: numbers, strings, lists, dicts, arrays, `Type`; an
enumeration of the dialect, such as `#gnn<end src>`, is its word, `unit` is None, and
an attribute without a value is True. Those of other dialects are their text.
"""

import dataclasses
import re
from typing import Optional, Tuple

import numpy as np

#: Of gnn-opt, to print this form: attributes stand where they are.
OPTIONS = ("--mlir-print-op-generic", "--mlir-print-local-scope")


@dataclasses.dataclass(frozen=True)
class Type:
    """A tensor, with rows of a graph where `space` is given; a row of a graph, whose
    `dtype` is "row"; else what `dtype` says. An unknown size is None."""

    dtype: str
    sizes: Tuple[Optional[int], ...] = ()
    graph: Optional[str] = None
    space: Optional[str] = None
    is_tensor: bool = False

    @property
    def is_typed(self):
        return self.space in ("edge_type", "node_type")

    @property
    def features(self):
        """The sizes but that of the rows; all of a weight's."""
        return self.sizes[1:] if self.space else self.sizes

    def __str__(self):
        if not self.is_tensor:
            return self.dtype
        text = "x".join(["?" if s is None else str(s) for s in self.sizes]
                        + [self.dtype])
        rows = f", #gnn.rows<@{self.graph}, {self.space}>" if self.space else ""
        return f"tensor<{text}{rows}>"


@dataclasses.dataclass
class Op:
    """One op; `operands` and `results` are names, `types` and `result_types` their
    types. Properties and other attributes are in one dict."""

    name: str
    operands: tuple
    attributes: dict
    regions: tuple
    types: tuple
    result_types: tuple
    results: tuple = ()


@dataclasses.dataclass
class Region:
    """A region of one block: its arguments by name, and its ops."""

    arguments: tuple
    types: tuple
    ops: tuple


def parse(text):
    """The `builtin.module` ops of a text; those of a split file are several."""
    modules = []
    for part in re.split(r"^// -----.*$", text, flags=re.M):
        parser = _Parser(part)
        while not parser.at_end():
            modules.append(parser.op())
    for op in modules:
        if op.name != "builtin.module":
            raise ValueError(f"expected a module in generic form, got {op.name}")
    return modules


_SPACE = re.compile(r"(?:\s+|//[^\n]*)*")
_NAME = re.compile(r"[A-Za-z_][\w$.]*")
_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NUMBER = re.compile(r"0x[0-9A-Fa-f]+|-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_SYMBOL = re.compile(r'@(?:[\w$.-]+|"[^"]*")')
_TENSOR = re.compile(r"tensor<((?:(?:\d+|\?)x)*)(\w+)")
_ROWS = re.compile(r"#gnn\.rows<@([\w$.-]+), (\w+)>")
_ROW = re.compile(r"!gnn\.row<@([\w$.-]+), (\w+)>")
_ENUM = re.compile(r"#gnn<\w+ (\w+)>")
_SCALAR = re.compile(r"(?:i\d+|f\d+|bf16|index|none)\b")
_DIALECT = re.compile(r"[#!][\w$.]+")
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class _Parser:
    def __init__(self, text):
        self.text, self.at = text, 0
        self._skip()

    # -- Characters ----------------------------------------------------------------

    def _skip(self):
        self.at = _SPACE.match(self.text, self.at).end()

    def at_end(self):
        return self.at == len(self.text)

    def _fail(self, expected):
        line = self.text.count("\n", 0, self.at) + 1
        got = self.text[self.at:self.at + 40].split("\n")[0] or "the end"
        raise ValueError(f"line {line} of the generic form: expected {expected}, got "
                         f"{got!r}")

    def _next_is(self, word):
        return self.text.startswith(word, self.at)

    def _take(self, word):
        """Whether this comes next; it is then behind."""
        if not self._next_is(word):
            return False
        self.at += len(word)
        self._skip()
        return True

    def _need(self, word):
        if not self._take(word):
            self._fail(repr(word))

    def _match(self, pattern):
        """The match of a pattern that comes next, which is then behind; or None."""
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
            self._skip()
        return found

    def _word(self, pattern, what):
        found = self._match(pattern)
        if not found:
            self._fail(what)
        return found

    def _list(self, opening, item):
        """The list of what `item` reads, between brackets, separated by
        commas."""
        self._need(opening)
        found = []
        while not self._take(_CLOSING[opening]):
            if found:
                self._need(",")
            found.append(item())
        return tuple(found)

    # -- Ops -----------------------------------------------------------------------

    def op(self):
        results = ()
        while self._next_is("%"):
            name = self._word(_VALUE, "a result").group()
            count = int(self._word(_NUMBER, "a count").group()) if (
                self._take(":")) else None
            results += (name,) if count is None else tuple(
                f"{name}#{i}" for i in range(count))
            if not self._take(","):
                self._need("=")
        name = self._word(_STRING, "an op").group(1)
        operands = self._list("(", lambda: self._word(_VALUE, "an operand").group())
        attributes = {}
        if self._next_is("<{"):
            self.at += 1
            attributes = self._dict()
            self._need(">")
        regions = self._list("(", self._region) if self._next_is("(") else ()
        if self._next_is("{"):
            attributes.update(self._dict())
        self._need(":")
        types, result_types = self._function_type()
        for what, found, wanted in (("operands", operands, types),
                                    ("results", results, result_types)):
            if len(found) != len(wanted) and (found or what == "operands"):
                self._fail(f"{len(wanted)} {what} of {name} before this")
        return Op(name, operands, attributes, regions, types, result_types, results)

    def _region(self):
        self._need("{")
        arguments = types = ()
        if self._take("^"):
            self._word(_NAME, "a block")
            if self._next_is("("):
                pairs = self._list("(", self._argument)
                arguments, types = (tuple(p[i] for p in pairs) for i in (0, 1))
            self._need(":")
        ops = []
        while not self._take("}"):
            if self._next_is("^"):
                self._fail("a region of one block")
            ops.append(self.op())
        return Region(arguments, types, tuple(ops))

    def _argument(self):
        name = self._word(_VALUE, "an argument").group()
        self._need(":")
        return name, self.type()

    # -- Types ---------------------------------------------------------------------

    def type(self):
        if self._next_is("tensor<"):
            return self._tensor()
        row = self._match(_ROW)
        if row:
            return Type("row", (), *row.groups())
        scalar = self._match(_SCALAR)
        if scalar:
            return Type(scalar.group())
        if self._next_is("!"):
            return Type(self._other())
        self._fail("a type")

    def _tensor(self):
        found = self._word(_TENSOR, "a tensor")
        sizes = tuple(None if s == "?" else int(s)
                      for s in found.group(1).split("x")[:-1])
        rows = (None, None)
        if self._take(","):
            rows = self._word(_ROWS, "rows of a graph").groups()
        self._need(">")
        return Type(found.group(2), sizes, *rows, is_tensor=True)

    def _function_type(self):
        types = self._list("(", self.type)
        self._need("->")
        results = (self._list("(", self.type) if self._next_is("(") else
                   (self.type(),))
        return types, results

    # -- Attributes ----------------------------------------------------------------

    def _dict(self):
        def entry():
            quoted = self._match(_STRING)
            name = quoted.group(1) if quoted else self._word(
                _NAME, "an attribute").group()
            return name, self._attribute() if self._take("=") else True
        return dict(self._list("{", entry))

    def _attribute(self):
        if self._next_is("["):
            return list(self._list("[", self._attribute))
        if self._next_is("{"):
            return self._dict()
        if self._next_is("("):
            return self._function_type()
        if self._next_is('"'):
            return self._word(_STRING, "a string").group(1)
        if self._next_is("@"):
            return self._word(_SYMBOL, "a symbol").group()[1:].strip('"')
        if self._next_is("array<"):
            return self._array()
        if self._next_is("dense<"):
            return self._dense()
        for word, value in (("true", True), ("false", False), ("unit", None)):
            if self._take(word):
                return value
        word = self._match(_ENUM)
        if word:
            return word.group(1)
        if self._next_is("#"):
            return self._other()
        if self._match_ahead(_NUMBER):
            number = self._word(_NUMBER, "a number").group()
            kind = self.type() if self._take(":") else Type("i64")
            return _number(number, kind.dtype)
        return self.type()

    def _match_ahead(self, pattern):
        return pattern.match(self.text, self.at)

    def _array(self):
        self._need("array<")
        self._word(_NAME, "a type of elements")
        found = []
        while not self._take(">"):
            self._need("," if found else ":")
            found.append(int(self._word(_NUMBER, "an integer").group()))
        return found

    def _dense(self):
        """An array of the type's shape: of one number for all, or of each."""
        self._need("dense<")
        raw = self._match(_STRING)
        values = [] if raw or self._next_is(">") else self._elements()
        self._need(">")
        self._need(":")
        made = self.type()
        if raw:
            values = self._bytes(raw.group(1), made.dtype)
        values = _numbers(values, made.dtype)
        return (np.broadcast_to(values, made.sizes) if values.size == 1 else
                values.reshape(made.sizes))

    def _bytes(self, text, dtype):
        if dtype not in ("f32", "i32"):
            self._fail(f"elements of f32 or i32 before this, not {dtype}")
        return np.frombuffer(bytes.fromhex(text[2:]), f"<{dtype[0]}4")

    def _elements(self):
        if self._next_is("["):
            return list(self._list("[", self._elements))
        for word in ("true", "false"):
            if self._take(word):
                return word
        return self._word(_NUMBER, "a number").group()

    def _other(self):
        """The text of what another dialect defines, with all in its brackets."""
        begin = self.at
        self._word(_DIALECT, "an attribute or a type")
        if self._next_is("<"):
            depth = 0
            while True:
                if self.at_end():
                    self._fail("'>'")
                arrow = self._next_is("->")
                depth += 0 if arrow else {"<": 1, ">": -1}.get(self.text[self.at], 0)
                self.at += 2 if arrow else 1
                if depth == 0:
                    break
            self._skip()
        return self.text[begin:self.at].strip()


def _numbers(values, dtype):
    """An array of what is written in nested lists, or of numbers."""
    kind = {"i1": np.bool_, "i32": np.int32, "i64": np.int64}.get(dtype, np.float64)
    if isinstance(values, np.ndarray):
        return values.astype(kind)

    def read(x):
        return [read(y) for y in x] if isinstance(x, list) else _number(x, dtype)
    return np.array(read(values), kind)


def _number(text, dtype):
    """A number of a type. Floats are as they are written, also those of f32 that have
    more digits than it holds: 0.1 is 0.1."""
    if text in ("true", "false"):
        return text == "true"
    if dtype[0] in "fb":
        if not text.startswith("0x"):
            return float(text)
        bits = {"f32": (np.uint32, np.float32), "f64": (np.uint64, np.float64),
                "f16": (np.uint16, np.float16)}
        if dtype not in bits:
            raise ValueError(f"expected f16, f32 or f64 in bits, got {dtype}")
        unsigned, real = bits[dtype]
        return float(unsigned(int(text, 16)).view(real))
    return int(text, 0)
