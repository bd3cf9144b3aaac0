# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of a model of PyTorch Geometric called in several ways: what benchmarks/frontend.py
measures. First all ways that compile are called once, then all are measured."""

import contextlib
import functools
import gc
import json
import logging
import math
import operator
import os
import random
import signal
import statistics
import time
import warnings

import torch
import torch_geometric
from torch.utils import _pytree as pytree

import frontend_models
import gnn_mlir
import race
import synthetic
from gnn_mlir import in_flight
from gnn_mlir.pytorch.frontend import capture

WAYS = ("eager", "fast", "inductor", "ours")
COMPILED = ("ours", "inductor")
MODES = ("inference", "training")
_FEW, _MOST = 3, 50  # rounds
_LONG = 300  # Milliseconds: steps that are timed few times.


class TooLong(BaseException):
    """A step took longer than it may. No Exception: compilers catch those."""


@contextlib.contextmanager
def at_most(seconds, what="first call"):
    """Raises TooLong in the block after so many seconds, and again where it was caught."""
    def stop(*_):
        raise TooLong(f"{what} over {seconds:g} s")
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def why(error):
    """Why a cell has no times: one line."""
    if isinstance(error, torch.OutOfMemoryError) or any(
            said in str(error) for said in ("out of memory", "STATUS_ALLOC_FAILED")):
        return "oom"
    lines = str(error).strip().splitlines()
    name = "" if isinstance(error, TooLong) else type(error).__name__
    return f"{name}: {lines[0] if lines else ''}".strip(": ")[:160]


def worst_error(found, expected):
    """The largest ||found - expected|| / ||expected|| of outputs and gradients, where
    they are. A value that is nearly 0 for its place is measured by the largest; a gradient that one
    side does not have is zeros."""
    norm = lambda x: float(torch.linalg.vector_norm(x, dtype=torch.float64))
    least = 1e-3 * max(map(norm, expected.values()))
    worst = 0.0
    for name in dict.fromkeys((*expected, *found)):
        if name not in found or name not in expected:
            if not name.startswith("d "):
                return math.inf
            missing = torch.zeros_like((found if name in found else expected)[name])
        one, other = found.get(name), expected.get(name)
        one, other = missing if one is None else one, missing if other is None else other
        if one.shape != other.shape:
            return math.inf
        error = norm(one - other) / max(norm(other), least, 1e-30)
        worst = max(worst, error if math.isfinite(error) else math.inf)
    return worst


class Clock:
    """Times of steps on a GPU by events, on the CPU by its clock."""

    def __init__(self, device):
        self.on_gpu = device == "cuda"

    def wait(self):
        if self.on_gpu:
            torch.cuda.synchronize()

    def ms(self, run, steps=1):
        """Milliseconds of a step."""
        self.wait()
        if not self.on_gpu:
            began = time.perf_counter()
            for _ in range(steps):
                run()
            return 1e3 * (time.perf_counter() - began) / steps
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(steps):
            run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / steps

    def host_us(self, run, seconds, prepare=lambda: ()):
        """Microseconds until a call is back that found the GPU idle: the median."""
        times, until = [], time.perf_counter() + seconds
        while len(times) < 5 or len(times) < 300 and time.perf_counter() < until:
            arguments = prepare()
            self.wait()
            began = time.perf_counter()
            run(*arguments)
            times.append(1e6 * (time.perf_counter() - began))
        self.wait()
        return statistics.median(times)


class Step:
    """A step of one way: `call` is the model, compiled or not."""

    def __init__(self, call, model, training, seeds=None):
        self.call, self.model, self.training, self.seeds = call, model, training, seeds
        self._parameters = list(model.parameters())  # As an optimizer has them.

    def clear(self):
        for parameter in self._parameters:
            parameter.grad = None

    def _rows(self, out):
        """The rows of the loss: all, or those of the seeds."""
        if self.seeds is None:
            return pytree.tree_leaves(out)
        return [(out["n0"] if isinstance(out, dict) else out)[:self.seeds]]

    def __call__(self, inputs):
        if not self.training:
            with torch.no_grad():
                return self.call(*inputs)
        self.clear()
        out = self.call(*inputs)
        functools.reduce(operator.add, (
            rows.square().mean() for rows in self._rows(out))).backward()
        return out

    def found(self, inputs):
        """Outputs and gradients, by name."""
        out = self(inputs)
        named = out if isinstance(out, dict) else {"out": out}
        found = {name: value.detach() for name, value in named.items()}
        if self.training:
            found |= {f"d {name}": p.grad for name, p in
                      self.model.named_parameters() if p.grad is not None}
        self.clear()
        return found


def compiled(way, model, batches):
    """The model as a way calls it; `batches` change in size."""
    if way == "ours":
        return capture.compile_module(model)
    if way == "inductor":
        return torch.compile(model, dynamic=True if batches else None)
    return model


def compilations(way):
    """How many graphs a way has compiled so far."""
    if way == "ours":
        return len(capture._made)
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


def forget():
    """Lets go of all that was compiled, so that a model finds nothing of the one before."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    capture._made.clear()
    release()


