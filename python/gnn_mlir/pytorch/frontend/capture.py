# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.compile(model, backend="gnn_mlir")`, and the one call that sets what it needs."""

import os
import weakref

import torch

from ...compiler import check_target
from ...compiler_capi import path_option
from . import report, torch_internals, variants, wholeness
from .analysis import liveness
from .calls import arguments, hooks
from .calls.compiled_model import Compiled, refuse_untraced
from .calls.frames import Frames, fresh
from .calls.symbols import Numbers, is_of_symbols
from .functional import modes
from .functional.lowering import lower
from .places import without_symbols
from .raising.raiser import CaptureError, described_op
from .runtime.outer import NoGraph, Outer
from .tracing import exporting, hetero, intercept, sizes


class _Made(list):
    """The programs of the front end, the last one last, as long as torch keeps them; for
    tests."""

    def _there(self):
        return [outer for outer in (ref() for ref in super(_Made, self).__iter__()) if outer]

    def append(self, outer):
        there = self._there()
        self.clear()
        self.extend(map(weakref.ref, (*there, outer)))

    def __iter__(self):
        return iter(self._there())

    def __len__(self):
        return len(self._there())

    def __getitem__(self, place):
        return self._there()[place]


_made = _Made()
_OPTIONS = ("target", "chip", "passes", "keep_phases", "tuned", "schedule_rule",
            "fullgraph")


class _LeftToTorch(Exception):
    """A graph that torch runs, and why."""


def backend(graph_module, example_inputs, *, options=None, captures=None):
    """A backend of torch.compile: programs of the `gnn` dialect, and torch's ops for what
    they do not mean. Graphs without a sum or a gather over edges are torch's. `captures`
    is a `report.Captures` that notes what was made."""
    options = dict(options or {})
    for name in options:
        if name not in _OPTIONS:
            raise ValueError(f"options: expected {', '.join(_OPTIONS)}, got {name!r}")
    options.update(_phases(options))
    whole = options.pop("fullgraph", False) or report.is_one_graph()
    captures = report.of_backend() if captures is None else captures
    modes.guard_tangents()
    try:
        outer, forward = _compiled(graph_module, example_inputs, whole, options, captures)
        captures.add(graph_module, outer)
        return forward
    except _LeftToTorch as error:
        why, cause = str(error), None
    except exporting.SharedMemory as error:
        why = "arguments that share memory, of which one is written to: expected others"
        cause = error
    except RuntimeError as error:
        if not is_of_symbols(error):
            raise
        why, cause = "sizes that only values say", error
    if whole:
        raise CaptureError(why) from cause
    captures.add(graph_module, why=why)
    return modes.in_torch(graph_module)


def _phases(options):
    """The folder of phases among options, wherever calls are made."""
    given = path_option("keep_phases", options.get("keep_phases"))
    return {} if given is None else {"keep_phases": os.path.abspath(os.fsdecode(given))}


def _compiled(graph_module, inputs, whole, options, captures):
    """(the `Outer` that was made of a graph, what runs it)."""
    refused = modes.refused(graph_module)
    if refused is not None:
        raise _LeftToTorch(refused)
    foreign = set()
    try:
        given = lower(graph_module)
    except ValueError as error:
        if not _is_of_torch(error):
            raise
        why = without_symbols(str(error).strip().splitlines()[0])
        raise _LeftToTorch(f"torch cannot trace what it writes to: {why}") from error
    if any(node.target == torch.ops.aten.as_strided_scatter.default
           for node in given.module.graph.nodes):
        raise _LeftToTorch("a write by way of as_strided, as fill_diagonal_ is: torch's "
                           "gradient of it is that of another")
    if torch.is_grad_enabled():
        given.readers = liveness.readers(given.module.graph)
    while True:
        lowered, raiser = variants.raised(given, foreign)
        dtype = modes.other_dtype(raiser)
        if dtype is not None:
            if not whole:
                captures.tell(modes.warn_of, dtype)
            raise _LeftToTorch(modes.left_to_torch(dtype))
        segments = variants.programs(raiser)
        if whole:
            wholeness.refuse_splits(raiser, segments)
        if not segments:
            raise _LeftToTorch(_first_reason(raiser))
        outer = Outer(raiser, lowered, options)
        try:
            module = outer.build()
            break
        except NoGraph as error:
            if whole:
                raise
            if error.ids <= foreign:
                raise _LeftToTorch(str(error)) from error
            foreign |= error.ids  # Torch's, with what they gather and sum.
    if whole:
        wholeness.refuse(outer)
    module.outer = outer  # As long as torch keeps it.
    outer.examples = [_weakly(x) for x in (
        *inputs, *(own[name] for own, name in lowered.parameters))]
    _made.append(outer)
    forward = lowered.fed(module)
    return outer, exporting.without_autocast()(forward) if lowered.autocast else forward


