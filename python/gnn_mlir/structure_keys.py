# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structures that functions of a package need of their graphs, read from the
launch plan."""

from ctypes import c_char_p

# Spaces without orders whose rows are known by numbers that a graph is made of.
_SIZES = ("edge", "src", "dst", "node", "edge_type", "node_type", "src_node_type",
          "dst_node_type", "graph")


class Request:
    """The structures that functions need of one graph."""

    def __init__(self, name):
        self.name, self.parent = name, None
        # For a derived graph: types of the parent, None for all.
        self.types = self.loops = self.loop_type = self.shards = None
        self.counts, self.structures = {}, {}  # Their texts, as keys.
        self.schema, self.self_loops, self.dst_sorted = None, False, False

    def add_count(self, text):
        self.counts[text] = None

    def add_structure(self, text):
        """With the count that its size is known by."""
        self.structures[text] = None
        kind, first, *others = text.split(" ")
        if kind == "map":
            self.add_count(f"count {_space(first)}")
        elif kind in ("tiles", "long_tiles", "cut_rows"):
            self.add_count(" ".join([f"{kind[:-1]}_count", first, *others]))
        elif kind == "merged":
            self.add_count(" ".join(["merged_count", first, *others]))
        elif kind in ("stream", "shares"):
            self.add_count(f"count {_space(others[0])}")
        else:
            self.add_count(f"count {_space(first)}")

    def finish(self):
        for space in _SIZES:
            self.add_count(f"count {space}")
        self.c_name = self.name.encode()
        self.c_counts, self.c_structures = ((c_char_p * len(texts))(
            *[text.encode() for text in texts]) for texts in (self.counts, self.structures))


def _space(rows):
    """The space of rows in an order."""
    return rows.partition(".")[0]


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
    return {**found, **derived}