def release():
    """Gives back the memory that nothing needs, that of graphs' structures too."""
    for outer in capture._made:
        outer.structures._kept.clear()
    in_flight.let_go()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


class Bench:
    """The data that all cells share."""

    def __init__(self, options):
        self.options, self.device = options, options.device
        torch.backends.cuda.matmul.allow_tf32 = False
        torch._dynamo.config.recompile_limit = 64
        random.seed(0)
        self.clock = Clock(options.device)
        self.machine = race.OnGPU() if self.device == "cuda" else None
        self._graphs, self._inputs, self._committed = {}, {}, {}
        if options.committed:
            result = json.loads(options.committed.read_text())
            device = self.about()["device"]
            if result["about"]["device"] != device:
                raise ValueError(f"{options.committed}: expected figures of {device}, got "
                                 f"those of {result['about']['device']}")
            self._committed = {(row["mode"], row["model"], row["graph"]): row["ways"]
                               for row in result["rows"]}

    def limit(self, way):
        """Seconds that a first call may take."""
        return {"inductor": self.options.first_inductor, "eager": self.options.first_eager,
                "fast": self.options.first_eager}.get(way, self.options.first)

    def about(self):
        about = self.machine.about() if self.machine else {
            "device": f"CPU, {torch.get_num_threads()} threads",
            "torch": torch.__version__}
        return {**about, "torch-geometric": torch_geometric.__version__,
                "gnn-mlir": self.options.commit or gnn_mlir.__version__}

    def place(self, inputs):
        """The tensors on the device, none of them one that was there before."""
        return pytree.tree_map_only(
            torch.Tensor, lambda x: x.to(self.device, copy=True, non_blocking=True), inputs)

    def pinned(self, inputs):
        """Tensors on the host, as a loader gives them that pins memory."""
        return inputs if self.machine is None else pytree.tree_map_only(
            torch.Tensor, torch.Tensor.pin_memory, inputs)

    def committed(self, row, ways):
        """The times of --committed of slow ways of a cell, and why others had none, marked."""
        found = self._committed.get((row["mode"], row["model"], row["graph"]), {})
        return {way: {**found[way], "committed": True} for way in ways
                if way != "ours" and (found.get(way, {}).get("slow") or
                                      "skipped" in found.get(way, {}))}

    def ways(self, text, name):
        options, skipped = self.options, set()
        if name not in frontend_models.FAST:
            skipped.add("fast")
        if options.no_inductor or (options.inductor_graphs is not None and
                                   text.partition(":")[0] not in options.inductor_graphs):
            skipped.add("inductor")
        return [way for way in WAYS if way not in skipped]

    def graph(self, text):
        """(graph, its kinds, where it is from) of the last name that was asked for."""
        if text not in self._graphs:
            self._graphs.clear()
            self._inputs.clear()
            graph, source = load(text, self.options)
            self._graphs[text] = graph, frontend_models.Kinds(graph), source
        return self._graphs[text]

    def inputs(self, text, takes):
        """The inputs of models: ([arguments], facts for the row); with --batches those of each
        batch."""
        graph, kinds, _ = self.graph(text)
        if takes not in self._inputs:
            if self.options.batches:
                if "batches" not in self._inputs:
                    self._inputs["batches"] = frontend_models.sampled(graph, self.options)
                batches, seeds = self._inputs["batches"]
                mean = lambda key: statistics.mean(getattr(b, key) for b, _ in batches)
                facts = {"seeds": seeds, "batch_nodes": mean("num_nodes"),
                         "batch_edges": mean("num_edges")}
            else:
                batches, facts = [(graph, None)], {}
            self._inputs[takes] = [takes(
                part, kinds, frontend_models.features(part.num_nodes))
                for part, _ in batches], facts
        return self._inputs[takes]


