# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers whose relations have rows of nodes of their own.

Where ops behind an aggregation are not linear, as the networks of `GINConv`, or relations
are reduced by a maximum, no sum over all edges is what a node type gets: each relation has
rows of its own, one for each node of its destinations. This finds what relations add, by
whatever ops of each row, in a graph with `layers.Layers`.
"""

import torch

from ..analysis.dimensions import GATHERS, is_view
from ..analysis.values import GETITEM, features
from ..tracing import vocabulary
from .terms import Sum, Term

aten, OPS = torch.ops.aten, vocabulary.OPS
_OF_PAIRS = {aten.maximum.default: "max", aten.minimum.default: "min"}
_OF_STACKS = {aten.max.dim: "max", aten.min.dim: "min", aten.amax.default: "max",
              aten.amin.default: "min"}


def find(layers, sums):
    """Adds sums of what is not linear to `sums`, {root: Sum}, in place of those within."""
    found = _Found(layers)
    for root, kind in found.roots.items():
        made = found.sum(root, kind)
        if made is not None:
            sums[root] = made
    for root, kind in found.alone(sums).items():
        made = found.sum(root, kind)
        if made is not None:
            sums[root] = made
    inner = found.inner(sums)
    for root in list(sums):
        if root in inner:
            del sums[root]


class _Found:
    """The nodes that depend on the aggregations of a layer: `reach`, those that the rows of a
    node are made of, row by row, of the last layer of such. `roots` are what brings those of
    several graphs together, by kind."""

    def __init__(self, layers):
        self.layers, self.reach, self.roots, self._keys = layers, {}, {}, {}
        self._rank = {}  # How many aggregations lead to a node.
        for node in layers.graph.nodes:
            is_anchor = node in layers.anchors and features(node) != ()
            self._rank[node] = is_anchor + max(map(self._rank.get, node.all_input_nodes),
                                               default=0)
            self.reach[node] = frozenset({node}) if is_anchor else self._reach(node)

    def _reach(self, node):
        layers = self.layers
        if node.op != "call_function" or not layers.is_rows(node) or (
                node.target in GATHERS or getattr(node.target, "namespace", "") == "gnn_mlir"):
            return frozenset()
        kind, parts = self._combined(node) or (None, [(x, 1.0) for x in node.all_input_nodes])
        found = frozenset().union(*(self.reach[x] for x, _ in parts))
        last = max(map(self._rank.get, found), default=0)
        found = frozenset(x for x in found if self._rank[x] == last)
        if len(self._graphs(found)) < 2:
            return found
        if kind is None:
            return frozenset()
        self.roots[self._top(node, kind)] = kind
        return frozenset()

    def _graphs(self, anchors):
        return {self.layers.anchors[anchor] for anchor in anchors}

    def _combined(self, node):
        """(kind, [(part, factor)]) of rows that are reduced; None of others."""
        addends = self.layers.addends(node)
        if addends is not None:
            return "sum", addends
        if node.target in _OF_PAIRS:
            return _OF_PAIRS[node.target], [(x, 1.0) for x in node.args]
        made = node.args[0] if node.target is GETITEM and node.args[1] == 0 else node
        if made.target not in _OF_STACKS or made.args[1:] not in ((0,), ([0],)):
            return None
        stack, = made.args[:1]
        if stack.target != aten.stack.default or stack.args[1:] not in ((), (0,)):
            return None
        return _OF_STACKS[made.target], [(x, 1.0) for x in stack.args[0]]

    def _top(self, node, kind):
        """The last of nodes that reduce what others of the kind do."""
        while len(node.users) == 1:
            user, = node.users
            above = self.layers.sum_of(user) if kind == "sum" else user
            if above is None or (self._combined(above) or (None,))[0] != kind:
                break
            node = above
        return node

    # -- A sum, and what it is made of -----------------------------------------------------

    def sum(self, root, kind):
        """The sum that a root is, None where all of it is linear, or something of no one
        relation."""
        found = Sum(root, self.layers.axes.of(root), [], [], [], kind=kind)
        left, rank = [(root, 1.0)], self._rank[root]
        while left:
            node, factor = left.pop()
            inner = self._combined(node)
            if inner is not None and inner[0] == kind and (
                    node is root or len(node.users) == 1):
                left += [(x, factor * f) for x, f in reversed(inner[1])]
            elif self.reach[node] and self._rank[node] == rank:
                self._term(found, node, factor)
            elif self.layers.is_rows(node):
                found.rows.append((node, factor))
            else:
                found.biases.append((node, factor))
        return found if any(term.end is not None for term in found.terms) else None

    def _term(self, found, node, factor):
        """Adds what a relation gives: linear behind one aggregation, or else by its end."""
        if found.kind == "sum":
            made = Sum(found.root, found.axis, [], [], [])
            self.layers.addend(made, node, factor)
            if made.terms and made.is_linear and (
                    made.terms[0].anchor.args[3] in ("sum", "mean") or
                    all(is_view(one) for one in made.terms[0].chain)):
                found.terms += made.terms
                found.biases += made.biases
                return
        anchor = self.anchor(node)
        found.terms.append(Term(anchor, [], self.layers.anchors[anchor], factor, node))

    def anchor(self, node):
        """One of the aggregations behind a node."""
        while node not in self.layers.anchors:
            node = next(x for x in node.all_input_nodes if self._leads(x, node))
        return node

    def _leads(self, x, node):
        """Whether an operand is of the aggregations that a node is of."""
        return not self.reach[x].isdisjoint(self.reach[node])

    def key(self, node):
        """The ops that lead from aggregations to a node."""
        if node not in self._keys:
            own = node.args[3] if node in self.layers.anchors else tuple(
                self.key(x) for x in node.all_input_nodes if self._leads(x, node))
            self._keys[node] = str(node.target), features(node), own
        return self._keys[node]

    def alone(self, sums):
        """The roots, by kind, of node types that get something of one relation alone, by the
        ops that are of others."""
        kinds, taken = {}, set()
        for root, kind in self.roots.items():
            for term in sums[root].terms if root in sums else ():
                if term.end is not None:
                    kinds[self._rank[root], self.key(term.end)] = kind
                taken |= self.reach[term.end or term.anchor]
        return {self._top(node, kinds[key]): kinds[key]
                for node, anchors in self.reach.items() if anchors and not anchors & taken
                for key in [(self._rank[node], self.key(node))] if key in kinds}

    def inner(self, sums):
        """The nodes between ends and their aggregations, but for the ends that are roots."""
        found, left = set(), [term.end for one in sums.values() for term in one.terms
                              if term.end is not None]
        while left:
            node = left.pop()
            if node not in found and self.reach[node]:
                found.add(node)
                left += [x for x in node.all_input_nodes if self._leads(x, node)]
        return {node for node in found if node not in sums or not any(
            term.end is not None for term in sums[node].terms)}
