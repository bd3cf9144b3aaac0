# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch Geometric's models by the front end, beside eager PyG and beside inductor.

    python benchmarks/frontend.py [--graphs aifb,mutag,bgs,fb15k,biokg,am,mag,wikikg2]
        [--data FOLDER] [--models rgcn,rgat,hgt,hetero-sage,gcn,gat,sage]
        [--modes inference,training] [--no-inductor] [--inductor-graphs aifb,mag]
        [--seconds 0.6] [--minutes 8] [--output FILE]
    python benchmarks/frontend.py --batches 10 [--graphs mag,products:0.25]
    python benchmarks/frontend.py --device cpu --tiny

Models are two unmodified layers, 64 features, of benchmarks/frontend_models.py; fp32,
TF32 off. A graph is FOLDER/NAME.npz where that is, else the made one of that name
("am:0.01": a hundredth of it). Inference is a call without gradients; a training step is
forward pass, loss and backward pass to all weights, without an optimizer. All ways of a
cell are in one process and take turns; a time is that of some steps between two events,
by their number; the median over rounds, the least, and the spread, the middle 80% beside
the median. A way that takes --slower times as long as the fastest gets no further turns;
its times are in parentheses. The first call is capture and compilation. "host" is how
long a call keeps the host while the GPU has nothing to do, without waiting for the end
of it, unless the call waits itself. Memory is what a step allocates at once by torch's
counter. Outputs and gradients are compared with eager PyG's: what differs by more than
--tolerance has no times.

With --batches there are sampled batches, of 1,024 seeds and at most 25 and 20 neighbours,
which are made before. A training step takes tensors that were just copied: nothing of
an earlier step is there but what was compiled. --minutes ends a run between two cells.
With --output there are FILE.json, with all numbers, and FILE.md, tables.
"""

import argparse
import contextlib
import datetime
import gc
import json
import logging
import math
import pathlib
import random
import signal
import statistics
import time

import torch
import torch_geometric
from torch.utils import _pytree as pytree

import frontend_models
import gnn_mlir
import race
import synthetic
from gnn_mlir.frontend import capture
from tables import markdown, number

WAYS = ("eager", "ours", "inductor")
MODES = ("inference", "training")
_FEW, _MOST = 3, 50  # rounds


class TooLong(Exception):
    """A first call that took longer than it may."""


@contextlib.contextmanager
def at_most(seconds):
    """Raises TooLong in the block after so many seconds."""
    def stop(*_):
        raise TooLong(f"first call over {seconds:g} s")
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def why(error):
    """Why a cell has no times: one line."""
    if isinstance(error, torch.OutOfMemoryError) or "out of memory" in str(error):
        return "oom"
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}".strip(": ")[:160]


def worst_error(found, expected):
    """The largest ||found - expected|| / ||expected|| of outputs and gradients, where
    they are. What is nearly 0 for its place is measured by the largest; a gradient that
    one side does not have is zeros."""
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

    def host_us(self, run, seconds):
        """Microseconds until a call is back that found the GPU idle: the median."""
        times, until = [], time.perf_counter() + seconds
        while len(times) < 5 or len(times) < 300 and time.perf_counter() < until:
            self.wait()
            began = time.perf_counter()
            run()
            times.append(1e6 * (time.perf_counter() - began))
        self.wait()
        return statistics.median(times)


class Step:
    """A step of one way: `call` is the model, compiled or not."""

    def __init__(self, call, model, training, seeds=None):
        self.call, self.model, self.training, self.seeds = call, model, training, seeds

    def clear(self):
        for parameter in self.model.parameters():
            parameter.grad = None

    def _rows(self, out):
        """What the loss is of: all rows, or those of the seeds."""
        if self.seeds is None:
            return pytree.tree_leaves(out)
        return [(out["n0"] if isinstance(out, dict) else out)[:self.seeds]]

    def __call__(self, inputs):
        if not self.training:
            with torch.no_grad():
                return self.call(*inputs)
        self.clear()
        out = self.call(*inputs)
        sum(rows.square().mean() for rows in self._rows(out)).backward()
        return out

    def found(self, inputs):
        """Outputs and gradients, by name."""
        out = self(inputs)
        named = out if isinstance(out, dict) else {"out": out}
        found = {name: value.detach() for name, value in named.items()}
        if self.training:
            found |= {f"d {name}": p.grad for name, p in
                      self.model.named_parameters() if p.grad is not None}
        return found


def compiled(way, model):
    """The model as a way calls it."""
    if way == "eager":
        return model
    if way == "ours":
        return capture.compile_module(model)
    return torch.compile(model, dynamic=True)


def compilations(way):
    """How many graphs a way has compiled since `forget`."""
    if way == "ours":
        return len(capture._made)
    return torch._dynamo.utils.counters["stats"]["unique_graphs"] if way != "eager" else 0


def forget():
    """Lets go of all that was compiled, so that a cell finds nothing of the one before."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    capture._made.clear()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