def load(text, options):
    """(graph, "file" or "made"): FOLDER/NAME.npz of --data, else the made one of that
    name; "name:0.01" is a hundredth of it. --tiny makes it of at most some hundred
    edges."""
    name, _, scale = text.partition(":")
    path = options.data / f"{name}.npz" if options.data else None
    if path and path.exists() and not scale:
        return gnn_mlir.Graph.load(path), "file"
    kept = options.kept / f"{text.replace(':', '-')}.npz" if options.kept else None
    if kept and kept.exists():
        return gnn_mlir.Graph.load(kept), "made"
    made = synthetic.homogeneous if name in synthetic.WITHOUT_TYPES else synthetic.graph
    known = {**{k: v[2] for k, v in synthetic._COUNTS.items()},
             **{k: v[1] for k, v in synthetic._PLAIN.items()}, "mag": 21_111_007}
    if options.tiny and not scale:
        scale = 600 / known.get(name, 600)
    graph = made(name, float(scale or 1))
    if kept:
        written = kept.with_suffix(f".{os.getpid()}.npz")  # Others may make it as well.
        graph.save(written)
        written.rename(kept)
    return graph, "made"


class Cell:
    """One row of the tables: a model on a graph, or on batches, in one mode."""

    def __init__(self, bench, row, ways, make, inputs):
        self.bench, self.row, self.inputs = bench, row, inputs
        training, seeds = row["mode"] != "inference", row.get("seeds")
        self.known = bench.committed(row, ways)
        model, self.steps = make().to(bench.device).train(training), {}
        for way in ways:
            if way in self.known and way != "eager":  # Which others are compared with.
                continue
            if way == "fast":
                own = make(fast=True).to(bench.device).train(training)
            else:
                own = model
            self.steps[way] = Step(compiled(way, own, "seeds" in row), own, training, seeds)
        self.found = {way: self.known.get(way, {}) for way in ways}

    def compile(self):
        """First calls of what compiles, with all inputs."""
        for way in (way for way in COMPILED if way in self.steps):
            made, limit = self.found[way], self.bench.limit(way)
            if "skipped" in made:
                continue
            before = compilations(way)
            try:
                with at_most(limit):
                    for number, inputs in enumerate(self.inputs):
                        inputs, began = self.bench.place(inputs), time.perf_counter()
                        self.steps[way](inputs)
                        self.bench.clock.wait()
                        if not number:
                            made["first_s"] = time.perf_counter() - began
            except (Exception, TooLong) as error:
                if why(error) != "oom":  # Else once more, when no other is there.
                    made["skipped"] = why(error)
                error.__traceback__ = None
            made["compilations"] = compilations(way) - before
            self.steps[way].clear()
            inputs = None
            release()

    def _compare(self, way, expected, compare):
        """(values, whether they are eager's) of a way before it is timed."""
        made = {} if way in self.known else self.found[way]
        began, before = time.perf_counter(), self._allocated()
        try:
            with at_most(self.bench.limit(way), "first step"):
                values = compare()
                self.bench.clock.wait()
            made.setdefault("first_s", time.perf_counter() - began)
            if self.bench.machine:
                in_flight.let_go()
                size = sum(x.nbytes for each in values for x in each.values())
                made["kept_mib"] = max(0, self._allocated() - before - size) / race.MIB
            if expected is not None:
                made["error"] = max(map(worst_error, values, expected))
            if made.get("error", 0) > self.bench.options.tolerance:
                made["skipped"] = f"wrong: {made['error']:.1e} from eager"
            return values
        except (Exception, TooLong) as error:  # The others have their times all the same.
            made["skipped"] = why(error)
            error.__traceback__ = None
        return None

    def _allocated(self):
        return torch.cuda.memory_allocated() if self.bench.machine else 0

    def _each_compared(self, compare):
        """The ways whose values are eager's."""
        expected = None
        for way, step in self.steps.items():
            if way in self.known or "skipped" not in self.found[way]:
                values = self._compare(way, expected, lambda: compare(step))
                expected = values if way == "eager" else expected
                values = None
            if self.bench.machine:
                release_unused()
        return {way: step for way, step in self.steps.items()
                if way not in self.known and "skipped" not in self.found[way]}

    def measure(self):
        """The row, with what was found of each way."""
        if self.bench.machine:
            self.row["free_gib"] = torch.cuda.mem_get_info()[0] / 2**30
        self._measure()
        for way, made in self.found.items():
            if way not in self.known:
                made["checked"] = "error" in made
        return {**self.row, "ways": self.found}

    def _measure(self):
        inputs = self.bench.place(self.inputs[0])
        steps = self._each_compared(lambda step: [step.found(inputs)])
        runs = {}
        for way, step in steps.items():
            run = lambda step=step: step(inputs)
            try:
                with at_most(self.bench.limit(way), "steps"):
                    self._once(self.found[way], step, run)
                runs[way] = run
            except (Exception, TooLong) as error:
                self.found[way]["skipped"] = why(error)
                error.__traceback__ = None
        if not runs:
            return
        try:
            self._race(runs)
            for way, run in runs.items():
                if self.found[way]["ms"] < _LONG:
                    self.found[way]["host_us"] = self.bench.clock.host_us(
                        run, self.bench.options.seconds / 6)
        except Exception as error:
            for way in runs:
                self.found[way].setdefault("skipped", why(error))

    def _once(self, made, step, run):
        """The time of a step, roughly, and its memory."""
        made["once_ms"] = self.bench.clock.ms(run)
        if made["once_ms"] < _LONG:
            made["once_ms"] = self.bench.clock.ms(run)
        if self.bench.machine:
            step.clear()
            made["mib"] = self.bench.machine.memory_mib(run)
            step.clear()

    def _race(self, runs):
        """Times of ways that take turns."""
        options = self.bench.options
        once = {way: self.found[way]["once_ms"] for way in runs}
        slow = {way for way in runs if once[way] > options.slower * min(once.values())}
        share = 1e3 * options.seconds / max(1, len(runs) - len(slow))
        times, counts, rounds = {way: [] for way in runs}, {}, {}
        for way in runs:
            counts[way] = max(1, min(20, int(share / _MOST / once[way])))
            rounds[way] = (1 if once[way] > 1000 else _FEW if way in slow or
                           once[way] > _LONG else
                           max(5, min(_MOST, int(share / once[way] / counts[way]))))
        most = max(rounds.values())
        for turn in range(most):
            for way in random.sample(list(runs), len(runs)):
                if race.takes_part(turn, rounds[way], most):
                    times[way].append(self.bench.clock.ms(runs[way], counts[way]))
        for way, values in times.items():
            self.found[way] |= {**race.summary(values), "min_ms": min(values),
                                "steps": counts[way], "slow": way in slow}


