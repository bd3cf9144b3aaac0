# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graph declarations and tensor types of the `gnn` dialect, and their text."""

import operator
import re
from dataclasses import dataclass
from typing import Optional, Tuple

from . import spaces

MOST_TYPES = (1 << 16) - 1  # The most types of nodes, and of edges.


def integer(what, value, low=0, high=None):
    """An int, also of NumPy, in these bounds; else, as for True, ValueError."""
    try:
        number = operator.index(None if isinstance(value, bool) else value)
    except TypeError:
        raise ValueError(f"{what}: expected an integer, got {value!r}") from None
    if number < low or (high is not None and number > high):
        bounds = f"from {low} to {high}" if high is not None else f"of at least {low}"
        raise ValueError(f"{what}: expected an integer {bounds}, got {number}")
    return number


def described(value):
    """A value in a message: what kind of array it is, not what is in it."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if is_nested(value):  # It has no shape.
        return "a nested tensor"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"{type(value).__name__} of {dtype} of shape {tuple(value.shape)}"
    if isinstance(value, (list, tuple)) and any(hasattr(one, "dtype") for one in value):
        return f"a {type(value).__name__} of {', '.join(map(described, value))}"[:200]
    text = " ".join(repr(value).split())
    return text if len(text) <= 200 else text[:200] + "..."


def is_nested(value):
    """Whether it is a tensor of tensors of different shapes."""
    return getattr(value, "is_nested", False) is True


def listed(names, most=12):
    """Names in a message: of many the first ones, and how many others there are."""
    names = list(names)
    rest = f" and {len(names) - most} others" if len(names) > most + 1 else ""
    return ", ".join(names[:most] if rest else names) + rest


def counted(number, what):
    """A number of things, as "1 edge type" and "3 edge types"."""
    return f"{number} {what}{'s' * (number != 1)}"


def expected_ids(low, limit, what="nodes"):
    """The beginning of an error about an id that is not from `low` to under `limit`."""
    return (f"expected ids from {low} to {limit - 1}" if limit > low else
            f"expected no ids, as there are no {what}")


def identifier(what, name):
    """A name that IR spells as it is; else ValueError."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name,
                                                     re.ASCII):
        raise ValueError(f"{what}: expected an identifier as a name, got {name!r}")
    return name


def schema_pairs(what, schema, edge_types, node_types):
    """A tuple of (source node type, destination node type), one an edge type."""
    try:
        pairs = tuple((operator.index(s), operator.index(d)) for s, d in schema)
    except (TypeError, ValueError):
        raise ValueError(f"{what}: expected a pair of node types for each edge "
                         f"type, got {schema!r}") from None
    if len(pairs) != edge_types:
        raise ValueError(f"{what}: expected {edge_types} entries, got {len(pairs)}")
    if any(not -1 <= t < node_types for pair in pairs for t in pair):
        raise ValueError(f"{what}: expected node types from -1 to {node_types - 1}, "
                         f"got {list(pairs)}")
    return pairs


def stats_text(items):
    """`#gnn.stats<...>` of what `Graph.statistics` returns, as items."""
    return "#gnn.stats<" + ", ".join(
        f"{k} = {list(v) if isinstance(v, tuple) else v}" for k, v in items) + ">"


@dataclass(frozen=True)
class GraphDecl:
    """A declaration `gnn.graph`: the facts about a graph that compilation uses.

    Args:
        name, square, node_types, edge_types: as for `Module.graph`.
        schema: the (source, destination) node type of each edge type, -1 if it has several.
        stats: the items of `Graph.statistics`.
        self_loops: whether each node has exactly one self loop.
        dst_sorted: whether edges are sorted by destination, as in compressed sparse rows of
            destinations. None takes the order of the graph that `compile` is given.
        parent, parent_types, loops, loop_type: a derived graph, which has the parent's edges of
            these types, or other self loops (`add_self_loops`)."""

    name: str
    square: bool = True
    node_types: int = 1
    edge_types: int = 1
    schema: Optional[Tuple[Tuple[int, int], ...]] = None
    stats: Optional[tuple] = None
    self_loops: bool = False
    parent: Optional["GraphDecl"] = None
    parent_types: Tuple[int, ...] = ()
    loops: Optional[str] = None
    loop_type: Optional[int] = None
    dst_sorted: Optional[bool] = None

    @property
    def src(self):
        """The row space of source nodes, "node" or "src"."""
        return "node" if self.square else "src"

    @property
    def dst(self):
        """The row space of destination nodes, "node" or "dst"."""
        return "node" if self.square else "dst"

    def rows(self, space, *features):
        """The type of rows of a space with these feature sizes."""
        if space not in spaces.SPACES:
            raise ValueError("expected a row space of "
                             f"{', '.join(spaces.SPACES)}, got {space!r}")
        if space in (("src", "dst") if self.square else ("node",)):
            kind = "square" if self.square else "bipartite"
            raise ValueError(f"a {kind} graph has no {space} rows, expected "
                             f"{self.src} or {self.dst}")
        return TensorType(features, self, space)

    def _derivation(self):
        if self.loops is None:
            return f"types {list(self.parent_types)}"
        return f"loops {self.loops}" + (
            "" if self.loop_type is None else f" type {self.loop_type}")

    def text(self):
        entries = [f"node_types = {self.node_types}",
                   f"edge_types = {self.edge_types}"]
        if self.schema is not None:
            pairs = ", ".join(f"[{s}, {d}]" for s, d in self.schema)
            entries.append(f"schema = [{pairs}]")
        if self.self_loops:
            entries.append("self_loops")
        if self.dst_sorted:
            entries.append("dst_sorted")
        if self.stats is not None:
            entries.append(f"stats = {stats_text(self.stats)}")
        kind = "square" if self.square else "bipartite"
        if self.parent is not None:
            kind += f" of @{self.parent.name} {self._derivation()}"
        return f"gnn.graph @{self.name} {kind} {{{', '.join(entries)}}}"