class Bench:
    """All that cells share."""

    def __init__(self, options):
        self.options, self.device = options, options.device
        self.clock = Clock(options.device)
        self.machine = race.OnGPU() if self.device == "cuda" else None
        self.until = time.monotonic() + 60 * options.minutes

    def about(self):
        about = self.machine.about() if self.machine else {
            "device": f"CPU, {torch.get_num_threads()} threads",
            "torch": torch.__version__}
        return {**about, "gnn-mlir": gnn_mlir.__version__,
                "torch-geometric": torch_geometric.__version__}

    def place(self, inputs):
        """The tensors on the device, none of them one that was there before."""
        return pytree.tree_map_only(
            torch.Tensor, lambda x: x.to(self.device, copy=True), inputs)

    def ways(self, graph):
        named = graph.partition(":")[0]
        skip = self.options.no_inductor or (self.options.inductor_graphs is not None and
                                            named not in self.options.inductor_graphs)
        return [way for way in WAYS if way != "inductor" or not skip]

    def enter(self, way, step, inputs, expected):
        """What is found of a way before it races; with "skipped" where it cannot."""
        found = {}
        try:
            began = time.perf_counter()
            with at_most(self.options.first):
                values = step.found(inputs)
            found["first_s"] = time.perf_counter() - began
            if expected is not None:
                found["error"] = worst_error(values, expected)
            if way == "eager":
                found["values"] = values
            del values
            if found.get("error", 0) > self.options.tolerance:
                found["skipped"] = f"wrong: {found['error']:.1e} from eager"
                return found
            run = lambda: step(inputs)
            run()
            found["once_ms"] = self.clock.ms(run)
            if self.machine:
                step.clear()
                found["mib"] = self.machine.memory_mib(run)
        except Exception as error:  # The other cells have their times all the same.
            found["skipped"] = why(error)
            error.__traceback__ = None
        return found

    def race(self, steps, found):
        """Times of ways that take turns: `steps` by way, each a function of a round."""
        best = min(found[way]["once_ms"] for way in steps)
        slow = {way for way in steps if found[way]["once_ms"] > self.options.slower * best}
        share = 1e3 * self.options.seconds / max(1, len(steps) - len(slow))
        times, counts, rounds = {way: [] for way in steps}, {}, {}
        for way in steps:
            once = found[way]["once_ms"]
            counts[way] = max(1, min(20, int(share / _MOST / once)))
            rounds[way] = _FEW if way in slow else max(
                5, min(_MOST, int(share / once / counts[way])))
        most = max(rounds.values())
        for turn in range(most):
            for way in random.sample(list(steps), len(steps)):
                if race.takes_part(turn, rounds[way], most):
                    times[way].append(self.clock.ms(steps[way], counts[way]))
        for way, values in times.items():
            found[way] |= {**race.summary(values), "min_ms": min(values),
                           "steps": counts[way], "slow": way in slow}

    def cell(self, name, graph, training, model, inputs):
        """All ways of one model on one graph."""
        forget()
        model.to(self.device).train(training)
        found, steps, expected = {}, {}, None
        for way in self.ways(graph):
            step = Step(compiled(way, model), model, training)
            found[way] = self.enter(way, step, inputs, expected)
            expected = found[way].pop("values", expected)
            found[way]["compilations"] = compilations(way)
            if "skipped" not in found[way]:
                steps[way] = lambda step=step: step(inputs)
            torch._dynamo.utils.counters.clear()
            gc.collect()
        expected = None
        if steps:
            try:
                self.race(steps, found)
                for way, run in steps.items():
                    found[way]["host_us"] = self.clock.host_us(
                        run, self.options.seconds / 6)
            except Exception as error:
                for way in steps:
                    found[way].setdefault("skipped", why(error))
        for value in found.values():
            value.setdefault("checked", "error" in value)
        return found


