# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code objects of a compiled model, and how dynamo marks them.

dynamo marks a code object for good where it cannot capture a call of it: a transform of torch.func
is around the call, an argument is wrong, or another torch.compile has met its limit. All
that share the code run in eager from then on, without a word. So the forward of a compiled
model has a code object of its own, which nothing else marks; marks of a call that fails or
captures nothing are undone; and such a call is told of.
"""

import functools
import logging
import os
import re
import threading
import time
import types

import torch
from torch._C._dynamo import eval_frame as codes
from torch._dynamo import convert_frame, eval_frame, exc, guards
from torch._dynamo.types import ConvertFrameReturn, FrameAction, FrameExecStrategy

from ..places import place_in, without_symbols
from ..raising.raiser import CaptureError
from ..report import innermost, log
from . import bad_input, progress

_DEFAULT = FrameExecStrategy(FrameAction.DEFAULT, FrameAction.DEFAULT)
_NOT_AGAIN = FrameExecStrategy(FrameAction.RUN_ONLY, FrameAction.DEFAULT)
_RUN_ONLY = FrameExecStrategy(FrameAction.RUN_ONLY, FrameAction.RUN_ONLY)
_SKIP = FrameExecStrategy(FrameAction.SKIP, FrameAction.SKIP)
# Files of ours that run programs, and those whose functions are parts of models.
_OWN = os.path.abspath(os.path.join(os.path.dirname(__file__), *[".."] * 3)) + os.sep
_TRACED = tuple(os.path.join(_OWN, "pytorch", "frontend", name) for name in ("dgl", "tracing"))
_SHARED = os.path.join(_OWN, "share") + os.sep  # Examples in a wheel, which are a user's code.
LIMIT = 32  # Captures of one function of a model, for each of the modules that have it.
# How torch begins to say, under fullgraph, that the model raises.
_RAISED = "Observed exception", "Assertion failed"
_ATTEMPTS = 8  # Traces of a model, or of a frame, that capture nothing before it is torch's.


def _is_own(file):
    """Whether a file is one of ours that runs programs. A path may lead out of the package."""
    return (file.startswith(_OWN) and not file.startswith(_TRACED) and
            (file := os.path.normpath(file)).startswith(_OWN) and not file.startswith(_SHARED))


def fresh(function):
    """A function, bound method or object that is called, with a code object of its own; None of
    what Python has no code of."""
    if not isinstance(function, types.FunctionType):
        owner, method = (function.__self__, function.__func__) if isinstance(
            function, types.MethodType) else (function, type(function).__call__)
        return types.MethodType(fresh(method), owner) if isinstance(
            method, types.FunctionType) else None
    code = function.__code__.replace()
    made = types.FunctionType(code, function.__globals__, function.__name__,
                              function.__defaults__, function.__closure__)
    functools.update_wrapper(made, function)
    made.__kwdefaults__ = function.__kwdefaults__
    del made.__wrapped__
    return made


def _unmark(code):
    codes.set_code_exec_strategy(code, _DEFAULT)


class RunsInEager(Exception):
    """A call that eager is to run, with what tells of it then; where that fails too, it fails with
    the error, if there is one."""

    def __init__(self, tell, error=None):
        super().__init__()
        self.tell, self.error = tell, error


class _Call:
    """The work of dynamo in a call of some arguments."""

    def __init__(self, *given):
        self.given = given
        self.skipped, self.captured = {}, False  # Code by id, as equal code is not the same.
        self.behind = {}  # Frames that eager runs behind a graph break, and why.
        self.began = self.bar = None  # When dynamo began to trace, and what is seen of it.
        self.error = self.why = None  # Why the model's own frame was not captured.
        self.fails_at_first = None  # The error of a trace that nothing has run before.


class _Callback(convert_frame.CatchErrorsWrapper):
    """dynamo's callback of a context, which `frames` watches."""

    def __call__(self, frame, *args):
        made = self.frames.known(frame)
        if made is None:
            made = super().__call__(frame, *args)
            self.frames.note(frame.f_code, made)
        return made


