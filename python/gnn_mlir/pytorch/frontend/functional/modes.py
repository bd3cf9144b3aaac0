# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modes of torch in a captured graph: regions without gradients, autocast, checkpoints.

Programs compute in float32. Under autocast the whole graph is traced without it, and its
outputs get the dtypes that torch would give them. A region without gradients is what it
computes, detached where the rest reads it. A checkpoint is its body: what a program saves
for its gradients is its own choice.
"""

import warnings

import torch
import torch.nn.functional as F
from torch._dynamo.guards import GuardBuilder
from torch._dynamo.source import GlobalStateSource
from torch._ops import HigherOrderOperator
from torch.autograd import forward_ad
from torch.utils import _pytree as pytree

from .... import targets
from ..tracing import vocabulary
from . import own_gradients

# Ops that call graphs within a graph: those that are known here.
_CHECKPOINTS = (torch.ops.higher_order.tag_activation_checkpoint,)
_AUTOCAST = (torch.amp.autocast_mode._enter_autocast, torch.amp.autocast_mode._exit_autocast)
_GRAD_MODES = (torch._C._set_grad_enabled, torch.autograd.grad_mode._enter_inference_mode,
               torch.autograd.grad_mode._exit_inference_mode)
_SHORT = (torch.float16, torch.bfloat16)
# Where the functions are that transforms are in dynamo's graphs.
_TRANSFORMS = ("torch._C._functorch", "torch._functorch.predispatch",
               "torch._functorch.eager_transforms", "torch._functorch.vmap")


class Inlined(torch.fx.Interpreter):
    """Runs a graph of dynamo without its modes."""

    def __init__(self, graph_module, enabled=True):
        super().__init__(graph_module)
        self._enabled, self._constant = enabled, set()

    def run_node(self, node):
        if node.op == "output":
            self._detach()
        made = super().run_node(node)
        if not self._enabled:
            self._constant.update((node, _written(node)) if _written(node) else (node,))
        return made

    def _detach(self):
        """A value computed without gradients is constant for what follows."""
        for node in self._constant & set(self.env):
            self.env[node] = pytree.tree_map_only(torch.Tensor, torch.Tensor.detach,
                                                  self.env[node])
        self._constant.clear()

    def call_function(self, target, args, kwargs):
        if target in _GRAD_MODES:
            before = self._enabled
            self._enabled = _is_enabled(target, args[0], before)
            if self._enabled:
                self._detach()
            return before
        if _is_data(target):
            return args[0].detach()
        if target in _AUTOCAST:
            return None
        if target in _CHECKPOINTS:
            return Inlined(args[0], self._enabled).run(*args[1:])
        if target is own_gradients.APPLY:
            return own_gradients.traced(*args, **kwargs)
        return super().call_function(target, args, kwargs)


def _is_enabled(target, argument, before):
    """Whether there are gradients after a node; what enters a mode gives what was before."""
    if target is torch.autograd.grad_mode._enter_inference_mode:
        return before and not argument
    return argument


def _is_data(target):
    """Whether a function gives the `.data` of a tensor."""
    return getattr(target, "__name__", "") == "_get_data_attr"


def _written(node):
    """The node of the tensor that an op in place writes to, else None."""
    def is_written(node):
        name = node.target if isinstance(node.target, str) else getattr(
            node.target, "__name__", "")
        return node.op in ("call_method", "call_function") and (
            name.endswith("_") and not name.endswith("__") or name in _IN_PLACE)
    if not is_written(node):
        return None
    while isinstance(node, torch.fx.Node) and is_written(node):
        node = node.args[0]
        if isinstance(node, (list, tuple)):  # Lists of torch._foreach_add_ and its like.
            node = next((x for x in node if isinstance(x, torch.fx.Node)), None)
    return node if isinstance(node, torch.fx.Node) else None


_IN_PLACE = ("setitem", "iadd", "isub", "imul", "itruediv", "ipow")


def guard_tangents():
    """Has dynamo compare the level of forward-mode derivatives at calls of what it
    captures now: by itself it does so only for models that enter one."""
    tracing = torch._guards.TracingContext.try_get()
    if tracing is not None:
        tracing.guards_context.dynamo_guards.add(
            GlobalStateSource().make_guard(GuardBuilder.DUAL_LEVEL))


def is_transformed(graph_module):
    """Whether a graph differentiates or maps what it computes, by torch.func or
    torch.autograd.forward_ad, or tensors may have tangents around it."""
    return forward_ad._current_level >= 0 or any(
        getattr(node.target, "__module__", None) in _TRANSFORMS
        for node in _nodes(graph_module))


def refused(graph_module):
    """Why a graph is torch's, or None: most are those whose gradients would be others."""
    if is_transformed(graph_module):
        return ("torch.func or torch.autograd.forward_ad: expected a model without transforms, "
                "outside of dual_level(), since programs have no rules for them")
    begin = enabled = torch.is_grad_enabled()
    behind, before = set(), {}  # Memory of what is detached, and modes.
    for node in _nodes(graph_module):
        if isinstance(node.target, HigherOrderOperator) and node.target not in (
                *_CHECKPOINTS, own_gradients.APPLY):
            return (f"{node.target.name()}: expected ops on tensors, got one that calls "
                    "functions on them")
        if node.target is own_gradients.APPLY and own_gradients.writes(node):
            return "a torch.autograd.Function that writes to its operands: expected results"
        if node.target in _GRAD_MODES:
            before[node] = enabled
            enabled = _is_enabled(node.target, before.get(node.args[0], node.args[0]), enabled)
            if enabled and not begin:
                return ("torch.enable_grad() within a model that is called without "
                        "gradients: expected torch.no_grad() around what needs none")
        if begin and _renormalizes(node):
            return "an embedding with max_norm: expected a weight that is not written to"
        if _is_detached(node):
            behind.add(storage_of(node))
        written = _written(node)
        if written is None:
            continue
        if begin and storage_of(written) in behind - {None}:
            return ("a tensor with gradients that is written to by way of .data or detach(): "
                    "expected a copy")
        if written.op == "get_attr":
            return "a tensor that is no input is written to, as by an optimizer"
        if begin and not enabled and _has_gradient(written):
            return ("a tensor with gradients that is written to under torch.no_grad(): "
                    "expected one without")
    return None