def _weakly(x):
    """A function that gives a tensor as long as it lives; None of what is none."""
    return weakref.ref(x) if isinstance(x, torch.Tensor) else lambda: None


def _is_of_torch(error):
    """Whether torch raises an error by itself."""
    at = error.__traceback__
    while at.tb_next is not None:
        at = at.tb_next
    return at.tb_frame.f_globals.get("__name__", "").partition(".")[0] == "torch"


def _first_reason(raiser):
    """Why a graph has no program."""
    for node, why in raiser.reasons.items():
        return f"{described_op(node)}: {why}"
    return "it has no gather and no sum over edges"




def register():
    """Makes the backend known to torch by its name."""
    if "gnn_mlir" not in torch._dynamo.list_backends(exclude_tags=()):
        torch._dynamo.register_backend(backend, name="gnn_mlir")


refuse_untraced(backend)


def compile_module(model, *, fullgraph=False, dynamic=True, **options):
    """`model`, a torch.nn.Module or a function of tensors, compiled when it is first called
    in each of torch's modes. It takes and gives what the model does: float32 features, ids
    [2, edges] of int64 or int32 or another form of a graph. With `dynamic` other numbers of
    rows are not compiled again; the options are those of `gnn_mlir.compile`.

    Raises ValueError for unknown options, CaptureError for layers with hooks of message
    passing. Calls raise ValueError for wrong arguments, and with `fullgraph` CaptureError
    where a model is not one program."""
    hetero.install()
    sizes.install()
    register()
    hooks.refuse(model)
    for name in options:
        if name not in _OPTIONS:
            raise ValueError(f"{name}: expected an option of {', '.join(_OPTIONS)}")
    check_target(options.get("target"))
    options.update(_phases(options))
    captures = report.Captures(getattr(model, "__name__", type(model).__name__), model, True)

    def compiler(graph_module, inputs):
        return backend(graph_module, inputs, options={"fullgraph": fullgraph, **options},
                       captures=captures)
    numbers = Numbers(fullgraph)
    frames = Frames(model, captures, fullgraph, numbers)

    def context(hooks_are_known):
        made = torch._dynamo.optimize(compiler, nopython=fullgraph, dynamic=dynamic,
                                      **torch_internals.isolated())
        made.enter_exit_hooks += [
            intercept.turn_on, numbers.patch,
            torch._dynamo.config._make_closure_patcher(
                specialize_float=True, automatic_dynamic_shapes=False,
                skip_nnmodule_hook_guards=hooks_are_known,
                fake_tensor_cache_enabled=False,  # With symbols it takes longer than without.
                recompile_limit=4096, accumulated_recompile_limit=65536),
            torch.fx.experimental._config._make_closure_patcher(
                use_duck_shape=False, backed_size_oblivious=True)]
        return made

    def compiled(function, eager, is_fresh, hooks_are_known=False):
        return arguments.marking(frames.compiled(
            context(hooks_are_known), function, eager, is_fresh))
    if isinstance(model, torch.nn.Module):
        made = Compiled.of(context(False)(model), compiled, captures, compile_module, {
            "fullgraph": fullgraph, "dynamic": dynamic, **options})
    else:
        own = fresh(model)
        made = arguments.converting(compiled(own or model, model, own is not None), model,
                                    captures, fullgraph)
    vars(made)["captures"] = captures
    return made
