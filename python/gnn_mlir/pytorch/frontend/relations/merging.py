# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models on a dict of graphs as models on one typed graph.

A layer on R relations is R graphs with the same ops, each with weights of its own. It
becomes one graph: nodes type after type, edges relation after relation, with a vector of
types for each (Hector, section 3.2.1; `HGTConv` is the same by PyG's own hands). Ops on
edges become one op with weights by edge type, sums over relations one sum over all edges,
and what follows on the rows of each node type one op with weights by node type. So a
layer has as many kernels as a layer on one relation.

Relations whose ops differ, as those of another layer or with other sizes, are a graph
for each kind. A layer that fits none leaves the graph as it is: `merge` gives
None.

Few relations of many rows stay graphs of their own (`apart`): the rows of types are copied
to be put behind each other, and what each relation has of a node is stored for all relations
at once. The copy takes more memory than kernels of each relation take time.
"""

import dataclasses
import graphlib
import math

import torch

from ..analysis.values import GETITEM, assertions, features, value_of
from ..functional.writing import Graph, Stuck, size_of
from ..tracing import vocabulary
from .copied_groups import CopiedGroup
from .groups import Group, by_key, one_layout
from .layers import Layers
from .zipping import Differ, Zip, is_finite, once

aten, OPS = torch.ops.aten, vocabulary.OPS
# Relations of a layer that may stay apart, and bytes of rows of which they do.
FEW, MANY = 8, 1 << 25


def merge(lowered):
    """`lowered` with the relations of its layers merged, and what rows by type are made of;
    None where there is nothing of the sort, or a condition of the model is asserted."""
    if assertions(lowered.module.graph):
        return None
    layers = Layers(lowered)
    if layers.layers:
        for needed in (True, False):
            try:
                return _Merger(lowered, layers, needed).run()
            except Stuck:
                pass
        layers.leave()
    if any(node.target == OPS.join_types.default for node in lowered.module.graph.nodes):
        try:
            return _Merger(lowered, layers).run()
        except Stuck:
            pass
    return None


def apart(lowered):
    """`lowered` with a graph for each relation, whose results are summed as those of merged
    ones are; None but for layers of few relations on many rows."""
    if assertions(lowered.module.graph):
        return None
    layers = Layers(lowered)
    if not layers.layers or max(map(_count_terms, layers.layers)) > FEW or (
            max(map(_count_bytes, layers.layers)) < MANY) or any(
                term.end is not None for layer in layers.layers for one in layer
                for term in one.terms):
        return None
    try:
        return _Merger(lowered, layers, apart=True).run()
    except Stuck:
        return None


def _count_terms(layer):
    return sum(len(one.terms) for one in layer)


def _count_bytes(layer):
    """Bytes of the rows that would be put behind each other, where the model is captured."""
    axes = {end.find() for one in layer for term in one.terms
            for end in term.graph.ends.values()}
    value = value_of(layer[0].root)
    return sum(map(_hint, axes)) * value.element_size() * math.prod(
        size for size in value.shape[1:] if isinstance(size, int))


def _hint(axis):
    """How many rows a type has where the model is captured; 0 where that is not known."""
    size = axis.find().size
    if isinstance(size, torch.SymInt):
        size = size.node.hint if size.node.has_hint() else 0
    return size if isinstance(size, int) else 0


class _Merger:
    """Writes the graph anew, layer after layer. With `needed` a layer has the rows that
    something reads alone: types that later layers have come first, so that those are the
    first rows of the layer before. With `apart` each relation is a graph, and each type by
    itself."""

    def __init__(self, lowered, layers, needed=False, apart=False):
        self.lowered, self.layers, self.axes = lowered, layers, layers.axes
        self._apart = apart
        self.old = lowered.module.graph
        self.new = Graph.of(lowered.module)
        self.env = {}
        self.part = {}  # Sums of layers: (all rows, their axes).
        self._types = {}  # Vectors of types by layout.
        self.drawn = {}  # Random nodes: (all rows, their axes, the node's).
        self._zipped, self._sizes, self._constants = {}, {}, {}
        self._order, self._leaves = {}, []
        for node in self.old.nodes:
            for axis in self.axes.all_of(node):
                self._order.setdefault(axis, len(self._order))
        self._needed, self._wide = needed, {}  # Layouts of which others are the first rows.
        if needed:
            last = {one.axis: number for number, sums in enumerate(layers.layers)
                    for one in sums}
            self._order = {axis: (-last.get(axis, -1), place)
                           for axis, place in self._order.items()}

    def run(self):
        layers, depths = self.layers.layers, self.layers.depth
        roots = {one.root for layer in layers for one in layer}
        for node in self.old.nodes:
            if node.op == "placeholder":
                self.env[node] = self.new.copy(node, self.env)
        for depth in range(max(depths.values()) + 1):
            for node in self.old.nodes:
                if depths[node] == depth and node not in roots and node.op not in (
                        "placeholder", "output"):
                    self.new.place = node
                    self.env[node] = self._joined(node) or self.new.copy(node, self.env)
                    self._take_apart(node)
            if depth < len(layers):
                if self._apart:  # Rows are free for results when the most are made.
                    for one in sorted(layers[depth], key=lambda one: _hint(one.axis)):
                        self._layer([one])
                else:
                    self._layer(layers[depth])
        output = self.old.output_node()
        self._tail(output)
        self.new.graph.output(torch.fx.node.map_arg(output.args[0], self.env.__getitem__))
        self.new.graph.eliminate_dead_code()
        twice = [node for node in self.new.drawn if self.env[node].users]
        if twice:
            self._draw_once(twice)
        module = torch.fx.GraphModule(self.lowered.module, self.new.graph)
        return dataclasses.replace(self.lowered, module=module)

    def _joined(self, node):
        """Rows that a layer puts together by type, of what made each as one op; None where
        that is no op, or of other rows."""
        if node.target != OPS.join_types.default:
            return None
        parts, types = node.args
        layout = tuple(self.axes.of(part) for part in parts)
        if len(set(layout)) < len(layout) or types.target != OPS.type_rows.default:
            return None
        self._types[layout] = self.env[types]
        try:
            found, plan = self.rows(dict(zip(layout, parts)))
            return plan(layout) if found in (None, layout) else None
        except Stuck:
            return None

    def _take_apart(self, node):
        """Notes which part of all rows the rows of a type are."""
        if node.target == GETITEM and node.args[0].target == OPS.split_types.default:
            whole, counts = node.args[0].args
            layout = tuple(map(self.axes.of_size, counts))
            if None not in layout and len(set(layout)) == len(layout):
                self.part[node] = self.env[whole], layout

    def _tail(self, output):
        """The ops behind the last layer on the rows of each type, where the model gives
        that of all types, as one op too."""
        kinds = {}
        for node in output.all_input_nodes:
            if self.layers.depth[node] and node not in self.part and self.layers.is_rows(node):
                shape = features(node)
                kinds.setdefault(shape, {}).setdefault(self.axes.of(node), node)
        for values in kinds.values():
            values = {axis: values[axis] for axis in self.ordered(values)}
            try:
                layout, plan = self.rows(values)
                if layout == tuple(values):
                    made = plan(layout)
                    self.env |= {node: self._part(made, layout, axis)
                                 for axis, node in values.items()}
            except Stuck:
                continue

    def _draw_once(self, nodes):
        """Random numbers of a type that are read by themselves too: a part of all types'."""
        graph = self.new.graph
        output = graph.output_node()
        with graph.inserting_before(output):
            for node in nodes:
                if node not in self.drawn:
                    raise Stuck("random numbers that are drawn twice")
                self.env[node].replace_all_uses_with(self._part(*self.drawn[node]))
        try:
            order = list(graphlib.TopologicalSorter(
                {node: node.all_input_nodes for node in graph.nodes}).static_order())
        except graphlib.CycleError as error:
            raise Stuck("random numbers of a type that another type's need") from error
        for node in order[:-1]:
            output.prepend(node)
        graph.eliminate_dead_code()

    def _part(self, node, layout, axis):
        """The rows of one type of all."""
        if len(layout) == 1:
            return node
        parts = self.new.call(OPS.split_types.default, node, self.sizes(layout))
        return self.new.call(GETITEM, parts, layout.index(axis))

    # -- Sizes ------------------------------------------------------------------------------

    def ordered(self, axes):
        """Axes in the order that all layouts have."""
        return tuple(sorted(axes, key=self._order.__getitem__))

    def size(self, axis):
        """How many rows a type has: a number or a node."""
        if axis not in self._sizes:
            self._sizes[axis] = size_of(axis.find(), self.old, self.axes, self.env, self.new)
        return self._sizes[axis]

    def sizes(self, layout):
        return [self.size(axis) for axis in layout]

    def node_types(self, layout):
        """The type of each row of a layout."""
        if layout not in self._types:
            self._types[layout] = self.new.call(OPS.type_rows.default, self.ids,
                                                self.sizes(layout))
        return self._types[layout]

    def count(self, layout):
        """How many rows a layout has."""
        return self.size(layout[0]) if len(layout) == 1 else self.new.call(
            aten.sym_size.int, self.node_types(layout), 0)

    # -- Rows of node types -----------------------------------------------------------------

    def rows(self, values):
        """(layout, plan) of {axis: node} as rows of all these types behind each other. The
        layout is None where nodes of any types may be put among them."""
        key = tuple(values.items())
        if key not in self._zipped:
            layout, plan = self._rows(values)
            plan = once(plan)
            if layout is not None and all(map(self._is_of_layer, values.values())):
                own = plan

                def plan(at):
                    return own(at) if len(at) == len(layout) else self._first(own(layout), at)
            self._zipped[key] = layout, plan
        return self._zipped[key]

    def _is_of_layer(self, node):
        """Whether rows are those that a layer gives, with no product behind it: what edges
        read too, so that some of them are the first of all."""
        return node in self.part or node.op == "call_function" and (
            node.target != aten.linear.default) and any(
                self._is_of_layer(x) for x in node.all_input_nodes if self.layers.is_rows(x))

    def _first(self, node, layout):
        """The rows of a layout among those of more types, which are the
        first."""
        return self.new.call(OPS.first_rows.default, node, self.count(layout))

    def _rows(self, values):
        found = {self.part.get(v) for v in values.values()}
        if len(found) == 1 and None not in found:
            whole, layout = found.pop()
            return layout, lambda at: whole
        try:
            return self._zip_rows(values)
        except Stuck:
            if any(self.layers.depth[v] for v in values.values()):
                raise
            return None, self.behind(values)

    def behind(self, values):
        """The plan of values behind each other, with zeros for types without one."""
        some = next(iter(values.values()))
        self._leaves.append(values)

        def made(layout):
            parts = [self._leaf(values, some, axis) for axis in layout]
            return parts[0] if len(parts) == 1 else self.new.join(
                parts, self.node_types(layout))
        return made

    def _leaf(self, values, some, axis):
        """The rows of a type: those that it has elsewhere, or zeros, if it has none."""
        for one in [values, *self._leaves]:
            if axis in one and all(one.get(a, v) is v for a, v in values.items()):
                if any(a in one for a in values) and one[axis] in self.env and (
                        features(one[axis]) == features(some)):
                    return self.env[one[axis]]
        return self._zeros(some, self.size(axis))

    def _zeros(self, like, *size):
        value, sizes = value_of(like), features(like)
        if any(isinstance(one, str) for one in sizes):
            raise Stuck("features of a size that is no number")
        return self.new.call(aten.zeros.default, [*size, *sizes],
                             dtype=value.dtype, device=value.device)

    def _zip_rows(self, values):
        found = _OfNodes(self, list(values))
        plan = found.plan(list(values.values()))
        some = next(iter(values.values()))
        is_known = not any(self.layers.depth[node] for node in values.values())

        def made(layout):
            if len(layout) == len(values) or is_finite(some):
                return plan(layout)
            if not is_known:
                raise Stuck(f"{some.target} of rows of some types")
            return self.behind(values)(layout)
        return one_layout(found.layouts), made

    def kind(self, node, axis):
        """The role of a tensor to the rows of a type."""
        if self.axes.of(node) is axis.find():  # And no other dimension, as of x @ x.t().
            return "rows" if self.axes.all_of(node).count(axis.find()) == 1 else None
        is_sized = any(isinstance(one.size, torch.SymInt) or self.layers.graphs.roles_of(one)
                       for one in self.axes.all_of(node))
        return None if is_sized else "weight"

    def by_type(self, values, apart=False):
        """(whether they are one, plan) of weights {axis: node} by node type, with zeros
        for the types of a layout that have none."""
        some = next(iter(values.values()))
        if len(set(values.values())) == 1 and not apart:
            return True, lambda at: self.env[some]
        shapes = [tuple(value_of(x).shape) for x in values.values()]
        if len(set(shapes)) > 1:
            raise Differ(shapes)

        return False, lambda layout: self._stack(
            {axis: self.env[x] for axis, x in values.items()}, layout)

    def _stack(self, weights, layout):
        """New nodes {axis: weight} behind each other, with zeros for other types: as many
        as the graph has at either end."""
        value = value_of(next(iter(weights.values())))
        return self.new.call(aten.stack.default, [
            weights[axis] if axis in weights else self.new.call(
                aten.zeros.default, list(map(int, value.shape)), dtype=value.dtype,
                device=value.device) for axis in self._wide.get(layout, layout)])

    def _stacked_sums(self, parts, layout):
        """The sums of new nodes {axis: weights} behind each other. They are summed at once,
        with zeros where an axis has fewer, as long as these are not the most."""
        axes = self._wide.get(layout, layout)
        count = max(map(len, parts.values()))
        if count == 1 or count * len(axes) > 2 * sum(map(len, parts.values())):
            return self._stack({axis: self._total(nodes) for axis, nodes in parts.items()},
                               layout)
        value = value_of(next(iter(parts.values()))[0])
        zeros = None
        if any(len(parts.get(axis, ())) < count for axis in axes):
            zeros = self.new.call(aten.zeros.default, list(map(int, value.shape)),
                                  dtype=value.dtype, device=value.device)
        # A sum of stacks would give parameters gradients that share memory: torch takes
        # the views that the stacks' derivatives are as they come.
        every = self.new.call(aten.stack.default, [
            parts[axis][i] if i < len(parts.get(axis, ())) else zeros
            for i in range(count) for axis in axes])
        return self.new.call(aten.sum.dim_IntList, self.new.call(
            aten.view.default, every, [count, len(axes), *map(int, value.shape)]), [0])

    # -- A layer ------------------------------------------------------------------------------

    def _layer(self, sums):
        self.new.place = sums[0].root
        self.ids = self.env[sums[0].terms[0].graph.pair]
        kinds = {one.kind for one in sums}
        terms = [term for one in sums for term in one.terms]
        own = [Group(self, some) if some[0].end is None else CopiedGroup(
            self, some, sums[0].kind)
               for some in ([[term] for term in terms] if self._apart else by_key(terms))]
        groups = [group for one in own for group in one.planned()]
        added, biases = self._added(sums), self._biases(sums)
        if kinds != {"sum"} and (len(kinds) > 1 or len(groups) > 1 or added or biases):
            raise Stuck("a maximum of relations with different ops")
        layouts = {layout for layout, _ in added}
        layouts |= {layout for group in groups for layout in group.layouts["dst"]}
        order = self.ordered([one.axis for one in sums])
        layout = one_layout(layouts) or order
        if not set(order) <= set(layout):
            raise Stuck("rows of other types")
        if self._needed and order != layout and order == layout[:len(order)]:
            self._wide[order], layout = self._wide.get(layout, layout), order
        total = self._sum(sums, groups, [plan for _, plan in added], biases, layout)
        for one in sums:
            self.part[one.root] = total, layout
            self.env[one.root] = self._part(total, layout, one.axis)

    def _sum(self, sums, groups, added, biases, layout):
        """The rows of a layer. The own term of a node comes first, and is added to each sum
        over edges in the rows of its graph: a kernel that sums adds to what there is, and of
        what relations have each is made when it is needed."""
        first, last = ((*added, *biases), ()) if added else ((), biases)
        total = self._total([plan(layout) for plan in first]) if first else None
        factors = {one.axis: one.terms[0].factor for one in sums}
        if set(factors.values()) == {1.0}:
            found = (group.made(layout) for group in groups)
        else:
            found = [self._scaled(self._total([group.made(layout) for group in groups]),
                                  factors, layout)]
        for made in found:
            total = made if total is None else self.new.call(aten.add.Tensor, made, total)
        return self._total([total, *(plan(layout) for plan in last)])

    def _total(self, nodes):
        total = nodes[0]
        for node in nodes[1:]:
            total = self.new.call(aten.add.Tensor, total, node)
        return total

    def _scaled(self, node, factors, layout):
        """The results of relations, by factors for each type: of a sum that is their
        mean."""
        if len(set(factors.values())) == 1:
            return self.new.call(aten.mul.Tensor, node, next(iter(factors.values())))
        value = value_of(node)
        table = self.constant([factors.get(axis, 0.0)
                               for axis in self._wide.get(layout, layout)], value)
        return self.new.call(aten.mul.Tensor, node, self.new.call(
            aten.index_select.default, table, 0, self.node_types(layout)))

    def constant(self, numbers, like):
        """Numbers by type that the module holds, for rows that are like others."""
        key = tuple(numbers), like.dtype, like.device, like.dim()
        if key not in self._constants:
            self._constants[key] = self.new.constant(
                f"_of_types{len(self._constants)}",
                torch.tensor(numbers, dtype=like.dtype, device=like.device).view(
                    -1, *[1] * (like.dim() - 1)))
        return self._constants[key]

    def _times(self, node, factor):
        return node if factor == 1.0 else self.new.call(aten.mul.Tensor, node, factor)

    def _added(self, sums):
        """(layout, plan) of each of the rows that sums add: products first, those of one
        operand by their weights' sum."""
        found, left = [], {one: [] for one in sums}
        products = {one: {} for one in sums}
        for one in sums:
            for node, factor in one.rows:
                if node.target == aten.linear.default and self.kind(
                        node.args[0], one.axis) == "rows" and value_of(node).dim() == 2:
                    products[one].setdefault(node.args[0], []).append((node, factor))
                else:
                    left[one].append((node, factor))
        for number in range(max(map(len, products.values()))):
            some = {one: list(of.items())[number] for one, of in products.items()
                    if len(of) > number}
            try:
                found.append(self._product(some))
            except Stuck:
                for one, (_, nodes) in some.items():
                    left[one] += nodes
        for number in range(max(map(len, left.values()))):
            some = {one: of[number] for one, of in left.items() if len(of) > number}
            values = {one.axis: node for one, (node, _) in some.items()}
            if len(some) == len(sums) and {f for _, f in some.values()} == {1.0}:
                found.append(self.rows(values))
            elif any(self.layers.depth[node] for node in values.values()) or any(
                    factor != 1.0 for _, factor in some.values()):
                raise Stuck("rows of some types")
            else:
                found.append((None, self.behind(values)))
        return found

    def _product(self, some):
        """Rows times the sum of the weights, of {sum: (rows, [(linear, factor)])}."""
        shapes = {tuple(value_of(node.args[1]).shape) for _, nodes in some.values()
                  for node, _ in nodes}
        if len(shapes) > 1:
            raise Stuck("weights of several shapes")
        layout, rows = self.rows({one.axis: x for one, (x, _) in some.items()})

        def weights(place):
            """The operands at a place, by axis; none where none has any."""
            parts = {}
            for one, (_, nodes) in some.items():
                given = [self._times(self.env[node.args[place]], factor)
                         for node, factor in nodes
                         if len(node.args) > place and node.args[place] is not None]
                if given:
                    parts[one.axis] = given
            return parts

        def made(at):
            x, weight, bias = rows(at), weights(1), weights(2)
            if len(at) == 1:
                return self.new.call(aten.linear.default, x, self._total(weight[at[0]]),
                                     self._total(bias[at[0]]) if bias else None)
            return self.new.call(
                OPS.typed_linear.default, x, self.new.call(
                    aten.transpose.int, self._stacked_sums(weight, at), 1, 2),
                self.node_types(at), self._stacked_sums(bias, at) if bias else None)
        return layout, made

    def _biases(self, sums):
        """The plan of what all rows of a type have, none where no sum has any."""
        rank = value_of(sums[0].root).dim()
        shapes = {tuple(value_of(node).shape) for one in sums for node, _ in one.biases}
        if not shapes:
            return []
        if len(shapes) > 1:
            raise Stuck("biases of several shapes")
        shape = list(map(int, shapes.pop()))
        shape = shape[1:] if len(shape) == rank else shape
        shape = [1] * (rank - 1 - len(shape)) + shape

        def made(at):
            parts = {one.axis: [self._times(self.env[node], factor)
                                for node, factor in one.biases]
                     for one in sums if one.biases}
            if len(at) == 1:
                return self._total(parts[at[0]])
            table = self._stacked_sums(parts, at)
            if list(map(int, value_of(table).shape[1:])) != shape:
                table = self.new.call(aten.view.default, table, [
                    int(value_of(table).shape[0]), *shape])
            return self.new.call(aten.index_select.default, table, 0, self.node_types(at))
        return [made]


class _OfNodes(Zip):
    """Ops on the rows of node types. `layouts` are those of its operands."""

    def __init__(self, merger, axes):
        super().__init__(merger.new, axes)
        self._merger, self.layouts = merger, set()

    def kind(self, i, x):
        return self._merger.kind(x, self.axes[i])

    def rows(self, nodes):
        layout, plan = self._merger.rows(dict(zip(self.axes, nodes)))
        self.layouts.add(layout)
        return plan

    def stacked(self, nodes, apart=False):
        return self._merger.by_type(dict(zip(self.axes, nodes)), apart)

    def drew(self, nodes, made, at):
        self._merger.drawn |= {x: (made, at, axis) for axis, x in zip(self.axes, nodes)}

    def size(self, at):
        return self._merger.count(at)

    def types(self, at):
        return self._merger.node_types(at)
