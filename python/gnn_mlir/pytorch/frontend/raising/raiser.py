# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From functional ATen to programs of the `gnn` dialect.

An abstract interpretation: each node of the graph gets a tag that says what it is as a
value of a program. A node without a tag is torch's: what depends on inputs alone, such
as weights and prepared data, is computed before a program that reads it; what needs
values of a program and has no handler splits the program in two.
"""

import itertools
import math
import re

import torch
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from .... import types as gnn_types
from ....program import Module
from ..analysis.axes import Axes
from ..analysis.declared_graphs import Graphs
from ..analysis.values import assertions, is_floats, is_random, value_of, whole_of
from ..places import place_of, written
from ..tracing import vocabulary
from . import elementwise, features, functions, products, sparse, weights  # noqa: F401
from .tags import (HANDLERS, Fill, Mask, Masked, Parts, Rows, Typed, Unsupported, Whole,
                   count_types, described, listed, static)

aten, OPS = torch.ops.aten, vocabulary.OPS
# Names of what a program, or its gradient, has beside inputs of the user.
_OF_PROGRAMS = re.compile(r"seed|(d_)*out\d+|saved_\d+")


class CaptureError(RuntimeError):
    """A part of a model that cannot be as it was asked for: the op, why, and where in the
    model it is."""

    ADVICE = "; without fullgraph=True torch runs it"

    @classmethod
    def at(cls, node, why):
        return cls(f"{described_op(node)} cannot be compiled with what is around it: {why}"
                   f"{cls.ADVICE}")


def described_op(node):
    """An op by its name, with its place in the user's code where that is known."""
    place = place_of(node)
    return f"{written(node)}{f' at {place}' * bool(place)}{f' ({place.code})' if place.code else ''}"


class Segment:
    """One program: a function, the nodes that are its inputs and its outputs."""

    def __init__(self, number):
        self.module = Module()
        self.function = self.module.function("forward")
        self.number, self.inputs, self.outputs = number, {}, {}
        self.declared, self.made, self.has_graph_ops = {}, {}, False
        self.seeds = {}  # The numbers of what draws.

    def graph(self, graph):
        """The declaration of a graph."""
        if graph not in self.declared:
            self.declared[graph] = graph.declare(self.module, self.graph)
        return self.declared[graph]

    def prune(self):
        """Drops what no output is made of: inputs and graphs that nothing reads."""
        self.function.prune()
        self.inputs = {key: (given, value) for key, (given, value) in self.inputs.items()
                       if value.name in self.function.inputs}
        named = {decl.name for decl in self.function.named_graphs()}
        self.declared = {graph: decl for graph, decl in self.declared.items()
                         if decl.name in named}
        self.module.graphs = {decl.name: decl for decl in self.declared.values()}


