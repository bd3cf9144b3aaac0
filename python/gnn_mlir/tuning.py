# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faster schedules by measuring them (docs/Tuning.md).

    layer = gnn_mlir.compile(models.gcn((64, 64)), graph=graph)
    found = gnn_mlir.tune(layer, graph, {"x": x, "weight": w, "bias": b}, budget=5)
    faster = gnn_mlir.compile(models.gcn((64, 64)), graph=graph, schedules=found.schedules)
"""

import ctypes
import json
import math
import threading
import time

import numpy as np

from . import (cache, compiler_capi, devices, files, interop, options, paths, running, targets,
               types)
from .capi import GNNError
from .compiler import CompiledFunction, choose_chip, functions_of, read_program, settings_of
from .program import Function, check_dict
from .graph import to_numpy
from .signatures import Array, TuneProgress


class Tuning:
    """The result of `tune`. `print` shows a line for each kernel, and says where the budget ended
    before the search.

    Attributes:
        schedules: a list of dicts for the argument `schedules` of `compile`, one for each kernel
            with a faster schedule.
        templates: the outcome of each kernel, as dicts.
        graphs: a line of text for each graph that was generated from statistics.
        stopped: whether the search ended early."""

    def __init__(self, found=None):
        found = found or {}
        self.schedules, self.templates = found.get("schedules", []), found.get("templates", [])
        self.graphs, self.stopped = found.get("graphs", []), found.get("stopped", False)
        self._head = found.get("head", "")  # of the table, whose rows the templates have
        self._budget = None  # in seconds, where no error ended the search

    def __str__(self):
        lines = [*self.graphs, self._head]
        for one in self.templates:
            program = f"program {one['program']}: " if "program" in one else ""
            lines += [one["row"] + program + one["name"], *one["notes"]]
        if self._budget is not None and not self.stopped and self.templates and not any(
                one["timed"] or one["dropped"] or one["filtered"] for one in self.templates):
            lines.append(f"the budget of {self._budget:g} s ended before the search of "
                         f"{types.counted(len(self.templates), 'kernel')}")
        return "\n".join(lines)

    def __repr__(self):
        return (f"Tuning({len(self.templates)} kernels, {len(self.schedules)} with faster "
                "schedules)")

    def add(self, other):
        """Adds the results of another function."""
        self._head = self._head or other._head
        self.schedules += other.schedules
        self.templates += other.templates
        self.graphs += [line for line in other.graphs if line not in self.graphs]
        self.stopped |= other.stopped

    def save(self, path):
        """Writes the schedules to a file, which `compile` reads, whole or not at all."""
        files.write(path, "".join(json.dumps(line) + "\n" for line in self.schedules))


class TuneError(GNNError):
    """An error that ended a search. `found` is the `Tuning` of all kernels before it; their records
    are kept."""

    def __init__(self, message, found, kind=GNNError.kind):
        super().__init__(message)
        self.found, self.kind = found, kind

    def __reduce__(self):
        return type(self), (str(self), self.found, self.kind)


def tune(program, *args, budget=5.0, function=None, op=None, target=None,
         chip=None, passes=None, gradients=None, search="coordinate", model=None, seed=0,
         store=None, cell=None, keep=True, progress=None, filters=("registers",), **named):
    """Measures schedules of the kernels of a program or a PyTorch model (docs/Tuning.md).

    Each kernel is compiled and timed alone, beside the schedule that the compiler chooses. A
    schedule must give the same result, up to the order of sums. Ctrl-C ends the search and returns
    the results so far.

    Args:
        program: a compiled PyTorch model, a `CompiledFunction` of a program, or a program as
            `compile` takes it. A `CompiledFunction` keeps its target, its passes and those of
            plugins. Its kernels are compared with the schedules of the rules.
        *args: for a PyTorch model the arguments of a call, which is made. All programs of the model
            are tuned, the forward and the backward pass if it computes gradients. For a program
            they are its graphs and its inputs. Inputs of type f32 that are left out are random.
            Graphs that are left out are generated from the statistics in their declarations.
        budget: seconds for the whole search, compilation and generated graphs included. Kernels
            share it in proportion to their times. Each function of a model gets an equal share of
            what those before it leave.
        function, target, chip, passes, gradients: as for `compile`, if `program` is not compiled.
        op: the number of the only kernel to tune, as the result lists them.
        search: the name of a search: "coordinate", "random", "exhaustive", or with `model`
            "ranked", "genetic" or "sampling".
        model: the file of a trained model (docs/TuningModels.md).
        seed: the seed of random choices, and of generated graphs.
        store: a file that gets a line for each measurement.
        cell: the name of these measurements in `store`.
        keep: whether faster schedules are recorded for `compile(tuned=True)`.
        progress: a function that is called with the name of a kernel, or with "synthetic graph"
            while one is generated, the numbers of measured and of dropped schedules, the smallest
            ratio to the chosen schedule's time, and the share of the budget that is used.
        filters: the filters that schedules must pass before they are compiled: "registers",
            "utilization", "balance".

    Returns:
        A `Tuning`.

    Raises:
        ValueError: an argument is invalid.
        OSError: the file of the model cannot be read.
        CompileError: the program does not compile.
        GNNError: the program does not run. It is a `TuneError` after the first measurement."""
    budget = _seconds(budget)
    compiler_capi.flag_option("keep", keep)
    if progress is not None and not callable(progress):
        raise ValueError(f"progress: expected a function, got {types.described(progress)}")
    if model is not None:
        with paths.open_file(model, "model"):
            model = paths.encoded(model)
    compiler_capi.text_option("function", function)
    given = compiler_capi.TuneSettings(
        op=None if op is None else types.integer("op", op), budget=budget,
        search=compiler_capi.text_option("search", search) or b"", model=model,
        seed=types.integer("seed", seed), store=compiler_capi.path_option("store", store),
        cell=compiler_capi.text_option("cell", cell), filters=compiler_capi.filter_option(filters))
    if keep and (records := cache.records()) is not None:
        given.set("records", compiler_capi.path_option("records", records))
    of_program = dict(function=function, target=target, chip=chip, passes=passes,
                      gradients=gradients)
    if not interop.is_torch_model(program):
        options.refuse_unknown({name: value for name, value in named.items()
                                if name not in ("graph", "inputs")}, tune)
        runs = [(None, program, *_graph_and_inputs(args, named), function)]
    else:
        for name, value in (*of_program.items(), ("op", op)):
            if value is not None:
                raise ValueError(f"{name}: expected none for a PyTorch model, got {value!r}")
        calls = interop.calls_of(program, args, named)
        runs = [(number if len(calls) > 1 else None, compiled, graphs, inputs, name)
                for number, (compiled, graphs, inputs, names) in enumerate(calls, 1)
                for name in names]
    found, end = Tuning(), time.monotonic() + budget
    for left, (number, one, graphs, inputs, name) in zip(range(len(runs), 0, -1), runs):
        if found.stopped:
            break
        given.set("budget", max(end - time.monotonic(), _LEAST_SECONDS) / left)
        try:
            part, error = _tune(one, graphs, inputs, {**of_program, "function": name}, given,
                                progress)
        except GNNError as failed:
            part, error = Tuning(), failed
        for template in part.templates if number else ():
            template["program"] = number
        found.add(part)
        if error:
            raise (TuneError(str(error), found, error.kind) if found.templates else error) from error
    found._budget = budget
    return found


_LEAST_SECONDS = 1e-3  # for functions to which those before them leave nothing: they are listed


def _seconds(budget):
    """A budget as a float."""
    try:
        seconds = math.nan if isinstance(budget, (bool, str, bytes)) else float(budget)
    except (OverflowError, TypeError, ValueError):
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise ValueError("budget: expected a number of seconds above 0, got "
                         f"{types.described(budget)}")
    return seconds


def _graph_and_inputs(args, named):
    """The graphs and the inputs among the arguments."""
    if len(args) > 2 or len(args) == 2 and named or args and "graph" in named:
        raise ValueError("expected a graph and inputs, got "
                         f"{len(args)} arguments{''.join(f', {name}=' for name in named)}")
    graph = args[0] if args else named.get("graph")
    inputs = args[1] if len(args) == 2 else named.get("inputs")
    if inputs is not None:
        check_dict("inputs", inputs)
        for name in inputs:
            compiler_capi.text_option("inputs", name)
    return graph, inputs or {}


def _tune(program, graph, inputs, of_program, given, progress):
    """What was found for one program, and the error that ended it or None."""
    text, graphs, settings, source = _program_of(
        program, graph, of_program)
    if settings["target"] == targets.EMULATOR:
        raise ValueError("target: the emulator has no times: expected cuda or cpu")
    if graphs and source is not None and hasattr(source, "place_typed_inputs"):
        inputs = source.place_typed_inputs(graphs, inputs)
    if graphs and _is_backward(program, settings["function"]) and (
            set(program.input_names) <= set(inputs)):
        inputs = _inputs_of_backward(program, graph, inputs)
    device = devices.open_device(
        devices.place(inputs, settings["target"]) if settings["target"] != targets.CPU
        else targets.CPU)
    arrays = {name: _array(name, value) for name, value in inputs.items()}
    if function := settings.pop("function"):
        given.set("function", function)
    answer, error = _run(text, graphs, settings, given, arrays, device, progress)
    return Tuning(answer and json.loads(answer)), error


def _array(name, value):
    """An input as the library reads it: one value behind another, in the machine's byte order."""
    running.check_dense(f"input {name!r}", value)
    try:
        array = to_numpy(value)
    except (TypeError, ValueError) as error:  # of lists, and of torch for its own types
        raise ValueError(f"input {name!r}: {error}") from None
    return array.astype(array.dtype.newbyteorder("="), order="C", copy=False)