def release_unused():
    """Gives back the free memory that torch keeps; graphs keep their structures."""
    gc.collect()
    torch.cuda.empty_cache()


class BatchCell(Cell):
    """A training step over batches, all of them once before times are taken."""

    def _measure(self):
        bench, found = self.bench, self.found
        self.inputs = list(map(bench.pinned, self.inputs))
        steps = self._each_compared(lambda step: [
            step.found(bench.place(inputs)) for inputs in self.inputs])
        times, until = {way: [] for way in steps}, time.monotonic() + 2 * bench.options.seconds
        while steps and (not any(times.values()) or time.monotonic() < until):
            for batch in self.inputs:
                for way in random.sample(list(steps), len(steps)):
                    inputs = bench.place(batch)
                    try:
                        times[way].append(bench.clock.ms(lambda: steps[way](inputs)))
                    except Exception as error:
                        found[way]["skipped"] = why(error)
                        del steps[way]
        before = len(capture._made)
        for way, step in steps.items():
            made, inputs = found[way], bench.place(self.inputs[0])
            made |= {**race.summary(times[way]), "min_ms": min(times[way]), "steps": 1,
                     "slow": False}
            made["host_us"] = bench.clock.host_us(
                step, 0, lambda: (bench.place(self.inputs[0]),))
            if bench.machine:
                step.clear()
                made["mib"] = bench.machine.memory_mib(lambda: step(inputs))
        if "ours" in steps:
            found["ours"]["compilations"] += len(capture._made) - before