class Raiser:
    """Raises a lowered graph. `left` are nodes that are torch's whatever they mean,
    `foreign` ids of what is no graph, `alone` is that of `Graphs`. `needed` are those that torch
    computes, `feeding` those of it that a program reads the results of, at some remove."""

    def __init__(self, lowered, left=(), foreign=(), alone=False):
        self.graph = lowered.module.graph
        self.axes = Axes(self.graph, lowered.same)
        self.graphs = Graphs(self.graph, self.axes, foreign, alone)
        self.tags, self.segments, self.reasons = {}, [], {}
        self._left, self._phases, self.needed = set(left), {}, set()
        self.current = None

    def run(self):
        for node in self.graph.nodes:
            if node.op == "call_function" and node not in self._left:
                self._visit(node)
            elif node.op == "get_attr":
                self._attribute(node)
        self._find_feeding()
        for node in [*self.graph.output_node().all_input_nodes, *assertions(self.graph)]:
            self._keep(node, last=True)
        for segment in reversed(self.segments):
            if segment.outputs:
                segment.prune()
                for given, _ in list(segment.inputs.values()):
                    for node in given if isinstance(given, tuple) else (given,):
                        if node is not None:
                            self._keep(node, last=False)
        return self

    def _attribute(self, node):
        """A tensor that the graph holds: a constant where it is one number."""
        value = getattr(self.graph.owning_module, node.target)
        if isinstance(value, torch.Tensor) and value.numel() == 1 and not (
                value.requires_grad):
            self.tags[node] = Fill(float(value))

    def _find_feeding(self):
        self.feeding = set()
        for node in reversed(list(self.graph.nodes)):
            if any(self.tags.get(user) is not None or user in self.feeding
                   for user in node.users):
                self.feeding.add(node)

    # -- Which part computes a node ---------------------------------------------------

    def _visit(self, node):
        handler = HANDLERS.get(node.target)
        value, operands = node.meta.get("val"), node.all_input_nodes
        if not is_floats(value) and node.target not in _CONDITIONS and not any(
                isinstance(self.tags.get(x), Mask) for x in operands):
            return
        if handler is None:
            if any(self._is_of_program(x) for x in operands) or self.row_dim(node) is not None:
                self.reasons[node] = "gnn_mlir has no op for it"
            return
        if node.target == aten.cat.default:
            operands = [features.sliced(self, node)] if features.sliced(self, node) else (
                operands)
        elif node.target == OPS.join_types.default:
            split = whole_of(node.args[0])
            operands = operands if split is None else [split.args[0]]
        elif node.target in (aten.matmul.default, aten.bmm.default):
            operands = products.read_by(self, node)
        number = max([self._earliest(x) for x in operands], default=0)
        self.current = self._segment(number)
        try:
            _refuse_sizes(node)
            tag = handler(self, node, *node.args, **node.kwargs)
            if isinstance(tag, Parts) and tag.is_all:
                tag = self.made(node, sparse.join_parts(self, tag), 0)
            if isinstance(tag, Whole) and not _has_size(value, tag.value):
                raise Unsupported("a number of the graph that is repeated")
        except GuardOnDataDependentSymNode:
            self.reasons[node] = "sizes that only values say"
            return
        except (Unsupported, ValueError) as error:
            self.reasons[node] = str(error)
            return
        if tag is not None:
            self.tags[node] = tag
        elif self.reasons.keys().isdisjoint(operands) and (
                any(map(self._is_of_program, operands)) or
                is_floats(value) and self.row_dim(node) is not None):
            self.reasons[node] = f"expected rows of a graph, got {listed(operands)}"

    def _segment(self, number):
        while len(self.segments) <= number:
            self.segments.append(Segment(len(self.segments)))
        return self.segments[number]

    def _is_of_program(self, node):
        """Whether a node needs a program to have run."""
        return self.phase(node) > 0

    def _earliest(self, node):
        """The first segment that may read a node."""
        tag = self.tags.get(node)
        if tag is None:
            return self.phase(node)
        parts = tag if isinstance(tag, tuple) else (tag,)
        return max([part.segment if isinstance(part, (Rows, Whole)) else
                    max(map(self._earliest, _nodes_in(part)), default=0)
                    for part in parts], default=0)

    def phase(self, node):
        """How many programs run before torch has a node."""
        if node not in self._phases:
            self._phases[node] = self._phase(node)
        return self._phases[node]

    def _phase(self, node):
        if self.is_value(node):
            return 0 if self.is_data(node) else self.tags[node].segment + 1
        return max(map(self.phase, node.all_input_nodes), default=0)

    def is_data(self, node):
        """Whether a node is computed of inputs that need no gradient, without parameters,
        with gradients on or off: what torch may prepare although a program computes it
        too."""
        key = "data", node
        if key not in self._phases:
            if node.op == "placeholder":
                found = not (node.meta["requires_grad"] or node.meta["is_weight"])
            else:
                found = node.op == "call_function" and not is_random(node) and all(
                    map(self.is_data, node.all_input_nodes))
            self._phases[key] = found
        return self._phases[key]

    def between(self):
        """The first node that torch computes between two programs, one that has a reason
        before others; None where there is no such node."""
        nodes = [node for node in self.graph.nodes if node in self.needed and
                 node in self.feeding and self.phase(node) > 0]
        return next((node for node in nodes if node in self.reasons), next(iter(nodes), None))

    def awaited(self):
        """The first size that is known when a program has run, and that another is made with;
        None where there is none."""
        return next((node for node in self.graph.nodes if node in self.feeding and
                     isinstance(node.meta.get("val"), torch.SymInt) and
                     self.phase(node) > 0), None)

    def refused(self):
        """The nodes that torch computes because no program could."""
        return [node for node in self.reasons if node in self.needed]

    def is_value(self, node):
        """Whether a node is numbers that a program computes."""
        tag = self.tags.get(node)
        return isinstance(tag, Whole) or isinstance(tag, Rows) and (
            tag.value.type.dtype == "f32")

    def _keep(self, node, last):
        """Makes torch have a node: as an output of a program, or by its own op. With
        `last`, no program reads what comes of it; else data is prepared by torch, so
        that no program has to run before it."""
        if node.op != "call_function":
            return
        if self.is_value(node) and (last or not self.is_data(node)):
            tag = self.tags[node]
            segment = self.segments[tag.segment]
            if node not in segment.outputs:
                segment.outputs[node] = segment.function.output(
                    f"out{len(segment.outputs)}", self._returned(node, tag, segment))
        elif node not in self.needed:
            self.needed.add(node)
            for x in vocabulary.read_by_torch(node):
                self._keep(x, node not in self.feeding)

    def _returned(self, node, tag, segment):
        """A value of its own: a function has one name for each output."""
        self.current = segment
        value = tag.value
        taken = [id(v) for v in segment.function.outputs.values()]
        if id(value) in taken or value.name is not None:
            value = segment.function.reshape(value, *value.features)
        return value

    # -- Nodes as values of the current program ---------------------------------------

    @property
    def f(self):
        """The function of the current program."""
        return self.current.function

    def shape(self, node):
        """The shape of a node: numbers, but None for the rows of a dimension."""
        rows = self.row_dim(node)
        return tuple(None if i == rows else static(size)
                     for i, size in enumerate(value_of(node).shape))

    def features(self, node):
        """The sizes of a node's features, all dimensions but rows."""
        return tuple(size for size in self.shape(node) if size is not None)

    def row_dim(self, node):
        """The dimension of a node that is rows of a graph, or None."""
        tag = self.tags.get(node)
        if isinstance(tag, Rows):
            return tag.dim
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            return None
        for dim in range(value.dim()):
            if self.graphs.roles_of(self.axes.of(node, dim)):
                return dim
        return None

    def axis(self, node):
        """The axis of a node's rows."""
        dim = self.row_dim(node)
        return None if dim is None else self.axes.of(node, dim)

    def is_rows(self, node):
        """Whether a node is rows, of a program or of torch."""
        tag = self.tags.get(node)
        if isinstance(tag, Fill):
            return False
        return self.row_dim(node) is not None

    def rows(self, node, graph=None, space=None):
        """A node as rows of the current program, in the space that is asked for or in
        its own; its features are all dimensions but that of rows."""
        tag = self.tags.get(node)
        axis = self.axis(node)
        roles = self.graphs.roles_of(axis)
        if not roles:
            raise Unsupported(f"expected rows of a graph, got {described(node)}")
        if isinstance(tag, Rows) and tag.segment == self.current.number:
            value = tag.value
        elif isinstance(tag, Typed):
            value, via, at = self.typed_weight(tag.weight, tag.types)
            value = self.f.gather(value, at, via=via)
        elif isinstance(tag, Fill):
            home = (graph, space) if graph is not None else roles[0]
            return self.f.constant(tag.number, self.type(home, self.features(node)))
        elif isinstance(tag, (Masked, Parts)):
            raise Unsupported("rows of some types alone")
        else:
            if self.phase(node) > self.current.number:
                raise Unsupported("expected a value that is known before the program")
            home = (graph, space) if (graph, space) in roles else roles[0]
            value = self.input(node, self.type(home, self.features(node)),
                               key=("rows", node, home, self.row_dim(node)))
        return value if graph is None else self.in_role(value, axis, graph, space)

    def whole(self, node):
        """A number of the graph, with the dimensions of its tensor as features."""
        value, shape = self.tags[node].value, tuple(map(static, value_of(node).shape))
        return value if value.features == shape else self.f.reshape(value, *shape)

    def type(self, role, features):
        graph, space = role
        return self.current.graph(graph).rows(space, *features)

    def in_role(self, value, axis, graph, space):
        """A value as rows of another graph that has the same ones."""
        decl = self.current.graph(graph)
        if value.graph.name == decl.name and value.space == space:
            return value
        nodes = ("node", "src", "dst")
        key = "role", id(value), graph, space
        if key in self.current.made:
            return self.current.made[key][0]
        if value.space in nodes and space in nodes and value.graph.name != decl.name:
            made = self.f.rebind_rows(value, decl, space)
        elif space == "edge" and "src" not in graph.ends:
            made = self.f.gather(self.in_role(value, axis, graph, "src"), "edge", via="src")
        elif space == "edge" and "dst" not in graph.ends:
            made = self.f.gather(self.in_role(value, axis, graph, "dst"), "edge", via="dst")
        else:
            own = next(g for g in self.graphs.all if g.name == value.graph.name)
            if value.space != "edge" or space not in nodes or len(own.ends) != 1:
                raise Unsupported(f"{value.space} rows of one graph as {space} rows of "
                                  "another")
            end, = {"src", "dst"} - set(own.ends)  # Each node there has one edge, its own.
            made = self.in_role(self.f.aggregate("sum", value, end, via=end), axis, graph, space)
        self.current.made[key] = made, value
        return made

    def typed_weight(self, node, types):
        """(weights over types, via, the space of the rows that lead to them)."""
        given = value_of(node).shape[0]
        graph, space = self.graph_of_types(types, given)
        # The next layer may have weights of the first types alone, which are all there are.
        count = count_types(graph, space, types)
        if given != count and not (given < count and types.node.target == (
                vocabulary.OPS.type_rows.default) and len(types.node.args[1]) <= given):
            raise Unsupported(f"expected weights of {count} types, got {given}")
        by = "edge_type" if space == "edge" and types.end is None else "node_type"
        return self.weight(node, (graph, by)), types.end, space

    def graph_of_types(self, types, count):
        """(graph, space) of the rows that have these types: of graphs with the same rows the
        first that has so many types. The sources of a layer may be of more types than its
        destinations, which the next layer has alone."""
        if types.graph is not None:
            return types.graph, "edge"
        found = [(graph, space) for graph, space in self.graphs.roles_of(types.axis)
                 if (graph.edge_types is not None and graph.edge_types.node is types.node
                     if space == "edge" else any(t.node is types.node
                                                 for t in graph.node_types.values()))]
        if not found:
            raise Unsupported("types of no graph")
        return next((one for one in found if count_types(*one, types) == count), found[0])

    def weight(self, node, typed=None, shape=None):
        """A tensor of torch without rows as a weight, over the types (graph, space) where
        `typed`; `shape` is that of its features where they differ."""
        key = "weight", node, typed, shape
        if key not in self.current.made:
            self.current.made[key] = self._weight(node, typed, shape)
        return self.current.made[key]

    def _weight(self, node, typed, shape):
        if isinstance(self.tags.get(node), Fill):
            raise Unsupported("a constant as a weight")
        if self.phase(node) > self.current.number:
            raise Unsupported("expected a weight that is known before the program")
        sizes = tuple(static(size) for size in value_of(node).shape)
        is_whole = typed is None or typed[0].count_types(typed[1]) == sizes[0]
        value = weights.made_of(self, node, typed) if is_whole else None
        if value is None:
            if not value_of(node).dtype.is_floating_point:
                raise Unsupported(f"expected a weight of floats, got {described(node)}")
            kind = (self.type(typed, sizes[1:]) if typed else gnn_types.weight(*sizes))
            value = self.input(node, kind, key=("weight", node, typed))
        if shape is not None and value.features != shape:
            value = self.f.reshape(value, *shape)
        return value

    def input(self, node, kind, key):
        """A tensor of torch as an input of the current program."""
        found = self.current.inputs
        if key not in found:
            if kind.dtype == "f32" and value_of(node).dtype != torch.float32:
                raise Unsupported(f"expected float32, got {described(node)}")
            found[key] = node, self.f.input(self.name_of(node), kind)
        return found[key][1]

    def name_of(self, node):
        """A name for an input of the current program that is of this node: as the user's
        argument or parameter is called, else `in` and a number."""
        name = node.meta.get("written") or f"in{len(self.current.inputs)}"
        others = (f"{name}_{i}" for i in itertools.count(2))
        return next(one for one in itertools.chain([name], others) if not (
            one in self.f.inputs or _OF_PROGRAMS.fullmatch(one)))

    def seed(self, node):
        """(seed, offset) of a dropout: one seed a call of a program, and an offset for each
        that draws by itself."""
        found = self.current.inputs
        if "seed" not in found:
            found["seed"] = None, self.f.input("seed", gnn_types.I64)
        offset = self.current.seeds.setdefault(node.meta.get("drawn_as", node),
                                               len(self.current.seeds) + 1)
        return found["seed"][1], offset << 40

    def made(self, node, value, dim=None):
        """`Rows` of a value with the features that torch says."""
        dim = self.row_dim(node) if dim is None else dim
        wanted = tuple(static(size) for i, size in enumerate(value_of(node).shape)
                       if i != dim)
        if value.features != wanted:
            origin = self.origin(value)
            value = self.f.reshape(value, *wanted)
            self.current.made["origin", id(value)] = origin, value
        return Rows(value, self.current.number, dim)

    def origin(self, value):
        """The features that a value had before it was only reshaped."""
        return self.current.made.get(("origin", id(value)), (value.features,))[0]


