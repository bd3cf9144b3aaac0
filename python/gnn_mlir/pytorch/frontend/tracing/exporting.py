# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of functional ATen of what runs on fake tensors, before autograd and dispatch.

torch's export runs a model twice, for what it writes to and for the graph. It is run once
here: ops that are their decomposition are decomposed as torch's export does it, and there is
nothing to make functional where nothing is written, as in most models.
"""

import contextlib
import functools

import torch
from torch._decomp import _should_decompose_because_unsafe_op
from torch._dispatch.python import enable_python_dispatcher
from torch._functorch._aot_autograd import functional_utils
from torch._subclasses import functional_tensor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils import _pytree as pytree

from .... import targets




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
    """(graph, positions of inputs whose new values are its first outputs). Raises
    SharedMemory where one of these shares its memory with another input."""
    mode = next((x.fake_mode for x in fakes if isinstance(x, torch.Tensor)), None)
    written = []
    if mode is None:
        return _trace(_functional(runs, written), fakes), written
    with mode:
        try:
            with Plain():
                module = _trace(runs, fakes)
        except _Writes:
            module = _trace(_functional(runs, written), fakes)
    memory = [StorageWeakRef(x.untyped_storage()) for x in fakes if isinstance(x, torch.Tensor)]
    if any(memory.count(StorageWeakRef(fakes[i].untyped_storage())) > 1 for i in written):
        raise SharedMemory
    for node in module.graph.nodes:
        if isinstance(node.meta.get("val"), torch.Tensor):
            node.meta["val"] = _with_numbers(node.meta["val"], mode)
    return module, written


def _with_numbers(value, mode):
    """A tensor of the mode, as constants are not, whose sizes are numbers where symbols were
    found to be."""
    def is_number(size):
        return isinstance(size, torch.SymInt) and size.node.expr.is_number
    given = value.shape, value.stride()
    is_other = getattr(value, "fake_mode", mode) is not mode
    if not is_other and not any(map(is_number, (*given[0], *given[1]))):
        return value
    shape, strides = (tuple(int(size) if is_number(size) else size for size in sizes)
                      for sizes in given)
    with mode:
        return torch.empty_strided(shape, strides, dtype=value.dtype, device=value.device)


def _trace(runs, fakes):
    with enable_python_dispatcher():
        return make_fx(runs, record_module_stack=True, pre_dispatch=True)(*fakes)


def _functional(runs, written):
    """The same of what writes, of which torch makes functional ops. `written` gets the
    positions of inputs whose new values are the first outputs."""
    def functional(*given):
        with functional_tensor.FunctionalTensorMode(pre_dispatch=True, export=True):
            held = [functional_utils.to_fun(x) for x in given]
            made = pytree.tree_map(functional_utils.from_fun, runs(*held))
            written.extend(i for i, x in enumerate(held) if isinstance(
                x, torch.Tensor) and functional_utils.has_data_mutation(x))
            return (*(functional_utils.from_fun(held[i]) for i in written),
                    *pytree.tree_leaves(made))
    return functional


class SharedMemory(Exception):
    """An input that is written to shares its memory with another one."""


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