def load(text, options):
    """A graph by name; "name:0.01" is a hundredth of the made one. --tiny makes
    it of at most some hundred edges."""
    name, _, scale = text.partition(":")
    path = options.data / f"{name}.npz" if options.data else None
    if path and path.exists() and not scale:
        return gnn_mlir.Graph.load(path), "file"
    made = synthetic.homogeneous if name in synthetic.WITHOUT_TYPES else synthetic.graph
    known = {**{k: v[2] for k, v in synthetic._COUNTS.items()},
             **{k: v[1] for k, v in synthetic._PLAIN.items()}, "mag": 21_111_007}
    if options.tiny and not scale:
        scale = 600 / known.get(name, 600)
    return made(name, float(scale or 1)), "made"


def described(graph, kinds, text, source, name, mode):
    return {"graph": text, "source": source, "model": name, "mode": mode,
            "group": frontend_models.MODELS[name][0], "nodes": graph.num_nodes,
            "edges": graph.num_edges, "relations": len(kinds.relations)}


def too_many(name, kinds, options):
    """Why a model with layers for each relation is left out, or None."""
    if name == "hetero-sage" and len(kinds.relations) > options.relations:
        return f"{len(kinds.relations)} relations, over {options.relations}"
    return None


def full_graphs(bench, options, save):
    for text in options.graphs:
        graph, source = load(text, options)
        kinds = frontend_models.Kinds(graph)
        x = frontend_models.features(graph.num_nodes)
        for name in options.models:
            takes = frontend_models.MODELS[name][2]
            inputs = model = None
            for mode in options.modes:
                row = described(graph, kinds, text, source, name, mode)
                row["left_out"] = too_many(name, kinds, options) or (
                    "no time left" if time.monotonic() > bench.until else None)
                row["ways"] = {}
                if not row["left_out"]:
                    try:
                        if inputs is None:
                            inputs = bench.place(takes(graph, kinds, x))
                            model = frontend_models.make(name, kinds)
                        row["ways"] = bench.cell(name, text, mode == "training", model,
                                                 inputs)
                    except Exception as error:
                        row["left_out"] = why(error)
                save(row)


