# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of a compiled module that is captured already, past torch's wrappers.

The decision is dynamo's own: a call runs the code that dynamo made where dynamo's cache
has it and its guards hold, all of them, checked as dynamo checks them. The parts that
are left out surround that: the interception of frames, settings that only a capture
reads, and a wrapper around each size that the code asks for. Any other call is
dynamo's. """

import dis
import functools
import inspect
import types

import torch
from torch._dynamo import convert_frame, eval_frame, utils
from torch.fx import _symbolic_trace

from .. import torch_internals
from ..tracing import hetero, intercept
from . import hooks
from .frames import fresh

_has_any_global_hook = torch.nn.modules.module._has_any_global_hook
_dynamo, _Module = torch._C._dynamo.eval_frame, torch.nn.Module
_UTILS = "__import_torch_dot__dynamo_dot_utils"
_VERSIONS = 8  # Sets of hooks that have captures of their own.


def install(made, model, compiled, refuse):
    """Gives what dynamo made of a module a forward that finds what was captured. `compiled` makes
    what dynamo runs of a function and of what it is in eager. Lazy modules, which their first
    call changes, are calls of the module alone, with all that torch does there."""
    own, function = type(model).forward, made.forward._torchdynamo_orig_callable
    is_inner = isinstance(function, types.FunctionType)  # torch's, around torch's own modules.
    made.forward = whole = compiled(fresh(function) if is_inner else function, model, is_inner)
    if hasattr(model, "_initialize_hook") or not isinstance(own, types.FunctionType) or (
            not torch_internals.has_fast_calls()):
        return
    known, found, versions = hetero.Known(model), hooks.Hooks(model), []
    intercepting = _dynamo.get_eval_frame_callback

    def version():
        """The captures of the model with the hooks that it has now."""
        hooked = found.settle()
        for kept in versions:
            if kept[0] == hooked:
                return kept[1:]
        if len(versions) == _VERSIONS:  # As those of hooks that are new in each call.
            return None, None
        copy = fresh(own)
        versions.append((hooked, _Captured(model, copy), compiled(
            copy, own, is_fresh=True, hooks_are_known=True)))
        return versions[-1][1:]
    now = version()

    def capture(function, *args, **kwargs):
        if _symbolic_trace.is_fx_symbolic_tracing():  # Then torch refuses all threads.
            with convert_frame.compile_lock:
                pass  # A trace in another thread has it.
        return function(*args, **kwargs)

    @functools.wraps(whole)
    def forward(*args, **kwargs):
        nonlocal now
        if known.used:
            known.settle()
        if found.have_changed():
            now = version()
        captured, alone = now
        if captured is None:
            refuse(f"hooks within the model that were others in {_VERSIONS} captures already")
        if not captured.is_plain():
            return capture(whole, *args, **kwargs)
        if intercepting() is not None:
            return capture(alone, model, *args, **kwargs)
        run = captured.find(args, kwargs)
        if run is not None:
            return run(model, *args, **kwargs)
        given = known.capturing(capture, alone, model, *args, **kwargs)
        captured.learn()
        return given
    eval_frame.skip_code(capture.__code__)
    eval_frame.skip_code(forward.__code__)
    made.forward = forward


