# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The torch module that a backend returns: programs as calls, torch's ops around them."""

import torch

from ..analysis.values import GETITEM, assertions, has_gradient, is_random
from ..raising.raiser import CaptureError, Rows, Whole
from ..tracing import vocabulary
from . import joined_graphs, joins, packing, reads
from .graph_cache import Recipe, Structures
from .program_calls import Call

aten, OPS = torch.ops.aten, vocabulary.OPS


class NoGraph(CaptureError):
    """A graph that cannot be made before the programs run; `ids` are its nodes."""

    def __init__(self, error, graph):
        super().__init__(str(error))
        self.ids = {graph.pair, *graph.vectors.values()}


class Outer:
    """Builds the module of a raised graph."""

    def __init__(self, raiser, lowered, options):
        self.raiser, self.lowered, self.options = raiser, lowered, options
        self.graph, self.made = torch.fx.Graph(), {}
        self.copies = {}  # Of nodes, within `structures`.
        self.placeholders = [node for node in raiser.graph.nodes
                             if node.op == "placeholder"]
        self._mutated = {self.placeholders[place] for place in lowered.mutated}
        self.calls, self._memo, self._copied, self._gated = [], {}, {}, {}
        # The captured inputs, weakly, and their names (`saving.sources`).
        self.examples, self.sources = [], None

    def build(self):
        for node in self.placeholders:
            self.made[node] = self.graph.placeholder(node.name)
        reading = self._gate()
        segments = [s for s in self.raiser.segments if s.outputs]
        self._shared = {}
        self._structures(segments)
        for segment in segments:
            self._call(segment)
        lowered = self.raiser.graph.output_node().args[0]
        for node in assertions(self.raiser.graph):
            self._torch(node)
        made = [self._given(x) if isinstance(x, torch.fx.Node) else x for x in lowered]
        self._keep_apart(lowered, made)
        count = len(self.lowered.mutated)
        for place, value in zip(self.lowered.mutated, made[:count]):
            self.graph.call_function(_assign, (self.made[self.placeholders[place]], value))
        if reading is not None:
            made = self._marked(reading, lowered, made)
        outputs = tuple(made[count:])
        if self.calls:
            self.graph.call_function(self.structures.end_of_call, (self._graphs, outputs))
        self.graph.output(outputs)
        self._gate_in_joins()
        self._copy_once()
        joins.share(self.graph, self._inputs_without_gradients(), _is_of_programs)
        packing.pack(self.graph, self._parameters(), {
            self.made[node]: tuple(node.args[0]) for node in self.made if _is_zeros(node)})
        for node in reversed(self.graph.nodes):
            if not node.users and node.target in (item, aten.detach.default,
                                                  aten.zeros.default):
                self.graph.erase_node(node)
        module = self._module(self.graph)
        module.is_of_programs = True
        return module

    def _module(self, graph):
        """A graph with the tensors that the captured one holds as attributes."""
        return torch.fx.GraphModule(self.lowered.module, graph)

    # -- Gradients of some outputs alone ----------------------------------------------

    def _gate(self):
        """Gives inputs on which not all outputs depend a gradient only where one that does
        is read, those that no output depends on none, and those that nothing here reads,
        although an output depends on them, one of zeros; what notes the outputs that are
        read, if that matters."""
        if self.lowered.readers is None:
            return None
        bits, every = self.lowered.readers
        gated, self._unread = {}, {}
        for node, own in zip(self.placeholders, bits):
            if node.meta["requires_grad"] and node not in self._mutated:
                if not own:
                    self._memo["grad", node] = False
                    self.made[node] = self.graph.call_function(aten.detach.default,
                                                               (self.made[node],))
                elif not node.users:
                    self._unread[node] = own
                elif own != every:
                    gated[node] = own
        outputs = self.raiser.graph.output_node().args[0]
        if not gated and not self._unread or any(x in self.placeholders for x in outputs):
            return None
        reading = self.graph.call_function(reads.Reading, ())
        if not gated:
            return reading
        made = self.graph.call_function(reads.gate, (reading, tuple(gated.values()), *(
            self.made[node] for node in gated)))
        for i, (node, own) in enumerate(gated.items()):
            given, self.made[node] = self.made[node], self.graph.call_function(
                item, (made, i))
            self._gated[self.made[node]] = given, own
        return reading

    def _gate_in_joins(self):
        """Inputs that are only stacked or joined with others have their gradients chosen
        where these are taken apart: each that passes a gate costs the host microseconds."""
        within = {x: None for x in self._gated if x.users and all(
            user.target in reads.JOINS and not user.kwargs and user.args[1:] in ((), (0,))
            for user in x.users)}
        if not within:
            return
        gate = next(iter(within)).args[0]
        for user in dict.fromkeys(user for x in within for user in x.users):
            given = [(x, -1) if x not in within else self._gated[x] for x in user.args[0]]
            with self.graph.inserting_before(user):
                user.replace_all_uses_with(self.graph.call_function(reads.JOINS[user.target], (
                    gate.args[0], tuple(own for _, own in given), *(x for x, _ in given))))
            self.graph.erase_node(user)
        left = [x for x in self._gated if x not in within]
        for i, x in enumerate(left):
            x.args = gate, i
        gate.args = gate.args[0], tuple(self._gated[x][1] for x in left), *(
            self._gated[x][0] for x in left)
        for x in within:
            self.graph.erase_node(x)
        if not left:
            self.graph.erase_node(gate)

    def _marked(self, reading, outputs, made):
        """The outputs, each of which notes that a gradient of it is asked for."""
        every = self.lowered.readers[1]
        places = {}
        for i in range(len(outputs)):
            if every >> i & 1:
                places.setdefault(made[i], []).append(i)
        bits = tuple(sum(1 << i for i in found) for found in places.values())
        marked = self.graph.call_function(reads.mark, (
            reading, bits, tuple(self._unread.values()), *(
                x for x in places), *(self.made[node] for node in self._unread)))
        made = list(made)
        for number, found in enumerate(places.values()):
            one = self.graph.call_function(item, (marked, number))
            for i in found:
                made[i] = one
        return made

    def _copy_once(self):
        """Views that programs alone read are copied in one piece, once for both passes: each
        call of a program would copy each of its inputs that is not contiguous."""
        for node in list(self.graph.nodes):
            if node.target == aten.unbind.int and node.args[1:] not in ((), (0,)) and all(
                    _is_of_programs(user) for part in node.users for user in part.users):
                x, dim = node.args
                with self.graph.inserting_before(node):
                    x = self.graph.call_function(aten.movedim.int, (x, dim, 0))
                    node.args = self.graph.call_function(aten.contiguous.default, (x,)), 0
            elif node.target == aten.transpose.int and all(map(_is_of_programs, node.users)):
                with self.graph.inserting_after(node):
                    made = self.graph.call_function(aten.contiguous.default, (node,))
                node.replace_all_uses_with(made, lambda user: user is not made)

    def _parameters(self):
        """The shapes of the graph's placeholders of parameters, and which have gradients."""
        found = {}
        for node, made in zip(self.placeholders, self.graph.nodes):
            if node.meta.get("is_weight") and node not in self._mutated:
                shape = node.meta["val"].shape
                if all(type(size) is int for size in shape):
                    found[made] = tuple(shape), node.meta["requires_grad"]
        return found

    def _inputs_without_gradients(self):
        return {made for node, made in zip(self.placeholders, self.graph.nodes)
                if node not in self._mutated and not (
                    torch.is_grad_enabled() and self.requires_grad(node))}

    def _are_given(self, inputs):
        """Whether inputs of structures are those of a call, and stay as they are."""
        own = {made for node, made in zip(self.placeholders, self.graph.nodes)
               if node not in self._mutated}
        return all(x in own for x in inputs)

    # -- torch's nodes --------------------------------------------------------------

    def _torch(self, node):
        """A node as the outer graph computes it."""
        if node not in self.made:
            if node in self._shared:
                self.made[node] = self.graph.call_function(
                    item, (self._structure, self._shared[node]))
            else:
                target, args = vocabulary.as_torch(node) or (node.target, node.args)
                args, kwargs = torch.fx.node.map_arg(
                    (args, node.kwargs), _widening(node, self.graph, self._unchanged))
                self.made[node] = (
                    self.graph.get_attr(target) if node.op == "get_attr" else
                    self.graph.create_node(node.op, target, args, kwargs))
        return self.made[node]

    def _given(self, node):
        """A node as an output: the caller may write to it, unlike to what later calls on
        the same graphs find."""
        made = self._torch(node)
        if node in self._shared:
            return self.graph.call_function(aten.clone.default, (made,))
        return made

    def _keep_apart(self, outputs, made):
        """Copies outputs that would be in the memory of an input, of a constant, or of another
        output, and are not in the model: the caller may write to each."""
        own = self.lowered.memory
        taken = {self._memory(x): None for i, x in enumerate(outputs)
                 if isinstance(x, torch.fx.Node) and i not in own}
        for i in sorted(own):
            memory = self._memory(outputs[i])
            if outputs[i] not in self._shared and (
                    memory.op != "call_function" or taken.setdefault(memory, own[i]) != own[i]):
                made[i] = self.graph.call_function(aten.clone.default, (made[i],))

    def _memory(self, node):
        """The node whose memory a node is, as the outer graph computes it; rows of one type
        of what layers split are theirs alone."""
        while node.op == "call_function" and not self.raiser.is_value(node) and _is_view(node):
            node = node.args[0]
        return node

    def _unchanged(self, node):
        """A node as an argument of torch's ops, which may save it: what the model changes
        is copied before."""
        if node in self._mutated and node not in self._copied:
            self._copied[node] = self.graph.call_function(aten.clone.default,
                                                          (self.made[node],))
        return self._copied.get(node) or self._torch(node)

    def _is_structural(self, node):
        """Whether a node is computed of integers alone, which graphs are made of."""
        if node not in self._memo:
            value = node.meta.get("val")
            if node.op == "placeholder":
                found = node not in self._mutated and not (
                    isinstance(value, torch.Tensor) and
                    (value.dtype.is_floating_point or value.dtype.is_complex))
            else:
                found = node.op in ("call_function", "get_attr") and all(
                    map(self._is_structural, node.all_input_nodes)) and not is_random(node)
            self._memo[node] = found
        return self._memo[node]

    def requires_grad(self, node):
        key = "grad", node
        if key not in self._memo:
            value = node.meta.get("val")
            if node.op == "placeholder":
                found = node.meta["requires_grad"]
            else:
                found = node.target != aten.detach.default and has_gradient(value) and any(
                    map(self.requires_grad, node.all_input_nodes))
            self._memo[key] = found
        return self._memo[key]

    # -- Graphs ----------------------------------------------------------------------

    def _structures(self, segments):
        """The call that gives all graphs, and what else integers alone say."""
        graphs = list(dict.fromkeys(g for s in segments for g in s.declared
                                    if g.parent is None))
        inner, copies, inputs, results = torch.fx.Graph(), self.copies, [], []

        def copy(node):
            if node not in copies:
                if node.op == "placeholder" or not self._is_structural(node):
                    if self.raiser.phase(node) > 0:
                        raise CaptureError.at(node, "expected a graph that is known before "
                                              "the model runs, got one made of its results")
                    given = self._torch(node)
                    copies[node] = inner.placeholder(node.name)
                    copies[node].meta["val"] = node.meta.get("val")
                    inputs.append(given)
                else:
                    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs),
                                                         _widening(node, inner, copy))
                    target = node.target if kwargs else vocabulary.direct(node.target)
                    copies[node] = (inner.get_attr(node.target) if node.op == "get_attr"
                                    else inner.create_node(node.op, target, args, kwargs))
            return copies[node]

        def place(value):
            results.append(value)
            return len(results) - 1

        def size(axis):
            axis = axis.find()
            if not isinstance(axis.size, torch.SymInt):
                return int(axis.size)
            expr = axis.size.node.expr
            nodes = [node for node in self.raiser.graph.nodes if self.raiser.phase(node) == 0]
            for node in nodes:
                value = node.meta.get("val")
                if isinstance(value, torch.SymInt) and value.node.expr == expr:
                    return copy(node)
            for node in sorted(nodes, key=lambda node: not self._is_structural(node)):
                value = node.meta.get("val")
                for dim in range(value.dim() if isinstance(value, torch.Tensor) else 0):
                    if self.raiser.axes.of(node, dim) is axis:
                        return inner.call_function(aten.sym_size.int, (copy(node), dim))
            raise CaptureError(f"expected numbers of rows that an input has, got {expr}")

        def typed(types):
            made = copy(types.node)
            return place(inner.call_function(with_others, (made, types.count - 1)) if
                         types.others else made)

        def places_of(graph):
            if graph.pair is not None:
                places = {"pair": place(copy(graph.pair))}
            else:
                places = {end: place(copy(ids)) for end, ids in graph.vectors.items()}
            places |= {f"num_{end}": place(size(axis)) for end, axis in graph.ends.items()}
            if graph.edge_types is not None:
                places["edge_type"] = typed(graph.edge_types)
            return places | {f"{end}_types": typed(types)
                             for end, types in graph.node_types.items()}

        recipes = []
        for graph in graphs:
            try:
                recipes.append(Recipe(graph.name, graph, places_of(graph)))
            except CaptureError as error:
                raise NoGraph(error, graph) from None
        shared = [node for node in self.raiser.graph.nodes if node.op == "call_function" and
                  node in self.raiser.needed and self._is_structural(node) and
                  not _is_zeros(node) and
                  isinstance(node.meta.get("val"), torch.Tensor)]
        extra = [place(copy(node)) for node in shared]
        inner.output(tuple(results))
        joined_graphs.join(inner, {copies[node] for node in shared})
        self._shared = {node: i + 1 for i, node in enumerate(shared)}
        self.structures = Structures(self._module(inner), recipes, extra, self._are_given(inputs))
        self._structure = self.graph.call_function(self.structures, tuple(inputs))
        self._graphs = self.graph.call_function(item, (self._structure, 0))

    # -- Programs ----------------------------------------------------------------------

    def _call(self, segment):
        given, names, wrt, parameters = [], [], [], []
        for key, (node, value) in segment.inputs.items():
            if node is None:
                continue  # A seed.
            if isinstance(node, tuple):
                made = self.graph.call_function(_stack, (
                    [n and self._torch(n) for n in node], key[3]))
                wants = any(n and self.requires_grad(n) for n in node)
            else:
                made, wants = self._torch(node), self.requires_grad(node)
                if key[0] == "rows" and key[3]:
                    made = self.graph.call_function(aten.movedim.int, (made, key[3], 0))
                elif key[0] == "weight" and key[2]:
                    graph, space = key[2]
                    more = graph.count_types(space) - int(node.meta["val"].shape[0])
                    if more:  # Types that none of these rows has.
                        made = self.graph.call_function(_with_zeros, (made, more))
            given.append(made)
            names.append(value.name)
            if not isinstance(node, tuple) and node.meta.get("is_weight"):
                parameters.append(value.name)
            if wants and torch.is_grad_enabled():
                wrt.append(value.name)
        constant = [i for i, node in enumerate(segment.outputs) if not self.requires_grad(node)]
        call = Call(segment, names, wrt, parameters, constant, self.options)
        self.calls.append(call)
        result = self.graph.call_function(call, (self._graphs, *given))
        for i, node in enumerate(segment.outputs):
            out = self.graph.call_function(item, (result, i))
            self.made[node] = self._shaped(node, out)

    def _shaped(self, node, out):
        """An output as torch has it: rows where they are, one row of a graph as none."""
        tag = self.raiser.tags[node]
        if isinstance(tag, Whole):
            return self.graph.call_function(aten.reshape.default, (out, [
                int(size) for size in node.meta["val"].shape]))
        if isinstance(tag, Rows) and tag.dim:
            return self.graph.call_function(aten.movedim.int, (out, 0, tag.dim))
        return out


