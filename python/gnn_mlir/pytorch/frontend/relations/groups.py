# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Relations with the same ops as one graph: its ids, its types, and what its edges
compute."""

import torch

from ..analysis.dimensions import (GATHERS, gathered, has_gradient_of_rows,
                                   is_elementwise, is_view)
from ..analysis.values import is_random, value_of
from ..functional.writing import Stuck
from ..tracing import vocabulary
from .zipping import Differ, Zip, once, same

aten, OPS = torch.ops.aten, vocabulary.OPS


def one_layout(layouts):
    """The layout that all have who need one; None where none does."""
    found = {layout for layout in layouts if layout is not None}
    if len(found) > 1:
        raise Stuck("rows of the types of several layers")
    return found.pop() if found else None


def _overlapping(src, dst):
    """The types of a layout in another order, where those that are in `dst` too are its last
    and the first of `dst`, in its order: both are then parts of one layout."""
    both = [axis for axis in dst if axis in src]
    if list(dst[:len(both)]) != both:
        return src
    return (*(axis for axis in src if axis not in both), *both)


def by_key(terms):
    found = {}
    for term in terms:
        found.setdefault(term.key, []).append(term)
    return list(found.values())


class Group:
    """Relations with the same ops: one graph. `layouts` are those that the rows at an end
    have by themselves."""

    def __init__(self, merger, terms):
        self.merger, self.new, self.terms = merger, merger.new, terms
        self.layouts = {"src": set(), "dst": set()}
        self._planned = {}

    def planned(self):
        """This group, or groups of relations whose ops do not differ."""
        try:
            self._plan()
        except Differ as error:
            apart = {}
            for key, term in zip(error.keys, self.terms):
                apart.setdefault(repr(key), []).append(term)
            if len(apart) == 1:
                raise Stuck("different ops by relation") from error
            return [group for terms in apart.values()
                    for group in self._apart(terms).planned()]
        return [self]

    def _apart(self, terms):
        """A group of some of the relations."""
        return Group(self.merger, terms)

    def _plan(self):
        self.message = self.edges([term.anchor.args[0] for term in self.terms])
        self.chain = self._chain()

    # -- What edges compute --------------------------------------------------------------------

    def edges(self, nodes):
        """The plan of one node of each relation as rows of all edges."""
        key = tuple(nodes)
        if key not in self._planned:
            self._planned[key] = once(self._edges(nodes))
        return self._planned[key]

    def _edges(self, nodes):
        gathers = [self._gather(term, node) for term, node in zip(self.terms, nodes)]
        if all(gathers):
            same([end for _, end in gathers])
            return self.gathered([x for x, _ in gathers], gathers[0][1])
        if all(node.target == OPS.edge_softmax.default for node in nodes):
            return self._softmax(nodes)
        try:
            return self._zip(nodes, self.edges, lambda term: term.graph.edge)
        except Stuck:
            if any(gathers) or any(self.merger.layers.depth[n] for n in nodes):
                raise
            if any(self._is_of_nodes(n) for n in nodes):
                raise
            return lambda at: self._joined([self.merger.env[n] for n in nodes])

    def _is_of_nodes(self, node):
        """Whether a node needs what is gathered of nodes."""
        seen, left = set(), [node]
        while left:
            one = left.pop()
            if one in seen:
                continue
            seen.add(one)
            if one.target in GATHERS or one.target == OPS.edge_softmax.default:
                return True
            left += one.all_input_nodes
        return False

    def _gather(self, term, node):
        """(rows, end) where a node is rows of nodes at an end of a relation's edges."""
        x, dim, index = gathered(node) or (None, None, None)
        ids = self.merger.layers.graphs.ids(index) if dim == 0 else None
        if ids is None or ids.graph is not term.graph or not has_gradient_of_rows(node):
            return None
        return x, ids.end

    def _softmax(self, nodes):
        for term, node in zip(self.terms, nodes):
            ids = self.merger.layers.graphs.ids(node.args[1])
            if ids is None or ids.graph is not term.graph or ids.end != "dst":
                raise Stuck("a softmax over other rows than the ends of edges")
        return self._softmax_of(self.edges([node.args[0] for node in nodes]))

    def _softmax_of(self, x):
        def made(at):
            size = self.merger.count(at)
            if len(self.terms) == 1:
                return self.new.call(OPS.edge_softmax.default, x(at), self.ids("dst"), size)
            return self.new.call(OPS.edge_softmax_by_type.default, x(at), self.ids("dst"),
                                 self.types(), size, len(self.terms))
        return made

    def gathered(self, nodes, end):
        """The plan of rows of nodes as rows of edges: rows that all relations of a type
        have in common are gathered, what each has for itself is computed behind."""
        axes = [term.graph.ends[end].find() for term in self.terms]
        values = dict(zip(axes, nodes))
        if all(values[axis] is node for axis, node in zip(axes, nodes)):
            layout, plan = self.merger.rows({
                axis: values[axis] for axis in self.merger.ordered(values)})
            self.layouts[end].add(layout)
            return lambda at: self.new.call(aten.index_select.default, plan(
                self.layout[end]), 0, self.ids(end))
        key = end, tuple(nodes)
        if key not in self._planned:
            self._planned[key] = once(self._zip(nodes, lambda xs: self.gathered(xs, end),
                                                lambda term: term.graph.ends[end]))
        return self._planned[key]

    def _zip(self, nodes, rows, axis):
        return OfEdges(self, [axis(term).find() for term in self.terms], rows).plan(nodes)

    def by_relation(self, nodes, apart=False):
        """(whether they are one, plan) of weights by relation."""
        if len(set(nodes)) == 1 and not apart:
            return True, lambda at: self.merger.env[nodes[0]]
        same([tuple(value_of(x).shape) for x in nodes])
        return False, lambda at: self._stacked(nodes)

    def _stacked(self, nodes):
        """Weights behind each other: what is an op of one of them is one of all."""
        if all(is_elementwise(x) and not is_random(x) and
               x.all_input_nodes == [x.args[0]] and (x.target, x.args[1:], x.kwargs) == (
                   nodes[0].target, nodes[0].args[1:], nodes[0].kwargs) for x in nodes):
            return self.new.call(nodes[0].target, self._stacked([x.args[0] for x in nodes]),
                                 *nodes[0].args[1:], **nodes[0].kwargs)
        return self.new.call(aten.stack.default, [self.merger.env[x] for x in nodes])

    def _chain(self):
        """The plan of messages behind the linear ops that follow the aggregation: these
        are the same before a sum, and before a mean."""
        plan, kind = self.message, self.terms[0].anchor.args[3]
        for nodes in zip(*[term.chain for term in self.terms]):
            if kind not in ("sum", "mean") and not is_view(nodes[0]):
                raise Stuck(f"{nodes[0].target} of the {kind} of messages")
            plan = self._link(nodes, plan)
        return plan

    def _link(self, nodes, before):
        link = OfEdges(self, [term.graph.ends["dst"].find() for term in self.terms],
                        lambda xs: before, {*nodes, *(x.args[0] for x in nodes)})
        if nodes[0].target == aten.linear.default:
            return link.linear(nodes, with_bias=False)
        return link.plan(nodes)

    # -- Its graph ---------------------------------------------------------------------------

    def made(self, layout):
        """The rows of a layout that this group's relations add to."""
        self._lay_out(layout)
        message, size = self.chain(layout), self.merger.count(layout)
        kind = self.terms[0].anchor.args[3]
        if len(self.terms) == 1:
            return self.new.call(OPS.aggregate.default, message, self.ids("dst"), size, kind)
        return self.new.call(OPS.aggregate_by_type.default, message, self.ids("dst"),
                             self.types(), size, len(self.terms), kind)

    def _lay_out(self, layout):
        """Sets the layouts of its ends."""
        src = self.merger.ordered({term.graph.ends["src"].find() for term in self.terms})
        src = layout if set(src) <= set(layout) else _overlapping(src, layout)
        self.layout = {"dst": layout, "src": one_layout(self.layouts["src"]) or src}

    def _is_plain(self):
        """Whether it is the graph of one relation as it is."""
        return len(self.terms) == 1 and all(len(one) == 1 for one in self.layout.values())

    def pair(self):
        pairs = [self.merger.env[term.graph.pair] for term in self.terms]
        if self._is_plain():
            return pairs[0]
        types = [[self.layout[end].index(term.graph.ends[end].find())
                  for term in self.terms] for end in ("src", "dst")]
        sizes = [self.merger.sizes(self.layout[end]) for end in ("src", "dst")]
        return self.new.call(OPS.typed_edges.default, pairs, *types, *sizes, self.types())

    def _joined(self, nodes):
        return nodes[0] if self._is_plain() else self.new.join(nodes, self.types())

    def ids(self, end):
        return self.new.call(aten.select.int, self.pair(), 0, ("src", "dst").index(end))

    def size(self):
        return self.new.call(aten.sym_size.int, self.pair(), 1)

    def types(self):
        """The relation of each edge: one vector for a graph, whose nodes it is made of."""
        like = self.merger.node_types(self.layout["dst"])
        if self.layout["src"] != self.layout["dst"]:
            like = self.new.call(OPS.type_rows.default, like,
                                 self.merger.sizes(self.layout["src"]))
        return self._of_edges(like)

    def _of_edges(self, like):
        """The relation of each edge, as a vector that is made of another."""
        return self.new.call(OPS.type_rows.default, like, [
            self.new.call(aten.sym_size.int, self.merger.env[term.graph.pair], 1)
            for term in self.terms])


class OfEdges(Zip):
    """Ops on rows of edges, or of nodes that edges gather: `axes` has those of their rows,
    `rows` plans them. `links` are rows whatever their axes are."""

    def __init__(self, group, axes, rows, links=()):
        super().__init__(group.new, axes)
        self._group, self._rows, self._links = group, rows, links

    def rows(self, nodes):
        return self._rows(nodes)

    def kind(self, i, x):
        return "rows" if x in self._links else self._group.merger.kind(x, self.axes[i])

    def stacked(self, nodes, apart=False):
        return self._group.by_relation(nodes, apart)

    def size(self, at):
        return self._group.size()

    def types(self, at):
        return self._group.types()
