# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graphs that a captured program has: which integer tensors are ends of edges, which
are types, and which axes are rows of what."""

import torch

from ....types import MOST_TYPES
from ..tracing import vocabulary
from .axes import Axis
from .dimensions import gathered, kept
from .values import GETITEM, is_floats, made_equal, value_of

aten, OPS = torch.ops.aten, vocabulary.OPS

# Ops that change the shape of ids, not the ids.
_SAME_IDS = {aten.view.default, aten.reshape.default, aten.expand.default,
             aten.unsqueeze.default, aten.squeeze.dim, aten.clone.default,
             aten._to_copy.default, aten.expand_as.default}


class Ids:
    """A vector of rows: one end of the edges of a graph."""

    def __init__(self, graph, end):
        self.graph, self.end = graph, end


class Types:
    """A vector of types of the rows of an axis: of `by` edge_type or node_type; with an
    end, of that end's node of each edge of `graph`. With `others`, the last type is that
    of all numbers that are no other."""

    def __init__(self, axis, count, node, graph=None, end=None, others=False):
        self.axis, self.count, self.node = axis, count, node
        self.graph, self.end, self.others = graph, end, others


class TypedGraph:
    """A graph of the program: where its ids come from and what its axes are.

    `pair` is the tensor [2, edges], None where ends are vectors by themselves; a flipped
    pair is the pair with its ends exchanged. A graph with a `parent` is that with other
    self `loops`, as `Module.looped_graph` has them."""

    def __init__(self, name, pair, edge):
        self.name, self.pair, self.edge = name, pair, edge
        self.parent, self.loops = None, None
        self.ends, self.vectors = {}, {}
        self.indexed = {}  # By end: the first of the ops, where all are `x[ids]`.
        self.edge_types = None
        self.node_types = {}  # Types by end

    @property
    def square(self):
        return (set(self.ends) == {"src", "dst"} and
                self.ends["src"].find() is self.ends["dst"].find())

    @property
    def num_edge_types(self):
        return self.edge_types.count if self.edge_types else 1

    @property
    def num_node_types(self):
        return max([types.count for types in self.node_types.values()], default=1)

    def count_types(self, space):
        """How many "edge_type"s or "node_type"s there are."""
        return self.num_edge_types if space == "edge_type" else self.num_node_types

    def space(self, end):
        """The row space of the nodes at an end."""
        return "node" if self.square else end

    def declare(self, module, declared):
        """Declares it; `declared` gives its parent's declaration."""
        if self.parent is not None:
            return module.looped_graph(self.name, declared(self.parent), self.loops)
        return module.graph(self.name, self.num_node_types, self.num_edge_types,
                            square=self.square)


