# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A `torch.autograd.Function` within a model: one op of torch, with the model's gradient.

Programs have the gradients of their ops. So what has a gradient of its own splits the
model: torch runs its forward and its backward between two programs.
"""

import torch
from torch._ops import HigherOrderOperator
from torch.fx.experimental import proxy_tensor
from torch.utils import _pytree as pytree

from ..tracing import exporting

APPLY = torch.ops.higher_order.autograd_function_apply


class Function:
    """The target of a node of a lowered graph: dynamo's forward and backward of one
    Function."""

    namespace = "torch.autograd"
    __name__ = "torch.autograd.Function"

    def __init__(self, forward, backward, options):
        self._bodies, self._options = (forward, backward), options

    def __call__(self, *args):
        return APPLY(*self._bodies, *args, **self._options)

    def outputs(self, *args):
        """The results on fake tensors."""
        with torch.no_grad():
            return pytree.tree_map_only(torch.Tensor, torch.Tensor.detach, self(*args))


class _Traced(HigherOrderOperator):
    """Stands for a call of a `Function` while it is traced."""

    def __init__(self):
        super().__init__("gnn_mlir_autograd_function")

    def __call__(self, function, *args):
        return super().__call__(function, *args)


_traced = _Traced()


def writes(node):
    """Whether what a node applies says that it writes to what it is given."""
    return bool(node.kwargs.get("dirty_idx"))


def traced(forward, backward, *args, **options):
    """The results of what dynamo makes of a Function."""
    return _traced(Function(forward, backward, options), *args)


@_traced.py_impl(proxy_tensor.ProxyTorchDispatchMode)
def _record(mode, function, *args):
    proxies = pytree.tree_map(mode.tracer.unwrap_proxy, args)
    made = mode.tracer.create_proxy("call_function", function, proxies, {})
    return proxy_tensor.track_tensor_tree(function.outputs(*args), made, constant=None,
                                          tracer=mode.tracer)


@_traced.py_impl(exporting.Plain)
def _plain(_, function, *args):
    return _traced(function, *args)


@_traced.py_functionalize_impl
def _functional(context, function, *args):
    given = context.unwrap_tensors(args)
    with context.redispatch_to_next():
        return context.wrap_tensors(_traced(function, *given))


@_traced.py_autograd_impl
def _below_autograd(function, *args):
    with torch._C._AutoDispatchBelowAutograd():
        return _traced(function, *args)


@_traced.py_impl(torch._subclasses.FakeTensorMode)
def _fake(mode, function, *args):
    """In the first of export's two runs, which records nothing."""
    with mode:
        return function.outputs(*args)