def batch_cell(bench, graph, model, batches, seeds):
    """A training step over batches, all of them once before times are taken."""
    forget()
    model.to(bench.device).train()
    found, steps, expected = {}, {}, None
    for way in bench.ways(graph):
        step, made = Step(compiled(way, model), model, True, seeds), {}
        found[way] = made
        try:
            began, values = time.perf_counter(), []
            with at_most(bench.options.first):
                values.append(step.found(bench.place(batches[0])))
                made["first_s"] = time.perf_counter() - began
                values += [step.found(bench.place(batch)) for batch in batches[1:]]
            made["first_pass_s"] = time.perf_counter() - began
            if expected is None and way == "eager":
                expected = values
            elif expected is not None:
                made["error"] = max(map(worst_error, values, expected))
            if made.get("error", 0) > bench.options.tolerance:
                made["skipped"] = f"wrong: {made['error']:.1e} from eager"
            else:
                steps[way] = step
        except Exception as error:
            made["skipped"] = why(error)
            error.__traceback__ = None
        made["compilations"] = compilations(way)
        torch._dynamo.utils.counters.clear()
    times, until = {way: [] for way in steps}, time.monotonic() + 2 * bench.options.seconds
    while steps and (not any(times.values()) or time.monotonic() < until):
        for batch in batches:
            for way in random.sample(list(steps), len(steps)):
                inputs = bench.place(batch)
                try:
                    times[way].append(bench.clock.ms(lambda: steps[way](inputs)))
                except Exception as error:
                    found[way]["skipped"] = why(error)
                    del steps[way]
    for way, step in steps.items():
        made, inputs = found[way], bench.place(batches[0])
        made |= {**race.summary(times[way]), "min_ms": min(times[way]), "steps": 1,
                 "slow": False}
        if way == "ours":
            made["compilations"] = compilations(way)
        if bench.machine:
            step.clear()
            made["mib"] = bench.machine.memory_mib(lambda: step(inputs))
    for value in found.values():
        value["checked"] = "error" in value
    return found


def mini_batches(bench, options, save):
    for text in options.graphs:
        graph, source = load(text, options)
        kinds = frontend_models.Kinds(graph)
        for name in options.models:
            group, _, takes = frontend_models.MODELS[name]
            typed = graph.num_edge_types > 1
            if (group == "relational") != typed:
                continue  # Each graph with models of its kind.
            row = described(graph, kinds, text, source, name, "batches")
            row["left_out"] = too_many(name, kinds, options) or (
                "no time left" if time.monotonic() > bench.until else None)
            row["ways"] = {}
            if not row["left_out"]:
                try:
                    batches, seeds = frontend_models.sampled(
                        graph, kinds, takes, options)
                    inputs, nodes, edges = zip(*batches)
                    row |= {"seeds": seeds, "batch_nodes": statistics.mean(nodes),
                            "batch_edges": statistics.mean(edges)}
                    row["ways"] = batch_cell(bench, text, frontend_models.make(
                        name, kinds), inputs, seeds)
                except Exception as error:
                    row["left_out"] = why(error)
            save(row)


def means(rows):
    """Geometric means of times beside ours, by mode and group: {(mode, group, peer):
    (ratio, cells)}. Cells without a checked time of ours and a time of the peer are
    in none."""
    found = {}
    for row in rows:
        ours = row["ways"].get("ours", {})
        for peer in WAYS[::2]:
            other = row["ways"].get(peer, {})
            if "ms" in ours and "ms" in other and not (
                    "skipped" in ours or "skipped" in other):
                for group in (row["group"], "all"):
                    found.setdefault((row["mode"], group, peer), []).append(
                        other["ms"] / ours["ms"])
    return {key: (statistics.geometric_mean(ratios), len(ratios))
            for key, ratios in found.items()}


def _time(found):
    if not found:
        return "-"
    if "skipped" in found:
        return found["skipped"].replace("|", "/")
    return f"({found['ms']:.3f})" if found["slow"] else f"{found['ms']:.3f}"


def _line(row):
    ways = [row["ways"].get(way, {}) for way in WAYS]
    eager, ours, inductor = ways
    ratio = lambda peer: number(peer["ms"] / ours["ms"] if "ms" in peer and "ms" in ours
                                else None, 2)
    each = lambda key, digits: " / ".join(number(w.get(key), digits) for w in ways)
    spreads = [w["spread"] for w in ways if "spread" in w]
    error = ours.get("error")
    return [row["graph"], row["model"], f"{row['edges']:,}",
            row["left_out"] or _time(eager), _time(ours), _time(inductor), ratio(eager),
            ratio(inductor), each("min_ms", 3), each("host_us", 0), each("mib", 0),
            each("first_s", 1), " / ".join(str(w.get("compilations", "-")) for w in ways),
            "-" if error is None else f"{error:.1e}",
            f"{100 * max(spreads):.1f}%" if spreads else "-"]


