# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the graph that dynamo captured to functional ATen with the ops of the vocabulary.

Ops that torch would take apart (linear, layer_norm, dropout, softmax) stay whole, and
sizes are dynamo's own symbols, so that what is assumed of one becomes a guard.
"""

import dataclasses

import torch
from torch.fx import traceback

from ..analysis.values import is_random, symbols_of, value_of
from ..places import name_of_input
from ..tracing import exporting, hetero, templates
from . import assignments, composed, known_sizes, merged_rows
from .modes import Inlined, exact, is_autocast, like, storage_of

aten = torch.ops.aten

# Copies that are their operands in a functional graph.
_COPIES = (aten.clone.default, aten.alias.default, aten.lift_fresh_copy.default,
           aten.contiguous.default, aten.lift_fresh.default)


@dataclasses.dataclass
class Lowered:
    """A functional graph with one placeholder for each of dynamo's, in their order.

    Its outputs are those of dynamo's graph, behind the new values of `mutated`:
    placeholders, by their positions. `same` maps symbols of sizes to equal ones. Behind
    dynamo's placeholders are those of `parameters`, each a name in a dict of a module.
    `readers` are `liveness.readers` where there are gradients. `memory` has a number for each
    output, by position, that is in the memory of no input: equal ones share it."""

    module: torch.fx.GraphModule
    mutated: list
    same: dict
    autocast: bool
    parameters: list
    readers: tuple = None
    memory: dict = dataclasses.field(default_factory=dict)

    def fed(self, module):
        """A module on all placeholders, as one on dynamo's."""
        return _Fed(module, self.parameters).forward if self.parameters else module.forward


class _Fed:
    """A module that is called with parameters as they are at the call behind what it is
    given."""

    def __init__(self, module, places):
        self._run, self._places = module.forward, places
        self.is_of_programs = getattr(module, "is_of_programs", False)

    def forward(self, *args):
        return self._run(*args, *[own[name] for own, name in self._places])


class _Runs(torch.nn.Module):
    """A graph, run node by node: what is traced keeps the places in the user's code."""

    def __init__(self, graph_module):
        super().__init__()
        self._graph = [graph_module]
        self._autocast = is_autocast(graph_module)
        fakes = torch.fx.node.map_arg(graph_module.graph.output_node().args[0],
                                      lambda node: node.meta.get("example_value"))
        self._outputs = fakes if isinstance(fakes, (list, tuple)) else [fakes]

    def forward(self, *args):
        made = Inlined(self._graph[0]).run(*(exact(args) if self._autocast else args))
        made = tuple(made) if isinstance(made, (list, tuple)) else (made,)
        return like(made, self._outputs) if self._autocast else made


def lower(graph_module):
    """The `Lowered` of dynamo's graph. Runs under dynamo's fakes, within a backend."""
    inputs = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    fakes = [node.meta["example_value"] for node in inputs]
    runs = _Runs(graph_module)
    with traceback.preserve_node_meta():
        module, mutated = exporting.export(runs, fakes)
    graph = module.graph
    parameters = templates.expand(module, hetero)
    for node, given, fake in zip(list(graph.nodes), inputs, fakes):
        node.meta["written"] = name_of_input(given)
        node.meta["requires_grad"] = torch.is_grad_enabled() and isinstance(
            fake, torch.Tensor) and fake.requires_grad
        node.meta["is_weight"] = isinstance(fake, torch.nn.Parameter)
    wanting = {node for node in graph.nodes if node.meta.get("requires_grad")}
    for node in list(graph.nodes):
        if node.target == aten.detach.default:
            if node.args[0] not in wanting:
                node.replace_all_uses_with(node.args[0])
        elif not wanting.isdisjoint(node.all_input_nodes):
            wanting.add(node)
        if node.target == aten._assert_scalar.default:
            graph.erase_node(node)
        elif node.target in _COPIES and not node.kwargs.get("memory_format"):
            node.replace_all_uses_with(node.args[0])
    for node in list(graph.nodes):
        _without_like(node)
        _as_joined(node)
        _of_tensors(node)
    known_sizes.rewrite(graph)
    assignments.rewrite(graph)
    merged_rows.rewrite(graph)
    same = _merge_equal(graph)
    composed.rewrite(graph)
    graph.eliminate_dead_code()
    module.recompile()
    return Lowered(module, mutated, same, is_autocast(graph_module), parameters,
                   memory=_memory(graph_module.graph, len(mutated)))


