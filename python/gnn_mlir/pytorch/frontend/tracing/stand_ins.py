# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stand-ins of sparse tensors as dynamo takes them: tensors of torch, where a model asks for
their type. Their code is traced as that of any object."""

import functools

import torch
from torch._dynamo.exc import Unsupported
from torch._dynamo.source import TypeSource
from torch._dynamo.variables import ConstantVariable, VariableTracker, builtin, torch as traced
from torch._dynamo.variables.builder import VariableBuilder
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable

from .adjacency import Refused, StandIn
from .matrix import Matrix, RowSums

_KINDS = (Matrix, RowSums)
_like = torch.empty(0, 0)


def _is_one(variable, kinds=_KINDS):
    variable = variable.realize()
    return isinstance(variable, UserDefinedObjectVariable) and issubclass(
        variable.value_type, kinds)


def _refusing(cls, name, is_on):
    """Has functions that dynamo cannot trace of stand-ins refuse them: it would break the graph
    and call them."""
    own = cls.call_function

    def call_function(self, tx, args, kwargs):
        try:
            return own(self, tx, args, kwargs)
        except Unsupported as error:
            if is_on() and any(_is_one(x, StandIn) for x in (*args, *kwargs.values())):
                raise Refused(getattr(name(self), "__name__", "another op")) from error
            raise
    cls.call_function = call_function


@functools.cache
def install(is_on):
    """Makes dynamo answer `isinstance`, `type` and `torch.is_tensor` so, while it traces for the
    front end."""
    _refusing(builtin.BuiltinVariable, lambda self: self.fn, is_on)
    _refusing(traced.TorchInGraphFunctionVariable, lambda self: self.value, is_on)
    own = builtin.BuiltinVariable
    own_isinstance, own_type, own_wrap = own.call_isinstance, own.call_type, VariableBuilder._wrap

    def call_isinstance(self, tx, x, kinds):
        made = own_isinstance(self, tx, x, kinds)
        if not is_on() or not _is_one(x) or made.as_python_constant():
            return made
        return ConstantVariable.create(isinstance(_like, kinds.as_python_constant()))

    def call_type(self, tx, x):
        return (VariableTracker.build(tx, torch.Tensor) if is_on() and _is_one(x) else
                own_type(self, tx, x))

    def wrap(self, value):
        return (self.wrap_user_defined(value) if type(value) in _KINDS else
                own_wrap(self, value))

    def var_getattr(self, tx, name):
        """The class that methods are of, guarded as `type` has it."""
        if name == "__class__" and self.value_type in _KINDS:
            return VariableTracker.build(tx, self.value_type,
                                         self.source and TypeSource(self.source))
        return own_getattr(self, tx, name)
    own_getattr, UserDefinedObjectVariable.var_getattr = (
        UserDefinedObjectVariable.var_getattr, var_getattr)
    own.call_isinstance, own.call_type, VariableBuilder._wrap = call_isinstance, call_type, wrap
    own.call_function_handler_cache.clear()
    handlers = traced.TorchInGraphFunctionVariable._get_handlers()
    own_handler = handlers[torch.is_tensor]

    def is_tensor(self, tx, x):
        return (ConstantVariable.create(True) if is_on() and _is_one(x) else
                own_handler(self, tx, x))
    handlers[torch.is_tensor] = is_tensor
