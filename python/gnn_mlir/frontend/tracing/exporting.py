# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of functional ATen of what runs on fake tensors, before autograd and dispatch.

torch's export runs a model twice, for what it writes to and for the graph. What writes to
nothing, as most models, is run once here: ops that are their decomposition are decomposed
as torch's export does it, and there is nothing to make functional.
"""

import contextlib
import functools
import warnings

import torch
from torch._decomp import _should_decompose_because_unsafe_op
from torch._dispatch.python import enable_python_dispatcher
from torch._functorch.aot_autograd import aot_export_module
from torch._subclasses import functional_tensor
from torch.fx.experimental.proxy_tensor import make_fx

from ... import targets




@contextlib.contextmanager
def without_autocast():
    """Turns autocast off for all devices that programs run on."""
    with contextlib.ExitStack() as stack:
        for device in targets.OF_TORCH:
            stack.enter_context(torch.autocast(device, enabled=False))
        yield


@without_autocast()
@torch.no_grad()
def export(runs, fakes):
    """(graph, positions of inputs whose new values are its first outputs)."""
    mode = next((x.fake_mode for x in fakes if isinstance(x, torch.Tensor)), None)
    if mode is None:
        return _functional(runs, fakes)
    try:
        with mode, enable_python_dispatcher(), Plain():
            module = make_fx(runs, record_module_stack=True, pre_dispatch=True)(*fakes)
    except _Writes:
        return _functional(runs, fakes)
    for node in module.graph.nodes:
        if isinstance(node.meta.get("val"), torch.Tensor):
            node.meta["val"] = _with_numbers(node.meta["val"], mode)
    return module, []


def _with_numbers(value, mode):
    """A tensor whose sizes are numbers where symbols were found to be."""
    def is_number(size):
        return isinstance(size, torch.SymInt) and size.node.expr.is_number
    given = value.shape, value.stride()
    if not any(map(is_number, (*given[0], *given[1]))):
        return value
    shape, strides = (tuple(int(size) if is_number(size) else size for size in sizes)
                      for sizes in given)
    with mode:
        return torch.empty_strided(shape, strides, dtype=value.dtype, device=value.device)


def _functional(runs, fakes):
    with warnings.catch_warnings():  # Ops of ours that are their decomposition are kept.
        warnings.filterwarnings("ignore", "At pre-dispatch tracing", UserWarning)
        module, signature = aot_export_module(runs, fakes, trace_joint=False,
                                              pre_dispatch=True)
    _without_tokens(module.graph, len(signature.input_tokens))
    places = {node.name: i for i, node in enumerate(
        node for node in module.graph.nodes if node.op == "placeholder")}
    return module, [places[name] for name in signature.user_inputs_to_mutate.values()]


def _without_tokens(graph, count):
    """Drops the first inputs and outputs, which torch adds to order ops with effects, as the
    checks of torch.linalg are: none of these is in the graph."""
    output = graph.output_node()
    output.args = (output.args[0][count:],)
    for node in [node for node in graph.nodes if node.op == "placeholder"][:count]:
        graph.erase_node(node)


class _Writes(Exception):
    """An op writes to a tensor."""


class Plain(functional_tensor.FunctionalTensorMode):
    """Decomposes what torch's export does; raises _Writes at ops that write."""

    def __init__(self):
        super().__init__(pre_dispatch=True, export=True)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if _is_decomposed(func):
            with self:
                made = func.decompose(*args, **kwargs)
            if made is not NotImplemented:
                return made
        if _writes(func):
            raise _Writes(func)
        return func(*args, **kwargs)


@functools.lru_cache(maxsize=None)
def _is_decomposed(func):
    """As torch's export before dispatch does: ops whose results may be views or that write."""
    if func in functional_tensor.FunctionalTensor.metadata_fns or func.namespace == "gnn_mlir" or (
            func is torch.ops.aten.dropout.default):
        return False
    return (_should_decompose_because_unsafe_op(func) or func._schema.is_mutable or any(
        argument.alias_info for argument in func._schema.arguments)) and (
            torch._C._dispatch_has_kernel(func.name()))


@functools.lru_cache(maxsize=None)
def _writes(func):
    """Whether an op may write to its operands; norms write to running statistics, which
    their schemas do not say."""
    return isinstance(func, torch._ops.OpOverload) and (
        func._schema.is_mutable or "_norm" in func._schema.name and
        any("running" in argument.name for argument in func._schema.arguments))