def _is_view(node):
    """Whether a result of torch may be the memory of its first operand."""
    if node.target is GETITEM:
        return node.args[0].target != OPS.split_types.default
    if node.target == aten.dropout.default:
        return not node.args[2]
    if node.target in (aten._unsafe_view.default, OPS.first_rows.default):
        return True
    return isinstance(node.target, torch._ops.OpOverload) and any(
        argument.alias_info for argument in node.target._schema.arguments)


def _widening(node, graph, made):
    """`made`, which gives the operands of a node in a graph, with ids of int64 for ops of torch
    that need them."""
    index = vocabulary.index_of_scatter(getattr(node.target, "_opname", ""), node.args, node.kwargs)
    return made if index is None else lambda one: made(one) if one is not index else (
        graph.call_function(aten._to_copy.default, (made(one),), {"dtype": torch.int64}))


def _is_zeros(node):
    """Whether a node is zeros of float32 of a shape that no graph changes."""
    return (node.target == aten.zeros.default and node.meta["val"].dtype == torch.float32 and
            all(type(size) is int for size in node.args[0]))


def _is_of_programs(node):
    return isinstance(node.target, Call)


def item(values, index):
    return values[index]


def _stack(weights, transposed):
    made = [torch.zeros_like(weights[0]) if w is None else w for w in weights]
    return torch.stack([w.mT if transposed else w for w in made])


def _with_zeros(weights, count):
    """Weights over types, and of so many types more."""
    return torch.cat([weights, weights.new_zeros(count, *weights.shape[1:])])


def with_others(types, count):
    """Types, and `count` in place of what is none of so many."""
    return torch.where((types >= 0) & (types < count), types, count)


def _assign(place, value):
    with torch.no_grad():
        place.copy_(value)