class _Convert(convert_frame.ConvertFrameAssert):
    """The tracing of a frame, which `frames` watches."""

    def __call__(self, frame, *args, **kwargs):
        call = self.frames.begin()
        try:
            with self.frames.numbers.in_frame():
                return super().__call__(frame, *args, **kwargs)
        except Exception as error:
            if call is None:
                raise
            if self.frames.numbers.are_to_blame(error):
                return self(frame, *args, **kwargs)
            call.error = error
            if self.frames.leaves(frame, call):
                return ConvertFrameReturn(apply_to_code=False)
            raise


class Frames:
    """The frames of a compiled model. `captures` is told of calls that capture nothing, which are
    errors with `fullgraph`; `numbers` says whether numbers of tensors are symbols."""

    def __init__(self, model, captures, fullgraph, numbers):
        self._model, self._captures, self._fullgraph = model, captures, fullgraph
        self.numbers = numbers
        # Code by id: of the model's own forward; other code that has captures of the model; and
        # what dynamo skips.
        self._own, self._shared, self._skipped = {}, {}, {}
        # By frame, its code and owner, which keep their ids, and how often dynamo failed.
        self._behind = {}
        # How often dynamo traced for nothing, and why it did the last time.
        self._calls, self._attempts, self._last = threading.local(), 0, None

    def compiled(self, context, function, eager, is_fresh):
        """Compiles a function by a context of dynamo, watched; `eager` is the same without
        dynamo. With `is_fresh` the function has code of its own, else it calls the model."""
        callback, self._backend = context.callback, innermost(context.callback)
        if type(callback) is convert_frame.CatchErrorsWrapper:
            callback.__class__, callback.frames = _Callback, self
            convert = callback._torchdynamo_orig_backend
            convert = getattr(convert, "_inner_convert", convert)
            if type(convert) is convert_frame.ConvertFrameAssert:
                convert.__class__, convert.frames = _Convert, self
        if is_fresh:
            self._own[id(function.__code__)] = function.__code__
        return self._watched(context(function), eager, not is_fresh)

    def _share(self):
        """Has dynamo trace the model's forward, which others have too, whatever it is marked
        with."""
        function = getattr(self._model, "forward", None)
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        if code is not None and not hasattr(function, "_torchdynamo_disable"):
            self._own[id(code)] = code
            _unmark(code)

    def _watched(self, function, eager, is_shared):
        disabled = "torch.compiler.disable around its forward" if hasattr(
            getattr(eager, "forward", eager), "_torchdynamo_disable") else None

        @functools.wraps(function)
        def watched(*args, **kwargs):
            why = _around() or disabled
            if why is not None:
                if self._fullgraph:
                    raise CaptureError(f"{self._captures.name}: {why}")
                raise RunsInEager(functools.partial(self._captures.miss, why))
            if getattr(getattr(eval_frame, "_stance", None), "stance", "") == "force_eager":
                self._captures.miss("torch.compiler.set_stance", logging.INFO)
            if is_shared:
                self._share()
            for code in tuple(self._shared.values()):
                _unmark(code)
            before = getattr(self._calls, "call", None)
            self._calls.call = call = _Call(args, kwargs)
            try:
                made = function(*args, **kwargs)
            except BaseException as error:
                self._end(call, False)
                self._failed(error, call, functools.partial(eager, *args, **kwargs))
                raise
            else:
                self._end(call, True)
                if call.why is not None and not call.captured:
                    self._miss(call)
                else:
                    for key, noted in call.behind.items():
                        self._leave(key, *noted)
                    self._skipped.update(call.skipped)
                    if call.captured:
                        self._attempts = 0
            finally:
                self._calls.call = before
            return made
        eval_frame.skip_code(watched.__code__)
        return watched

    def _failed(self, error, call, eager):
        """Raises for a call that failed: under fullgraph an exception of the model as it is; else
        `RunsInEager` where the model may catch what failed, or torch's tracing alone has it."""
        if self._fullgraph:
            if isinstance(error, exc.Unsupported) and str(error).startswith(_RAISED):
                eager()
            elif isinstance(error, exc.TorchRuntimeError):
                try:
                    eager()
                except Exception as own:
                    if bad_input.is_of_model(own):
                        raise
        elif error is call.fails_at_first:
            call.why = _said(error)
            raise RunsInEager(functools.partial(self._miss, call), error)

    def begin(self):
        """Notes that dynamo traces a frame; gives the call of this thread."""
        call = getattr(self._calls, "call", None)
        if call is not None:
            call.error = None
        if call is not None and call.began is None:
            call.began, call.bar = time.monotonic(), progress.Bar(self._captures.name)
            log.info("%s: a capture begins", self._captures.name)
            for code in _code_of_methods(self._model):
                _unmark(code)
        return call

    def leaves(self, frame, call):
        """Whether eager runs a frame that torch fails to trace, as the call cannot begin anew:
        parts of it have run. Not on a stand-in of a sparse matrix, which is none of torch's."""
        if self._fullgraph or not isinstance(call.error, exc.TorchRuntimeError):
            return False
        owner = _owner(frame)
        is_other = isinstance(self._model, torch.nn.Module) and (
            owner is not None and owner is not self._model)
        if id(frame.f_code) in self._own and not is_other and (
                not _begins_before_forward(self._model)):
            call.fails_at_first = call.error
            return False
        if bad_input.has_stand_in(self._model, *call.given):
            return False
        call.behind[_key(frame)] = (
            frame.f_code, owner, f"torch fails to trace it: {_said(call.error)}")
        return True

    def _leave(self, key, code, owner, why):
        """Notes a frame that eager has run, which is not traced after so many calls."""
        failures = self._failures(key)
        self._behind[key] = code, owner, failures + 1
        if not failures:
            self._captures.add(self._model, why=why)
        if failures + 1 == _ATTEMPTS:
            self._captures.tell(log.warning, "%s: %s failed to be traced in %d calls: it runs in "
                                "torch from now on", self._captures.name, code.co_name, _ATTEMPTS)

    def _failures(self, key):
        """How many calls dynamo failed to trace a frame in."""
        return self._behind[key][-1] if key in self._behind else 0

    def _end(self, call, succeeded):
        if call.began is not None:
            call.bar.end()
            log.info("%s: the capture %s %.1f s", self._captures.name,
                     "took" if succeeded else "failed after", time.monotonic() - call.began)

    def known(self, frame):
        """The fate of a frame that dynamo need not be asked for, or None."""
        code, call = frame.f_code, getattr(self._calls, "call", None)
        if _is_own(code.co_filename):
            return ConvertFrameReturn(frame_exec_strategy=_SKIP)  # As a gradient within a model.
        if id(code) in self._skipped:
            return ConvertFrameReturn(frame_exec_strategy=_NOT_AGAIN)
        if self._failures(_key(frame)) >= _ATTEMPTS or (
                call is not None and id(code) in call.skipped):
            return ConvertFrameReturn(apply_to_code=False)
        is_given_up = id(code) in self._own and self._attempts >= _ATTEMPTS
        if is_given_up:
            self._captures.miss(f"{_ATTEMPTS} calls in a row captured nothing, the last for: "
                                f"{self._last}")
        if is_given_up or self._is_stopped(frame):
            return ConvertFrameReturn(frame_exec_strategy=_RUN_ONLY, apply_to_code=False)
        return None

    def _is_stopped(self, frame):
        """Whether a frame was captured often enough: calls that differ in a number that is a
        constant to torch would be captured without an end."""
        code, owner = frame.f_code, _owner(frame)
        entries = [entry for entry in codes._debug_get_cache_entry_list(code)
                   if getattr(entry, "backend", None) is self._backend]
        if len(entries) < LIMIT:
            return False
        modules = self._model.modules() if isinstance(self._model, torch.nn.Module) else ()
        if len(entries) < LIMIT * sum(owner is None or type(owner) is type(module)
                                      for module in modules):
            return False
        why = (f"{code.co_name} ({code.co_filename}:{code.co_firstlineno}) was captured "
               f"{len(entries)} times already{_difference(entries[0], frame)}")
        if self._fullgraph:
            raise CaptureError(f"{self._captures.name}: {why}")
        self._captures.miss(why)
        return True

    def note(self, code, made):
        """Notes what dynamo has made of a frame. A skipped one is marked where the call has
        succeeded."""
        call, is_own = getattr(self._calls, "call", None), id(code) in self._own
        if call is None:
            return
        if made.guarded_code is not None:
            call.captured = True
            if not is_own:
                self._shared[id(code)] = code
        elif made.apply_to_code:
            made.apply_to_code, call.skipped[id(code)] = False, code
            if is_own:
                call.why = _said(call.error) if call.error is not None else (
                    getattr(made, "skip_reason", None) or "torch skips the frame")
                if self._fullgraph:  # torch's own error leaves its settings as those of a capture.
                    raise CaptureError(f"{self._captures.name}: torch captures nothing of the "
                                       f"call: {call.why}")

    def _miss(self, call):
        """Tells of a call that captured nothing. Where dynamo traced the model for nothing again
        and again, it is left to torch for good."""
        self._last = call.why
        self._captures.miss(call.why)
        self._attempts += call.began is not None
        if call.began is not None and self._attempts == _ATTEMPTS:
            self._captures.tell(log.warning, "%s: %d calls in a row captured nothing: what is not "
                                "captured yet runs in torch from now on", self._captures.name,
                                _ATTEMPTS)