class Work:
    """The cells of one model on one graph."""

    def __init__(self, bench, text, name):
        self.bench, options = bench, bench.options
        graph, kinds, source = bench.graph(text)
        self.name, self.text = name, text
        self.rows = [{
            "graph": text, "source": source, "model": name, "mode": mode,
            "group": frontend_models.MODELS[name][0], "nodes": graph.num_nodes,
            "edges": graph.num_edges, "relations": len(kinds.relations)}
            for mode in modes(options)]
        self.left_out, self.cells = too_many(name, kinds, options), []

    def compile(self):
        """First calls."""
        if self.left_out:
            return
        forget()
        try:
            _, kinds, _ = self.bench.graph(self.text)
            inputs, facts = self.bench.inputs(self.text, frontend_models.MODELS[self.name][2])
            for row in self.rows:
                row |= facts
                kind = BatchCell if row["mode"] == "batches" else Cell
                cell = kind(self.bench, row, self.bench.ways(self.text, self.name),
                            lambda fast=False: frontend_models.make(
                                self.name, kinds, fast), inputs)
                for one in self.cells:  # Training is never faster to compile.
                    late = one.found.get("inductor", {}).get("skipped", "")
                    if "first call over" in late:
                        cell.found["inductor"]["skipped"] = f"inference: {late}"
                self.cells.append(cell)
                cell.compile()
        except Exception as error:
            self.left_out = why(error)

    def measure(self):
        """The rows, one after another."""
        for number, row in enumerate(self.rows):
            made = {**row, "ways": {}, "left_out": self.left_out}
            if not self.left_out:
                try:
                    made |= self.cells[number].measure()
                except Exception as error:
                    made["left_out"] = why(error)
                self.cells[number] = None
                release()
            yield made


def modes(options):
    return ("batches",) if options.batches else options.modes


def is_measured(options, text, name):
    """Batches of graphs without types are for homogeneous models, others for relational
    ones."""
    plain = text.partition(":")[0] in synthetic.WITHOUT_TYPES
    return not options.batches or plain == (
        frontend_models.MODELS[name][0] == "homogeneous")


def quiet():
    """Compilers print errors alone."""
    torch._logging.set_logs(dynamo=logging.ERROR, inductor=logging.ERROR)
    warnings.simplefilter("ignore")


def too_many(name, kinds, options):
    """Why a model with layers for each relation is left out, or None."""
    if name == "hetero-sage" and len(kinds.relations) > options.relations:
        return f"{len(kinds.relations)} relations, over {options.relations}"
    return None
