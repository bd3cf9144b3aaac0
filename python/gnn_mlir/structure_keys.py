# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structures that functions of a package need of their graphs, read from the
launch plan."""

import collections
import functools
from ctypes import c_char_p

Key = collections.namedtuple("Key", "kind group elements target tile")

# Spaces without orders whose rows are known by numbers that a graph is made of.
_SIZES = ("edge", "src", "dst", "node", "edge_type", "node_type", "src_node_type",
          "dst_node_type", "graph")

# Orders of edges that come from the sorts of `pytorch.structures`.
_SORTED = ("", "in_rows", "out_rows", "src_pairs", "dst_pairs")


@functools.lru_cache(maxsize=None)
def parse(text):
    """A structure or a count by its text. `elements` and `target` are (space, order)."""
    kind, *words = text.split(" ")
    if kind == "map":
        return Key(kind, None, _ordered(words[0]), _ordered(words[1]), 0)
    if kind == "count":
        return Key(kind, words[0], None, None, 0)
    if kind == "stream":
        return Key(kind, words[0], _ordered(words[1]), _ordered(words[2]), 0)
    return Key(kind, words[0], _ordered(words[1]), None, int(words[2]) if words[2:] else 0)


def _ordered(text):
    space, _, order = text.partition(".")
    return space, order


def side(space):
    """The end of an edge that a space is about."""
    return "dst" if space.removeprefix("parent_").startswith("dst") else "src"


def is_small(group):
    """Whether the groups are few, so that their rows come to the host."""
    return group in ("graph", "edge_type", "src_node_type", "dst_node_type")


def sorts(key):
    """The sorts that a structure or a count is made of, ("pair" or "node", side) each:
    of the graph itself, and of its parent."""
    own, parent = set(), set()
    spaces = [(key.group, "")] if key.group else []
    for space, order in spaces + [rows for rows in (key.elements, key.target) if rows]:
        of_parent = space.startswith("parent_")
        space = space.removeprefix("parent_")
        found = parent if of_parent else own
        if space in ("src_pair", "dst_pair"):
            found.add(("pair", side(space)))
            own.add(("pair", side(space)))
        if order in ("src_pairs", "dst_pairs"):
            found.add(("pair", order[:3]))
        if order in ("in_rows", "out_rows"):
            found.add(("node", "dst" if order == "in_rows" else "src"))
        if order in ("by_degree", "degree_windows") and space in ("src", "dst"):
            found.add(("node", side(space)))
    return own, parent


@functools.lru_cache(maxsize=None)
def is_early(text):
    """Whether a structure can be made before it is known how many pairs there are, and
    that all ids are what they should be."""
    key = parse(text)
    if key.kind == "rows":
        return key.elements in (("edge", "in_rows"), ("edge", "out_rows"))
    return (key.kind == "map" and key.elements[0] == "edge" and
            key.elements[1] in _SORTED and key.target[1] in _SORTED and
            key.target[0] in ("edge", "src", "dst", "src_pair", "dst_pair", "edge_type"))


class Request:
    """The structures that functions need of one graph."""

    def __init__(self, name):
        self.name, self.parent = name, None
        # For a derived graph: types of the parent, None for all.
        self.types = self.loops = self.loop_type = self.shards = None
        self.counts, self.structures = {}, {}  # Keys by text.
        self.schema, self.self_loops, self.dst_sorted = None, False, False
        self.sorts, self.parent_sorts = set(), set()

    def add_count(self, text):
        self.counts[text] = parse(text)

    def add_structure(self, text):
        self.structures[text] = key = parse(text)
        group = "" if key.kind == "map" else f"{key.group} {'.'.join(filter(None, key.elements))}"
        if key.kind == "map":
            self.add_count(f"count {key.elements[0]}")
        elif key.kind in ("tiles", "long_tiles", "cut_rows"):
            self.add_count(f"{key.kind[:-1]}_count {group} {key.tile}")
        elif key.kind in ("stream", "shares"):
            self.add_count(f"count {key.elements[0]}")
        else:
            self.add_count(f"count {key.group}")

    def finish(self):
        for space in _SIZES:
            self.add_count(f"count {space}")
        for key in (*self.counts.values(), *self.structures.values()):
            own, parent = sorts(key)
            self.sorts |= own
            self.parent_sorts |= parent
        # (text, key, the space whose rows are counted, if it is only that) of each count.
        self.counted = [(text, key, key.group if key.kind == "count" else None)
                        for text, key in self.counts.items()]
        self.c_name = self.name.encode()
        self.c_counts = (c_char_p * len(self.counts))(
            *[text.encode() for text in self.counts])
        self.c_structures = (c_char_p * len(self.structures))(
            *[text.encode() for text in self.structures])
        # The rows of few groups, but for the one of the graph.
        self.small = {("rows", key.group, key.elements): None for key in (
            *self.counts.values(), *self.structures.values())
            if key.elements and key.group != "graph" and is_small(key.group)}
        self.early = [text for text in self.structures if is_early(text)]


def requests(package, names):
    """The needs of functions of a package, by the names of graphs: those that they
    declare, then those that they derive. With a forward pass comes what its backward pass
    needs."""
    cache = package.__dict__.setdefault("_requests", {})
    if names not in cache:
        cache[names] = _requests(package.plan()["functions"], names)
    return cache[names]


def _requests(plans, names):
    chosen = [plan for plan in plans if plan["name"] in names]
    forward = {plan["gradient_of"] for plan in chosen if plan.get("pass") == "forward"}
    chosen += [plan for plan in plans if plan not in chosen and
               plan.get("pass") == "backward" and plan["gradient_of"] in forward]
    found, derived = {}, {}
    for plan in chosen:
        for graph in plan["graphs"]:
            one = found.setdefault(graph["name"], Request(graph["name"]))
            one.schema = graph["schema"] or one.schema
            one.self_loops |= graph.get("self_loops", False)
            one.dst_sorted |= graph.get("dst_sorted", False)
        for graph in plan.get("derived", ()):
            one = derived.setdefault(graph["name"], Request(graph["name"]))
            one.parent, one.types = graph["of"], graph.get("types")
            one.shards = (graph["shards"], graph["shard_end"]) if "shards" in graph else None
            one.loops, one.loop_type = graph.get("loops"), graph.get("loop_type")
            one.derivation = (*map(graph.get, ("loops", "loop_type", "shards", "shard_end")),
                              None if one.types is None else tuple(one.types))
            one.schema = graph["schema"] or one.schema
        known = {**found, **derived}
        for expr in plan["exprs"]:
            if expr["op"] == "count":
                known[expr["graph"]].add_count(expr["of"])
        for tensor in plan["inputs"] + plan["outputs"]:
            if tensor["graph"]:
                known[tensor["graph"]].add_count(f"count {tensor['space']}")
        for structure in plan["structures"]:
            known[structure["graph"]].add_structure(structure["key"])
    for one in (*found.values(), *derived.values()):
        one.finish()
    for one in derived.values():
        found[one.parent].sorts |= one.parent_sorts
    return {**found, **derived}