class _Captured:
    """The captures of a module's forward, by a copy of it with code of its own."""

    def __init__(self, model, copy):
        self._model, self._class, self._forward = model, type(model), type(model).forward
        self._code, self._captured = self._forward.__code__, copy.__code__
        code = self._code
        self._defaults, self._named_defaults = (self._forward.__defaults__,
                                                self._forward.__kwdefaults__)
        # (check, function) by the guards that dynamo has; None where dynamo's own way is
        # the only one. The entry of the last call is asked first, as dynamo does
        # it.
        self._known, self._last = {}, None
        count, names = code.co_argcount, code.co_varnames
        self._positional, self._rest = names[:count], None
        self._fixed = dict(zip(names[count - len(self._defaults or ()):], self._defaults or ()))
        self._named = {*names[:count + code.co_kwonlyargcount]}
        self._takes_more = code.co_flags & inspect.CO_VARKEYWORDS
        if code.co_flags & inspect.CO_VARARGS:
            self._rest = names[len(self._named)]
        self._cells = list(zip(code.co_freevars, self._forward.__closure__ or ()))
        self._count = len(self._named) + len(self._cells) + (self._rest is not None)
        self._is_simple = not (self._takes_more or self._cells or code.co_kwonlyargcount)

    def is_plain(self):
        """Whether a call of the module is one of the forward that was captured, with
        nothing else that torch does where modules are called."""
        model, cls, stance = self._model, self._class, eval_frame._stance
        own, forward = model.__dict__, self._forward
        return (type(model) is cls and cls.forward is forward and
                forward.__code__ is self._code and forward.__defaults__ is self._defaults and
                forward.__kwdefaults__ is self._named_defaults and
                cls.__call__ is _Module.__call__ and cls._call_impl is _Module._call_impl and
                "forward" not in own and model._compiled_call_impl is None and
                not (own["_forward_hooks"] or own["_forward_pre_hooks"] or
                     own["_backward_hooks"] or own["_backward_pre_hooks"] or
                     _has_any_global_hook()) and
                stance.stance == "default" and stance.backend is None)

    def find(self, args, kwargs):
        """The function that makes a call as the forward does; None where dynamo has none
        for it."""
        found = self._bind(args, kwargs) if self._known else None
        if found is None:
            return None
        switch, last = intercept.switch, self._last
        before, switch.on = switch.on, True
        try:
            # Guards whose entry dynamo has thrown away have none.
            if last is not None and last[0].cache_entry is not None and last[1](found):
                return last[2]
            for entry in _dynamo._debug_get_cache_entry_list(self._captured):
                check, run = self._known.get(entry.guard_manager, (None, None))
                if check is not None and check(found):
                    self._last = entry.guard_manager, check, run
                    return run
        finally:
            switch.on = before
        return None

    def _bind(self, args, kwargs):
        """The locals of a call by name, as guards ask for them; None where the call is
        none of the forward, or of more names than it has."""
        given = (self._model, *args)
        if self._is_simple and not kwargs and len(given) >= len(self._positional):
            found = dict(zip(self._positional, given))
            if self._rest is not None:
                found[self._rest] = given[len(self._positional):]
            return found if self._rest is not None or len(given) == len(found) else None
        found = self._fixed | dict(zip(self._positional, given))
        rest = given[len(self._positional):]
        if self._takes_more or rest and self._rest is None:
            return None
        if self._rest is not None:
            found[self._rest] = rest
        if self._named_defaults:
            found |= self._named_defaults
        if kwargs:
            if not kwargs.keys() <= self._named or not kwargs.keys().isdisjoint(
                    self._positional[:len(given)]):
                return None
            found |= kwargs
        for name, cell in self._cells:
            found[name] = cell.cell_contents
        return found if len(found) == self._count else None

    def learn(self):
        """Notes what dynamo has now."""
        known = {}
        for entry in _dynamo._debug_get_cache_entry_list(self._captured):
            guards = getattr(entry, "guard_manager", None)
            if guards in self._known:
                known[guards] = self._known[guards]
            elif not hasattr(getattr(guards, "root", None), "check") or not hasattr(
                    entry, "code") or not hasattr(guards, "cache_entry"):
                continue  # As another torch may have it: calls stay dynamo's.
            else:
                run = _runner(entry.code, self._forward)
                known[guards] = run and guards.root.check, run
        self._known, self._last = known, None


class _Utils:
    """torch._dynamo.utils as dynamo's code reads it, without what keeps dynamo from
    tracing it."""

    call_size, call_stride, call_storage_offset = map(
        staticmethod, (torch.Tensor.size, torch.Tensor.stride, torch.Tensor.storage_offset))

    def __getattr__(self, name):
        return getattr(utils, name)

    @staticmethod
    def record_pregraph_bytecode_enter():
        """Stands for dynamo's mark for profilers, and does nothing."""

    @staticmethod
    def record_pregraph_bytecode_exit(mark):
        """The same."""


class _Names(dict):
    """Names of a module in place of the same of another, which has all others as they are
    when they are read."""

    def __init__(self, others):
        super().__init__()
        self._others = others

    def __missing__(self, name):
        return self._others[name]


def _runner(code, forward):
    """The function of dynamo's code for a forward, with one graph, which is ours; else
    None: code with a break needs dynamo for what follows it."""
    read, written = set(), set()
    for step in dis.get_instructions(code):
        if step.opname.endswith("_GLOBAL"):
            (read if step.opname == "LOAD_GLOBAL" else written).add(step.argval)
    graphs = [name for name in read if name.startswith("__compiled_fn")]
    if written or len(graphs) != 1 or code.co_freevars != forward.__code__.co_freevars or any(
            name.startswith("__resume") for name in read) or any(
            isinstance(one, types.CodeType) and one.co_name.startswith("torch_dynamo_resume")
            for one in code.co_consts):
        return None
    graph = getattr(forward.__globals__[graphs[0]], "_torchdynamo_orig_callable", None)
    if not getattr(getattr(graph, "__self__", None), "is_of_programs", False):
        return None
    names = _Names(forward.__globals__)
    names.update({_UTILS: _Utils(), graphs[0]: graph, "__builtins__": names["__builtins__"]})
    run = types.FunctionType(code, names, forward.__name__, forward.__defaults__,
                             forward.__closure__)
    run.__kwdefaults__ = forward.__kwdefaults__
    return run