def table(result):
    """The results as Markdown."""
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    lines = [
        "# Two layers of PyG by the front end, beside eager and inductor, 64 features, "
        "fp32\n\n"
        f"{result['date']}, {about}. Milliseconds a step, medians of turns in one process; "
        f"in parentheses: over {result['slower']:g} times the fastest, {_FEW} turns. "
        "least, host (microseconds), MiB, first (s) and compilations: eager / ours / "
        "inductor. error: of ours beside eager, outputs and gradients, the worst. spread: "
        "the middle 80% beside the median, the largest.\n"]
    header = ["graph", "model", "edges", "eager", "ours", "inductor", "eager / ours",
              "inductor / ours", "least", "host", "MiB", "first", "compilations", "error",
              "spread"]
    for mode in (*MODES, "batches"):
        rows = [row for row in result["rows"] if row["mode"] == mode]
        if rows:
            lines += [f"## {mode.capitalize()}\n", markdown(header, map(_line, rows))]
    found = means(result["rows"])
    if found:
        lines += ["## Geometric means of times beside ours\n", markdown(
            ["mode", "group", "peer", "peer / ours", "cells"],
            [[*key, f"{ratio:.2f}", str(count)]
             for key, (ratio, count) in found.items()])]
    return "\n".join(lines)


def names(known):
    def parse(text):
        found = text.split(",") if text else []
        for name in found:
            if known and name not in known:
                raise argparse.ArgumentTypeError(
                    f"expected some of {', '.join(known)}, got {name}")
        return found
    return parse


def device(name):
    if name not in ("cuda", "cpu"):
        raise argparse.ArgumentTypeError(f"expected cuda or cpu, got {name}")
    if name == "cuda" and not torch.cuda.is_available():
        raise argparse.ArgumentTypeError("expected cpu, since torch finds no GPU, got cuda")
    return name


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=names(()))
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--models", type=names(tuple(frontend_models.MODELS)),
                        default=list(frontend_models.MODELS))
    parser.add_argument("--modes", type=names(MODES), default=list(MODES))
    parser.add_argument("--batches", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=1024)
    parser.add_argument("--fanouts", type=lambda t: tuple(map(int, t.split(","))),
                        default=(25, 20))
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--inductor-graphs", type=names(()))
    parser.add_argument("--relations", type=int, default=128,
                        help="most relations of hetero-sage")
    parser.add_argument("--seconds", type=float, default=0.6, help="of turns, a cell")
    parser.add_argument("--first", type=float, default=60, help="most seconds of a first "
                        "call")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--slower", type=float, default=5)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--device", type=device, default="cuda")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    if options.graphs is None:
        products = "products" if options.tiny else "products:0.25"
        options.graphs = ["mag", products] if options.batches else list(synthetic.NAMES)
    return options


def main(arguments=None):
    options = parse(arguments)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch._logging.set_logs(dynamo=logging.ERROR)
    random.seed(0)
    bench = Bench(options)
    result = {"date": datetime.date.today().isoformat(), "about": bench.about(),
              "seconds": options.seconds, "slower": options.slower, "rows": []}

    def save(row):
        result["rows"].append(row)
        print(f"{row['graph']:<12}{row['model']:<12}{row['mode']:<10}" + (
            row["left_out"] or ", ".join(f"{way} {_time(one)}" for way, one in
                                         row["ways"].items())), flush=True)
        if options.output:
            options.output.with_suffix(".json").write_text(json.dumps(result, indent=1))
            options.output.with_suffix(".md").write_text(table(result))

    (mini_batches if options.batches else full_graphs)(bench, options, save)
    print(table(result))


if __name__ == "__main__":
    main()
