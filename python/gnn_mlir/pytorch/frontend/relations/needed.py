# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers on one typed graph that compute the rows of the types alone that something reads.

`HGTConv` puts the rows of all types behind each other and takes its result apart by type.
Where some of these parts are read by nothing, the layer is written anew: edges into the
types that are read, sources of these edges. Types are put in the order of the last layer
that has them, so that the destinations of a layer are the first rows of its sources.
"""

import dataclasses

import torch

from ..analysis.axes import Axes
from ..analysis.dimensions import is_row_by_row, kept, sizes_at
from ..analysis.liveness import stacks
from ..analysis.values import GETITEM, value_of
from ..functional.writing import Graph, Stuck, size_of
from ..tracing import vocabulary

aten, OPS = torch.ops.aten, vocabulary.OPS


@dataclasses.dataclass(eq=False)
class _Layer:
    """The region between rows that are put together, `join`, and taken apart, `split`:
    `kinds` are the axes of the types, in the order of the model's. `read` and `needed` are
    those that it is to give, and to be given."""

    split: torch.fx.Node
    join: torch.fx.Node
    edges: torch.fx.Node
    kinds: tuple
    nodes: set
    read: set = dataclasses.field(default_factory=set)
    needed: set = dataclasses.field(default_factory=set)

    @property
    def types(self):
        return self.join.args[1]

    def ends(self, which):
        """The type at an end of each relation."""
        return [self.kinds[i] for i in self.edges.args[1 + which]]


def narrowed(lowered):
    """`lowered` with layers that compute what something reads; None where they do already,
    or where that is not to be had."""
    graph = lowered.module.graph
    if not any(node.target == OPS.split_types.default for node in graph.nodes):
        return None
    axes = Axes(graph, lowered.same)
    layers = [layer for node in graph.nodes if node.target == OPS.split_types.default
              for layer in [_layer(node, axes)] if layer is not None]
    live = _find_read(graph, layers)
    layers = [layer for layer in layers if layer.read]
    if all(len(layer.read) == len(layer.kinds) for layer in layers):
        return None
    try:
        return dataclasses.replace(lowered, module=_Writer(lowered, layers, axes, live).run())
    except Stuck:
        return None


def _layer(split, axes):
    """The layer that a split ends, None where it is another."""
    nodes, left, joins, edges = set(), [split.args[0]], set(), set()
    while left:
        node = left.pop()
        if node in nodes or node.op != "call_function":
            continue
        nodes.add(node)
        if node.target == OPS.join_types.default:
            joins.add(node)
        elif node.target == OPS.typed_edges.default:
            edges.add(node)
        elif node.target != OPS.type_rows.default:
            left += node.all_input_nodes
    if len(joins) != 1 or len(edges) != 1:
        return None
    join, edge = joins.pop(), edges.pop()
    kinds, types = tuple(map(axes.of, join.args[0])), join.args[1]
    counts = types.args[1] if types.target == OPS.type_rows.default else None
    if len(set(kinds)) < len(kinds) or any(list(given) != list(counts or ()) for given in (
            split.args[1], edge.args[3], edge.args[4])):
        return None
    return _Layer(split, join, edge, kinds, nodes)


def _find_read(graph, layers):
    """Finds which types each layer is to give, and needs: those that edges into these come
    from, and these. Gives the nodes that something reads."""
    by_split = {layer.split: layer for layer in layers}
    by_join = {}
    for layer in layers:
        by_join.setdefault(layer.join, []).append(layer)
    ofs = {node: layer for layer in layers for node in (layer.types, layer.edges)}
    live = set(graph.output_node().all_input_nodes)
    for node in reversed(graph.nodes):
        if node not in live and not node.is_impure():
            continue
        if node.target == GETITEM and node.args[0] in by_split:
            layer = by_split[node.args[0]]
            layer.read.add(layer.kinds[node.args[1]])
            live.add(layer.split)
        elif node in by_split:
            layer = by_split[node]
            layer.needed = layer.read | {src for src, dst in zip(*map(layer.ends, (0, 1)))
                                         if dst in layer.read}
            live.add(node.args[0])
        elif node in by_join:
            needed = set().union(*(layer.needed for layer in by_join[node]))
            for layer in by_join[node]:
                layer.needed = needed
            live.update(part for part, kind in zip(node.args[0], by_join[node][0].kinds)
                        if kind in needed)
        elif node in ofs:  # Sizes, which rows that nothing reads have too.
            live.update(node.args[0] if node is ofs[node].edges else node.args[:1])
        else:
            live.update(node.all_input_nodes)
    return live


class _Writer:
    """Writes the graph anew, of the nodes that something reads."""

    def __init__(self, lowered, layers, axes, live):
        self.old, self.axes, self.layers = lowered.module.graph, axes, layers
        self._module, self._live = lowered.module, live
        self.new, self.env, self._sizes = Graph.of(lowered.module), {}, {}
        last, first = {}, {}
        for number, layer in enumerate(layers):
            for kind in layer.kinds:
                first.setdefault(kind, len(first))
            last |= dict.fromkeys(layer.read, number)
        self._order = {kind: (-last.get(kind, -1), place) for kind, place in first.items()}

    def run(self):
        splits = {layer.split: layer for layer in self.layers}
        of_layers = {node for layer in self.layers
                     for node in (layer.join, layer.types, layer.edges)}
        for node in self.old.nodes:
            self.new.place = node
            if node in splits:
                self._split(splits[node])
            elif node.op in ("placeholder", "output") or node in self._live - of_layers and (
                    node not in self.env and self.env.keys() >= set(node.all_input_nodes)):
                if not self.env.keys() >= set(node.all_input_nodes):
                    raise Stuck("rows of types that others read too")
                self.env[node] = self.new.copy(node, self.env)
        self.new.graph.eliminate_dead_code()
        return torch.fx.GraphModule(self._module, self.new.graph)

    def _split(self, layer):
        """The parts that are read of what a layer gives."""
        whole, layout = _Rows(self, layer).whole()
        parts = None if len(layout) == 1 else self.new.call(
            OPS.split_types.default, whole, self.sizes(layout))
        for part in layer.split.users:
            kind = layer.kinds[part.args[1]]
            if kind in layer.read:
                self.env[part] = whole if parts is None else self.new.call(
                    GETITEM, parts, layout.index(kind))

    def ordered(self, kinds):
        return tuple(sorted(kinds, key=self._order.__getitem__))

    def sizes(self, layout):
        return [self.size(kind) for kind in layout]

    def size(self, kind):
        if kind not in self._sizes:
            self._sizes[kind] = size_of(kind, self.old, self.axes, self.env, self.new)
        return self._sizes[kind]

    def types(self, layout):
        """The type of each row of a layout."""
        return self.new.call(OPS.type_rows.default, self.env[self.layers[0].types.args[0]],
                             self.sizes(layout))

    def count(self, layout):
        return self.size(layout[0]) if len(layout) == 1 else self.new.call(
            aten.sym_size.int, self.types(layout), 0)


class _Rows:
    """The rows of one layer: `src` are the types of what it is given, of which `dst`, the
    first, are those of what it gives."""

    def __init__(self, writer, layer):
        self.writer, self.new, self.layer, self.env = writer, writer.new, layer, writer.env
        self.axes, self.edge_types = writer.axes, layer.edges.args[5]
        self.src, self.dst = writer.ordered(layer.needed), writer.ordered(layer.read)
        kept = [dst in layer.read for dst in layer.ends(1)]
        if self.dst != self.src[:len(self.dst)] or not any(kept) or (
                self.edge_types.target != OPS.type_rows.default):
            raise Stuck("rows of the types of several layers")
        self._made = {}
        sizes = [size if is_kept else 0 for size, is_kept in zip(
            self.edge_types.args[1], kept)]
        types = writer.types(self.dst)
        if self.src != self.dst:
            types = self.new.call(OPS.type_rows.default, types, writer.sizes(self.src))
        self._types = self.new.call(OPS.type_rows.default, types, torch.fx.node.map_arg(
            sizes, self.env.__getitem__))
        places = [[layout.index(kind) if is_kept else 0 for kind, is_kept in zip(
            layer.ends(end), kept)] for end, layout in enumerate((self.src, self.dst))]
        self._pair = self.new.call(
            OPS.typed_edges.default, [self.env[pair] for pair, is_kept in zip(
                layer.edges.args[0], kept) if is_kept], *places,
            writer.sizes(self.src), writer.sizes(self.dst), self._types)

    def whole(self):
        """(what the layer gives, its layout)."""
        made, own = self._of_nodes(self.layer.split.args[0], self.dst), value_of(
            self.layer.split)[0]
        if value_of(made).dim() != own.dim() or value_of(made).shape[1:] != own.shape[1:]:
            raise Stuck("rows of other sizes")
        return made, self.dst

    def _of_nodes(self, node, layout):
        """A node with the rows of a layout."""
        key = node, layout
        if key not in self._made:
            self._made[key] = self._rows(node, layout)
        return self._made[key]

    def _rows(self, node, layout):
        layer, target, args = self.layer, node.target, node.args
        if node is layer.join:
            return self._given(layout)
        if target == OPS.typed_linear.default and args[2] is layer.types:
            return self._product(args, layout)
        if target == aten.index_select.default and args[1] == 0 and args[2] is layer.types:
            table = self._by_type(args[0])
            if len(layout) == 1:  # A row that all rows read.
                return self.new.call(aten.narrow.default, table, 0, 0, 1) if (
                    len(self.src) > 1) else table
            return self.new.call(target, table, 0, self.writer.types(layout))
        if target == OPS.aggregate.default and layout == self.dst and self._end(
                args[1]) == 1 and self._is_count(args[2]):
            return self.new.call(target, self._of_edges(args[0]), self._ids(1),
                                 self.writer.count(layout), args[3])
        return self._row_by_row(node, self.axes.of(layer.types),
                                lambda x: self._of_nodes(x, layout),
                                self.writer.count(layout))

    def _given(self, layout):
        if layout != self.src:
            return self.new.call(OPS.first_rows.default, self._of_nodes(
                self.layer.join, self.src), self.writer.count(layout))
        parts = dict(zip(self.layer.kinds, self.layer.join.args[0]))
        parts = [self.env[parts[kind]] for kind in layout]
        return parts[0] if len(parts) == 1 else self.new.join(parts,
                                                              self.writer.types(layout))

    def _product(self, args, layout):
        x, weight = self._of_nodes(args[0], layout), self._by_type(args[1])
        bias = None if args[3] is None else self._by_type(args[3])
        if len(layout) > 1:
            return self.new.call(OPS.typed_linear.default, x, weight,
                                 self.writer.types(layout), bias)
        if value_of(x).dim() != 2:
            raise Stuck("a product of rows with several dimensions")
        weight, bias = (None if one is None else self.new.call(aten.select.int, one, 0, 0)
                        for one in (weight, bias))
        return self.new.call(aten.linear.default, x, self.new.call(
            aten.transpose.int, weight, 0, 1), bias)

    def _by_type(self, node):
        """A tensor of types as that of the types of this layer in their order."""
        key = node, None
        if key not in self._made:
            self._made[key] = self._weights(node)
        return self._made[key]

    def _weights(self, node):
        kinds, count = self.layer.kinds, len(self.src)
        if stacks(node, len(kinds)):
            parts = [self.env[node.args[0][kinds.index(kind)]] for kind in self.src]
            if count > 1:
                return self.new.call(node.target, parts)
            return parts[0] if node.target == aten.cat.default else self.new.call(
                aten.unsqueeze.default, parts[0], 0)
        if node.op != "call_function":
            raise Stuck("a weight of all types")

        def own(x):
            if kept(node, x).get(0) != 0:
                raise Stuck("a weight of all types")
            return self._by_type(x)
        return self._again(node, own, count)

    # -- Rows of edges ---------------------------------------------------------------------

    def _of_edges(self, node):
        if node not in self._made:
            self._made[node] = self._edges(node)
        return self._made[node]

    def _edges(self, node):
        target, args = node.target, node.args
        if target == aten.index_select.default and args[1] == 0:
            if args[2] is self.edge_types:
                return self.new.call(target, self.env[args[0]], 0, self._types)
            end = self._end(args[2])
            if end is not None:
                return self.new.call(target, self._of_nodes(
                    args[0], (self.src, self.dst)[end]), 0, self._ids(end))
        if target == OPS.typed_linear.default and args[2] is self.edge_types:
            return self.new.call(target, self._of_edges(args[0]), self.env[args[1]],
                                 self._types, args[3] and self.env[args[3]])
        if target == OPS.edge_softmax.default and self._end(args[1]) == 1 and (
                self._is_count(args[2])):
            return self.new.call(target, self._of_edges(args[0]), self._ids(1),
                                 self.writer.count(self.dst))
        return self._row_by_row(node, self.axes.of(self.edge_types), self._of_edges,
                                self.new.call(aten.sym_size.int, self._types, 0))

    def _end(self, index):
        """Which end of its edges ids are, None of others."""
        if index.target == aten.select.int and index.args[:2] == (self.layer.edges, 0):
            return index.args[2] % 2
        return None

    def _ids(self, end):
        return self.new.call(aten.select.int, self._pair, 0, end)

    def _is_count(self, size):
        return self.axes.of_size(size) is self.axes.of(self.layer.types)

    def _row_by_row(self, node, axis, rows, count):
        """An op whose rows are each of the same row of operands."""
        own = [x for x in node.all_input_nodes if self.axes.of(x) is axis]
        if not is_row_by_row(node, own) or self.axes.of(node) is not axis or any(
                    axis in self.axes.all_of(x)[1:] for x in (node, *node.all_input_nodes)):
            raise Stuck(f"{node.target} of rows of some types")
        return self._again(node, lambda x: rows(x) if x in own else self.env[x], count)

    def _again(self, node, own, count):
        """An op of what `own` gives for its tensors, with so many rows."""
        args, at = list(node.args), sizes_at(node)
        if at is not None:
            args[at] = [count, *args[at][1:]]
        args, kwargs = torch.fx.node.map_arg((args, node.kwargs), lambda x: own(x) if isinstance(
            value_of(x), (torch.Tensor, tuple, list)) else self.env.get(x, x))
        return self.new.call(node.target, *args, **kwargs)
