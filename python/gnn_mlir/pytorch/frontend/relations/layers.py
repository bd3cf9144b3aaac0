# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layers of a model on a dict of graphs: for each node type a sum over relations.

HeteroConv, to_hetero and loops by hand give one sum for each node type: of what each
relation's edges aggregate, behind linear ops, of rows of the nodes themselves and of
biases. This finds these sums and takes them apart; `merging` merges them.
"""

import torch

from ..analysis.axes import Axes
from ..analysis.declared_graphs import Graphs
from ..analysis.dimensions import is_view, kept
from ..analysis.values import features
from ..tracing import vocabulary
from . import copies
from .terms import Sum, Term

aten, OPS = torch.ops.aten, vocabulary.OPS

class Layers:
    """The sums of a graph by layers: those of one layer need none of each other. `depth`
    of a node is how many layers come before it."""

    def __init__(self, lowered):
        self.graph = lowered.module.graph
        self.axes = Axes(self.graph, lowered.same)
        self.graphs = Graphs(self.graph, self.axes)
        self.anchors = {}
        for node in self.graph.nodes:
            if node.target == OPS.aggregate.default:
                ids = self.graphs.ids(node.args[1])
                if (ids is not None and ids.end == "dst" and ids.graph.pair is not None and
                        ids.graph.ends.keys() == {"src", "dst"} and
                        ids.graph.ends["dst"].find() is self.axes.of(node)):
                    self.anchors[node] = ids.graph
        self.layers, self.depth = [], dict.fromkeys(self.graph.nodes, 0)
        if len(set(self.anchors.values())) > 1:
            self._find()

    def _find(self):
        sums = {}
        for anchor in self.anchors:
            root = self._root(anchor)
            if root not in sums:
                sums[root] = self._taken_apart(root)
        copies.find(self, sums)
        while True:
            self._count_depth(sums)
            layers = [[] for _ in range(max(self.depth.values(), default=0) + 1)]
            for root, one in sums.items():
                layers[self.depth[root]].append(one)
            kept = {one.root: one for layer in layers for one in _alike(layer)}
            if len(kept) == len(sums):
                break
            sums = kept
        if any(len(_graphs(layer)) > 1 for layer in layers):
            self.layers = [layer for layer in layers if layer]

    def leave(self):
        """Forgets the layers."""
        self.layers, self.depth = [], dict.fromkeys(self.depth, 0)

    def _count_depth(self, sums):
        self.depth = {}
        for node in self.graph.nodes:
            self.depth[node] = max((self.depth[x] + (x in sums)
                                    for x in node.all_input_nodes), default=0)

    def is_rows(self, node):
        value = node.meta.get("val") if isinstance(node, torch.fx.Node) else None
        return isinstance(value, torch.Tensor) and value.dim() > 0 and bool(
            self.graphs.roles_of(self.axes.of(node)))

    # -- From an aggregation to the sum that it is part of -----------------------------------

    def _root(self, anchor):
        node, is_summed = anchor, False
        while len(node.users) == 1:
            user, = node.users
            above = self.sum_of(user)
            if above is not None:
                node, is_summed = above, True
            elif not is_summed and self._is_linear(user) and user.args[0] is node:
                node = user
            else:
                break
        return node

    def sum_of(self, node):
        """The node that is the sum of what `node` is an addend of or the stack of."""
        if node.target == aten.stack.default and (len(node.args) < 2 or node.args[1] == 0):
            user, = node.users if len(node.users) == 1 else (None,)
            if user is not None and user.target in (aten.sum.dim_IntList, aten.mean.dim) and (
                    list(user.args[1]) == [0] and len(user.args) == 2 and not user.kwargs):
                return user
        return node if self.addends(node) is not None else None

    def addends(self, node):
        """[(node, factor)] of a sum, None of other nodes."""
        if node.target == aten.add.Tensor and not node.kwargs and all(
                isinstance(x, torch.fx.Node) for x in node.args):
            own = self.axes.of(node)
            if any(self.is_rows(x) and self.axes.of(x) is own for x in node.args):
                return [(x, 1.0) for x in node.args]
        if node.target in (aten.sum.dim_IntList, aten.mean.dim) and (
                node.args[0].target == aten.stack.default and
                self.sum_of(node.args[0]) is node):
            parts = node.args[0].args[0]
            factor = 1.0 / len(parts) if node.target == aten.mean.dim else 1.0
            return [(x, factor) for x in parts]
        return None

    def _is_linear(self, node):
        """Whether a node is linear in its first operand, row by row."""
        if not node.args or kept(node, node.args[0]).get(0) != 0:
            return False
        if node.target in (aten.linear.default, aten.mul.Tensor):
            return not self.is_rows(node.args[1])
        return is_view(node) and self.is_rows(node)

    # -- What a sum is made of ----------------------------------------------------------------

    def _taken_apart(self, root):
        found = Sum(root, self.axes.of(root), [], [], [])
        left = [(root, 1.0)]
        while left:
            node, factor = left.pop()
            addends = self.addends(node) if node is root or len(node.users) == 1 else None
            if addends is not None:
                left += [(x, factor * f) for x, f in reversed(addends)]
            elif not self.is_rows(node):
                found.biases.append((node, factor))
            else:
                self.addend(found, node, factor)
        return found

    def addend(self, found, node, factor):
        chain, at = [], node
        while at not in self.anchors and self._is_linear(at):
            chain.append(at)
            at = at.args[0]
        if at not in self.anchors:
            found.rows.append((node, factor))
            return
        chain.reverse()
        for one in chain:
            if one.target == aten.linear.default and len(one.args) > 2 and (
                    one.args[2] is not None):
                found.is_linear &= one is chain[-1]  # Else other ops change the bias.
                found.biases.append((one.args[2], factor))
        found.terms.append(Term(at, chain, self.anchors[at], factor))


def _graphs(sums):
    return {term.graph for one in sums for term in one.terms}


def _alike(sums):
    """Those of a layer that may be one tensor: one for each node type, with the same
    features. Where kinds are several, those of most relations, as features beside
    degrees."""
    kinds = {}
    for one in sums:
        kinds.setdefault(features(one.root), []).append(one)
    found = max(kinds.values(), key=lambda some: len(_graphs(some)), default=[])
    if len({one.axis for one in found}) < len(found):
        return []
    return [one for one in found if one.is_linear and
            len({term.factor for term in one.terms}) == 1]