def _is_backward(program, function):
    """Whether it is the backward pass of a compiled function."""
    return getattr(program, "differentiated", None) is not None and (
        function == program.differentiated.find().backward)


def _inputs_of_backward(program, graph, inputs):
    """What the forward pass keeps of these inputs, and those that are gradients."""
    forward = {name: inputs[name] for name in program.input_names}
    others = {name: value for name, value in inputs.items() if name not in forward}
    return {**program.forward(graph, forward)[1].kept, **others}


def _read(program, graph, *, function, target, chip, passes, gradients):
    """The same of a program that is not compiled."""
    chip = choose_chip(target, chip)
    text, passes, graphs = read_program(program, passes, graph, function)
    source = program if isinstance(program, Function) else functions_of(program).get(function)
    settings = settings_of(program, target, chip, passes, gradients, function)
    return text, graphs, {**settings, "function": function or getattr(source, "name", None)}, source


# The settings of a compiled function that say what its kernels are. Schedules are compared with
# those of the rules, whatever it was compiled with.
_OF_KERNELS = "target", "chip", "passes", "gradients", "stage_passes"


def _program_of(program, graph, asked):
    """The text of a program, its graphs by name, how it is compiled, and its function."""
    if not isinstance(program, CompiledFunction):
        return _read(program, graph, **asked)
    for name in ("target", "chip", "passes", "gradients"):
        if asked[name] is not None:
            raise ValueError(f"{name}: expected none for a compiled function, which has its own, "
                             f"got {asked[name]!r}")
    if program.origin is None:
        raise ValueError("program: expected a function that was compiled in this process, got "
                         "one that was loaded")
    text, form = program.origin
    if form["stop_at"] is not None:
        raise ValueError("program: expected a function that was compiled to kernels, got one "
                         f"with stop_at={form['stop_at']!r}")
    graphs = {} if graph is None else dict(zip(program.graph_names, program._graphs(graph)))
    graphs = {name: one if hasattr(one, "statistics") else one.to_graph()
              for name, one in graphs.items()}
    settings = {name: form[name] for name in _OF_KERNELS}
    settings["function"] = asked["function"] or program.name
    return text, graphs, settings, program.source