def _owner(frame):
    """The module whose method a frame is, or a part of it; None of other functions."""
    names = frame.f_code.co_varnames[:frame.f_code.co_argcount]
    return next((value for value in map(frame.f_locals.get, ("self", *names))
                 if isinstance(value, torch.nn.Module)), None)


def _key(frame):
    """Equal for frames that do the same: modules share the code of their class."""
    return id(frame.f_code), id(_owner(frame))


def _begins_before_forward(model):
    """Whether a call of a model runs something before its forward."""
    return isinstance(model, torch.nn.Module) and bool(
        model._forward_pre_hooks or type(model).__call__ is not torch.nn.Module.__call__)


def _around():
    """The reason around a call why torch cannot trace it, or None."""
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return ("torch.vmap or another transform of torch.func around the call: expected calls "
                "outside of transforms, since programs have no rules for them")
    return None


def _difference(entry, frame):
    """The difference of a call from a capture, as torch's guards have it."""
    try:
        found = guards.get_guard_fail_reason(entry.guard_manager, entry.code, frame.f_locals,
                                             entry.compile_id, entry.backend, True)
    except Exception:  # A torch that has no such function.
        return ""
    text = found.strip().partition("\n")[0].partition("#")[0].strip()
    text = re.sub(r"L\['(\w+)'\]", r"\1", re.sub(r"^[\d/]+: ", "", text))
    return f", the last time for {text}, which is not so in this call" * bool(text)


def _said(error):
    """An error of dynamo in a line: what it came of, and where in the model."""
    place, first = place_in(str(error).partition("from user code:")[2]), error
    while isinstance(error, exc.TorchRuntimeError) and (first.__cause__ or first.__context__):
        first = first.__cause__ or first.__context__
    text = (str(first).strip() or type(first).__name__).splitlines()[0].rstrip(".")
    return f"{without_symbols(text)}{f' at {place}' * bool(place)}"


def _code_of_methods(model):
    """The code of the methods of a model's modules, but of torch's. It is shared by all models
    that have such modules, and dynamo captures it by itself behind a graph break."""
    classes = {cls for module in (model.modules() if isinstance(model, torch.nn.Module) else ())
               for cls in type(module).__mro__ if cls.__module__.partition(".")[0] != "torch"}
    for cls in classes:
        for function in vars(cls).values():
            while isinstance(function, types.FunctionType) and not hasattr(
                    function, "_torchdynamo_disable"):
                yield function.__code__
                function = getattr(function, "__wrapped__", None)