def storage_of(node):
    """The key of the memory of a tensor of dynamo's graph, or None."""
    value = node.meta.get("example_value") if isinstance(node, torch.fx.Node) else None
    if isinstance(value, torch.Tensor) and value.layout == torch.strided:
        return value.untyped_storage()._cdata
    return None


def _is_detached(node):
    """Whether a node is a tensor with a gradient, but without it."""
    return (_is_data(node.target) or node.target in ("detach", torch.detach)) and (
        any(map(_has_gradient, node.all_input_nodes)))


def _has_gradient(node):
    return getattr(node.meta.get("example_value"), "requires_grad", False)


def _renormalizes(node):
    """Whether an embedding writes to its weight, which has a gradient."""
    if node.target not in (F.embedding, F.embedding_bag):
        return False
    weight, norm = (node.args[place] if place < len(node.args) else node.kwargs.get(name)
                    for place, name in ((1, "weight"), (3, "max_norm")))
    return norm is not None and _has_gradient(weight)


def in_torch(graph_module):
    """The function that runs a refused graph. Transforms need the ops of torch that ours
    are made of."""
    for module in _graphs(graph_module):
        _widen(module)
    if is_transformed(graph_module):
        for module in _graphs(graph_module):
            for node in module.graph.nodes:
                if not node.kwargs:
                    node.target = vocabulary.direct(getattr(node.target, "default",
                                                            node.target))
            module.recompile()
    return graph_module.forward


def _widen(module):
    """Gives ops of torch that need them ids of int64."""
    for node in list(module.graph.nodes):
        name = node.target if isinstance(node.target, str) else getattr(
            node.target, "__name__", "")
        index = vocabulary.index_of_scatter(name, node.args, node.kwargs)
        if index is not None:
            with module.graph.inserting_before(node):
                made = module.graph.call_method("long", (index,))
            node.args = tuple(made if one is index else one for one in node.args)
            node.kwargs = {key: made if one is index else one for key, one in node.kwargs.items()}
            module.recompile()


def _graphs(graph_module):
    """A graph and those within it."""
    return [module for module in graph_module.modules()
            if isinstance(module, torch.fx.GraphModule)]


def _nodes(graph_module):
    """The nodes of a graph and of those within it."""
    return (node for module in _graphs(graph_module) for node in module.graph.nodes)


def is_autocast(graph_module):
    """Whether autocast is on around a graph or within it."""
    return any(map(torch.is_autocast_enabled, targets.OF_TORCH)) or any(
        node.target in _AUTOCAST for node in _nodes(graph_module))


def exact(inputs):
    """Inputs of 16 bits as float32."""
    return [x.float() if isinstance(x, torch.Tensor) and x.dtype in _SHORT else x
            for x in inputs]


def like(outputs, fakes):
    """Outputs in the dtypes of those that torch gives."""
    return tuple(x.to(fake.dtype) if isinstance(x, torch.Tensor) and isinstance(
        fake, torch.Tensor) and x.dtype != fake.dtype else x
        for x, fake in zip(outputs, fakes))


def other_dtype(raiser):
    """A dtype of rows that programs do not compute in, or None."""
    for node in raiser.graph.nodes:
        value = node.meta.get("val")
        if node.op == "call_function" and isinstance(value, torch.Tensor) and (
                value.dtype in (torch.float64, *_SHORT)) and (
                    raiser.row_dim(node) is not None) and (
                        node.target != torch.ops.aten._to_copy.default):
            return value.dtype
    return None


def left_to_torch(dtype):
    """Why a graph of another dtype is not raised."""
    return (f"expected features and weights of torch.float32, got {dtype}, in which no "
            "program computes")


def warn_of(dtype):
    """Says once that a graph runs in torch."""
    warnings.warn(f"{left_to_torch(dtype)}: the model runs in torch", stacklevel=2)