def _run(text, graphs, settings, given, arrays, device, progress):
    """The answer of the library, and its error. The call is on a thread of its own: this one sees
    Ctrl-C."""
    stopped, ended, failed, answer = threading.Event(), threading.Event(), [], []

    def report(_, name, timed, dropped, best, done):
        if progress is not None:
            try:
                progress(name.decode(), timed, dropped, best, done)
            except BaseException as error:  # goes on in the caller's thread
                failed.append(error)
                stopped.set()
        return stopped.is_set()

    given.set_progress(TuneProgress(report))
    described = (Array * len(arrays))()
    kept = []
    for place, (name, value) in zip(described, arrays.items()):
        shape = (ctypes.c_int64 * value.ndim)(*value.shape)
        kept.append(shape)
        place.name, place.dtype = name.encode(), _dtype(value).encode()
        place.rank, place.shape, place.data = value.ndim, shape, value.ctypes.data

    def call():
        try:
            answer.append(compiler_capi.tune_text(
                text, compiler_capi.NAME, graphs, given, described, len(arrays), device,
                **settings))
        except BaseException as error:
            failed.append(error)
        finally:
            ended.set()

    # A daemon, as it may wait for a kernel for ever: the process ends without it.
    threading.Thread(target=call, name="gnn-mlir tune", daemon=True).start()
    while not ended.is_set():  # to join a thread is not safe from Ctrl-C
        try:
            ended.wait(0.1)
        except KeyboardInterrupt:
            if stopped.is_set():
                raise
            stopped.set()
    if failed:
        raise failed[0]
    return answer[0]


def _dtype(array):
    """The name of a type as the library has it, and NumPy's of others."""
    kind = array.dtype.kind
    return "i1" if kind == "b" else (
        f"{kind}{8 * array.itemsize}" if kind in "fiu" else array.dtype.name)