@dataclass(frozen=True)
class TensorType:
    """The type of rows of a graph, or of a weight if `space` is None."""

    features: Tuple[int, ...]
    graph: Optional[GraphDecl] = None
    space: Optional[str] = None
    dtype: str = "f32"

    def __post_init__(self):
        try:
            sizes = tuple(map(operator.index, self.features))
        except TypeError:
            sizes = None
        if sizes is None or any(s < (1 if self.space else 0) for s in sizes):
            raise ValueError("expected positive integers as feature sizes, got "
                             f"{self.features}")
        object.__setattr__(self, "features", sizes)

    @property
    def rows(self):
        """The leading dimension, which is a number, "?", or None for a weight."""
        if self.space is None:
            return None
        known = {"edge_type": self.graph.edge_types,
                 "node_type": self.graph.node_types, "graph": 1}
        return known.get(self.space, "?")

    @property
    def is_typed(self):
        return self.space in ("edge_type", "node_type")

    def with_features(self, *features):
        return TensorType(features, self.graph, self.space, self.dtype)

    def with_space(self, space):
        return TensorType(self.features, self.graph, space, self.dtype)

    def with_dtype(self, dtype):
        return TensorType(self.features, self.graph, self.space, dtype)

    def shape(self, graph=None):
        """The shape on a bound graph. Without a graph, the number of rows must be known."""
        if self.space is None:
            return self.features
        rows = self.rows
        if rows == "?":
            rows = graph.count(self.space)
        return (rows,) + self.features

    def text(self, alias=None):
        """The type as MLIR spells it. `alias` names the encoding."""
        dims = self.features if self.space is None else (
            (self.rows,) + self.features)
        text = "x".join([str(d) for d in dims] + [self.dtype])
        if self.space is None:
            return f"tensor<{text}>"
        alias = alias or f"#gnn.rows<@{self.graph.name}, {self.space}>"
        return f"tensor<{text}, {alias}>"

    def __str__(self):
        return self.text()


def weight(*shape):
    """The type of a weight that all rows share."""
    return TensorType(shape)


@dataclass(frozen=True)
class ScalarType:
    """A builtin scalar, such as i64."""

    dtype: str
    graph = None
    space = None
    features = ()
    is_typed = False

    def shape(self, graph=None):
        return ()

    def text(self, alias=None):
        return self.dtype

    def __str__(self):
        return self.dtype


# The type of an integer that is an input, such as the seed of a dropout.
I64 = ScalarType("i64")


def i64(what, value):
    """An int that fits 64 bits, also of NumPy or of a tensor; else ValueError."""
    return integer(what, value, -2 ** 63, 2 ** 63 - 1)


def find_name(names, what, name):
    """The number of a type, of those of these names."""
    if names is None:
        raise ValueError(f"the graph has no {what} names, got {name!r}")
    if name not in names:
        raise ValueError(f"expected {'an' if what[0] in 'aeiou' else 'a'} {what} of "
                         f"{listed(names)}, got {name!r}")
    return names.index(name)


def count_remedy(error):
    """The rest of an error about a graph's number of types; "" of others."""
    found = re.search(r"expected (\d+) (edge|node) types?, got (\d+)", error)
    if found is None:
        return ""
    expected, kind, got = int(found[1]), found[2], int(found[3])
    if got > expected == 1:
        other = "node" if kind == "edge" else "edge"
        made = "; typed models are made with node_types={}".format(got) * (kind == "node")
        return (f"; gnn_mlir.merge_types(graph, {other}_types=False) is the graph without "
                f"{kind} types{made}")
    if got == 1 < expected:
        return (f"; all {kind}s of the graph are of type 0, as without {kind}_type. Only "
                f"where that is meant, num_{kind}_types={expected}")
    if got < expected:
        return ("; where a type does not occur, the Graph has to be told: "
                f"num_{kind}_types={expected}")
    return ""