class Graphs:
    """All graphs, by the ids that are used; those that are `foreign` have none.

    A graph has two ends. Where edges have ids of more kinds of rows, the first ones are
    ends, and the axis is `crowded`; with `alone`, each kind is then the one end of a graph of
    its own, whose other end is the edges themselves."""

    def __init__(self, graph, axes, foreign=(), alone=False):
        self._foreign = {None, *foreign}
        self.axes, self.all, self._by_key = axes, [], {}
        self._types, self._compared = {}, {}
        self._ids = {}  # The `Ids` of each key, one for each kind of rows.
        self._others = {}  # Ids to other numbers of rows than there are at their end, by key.
        self.crowded, self._alone = [], []
        gathers, scatters, typed, readers = [], [], [], {}
        for node in graph.nodes:
            if node.op == "call_function":
                known = len(gathers)
                self._uses(node, gathers, scatters, typed)
                for ids, *_ in gathers[known:]:
                    readers.setdefault(self.key(ids), []).append(node)
        typing = {*(vector for vector, _ in typed),
                  *(v for v in self._compared if self._all_of(v))}
        self._ends(gathers, scatters, typing)
        if alone and self.crowded:
            self.all, self._by_key, self._ids, self._others = [], {}, {}, {}
            self._alone = self.crowded
            self._ends(gathers, scatters, typing)
        self._find_loops()
        self._add_others(scatters)
        self._find_types(gathers, typed)
        self._find_indexed(readers, scatters)
        self._roles()

    # -- What ids are used for ---------------------------------------------------

    def _uses(self, node, gathers, scatters, typed):
        """Notes (ids, axis of the rows that they point to), and (types, how many)."""
        target, args, axes = node.target, node.args, self.axes
        found = gathered(node)
        if found is not None:
            x, dim, ids = found
            if self.key(ids)[0].target != aten.nonzero.default:  # Rows of a mask.
                gathers.append((ids, axes.of(x, dim), x))
        elif target in (OPS.aggregate.default, OPS.aggregate_by_type.default):
            scatters.append((args[1], axes.of(node), args[0]))
            if target == OPS.aggregate_by_type.default:
                typed.append((args[2], args[4]))
        elif target in (OPS.edge_softmax.default, OPS.edge_softmax_by_type.default):
            by_type = target == OPS.edge_softmax_by_type.default
            size = args[3 if by_type else 2]
            scatters.append((args[1], Axis(size) if isinstance(size, int) else axes.of_size(size),
                             args[0]))
            if by_type:
                typed.append((args[2], args[4]))
        elif target in (aten.scatter_add.default, aten.index_add.default,
                        aten.scatter_reduce.two, aten.index_reduce.default):
            if self.is_along(args[2], args[1] % value_of(node).dim()):
                scatters.append((args[2], axes.of(node, args[1]), args[3]))
        elif target == OPS.typed_linear.default:
            typed.append((args[2], int(value_of(args[1]).shape[0])))
        elif target == aten.eq.Scalar and _is_ids(args[0]) and isinstance(
                args[1], int) and _selects_rows(node):
            self._compared.setdefault(self.key(args[0])[0], set()).add(args[1])

    def key(self, ids):
        """(pair, 0 or 1) or (vector, None) of ids, whatever their shape."""
        while True:
            if ids.target in _SAME_IDS and _is_ids(ids.args[0]):
                ids = ids.args[0]
            elif ids.target == aten.select.int and ids.args[1] == 0:
                return self._of_pair(ids.args[0], ids.args[2]) or (ids, None)
            elif ids.target == GETITEM and ids.args[0].target == aten.unbind.int:
                return self._of_pair(ids.args[0].args[0], ids.args[1]) or (ids, None)
            else:
                return ids, None

    def is_along(self, ids, dim):
        """Whether ids are a vector, or one along a dimension, the same at all indices of
        others."""
        while value_of(ids).dim() > 1 and ids.target in _SAME_IDS and dim is not None:
            before = kept(ids, ids.args[0]).items()
            ids, dim = ids.args[0], next((its for its, at in before if at == dim), None)
        return value_of(ids).dim() == 1 and dim is not None

    def _of_pair(self, pair, which):
        value = pair.meta.get("val")
        if not isinstance(value, torch.Tensor) or value.dim() != 2:
            return None
        which %= 2
        if pair.target == aten.flip.default and list(pair.args[1]) in ([0], [-2]):
            return self._of_pair(pair.args[0], 1 - which)
        if pair.target == aten.stack.default and len(pair.args[0]) == 2:
            return self.key(pair.args[0][which])
        return (pair, which) if int(value.shape[0]) == 2 else None

    # -- Which graph they belong to -------------------------------------------------

    def _ends(self, gathers, scatters, typed):
        typed = {self.key(ids) for ids in typed}
        scattered = {self.key(ids) for ids, _, _ in scatters}
        for ids, axis, _ in [*scatters, *gathers]:
            pair, which = key = self.key(ids)
            if which is None or axis is None or pair in self._foreign:
                continue
            edge = self.axes.of(pair, 1)
            if self._is_alone(edge):
                self._end_alone(ids, edge, axis, key in scattered)
            else:
                self._end(self._graph(pair, edge), "src" if which == 0 else "dst", ids, axis)
        rows = {axis.find() for graph in self.all for axis in graph.ends.values()}
        for where, role in ((scatters, "dst"), (gathers, "src")):
            for ids, axis, x in where:
                key = self.key(ids)
                if key[1] is not None or axis is None or key in typed or (
                        key[0] in self._foreign):
                    continue
                if role == "src" and key not in scattered and axis.find() not in rows and (
                        not isinstance(axis.find().size, torch.SymInt)):
                    continue  # Of a table: they are types.
                if role == "src" and _is_ids(x) and value_of(x).dim() == 1 and (
                        not isinstance(axis.find().size, torch.SymInt)):
                    continue
                edge = self.axes.of(key[0])
                if self._is_alone(edge):
                    self._end_alone(key[0], edge, axis, key in scattered)
                    continue
                if any(graph.pair is not None and graph.edge.find() is edge
                       for graph in self.all):
                    self.crowded.append(edge)
                graph = self._graph(edge, edge, loose=True)
                end = "dst" if key in scattered else role
                self._end(graph, end, key[0], axis)

    def _is_alone(self, edge):
        return any(one.find() is edge for one in self._alone)

    def _end_alone(self, ids, edge, axis, is_scattered):
        """Ids of one kind of rows as the one end of a graph."""
        key, found = self.key(ids), self._ids.setdefault(self.key(ids), [])
        for one in found:
            if made_equal(one.graph.ends[one.end].find().size, axis.find().size):
                one.graph.ends[one.end].join(axis)
                return
        while value_of(ids).dim() > 1 or ids.target in _SAME_IDS and _is_ids(ids.args[0]):
            ids = ids.args[0]
        if ids not in self._foreign:
            graph, end = self._graph((key, axis), edge, True), "dst" if is_scattered else "src"
            graph.vectors[end], graph.ends[end] = ids, axis
            found.append(Ids(graph, end))

    def _graph(self, key, edge, loose=False):
        if key not in self._by_key:
            found = TypedGraph(f"g{len(self.all)}" if self.all else "g",
                               None if loose else key, edge)
            self._by_key[key] = found
            self.all.append(found)
        return self._by_key[key]

    def _end(self, graph, end, ids, axis):
        if end in graph.vectors and self.key(graph.vectors[end]) != self.key(ids):
            self.crowded.append(graph.edge)
            return
        if end not in graph.vectors:
            graph.vectors[end] = ids
            self._ids.setdefault(self.key(ids), [Ids(graph, end)])
        if not self._end_axis(graph, end, axis):
            self._others.setdefault(self.key(ids), []).append((ids, axis))
            self.crowded.append(graph.edge)

    def _add_others(self, scatters):
        """Graphs of ids by which rows are summed up to another number of rows than there are at
        their end."""
        summed = {(self.key(ids), axis.find()) for ids, axis, _ in scatters if axis is not None}
        for key, found in self._others.items():
            graph, end = self._ids[key][0].graph, self._ids[key][0].end
            made = {}
            for ids, axis in found:
                axis = axis.find()
                if axis is not graph.ends[end].find() and (key, axis) in summed and (
                        axis not in made):
                    other = TypedGraph(f"g{len(self.all)}", None, graph.edge)
                    other.vectors[end], other.ends[end] = ids, axis
                    self.all.append(other)
                    made[axis] = Ids(other, end)
            self._ids[key] += made.values()

    def _find_indexed(self, readers, scatters):
        """Ends whose ids may be negative, as torch has them in `x[ids]` alone."""
        scattered = {self.key(ids) for ids, _, _ in scatters}
        for key, nodes in readers.items():
            if key not in scattered and all(node.target == aten.index.Tensor for node in nodes):
                for found in self._ids.get(key, ()):
                    found.graph.indexed[found.end] = nodes[0]

    def _find_loops(self):
        """Graphs that are others with other self loops get their parents."""
        for graph in list(self.all):
            found = self._looped(graph.pair) if graph.pair is not None else None
            if found is None or not graph.ends:
                continue
            base, loops, size = found
            if size is not None:
                for end in ("src", "dst"):
                    self._end_axis(graph, end, size)
            elif len(graph.ends) == 1:
                axis, = graph.ends.values()
                for end in ("src", "dst"):
                    self._end_axis(graph, end, axis)
            if not graph.square:
                continue
            parent = self._graph(base, self.axes.of(base, 1))
            for end in ("src", "dst"):
                self._end_axis(parent, end, graph.ends["src"])
            if parent.square:
                graph.parent, graph.loops = parent, loops

    def _end_axis(self, graph, end, axis):
        """Rows that the same ids point to are as many as there are nodes; whether that may be."""
        if end not in graph.ends:
            graph.ends[end] = axis
        elif made_equal(graph.ends[end].find().size, axis.find().size):
            graph.ends[end].join(axis)
        else:
            return False
        return True

    def _looped(self, pair):
        """(the pair that it is made of, loops, how many nodes)."""
        if pair.target == OPS.drop_loops.default:
            return pair.args[0], "remove", None
        if pair.target not in (OPS.add_loops.default, OPS.remaining_loops.default):
            return None
        size = self.axes.of_size(pair.args[1])
        if pair.target == OPS.remaining_loops.default:
            return pair.args[0], "remaining", size
        base = pair.args[0]
        if base.target == OPS.drop_loops.default:
            return base.args[0], "replace", size
        return base, "add", size

    def of_pair(self, pair):
        """The graph of a tensor [2, edges], or None."""
        return self._by_key.get(pair)

    # -- Types ----------------------------------------------------------------------

    def _all_of(self, vector):
        """How many types a vector is compared with, 0 where not the first so many."""
        numbers = self._compared[vector]
        return len(numbers) if numbers == set(range(len(numbers))) else 0

    def _find_types(self, gathers, typed):
        found = {}
        for vector, count in typed:
            key = self.key(vector)[0]
            found[key] = max(count, found.get(key, 0))
        for ids, axis, _ in gathers:
            key, which = self.key(ids)
            # Rows of a longer table are gathered by torch.
            if which is None and not self._is_end(ids) and axis is not None and (
                    not isinstance(axis.find().size, torch.SymInt)) and (
                    axis.find().size <= MOST_TYPES):
                found[key] = max(int(axis.find().size), found.get(key, 0))
        through = set()
        compared = {vector: self._all_of(vector) + 1 for vector in self._compared
                    if vector not in found and self._all_of(vector)}
        for vector, count in [*found.items(), *compared.items()]:
            if value_of(vector).dim() != 1 or self._is_end(vector):
                continue
            others, via = vector in compared, self._types_of_ends(vector)
            if via is None:
                self._note(vector, count, others)
                continue
            inner, ids = via
            key = self.key(inner)[0]
            self._note(key, count, others)
            if key in self._types:
                self._types[vector] = Types(self.axes.of(inner), self._types[key].count, key,
                                            ids.graph, ids.end, self._types[key].others)
                through.add((ids.graph, ids.end))
        for graph in self.all:
            self._settle(graph, through)

    def _settle(self, graph, through):
        """Numbers of types at the ends of a graph are one: where they are not, the types of one
        end are those of another graph of the same nodes. Those that edges have `through` an
        end stay."""
        ends = [end for end in graph.node_types if (graph, end) not in through]
        if len({types.count for types in graph.node_types.values()}) < 2:
            return
        homes = {end: sum(types in (other.edge_types, *other.node_types.values())
                          for other in self.all)
                 for end in ends for types in [graph.node_types[end]]}
        end = max(homes, key=homes.get, default=None)
        if end is not None and homes[end] > 1:
            del graph.node_types[end]

    def _note(self, vector, count, others):
        if vector in self._types:
            types = self._types[vector]
            if types.others == others:
                types.count = max(count, types.count)
            return
        axis, used = self.axes.of(vector), False
        types = Types(axis, count, vector, others=others)
        for graph in self.all:
            if graph.edge.find() is axis:
                if graph.edge_types is None:
                    graph.edge_types, used = types, True
            for end, at in graph.ends.items():
                if at.find() is axis and end not in graph.node_types:
                    graph.node_types[end], used = types, True
        if used:
            self._types[vector] = types

    def _types_of_ends(self, vector):
        """(types, ids) of types at an end of each edge: types[ids]."""
        found = gathered(vector)
        if found is None or not _is_ids(found[0]) or value_of(found[0]).dim() != 1:
            return None
        ids = self.ids(found[2])
        return (found[0], ids) if ids else None

    def _is_end(self, ids):
        return self.ids(ids) is not None

    # -- What the raising asks ---------------------------------------------------------

    def ids(self, node, axis=None):
        """The `Ids` that a node is, or None; of several those to the rows of an axis."""
        found = self._ids.get(self.key(node)) or [None]
        return next((one for one in found[1:] if one.graph.ends[one.end].find() is axis),
                    found[0])

    def types(self, node):
        """The `Types` that a node is, or None."""
        return self._types.get(self.key(node)[0])

    def _roles(self):
        self.roles = {}
        for graph in self.all:
            for end, axis in graph.ends.items():
                self._role(axis, graph, graph.space(end))
        for graph in self.all:
            self._role(graph.edge, graph, "edge")
            for end in ("src", "dst"):
                # An end that nothing uses is the edges themselves.
                if end not in graph.ends:
                    self._role(graph.edge, graph, end)

    def _role(self, axis, graph, space):
        found = self.roles.setdefault(axis.find(), [])
        if (graph, space) not in found:
            found.append((graph, space))

    def roles_of(self, axis):
        """(graph, space) of an axis, the one that values have by default first."""
        return self.roles.get(axis.find(), []) if axis is not None else []


def _selects_rows(mask):
    """Whether a mask says which rows of features an op takes or gives."""
    return any(is_floats(user.meta.get("val")) or user.target in (
        *_SAME_IDS, aten.nonzero.default) and _selects_rows(user) for user in mask.users)


def _is_ids(node):
    value = node.meta.get("val") if isinstance(node, torch.fx.Node) else None
    return isinstance(value, torch.Tensor) and value.dtype in (torch.int64, torch.int32)