# Conditions are values too, although they are no floats.
_CONDITIONS = {getattr(getattr(aten, name), kind) for name in ("eq", "ne", "lt", "le", "gt", "ge")
               for kind in ("Scalar", "Tensor")} | {
                   aten.logical_and.default, aten.logical_or.default, aten.isinf.default,
                   aten.unsqueeze.default, aten.view.default}


def _has_size(tensor, value):
    """Whether a tensor has as many elements as the features of a value."""
    return not any(isinstance(size, torch.SymInt) for size in tensor.shape) and (
        math.prod(tensor.shape) == math.prod(value.features))


def _refuse_sizes(node):
    """Raises Unsupported where a number that an op is made with is a size."""
    schema = getattr(node.target, "_schema", None)
    arguments = schema.arguments if schema else ()
    for given, argument in (*zip(node.args, arguments), *(
            (node.kwargs.get(argument.name), argument) for argument in arguments)):
        if isinstance(given, torch.fx.Node) and isinstance(
                given.meta["val"], (torch.SymInt, torch.SymFloat)) and str(argument.type) in _NUMBERS:
            raise Unsupported(f"{_number_of(given)} as {argument.name}")


def _number_of(node):
    """The words for a number that an op is made with."""
    return "a number that Python reads of a tensor" if (
        node.target in (aten.item.default, aten._local_scalar_dense.default) or any(
            _number_of(one) != "a size" for one in node.all_input_nodes
            if isinstance(one.meta.get("val"), (torch.SymInt, torch.SymFloat)))) else "a size"


_NUMBERS = {f"{left}{kind}{right}" for kind in ("number", "float")
            for left, right in (("", ""), ("Optional[", "]"))}


def _nodes_in(tag):
    """Nodes whose values a tag refers to: the tensor itself is not read."""
    if isinstance(tag, Typed):
        return [tag.weight]
    if isinstance(tag, Masked):
        return [inner for x in tag.args for inner in (
            [x] if isinstance(x, torch.fx.Node) else _nodes_in(x))]
    if isinstance(tag, Parts):
        return [x for part in tag.parts.values() for x in _nodes_in(part)]
    return []
