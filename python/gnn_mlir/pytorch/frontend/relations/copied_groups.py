# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Relations with the same ops that have rows of nodes of their own, as one graph.

Its destinations are copies of nodes, one for each relation into their type, relation after
relation. Each op on the rows that a relation has is one op on all copies, with weights by
relation; a second graph has an edge from each copy to its node, along which rows of nodes
come to their copies, and what relations give is reduced.
"""

import torch

from ..tracing import vocabulary
from .groups import Group, OfEdges
from .zipping import once, same

aten, OPS = torch.ops.aten, vocabulary.OPS


class CopiedGroup(Group):
    """Such relations. The plan of a relation's rows is written for the layout of the nodes
    that get them."""

    def __init__(self, merger, terms, kind):
        super().__init__(merger, terms)
        self._kind, self._copied, self._depends = kind, {}, {}

    def _apart(self, terms):
        return CopiedGroup(self.merger, terms, self._kind)

    def _plan(self):
        self._ends = self.copied([term.end for term in self.terms])

    # -- Rows of copies ------------------------------------------------------------------------

    def copied(self, nodes):
        """The plan of one node of each relation as rows of all copies."""
        key = tuple(nodes)
        if key not in self._copied:
            self._copied[key] = once(self._rows(nodes))
        return self._copied[key]

    def _rows(self, nodes):
        layers = self.merger.layers
        same([self._has_anchor(node, term) for node, term in zip(nodes, self.terms)])
        if all(layers.anchors.get(node) is term.graph
               for node, term in zip(nodes, self.terms)):
            return self._aggregated(nodes)
        axes = [term.graph.ends["dst"].find() for term in self.terms]
        values = dict(zip(axes, nodes))
        if not self._has_anchor(nodes[0], self.terms[0]) and all(
                values[axis] is node for axis, node in zip(axes, nodes)):
            return self._of_nodes({axis: values[axis]
                                   for axis in self.merger.ordered(values)})
        return _OfCopies(self, axes, self.copied).plan(nodes)

    def _has_anchor(self, node, term):
        """Whether a node is made of what the edges of a relation aggregate."""
        key = node, term.graph
        if key not in self._depends:
            anchors, depth = self.merger.layers.anchors, self.merger.layers.depth
            self._depends[key] = anchors.get(node) is term.graph or (
                depth[node] == depth[term.anchor] and
                any(self._has_anchor(x, term) for x in node.all_input_nodes))
        return self._depends[key]

    def _aggregated(self, nodes):
        same([node.args[3] for node in nodes])
        message = self.edges([node.args[0] for node in nodes])
        return lambda at: self.new.call(OPS.aggregate.default, message(at), self.ids("dst"),
                                        self.count(), nodes[0].args[3])

    def _of_nodes(self, values):
        """The plan of rows of nodes, each at its copies."""
        layout, plan = self.merger.rows(values)

        def made(at):
            own = layout or at
            pair = self.copies(own)
            rows = self.new.call(aten.index_select.default, plan(own), 0, self.new.call(
                aten.select.int, pair, 0, 1))
            return self.new.call(OPS.aggregate.default, rows, self.new.call(
                aten.select.int, pair, 0, 0), self.count(), "sum")
        return made

    def gathered(self, nodes, end):
        """Rows of nodes at the destinations of edges are those of copies."""
        if end == "src":
            return super().gathered(nodes, end)
        plan = self.copied(nodes)
        return lambda at: self.new.call(aten.index_select.default, plan(at), 0, self.ids(end))

    def _softmax_of(self, x):
        return lambda at: self.new.call(OPS.edge_softmax.default, x(at), self.ids("dst"),
                                        self.count())

    # -- Its graphs ------------------------------------------------------------------------------

    def made(self, layout):
        self._lay_out(layout)
        pair = self.copies(layout)
        rows = self.new.call(aten.index_select.default, self._ends(layout), 0, self.new.call(
            aten.select.int, pair, 0, 0))
        return self.new.call(OPS.aggregate.default, rows, self.new.call(
            aten.select.int, pair, 0, 1), self.merger.count(layout), self._kind)

    def relations(self):
        """The relation of each copy."""
        return self.new.call(OPS.type_rows.default, self.merger.ids, [
            self.merger.size(term.graph.ends["dst"].find()) for term in self.terms])

    def count(self):
        return self.new.call(aten.sym_size.int, self.relations(), 0)

    def copies(self, layout):
        """Ids [2, copies] of each copy and its node in a layout."""
        return self.new.call(OPS.copies.default, self.relations(), [
            layout.index(term.graph.ends["dst"].find()) for term in self.terms],
            self.merger.sizes(layout))

    def pair(self):
        counts = [self.merger.size(term.graph.ends["dst"].find()) for term in self.terms]
        return self.new.call(
            OPS.typed_edges.default, [self.merger.env[term.graph.pair] for term in self.terms],
            [self.layout["src"].index(term.graph.ends["src"].find()) for term in self.terms],
            list(range(len(self.terms))), self.merger.sizes(self.layout["src"]), counts,
            self.types())

    def types(self):
        like = self.new.call(OPS.type_rows.default, self.relations(),
                             self.merger.sizes(self.layout["src"]))
        return self._of_edges(like)


class _OfCopies(OfEdges):
    """Ops on rows of copies."""

    def size(self, at):
        return self._group.count()

    def types(self, at):
        return self._group.relations()
