# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes as values of a program, and the handlers of ops that say it."""

import dataclasses
import math
from typing import Any

import torch


class Unsupported(Exception):
    """A node that no op of the dialect means; the message says why."""


@dataclasses.dataclass
class Rows:
    """A value of a program: rows in dimension `dim` of the tensor."""

    value: Any
    segment: int
    dim: int = 0


@dataclasses.dataclass
class Whole:
    """A value with one row for the whole graph; the tensor has no dimension for it. Dimensions
    of 1 may be missing among its features: `Raiser.whole` has them."""

    value: Any
    segment: int


@dataclasses.dataclass
class Fill:
    """A tensor of one number."""

    number: float


@dataclasses.dataclass
class Typed:
    """Weights at rows, by the type of each: the tensor [types, ...] of torch."""

    weight: Any
    types: Any


@dataclasses.dataclass
class Mask:
    """Rows of one type."""

    types: Any
    number: int

    def is_as(self, other):
        """Whether another mask is that of the same rows."""
        return self.types is other.types and self.number == other.number


@dataclasses.dataclass
class Masked:
    """Rows of one type, by `op`: "rows" of a node; "linear" (rows of the type, weight,
    bias); "add" of two; "one", what a function makes of some, and a key of it;
    "softmax" of some over ids."""

    op: str
    args: tuple
    mask: Mask


@dataclasses.dataclass
class Parts:
    """Rows of which those of some types are known: `Masked` by type."""

    types: Any
    parts: dict

    @property
    def is_all(self):
        return len(self.parts) == self.types.count - self.types.others


HANDLERS = {}


def handles(*targets):
    """Registers a function of (raiser, node, *arguments) for ops."""
    def register(function):
        for target in targets:
            HANDLERS[target] = function
        return function
    return register


def count_types(graph, space, types):
    """How many types the rows have that have these."""
    return graph.count_types("edge_type" if space == "edge" and types.end is None else
                             "node_type")


def static(size):
    """A size as a number. torch compiles anew where it is another."""
    return int(size)


def described(node):
    value = node.meta.get("val") if isinstance(node, torch.fx.Node) else node
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')} of shape {tuple(value.shape)}"
    return repr(value)


def listed(nodes):
    return ", ".join(map(described, nodes))


def product(sizes):
    return math.prod(sizes)