def _memory(graph, first):
    """`Lowered.memory` of dynamo's graph, whose outputs are those from `first` on. In a lowered
    graph copies are what they copy, and equal results are one."""
    outputs = graph.output_node().args[0]
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    given = {storage_of(node) for node in graph.nodes if node.op in ("placeholder", "get_attr")}
    places = ((first + i, storage_of(x)) for i, x in enumerate(outputs))
    return {place: one for place, one in places if one is not None and one not in given}


_ARITHMETIC = (aten.add.Tensor, aten.sub.Tensor, aten.mul.Tensor, aten.div.Tensor)
_LIKE = {aten.new_zeros.default: aten.zeros.default, aten.new_ones.default: aten.ones.default}


def _without_like(node):
    """A constant that is like a tensor in nothing but dtype and device: of that dtype."""
    if node.target in _LIKE:
        made = node.meta["val"]
        node.target = _LIKE[node.target]
        node.args, node.kwargs = node.args[1:], {"dtype": made.dtype, "device": made.device}


_STACKS = {aten.hstack.default: 1, aten.column_stack.default: 1, aten.vstack.default: 0}


def _as_joined(node):
    """Matrices beside or behind each other, as `cat` has them."""
    if node.target in _STACKS and all(value_of(x).dim() == 2 for x in node.args[0]):
        node.args = node.args[0], _STACKS[node.target]
        node.target = aten.cat.default


def _of_tensors(node):
    """Arithmetic of a tensor and a size: of the tensor and one without dimensions."""
    value = node.meta.get("val")
    if node.target not in _ARITHMETIC or not value.is_floating_point():
        return
    for place, x in enumerate(node.args[:2]):
        if isinstance(x, torch.fx.Node) and isinstance(x.meta["val"],
                                                       (torch.SymInt, torch.SymFloat)):
            with node.graph.inserting_before(node):
                made = node.graph.call_function(aten.scalar_tensor.default, (x,), {
                    "dtype": value.dtype, "device": value.device})
            made.meta = node.meta | {"val": value.new_empty(())}
            node.update_arg(place, made)


def _merge_equal(graph):
    """Replaces nodes by equal ones before them. Those of data-dependent sizes have sizes
    of their own: gives the symbols of the later ones, each with that of the first."""
    seen, same = {}, {}

    def key(value):
        if isinstance(value, (list, tuple)):
            return (type(value), *map(key, value))
        if isinstance(value, dict):
            return tuple((name, key(one)) for name, one in sorted(value.items()))
        if isinstance(value, torch.SymInt):
            return str(value.node.expr)
        return type(value), str(value) if isinstance(value, float) else value  # 0.0 is not -0.0.

    for node in list(graph.nodes):
        if node.op != "call_function" or is_random(node):
            continue
        found = node.target, key(node.args), key(node.kwargs)
        try:
            first = seen.setdefault(found, node)
        except TypeError:
            continue  # An argument that is not hashable.
        if first is not node:
            _match(node.meta.get("val"), first.meta.get("val"), same)
            node.replace_all_uses_with(first)
            graph.erase_node(node)
    return same


def _match(later, first, same):
    if isinstance(later, torch.SymInt):
        expr, kept = symbols_of(later), symbols_of(first)
        if expr != kept and expr is not None and expr.is_Symbol:
            same[expr] = kept
    elif isinstance(later, torch.Tensor):
        for a, b in zip(later.shape, first.shape):
            _match(a, b, same)
    elif isinstance(later, (list, tuple)):
        for a, b in zip(later, first):
            _match(a, b, same)
